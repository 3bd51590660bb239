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

use crate::game_tree::{Game, Mode, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;
use std::vec::IntoIter;

/// Whose values a vertex is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutOffs {
    /// The parent's only (source 004, rule 3).
    Shallow,
    /// Those of every vertex of the other kind on the path to the root (source 002, rule А).
    Deep,
}

/// A vertex on the path from the root, not yet final.
struct Vertex<G: Game> {
    node: Node<G>,
    children: IntoIter<G::Move>,
    tentative: Option<Score>,
}

/// The minimax value of `root` with leaves at `depth`; any depth will do.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn and_or<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
    rule: CutOffs,
) -> Result<Outcome<G::Move>, Stop> {
    let root = s.begin(root, View::Max);
    s.unlimited_depth();
    let mut path: Vec<Vertex<G>> = Vec::new();
    let mut next = Some(root);
    loop {
        let (mv, value) = if let Some(node) = next.take() {
            let (alpha, beta) = bounds_above(&path, rule);
            s.enter(&node, alpha, beta)?;
            let children = s.successors(&node, depth.saturating_sub(node.ply));
            if !children.is_empty() {
                path.push(Vertex { node, children: children.into_iter(), tentative: None });
                next = next_child(s, &mut path);
                continue;
            }
            // "A leaf is valued by the static evaluation as soon as it is built."
            (node.mv, s.leaf(&node))
        } else if let Some(Vertex { node, tentative: Some(value), .. }) = path.pop() {
            // Rule 1: all children are looked at or cut, the tentative value becomes final.
            (node.mv, s.leave(&node, value))
        } else {
            unreachable!("an inner vertex has a child and thereby a value")
        };
        let (Some(parent), Some(mv)) = (path.last_mut(), mv) else {
            return Ok(s.finish(value));
        };
        // Rule 2: the parent's tentative value is recomputed with every child that becomes final.
        let better = parent.tentative.is_none_or(|old| match parent.node.mode() {
            Mode::Max => value > old,
            Mode::Min => value < old,
        });
        if better {
            parent.tentative = Some(value);
            s.improve(&parent.node, mv, value);
        }
        if let Some(bound) = cut_by(&path, rule)
            && let Some(parent) = path.last_mut()
        {
            s.cut(&parent.node, mv, bound);
            parent.children = Vec::new().into_iter();
        }
        next = next_child(s, &mut path);
    }
}

/// Rule А and its dual (source 002), rule 3 (source 004): the value above that makes the last vertex of
/// the path worthless, if there is one; the nearest is named.
fn cut_by<G: Game>(path: &[Vertex<G>], rule: CutOffs) -> Option<Score> {
    let (last, above) = path.split_last()?;
    let value = last.tentative?;
    let reach = match rule {
        CutOffs::Shallow => 1,
        CutOffs::Deep => above.len(),
    };
    above.iter().rev().take(reach).step_by(2).filter_map(|vertex| vertex.tentative).find(|&bound| {
        match last.node.mode() {
            Mode::Min => value <= bound,
            Mode::Max => value >= bound,
        }
    })
}

/// The largest alpha-value and the smallest beta-value above a new vertex. No cut-off depends on them: pictures, counts and
/// the moves that are remembered do.
fn bounds_above<G: Game>(path: &[Vertex<G>], rule: CutOffs) -> (Score, Score) {
    let reach = match rule {
        CutOffs::Shallow => 1,
        CutOffs::Deep => path.len(),
    };
    let (mut alpha, mut beta) = (-OPEN, OPEN);
    for vertex in path.iter().rev().take(reach) {
        match (vertex.node.mode(), vertex.tentative) {
            (Mode::Max, Some(value)) => alpha = alpha.max(value),
            (Mode::Min, Some(value)) => beta = beta.min(value),
            (_, None) => {}
        }
    }
    (alpha, beta)
}

/// The next child of the last vertex of the path.
fn next_child<G: Game>(s: &mut Search<G>, path: &mut [Vertex<G>]) -> Option<Node<G>> {
    let last = path.last_mut()?;
    let mv = last.children.next()?;
    Some(s.child(&last.node, mv))
}
