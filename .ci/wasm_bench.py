"""Builds the core for wasm32-unknown-unknown, runs its benchmark in node and compares the nodes with the native program.

usage: wasm_bench.py ENGINE [DEPTH]

Uses the installed wasm32-unknown-unknown target (`rustup target add wasm32-unknown-unknown`). Without it, as root on
Debian, std is built from source by Debian's rustc-web, which is unpacked into the build directory.
"""

import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CRATE = ROOT / "tests" / "wasm"
TARGET = "wasm32-unknown-unknown"
PACKAGES = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"]
# Recursion of the search in a 32-bit build; the default of 1 MB is too small.
FLAGS = "-C link-arg=-z -C link-arg=stack-size=8388608"


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def has_target():
    sysroot = pathlib.Path(output("rustc", "--print", "sysroot").strip())
    return (sysroot / "lib" / "rustlib" / TARGET / "lib").is_dir()


def debian_compiler(folder):
    """Unpacks Debian's rustc-web with the sources of std; returns the environment that uses it."""
    if not (folder / "usr/bin/rustc").exists():
        if os.geteuid() != 0 or not shutil.which("apt-get"):
            sys.exit(f"wasm: no target {TARGET}; install it with: rustup target add {TARGET}")
        subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=subprocess.DEVNULL)
        packages, pending = set(PACKAGES), list(PACKAGES)
        while pending:
            depends = output("apt-cache", "depends", "--no-recommends", "--no-suggests", pending.pop())
            new = set(re.findall(r"Depends: ((?:libllvm|libstd-rust-web)\S*)", depends)) - packages
            packages |= new
            pending += new
        downloads = folder / "packages"
        downloads.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-qq", *sorted(packages)], check=True, cwd=downloads)
        for package in glob.glob(f"{downloads}/*.deb"):
            subprocess.run(["dpkg", "-x", package, folder], check=True)
    sysroot = pathlib.Path(output("rustc", "--print", "sysroot").strip())
    host = re.search(r"host: (\S+)", output("rustc", "-vV"))[1]
    return {
        "LD_LIBRARY_PATH": str(folder / "usr/lib/x86_64-linux-gnu"),
        "RUSTC": str(folder / "usr/bin/rustc"),
        "RUSTDOC": str(folder / "usr/bin/rustdoc"),
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": str(sysroot / "lib/rustlib" / host / "bin/rust-lld"),
    }


def build():
    metadata = output("cargo", "metadata", "--format-version", "1", "--no-deps", cwd=ROOT)
    folder = pathlib.Path(json.loads(metadata)["target_directory"]) / "wasm"
    command = ["cargo", "build", "--release", "--target", TARGET, "--target-dir", str(folder)]
    environment = {**os.environ, "RUSTFLAGS": FLAGS}
    if not has_target():
        environment.update(debian_compiler(folder / "compiler"))
        command += ["-Z", "build-std=std,panic_abort"]
    subprocess.run(command, check=True, cwd=CRATE, env=environment)
    return folder / TARGET / "release" / "aspirant_wasm_bench.wasm"


def nodes(text):
    return int(re.search(r"^(\d+) nodes", text, re.MULTILINE)[1])


def main():
    engine, depth = sys.argv[1], (sys.argv[2:] or ["9"])[0]
    if not shutil.which("node"):
        sys.exit("wasm: node is not installed")
    wasm = output("node", str(CRATE / "run.mjs"), str(build()), depth)
    native = output(engine, "bench", depth)
    print(f"   wasm:   {wasm.splitlines()[-1]}\n   native: {native.splitlines()[-1]}", flush=True)
    assert nodes(wasm) == nodes(native), "the nodes differ"


if __name__ == "__main__":
    main()
