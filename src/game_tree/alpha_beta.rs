//! Alpha-beta, fail-hard (source 000, listing 5.18; Knuth and Moore's F2). Found several times since the 1950s (McCarthy;
//! Edwards and Hart 1961; Brudno 1963); this form and its analysis are Knuth and Moore's of 1975.
//!
//! Branch and bound with a lower bound as well: `alpha` is what the mover already has elsewhere, `beta`
//! what the opponent already has. `m` starts at `alpha`, so the bound of a grandparent reaches down any
//! number of plies, and *deep* cut-offs appear that [`super::branch_and_bound`] misses. The result is
//! never outside the window: at most `alpha` means "no better than alpha" (fail low), at least `beta`
//! means "refuted" (fail high), in between it is exact. With perfect order it evaluates
//! `W^⌈L/2⌉ + W^⌊L/2⌋ - 1` leaves instead of `W^L`.
//! [`super::fail_soft`] returns tighter bounds outside the window; [`super::minimax_form`] is the
//! two-sided form. <https://www.chessprogramming.org/Alpha-Beta>, <https://www.chessprogramming.org/Fail-Hard>

use super::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn alpha_beta<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    alpha_beta_window(ctx, root, depth, -UNBOUNDED, UNBOUNDED)
}

/// `f''(root, alpha, beta)`: the value of `root` clamped to the window; `alpha < beta`.
///
/// # Errors
/// As [`alpha_beta`].
pub fn alpha_beta_window<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    alpha: Score,
    beta: Score,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    debug_assert!(alpha < beta);
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = ab(ctx, &p, depth, alpha, beta)?;
    Ok(ctx.finish(value))
}

/// `AB(p, alpha, beta)` of the listing. The listing returns `m`, which a child may have pushed past
/// `beta` only if that child is a leaf; the clamp at the leaf makes it hard for every tree.
fn ab<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    alpha: Score,
    beta: Score,
) -> Result<Score, TreeSearchError> {
    ctx.enter(p, alpha, beta)?;
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        return Ok(ctx.evaluate_leaf(p).clamp(alpha, beta));
    }
    let mut m = alpha;
    for mv in moves {
        let p_i = ctx.child(p, mv);
        let t = -ab(ctx, &p_i, depth - 1, -beta, -m)?;
        if t > m {
            m = t;
            ctx.update_tentative(p, mv, m);
        }
        if m >= beta {
            ctx.cutoff(p, mv, beta);
            break; // goto done
        }
    }
    Ok(ctx.leave(p, m))
}
