//! Iterative deepening (source 001): depth 1, 2, 3, …, and a usable move at any stop.
//!
//! Depth-first searches have no answer until they end. So search to depth 1, then 2, and so on: whenever
//! the time is up, the move of the last complete iteration is there. As each iteration costs many times
//! the one before, the early ones are cheap; and they pay for themselves, because each leaves behind
//! which moves were best, killers and refutations, so that the next tries good moves first (source 001:
//! "it allows the tree to be partly ordered") and has a value to guess from. Works around any search of
//! this room. [`next_game_move`] carries the same knowledge to the search for the next game move.
//! Slate and Atkin 1977. <https://www.chessprogramming.org/Iterative_Deepening>

use super::{GameTree, SearchContext, SearchCounters, TreeSearchError, TreeSearchOutcome};
use crate::score::Score;

/// What iterative deepening leaves behind, whenever it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeepeningResult<M> {
    /// The last complete iteration, with the counts of that iteration alone; `None` if not even depth 1
    /// was completed.
    pub last_iteration: Option<TreeSearchOutcome<M>>,
    /// The move to play: of the last complete iteration, or the first move if there is none.
    pub best_move: Option<M>,
    /// Depth of the last complete iteration.
    pub completed_depth: u32,
    /// Counts of all iterations, the unfinished one included.
    pub total_counters: SearchCounters,
    /// Why it ended before the depth it was asked for.
    pub stopped: Option<TreeSearchError>,
}

/// Searches to depth 1, 2, … `max_depth` with `search`, which receives the depth and the value of the
/// last iteration. Ends early, with the last complete iteration, at the node limit of `s` (all
/// iterations together) or when it asks to stop.
pub fn iterative_deepening<'a, G: GameTree>(
    ctx: &mut SearchContext<'a, G>,
    root: &G::Position,
    max_depth: u32,
    mut search: impl FnMut(
        &mut SearchContext<'a, G>,
        &G::Position,
        u32,
        Option<Score>,
    ) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError>,
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

/// The position after the first two moves of a principal variation: the player's move and the reply
/// that was expected. What the orderings of `s` know follows the game. `None` if the line is shorter.
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
