"""Measures the speedup in time to depth with more threads. Needs an idle machine with one core per thread.

    python3 scripts/time_to_depth.py ENGINE POSITIONS.epd [THREADS] [COUNT] [RUNS] [SECONDS]

Takes COUNT positions (40) evenly from the file; positions without enough to search, such as mates, are skipped. Each is
searched for SECONDS (4) with one thread and RUNS times (3) with THREADS (2), from an empty TT of 64 MB, and the times
at which depths were completed are recorded. Compares the depths whose geometric mean of both times is between
SECONDS / 8 and SECONDS / 2; comparing the last depth that one thread reaches would favor depths at which that thread
was fast by chance. Prints the geometric mean of the time ratios with its 95 % error over positions, and that of nodes
per second. Searches with several threads differ from run to run, so no seed is needed.
"""

import math
import statistics
import sys

import uci


class Engine(uci.Engine):
    def __init__(self, path, threads):
        super().__init__(path)
        self.send("uci", "uciok")
        self.set_option("Threads", threads)
        self.set_option("Hash", 64)

    def search(self, fen, seconds):
        """Returns the seconds after which each depth was completed, and nodes per second."""
        self.send("ucinewgame\nisready", "readyok")
        output = self.send(f"position fen {fen}\ngo movetime {seconds * 1000:.0f}", "bestmove")
        done, rate = {}, 0.0
        for words in map(str.split, output):
            if words[:2] != ["info", "depth"] or "pv" not in words or "lowerbound" in words or "upperbound" in words:
                continue
            depth, nodes, time = (int(words[words.index(name) + 1]) for name in ("depth", "nodes", "time"))
            # The final line can repeat a depth.
            done.setdefault(depth, max(time, 1) / 1000)
            rate = nodes * 1000 / max(time, 1)
        return done, rate


def mean(logs):
    """Returns the geometric mean and its 95 % error, from logarithms."""
    middle = math.exp(statistics.mean(logs))
    return middle, middle * 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))


def main():
    if len(sys.argv) < 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    path, positions = sys.argv[1:3]
    threads, count, runs = (int(given) for given in (sys.argv[3:6] + ["2", "40", "3"][len(sys.argv[3:6]):]))
    seconds = float(sys.argv[6]) if len(sys.argv) > 6 else 4.0
    with open(positions) as file:
        fens = [" ".join(line.split()[:4]) + " 0 1" for line in file if line.strip()]
    if not 2 <= count <= len(fens):
        sys.exit(f"COUNT is {count}, expected 2 to {len(fens)}, the number of positions in {positions}")
    fens = [fens[index * len(fens) // count] for index in range(count)]
    one, several = Engine(path, 1), Engine(path, threads)
    logs, rates, depths = [], [], []
    for number, fen in enumerate(fens, 1):
        single, rate = one.search(fen, seconds)
        found, speeds = [], []
        for _ in range(runs):
            parallel, speed = several.search(fen, seconds)
            common = {depth: math.sqrt(single[depth] * parallel[depth]) for depth in single.keys() & parallel.keys()}
            comparable = [depth for depth, took in common.items() if seconds / 8 <= took <= seconds / 2]
            found += [(depth, math.log(single[depth] / parallel[depth])) for depth in comparable]
            speeds += [math.log(speed / rate)] if comparable else []
        if not found:
            print(f"{number:3}/{count} no depth between {seconds / 8:.2f} and {seconds / 2:.2f} s: skipped", flush=True)
            continue
        depths += [depth for depth, _ in found]
        logs.append(statistics.mean(ratio for _, ratio in found))
        rates.append(statistics.mean(speeds))
        print(f"{number:3}/{count} depth {min(found)[0]:2} to {max(found)[0]:2}: x {math.exp(logs[-1]):.2f}", flush=True)
    if len(logs) < 2:
        raise SystemExit("fewer than two usable positions: cannot compute a mean")
    speedup, error = mean(logs)
    print(f"{threads} threads against 1, {len(logs)} positions, {runs} runs, depth {min(depths)} to {max(depths)} (median "
          f"{statistics.median(depths):.0f}): time to depth x {speedup:.2f} +- {error:.2f}, nodes/s x {mean(rates)[0]:.2f}")


if __name__ == "__main__":
    main()
