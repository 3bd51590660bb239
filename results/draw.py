#!/usr/bin/env python3
"""Writes the generated parts of the documents, and the pictures of strength, from the CSV files here.

    results/draw.py            writes them
    results/draw.py --check    exits with an error if one differs
"""
import csv
import difflib
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

RESULTS = pathlib.Path(__file__).resolve().parent
DOCS = RESULTS.parent / "docs"
# Between these lines, the documents are generated.
PART = re.compile(r"(<!-- generated: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.S)
STYLE = """
.bg{fill:#ffffff}.ink{fill:#1c2330}.soft{fill:#5a6472}.grid{stroke:#d9dee5}.slow{fill:#0072b2;stroke:#0072b2}
.fast{fill:#b35900;stroke:#b35900}text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:15px}
@media (prefers-color-scheme:dark){.bg{fill:#14181f}.ink{fill:#e8ecf2}.soft{fill:#a3adba}.grid{stroke:#2e3642}
.slow{fill:#56b4e9;stroke:#56b4e9}.fast{fill:#e69f00;stroke:#e69f00}}
"""


def read(name):
    with open(RESULTS / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def signed(text):
    return f"{float(text) + 0:+.1f}".replace("-", "−")


def elo(row):
    return f"{signed(row['elo'])} ± {row['error']}"


def is_version(name):
    """Returns whether a name is a bench signature or a commit of Aspirant."""
    return re.fullmatch(r"\d{5,}|[0-9a-f]{7,40}", name) is not None


def score_of_games(wins, draws, losses):
    """Returns the score of a match, from 0 to 1, and its standard deviation."""
    games = wins + draws + losses
    score = (wins + draws / 2) / games
    return score, math.sqrt(((wins + draws / 4) / games - score * score) / games)


def seconds(limit):
    """Returns the base time of a clock such as 8+0.08."""
    return float(limit.split("+")[0])


def matches_against_engines():
    """Returns the matches of plain builds, for each opponent and limit those of the version measured last.

    {(opponent, limit): (version, outcomes)}, longest limit and best score first.
    """
    results = {}
    for row in sorted(read("matches.csv"), key=lambda row: row["date"]):
        if row["elo"] or is_version(row["opponent"]) or "plain build" not in row["explanation"]:
            continue
        match = row["opponent"], row["limit"]
        if results.get(match, ("",))[0] != row["version"]:
            results[match] = row["version"], [0, 0, 0]
        for index, name in enumerate(("wins", "draws", "losses")):
            results[match][1][index] += int(row[name])
    return dict(sorted(results.items(), key=lambda item: (-seconds(item[0][1]), -score_of_games(*item[1][1])[0])))


def strength_table():
    rows = []
    for (opponent, limit), (version, outcomes) in matches_against_engines().items():
        score, deviation = score_of_games(*outcomes)
        rows.append([opponent, limit, version, sum(outcomes), " – ".join(map(str, outcomes)),
                     f"{100 * score:.1f} ± {196 * deviation:.1f} %", signed(elo_difference(*outcomes)[0])])
    return table(["opponent", "limit", "version", "games", "won – drawn – lost", "score", "Elo difference"], rows)


def strength_picture():
    results = matches_against_engines()
    width, left, top, step = 660, 260, 60, 34
    height = top + step * len(results) + 50

    def x(share):
        return left + share * (width - left - 40)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
           "<title>Scores of Aspirant against other engines, with 95 % errors</title>", f"<style>{STYLE}</style>",
           f'<rect class="bg" width="{width}" height="{height}"/>',
           '<text class="ink" x="20" y="28" style="font-size:18px">Score against other engines, 95 % error</text>']
    for percent in range(0, 101, 25):
        at = x(percent / 100)
        out.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{top - 8}" y2="{height - 40}"/>')
        out.append(f'<text class="soft" x="{at:.1f}" y="{height - 18}" text-anchor="middle">{percent} %</text>')
    for index, ((opponent, limit), (_, outcomes)) in enumerate(results.items()):
        y, (score, deviation) = top + step * index + 12, score_of_games(*outcomes)
        error = 1.96 * deviation
        kind = "slow" if seconds(limit) >= 8 else "fast"
        out.append(f'<text class="ink" x="20" y="{y + 5}">{escape(opponent)}</text>')
        out.append(f'<text class="soft" x="{left - 12}" y="{y + 5}" text-anchor="end">{escape(limit)}</text>')
        out.append(f'<line class="{kind}" stroke-width="3" x1="{x(score - error):.1f}" x2="{x(min(score + error, 1)):.1f}" y1="{y}" y2="{y}"/>')
        out.append(f'<circle class="{kind}" cx="{x(score):.1f}" cy="{y}" r="6"/>')
    return "\n".join([*out, "</svg>", ""])


def changes(accepted, many=False):
    """Returns the table of the accepted or rejected changes, or of repetitions at other limits (accepted = "")."""
    rows = []
    for row in read("matches.csv"):
        compares = row["elo"] and row["accepted"] == accepted
        if compares and many == ("changes in one run)" in row["explanation"] and bool(row["accepted"])):
            rows.append([row["date"], row["explanation"], row["limit"], row["games"], elo(row), row["version"] or "–"])
    if many:
        rows.sort(key=lambda row: -float(row[4].split(" ")[0].replace("−", "-")))
    return table(["date", "change", "limit", "games", "Elo", "version"], rows)


def speed(accepted):
    """Returns the table of the accepted or rejected changes, or of comparisons with other programs and builds (accepted = "")."""
    head = ["date", *(["change"] if accepted else ["compared with", "conditions"]), "measure", "ratio", "rounds", "version"]
    rows = []
    for row in read("speed.csv"):
        if row["accepted"] == accepted:
            ratio = "× " + row["ratio"] + (f" ± {row['error']}" if row["error"] else "")
            compared = [] if accepted else [row["base"]]
            rows.append([row["date"], *compared, row["explanation"], row["measure"], ratio, row["rounds"] or "–", row["version"] or "–"])
    return table(head, rows)


def tutorial_programs():
    """Returns the lines of the steps of the tutorial, without the marks of the excerpts: {number: (path, lines)}."""
    paths = sorted((RESULTS.parent / "examples" / "tutorial").glob("step*.rs"))
    return {int(path.stem[4:6]): (path, [line for line in path.read_text(encoding="utf-8").splitlines() if "// ANCHOR" not in line])
            for path in paths}


def elo_difference(wins, draws, losses):
    """Returns the Elo difference of a match and its 95 % error; infinite and 0 if all games were won or lost."""
    score, deviation = score_of_games(wins, draws, losses)
    if not 0 < score < 1:
        return (math.inf if score else -math.inf), 0.0
    return -400 * math.log10(1 / score - 1), 1.96 * 400 / math.log(10) * deviation / (score * (1 - score))


def elo_of_games(wins, draws, losses):
    """Returns the Elo difference of a match with its 95 % error, as text."""
    difference, error = elo_difference(wins, draws, losses)
    if math.isinf(difference):
        return "all won" if difference > 0 else "all lost"
    return f"{signed(difference)} ± {error:.0f}"


def tutorial_match(step):
    """Returns limit, games, outcomes and Elo of a step of the tutorial against the one before."""
    path = RESULTS / "tutorial.csv"
    rows = [row for row in read(path.name) if int(row["step"]) == step] if path.exists() else []
    if not rows:
        return ["not measured yet", "–", "–", "–"]
    wins, draws, losses = (sum(int(row[name]) for row in rows) for name in ("wins", "draws", "losses"))
    return [rows[0]["limit"], wins + draws + losses, f"{wins} – {draws} – {losses}", elo_of_games(wins, draws, losses)]


def tutorial_table():
    rows, before = [], []
    for step, (path, lines) in tutorial_programs().items():
        new = sum(line.startswith("+ ") for line in difflib.ndiff(before, lines))
        title = (DOCS / "tutorial" / f"{step:02}-{path.stem[7:].replace('_', '-')}.md").read_text(encoding="utf-8").split("\n")[0]
        rows.append([f"[{title[2:]}]({step:02}-{path.stem[7:].replace('_', '-')}.md)", len(lines), new, *tutorial_match(step)[1::2]])
        before = lines
    rows[0][3:] = ["–", "–"]
    return table(["step", "lines", "new", "games", "Elo against the step before"], rows)


def ratings(rows):
    """Returns the Elo ratings that fit the pairs of a round robin best, with their 95 % errors; the mean is 0."""
    names = sorted({row["engine"] for row in rows} | {row["opponent"] for row in rows})
    rating = dict.fromkeys(names, 0.0)

    def expected(a, b):
        return 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400))

    # For each engine its pairs: opponent, games, points. One draw more for each pair keeps the ratings finite.
    pairs = {name: [] for name in names}
    for row in rows:
        games, points = int(row["games"]), int(row["wins"]) + int(row["draws"]) / 2
        pairs[row["engine"]].append((row["opponent"], games + 1, points + 0.5))
        pairs[row["opponent"]].append((row["engine"], games + 1, games - points + 0.5))

    def information(name):
        return sum(games * expected(name, other) * (1 - expected(name, other)) for other, games, _ in pairs[name])

    scale = 400 / math.log(10)
    for _ in range(2000):
        for name in names:
            surplus = sum(points - games * expected(name, other) for other, games, points in pairs[name])
            rating[name] += max(-50, min(50, scale * surplus / information(name)))
    mean = sum(rating.values()) / len(names)
    return {name: (rating[name] - mean, 1.96 * scale / math.sqrt(information(name))) for name in names}


