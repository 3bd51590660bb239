//! Alpha-beta, fail-soft (Fishburn 1983).
//!
//! Same leaves and order as [`super::alpha_beta`], but `best` starts at -∞ instead of `alpha`, so a search
//! that fails returns the best bound found. A result at or below `alpha` is an upper bound of the value; a
//! result at or above `beta` is a lower bound. Nothing is saved by it alone. The tighter bound helps where it is
//! used: in a re-search ([`super::aspiration`]), in the next window of [`super::mtd`], or in a transposition
//! table. If the context has a memory, the search is [`super::alpha_beta_with_memory`].
//! <https://www.chessprogramming.org/Fail-Soft>

use super::alpha_beta_with_memory;
use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn fail_soft<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    fail_soft_window(ctx, root, depth, -UNBOUNDED, UNBOUNDED)
}

/// Returns the value of `root` if it lies inside the window, otherwise a bound on it; `alpha < beta`.
///
/// # Errors
/// As [`fail_soft`].
pub fn fail_soft_window<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    alpha: Value,
    beta: Value,
) -> TreeSearchResult<G> {
    debug_assert!(alpha < beta);
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = search(ctx, &p, depth, alpha, beta)?;
    Ok(ctx.finish(value))
}

/// The recursive search; also used by [`super::aspiration`] for each pass.
pub(crate) fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, TreeSearchError> {
    if ctx.memory.is_some() {
        return alpha_beta_with_memory::search(ctx, p, depth, alpha, beta);
    }
    ctx.enter(p, alpha, beta)?;
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        return Ok(ctx.evaluate_leaf(p));
    }
    let mut best = -UNBOUNDED;
    for mv in moves {
        let p_i = ctx.child(p, mv);
        let t = -search(ctx, &p_i, depth - 1, -beta, -best.max(alpha))?;
        if t > best {
            best = t;
            ctx.update_tentative(p, mv, best);
        }
        if best >= beta {
            ctx.cutoff(p, mv, beta);
            break;
        }
    }
    Ok(ctx.leave(p, best))
}
