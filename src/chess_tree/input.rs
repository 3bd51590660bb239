//! A tree from text or of a chess position, and the searches of `aspirant tree` and of the page.
//!
//! One type for both, so that every algorithm is compiled only once; this halves the code of the WebAssembly file.

use game_tree_search::catalog::{Algorithm, AlgorithmSettings, find_algorithm};
use game_tree_search::games::LiteralTree;
use game_tree_search::games::literal_tree::ParseTreeError;
use game_tree_search::ordering::heuristic_names;
use game_tree_search::{
    GameTree, MoveOrdering, SearchContext, SearchCounters, Trace, TreePicture, TreeSearchError, TreeSearchOutcome,
};
use thiserror::Error;

use super::{Chess, ChessNode, DrawRules, LeafEvaluation};
use crate::board::game::Game;
use crate::board::position::{Position, SetupError, parse_fen, printable};
use crate::eval::pst::Pst;
use crate::score::Score;

/// The search of a tree and the size of its drawing.
#[derive(Clone, Debug)]
pub struct DrawSettings {
    /// The name of the algorithm.
    pub algorithm: String,
    /// Search depth in plies; `None`: 2 for chess, the whole tree for a tree from text.
    pub depth: Option<u32>,
    /// Names of ordering heuristics, `all` or `none`.
    pub ordering: Vec<String>,
    /// Whether algorithms that can use a memory have one.
    pub memory: bool,
    /// The expected value for aspiration and MTD(f).
    pub guess: Option<Score>,
    /// Half the width of aspiration windows.
    pub delta: Score,
    /// Maximum number of nodes in the drawing.
    pub max_drawn_nodes: usize,
    /// Node limit of the search, with the leaves of pre-searches.
    pub max_visited_nodes: u64,
}

/// Why a tree cannot be searched.
#[derive(Error, Debug)]
#[non_exhaustive]
pub enum TreeError {
    /// The algorithm is unknown.
    #[error("unknown algorithm '{0}'; `aspirant compare --list` lists the names")]
    Algorithm(String),
    /// An ordering heuristic is unknown.
    #[error("unknown ordering heuristic '{0}'; expected all, none or a list of {names}", names = heuristic_names())]
    Ordering(String),
    /// The tree text is malformed.
    #[error("{0}")]
    Tree(#[from] ParseTreeError),
    /// The FEN is invalid.
    #[error("{0}")]
    Position(#[from] SetupError),
    /// The search was stopped at a limit.
    #[error("{0}; use a smaller --depth")]
    Stopped(#[from] TreeSearchError),
}

/// A finished search.
struct Search {
    algorithm: &'static Algorithm,
    depth: u32,
    outcome: TreeSearchOutcome<TreeMove>,
    trace: Option<Trace<TreeMove>>,
}

/// The result and the cost of a search without a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SearchSummary {
    /// The minimax value of the root for MAX.
    pub value: Score,
    /// The name of the best move; `None` if the root is a leaf.
    pub best: Option<String>,
    /// The cost.
    pub counters: SearchCounters,
}

/// A tree to search.
#[derive(Clone, Debug)]
pub enum TreeInput {
    /// A tree from text.
    Literal(LiteralTree),
    /// The tree of a chess position.
    Chess(Box<Chess<Pst>>),
}

/// A position of a [`TreeInput`].
#[derive(Clone, Debug)]
pub enum TreePosition {
    /// The number of a node.
    Literal(u32),
    /// A chess position.
    Chess(Box<ChessNode>),
}

/// A move of a [`TreeInput`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TreeMove {
    /// The index of a child.
    Literal(u32),
    /// A chess move.
    Chess(shakmaty::Move),
}

impl TreeInput {
    /// Parses a tree text.
    ///
    /// # Errors
    /// [`ParseTreeError`] with the position of the error.
    pub fn from_text(text: &str) -> Result<Self, ParseTreeError> {
        LiteralTree::parse(text).map(Self::Literal)
    }

