"""Builds the engine for the browser, its npm package and the site.

usage: build.py [--wasm | --test-search | --check | --serve [PORT]]

Without an option, builds web/dist/package (the npm package aspirant-web), its tarball and web/dist/site, and prints the
size of every file except those of the tutorial, which is part of the site if mdBook is installed.

  --wasm          builds only the WebAssembly files, in web/dist/wasm
  --test-search   builds only web/dist/wasm/negamax.wasm, an engine with another search, for web/tests
  --check         builds nothing; prints the sizes and fails if one is above its limit
  --serve [PORT]  builds nothing; serves web/dist/site on localhost, port 8000 unless given

Needs cargo with the target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`), Node.js 20 or newer and
npm. Where the target is missing, Debian and Ubuntu can replace it: their compiler rustc-web and the source of std are
downloaded and unpacked into the build directory, not installed.
"""

import argparse
import functools
import glob
import gzip
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

WEB = pathlib.Path(__file__).resolve().parent
ROOT = WEB.parent
DIST = WEB / "dist"
# Begins every message; scripts/package.py, which uses this file as a module, sets its own.
PROGRAM = "web"
TARGET = "wasm32-unknown-unknown"
DEBIAN_PACKAGES = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"]
# Features of aspirant-web, name of the file: the engine, and the engine with the reference algorithms for the site.
WASM_FILES = [("", "aspirant.wasm"), ("algorithms", "site.wasm")]
# The engine of examples/negamax.rs.
TEST_SEARCH = ("test-search", "negamax.wasm")
# Asyncify lets a search be suspended in the import `pause`, so that the Worker can handle messages. Only
# functions that lead to `pause` are changed. Calls through function pointers are not followed, except those of the two
# functions that are named here.
SUSPENDABLE = [
    "--asyncify",
    "--pass-arg=asyncify-imports@env.pause",
    "--pass-arg=asyncify-ignore-indirect",
    "--pass-arg=asyncify-propagate-addlist",
    "--pass-arg=asyncify-addlist@*host_pause*,*dispatch_search*",
    "-O3",
    # Leaving out the zeros makes thousands of data segments, which compress worse than the zeros.
    "--skip-pass=memory-packing",
]
# What browsers and Node.js 20 support; more would be used otherwise.
WASM_FEATURES = [
    "--mvp-features", "--enable-bulk-memory", "--enable-bulk-memory-opt", "--enable-sign-ext", "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
]
# Limits of `--check`, gzipped bytes.
MAX_WASM = 260_000
MAX_SITE = 480_000
OLDEST_NODE = 20


def fail(message):
    sys.exit(f"{PROGRAM}: {message}")


def run(*command, **options):
    """Runs a command; a failure ends this program with the failed command."""
    try:
        # On Windows, npm is npm.cmd, which only shutil.which finds.
        program = shutil.which(command[0]) or command[0]
        return subprocess.run([program, *command[1:]], check=True, **options)
    except FileNotFoundError:
        fail(f"{command[0]} is not installed")
    except subprocess.CalledProcessError as error:
        fail(f"exit status {error.returncode} of: {' '.join(map(str, command))}\n{error.stderr or ''}".rstrip())


def output(*command, **options):
    return run(*command, capture_output=True, text=True, **options).stdout


def need_node():
    install = "install Node.js 20 or newer with npm (https://nodejs.org; Debian: apt-get install nodejs npm)"
    for program in ("node", "npm"):
        if not shutil.which(program):
            fail(f"{program} is not installed; {install}")
    version = output("node", "--version").strip()
    if int(re.match(r"v(\d+)", version)[1]) < OLDEST_NODE:
        fail(f"node is {version}; {install}")


def host():
    return re.search(r"host: (\S+)", output("rustc", "-vV"))[1]


def sysroot():
    return pathlib.Path(output("rustc", "--print", "sysroot").strip())


def has_target(target=TARGET):
    return (sysroot() / "lib" / "rustlib" / target / "lib").is_dir()


