//! The OPEN list of SSS\*: states `(node, live or solved, merit)`, the highest merit first.
//!
//! Holds the generated nodes and a priority queue. Instead of purging the descendants of a solved node from the
//! queue, a state is skipped when it is taken from it and has a solved ancestor; the effect is the same.

use crate::{GameTree, Node, NodeKind, SearchContext, UNBOUNDED, Value};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

struct GeneratedNode<G: GameTree> {
    node: Node<G>,
    parent: Option<usize>,
    /// The moves of this node; empty until it is expanded.
    moves: Vec<G::Move>,
    solved: bool,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct OpenState {
    /// The merit: an upper bound of the value, from the perspective of the favored side.
    pub h: Value,
    /// The child index at each ply from the root; breaks ties from left to right.
    path_indices: Vec<u32>,
    /// The index of the node.
    pub n: usize,
    /// Solved; otherwise live.
    pub solved: bool,
    /// The leaf whose value is the merit, if any.
    merit_leaf: Option<usize>,
}

impl Ord for OpenState {
    fn cmp(&self, other: &Self) -> Ordering {
        self.h.cmp(&other.h).then_with(|| other.path_indices.cmp(&self.path_indices))
    }
}

impl PartialOrd for OpenState {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The OPEN list with the generated nodes.
pub(super) struct OpenList<G: GameTree> {
    nodes: Vec<GeneratedNode<G>>,
    queue: BinaryHeap<OpenState>,
    /// Number of moves of all nodes.
    moves: usize,
}

impl<G: GameTree> OpenList<G> {
    /// Returns the approximate size with the spare capacity of its vectors, bytes.
    pub fn bytes(&self) -> usize {
        let state = size_of::<OpenState>() + self.queue.peek().map_or(0, |state| size_of_val(&*state.path_indices));
        2 * (self.nodes.len() * size_of::<GeneratedNode<G>>() + self.queue.len() * state)
            + self.moves * size_of::<G::Move>()
    }

    /// Creates the list with one state: (root, live, +∞).
    pub fn new(root: Node<G>) -> Self {
        let state = OpenState { h: UNBOUNDED, path_indices: Vec::new(), n: 0, solved: false, merit_leaf: None };
        let root = GeneratedNode { node: root, parent: None, moves: Vec::new(), solved: false };
        Self { nodes: vec![root], queue: BinaryHeap::from([state]), moves: 0 }
    }

    /// Removes and returns the state with the highest merit, the leftmost among equals.
    pub fn pop(&mut self) -> Option<OpenState> {
        loop {
            let state = self.queue.pop()?;
            let mut ancestors = std::iter::successors(self.nodes[state.n].parent, |&n| self.nodes[n].parent);
            if !ancestors.any(|ancestor| self.nodes[ancestor].solved) {
                return Some(state);
            }
        }
    }

    pub fn node(&self, n: usize) -> &Node<G> {
        &self.nodes[n].node
    }

    /// Returns the kind of the parent of node `n`; `None` for the root.
    pub fn parent_kind(&self, n: usize) -> Option<NodeKind> {
        Some(self.nodes[self.nodes[n].parent?].node.kind())
    }

    /// Sets the moves of node `n` when it is expanded.
    pub fn set_moves(&mut self, n: usize, moves: Vec<G::Move>) {
        self.moves += moves.len();
        self.nodes[n].moves = moves;
    }

    /// Adds (child number `index` of the node of `state`, live, h).
    pub fn push_live_child(&mut self, ctx: &mut SearchContext<G>, state: &OpenState, index: usize) {
        let parent = &self.nodes[state.n];
        let node = ctx.child(&parent.node, parent.moves[index]);
        let mut child = OpenState { n: self.nodes.len(), solved: false, ..state.clone() };
        child.path_indices.push(index as u32);
        self.nodes.push(GeneratedNode { node, parent: Some(state.n), moves: Vec::new(), solved: false });
        self.queue.push(child);
    }

    /// Adds (next sibling of the node of `state`, live, h); returns whether there is one.
    pub fn push_next_sibling(&mut self, ctx: &mut SearchContext<G>, state: &OpenState) -> bool {
        let next = state.path_indices.last().map_or(0, |&index| index as usize + 1);
        let parent = self.parent_state(state);
        let exists = next < self.nodes[parent.n].moves.len();
        if exists {
            self.push_live_child(ctx, &parent, next);
        }
        exists
    }

    /// Adds (parent of the node of `state`, solved, h), which purges all other descendants of the parent.
    pub fn push_solved_parent(&mut self, state: &OpenState) {
        let parent = self.parent_state(state);
        self.nodes[parent.n].solved = true;
        self.queue.push(OpenState { solved: true, ..parent });
    }

    /// Adds (leaf, solved, min(h, value)).
    pub fn push_solved_leaf(&mut self, state: OpenState, value: Value) {
        self.nodes[state.n].solved = true;
        let merit_leaf = if value < state.h { Some(state.n) } else { state.merit_leaf };
        self.queue.push(OpenState { h: state.h.min(value), solved: true, merit_leaf, ..state });
    }

    /// Returns the moves from the root to the leaf whose value is the merit of `state`.
    pub fn variation(&self, state: &OpenState) -> Vec<G::Move> {
        let path = std::iter::successors(state.merit_leaf, |&n| self.nodes[n].parent);
        let mut moves: Vec<_> = path.filter_map(|n| self.nodes[n].node.mv).collect();
        moves.reverse();
        moves
    }

    fn parent_state(&self, state: &OpenState) -> OpenState {
        let mut parent = state.clone();
        parent.path_indices.pop();
        parent.n = self.nodes[state.n].parent.unwrap_or(0);
        parent
    }
}
