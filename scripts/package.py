"""Builds packages into `dist`, runs each where possible and prints a table; RELEASING.md describes them.

usage: package.py [--pgo] [--signature N] [KIND ...]

  source    the crates of the workspace, by `cargo package`
  linux     .tar.gz for Linux, for the processor levels x86-64, x86-64-v2 and x86-64-v3
  deb       Debian package, by `cargo deb`; DEBEMAIL and DEBFULLNAME are its maintainer, as for Debian's tools
  aarch64   .tar.gz for Linux on 64-bit ARM, cross-compiled
  windows   .zip for Windows x86-64, cross-compiled
  host      .tar.gz or .zip for the system this runs on, for instance macOS

Without KIND: source, linux and deb.

  --pgo          builds `linux` with profile-guided optimization, by `make pgo`
  --signature N  expects this node count from `aspirant bench 9`, instead of that of the build for this machine

dist/SHA256SUMS has the checksums of all files in `dist`. The exit status is 1 if a package prints another node count.
"""

import argparse
import contextlib
import email.utils
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "web"))
sys.dont_write_bytecode = True
import build as web  # noqa: E402
from build import fail, output, run  # noqa: E402

web.PROGRAM = "package"
DIST = ROOT / "dist"
KINDS = ("source", "linux", "deb", "aarch64", "windows", "host")
DEFAULT_KINDS = ("source", "linux", "deb")
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3")
AARCH64, WINDOWS = "aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu"
# Cross-compilation: linker, Debian package that contains it.
LINKERS = {
    AARCH64: ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
    WINDOWS: ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-posix"),
}
# Programs that a kind needs, and how to install them.
TOOLS = {
    "deb": (("cargo-deb", "cargo install cargo-deb@3.6.3 --locked"), ("dpkg-shlibdeps", "apt-get install dpkg-dev")),
}
DOCUMENTS = ("README.md", "CHANGELOG.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE", "engine.toml",
             "docs/*.md", "docs/*.png", "docs/*.svg", "docs/openbench/*.*")
THIRD_PARTY = "THIRD-PARTY-LICENSES.txt"
# File name of the completions of each shell.
COMPLETIONS = {
    "bash": "aspirant.bash", "elvish": "aspirant.elv", "fish": "aspirant.fish", "powershell": "aspirant.ps1", "zsh": "_aspirant",
}
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: aspirant

Files: *
Copyright: © 2026 The authors of Aspirant
License: GPL-3.0-or-later
 This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
 License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later
 version.
 .
 This program is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied
 warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU General Public License for more details.
 .
 On Debian systems, the text of the license is in /usr/share/common-licenses/GPL-3.
Comment:
 /usr/share/doc/aspirant/THIRD-PARTY-LICENSES.txt lists the libraries in the program, with their licenses.
"""
CHANGELOG = """\
aspirant ({version}-1) unstable; urgency=medium

  * See CHANGELOG.md.

 -- {maintainer}  {date}
