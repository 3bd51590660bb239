//! Minimax by backtracking (source 004, listing 10.3).
//!
//! The tree is walked in postorder, so that a node is valued when all its sons are, and only the path
//! from the root is in memory. MAX takes the largest value of its sons, MIN the smallest; a leaf is
//! worth its payoff. Every leaf is evaluated: with `W` moves per node and `L` plies, `W^L` of them. It
//! is the definition against which everything else in this room is tested.
//! [`super::negamax`] says the same with one side; [`super::explicit_stack`] without recursion.
//! Shannon 1950 took it to chess. <https://www.chessprogramming.org/Minimax>

use crate::game_tree::{Game, Mode, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn minimax<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    let root = s.begin(root, View::Max);
    let value = search(s, &root, Mode::Max, depth)?;
    Ok(s.finish(value))
}

/// `search (B, mode)` of the listing; the bracketed numbers are its lines.
fn search<G: Game>(s: &mut Search<G>, b: &Node<G>, mode: Mode, depth: u32) -> Result<Score, Stop> {
    s.enter(b, -OPEN, OPEN)?;
    let sons = s.successors(b, depth);
    if sons.is_empty() {
        return Ok(s.leaf(b)); // (1), (2): payoff(B)
    }
    let mut value = match mode {
        Mode::Max => -OPEN, // (4)
        Mode::Min => OPEN,  // (5)
    };
    for mv in sons {
        let c = s.child(b, mv); // (6)
        let (v, better) = match mode {
            Mode::Max => {
                let v = search(s, &c, Mode::Min, depth - 1)?;
                (v, v > value) // (8): value := max(value, …)
            }
            Mode::Min => {
                let v = search(s, &c, Mode::Max, depth - 1)?;
                (v, v < value) // (9): value := min(value, …)
            }
        };
        if better {
            value = v;
            s.improve(b, mv, value);
        }
    }
    Ok(s.leave(b, value)) // (10)
}
