"""Prints the results of each pair of engines in the games of a tournament, as rows for results/reference.csv.

    python3 scripts/pairs.py GAMES.pgn VERSION LIMIT >>results/reference.csv

VERSION is the bench signature. Games that were lost on time or by a fault are reported as an error.
"""

import csv
import datetime
import re
import sys


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    path, version, limit = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        games = [dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.M)) for text in re.split(r"\n(?=\[Event )", file.read())]
    pairs, faults = {}, 0
    for game in games:
        faults += game.get("Termination", "normal") not in ("normal", "adjudication")
        pair = tuple(sorted((game["White"], game["Black"])))
        score = pairs.setdefault(pair, [0, 0, 0])
        points = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}.get(game["Result"])
        if points is not None:
            score[points if game["White"] == pair[0] else 2 - points] += 1
    if faults:
        sys.exit(f"{path}: {faults} of {len(games)} games ended by a loss on time, an illegal move or a crash")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for pair, score in sorted(pairs.items()):
        writer.writerow([datetime.date.today().isoformat(), version, limit, *pair, sum(score), *score])


if __name__ == "__main__":
    main()
