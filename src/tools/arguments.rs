//! Arguments that several commands share: positions, limits, threads and memory as people type them.
#![doc(hidden)]

use std::ffi::OsString;
use std::path::Path;

use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser};
use game_tree_search::catalog::{ALGORITHMS, Algorithm};
use game_tree_search::ordering::HEURISTICS;

use crate::board::epd::split_position;
use crate::board::game::Game;
use crate::board::notation::MoveError;
use crate::board::pgn::{self, PgnError, PgnGame};
use crate::board::position::{Position, parse_fen, printable};
use crate::config::Config;
use crate::config::options::MAX_HASH;
use crate::platform::bytes::decode_os;
use crate::platform::files::{error_reason, read_file};
use crate::platform::memory::available_memory_mb;
use crate::search::limits::Limits;
use crate::terminal::{Failure, print_error_line};

/// Maximum size of a PGN file, MB; protects against reading an unrelated file.
const MAX_PGN_MB: u64 = 64;

/// A position: the first argument decides how it is given.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PositionArgs {
    /// FEN, PGN file, or moves such as e4 e5 Nf3 (default: the initial position)
    #[arg(value_name = "POSITION", value_hint = ValueHint::FilePath)]
    pub position: Vec<OsString>,
}

impl PositionArgs {
    /// Returns the game that leads to the position; `None` without arguments.
    ///
    /// # Errors
    /// If the file cannot be read, or the FEN or a move is invalid.
    pub fn game(&self) -> Result<Option<Game>, Failure> {
        let [first, rest @ ..] = self.position.as_slice() else { return Ok(None) };
        let path = Path::new(first);
        if path.is_file() || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
            return match rest {
                [] => first_game(path).map(Some),
                [word, ..] => {
                    let word = printable(&decode_os(word));
                    Err(format!("unexpected '{word}' after the file {}", path.display()).into())
                }
            };
        }
        let text = self.position.iter().map(|word| decode_os(word)).collect::<Vec<_>>().join(" ");
        let (word, after) = text.trim_start().split_once(' ').unwrap_or((&text, ""));
        let (start, moves) = if word == "startpos" {
            (Some(Position::default()), after)
        } else if word.contains('/') {
            let (fields, moves) = split_position(&text);
            (Some(parse_fen(&fields.join(" "))?), moves)
        } else {
            (None, text.as_str())
        };
        let moves = moves.trim_start();
        let pgn = pgn::games(moves.strip_prefix("moves ").unwrap_or(moves)).next().transpose()?.unwrap_or_default();
        let start = start.map_or_else(|| pgn.start(), Ok)?;
        if let Some(first) = pgn.moves.first()
            && start.parse_move(&first.text) == Err(MoveError::NotAMove)
        {
            return Err(format!("'{}' is neither a file, a FEN nor a move", printable(&first.text)).into());
        }
        Ok(Some(play_moves(start, &pgn)?))
    }
}

fn first_game(path: &Path) -> Result<Game, Failure> {
    let (mut games, error) = read_games(path)?;
    if games.is_empty() {
        let reason = error.map_or_else(|| "no game found".to_owned(), |error| error.to_string());
        return Err(format!("{}: {reason}", path.display()).into());
    }
    let first = games.swap_remove(0);
    if !games.is_empty() {
        print_error_line("aspirant: only the first of several games is used");
    }
    for line in &first.null_moves {
        print_error_line(&format!("aspirant: skipped a variation with a null move in line {line}"));
    }
    Ok(play_moves(first.start()?, &first)?)
}

/// Returns the games of a PGN file before its first error, and the error.
///
/// A text that is not UTF-8 is Latin-1, the encoding of the PGN standard.
///
/// # Errors
/// If the file cannot be read.
pub fn read_games(path: &Path) -> Result<(Vec<PgnGame>, Option<PgnError>), Failure> {
    let unreadable = |error| format!("cannot read {}: {}", path.display(), error_reason(&error));
    let bytes = read_file(path, MAX_PGN_MB).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    let (mut games, mut first_error) = (Vec::new(), None);
    for game in pgn::games(&text) {
        match game {
            Ok(game) => games.push(game),
            Err(error) => first_error = Some(error),
        }
    }
    Ok((games, first_error))
}

/// Plays the moves of a PGN.
///
/// # Errors
/// A message that names the first move that is not legal.
pub fn play_moves(start: Position, pgn: &PgnGame) -> Result<Game, String> {
    let (game, error) = play_legal_moves(start, pgn);
    error.map_or(Ok(game), Err)
}

/// Plays the moves of a PGN up to the first one that is not legal, which the message names.
pub fn play_legal_moves(start: Position, pgn: &PgnGame) -> (Game, Option<String>) {
    let mut game = Game::new(start);
    for (index, pgn_move) in pgn.moves.iter().enumerate() {
        match game.position.parse_move(&pgn_move.text) {
            Ok(m) => game.play(m),
            Err(reason) => {
                let text = printable(&pgn_move.text);
                return (game, Some(format!("'{text}' (number {}) is not possible: {reason}", index + 1)));
            }
        }
    }
    (game, None)
}

/// The limits of a search.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LimitArgs {
    /// Search depth in plies
    #[arg(short, long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Search time: 500ms, 5s, 2m; a plain number is in milliseconds
    #[arg(short = 't', long, value_name = "TIME", value_parser = parse_duration)]
    pub movetime: Option<i64>,
    /// Number of nodes: 20000, 500k, 2M
    #[arg(short, long, value_name = "N", value_parser = parse_nodes)]
    pub nodes: Option<u64>,
}

