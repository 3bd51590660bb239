//! Negamax: minimax from the point of view of the side to move (`f(p) = max -f(p_i)`).
//!
//! In a zero-sum game a value for one player is the negated value for the other, so one function serves both:
//! each player maximizes, and a value changes its sign from ply to ply. Same leaves, order and value as
//! [`super::minimax`]. All procedures of Knuth and Moore have this form, and the variables have their names:
//! `p` the position, `p_i` its children, `m` the maximum so far, `t` the value of a child.
//! Knuth and Moore 1975 (their F0). <https://www.chessprogramming.org/Negamax>

use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn negamax<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = f(ctx, &p, depth)?;
    Ok(ctx.finish(value))
}

/// `f(p)`: the value of `p` for the side to move.
fn f<G: GameTree>(ctx: &mut SearchContext<G>, p: &Node<G>, depth: u32) -> Result<Value, TreeSearchError> {
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
