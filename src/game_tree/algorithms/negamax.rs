//! Negamax: minimax from the mover's side (source 000, `f(p) = max -f(p_i)`).
//!
//! What is good for me is bad for you by the same amount, so MIN needs no code of its own: each player
//! maximizes, and a value changes its sign when it climbs one ply. Same leaves, same order and same
//! value as [`super::minimax`]; half the program. All procedures of source 000 are written like this.
//! Knuth and Moore 1975 (their F0). <https://www.chessprogramming.org/Negamax>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn negamax<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    let p = s.begin(root, View::Mover);
    let value = f(s, &p, depth)?;
    Ok(s.finish(value))
}

/// `f(p)`, the value of `p` for the player to move.
fn f<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32) -> Result<Score, Stop> {
    s.enter(p, -OPEN, OPEN)?;
    let moves = s.successors(p, depth);
    if moves.is_empty() {
        return Ok(s.leaf(p));
    }
    let mut m = -OPEN;
    for mv in moves {
        let p_i = s.child(p, mv);
        let t = -f(s, &p_i, depth - 1)?;
        if t > m {
            m = t;
            s.improve(p, mv, m);
        }
    }
    Ok(s.leave(p, m))
}
