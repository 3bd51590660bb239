//! Nodes of the search tree: their types, and what the rules of the node function depend on.

use std::ops::Neg;

use shakmaty::Move;

/// Error of a node whose search was stopped: the node has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Aborted;

/// The alpha-beta window. Scores outside it are only bounds.
/// <https://www.chessprogramming.org/Window>
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    /// Lower bound: the side to move already has at least this score elsewhere in the tree.
    pub alpha: Score,
    /// Upper bound: at this score or above, the opponent avoids the node.
    pub beta: Score,
}

impl Window {
    /// The full window; no score is outside.
    pub const FULL: Self = Self { alpha: -INFINITY, beta: INFINITY };

    /// Returns the null window (zero window) that tests whether a score exceeds `alpha`.
    #[must_use]
    pub const fn null(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Returns whether no score lies strictly between the bounds.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.alpha + 1 == self.beta
    }
}

impl Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

use super::memory::transposition::TtEntry;
use crate::board::position::Position;
use crate::score::{INFINITY, Score};

/// A position on the path from the root, with the accumulator of the evaluator.
pub(super) struct Node<A> {
    pub(super) position: Position,
    pub(super) acc: A,
    pub(super) ply: usize,
}

/// Type of a node, known at compile time.
/// <https://www.chessprogramming.org/Node_Types>
pub(super) trait NodeType {
    const ROOT: bool;
    /// Whether the node is searched with an open window (root included); all others have a null window.
    const PV: bool;
    /// Type of a node below the root with the same kind of window.
    type Inner: NodeType;
}

pub(super) struct RootNode;

/// An inner node with an open window.
pub(super) struct PvNode;

/// A node with a null window: its score only has to be compared with beta.
pub(super) struct NonPvNode;

impl NodeType for RootNode {
    const ROOT: bool = true;
    const PV: bool = true;
    type Inner = PvNode;
}

impl NodeType for PvNode {
    const ROOT: bool = false;
    const PV: bool = true;
    type Inner = Self;
}

impl NodeType for NonPvNode {
    const ROOT: bool = false;
    const PV: bool = false;
    type Inner = Self;
}

/// The state of a node that its rules depend on. `depth` and `alpha` change while the node is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeContext {
    /// Depth left, plies.
    pub(super) depth: i32,
    /// Lower bound of the window; raised by each move that exceeds it.
    pub(super) alpha: Score,
    /// Upper bound of the window.
    pub(super) beta: Score,
    /// Whether the node is expected to fail high.
    pub(super) cut_node: bool,
    /// Corrected static evaluation; `-INFINITY` in check.
    pub(super) static_eval: Score,
    /// Static evaluation, or the TT score if its bound makes it a better estimate.
    pub(super) eval: Score,
    /// Whether the static evaluation has risen since the last own turn.
    pub(super) improving: bool,
    /// The TT entry of the position; `None` in a singular search.
    pub(super) tt_entry: Option<TtEntry>,
    /// The legal TT move; at the root, from depth 2 on, the best move found so far for this PV.
    pub(super) tt_move: Option<Move>,
    /// Whether the node is a PV node or was one according to the TT.
    pub(super) tt_pv: bool,
    /// The move excluded by a singular search of this node.
    pub(super) excluded: Option<Move>,
    /// Static evaluation without corrections, for the TT; `NO_EVAL` in check and in a singular search.
    pub(super) raw_eval: Score,
    /// Lower bound of the value according to the tablebases.
    pub(super) tb_min: Score,
    /// Upper bound of the value according to the tablebases.
    pub(super) tb_max: Score,
}

impl NodeContext {
    pub(super) fn window(&self) -> Window {
        Window { alpha: self.alpha, beta: self.beta }
    }
}
