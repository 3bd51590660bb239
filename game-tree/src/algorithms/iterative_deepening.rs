//! Iterative deepening: depth 1, 2, 3, …, with a usable move whenever stopped.
//!
//! A depth-first search has no result until it ends. Searching to depth 1, then 2, and so on means that the
//! move of the last completed iteration is always available. Each iteration costs several times the one before,
//! so the early ones are cheap; and they improve move ordering, because each leaves behind best moves, killers
//! and refutations and a value to use as a guess.
//! Works with any search of this module. [`advance_along_variation`] carries the same information to the search
//! for the next game move. Slate and Atkin 1977. <https://www.chessprogramming.org/Iterative_Deepening>

use crate::{GameTree, SearchContext, SearchCounters, TreeSearchError, TreeSearchOutcome, TreeSearchResult, Value};

/// The result of iterative deepening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeepeningResult<M> {
    /// The last completed iteration with its own counters; `None` if depth 1 was not completed.
    pub last_iteration: Option<TreeSearchOutcome<M>>,
    /// The move of the last completed iteration, or the first move if there is none.
    pub best_move: Option<M>,
    /// Depth of the last completed iteration in plies; 0 if there is none.
    pub completed_depth: u32,
    /// Counters of all iterations, including an incomplete one.
    pub total_counters: SearchCounters,
    /// Why the search ended before the requested depth; `None` if it did not.
    pub stopped: Option<TreeSearchError>,
}

/// Searches to depth 1, 2, …, `max_depth` with `search`.
///
/// `search` receives the depth to search and the value of the last completed iteration. The node limit of `ctx` is
/// for all iterations together; if it or the caller stops the search, the last completed iteration is the result.
pub fn iterative_deepening<'a, G: GameTree>(
    ctx: &mut SearchContext<'a, G>,
    root: &G::Position,
    max_depth: u32,
    mut search: impl FnMut(&mut SearchContext<'a, G>, &G::Position, u32, Option<Value>) -> TreeSearchResult<G>,
) -> DeepeningResult<G::Move> {
    let node_limit = ctx.max_nodes;
    let mut result = DeepeningResult {
        last_iteration: None,
        best_move: ctx.game.moves(root).first().copied(),
        completed_depth: 0,
        total_counters: SearchCounters::default(),
        stopped: None,
    };
    for depth in 1..=max_depth {
        ctx.max_nodes = node_limit.saturating_sub(result.total_counters.nodes);
        let guess = result.last_iteration.as_ref().map(|outcome| outcome.value);
        let iteration = search(ctx, root, depth, guess);
        result.total_counters = result.total_counters.plus(&ctx.counters);
        match iteration {
            Ok(outcome) => {
                result.best_move = outcome.best_move.or(result.best_move);
                result.completed_depth = depth;
                result.last_iteration = Some(outcome);
            }
            Err(stop) => {
                result.stopped = Some(stop);
                break;
            }
        }
    }
    ctx.max_nodes = node_limit;
    result
}

/// Returns the position after the first two moves of a variation: own move and expected reply.
///
/// Shifts killers and refutations to the new root. `None` if the variation has fewer than two moves.
pub fn advance_along_variation<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    principal_variation: &[G::Move],
) -> Option<G::Position> {
    let [mv, reply, ..] = *principal_variation else {
        return None;
    };
    ctx.ordering.shift_two_plies();
    Some(ctx.game.play(&ctx.game.play(root, mv), reply))
}
