//! The state of a search, shared by all reference algorithms.
//!
//! Counters, limits, principal variation, move ordering, memory and trace.
//!
//! An algorithm reports its steps (`enter`, `ordered_moves`, `evaluate_leaf`, `update_tentative`, `cutoff`,
//! `leave`) to [`SearchContext`], which does the bookkeeping. Values are passed from the perspective in which
//! the algorithm computes: MAX's for the two-sided ones, the side to move's for the negamax
//! ones. Counters, path and trace always use MAX's perspective. These calls do not influence the
//! search, except `ordered_moves`, which orders the moves, and `retrieve`, which may answer from memory.

use crate::memory::MemoryEntry;
use crate::trace::TraceEvent;
use crate::{Bound, GameTree, MAX_VALUE, Memory, MoveOrdering, NodeKind, Trace, UNBOUNDED, Value};
use thiserror::Error;

/// The depth limit of recursive searches in plies; prevents an overflow of the call stack.
///
/// [`super::algorithms::explicit_stack`] and [`super::algorithms::sss_star`] have no such limit.
pub const MAX_RECURSION_DEPTH: u32 = 1_000;

/// Why a search ended without a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum TreeSearchError {
    /// The node limit was reached, or the game has stopped the search ([`GameTree::is_stopped`]).
    #[error("stopped after {nodes} nodes")]
    Stopped {
        /// Nodes visited before the stop.
        nodes: u64,
    },
    /// A recursive search reached the maximum recursion depth.
    #[error("the tree is deeper than {limit} plies, the limit of a recursive search")]
    TooDeep {
        /// The limit in plies, [`MAX_RECURSION_DEPTH`].
        limit: u32,
    },
    /// The memory or the OPEN list of SSS\* is full.
    #[error("the memory is full after {nodes} nodes")]
    MemoryFull {
        /// Nodes visited before.
        nodes: u64,
    },
}

/// The perspective of an algorithm's values and windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perspective {
    /// MAX's perspective: the minimax form.
    Max,
    /// The perspective of the side to move: the negamax form.
    SideToMove,
}

/// The cost of a search. All counters include every pass and re-search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchCounters {
    /// Leaves evaluated. A leaf found in memory counts under `hits` instead.
    pub leaves: u64,
    /// Nodes entered, leaves included.
    pub nodes: u64,
    /// Nodes whose moves were generated.
    pub interior_nodes: u64,
    /// Moves generated at these nodes.
    pub moves_generated: u64,
    /// Cutoffs at MIN nodes: the value is at most one that MAX is already guaranteed.
    pub alpha_cutoffs: u64,
    /// Cutoffs at MAX nodes: the value is at least one that MIN is already guaranteed; and children skipped by
    /// [`SearchContext::prune_child`].
    pub beta_cutoffs: u64,
    /// Cutoffs whose bound was found at an ancestor above the parent.
    pub deep_cutoffs: u64,
    /// Cutoffs whose bound was not found on the path.
    ///
    /// It is the initial window (null-window tests, aspiration) or a bound from memory.
    pub window_cutoffs: u64,
    /// Cutoffs at the first move searched.
    pub first_move_cutoffs: u64,
    /// Nodes whose value was found in memory.
    pub hits: u64,
    /// Subtrees searched again after a null-window test failed high or an aspiration window failed.
    pub re_searches: u64,
    /// Searches started from the root.
    pub passes: u64,
    /// Leaves evaluated only for move ordering (shallow pre-search). Not included in `leaves`.
    pub presearch_leaves: u64,
}

impl SearchCounters {
    /// Returns alpha and beta cutoffs together.
    #[must_use]
    pub const fn cutoffs(&self) -> u64 {
        self.alpha_cutoffs + self.beta_cutoffs
    }