"""
BENCH = ("bench", "9")
# Wine 8 lacks this library, which programs built by Rust load on Windows. Used only to run the program, not packaged.
PROCESS_PRNG = """
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, (ULONG)size); }
"""
START = time.monotonic()
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]


def step(text):
    print(f"\n== {text} ({time.monotonic() - START:.0f} s)", flush=True)


def need(program, install):
    """Returns the path of a program; without it, says what to install."""
    path = shutil.which(program)
    if not path:
        fail(f"{program} is not installed; install it with: {install}")
    return path


class Builder:
    """Builds programs, each target and processor level once."""

    def __init__(self, pgo):
        self.pgo = pgo
        metadata = output("cargo", "metadata", "--format-version", "1", "--no-deps", "--locked", cwd=ROOT)
        self.target_dir = pathlib.Path(json.loads(metadata)["target_directory"]) / "package"
        self.host = web.host()
        self.programs = {}

    def environment(self, target, level=None):
        """Returns the variables for cargo that set the compiler, its flags and the linker."""
        flags = web.path_flags(self.target_dir)
        if level not in (None, "x86-64"):
            flags += ["-C", f"target-cpu={level}"]
        if target.endswith("-msvc"):
            # Otherwise the program needs the Visual C++ redistributable package.
            flags += ["-C", "target-feature=+crt-static"]
        values = {**os.environ, "CARGO_TARGET_DIR": str(self.target_dir), "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags)}
        if target != self.host and target in LINKERS:
            variable = f"CARGO_TARGET_{target.upper().replace('-', '_')}_LINKER"
            linker, package = LINKERS[target]
            values[variable] = os.environ.get(variable) or need(linker, f"apt-get install {package}")
            if not web.has_target(target):
                values.update(web.debian_compiler(self.target_dir / "compiler", target))
        return values

    def program(self, target, level=None, pgo=False):
        """Returns the path of the program for a target."""
        key = (target, level, pgo)
        if key not in self.programs:
            name = "aspirant" + (".exe" if "windows" in target else "")
            step(f"Building for {target}" + (f", {level}" if level else "") + (", profile-guided" if pgo else ""))
            copy = self.target_dir / "programs" / "-".join([target, level or "default", "pgo" if pgo else "plain"]) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if pgo:
                need("make", "apt-get install make")
                run("make", "pgo", f"LEVEL={level}", f"EXE={copy.parent / 'aspirant'}",
                    f"PGO_FLAGS={' '.join(web.path_flags(self.target_dir))}", cwd=ROOT)
            else:
                environment = self.environment(target, level)
                options = ["-Z", "build-std=std,panic_unwind"] if "RUSTC_BOOTSTRAP" in environment else []
                # Without --package, the features would be those that aspirant-lab also needs.
                run("cargo", "build", "--profile", "dist", "--locked", "--package", "aspirant", "--bin", "aspirant", "--target", target,
                    *options, cwd=ROOT, env=environment)
                shutil.copy2(self.target_dir / target / "dist" / name, copy)
            self.programs[key] = copy
        return self.programs[key]

    def native(self):
        """Returns the program without profile-guided optimization for this machine."""
        return self.program(self.host, "x86-64" if self.host.startswith("x86_64-unknown-linux") else None)

    def texts(self):
        """Writes manual pages and completions; returns the folder."""
        folder = self.target_dir / "texts"
        if "texts" not in self.programs:
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "completions").mkdir(parents=True)
            (folder / "man").mkdir()
            program = self.native()
            run(program, "man", folder / "man")
            for shell, name in COMPLETIONS.items():
                (folder / "completions" / name).write_bytes(run(program, "completions", shell, capture_output=True).stdout)
            self.programs["texts"] = folder
        return folder


def dependencies(target):
    """Returns the packages of others that are linked into the program, from `cargo metadata`."""
    metadata = json.loads(output(
        "cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target, cwd=ROOT))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(id for id, package in packages.items() if package["name"] == "aspirant")
    found, pending = {root}, [root]
    while pending:
        for dependency in nodes[pending.pop()]["deps"]:
            is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_normal and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                pending.append(dependency["pkg"])
    # Packages of this repository have no source.
    return sorted((packages[id] for id in found if packages[id]["source"]), key=lambda package: package["name"])


def third_party_licenses(target):
    """Returns the names and license texts of all libraries in the program; equal texts appear once."""
    texts = {}
    lines = [f"Aspirant {VERSION} contains the standard library of Rust (MIT OR Apache-2.0) and these libraries:", ""]
    for package in dependencies(target):
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name} ({package['license']}) {package['repository'] or ''}".rstrip())
        for path in sorted(pathlib.Path(package["manifest_path"]).parent.iterdir()):
            if path.is_file() and re.match(r"(un)?licen[sc]e|copying|copyright|notice", path.name, re.IGNORECASE):
                texts.setdefault(path.read_text(encoding="utf-8", errors="replace").strip(), []).append(f"{name}: {path.name}")
    for text, names in texts.items():
        lines += ["", "=" * 80, *names, "=" * 80, "", text]
    return "\n".join(lines) + "\n"


def timestamp():
    """Returns the time of the commit, so that packages of one commit have the same times."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    result = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return int(result.stdout.strip() or 0) if result.returncode == 0 else 0


