"""Measures what each rule of the search is worth. Needs fastchess on the PATH for the games.

    python3 scripts/ablation.py costs ENGINE OUT [--depth N]
    python3 scripts/ablation.py off   ENGINE OUT --book BOOK.epd [--games N] [--nodes N] [--concurrency N]
    python3 scripts/ablation.py steps ENGINE OUT --book BOOK.epd [--games N] [--tc TC] [--concurrency N]

The rules and how to switch each of them off are in results/rules.csv, in the order of the node function.

costs  nodes and processor time of `bench N` (12) with one rule off, relative to all rules on: the geometric mean over
       the positions, with its 95 % error, and the ratio of the least times of three runs
off    games (400 a rule) of all rules on against one rule off, at a fixed number of nodes (5000) a move
steps  games (300 a step) of the first k rules on against the first k - 1, which begins with all rules off, at a time
       control (0.5+0.01): a rule must be worth the time that it takes

Results are kept in OUT/results.tsv. An interrupted run continues with the same command; only a batch of games that was
interrupted is repeated. At the end and after Ctrl-C, the sums are written to results/ablation.csv, where results/draw.py
finds them.
"""

import argparse
import csv
import datetime
import math
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
FIELDS = ["date", "version", "test", "rule", "limit", "nodes", "error", "time", "games", "wins", "draws", "losses"]
# Games of one fastchess run; an interrupted one is repeated.
BATCH = 50


