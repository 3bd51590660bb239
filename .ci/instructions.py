"""Compares instructions per node of a short benchmark (callgrind) with the baseline in instructions.json.

Time measurements on shared machines cannot detect a change of two percent; instruction counts can, and they
are reproducible. Only equal searches are comparable: a different number of nodes means that the search has changed, and
the new figures are printed for the update of the baseline.

usage: instructions.py ENGINE
"""

import json
import pathlib
import re
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("instructions.json")
MAX_RATIO = 1.02


def measure(engine):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", engine, "bench", "7", "1", "2"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    nodes = int(re.search(r"^(\d+) nodes", result.stdout, re.MULTILINE).group(1))
    instructions = int(re.search(r"Collected : (\d+)", result.stderr).group(1))
    return {"nodes": nodes, "instructions": instructions}


def main():
    measured, baseline = measure(sys.argv[1]), json.loads(BASELINE.read_text())
    per_node = measured["instructions"] / measured["nodes"]
    print(f"   {measured}: {per_node:.0f} instructions per node", flush=True)
    if measured["nodes"] != baseline["nodes"]:
        print(f"   the search differs from the baseline ({baseline}): not comparable", flush=True)
        return
    ratio = measured["instructions"] / baseline["instructions"]
    print(f"   {ratio:.4f} times the baseline", flush=True)
    assert ratio <= MAX_RATIO, f"{ratio:.4f} times the instructions of the baseline, at most {MAX_RATIO} allowed"


if __name__ == "__main__":
    main()
