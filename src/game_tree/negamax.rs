//! Negamax: minimax from the mover's side (source 000, `f(p) = max -f(p_i)`).
//!
//! What is good for me is bad for you by the same amount, so MIN needs no code of its own: each player
//! maximizes, and a value changes its sign when it climbs one ply. Same leaves, same order and same
//! value as [`super::minimax`]; half the program. All procedures of source 000 are written like this.
//! Knuth and Moore 1975 (their F0). <https://www.chessprogramming.org/Negamax>

use super::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn negamax<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = f(ctx, &p, depth)?;
    Ok(ctx.finish(value))
}

/// `f(p)`, the value of `p` for the player to move.
fn f<G: GameTree>(ctx: &mut SearchContext<G>, p: &Node<G>, depth: u32) -> Result<Score, TreeSearchError> {
    ctx.enter(p, -UNBOUNDED, UNBOUNDED)?;
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        return Ok(ctx.evaluate_leaf(p));
    }
    let mut m = -UNBOUNDED;
    for mv in moves {
        let p_i = ctx.child(p, mv);
        let t = -f(ctx, &p_i, depth - 1)?;
        if t > m {
            m = t;
            ctx.update_tentative(p, mv, m);
        }
    }
    Ok(ctx.leave(p, m))
}
