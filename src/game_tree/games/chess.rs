//! Chess as a game for the textbook: our positions, our evaluator, leaves at a fixed depth.
//!
//! The bridge between the two halves of this program: with every rule, table and the quiescence search
//! switched off, the production search must give the values of [`crate::game_tree::minimax`] over this
//! game (`tests/it/minimax_equivalence.rs`). A leaf at the search's depth is worth its static evaluation or, if asked
//! for, that of its quiescence; mate, stalemate and dead positions are seen at every leaf.
//! Repetitions depend on the path, not on the position. [`Rules::Full`] counts them as the production
//! search does and mixes the path into the key, so that a memory stays exact but finds little;
//! [`Rules::PathFree`] leaves them out, which is what is usually compared in the literature.

use std::sync::Arc;

use shakmaty::san::SanPlus;
use shakmaty::{Move, Position as _};

use crate::eval::Evaluator;
use crate::game_tree::Game;
use crate::game_tree::memory::scatter;
use crate::movegen;
use crate::position::{self, Position};
use crate::score::{DRAW, INFINITY, Score, mated_in};

/// What a leaf at the search's depth is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Horizon {
    /// The static evaluation.
    #[default]
    Static,
    /// The value after all captures are played out.
    /// <https://www.chessprogramming.org/Quiescence_Search>
    Quiescence,
}

/// Which draws are seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rules {
    /// Stalemate, dead positions and the fifty-move rule.
    #[default]
    PathFree,
    /// Repetitions too.
    Full,
}

/// Chess from a position, with an evaluator at the leaves.
#[derive(Clone, Debug)]
pub struct Chess<E: Evaluator> {
    evaluator: E,
    game: position::Game,
    horizon: Horizon,
    rules: Rules,
}

/// A position with what the rules and the evaluator need of its past.
#[derive(Clone, Debug)]
pub struct ChessNode<A> {
    position: Position,
    acc: A,
    ply: u32,
    past: Past,
}

/// The keys of the positions before this one, newest first; kept only if repetitions count.
#[derive(Clone, Debug, Default)]
struct Past {
    newest: Option<Arc<Link>>,
    /// Sum over the positions since the last irreversible move: tells paths apart in the key.
    mark: u64,
}

#[derive(Debug)]
struct Link {
    key: u64,
    older: Option<Arc<Self>>,
}

impl Past {
    fn with(&self, key: u64, reversible: bool) -> Self {
        let mark = if reversible { self.mark.wrapping_add(scatter(key)) } else { 0 };
        Self { newest: Some(Arc::new(Link { key, older: self.newest.clone() })), mark }
    }

    fn keys(&self) -> impl Iterator<Item = u64> {
        std::iter::successors(self.newest.as_deref(), |link| link.older.as_deref()).map(|link| link.key)
    }
}

impl<A> ChessNode<A> {
    /// The position itself.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }
}

impl<E: Evaluator> Chess<E> {
    /// Chess from the position on the board of `game`, whose past counts for repetitions.
    #[must_use]
    pub const fn new(game: position::Game, evaluator: E, horizon: Horizon, rules: Rules) -> Self {
        Self { evaluator, game, horizon, rules }
    }

    /// Does a rule end the game here, whatever the moves? Not asked at the root.
    fn is_drawn(&self, node: &ChessNode<E::Acc>) -> bool {
        let position = &node.position;
        if node.ply == 0 {
            return false;
        }
        if position.halfmoves() >= 100 {
            let mated = position.in_check() && position.chess().legal_moves().is_empty();
            return !mated;
        }
        position.is_insufficient_material() || (self.rules == Rules::Full && is_repetition(node))
    }

