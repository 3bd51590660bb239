"""Runs the long reliability tests of docs/reliability.md and prints one result for each.

    python3 scripts/campaigns.py ENGINE [--full] [--only NAME …] [--mates FILE.epd] [--log DIR]

ENGINE is a release build of the source beside this script. The short form takes about 20 minutes on two processors, `--full`
days. The output of each campaign is in DIR (target/campaigns). A campaign that passed with the same program is skipped, so
an interrupted run continues with the same command; one whose tools are missing is "not run". Exit code 1 if one failed.
"games" and "latency" need an idle machine; chaos.py and mates.py need python-chess for the python3 on the PATH.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NIGHTLY = "cargo +nightly --version"
CHESS = "python3 -c 'import chess'"
UCI = "go:: stop:: position:: options:: input:: console:: files:: resources:: memory:: clocks:: driver::"
# `-Zbuild-std` compiles the standard library from its source.
RUST_SOURCE = "test -d $(rustc +nightly --print sysroot)/lib/rustlib/src"
TSAN = "target/tsan/x86_64-unknown-linux-gnu/release/aspirant"
# A complete search would take hours under Miri: only modules without one. A test that runs one is ignored there.
MIRI_MODULES = ("score search::thread::guard search::moves::history search::limits search::state::control "
                "search::memory::transposition search::time")


def games(batches):
    return ("$ENGINE 'genfens 1000 seed 1 book None' quit | awk '/genfens/ {print $4, $5, $6, $7}' >$OUT/openings.epd; "
            f"scripts/games.sh $ENGINE $OUT/openings.epd tests/data/books/chess960_starts.epd $OUT/games {batches} || "
            # The next run begins anew after faults, and continues after an interruption.
            "{ code=$?; [[ $code != 1 ]] || mv $OUT/games $OUT/games-failed-$(date +%s); exit $code; }")


def mates(nodes, threads):
    return " && ".join(f"python3 scripts/mates.py $ENGINE $MATES {nodes} {count}" for count in threads)


def require(target, filters):
    """Returns a command that fails if one of the filters matches no test: `cargo test` passes then."""
    return (f"tests=$(cargo test --locked {target} -- --list); for filter in {filters}; do grep -qF -- \"$filter\" <<<\"$tests\" || "
            "{ echo \"no test matches $filter\"; exit 1; }; done")


def it(subjects, options="", **environment):
    settings = "".join(f"{key}={value} " for key, value in environment.items())
    return f"{require('--test it', subjects)}; {settings}cargo test --locked --test it -- {subjects} {options}"


def fuzz(target, runs, length):
    return f"mkdir -p $OUT/{target} && cargo +nightly fuzz run -s none {target} $OUT/{target} fuzz/seeds/{target} -- -runs={runs} -max_len={length}"


def tsan(depth, seconds):
    return ("RUSTFLAGS=-Zsanitizer=thread cargo +nightly build --release --locked --bin aspirant -Zbuild-std --target "
            f"x86_64-unknown-linux-gnu --target-dir target/tsan && {TSAN} bench {depth} && "
            # ThreadSanitizer itself allocates memory as the program runs.
            f"MEMORY_MB=1000 python3 scripts/chaos.py {TSAN} {seconds} 1")


def miri(flags, arguments):
    return f"MIRIFLAGS='-Zmiri-disable-isolation {flags}' cargo +nightly miri test --locked {arguments}"


TREES = "cargo test --locked -p game-tree-search --test algorithms_agree"
MODULES = " ".join(f"{module}::tests" for module in MIRI_MODULES.split())
# Name, short form, full form, command that succeeds if the tools are present.
CAMPAIGNS = [
    ("games", games(4), games(150), "command -v fastchess"),
    ("chaos", "python3 scripts/chaos.py $ENGINE 60 1", "python3 scripts/chaos.py $ENGINE 7200 1", CHESS),
    ("latency", "python3 scripts/latency.py $ENGINE 2000", "python3 scripts/latency.py $ENGINE 20000", "true"),
    ("mates", mates(20_000, [1, 4]), mates(200_000, [1, 2, 4]), CHESS),
    ("uci", it(UCI), it(UCI), "true"),
    ("clock-games", it("games::"), it("games::", "--nocapture", GAMES=1000), "true"),
    ("mutations", it("mutations::"), it("mutations::", MUTATIONS=20), "true"),
    ("sessions", it("mutations::uci_session", MUTATIONS=5), it("mutations::uci_session", MUTATIONS=1000), "true"),
    ("positions", it("mutations::fen_position", MUTATIONS=5), it("mutations::fen_position", MUTATIONS=500), "true"),
    ("trees", TREES, f"TREES=50 {TREES}", "true"),
    ("faults", it("faults::"), it("faults::", "--nocapture", PANICS=34), "true"),
    ("models", *["cargo test --locked --manifest-path tests/models/Cargo.toml"] * 2, "true"),
    *((f"fuzz-{path.stem}", fuzz(path.stem, 20_000, 128), fuzz(path.stem, 1_000_000, 512), f"{NIGHTLY} && cargo fuzz --version")
      for path in sorted(ROOT.glob("fuzz/fuzz_targets/*.rs"))),
    ("tsan", tsan(3, 120), tsan(6, 1200), f"{NIGHTLY} && {RUST_SOURCE} && {CHESS}"),
    ("miri", miri("", "--test it concurrency"),
     f"{require('--lib', MODULES)}; {miri('', f'--lib -- {MODULES}')} && {miri('-Zmiri-many-seeds', '--test it concurrency')}",
     "cargo +nightly miri --version"),
]


def run(command, environment, log):
    return subprocess.run(["bash", "-c", f"set -euo pipefail; {command}"], cwd=ROOT, env=environment,
                          stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode


def main():
    parser = argparse.ArgumentParser(description="Runs the long reliability tests; see the comment in this file.")
    parser.add_argument("engine", type=Path, metavar="ENGINE", help="release build of aspirant")
    parser.add_argument("--full", action="store_true", help="full amounts, which take days")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[campaign[0] for campaign in CAMPAIGNS])
    parser.add_argument("--mates", type=Path, default=ROOT / "tests/data/suites/mates.epd", help="positions with bm #N")
    parser.add_argument("--log", type=Path, default=ROOT / "target/campaigns", help="default: target/campaigns")
    given = parser.parse_args()
    engine = given.engine.resolve()
    try:
        # The results of another program, or of another source, are not those of this one.
        digest = hashlib.sha256(engine.read_bytes()).hexdigest()[:8]
    except OSError as error:
        parser.error(f"{engine}: {error.strerror}")
    folder = (given.log / digest).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, ENGINE=str(engine), OUT=str(folder), MATES=str(given.mates.resolve()))
    failed = []
    for name, short, full, needs in CAMPAIGNS:
        if given.only and name not in given.only:
            continue
        form, command = ("full", full) if given.full else ("short", short)
        log, passed = folder / f"{name}-{form}.log", folder / f"{name}-{form}.passed"
        if passed.exists():
            print(f"{name}: passed earlier", flush=True)
            continue
        if run(needs, environment, subprocess.DEVNULL):
            print(f"{name}: not run, failed: {needs}", flush=True)
            continue
        print(f"{name}: {command}", flush=True)
        start = time.monotonic()
        with open(log, "w") as output:
            code = run(command, environment, output)
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        print(f"{name}: {f'FAILED with exit code {code}' if code else 'passed'} after {time.monotonic() - start:.0f} s: "
              f"{lines[-1] if lines else ''} ({log})", flush=True)
        if code:
            failed.append(name)
        else:
            passed.touch()
    sys.exit(f"failed: {', '.join(failed)}" if failed else None)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
