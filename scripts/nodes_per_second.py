"""Compares the nodes per second of UCI engines that search the same positions alternately. Needs an idle machine.

    python3 scripts/nodes_per_second.py [--rounds N] [--seconds S] [--count N] [--positions FILE.epd] ENGINE ENGINE...

Takes COUNT positions (25) evenly from the file (tests/data/suites/wac.epd). Each engine searches each position for S
seconds (0.25) with one thread and an empty TT of 16 MB, one engine after the other, in N rounds (10). Leaves out positions
in which the last report of an engine comes before S/4: after a short mate, the reported speed can be far too high. Prints
for each engine the mean ratio to the first one with its 95 % error over rounds; the ratio of a round is the geometric mean
over the positions. Each engine counts nodes by its own definition.
"""

import argparse
import math
import statistics
import sys
from pathlib import Path

import uci

POSITIONS = Path(__file__).resolve().parent.parent / "tests/data/suites/wac.epd"


class Engine(uci.Engine):
    def __init__(self, path):
        super().__init__(path)
        self.send("uci", "uciok")
        self.send("setoption name Hash value 16\nsetoption name Threads value 1\nisready", "readyok")

    def speed(self, fen, seconds):
        """Returns the nodes per second that the engine last reported; None if it reported none or stopped early."""
        self.send("ucinewgame\nisready", "readyok")
        output = self.send(f"position fen {fen}\ngo movetime {seconds * 1000:.0f}", "bestmove")
        reports = [line.split() for line in output if " nps " in line and " time " in line]
        if not reports:
            return None
        milliseconds, speed = (int(reports[-1][reports[-1].index(key) + 1]) for key in ("time", "nps"))
        return speed if speed > 0 and milliseconds >= seconds * 1000 / 4 else None


def main():
    parser = argparse.ArgumentParser(description="Compares the nodes per second of UCI engines; see the comment in this file.")
    parser.add_argument("engines", nargs="+", metavar="ENGINE", help="two or more UCI engines; the first is the reference")
    parser.add_argument("--rounds", type=int, default=10, metavar="N", help="default: 10; at least 2")
    parser.add_argument("--seconds", type=float, default=0.25, metavar="S", help="per position; default: 0.25")
    parser.add_argument("--count", type=int, default=25, metavar="N", help="number of positions; default: 25")
    parser.add_argument("--positions", type=Path, default=POSITIONS, metavar="FILE.epd", help="default: tests/data/suites/wac.epd")
    given = parser.parse_args()
    if len(given.engines) < 2 or given.rounds < 2 or given.seconds <= 0:
        parser.error("expected two or more engines, two or more rounds and a positive number of seconds")
    try:
        fens = [" ".join(line.split()[:4]) + " 0 1" for line in given.positions.read_text().splitlines() if line.strip()]
    except OSError as error:
        parser.error(f"--positions {given.positions}: {error.strerror}")
    if not 1 <= given.count <= len(fens):
        parser.error(f"--count {given.count}: expected 1 to {len(fens)}, the number of positions in {given.positions}")
    fens = [fens[index * len(fens) // given.count] for index in range(given.count)]
    engines = [Engine(path) for path in given.engines]
    ratios = [[] for _ in engines]
    for number in range(1, given.rounds + 1):
        logs = [[] for _ in engines]
        for fen in fens:
            speeds = [engine.speed(fen, given.seconds) for engine in engines]
            if all(speeds):
                for each, speed in zip(logs, speeds):
                    each.append(math.log(speed / speeds[0]))
        if not logs[0]:
            sys.exit("in no position did all engines report nodes per second after a quarter of the time")
        for ratio, each in zip(ratios, logs):
            ratio.append(math.exp(statistics.mean(each)))
        print(f"round {number}/{given.rounds}: {len(logs[0])} positions, "
              + ", ".join(f"{ratio[-1]:.3f}" for ratio in ratios), flush=True)
    for engine, ratio in zip(engines, ratios):
        error = 1.96 * statistics.stdev(ratio) / math.sqrt(len(ratio))
        print(f"{engine.path}: x {statistics.mean(ratio):.3f} +- {error:.3f}")


if __name__ == "__main__":
    main()
