//! Enhanced transposition cutoffs (Plaat, Schaeffer, Pijls and de Bruin 1996).
//!
//! From *Exploiting Graph Properties of Game Trees*.
//! A transposition table usually supplies the move to try first (here the `best-move` heuristic does), but another
//! move may lead to a position whose stored bound already causes a cutoff. Before any child is searched, the bounds
//! of all children are looked up; if one of them refutes the node, nothing below it is searched. The cost is one
//! lookup per child, so engines do it only some plies above the leaves, where a saved subtree is large; here at every
//! node with two or more remaining plies.
//! Otherwise the same as [`super::alpha_beta_with_memory`], without narrowing. The value does not change; in games with
//! transpositions fewer leaves are evaluated. <https://www.chessprogramming.org/Enhanced_Transposition_Cutoff>

use crate::{GameTree, Memory, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// Adds a memory to `ctx` if it has none.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn enhanced_transposition_cutoffs<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> TreeSearchResult<G> {
    ctx.memory.get_or_insert_with(Memory::default);
    let n = ctx.begin(root, Perspective::SideToMove);
    let g = search(ctx, &n, depth, -UNBOUNDED, UNBOUNDED)?;
    Ok(ctx.finish(g))
}

fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    n: &Node<G>,
    d: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, TreeSearchError> {
    ctx.enter(n, alpha, beta)?;
    if let Some(stored) = ctx.retrieve(n, d, alpha, beta) {
        return Ok(stored);
    }
    let moves = ctx.ordered_moves(n, d);
    if moves.is_empty() {
        let g = ctx.evaluate_leaf(n);
        return Ok(ctx.store_leaf(n, d, g));
    }
    let mut g = -UNBOUNDED;
    // The enhancement: the stored upper bound of a child is a lower bound of this node.
    for &mv in moves.iter().filter(|_| d >= 2) {
        let c = ctx.child(n, mv);
        let t = -ctx.stored_upper_bound(&c, d - 1);
        if t >= beta {
            g = t;
            ctx.update_tentative(n, mv, g);
            ctx.cutoff(n, mv, beta);
            break;
        }
    }
    for mv in moves.into_iter().filter(|_| g < beta).collect::<Vec<_>>() {
        let c = ctx.child(n, mv);
        let t = -search(ctx, &c, d - 1, -beta, -g.max(alpha))?;
        if t > g {
            g = t;
            ctx.update_tentative(n, mv, g);
        }
        if g >= beta {
            ctx.cutoff(n, mv, beta);
            break;
        }
    }
    ctx.store(n, d, alpha, beta, g);
    Ok(ctx.leave(n, g))
}
