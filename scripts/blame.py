"""Compares the losses on time of a match with the scheduling gaps recorded by gaps.py.

    python3 scripts/blame.py GAPS.tsv OUT [OUT ...]

OUT are output folders of games.sh. A loss is attributed to the machine if the engine overstepped by no more than the sum of
the gaps that ended between 200 ms before and 50 ms after it. Prints one line for each folder and each unexplained loss.
"""

import glob
import os
import re
import sys
import time

BEFORE, AFTER = 0.2, 0.05
LOSS = re.compile(r"\[(\d\d):(\d\d):(\d\d\.\d+)\].*loses on time by (\d+)ms")


def main():
    if len(sys.argv) < 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    gaps = []
    for line in open(sys.argv[1]):
        _, end, length = line.split("\t")
        gaps.append((float(end), int(length)))
    for out in sys.argv[2:]:
        if not os.path.isfile(f"{out}/results.tsv"):
            sys.exit(f"{out}/results.tsv: no such file; expected an output folder of games.sh")
        losses = explained = 0
        for log in sorted(glob.glob(f"{out}/batch-*.log")):
            written = os.path.getmtime(log)
            local = written + time.localtime(written).tm_gmtoff
            for hour, minute, second, late in LOSS.findall(open(log).read()):
                losses += 1
                clock = int(hour) * 3600 + int(minute) * 60 + float(second)
                # fastchess logs the local time of day; a loss is at most 24 hours older than the log file.
                moment = written - ((local + 60 - clock) % 86400 - 60)
                nearby = sum(length for end, length in gaps if moment - BEFORE < end < moment + AFTER)
                if nearby > 0 and int(late) <= nearby:
                    explained += 1
                else:
                    print(f"{log}: {hour}:{minute}:{second}, late by {late} ms, gaps {nearby} ms")
        print(f"{out}: {losses} losses on time, {explained} of them explained by gaps")


if __name__ == "__main__":
    main()
