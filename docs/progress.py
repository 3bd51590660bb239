#!/usr/bin/env python3
"""Draws docs/progress.svg, the sum of the Elo gains of accepted changes, from the tables of docs/progress.md.

    docs/progress.py            writes the chart
    docs/progress.py --check    exits with an error if the chart does not match the tables

Accepted changes are the rows of the table with a column "signature before → after"; their 95 % errors are added in
quadrature. Ratings of whole versions (the table with a column "rating") are printed below the error bars.
"""
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 1000, 520, 80, 70, 120, 150
# Elo between two lines of the grid.
GRID = 50
STYLE = """
.bg{fill:#ffffff}.ink{fill:#1c2330}.soft{fill:#5a6472}.grid{stroke:#d9dee5}.line{stroke:#0072b2;stroke-width:2;fill:none}
.dot{fill:#0072b2}.error{stroke:#0072b2;stroke-width:1.5}.rating{fill:#b35900}
text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:14px}
@media (prefers-color-scheme:dark){.bg{fill:#14181f}.ink{fill:#e8ecf2}.soft{fill:#a3adba}.grid{stroke:#2e3642}
.line,.error{stroke:#56b4e9}.dot{fill:#56b4e9}.rating{fill:#e69f00}}
"""
MEASURED = re.compile(r"([+\-−]?\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)")


def number(text):
    return float(text.replace("−", "-"))


def tables(text):
    """Yields the tables of a Markdown file: each a list of rows, each row a dictionary from heading to cell."""
    head, rows = None, []
    for line in text.splitlines() + [""]:
        if not line.startswith("|"):
            if rows:
                yield rows
            head, rows = None, []
            continue
        cells = [cell.strip() for cell in line.strip("|\n ").split("|")]
        if head is None:
            head = cells
        elif not set("".join(cells)) <= set("-: "):
            if len(cells) != len(head):
                sys.exit(f"docs/progress.md: {len(cells)} cells under {len(head)} headings: {line}")
            rows.append(dict(zip(head, cells)))


def read(text):
    """Returns accepted changes as (name, Elo, error, signatures after) and ratings as (signature, label).

    Of several ratings of the same signature and kind of build, returns the last.
    """
    changes, ratings = [], {}
    for rows in tables(text):
        for row in rows:
            if "rating" in row:
                rating = MEASURED.search(row["rating"])
                build = " PGO" if row["build and machine"].startswith("PGO") else ""
                ratings[row["signature"], build] = f"{number(rating[1]):.0f}{build}"
            elif "signature before → after" in row:
                gain = MEASURED.search(row["Elo"])
                after = re.findall(r"\d{5,}", row["signature before → after"].split("→")[-1])
                changes.append((row["change"], number(gain[1]), number(gain[2]), after))
    return changes, [(signature, text) for (signature, _), text in ratings.items()]


def label(name):
    """Returns the beginning of a description, short enough for the label below a point."""
    out = ""
    for word in re.split(r"[:(]", name)[0].split():
        if len(out) + len(word) > 32:
            return out.strip() + " …"
        out += " " + word
    return out.strip()


def draw(changes, ratings):
    points, total, variance = [("first version", 0.0, 0.0, [])], 0.0, 0.0
    for name, gain, error, after in changes:
        total, variance = total + gain, variance + error * error
        points.append((label(name), total, math.sqrt(variance), after))
    top = GRID * math.ceil((max(elo + error for _, elo, error, _ in points) + 5) / GRID)
    low = GRID * math.floor(min(elo - error for _, elo, error, _ in points) / GRID)

    def x(index):
        return LEFT + 40 + index * (WIDTH - LEFT - RIGHT - 80) / max(len(points) - 1, 1)

    def y(elo):
        return TOP + (top - elo) * (HEIGHT - TOP - BOTTOM) / (top - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           "<title>Sum of the Elo gains of accepted changes</title>", f"<style>{STYLE}</style>",
           f'<rect class="bg" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="ink" x="{LEFT}" y="30" style="font-size:18px">Sum of the Elo gains of accepted changes, '
           "each against the version before</text>",
           f'<text class="soft" x="{LEFT}" y="52">bars: 95 % error, added in quadrature from the first version on; '
           "below the bars: last rating by gauntlet</text>"]
    for elo in range(low, top + 1, GRID):
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(elo):.1f}" y2="{y(elo):.1f}"/>')
        out.append(f'<text class="soft" x="{LEFT - 10}" y="{y(elo) + 5:.1f}" text-anchor="end">{elo:+d}</text>')
    line = " ".join(f"{x(i):.1f},{y(elo):.1f}" for i, (_, elo, _, _) in enumerate(points))
    out.append(f'<polyline class="line" points="{line}"/>')
    for i, (name, elo, error, after) in enumerate(points):
        out.append(f'<line class="error" x1="{x(i):.1f}" x2="{x(i):.1f}" y1="{y(elo - error):.1f}" y2="{y(elo + error):.1f}"/>')
        out.append(f'<circle class="dot" cx="{x(i):.1f}" cy="{y(elo):.1f}" r="5"/>')
        out.append(f'<text class="ink" x="{x(i) - 10:.1f}" y="{y(elo) - 10:.1f}" text-anchor="end">{elo:+.0f}</text>')
        labels = [text for signature, text in ratings if signature in after]
        for row, text in enumerate(labels):
            # Below the error bar: neither bars nor the line cross the text there.
            bottom = y(elo - error) + 18 * (row + 1)
            out.append(f'<text class="rating" x="{x(i):.1f}" y="{bottom:.1f}" text-anchor="middle">{escape(text)}</text>')
        foot = HEIGHT - BOTTOM + 20
        out.append(f'<text class="soft" x="{x(i):.1f}" y="{foot}" text-anchor="end" '
                   f'transform="rotate(-35 {x(i):.1f} {foot})">{escape(name)}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    changes, ratings = read((HERE / "progress.md").read_text(encoding="utf-8"))
    if not changes:
        sys.exit("docs/progress.md: no accepted change found")
    chart, path = draw(changes, ratings), HERE / "progress.svg"
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if not sys.argv[1:]:
        path.write_text(chart, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != chart:
        sys.exit("docs/progress.svg does not match docs/progress.md: run docs/progress.py")


main()
