#!/usr/bin/env python3
"""Measures the figures of docs/algorithms.md and writes them into it.

Usage: scripts/figures.py [PATH-TO-ASPIRANT [NAME…]]   (default: target/release/aspirant, all figures; takes some minutes)

Replaces the text between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and docs/compare-depth-6.svg. Each
table records its command, the commit and the evaluator. The reference games have an evaluator with frozen weights
(src/game_tree/games/frozen_pst.rs), so that the counts change only with the algorithms. tests/it/textbook_commands.rs
compares one of the tables with the program.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/algorithms.md"
EVALUATOR = ROOT / "src/game_tree/games/frozen_pst.rs"
USAGE = __doc__.splitlines()[2]
if "--help" in sys.argv:
    sys.exit(__doc__)
ASPIRANT = str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else str(ROOT / "target/release/aspirant")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def run(*arguments):
    print("aspirant", *arguments, file=sys.stderr, flush=True)
    try:
        done = subprocess.run([ASPIRANT, *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"figures.py: {ASPIRANT} cannot be run: {error.strerror}; the first argument is the path of aspirant\n{USAGE}")
    if done.returncode:
        sys.exit(f"exit code {done.returncode} of: {ASPIRANT} {' '.join(arguments)}\n{done.stderr}".rstrip())
    return done.stdout


def check_commit():
    """Ends the script unless the program was built from the checked-out commit."""
    built = re.search(r"\(([0-9a-f]{7,}) ", run("--version"))
    if not built or not git("rev-parse", "HEAD").startswith(built[1]):
        sys.exit(f"{ASPIRANT} is a build of {built[1] if built else 'an unknown commit'}, expected HEAD: cargo build --release")


def origin(*arguments):
    return f"`aspirant {' '.join(arguments)}`; commit {COMMIT}, evaluator `FrozenPst` {CHECKSUM}.\n"


def sums(*arguments):
    """Runs `compare --json` and sums the positions; returns a row for each algorithm and ordering."""
    rows = {}
    for row in json.loads(run(*arguments, "--json")):
        total = rows.setdefault((row["algorithm"], row["ordering"]), dict.fromkeys(
            ("leaves", "nodes", "passes", "re_searches", "last_leaves", "minimal_leaves"), 0) | {"estimated": False})
        for figure in total:
            total[figure] = total[figure] or row[figure] if figure == "estimated" else total[figure] + row[figure]
        total["memory"] = row["memory"]
    return rows


def depth_6():
    command = ("compare", "--depth", "6", "--limit", "6000000", "--svg", "docs/compare-depth-6.svg")
    rows = sums(*command)
    reference = rows["aspiration negascout", "all"]
    out = [origin(*command), f"Minimal tree, estimated from the mean width: {reference['minimal_leaves']:,.0f} leaves.\n",
           "| algorithm | memory | leaves | nodes | passes | % of aspiration NegaScout | × minimal |",
           "|---|---|---:|---:|---:|---:|---:|"]
    for (name, _), row in rows.items():
        mark = "~" if row["estimated"] else ""
        name = name.replace("*", "\\*")
        out.append(f"| {name} | {'yes' if row['memory'] else ''} | {mark}{row['leaves']:,} | {mark}{row['nodes']:,} | {row['passes']:,} "
                   f"| {100 * row['leaves'] / reference['leaves']:,.1f} | {row['last_leaves'] / row['minimal_leaves']:,.2f} |")
    write("published", published(rows))
    return out + ["", "~: stopped at `--limit` and extrapolated from smaller depths."]


def published(rows):
    memory = {name: row for (name, _), row in rows.items() if row["memory"]}
    reference = memory["aspiration negascout"]
    percent = lambda name, figure="leaves", to=reference: 100 * memory[name][figure] / to[figure]
    others = [percent(name) for name in memory if name not in ("alpha-beta fail-soft", "iterative deepening", "alpha-beta etc")]
    full = memory["alpha-beta fail-soft"]
    change = lambda value: f"{abs(value - 100):.1f} % {'fewer' if value < 100 else 'more'}"
    minimal = lambda row: row["last_leaves"] / row["minimal_leaves"]
    once = {name: row for (name, _), row in rows.items() if not row["memory"]}
    return [
        "| published | measured here |", "|---|---|",
        f"| with memory and iterative deepening all variants lie within about 20 % | {min(others):.0f} to {max(others):.0f} % of aspiration "
        f"NegaScout; full-window alpha-beta is at {percent('alpha-beta fail-soft'):.0f} %, aspiration alpha-beta at {percent('aspiration'):.0f} % |",
        f"| MTD(f) visits 5 to 10 % fewer leaves than aspiration NegaScout, and fewer nodes | {change(percent('mtd(f)'))} leaves, "
        f"{change(percent('mtd(f)', 'nodes'))} nodes; depends on the evaluator |",
        f"| MTD(f) needs 3 to 6 passes for an iteration | {memory['mtd(f)']['passes'] / 144:.1f}; the evaluation has a resolution of one centipawn and "
        "leaves are not quiet, so values vary more |",
        f"| MT-SSS\\* and MT-DUAL\\* need hundreds of passes and lose on total nodes | {memory['mtd(+inf)']['passes'] / 24:.0f} and "
        f"{memory['mtd(-inf)']['passes'] / 24:.0f} passes per position; {change(percent('mtd(+inf)', 'nodes'))} and "
        f"{change(percent('mtd(-inf)', 'nodes'))} nodes |",
        f"| NegaScout is about 10 % better than alpha-beta | {change(percent('negascout', to=full))} leaves with memory |",
        f"| programs lie within 1.5 × the minimal tree | {minimal(full):.2f} × with the full window, {minimal(memory['aspiration']):.2f} × with aspiration |",
        f"| SSS\\* evaluates no leaf that alpha-beta does not | holds on all random trees, where the ordering is fixed; here SSS\\* evaluates "
        f"{once['sss*']['leaves']:,} leaves and alpha-beta {once['alpha-beta fail-hard']['leaves']:,}, but the orderings differ, because each search "
        "has its own killers |",
    ]


def ordering():
    command = ("compare", "--depth", "5", "--ordering", "each", "--limit", "20000000")
    rows = {ordering: row for (_, ordering), row in sums(*command).items()}
    out = [origin(*command), "| on | leaves | × minimal | all but | leaves | × minimal |", "|---|---:|---:|---|---:|---:|"]
    figures = lambda row: f"{row['leaves']:,} | {row['last_leaves'] / row['minimal_leaves']:.2f}"
    out.append(f"| none | {figures(rows['none'])} | – (all) | {figures(rows['all'])} |")
    for name in [name for name in rows if name not in ("none", "all") and not name.startswith("all but")]:
        out.append(f"| {name} | {figures(rows[name])} | {name} | {figures(rows['all but ' + name])} |")
    return out


def twice():
    command = ("compare", "--twice", "--depth", "3")
    out = [origin(*command), "| d | minimax | alpha-beta to 2d - 1 | alpha-beta to 2d | depth with equal leaves |",
           "|---|---:|---:|---:|---:|"]
    for line in run(*command).splitlines():
        cells = line.replace("|", " ").split()
        if len(cells) == 10 and cells[0].isdigit():
            d, minimax, _, _, odd, _, _, even, _, equal = cells
            out.append(f"| {d} | {minimax} | {odd} | {even} | {equal} |")
    return out


def mates():
    command = ("compare", "--mates", "tests/data/suites/short_mates.epd", "--depth", "7", "--limit", "20000000")
    lines = run(*command).splitlines()
    out = [origin(*command), lines[0] + ".\n", "| search | leaves | nodes | % of full window |", "|---|---:|---:|---:|"]
    for line in lines[3:]:
        name, leaves, nodes, percent = re.fullmatch(r"(.*\S) +(\d+) +(\d+) +([\d.]+)", line).groups()
        out.append(f"| {name} | {int(leaves):,} | {int(nodes):,} | {percent} |")
    return out


def write(name, lines):
    text = DOCUMENT.read_text(encoding="utf-8")
    block = re.compile(rf"(<!-- figures: {name} -->\n).*?(<!-- end of figures -->)", re.S)
    if not block.search(text):
        sys.exit(f"{DOCUMENT}: no block `figures: {name}`")
    table = "\n".join(lines)
    DOCUMENT.write_text(block.sub(lambda found: found[1] + table + "\n" + found[2], text), encoding="utf-8")


FIGURES = {"twice": twice, "mates": mates, "ordering": ordering, "depth 6": depth_6}
for name in sys.argv[2:]:
    if name not in FIGURES:
        sys.exit(f"figures.py: no figure '{name}', expected one of: {', '.join(FIGURES)}; nothing was measured")
check_commit()
COMMIT = git("rev-parse", "--short=10", "HEAD") + (" with changes" if git("status", "--porcelain", "--", "src") else "")
CHECKSUM = hashlib.sha256(EVALUATOR.read_bytes()).hexdigest()[:10]
for name, measure in FIGURES.items():
    if name in sys.argv[2:] or len(sys.argv) <= 2:
        write(name, measure())
