#!/usr/bin/env python3
"""Plays a match of each engine of the tutorial against the one before and appends the results to results/tutorial.csv.

    cargo build --release --examples --no-default-features --features uci
    scripts/tutorial.py --book BOOK.epd

A later run continues with the missing games; Ctrl-C loses at most one batch. `results/draw.py` writes the tables of the
chapters. Exits with code 1 if a game was lost on time or by a fault of an engine; such a batch is not recorded.
"""
import argparse
import csv
import datetime
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "tutorial.csv"
FIELDS = ["date", "step", "limit", "games", "wins", "draws", "losses"]
# The engines of these steps search to a fixed depth. With this clock, none loses on time, even on a busy computer.
FIXED_DEPTH = range(1, 7)
FIXED_DEPTH_CLOCK = "600+10"
# Step 7 can use time that the fixed depth of step 6 leaves over, so the match must offer some.
CLOCKS = {7: "3+0.03"}
THREADS = {13: 2}


def recorded():
    if not RESULTS.exists():
        return {}
    games = {}
    with open(RESULTS, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            games[int(row["step"])] = games.get(int(row["step"]), 0) + int(row["games"])
    return games


def play(options, step, programs, games, batch, folder):
    """Plays a batch; returns wins, draws and losses of the step, and the faults."""
    def engine(number):
        clock = FIXED_DEPTH_CLOCK if number in FIXED_DEPTH else CLOCKS.get(step, options.tc)
        words = [f"cmd={programs[number]}", f"name=step{number}", f"tc={clock}"]
        if number > 7:
            words += ["option.Hash=16", f"option.Threads={THREADS.get(number, 1) if number == step else 1}"]
        return ["-engine", *words]

    pgn = folder / f"{step}-{batch}.pgn"
    concurrency = max(1, options.concurrency // THREADS.get(step, 1))
    command = [options.fastchess, *engine(step), *engine(step - 1), "-openings", f"file={options.book}", "format=epd",
               "order=random", "-srand", str(100 * step + batch), "-rounds", str(games // 2), "-games", "2", "-repeat",
               "-concurrency", str(concurrency), "-recover", "-ratinginterval", "0", "-pgnout", f"file={pgn}"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    text = pgn.read_text(encoding="utf-8")
    outcomes = [0, 0, 0]
    for white, result in re.findall(r'\[White "(\w+)"\].*?\[Result "([^"]+)"\]', text, re.S):
        side = 1 if white == f"step{step}" else -1
        score = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}[result] * side
        outcomes[1 - score] += 1
    faults = re.findall(r'\[Termination "(time forfeit|illegal move|abandoned|stalled connection|rules infraction)"\]', text)
    return outcomes, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--book", required=True, type=pathlib.Path, help="openings, EPD")
    parser.add_argument("--games", type=int, default=400, help="games of each match (default: 400)")
    parser.add_argument("--batch", type=int, default=100, help="games of a batch, an even number (default: 100)")
    parser.add_argument("--tc", default="0.5+0.01", help="time control from step 8 on (default: 0.5+0.01)")
    parser.add_argument("--steps", default="2-13", help="steps, such as 7 or 2-6 (default: 2-13)")
    parser.add_argument("--concurrency", type=int, default=1, help="games, or threads, at the same time (default: 1)")
    parser.add_argument("--fastchess", default="fastchess", help="the program (default: fastchess on the PATH)")
    parser.add_argument("--dry-run", action="store_true", help="print the results and record nothing")
    options = parser.parse_args()
    if not options.book.is_file():
        parser.error(f"{options.book}: no such file")
    options.book = options.book.resolve()
    first, _, last = options.steps.partition("-")
    examples = ROOT / "target" / "release" / "examples"
    programs = {int(path.stem[4:6]): examples / path.stem for path in (ROOT / "examples" / "tutorial").glob("step*.rs")}
    missing = [str(program) for program in programs.values() if not program.exists()]
    if missing:
        sys.exit(f"tutorial.py: {missing[0]} is missing; build the examples first (see --help)")
    done = {} if options.dry_run else recorded()
    with tempfile.TemporaryDirectory() as folder:
        for step in range(int(first), int(last or first) + 1):
            while done.get(step, 0) < options.games:
                games = min(options.batch, options.games - done.get(step, 0))
                outcomes, faults = play(options, step, programs, games, done.get(step, 0), pathlib.Path(folder))
                print(f"step {step}: {' – '.join(map(str, outcomes))} (won, drawn, lost), faults: {faults or 'none'}", flush=True)
                if faults or sum(outcomes) < games:
                    sys.exit(f"tutorial.py: step {step}: faults {faults}, {sum(outcomes)} of {games} games; not recorded")
                done[step] = done.get(step, 0) + games
                if options.dry_run:
                    continue
                limit = "fixed depth" if step in FIXED_DEPTH else CLOCKS.get(step, options.tc)
                is_new = not RESULTS.exists()
                with open(RESULTS, "a", newline="", encoding="utf-8") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    if is_new:
                        writer.writerow(FIELDS)
                    writer.writerow([datetime.date.today(), step, limit, games, *outcomes])


try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
