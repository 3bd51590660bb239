//! Reference algorithms: the game-tree searches of the literature as short, exact, running code.
//!
//! Each file holds one procedure, written as in its source and with the source's names, over the small
//! [`GameTree`] trait. They are reference implementations: written to be read, to be the oracle for tests of
//! the production search, and to be compared and drawn; not to be fast. Reading order in [`algorithms`]:
//! `minimax`, `explicit_stack`, `negamax`, `branch_and_bound`, `alpha_beta`, `fail_soft`, `minimax_form`, `and_or`,
//! `aspiration`, `scout`, `pvs`, `negascout`, `alpha_beta_with_memory`, `mtd`, `enhanced_transposition_cutoffs`,
//! `sss_star`, `iterative_deepening`, `quiescence`, `proof_number_search`, `max_n` for more than two players, and
//! `minimal_configuration` for a problem that is not a game. [`catalog`] lists those that compute the minimax value;
//! `theory` gives the best-case and worst-case cost. What all of them share (counters, tracing, memory, move
//! ordering) is in [`SearchContext`], so that the procedures stay as short as in their sources.
//!
//! "Source 000" to "source 004" are the five texts listed in `docs/algorithms.md`.

pub mod algorithms;
pub mod catalog;
#[cfg(feature = "cli")]
pub mod compare;
#[cfg(feature = "cli")]
mod drawing;
pub mod games;
pub mod memory;
mod open_list;
pub mod ordering;
mod search;
pub mod theory;
pub mod trace;
#[cfg(feature = "visualize")]
pub mod visualize;

use crate::score::{INFINITY, Score};
use std::fmt::Debug;
use std::hash::Hash;

pub use memory::Memory;
pub use ordering::MoveOrdering;
pub use search::{
    MAX_RECURSION_DEPTH, Node, Perspective, SearchContext, SearchCounters, TreeSearchError, TreeSearchOutcome,
};
pub use trace::Trace;

/// The `∞` of the sources: larger than every leaf value, including a leaf written `inf` in a tree text.
///
/// The full window is `(-UNBOUNDED, UNBOUNDED)`, so that a leaf worth `INFINITY` lies inside it.
pub const UNBOUNDED: Score = INFINITY + 1;

/// The result of a search: the outcome, or why there is none.
pub type TreeSearchResult<G> = Result<TreeSearchOutcome<<G as GameTree>::Move>, TreeSearchError>;

/// A two-player game with alternating moves: what a search requires of it.
///
/// The player to move at the root is MAX, the opponent is MIN. A position without moves is a leaf; so is
/// every position at the depth limit of the search.
pub trait GameTree {
    /// A position. Cloned for each child.
    type Position: Clone;
    /// A move. Equal values are the same move within a position; killer moves and refutations also compare moves of
    /// different positions.
    type Move: Copy + Eq + Hash + Debug;

    /// Returns the default root position.
    fn root(&self) -> Self::Position;

    /// Returns the legal moves in generation order; empty if the game is over.
    fn moves(&self, position: &Self::Position) -> Vec<Self::Move>;

    /// Returns the position after a move. `mv` must be one of `moves(position)`.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Returns the value of a leaf for the side to move: `f(p)` of source 000.
    ///
    /// Up to the sign this is `payoff` of source 004. Range: `-INFINITY..=INFINITY`.
    fn value(&self, position: &Self::Position) -> Score;

    /// Returns the hash key of a position. Equal keys imply equal subtrees and the same side to move.
    fn key(&self, position: &Self::Position) -> u64;

    /// Returns the immediate gain of a move in any unit; 0 for a quiet move.
    ///
    /// Used only by the `captures` ordering heuristic.
    fn gain(&self, _position: &Self::Position, _mv: Self::Move) -> Score {
        0
    }

    /// Returns the move in its usual notation.
    fn move_name(&self, _position: &Self::Position, mv: Self::Move) -> String {
        format!("{mv:?}")
    }

    /// Returns a description of the position for drawings: a FEN, a name, or an empty string.
    fn describe(&self, _position: &Self::Position) -> String {
        String::new()
    }
}

/// The kind of a node: MAX at even plies, MIN at odd plies (`modetype` of source 004).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// The player to move at the root moves and maximizes the value. An OR node in source 002.
    Max,
    /// The opponent moves and minimizes the value. An AND node in source 002.
    Min,
}

impl NodeKind {
    /// Returns the kind of the nodes `ply` moves below the root.
    #[must_use]
    pub const fn at_ply(ply: u32) -> Self {
        if ply.is_multiple_of(2) { Self::Max } else { Self::Min }
    }

    /// Returns 1 for MAX, -1 for MIN: converts between the values for the side to move and for MAX.
    #[must_use]
    pub const fn sign(self) -> Score {
        match self {
            Self::Max => 1,
            Self::Min => -1,
        }
    }
}
