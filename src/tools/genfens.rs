//! The command `genfens`: random openings for the data generation of OpenBench.
//!
//! `genfens N seed S book None|FILE …` prints N lines `info string genfens FEN`. Each position is reached by 8 or 9
//! random plies from the initial position or from a random line of the book (EPD or FEN); positions that a shallow
//! search does not score as balanced are rejected. Equal seeds give equal openings, because every search starts with
//! an empty transposition table and empty histories.
//! <https://github.com/AndyGrant/OpenBench>
#![doc(hidden)]

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use shakmaty::Position as _;

use crate::board::epd::{lines, parse_epd};
use crate::board::game::Game;
use crate::board::position::{Position, printable};
use crate::engine::{AnyEvaluator, PositionScorer};
use crate::platform::bytes::to_path;
use crate::platform::files::{error_reason, read_text};
use crate::score::Score;
use crate::search::STACK_SIZE;
use crate::search::limits::Limits;
use crate::search::params::Params;

/// Number of random plies of an opening.
const PLIES: std::ops::RangeInclusive<u32> = 8..=9;
/// Largest absolute score of a balanced opening in centipawns.
const MAX_OPENING_SCORE: Score = 200;
/// Maximum depth of the search that scores an opening, in plies.
const DEPTH: u32 = 6;
/// Maximum number of nodes of this search.
const NODES: u64 = 5000;
/// Maximum number of attempts per opening; a book may contain only unbalanced positions.
const MAX_ATTEMPTS: u32 = 10_000;
/// Maximum size of a book, MB.
const MAX_MB: u64 = 256;
/// Maximum number of openings of one request.
const MAX_OPENINGS: u64 = 1_000_000;

/// The arguments of `genfens`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenfensRequest {
    /// Number of openings.
    pub count: u64,
    /// Seed of the random choices.
    pub seed: u64,
    /// File of positions to start from; `None` for the initial position.
    pub book: Option<String>,
}

impl GenfensRequest {
    /// Parses `N seed S book None|FILE …`.
    ///
    /// Unknown words are ignored, because OpenBench may append engine-specific ones.
    ///
    /// # Errors
    /// A message that names the invalid argument.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let number = |word: Option<&String>, what: &str| {
            let word = word.map_or("", String::as_str);
            word.parse::<u64>().map_err(|_| format!("genfens: {what} '{}' is not a whole number", printable(word)))
        };
        let mut words = words.iter();
        let count = number(words.next(), "the count")?;
        if count > MAX_OPENINGS {
            return Err(format!("genfens: the count {count} is greater than {MAX_OPENINGS}"));
        }
        let (mut seed, mut book) = (0, None);
        while let Some(word) = words.next() {
            match word.as_str() {
                "seed" => seed = number(words.next(), "the seed")?,
                "book" => {
                    let name = words.next().ok_or("genfens: the book is missing, expected None or a file")?;
                    book = (!name.eq_ignore_ascii_case("none")).then(|| name.clone());
                }
                _ => {}
            }
        }
        Ok(Self { count, seed, book })
    }
}

/// Generates openings that are balanced according to `evaluator`, until `stop` is set.
///
/// Passes the FEN of each opening to `on_opening`.
///
/// Runs on a thread of its own, because a search needs a large stack.
///
/// # Errors
/// A message if the book is invalid or too few balanced openings are found.
pub fn run(
    request: &GenfensRequest,
    params: &Params,
    evaluator: &AnyEvaluator,
    stop: &AtomicBool,
    on_opening: &mut (dyn FnMut(&str) + Send),
) -> Result<(), String> {
    thread::scope(|scope| {
        let evaluator = evaluator.clone();
        let generate = move || run_inline(request, params, &evaluator, stop, on_opening);
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, generate);
        let thread = thread.map_err(|error| format!("genfens: cannot create a thread: {error}"))?;
        thread.join().unwrap_or_else(|_| Err("genfens: internal error".into()))
    })
}

/// Like [`run`], on the thread of the caller, which needs a stack of [`STACK_SIZE`] bytes.
///
/// # Errors
/// A message if the book is invalid or too few balanced openings are found.
pub fn run_inline(
    request: &GenfensRequest,
    params: &Params,
    evaluator: &AnyEvaluator,
    stop: &AtomicBool,
    on_opening: &mut (dyn FnMut(&str) + Send),
) -> Result<(), String> {
    let starts = request
        .book
        .as_deref()
        .map_or_else(|| Ok(String::new()), read_opening_book)
        .map_err(|error| format!("genfens: {error}"))?;
    Generator::new(params, evaluator).generate(request, &starts, stop, on_opening)
}