def debian_compiler(folder, target=TARGET):
    """Unpacks rustc-web and the source of std into `folder`; returns the environment that uses it for `target`."""
    folder = folder.resolve()
    complete = folder / "complete"
    if not complete.exists():
        for program in ("apt-get", "dpkg"):
            if not shutil.which(program):
                fail(f"the target {target} is not installed; install it with: rustup target add {target}")
        print(f"{PROGRAM}: the target {target} is not installed; downloading Debian's compiler to {folder}", flush=True)
        if os.geteuid() == 0:
            run("apt-get", "update", "-qq", stdout=subprocess.DEVNULL)
        packages, pending = set(DEBIAN_PACKAGES), list(DEBIAN_PACKAGES)
        while pending:
            depends = output("apt-cache", "depends", "--no-recommends", "--no-suggests", pending.pop())
            new = set(re.findall(r"Depends: ((?:libllvm|libstd-rust-web)\S*)", depends)) - packages
            packages |= new
            pending += new
        downloads = folder / "packages"
        downloads.mkdir(parents=True, exist_ok=True)
        run("apt-get", "download", "-qq", *sorted(packages), cwd=downloads)
        for package in glob.glob(f"{downloads}/*.deb"):
            run("dpkg", "-x", package, folder)
        shutil.rmtree(downloads)
        complete.touch()
    return {
        "LD_LIBRARY_PATH": str(folder / "usr/lib/x86_64-linux-gnu"),
        "RUSTC": str(folder / "usr/bin/rustc"),
        "RUSTDOC": str(folder / "usr/bin/rustdoc"),
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": str(sysroot() / "lib/rustlib" / host() / "bin/rust-lld"),
    }


def path_flags(target):
    """Returns compiler flags that keep the paths of this machine out of the panic messages."""
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    flags = [f"--remap-path-prefix={ROOT}=aspirant"]
    flags += [f"--remap-path-prefix={source}=." for source in glob.glob(f"{home}/registry/src/*")]
    return flags + [f"--remap-path-prefix={(target / 'compiler').resolve()}=/rust", f"--remap-path-prefix={sysroot()}=/rust"]


def build_wasm(wasm_files):
    metadata = output("cargo", "metadata", "--format-version", "1", "--no-deps", "--locked", cwd=WEB)
    target = pathlib.Path(json.loads(metadata)["target_directory"]) / "wasm"
    environment = dict(os.environ)
    flags = f"target.{TARGET}.rustflags={json.dumps(path_flags(target))}"
    options = ["--locked", "--target", TARGET, "--target-dir", str(target), "--config", flags]
    if not has_target():
        environment.update(debian_compiler(target / "compiler"))
        options += ["-Z", "build-std=std,panic_abort"]
    (DIST / "wasm").mkdir(parents=True, exist_ok=True)
    for features, name in wasm_files:
        run("cargo", "build", "--package", "aspirant-web", "--features", features, "--release", *options, cwd=WEB, env=environment)
        optimize(target / TARGET / "release" / "aspirant_web.wasm", DIST / "wasm" / name)


def optimize(source, target):
    """Makes searches suspendable by Binaryen's wasm-opt and removes the names of the functions."""
    install(WEB)
    strip = ["--strip-debug", "--strip-producers", "--strip-target-features"]
    wasm_opt = WEB / "node_modules" / "binaryen" / "bin" / "wasm-opt"
    command = ["node", str(wasm_opt), str(source), "-o", str(target), *WASM_FEATURES, *SUSPENDABLE, *strip]
    result = run(*command, capture_output=True, text=True)
    # A name that is not found would leave functions without the code that suspends them.
    if "warning" in result.stderr:
        fail(f"wasm-opt: {result.stderr.strip()}")


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def build_package():
    source, package = WEB / "engine", DIST / "package"
    empty(package)
    for name in ("cli.js", "aspirant.d.ts", "README.md", "package.json"):
        shutil.copyfile(source / name, package / name)
    script = (source / "aspirant.js").read_text("utf-8")
    (package / "aspirant.js").write_text(minify(script), "utf-8")
    (package / "aspirant.mjs").write_text(minify(bundler_module(script)), "utf-8")
    shutil.copyfile(ROOT / "LICENSE", package / "LICENSE")
    shutil.copyfile(DIST / "wasm" / "aspirant.wasm", package / "aspirant.wasm")
    for old in DIST.glob("*.tgz"):
        old.unlink()
    run("npm", "pack", "--silent", "--pack-destination", str(DIST), cwd=package, stdout=subprocess.DEVNULL)


