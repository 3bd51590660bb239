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

use super::{fail_soft, negascout};
use crate::game_tree::{Game, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The search that looks into the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// Alpha-beta, fail-soft.
    AlphaBeta,
    /// NegaScout.
    NegaScout,
}

/// The minimax value of `root` with leaves at `depth`, expected within `delta` (> 0) of `guess`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn aspiration<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
    guess: Score,
    delta: Score,
    pass: Pass,
) -> Result<Outcome<G::Move>, Stop> {
    let delta = delta.max(1);
    let mut p = s.begin(root, View::Mover);
    let mut alpha = guess.saturating_sub(delta).clamp(-OPEN, OPEN - 1);
    let mut beta = guess.saturating_add(delta).clamp(alpha + 1, OPEN);
    loop {
        let value = match pass {
            Pass::AlphaBeta => fail_soft::search(s, &p, depth, alpha, beta)?,
            Pass::NegaScout => negascout::search(s, &p, depth, alpha, beta)?,
        };
        if value <= alpha && alpha > -OPEN {
            (alpha, beta) = (-OPEN, value + 1);
        } else if value >= beta && beta < OPEN {
            (alpha, beta) = (value - 1, OPEN);
        } else {
            return Ok(s.finish(value));
        }
        p = s.start(root, View::Mover);
        s.re_search(&p);
    }
}
