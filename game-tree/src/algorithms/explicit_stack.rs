//! Minimax without recursion (Aho, Hopcroft and Ullman 1983, section 10.4).
//!
//! A non-recursive program that keeps a stack of positions, one for each active call of `search`. Visiting
//! order, leaves and values are the same as in [`super::minimax`]; the difference is the depth limit: a
//! recursive search is limited by the call stack, this one by memory only (10,000 plies need a few MB).
//! <https://www.chessprogramming.org/Iterative_Search>

use crate::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchResult, UNBOUNDED, Value};
use std::vec::IntoIter;

/// An active call of `search`: a position whose children are not all evaluated.
struct StackEntry<G: GameTree> {
    b: Node<G>,
    children: IntoIter<G::Move>,
    value: Value,
}

/// Returns the minimax value of `root`, with leaves at `depth` plies; no depth limit.
///
/// # Errors
/// [`TreeSearchError::Stopped`](crate::TreeSearchError::Stopped) if `ctx` stops the search.
pub fn minimax_explicit_stack<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> TreeSearchResult<G> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let mut stack: Vec<StackEntry<G>> = Vec::new();
    let mut next = Some(root);
    loop {
        // Down: a leaf yields its value; an inner node goes onto the stack.
        let (mv, value) = if let Some(b) = next.take() {
            ctx.enter(&b, -UNBOUNDED, UNBOUNDED)?;
            let children = ctx.ordered_moves(&b, depth.saturating_sub(b.ply));
            if !children.is_empty() {
                let value = -UNBOUNDED * b.kind().sign();
                stack.push(StackEntry { b, children: children.into_iter(), value });
                next = next_child(ctx, &mut stack);
                continue;
            }
            (b.mv, ctx.evaluate_leaf(&b))
        } else if let Some(finished) = stack.pop() {
            (finished.b.mv, ctx.leave(&finished.b, finished.value))
        } else {
            unreachable!("the root returns before the stack is empty")
        };
        // Up: the value is passed to the parent.
        let (Some(parent), Some(mv)) = (stack.last_mut(), mv) else {
            return Ok(ctx.finish(value));
        };
        let improves = match parent.b.kind() {
            NodeKind::Max => value > parent.value,
            NodeKind::Min => value < parent.value,
        };
        if improves {
            parent.value = value;
            ctx.update_tentative(&parent.b, mv, value);
        }
        next = next_child(ctx, &mut stack);
    }
}

/// Returns the next child of the position on top of the stack.
fn next_child<G: GameTree>(ctx: &mut SearchContext<G>, stack: &mut [StackEntry<G>]) -> Option<Node<G>> {
    let top = stack.last_mut()?;
    let mv = top.children.next()?;
    Some(ctx.child(&top.b, mv))
}
