//! SSS\* (Stockman 1979), the best-first search of source 001, and its dual, DUAL\*.
//!
//! Not depth-first: an OPEN list holds states `(node, live or solved, merit)`, where the merit is an upper bound
//! of the value of any MAX strategy through that node. The state with the highest merit is taken first, the
//! leftmost one among equals; a MAX node expands all its children, a MIN node one after the other. The first
//! merit that reaches the root is the value. SSS\* never evaluates a leaf that alpha-beta does not, and often
//! far fewer; the price (source 001) is memory: the list grows like `W^(L/2)`.
//! The six cases are Stockman's Γ operator. Instead of purging the descendants of a solved MAX node from the
//! list, a state is skipped when it is taken from the list and has a solved ancestor; the effect is the same.
//! DUAL\* is SSS\* with the players exchanged. As a sequence of null-window searches: [`super::mtd`].
//! <https://www.chessprogramming.org/SSS*_and_DUAL*>

use crate::game_tree::{
    GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED,
};
use crate::score::Score;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A generated node.
struct TreeNode<G: GameTree> {
    node: Node<G>,
    parent: Option<usize>,
    /// The moves of this node; empty until it is expanded.
    moves: Vec<G::Move>,
    solved: bool,
}

/// A state of the OPEN list.
#[derive(PartialEq, Eq)]
struct OpenState {
    /// Upper bound of the value, from the perspective of the favored side.
    merit: Score,
    /// The child index at each ply from the root; breaks ties from left to right.
    path_indices: Vec<u32>,
    /// Index into the generated nodes.
    node_index: usize,
    solved: bool,
    /// The leaf whose value is the merit, if any.
    merit_leaf: Option<usize>,
}

impl Ord for OpenState {
    fn cmp(&self, other: &Self) -> Ordering {
        self.merit.cmp(&other.merit).then_with(|| other.path_indices.cmp(&self.path_indices))
    }
}

impl PartialOrd for OpenState {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// SSS\*: returns the minimax value of `root`, with leaves at `depth` plies; no depth limit.
///
/// # Errors
/// [`TreeSearchError::Stopped`] if `ctx` stops the search.
pub fn sss_star<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    best_first(ctx, root, depth, NodeKind::Max)
}

/// DUAL\*: [`sss_star`] with MAX and MIN exchanged, so that merits are lower bounds.
///
/// # Errors
/// [`TreeSearchError::Stopped`] if `ctx` stops the search.
pub fn dual_star<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    best_first(ctx, root, depth, NodeKind::Min)
}

/// Stockman's procedure for the side `favored`; merits are values from that side's perspective.
fn best_first<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    favored: NodeKind,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let sign = favored.sign();
    let mut tree = vec![TreeNode { node: root, parent: None, moves: Vec::new(), solved: false }];
    let mut open_list = BinaryHeap::new();
    open_list.push(OpenState {
        merit: UNBOUNDED,
        path_indices: Vec::new(),
        node_index: 0,
        solved: false,
        merit_leaf: None,
    });
    while let Some(state) = open_list.pop() {
        if has_solved_ancestor(&tree, state.node_index) {
            continue;
        }
        let node = &tree[state.node_index].node;
        record_selection(ctx, node, &state, sign);
        match (state.solved, tree[state.node_index].parent) {
            (true, None) => {
                ctx.set_variation(moves_to(&tree, state.merit_leaf));
                return Ok(ctx.finish(state.merit * sign));
            }
            // A solved child of a favored node solves its parent: no state has a higher merit.
            (true, Some(parent)) if tree[parent].node.kind() == favored => {
                tree[parent].solved = true;
                open_list.push(solved_parent(state, parent));
            }
            // A solved child of the other side's node: continue with the next child, if any.
            (true, Some(parent)) => {
                let next = state.path_indices.last().map_or(0, |&index| index as usize + 1);
                if next < tree[parent].moves.len() {
                    let live_state = OpenState { solved: false, ..solved_parent(state, parent) };
                    push_child(ctx, &mut tree, &mut open_list, live_state, parent, next);
                } else {
                    tree[parent].solved = true;
                    open_list.push(solved_parent(state, parent));
                }
            }
            (false, _) => {
                ctx.enter(node, -UNBOUNDED, UNBOUNDED)?;
                let moves = ctx.ordered_moves(node, depth.saturating_sub(node.ply));
                if moves.is_empty() {
                    let value = ctx.evaluate_leaf(node) * sign;
                    let is_lower = value < state.merit;
                    let merit_leaf = if is_lower { Some(state.node_index) } else { state.merit_leaf };
                    let merit = value.min(state.merit);
                    tree[state.node_index].solved = true;
                    open_list.push(OpenState { merit, solved: true, merit_leaf, ..state });
                    continue;
                }
                let child_count = if node.kind() == favored { moves.len() } else { 1 };
                tree[state.node_index].moves = moves;
                for index in 0..child_count {
                    let parent = state.node_index;
                    let live_state = OpenState { path_indices: state.path_indices.clone(), ..state };
                    push_child(ctx, &mut tree, &mut open_list, live_state, parent, index);
                }
            }
        }
    }
    unreachable!("the OPEN list is not empty before the root is solved")
}

/// Adds child number `index` of `parent` to the OPEN list as a live state with the merit of `state`.
fn push_child<G: GameTree>(
    ctx: &mut SearchContext<G>,
    tree: &mut Vec<TreeNode<G>>,
    open_list: &mut BinaryHeap<OpenState>,
    mut state: OpenState,
    parent: usize,
    index: usize,
) {
    let node = ctx.child(&tree[parent].node, tree[parent].moves[index]);
    state.path_indices.push(index as u32);
    state.node_index = tree.len();
    tree.push(TreeNode { node, parent: Some(parent), moves: Vec::new(), solved: false });
    open_list.push(state);
}

/// Returns the solved state of `parent`, derived from the state of its child.
fn solved_parent(mut state: OpenState, parent: usize) -> OpenState {
    state.path_indices.pop();
    OpenState { node_index: parent, ..state }
}

/// Returns whether an ancestor was solved in the meantime, so that the state counts as purged.
fn has_solved_ancestor<G: GameTree>(tree: &[TreeNode<G>], node_index: usize) -> bool {
    std::iter::successors(tree[node_index].parent, |&ancestor| tree[ancestor].parent)
        .any(|ancestor| tree[ancestor].solved)
}

/// Returns the moves from the root to a node.
fn moves_to<G: GameTree>(tree: &[TreeNode<G>], node_index: Option<usize>) -> Vec<G::Move> {
    let path = std::iter::successors(node_index, |&index| tree[index].parent);
    let mut moves: Vec<_> = path.filter_map(|index| tree[index].node.mv).collect();
    moves.reverse();
    moves
}

/// Records in the trace which state was taken from the OPEN list.
fn record_selection<G: GameTree>(ctx: &mut SearchContext<G>, node: &Node<G>, state: &OpenState, sign: Score) {
    if let Some(trace) = &mut ctx.trace {
        trace.open(node.id, state.merit * sign, state.solved);
    }
}