    /// The value of a node at the horizon when its captures are played out; fail-soft.
    fn quiesce(&self, node: &ChessNode<E::Acc>, mut alpha: Score, beta: Score) -> Score {
        if self.is_drawn(node) {
            return DRAW;
        }
        let in_check = node.position.in_check();
        let mut moves = node.position.chess().legal_moves();
        if moves.is_empty() {
            return if in_check { mated_in(node.ply as usize) } else { DRAW };
        }
        let mut best = -INFINITY;
        if !in_check {
            // Standing pat: nobody is forced to capture.
            best = self.evaluator.score(&node.acc, &node.position);
            moves.retain(|mv| movegen::is_noisy(*mv));
        }
        moves.sort_by_key(|&mv| -self.gain(node, mv));
        for mv in moves {
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
            best = best.max(-self.quiesce(&self.play(node, mv), -beta, -alpha));
        }
        best
    }
}

/// Has the position occurred since the root, or twice before it?
fn is_repetition<A>(node: &ChessNode<A>) -> bool {
    let key = node.position.key();
    let mut before_root = 0;
    for (index, earlier) in node.past.keys().take(node.position.reversible_plies()).enumerate() {
        let back = index as u32 + 1;
        if earlier == key && back >= 4 && back.is_multiple_of(2) {
            before_root += u32::from(back > node.ply);
            if back <= node.ply || before_root == 2 {
                return true;
            }
        }
    }
    false
}

impl<E: Evaluator> Game for Chess<E> {
    type Position = ChessNode<E::Acc>;
    type Move = Move;

    fn root(&self) -> Self::Position {
        let position = self.game.position.clone();
        let mut past = Past::default();
        if self.rules == Rules::Full {
            for &key in &self.game.history {
                past = past.with(key, false);
            }
        }
        ChessNode { acc: self.evaluator.refresh(&position), position, ply: 0, past }
    }

    fn moves(&self, node: &Self::Position) -> Vec<Move> {
        if self.is_drawn(node) { Vec::new() } else { node.position.chess().legal_moves().to_vec() }
    }

    fn play(&self, node: &Self::Position, mv: Move) -> Self::Position {
        let position = node.position.play(mv);
        let past = match self.rules {
            Rules::PathFree => Past::default(),
            Rules::Full => node.past.with(node.position.key(), position.reversible_plies() > 0),
        };
        let acc = self.evaluator.apply(&node.acc, &node.position, mv);
        ChessNode { position, acc, ply: node.ply + 1, past }
    }

    fn value(&self, node: &Self::Position) -> Score {
        if self.horizon == Horizon::Quiescence {
            return self.quiesce(node, -INFINITY, INFINITY);
        }
        if self.is_drawn(node) {
            DRAW
        } else if !node.position.chess().legal_moves().is_empty() {
            self.evaluator.score(&node.acc, &node.position)
        } else if node.position.in_check() {
            mated_in(node.ply as usize)
        } else {
            DRAW
        }
    }

    fn key(&self, node: &Self::Position) -> u64 {
        let halfmoves = node.position.halfmoves();
        // Near the fifty-move rule the same men with another count are another position.
        let clock = if halfmoves > 50 { scatter(u64::from(halfmoves)) } else { 0 };
        node.position.key() ^ clock ^ node.past.mark
    }

    /// What is taken and promoted to, in 16ths of a centipawn, less a little for a strong capturer. With
    /// quiescence at the horizon a capture that loses material in the exchange is worth less than a quiet
    /// move; with static leaves nobody takes back behind the horizon, and it is not.
    fn gain(&self, node: &Self::Position, mv: Move) -> Score {
        if !movegen::is_noisy(mv) {
            return 0;
        }
        if self.horizon == Horizon::Quiescence && !movegen::see_at_least(&node.position, mv, 0) {
            return -1;
        }
        let taken = mv.capture().map_or(0, movegen::exchange_value);
        let promoted = mv.promotion().map_or(0, movegen::exchange_value);
        16 * (taken + promoted) - mv.role() as Score
    }

    fn move_name(&self, node: &Self::Position, mv: Move) -> String {
        SanPlus::from_move(node.position.chess().clone(), mv).to_string()
    }

    fn describe(&self, node: &Self::Position) -> String {
        node.position.fen()
    }
}
