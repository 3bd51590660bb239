//! MTD: memory-enhanced test driver; the MTD(f) of source 001.
//!
//! Plaat, Schaeffer, Pijls and de Bruin 1994–96. Null windows only. Each pass tests whether the value is at least `beta`; its result is a bound that moves
//! one end of the interval that contains the value, and the memory prevents a pass from repeating the work of
//! earlier passes. The variants differ only in the first test: near a good guess it is MTD(f), which needs few
//! passes; from +∞ downward it is SSS\*, from -∞ upward DUAL\*, leaf for leaf (`tests/it/algorithms_agree.rs`
//! compares them with the OPEN list of [`super::sss_star`]). Each pass is [`super::fail_soft`], whose bounds
//! let the next test skip values. <https://www.chessprogramming.org/MTD(f)>

use super::fail_soft;
use crate::game_tree::{GameTree, Memory, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// Returns the minimax value of `root`, with leaves at `depth` plies, by null-window passes.
///
/// `first_guess = UNBOUNDED` is SSS\*, `first_guess = -UNBOUNDED` is DUAL\*. Adds a memory to `ctx` if it
/// has none.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn mtd<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    first_guess: Score,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    if ctx.memory.is_none() {
        ctx.memory = Some(Memory::default());
    }
    let mut p = ctx.begin(root, Perspective::SideToMove);
    let (mut lower, mut upper) = (-UNBOUNDED, UNBOUNDED);
    let mut g = first_guess.clamp(-UNBOUNDED, UNBOUNDED);
    let mut proven_move = None;
    loop {
        let beta = if g == lower { g + 1 } else { g };
        g = fail_soft::search(ctx, &p, depth, beta - 1, beta)?;
        if g < beta {
            upper = g;
        } else {
            // Only a pass that fails high proves a best move.
            lower = g;
            proven_move = ctx.finish(g).best_move;
        }
        if lower >= upper {
            break;
        }
        p = ctx.begin_pass(root, Perspective::SideToMove);
    }
    let mut variation = ctx.variation_from_memory(root, depth, g);
    if variation.first() != proven_move.as_ref() {
        variation = proven_move.into_iter().collect();
    }
    ctx.set_variation(variation);
    Ok(ctx.finish(g))
}
