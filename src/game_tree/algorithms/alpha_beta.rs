//! Alpha-beta, fail-hard (source 000, listing 5.18; Knuth and Moore's F2). Found several times since the 1950s (McCarthy;
//! Edwards and Hart 1961; Brudno 1963); this form and its analysis are Knuth and Moore's of 1975.
//!
//! Branch and bound with a lower bound as well: `alpha` is what the mover already has elsewhere, `beta`
//! what the opponent already has. `m` starts at `alpha`, so the bound of a grandparent reaches down any
//! number of plies, and *deep* cut-offs appear that [`super::branch_and_bound`] misses. The result is
//! never outside the window: at most `alpha` means "no better than alpha" (fail low), at least `beta`
//! means "refuted" (fail high), in between it is exact. With perfect order it evaluates
//! `W^⌈L/2⌉ + W^⌊L/2⌋ - 1` leaves instead of `W^L`.
//! [`super::fail_soft`] returns tighter bounds outside the window; [`super::minimax_form`] is the
//! two-sided form. <https://www.chessprogramming.org/Alpha-Beta>, <https://www.chessprogramming.org/Fail-Hard>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn alpha_beta<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    alpha_beta_window(s, root, depth, -OPEN, OPEN)
}

/// `f''(root, alpha, beta)`: the value of `root` clamped to the window; `alpha < beta`.
///
/// # Errors
/// As [`alpha_beta`].
pub fn alpha_beta_window<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
    alpha: Score,
    beta: Score,
) -> Result<Outcome<G::Move>, Stop> {
    debug_assert!(alpha < beta);
    let p = s.begin(root, View::Mover);
    let value = ab(s, &p, depth, alpha, beta)?;
    Ok(s.finish(value))
}

/// `AB(p, alpha, beta)` of the listing. The listing returns `m`, which a child may have pushed past
/// `beta` only if that child is a leaf; the clamp at the leaf makes it hard for every tree.
fn ab<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32, alpha: Score, beta: Score) -> Result<Score, Stop> {
    s.enter(p, alpha, beta)?;
    let moves = s.successors(p, depth);
    if moves.is_empty() {
        return Ok(s.leaf(p).clamp(alpha, beta));
    }
    let mut m = alpha;
    for mv in moves {
        let p_i = s.child(p, mv);
        let t = -ab(s, &p_i, depth - 1, -beta, -m)?;
        if t > m {
            m = t;
            s.improve(p, mv, m);
        }
        if m >= beta {
            s.cut(p, mv, beta);
            break; // goto done
        }
    }
    Ok(s.leave(p, m))
}
