//! Minimax without recursion (source 004, the paragraph after listing 10.3).
//!
//! "A non-recursive program that keeps a stack of positions, one for each call of `search` that is under
//! way": what the compiler does for [`super::minimax`] is done by hand. The visiting order, the leaves
//! and the values are the same; what differs is the limit. A recursive search dies where the call stack
//! ends; this one walks a chain of ten thousand plies in a few megabytes.
//! <https://www.chessprogramming.org/Iterative_Search>

use super::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;
use std::vec::IntoIter;

/// One position under way: a call of `search` that waits for its sons.
struct StackEntry<G: GameTree> {
    b: Node<G>,
    children: IntoIter<G::Move>,
    value: Score,
}

/// The minimax value of `root` with leaves at `depth`; any depth will do.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn minimax_explicit_stack<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let mut stack: Vec<StackEntry<G>> = Vec::new();
    let mut next = Some(root);
    loop {
        // Down: a new position is a leaf with a value, or it waits on the stack for its sons.
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
        // Up: the value goes to the position that waits for it.
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

/// The next son of the position on top of the stack.
fn next_child<G: GameTree>(ctx: &mut SearchContext<G>, stack: &mut [StackEntry<G>]) -> Option<Node<G>> {
    let top = stack.last_mut()?;
    let mv = top.children.next()?;
    Some(ctx.child(&top.b, mv))
}
