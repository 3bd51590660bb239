//! State of one `go`: position, limits and settings. Immutable and shared by all threads.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use shakmaty::{Move, Position as _};

use crate::board::game::Game;
use crate::board::position::Position;
use crate::platform::clock::host_pause;
use crate::score::{Bound, DRAW, MAX_PLY, Score, mate_in, moves_to_mate};
use crate::search::limits::Limits;
use crate::search::params::{ONLY_MOVE_TIME_FACTOR, SIMPLE_ITERATION_FACTOR, SIMPLE_NODE_FACTOR};
use crate::search::report::SearchResult;
use crate::search::state::control::SearchControl;
use crate::search::state::root_move::RootMove;
use crate::search::time::TimeManager;
use crate::tablebase::TbProber;

/// The request of one `go`: what to search, and when to stop.
///
/// A [`Search`](crate::search::Search) calls [`should_stop`](Self::should_stop) at every node and
/// [`soft_limit_reached`](Self::soft_limit_reached) after every iteration; both cover all limits, clocks, `stop` and
/// pondering.
///
/// ```
/// use aspirant::board::game::Game;
/// use aspirant::search::SearchRequest;
/// use aspirant::search::limits::Limits;
///
/// let request = SearchRequest::untimed(Game::default(), Limits::nodes(1000));
/// assert_eq!(request.root_moves.len(), 20);
/// assert!(!request.should_stop(999) && request.should_stop(1000));
/// ```
#[derive(Clone)]
pub struct SearchRequest {
    /// The position and the game history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// The legal moves of the position, restricted to `searchmoves` if there are any.
    ///
    /// Not empty if the search is called by an engine.
    pub root_moves: Vec<Move>,
    /// The root moves ranked by the tablebases; see [`SearchRequest::ranked_root`].
    pub(in crate::search) ranked_root: OnceLock<RankedRoot>,
    /// Soft and hard time limit.
    pub(crate) time: TimeManager,
    /// Stop and ponder flags and node counters, shared by all threads.
    pub(crate) control: Arc<SearchControl>,
    /// Number of principal variations to find (MultiPV); 0 counts as 1.
    pub multi_pv: usize,
    /// `UCI_AnalyseMode`: reports bounds and current moves from the start, not only in long searches.
    pub analyze_mode: bool,
    /// Time to keep on the clock at each move (`Move Overhead`), ms; the time limits already leave it.
    pub move_overhead: u64,
    /// Tablebases to probe, if any.
    pub(crate) tb_prober: Option<TbProber>,
}

impl SearchRequest {
    /// Returns a reproducible search: one thread, one PV, no clock, limited by `limits` only.
    ///
    /// The fields that can be set afterwards add threads, a clock, MultiPV and tablebases.
    #[must_use]
    pub fn untimed(game: Game, limits: Limits) -> Self {
        let is_included = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        let root_moves = game.position.chess().legal_moves().into_iter().filter(is_included).collect();
        Self {
            game,
            limits,
            root_moves,
            ranked_root: OnceLock::new(),
            time: TimeManager::unlimited(),
            control: Arc::new(SearchControl::new(1)),
            multi_pv: 1,
            analyze_mode: false,
            move_overhead: 0,
            tb_prober: None,
        }
    }

    /// Returns whether the search must end now: by a node or time limit, or by `stop`. Then it stays `true`.
    ///
    /// Meant to be called at every node: it reads the clock about once a millisecond, at most every 512 nodes. `nodes`
    /// is the number of nodes since the start of the search, of all threads.
    ///
    /// The search then returns its last complete result. An empty one is enough: the engine plays the move of the last
    /// report or, without a report, the best move of a one-ply search.
    #[inline]
    #[must_use]
    pub fn should_stop(&self, nodes: u64) -> bool {
        let is_due = self.control.is_stopped() || self.control.is_check_due(nodes) || self.is_node_limit(nodes);
        is_due && self.is_stopped_after_check(nodes)
    }

    fn is_node_limit(&self, nodes: u64) -> bool {
        self.limits.nodes.is_some_and(|limit| nodes >= limit)
    }

