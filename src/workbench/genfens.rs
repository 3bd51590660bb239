//! Random openings for test farms: OpenBench's data generation asks each engine for its own.
//!
//! `genfens N seed S book None|FILE …` prints N lines `info string genfens FEN`. Each is a position 8 or 9 random
//! plies from the start of the game, or from a random line of the book (EPD or FEN), in which a shallow
//! search sees neither side far ahead. Equal seeds give equal lines: every search starts with an empty memory.
//! <https://github.com/AndyGrant/OpenBench>

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use shakmaty::Position as _;

use crate::engine::DefaultEvaluator;
use crate::position::{Game, Position, parse_fen, printable};
use crate::score::Score;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::report::Silent;
use crate::search::tt::Table;
use crate::search::{SearchRequest, Searcher};

const PLIES: std::ops::RangeInclusive<u32> = 8..=9;
/// A side that is further ahead has won already.
const MOST_UNBALANCED: Score = 200;
const DEPTH: u32 = 6;
const NODES: u64 = 5000;
/// For one opening; from a book of finished games there are none.
const MOST_ATTEMPTS: u32 = 10_000;
/// A larger book is not read.
const MOST_BYTES: u64 = 256 << 20;
const MOST_OPENINGS: u64 = 1_000_000;
/// Enough for the longest line in a debug build.
const STACK_SIZE: usize = 32 << 20;

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// How many openings.
    pub count: u64,
    /// From which they follow.
    pub seed: u64,
    /// A file of positions to start from.
    pub book: Option<String>,
}

impl Request {
    /// Reads `N seed S book None|FILE …`; what comes after the book is for engines that know it.
    ///
    /// # Errors
    /// What is wrong, for a person.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let number = |word: Option<&String>, what: &str| {
            let word = word.map_or("", String::as_str);
            word.parse::<u64>().map_err(|_| format!("genfens: {what} '{}' is not a whole number", printable(word)))
        };
        let mut words = words.iter();
        let count = number(words.next(), "the count")?;
        if count > MOST_OPENINGS {
            return Err(format!("genfens: at most {MOST_OPENINGS} openings"));
        }
        let (mut seed, mut book) = (0, None);
        while let Some(word) = words.next() {
            match word.as_str() {
                "seed" => seed = number(words.next(), "the seed")?,
                "book" => book = words.next().filter(|name| !name.eq_ignore_ascii_case("none")).cloned(),
                _ => {}
            }
        }
        Ok(Self { count, seed, book })
    }
}

/// Finds the openings and hands each one's FEN to `found`, until there are enough or `stop` is set.
///
/// # Errors
/// What is wrong with the book, for a person.
pub fn run(
    request: &Request,
    params: &Params,
    stop: &AtomicBool,
    found: &mut (dyn FnMut(&str) + Send),
) -> Result<(), String> {
    let starts = request
        .book
        .as_deref()
        .map_or_else(|| Ok(String::new()), read_book)
        .map_err(|error| format!("genfens: {error}"))?;
    thread::scope(|scope| {
        let work = || Generator::new(params).generate(request, &starts, stop, found);
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("genfens: {error}"))?;
        thread.join().unwrap_or_else(|_| Err("genfens: internal error".into()))
    })
}

