"""Runs the reliability campaigns of docs/reliability.md, in a short form or in full, and prints one result for each.

    python3 scripts/campaigns.py ENGINE [--only NAME …] [--full] [--log DIR] [--fastchess PATH] [--mates FILE.epd]
    python3 scripts/campaigns.py --list

ENGINE is a release build of the source beside this script. The campaigns of cargo (unit in the table: source) test the
source itself. Outputs and results are in DIR (default: target/campaigns), in a directory for each commit. POSIX only.
A campaign that passed for the same program or the same commit of the source is skipped, so an interrupted run continues
with the same command; "games" even continues after its last complete batch. With uncommitted changes, the campaigns of
the source are run again. A campaign whose tools are missing is reported as "not run". Exit code: 1 if one failed,
130 after Ctrl-C, otherwise 0. chaos.py and mates.py need python-chess for the python3 that runs this script.

"games" and "latency" need an idle machine. Losses on time are compared with the scheduling gaps that gaps.py records.
"""

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
DATA = ROOT / "tests/data"
PROGRESS_SECONDS = 30.0
# A step without a result after this many seconds has failed: short form, full form.
LIMITS = 1800.0, 48 * 3600.0
TARGETS = "uci_line", "uci_session", "fen_position", "tt_decode", "book", "engine_toml", "syzygy_file", "epd"


class Context(NamedTuple):
    """What the campaigns of one run have in common."""
    engine: Path
    fastchess: str | None
    mates: Path
    full: bool
    folder: Path


class Step(NamedTuple):
    """A command, with what it adds to the environment."""
    command: list
    environment: dict = {}
    # Returns from the output the reason why the step failed, or None.
    check: Callable[[str], str | None] | None = None
    # File to which gaps.py writes the scheduling gaps during this step.
    gaps: Path | None = None
    # Returns the progress, for commands that print none.
    progress: Callable[[], str] | None = None


class Campaign(NamedTuple):
    """A row of the table of campaigns."""
    name: str
    what: str
    short: str
    full: str
    # What is tested: "engine" (the given program) or "source" (built by cargo).
    unit: str
    # Returns what is missing, or None.
    needs: Callable[[Context], str | None]
    # Returns the steps, in order.
    steps: Callable[[Context], list]
    # The last line of the output that matches is the summary.
    summary: str = r"^test result: .*passed"
    # Whether other programs on the machine can make it fail.
    measures_time: bool = False


def script(name, *arguments):
    return [sys.executable, str(SCRIPTS / name), *map(str, arguments)]


def cargo(*arguments, toolchain=(), **environment):
    return Step(["cargo", *toolchain, *map(str, arguments)], environment)


# Requirements: each function returns what is missing, or None.

