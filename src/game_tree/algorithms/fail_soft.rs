//! Alpha-beta, fail-soft, with or without memory (Fishburn 1983; with memory: Plaat et al. 1996).
//!
//! Same leaves, same order as [`super::alpha_beta`]; but `best` starts at -∞ instead of `alpha`, so that
//! a search that fails returns the best bound it has really seen. Below the window the result is an
//! upper bound of the value that is at most `alpha`, above it a lower bound that is at least `beta`.
//! Without memory this gains nothing by itself. It gains where somebody uses the bound: a re-search
//! ([`super::aspiration`]), a step to the next window ([`super::mtd`]), or a memory. If `Search` has a
//! memory, a node first asks it and at the end tells it: that is the AlphaBetaWithMemory which MTD(f)
//! and its relatives call. <https://www.chessprogramming.org/Fail-Soft>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn fail_soft<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    fail_soft_window(s, root, depth, -OPEN, OPEN)
}

/// The value of `root` if it lies inside the window, else a bound on it; `alpha < beta`.
///
/// # Errors
/// As [`fail_soft`].
pub fn fail_soft_window<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
    alpha: Score,
    beta: Score,
) -> Result<Outcome<G::Move>, Stop> {
    debug_assert!(alpha < beta);
    let p = s.begin(root, View::Mover);
    let value = search(s, &p, depth, alpha, beta)?;
    Ok(s.finish(value))
}

/// The node function; also the pass of [`super::aspiration`] and [`super::mtd`].
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
    for mv in moves {
        let p_i = s.child(p, mv);
        let t = -search(s, &p_i, depth - 1, -beta, -best.max(alpha))?;
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
