//! What bounds one search: every parameter of `go`, because the protocol lets them combine.

use shakmaty::{Color, Move};

/// All limits of a `go`; the search stops at whichever is reached first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Search these root moves only; empty: all.
    pub search_moves: Vec<Move>,
    /// Think on the opponent's time: no clock runs until `ponderhit`.
    pub ponder: bool,
    /// Do not answer before `stop`.
    pub infinite: bool,
    /// Time left for white and for black, milliseconds; may be negative.
    pub white_time: Option<i64>,
    /// See [`Limits::white_time`].
    pub black_time: Option<i64>,
    /// Increment per move, milliseconds.
    pub white_increment: Option<i64>,
    /// See [`Limits::white_increment`].
    pub black_increment: Option<i64>,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Iterations, plies.
    pub depth: Option<u32>,
    /// Nodes, over all threads.
    pub nodes: Option<u64>,
    /// Nodes after which no further iteration is begun: every answer is that of a complete iteration, which
    /// makes better labels for learning than a search cut off anywhere. Not part of the protocol.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in at most this many moves is proven.
    pub mate: Option<u32>,
    /// Time for this move, milliseconds.
    pub move_time: Option<i64>,
}

impl Limits {
    /// Only a depth.
    #[must_use]
    pub fn depth(plies: u32) -> Self {
        Self { depth: Some(plies), ..Self::default() }
    }

    /// Only a number of nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Only a time, milliseconds.
    #[must_use]
    pub fn move_time(milliseconds: i64) -> Self {
        Self { move_time: Some(milliseconds), ..Self::default() }
    }

    /// Time and increment of one side.
    #[must_use]
    pub fn clock(&self, side: Color) -> (Option<i64>, Option<i64>) {
        side.fold_wb((self.white_time, self.white_increment), (self.black_time, self.black_increment))
    }
}
