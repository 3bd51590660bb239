//! The command `epd`: runs a test suite of positions with known best moves or mates.
//!
//! Each line is EPD: four fields of a FEN, then operations that end with semicolons. `bm` lists the best moves, `am`
//! the moves to avoid, `dm N` (or `bm #N`) a mate in N moves. A position is solved if the best move found is one of
//! `bm` and none of `am`. With `dm` and without `bm` moves, it is solved if the score is a mate in at most N moves for
//! the same side; `am` is ignored then.
//! <https://www.chessprogramming.org/Extended_Position_Description>
#![doc(hidden)]

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::Move;
use shakmaty::san::San;

use super::{print_limited_strength, print_messages};
use crate::board::game::Game;
use crate::board::position::{Position, parse_fen, parse_move, printable, split_epd};
use crate::config::Config;
use crate::engine::{BuildError, Engine};
use crate::platform::files::{error_reason, read_text};
use crate::score::UciScore;
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::terminal::print_error_line;

/// Maximum size of a suite, MB; protects against reading an unrelated file.
const MAX_MB: u64 = 64;

/// The arguments of `epd`.
#[derive(clap::Args, Clone, Debug)]
pub struct EpdArgs {
    /// Test suite: a file of EPD lines with bm, am or dm
    pub file: PathBuf,
    /// Search time per position in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub movetime: u32,
    /// Search each position to this depth in plies instead
    #[arg(long, value_name = "PLIES", conflicts_with = "movetime")]
    pub depth: Option<u32>,
    /// Search this many nodes per position instead
    #[arg(long, value_name = "N", conflicts_with_all = ["movetime", "depth"])]
    pub nodes: Option<u64>,
}

/// One position of a suite with its expected result.
#[derive(Clone, Debug)]
pub struct EpdPosition {
    /// The `id` of the position, or its line number.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The best moves; empty if the line has none.
    pub best: Vec<Move>,
    /// The moves to avoid; empty if the line has none.
    pub avoid: Vec<Move>,
    /// Distance to mate in moves; negative if the side to move is mated.
    pub mate: Option<i32>,
}

/// The reason why a suite cannot be run.
#[derive(thiserror::Error, Debug)]
pub enum EpdError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Read {
        /// The suite.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A line of the suite is invalid.
    #[error("{}:{line}: {message}", .path.display())]
    Line {
        /// The suite.
        path: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// The reason.
        message: String,
    },
    /// The suite contains nothing to solve.
    #[error("{}: no position with bm, am or dm", .0.display())]
    Empty(PathBuf),
    /// The engine could not start.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// The results could not be printed.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// Reads a suite; skips empty lines and lines that start with `#`.
///
/// # Errors
/// [`EpdError`]; [`EpdError::Line`] names the first invalid line.
pub fn read(path: &Path) -> Result<Vec<EpdPosition>, EpdError> {
    let unreadable = |reason: String| EpdError::Read { path: path.into(), reason };
    let text = read_text(path, MAX_MB).map_err(|error| unreadable(error_reason(&error)))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            parse_line(line, index + 1).map_err(|message| EpdError::Line {
                path: path.into(),
                line: index + 1,
                message,
            })
        })
        .collect()
}

fn parse_line(line: &str, number: usize) -> Result<EpdPosition, String> {
    let (position, operations) = split_epd(line);
    let position = parse_fen(&position).map_err(|error| error.to_string())?;
    let mut epd =
        EpdPosition { id: format!("line {number}"), position, best: Vec::new(), avoid: Vec::new(), mate: None };
    let mut in_quotes = false;
    let is_end = |c: char| {
        in_quotes ^= c == '"';
        c == ';' && !in_quotes
    };
    for operation in operations.split(is_end).map(str::trim).filter(|text| !text.is_empty()) {
        let (code, value) = operation.split_once(' ').unwrap_or((operation, ""));
        match code {
            "id" => epd.id = printable(value.trim_matches('"')),
            "dm" => epd.mate = Some(mate_distance(value, "dm 3")?),
            "bm" if value.trim_start().starts_with('#') => epd.mate = Some(mate_distance(value, "bm #3")?),
            "bm" => epd.best = moves(&epd.position, value)?,
            "am" => epd.avoid = moves(&epd.position, value)?,
            _ => {}
        }
    }
    Ok(epd)
}

