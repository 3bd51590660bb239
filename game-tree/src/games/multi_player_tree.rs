//! A tree for two or more players: player 0 moves at the root, then players 1, 2, … in turn.

use crate::Value;
use crate::algorithms::max_n::MultiPlayerGame;

/// A node with everything below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MultiPlayerTree {
    /// A leaf: the payoff of each player, as many at every leaf.
    Leaf(Vec<Value>),
    /// An inner node: its children, at least one.
    Inner(Vec<Self>),
}

impl MultiPlayerGame for MultiPlayerTree {
    type Position = Self;

    fn players(&self) -> usize {
        match self {
            Self::Leaf(payoffs) => payoffs.len(),
            Self::Inner(children) => children[0].players(),
        }
    }

    fn children(&self, node: &Self) -> Vec<Self> {
        match node {
            Self::Leaf(_) => Vec::new(),
            Self::Inner(children) => children.clone(),
        }
    }

    fn payoffs(&self, node: &Self) -> Vec<Value> {
        match node {
            Self::Leaf(payoffs) => payoffs.clone(),
            Self::Inner(_) => Vec::new(),
        }
    }
}
