//! A tree from text: `((3 5)(2 9))`.
//!
//! A number is a leaf, a pair of brackets an inner node, and the root is MAX; the value of a leaf is for MAX.
//! An inner node has the static value 0, which matters only to a depth limit, iterative deepening, the pre-search and
//! the default guess.
//! `inf`, `+inf`, `-inf` and `∞` are the largest and smallest values. Any node can have a name, a word before its
//! bracket or `name=` before its number: `A(B(D=2 E=1) C(G=6 H=9))`. Spaces, commas and line breaks separate
//! nodes. The parser does not recurse, so that the nesting depth is not limited by the call stack.

use crate::{GameTree, MAX_VALUE, Value};
use thiserror::Error;

/// A syntax error in a tree text, with its position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("character {position} (line {line}, column {column}) of the tree: {problem}")]
pub struct ParseTreeError {
    /// The position of the error in characters, from 1; one past the end if the text ends too early.
    pub position: usize,
    /// The line of the error, from 1.
    pub line: usize,
    /// The column of the error in characters, from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub problem: String,
}

/// The maximum number of nodes of a tree text.
pub const MAX_NODES: usize = 5_000_000;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct TreeNode {
    name: String,
    children: Vec<u32>,
    value: Value,
    ply: u32,
}

/// A tree in memory; for the text form see the module documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiteralTree {
    nodes: Vec<TreeNode>,
}

impl LiteralTree {
    /// Parses a tree.
    ///
    /// # Errors
    /// [`ParseTreeError`] with the position of the error.
    pub fn parse(text: &str) -> Result<Self, ParseTreeError> {
        Parser { text, tree: Self { nodes: Vec::new() }, open_nodes: Vec::new() }.run()
    }

    /// Builds the tree of a game down to `depth`; `None` if it has more than `max_nodes` nodes.
    pub fn from_game<G: GameTree>(game: &G, root: &G::Position, depth: u32, max_nodes: usize) -> Option<Self> {
        let mut tree = Self { nodes: vec![TreeNode::default()] };
        let mut pending = vec![(0usize, root.clone())];
        while let Some((index, position)) = pending.pop() {
            let ply = tree.nodes[index].ply;
            let moves = if ply < depth { game.moves(&position) } else { Vec::new() };
            if moves.is_empty() {
                tree.nodes[index].value = game.value(&position) * sign(ply);
            }
            for mv in moves {
                if tree.nodes.len() >= max_nodes {
                    return None;
                }
                let child = tree.nodes.len();
                tree.nodes[index].children.push(child as u32);
                tree.nodes.push(TreeNode { ply: ply + 1, ..TreeNode::default() });
                pending.push((child, game.play(&position, mv)));
            }
        }
        Some(tree)
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always returns `false`, because a tree has at least a root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of leaves.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.children.is_empty()).count()
    }

    /// Returns the number of plies from the root to the deepest leaf.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.nodes.iter().map(|node| node.ply).max().unwrap_or(0)
    }

    /// Returns the name of a node; empty if it has none.
    #[must_use]
    pub fn name(&self, node: u32) -> &str {
        self.nodes.get(node as usize).map_or("", |node| node.name.as_str())
    }

    /// Returns the names of nodes given by their keys, as in `SearchContext::leaf_log`.
    #[must_use]
    pub fn names(&self, keys: &[u64]) -> Vec<&str> {
        keys.iter().map(|&key| self.name(key as u32)).collect()
    }

    /// Returns the text form, which [`LiteralTree::parse`] accepts.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // `None` stands for a closing bracket.
        let mut pending = vec![Some(0u32)];
        while let Some(item) = pending.pop() {
            let Some(index) = item else {
                text.push(')');
                continue;
            };
            let node = &self.nodes[index as usize];
            if !text.is_empty() && !text.ends_with('(') {
                text.push(' ');
            }
            text.push_str(&node.name);
            if node.children.is_empty() {
                if !node.name.is_empty() {
                    text.push('=');
                }
                text.push_str(&self.value_name(node.value));
            } else {
                text.push('(');
                pending.push(None);
                pending.extend(node.children.iter().rev().map(|&child| Some(child)));
            }
        }
        text
    }
}

const fn sign(ply: u32) -> Value {
    if ply.is_multiple_of(2) { 1 } else { -1 }
}

impl GameTree for LiteralTree {
    /// The number of the node in the order of the text; the root is 0.
    type Position = u32;
    /// The index of the child, from 0.
    type Move = u32;

    fn root(&self) -> u32 {
        0
    }

    fn moves(&self, &node: &u32) -> Vec<u32> {
        (0..self.nodes[node as usize].children.len() as u32).collect()
    }

    fn play(&self, &node: &u32, mv: u32) -> u32 {
        self.nodes[node as usize].children[mv as usize]
    }

    fn value(&self, &node: &u32) -> Value {
        let node = &self.nodes[node as usize];
        node.value * sign(node.ply)
    }

    fn key(&self, &node: &u32) -> u64 {
        u64::from(node)
    }

    fn move_name(&self, position: &u32, mv: u32) -> String {
        let name = self.name(self.play(position, mv));
        if name.is_empty() { (mv + 1).to_string() } else { name.to_owned() }
    }

    fn value_name(&self, value: Value) -> String {
        match value {
            MAX_VALUE => "inf".to_owned(),
            value if value == -MAX_VALUE => "-inf".to_owned(),
            value => value.to_string(),
        }
    }

    fn root_name(&self) -> String {
        let name = self.name(0);
        if name.is_empty() { "root".to_owned() } else { name.to_owned() }
    }

