"""Records scheduling gaps: sleeps for one millisecond at a time and writes each interval in which it did not run.

    python3 scripts/gaps.py OUT.tsv [MIN_MS]

Run it at the same priority as a match: losses on time within a gap are not the engine's (see blame.py).
"""

import sys
import time


def main():
    if len(sys.argv) < 2 or "--help" in sys.argv:
        sys.exit(__doc__)
    out, minimum = sys.argv[1], float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.02
    with open(out, "a", buffering=1) as file:
        last = time.monotonic()
        while True:
            time.sleep(0.001)
            now = time.monotonic()
            if now - last > minimum:
                stamp = time.strftime("%FT%T", time.gmtime())
                file.write(f"{stamp}\t{time.time():.3f}\t{(now - last) * 1000:.0f}\n")
            last = now


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
