"""How much sooner is a depth reached with more threads? Wants a quiet machine with a processor for each thread.

    python3 tests/campaigns/time_to_depth.py ENGINE POSITIONS.epd [THREADS] [COUNT] [RUNS] [SECONDS]

COUNT positions (40), taken evenly from the file; those with nothing to search, as mates, are left out. Each is searched
for SECONDS (4) with one thread and RUNS times (3) with THREADS (2), from empty tables (64 MB), and of every search the
times are kept at which depths were done. Compared are the depths that took between SECONDS / 8 and SECONDS / 2, as the
geometric mean of both: to take the last depth that one thread reaches in a given time would be to choose, for every
position, a depth for which that thread was quick by chance. Prints the geometric mean of the ratios of time with its
95 % error over the positions, and that of nodes per second. With several threads every run is another search: no seed
is needed.
"""

import math
import statistics
import subprocess
import sys


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

    def search(self, fen, seconds):
        """The seconds after which each depth was done, and nodes per second."""
        self.ask("ucinewgame\nisready", "readyok")
        said = self.ask(f"position fen {fen}\ngo movetime {seconds * 1000:.0f}", "bestmove")
        done, rate, before = {}, 0.0, 0
        for words in said:
            if words[:2] != ["info", "depth"] or "pv" not in words or "lowerbound" in words or "upperbound" in words:
                continue
            depth, nodes, time = (int(words[words.index(name) + 1]) for name in ("depth", "nodes", "time"))
            # Threads that hand iterations on can be through with two depths at once.
            done.update((each, max(time, 1) / 1000) for each in range(before + 1, depth + 1))
            before, rate = max(before, depth), nodes * 1000 / max(time, 1)
        return done, rate


def mean(logs):
    """Geometric mean and its 95 % error, from logarithms."""
    middle = math.exp(statistics.mean(logs))
    return middle, middle * 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))


def main():
    path, positions = sys.argv[1:3]
    threads, count, runs = (int(given) for given in (sys.argv[3:6] + ["2", "40", "3"][len(sys.argv[3:6]):]))
    seconds = float(sys.argv[6]) if len(sys.argv) > 6 else 4.0
    with open(positions) as file:
        fens = [" ".join(line.split()[:4]) + " 0 1" for line in file if line.strip()]
    fens = [fens[index * len(fens) // count] for index in range(count)]
    one, several = Engine(path, 1), Engine(path, threads)
    logs, rates, depths = [], [], []
    for number, fen in enumerate(fens, 1):
        alone, rate = one.search(fen, seconds)
        found, speeds = [], []
        for _ in range(runs):
            together, speed = several.search(fen, seconds)
            common = {depth: math.sqrt(alone[depth] * together[depth]) for depth in alone.keys() & together.keys()}
            timely = [depth for depth, took in common.items() if seconds / 8 <= took <= seconds / 2]
            found += [(depth, math.log(alone[depth] / together[depth])) for depth in timely]
            speeds += [math.log(speed / rate)] if timely else []
        if not found:
            print(f"{number:3}/{count} no depth between {seconds / 8:.2f} and {seconds / 2:.2f} s: left out", flush=True)
            continue
        depths += [depth for depth, _ in found]
        logs.append(statistics.mean(ratio for _, ratio in found))
        rates.append(statistics.mean(speeds))
        print(f"{number:3}/{count} depth {min(found)[0]:2} to {max(found)[0]:2}: x {math.exp(logs[-1]):.2f}", flush=True)
    if len(logs) < 2:
        raise SystemExit("fewer than two positions with something to search: no mean to be had")
    sooner, error = mean(logs)
    print(f"{threads} threads against 1, {len(logs)} positions, {runs} runs, depth {min(depths)} to {max(depths)} (median "
          f"{statistics.median(depths):.0f}): time to depth x {sooner:.2f} +- {error:.2f}, nodes/s x {mean(rates)[0]:.2f}")


if __name__ == "__main__":
    main()
