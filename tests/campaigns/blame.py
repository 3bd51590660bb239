"""Which losses on time were the machine's? Holds the times of the losses against the gaps that gaps.py saw.

    python3 tests/campaigns/blame.py GAPS.tsv OUT [OUT ...]

OUT are folders of games.sh. A loss is the machine's if it was by no more than the gaps together that ended in the 200 ms before
it or 50 ms after it. Prints one line for each folder, and each loss that nothing explains.
"""

import glob
import re
import sys

BEFORE, AFTER = 0.2, 0.05
LOSS = re.compile(r"\[(\d\d):(\d\d):(\d\d\.\d+)\].*loses on time by (\d+)ms")


def main():
    gaps = []
    for line in open(sys.argv[1]):
        _, end, length = line.split("\t")
        gaps.append((float(end) % 86400, int(length)))
    for out in sys.argv[2:]:
        losses = explained = 0
        for log in sorted(glob.glob(f"{out}/batch-*.log")):
            for hour, minute, second, late in LOSS.findall(open(log).read()):
                losses += 1
                at = int(hour) * 3600 + int(minute) * 60 + float(second)
                near = sum(length for end, length in gaps if at - BEFORE < end < at + AFTER)
                if near > 0 and int(late) <= near:
                    explained += 1
                else:
                    print(f"{log}: {hour}:{minute}:{second}, late by {late} ms, gaps {near} ms")
        print(f"{out}: {losses} losses on time, {explained} of them in a gap")


if __name__ == "__main__":
    main()
