//! What a search tells while it runs and when it ends, without a word of any protocol.

use std::time::Duration;

use shakmaty::Move;

use crate::score::{Bound, Score};

/// One finished (or bounded) line of an iteration.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Iteration, plies.
    pub depth: i32,
    /// Longest line looked at, plies.
    pub seldepth: usize,
    /// Rank of the line, from 1.
    pub multi_pv: usize,
    /// Score from the side to move.
    pub score: Score,
    /// Exact, or a bound after an aspiration window failed.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since `go`.
    pub time: Duration,
    /// Filled part of the transposition table, thousandths.
    pub hashfull: usize,
    /// Endgame table hits of all threads.
    pub tb_hits: u64,
    /// The principal variation; its first move is the move this line is about.
    pub pv: Vec<Move>,
}

/// The answer to one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BestMove {
    /// `None` only where there is no legal move.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
}

/// Receives what a search has to say, on the search's thread.
pub trait Reporter: Send {
    /// A line of the search.
    fn info(&mut self, info: &SearchInfo);
    /// The root move that a long search turns to, and its number from 1.
    fn current_move(&mut self, _depth: i32, _m: Move, _number: usize) {}
    /// Something a person should know.
    fn message(&mut self, _text: &str) {}
    /// Where the cut-offs of the search came from.
    #[cfg(feature = "stats")]
    fn cutoffs(&mut self, _cutoffs: &super::stats::Cutoffs) {}
    /// The end: called exactly once for each search.
    fn best_move(&mut self, answer: BestMove);
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn info(&mut self, _info: &SearchInfo) {}
    fn best_move(&mut self, _answer: BestMove) {}
}
