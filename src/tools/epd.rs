//! Test suites: positions with the moves (or the mate) that should be found.
//!
//! Lines are EPD: four fields of a FEN, then operations that end with semicolons. `bm` names best moves, `am`
//! moves to avoid, `dm` (or `bm #N`) a mate in so many moves. A position counts as solved when the answer is
//! among the `bm` and none of the `am`, or when a mate at least as short is announced.
//! <https://www.chessprogramming.org/Extended_Position_Description>

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::Move;
use shakmaty::san::San;

use crate::board::position::{Game, Position, parse_fen, parse_move, printable};
use crate::config::Config;
use crate::engine::Engine;
use crate::score::moves_to_mate;
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};

/// A larger file is no test suite.
const MOST_BYTES: u64 = 64 << 20;

/// What `epd` is told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The suite: EPD lines with bm, am or dm
    pub file: PathBuf,
    /// Time for each position, milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub movetime: u32,
    /// Search to this depth instead
    #[arg(long, value_name = "PLIES", conflicts_with = "movetime")]
    pub depth: Option<u32>,
    /// Search this many nodes instead
    #[arg(long, value_name = "N", conflicts_with_all = ["movetime", "depth"])]
    pub nodes: Option<u64>,
}

/// One position with what should be found.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name, or its line.
    pub id: String,
    /// The position.
    pub position: Position,
    /// Solutions; empty if there are none.
    pub best: Vec<Move>,
    /// Mistakes.
    pub avoid: Vec<Move>,
    /// Moves to mate; negative if the side to move is mated.
    pub mate: Option<i32>,
}

/// Why a suite cannot be run.
#[derive(thiserror::Error, Debug)]
pub enum EpdError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A line is wrong.
    #[error("{}:{line}: {message}", .path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// No threads, or nobody who reads the results.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// Reads a suite; empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// [`EpdError`], naming the line.
pub fn read(path: &Path) -> Result<Vec<Task>, EpdError> {
    let unreadable = |reason: String| EpdError::Read { path: path.into(), reason };
    let meta = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !meta.is_file() || meta.len() > MOST_BYTES {
        return Err(unreadable("not a regular file of at most 64 MB".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
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

fn parse_line(line: &str, number: usize) -> Result<Task, String> {
    // The position is the first four fields; some files go on with the two counters of a FEN.
    let fields: Vec<&str> = line.split_whitespace().collect();
    let counters = fields.iter().skip(4).take(2).take_while(|field| is_counter(field)).count();
    let in_position = (4 + counters).min(fields.len());
    let position = parse_fen(&fields[..in_position].join(" ")).map_err(|error| error.to_string())?;
    let mut task = Task { id: format!("line {number}"), position, best: Vec::new(), avoid: Vec::new(), mate: None };
    let operations = fields[in_position..].join(" ");
    let mut in_quotes = false;
    let ends = |c: char| {
        in_quotes ^= c == '"';
        c == ';' && !in_quotes
    };
    for operation in operations.split(ends).map(str::trim).filter(|text| !text.is_empty()) {
        let (code, value) = operation.split_once(' ').unwrap_or((operation, ""));
        match code {
            "id" => task.id = printable(value.trim_matches('"')),
            "dm" => task.mate = value.trim().parse().ok(),
            "bm" if value.trim_start().starts_with('#') => {
                task.mate =
                    Some(value.trim().trim_start_matches('#').parse().map_err(|_| format!("bad mate '{value}'"))?);
            }
            "bm" => task.best = moves(&task.position, value)?,
            "am" => task.avoid = moves(&task.position, value)?,
            _ => {}
        }
    }
    Ok(task)
}

fn is_counter(field: &str) -> bool {
    field == "-" || !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

fn moves(position: &Position, text: &str) -> Result<Vec<Move>, String> {
    // "Qd1 +" and "Qd1+" are both found in the wild.
    let words = text.split_whitespace().filter(|word| !matches!(*word, "+" | "#"));
    words
        .map(|word| {
            let plain = word.trim_matches(|c: char| matches!(c, '+' | '#' | '!' | '?' | ','));
            let san = San::from_ascii(plain.as_bytes()).ok().and_then(|san| san.to_move(position.chess()).ok());
            san.or_else(|| parse_move(position, plain))
                .ok_or_else(|| format!("'{}' is no legal move here", printable(word)))
        })
        .collect()
}

/// What the search found.
#[derive(Clone, Default)]
struct Found {
    best: Option<Move>,
    score: i32,
}

struct Keep(Arc<Mutex<Found>>);

impl Reporter for Keep {
    fn info(&mut self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).score = info.score;
        }
    }

    fn best_move(&mut self, answer: BestMove) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).best = answer.best;
    }
}

/// What became of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Solved {
    /// Positions solved.
    pub solved: usize,
    /// Positions with something to find.
    pub total: usize,
}

