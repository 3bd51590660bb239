//! NegaScout (Reinefeld 1983), named by source 001: Scout's idea inside alpha-beta.
//!
//! One function with a second upper bound `b`: the first child gets the whole window, each further child
//! the zero window `(a, a + 1)`. If that fails high inside `(a, beta)`, the child is searched again with
//! the value `t` that the test returned as the new floor. (Reinefeld starts again at `t`; here it is
//! `t - 1`, so that a value equal to `t` lies inside and its line is a principal variation. He also leaves out the second search
//! in the last two plies, where the test's value is exact already; here it is made at any depth.) With good
//! order the re-searches are rare and the zero windows cut more than alpha-beta's. With unlimited memory
//! it never evaluates a leaf that alpha-beta does not. [`super::scout`] re-searches from nothing,
//! [`super::pvs`] from alpha. <https://www.chessprogramming.org/NegaScout>

use super::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn negascout<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = search(ctx, &p, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(value))
}

/// `NegaScout(p, alpha, beta)`, fail-soft; also the pass of [`super::aspiration`].
pub(super) fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    alpha: Score,
    beta: Score,
) -> Result<Score, TreeSearchError> {
    ctx.enter(p, alpha, beta)?;
    if let Some(stored) = ctx.retrieve(p, depth, alpha, beta) {
        return Ok(stored);
    }
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        let value = ctx.evaluate_leaf(p);
        return Ok(ctx.store_leaf(p, depth, value));
    }
    let mut best = -UNBOUNDED;
    let mut b = beta;
    for mv in moves {
        let p_i = ctx.child(p, mv);
        let a = best.max(alpha);
        let mut t = -search(ctx, &p_i, depth - 1, -b, -a)?;
        if b < beta && t > a && t < beta {
            ctx.begin_re_search(&p_i);
            t = -search(ctx, &p_i, depth - 1, -beta, -(t - 1))?;
        }
        if t > best {
            best = t;
            ctx.update_tentative(p, mv, best);
        }
        if best >= beta {
            ctx.cutoff(p, mv, beta);
            break;
        }
        b = best.max(alpha) + 1;
    }
    ctx.store(p, depth, alpha, beta, best);
    Ok(ctx.leave(p, best))
}