/// Reads a book of openings; at least one of its lines must contain a position.
#[doc(hidden)]
pub fn read_opening_book(path: &str) -> Result<String, String> {
    let invalid = |reason: String| format!("book '{}': {reason}", printable(path));
    let unreadable = |error: std::io::Error| invalid(error_reason(&error));
    let text = read_text(&to_path(path), MAX_MB).map_err(unreadable)?;
    if lines(&text).any(|(_, line)| parse_epd(line).is_ok()) {
        Ok(text)
    } else {
        Err(invalid("no line contains a position in EPD or FEN".into()))
    }
}

struct Generator {
    scorer: PositionScorer,
}

impl Generator {
    fn new(params: &Params, evaluator: &AnyEvaluator) -> Self {
        Self { scorer: evaluator.scorer(params, 1) }
    }

    fn generate(
        &mut self,
        request: &GenfensRequest,
        starts: &str,
        stop: &AtomicBool,
        on_opening: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), String> {
        let starts: Vec<&str> = lines(starts).map(|(_, line)| line).collect();
        let mut random = fastrand::Rng::with_seed(request.seed);
        let mut seen = HashSet::new();
        for _ in 0..request.count {
            let opening = (0..MAX_ATTEMPTS)
                .take_while(|_| !stop.load(Relaxed))
                .find_map(|_| self.try_opening(&starts, &mut random).filter(|fen| !seen.contains(fen)));
            match opening {
                Some(fen) => {
                    on_opening(&fen);
                    seen.insert(fen);
                }
                None if stop.load(Relaxed) => return Ok(()),
                None => return Err(format!("genfens: found no new balanced opening in {MAX_ATTEMPTS} attempts")),
            }
        }
        Ok(())
    }

    /// Plays random moves; returns `None` if the position is over, drawn or unbalanced.
    fn try_opening(&mut self, starts: &[&str], random: &mut fastrand::Rng) -> Option<String> {
        let mut game = match random.choice(starts) {
            Some(line) => Game::new(parse_epd(line).ok()?.position),
            None => Game::default(),
        };
        for _ in 0..random.u32(PLIES) {
            let moves = game.position.chess().legal_moves();
            game.play(*random.choice(moves.as_slice())?);
        }
        let is_balanced = game.outcome().is_none() && self.shallow_score(&game.position).abs() <= MAX_OPENING_SCORE;
        is_balanced.then(|| game.position.fen())
    }

    fn shallow_score(&mut self, position: &Position) -> Score {
        (self.scorer)(position, Limits { nodes: Some(NODES), ..Limits::depth(DEPTH) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Color;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn openings(seed: u64) -> Vec<String> {
        let request = GenfensRequest { count: 5, seed, book: None };
        let mut fens = Vec::new();
        let evaluator = AnyEvaluator::new(crate::engine::DefaultEvaluator::default());
        run(&request, &Params::default(), &evaluator, &AtomicBool::new(false), &mut |fen| fens.push(fen.to_owned()))
            .unwrap();
        fens
    }

    #[test]
    fn parses_arguments_and_rejects_invalid_ones() {
        let parsed = GenfensRequest::parse(&words("12 seed 34 book None depth 5")).unwrap();
        assert_eq!(parsed, GenfensRequest { count: 12, seed: 34, book: None });
        let parsed = GenfensRequest::parse(&words("1 seed 2 book Books/8moves.epd")).unwrap();
        assert_eq!(parsed.book.as_deref(), Some("Books/8moves.epd"));
        for text in ["", "x", "-1", "5 seed", "5 seed x", "99999999999999999999", "1000001"] {
            assert!(GenfensRequest::parse(&words(text)).unwrap_err().starts_with("genfens: "), "{text}");
        }
    }

    #[test]
    fn equal_seeds_give_equal_openings() {
        let first = openings(1);
        assert_eq!((first.len(), &first), (5, &openings(1)));
        assert_ne!(first, openings(2));
        for fen in &first {
            let position = crate::board::position::parse_fen(fen).unwrap();
            let moves_played =
                2 * (position.chess().fullmoves().get() - 1) + u32::from(position.turn() == Color::Black);
            assert!(PLIES.contains(&moves_played) && position.fen() == *fen, "{fen}");
        }
    }

    #[test]
    fn unreadable_books_are_errors() {
        for path in ["/", "/dev/zero", "no/such/book"] {
            assert!(read_opening_book(path).unwrap_err().starts_with("book '"), "{path}");
        }
    }
}
