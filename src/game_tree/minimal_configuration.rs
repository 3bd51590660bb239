//! Branch and bound beyond games (source 004, its last section): a minimal configuration.
//!
//! "Games are not the only problem": the leaves of a tree of possibilities are configurations (tours,
//! schedules, packings), an inner node stands for all configurations below it, and the smallest is
//! wanted. There is one player, so every node is a MIN node of its own cost; what takes the place of
//! alpha is the cost of the best configuration found so far, and what takes the place of the opponent's
//! reply is a *lower bound* on every configuration below a node. A branch whose lower bound is no better
//! than the best configuration is cut, exactly as a refuted move is in [`super::branch_and_bound`].
//! The example is a traveling salesman, `games::traveling_salesman`. Land and Doig 1960.
//! <https://www.chessprogramming.org/Branch-and-Bound>

use super::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
use crate::score::Score;

/// A problem whose leaves have a cost to be made as small as possible: a [`Game`] in which one player
/// makes all moves and `value` is the cost of a complete configuration (same sign at every ply).
pub trait MinimizationProblem: GameTree {
    /// No configuration below this position costs less than this.
    fn lower_bound(&self, position: &Self::Position) -> Score;
}

/// The cheapest configuration, by looking at every one: backtracking.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn minimize_by_backtracking<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    minimize(ctx, root, |_, _| -UNBOUNDED)
}

/// The cheapest configuration, by branch and bound.
///
/// # Errors
/// As [`cheapest_by_exhaustion`].
pub fn minimize_by_branch_and_bound<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    minimize(ctx, root, G::lower_bound)
}

fn minimize<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    lower_bound: fn(&G, &G::Position) -> Score,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let p = ctx.begin(root, Perspective::Max);
    let mut best_found = (UNBOUNDED, Vec::new());
    visit(ctx, &p, &mut Vec::new(), &mut best_found, lower_bound)?;
    ctx.set_variation(best_found.1);
    Ok(ctx.finish(best_found.0))
}

/// `found` is the cheapest configuration so far: its cost and the moves to it.
fn visit<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    moves_so_far: &mut Vec<G::Move>,
    best_found: &mut (Score, Vec<G::Move>),
    lower_bound: fn(&G, &G::Position) -> Score,
) -> Result<(), TreeSearchError> {
    ctx.enter(p, -UNBOUNDED, best_found.0)?;
    let moves = ctx.ordered_moves(p, u32::MAX);
    if moves.is_empty() {
        let cost = ctx.game.value(&p.position);
        ctx.evaluate_leaf(p);
        if cost < best_found.0 {
            *best_found = (cost, moves_so_far.clone());
        }
        return Ok(());
    }
    for mv in moves {
        let child = ctx.child(p, mv);
        if lower_bound(ctx.game, &child.position) >= best_found.0 {
            ctx.prune_child(p, best_found.0);
            continue;
        }
        moves_so_far.push(mv);
        visit(ctx, &child, moves_so_far, best_found, lower_bound)?;
        moves_so_far.pop();
    }
    Ok(())
}
