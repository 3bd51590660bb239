//! `compare`: all searches of the textbook side by side, on chess positions or on a tree from text.
//!
//! What the literature reports and what is measured here the same way: leaves and nodes of each
//! algorithm, with and without memory, with any choice of ordering heuristics, as a percentage of
//! aspiration NegaScout and as a multiple of the minimal tree of the measured width. An algorithm that
//! would run for ever (minimax at depth 6) is stopped at a node limit and its cost extrapolated from the
//! depths it did finish; such figures are marked. See `docs/textbook.md` for a reading of the results.

mod chart;
mod measure;
mod report;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use thiserror::Error;

use crate::board::position::{Game, Position, SetupError, parse_fen, printable};
use crate::eval::pst::Pst;
use crate::game_tree::catalog::{ALGORITHMS, Algorithm, Id, find};
use crate::game_tree::games::chess::{Chess, Horizon, Rules};
use crate::game_tree::games::literal_tree::{LiteralTree, ParseTreeError};
use crate::game_tree::ordering::PARTS;
use crate::score::Score;

pub use measure::Row;

/// The 24 positions of Kopec and Bratko (1982), the usual yardstick for this comparison.
/// <https://www.chessprogramming.org/Bratko-Kopec_Test>
pub const BRATKO_KOPEC: [&str; 24] = [
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1",
    "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1",
    "2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1",
    "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1",
    "2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1",
    "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
    "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - - 0 1",
    "rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - - 0 1",
    "2r3k1/1p2q1pp/2b1pr2/p1pp4/6Q1/1P1PP1R1/P1PN2PP/5RK1 w - - 0 1",
    "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1",
    "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1",
    "3rr3/2pq2pk/p2p1pnp/8/2QBPP2/1P6/P5PP/4RRK1 b - - 0 1",
    "r4k2/pb2bp1r/1p1qp2p/3pNp2/3P1P2/2N3P1/PPP1Q2P/2KRR3 w - - 0 1",
    "3rn2k/ppb2rpp/2ppqp2/5N2/2P1P3/1P5Q/PB3PPP/3RR1K1 w - - 0 1",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",
];

const FIGURES: &str = "\
Figures:
  value       minimax value of the root for the side to move (a tree's root is MAX), centipawns for chess
  leaves      leaves evaluated; a leaf answered from memory is not counted. With memory: over all iterations
  last        leaves of the last iteration alone (without memory there is only one)
  nodes       nodes visited, leaves included, every pass and re-search counted
  hits        nodes answered from memory
  cuts        cut-offs; in --json by kind: alpha (below MIN), beta (below MAX); deep (the bound was found above
              the parent), window (the bound is the window's own: zero-window tests, aspiration), first (at the
              first move tried)
  re-searches subtrees searched again because a test failed high
  passes      searches from the root
  pre-search  leaves evaluated only to order moves; not part of `leaves`
  time        seconds of this machine
  % of ANS    leaves as a percentage of aspiration NegaScout's with the same memory and ordering
  x minimal   leaves of the last iteration, divided by the minimal tree's W^ceil(d/2) + W^floor(d/2) - 1, where
              W is the mean number of moves of the nodes expanded (by aspiration NegaScout, if it is compared)
  ~           estimated: stopped at --limit, extrapolated from the depths that were finished

Memory: transpositions are remembered without limit, and the algorithms that can use them are run as iterative
deepening (depth 1, 2, ... each ordered by the last; aspiration and MTD(f) guess the value of two iterations
before). On a --tree, memory alone: one search of the whole tree.
";

/// A switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
    /// One after the other.
    Both,
}

