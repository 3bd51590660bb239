//! Alpha-beta, fail-soft, with or without memory (Fishburn 1983; with memory: Plaat et al. 1996).
//!
//! Same leaves and order as [`super::alpha_beta`], but `best` starts at -∞ instead of `alpha`, so a search
//! that fails returns the best bound found. A result at or below `alpha` is an upper bound of the value; a
//! result at or above `beta` is a lower bound.
//! Without memory nothing is saved. The tighter bound helps where it is used: in a re-search
//! ([`super::aspiration`]), in the next window of [`super::mtd`], or in a transposition table. If the context
//! has a memory, each node first retrieves its entry and finally stores its bound: the
//! `AlphaBetaWithMemory` on which MTD(f) is built. <https://www.chessprogramming.org/Fail-Soft>

use crate::game_tree::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn fail_soft<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
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
    alpha: Score,
    beta: Score,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    debug_assert!(alpha < beta);
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = search(ctx, &p, depth, alpha, beta)?;
    Ok(ctx.finish(value))
}

/// The recursive search; also used by [`super::aspiration`] and [`super::mtd`] for each pass.
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
    ctx.store(p, depth, alpha, beta, best);
    Ok(ctx.leave(p, best))
}
