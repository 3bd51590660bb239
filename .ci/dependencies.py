"""Checks sources and licenses of all dependencies against deny.toml, using `cargo metadata` and lock files of npm.

usage: dependencies.py MANIFEST… PACKAGE-LOCK…

cargo-deny is more thorough and checks for vulnerabilities as well, but takes minutes to build.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
ALLOWED = tomllib.loads((pathlib.Path(__file__).resolve().parents[1] / "deny.toml").read_text())["licenses"]["allow"]


def is_allowed(expression):
    """Returns whether allowed licenses satisfy an SPDX expression; a slash is the old notation for OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR ").replace(" WITH ", "_WITH_"))
    operators = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    allowed = {name.replace(" WITH ", "_WITH_") for name in ALLOWED}
    return eval(" ".join(operators.get(token) or str(token in allowed) for token in tokens))


def main():
    assert is_allowed("MIT OR X") and is_allowed("(MIT OR X) AND Zlib") and is_allowed("MIT/X") and not is_allowed("MIT AND X") and not is_allowed("X")
    errors, names = [], set()
    for path in filter(lambda path: path.endswith(".json"), sys.argv[1:]):
        for folder, package in json.loads(pathlib.Path(path).read_text())["packages"].items():
            name = f"{folder or path} {package.get('version', '')}".strip()
            names.add(name)
            # Without an address, npm uses its default registry; `integrity` is the checksum.
            if "resolved" in package:
                errors.append(f"{name}: source {package['resolved']}, expected no address in the lock file")
            if not is_allowed(package.get("license") or "none"):
                errors.append(f"{name}: license {package.get('license')} is not allowed by deny.toml")
    for manifest in filter(lambda path: path.endswith(".toml"), sys.argv[1:]):
        command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features", "--manifest-path", manifest]
        for package in json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]:
            name = f"{package['name']} {package['version']}"
            names.add(name)
            if package["source"] not in (None, REGISTRY):
                errors.append(f"{name}: source {package['source']} is not crates.io")
            if not is_allowed(package["license"] or "none"):
                errors.append(f"{name}: license {package['license']} is not allowed by deny.toml")
    print(f"{len(names)} packages checked, {len(errors)} errors")
    sys.exit("\n".join(errors) or None)


if __name__ == "__main__":
    main()
