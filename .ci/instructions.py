"""Instructions per node of a short benchmark, counted by callgrind, against the baseline beside this script.

Clocks on shared machines cannot show a change of two percent; a count of instructions can, and is the same on every
run. Only equal searches are compared: when the number of nodes is another, the search has changed, and the new figures
are printed so that they can be put into the baseline (instructions.json) with the change.

Usage: instructions.py ENGINE
"""

import json
import pathlib
import re
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("instructions.json")
ALLOWED = 1.02


def measure(engine):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", engine, "bench", "7", "1", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    nodes = int(re.search(r"^(\d+) nodes", done.stdout, re.MULTILINE).group(1))
    instructions = int(re.search(r"Collected : (\d+)", done.stderr).group(1))
    return {"nodes": nodes, "instructions": instructions}


def main():
    now, before = measure(sys.argv[1]), json.loads(BASELINE.read_text())
    per_node = now["instructions"] / now["nodes"]
    print(f"   {now}: {per_node:.0f} instructions per node", flush=True)
    if now["nodes"] != before["nodes"]:
        print(f"   another search than the baseline's ({before}): nothing to compare", flush=True)
        return
    ratio = now["instructions"] / before["instructions"]
    print(f"   {ratio:.4f} times the baseline", flush=True)
    assert ratio <= ALLOWED, f"more than {ALLOWED} times the instructions of the baseline for the same search"


if __name__ == "__main__":
    main()
