//! Branch and bound: one bound (F1 of Knuth and Moore 1975).
//!
//! Once a move is known to be worth `m`, another move needs no exact value if a single reply shows that it is
//! worth no more: it is *refuted*, and the best refutation need not be found. `f'(p, bound)` is `f(p)` if that
//! is below `bound`, and otherwise some value that is at least `bound`. (The source prints `> bound`, but its
//! program stops at `m >= bound`, which guarantees only `>=`.)
//! Each node passes down only its own value (`-m`), not the bounds of its ancestors, so there are shallow
//! cutoffs but no deep ones. [`super::alpha_beta`] adds the second bound and with it the deep cutoffs.
//! <https://www.chessprogramming.org/Branch-and-Bound>

use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn branch_and_bound<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> TreeSearchResult<G> {
    branch_and_bound_below(ctx, root, depth, UNBOUNDED)
}

/// `f'(root, bound)`: the value of `root` if it is below `bound`, otherwise a lower bound `>= bound`.
///
/// # Errors
/// As [`branch_and_bound`].
pub fn branch_and_bound_below<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    bound: Value,
) -> TreeSearchResult<G> {
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = b_and_b(ctx, &p, depth, bound)?;
    Ok(ctx.finish(value))
}

/// `B&B(p, bound)` of the listing.
fn b_and_b<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    bound: Value,
) -> Result<Value, TreeSearchError> {
    ctx.enter(p, -UNBOUNDED, bound)?;
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        return Ok(ctx.evaluate_leaf(p));
    }
    let mut m = -UNBOUNDED;
    for mv in moves {
        let p_i = ctx.child(p, mv);
        let t = -b_and_b(ctx, &p_i, depth - 1, -m)?;
        if t > m {
            m = t;
            ctx.update_tentative(p, mv, m);
        }
        if m >= bound {
            ctx.cutoff(p, mv, bound);
            break; // goto done
        }
    }
    Ok(ctx.leave(p, m))
}
