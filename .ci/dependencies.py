"""What is built comes from the registry under a licence that fits: deny.toml, as far as `cargo metadata` can tell.

usage: dependencies.py MANIFEST…

cargo-deny does this better and knows of vulnerabilities, too; it takes minutes to build.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
ALLOWED = tomllib.loads((pathlib.Path(__file__).resolve().parents[1] / "deny.toml").read_text())["licenses"]["allow"]


def fits(expression):
    """Is an SPDX expression satisfied by allowed licences? The slash is an old way to write OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR ").replace(" WITH ", "_WITH_"))
    words = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    allowed = {name.replace(" WITH ", "_WITH_") for name in ALLOWED}
    return eval(" ".join(words.get(token) or str(token in allowed) for token in tokens))


def main():
    assert fits("MIT OR X") and fits("(MIT OR X) AND Zlib") and fits("MIT/X") and not fits("MIT AND X") and not fits("X")
    faults, names = [], set()
    for manifest in sys.argv[1:]:
        command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features", "--manifest-path", manifest]
        for package in json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]:
            name = f"{package['name']} {package['version']}"
            names.add(name)
            if package["source"] not in (None, REGISTRY):
                faults.append(f"{name} comes from {package['source']}")
            if not fits(package["license"] or "none"):
                faults.append(f"{name} has the licence {package['license']}")
    print(f"{len(names)} packages, their sources and licences: {len(faults)} faults")
    sys.exit("\n".join(faults) or None)


if __name__ == "__main__":
    main()