fn mate_distance(value: &str, example: &str) -> Result<i32, String> {
    let distance = value.trim().trim_start_matches('#').parse();
    distance.map_err(|_| format!("invalid mate distance '{}', expected for example '{example}'", printable(value)))
}

fn moves(position: &Position, text: &str) -> Result<Vec<Move>, String> {
    // Some suites write "Qd1 +" instead of "Qd1+".
    let words = text.split_whitespace().filter(|word| !matches!(*word, "+" | "#"));
    words
        .map(|word| {
            let plain = word.trim_matches(|c: char| matches!(c, '+' | '#' | '!' | '?' | ','));
            let san = San::from_ascii(plain.as_bytes()).ok().and_then(|san| san.to_move(position.chess()).ok());
            san.or_else(|| parse_move(position, plain))
                .ok_or_else(|| format!("'{}' is not a legal move in this position", printable(word)))
        })
        .collect()
}

/// The result of a search.
#[derive(Clone, Default)]
struct SearchAnswer {
    best: Option<Move>,
    score: i32,
}

struct AnswerReporter(Arc<Mutex<SearchAnswer>>);

impl Reporter for AnswerReporter {
    fn info(&mut self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).score = info.score;
        }
    }

    fn message(&mut self, text: &str) {
        print_error_line(&format!("aspirant: {text}"));
    }

    fn best_move(&mut self, answer: BestMove) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).best = answer.best;
    }
}

/// The result of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EpdSummary {
    /// Number of solved positions.
    pub solved: usize,
    /// Number of positions with an expected result.
    pub total: usize,
}

fn is_solved(epd: &EpdPosition, answer: &SearchAnswer) -> bool {
    if let Some(mate) = epd.mate
        && epd.best.is_empty()
    {
        let UciScore::Mate(found) = UciScore::new(answer.score) else { return false };
        return found.signum() == mate.signum() && found.unsigned_abs() <= mate.unsigned_abs();
    }
    let Some(m) = answer.best else { return false };
    (epd.best.is_empty() || epd.best.contains(&m)) && !epd.avoid.contains(&m)
}

/// Runs a suite; prints the unsolved positions and `solved/total solved` as the last line.
///
/// # Errors
/// [`EpdError`].
pub fn run(args: &EpdArgs, mut config: Config) -> Result<EpdSummary, EpdError> {
    let positions: Vec<EpdPosition> = read(&args.file)?;
    let (positions, skipped): (Vec<EpdPosition>, Vec<EpdPosition>) =
        positions.into_iter().partition(|epd| epd.mate.is_some() || !epd.best.is_empty() || !epd.avoid.is_empty());
    if !skipped.is_empty() {
        print_error_line(&format!("skipping {} positions without bm, am or dm", skipped.len()));
    }
    if positions.is_empty() {
        return Err(EpdError::Empty(args.file.clone()));
    }
    let limits = match (args.depth, args.nodes) {
        (Some(depth), _) => Limits::depth(depth),
        (_, Some(nodes)) => Limits::nodes(nodes),
        _ => Limits::move_time(i64::from(args.movetime)),
    };
    // The suite tests the search, not the book.
    let _ = config.options.set("OwnBook", "false");
    let mut engine = Engine::new(config).map_err(BuildError::System)?;
    print_messages(&mut engine);
    print_limited_strength(&engine.config().options);
    let bar = crate::terminal::progress_bar(
        positions.len() as u64,
        "solved {msg}  {pos}/{len} [{bar:30}] {elapsed}, {eta} left",
    );
    let mut summary = EpdSummary { solved: 0, total: positions.len() };
    for epd in &positions {
        engine.new_game();
        engine.set_game(Game::new(epd.position.clone()));
        let answer = Arc::new(Mutex::new(SearchAnswer::default()));
        engine.go_without_deadline(limits.clone(), Box::new(AnswerReporter(Arc::clone(&answer))));
        engine.wait();
        let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if is_solved(epd, &answer) {
            summary.solved += 1;
        } else {
            let line = describe_miss(epd, &answer);
            bar.suspend(|| writeln!(io::stdout(), "{line}"))?;
        }
        bar.set_message(summary.solved.to_string());
        bar.inc(1);
    }
    bar.finish_and_clear();
    writeln!(io::stdout(), "{}/{} solved", summary.solved, summary.total)?;
    Ok(summary)
}

