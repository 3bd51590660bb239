//! Proof-number search: a best-first search for a yes or no.
//!
//! Allis, van der Meulen and van den Herik 1994.
//!
//! Answers only whether MAX can reach a goal, such as a mate. In the AND/OR tree every node has a *proof number*,
//! the least number of leaves that must be solved to prove the goal, and a *disproof number*. An OR node is proven
//! by one child: `pn` is the minimum of its children's, `dn` the sum; at an AND node the reverse. A goal leaf has
//! (0, ∞), a failed one (∞, 0), an unknown one (1, 1). Each step expands the most-proving node, found by
//! following the smallest numbers from the root. It needs no evaluation and finds deep narrow wins (forced mates)
//! that a fixed-depth search cannot reach; the price is memory for the whole tree.
//! <https://www.chessprogramming.org/Proof-Number_Search>

use crate::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, UNBOUNDED, Value};

/// The ∞ of proof and disproof numbers.
const INFINITE: u64 = u64::MAX;

struct ProofNode<G: GameTree> {
    node: Node<G>,
    parent: usize,
    children: std::ops::Range<usize>,
    pn: u64,
    dn: u64,
}

/// Returns whether the value of `root` for MAX is at least `goal`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if `ctx` stops the search.
pub fn proves<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    goal: Value,
) -> Result<bool, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let mut tree = vec![ProofNode { node: root, parent: 0, children: 0..0, pn: 1, dn: 1 }];
    while tree[0].pn > 0 && tree[0].dn > 0 {
        // Select the most-proving node: at an OR node a child with the same pn, at an AND node with the same dn.
        let mut n = 0;
        while !tree[n].children.is_empty() {
            let or = tree[n].node.kind() == NodeKind::Max;
            let has_number = |&c: &usize| if or { tree[c].pn == tree[n].pn } else { tree[c].dn == tree[n].dn };
            n = tree[n].children.clone().find(has_number).unwrap_or(tree[n].children.start);
        }
        // Expand it, or solve it if it is a leaf.
        ctx.enter(&tree[n].node, -UNBOUNDED, UNBOUNDED)?;
        let moves = ctx.ordered_moves(&tree[n].node, depth.saturating_sub(tree[n].node.ply));
        tree[n].children = if moves.is_empty() { 0..0 } else { tree.len()..tree.len() + moves.len() };
        if moves.is_empty() {
            let reached = ctx.evaluate_leaf(&tree[n].node) >= goal;
            (tree[n].pn, tree[n].dn) = if reached { (0, INFINITE) } else { (INFINITE, 0) };
        }
        for mv in moves {
            let node = ctx.child(&tree[n].node, mv);
            tree.push(ProofNode { node, parent: n, children: 0..0, pn: 1, dn: 1 });
        }
        // Update the numbers of the expanded node and its ancestors.
        loop {
            let children = &tree[tree[n].children.clone()];
            let (pn, dn) = (children.iter().map(|c| c.pn), children.iter().map(|c| c.dn));
            let numbers = match tree[n].node.kind() {
                _ if children.is_empty() => (tree[n].pn, tree[n].dn),
                NodeKind::Max => (pn.min().unwrap_or(INFINITE), dn.fold(0, u64::saturating_add)),
                NodeKind::Min => (pn.fold(0, u64::saturating_add), dn.min().unwrap_or(INFINITE)),
            };
            (tree[n].pn, tree[n].dn) = numbers;
            if n == 0 {
                break;
            }
            n = tree[n].parent;
        }
    }
    Ok(tree[0].pn == 0)
}