/// What `compare` is told.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = FIGURES)]
pub struct Args {
    /// Positions: a FEN or EPD per line (default: the 24 positions of Bratko and Kopec)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "tree"])]
    pub positions: Option<PathBuf>,
    /// One position
    #[arg(long, conflicts_with = "tree")]
    pub fen: Option<String>,
    /// A tree such as "((3 5)(2 9))": a number is a leaf, a bracket an inner node, the root is MAX
    #[arg(long, value_name = "TEXT")]
    pub tree: Option<String>,
    /// Plies to the leaves (default: 4 for chess, the whole tree for --tree)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// Only these, comma-separated (see --list)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Print the table of algorithms and exit
    #[arg(long)]
    pub list: bool,
    /// Ordering heuristics: none, all, each (none, every one alone, all, all but one), or a comma-separated choice
    /// of captures, presearch, killers, refutations, remembered (default: all for chess, none for --tree)
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub ordering: Vec<String>,
    /// Remember transpositions (default: on for chess, off for --tree)
    #[arg(long, value_enum)]
    pub memory: Option<Switch>,
    /// Half the width of aspiration windows (default: 25 for chess, 1 for --tree)
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=30_000))]
    pub delta: Option<Score>,
    /// Let the leaves be the values of a quiescence search
    #[arg(long)]
    pub quiescence: bool,
    /// Nodes per algorithm and position after which it is stopped and its cost estimated
    #[arg(long, value_name = "NODES", default_value_t = 3_000_000)]
    pub limit: u64,
    /// Instead: how deep does alpha-beta come with the leaves and in the time of minimax?
    #[arg(long, conflicts_with_all = ["algorithms", "memory", "svg", "html", "json", "csv"])]
    pub twice: bool,
    /// Machine-readable: an array of one object per position and algorithm
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Machine-readable: a line per position and algorithm
    #[arg(long)]
    pub csv: bool,
    /// Draw the leaves as a bar chart
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write chart and table as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Why nothing could be compared.
#[derive(Error, Debug)]
pub enum CompareError {
    /// `--algorithms` names none.
    #[error("compare: no algorithm '{0}'; `aspirant compare --list` shows the table")]
    Algorithm(String),
    /// `--ordering` names no part.
    #[error("compare: no ordering heuristic '{0}'; there are none, all, each, {parts}", parts = part_names())]
    Ordering(String),
    /// `--tree` is wrong.
    #[error("{0}")]
    Tree(#[from] ParseTreeError),
    /// A FEN is wrong.
    #[error("{place}{error}")]
    Position {
        /// The line of the file, or nothing.
        place: String,
        /// What is wrong.
        error: SetupError,
    },
    /// The file of positions is empty.
    #[error("{0}: no positions in the file")]
    Empty(String),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        error: std::io::Error,
    },
}

fn part_names() -> String {
    PARTS.map(|(name, _)| name).join(", ")
}

/// A choice of ordering heuristics under the name it is reported by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    pub name: String,
    pub parts: Vec<&'static str>,
}

/// Everything that is measured for each position.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub algorithms: Vec<&'static Algorithm>,
    pub orderings: Vec<Parts>,
    pub memory: Vec<bool>,
    /// Plies; `None`: as deep as the tree.
    pub depth: u32,
    pub delta: Score,
    pub limit: u64,
    /// With memory, deepen iteratively.
    pub deepen: bool,
}

impl Plan {
    fn new(args: &Args, depth: u32) -> Result<Self, CompareError> {
        let chess = args.tree.is_none();
        let each = args.ordering.iter().any(|name| name == "each");
        let mut algorithms = Vec::new();
        for name in &args.algorithms {
            algorithms.push(find(name).ok_or_else(|| CompareError::Algorithm(printable(name)))?);
        }
        if algorithms.is_empty() {
            let wanted = |algorithm: &&Algorithm| !each || algorithm.id == Id::FailSoft;
            algorithms = ALGORITHMS.iter().filter(wanted).collect();
        }
        Ok(Self {
            algorithms,
            orderings: orderings(&args.ordering, chess)?,
            memory: match args.memory.unwrap_or(if chess { Switch::On } else { Switch::Off }) {
                Switch::On => vec![true],
                Switch::Off => vec![false],
                Switch::Both => vec![false, true],
            },
            depth,
            delta: args.delta.unwrap_or(if chess { 25 } else { 1 }),
            limit: args.limit,
            deepen: chess,
        })
    }

    fn runs(&self) -> u64 {
        (self.algorithms.len() * self.orderings.len() * self.memory.len()) as u64
    }
}

fn orderings(wanted: &[String], chess: bool) -> Result<Vec<Parts>, CompareError> {
    let every = PARTS.map(|(name, _)| name);
    let none = || Parts { name: "none".into(), parts: Vec::new() };
    let all = || Parts { name: "all".into(), parts: every.to_vec() };
    match wanted {
        [] if chess => return Ok(vec![all()]),
        [] => return Ok(vec![none()]),
        [one] if one == "none" => return Ok(vec![none()]),
        [one] if one == "all" => return Ok(vec![all()]),
        [one] if one == "each" => {
            let alone = every.map(|part| Parts { name: part.into(), parts: vec![part] });
            let without = every.map(|part| Parts {
                name: format!("all but {part}"),
                parts: every.into_iter().filter(|other| *other != part).collect(),
            });
            return Ok([none()].into_iter().chain(alone).chain([all()]).chain(without).collect());
        }
        _ => {}
    }
    let mut parts = Vec::new();
    for name in wanted {
        let known = every.iter().find(|part| **part == name.trim());
        parts.push(*known.ok_or_else(|| CompareError::Ordering(printable(name)))?);
    }
    Ok(vec![Parts { name: parts.join("+"), parts }])
}

