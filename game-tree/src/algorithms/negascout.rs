//! NegaScout (Reinefeld 1983): Scout's test inside alpha-beta.
//!
//! One function with a second upper bound `n`: the first child gets the window of the node, each further child the
//! null window `(a, a + 1)`. If that test returns `t` inside `(a, beta)`, the child is searched again in
//! `(t, beta)`: `t` is proven to be a lower bound, so a re-search that returns `t` confirms it. In the last two
//! plies the test needs no re-search: all leaves below the child have been evaluated, so `t` is exact.
//! With good move ordering re-searches are rare and the null windows cut off more than alpha-beta's window.
//! A confirmed `t` has no principal variation below the first reply, because its search failed low.
//! With unlimited memory no leaf is evaluated that alpha-beta does not evaluate. [`super::scout`] re-searches
//! with a full window, [`super::pvs`] from alpha. <https://www.chessprogramming.org/NegaScout>

use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn negascout<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = search(ctx, &p, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(value))
}

/// `NegaScout(p, alpha, beta)`, fail-soft; also used by [`super::aspiration`] for each pass.
pub(crate) fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, TreeSearchError> {
    ctx.enter(p, alpha, beta)?;
    if let Some(stored) = ctx.retrieve(p, depth, alpha, beta) {
        return Ok(stored);
    }
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        let value = ctx.evaluate_leaf(p);
        return Ok(ctx.store_leaf(p, depth, value));
    }
    let mut m = -UNBOUNDED;
    let mut n = beta;
    for (i, mv) in moves.into_iter().enumerate() {
        let p_i = ctx.child(p, mv);
        let a = m.max(alpha);
        let mut t = -search(ctx, &p_i, depth - 1, -n, -a)?;
        if i > 0 && t > a && t < beta && depth > 2 {
            ctx.begin_re_search(&p_i);
            t = -search(ctx, &p_i, depth - 1, -beta, -t)?;
        }
        if t > m {
            m = t;
            ctx.update_tentative(p, mv, m);
        }
        if m >= beta {
            ctx.cutoff(p, mv, beta);
            break;
        }
        n = m.max(alpha) + 1;
    }
    ctx.store(p, depth, alpha, beta, m);
    Ok(ctx.leave(p, m))
}
