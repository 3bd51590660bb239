//! `compare`: all reference algorithms side by side, on chess positions or on a tree from text.
//!
//! Measures what the literature reports: leaves and nodes of each algorithm, with and without memory, with any
//! set of ordering heuristics, as a percentage of aspiration NegaScout and as a multiple of the minimal tree of
//! the measured width. An algorithm that would take too long (minimax at depth 6) is stopped at a node limit and
//! its cost is extrapolated from the completed depths; such figures are marked. `docs/algorithms.md` discusses the
//! results.
#![doc(hidden)]

mod measure;
mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueHint;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use game_tree_search::catalog::{ALGORITHMS, Algorithm, AlgorithmId, find_algorithm};
use game_tree_search::ordering::HEURISTICS;

use super::arguments::{PositionArgs, algorithm_parser, heuristic_parser};
use crate::board::epd::{lines, parse_epd};
use crate::board::position::{Position, parse_fen, printable};
use crate::chess_tree::LeafEvaluation;
use crate::chess_tree::input::TreeInput;
use crate::platform::files::{error_reason, read_text};
use crate::score::Score;
use crate::terminal::{Failure, print_ignoring_closed_pipe, progress_bar};

/// The 24 positions of Kopec and Bratko (1982), commonly used for this comparison.
/// <https://www.chessprogramming.org/Bratko-Kopec_Test>
const BRATKO_KOPEC: [&str; 24] = [
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
  value       minimax value of the root for the side to move (MAX in a --tree),
              in centipawns for chess
  leaves      leaves evaluated, without memory hits; with memory the sum over
              all iterations
  last        leaves of the last iteration alone (without memory there is only
              one)
  nodes       nodes visited, including leaves, in all passes and re-searches
  hits        nodes whose value was found in memory
  cuts        cutoffs; in --json by kind: alpha (at MIN nodes), beta (at MAX
              nodes); deep (the bound was found above the parent), window (the
              bound is the initial window, as in null-window tests and
              aspiration, or was found in memory),
              first (at the first move searched)
  re-searches subtrees searched again after a null-window test failed high or an
              aspiration window failed
  passes      searches from the root
  pre-search  leaves evaluated only for move ordering; not included in `leaves`
  time        seconds, on this machine
  % of ANS    leaves as a percentage of aspiration NegaScout's with the same
              --memory setting and ordering, although some algorithms do not
              use the memory; in the table % ANS
  x minimal   leaves of the last iteration divided by the leaves of the minimal
              tree, W^ceil(d/2) + W^floor(d/2) - 1, where W is the mean number
              of moves per expanded node (of aspiration NegaScout, if it is
              compared); exact for uniform trees only, otherwise an estimate,
              which a search can undercut; in the table x min
  ~           estimated: stopped at --limit and extrapolated from the completed
              depths

The table has leaves, nodes, time and the two ratios; --json has all.

Memory: a transposition table without size limit. The algorithms that can use it
run with iterative deepening (depth 1, 2, ..., each ordered by the last;
aspiration and MTD(f) use the value of two iterations before as the guess). With
--tree there is no iterative deepening: one search of the whole tree.

Examples:
  aspirant compare --depth 4 e4 e5
  aspirant compare --tree \"((3 17) (2 12))\" --algorithms \"minimax,sss*\"
";

/// Arguments of `compare`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = FIGURES)]
pub struct CompareArgs {
    /// File of positions, one FEN or EPD per line (default: the 24 Bratko-Kopec positions)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["position", "tree"])]
    pub positions: Option<PathBuf>,
    #[command(flatten)]
    pub position: PositionArgs,
    /// A tree such as "((3 5)(2 9))": numbers are leaves, brackets inner nodes, the root is MAX
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "position")]
    pub tree: Option<String>,
    /// Search depth in plies (default: 4 for chess, the whole tree for --tree)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// Algorithms to compare, comma-separated (see --list; default: all; for chess, all except `minimax explicit stack`
    /// and `negamax`, which visit the same nodes as minimax)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', ignore_case = true, hide_possible_values = true,
        value_parser = algorithm_parser())]
    pub algorithms: Vec<String>,
    /// Print the catalog of algorithms and exit
    #[arg(long)]
    pub list: bool,
    /// Ordering heuristics: none, all, each, or a list of captures, presearch, killers, refutations, best-move
    /// (default: all for chess, none for --tree)
    #[arg(long, value_name = "HEURISTICS", value_delimiter = ',', hide_possible_values = true,
        value_parser = heuristic_parser(&["none", "all", "each"]))]
    pub ordering: Vec<String>,
    /// Use a transposition table where the algorithm can (default: on for chess, off for --tree)
    #[arg(long, value_name = "on|off", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(["on", "off"]).map(|value| value == "on"))]
    pub memory: Option<bool>,
    /// Half the width of aspiration windows in units of the leaves (default: 25 for chess, 1 for --tree)
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=30_000))]
    pub delta: Option<Score>,
    /// Evaluate leaves by a quiescence search
    #[arg(long, conflicts_with = "tree")]
    pub quiescence: bool,
    /// Node limit per algorithm and position; beyond it the cost is estimated
    #[arg(long, value_name = "NODES", default_value_t = 3_000_000)]
    pub limit: u64,
    /// Print a JSON array with one object per position and algorithm
    #[arg(long)]
    pub json: bool,
}