fn is_solved(task: &Task, found: &Found) -> bool {
    if let Some(mate) = task.mate
        && task.best.is_empty()
    {
        return moves_to_mate(found.score).is_some_and(|n| n.signum() == mate.signum() && n.abs() <= mate.abs());
    }
    let Some(m) = found.best else { return false };
    (task.best.is_empty() || task.best.contains(&m)) && !task.avoid.contains(&m)
}

/// Runs a suite: a bar on a terminal, the misses, and `solved/total` as the last line.
///
/// # Errors
/// [`EpdError`].
pub fn run(args: &Args, mut config: Config) -> Result<Solved, EpdError> {
    let tasks: Vec<Task> = read(&args.file)?;
    let (tasks, empty): (Vec<Task>, Vec<Task>) =
        tasks.into_iter().partition(|task| task.mate.is_some() || !task.best.is_empty() || !task.avoid.is_empty());
    if !empty.is_empty() {
        eprintln!("{} positions have neither bm, am nor dm and are left out", empty.len());
    }
    let limits = match (args.depth, args.nodes) {
        (Some(depth), _) => Limits::depth(depth),
        (_, Some(nodes)) => Limits::nodes(nodes),
        _ => Limits::move_time(i64::from(args.movetime)),
    };
    // What is to be found is found by search, not in a book.
    let _ = config.options.set("OwnBook", "false");
    let mut engine = Engine::new(config)?;
    let bar = super::progress_bar(tasks.len() as u64, "solved {msg}  {pos}/{len} [{bar:30}] {elapsed} left {eta}");
    let mut result = Solved { solved: 0, total: tasks.len() };
    for task in &tasks {
        engine.new_game();
        engine.set_game(Game::new(task.position.clone()));
        let found = Arc::new(Mutex::new(Found::default()));
        engine.go(limits.clone(), Box::new(Keep(Arc::clone(&found))));
        engine.wait();
        let found = found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if is_solved(task, &found) {
            result.solved += 1;
        } else {
            let line = miss(task, &found);
            bar.suspend(|| writeln!(io::stdout(), "{line}"))?;
        }
        bar.set_message(result.solved.to_string());
        bar.inc(1);
    }
    bar.finish_and_clear();
    writeln!(io::stdout(), "{}/{} solved", result.solved, result.total)?;
    Ok(result)
}

fn miss(task: &Task, found: &Found) -> String {
    let san = |m: &Move| San::from_move(task.position.chess(), *m).to_string();
    let list = |moves: &[Move]| moves.iter().map(san).collect::<Vec<_>>().join(" ");
    let mut wanted = Vec::new();
    if !task.best.is_empty() {
        wanted.push(format!("bm {}", list(&task.best)));
    }
    if !task.avoid.is_empty() {
        wanted.push(format!("am {}", list(&task.avoid)));
    }
    if let (Some(mate), true) = (task.mate, task.best.is_empty()) {
        wanted.push(format!("mate {mate}"));
    }
    let played = found.best.as_ref().map_or("no move".into(), san);
    format!("missed {}: {} (played {played}) {}", task.id, wanted.join(", "), task.position.fen())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_in_the_spellings_of_real_suites() {
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
        assert!(parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra9;", 1).unwrap_err().contains("'Ra9' is no legal move"));
        assert!(parse_line("6k1/5ppp/8/8/8/8/8 w Q - bm Ra8;", 1).unwrap_err().contains("bad FEN"));
    }

    #[test]
    fn the_score_is_that_of_the_best_line() {
        let found = Arc::new(Mutex::new(Found::default()));
        let mut keep = Keep(Arc::clone(&found));
        let line = |multi_pv, score| SearchInfo {
            depth: 1,
            seldepth: 1,
            multi_pv,
            score,
            bound: crate::score::Bound::Exact,
            nodes: 1,
            time: std::time::Duration::ZERO,
            hash_full: 0,
            table_hits: 0,
            pv: Vec::new(),
        };
        keep.info(&line(1, 300));
        keep.info(&line(2, 100));
        assert_eq!(found.lock().unwrap().score, 300);
    }

    #[test]
    fn solved_means_a_best_move_and_no_bad_one_or_a_short_mate() {
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; am O-O-O;", 1).unwrap();
        let found = |text: &str| Found { best: parse_move(&t.position, text), score: 0 };
        assert!(is_solved(&t, &found("a1a8")) && !is_solved(&t, &found("e1c1")) && !is_solved(&t, &Found::default()));
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm #1;", 1).unwrap();
        assert!(is_solved(&t, &Found { best: None, score: crate::score::mate_in(1) }));
        assert!(!is_solved(&t, &Found { best: None, score: crate::score::mate_in(3) }));
        assert!(!is_solved(&t, &Found { best: None, score: crate::score::mated_in(2) }));
    }
}
