//! The command `epd`: runs a test suite of positions with known best moves or mates.
//!
//! Each line is [EPD](crate::board::epd). `bm` lists the best moves, `am` the moves to avoid, `dm N` (or `bm #N`) a mate
//! in N moves. A position is solved if the best move found is one of `bm` and none of `am`. With `dm` and without `bm`
//! moves, it is solved if the score is a mate in at most N moves for the same side; `am` is ignored then. Lines that
//! cannot be read are reported and skipped.
#![doc(hidden)]

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::ValueHint;
use serde_json::{Value, json};
use shakmaty::Move;

use super::analyze::json_score;
use super::arguments::{EngineArgs, LimitArgs};
use super::print_messages;
use crate::board::epd::{EpdLineError, lines, parse_epd};
use crate::board::game::Game;
use crate::board::position::{Position, printable};
use crate::config::Config;
use crate::engine::Engine;
use crate::platform::files::{error_reason, read_text};
use crate::score::UciScore;
use crate::search::limits::Limits;
use crate::search::report::SearchResult;
use crate::terminal::{Failure, print_error_line};

/// Maximum size of a suite, MB; protects against reading an unrelated file.
const MAX_MB: u64 = 64;

const NOTES: &str = "\
Without a limit, each position is searched for 1 second. The table has one line a
position, and the last line begins with SOLVED/TOTAL.

