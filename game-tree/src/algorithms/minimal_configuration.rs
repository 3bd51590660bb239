//! Branch and bound beyond games (Aho, Hopcroft and Ullman 1983): finding a minimal configuration.
//!
//! Games are not the only problems that can be solved by searching a tree of possibilities: here the leaves are
//! configurations (tours, schedules, packings), an inner node stands for all configurations below it, and the
//! one with the lowest cost is sought. There is one player, so every node is a MIN node. Beta is the cost of
//! the best configuration found so far; a *lower bound* on the cost of every configuration below a node replaces
//! the opponent's reply. A branch whose lower bound is not less than the best cost is cut off, like
//! a refuted move in [`super::branch_and_bound`]. Example: `games::traveling_salesman`. Land and Doig 1960.
//! <https://www.chessprogramming.org/Branch-and-Bound>

use crate::{GameTree, Node, Perspective, SearchContext, TreeSearchError, TreeSearchResult, UNBOUNDED, Value};

/// A [`GameTree`] with one player; `value` is the cost, of the same sign at every ply.
pub trait MinimizationProblem: GameTree {
    /// Returns a lower bound on the cost of every configuration below this position.
    fn lower_bound(&self, position: &Self::Position) -> Value;
}

/// Returns the configuration with the lowest cost, by evaluating all of them (backtracking).
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn minimize_by_backtracking<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
) -> TreeSearchResult<G> {
    minimize(ctx, root, |_, _| -UNBOUNDED)
}

/// Returns the configuration with the lowest cost, by branch and bound.
/// # Errors
/// As [`minimize_by_backtracking`].
pub fn minimize_by_branch_and_bound<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
) -> TreeSearchResult<G> {
    minimize(ctx, root, G::lower_bound)
}

fn minimize<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    lower_bound: fn(&G, &G::Position) -> Value,
) -> TreeSearchResult<G> {
    let (mut best_found, p) = ((UNBOUNDED, Vec::new()), ctx.begin(root, Perspective::Max));
    visit(ctx, &p, &mut Vec::new(), &mut best_found, lower_bound)?;
    ctx.set_variation(best_found.1);
    Ok(ctx.finish(best_found.0))
}

/// Searches below `p`; `best_found` is the lowest cost so far and its moves.
fn visit<G: MinimizationProblem>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    moves_so_far: &mut Vec<G::Move>,
    best_found: &mut (Value, Vec<G::Move>),
    lower_bound: fn(&G, &G::Position) -> Value,
) -> Result<(), TreeSearchError> {
    ctx.enter(p, -UNBOUNDED, best_found.0)?;
    let moves = ctx.ordered_moves(p, u32::MAX);
    if moves.is_empty() {
        let cost = ctx.evaluate_leaf(p) * p.kind().sign();
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
