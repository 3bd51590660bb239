//! Alpha-beta in minimax form (the usual pseudocode of encyclopedias and tutorials).
//!
//! The same search as [`super::fail_soft`], written for two players instead of one: `α` is the value that MAX
//! is guaranteed, `β` the value that MIN is guaranteed, both passed down without changing sign. MAX raises α,
//! MIN lowers β, and the loop ends when β ≤ α: a beta cutoff at a MAX node, an alpha cutoff at a MIN node.
//! The tutorial *alpha-beta剪枝算法详解* leaves a node whose bounds cross. Its program tests
//! only `alpha > beta`, which is safe but misses the cutoff at equal values, and it never assigns a value to a
//! node none of whose children improves its window. The pseudocode of the article *Tăierea alfa-beta*,
//! which is followed here, has neither defect. <https://www.chessprogramming.org/Alpha-Beta>

use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn alpha_beta_minimax_form<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> TreeSearchResult<G> {
    let node = ctx.begin(root, Perspective::Max);
    let value = alpha_beta(ctx, &node, depth, -UNBOUNDED, UNBOUNDED, true)?;
    Ok(ctx.finish(value))
}

/// `alpha_beta(node, depth, α, β, maximizing)`. The numbers in comments are lines of the pseudocode.
fn alpha_beta<G: GameTree>(
    ctx: &mut SearchContext<G>,
    node: &Node<G>,
    depth: u32,
    mut alpha: Value,
    mut beta: Value,
    maximizing: bool,
) -> Result<Value, TreeSearchError> {
    ctx.enter(node, alpha, beta)?;
    let children = ctx.ordered_moves(node, depth);
    if children.is_empty() {
        return Ok(ctx.evaluate_leaf(node)); // 02, 03
    }
    let mut v = if maximizing { -UNBOUNDED } else { UNBOUNDED }; // 05, 13
    for mv in children {
        let child = ctx.child(node, mv);
        let value = alpha_beta(ctx, &child, depth - 1, alpha, beta, !maximizing)?;
        if (maximizing && value > v) || (!maximizing && value < v) {
            v = value; // 07, 15
            ctx.update_tentative(node, mv, v);
        }
        // The opponent's bound causes the cutoff; this node does not change it.
        let bound = if maximizing { beta } else { alpha };
        if maximizing {
            alpha = alpha.max(v); // 08
        } else {
            beta = beta.min(v); // 16
        }
        if beta <= alpha {
            ctx.cutoff(node, mv, bound); // 09, 10: beta cutoff; 17, 18: alpha cutoff
            break;
        }
    }
    Ok(ctx.leave(node, v)) // 11, 19
}
