"""Where was the machine? Sleeps a millisecond at a time and writes down every gap in which this process did not run.

    python3 tests/campaigns/gaps.py OUT.tsv [LEAST_MS]

Run it at the priority of a campaign: a loss on time that falls into a gap says nothing about the engine.
"""

import sys
import time


def main():
    out, least = sys.argv[1], float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.02
    with open(out, "a", buffering=1) as file:
        last = time.monotonic()
        while True:
            time.sleep(0.001)
            now = time.monotonic()
            if now - last > least:
                stamp = time.strftime("%FT%T", time.gmtime())
                file.write(f"{stamp}\t{time.time():.3f}\t{(now - last) * 1000:.0f}\n")
            last = now


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
