//! NegaScout (Reinefeld 1983), named by source 001: Scout's test inside alpha-beta.
//!
//! One function with a second upper bound `b`: the first child gets the whole window, each further child the
//! null window `(a, a + 1)`. If that fails high inside `(a, beta)`, the child is searched again with the
//! returned value `t` as the lower end of the window. (Reinefeld starts the re-search at `t`; here it is
//! `t - 1`, so that a value equal to `t` lies inside the window and its principal variation is found. He omits
//! the re-search in the last two plies, where the value of the test is exact already; here it is done at any
//! depth.) With good move ordering re-searches are rare and the null windows cut off more than alpha-beta's
//! window. With unlimited memory it never evaluates a leaf that alpha-beta does not. [`super::scout`]
//! re-searches with a full window, [`super::pvs`] from alpha. <https://www.chessprogramming.org/NegaScout>

use crate::game_tree::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn negascout<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = search(ctx, &p, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(value))
}

/// `NegaScout(p, alpha, beta)`, fail-soft; also used by [`super::aspiration`] for each pass.
pub(in crate::game_tree) fn search<G: GameTree>(
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