/// Runs the command.
///
/// # Errors
/// [`CompareError`], naming what is wrong and where.
pub fn run(args: &Args) -> Result<(), CompareError> {
    if args.list {
        return say(&report::list());
    }
    if args.twice {
        let positions = positions(args)?;
        return say(&measure::twice(&positions, args.depth.unwrap_or(3), args.limit));
    }
    let (rows, plan) = if let Some(text) = &args.tree {
        let tree = LiteralTree::parse(text)?;
        let plan = Plan::new(args, args.depth.unwrap_or_else(|| tree.depth()))?;
        let progress = Progress::new(plan.runs());
        (measure::measure(&tree, "tree", &plan, &progress), plan)
    } else {
        let positions = positions(args)?;
        let plan = Plan::new(args, args.depth.unwrap_or(4))?;
        let progress = Progress::new(plan.runs() * positions.len() as u64);
        let horizon = if args.quiescence { Horizon::Quiescence } else { Horizon::Static };
        let mut rows = Vec::new();
        for position in &positions {
            let chess = Chess::new(Game::new(position.clone()), Pst, horizon, Rules::PathFree);
            rows.extend(measure::measure(&chess, &position.fen(), &plan, &progress));
        }
        (rows, plan)
    };
    if args.json {
        say(&(report::json(&rows) + "\n"))?;
    } else if args.csv {
        say(&report::csv(&rows))?;
    } else {
        say(&report::table(&rows, &plan))?;
    }
    if let Some(path) = &args.svg {
        write_file(path, &chart::svg(&rows, &plan))?;
    }
    if let Some(path) = &args.html {
        write_file(path, &chart::html(&rows, &plan))?;
    }
    Ok(())
}

/// Prints to stdout.
fn say(text: &str) -> Result<(), CompareError> {
    crate::tools::say(text).map_err(|error| CompareError::File { path: "stdout".to_owned(), error })
}

/// Writes a file and says so.
fn write_file(path: &Path, text: &str) -> Result<(), CompareError> {
    std::fs::write(path, text).map_err(|error| CompareError::File { path: path.display().to_string(), error })?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// The positions that were asked for.
fn positions(args: &Args) -> Result<Vec<Position>, CompareError> {
    let parse = |place: String, fen: &str| parse_fen(fen).map_err(|error| CompareError::Position { place, error });
    if let Some(fen) = &args.fen {
        return Ok(vec![parse(String::new(), fen)?]);
    }
    let Some(path) = &args.positions else {
        return BRATKO_KOPEC.into_iter().map(|fen| parse(String::new(), fen)).collect();
    };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| CompareError::File { path: name.clone(), error })?;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        found.push(parse(format!("{name}, line {}: ", index + 1), &fen_of(line))?);
    }
    if found.is_empty() { Err(CompareError::Empty(name)) } else { Ok(found) }
}

/// The FEN fields of a line of FEN or EPD: four, and two counters if they are there.
fn fen_of(line: &str) -> String {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let counters = fields.get(4..6).is_some_and(|rest| rest.iter().all(|field| field.parse::<u32>().is_ok()));
    fields[..fields.len().min(if counters { 6 } else { 4 })].join(" ")
}

/// Progress on stderr: a bar on a terminal, a line now and then in a pipe.
pub(crate) struct Progress {
    bar: indicatif::ProgressBar,
    said: std::cell::Cell<std::time::Instant>,
}

impl Progress {
    fn new(runs: u64) -> Self {
        let bar = crate::tools::progress_bar(runs, "{bar:30} {pos}/{len} {elapsed} {wide_msg}");
        bar.enable_steady_tick(std::time::Duration::from_millis(250));
        Self { bar, said: std::cell::Cell::new(std::time::Instant::now()) }
    }

    fn step(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        if !console::user_attended_stderr() && self.said.get().elapsed().as_secs() >= 10 {
            eprintln!("{done} of {all} runs: {what}");
            self.said.set(std::time::Instant::now());
        }
        if done == all {
            self.bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_positions_are_legal() {
        for fen in BRATKO_KOPEC {
            assert!(parse_fen(fen).is_ok(), "{fen}");
        }
    }

    #[test]
    fn epd_lines_are_read_as_fens() {
        assert_eq!(fen_of("8/8/8/8/8/5k2/8/5K2 w - - bm Kg1; id \"x\";"), "8/8/8/8/8/5k2/8/5K2 w - -");
        assert_eq!(fen_of("8/8/8/8/8/5k2/8/5K2 w - - 3 40"), "8/8/8/8/8/5k2/8/5K2 w - - 3 40");
    }

    #[test]
    fn orderings_are_named() {
        let names = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            orderings(&wanted, true).map(|found| found.iter().map(|parts| parts.name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).expect("default"), ["all"]);
        assert_eq!(names(&["killers", "captures"]).expect("known"), ["killers+captures"]);
        assert_eq!(names(&["each"]).expect("known").len(), 2 + 2 * PARTS.len());
        assert!(names(&["luck"]).is_err_and(|error| error.to_string().contains("'luck'")));
    }
}
