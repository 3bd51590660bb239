//! NegaScout (Reinefeld 1983), named by source 001: Scout's idea inside alpha-beta.
//!
//! One function with a second upper bound `b`: the first child gets the whole window, each further child
//! the zero window `(a, a + 1)`. If that fails high inside `(a, beta)`, the child is searched again with
//! the value `t` that the test returned as the new floor. (Reinefeld starts again at `t`; here it is
//! `t - 1`, so that a value equal to `t` lies inside and its line is a principal variation. He also leaves out the second search
//! in the last two plies, where the test's value is exact already; here it is made at any depth.) With good
//! order the re-searches are rare and the zero windows cut more than alpha-beta's. With unlimited memory
//! it never evaluates a leaf that alpha-beta does not. [`super::scout`] re-searches from nothing,
//! [`super::pvs`] from alpha. <https://www.chessprogramming.org/NegaScout>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn negascout<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    let p = s.begin(root, View::Mover);
    let value = search(s, &p, depth, -OPEN, OPEN)?;
    Ok(s.finish(value))
}

/// `NegaScout(p, alpha, beta)`, fail-soft; also the pass of [`super::aspiration`].
pub(in crate::game_tree) fn search<G: Game>(
    s: &mut Search<G>,
    p: &Node<G>,
    depth: u32,
    alpha: Score,
    beta: Score,
) -> Result<Score, Stop> {
    s.enter(p, alpha, beta)?;
    if let Some(known) = s.retrieve(p, depth, alpha, beta) {
        return Ok(known);
    }
    let moves = s.successors(p, depth);
    if moves.is_empty() {
        let value = s.leaf(p);
        return Ok(s.store_leaf(p, depth, value));
    }
    let mut best = -OPEN;
    let mut b = beta;
    for mv in moves {
        let p_i = s.child(p, mv);
        let a = best.max(alpha);
        let mut t = -search(s, &p_i, depth - 1, -b, -a)?;
        if b < beta && t > a && t < beta {
            s.re_search(&p_i);
            t = -search(s, &p_i, depth - 1, -beta, -(t - 1))?;
        }
        if t > best {
            best = t;
            s.improve(p, mv, best);
        }
        if best >= beta {
            s.cut(p, mv, beta);
            break;
        }
        b = best.max(alpha) + 1;
    }
    s.store(p, depth, alpha, beta, best);
    Ok(s.leave(p, best))
}