--json prints one object: positions, each with id, fen, solved, best_move and the
moves bm and am (SAN), dm, score ({\"cp\": 35} or {\"mate\": 3}, for the side to
move), depth, nodes and time_ms; solved; total; skipped (number of lines).

Examples:
  aspirant epd suite.epd --movetime 5s --threads 2
  aspirant epd suite.epd --nodes 1M --json > results.json
";

/// The arguments of `epd`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = NOTES)]
pub struct EpdArgs {
    /// Test suite: a file of EPD lines with bm, am or dm
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

/// One position of a suite with its expected result.
#[derive(Clone, Debug)]
pub struct EpdPosition {
    /// The `id` of the position, or its line number.
    pub id: String,
    pub position: Position,
    /// The best moves; empty if the line has none.
    pub best: Vec<Move>,
    /// The moves to avoid; empty if the line has none.
    pub avoid: Vec<Move>,
    /// Distance to mate in moves; negative if the side to move is mated.
    pub mate: Option<i32>,
}

fn parse_line(line: &str, number: usize) -> Result<EpdPosition, EpdLineError> {
    let epd = parse_epd(line)?;
    Ok(EpdPosition {
        id: epd.text("id").map_or_else(|| format!("line {number}"), |id| printable(&id)),
        best: epd.moves("bm")?,
        avoid: epd.moves("am")?,
        mate: epd.mate()?,
        position: epd.position,
    })
}

/// Maximum number of invalid lines that are reported with their reasons.
const MAX_REPORTED: usize = 20;

fn report_invalid_lines(path: &Path, invalid: &[(usize, EpdLineError)]) {
    for (line, reason) in invalid.iter().take(MAX_REPORTED) {
        print_error_line(&format!("{}:{line}: skipped: {reason}", path.display()));
    }
    if let Some(more) = invalid.len().checked_sub(MAX_REPORTED + 1) {
        print_error_line(&format!("{}: skipped {} more lines", path.display(), more + 1));
    }
}

fn is_solved(epd: &EpdPosition, result: &SearchResult) -> bool {
    if let Some(mate) = epd.mate
        && epd.best.is_empty()
    {
        let UciScore::Mate(found) = UciScore::new(result.score()) else { return false };
        return found.signum() == mate.signum() && found.unsigned_abs() <= mate.unsigned_abs();
    }
    let Some(m) = result.best_move() else { return false };
    (epd.best.is_empty() || epd.best.contains(&m)) && !epd.avoid.contains(&m)
}

/// Runs a suite; prints a line for each position, and a last one that begins with `solved/total`.
///
/// # Errors
/// If the suite cannot be read or has no position to solve, if the engine cannot start or the results cannot be
/// printed; after the results, if lines were skipped.
pub fn run(args: &EpdArgs, mut config: Config) -> Result<(), Failure> {
    let unreadable = |error| format!("cannot read {}: {}", args.file.display(), error_reason(&error));
    let text = read_text(&args.file, MAX_MB).map_err(unreadable)?;
    let (mut positions, mut invalid) = (Vec::new(), Vec::new());
    for (number, line) in lines(&text) {
        match parse_line(line, number) {
            Ok(position) => positions.push(position),
            Err(error) => invalid.push((number, error)),
        }
    }
    report_invalid_lines(&args.file, &invalid);
    let all = positions.len() + invalid.len();
    let (positions, skipped): (Vec<EpdPosition>, Vec<EpdPosition>) =
        positions.into_iter().partition(|epd| epd.mate.is_some() || !epd.best.is_empty() || !epd.avoid.is_empty());
    if !skipped.is_empty() {
        print_error_line(&format!("skipping {} positions without bm, am or dm", skipped.len()));
    }
    if positions.is_empty() {
        return Err(format!("{}: no position with bm, am or dm", args.file.display()).into());
    }
    let limits = args.limits.limits_or(Limits::move_time(1000));
    args.engine.apply_to(&mut config, &limits);
    // The suite tests the search, not the book.
    let _ = config.options.set("OwnBook", "false");
    let mut engine = Engine::new(config)?;
    print_messages(&mut engine);
    let bar = crate::terminal::progress_bar(
        positions.len() as u64,
        "solved {msg}  {pos}/{len} [{bar:30}] {elapsed}, {eta} left",
    );
    let (mut solved, mut time, mut objects) = (0, Duration::ZERO, Vec::new());
    for (index, epd) in positions.iter().enumerate() {
        engine.new_game();
        engine.set_game(Game::new(epd.position.clone()));
        let result = engine.search_without_deadline(limits.clone(), &AtomicBool::new(false));
        for message in &result.messages {
            print_error_line(&format!("aspirant: {message}"));
        }
        let is_solved = is_solved(epd, &result);
        solved += u32::from(is_solved);
        time += result.time;
        if args.json {
            objects.push(json(epd, &result, is_solved));
        } else {
            let header = if index == 0 { TABLE_HEADER } else { "" };
            let line = table_line(epd, &result, is_solved);
            bar.suspend(|| writeln!(io::stdout(), "{header}{line}"))?;
        }
        bar.set_message(solved.to_string());
        bar.inc(1);
    }
    bar.finish_and_clear();
    let total = positions.len();
    if args.json {
        let object = json!({ "positions": objects, "solved": solved, "total": total, "skipped": invalid.len() });
        writeln!(io::stdout(), "{object}")?;
    } else {
        let skipped = match invalid.len() {
            0 => String::new(),
            count => format!(", {count} of {all} lines skipped"),
        };
        let percent = 100.0 * f64::from(solved) / total as f64;
        writeln!(io::stdout(), "{solved}/{total} solved, {percent:.1} %, {:.1} s{skipped}", time.as_secs_f64())?;
    }
    match invalid.len() {
        0 => Ok(()),
        count => Err(format!("{}: skipped {count} of {all} lines", args.file.display()).into()),
    }
}

const TABLE_HEADER: &str = "\
result  found     expected              score  depth   time  id
";

fn table_line(epd: &EpdPosition, result: &SearchResult, is_solved: bool) -> String {
    let mut expected = Vec::new();
    for (code, moves) in [("bm", &epd.best), ("am", &epd.avoid)] {
        if !moves.is_empty() {
            expected.push(format!("{code} {}", san(epd, moves).join(" ")));
        }
    }
    if let (Some(mate), true) = (epd.mate, epd.best.is_empty()) {
        expected.push(format!("dm {mate}"));
    }
    format!(
        "{:<6}  {:<8}  {:<18}  {:>7}  {:>5}  {:>5.1}  {}",
        if is_solved { "solved" } else { "missed" },
        result.best_move().map_or("none".into(), |m| san(epd, &[m]).concat()),
        expected.join(", "),
        UciScore::new(result.score()).to_string(),
        result.depth,
        result.time.as_secs_f64(),
        epd.id
    )
}

/// Returns the result of one position; the shape is described in [`NOTES`].
fn json(epd: &EpdPosition, result: &SearchResult, is_solved: bool) -> Value {
    json!({
        "id": epd.id,
        "fen": epd.position.fen(),
        "solved": is_solved,
        "best_move": result.best_move().map(|m| san(epd, &[m]).concat()),
        "bm": san(epd, &epd.best),
        "am": san(epd, &epd.avoid),
        "dm": epd.mate,
        "score": json_score(result.score()),
        "depth": result.depth,
        "nodes": result.nodes,
        "time_ms": result.time.as_millis() as u64,
    })
}

fn san(epd: &EpdPosition, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&m| epd.position.san(m)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::report::Variation;

    #[test]
    fn solved_requires_a_best_move_and_none_to_avoid_or_a_short_mate() {
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; am O-O-O;", 1).unwrap();
        let result = |pv, score| SearchResult::new(vec![Variation::new(pv, score, 1)]);
        let answer = |text: &str| result(t.position.parse_move(text).ok().into_iter().collect(), 0);
        assert!(
            is_solved(&t, &answer("a1a8"))
                && !is_solved(&t, &answer("e1c1"))
                && !is_solved(&t, &SearchResult::default())
        );
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm #1;", 1).unwrap();
        assert!(is_solved(&t, &result(Vec::new(), crate::score::mate_in(1))));
        assert!(!is_solved(&t, &result(Vec::new(), crate::score::mate_in(3))));
        assert!(!is_solved(&t, &result(Vec::new(), crate::score::mated_in(2))));
        let t = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm #-2147483648;", 1).unwrap();
        assert!(is_solved(&t, &result(Vec::new(), crate::score::mated_in(2))));
    }
}
