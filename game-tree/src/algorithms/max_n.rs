//! max^n: minimax for two or more players (Luckhardt and Irani 1986), with shallow pruning (Korf 1991).
//!
//! A leaf has a tuple of payoffs, one for each player, and
//! each player maximizes their own component: the value of a node is the tuple of the child that is best for the
//! player to move, the first one among equals. With two players and payoffs that sum to zero this is minimax.
//! If payoffs are at least 0 and sum to at most `max_sum`, a node can be left as soon as its player has
//! `bound = max_sum - v`, where `v` is what the player at the parent already has: the parent gets at most `v` from
//! it. Unlike alpha-beta there is no deep pruning: a bound of a more distant ancestor can be wrong, because the
//! players between may choose otherwise (Korf 1991). Cost: `W^L` leaves; shallow pruning saves few of them if the
//! players are many. <https://www.chessprogramming.org/Max%5En>

use crate::Value;

/// A game of any number of players who move in turn.
pub trait MultiPlayerGame {
    /// A position.
    type Position: Clone;
    /// Returns the number of players, at least 1.
    fn players(&self) -> usize;
    /// Returns the positions after each move, in generation order; empty if the game is over.
    fn children(&self, position: &Self::Position) -> Vec<Self::Position>;
    /// Returns the payoff of each player at the end of the game.
    fn payoffs(&self, position: &Self::Position) -> Vec<Value>;
}

/// The result of a search: the payoffs of all players and the number of evaluated leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaxNOutcome {
    /// One payoff for each player, in order.
    pub payoffs: Vec<Value>,
    /// Leaves evaluated.
    pub leaves: u64,
}

/// Returns the max^n value of `root`, where player 0 moves.
pub fn max_n<G: MultiPlayerGame>(game: &G, root: &G::Position) -> MaxNOutcome {
    let mut leaves = 0;
    let payoffs = shallow(game, root, 0, Value::MAX, None, &mut leaves);
    MaxNOutcome { payoffs, leaves }
}

/// Returns the max^n value of `root` by shallow pruning.
///
/// Requires at least two players; all payoffs must be at least 0 and sum to at most `max_sum`.
pub fn max_n_shallow<G: MultiPlayerGame>(game: &G, root: &G::Position, max_sum: Value) -> MaxNOutcome {
    let mut leaves = 0;
    let payoffs = shallow(game, root, 0, max_sum, Some(max_sum), &mut leaves);
    MaxNOutcome { payoffs, leaves }
}

/// `Shallow(Node, Player, Bound)` of Korf; without `max_sum` it never prunes.
fn shallow<G: MultiPlayerGame>(
    game: &G,
    node: &G::Position,
    player: usize,
    bound: Value,
    max_sum: Option<Value>,
    leaves: &mut u64,
) -> Vec<Value> {
    let next = (player + 1) % game.players();
    let mut best: Option<Vec<Value>> = None;
    for child in game.children(node) {
        let own = best.as_ref().map_or(0, |best| best[player]);
        if best.is_some() && max_sum.is_some() && own >= bound {
            break;
        }
        let child_bound = max_sum.map_or(Value::MAX, |max_sum| max_sum - own);
        let current = shallow(game, &child, next, child_bound, max_sum, leaves);
        if best.as_ref().is_none_or(|best| current[player] > best[player]) {
            best = Some(current);
        }
    }
    best.unwrap_or_else(|| {
        *leaves += 1;
        game.payoffs(node)
    })
}
