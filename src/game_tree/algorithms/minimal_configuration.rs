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

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// A problem whose leaves have a cost to be made as small as possible: a [`Game`] in which one player
/// makes all moves and `value` is the cost of a complete configuration (same sign at every ply).
pub trait Configurations: Game {
    /// No configuration below this position costs less than this.
    fn lower_bound(&self, position: &Self::Position) -> Score;
}

/// The cheapest configuration, by looking at every one: backtracking.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn cheapest_by_exhaustion<G: Configurations>(
    s: &mut Search<G>,
    root: &G::Position,
) -> Result<Outcome<G::Move>, Stop> {
    cheapest(s, root, |_, _| -OPEN)
}

/// The cheapest configuration, by branch and bound.
///
/// # Errors
/// As [`cheapest_by_exhaustion`].
pub fn cheapest_by_branch_and_bound<G: Configurations>(
    s: &mut Search<G>,
    root: &G::Position,
) -> Result<Outcome<G::Move>, Stop> {
    cheapest(s, root, G::lower_bound)
}

fn cheapest<G: Configurations>(
    s: &mut Search<G>,
    root: &G::Position,
    lower_bound: fn(&G, &G::Position) -> Score,
) -> Result<Outcome<G::Move>, Stop> {
    let p = s.begin(root, View::Max);
    let mut found = (OPEN, Vec::new());
    descend(s, &p, &mut Vec::new(), &mut found, lower_bound)?;
    s.set_line(found.1);
    Ok(s.finish(found.0))
}

/// `found` is the cheapest configuration so far: its cost and the moves to it.
fn descend<G: Configurations>(
    s: &mut Search<G>,
    p: &Node<G>,
    line: &mut Vec<G::Move>,
    found: &mut (Score, Vec<G::Move>),
    lower_bound: fn(&G, &G::Position) -> Score,
) -> Result<(), Stop> {
    s.enter(p, -OPEN, found.0)?;
    let moves = s.successors(p, u32::MAX);
    if moves.is_empty() {
        let cost = s.game.value(&p.position);
        s.leaf(p);
        if cost < found.0 {
            *found = (cost, line.clone());
        }
        return Ok(());
    }
    for mv in moves {
        let child = s.child(p, mv);
        if lower_bound(s.game, &child.position) >= found.0 {
            s.drop_child(p, found.0);
            continue;
        }
        line.push(mv);
        descend(s, &child, line, found, lower_bound)?;
        line.pop();
    }
    Ok(())
}