fn describe_miss(epd: &EpdPosition, answer: &SearchAnswer) -> String {
    let san = |m: &Move| San::from_move(epd.position.chess(), *m).to_string();
    let list = |moves: &[Move]| moves.iter().map(san).collect::<Vec<_>>().join(" ");
    let mut expected = Vec::new();
    if !epd.best.is_empty() {
        expected.push(format!("bm {}", list(&epd.best)));
    }
    if !epd.avoid.is_empty() {
        expected.push(format!("am {}", list(&epd.avoid)));
    }
    if let (Some(mate), true) = (epd.mate, epd.best.is_empty()) {
        expected.push(format!("mate {mate}"));
    }
    let played = answer.best.as_ref().map_or("no move".into(), san);
    format!("missed {}: {} (played {played}) {}", epd.id, expected.join(", "), epd.position.fen())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_notations_of_published_suites() {
        let t = parse_line("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - ; bm Qd1 + ; id BK.01 ", 1).unwrap();
        assert_eq!((t.id.as_str(), t.best.len()), ("BK.01", 1));
        let t = parse_line("8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - acd 211; bm Rxb2; id \"WAC.002\";", 1).unwrap();
        assert_eq!((t.id.as_str(), t.best.len()), ("WAC.002", 1));
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1 bm #1;", 7).unwrap();
        assert_eq!((t.id.as_str(), t.mate), ("line 7", Some(1)));
        let t = parse_line("rn1qkb1r/pp2pppp/5n2/3p1b2/3P4/2N1P3/PP3PPP/R1BQKBNR w KQkq - 0 1 ; bm Qb3 ", 1).unwrap();
        assert_eq!(t.best.len(), 1);
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - c0 \"first; bm Ra7\"; bm Ra8; id \"a;b\";", 1).unwrap();
        assert_eq!((t.id.as_str(), t.best.len()), ("a;b", 1));
        assert!(
            parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra9;", 1).unwrap_err().contains("'Ra9' is not a legal move")
        );
        assert!(parse_line("6k1/5ppp/8/8/8/8/8 w Q - bm Ra8;", 1).unwrap_err().contains("bad FEN"));
        for operation in ["dm two;", "dm;", "bm #\u{1b}[2J;", "bm #2147483648;"] {
            let error = parse_line(&format!("6k1/5ppp/8/8/8/8/8/R3K3 w Q - {operation}"), 1).unwrap_err();
            assert!(error.starts_with("invalid mate distance") && !error.contains('\u{1b}'), "{operation}: {error}");
        }
    }

    #[test]
    fn reported_score_is_that_of_the_first_pv() {
        let answer = Arc::new(Mutex::new(SearchAnswer::default()));
        let mut reporter = AnswerReporter(Arc::clone(&answer));
        let info = |multi_pv, score| SearchInfo {
            depth: 1,
            seldepth: 1,
            multi_pv,
            score,
            bound: crate::score::Bound::Exact,
            nodes: 1,
            time: std::time::Duration::ZERO,
            hashfull: 0,
            tb_hits: 0,
            is_book: false,
            pv: Vec::new(),
        };
        reporter.info(&info(1, 300));
        reporter.info(&info(2, 100));
        assert_eq!(answer.lock().unwrap().score, 300);
    }

    #[test]
    fn solved_requires_a_best_move_and_none_to_avoid_or_a_short_mate() {
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; am O-O-O;", 1).unwrap();
        let answer = |text: &str| SearchAnswer { best: parse_move(&t.position, text), score: 0 };
        assert!(
            is_solved(&t, &answer("a1a8"))
                && !is_solved(&t, &answer("e1c1"))
                && !is_solved(&t, &SearchAnswer::default())
        );
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm #1;", 1).unwrap();
        assert!(is_solved(&t, &SearchAnswer { best: None, score: crate::score::mate_in(1) }));
        assert!(!is_solved(&t, &SearchAnswer { best: None, score: crate::score::mate_in(3) }));
        assert!(!is_solved(&t, &SearchAnswer { best: None, score: crate::score::mated_in(2) }));
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm #-2147483648;", 1).unwrap();
        assert!(is_solved(&t, &SearchAnswer { best: None, score: crate::score::mated_in(2) }));
    }
}
