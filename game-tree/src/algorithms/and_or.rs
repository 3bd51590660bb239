//! AND/OR tree with tentative and final values (Nilsson 1971).
//!
//! No window is passed down. Every inner node has a *tentative* value: an OR node (MAX) its alpha-value, the
//! largest final value of its children so far, which never decreases; an AND node (MIN) its beta-value, which
//! never increases. The search below an AND node stops when its beta-value is at most the alpha-value of *any*
//! OR ancestor, up to the root (deep cutoffs), and dually below an OR node. Aho, Hopcroft and Ullman compare with
//! the parent only: shallow cutoffs, with the leaves of [`super::branch_and_bound`]. With the deep rule the leaves
//! are those of [`super::alpha_beta`], whose α is the maximum of these alpha-values.
//! Nilsson 1971. <https://www.chessprogramming.org/Alpha-Beta#Deep_Cutoffs>

use crate::{
    GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value,
};

/// The ancestors with which a node is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutoffRule {
    /// The parent only (rule 3 of Aho, Hopcroft and Ullman 1983, section 10.4).
    Shallow,
    /// Every ancestor of the other kind.
    Deep,
}

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn and_or<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    rule: CutoffRule,
) -> TreeSearchResult<G> {
    let root = ctx.begin(root, Perspective::Max);
    let value = final_value(ctx, &root, depth, rule, &mut Vec::new())?;
    Ok(ctx.finish(value))
}

/// Returns the final value of `n`, given the `tentative` values of its ancestors, from the root.
fn final_value<G: GameTree>(
    ctx: &mut SearchContext<G>,
    n: &Node<G>,
    depth: u32,
    rule: CutoffRule,
    tentative: &mut Vec<Value>,
) -> Result<Value, TreeSearchError> {
    // The bounds (an ancestor without a value yet has ∓∞): the parent's, or the best of all ancestors of its kind.
    let levels = if rule == CutoffRule::Shallow { 1 } else { tentative.len() };
    let ancestors = || tentative.iter().copied().rev().take(levels);
    let (or, and) = if n.kind() == NodeKind::Min { (0, 1) } else { (1, 0) };
    let alpha = ancestors().skip(or).step_by(2).max().unwrap_or(-UNBOUNDED);
    let beta = ancestors().skip(and).step_by(2).min().unwrap_or(UNBOUNDED);
    ctx.enter(n, alpha, beta)?;
    let children = ctx.ordered_moves(n, depth);
    if children.is_empty() {
        return Ok(ctx.evaluate_leaf(n));
    }
    tentative.push(-UNBOUNDED * n.kind().sign());
    for mv in children {
        let child = ctx.child(n, mv);
        let v2 = final_value(ctx, &child, depth - 1, rule, tentative)?;
        let v1 = tentative[n.ply as usize];
        // Rule 2: the tentative value becomes max(v1, v2) at an OR node, min(v1, v2) at an AND node.
        if (v2 - v1) * n.kind().sign() > 0 {
            tentative[n.ply as usize] = v2;
            ctx.update_tentative(n, mv, v2);
        }
        // Rule 3 and rule A: an AND node's beta-value is at most an alpha-value of an OR ancestor; and the dual.
        let bound = if n.kind() == NodeKind::Min { alpha } else { beta };
        if (tentative[n.ply as usize] - bound) * n.kind().sign() >= 0 {
            ctx.cutoff(n, mv, bound);
            break;
        }
    }
    // Rule 1: all children are final or cut off, so the tentative value becomes final.
    let value = tentative.pop().unwrap_or_default();
    Ok(ctx.leave(n, value))
}
