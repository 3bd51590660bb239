//! Scout (Pearl 1980), the "scout search" of source 001: test first, evaluate only what passes.
//!
//! Two procedures. `EVAL` values the first child exactly; each further child must first pass `TEST`, a
//! yes/no question ("is it better than `v`?") that a proof tree of about the square root of the leaves
//! answers. Only a child that passes is valued, with `EVAL`, which may look at its leaves again. Source
//! 001's "α = β" window is this question. [`super::pvs`] and [`super::negascout`] ask it with a window of
//! width one, which returns a bound instead of a bare yes or no. `EVAL` hands no bound down: a child
//! that passes is valued in full, which is what those two improve.
//! <https://www.chessprogramming.org/Scout>

use crate::game_tree::{Game, Mode, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;

/// The question that [`test`] answers about a value for MAX.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Greater,
    Less,
}

/// The minimax value of `root` with leaves at `depth`.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn scout<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    let root = s.begin(root, View::Max);
    let value = eval(s, &root, depth)?;
    Ok(s.finish(value))
}

/// `EVAL(S)`: the exact value.
fn eval<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32) -> Result<Score, Stop> {
    s.enter(p, -OPEN, OPEN)?;
    let moves = s.successors(p, depth);
    let Some((&first, others)) = moves.split_first() else {
        return Ok(s.leaf(p));
    };
    let child = s.child(p, first);
    let mut v = eval(s, &child, depth - 1)?;
    s.improve(p, first, v);
    let relation = match p.mode() {
        Mode::Max => Relation::Greater,
        Mode::Min => Relation::Less,
    };
    for &mv in others {
        let child = s.child(p, mv);
        if test(s, &child, depth - 1, v, relation)? {
            s.re_search(&child);
            v = eval(s, &child, depth - 1)?;
            s.improve(p, mv, v);
        }
    }
    Ok(s.leave(p, v))
}

/// `TEST(S, v, >)` or `TEST(S, v, <)`: does the value of `p` stand in this relation to `v`?
fn test<G: Game>(s: &mut Search<G>, p: &Node<G>, depth: u32, v: Score, relation: Relation) -> Result<bool, Stop> {
    // As a window: "greater than v" asks (v, v + 1), "less than v" asks (v - 1, v).
    let (alpha, beta) = match relation {
        Relation::Greater => (v, v + 1),
        Relation::Less => (v - 1, v),
    };
    s.enter(p, alpha, beta)?;
    let moves = s.successors(p, depth);
    if moves.is_empty() {
        let value = s.leaf(p);
        return Ok(match relation {
            Relation::Greater => value > v,
            Relation::Less => value < v,
        });
    }
    // The player who wants the answer to be yes needs one such move; the other needs one against it.
    let mover_wants = (p.mode() == Mode::Max) == (relation == Relation::Greater);
    let mut answer = !mover_wants;
    for mv in moves {
        let child = s.child(p, mv);
        if test(s, &child, depth - 1, v, relation)? == mover_wants {
            answer = mover_wants;
            s.cut(p, mv, if p.mode() == Mode::Max { beta } else { alpha });
            break;
        }
    }
    let fails_high = answer == (relation == Relation::Greater);
    s.leave(p, if fails_high { beta } else { alpha });
    Ok(answer)
}
