//! The textbook room: the searches of the literature as short, exact, running code.
//!
//! Each file holds one procedure, written the way its source writes it and under the names the source
//! uses, over a small [`Game`] trait. They are reference implementations: made to be read, to be the
//! oracle of the production search, and to be compared and drawn; not to be fast. Read them in this
//! order: [`minimax`], [`explicit_stack`], [`negamax`], [`branch_and_bound`], [`alpha_beta`],
//! [`fail_soft`], [`minimax_form`], [`and_or`], [`aspiration`], [`scout`], [`pvs`], [`negascout`],
//! [`mtd`], [`sss_star`], [`iterative_deepening`], and [`minimal_configuration`] for a problem that is
//! not a game. [`catalog`] is the table of them all; [`theory`] says what each may cost at best and at
//! worst. The bookkeeping that all share (counting, drawing, memory, ordering) is in [`Search`], so
//! that the procedures stay as short as in the books.

pub mod algorithms;
pub mod catalog;
pub mod compare;
pub mod games;
pub mod memory;
pub mod ordering;
mod search;
pub mod theory;
pub mod trace;
pub mod visualize;

use crate::score::{INFINITY, Score};
use std::fmt::Debug;
use std::hash::Hash;

pub use memory::Memory;
pub use ordering::Ordering;
pub use search::{Counts, Frame, MAX_RECURSION, Node, Outcome, Search, Stop, View};
pub use trace::Trace;

/// The sources' `∞`: larger than every payoff, even than a leaf that is written `inf` in a tree text.
/// A full window is `(-OPEN, OPEN)`, so that a leaf worth `INFINITY` still lies inside it.
pub const OPEN: Score = INFINITY + 1;

/// A game for two players who move in turn, seen by a search.
///
/// The player to move at the root is MAX, the other is MIN. A position without moves is a leaf; so is
/// every position at the search's depth.
pub trait Game {
    /// Whatever tells one position from another. Copied for each child.
    type Position: Clone;
    /// One move. Two moves of the same position are equal only if they are the same move.
    type Move: Copy + Eq + Hash + Debug;

    /// The position that is searched unless another is asked for.
    fn root(&self) -> Self::Position;

    /// The moves of a position in the game's own order; empty if the game is over.
    fn moves(&self, position: &Self::Position) -> Vec<Self::Move>;

    /// The position after a move. `mv` must be one of `moves(position)`.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The value of a leaf for the player to move there: `f(p)` of source 000, and up to the sign the
    /// `payoff` of source 004. Range: `-INFINITY..=INFINITY`.
    fn value(&self, position: &Self::Position) -> Score;

    /// Names a position for the memory: equal keys promise equal subtrees and equal player to move.
    fn key(&self, position: &Self::Position) -> u64;

    /// What a move wins at once, in any unit; 0 for a quiet move. Used by "captures first" only.
    fn gain(&self, _position: &Self::Position, _mv: Self::Move) -> Score {
        0
    }

    /// The move as a person writes it.
    fn move_name(&self, _position: &Self::Position, mv: Self::Move) -> String {
        format!("{mv:?}")
    }

    /// A line for the picture of the tree: a FEN, a name, or nothing.
    fn describe(&self, _position: &Self::Position) -> String {
        String::new()
    }
}

/// Whose turn it is: MAX moves at even plies, MIN at odd plies (`modetype` of source 004).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The player who moves at the root and wants the largest value. An OR node of source 002.
    Max,
    /// The opponent, who wants the smallest value. An AND node of source 002.
    Min,
}

impl Mode {
    /// The mode of the nodes `ply` moves below the root.
    #[must_use]
    pub const fn at(ply: u32) -> Self {
        if ply.is_multiple_of(2) { Self::Max } else { Self::Min }
    }

    /// `1` for MAX, `-1` for MIN: turns a value for the player to move into a value for MAX and back.
    #[must_use]
    pub const fn sign(self) -> Score {
        match self {
            Self::Max => 1,
            Self::Min => -1,
        }
    }
}