@contextlib.contextmanager
def package(name):
    """Yields a path to write a package to, and renames the complete package to its name in `dist`."""
    part = DIST / f"{name}.part"
    try:
        yield part
        os.replace(part, DIST / name)
    finally:
        part.unlink(missing_ok=True)


def archive(builder, program, target, label):
    """Packs a program with its documents into a .zip for Windows and a .tar.gz for other systems; returns its path."""
    name = f"aspirant-{VERSION}-{label}"
    texts = builder.texts()
    files = {program.name: (program.read_bytes(), 0o755)}
    for path in (path for pattern in DOCUMENTS for path in ROOT.glob(pattern)):
        files[path.relative_to(ROOT).as_posix()] = (path.read_bytes(), 0o755 if path.suffix == ".sh" else 0o644)
    files[THIRD_PARTY] = (third_party_licenses(target).encode(), 0o644)
    for source, folder in ((texts / "man", "man/man1"), (texts / "completions", "completions")):
        files.update({f"{folder}/{path.name}": (path.read_bytes(), 0o644) for path in source.iterdir()})
    seconds = timestamp()
    if "windows" in target:
        with package(f"{name}.zip") as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for file, (content, mode) in sorted(files.items()):
                info = zipfile.ZipInfo(f"{name}/{file}", time.gmtime(max(seconds, 315532800))[:6])
                info.external_attr = (0o100000 | mode) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(info, content)
        return DIST / f"{name}.zip"
    with package(f"{name}.tar.gz") as part, open(part, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, seconds) as stream, \
            tarfile.open(fileobj=stream, mode="w") as packed:
        for file, (content, mode) in sorted(files.items()):
            info = tarfile.TarInfo(f"{name}/{file}")
            info.size, info.mode, info.mtime = len(content), mode, seconds
            packed.addfile(info, io.BytesIO(content))
    return DIST / f"{name}.tar.gz"