impl LimitArgs {
    /// Returns the limits, or `default` if none is given.
    #[must_use]
    pub fn limits_or(&self, default: Limits) -> Limits {
        let limits = Limits { depth: self.depth, move_time: self.movetime, nodes: self.nodes, ..Limits::default() };
        if limits.is_bounded() { limits } else { default }
    }
}

/// Threads and memory.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct EngineArgs {
    /// Number of search threads (default: 1)
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=512))]
    pub threads: Option<u32>,
    /// Size of the transposition table in MB (default: depends on the limits)
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=MAX_HASH))]
    pub hash: Option<u32>,
}

impl EngineArgs {
    /// Sets threads and hash size; a hash size that is not set anywhere is chosen for a search with these limits.
    pub fn apply_to(&self, config: &mut Config, limits: &Limits) {
        let mut set = |name: &str, value: String| drop(config.options.set(name, &value));
        if let Some(threads) = self.threads {
            set("Threads", threads.to_string());
        }
        if let Some(hash) = self.hash {
            set("Hash", hash.to_string());
        } else if !config.sets("hash")
            && let Some(available) = available_memory_mb()
        {
            let hash = default_hash_mb(available, limits, config.options.threads());
            drop(config.options.set("Hash", &hash.to_string()));
        }
    }
}

/// Returns the hash size for a search, MB: a power of two of at most a quarter of the available memory.
///
/// A thread fills about 16 MB per second. More slows down a short search: the system fills each page with zeros at its
/// first use. Without a limit of time, depth 12 or 2 million nodes, 16 seconds are assumed. The maximum is 1024 MB, the
/// minimum 16 MB even if less memory is available.
fn default_hash_mb(available: usize, limits: &Limits, threads: usize) -> usize {
    if limits.depth.is_some_and(|plies| plies <= 12) || limits.nodes.is_some_and(|nodes| nodes <= 2_000_000) {
        return 16;
    }
    let seconds = limits.move_time.map_or(16, |ms| usize::try_from(ms / 1000).unwrap_or(0));
    let useful = seconds.saturating_mul(16).saturating_mul(threads).min(1024);
    1 << useful.min(available / 4).max(16).ilog2()
}

/// Parses a duration such as `500ms`, `5s`, `2m` or `1.5h`; returns milliseconds.
fn parse_duration(text: &str) -> Result<i64, String> {
    let units = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("min", 60e3), ("h", 3600e3)];
    parse_number(text, &units).map(|ms| ms as i64).ok_or_else(|| "expected a time such as 500ms, 5s or 2m".into())
}

/// Parses a number of nodes such as `20000`, `500k` or `2M`.
fn parse_nodes(text: &str) -> Result<u64, String> {
    let units = [("k", 1e3), ("M", 1e6), ("G", 1e9)];
    parse_number(text, &units)
        .map(|nodes| nodes as u64)
        .ok_or_else(|| "expected a number such as 20000, 500k or 2M".into())
}

/// Parses a positive number with one of these units or none.
fn parse_number(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
    let factor = if unit.is_empty() { 1.0 } else { units.iter().find(|(name, _)| *name == unit)?.1 };
    let value = (number.parse::<f64>().ok()? * factor).round();
    // Larger values are not exact.
    (1.0..=9e15).contains(&value).then_some(value)
}

/// Returns a parser of the name of a reference algorithm; shells complete the names that need no quotes.
pub fn algorithm_parser() -> PossibleValuesParser {
    // Without its feature `string`, clap accepts only static names.
    let value = |algorithm: &Algorithm| PossibleValue::new(&*algorithm.plain_name().leak()).alias(algorithm.name);
    PossibleValuesParser::new(ALGORITHMS.iter().map(value))
}

/// Returns a parser of the name of an ordering heuristic or of one of these sets.
pub fn heuristic_parser(sets: &[&'static str]) -> PossibleValuesParser {
    let heuristics = HEURISTICS.map(|(name, description)| PossibleValue::new(name).help(description));
    PossibleValuesParser::new(sets.iter().map(|set| PossibleValue::new(*set)).chain(heuristics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_of_nodes_have_units() {
        let times = ["500ms", "5s", "2m", "1.5s", "0.5h", "250"].map(|text| parse_duration(text).unwrap());
        assert_eq!(times, [500, 5000, 120_000, 1500, 1_800_000, 250]);
        assert_eq!(["20000", "500k", "2M"].map(|text| parse_nodes(text).unwrap()), [20_000, 500_000, 2_000_000]);
        for text in ["", "0", "0s", "-1", "5 s", "5S", "s", "1e400", "nan", "inf", "1.2.3s"] {
            assert!(parse_duration(text).is_err() && parse_nodes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn default_hash_is_a_share_of_the_available_memory() {
        let hash = |available, limits: Limits, threads| default_hash_mb(available, &limits, threads);
        assert_eq!([0, 100, 1000, 16_000].map(|available| hash(available, Limits::depth(30), 1)), [16, 16, 128, 256]);
        let for_time = |seconds: i64, threads| hash(16_000, Limits::move_time(seconds * 1000), threads);
        assert_eq!((for_time(0, 1), for_time(5, 1), for_time(5, 4), for_time(3600, 1)), (16, 64, 256, 1024));
        assert_eq!([Limits::depth(12), Limits::nodes(2_000_000)].map(|limits| hash(16_000, limits, 8)), [16, 16]);
        assert_eq!([Limits::depth(13), Limits::nodes(2_000_001)].map(|limits| hash(16_000, limits, 1)), [256, 256]);
    }
}
