//! Minimax by backtracking (Aho, Hopcroft and Ullman 1983, section 10.4).
//!
//! The tree is traversed in postorder: a node gets its value after all its children, and only the path from
//! the root is in memory. MAX takes the largest value of its children, MIN the smallest; a leaf has its
//! payoff. Every leaf is evaluated: with `W` moves per node and `L` plies, `W^L` of them. All other
//! algorithms of this module are tested against this definition. [`super::negamax`] is the one-sided form,
//! [`super::explicit_stack`] the form without recursion. First applied to chess by Shannon (1950).
//! <https://www.chessprogramming.org/Minimax>

use crate::{
    GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value,
};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn minimax<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    let root = ctx.begin(root, Perspective::Max);
    let value = search(ctx, &root, NodeKind::Max, depth)?;
    Ok(ctx.finish(value))
}

/// `search(B, mode)` of the listing. The numbers in comments are line numbers of the listing.
fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    b: &Node<G>,
    mode: NodeKind,
    depth: u32,
) -> Result<Value, TreeSearchError> {
    ctx.enter(b, -UNBOUNDED, UNBOUNDED)?;
    let children = ctx.ordered_moves(b, depth);
    if children.is_empty() {
        return Ok(ctx.evaluate_leaf(b)); // (1), (2): payoff(B)
    }
    let mut value = match mode {
        NodeKind::Max => -UNBOUNDED, // (4)
        NodeKind::Min => UNBOUNDED,  // (5)
    };
    for mv in children {
        let c = ctx.child(b, mv); // (6)
        let (v, improves) = match mode {
            NodeKind::Max => {
                let v = search(ctx, &c, NodeKind::Min, depth - 1)?;
                (v, v > value) // (8): value := max(value, …)
            }
            NodeKind::Min => {
                let v = search(ctx, &c, NodeKind::Max, depth - 1)?;
                (v, v < value) // (9): value := min(value, …)
            }
        };
        if improves {
            value = v;
            ctx.update_tentative(b, mv, value);
        }
    }
    Ok(ctx.leave(b, value)) // (10)
}
