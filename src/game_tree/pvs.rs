//! Principal variation search (Marsland and Campbell 1982): two kinds of nodes, two functions.
//!
//! The first move of a principal-variation node is searched with the whole window; the others are
//! expected to be worse, and a zero window `(alpha, alpha + 1)` is enough to prove it. Below a zero
//! window every window is zero, so those nodes need only one bound: `zero_window_search` is source
//! 001's null-window search. A move that beats alpha after all is searched again with `(alpha, beta)`,
//! as today's engines do (Marsland 1986 prints `(value, beta)`). [`super::negascout`] does both in one function and searches again from the bound that the test
//! returned; today's engines are written like this file, with node kinds told apart.
//! <https://www.chessprogramming.org/Principal_Variation_Search>

use super::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn pvs<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = pv_search(ctx, &p, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(value))
}

/// A node whose value may lie inside an open window.
fn pv_search<G: GameTree>(
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
    for (index, &mv) in moves.iter().enumerate() {
        let p_i = ctx.child(p, mv);
        let lower = best.max(alpha);
        let t = if index == 0 {
            -pv_search(ctx, &p_i, depth - 1, -beta, -lower)?
        } else {
            let test = -zero_window_search(ctx, &p_i, depth - 1, -lower)?;
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

/// Is the value of `p` at least `beta`? A bound on the side that the answer names; fail-soft.
fn zero_window_search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    beta: Score,
) -> Result<Score, TreeSearchError> {
    ctx.enter(p, beta - 1, beta)?;
    if let Some(stored) = ctx.retrieve(p, depth, beta - 1, beta) {
        return Ok(stored);
    }
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        let value = ctx.evaluate_leaf(p);
        return Ok(ctx.store_leaf(p, depth, value));
    }
    let mut best = -UNBOUNDED;
    for mv in moves {
        let p_i = ctx.child(p, mv);
        let t = -zero_window_search(ctx, &p_i, depth - 1, 1 - beta)?;
        if t > best {
            best = t;
            ctx.update_tentative(p, mv, best);
        }
        if best >= beta {
            ctx.cutoff(p, mv, beta);
            break;
        }
    }
    ctx.store(p, depth, beta - 1, beta, best);
    Ok(ctx.leave(p, best))
}
