//! A tree for two or more players from text: `(([5 2 3] [1 8 1]) ([4 4 2] [6 0 4]))`.
//!
//! As in [`super::literal_tree`] a pair of brackets is an inner node; a leaf is the list of the payoffs of all
//! players in square brackets. Player 0 moves at the root, then players 1, 2, … in turn. Payoffs are integers.

use crate::algorithms::max_n::MultiPlayerGame;
use crate::{MAX_RECURSION_DEPTH, Value};
use thiserror::Error;

/// A syntax error in a tree text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("character {position} of the tree: {problem}")]
pub struct ParseMultiPlayerTreeError {
    /// The position in characters, from 1; one past the end if the text ends too early.
    pub position: usize,
    /// What is wrong and what was expected.
    pub problem: &'static str,
}

/// A node: the payoffs of a leaf, or children.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct MultiPlayerNode {
    payoffs: Vec<Value>,
    children: Vec<usize>,
}

/// A tree in memory; positions are node numbers and the root is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MultiPlayerTree {
    nodes: Vec<MultiPlayerNode>,
    players: usize,
}

impl MultiPlayerTree {
    /// Parses a tree.
    ///
    /// # Errors
    /// [`ParseMultiPlayerTreeError`] with the position of the error.
    pub fn parse(text: &str) -> Result<Self, ParseMultiPlayerTreeError> {
        let mut tree = Self { nodes: Vec::new(), players: 0 };
        let mut open_nodes: Vec<usize> = Vec::new();
        let mut payoffs: Option<Vec<Value>> = None;
        for (position, token) in tokens(text) {
            let fail = |problem| Err(ParseMultiPlayerTreeError { position, problem });
            match (token.as_str(), payoffs.take()) {
                ("(" | "[", None) => {
                    if open_nodes.is_empty() && !tree.nodes.is_empty() {
                        return fail("text after the end of the tree");
                    }
                    if let Some(&parent) = open_nodes.last() {
                        let child = tree.nodes.len();
                        tree.nodes[parent].children.push(child);
                    }
                    if token == "(" {
                        open_nodes.push(tree.nodes.len());
                    } else {
                        payoffs = Some(Vec::new());
                    }
                    tree.nodes.push(MultiPlayerNode::default());
                    if open_nodes.len() > MAX_RECURSION_DEPTH as usize {
                        return fail("deeper than 1000 plies, the limit of a recursive search");
                    }
                }
                ("]", Some(found)) => {
                    if found.len() < 2 || (tree.players != 0 && tree.players != found.len()) {
                        return fail("expected the payoffs of two or more players, as many at every leaf");
                    }
                    tree.players = found.len();
                    if let Some(leaf) = tree.nodes.last_mut() {
                        leaf.payoffs = found;
                    }
                }
                (")", None) => match open_nodes.pop() {
                    Some(node) if !tree.nodes[node].children.is_empty() => {}
                    Some(_) => return fail("empty brackets; an inner node needs at least one child"),
                    None => return fail("unmatched `)`"),
                },
                (number, Some(mut found)) => match number.parse() {
                    Ok(payoff) => {
                        found.push(payoff);
                        payoffs = Some(found);
                    }
                    Err(_) => return fail("expected an integer or `]`"),
                },
                _ => return fail("expected `(`, `)` or `[`"),
            }
        }
        if tree.nodes.is_empty() || !open_nodes.is_empty() || payoffs.is_some() {
            let position = text.chars().count() + 1;
            return Err(ParseMultiPlayerTreeError { position, problem: "unexpected end of text" });
        }
        Ok(tree)
    }
}

/// Returns brackets and words with their positions in characters, from 1.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut tokens: Vec<(usize, String)> = Vec::new();
    let mut in_word = false;
    for (index, c) in text.chars().enumerate() {
        let separator = c.is_whitespace() || c == ',';
        let bracket = "()[]".contains(c);
        match tokens.last_mut() {
            Some((_, word)) if in_word && !separator && !bracket => word.push(c),
            _ if !separator => tokens.push((index + 1, c.to_string())),
            _ => {}
        }
        in_word = !separator && !bracket;
    }
    tokens
}

impl MultiPlayerGame for MultiPlayerTree {
    type Position = usize;

    fn players(&self) -> usize {
        self.players
    }

    fn children(&self, &node: &usize) -> Vec<usize> {
        self.nodes[node].children.clone()
    }

    fn payoffs(&self, &node: &usize) -> Vec<Value> {
        self.nodes[node].payoffs.clone()
    }
}
