#!/usr/bin/env python3
"""Makes a minimal fork of this repository: the engine and its UCI protocol, nothing else.

    scripts/minimal_fork.py FOLDER

Copies the tracked files to FOLDER, which must not exist, deletes what docs/build-your-own.md names, builds the rest, and
checks that its bench signature is the same as here and that it plays. Prints lines, packages and build time.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DELETED = """
    .ci .github benches deny.toml docs engine.toml examples fuzz game-tree lab network results scripts tests web
    CHANGELOG.md CONTRIBUTING.md Makefile RELEASING.md SECURITY.md
    src/chess_tree src/chess_tree.rs src/cli src/cli.rs src/config/file.rs src/tablebase/open_files.rs src/terminal.rs
    src/tools/analyze.rs src/tools/annotate.rs src/tools/arguments.rs src/tools/compare src/tools/display
    src/tools/epd.rs src/tools/play.rs src/tools/speedtest.rs src/tools/tree.rs
""".split()
# Features whose code is removed, and the one whose code is kept without a switch.
REMOVED, KEPT = ("cli", "game-tree", "syzygy", "stats", "tune"), "uci"
MAIN = '''//! The program: the engine of this library behind the UCI protocol.

use std::process::ExitCode;

use aspirant::engine::{BuildError, Engine};

fn main() -> Result<ExitCode, BuildError> {
    let mut builder = Engine::builder();
    for name in ["OwnBook", "Book File", "Book Depth", "Best Book Move", "Book Seed"] {
        builder = builder.without_option(name);
    }
    Ok(aspirant::uci::main(builder.build()?))
}
'''
# What the engine needs of opening books, without books.
BOOK = '''//! No opening books.

use std::convert::Infallible;
use std::path::Path;

use shakmaty::Move;

use crate::board::game::Game;
use crate::board::position::Position;

#[derive(thiserror::Error, Debug)]
#[error("opening books are not supported")]
pub struct BookError;

pub struct Book(Infallible);

pub struct BookMove {
    pub m: Move,
}

impl Book {
    pub fn open(_path: &Path) -> Result<Self, BookError> {
        Err(BookError)
    }

    pub fn moves(&self, _position: &Position) -> Vec<BookMove> {
        match self.0 {}
    }

    pub fn choose(&self, _game: &Game, _best: bool, _random: &mut fastrand::Rng) -> Option<BookMove> {
        match self.0 {}
    }
}
'''


def without_features(text):
    """Removes the items of the removed features, and the attributes of the others."""
    lines, out = text.split("\n"), []
    at = 0
    while at < len(lines):
        feature = re.fullmatch(r'\s*#!?\[cfg\((not\()?feature = "([\w-]+)"\)?\)\]', lines[at])
        if not feature:
            out.append(lines[at])
            at += 1
            continue
        at += 1
        if (feature[2] == KEPT) != bool(feature[1]):
            continue
        while out and re.match(r"\s*///", out[-1]):
            out.pop()
        while re.match(r"\s*(#\[|//)", lines[at]):
            at += 1
        indent = re.match(r"\s*", lines[at])[0]
        if not lines[at].endswith((";", ",", "}")):
            while not re.match(indent + r"[})]", lines[at + 1]):
                at += 1
            at += 1
        at += 1
    return "\n".join(out)


def strip_sources(fork):
    for path in (fork / "src").rglob("*.rs"):
        text = without_features(path.read_text(encoding="utf-8"))
        path.write_text(re.sub(r'cfg!\(feature = "[\w-]+"\)', "false", text), encoding="utf-8")
    (fork / "src" / "main.rs").write_text(MAIN, encoding="utf-8")
    (fork / "src" / "book.rs").write_text(BOOK, encoding="utf-8")
    (fork / "src" / "tablebase" / "disabled.rs").rename(fork / "src" / "tablebase.rs")
    (fork / "src" / "tablebase").rmdir()
    library = fork / "src" / "lib.rs"
    text = library.read_text(encoding="utf-8").replace('#[path = "tablebase/disabled.rs"]\n', "")
    # The documents are not there to be tested.
    text = re.sub(r"\n/// Compiles the (snippets|examples) .*?;\n", "", text, flags=re.S)
    library.write_text(text, encoding="utf-8")


def strip_manifest(fork):
    text = (fork / "Cargo.toml").read_text(encoding="utf-8")
    sections = re.split(r"^(?=\[)", text, flags=re.M)
    dropped = ("[workspace]", "[features]", "[package.metadata", "[[bin]]", "[[example]]", "[[test]]", "[[bench]]",
               "[dev-dependencies]", "[profile.test", "[profile.hardened]", "[profile.release.package.shakmaty-syzygy]")
    text = "".join(section for section in sections if not section.startswith(dropped))
    text = re.sub(r"^include = \[.*?^\]\n", "", text, flags=re.S | re.M)
    features = re.search(r"^uci = \[(.*?)\]", (fork / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]
    lines = []
    for line in text.split("\n"):
        if "optional = true" in line:
            name = line.split(" ")[0]
            if f'"dep:{name}"' not in features:
                while lines[-1].startswith("#"):
                    lines.pop()
                continue
            line = line.replace(", optional = true", "")
        lines.append(line)
    (fork / "Cargo.toml").write_text("\n".join(lines), encoding="utf-8")


def lines_of(folder, names):
    texts = [(folder / name).read_text(encoding="utf-8") for name in names if name.endswith(".rs")]
    return sum(len(text.splitlines()) for text in texts)


def run(arguments, folder, stdin=""):
    result = subprocess.run(arguments, cwd=folder, input=stdin, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"minimal_fork.py: {' '.join(map(str, arguments))}:\n{result.stdout}{result.stderr}")
    return result.stdout


def nodes(output):
    """Returns the bench signature."""
    return int(re.search(r"^(\d+) nodes", output, re.M)[1])


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    fork = pathlib.Path(sys.argv[1]).resolve()
    if fork.exists():
        sys.exit(f"minimal_fork.py: {fork} exists already")
    tracked = run(["git", "ls-files"], ROOT).splitlines()
    for name in tracked:
        (fork / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, fork / name)
    for name in DELETED:
        path = fork / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    strip_sources(fork)
    strip_manifest(fork)
    run(["cargo", "fmt"], fork)
    start = time.monotonic()
    run(["cargo", "build", "--release"], fork)
    seconds = time.monotonic() - start

    program = fork / "target" / "release" / "aspirant"
    signature = nodes(run([program, "bench"], fork))
    expected = nodes(run(["cargo", "run", "--release", "--quiet", "--", "bench"], ROOT))
    answer = run([program], fork, "position startpos moves e2e4\ngo nodes 20000\nquit\n")
    if expected != signature or "bestmove " not in answer:
        sys.exit(f"minimal_fork.py: bench {signature}, expected {expected}; answer to go:\n{answer}")

    kept = [str(path.relative_to(fork)) for folder in ("src", ".") for path in (fork / folder).glob("**/*.rs" if folder == "src" else "*.rs")]

    def packages(folder):
        tree = run(["cargo", "tree", "--edges", "normal,build", "--prefix", "none", "--locked"], folder)
        return len({line.split(" (")[0] for line in tree.splitlines() if line})

    print(f"lines of Rust: {lines_of(fork, kept)} (here {lines_of(ROOT, tracked)})")
    print(f"packages, its own included: {packages(fork)} (here {packages(ROOT)})")
    print(f"build time: {seconds:.0f} s; bench signature: {signature}")


main()
