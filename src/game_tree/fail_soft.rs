//! Alpha-beta, fail-soft, with or without memory (Fishburn 1983; with memory: Plaat et al. 1996).
//!
//! Same leaves, same order as [`super::alpha_beta`]; but `best` starts at -∞ instead of `alpha`, so that
//! a search that fails returns the best bound it has really seen. Below the window the result is an
//! upper bound of the value that is at most `alpha`, above it a lower bound that is at least `beta`.
//! Without memory this gains nothing by itself. It gains where somebody uses the bound: a re-search
//! ([`super::aspiration`]), a step to the next window ([`super::mtd`]), or a memory. If `Search` has a
//! memory, a node first asks it and at the end tells it: that is the AlphaBetaWithMemory which MTD(f)
//! and its relatives call. <https://www.chessprogramming.org/Fail-Soft>

use super::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn fail_soft<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    fail_soft_window(ctx, root, depth, -UNBOUNDED, UNBOUNDED)
}

/// The value of `root` if it lies inside the window, else a bound on it; `alpha < beta`.
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

/// The node function; also the pass of [`super::aspiration`] and [`super::mtd`].
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