    /// Returns the tree of a chess position without its history, evaluated by [`Pst`].
    #[must_use]
    pub fn from_position(position: Position, leaf_evaluation: LeafEvaluation) -> Self {
        let game = Game::new(position);
        Self::Chess(Box::new(Chess::new(game, Pst, leaf_evaluation, DrawRules::PathIndependent)))
    }

    /// Parses a FEN; leaves are evaluated statically.
    ///
    /// # Errors
    /// [`SetupError`] if the FEN is malformed or the position is illegal.
    pub fn from_fen(fen: &str) -> Result<Self, SetupError> {
        Ok(Self::from_position(parse_fen(fen)?, LeafEvaluation::Static))
    }

    /// Returns the default search depth: 2 plies for chess, the whole tree for a tree from text.
    #[must_use]
    pub fn default_depth(&self) -> u32 {
        match self {
            Self::Literal(tree) => tree.depth(),
            Self::Chess(_) => 2,
        }
    }

    /// Runs a search and returns its drawing.
    ///
    /// # Errors
    /// [`TreeError`] if a name is unknown or the search reaches a limit.
    pub fn draw(&self, settings: &DrawSettings) -> Result<TreePicture, TreeError> {
        let trace = Trace::new(settings.max_drawn_nodes);
        let Search { algorithm, depth, outcome, trace } = self.search(settings, Some(trace))?;
        let mut trace = trace.unwrap_or_else(|| Trace::new(1));
        // The drawing of a small literal tree includes the subtrees that were cut off, unlike that of a chess position.
        if matches!(self, Self::Literal(_)) && trace.nodes.len() < 1_000 {
            trace.add_unvisited(self, &self.root(), depth);
        }
        Ok(TreePicture::new(self, &trace, &outcome, algorithm, depth))
    }

    /// Runs a search and returns its value and cost.
    ///
    /// # Errors
    /// [`TreeError`] if a name is unknown or the search reaches a limit.
    pub fn measure(&self, settings: &DrawSettings) -> Result<SearchSummary, TreeError> {
        let Search { outcome, .. } = self.search(settings, None)?;
        let best = outcome.best_move.map(|mv| self.move_name(&self.root(), mv));
        Ok(SearchSummary { value: outcome.value, best, counters: outcome.counters })
    }

    fn search(&self, settings: &DrawSettings, trace: Option<Trace<TreeMove>>) -> Result<Search, TreeError> {
        let name = &settings.algorithm;
        let algorithm = find_algorithm(name).ok_or_else(|| TreeError::Algorithm(printable(name)))?;
        let depth = settings.depth.unwrap_or_else(|| self.default_depth());
        let mut ctx = SearchContext::new(self);
        if settings.memory {
            ctx = ctx.with_memory();
        }
        let names = settings.ordering.iter().map(String::as_str);
        ctx.ordering = MoveOrdering::parse(names).map_err(|name| TreeError::Ordering(printable(name)))?;
        ctx.max_nodes = settings.max_visited_nodes;
        ctx.trace = trace;
        let parameters = AlgorithmSettings { guess: settings.guess, delta: settings.delta };
        let outcome = algorithm.run(&mut ctx, &self.root(), depth, parameters)?;
        Ok(Search { algorithm, depth, outcome, trace: ctx.trace })
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

    fn value_name(&self, value: Score) -> String {
        match self {
            Self::Literal(tree) => tree.value_name(value),
            Self::Chess(chess) => chess.value_name(value),
        }
    }

    fn root_name(&self) -> String {
        match self {
            Self::Literal(tree) => tree.root_name(),
            Self::Chess(chess) => chess.root_name(),
        }
    }

    fn node_name(&self, parent: &str, move_name: &str) -> String {
        match self {
            Self::Literal(tree) => tree.node_name(parent, move_name),
            Self::Chess(chess) => chess.node_name(parent, move_name),
        }
    }
}
