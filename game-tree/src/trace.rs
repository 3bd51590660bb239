//! The trace of a search for drawings: every generated node and every step, in order.
//!
//! Nodes are numbered in the order in which they were generated; a node that a later pass visits again keeps its
//! number, so that the drawing of MTD(f) shows one tree and many passes. All values are for MAX.

use crate::{Bound, GameTree, Value};

/// One node of the recorded tree.
#[derive(Clone, Debug)]
pub struct TraceNode<M> {
    /// The number of the parent; `None` for the root.
    pub parent: Option<u32>,
    /// The numbers of the children in the order of the first search; empty if they were not generated.
    pub children: Vec<u32>,
    /// The move that leads to this node; `None` for the root.
    pub mv: Option<M>,
    /// The index of that move in generation order; 0 for the root.
    pub index: u32,
    /// The move in its usual notation.
    pub name: String,
    /// The description of the position, set when the node is first visited.
    pub description: String,
    /// Plies from the root.
    pub ply: u32,
}

/// One step of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each event describes its fields")]
pub enum TraceEvent {
    /// A pass starts at the root; passes are numbered from 1.
    Pass { number: u64 },
    /// A node is entered with a window.
    Enter { node: u32, alpha: Value, beta: Value },
    /// A leaf is evaluated.
    Leaf { node: u32, value: Value },
    /// The tentative value of a node changes.
    Tentative { node: u32, value: Value },
    /// The remaining children of a node are cut off by a bound; `by` is the ancestor where the bound was
    /// found, `None` for a bound of the initial window or from memory.
    Cut { node: u32, bound: Value, by: Option<u32> },
    /// A node is left with its final value for this visit: exact, or a bound.
    Leave { node: u32, value: Value, bound: Bound },
    /// The value of a node is found in memory: exact, or a bound that causes a cutoff.
    MemoryHit { node: u32, value: Value, bound: Bound },
    /// The subtree of a node is searched again.
    ReSearch { node: u32 },
    /// SSS\*: the state with the highest merit is taken from the OPEN list; `solved`, otherwise live.
    SelectState { node: u32, merit: Value, solved: bool },
}

impl TraceEvent {
    /// Returns the number of the node of this step.
    #[must_use]
    pub const fn node(&self) -> u32 {
        match *self {
            Self::Pass { .. } => 0,
            Self::Enter { node, .. }
            | Self::Leaf { node, .. }
            | Self::Tentative { node, .. }
            | Self::Cut { node, .. }
            | Self::Leave { node, .. }
            | Self::MemoryHit { node, .. }
            | Self::ReSearch { node }
            | Self::SelectState { node, .. } => node,
        }
    }
}

/// The recorded search; see the module documentation.
#[derive(Clone, Debug)]
pub struct Trace<M> {
    /// The nodes; the root is number 0.
    pub nodes: Vec<TraceNode<M>>,
    /// The steps.
    pub events: Vec<TraceEvent>,
    /// Maximum number of recorded nodes; further nodes have the number [`Trace::NOT_RECORDED`].
    pub max_nodes: usize,
    /// Whether nodes or steps were omitted because of the limit.
    pub truncated: bool,
    /// Passes started, in all iterations of iterative deepening.
    passes: u64,
}

impl<M: Copy + PartialEq> Trace<M> {
    /// The number of nodes that are not recorded.
    pub const NOT_RECORDED: u32 = u32::MAX;

    /// Creates an empty trace of at most `max_nodes` nodes and 20 steps per node.
    #[must_use]
    pub fn new(max_nodes: usize) -> Self {
        let root = TraceNode {
            parent: None,
            children: Vec::new(),
            mv: None,
            index: 0,
            name: String::new(),
            description: String::new(),
            ply: 0,
        };
        Self { nodes: vec![root], events: Vec::new(), max_nodes: max_nodes.max(1), truncated: false, passes: 0 }
    }

    /// Records a step, up to 20 for each node that the trace can hold.
    pub fn record(&mut self, event: TraceEvent) {
        // Nodes can be visited many times (passes, re-searches), so the steps need a limit, too.
        if event.node() == Self::NOT_RECORDED || self.events.len() >= self.max_nodes.saturating_mul(20) {
            self.truncated = true;
        } else {
            self.events.push(event);
        }
    }

    /// Records the start of a pass.
    pub fn pass(&mut self, description: impl FnOnce() -> String) {
        if self.nodes[0].description.is_empty() {
            self.nodes[0].description = description();
        }
        self.passes += 1;
        self.record(TraceEvent::Pass { number: self.passes });
    }

    /// Returns the number of the child to which a move leads.
    #[must_use]
    pub fn child(&self, parent: u32, mv: M) -> u32 {
        let Some(parent) = self.nodes.get(parent as usize) else {
            return Self::NOT_RECORDED;
        };
        let found = parent.children.iter().find(|&&child| self.nodes[child as usize].mv == Some(mv));
        found.copied().unwrap_or(Self::NOT_RECORDED)
    }

    /// Records the children of a node: `moves` in search order, `generated` the same moves in generation order.
    pub fn children(&mut self, parent: u32, moves: &[M], generated: &[M], name: impl Fn(M) -> String) {
        let Some(node) = self.nodes.get(parent as usize) else {
            return;
        };
        if !node.children.is_empty() {
            return;
        }
        let ply = node.ply + 1;
        for &mv in moves {
            if self.nodes.len() >= self.max_nodes {
                self.truncated = true;
                return;
            }
            let id = self.nodes.len() as u32;
            self.nodes[parent as usize].children.push(id);
            self.nodes.push(TraceNode {
                parent: Some(parent),
                children: Vec::new(),
                mv: Some(mv),
                index: generated.iter().position(|&other| other == mv).unwrap_or_default() as u32,
                name: name(mv),
                description: String::new(),
                ply,
            });
        }
    }

    /// Records that a node is entered.
    pub fn enter(&mut self, node: u32, alpha: Value, beta: Value, description: impl FnOnce() -> String) {
        if let Some(recorded) = self.nodes.get_mut(node as usize)
            && recorded.description.is_empty()
        {
            recorded.description = description();
        }
        self.record(TraceEvent::Enter { node, alpha, beta });
    }

    /// Adds the nodes that the search did not visit, down to `depth`, up to the node limit.
    ///
    /// With them the drawing of a small tree shows the whole tree.
    pub fn add_unvisited<G: GameTree<Move = M>>(&mut self, game: &G, root: &G::Position, depth: u32) {
        let mut pending = vec![(0u32, root.clone())];
        while let Some((id, position)) = pending.pop() {
            let ply = self.nodes[id as usize].ply;
            if self.nodes[id as usize].description.is_empty() {
                self.nodes[id as usize].description = game.describe(&position);
            }
            if ply >= depth {
                continue;
            }
            let moves = game.moves(&position);
            self.children(id, &moves, &moves, |mv| game.move_name(&position, mv));
            for &child in self.nodes[id as usize].children.iter().rev() {
                if let Some(mv) = self.nodes[child as usize].mv {
                    pending.push((child, game.play(&position, mv)));
                }
            }
        }
    }
}