@contextlib.contextmanager
def unpacked(path):
    """Unpacks an archive into a temporary folder; yields the one folder it contains."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(path, folder, "gztar" if path.suffix == ".crate" else None)
        (content,) = pathlib.Path(folder).iterdir()
        yield content


def signature(*command, **options):
    """Returns the node count of `bench`, or a text that says why there is none."""
    result = subprocess.run([*command, *BENCH], capture_output=True, text=True, errors="replace", **options)
    lines = result.stdout.strip().splitlines()
    match = re.fullmatch(r"(\d+) nodes \d+ nps", lines[-1]) if lines else None
    if result.returncode == -4:
        return "this processor does not support the level"
    return int(match[1]) if match else f"exit status {result.returncode}: {(result.stderr.strip().splitlines() or [''])[-1]}"


class Report:
    """The table of packages."""

    def __init__(self, expected):
        self.expected = expected
        self.rows = []
        self.has_failed = False

    def add(self, path, what, result):
        """Adds a package, what was run, and its signature or why it was not run."""
        if isinstance(result, int) and self.expected is not None and result != self.expected:
            self.has_failed = True
            result = f"{result}, expected {self.expected}"
        elif isinstance(result, str) and result.startswith("exit status"):
            self.has_failed = True
        self.rows.append((path.name, f"{path.stat().st_size:,}", what, str(result)))

    def print(self):
        rows = [("file", "bytes", "run", "signature"), *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            print("  ".join(cell.rjust(width) if column == 1 else cell.ljust(width)
                            for column, (cell, width) in enumerate(zip(row, widths))).rstrip())


def make_source(builder, report):
    step("Source packages")
    folder = builder.target_dir / "package"
    shutil.rmtree(folder, ignore_errors=True)
    # Compiled below from the unpacked package instead of by the check of `cargo package`, which builds without optimization.
    run("cargo", "package", "--workspace", "--exclude", "aspirant-network", "--locked", "--no-verify", "--target-dir", builder.target_dir, cwd=ROOT)
    for crate in sorted(folder.glob("*.crate")):
        with package(crate.name) as part:
            shutil.copyfile(crate, part)
        if crate.name != f"aspirant-{VERSION}.crate":
            report.add(DIST / crate.name, "-", "not run")
    step("cargo install from the unpacked source packages")
    path = DIST / f"aspirant-{VERSION}.crate"
    (algorithms_path,) = folder.glob("game-tree-search-*.crate")
    with unpacked(path) as content, unpacked(algorithms_path) as algorithms, tempfile.TemporaryDirectory() as prefix:
        # The package of the reference algorithms replaces the one that the lock file expects on crates.io.
        lock = content / "Cargo.lock"
        entry = r'(name = "game-tree-search"\nversion = ".*"\n)source = .*\nchecksum = .*\n'
        lock.write_text(re.sub(entry, r"\1", lock.read_text(encoding="utf-8")), encoding="utf-8")
        run("cargo", "install", "--path", content, "--locked", "--root", prefix, "--target", builder.host, "--no-track",
            "--config", f"patch.crates-io.game-tree-search.path={json.dumps(str(algorithms))}", env=builder.environment(builder.host))
        report.add(path, "cargo install --path", signature(next(pathlib.Path(prefix, "bin").iterdir()), cwd=prefix))


def make_linux(builder, report):
    if not builder.host.startswith("x86_64-unknown-linux"):
        fail(f"linux: needs Linux on x86-64, but this is {builder.host}; use the kind `host`")
    for level in LEVELS:
        path = archive(builder, builder.program(builder.host, level, builder.pgo), builder.host, f"linux-{level}")
        with unpacked(path) as content:
            report.add(path, "unpacked", signature(content / "aspirant", cwd=content))


def make_host(builder, report):
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    program = builder.program(builder.host)
    path = archive(builder, program, builder.host, f"{system}-{builder.host.split('-')[0].replace('_', '-')}")
    with unpacked(path) as content:
        report.add(path, "unpacked", signature(content / program.name, cwd=content))


def maintainer():
    """Returns the maintainer of the Debian package."""
    if not os.environ.get("DEBEMAIL"):
        fail("deb: set DEBEMAIL to the address of the maintainer, and DEBFULLNAME to the name")
    return f"{os.environ.get('DEBFULLNAME', 'The authors of Aspirant')} <{os.environ['DEBEMAIL']}>"


def make_deb(builder, report):
    builder.native()
    texts = builder.texts()
    # `cargo deb` looks for files of `target/release` in the folder of the target.
    folder = builder.target_dir / builder.host / "release" / "deb"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(texts, folder)
    values = {"version": VERSION, "maintainer": maintainer(), "date": email.utils.formatdate(timestamp())}
    (folder / "changelog.Debian.gz").write_bytes(gzip.compress(CHANGELOG.format(**values).encode(), 9, mtime=0))
    (folder / "copyright").write_text(COPYRIGHT, encoding="utf-8")
    for page in (folder / "man").iterdir():
        (folder / "man" / f"{page.name}.gz").write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
    (folder / THIRD_PARTY).write_text(third_party_licenses(builder.host), encoding="utf-8")
    shutil.copy2(builder.native(), builder.target_dir / builder.host / "release" / "aspirant")
    step("Debian package")
    environment = {**builder.environment(builder.host), "SOURCE_DATE_EPOCH": str(timestamp())}
    printed = output("cargo", "deb", "--package", "aspirant", "--no-build", "--locked", "--target", builder.host,
                     "--maintainer", values["maintainer"], "--output", folder, cwd=ROOT, env=environment)
    built = pathlib.Path(printed.strip().splitlines()[-1])
    path = DIST / built.name
    with package(path.name) as part:
        shutil.copyfile(built, part)
    with tempfile.TemporaryDirectory() as folder:
        run("dpkg-deb", "-x", path, folder)
        report.add(path, "unpacked by dpkg-deb", signature(pathlib.Path(folder) / "usr/games/aspirant", cwd=folder))


def make_aarch64(builder, report):
    path = archive(builder, builder.program(AARCH64), AARCH64, "linux-aarch64")
    emulator = shutil.which("qemu-aarch64")
    if builder.host != AARCH64 and not emulator:
        report.add(path, "-", "not run: needs qemu-aarch64; Debian: apt-get install qemu-user")
        return
    command = [] if builder.host == AARCH64 else [emulator, "-L", "/usr/aarch64-linux-gnu"]
    with unpacked(path) as content:
        report.add(path, "unpacked, qemu-aarch64" if command else "unpacked", signature(*command, content / "aspirant", cwd=content))


def make_windows(builder, report):
    path = archive(builder, builder.program(WINDOWS), WINDOWS, "windows-x86-64")
    wine, compiler = shutil.which("wine"), shutil.which(LINKERS[WINDOWS][0])
    if not wine or not compiler:
        report.add(path, "-", "not run: needs wine and mingw-w64; Debian: apt-get install wine64 gcc-mingw-w64-x86-64-posix")
        return
    with unpacked(path) as content, tempfile.TemporaryDirectory() as folder:
        (content / "prng.c").write_text(PROCESS_PRNG)
        run(compiler, "-shared", "-o", content / "bcryptprimitives.dll", content / "prng.c", "-ladvapi32")
        environment = {**os.environ, "WINEPREFIX": str(pathlib.Path(folder) / "wine"), "WINEDEBUG": "-all", "WINEARCH": "win64",
                       "WINEDLLOVERRIDES": "mscoree,mshtml=;bcryptprimitives=n"}
        result = signature(wine, content / "aspirant.exe", cwd=content, env=environment)
        # The Wine server writes to its folder until it ends.
        subprocess.run(["wineserver", "-w"] if shutil.which("wineserver") else ["sleep", "5"], env=environment)
        report.add(path, "unpacked, wine", result)


def write_checksums():
    files = sorted(path for path in DIST.iterdir() if path.is_file())
    text = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    with package("SHA256SUMS") as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(
        prog="package.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=argparse.SUPPRESS)
    parser.add_argument("--pgo", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--signature", type=int, metavar="N", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        if kind not in KINDS:
            parser.error(f"unknown kind {kind!r}; expected one of: {', '.join(KINDS)}")
    need("cargo", "https://rustup.rs")
    for kind in arguments.kinds or DEFAULT_KINDS:
        for program, install in TOOLS.get(kind, ()):
            need(program, install)
    if arguments.pgo and "linux" not in (arguments.kinds or DEFAULT_KINDS):
        parser.error("--pgo: needs the kind linux, the only one that is built with profile-guided optimization")
    if "deb" in (arguments.kinds or DEFAULT_KINDS):
        maintainer()
    builder = Builder(arguments.pgo)
    native = signature(builder.native(), cwd=builder.target_dir)
    if not isinstance(native, int):
        fail(f"`aspirant bench 9` of the build for {builder.host}: {native}")
    # Read by .github/workflows/release.yml.
    (builder.target_dir / "signature").write_text(f"{native}\n", encoding="utf-8")
    report = Report(arguments.signature or native)
    DIST.mkdir(exist_ok=True)
    # Left by an earlier run; the checksums are written again below.
    for old in (*DIST.glob("*.part"), DIST / "SHA256SUMS"):
        old.unlink(missing_ok=True)
    try:
        for kind in arguments.kinds or DEFAULT_KINDS:
            globals()[f"make_{kind}"](builder, report)
    finally:
        write_checksums()
    step(f"Packages of version {VERSION} in dist; the build for {builder.host} has the signature {native}")
    report.print()
    if arguments.signature not in (None, native):
        fail(f"the build for {builder.host} has the signature {native}, expected {arguments.signature}")
    if report.has_failed:
        fail("not every package has the expected signature")


if __name__ == "__main__":
    main()
