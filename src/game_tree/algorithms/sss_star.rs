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

use crate::game_tree::{Game, Mode, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A node the search knows.
struct Known<G: Game> {
    node: Node<G>,
    parent: Option<usize>,
    /// This node's moves; generated when it is first opened.
    moves: Vec<G::Move>,
    solved: bool,
}

/// A state of the OPEN list.
#[derive(PartialEq, Eq)]
struct State {
    /// Upper bound of the value, from the side for which the search maximizes.
    merit: Score,
    /// The index of the child to take at each ply: tells left from right.
    place: Vec<u32>,
    /// Index into the known nodes.
    known: usize,
    solved: bool,
    /// The leaf that the merit comes from, if it comes from one.
    source: Option<usize>,
}

impl Ord for State {
    fn cmp(&self, other: &Self) -> Ordering {
        self.merit.cmp(&other.merit).then_with(|| other.place.cmp(&self.place))
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// SSS*: the minimax value of `root` with leaves at `depth`; any depth will do.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn sss_star<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    best_first(s, root, depth, Mode::Max)
}

/// DUAL*: the same with MAX and MIN exchanged, so that merits are lower bounds.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn dual_star<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    best_first(s, root, depth, Mode::Min)
}

/// Stockman's procedure for the side `favored`: merits are values for MAX times that side's sign.
fn best_first<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
    favored: Mode,
) -> Result<Outcome<G::Move>, Stop> {
    let root = s.begin(root, View::Max);
    s.unlimited_depth();
    let sign = favored.sign();
    let mut tree = vec![Known { node: root, parent: None, moves: Vec::new(), solved: false }];
    let mut open = BinaryHeap::new();
    open.push(State { merit: OPEN, place: Vec::new(), known: 0, solved: false, source: None });
    while let Some(state) = open.pop() {
        if below_solved(&tree, state.known) {
            continue;
        }
        let node = &tree[state.known].node;
        announce(s, node, &state, sign);
        match (state.solved, tree[state.known].parent) {
            (true, None) => {
                s.set_line(line_to(&tree, state.source));
                return Ok(s.finish(state.merit * sign));
            }
            // A solved child of a favored node solves it: it had the best merit of all.
            (true, Some(parent)) if tree[parent].node.mode() == favored => {
                tree[parent].solved = true;
                open.push(solved_parent(state, parent));
            }
            // A solved child of the other side's node: the next child, or all are solved.
            (true, Some(parent)) => {
                let next = state.place.last().map_or(0, |&index| index as usize + 1);
                if next < tree[parent].moves.len() {
                    let live = State { solved: false, ..solved_parent(state, parent) };
                    push_child(s, &mut tree, &mut open, live, parent, next);
                } else {
                    tree[parent].solved = true;
                    open.push(solved_parent(state, parent));
                }
            }
            (false, _) => {
                s.enter(node, -OPEN, OPEN)?;
                let moves = s.successors(node, depth.saturating_sub(node.ply));
                if moves.is_empty() {
                    let value = s.leaf(node) * sign;
                    let better = value < state.merit;
                    let source = if better { Some(state.known) } else { state.source };
                    let merit = value.min(state.merit);
                    tree[state.known].solved = true;
                    open.push(State { merit, solved: true, source, ..state });
                    continue;
                }
                let opened = if node.mode() == favored { moves.len() } else { 1 };
                tree[state.known].moves = moves;
                for index in 0..opened {
                    let parent = state.known;
                    let live = State { place: state.place.clone(), ..state };
                    push_child(s, &mut tree, &mut open, live, parent, index);
                }
            }
        }
    }
    unreachable!("the list holds a state of the root's tree until the root is solved")
}

/// Puts the child number `index` of `parent` on the list, live, with the merit of `state`.
fn push_child<G: Game>(
    s: &mut Search<G>,
    tree: &mut Vec<Known<G>>,
    open: &mut BinaryHeap<State>,
    mut state: State,
    parent: usize,
    index: usize,
) {
    let node = s.child(&tree[parent].node, tree[parent].moves[index]);
    state.place.push(index as u32);
    state.known = tree.len();
    tree.push(Known { node, parent: Some(parent), moves: Vec::new(), solved: false });
    open.push(state);
}

/// The state that says that `parent` is solved, made from the state of its child.
fn solved_parent(mut state: State, parent: usize) -> State {
    state.place.pop();
    State { known: parent, ..state }
}

/// Was a node above this one solved meanwhile, so that the state should have been purged?
fn below_solved<G: Game>(tree: &[Known<G>], known: usize) -> bool {
    std::iter::successors(tree[known].parent, |&above| tree[above].parent).any(|above| tree[above].solved)
}

/// The moves from the root to a node.
fn line_to<G: Game>(tree: &[Known<G>], known: Option<usize>) -> Vec<G::Move> {
    let path = std::iter::successors(known, |&index| tree[index].parent);
    let mut line: Vec<_> = path.filter_map(|index| tree[index].node.mv).collect();
    line.reverse();
    line
}

/// Tells the picture which state the list gave up.
fn announce<G: Game>(s: &mut Search<G>, node: &Node<G>, state: &State, sign: Score) {
    if let Some(trace) = &mut s.trace {
        trace.open(node.id, state.merit * sign, state.solved);
    }
}
