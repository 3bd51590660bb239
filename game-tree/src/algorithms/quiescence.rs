//! Quiescence search over the game trait: a leaf is evaluated only when it is quiet.
//!
//! A static value in the middle of an exchange is wrong by a piece (the horizon effect). Below the depth limit only
//! *noisy* moves are searched, such as captures, until none is left. They are optional: the side to move may *stand
//! pat* and take the static value, which is therefore a lower bound. Where a player must react, as to a check, all
//! moves are searched and there is no stand-pat score. The search ends because captures run out and a quiet move
//! continues it only in reply to a check. Fail-soft alpha-beta; the cost is a small tree per leaf instead of one
//! evaluation. Shannon (1950) described the idea; Harris (1975) named it.
//! <https://www.chessprogramming.org/Quiescence_Search>

use crate::{GameTree, MAX_VALUE, Value};

/// The moves of a quiescence search, most promising first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuiescenceMoves<M> {
    /// Noisy moves; the side to move may stand pat instead.
    ///
    /// Empty if the position is quiet or the game is over.
    Optional(Vec<M>),
    /// All moves of a player who must react; not empty.
    Forced(Vec<M>),
}

/// A game whose positions can be quiet or not.
pub trait NoisyGame: GameTree {
    /// Returns the static value for the side to move, or the value of the result if the game is over.
    fn static_value(&self, p: &Self::Position) -> Value;

    /// Returns the moves that a quiescence search tries.
    fn quiescence_moves(&self, p: &Self::Position) -> QuiescenceMoves<Self::Move>;
}

/// `quiesce(p, alpha, beta)`: the value of `p` after the noisy moves; a bound on it outside the window.
pub fn quiesce<G: NoisyGame>(game: &G, p: &G::Position, alpha: Value, beta: Value) -> Value {
    let (mut best, moves) = match game.quiescence_moves(p) {
        QuiescenceMoves::Optional(moves) => (game.static_value(p), moves), // stand pat
        QuiescenceMoves::Forced(moves) => (-MAX_VALUE, moves),
    };
    for mv in moves {
        if best >= beta || game.is_stopped() {
            break;
        }
        let p_i = game.play(p, mv);
        best = best.max(-quiesce(game, &p_i, -beta, -alpha.max(best)));
    }
    best
}
