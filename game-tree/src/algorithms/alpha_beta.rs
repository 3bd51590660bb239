//! Alpha-beta, fail-hard (F2 of Knuth and Moore 1975).
//!
//! Found independently several times since the 1950s (McCarthy; Edwards and Hart 1961; Brudno 1963); this form
//! and its analysis are from Knuth and Moore 1975.
//! Branch and bound with a second bound: `alpha` is the value that the side to move already has elsewhere in
//! the tree, `beta` the one that the opponent already has. `m` starts at `alpha`, so the bound of an ancestor
//! is passed down any number of plies, which adds the *deep* cutoffs that [`super::branch_and_bound`] misses.
//! The result never lies outside the window: `alpha` means "at most alpha" (fail low), `beta` means "at least
//! beta" (fail high), a value in between is exact. With perfect move ordering it evaluates
//! `W^⌈L/2⌉ + W^⌊L/2⌋ - 1` leaves instead of `W^L`.
//! [`super::fail_soft`] returns tighter bounds outside the window; [`super::minimax_form`] is the two-sided
//! form. <https://www.chessprogramming.org/Alpha-Beta>, <https://www.chessprogramming.org/Fail-Hard>

use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn alpha_beta<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
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
    alpha: Value,
    beta: Value,
) -> TreeSearchResult<G> {
    debug_assert!(alpha < beta);
    let p = ctx.begin(root, Perspective::SideToMove);
    let value = ab(ctx, &p, depth, alpha, beta)?;
    Ok(ctx.finish(value))
}

/// `AB(p, alpha, beta)` of the listing.
///
/// In the listing `m` can exceed `beta` only through a leaf; clamping the leaf makes the result fail-hard.
fn ab<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, TreeSearchError> {
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