/// A set of ordering heuristics with its name in reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HeuristicSet {
    pub name: String,
    pub heuristics: Vec<&'static str>,
}

/// The measurements for each position.
#[derive(Clone, Debug)]
pub(crate) struct ComparePlan {
    pub algorithms: Vec<&'static Algorithm>,
    pub orderings: Vec<HeuristicSet>,
    pub memory: bool,
    /// Search depth in plies.
    pub depth: u32,
    pub delta: Score,
    pub limit: u64,
    /// Whether depths are searched one after the other (chess) or only the last one (`--tree`).
    pub deepen: bool,
}

impl ComparePlan {
    fn new(args: &CompareArgs, depth: u32) -> Result<Self, Failure> {
        let chess = args.tree.is_none();
        let each = args.ordering.iter().any(|name| name == "each");
        let mut algorithms = Vec::new();
        for algorithm in args.algorithms.iter().filter_map(|name| find_algorithm(name)) {
            if !algorithms.iter().any(|other: &&Algorithm| other.id == algorithm.id) {
                algorithms.push(algorithm);
            }
        }
        if algorithms.is_empty() {
            let selected = |algorithm: &&Algorithm| match algorithm.id {
                id if each => id == AlgorithmId::FailSoft,
                // They visit the same nodes as minimax, which takes most of the time.
                AlgorithmId::ExplicitStack | AlgorithmId::Negamax => !chess,
                _ => true,
            };
            algorithms = ALGORITHMS.iter().filter(selected).collect();
        }
        Ok(Self {
            algorithms,
            orderings: orderings(&args.ordering, chess)?,
            memory: args.memory.unwrap_or(chess),
            depth,
            delta: args.delta.unwrap_or(if chess { 25 } else { 1 }),
            limit: args.limit,
            deepen: chess,
        })
    }

    fn runs(&self) -> u64 {
        (self.algorithms.len() * self.orderings.len()) as u64
    }
}

fn orderings(requested: &[String], chess: bool) -> Result<Vec<HeuristicSet>, Failure> {
    let every = HEURISTICS.map(|(name, _)| name);
    let none = || HeuristicSet { name: "none".into(), heuristics: Vec::new() };
    let all = || HeuristicSet { name: "all".into(), heuristics: every.to_vec() };
    match requested {
        [] if chess => return Ok(vec![all()]),
        [] => return Ok(vec![none()]),
        [one] if one == "none" => return Ok(vec![none()]),
        [one] if one == "all" => return Ok(vec![all()]),
        [one] if one == "each" => {
            let alone = every.map(|heuristic| HeuristicSet { name: heuristic.into(), heuristics: vec![heuristic] });
            let without = every.map(|heuristic| HeuristicSet {
                name: format!("all but {heuristic}"),
                heuristics: every.into_iter().filter(|other| *other != heuristic).collect(),
            });
            return Ok([none()].into_iter().chain(alone).chain([all()]).chain(without).collect());
        }
        _ => {}
    }
    let mut heuristics = Vec::new();
    for name in requested {
        let found = every.iter().find(|heuristic| *heuristic == name);
        let heuristic = *found.ok_or_else(|| format!("--ordering: '{}' must be the only value", printable(name)))?;
        if !heuristics.contains(&heuristic) {
            heuristics.push(heuristic);
        }
    }
    Ok(vec![HeuristicSet { name: heuristics.join("+"), heuristics }])
}

