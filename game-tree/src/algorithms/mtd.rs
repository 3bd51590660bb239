//! MTD: memory-enhanced test driver; MTD(f).
//!
//! Plaat, Schaeffer, Pijls and de Bruin 1994–96.
//!
//! Null windows only. Each pass is [`super::alpha_beta_with_memory`] with the window `(beta - 1, beta)` and tests
//! whether the value is at least `beta`; its result `g` is a bound that moves one end of the interval that
//! contains the value, and the memory prevents a pass from repeating the work of earlier passes. The variants
//! differ only in the first guess `f`: near the value it is MTD(f), which needs few passes; from +∞ downward it
//! is SSS\*, from -∞ upward DUAL\*, leaf for leaf (`tests/algorithms_agree.rs` compares them with the OPEN list
//! of [`super::sss_star`]). A good guess costs two passes, one for each bound; the price is a memory that holds
//! the searched tree. Only a pass that fails high proves a best move, so the move is read from the memory.
//! <https://www.chessprogramming.org/MTD(f)>

use super::alpha_beta_with_memory::search;
use crate::{GameTree, Memory, Perspective, SearchContext, TreeSearchResult, UNBOUNDED, Value};

/// `MTD(root, f, d)`: the minimax value of `root`, with leaves at `depth` plies.
///
/// `f = UNBOUNDED` is SSS\*, `f = -UNBOUNDED` is DUAL\*. Adds a memory to `ctx` if it has none.
///
/// # Errors
/// [`crate::TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn mtd<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32, f: Value) -> TreeSearchResult<G> {
    ctx.memory.get_or_insert_with(Memory::default);
    let mut n = ctx.begin(root, Perspective::SideToMove);
    let (mut lowerbound, mut upperbound) = (-UNBOUNDED, UNBOUNDED);
    let mut g = f.clamp(-UNBOUNDED, UNBOUNDED);
    loop {
        let beta = if g == lowerbound { g + 1 } else { g };
        g = search(ctx, &n, depth, beta - 1, beta)?;
        if g < beta {
            upperbound = g;
        } else {
            lowerbound = g;
        }
        if lowerbound >= upperbound {
            return Ok(ctx.finish_from_memory(root, depth, g));
        }
        n = ctx.begin_pass(root, Perspective::SideToMove);
    }
}