def tournament():
    """Returns the engines of the last tournament of the reference algorithms, best first, and its rows."""
    rows = read("reference.csv")
    last = [row for row in rows if (row["date"], row["limit"]) == (rows[-1]["date"], rows[-1]["limit"])] if rows else []
    return sorted(ratings(last).items(), key=lambda item: -item[1][0]) if last else [], last


def tournament_table():
    engines, rows = tournament()
    if not rows:
        return "Not measured yet.\n"
    weakest, lines = engines[-1][1][0], []
    for name, (rating, error) in engines:
        games = sum(int(row["games"]) for row in rows if name in (row["engine"], row["opponent"]))
        points = sum(int(row["wins"] if row["engine"] == name else row["losses"]) + int(row["draws"]) / 2
                     for row in rows if name in (row["engine"], row["opponent"]))
        lines.append([name, games, f"{100 * points / games:.1f} %", f"{rating - weakest:.0f} ± {error:.0f}"])
    head = ["engine", "games", "score", "Elo above the last"]
    return f"{rows[0]['limit']}, version with bench signature {rows[0]['version']}:\n\n" + table(head, lines) + (
        "\n![The same ratings as bars](tournament.svg)\n")


def tournament_picture():
    engines, _ = tournament()
    weakest = engines[-1][1][0]
    most = engines[0][1][0] - weakest or 1
    width, left, top, step = 660, 260, 60, 30
    height = top + step * len(engines) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
           "<title>Playing strength of the reference algorithms, in Elo above the weakest</title>", f"<style>{STYLE}</style>",
           f'<rect class="bg" width="{width}" height="{height}"/>',
           '<text class="ink" x="20" y="28" style="font-size:18px">Elo above the weakest, at equal time</text>']
    for index, (name, (rating, error)) in enumerate(engines):
        y, value = top + step * index, rating - weakest
        length = (width - left - 120) * value / most
        out.append(f'<text class="ink" x="20" y="{y + 16}">{escape(name)}</text>')
        out.append(f'<rect class="slow" x="{left}" y="{y + 2}" width="{max(length, 1):.1f}" height="18"/>')
        out.append(f'<text class="soft" x="{left + length + 8:.1f}" y="{y + 16}">{value:.0f} ± {error:.0f}</text>')
    return "\n".join([*out, "</svg>", ""])


