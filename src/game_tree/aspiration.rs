//! Aspiration search (source 001): a narrow window around a guess, and a second look if it was wrong.
//!
//! A narrow window cuts more. If the value falls inside `(guess - delta, guess + delta)` it is exact and
//! was cheap. If the search fails low or high, the source says, it is at once known on which side the
//! window was wrong, and the same position is searched again with a new one: here everything from the
//! bound that was just proven to the open end, so that one re-search is always enough. The new window
//! overlaps the bound by one, so that the value lies inside and its line is found.
//! The pass itself is [`super::fail_soft`] or [`super::negascout`] (that pair is the "aspiration
//! NegaScout" to which the literature compares the others). The guess comes from experience: the last
//! iteration or the static value. <https://www.chessprogramming.org/Aspiration_Windows>

use super::{
    GameTree, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED, fail_soft, negascout,
};
use crate::score::Score;

/// The search that looks into the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowSearch {
    /// Alpha-beta, fail-soft.
    AlphaBeta,
    /// NegaScout.
    NegaScout,
}

/// The minimax value of `root` with leaves at `depth`, expected within `delta` (> 0) of `guess`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn aspiration<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    guess: Score,
    delta: Score,
    window_search: WindowSearch,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
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
