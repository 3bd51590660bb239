//! SSS* (Stockman 1979), source 001's best-first search, and its mirror image DUAL*.
//!
//! Not depth-first: an OPEN list holds states `(node, live or solved, merit)`, the merit being an upper
//! bound of what any strategy of MAX through that node can bring. The best state is taken first, the
//! leftmost among equals; a MAX node opens all its children, a MIN node one after the other. The first
//! merit that reaches the root is the value. It never evaluates a leaf that alpha-beta does not, and
//! often far fewer; the price, as source 001 says, is memory: the list grows like `W^(L/2)`.
//! The six cases are Stockman's Γ operator. Instead of purging descendants of a solved MAX node from the
//! list, a state is dropped when it comes up below a solved node, which leaves the same states.
//! DUAL* is SSS* with the players exchanged. As driver of zero windows: [`super::mtd`].
//! <https://www.chessprogramming.org/SSS*_and_DUAL*>

use super::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A node the search knows.
struct TreeNode<G: GameTree> {
    node: Node<G>,
    parent: Option<usize>,
    /// This node's moves; generated when it is first opened.
    moves: Vec<G::Move>,
    solved: bool,
}

/// A state of the OPEN list.
#[derive(PartialEq, Eq)]
struct OpenState {
    /// Upper bound of the value, from the side for which the search maximizes.
    merit: Score,
    /// The index of the child to take at each ply: tells left from right.
    path_indices: Vec<u32>,
    /// Index into the known nodes.
    node_index: usize,
    solved: bool,
    /// The leaf that the merit comes from, if it comes from one.
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

/// SSS*: the minimax value of `root` with leaves at `depth`; any depth will do.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn sss_star<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    best_first(ctx, root, depth, NodeKind::Max)
}

/// DUAL*: the same with MAX and MIN exchanged, so that merits are lower bounds.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn dual_star<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    best_first(ctx, root, depth, NodeKind::Min)
}

/// Stockman's procedure for the side `favored`: merits are values for MAX times that side's sign.
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
            // A solved child of a favored node solves it: it had the best merit of all.
            (true, Some(parent)) if tree[parent].node.kind() == favored => {
                tree[parent].solved = true;
                open_list.push(solved_parent(state, parent));
            }
            // A solved child of the other side's node: the next child, or all are solved.
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
    unreachable!("the list holds a state of the root's tree until the root is solved")
}

/// Puts the child number `index` of `parent` on the list, live, with the merit of `state`.
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

/// The state that says that `parent` is solved, made from the state of its child.
fn solved_parent(mut state: OpenState, parent: usize) -> OpenState {
    state.path_indices.pop();
    OpenState { node_index: parent, ..state }
}

/// Was a node above this one solved meanwhile, so that the state should have been purged?
fn has_solved_ancestor<G: GameTree>(tree: &[TreeNode<G>], node_index: usize) -> bool {
    std::iter::successors(tree[node_index].parent, |&ancestor| tree[ancestor].parent)
        .any(|ancestor| tree[ancestor].solved)
}

/// The moves from the root to a node.
fn moves_to<G: GameTree>(tree: &[TreeNode<G>], node_index: Option<usize>) -> Vec<G::Move> {
    let path = std::iter::successors(node_index, |&index| tree[index].parent);
    let mut moves: Vec<_> = path.filter_map(|index| tree[index].node.mv).collect();
    moves.reverse();
    moves
}

/// Tells the picture which state the list gave up.
fn record_selection<G: GameTree>(ctx: &mut SearchContext<G>, node: &Node<G>, state: &OpenState, sign: Score) {
    if let Some(trace) = &mut ctx.trace {
        trace.open(node.id, state.merit * sign, state.solved);
    }
}
