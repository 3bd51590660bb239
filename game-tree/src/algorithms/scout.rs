//! Scout (Pearl 1980): test first, then evaluate.
//!
//! Two procedures. `EVAL` computes the exact value of the first child; each further child must first pass
//! `TEST`, which decides whether its value is better than `v` and needs only a proof tree of about the square
//! root of the leaves. A child that passes is evaluated with `EVAL`, which may evaluate the same leaves again.
//! A window with "α = β" in some texts is this test. [`super::pvs`] and [`super::negascout`] implement it as a
//! window of width one, which returns a bound instead of a Boolean, and evaluate with less than a full window.
//! <https://www.chessprogramming.org/Scout>

use crate::{
    GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value,
};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn scout<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    let root = ctx.begin(root, Perspective::Max);
    let value = eval(ctx, &root, depth)?;
    Ok(ctx.finish(value))
}

/// `EVAL(S)`: returns the exact value of `p` for MAX.
fn eval<G: GameTree>(ctx: &mut SearchContext<G>, p: &Node<G>, depth: u32) -> Result<Value, TreeSearchError> {
    ctx.enter(p, -UNBOUNDED, UNBOUNDED)?;
    let moves = ctx.ordered_moves(p, depth);
    let Some((&first, others)) = moves.split_first() else {
        return Ok(ctx.evaluate_leaf(p));
    };
    let child = ctx.child(p, first);
    let mut v = eval(ctx, &child, depth - 1)?;
    ctx.update_tentative(p, first, v);
    let greater = p.kind() == NodeKind::Max;
    for &mv in others {
        let child = ctx.child(p, mv);
        if test(ctx, &child, depth - 1, v, greater)? {
            ctx.begin_re_search(&child);
            v = eval(ctx, &child, depth - 1)?;
            ctx.update_tentative(p, mv, v);
        }
    }
    Ok(ctx.leave(p, v))
}

/// `TEST(S, v, >)` if `greater`, else `TEST(S, v, <)`: compares the value of `p` with `v`.
fn test<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    v: Value,
    greater: bool,
) -> Result<bool, TreeSearchError> {
    let (alpha, beta) = if greater { (v, v + 1) } else { (v - 1, v) };
    ctx.enter(p, alpha, beta)?;
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        let value = ctx.evaluate_leaf(p);
        return Ok(if greater { value > v } else { value < v });
    }
    // The side to move needs one move that decides the test in its favor.
    let favorable_result = (p.kind() == NodeKind::Max) == greater;
    for mv in moves {
        let child = ctx.child(p, mv);
        if test(ctx, &child, depth - 1, v, greater)? == favorable_result {
            let bound = if p.kind() == NodeKind::Max { beta } else { alpha };
            ctx.cutoff(p, mv, bound);
            ctx.leave(p, bound);
            return Ok(favorable_result);
        }
    }
    ctx.leave(p, if p.kind() == NodeKind::Max { alpha } else { beta });
    Ok(!favorable_result)
}