def minify(script):
    """Returns a script without comments and with short names; the comment with the license stays."""
    install(WEB / "site")
    return output("npm", "exec", "--silent", "--", "esbuild", "--minify", "--target=es2022", cwd=WEB / "site", input=script)


def bundler_module(script):
    """Returns aspirant.js as a module without its part for Node.js, in which bundlers find the WebAssembly file."""
    file = 'const FILE = "aspirant.wasm";'
    node = script.find("  function readModule(")
    if script.count(file) != 1 or node < 0:
        fail("web/engine/aspirant.js has changed; adapt bundler_module in web/build.py")
    script = script[:node].replace(file, 'const FILE = new URL("./aspirant.wasm", import.meta.url).href;')
    return script + "  runInBrowser();\n})();\n"


def install(folder):
    """Installs exactly the packages of the lock file, unless that has been done."""
    done = folder / "node_modules" / ".package-lock.json"
    if not done.exists() or done.stat().st_mtime < (folder / "package-lock.json").stat().st_mtime:
        run("npm", "ci", "--silent", "--no-audit", "--no-fund", cwd=folder)
        done.touch()


def build_site():
    source, site = WEB / "site", DIST / "site"
    install(source)
    empty(site)
    has_tutorial = shutil.which("mdbook") is not None
    run("npm", "run", "--silent", "build", "--", f"--outdir={site}", f"--engine={DIST / 'package'}",
        f"--wasm={DIST / 'wasm' / 'site.wasm'}", *(["--tutorial"] if has_tutorial else []), cwd=source)
    # After the page, which caches only its own files.
    if has_tutorial:
        run("mdbook", "build", str(ROOT / "docs" / "tutorial"), "--dest-dir", str(site / "tutorial"))
    else:
        print(f"{PROGRAM}: the site does not contain the tutorial, because mdbook is not installed", flush=True)


def compressed(path):
    return len(gzip.compress(path.read_bytes(), 9, mtime=0))


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def report():
    """Prints the size of every file; returns what is above its limit."""
    faults = []
    for folder in (DIST / "package", DIST / "site"):
        if not folder.is_dir():
            fail(f"{folder.relative_to(ROOT)} does not exist; build it with: make web")
        print(f"{folder.relative_to(ROOT)}\n{'bytes':>10} {'gzipped':>10}")
        total = [0, 0]
        for path in files(folder):
            if path.relative_to(folder).parts[0] == "tutorial":
                continue
            sizes = path.stat().st_size, compressed(path)
            total = [sum(pair) for pair in zip(total, sizes)]
            print(f"{sizes[0]:>10} {sizes[1]:>10}  {path.relative_to(folder)}")
            if folder.name == "package" and path.name == "aspirant.wasm" and sizes[1] > MAX_WASM:
                faults.append(f"{path.relative_to(ROOT)}: {sizes[1]} bytes gzipped, expected at most {MAX_WASM}")
        print(f"{total[0]:>10} {total[1]:>10}  total")
        if folder.name == "site" and total[1] > MAX_SITE:
            faults.append(f"{folder.relative_to(ROOT)}: {total[1]} bytes gzipped, expected at most {MAX_SITE}")
    return faults


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves without caching, so that a new build shows after a reload."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".js": "text/javascript", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json"}

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def serve(port):
    if not 0 <= port <= 65535:
        fail(f"--serve {port}: expected a port from 0 to 65535")
    site = DIST / "site"
    if not (site / "index.html").is_file():
        fail("web/dist/site does not exist; build it with: make web")
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=site))
    except OSError as error:
        fail(f"port {port}: {error.strerror}; choose another, for instance: python3 web/build.py --serve {port + 1}")
    print(f"http://localhost:{server.server_port}/  (Ctrl-C ends the server)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


def main():
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS, add_help=True)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--wasm", action="store_true", help=argparse.SUPPRESS)
    group.add_argument("--test-search", action="store_true", help=argparse.SUPPRESS)
    group.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    group.add_argument("--serve", nargs="?", type=int, const=8000, metavar="PORT", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        serve(arguments.serve)
    elif arguments.check:
        fail_if(report())
    else:
        need_node()
        build_wasm([TEST_SEARCH] if arguments.test_search else WASM_FILES)
        if not arguments.wasm and not arguments.test_search:
            build_package()
            build_site()
            report()


def fail_if(faults):
    if faults:
        fail("\n".join(faults))


if __name__ == "__main__":
    main()
