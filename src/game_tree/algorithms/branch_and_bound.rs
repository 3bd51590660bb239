//! Branch and bound: one bound (source 000, listing 5.17; Knuth and Moore's F1).
//!
//! Once a move is known to be worth `m`, another needs no exact value when a single reply shows that it
//! is worth no more: it is *refuted*, and the best refutation need not be found. `f'(p, bound)` is
//! `f(p)` if that is below `bound`, and otherwise some value that is at least `bound`. (The source
//! prints `> bound`; its own program stops at `m >= bound`, so `>=` is what it promises.)
//! Each node hands down only what it has itself found (`-m`), and forgets what its grandparents know:
//! shallow cut-offs, never deep ones. [`super::alpha_beta`] adds the second bound and gets those too.
//! <https://www.chessprogramming.org/Branch-and-Bound>

use crate::game_tree::{Game, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn branch_and_bound<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    branch_and_bound_below(s, root, depth, OPEN)
}

/// `f'(root, bound)`: the value of `root` if it is below `bound`, else some value at or above it.
///
/// # Errors
/// As [`branch_and_bound`].
pub fn branch_and_bound_below<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
    bound: Score,
) -> Result<Outcome<G::Move>, Stop> {
    let p = s.begin(root, View::Mover);
    let value = b_and_b(s, &p, depth, bound)?;
    Ok(s.finish(value))
}

/// `B&B(p, bound)` of the listing.
fn b_and_b<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32, bound: Score) -> Result<Score, Stop> {
    s.enter(p, -OPEN, bound)?;
    let moves = s.successors(p, depth);
    if moves.is_empty() {
        return Ok(s.leaf(p));
    }
    let mut m = -OPEN;
    for mv in moves {
        let p_i = s.child(p, mv);
        let t = -b_and_b(s, &p_i, depth - 1, -m)?;
        if t > m {
            m = t;
            s.improve(p, mv, m);
        }
        if m >= bound {
            s.cut(p, mv, bound);
            break; // goto done
        }
    }
    Ok(s.leave(p, m))
}
