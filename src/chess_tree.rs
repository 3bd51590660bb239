//! Chess for the reference algorithms of [`game_tree_search`]: the engine's positions and evaluators, leaves at a fixed
//! depth.
//!
//! With every pruning rule, the transposition table and the quiescence search disabled, the production search
//! must return the value of [`game_tree_search::algorithms::minimax`] over this tree
//! (`tests/it/minimax_equivalence.rs`). A leaf at the depth limit is evaluated statically or, optionally, by a
//! quiescence search; checkmate, stalemate and dead positions are detected at every leaf. Repetitions depend on the
//! path, not on the position: [`DrawRules::WithRepetitions`] counts them like the production search and includes the
//! path in the key, so that a memory stays exact but has few hits; [`DrawRules::PathIndependent`] ignores them, as is
//! usual in published comparisons; [`DrawRules::RepetitionsWithoutPaths`] is for games.

pub mod input;

use std::cell::RefCell;
use std::sync::Arc;

use game_tree_search::GameTree;
use game_tree_search::algorithms::quiescence::{NoisyGame, QuiescenceMoves, quiesce};
use shakmaty::san::SanPlus;
use shakmaty::{Move, Position as _};

use crate::board::game::Game;
use crate::board::position::{FIFTY_MOVES, Position};
use crate::board::{movegen, see};
use crate::eval::{Evaluator, evaluate};
use crate::platform::hash::mix64;
use crate::score::{DRAW, INFINITY, Score, mated_in, moves_to_mate};

// Every score is a value of a leaf.
const _: () = assert!(INFINITY <= game_tree_search::MAX_VALUE);

/// The evaluation of a leaf at the depth limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LeafEvaluation {
    /// The static evaluation.
    #[default]
    Static,
    /// The value of a quiescence search: captures and promotions, all moves in check.
    /// <https://www.chessprogramming.org/Quiescence_Search>
    Quiescence,
}

/// The draw rules that are applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DrawRules {
    /// Stalemate, dead positions and the fifty-move rule.
    #[default]
    PathIndependent,
    /// The same and repetitions.
    WithRepetitions,
    /// The same and repetitions, with keys that do not contain the path: as in most engines, a memory finds
    /// transpositions and is not always exact. <https://www.chessprogramming.org/Graph_History_Interaction>
    RepetitionsWithoutPaths,
}

/// Key of all draws by rule if the keys do not contain the path.
const DRAW_KEY: u64 = 0x6472_6177_6472_6177;

/// The game tree of a chess position, with an evaluator at the leaves.
///
/// Leaves are evaluated from scratch: a best-first search does not visit nodes in the order on which the accumulators of
/// an [`Evaluator`] rely.
#[derive(Clone, Debug)]
pub struct Chess<E> {
    evaluator: RefCell<E>,
    game: Game,
    leaf_evaluation: LeafEvaluation,
    rules: DrawRules,
}

/// A position with its history.
#[derive(Clone, Debug)]
pub struct ChessNode {
    position: Position,
    ply: u32,
    history: KeyHistory,
}

/// The keys of the preceding positions, newest first; empty unless repetitions count.
#[derive(Clone, Debug, Default)]
struct KeyHistory {
    newest: Option<Arc<HistoryLink>>,
    /// Hash sum of the positions since the last irreversible move; distinguishes paths in the key.
    path_hash: u64,
}

#[derive(Debug)]
struct HistoryLink {
    key: u64,
    older: Option<Arc<Self>>,
}

impl KeyHistory {
    fn with(&self, key: u64, reversible: bool) -> Self {
        let path_hash = if reversible { self.path_hash.wrapping_add(mix64(key)) } else { 0 };
        Self { newest: Some(Arc::new(HistoryLink { key, older: self.newest.clone() })), path_hash }
    }

    fn keys(&self) -> impl Iterator<Item = u64> {
        std::iter::successors(self.newest.as_deref(), |entry| entry.older.as_deref()).map(|entry| entry.key)
    }
}

impl ChessNode {
    /// The position, without the moves that led to it.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the number of plies from the root.
    #[must_use]
    pub const fn ply(&self) -> u32 {
        self.ply
    }
}

impl<E: Evaluator> Chess<E> {
    /// Creates the tree of the current position of `game`, whose history counts for repetitions.
    #[must_use]
    pub const fn new(game: Game, evaluator: E, leaf_evaluation: LeafEvaluation, rules: DrawRules) -> Self {
        Self { evaluator: RefCell::new(evaluator), game, leaf_evaluation, rules }
    }

    /// Returns whether the position is a draw by rule. Never true at the root.
    fn is_drawn(&self, node: &ChessNode) -> bool {
        let position = &node.position;
        if node.ply == 0 {
            return false;
        }
        if position.halfmoves() >= FIFTY_MOVES {
            let mated = position.in_check() && position.chess().legal_moves().is_empty();
            return !mated;
        }
        position.is_insufficient_material() || (self.rules != DrawRules::PathIndependent && is_repetition(node))
    }
}

/// Returns whether the position occurred once after the root, or twice up to the root.
fn is_repetition(node: &ChessNode) -> bool {
    let key = node.position.key();
    let mut up_to_root = 0;
    for (index, earlier) in node.history.keys().take(node.position.reversible_plies()).enumerate() {
        let distance = index as u32 + 1;
        if earlier == key && distance >= 4 && distance.is_multiple_of(2) {
            up_to_root += u32::from(distance >= node.ply);
            if distance < node.ply || up_to_root == 2 {
                return true;
            }
        }
    }
    false
}