def ablation():
    """Returns the table of the rules of the search: what each costs and is worth."""
    results = {}
    for row in read("ablation.csv"):
        results[row["test"], row["rule"]] = row
    lines = []
    for rule in read("rules.csv"):
        cost, off, step = (results.get((test, rule["rule"])) for test in ("costs", "off", "steps"))
        lines.append([
            f"[{rule['rule']}](https://www.chessprogramming.org/{rule['link']})",
            rule["what"],
            f"[{pathlib.PurePath(rule['file']).name}](../../{rule['file']})",
            f"× {cost['nodes']} ± {cost['error']}" if cost else "–",
            f"× {cost['time']}" if cost and cost["time"] else "–",
            *[elo_of_games(*(int(row[name]) for name in ("wins", "draws", "losses"))) if row else "–" for row in (off, step)],
        ])
    rows = {test: row for (test, _), row in results.items()}
    conditions = [f"{name}: {rows[test]['limit']}" for test, name in
                  [("costs", "Nodes and time without the rule"), ("off", "Elo of the rule"), ("steps", "Elo as a step")] if test in rows]
    head = ["rule", "what it does", "file", "nodes without it", "time without it", "Elo", "Elo as a step"]
    dash = " A dash: not measured." if any("–" in line for line in lines) else ""
    return ("; ".join(conditions) + "." + dash + "\n\n" if conditions else "") + table(head, lines)


