//! Minimax by backtracking (source 004, listing 10.3).
//!
//! The tree is walked in postorder, so that a node is valued when all its sons are, and only the path
//! from the root is in memory. MAX takes the largest value of its sons, MIN the smallest; a leaf is
//! worth its payoff. Every leaf is evaluated: with `W` moves per node and `L` plies, `W^L` of them. It
//! is the definition against which everything else in this room is tested.
//! [`super::negamax`] says the same with one side; [`super::explicit_stack`] without recursion.
//! Shannon 1950 took it to chess. <https://www.chessprogramming.org/Minimax>

use super::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn minimax<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    let value = search(ctx, &root, NodeKind::Max, depth)?;
    Ok(ctx.finish(value))
}

/// `search (B, mode)` of the listing; the bracketed numbers are its lines.
fn search<G: GameTree>(
    ctx: &mut SearchContext<G>,
    b: &Node<G>,
    mode: NodeKind,
    depth: u32,
) -> Result<Score, TreeSearchError> {
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
