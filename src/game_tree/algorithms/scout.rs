//! Scout (Pearl 1980), the "scout search" of source 001: test first, then evaluate.
//!
//! Two procedures. `EVAL` computes the exact value of the first child; each further child must first pass
//! `TEST`, which decides whether its value is better than `v` and needs only a proof tree of about the square
//! root of the leaves. A child that passes is evaluated with `EVAL`, which may evaluate the same leaves again.
//! The "α = β" window of source 001 is this test. [`super::pvs`] and [`super::negascout`] implement it as a
//! window of width one, which returns a bound instead of a Boolean. `EVAL` passes no bound down: a child that
//! passes is evaluated with a full window, which those two improve.
//! <https://www.chessprogramming.org/Scout>

use crate::game_tree::{
    GameTree, Node, NodeKind, Perspective, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED,
};
use crate::score::Score;

/// The relation that `test` checks, for values from MAX's perspective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Greater,
    Less,
}

/// Returns the minimax value of `root`, with leaves at `depth` plies.
///
/// # Errors
/// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
pub fn scout<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let root = ctx.begin(root, Perspective::Max);
    let value = eval(ctx, &root, depth)?;
    Ok(ctx.finish(value))
}

/// `EVAL(S)`: returns the exact value of `p` for MAX.
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

/// `TEST(S, v, >)` or `TEST(S, v, <)`: returns whether the value of `p` has this relation to `v`.
fn test<G: GameTree>(
    ctx: &mut SearchContext<G>,
    p: &Node<G>,
    depth: u32,
    v: Score,
    relation: Relation,
) -> Result<bool, TreeSearchError> {
    // As a null window: `> v` is (v, v + 1), `< v` is (v - 1, v).
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
    // The side to move needs one move that decides the test in its favor.
    let favorable_result = (p.kind() == NodeKind::Max) == (relation == Relation::Greater);
    let mut result = !favorable_result;
    for mv in moves {
        let child = ctx.child(p, mv);
        if test(ctx, &child, depth - 1, v, relation)? == favorable_result {
            result = favorable_result;
            ctx.cutoff(p, mv, if p.kind() == NodeKind::Max { beta } else { alpha });
            break;
        }
    }
    let fails_high = result == (relation == Relation::Greater);
    ctx.leave(p, if fails_high { beta } else { alpha });
    Ok(result)
}
