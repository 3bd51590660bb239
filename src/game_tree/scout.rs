//! Scout (Pearl 1980), the "scout search" of source 001: test first, evaluate only what passes.
//!
//! Two procedures. `EVAL` values the first child exactly; each further child must first pass `TEST`, a
//! yes/no question ("is it better than `v`?") that a proof tree of about the square root of the leaves
//! answers. Only a child that passes is valued, with `EVAL`, which may look at its leaves again. Source
//! 001's "α = β" window is this question. [`super::pvs`] and [`super::negascout`] ask it with a window of
//! width one, which returns a bound instead of a bare yes or no. `EVAL` hands no bound down: a child
//! that passes is valued in full, which is what those two improve.
//! <https://www.chessprogramming.org/Scout>

use super::{GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED};
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
pub fn scout<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    let value = eval(ctx, &root, depth)?;
    Ok(ctx.finish(value))
}

/// `EVAL(S)`: the exact value.
fn eval<G: GameTree>(ctx: &mut SearchContext<G>, p: &Node<G>, depth: u32) -> Result<Score, TreeSearchError> {
    ctx.enter(p, -UNBOUNDED, UNBOUNDED)?;
    let moves = ctx.ordered_moves(p, depth);
    let Some((&first, others)) = moves.split_first() else {
        return Ok(ctx.evaluate_leaf(p));
    };
    let child = ctx.child(p, first);
    let mut v = eval(ctx, &child, depth - 1)?;
    ctx.update_tentative(p, first, v);
    let relation = match p.kind() {
        NodeKind::Max => Relation::Greater,
        NodeKind::Min => Relation::Less,
    };
    for &mv in others {
        let child = ctx.child(p, mv);
        if test(ctx, &child, depth - 1, v, relation)? {
            ctx.begin_re_search(&child);
            v = eval(ctx, &child, depth - 1)?;
            ctx.update_tentative(p, mv, v);
        }
    }
    Ok(ctx.leave(p, v))
}

/// `TEST(S, v, >)` or `TEST(S, v, <)`: does the value of `p` stand in this relation to `v`?
fn test<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    v: Score,
    relation: Relation,
) -> Result<bool, TreeSearchError> {
    // As a window: "greater than v" asks (v, v + 1), "less than v" asks (v - 1, v).
    let (alpha, beta) = match relation {
        Relation::Greater => (v, v + 1),
        Relation::Less => (v - 1, v),
    };
    ctx.enter(p, alpha, beta)?;
    let moves = ctx.ordered_moves(p, depth);
    if moves.is_empty() {
        let value = ctx.evaluate_leaf(p);
        return Ok(match relation {
            Relation::Greater => value > v,
            Relation::Less => value < v,
        });
    }
    // The player who wants the answer to be yes needs one such move; the other needs one against it.
    let mover_wants = (p.kind() == NodeKind::Max) == (relation == Relation::Greater);
    let mut answer = !mover_wants;
    for mv in moves {
        let child = ctx.child(p, mv);
        if test(ctx, &child, depth - 1, v, relation)? == mover_wants {
            answer = mover_wants;
            ctx.cutoff(p, mv, if p.kind() == NodeKind::Max { beta } else { alpha });
            break;
        }
    }
    let fails_high = answer == (relation == Relation::Greater);
    ctx.leave(p, if fails_high { beta } else { alpha });
    Ok(answer)
}
