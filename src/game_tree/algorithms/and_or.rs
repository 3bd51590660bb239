//! AND/OR tree with tentative and final values (sources 002 and 004).
//!
//! Source 002, rule А and its dual; source 004, rules 1 to 3.
//! No window is passed down. Every inner node on the path has a *tentative* value: an OR node (MAX) its
//! alpha-value, the largest value of its children so far, which never decreases; an AND node (MIN) its
//! beta-value, which never increases. The value becomes *final* when all children are evaluated or cut off.
//! The search below an AND node stops when its beta-value is at most the alpha-value of *any* OR ancestor, up
//! to the root (source 002: deep cutoffs), and dually below an OR node. Source 004 compares with the parent
//! only: shallow cutoffs, with the leaves of [`super::branch_and_bound`]. With the deep rule the leaves are
//! those of [`super::alpha_beta`], whose α is the maximum of these alpha-values. The path is an explicit
//! stack because the rules refer to the ancestors of a node.
//! <https://www.chessprogramming.org/Alpha-Beta#Deep_Cutoffs>

use crate::game_tree::{
    GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED,
};
use crate::score::Score;
use std::vec::IntoIter;

/// The ancestors with which a node is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutoffRule {
    /// The parent only (source 004, rule 3).
    Shallow,
    /// Every ancestor of the other kind (source 002, rule А).
    Deep,
}

/// An inner node on the path from the root whose value is not final yet.
struct PathNode<G: GameTree> {
    node: Node<G>,
    children: IntoIter<G::Move>,
    tentative: Option<Score>,
}

/// Returns the minimax value of `root`, with leaves at `depth` plies; no depth limit.
///
/// # Errors
/// [`TreeSearchError::Stopped`] if `ctx` stops the search.
pub fn and_or<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    rule: CutoffRule,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let mut path: Vec<PathNode<G>> = Vec::new();
    let mut next = Some(root);
    loop {
        let (mv, value) = if let Some(node) = next.take() {
            let (alpha, beta) = ancestor_bounds(&path, rule);
            ctx.enter(&node, alpha, beta)?;
            let children = ctx.ordered_moves(&node, depth.saturating_sub(node.ply));
            if !children.is_empty() {
                path.push(PathNode { node, children: children.into_iter(), tentative: None });
                next = next_child(ctx, &mut path);
                continue;
            }
            // Source 002: a leaf is evaluated statically as soon as it is generated.
            (node.mv, ctx.evaluate_leaf(&node))
        } else if let Some(PathNode { node, tentative: Some(value), .. }) = path.pop() {
            // Rule 1: all children are evaluated or cut off, so the tentative value becomes final.
            (node.mv, ctx.leave(&node, value))
        } else {
            unreachable!("every inner node has at least one child and so a tentative value")
        };
        let (Some(parent), Some(mv)) = (path.last_mut(), mv) else {
            return Ok(ctx.finish(value));
        };
        // Rule 2: each child that becomes final updates the tentative value of its parent.
        let improves = parent.tentative.is_none_or(|old| match parent.node.kind() {
            NodeKind::Max => value > old,
            NodeKind::Min => value < old,
        });
        if improves {
            parent.tentative = Some(value);
            ctx.update_tentative(&parent.node, mv, value);
        }
        if let Some(bound) = cutoff_bound(&path, rule)
            && let Some(parent) = path.last_mut()
        {
            ctx.cutoff(&parent.node, mv, bound);
            parent.children = Vec::new().into_iter();
        }
        next = next_child(ctx, &mut path);
    }
}

/// Returns the bound of the nearest ancestor that cuts off the last node of the path, if any.
///
/// Rule А and its dual (source 002), rule 3 (source 004).
fn cutoff_bound<G: GameTree>(path: &[PathNode<G>], rule: CutoffRule) -> Option<Score> {
    let (last, ancestors) = path.split_last()?;
    let value = last.tentative?;
    let levels = match rule {
        CutoffRule::Shallow => 1,
        CutoffRule::Deep => ancestors.len(),
    };
    ancestors.iter().rev().take(levels).step_by(2).filter_map(|ancestor| ancestor.tentative).find(|&bound| {
        match last.node.kind() {
            NodeKind::Min => value <= bound,
            NodeKind::Max => value >= bound,
        }
    })
}

/// Returns the largest alpha-value and the smallest beta-value among the ancestors of a new node.
///
/// Cutoffs do not depend on them; drawings, counters and the `best-move` ordering heuristic do.
fn ancestor_bounds<G: GameTree>(path: &[PathNode<G>], rule: CutoffRule) -> (Score, Score) {
    let levels = match rule {
        CutoffRule::Shallow => 1,
        CutoffRule::Deep => path.len(),
    };
    let (mut alpha, mut beta) = (-UNBOUNDED, UNBOUNDED);
    for ancestor in path.iter().rev().take(levels) {
        match (ancestor.node.kind(), ancestor.tentative) {
            (NodeKind::Max, Some(value)) => alpha = alpha.max(value),
            (NodeKind::Min, Some(value)) => beta = beta.min(value),
            (_, None) => {}
        }
    }
    (alpha, beta)
}

/// Returns the next child of the last node of the path.
fn next_child<G: GameTree>(ctx: &mut SearchContext<G>, path: &mut [PathNode<G>]) -> Option<Node<G>> {
    let last = path.last_mut()?;
    let mv = last.children.next()?;
    Some(ctx.child(&last.node, mv))
}
