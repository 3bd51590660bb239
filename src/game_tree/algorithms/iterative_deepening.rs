//! Iterative deepening (source 001): depth 1, 2, 3, …, and a usable move at any stop.
//!
//! Depth-first searches have no answer until they end. So search to depth 1, then 2, and so on: whenever
//! the time is up, the move of the last complete iteration is there. As each iteration costs many times
//! the one before, the early ones are cheap; and they pay for themselves, because each leaves behind
//! which moves were best, killers and refutations, so that the next tries good moves first (source 001:
//! "it allows the tree to be partly ordered") and has a value to guess from. Works around any search of
//! this room. [`next_game_move`] carries the same knowledge to the search for the next game move.
//! Slate and Atkin 1977. <https://www.chessprogramming.org/Iterative_Deepening>

use crate::game_tree::{Counts, Game, Outcome, Search, Stop};
use crate::score::Score;

/// What iterative deepening leaves behind, whenever it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deepened<M> {
    /// The last complete iteration, with the counts of that iteration alone; `None` if not even depth 1
    /// was completed.
    pub last: Option<Outcome<M>>,
    /// The move to play: of the last complete iteration, or the first move if there is none.
    pub best_move: Option<M>,
    /// Depth of the last complete iteration.
    pub depth: u32,
    /// Counts of all iterations, the unfinished one included.
    pub total: Counts,
    /// Why it ended before the depth it was asked for.
    pub stopped: Option<Stop>,
}

/// Searches to depth 1, 2, … `max_depth` with `search`, which receives the depth and the value of the
/// last iteration. Ends early, with the last complete iteration, at the node limit of `s` (all
/// iterations together) or when it asks to stop.
pub fn iterative_deepening<'a, G: Game>(
    s: &mut Search<'a, G>,
    root: &G::Position,
    max_depth: u32,
    mut search: impl FnMut(&mut Search<'a, G>, &G::Position, u32, Option<Score>) -> Result<Outcome<G::Move>, Stop>,
) -> Deepened<G::Move> {
    let budget = s.max_nodes;
    let mut result = Deepened {
        last: None,
        best_move: s.game.moves(root).first().copied(),
        depth: 0,
        total: Counts::default(),
        stopped: None,
    };
    for depth in 1..=max_depth {
        s.max_nodes = budget.saturating_sub(result.total.nodes);
        let guess = result.last.as_ref().map(|outcome| outcome.value);
        let iteration = search(s, root, depth, guess);
        result.total = result.total.plus(&s.counts);
        match iteration {
            Ok(outcome) => {
                result.best_move = outcome.best_move.or(result.best_move);
                result.depth = depth;
                result.last = Some(outcome);
            }
            Err(stop) => {
                result.stopped = Some(stop);
                break;
            }
        }
    }
    s.max_nodes = budget;
    result
}

/// The position after the first two moves of a principal variation: the player's move and the reply
/// that was expected. What the orderings of `s` know follows the game. `None` if the line is shorter.
pub fn next_game_move<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    principal_variation: &[G::Move],
) -> Option<G::Position> {
    let [mv, reply, ..] = *principal_variation else {
        return None;
    };
    s.ordering.follow_game();
    Some(s.game.play(&s.game.play(root, mv), reply))
}
