"""How much sooner is a depth reached with more threads? Wants a quiet machine with a processor for each thread.

    python3 tests/campaigns/time_to_depth.py ENGINE POSITIONS.epd [THREADS] [COUNT] [RUNS] [SECONDS]

COUNT positions (40), taken evenly from the file; those with nothing to search, as mates, are left out. For each, the
depth is the last one that a single thread finishes in SECONDS (2), so that every position weighs about the same. Then one
thread and THREADS (2) search to that depth in turn, RUNS times (3), each time from empty tables (64 MB). Prints the
geometric mean of the ratios of time with its 95 % error over the positions, and that of nodes per second. With several
threads every run is another search: no seed is needed.
"""

import math
import statistics
import subprocess
import sys
import time


class Engine:
    def __init__(self, path, threads):
        self.child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("uci", "uciok")
        self.ask(f"setoption name Threads value {threads}\nsetoption name Hash value 64\nisready", "readyok")

    def ask(self, text, word):
        """Sends, and returns the lines up to the one that starts with `word`."""
        self.child.stdin.write(text + "\n")
        said = []
        for line in self.child.stdout:
            said.append(line.split())
            if line.startswith(word):
                return said
        raise SystemExit("the engine has ended")

    def search(self, fen, limit):
        """Seconds from `go` to `bestmove`, nodes, and the depth of the last whole iteration."""
        self.ask("ucinewgame\nisready", "readyok")
        start = time.perf_counter()
        said = self.ask(f"position fen {fen}\ngo {limit}", "bestmove")
        took = time.perf_counter() - start
        infos = [words for words in said if words[:2] == ["info", "depth"] and "pv" in words]
        whole = [words for words in infos if "lowerbound" not in words and "upperbound" not in words]
        nodes = int(infos[-1][infos[-1].index("nodes") + 1]) if infos else 0
        return took, nodes, max((int(words[2]) for words in whole), default=1)


def mean(logs):
    """Geometric mean and its 95 % error, from logarithms."""
    middle = math.exp(statistics.mean(logs))
    return middle, middle * 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))


def main():
    path, positions = sys.argv[1:3]
    threads, count, runs = (int(given) for given in (sys.argv[3:6] + ["2", "40", "3"][len(sys.argv[3:6]):]))
    seconds = float(sys.argv[6]) if len(sys.argv) > 6 else 2.0
    with open(positions) as file:
        fens = [" ".join(line.split()[:4]) + " 0 1" for line in file if line.strip()]
    fens = [fens[index * len(fens) // count] for index in range(count)]
    engines = [Engine(path, 1), Engine(path, threads)]
    logs, rates, depths = [], [], []
    for number, fen in enumerate(fens, 1):
        took, _, depth = engines[0].search(fen, f"movetime {seconds * 1000:.0f}")
        if took < seconds / 2:
            print(f"{number:3}/{count} ends by itself: left out", flush=True)
            continue
        times, speeds = [0.0, 0.0], [0.0, 0.0]
        for _ in range(runs):
            for which, engine in enumerate(engines):
                took, nodes, _ = engine.search(fen, f"depth {depth}")
                times[which] += math.log(took) / runs
                speeds[which] += math.log(nodes / took) / runs
        logs.append(times[0] - times[1])
        rates.append(speeds[1] - speeds[0])
        depths.append(depth)
        print(f"{number:3}/{count} depth {depth:2}: {math.exp(times[0]):6.2f} s with 1 thread, {math.exp(times[1]):6.2f} s with "
              f"{threads}: x {math.exp(logs[-1]):.2f}", flush=True)
    if len(logs) < 2:
        raise SystemExit("fewer than two positions with something to search: no mean to be had")
    sooner, error = mean(logs)
    print(f"{threads} threads against 1, {len(logs)} positions, {runs} runs, depth {min(depths)} to {max(depths)} (median "
          f"{statistics.median(depths):.0f}): time to depth x {sooner:.2f} +- {error:.2f}, nodes/s x {mean(rates)[0]:.2f}")


if __name__ == "__main__":
    main()
