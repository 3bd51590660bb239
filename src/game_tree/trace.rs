//! The record of a search for the picture: every node it knew of and everything it did, in order.
//!
//! Nodes are numbered in the order in which the search came to know them; a node that a later pass
//! visits again keeps its number, so that the drawing of MTD(f) shows one tree and many passes. All
//! values are for MAX.

use super::GameTree;
use crate::score::{Bound, Score};

/// One node of the recorded tree.
#[derive(Clone, Debug)]
pub struct TraceNode<M> {
    /// The parent's number; `None` for the root.
    pub parent: Option<u32>,
    /// The children's numbers in the game's own order; empty if they were never generated.
    pub children: Vec<u32>,
    /// The move that leads here; `None` for the root.
    pub mv: Option<M>,
    /// The move as a person writes it.
    pub name: String,
    /// The game's own description of the position, once the node was visited.
    pub description: String,
    /// Moves from the root.
    pub ply: u32,
}

/// One step of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A search from the root begins.
    Pass { number: u64 },
    /// A node is visited with a window.
    Enter { node: u32, alpha: Score, beta: Score },
    /// A leaf is evaluated.
    Leaf { node: u32, value: Score },
    /// A node's tentative value changes.
    Tentative { node: u32, value: Score },
    /// The rest of a node's children is cut off by a bound; `by` is the ancestor that holds it, `None`
    /// if it is the window the search was started with.
    Cut { node: u32, bound: Score, by: Option<u32> },
    /// A node's value is final for this visit: exact, or a bound on the true value.
    Leave { node: u32, value: Score, bound: Bound },
    /// A node is answered from memory, exactly or with a bound that suffices.
    MemoryHit { node: u32, value: Score, bound: Bound },
    /// A node's subtree is searched again.
    ReSearch { node: u32 },
    /// SSS*: the best state is taken from the OPEN list, with this merit; `solved` or still live.
    SelectState { node: u32, merit: Score, solved: bool },
}

/// The record. See the module's essay.
#[derive(Clone, Debug)]
pub struct Trace<M> {
    /// The nodes; the root is number 0.
    pub nodes: Vec<TraceNode<M>>,
    /// The steps.
    pub events: Vec<TraceEvent>,
    /// No more nodes than this are recorded; children beyond it share the number [`Trace::BEYOND`].
    pub max_nodes: usize,
    /// Were nodes or steps left out?
    pub truncated: bool,
}

impl<M: Copy + PartialEq> Trace<M> {
    /// The number of every node that is not recorded.
    pub const NOT_RECORDED: u32 = u32::MAX;

    /// An empty record of at most `max_nodes` nodes.
    #[must_use]
    pub fn new(max_nodes: usize) -> Self {
        let root = TraceNode {
            parent: None,
            children: Vec::new(),
            mv: None,
            name: String::new(),
            description: String::new(),
            ply: 0,
        };
        Self { nodes: vec![root], events: Vec::new(), max_nodes: max_nodes.max(1), truncated: false }
    }

    fn push(&mut self, node: u32, event: TraceEvent) {
        // A visit can be recorded several times (passes, re-searches): bound the steps as well.
        if node == Self::NOT_RECORDED || self.events.len() >= self.max_nodes.saturating_mul(20) {
            self.truncated = true;
        } else {
            self.events.push(event);
        }
    }

    /// A search from the root begins.
    pub fn pass(&mut self, number: u64, description: impl FnOnce() -> String) {
        if self.nodes[0].description.is_empty() {
            self.nodes[0].description = description();
        }
        self.push(0, TraceEvent::Pass { number });
    }

    /// The number of the child that a move leads to.
    #[must_use]
    pub fn child(&self, parent: u32, mv: M) -> u32 {
        let Some(parent) = self.nodes.get(parent as usize) else {
            return Self::NOT_RECORDED;
        };
        let found = parent.children.iter().find(|&&child| self.nodes[child as usize].mv == Some(mv));
        found.copied().unwrap_or(Self::NOT_RECORDED)
    }

    /// The children of a node are known, in the game's own order.
    pub fn children(&mut self, parent: u32, moves: &[M], name: impl Fn(M) -> String) {
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
                name: name(mv),
                description: String::new(),
                ply,
            });
        }
    }

    /// A node is visited.
    pub fn enter(&mut self, node: u32, alpha: Score, beta: Score, description: impl FnOnce() -> String) {
        if let Some(recorded) = self.nodes.get_mut(node as usize)
            && recorded.description.is_empty()
        {
            recorded.description = description();
        }
        self.push(node, TraceEvent::Enter { node, alpha, beta });
    }

    /// A leaf is evaluated.
    pub fn leaf(&mut self, node: u32, value: Score) {
        self.push(node, TraceEvent::Leaf { node, value });
    }

    /// A tentative value changes.
    pub fn tentative(&mut self, node: u32, value: Score) {
        self.push(node, TraceEvent::Tentative { node, value });
    }

    /// The rest of the children is cut off.
    pub fn cut(&mut self, node: u32, bound: Score, by: Option<u32>) {
        self.push(node, TraceEvent::Cut { node, bound, by });
    }

    /// A node is left with a value.
    pub fn leave(&mut self, node: u32, value: Score, bound: Bound) {
        self.push(node, TraceEvent::Leave { node, value, bound });
    }

    /// A node is answered from memory.
    pub fn hit(&mut self, node: u32, value: Score, bound: Bound) {
        self.push(node, TraceEvent::MemoryHit { node, value, bound });
    }

    /// A subtree is searched again.
    pub fn re_search(&mut self, node: u32) {
        self.push(node, TraceEvent::ReSearch { node });
    }

    /// The best state is taken from the OPEN list of SSS*.
    pub fn open(&mut self, node: u32, merit: Score, solved: bool) {
        self.push(node, TraceEvent::SelectState { node, merit, solved });
    }

    /// Adds what the search never saw (the subtrees it cut off), down to `depth`, as long as there is
    /// room: a picture of a small tree shows the whole tree.
    pub fn add_unvisited<G: GameTree<Move = M>>(&mut self, game: &G, root: &G::Position, depth: u32) {
        let was_truncated = self.truncated;
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
            self.children(id, &moves, |mv| game.move_name(&position, mv));
            for &child in self.nodes[id as usize].children.iter().rev() {
                if let Some(mv) = self.nodes[child as usize].mv {
                    pending.push((child, game.play(&position, mv)));
                }
            }
        }
        self.truncated |= was_truncated;
    }
}