/// Runs the command.
///
/// # Errors
/// If an argument or a position is invalid, or a file cannot be read.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    if args.list {
        return Ok(print_ignoring_closed_pipe(&report::list())?);
    }
    if let Some(text) = &args.tree {
        let tree = TreeInput::from_text(text)?;
        let plan = ComparePlan::new(args, args.depth.unwrap_or_else(|| tree.default_depth()))?;
        return measure_and_print(&[("tree".to_owned(), tree)], &plan, args.json);
    }
    let positions = positions(args)?;
    let plan = ComparePlan::new(args, args.depth.unwrap_or(4))?;
    let leaf_evaluation = if args.quiescence { LeafEvaluation::Quiescence } else { LeafEvaluation::Static };
    let game = |position: Position| (position.fen(), TreeInput::from_position(position, leaf_evaluation));
    let games: Vec<_> = positions.into_iter().map(game).collect();
    measure_and_print(&games, &plan, args.json)
}

/// Runs the plan and prints the report.
fn measure_and_print(games: &[(String, TreeInput)], plan: &ComparePlan, as_json: bool) -> Result<(), Failure> {
    let progress = progress_bar(plan.runs() * games.len() as u64, "{bar:30} {pos}/{len} {elapsed} {wide_msg}");
    progress.enable_steady_tick(Duration::from_millis(250));
    let groups = measure::measure(games, plan, &progress);
    progress.finish_and_clear();
    let text = if as_json { report::json(&groups) + "\n" } else { report::table(&groups, plan, games.len()) };
    Ok(print_ignoring_closed_pipe(&text)?)
}

/// Maximum size of a file with positions, MB; protects against reading an unrelated file.
const MAX_FILE_MB: u64 = 64;

fn positions(args: &CompareArgs) -> Result<Vec<Position>, Failure> {
    match (args.position.game()?, &args.positions) {
        (Some(game), _) => Ok(vec![game.position]),
        (None, None) => Ok(BRATKO_KOPEC.into_iter().map(parse_fen).collect::<Result<_, _>>()?),
        (None, Some(path)) => read_positions(path),
    }
}

/// Reads the positions of an EPD file.
fn read_positions(path: &Path) -> Result<Vec<Position>, Failure> {
    let name = path.display();
    let text = read_text(path, MAX_FILE_MB).map_err(|error| format!("{name}: {}", error_reason(&error)))?;
    let mut found = Vec::new();
    for (number, line) in lines(&text) {
        found.push(parse_epd(line).map_err(|error| format!("{name}, line {number}: {error}"))?.position);
    }
    if found.is_empty() { Err(format!("{name}: the file contains no positions").into()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bratko_kopec_positions_are_legal() {
        for fen in BRATKO_KOPEC {
            assert!(parse_fen(fen).is_ok(), "{fen}");
        }
    }

    #[test]
    fn orderings_lists_sets_of_heuristics() {
        let names = |requested: &[&str]| {
            let requested: Vec<String> = requested.iter().map(|name| (*name).to_owned()).collect();
            orderings(&requested, true).map(|found| found.iter().map(|set| set.name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).expect("default"), ["all"]);
        assert_eq!(names(&["killers", "captures"]).expect("known"), ["killers+captures"]);
        assert_eq!(names(&["each"]).expect("known").len(), 2 + 2 * HEURISTICS.len());
        assert!(names(&["killers", "all"]).is_err_and(|error| error.to_string().contains("'all'")));
    }
}
