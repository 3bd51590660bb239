//! Reference algorithms: the game-tree searches of the literature as short, exact, running code.
//!
//! Each file of [`algorithms`] holds one procedure, written as in its source and with the source's names, over the small
//! trait [`GameTree`]. They are written to be read, to be compared and drawn, and to test other searches against; not to
//! be fast. In reading order: `minimax`, `explicit_stack`, `negamax`, `branch_and_bound`, `alpha_beta`, `fail_soft`,
//! `minimax_form`, `and_or`, `aspiration`, `scout`, `pvs`, `negascout`, `alpha_beta_with_memory`, `mtd`,
//! `enhanced_transposition_cutoffs`, `sss_star`, `iterative_deepening`, `quiescence`, `proof_number_search`, `max_n` for
//! more than two players, and `minimal_configuration` for a problem that is not a game. [`catalog`] lists those that
//! compute the minimax value; [`theory`] gives the best-case and worst-case cost. What all of them share (counters,
//! tracing, memory, move ordering) is in [`SearchContext`], so that the procedures stay as short as in their sources.
//! [`drawing`] shows a recorded search.
//!
//! ```
//! use game_tree_search::algorithms::alpha_beta::alpha_beta;
//! use game_tree_search::games::LiteralTree;
//! use game_tree_search::{GameTree, SearchContext};
//!
//! // The root is MAX; after the first move MIN chooses between 3 and 5, after the second between 2 and 9.
//! let tree = LiteralTree::parse("((3 5)(2 9))")?;
//! let mut ctx = SearchContext::new(&tree);
//! let outcome = alpha_beta(&mut ctx, &tree.root(), tree.depth())?;
//! assert_eq!((outcome.value, outcome.best_move), (3, Some(0)));
//! // The leaf 9 is not evaluated.
//! assert_eq!(outcome.counters.leaves, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/algorithms.md` of the repository lists the papers and texts that the code follows.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod algorithms;
pub mod catalog;
pub mod drawing;
pub mod games;
pub mod memory;
mod open_list;
pub mod ordering;
mod search;
pub mod theory;
pub mod trace;
mod value;

use std::fmt::Debug;
use std::hash::Hash;

pub use drawing::TreePicture;
pub use memory::Memory;
pub use ordering::MoveOrdering;
pub use search::{
    MAX_RECURSION_DEPTH, Node, Perspective, SearchContext, SearchCounters, TreeSearchError, TreeSearchOutcome,
};
pub use trace::Trace;
pub use value::{Bound, MAX_VALUE, UNBOUNDED, Value};

/// The result of a search: the outcome, or why there is none.
pub type TreeSearchResult<G> = Result<TreeSearchOutcome<<G as GameTree>::Move>, TreeSearchError>;

/// A two-player game with alternating moves: what a search requires of it.
///
/// The player to move at the root is MAX, the opponent is MIN. A position without moves is a leaf; so is
/// every position at the depth limit of the search.
///
/// ```
/// use game_tree_search::algorithms::negamax::negamax;
/// use game_tree_search::{GameTree, SearchContext, Value};
///
/// /// Each move takes one or two objects from a heap; the player who takes the last one wins.
/// struct Heap(u32);
///
/// impl GameTree for Heap {
///     type Position = u32;
///     type Move = u32;
///
///     fn root(&self) -> u32 {
///         self.0
///     }
///
///     fn moves(&self, heap: &u32) -> Vec<u32> {
///         (1..=2.min(*heap)).collect()
///     }
///
///     fn play(&self, heap: &u32, taken: u32) -> u32 {
///         heap - taken
///     }
///
///     fn value(&self, heap: &u32) -> Value {
///         if *heap == 0 { -1 } else { 0 } // the opponent took the last object
///     }
///
///     fn key(&self, heap: &u32) -> u64 {
///         u64::from(*heap)
///     }
/// }
///
/// let game = Heap(4);
/// let outcome = negamax(&mut SearchContext::new(&game), &game.root(), 4)?;
/// assert_eq!((outcome.value, outcome.best_move), (1, Some(1)));
/// # Ok::<(), game_tree_search::TreeSearchError>(())
/// ```
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

    /// Returns the value of a leaf for the side to move: `f(p)` of Knuth and Moore 1975.
    ///
    /// Up to the sign this is `payoff` of Aho, Hopcroft and Ullman 1983. Range: `-MAX_VALUE..=MAX_VALUE`.
    fn value(&self, position: &Self::Position) -> Value;

    /// Returns the hash key of a position. Equal keys imply equal subtrees, seen by the side to move.
    fn key(&self, position: &Self::Position) -> u64;

    /// Returns whether the search must end, for example because its time is used up; then it stays `true`.
    ///
    /// Called at every node. The search then returns [`TreeSearchError::Stopped`], at the next node at the latest.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Returns the immediate gain of a move in any unit; 0 for a quiet move.
    ///
    /// Used only by the `captures` ordering heuristic.
    fn gain(&self, _position: &Self::Position, _mv: Self::Move) -> Value {
        0
    }

    /// Returns the move in its usual notation.
    fn move_name(&self, _position: &Self::Position, mv: Self::Move) -> String {
        format!("{mv:?}")
    }

    /// Returns a description of the position for drawings, such as a FEN; empty if there is none.
    fn describe(&self, _position: &Self::Position) -> String {
        String::new()
    }

    /// Returns a value in its usual notation, for drawings.
    fn value_name(&self, value: Value) -> String {
        value.to_string()
    }

    /// Returns the name of the root, for drawings.
    fn root_name(&self) -> String {
        "root".to_owned()
    }

    /// Returns the name, in the sentences of drawings, of the node that a move reaches from a node other than the root.
    ///
    /// By default, the moves that lead from the root to the node.
    fn node_name(&self, parent: &str, move_name: &str) -> String {
        format!("{parent} {move_name}")
    }
}

/// The kind of a node: MAX at even plies, MIN at odd plies (`modetype` of Aho, Hopcroft and Ullman).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// The player to move at the root moves and maximizes the value. An OR node of an AND/OR tree.
    Max,
    /// The opponent moves and minimizes the value. An AND node of an AND/OR tree.
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
    pub const fn sign(self) -> Value {
        match self {
            Self::Max => 1,
            Self::Min => -1,
        }
    }
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
