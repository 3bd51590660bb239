//! Aspiration search (Baudet 1978): a narrow window around a guess, and a re-search if it was wrong.
//!
//! A narrow window produces more cutoffs. If the value lies inside `(guess - delta, guess + delta)`, the result
//! is exact. If the search fails low or high, the direction of the error is known, and the same
//! position is searched again with a new window: from the bound just proven to the open end, so that one
//! re-search always suffices. The new window overlaps the bound by one, so that the value lies inside it and
//! its principal variation is found.
//! Each pass is [`super::fail_soft`] or [`super::negascout`]; the latter is the "aspiration NegaScout" with
//! which the literature compares other algorithms. The guess is the value of an earlier iteration or the
//! static evaluation. <https://www.chessprogramming.org/Aspiration_Windows>

use super::{fail_soft, negascout};
use crate::{GameTree, Perspective, SearchContext, TreeSearchResult, UNBOUNDED, Value};

/// The algorithm that searches within the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowSearch {
    /// Alpha-beta, fail-soft.
    AlphaBeta,
    /// NegaScout.
    NegaScout,
}

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// The value is expected within `delta` of `guess`. A `delta` below 1 counts as 1.
///
/// # Errors
/// [`TreeSearchError`](crate::TreeSearchError) if the tree is too deep for a recursive search or `ctx` stops
/// the search.
pub fn aspiration<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    guess: Value,
    delta: Value,
    window_search: WindowSearch,
) -> TreeSearchResult<G> {
    let delta = delta.max(1);
    let mut p = ctx.begin(root, Perspective::SideToMove);
    let mut alpha = guess.saturating_sub(delta).clamp(-UNBOUNDED, UNBOUNDED - 1);
    let mut beta = guess.saturating_add(delta).clamp(alpha + 1, UNBOUNDED);
    loop {
        let value = match window_search {
            WindowSearch::AlphaBeta => fail_soft::search(ctx, &p, depth, alpha, beta)?,
            WindowSearch::NegaScout => negascout::search(ctx, &p, depth, alpha, beta)?,
        };
        if value <= alpha && alpha > -UNBOUNDED {
            (alpha, beta) = (-UNBOUNDED, value + 1);
        } else if value >= beta && beta < UNBOUNDED {
            (alpha, beta) = (value - 1, UNBOUNDED);
        } else {
            return Ok(ctx.finish(value));
        }
        p = ctx.begin_pass(root, Perspective::SideToMove);
        ctx.begin_re_search(&p);
    }
}
