//! AND/OR tree with tentative and final values (source 002, rules А and its dual; source 004, rules 1-3).
//!
//! No window is handed down here. Every vertex on the path keeps its own *tentative* value: an OR vertex
//! (MAX) its alpha-value, the largest value of its children so far, which cannot fall; an AND vertex
//! (MIN) its beta-value, which cannot rise. It becomes *final* when all children are looked at or cut.
//! The search below an AND vertex stops when its beta-value is at most the alpha-value of *any* OR
//! vertex above it, up to the root (source 002: deep cut-offs), and below an OR vertex dually. Source
//! 004 compares with the parent only: shallow cut-offs, the leaves of [`super::branch_and_bound`]. With
//! the deep rule the leaves are those of [`super::alpha_beta`], whose α is the largest of those
//! alpha-values. The path is an explicit stack, as the rules speak of the vertices on it.
//! <https://www.chessprogramming.org/Alpha-Beta#Deep_Cutoffs>

use super::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;
use std::vec::IntoIter;

/// Whose values a vertex is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutoffRule {
    /// The parent's only (source 004, rule 3).
    Shallow,
    /// Those of every vertex of the other kind on the path to the root (source 002, rule А).
    Deep,
}

/// A vertex on the path from the root, not yet final.
struct Vertex<G: GameTree> {
    node: Node<G>,
    children: IntoIter<G::Move>,
    tentative: Option<Score>,
}

/// The minimax value of `root` with leaves at `depth`; any depth will do.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn and_or<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    rule: CutoffRule,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let mut path: Vec<Vertex<G>> = Vec::new();
    let mut next = Some(root);
    loop {
        let (mv, value) = if let Some(node) = next.take() {
            let (alpha, beta) = bounds_above(&path, rule);
            ctx.enter(&node, alpha, beta)?;
            let children = ctx.ordered_moves(&node, depth.saturating_sub(node.ply));
            if !children.is_empty() {
                path.push(Vertex { node, children: children.into_iter(), tentative: None });
                next = next_child(ctx, &mut path);
                continue;
            }
            // "A leaf is valued by the static evaluation as soon as it is built."
            (node.mv, ctx.evaluate_leaf(&node))
        } else if let Some(Vertex { node, tentative: Some(value), .. }) = path.pop() {
            // Rule 1: all children are looked at or cut, the tentative value becomes final.
            (node.mv, ctx.leave(&node, value))
        } else {
            unreachable!("an inner vertex has a child and thereby a value")
        };
        let (Some(parent), Some(mv)) = (path.last_mut(), mv) else {
            return Ok(ctx.finish(value));
        };
        // Rule 2: the parent's tentative value is recomputed with every child that becomes final.
        let improves = parent.tentative.is_none_or(|old| match parent.node.kind() {
            NodeKind::Max => value > old,
            NodeKind::Min => value < old,
        });
        if improves {
            parent.tentative = Some(value);
            ctx.update_tentative(&parent.node, mv, value);
        }
        if let Some(bound) = cut_by(&path, rule)
            && let Some(parent) = path.last_mut()
        {
            ctx.cutoff(&parent.node, mv, bound);
            parent.children = Vec::new().into_iter();
        }
        next = next_child(ctx, &mut path);
    }
}

/// Rule А and its dual (source 002), rule 3 (source 004): the value above that makes the last vertex of
/// the path worthless, if there is one; the nearest is named.
fn cut_by<G: GameTree>(path: &[Vertex<G>], rule: CutoffRule) -> Option<Score> {
    let (last, above) = path.split_last()?;
    let value = last.tentative?;
    let levels = match rule {
        CutoffRule::Shallow => 1,
        CutoffRule::Deep => above.len(),
    };
    above.iter().rev().take(levels).step_by(2).filter_map(|vertex| vertex.tentative).find(|&bound| {
        match last.node.kind() {
            NodeKind::Min => value <= bound,
            NodeKind::Max => value >= bound,
        }
    })
}

/// The largest alpha-value and the smallest beta-value above a new vertex. No cut-off depends on them: pictures, counts and
/// the moves that are remembered do.
fn bounds_above<G: GameTree>(path: &[Vertex<G>], rule: CutoffRule) -> (Score, Score) {
    let levels = match rule {
        CutoffRule::Shallow => 1,
        CutoffRule::Deep => path.len(),
    };
    let (mut alpha, mut beta) = (-UNBOUNDED, UNBOUNDED);
    for vertex in path.iter().rev().take(levels) {
        match (vertex.node.kind(), vertex.tentative) {
            (NodeKind::Max, Some(value)) => alpha = alpha.max(value),
            (NodeKind::Min, Some(value)) => beta = beta.min(value),
            (_, None) => {}
        }
    }
    (alpha, beta)
}

/// The next child of the last vertex of the path.
fn next_child<G: GameTree>(ctx: &mut SearchContext<G>, path: &mut [Vertex<G>]) -> Option<Node<G>> {
    let last = path.last_mut()?;
    let mv = last.children.next()?;
    Some(ctx.child(&last.node, mv))
}
