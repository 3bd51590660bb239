//! The result of a search, while it runs and when it ends, independent of any protocol.
//!
//! One type travels from the search to every front end: [`SearchResult`]. A [`Reporter`] receives the result so far
//! after each iteration, and the final one.

use std::time::Duration;

use shakmaty::Move;

use crate::board::position::Position;
use crate::score::{Bound, DRAW, Score};
use crate::wdl::{Wdl, material};

/// A principal variation and its score.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Variation {
    /// The moves; empty only for a position without legal moves.
    pub pv: Vec<Move>,
    /// Score from the side to move.
    pub score: Score,
    /// Bound of the score; exact except after a failed aspiration window or an interrupted iteration.
    pub bound: Bound,
    /// Whether the score is a tablebase result.
    pub from_tablebase: bool,
    /// Depth of the iteration that found it, plies.
    pub depth: i32,
    /// Selective depth: length of the longest variation searched, plies.
    pub seldepth: usize,
}

impl Variation {
    /// Returns a variation with an exact score.
    #[must_use]
    pub fn new(pv: Vec<Move>, score: Score, depth: i32) -> Self {
        let seldepth = pv.len();
        Self { pv, score, bound: Bound::Exact, from_tablebase: false, depth, seldepth }
    }

    /// Returns the win, draw and loss probabilities of the side to move in `position`, which was searched.
    ///
    /// The model was fitted to Aspirant's evaluator, so they do not apply to another one.
    #[must_use]
    pub fn wdl(&self, position: &Position) -> Wdl {
        Wdl::new(self.score, self.from_tablebase, material(position.board()))
    }

    /// `None` only for a position without legal moves.
    #[must_use]
    pub fn first_move(&self) -> Option<Move> {
        self.pv.first().copied()
    }
}

/// The result of a search, final or so far.
///
/// ```
/// use aspirant::engine::Engine;
/// use aspirant::score::UciScore;
/// use aspirant::search::limits::Limits;
///
/// let mut engine = Engine::builder().build()?;
/// engine.update_options(|options| options.set_multi_pv(3))?;
/// let result = engine.search(Limits::depth(4));
/// for (rank, variation) in (1..).zip(&result.variations) {
///     let position = &engine.game().position;
///     println!("{rank}) {} {}", UciScore::new(variation.score), position.san_variation(&variation.pv));
/// }
/// assert_eq!(result.variations.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SearchResult {
    /// The principal variations, best first (MultiPV). The first one begins with the best move.
    pub variations: Vec<Variation>,
    /// Expected reply to the best move, to ponder on.
    pub ponder: Option<Move>,
    /// Last completed iteration, plies; 0 if there is none.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search was requested.
    pub time: Duration,
    /// Fill level of the transposition table, permille.
    pub hashfull: usize,
    /// Tablebase hits of all threads.
    pub tb_hits: u64,
    /// Whether the move is from the opening book.
    ///
    /// Nothing was searched then; the score is the static evaluation.
    pub is_book: bool,
    /// Messages for the user: damaged tablebases, or an internal error such as a panic in the evaluator, after which the
    /// result may be any legal move.
    pub messages: Vec<String>,
    /// Cutoffs of the main search by a searched move, and how many of them by the first move.
    #[cfg(feature = "stats")]
    #[doc(hidden)]
    pub cutoffs: [u64; 2],
}

impl SearchResult {
    /// Returns a result with these variations, best first.
    #[must_use]
    pub fn new(variations: Vec<Variation>) -> Self {
        let ponder = variations.first().and_then(|best| best.pv.get(1).copied());
        Self { variations, ponder, ..Self::default() }
    }

    /// Returns the best variation; `None` if nothing is known yet.
    #[must_use]
    pub fn best(&self) -> Option<&Variation> {
        self.variations.first()
    }

    /// Returns the best move; `None` only without a legal move, or if `Limits::search_moves` contains no legal one.
    #[must_use]
    pub fn best_move(&self) -> Option<Move> {
        self.best().and_then(Variation::first_move)
    }

    /// Returns the score of the best variation from the side to move; a draw score without one.
    #[must_use]
    pub fn score(&self) -> Score {
        self.best().map_or(DRAW, |best| best.score)
    }

    /// Returns the moves of the best variation.
    #[must_use]
    pub fn pv(&self) -> &[Move] {
        self.best().map_or(&[], |best| &best.pv)
    }
}

/// Receives the result of a search, on the threads of the engine, one call at a time.
///
/// The methods must return quickly and must not wait for the engine: while one runs, the watchdog cannot answer, and
/// dropping the engine waits for it. A panic in one ends the search.
///
/// ```
/// use std::sync::mpsc::{Sender, channel};
///
/// use aspirant::prelude::*;
///
/// struct SendResult(Sender<SearchResult>);
///
/// impl Reporter for SendResult {
///     fn finished(&mut self, result: &SearchResult) {
///         let _ = self.0.send(result.clone());
///     }
/// }
///
/// let (sender, results) = channel();
/// let mut engine = Engine::builder().build()?;
/// engine.go(Limits::depth(4), Box::new(SendResult(sender))); // returns at once
/// assert_eq!(results.recv()?.depth, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Reporter: Send {
    /// Receives the result so far: after each iteration and, in analysis mode or in a long search, after a failed
    /// aspiration window.
    ///
    /// The variations of the last call are those of the final result.
    fn progress(&mut self, _result: &SearchResult) {}
    /// Receives the root move about to be searched and its number from 1.
    ///
    /// Called only in analysis mode or in a long search.
    fn current_move(&mut self, _depth: i32, _m: Move, _move_number: usize) {}
    /// Receives a message for the user, which the final result contains as well.
    fn message(&mut self, _text: &str) {}
    /// Receives a line about the search for experts, such as counters. UCI sends it as `info string`.
    fn note(&mut self, _text: &str) {}
    /// Receives the final result; an engine calls it exactly once per search.
    fn finished(&mut self, result: &SearchResult);
}

/// A reporter that discards all output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn finished(&mut self, _result: &SearchResult) {}
}