    /// Publishes the node count and checks the clock, for [`SearchRequest::should_stop`].
    #[cold]
    fn is_stopped_after_check(&self, nodes: u64) -> bool {
        self.control.publish(0, nodes, 0);
        self.control.set_next_check(nodes, self.elapsed());
        host_pause(false);
        let is_late = !self.control.is_pondering() && self.time.soft_limit_reached(SIMPLE_NODE_FACTOR);
        if is_late || self.is_node_limit(nodes) || self.hard_limit_reached() {
            // The next call must not continue the search.
            self.control.finish();
        }
        self.control.is_stopped()
    }

    /// Returns whether to start no further iteration after the one with this result.
    ///
    /// True if the depth of its best variation is the depth limit, a mate limit or the soft node limit is reached, or
    /// another iteration is not worth its time: on a clock, it could hardly be completed, or there is a single legal move
    /// or a mate within the searched depth. A search that does not iterate may call it now and then instead.
    #[must_use]
    pub fn soft_limit_reached(&self, result: &SearchResult) -> bool {
        let (depth, score) = result.best().map_or((0, DRAW), |best| (best.depth, best.score));
        self.control.is_stopped()
            || depth >= self.max_depth()
            || !self.control.is_pondering()
                && self.is_last_iteration(depth, score, result.nodes, SIMPLE_ITERATION_FACTOR)
    }

    /// Returns whether no further iteration is started; see [`SearchRequest::soft_limit_reached`].
    ///
    /// `score` is that of the best move at this depth, `factor` scales the soft time limit.
    pub(in crate::search) fn is_last_iteration(&self, depth: i32, score: Score, nodes: u64, factor: f64) -> bool {
        if self.limits.soft_nodes.is_some_and(|limit| nodes >= limit) {
            return true;
        }
        if let (Some(max_moves), Some(found)) = (self.limits.mate, moves_to_mate(score))
            && found.unsigned_abs() <= max_moves
        {
            return true;
        }
        if self.limits.infinite || !self.time.is_timed() {
            return false;
        }
        let only_move = self.root_moves.len() == 1 && self.limits.move_time.is_none();
        // A mate within the searched depth: a deeper iteration is unlikely to find a shorter one.
        let is_final = score.abs() >= mate_in(usize::try_from(depth).unwrap_or(0));
        let factor = if only_move { ONLY_MOVE_TIME_FACTOR } else { factor };
        (is_final && self.limits.move_time.is_none()) || self.time.soft_limit_reached(factor)
    }

    /// Returns whether the hard time limit is reached; never while pondering.
    pub(in crate::search) fn hard_limit_reached(&self) -> bool {
        self.control.clock_since(self.time.start()).is_some_and(|start| self.time.hard_limit_reached(start))
    }