    /// Adds counters, for example of several positions.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            leaves: self.leaves + other.leaves,
            nodes: self.nodes + other.nodes,
            interior_nodes: self.interior_nodes + other.interior_nodes,
            moves_generated: self.moves_generated + other.moves_generated,
            alpha_cutoffs: self.alpha_cutoffs + other.alpha_cutoffs,
            beta_cutoffs: self.beta_cutoffs + other.beta_cutoffs,
            deep_cutoffs: self.deep_cutoffs + other.deep_cutoffs,
            window_cutoffs: self.window_cutoffs + other.window_cutoffs,
            first_move_cutoffs: self.first_move_cutoffs + other.first_move_cutoffs,
            hits: self.hits + other.hits,
            re_searches: self.re_searches + other.re_searches,
            passes: self.passes + other.passes,
            presearch_leaves: self.presearch_leaves + other.presearch_leaves,
        }
    }

    /// Returns the mean number of moves per expanded node; 0 if there are none.
    #[must_use]
    pub fn mean_branching_factor(&self) -> f64 {
        if self.interior_nodes == 0 { 0.0 } else { self.moves_generated as f64 / self.interior_nodes as f64 }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeSearchOutcome<M> {
    /// The minimax value of the root for MAX; a bound on it if it lies outside the given window.
    pub value: Value,
    /// A best move; `None` if the root is a leaf.
    pub best_move: Option<M>,
    /// The moves of both players that lead to the leaf whose value is returned. May be shorter after a
    /// memory hit.
    pub principal_variation: Vec<M>,
    /// The cost.
    pub counters: SearchCounters,
}

/// A position in the tree.
pub struct Node<G: GameTree> {
    /// The position itself.
    pub position: G::Position,
    /// Plies from the root.
    pub ply: u32,
    /// The move that led to this node; `None` at the root.
    pub mv: Option<G::Move>,
    /// The number of the node in the [`Trace`]; 0 without a trace.
    pub id: u32,
}

impl<G: GameTree> Node<G> {
    /// Returns whether this is a MAX or a MIN node.
    #[must_use]
    pub const fn kind(&self) -> NodeKind {
        NodeKind::at_ply(self.ply)
    }
}

/// The state of one node on the path from the root; values for MAX.
#[derive(Clone, Copy, Debug)]
struct PathFrame {
    /// The number of the node in the trace.
    pub id: u32,
    /// Lower end of the window the node received.
    pub alpha: Value,
    /// Upper end of the window the node received.
    pub beta: Value,
    /// The value found at this node that narrows the window of its descendants, if any.
    pub tentative: Option<Value>,
    /// Moves of the node; 0 until they are generated.
    pub moves: u32,
    /// Children searched so far; a re-search does not count again.
    pub children_searched: u32,
}

/// The shared state of a search; see the module documentation.
pub struct SearchContext<'a, G: GameTree> {
    /// The game tree that is searched.
    pub game: &'a G,
    /// The cost of the search so far.
    pub counters: SearchCounters,
    /// The move-ordering heuristics and their tables.
    pub ordering: MoveOrdering<G::Move>,
    /// The transposition table, if any.
    pub memory: Option<Memory<G::Move>>,
    /// The recorded steps for drawings, if any.
    pub trace: Option<Trace<G::Move>>,
    /// Keys of the leaves in the order of evaluation, if they are logged.
    pub leaf_log: Option<Vec<u64>>,
    /// Limit of the nodes of the search and the leaves of pre-searches.
    pub max_nodes: u64,
    /// Limit of the size of the OPEN list of SSS\*, bytes. [`Memory::bounded`] limits the memory.
    pub max_open_bytes: usize,
    perspective: Perspective,
    max_ply: u32,
    path: Vec<PathFrame>,
    /// The variation found below each ply of the path, in reverse order.
    variations: Vec<Vec<G::Move>>,
}

impl<'a, G: GameTree> SearchContext<'a, G> {
    /// Creates a context without memory, move ordering, trace and limits.
    #[must_use]
    pub fn new(game: &'a G) -> Self {
        Self {
            game,
            counters: SearchCounters::default(),
            ordering: MoveOrdering::default(),
            memory: None,
            trace: None,
            leaf_log: None,
            max_nodes: u64::MAX,
            max_open_bytes: usize::MAX,
            perspective: Perspective::SideToMove,
            max_ply: MAX_RECURSION_DEPTH,
            path: Vec::new(),
            variations: Vec::new(),
        }
    }