    /// Returns the name in the text; for a node without one, the child numbers from the root, such as `2.1`.
    fn node_name(&self, parent: &str, move_name: &str) -> String {
        let is_number = move_name.starts_with(|c: char| c.is_ascii_digit());
        if is_number { format!("{parent}.{move_name}") } else { move_name.to_owned() }
    }
}

struct Parser<'a> {
    text: &'a str,
    tree: LiteralTree,
    /// The inner nodes whose bracket is not closed yet.
    open_nodes: Vec<u32>,
}

impl<'a> Parser<'a> {
    fn run(mut self) -> Result<LiteralTree, ParseTreeError> {
        let text = self.text;
        let mut offset = 0;
        while let Some(c) = text[offset..].chars().next() {
            if c.is_whitespace() || c == ',' {
                offset += c.len_utf8();
            } else if c == ')' {
                self.close(offset)?;
                offset += 1;
            } else {
                if self.open_nodes.is_empty() && !self.tree.nodes.is_empty() {
                    return Err(self.error_at(offset, "unexpected text after the end of the tree"));
                }
                offset = self.node(offset, c)?;
            }
        }
        if !self.open_nodes.is_empty() {
            let count = self.open_nodes.len();
            return Err(self.error_at(offset, format!("unexpected end of text; {count} unclosed bracket(s)")));
        }
        if self.tree.nodes.is_empty() {
            return Err(self.error_at(offset, "the text is empty; expected a number or `(`"));
        }
        Ok(self.tree)
    }

    fn close(&mut self, offset: usize) -> Result<(), ParseTreeError> {
        match self.open_nodes.pop() {
            None => Err(self.error_at(offset, "unmatched `)`")),
            Some(node) if self.tree.nodes[node as usize].children.is_empty() => {
                Err(self.error_at(offset, "empty brackets; an inner node needs at least one child"))
            }
            Some(_) => Ok(()),
        }
    }

    /// Parses a node that starts with `c` at byte `offset`; returns the offset of the rest.
    fn node(&mut self, offset: usize, c: char) -> Result<usize, ParseTreeError> {
        let word = self.word(offset);
        let is_name = c.is_alphabetic() || c == '_';
        let end = offset + word.len();
        let rest = self.text[end..].trim_start();
        let next = self.text.len() - rest.len();
        if c == '(' {
            self.add(offset, "", None)?;
            return Ok(offset + 1);
        }
        if is_name && !word.eq_ignore_ascii_case("inf") {
            if rest.starts_with('(') {
                self.add(offset, word, None)?;
                return Ok(next + 1);
            }
            if !rest.starts_with('=') {
                return Err(self.error_at(end, format!("expected `(` or `=` and a number after the name `{word}`")));
            }
            let rest = rest[1..].trim_start();
            let start = self.text.len() - rest.len();
            let number = self.word(start);
            if number.is_empty() {
                return Err(self.error_at(start, format!("expected a number after `{word}=`")));
            }
            let value = self.number(start, number)?;
            self.add(offset, word, Some(value))?;
            return Ok(start + number.len());
        }
        if word.is_empty() {
            return Err(self.error_at(offset, format!("unexpected `{c}`")));
        }
        let value = self.number(offset, word)?;
        self.add(offset, "", Some(value))?;
        Ok(end)
    }

    /// Returns the longest run of name or number characters from byte `offset`.
    fn word(&self, offset: usize) -> &'a str {
        let rest = &self.text[offset..];
        let is_word_char = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.' | '+' | '-' | '−' | '∞');
        let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    fn number(&self, offset: usize, word: &str) -> Result<Value, ParseTreeError> {
        let digits = word.replace('−', "-");
        match digits.to_lowercase().as_str() {
            "inf" | "+inf" | "∞" | "+∞" => return Ok(MAX_VALUE),
            "-inf" | "-∞" => return Ok(-MAX_VALUE),
            _ => {}
        }
        let body = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
        if body.is_empty() || !body.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.error_at(offset, format!("`{word}` is not an integer, `inf` or `-inf`")));
        }
        match digits.parse::<Value>() {
            Ok(value) if (-MAX_VALUE..=MAX_VALUE).contains(&value) => Ok(value),
            _ => Err(self.error_at(offset, format!("{word} is outside -{MAX_VALUE}..={MAX_VALUE}"))),
        }
    }

    /// Adds a leaf (with a value) or an inner node (without).
    fn add(&mut self, offset: usize, name: &str, value: Option<Value>) -> Result<(), ParseTreeError> {
        if self.tree.nodes.len() >= MAX_NODES {
            return Err(self.error_at(offset, format!("the tree has more than {MAX_NODES} nodes, the limit")));
        }
        let id = self.tree.nodes.len() as u32;
        if let Some(&parent) = self.open_nodes.last() {
            self.tree.nodes[parent as usize].children.push(id);
        }
        let ply = self.open_nodes.len() as u32;
        let node = TreeNode { name: name.to_owned(), value: value.unwrap_or(0), ply, children: Vec::new() };
        self.tree.nodes.push(node);
        if value.is_none() {
            self.open_nodes.push(id);
        }
        Ok(())
    }

    fn error_at(&self, offset: usize, problem: impl Into<String>) -> ParseTreeError {
        let preceding = &self.text[..offset];
        let line_start = preceding.rfind('\n').map_or(0, |newline| newline + 1);
        ParseTreeError {
            position: preceding.chars().count() + 1,
            line: preceding.matches('\n').count() + 1,
            column: preceding[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }
}
