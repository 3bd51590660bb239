//! Output of a search while it runs and when it ends, independent of any protocol.

use std::time::Duration;

use shakmaty::Move;

use crate::score::{Bound, Score};

/// An info line: one principal variation of an iteration, or the bound of a failed aspiration window.
///
/// Fields may be added in a minor release.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Depth of the iteration, plies.
    pub depth: i32,
    /// Selective depth: length of the longest variation searched, plies.
    pub seldepth: usize,
    /// Rank of the PV (MultiPV), from 1.
    pub multi_pv: usize,
    /// Score from the side to move.
    pub score: Score,
    /// Bound of the score; exact except after a failed aspiration window or an interrupted iteration.
    pub bound: Bound,
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
    /// The principal variation.
    pub pv: Vec<Move>,
}

/// The result of a search for the player: best move and ponder move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BestMove {
    /// Best move; `None` only without a legal move, or if `Limits::search_moves` contains no legal one.
    pub best: Option<Move>,
    /// Expected reply, to ponder on.
    pub ponder: Option<Move>,
}

/// Receives the output of a search, on the threads of the engine, one call at a time.
///
/// The methods must return quickly and must not wait for the engine: while one runs, the watchdog cannot answer, and
/// dropping the engine waits for it. A panic in one ends the search.
pub trait Reporter: Send {
    /// Receives an info line.
    fn info(&mut self, info: &SearchInfo);
    /// Receives the root move about to be searched and its number from 1.
    ///
    /// Called only in analysis mode or in a long search.
    fn current_move(&mut self, _depth: i32, _m: Move, _move_number: usize) {}
    /// Receives a message for the user.
    fn message(&mut self, _text: &str) {}
    /// Receives the cutoff statistics of the search.
    #[cfg(feature = "stats")]
    fn cutoffs(&mut self, _cutoffs: &super::stats::Cutoffs) {}
    /// Receives the best move known at this time, before the info line of its PV.
    fn best_move_so_far(&mut self, _answer: BestMove) {}
    /// Receives the answer at the end of the search; an engine calls it exactly once per search.
    fn best_move(&mut self, answer: BestMove);
}

/// A reporter that discards all output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn info(&mut self, _info: &SearchInfo) {}
    fn best_move(&mut self, _answer: BestMove) {}
}
