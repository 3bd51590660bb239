//! SSS\* (Stockman 1979), a best-first search, and its dual, DUAL\*.
//!
//! Not depth-first: an OPEN list holds states `(n, s, h)` of a node `n` that is live or solved, with a merit `h`,
//! an upper bound of the value of any MAX strategy through `n`. The state with the highest merit is taken first,
//! the leftmost one among equals, and replaced by the Γ operator, whose six cases are numbered below. The merit
//! of the solved root is the value. SSS\* never evaluates a leaf that alpha-beta does not, and often far fewer; the
//! price is memory: the list grows like `W^(L/2)`. The list itself is in `open_list.rs`.
//! DUAL\* (Marsland, Reinefeld and Schaeffer 1987) is SSS\* with the players exchanged. As a sequence of
//! null-window searches: [`super::mtd`]. <https://www.chessprogramming.org/SSS*_and_DUAL*>

use crate::open_list::OpenList;
use crate::{GameTree, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED};

/// SSS\*: returns the minimax value of `root`, with leaves at `depth` plies; no depth limit.
///
/// # Errors
/// [`TreeSearchError`] if `ctx` stops the search or the OPEN list exceeds its limit.
pub fn sss_star<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    best_first(ctx, root, depth, NodeKind::Max)
}

/// DUAL\*: [`sss_star`] with MAX and MIN exchanged, so that merits are lower bounds.
///
/// # Errors
/// As [`sss_star`].
pub fn dual_star<G: GameTree>(ctx: &mut SearchContext<G>, root: &G::Position, depth: u32) -> TreeSearchResult<G> {
    best_first(ctx, root, depth, NodeKind::Min)
}

/// Stockman's procedure for the side `max`; merits are values from that side's perspective.
fn best_first<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
    max: NodeKind,
) -> TreeSearchResult<G> {
    let root = ctx.begin(root, Perspective::Max);
    ctx.unlimited_depth();
    let mut open = OpenList::new(root);
    while let Some(state) = open.pop() {
        let n = open.node(state.n);
        ctx.record_state(n, state.h * max.sign(), state.solved);
        if state.solved {
            match open.parent_kind(state.n) {
                // The root is solved.
                None => {
                    ctx.set_variation(open.variation(&state));
                    return Ok(ctx.finish(state.h * max.sign()));
                }
                // Case 1: n is a MIN node. (parent, solved, h); purge all other descendants of the parent.
                Some(kind) if kind == max => open.push_solved_parent(&state),
                // Case 2: n is a MAX node with a next sibling. (sibling, live, h)
                Some(_) if open.push_next_sibling(ctx, &state) => {}
                // Case 3: n is a MAX node without a next sibling. (parent, solved, h)
                Some(_) => open.push_solved_parent(&state),
            }
            continue;
        }
        ctx.enter(n, -UNBOUNDED, UNBOUNDED)?;
        let is_max = n.kind() == max;
        let moves = ctx.ordered_moves(n, depth.saturating_sub(n.ply));
        let children = moves.len();
        if children == 0 {
            // Case 4: n is a leaf. (n, solved, min(h, value of n))
            let value = ctx.evaluate_leaf(n) * max.sign();
            open.push_solved_leaf(state, value);
            continue;
        }
        if open.bytes() > ctx.max_open_bytes {
            return Err(TreeSearchError::MemoryFull { nodes: ctx.counters.nodes });
        }
        open.set_moves(state.n, moves);
        // Case 5: n is a MIN node. (first child, live, h). Case 6: n is a MAX node. (child, live, h) for all children.
        for index in 0..if is_max { children } else { 1 } {
            open.push_live_child(ctx, &state, index);
        }
    }
    unreachable!("the OPEN list is not empty before the root is solved")
}