impl<E: Evaluator> GameTree for Chess<E> {
    type Position = ChessNode;
    type Move = Move;

    fn root(&self) -> Self::Position {
        let position = self.game.position.clone();
        let mut history = KeyHistory::default();
        if self.rules != DrawRules::PathIndependent {
            for &key in &self.game.history {
                history = history.with(key, false);
            }
        }
        ChessNode { position, ply: 0, history }
    }

    fn moves(&self, node: &Self::Position) -> Vec<Move> {
        if self.is_drawn(node) { Vec::new() } else { node.position.chess().legal_moves().to_vec() }
    }

    fn play(&self, node: &Self::Position, mv: Move) -> Self::Position {
        let position = node.position.play(mv);
        let history = match self.rules {
            DrawRules::PathIndependent => KeyHistory::default(),
            DrawRules::WithRepetitions | DrawRules::RepetitionsWithoutPaths => {
                node.history.with(node.position.key(), position.reversible_plies() > 0)
            }
        };
        ChessNode { position, ply: node.ply + 1, history }
    }

    fn value(&self, node: &Self::Position) -> Score {
        match self.leaf_evaluation {
            LeafEvaluation::Static => self.static_value(node),
            LeafEvaluation::Quiescence => quiesce(self, node, -INFINITY, INFINITY),
        }
    }

    fn key(&self, node: &Self::Position) -> u64 {
        let halfmoves = node.position.halfmoves();
        // Near the fifty-move rule the halfmove clock is part of the position.
        let clock = if halfmoves > 50 { mix64(u64::from(halfmoves)) } else { 0 };
        let path = match self.rules {
            DrawRules::RepetitionsWithoutPaths if self.is_drawn(node) => return DRAW_KEY,
            DrawRules::RepetitionsWithoutPaths => 0,
            DrawRules::PathIndependent | DrawRules::WithRepetitions => node.history.path_hash,
        };
        node.position.key() ^ clock ^ path
    }

    /// Returns the exchange values of captured and promoted piece, minus the rank of the moving piece.
    ///
    /// Unit: 1/16 centipawn; the rank is 1 for a pawn to 6 for the king, so that weak pieces capture first.
    /// With a quiescence search at the leaves, captures with a negative SEE rank below quiet moves; with
    /// static leaves they do not, because a recapture beyond the depth limit is never searched.
    fn gain(&self, node: &Self::Position, mv: Move) -> Score {
        if !movegen::is_noisy(mv) {
            return 0;
        }
        if self.leaf_evaluation == LeafEvaluation::Quiescence && !see::see_at_least(&node.position, mv, 0) {
            return -1;
        }
        let captured = mv.capture().map_or(0, see::see_value);
        let promotion = mv.promotion().map_or(0, see::see_value);
        16 * (captured + promotion) - mv.role() as Score
    }

    fn move_name(&self, node: &Self::Position, mv: Move) -> String {
        SanPlus::from_move(node.position.chess().clone(), mv).to_string()
    }

    fn describe(&self, node: &Self::Position) -> String {
        node.position.fen()
    }

    /// Returns a mate as `#3` (MAX mates in three moves) or `-#3`, another value in centipawns.
    fn value_name(&self, value: Score) -> String {
        match moves_to_mate(value) {
            Some(moves) if moves > 0 => format!("#{moves}"),
            Some(moves) => format!("-#{}", -moves),
            None => value.to_string(),
        }
    }
}

impl<E: Evaluator> NoisyGame for Chess<E> {
    fn static_value(&self, node: &Self::Position) -> Score {
        if self.is_drawn(node) {
            DRAW
        } else if !node.position.chess().legal_moves().is_empty() {
            evaluate(&mut *self.evaluator.borrow_mut(), &node.position)
        } else if node.position.in_check() {
            mated_in(node.ply as usize)
        } else {
            DRAW
        }
    }

    /// Captures and promotions; all moves in check.
    fn quiescence_moves(&self, node: &Self::Position) -> QuiescenceMoves<Move> {
        let mut moves = self.moves(node);
        let forced = node.position.in_check() && !moves.is_empty();
        if !forced {
            moves.retain(|mv| movegen::is_noisy(*mv));
        }
        moves.sort_by_cached_key(|&mv| -self.gain(node, mv));
        if forced { QuiescenceMoves::Forced(moves) } else { QuiescenceMoves::Optional(moves) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::board::position::parse_fen;
    use crate::eval::pst::Pst;

    fn values(fen: &str) -> (Score, Score) {
        let game = Game::new(parse_fen(fen).unwrap());
        let chess = Chess::new(game, Pst, LeafEvaluation::Quiescence, DrawRules::PathIndependent);
        let root = chess.root();
        (chess.static_value(&root), chess.value(&root))
    }

    #[test]
    fn quiescence_search_captures_a_hanging_queen() {
        let (static_value, value) = values("4k3/2p5/3Q4/8/8/8/8/4K3 b - - 0 1");
        assert!(static_value < -500 && value > 0, "{static_value} {value}");
    }

    #[test]
    fn quiescence_search_of_a_quiet_position_is_its_static_value() {
        let (static_value, value) = values("4k3/2p5/8/8/8/8/3P4/4K3 w - - 0 1");
        assert_eq!(static_value, value);
    }

    #[test]
    fn quiescence_search_sees_mate_only_where_all_moves_are_searched() {
        // Black is in check and mated: no move is left.
        let (_, value) = values("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1");
        assert_eq!(value, mated_in(0));
    }
}
