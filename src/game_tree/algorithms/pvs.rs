//! Principal variation search (Marsland and Campbell 1982): two kinds of nodes, two functions.
//!
//! The first move of a principal-variation node is searched with the whole window; the others are
//! expected to be worse, and a zero window `(alpha, alpha + 1)` is enough to prove it. Below a zero
//! window every window is zero, so those nodes need only one bound: `zero_window_search` is source
//! 001's null-window search. A move that beats alpha after all is searched again with `(alpha, beta)`,
//! as today's engines do (Marsland 1986 prints `(value, beta)`). [`super::negascout`] does both in one function and searches again from the bound that the test
//! returned; today's engines are written like this file, with node kinds told apart.
//! <https://www.chessprogramming.org/Principal_Variation_Search>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn pvs<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    let p = s.begin(root, View::Mover);
    let value = pv_search(s, &p, depth, -OPEN, OPEN)?;
    Ok(s.finish(value))
}

/// A node whose value may lie inside an open window.
fn pv_search<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32, alpha: Score, beta: Score) -> Result<Score, Stop> {
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
    for (index, &mv) in moves.iter().enumerate() {
        let p_i = s.child(p, mv);
        let floor = best.max(alpha);
        let t = if index == 0 {
            -pv_search(s, &p_i, depth - 1, -beta, -floor)?
        } else {
            let test = -zero_window_search(s, &p_i, depth - 1, -floor)?;
            if test > floor && test < beta {
                s.re_search(&p_i);
                -pv_search(s, &p_i, depth - 1, -beta, -floor)?
            } else {
                test
            }
        };
        if t > best {
            best = t;
            s.improve(p, mv, best);
        }
        if best >= beta {
            s.cut(p, mv, beta);
            break;
        }
    }
    s.store(p, depth, alpha, beta, best);
    Ok(s.leave(p, best))
}

/// Is the value of `p` at least `beta`? A bound on the side that the answer names; fail-soft.
fn zero_window_search<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32, beta: Score) -> Result<Score, Stop> {
    s.enter(p, beta - 1, beta)?;
    if let Some(known) = s.retrieve(p, depth, beta - 1, beta) {
        return Ok(known);
    }
    let moves = s.successors(p, depth);
    if moves.is_empty() {
        let value = s.leaf(p);
        return Ok(s.store_leaf(p, depth, value));
    }
    let mut best = -OPEN;
    for mv in moves {
        let p_i = s.child(p, mv);
        let t = -zero_window_search(s, &p_i, depth - 1, 1 - beta)?;
        if t > best {
            best = t;
            s.improve(p, mv, best);
        }
        if best >= beta {
            s.cut(p, mv, beta);
            break;
        }
    }
    s.store(p, depth, beta - 1, beta, best);
    Ok(s.leave(p, best))
}
