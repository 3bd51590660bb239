//! The tree to search: from text or of a chess position.
//!
//! One type for both, so that every algorithm is compiled only once; this halves the code of the WebAssembly file.

use crate::board::game::Game;
use crate::board::position::{SetupError, parse_fen};
use crate::game_tree::GameTree;
use crate::game_tree::games::chess::{Chess, DrawRules, LeafEvaluation};
use crate::game_tree::games::literal_tree::ParseTreeError;
use crate::game_tree::games::{FrozenPst, LiteralTree};
use crate::score::Score;

/// A tree to search.
#[derive(Clone, Debug)]
pub enum TreeInput {
    /// A tree from text.
    Literal(LiteralTree),
    /// The tree of a chess position, with static leaves.
    Chess(Box<Chess<FrozenPst>>),
}

type ChessPosition = <Chess<FrozenPst> as GameTree>::Position;

/// A position of a [`TreeInput`].
#[derive(Clone, Debug)]
pub enum TreePosition {
    /// The number of a node.
    Literal(u32),
    /// A chess position.
    Chess(Box<ChessPosition>),
}

/// A move of a [`TreeInput`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TreeMove {
    /// The index of a child.
    Literal(u32),
    /// A chess move.
    Chess(shakmaty::Move),
}

impl TreeMove {
    /// Returns the index of the child in the tree text; `None` for a chess move.
    pub(super) const fn child_index(self) -> Option<u32> {
        match self {
            Self::Literal(index) => Some(index),
            Self::Chess(_) => None,
        }
    }
}

impl TreeInput {
    /// Parses a tree text.
    ///
    /// # Errors
    /// [`ParseTreeError`] with the position of the error.
    pub fn from_text(text: &str) -> Result<Self, ParseTreeError> {
        LiteralTree::parse(text).map(Self::Literal)
    }

    /// Parses a FEN.
    ///
    /// # Errors
    /// [`SetupError`] if the FEN is malformed or the position is illegal.
    pub fn from_fen(fen: &str) -> Result<Self, SetupError> {
        let game = Game::new(parse_fen(fen)?);
        Ok(Self::Chess(Box::new(Chess::new(game, FrozenPst, LeafEvaluation::Static, DrawRules::PathIndependent))))
    }

    /// Returns the default search depth: 2 plies for chess, the whole tree for a tree from text.
    #[must_use]
    pub fn default_depth(&self) -> u32 {
        match self {
            Self::Literal(tree) => tree.depth(),
            Self::Chess(_) => 2,
        }
    }
}

const MISMATCH: &str = "positions and moves are of the kind of their tree";

impl GameTree for TreeInput {
    type Position = TreePosition;
    type Move = TreeMove;

    fn root(&self) -> TreePosition {
        match self {
            Self::Literal(tree) => TreePosition::Literal(tree.root()),
            Self::Chess(chess) => TreePosition::Chess(Box::new(chess.root())),
        }
    }

    fn moves(&self, position: &TreePosition) -> Vec<TreeMove> {
        match (self, position) {
            (Self::Literal(tree), TreePosition::Literal(node)) => {
                tree.moves(node).into_iter().map(TreeMove::Literal).collect()
            }
            (Self::Chess(chess), TreePosition::Chess(position)) => {
                chess.moves(position).into_iter().map(TreeMove::Chess).collect()
            }
            _ => unreachable!("{MISMATCH}"),
        }
    }

    fn play(&self, position: &TreePosition, mv: TreeMove) -> TreePosition {
        match (self, position, mv) {
            (Self::Literal(tree), TreePosition::Literal(node), TreeMove::Literal(mv)) => {
                TreePosition::Literal(tree.play(node, mv))
            }
            (Self::Chess(chess), TreePosition::Chess(position), TreeMove::Chess(mv)) => {
                TreePosition::Chess(Box::new(chess.play(position, mv)))
            }
            _ => unreachable!("{MISMATCH}"),
        }
    }

    fn value(&self, position: &TreePosition) -> Score {
        match (self, position) {
            (Self::Literal(tree), TreePosition::Literal(node)) => tree.value(node),
            (Self::Chess(chess), TreePosition::Chess(position)) => chess.value(position),
            _ => unreachable!("{MISMATCH}"),
        }
    }

    fn key(&self, position: &TreePosition) -> u64 {
        match (self, position) {
            (Self::Literal(tree), TreePosition::Literal(node)) => tree.key(node),
            (Self::Chess(chess), TreePosition::Chess(position)) => chess.key(position),
            _ => unreachable!("{MISMATCH}"),
        }
    }

    fn gain(&self, position: &TreePosition, mv: TreeMove) -> Score {
        match (self, position, mv) {
            (Self::Literal(tree), TreePosition::Literal(node), TreeMove::Literal(mv)) => tree.gain(node, mv),
            (Self::Chess(chess), TreePosition::Chess(position), TreeMove::Chess(mv)) => chess.gain(position, mv),
            _ => unreachable!("{MISMATCH}"),
        }
    }

    fn move_name(&self, position: &TreePosition, mv: TreeMove) -> String {
        match (self, position, mv) {
            (Self::Literal(tree), TreePosition::Literal(node), TreeMove::Literal(mv)) => tree.move_name(node, mv),
            (Self::Chess(chess), TreePosition::Chess(position), TreeMove::Chess(mv)) => chess.move_name(position, mv),
            _ => unreachable!("{MISMATCH}"),
        }
    }

    fn describe(&self, position: &TreePosition) -> String {
        match (self, position) {
            (Self::Chess(chess), TreePosition::Chess(position)) => chess.describe(position),
            _ => String::new(),
        }
    }
}