def succeeds(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def needs_cargo(_):
    return None if shutil.which("cargo") else "cargo"


def needs_python_chess(_):
    return None if importlib.util.find_spec("chess") else f"python-chess ({sys.executable} -m pip install chess)"


def needs_chaos(context):
    return needs_python_chess(context) if os.path.isdir("/proc/self/fd") else "Linux (/proc)"


def needs_fastchess(context):
    missing = [name for name in ("bash", "grep", "sed") if not shutil.which(name)]
    if missing:
        return ", ".join(missing)
    return None if context.fastchess else "fastchess on the PATH or --fastchess PATH"


def needs_mates(context):
    return needs_python_chess(context) or (None if context.mates.is_file() else f"{context.mates}: no such file")


def needs_nightly(context, *components):
    if needs_cargo(context):
        return needs_cargo(context)
    if not succeeds("cargo", "+nightly", "--version"):
        return "a nightly compiler (rustup toolchain install nightly)"
    sysroot = subprocess.run(["rustc", "+nightly", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    present = {"rust-src": os.path.isdir(f"{sysroot}/lib/rustlib/src/rust/library"),
               "miri": succeeds("cargo", "+nightly", "miri", "--version")}
    missing = [name for name in components if not present[name]]
    return f"rustup component add --toolchain nightly {' '.join(missing)}" if missing else None


def needs_fuzz(context):
    if missing := needs_nightly(context):
        return missing
    return None if succeeds("cargo", "fuzz", "--version") else "cargo-fuzz (cargo install cargo-fuzz)"


def needs_tsan(context):
    if not (sys.platform == "linux" and os.uname().machine == "x86_64"):
        return "Linux on x86-64"
    return needs_nightly(context, "rust-src") or needs_chaos(context)


def needs_miri(context):
    return needs_nightly(context, "rust-src", "miri")


# Steps.

def openings(context, name, count, book):
    """Writes openings of `genfens` to a file and returns its path."""
    path = context.folder / name
    if not path.exists():
        command = [str(context.engine), f"genfens {count} seed 1 book {book}", "quit"]
        output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600).stdout
        lines = (line for line in output.splitlines() if line.startswith("info string genfens "))
        fens = [line.split("genfens ")[1].split() for line in lines]
        if len(fens) != count:
            reason = next((line for line in output.splitlines() if line.startswith("info string genfens: ")), "no message")
            raise RuntimeError(f"{' '.join(command)}: {len(fens)} openings, expected {count}; the engine printed: {reason}")
        path.write_text("".join(" ".join(fields[:4]) + "\n" for fields in fens))
    return path


def games(context):
    folder, batches = context.folder / "games", 150 if context.full else 4
    results, gaps, failed = folder / "results.tsv", folder / "gaps.tsv", folder / "failed"
    if failed.exists():
        folder.rename(context.folder / f"games-failed-{time.strftime('%Y%m%d-%H%M%S')}")
    folder.mkdir(parents=True, exist_ok=True)
    rows = lambda: [line.split("\t") for line in results.read_text().splitlines()[1:]] if results.exists() else []
    books = (openings(context, "openings.epd", 1000, "None"),
             openings(context, "chess960.epd", 1000, "tests/data/books/chess960_starts.epd"))
    missing = batches - len(rows())
    command = ["bash", str(SCRIPTS / "games.sh"), str(context.engine), *map(str, books), str(folder), str(missing)]
    path = os.path.dirname(os.path.abspath(context.fastchess)) + os.pathsep + os.environ.get("PATH", "")

    def check(_):
        played = rows()
        total, *faults = (sum(int(row[column]) for row in played) for column in (4, 6, 7, 8, 9))
        print_log(f"{total} games in {len(played)} batches, {sum(int(row[5]) for row in played)} lost on time, "
                  f"{faults[0]} illegal moves, {faults[1]} disconnections, {faults[2]} stalls, {faults[3]} warnings")
        if any(faults) or total != 200 * len(played):
            failed.touch()
            return f"faults in {results}"
        return None if len(played) >= batches else f"{len(played)} of {batches} batches"

    def check_losses(text):
        losses, explained = map(int, re.findall(r": (\d+) losses on time, (\d+) of them explained", text)[-1])
        recorded = sum(int(row[5]) for row in rows())
        if losses != recorded:
            failed.touch()
            return f"{recorded} losses on time in {results}, but {losses} in the logs of fastchess"
        if losses == explained:
            return None
        failed.touch()
        return f"{losses - explained} losses on time outside the gaps of the machine"

    gaps.touch()
    progress = lambda: f"{len(rows())} of {batches} batches"
    play = [Step(command, {"PATH": path}, check, gaps, progress)] if missing > 0 else []
    return [*play, Step(script("blame.py", gaps, folder), check=check_losses)]


def mates(context):
    nodes, threads = (200_000, (1, 2, 4)) if context.full else (20_000, (1, 4))
    check = lambda text: None if re.search(r"PVs checked, 0 faults", text) else "faults in mate scores or PVs"
    return [Step(script("mates.py", context.engine, context.mates, nodes, count), check=check) for count in threads]


def test(*arguments, **environment):
    return cargo("test", "--locked", *arguments, **environment)


def fuzz(target, short, full, length):
    def steps(context):
        # libFuzzer adds new inputs to the first folder.
        corpus = context.folder / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        runs, seed = full if context.full else short, int(time.time())
        options = f"-runs={runs}", f"-max_len={length}", f"-seed={seed}", "-reload=0"
        folders = corpus, ROOT / "fuzz/seeds" / target
        return [cargo("fuzz", "run", "-s", "none", target, *folders, "--", *options, toolchain=("+nightly",))]

    return Campaign(
        f"fuzz-{target}", f"libFuzzer target {target}, without a sanitizer", f"{short:,} runs", f"{full:,} runs",
        "source", needs_fuzz, steps, r"^Done \d+ runs")


def tsan(context):
    target = "x86_64-unknown-linux-gnu"
    built = ROOT / "target/tsan" / target / "release/aspirant"
    no_race = lambda text: "ThreadSanitizer reported a data race" if "WARNING: ThreadSanitizer" in text else None
    return [cargo("build", "--release", "--locked", "--bin", "aspirant", "-Zbuild-std", "--target", target,
                  "--target-dir", ROOT / "target/tsan", toolchain=("+nightly",), RUSTFLAGS="-Zsanitizer=thread"),
            Step([str(built), "bench", "6" if context.full else "3"], check=no_race),
            # ThreadSanitizer itself allocates memory as the program runs.
            Step(script("chaos.py", built, 1200 if context.full else 120, 1), {"MEMORY_PERCENT": "1000"}, no_race)]


def miri(context):
    def run(flags, *arguments):
        return cargo("miri", "test", "--locked", *arguments, toolchain=("+nightly",), MIRIFLAGS=flags)

    isolated = "-Zmiri-disable-isolation"
    if not context.full:
        return [run(isolated, "--test", "it", "concurrency")]
    # A complete search would take hours: the tests that run one are skipped.
    modules = ("score", "search::smp::guard", "search::moves::history", "search::limits", "search::smp::control",
               "search::memory::transposition", "search::smp::shared_iteration", "search::time")
    searches = "soft_nodes_are_a_limit", "thread_that_is_behind_adopts"
    skipped = [argument for name in searches for argument in ("--skip", name)]
    return [run(isolated, "--lib", "--", *(f"{module}::tests" for module in modules), *skipped),
            run(f"{isolated} -Zmiri-many-seeds", "--test", "it", "concurrency")]


def fixed(*steps):
    return lambda _: list(steps)


def by_form(short, full):
    return lambda context: [full if context.full else short]


FAULTS = "--features", "fault-injection", "--test", "faults"

CAMPAIGNS = [
    Campaign("games", "games.sh: self-play at 0.1+0.001 without a time margin; one and two threads, Chess960",
             "800 games", "30,000 games", "engine", needs_fastchess, games, r"^\d+ games in \d+ batches", True),
    Campaign("chaos", "chaos.py: random commands at random moments; memory and open files constant",
             "60 s", "2 h", "engine", needs_chaos,
             lambda context: [Step(script("chaos.py", context.engine, 7200 if context.full else 60, 1))], r"^seed \d+: "),
    Campaign("latency", "latency.py: stop to bestmove and isready to readyok; p50 and p99.9 within limits",
             "2,000 stops", "20,000 stops", "engine", lambda _: None,
             lambda context: [Step(script("latency.py", context.engine, 20_000 if context.full else 2_000))],
             r"^all, ", True),
    Campaign("mates", "mates.py: each mate score has a PV of that length that ends in mate",
             "20,000 nodes, 1 and 4 threads", "200,000 nodes; 1, 2 and 4 threads", "engine", needs_mates, mates,
             r"PVs checked, \d+ faults"),
    Campaign("invariants", "the tests of UCI, of the test driver and of memory",
             "once", "once", "source", needs_cargo,
             fixed(test("--test", "it", "--", "go::", "stop::", "position::", "options::", "input::", "console::", "files::", "resources::", "clocks::",
                        "driver::"),
                   test("--test", "memory"))),
    Campaign("clock-games", "the test games: every kind of clock and limit, checked by the test driver",
             "6 games", "6,000 games", "source", needs_cargo,
             by_form(test("--test", "it", "games::"),
                     test("--test", "it", "games::", "--", "--nocapture", GAMES="1000"))),
    Campaign("sessions", "the test mutations: damaged protocol sessions in one process",
             "5,000 sessions", "1,000,000 sessions", "source", needs_cargo,
             by_form(test("--test", "it", "mutations::uci_session", MUTATIONS="5"),
                     test("--test", "it", "mutations::uci_session", MUTATIONS="1000"))),
    Campaign("positions", "the test mutations: damaged FENs",
             "100,000 positions", "10,000,000 positions", "source", needs_cargo,
             by_form(test("--test", "it", "mutations::fen_position", MUTATIONS="5"),
                     test("--test", "it", "mutations::fen_position", MUTATIONS="500"))),
    Campaign("mutations", "the test mutations: the inputs of all fuzz targets",
             "253,000 inputs", "5,060,000 inputs", "source", needs_cargo,
             by_form(test("--test", "it", "mutations::"), test("--test", "it", "mutations::", MUTATIONS="20"))),
    Campaign("trees", "the test algorithms_agree: all reference algorithms on random trees",
             "10,000 trees", "500,000 trees", "source", needs_cargo,
             by_form(test("--test", "it", "algorithms_agree::"), test("--test", "it", "algorithms_agree::", TREES="50"))),
    Campaign("faults", "the test faults: panics, hangs, failed allocations, slow disks",
             "60 searches with a panic each", "2040 searches with a panic each", "source", needs_cargo,
             by_form(test(*FAULTS), test(*FAULTS, "--", "--nocapture", PANICS="34"))),
    Campaign("models", "loom models of the shared state, all interleavings with up to three preemptions",
             "all models", "all models", "source", needs_cargo,
             fixed(test("--manifest-path", ROOT / "tests/models/Cargo.toml"))),
    *(fuzz(target, 20_000, 1_000_000, 512) for target in TARGETS if target != "fen_position"),
    fuzz("fen_position", 20_000, 10_000_000, 128),
    Campaign("tsan", "ThreadSanitizer: bench and chaos.py",
             "bench 3, 120 s", "bench 6, 20 min", "source", needs_tsan, tsan, r"^seed \d+: "),
    Campaign("miri", "Miri: the tests of concurrency and of the modules without complete searches",
             "concurrency", "8 modules; concurrency with 64 seeds", "source", needs_miri, miri),
]


# Running.

class Interrupted(Exception):
    """Ctrl-C, SIGTERM, or a closed terminal."""


log = None


def print_log(line):
    """Writes a line to the log of the current campaign."""
    log.write(line + "\n")
    log.flush()


def duration(seconds):
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours} h {rest // 60:02} min" if hours else f"{rest // 60} min {rest % 60:02} s" if rest >= 60 else f"{rest} s"


def end_group(child):
    """Ends a command and everything it has started."""
    for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            break
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    child.wait()


def run_step(name, step, limit, start):
    """Runs one command; returns its output and the reason why it failed, or None."""
    shown = " ".join(f"{key}={value}" for key, value in step.environment.items() if key != "PATH")
    print_log(f"$ {shown + ' ' if shown else ''}{' '.join(step.command)}")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **step.environment}
    gaps = None
    child = subprocess.Popen(step.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", cwd=ROOT, env=environment, start_new_session=True)
    lines = []

    def read():
        for line in child.stdout:
            lines.append(line)
            log.write(line)
            log.flush()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        if step.gaps:
            gaps = subprocess.Popen(script("gaps.py", step.gaps, 5), start_new_session=True)
        began = shown_at = time.monotonic()
        while child.poll() is None:
            time.sleep(0.2)
            now = time.monotonic()
            if now - shown_at >= PROGRESS_SECONDS:
                shown_at = now
                last = next((each.strip() for each in reversed(lines) if each.strip()), "")
                last = step.progress() if step.progress else last
                print(f"  {name}: {duration(now - start)}  {last[:100]}", flush=True)
            if now - began > limit:
                end_group(child)
                return "".join(lines), f"no result after {duration(limit)}"
    finally:
        end_group(child)
        if gaps:
            end_group(gaps)
        reader.join(10)
    output = "".join(lines)
    if child.returncode:
        reason = "signal" if child.returncode < 0 else "exit code"
        return output, f"{reason} {abs(child.returncode)}: {' '.join(step.command)}"
    return output, step.check(output) if step.check else None


def busy_percent():
    """Returns the share of processor time that programs have used during one second; None if it is unknown."""
    def times():
        with open("/proc/stat") as file:
            values = [int(field) for field in file.readline().split()[1:9]]
        return sum(values), values[3] + values[4]

    try:
        total, idle = times()
        time.sleep(1)
        total, idle = (after - before for after, before in zip(times(), (total, idle)))
        return 100 * (total - idle) // max(total, 1)
    except OSError:
        return None


def result_of(path):
    """Returns the result in the last line of a log; an empty text if there is none."""
    try:
        last = path.read_text(errors="replace").splitlines()[-1]
    except (OSError, IndexError):
        return ""
    return last.removeprefix("result: ") if last.startswith("result: ") else ""


def run_campaign(campaign, context, path):
    """Runs a campaign and writes its log; returns whether it passed, and a line of explanation."""
    global log
    start, failed = time.monotonic(), None
    if result_of(path).startswith("failed"):
        # Keeps the output of the failed run.
        path.rename(path.with_name(f"{path.stem}-{time.strftime('%Y%m%d-%H%M%S')}.log"))
    with open(path, "w") as log:
        print_log(f"{campaign.name}: {campaign.full if context.full else campaign.short}")
        try:
            for step in campaign.steps(context):
                _, failed = run_step(campaign.name, step, LIMITS[context.full], start)
                if failed:
                    break
        except (Interrupted, KeyboardInterrupt):
            print_log("result: interrupted")
            raise
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            failed = str(error)
        matches = [line for line in path.read_text(errors="replace").splitlines() if re.search(campaign.summary, line)]
        text = "; ".join(part for part in (failed, matches[-1].strip() if matches else "") if part)
        if failed:
            text += f"; log: {path}"
        print_log(f"result: {'failed' if failed else 'passed'} after {duration(time.monotonic() - start)}: {text}")
    return not failed, text


def output_of(*command):
    """Returns the output of a command in the repository; an empty text if it fails."""
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def identify_engine(engine):
    """Returns the version line of this program, and the directory for its results: its commit and a hash of its file."""
    try:
        version = subprocess.run([str(engine), "--version"], capture_output=True, text=True, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"{engine}: cannot be run: {error}")
    if not version.startswith("aspirant "):
        sys.exit(f"{engine} --version printed {version[:80]!r}, expected a line that starts with 'aspirant'")
    commit = re.search(r"\(([0-9a-f]{7,}) ", version)
    digest = hashlib.sha256(engine.read_bytes()).hexdigest()[:8]
    return version.strip(), f"engine-{commit[1] if commit else 'unknown'}-{digest}"


def identify_source():
    """Returns the directory for results of the source, and whether files are changed."""
    commit = output_of("git", "rev-parse", "--short=10", "HEAD") or "unknown"
    is_changed = commit == "unknown" or bool(output_of("git", "status", "--porcelain"))
    return f"source-{commit}{'-changed' if is_changed else ''}", is_changed


def arguments():
    parser = argparse.ArgumentParser(description="Runs the reliability campaigns; see the comment in this file.")
    parser.add_argument("engine", nargs="?", type=Path, metavar="ENGINE", help="release build of aspirant")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="run only these campaigns (see --list)")
    parser.add_argument("--full", action="store_true", help="full amounts, which take days, instead of short ones")
    parser.add_argument("--log", type=Path, metavar="DIR", default=ROOT / "target/campaigns",
                        help="directory of logs and results (default: target/campaigns)")
    parser.add_argument("--fastchess", metavar="PATH", help="match runner (default: the one on the PATH)")
    parser.add_argument("--mates", type=Path, metavar="FILE.epd",
                        help="mate positions with bm #N (default: tests/data/suites/mates.epd)")
    parser.add_argument("--list", action="store_true", help="print the table of campaigns and exit")
    given = parser.parse_args()
    if given.mates and not given.mates.is_file():
        parser.error(f"--mates {given.mates}: no such file")
    given.mates = given.mates or DATA / "suites/mates.epd"
    names = [campaign.name for campaign in CAMPAIGNS]
    for name in given.only:
        if name not in names:
            parser.error(f"--only {name}: no such campaign, expected one of {', '.join(names)}")
    if not given.list and given.engine is None:
        parser.error("ENGINE is missing: the path of a release build of aspirant")
    if given.fastchess and not (os.path.isfile(given.fastchess) and os.access(given.fastchess, os.X_OK)):
        parser.error(f"--fastchess {given.fastchess}: not an executable file")
    if given.fastchess and os.path.basename(given.fastchess) != "fastchess":
        parser.error(f"--fastchess {given.fastchess}: the file must be named fastchess, as games.sh calls it")
    return given


def interrupt(*_):
    raise Interrupted


def main():
    given = arguments()
    if given.list:
        print("| name | what | short | full | unit |\n|---|---|---|---|---|")
        for each in CAMPAIGNS:
            print(f"| {each.name} | {each.what} | {each.short} | {each.full} | {each.unit} |")
        return 0
    for number in (signal.SIGTERM, signal.SIGHUP):
        # nohup ignores SIGHUP.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    engine = given.engine.resolve()
    version, engine_folder = identify_engine(engine)
    source_folder, is_changed = identify_source()
    print(f"engine: {version}\nsource: {source_folder.removeprefix('source-')}\nlogs: {given.log}", flush=True)
    form = "full" if given.full else "short"
    chosen = [campaign for campaign in CAMPAIGNS if not given.only or campaign.name in given.only]
    rows, start, interrupted = [], time.monotonic(), False

    def report(campaign, result, text):
        rows.append((campaign.name, result, text))
        print(f"[{duration(time.monotonic() - start)}] {campaign.name}: {result}{': ' + text if text else ''}", flush=True)

    for campaign in chosen:
        folder = (given.log / (engine_folder if campaign.unit == "engine" else source_folder)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        fastchess = given.fastchess or shutil.which("fastchess")
        context = Context(engine, fastchess, given.mates.resolve(), given.full, folder)
        forms = ("full",) if given.full else ("short", "full")
        name = campaign.name
        if name == "mates" and context.mates.is_file():
            # A result holds for the same positions only.
            name += "-" + hashlib.sha256(context.mates.read_bytes()).hexdigest()[:8]
        earlier = [result_of(folder / f"{name}-{each}.log") for each in forms]
        passed = [result for result in earlier if result.startswith("passed")]
        if passed and not (campaign.unit == "source" and is_changed):
            report(campaign, "passed earlier", passed[0].partition(": ")[2])
            continue
        if missing := campaign.needs(context):
            report(campaign, "not run", f"needs {missing}")
            continue
        amount = campaign.full if given.full else campaign.short
        print(f"[{duration(time.monotonic() - start)}] {campaign.name}, {amount}: {campaign.what}", flush=True)
        busy = campaign.measures_time and busy_percent() or 0
        note = f"; other programs used {busy} % of the processors: times are not meaningful" if busy > 10 else ""
        try:
            passed, text = run_campaign(campaign, context, folder / f"{name}-{form}.log")
        except (Interrupted, KeyboardInterrupt):
            report(campaign, "interrupted", "the same command continues")
            interrupted = True
            break
        report(campaign, "passed" if passed else "FAILED", text + note)
    print(f"\n{form} form, {duration(time.monotonic() - start)}:")
    for name, result, text in rows:
        print(f"{name:18} {result:15} {text}")
    return 130 if interrupted else 1 if any(result == "FAILED" for _, result, _ in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