/// The text of a book, at least one line of which holds a position.
pub(super) fn read_book(path: &str) -> Result<String, String> {
    let wrong = |reason: String| format!("book '{}': {reason}", printable(path));
    let unreadable = |error: std::io::Error| wrong(error.kind().to_string());
    let meta = std::fs::metadata(Path::new(path)).map_err(unreadable)?;
    if !meta.is_file() || meta.len() > MOST_BYTES {
        return Err(wrong(format!("not a regular file of at most {} MB", MOST_BYTES >> 20)));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if text.lines().any(|line| position_of(line).is_some()) {
        Ok(text)
    } else {
        Err(wrong("no line holds a position".into()))
    }
}

/// The position on a line of EPD or FEN.
pub(super) fn position_of(line: &str) -> Option<Position> {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let counters = words.get(4..6).is_some_and(|counters| counters.iter().all(|word| word.parse::<u32>().is_ok()));
    let fields = words.get(..if counters { 6 } else { 4 })?;
    parse_fen(&fields.join(" ")).ok()
}

struct Generator {
    searcher: Searcher<DefaultEvaluator>,
    table: Arc<Table>,
}

impl Generator {
    fn new(params: &Params) -> Self {
        let table = Arc::new(Table::new(1));
        let searcher = Searcher::new(0, DefaultEvaluator::default(), params, Arc::clone(&table));
        Self { searcher, table }
    }

    fn generate(
        &mut self,
        request: &Request,
        starts: &str,
        stop: &AtomicBool,
        found: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), String> {
        let starts: Vec<&str> = starts.lines().collect();
        let mut random = fastrand::Rng::with_seed(request.seed);
        let mut known = HashSet::new();
        for _ in 0..request.count {
            let opening = (0..MOST_ATTEMPTS)
                .take_while(|_| !stop.load(Relaxed))
                .find_map(|_| self.attempt(&starts, &mut random).filter(|fen| !known.contains(fen)));
            match opening {
                Some(fen) => {
                    found(&fen);
                    known.insert(fen);
                }
                None if stop.load(Relaxed) => return Ok(()),
                None => return Err("genfens: no balanced opening can be found".into()),
            }
        }
        Ok(())
    }

    /// Random moves; `None` if they lead to no game worth playing.
    fn attempt(&mut self, starts: &[&str], random: &mut fastrand::Rng) -> Option<String> {
        let mut position = match random.choice(starts) {
            Some(line) => position_of(line)?,
            None => Position::default(),
        };
        for _ in 0..random.u32(PLIES) {
            let moves = position.chess().legal_moves();
            position = position.play(*random.choice(moves.as_slice())?);
        }
        let playable = !position.chess().legal_moves().is_empty()
            && !position.is_insufficient_material()
            && position.halfmoves() < 100;
        (playable && self.value(&position).abs() <= MOST_UNBALANCED).then(|| position.fen())
    }

    fn value(&mut self, position: &Position) -> Score {
        self.table.clear();
        self.searcher.clear();
        let limits = Limits { nodes: Some(NODES), ..Limits::depth(DEPTH) };
        let task = SearchRequest::untimed(Game::new(position.clone()), limits);
        self.searcher.search(&task, Box::new(Silent)).score
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
        let request = Request { count: 5, seed, book: None };
        let mut fens = Vec::new();
        run(&request, &Params::default(), &AtomicBool::new(false), &mut |fen| fens.push(fen.to_owned())).unwrap();
        fens
    }

    #[test]
    fn requests_are_read_and_bad_ones_named() {
        let parsed = Request::parse(&words("12 seed 34 book None depth 5")).unwrap();
        assert_eq!(parsed, Request { count: 12, seed: 34, book: None });
        let parsed = Request::parse(&words("1 seed 2 book Books/8moves.epd")).unwrap();
        assert_eq!(parsed.book.as_deref(), Some("Books/8moves.epd"));
        for text in ["", "x", "-1", "5 seed", "5 seed x", "99999999999999999999", "1000001"] {
            assert!(Request::parse(&words(text)).unwrap_err().starts_with("genfens: "), "{text}");
        }
    }

    #[test]
    fn equal_seeds_give_equal_openings() {
        let first = openings(1);
        assert_eq!((first.len(), &first), (5, &openings(1)));
        assert_ne!(first, openings(2));
        for fen in &first {
            let position = parse_fen(fen).unwrap();
            let moves_played =
                2 * (position.chess().fullmoves().get() - 1) + u32::from(position.turn() == Color::Black);
            assert!(PLIES.contains(&moves_played) && position.fen() == *fen, "{fen}");
        }
    }

    #[test]
    fn lines_of_books() {
        let fen = "rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 2";
        assert_eq!(position_of(fen).unwrap().fen(), fen);
        assert!(position_of("8/8/8/3k4/8/8/8/KQ6 w - - bm Qb5; id \"x\";").is_some());
        assert!(position_of("").is_none() && position_of("1. e4 e5 2. Nf3 Nc6 3. Bb5").is_none());
        for path in ["/", "/dev/zero", "no/such/book"] {
            assert!(read_book(path).unwrap_err().starts_with("book '"), "{path}");
        }
    }
}