def ablation_findings():
    """Returns which rules the games do not show to gain, and which depend on other rules."""
    elo = {}
    for row in read("ablation.csv"):
        if row["games"]:
            elo[row["test"], row["rule"]] = elo_difference(*(int(row[name]) for name in ("wins", "draws", "losses")))
    names = [row["rule"] for row in read("rules.csv")]
    off, step = ({name: elo[test, name] for name in names if (test, name) in elo} for test in ("off", "steps"))
    both = [name for name in names if name in off and name in step]

    def gains(result):
        return result[0] - result[1] > 0

    def exceeds(a, b):
        return a[0] - b[0] > math.hypot(a[1], b[1])

    findings = [
        ("no gain shown in the complete engine", off, [name for name in off if not gains(off[name])]),
        ("no gain shown as a step", step, [name for name in step if not gains(step[name])]),
        ("worth more in the complete engine than as a step", both, [name for name in both if exceeds(off[name], step[name])]),
        ("worth more as a step than in the complete engine", both, [name for name in both if exceeds(step[name], off[name])]),
        ("candidates for removal: no gain shown in either", both,
         [name for name in both if not gains(off[name]) and not gains(step[name])]),
    ]
    rows = [[what, f"{len(measured)} of {len(names)}", ", ".join(found) or ("none" if measured else "–")]
            for what, measured, found in findings]
    return table(["finding", "rules measured", "rules"], rows)


def network():
    """Returns the matches of the engine with a network."""
    rows = []
    for row in read("network.csv"):
        outcomes = [int(row[name]) for name in ("wins", "draws", "losses")]
        rows.append([row["network"], row["opponent"], row["limit"], sum(outcomes), " – ".join(map(str, outcomes)), elo_of_games(*outcomes)])
    return table(["network", "opponent", "limit", "games", "won – drawn – lost", "Elo"], rows)


PARTS = {
    "network": network,
    "ablation": ablation,
    "ablation-findings": ablation_findings,
    "tournament": tournament_table,
    "tutorial": tutorial_table,
    **{f"tutorial-{step}": lambda step=step: table(["limit", "games", "won – drawn – lost", "Elo"], [tutorial_match(step)])
       for step in range(2, 14)},
    "strength": strength_table,
    "accepted": lambda: changes("yes"),
    "rejected": lambda: changes("no"),
    "other-limits": lambda: changes(""),
    "many-accepted": lambda: changes("yes", many=True),
    "many-rejected": lambda: changes("no", many=True),
    "speed-accepted": lambda: speed("yes"),
    "speed-rejected": lambda: speed("no"),
    "speed-compared": lambda: speed(""),
}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    files = {DOCS / "strength.svg": strength_picture()}
    if read("reference.csv"):
        files[DOCS / "tournament.svg"] = tournament_picture()
    documents = [DOCS / name for name in ("algorithms.md", "strength.md", "experiments.md")]
    for path in [*documents, *sorted((DOCS / "tutorial").glob("*.md")), RESULTS.parent / "network" / "README.md"]:
        text = path.read_text(encoding="utf-8")
        files[path] = PART.sub(lambda part: part[1] + "\n" + PARTS[part[2]]() + "\n" + part[3], text)
    for path, text in files.items():
        if not sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.relative_to(RESULTS.parent)} does not match results/*.csv: run results/draw.py")


main()
