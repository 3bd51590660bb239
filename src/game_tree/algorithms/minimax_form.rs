//! Alpha-beta in minimax form (source 001, the pseudo-code; source 003, the C++ program).
//!
//! The same search as [`super::fail_soft`], told with two players instead of one: `α` is the least that
//! MAX is sure of, `β` the most that MIN will allow, both handed down unchanged in sign. MAX raises α,
//! MIN lowers β, and the loop ends when β ≤ α: below a MAX node that is a cut "by β", below a MIN node
//! "by α". Source 003 calls α and β the bounds of the node and says that a node whose bounds cross is
//! dropped. Its program stops at `alpha > beta` only, which is safe but misses the cut at equal values,
//! and it never gives a value to a node no child of which improves its window; source 001's lines
//! 04 to 19, followed here, do both. <https://www.chessprogramming.org/Alpha-Beta>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn alpha_beta_minimax_form<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
) -> Result<Outcome<G::Move>, Stop> {
    let node = s.begin(root, View::Max);
    let value = alpha_beta(s, &node, depth, -OPEN, OPEN, true)?;
    Ok(s.finish(value))
}

/// `alpha_beta(node, depth, α, β, maximizing)`; the numbers are the lines of the pseudo-code.
fn alpha_beta<G: Game>(
    s: &mut Search<G>,
    node: &Node<G>,
    depth: u32,
    mut alpha: Score,
    mut beta: Score,
    maximizing: bool,
) -> Result<Score, Stop> {
    s.enter(node, alpha, beta)?;
    let children = s.successors(node, depth);
    if children.is_empty() {
        return Ok(s.leaf(node)); // 02, 03
    }
    let mut v = if maximizing { -OPEN } else { OPEN }; // 05, 13
    for mv in children {
        let child = s.child(node, mv);
        let value = alpha_beta(s, &child, depth - 1, alpha, beta, !maximizing)?;
        if (maximizing && value > v) || (!maximizing && value < v) {
            v = value; // 07, 15
            s.improve(node, mv, v);
        }
        // What cut is the other side's bound, which this node leaves alone.
        let bound = if maximizing { beta } else { alpha };
        if maximizing {
            alpha = alpha.max(v); // 08
        } else {
            beta = beta.min(v); // 16
        }
        if beta <= alpha {
            s.cut(node, mv, bound); // 09, 10 by β; 17, 18 by α
            break;
        }
    }
    Ok(s.leave(node, v)) // 11, 19
}
