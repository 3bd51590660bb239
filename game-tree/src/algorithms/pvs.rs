//! Principal variation search (Marsland and Campbell 1982): one function for each kind of node.
//!
//! The first move of a PV node is searched with the window of the node; the others are expected to be worse, and the
//! null window `(alpha, alpha + 1)` suffices to prove it. Below a null window every window is a null window, so
//! these nodes need no re-searches: they are plain [`super::fail_soft`] alpha-beta, the null-window
//! search of other texts. A move that fails high is searched again with `(alpha, beta)`, as in current engines (Marsland 1986
//! prints `(value, beta)`), so that its principal variation is found. With good move ordering few moves fail high
//! and the null windows cut off more than alpha-beta's. [`super::negascout`] has one function for both kinds of
//! nodes and re-searches from the bound of the test.
//! <https://www.chessprogramming.org/Principal_Variation_Search>

use super::fail_soft;
use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn pvs<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = pv_search(ctx, &p, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(value))
}

/// Searches a PV node: its value may lie inside the window `(alpha, beta)`. Fail-soft.
fn pv_search<G: GameTree>(
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
    let mut best = -UNBOUNDED;
    for (index, &mv) in moves.iter().enumerate() {
        let p_i = ctx.child(p, mv);
        let lower = best.max(alpha);
        let t = if index == 0 {
            -pv_search(ctx, &p_i, depth - 1, -beta, -lower)?
        } else {
            let test = -fail_soft::search(ctx, &p_i, depth - 1, -lower - 1, -lower)?;
            if test > lower && test < beta {
                ctx.begin_re_search(&p_i);
                -pv_search(ctx, &p_i, depth - 1, -beta, -lower)?
            } else {
                test
            }
        };
        if t > best {
            best = t;
            ctx.update_tentative(p, mv, best);
        }
        if best >= beta {
            ctx.cutoff(p, mv, beta);
            break;
        }
    }
    ctx.store(p, depth, alpha, beta, best);
    Ok(ctx.leave(p, best))
}