def rules():
    with open(RESULTS / "rules.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def arguments(off):
    """Returns the arguments of the engine that switch off these rules."""
    return [word for rule in off for setting in rule["off"].split() for word in ("--set", setting)]


def bench(engine, off, depth):
    """Returns the nodes of each position, their sum and the processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [engine, *arguments(off), "bench", str(depth)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"{' '.join(command)}: {run.stderr.strip() or run.returncode}")
    nodes = [int(count) for count in re.findall(r"^Position .*?: +(\d+) \|", run.stderr, re.M)]
    return nodes, int(run.stdout.split()[0]), after.ru_utime - before.ru_utime


class Store:
    """The results so far: rows of OUT/results.tsv."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / "results.tsv"
        if not self.path.exists():
            self.path.write_text("\t".join(FIELDS) + "\n", encoding="utf-8")

    def rows(self):
        with open(self.path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def add(self, **row):
        row = {"date": datetime.date.today().isoformat(), **row}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("\t".join(str(row.get(name, "")) for name in FIELDS) + "\n")

    def games(self, key):
        """Returns wins, draws and losses with this (version, test, rule, limit)."""
        rows = [row for row in self.rows() if (row["version"], row["test"], row["rule"], row["limit"]) == key]
        return [sum(int(row[name]) for row in rows) for name in ("wins", "draws", "losses")]

    def publish(self):
        """Writes the sums to results/ablation.csv, in place of those of the same test."""
        sums = {}
        for row in self.rows():
            into = sums.setdefault(tuple(row[name] for name in ("version", "test", "rule", "limit")), row)
            if into is not row:
                into.update({name: int(into[name]) + int(row[name]) for name in FIELDS[8:]}, date=row["date"])
        target = RESULTS / "ablation.csv"
        others = []
        if target.exists():
            with open(target, newline="", encoding="utf-8") as file:
                others = [row for row in csv.DictReader(file) if all(row["test"] != test for _, test, _, _ in sums)]
        with open(target, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows([*others, *sums.values()])
        print(f"wrote {target}")


def measure_costs(options, store, version):
    limit = f"depth {options.depth}"
    done = {row["rule"] for row in store.rows() if (row["version"], row["test"], row["limit"]) == (version, "costs", limit)}
    for rule in rules():
        if rule["rule"] in done:
            continue
        # Alternately, and the least time of both: other programs on the machine only add to it.
        runs = [(bench(options.engine, [], options.depth), bench(options.engine, [rule], options.depth)) for _ in range(3)]
        on, off = runs[0][0][0], runs[0][1][0]
        on_time, off_time = (min(run[index][2] for run in runs) for index in (0, 1))
        logs = [math.log(b / a) for a, b in zip(on, off) if a >= 1000]
        factor = math.exp(statistics.mean(logs))
        error = factor * 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
        row = {"nodes": f"{factor:.2f}", "error": f"{error:.2f}", "time": f"{off_time / on_time:.2f}"}
        store.add(version=version, test="costs", rule=rule["rule"], limit=limit, **row)
        print(f"{rule['rule']}: nodes x {row['nodes']} +- {row['error']}, time x {row['time']}", flush=True)


def elo(wins, draws, losses):
    """Returns the Elo difference and its 95 % error."""
    games = wins + draws + losses
    score = min(max((wins + draws / 2) / games, 0.5 / games), 1 - 0.5 / games)
    variance = (wins * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + losses * score**2) / games
    slope = 400 / math.log(10) / (score * (1 - score))
    return -400 * math.log10(1 / score - 1), 1.96 * slope * math.sqrt(variance / games)


def play(options, store, seed, first, second):
    """Plays a batch of games between two settings of the engine; returns wins, draws and losses of the first."""
    pgn = store.folder / "batch.pgn"
    pgn.unlink(missing_ok=True)
    engines = []
    for name, off in (("first", first), ("second", second)):
        engines += ["-engine", f"cmd={options.engine}", f"name={name}"]
        engines += [f"args={' '.join(arguments(off))}"] if off else []
    limits = ["tc=inf", f"nodes={options.nodes}"] if options.test == "off" else [f"tc={options.tc}"]
    command = ["fastchess", *engines, "-each", *limits, "option.Hash=16",
               "-openings", f"file={options.book}", "format=epd", "order=random", "-srand", str(seed),
               "-repeat", "-games", "2", "-rounds", str(BATCH // 2), "-concurrency", str(options.concurrency),
               "-draw", "movenumber=40", "movecount=8", "score=5", "-resign", "movecount=4", "score=800", "twosided=true",
               "-maxmoves", "200", "-recover", "-pgnout", f"file={pgn}"]
    run = subprocess.run(command, cwd=store.folder, capture_output=True, text=True, check=False)
    text = pgn.read_text(encoding="utf-8") if pgn.exists() else ""
    faults = re.findall(r'\[Termination "(?!normal|adjudication)([^"]*)"', text)
    games = re.findall(r'\[White "(\w+)"\].*?\[Result "([^"]*)"\]', text, re.S)
    if faults or len(games) != BATCH:
        print(run.stdout[-2000:] + run.stderr[-2000:], file=sys.stderr)
        sys.exit(f"{len(games)} of {BATCH} games were played; faults: {', '.join(faults) or 'none'}; see {pgn}")
    score = [0, 0, 0]
    for white, result in games:
        points = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}[result]
        score[points if white == "first" else 2 - points] += 1
    return score


def measure_games(options, store, version):
    if not shutil.which("fastchess"):
        sys.exit("fastchess is not on the PATH")
    every = rules()
    limit = f"{options.nodes} nodes" if options.test == "off" else options.tc
    if options.test == "off":
        # All rules on against one off.
        pairs = [(rule["rule"], [], [rule]) for rule in every]
    else:
        # The rules from `step` on are off in the second engine, those after it in the first.
        pairs = [(every[step]["rule"], every[step + 1:], every[step:]) for step in range(len(every))]
    counts = {rule: store.games((version, options.test, rule, limit)) for rule, _, _ in pairs}
    left = sum(max(0, -(-(options.games - sum(counts[rule])) // BATCH)) for rule, _, _ in pairs)
    start, done = time.monotonic(), 0
    for index, (rule, first, second) in enumerate(pairs):
        score = counts[rule]
        while sum(score) < options.games:
            seed = 1000 * index + sum(score) + 1
            wins, draws, losses = play(options, store, seed, first, second)
            games = {"games": BATCH, "wins": wins, "draws": draws, "losses": losses}
            store.add(version=version, test=options.test, rule=rule, limit=limit, **games)
            score = [a + b for a, b in zip(score, (wins, draws, losses))]
            done += 1
            minutes = (time.monotonic() - start) / done * (left - done) / 60
            difference, error = elo(*score)
            print(f"{rule}: {sum(score)} games, {difference:+.1f} +- {error:.1f} Elo; {done}/{left} batches, "
                  f"{minutes:.0f} min left", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=["costs", "off", "steps"])
    parser.add_argument("engine", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--book", type=pathlib.Path)
    parser.add_argument("--games", type=int)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--tc", default="0.5+0.01")
    parser.add_argument("--concurrency", type=int, default=2)
    options = parser.parse_args()
    options.engine, store = options.engine.resolve(), Store(options.out.resolve())
    if not options.engine.is_file():
        parser.error(f"{options.engine}: no such file")
    options.games = options.games or {"off": 400, "steps": 300}.get(options.test)
    if options.test != "costs":
        if not options.book or not options.book.is_file():
            parser.error("--book: expected a file of openings in EPD format")
        options.book = options.book.resolve()
    # The bench signature identifies the version.
    _, version, _ = bench(options.engine, [], 13)
    try:
        (measure_costs if options.test == "costs" else measure_games)(options, store, str(version))
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
    store.publish()


if __name__ == "__main__":
    main()