    /// Adds an empty memory.
    #[must_use]
    pub fn with_memory(mut self) -> Self {
        self.memory = Some(Memory::default());
        self
    }

    /// Starts a search and returns the root node.
    ///
    /// Resets the counters and clears the memory; move-ordering tables are kept.
    pub fn begin(&mut self, root: &G::Position, perspective: Perspective) -> Node<G> {
        self.counters = SearchCounters::default();
        self.max_ply = MAX_RECURSION_DEPTH;
        self.clear_memory();
        self.begin_pass(root, perspective)
    }

    /// Removes the depth limit, for searches without recursion.
    pub const fn unlimited_depth(&mut self) {
        self.max_ply = u32::MAX;
    }

    /// Starts another pass of the same search; counters and memory are kept.
    pub fn begin_pass(&mut self, root: &G::Position, perspective: Perspective) -> Node<G> {
        self.perspective = perspective;
        self.path.clear();
        self.variations.clear();
        self.counters.passes += 1;
        if let Some(trace) = &mut self.trace {
            trace.pass(|| self.game.describe(root));
        }
        Node { position: root.clone(), ply: 0, mv: None, id: 0 }
    }

    /// Removes all entries from the memory.
    pub fn clear_memory(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.clear();
        }
    }

    /// Returns the result of a finished search with this value for MAX.
    pub fn finish(&mut self, value: Value) -> TreeSearchOutcome<G::Move> {
        let mut principal_variation = self.variations.first().cloned().unwrap_or_default();
        principal_variation.reverse();
        TreeSearchOutcome {
            value,
            best_move: principal_variation.first().copied(),
            principal_variation,
            counters: self.counters,
        }
    }

    /// Returns the node after a move.
    pub fn child(&mut self, p: &Node<G>, mv: G::Move) -> Node<G> {
        let id = self.trace.as_mut().map_or(0, |trace| trace.child(p.id, mv));
        Node { position: self.game.play(&p.position, mv), ply: p.ply + 1, mv: Some(mv), id }
    }

    /// Enters a node with the window `(alpha, beta)`: counts it and checks the limits.
    ///
    /// # Errors
    /// [`TreeSearchError`] if a limit is reached.
    pub fn enter(&mut self, p: &Node<G>, alpha: Value, beta: Value) -> Result<(), TreeSearchError> {
        if p.ply > self.max_ply {
            return Err(TreeSearchError::TooDeep { limit: self.max_ply });
        }
        let nodes = self.counters.nodes;
        if nodes + self.counters.presearch_leaves >= self.max_nodes || self.game.is_stopped() {
            return Err(TreeSearchError::Stopped { nodes });
        }
        if self.memory.as_ref().is_some_and(Memory::is_full) {
            return Err(TreeSearchError::MemoryFull { nodes });
        }
        self.counters.nodes += 1;
        let (alpha, beta) = self.window_to_max_perspective(p, alpha, beta);
        let ply = p.ply as usize;
        self.path.truncate(ply);
        if let Some(parent) = self.path.last_mut() {
            parent.children_searched += 1;
        }
        self.path.push(PathFrame { id: p.id, alpha, beta, tentative: None, moves: 0, children_searched: 0 });
        if self.variations.len() <= ply + 1 {
            self.variations.resize_with(ply + 2, Vec::new);
        }
        self.variations[ply].clear();
        self.variations[ply + 1].clear();
        if let Some(trace) = &mut self.trace {
            trace.enter(p.id, alpha, beta, || self.game.describe(&p.position));
        }
        Ok(())
    }

    /// Returns the moves of a node in search order; empty at a leaf (depth 0 or game over).
    pub fn ordered_moves(&mut self, p: &Node<G>, depth: u32) -> Vec<G::Move> {
        if depth == 0 {
            return Vec::new();
        }
        let mut moves = self.game.moves(&p.position);
        if moves.is_empty() {
            return moves;
        }
        self.counters.interior_nodes += 1;
        self.counters.moves_generated += moves.len() as u64;
        if let Some(frame) = self.path.get_mut(p.ply as usize) {
            frame.moves = moves.len() as u32;
        }
        let game = self.game;
        let generated = if self.trace.is_some() { moves.clone() } else { Vec::new() };
        self.counters.presearch_leaves += self.ordering.sort(game, p, depth, &mut moves);
        if let Some(trace) = &mut self.trace {
            trace.children(p.id, &moves, &generated, |mv| game.move_name(&p.position, mv));
        }
        moves
    }

    /// Evaluates a leaf from the perspective of the algorithm.
    pub fn evaluate_leaf(&mut self, p: &Node<G>) -> Value {
        self.counters.leaves += 1;
        if let Some(log) = &mut self.leaf_log {
            log.push(self.game.key(&p.position));
        }
        let value = self.game.value(&p.position);
        debug_assert!((-MAX_VALUE..=MAX_VALUE).contains(&value), "the value of a leaf, {value}, is out of range");
        let max_value = value * p.kind().sign();
        if let Some(trace) = &mut self.trace {
            trace.record(TraceEvent::Leaf { node: p.id, value: max_value });
        }
        match self.perspective {
            Perspective::Max => max_value,
            Perspective::SideToMove => value,
        }
    }

    /// Sets the tentative value of `p` to `value`, found in the subtree of `mv` that was just searched.
    pub fn update_tentative(&mut self, p: &Node<G>, mv: G::Move, value: Value) {
        let ply = p.ply as usize;
        self.variations.swap(ply, ply + 1);
        self.variations[ply].push(mv);
        let value = self.to_max_perspective(p, value);
        let frame = &mut self.path[ply];
        let narrows = match p.kind() {
            NodeKind::Max => value > frame.alpha,
            NodeKind::Min => value < frame.beta,
        };
        if narrows {
            frame.tentative = Some(value);
        }
        if let Some(trace) = &mut self.trace {
            trace.record(TraceEvent::Tentative { node: p.id, value });
        }
    }

    /// Skips one child of `p`, whose value cannot be below `bound`; its siblings are still searched.
    ///
    /// Does not update the ordering heuristics, because there is no refutation.
    pub fn prune_child(&mut self, p: &Node<G>, bound: Value) {
        self.counters.beta_cutoffs += 1;
        if let Some(trace) = &mut self.trace {
            trace.record(TraceEvent::Cut { node: p.id, bound, by: None });
        }
    }

    /// Cuts off the remaining moves of `p`: with `mv` its value reached `bound`.
    ///
    /// Counts and records a cutoff only if moves remain; the move-ordering tables are updated in any case.
    pub fn cutoff(&mut self, p: &Node<G>, mv: G::Move, bound: Value) {
        self.ordering.update_on_cutoff(p, mv);
        let PathFrame { moves, children_searched, .. } = self.path[p.ply as usize];
        if children_searched >= moves {
            return;
        }
        let bound = self.to_max_perspective(p, bound);
        match p.kind() {
            NodeKind::Max => self.counters.beta_cutoffs += 1,
            NodeKind::Min => self.counters.alpha_cutoffs += 1,
        }
        let ply = p.ply as usize;
        // 0 children: the cutoff is due to a stored bound, before the first move was searched.
        if self.path[ply].children_searched == 1 {
            self.counters.first_move_cutoffs += 1;
        }
        // The bound belongs to the nearest ancestor of the other kind with this tentative value.
        let bound_origin = self.path[..ply].iter().rev().step_by(2).position(|frame| frame.tentative == Some(bound));
        match bound_origin {
            Some(0) => {}
            Some(_) => self.counters.deep_cutoffs += 1,
            None => self.counters.window_cutoffs += 1,
        }
        if let Some(trace) = &mut self.trace {
            let by = bound_origin.map(|back| self.path[ply - 1 - 2 * back].id);
            trace.record(TraceEvent::Cut { node: p.id, bound, by });
        }
    }

    /// Leaves a node with its value and returns that value.
    pub fn leave(&mut self, p: &Node<G>, value: Value) -> Value {
        let ply = p.ply as usize;
        let frame = self.path[ply];
        let max_value = self.to_max_perspective(p, value);
        let bound = if max_value <= frame.alpha {
            Bound::Upper
        } else if max_value >= frame.beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        let failed_low = match p.kind() {
            NodeKind::Max => bound == Bound::Upper,
            NodeKind::Min => bound == Bound::Lower,
        };
        if self.ordering.previous_best
            && let Some(&best) = self.variations[ply].last()
        {
            self.ordering.store_best_move(self.game.key(&p.position), best, !failed_low);
        }
        // After a fail low all moves are only bounded from above, so no variation is proven.
        if failed_low {
            self.variations[ply].clear();
        }
        if let Some(trace) = &mut self.trace {
            trace.record(TraceEvent::Leave { node: p.id, value: max_value, bound });
        }
        value
    }

    /// Counts a re-search of the subtree of `p` with a new window.
    pub fn begin_re_search(&mut self, p: &Node<G>) {
        self.counters.re_searches += 1;
        if let Some(parent) = p.ply.checked_sub(1) {
            self.path[parent as usize].children_searched -= 1;
        }
        if let Some(trace) = &mut self.trace {
            trace.record(TraceEvent::ReSearch { node: p.id });
        }
    }

    /// Returns a stored value that is exact or causes a cutoff in `(alpha, beta)`, for the side to move.
    pub fn retrieve(&mut self, p: &Node<G>, depth: u32, alpha: Value, beta: Value) -> Option<Value> {
        let memory = self.memory.as_ref()?;
        let entry = memory.get(self.game.key(&p.position), depth)?;
        let (value, bound) = match entry {
            MemoryEntry { lower, upper, .. } if lower == upper => (*lower, Bound::Exact),
            MemoryEntry { lower, .. } if *lower >= beta => (*lower, Bound::Lower),
            MemoryEntry { upper, .. } if *upper <= alpha => (*upper, Bound::Upper),
            _ => return None,
        };
        self.counters.hits += 1;
        if let Some(best) = entry.best.filter(|_| bound != Bound::Upper) {
            self.variations[p.ply as usize].push(best);
        }
        if let Some(trace) = &mut self.trace {
            let bound = match (bound, p.kind()) {
                (Bound::Lower, NodeKind::Min) => Bound::Upper,
                (Bound::Upper, NodeKind::Min) => Bound::Lower,
                (bound, _) => bound,
            };
            trace.record(TraceEvent::MemoryHit { node: p.id, value: value * p.kind().sign(), bound });
        }
        Some(value)
    }

    /// Stores the result of a search of `p` with the window `(alpha, beta)` and returns it.
    ///
    /// All values are for the side to move. Existing bounds are kept if they are tighter.
    pub fn store(&mut self, p: &Node<G>, depth: u32, alpha: Value, beta: Value, value: Value) -> Value {
        if let Some(memory) = &mut self.memory {
            let best = self.variations[p.ply as usize].last().copied();
            let entry = memory.entry(self.game.key(&p.position), depth);
            if value < beta {
                entry.upper = entry.upper.min(value);
            }
            if value > alpha {
                entry.lower = entry.lower.max(value);
            }
            // After a fail low the best move is only a guess and must not replace a proven one.
            if value > alpha || entry.best.is_none() {
                entry.best = best.or(entry.best);
            }
        }
        value
    }

    /// Stores the exact value of a leaf for the side to move and returns it.
    pub fn store_leaf(&mut self, p: &Node<G>, depth: u32, value: Value) -> Value {
        self.store(p, depth, -UNBOUNDED, UNBOUNDED, value)
    }

    /// Sets the principal variation, for searches that do not build it move by move.
    pub fn set_variation(&mut self, mut variation: Vec<G::Move>) {
        variation.reverse();
        self.variations.clear();
        self.variations.push(variation);
    }

    /// Returns the window `(alpha, beta)` of `p`, narrowed by its stored bounds.
    ///
    /// The result replaces the window with which the node was entered. All values are for the side to move.
    pub fn narrow(&mut self, p: &Node<G>, depth: u32, alpha: Value, beta: Value) -> (Value, Value) {
        let entry = self.memory.as_ref().and_then(|memory| memory.get(self.game.key(&p.position), depth));
        let narrowed = entry.map_or((alpha, beta), |entry| (alpha.max(entry.lower), beta.min(entry.upper)));
        let (alpha, beta) = self.window_to_max_perspective(p, narrowed.0, narrowed.1);
        let frame = &mut self.path[p.ply as usize];
        (frame.alpha, frame.beta) = (alpha, beta);
        narrowed
    }

    /// Returns the stored upper bound of a position for the side to move, `UNBOUNDED` if there is none.
    #[must_use]
    pub fn stored_upper_bound(&self, p: &Node<G>, depth: u32) -> Value {
        let entry = self.memory.as_ref().and_then(|memory| memory.get(self.game.key(&p.position), depth));
        entry.map_or(UNBOUNDED, |entry| entry.upper)
    }

    /// Returns the result of null-window passes with this value; best move and PV come from memory.
    ///
    /// The best move of the root is the one of the last pass that failed high. The variation is as long as the
    /// memory contains exact values.
    pub fn finish_from_memory(&mut self, root: &G::Position, depth: u32, value: Value) -> TreeSearchOutcome<G::Move> {
        let entry = self.memory.as_ref().and_then(|memory| memory.get(self.game.key(root), depth));
        let proven_move = entry.and_then(|entry| entry.best);
        let mut variation = self.variation_from_memory(root, depth, value);
        if variation.first() != proven_move.as_ref() {
            variation = proven_move.into_iter().collect();
        }
        self.set_variation(variation);
        self.finish(value)
    }

    /// Returns the variation from the root to a leaf of this value, as far as the memory contains it.
    fn variation_from_memory(&self, root: &G::Position, depth: u32, value: Value) -> Vec<G::Move> {
        let mut variation = Vec::new();
        let Some(memory) = &self.memory else {
            return variation;
        };
        let (mut position, mut target) = (root.clone(), value);
        for depth in (0..depth).rev() {
            target = -target;
            let exact = |mv: &G::Move| {
                let child = self.game.play(&position, *mv);
                memory
                    .get(self.game.key(&child), depth)
                    .is_some_and(|entry| entry.lower == target && entry.upper == target)
            };
            let Some(mv) = self.game.moves(&position).into_iter().find(exact) else {
                break;
            };
            position = self.game.play(&position, mv);
            variation.push(mv);
        }
        variation
    }

    /// Records in the trace that a state of the OPEN list of SSS\* was taken; `merit` is for MAX.
    pub fn record_state(&mut self, n: &Node<G>, merit: Value, solved: bool) {
        if let Some(trace) = &mut self.trace {
            trace.record(TraceEvent::SelectState { node: n.id, merit, solved });
        }
    }

    fn to_max_perspective(&self, p: &Node<G>, value: Value) -> Value {
        match self.perspective {
            Perspective::Max => value,
            Perspective::SideToMove => value * p.kind().sign(),
        }
    }

    fn window_to_max_perspective(&self, p: &Node<G>, alpha: Value, beta: Value) -> (Value, Value) {
        match (self.perspective, p.kind()) {
            (Perspective::SideToMove, NodeKind::Min) => (-beta, -alpha),
            _ => (alpha, beta),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::LiteralTree;

    #[test]
    fn cutoff_before_the_first_move_is_not_a_first_move_cutoff() {
        let tree = LiteralTree::parse("((3 5)(2 9))").expect("valid");
        let mut ctx = SearchContext::new(&tree);
        let root = ctx.begin(&tree.root(), Perspective::SideToMove);
        ctx.enter(&root, 0, 1).expect("no limit");
        let mv = ctx.ordered_moves(&root, 2)[0];
        ctx.cutoff(&root, mv, 1);
        assert_eq!((ctx.counters.cutoffs(), ctx.counters.first_move_cutoffs), (1, 0));
        let child = ctx.child(&root, mv);
        ctx.enter(&child, -1, 0).expect("no limit");
        ctx.cutoff(&root, mv, 1);
        assert_eq!((ctx.counters.cutoffs(), ctx.counters.first_move_cutoffs), (2, 1));
    }
}
