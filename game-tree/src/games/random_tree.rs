//! Random trees and perfectly ordered trees, generated from a seed and never stored.
//!
//! A node of [`RandomTree`] carries its own minimax value: it passes that value to one child and worse values to
//! the others, so that the ordering quality is a parameter (how often the best child comes first) and the value
//! of the root is known without a search. Other parameters are width, depth, the frequency of early leaves, and
//! the range of values (a small range gives many ties). [`OrderedTree`] is the uniform tree of the cost theory,
//! with the best or the worst child first at every node: alpha-beta visits the minimal tree of the former and
//! every leaf of the latter. A tree of any size needs no memory.
//! <https://www.chessprogramming.org/Alpha-Beta#Savings>

use crate::memory::splitmix64;
use crate::{GameTree, Value};

/// Parameters of a random tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomTree {
    /// Seed of all random choices.
    pub seed: u64,
    /// Minimum and maximum number of children of an inner node; at least 1.
    pub width: (u32, u32),
    /// Plies to the deepest leaf.
    pub depth: u32,
    /// Bound on the absolute value of leaves; a small number gives many ties.
    pub max_abs_value: Value,
    /// Percentage of inner nodes whose best child comes first; at the others its index is random.
    pub best_first_percent: u32,
    /// Percentage of nodes above the maximum depth, except the root, that are leaves.
    pub early_leaf_percent: u32,
}

/// A node of a random tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomNode {
    hash: u64,
    ply: u32,
    /// The minimax value for the side to move.
    value: Value,
}

impl RandomTree {
    /// Returns a number below `below` that depends only on node, purpose and seed.
    const fn random(&self, hash: u64, purpose: u64, below: u64) -> u64 {
        splitmix64(hash ^ splitmix64(purpose ^ self.seed.rotate_left(32))) % below
    }

    fn width_of(&self, node: &RandomNode) -> u32 {
        if node.ply >= self.depth {
            return 0;
        }
        if node.ply > 0 && self.random(node.hash, 1, 100) < u64::from(self.early_leaf_percent) {
            return 0;
        }
        let (min, max) = self.width;
        min + self.random(node.hash, 2, u64::from(max - min) + 1) as u32
    }

    fn best_child(&self, node: &RandomNode, width: u32) -> u32 {
        if self.random(node.hash, 3, 100) < u64::from(self.best_first_percent) {
            0
        } else {
            self.random(node.hash, 4, u64::from(width)) as u32
        }
    }
}

impl GameTree for RandomTree {
    type Position = RandomNode;
    type Move = u32;

    fn root(&self) -> RandomNode {
        let hash = splitmix64(self.seed);
        let span = self.max_abs_value as u64 * 2 + 1;
        RandomNode { hash, ply: 0, value: self.random(hash, 5, span) as Value - self.max_abs_value }
    }

    fn moves(&self, node: &RandomNode) -> Vec<u32> {
        (0..self.width_of(node)).collect()
    }

    fn play(&self, node: &RandomNode, mv: u32) -> RandomNode {
        let hash = splitmix64(node.hash ^ splitmix64(u64::from(mv) + 1));
        // Child values are for the opponent: a higher value is worse for this node.
        let best_value = -node.value;
        let value = if mv == self.best_child(node, self.width_of(node)) {
            best_value
        } else {
            let range = u64::from((self.max_abs_value - best_value).unsigned_abs());
            best_value + self.random(hash, 6, range + 1) as Value
        };
        RandomNode { hash, ply: node.ply + 1, value }
    }

    fn value(&self, node: &RandomNode) -> Value {
        node.value
    }

    fn key(&self, node: &RandomNode) -> u64 {
        node.hash
    }

    fn move_name(&self, _: &RandomNode, mv: u32) -> String {
        (mv + 1).to_string()
    }
}

/// A uniform tree in best or worst order.
///
/// Up to 60,000 leaves all values are different. In larger trees neighboring leaves share values, which keeps
/// the best order perfect but makes the worst order less bad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderedTree {
    /// Children of every inner node; at least 1.
    pub width: u32,
    /// Plies from the root to every leaf.
    pub depth: u32,
    /// Whether the best child (`true`) or the worst child (`false`) comes first at every node.
    pub best_first: bool,
}

/// A node of an ordered tree: its leaves have the ranks `first_rank..first_rank + leaves`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderedNode {
    first_rank: u64,
    leaves: u64,
    ply: u32,
    path_index: u64,
}

impl GameTree for OrderedTree {
    type Position = OrderedNode;
    type Move = u32;

    fn root(&self) -> OrderedNode {
        let leaves = u64::from(self.width).saturating_pow(self.depth);
        OrderedNode { first_rank: 0, leaves, ply: 0, path_index: 1 }
    }

    fn moves(&self, node: &OrderedNode) -> Vec<u32> {
        if node.ply >= self.depth { Vec::new() } else { (0..self.width).collect() }
    }

    fn play(&self, node: &OrderedNode, mv: u32) -> OrderedNode {
        let leaves = node.leaves / u64::from(self.width);
        // High ranks are good for MAX, low ones for MIN.
        let high_first = node.ply.is_multiple_of(2) == self.best_first;
        let slot = u64::from(if high_first { self.width - 1 - mv } else { mv });
        let path_index = node.path_index.wrapping_mul(self.width.into()).wrapping_add(u64::from(mv) + 1);
        OrderedNode { first_rank: node.first_rank + slot * leaves, leaves, ply: node.ply + 1, path_index }
    }

    fn value(&self, node: &OrderedNode) -> Value {
        const VALUE_SPAN: u128 = 60_000;
        let leaf_count = u128::from(self.root().leaves);
        let rank = u128::from(node.first_rank);
        let max_value = if leaf_count <= VALUE_SPAN { rank } else { rank * VALUE_SPAN / leaf_count } as Value
            - VALUE_SPAN as Value / 2;
        if node.ply.is_multiple_of(2) { max_value } else { -max_value }
    }

    fn key(&self, node: &OrderedNode) -> u64 {
        splitmix64(node.path_index)
    }
}
