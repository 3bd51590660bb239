//! `AlphaBetaWithMemory` (Plaat, Schaeffer, Pijls and de Bruin 1996): retrieve, narrow, search, store.
//!
//! Fail-soft alpha-beta around a transposition table. A node first *retrieves* the bounds that earlier searches
//! proved for its position: a bound outside the window is the result; one inside it *narrows* the window. After
//! the search the result is *stored*, as an upper bound after a fail low, a lower bound after a fail high, and
//! both if it is exact. Each position is searched once instead of once per path that leads to it, and the passes
//! of [`super::mtd`] continue each other's work. The price is memory for every visited position.
//! The window of the root is not narrowed: a value equal to a narrowed bound has no proven best move.
//! Without memory this is [`super::fail_soft`]. <https://www.chessprogramming.org/Transposition_Table>

use crate::{GameTree, Memory, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// Adds a memory to `ctx` if it has none.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn alpha_beta_with_memory<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> TreeSearchResult<G> {
    ctx.memory.get_or_insert_with(Memory::default);
    let n = ctx.begin(root, Perspective::SideToMove);
    let g = search(ctx, &n, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(g))
}

/// `AlphaBetaWithMemory(n, alpha, beta, d)`.
///
/// Also used by [`super::aspiration`] and [`super::mtd`] for each pass.
pub(crate) fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    n: &Node<G>,
    d: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, TreeSearchError> {
    ctx.enter(n, alpha, beta)?;
    // Retrieve.
    if let Some(stored) = ctx.retrieve(n, d, alpha, beta) {
        return Ok(stored);
    }
    // Narrow: alpha := max(alpha, n.lowerbound); beta := min(beta, n.upperbound).
    let (alpha, beta) = if n.ply == 0 { (alpha, beta) } else { ctx.narrow(n, d, alpha, beta) };
    let moves = ctx.ordered_moves(n, d);
    if moves.is_empty() {
        let g = ctx.evaluate_leaf(n);
        return Ok(ctx.store_leaf(n, d, g));
    }
    let mut g = -UNBOUNDED;
    let mut a = alpha;
    for mv in moves {
        let c = ctx.child(n, mv);
        let t = -search(ctx, &c, d - 1, -beta, -a)?;
        if t > g {
            g = t;
            ctx.update_tentative(n, mv, g);
        }
        if g >= beta {
            ctx.cutoff(n, mv, beta);
            break;
        }
        a = a.max(g);
    }
    // Store: g <= alpha is an upper bound, g >= beta a lower bound, a value in between both.
    ctx.store(n, d, alpha, beta, g);
    Ok(ctx.leave(n, g))
}