    /// Returns the depth limit, plies.
    pub(in crate::search) fn max_depth(&self) -> i32 {
        self.limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 1) as i32
    }

    /// Returns the time since the search was requested, pondering included.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.time.elapsed()
    }

    /// Returns the tablebase result of a position at this ply, counted from the root; `None` without one.
    ///
    /// A win is a lower bound and a loss an upper bound. Probes only positions after a capture or a pawn move. A probe
    /// may read a file.
    #[must_use]
    pub fn probe_tablebases(&self, position: &Position, ply: usize) -> Option<(Score, Bound)> {
        self.inner_tb_prober()?.probe(position, MAX_PLY as i32, ply)
    }

    /// Returns the root moves that keep the result according to the tablebases; without a result all root moves.
    ///
    /// The first call ranks the moves, which may read files.
    #[must_use]
    pub fn tablebase_moves(&self) -> Vec<Move> {
        self.ranked_root();
        self.best_ranked_moves()
    }

    /// Returns the ranked root moves. The first call ranks them, which may read files.
    pub(in crate::search) fn ranked_root(&self) -> &RankedRoot {
        self.ranked_root.get_or_init(|| self.rank_root())
    }

    fn rank_root(&self) -> RankedRoot {
        let mut moves: Vec<RootMove> = self.root_moves.iter().map(|&m| RootMove::new(m)).collect();
        let Some(ranking) = self.tb_prober.as_ref().and_then(|prober| prober.rank_root_moves(&self.game)) else {
            return RankedRoot { moves, tb_hits: 0, probes_inner_nodes: true };
        };
        for root_move in &mut moves {
            if let Some(ranked) = ranking.moves.iter().find(|ranked| ranked.m == root_move.m) {
                root_move.tb_rank = ranked.rank;
                root_move.tb_score = Some(ranked.score);
            }
        }
        moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.tb_rank));
        let best_score = moves.first().and_then(|root_move| root_move.tb_score);
        let is_won = best_score.is_some_and(|score| score > DRAW);
        RankedRoot { moves, tb_hits: ranking.moves.len() as u64, probes_inner_nodes: is_won && !ranking.by_dtz }
    }

    /// Returns the root moves of the best tablebase rank, or all root moves if they have not been ranked yet.
    pub(in crate::search) fn best_ranked_moves(&self) -> Vec<Move> {
        let Some(ranked) = self.ranked_root.get() else { return self.root_moves.clone() };
        let best = ranked.moves.first().map(|root_move| root_move.tb_rank);
        ranked
            .moves
            .iter()
            .take_while(|root_move| Some(root_move.tb_rank) == best)
            .map(|root_move| root_move.m)
            .collect()
    }

    /// Returns the tablebases to probe at inner nodes, if any.
    pub(in crate::search) fn inner_tb_prober(&self) -> Option<&TbProber> {
        self.tb_prober.as_ref().filter(|_| self.ranked_root().probes_inner_nodes)
    }
}

/// The root moves, ranked by the tablebases if these cover all of them.
#[derive(Clone)]
pub(in crate::search) struct RankedRoot {
    /// The moves, best rank first.
    pub(in crate::search) moves: Vec<RootMove>,
    /// Number of ranked root moves, each counted as a tablebase hit.
    pub(in crate::search) tb_hits: u64,
    /// Whether inner nodes are probed.
    probes_inner_nodes: bool,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self::untimed(Game::default(), Limits::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::clock::Instant;
    use crate::search::params::Params;
    use crate::search::report::Variation;
    use shakmaty::Color;

    #[test]
    fn clock_ends_a_search_between_iterations_before_it_ends_it_at_a_node() {
        // A soft limit of 4.5 s and a hard limit of 18 s.
        let limits = Limits { white_time: Some(100_000), ..Limits::default() };
        for (seconds, between_iterations, at_a_node) in [(1, false, false), (4, true, false), (8, true, true)] {
            let start = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
            let mut request = SearchRequest::untimed(Game::default(), limits.clone());
            request.time = TimeManager::new(&limits, Color::White, 0, start, &Params::default());
            let result = SearchResult::new(vec![Variation::new(vec![request.root_moves[0]], 20, 3)]);
            assert_eq!(request.soft_limit_reached(&result), between_iterations, "{seconds} s");
            assert_eq!(request.should_stop(1), at_a_node, "{seconds} s");
            assert_eq!(request.should_stop(2), at_a_node, "{seconds} s");
        }
    }

    #[test]
    fn limits_without_a_clock_end_an_iteration() {
        let result = |score, depth| {
            let mut result = SearchResult::new(vec![Variation::new(Vec::new(), score, depth)]);
            result.nodes = 500;
            result
        };
        let ends = |limits: Limits, result: &SearchResult| {
            SearchRequest::untimed(Game::default(), limits).soft_limit_reached(result)
        };
        for (limits, reached, not_reached) in [
            (Limits::depth(5), result(0, 5), result(0, 4)),
            (Limits { mate: Some(2), ..Limits::default() }, result(mate_in(3), 4), result(mate_in(5), 6)),
            (Limits { soft_nodes: Some(500), ..Limits::default() }, result(0, 1), SearchResult::default()),
            (Limits::default(), result(0, MAX_PLY as i32 - 1), result(mate_in(1), 9)),
        ] {
            assert!(ends(limits.clone(), &reached) && !ends(limits.clone(), &not_reached), "{limits:?}");
        }
    }
}
