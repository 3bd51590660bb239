//! State of one `go`: position, limits and settings. Immutable and shared by all threads.

use std::sync::{Arc, OnceLock};

use shakmaty::{Move, Position as _};

use crate::board::game::Game;
use crate::score::DRAW;
use crate::search::limits::Limits;
use crate::search::state::control::SearchControl;
use crate::search::state::root_move::RootMove;
use crate::search::time::TimeManager;
use crate::tablebase::TbProber;

/// The request of one `go`, the same for every thread.
pub struct SearchRequest {
    /// The position and the game history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// The legal moves of the position, restricted to `searchmoves` if there are any.
    pub root_moves: Vec<Move>,
    /// The root moves ranked by the tablebases; see [`SearchRequest::ranked_root`].
    pub(in crate::search) ranked_root: OnceLock<RankedRoot>,
    /// Soft and hard time limit.
    pub time: TimeManager,
    /// Stop and ponder flags and node counters, shared by all threads.
    pub control: Arc<SearchControl>,
    /// Number of principal variations to find (MultiPV); 0 counts as 1.
    pub multi_pv: usize,
    /// `UCI_AnalyseMode`: reports bounds and current moves from the start, not only in long searches.
    pub analyze_mode: bool,
    /// Tablebases to probe, if any.
    pub tb_prober: Option<TbProber>,
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
            tb_prober: None,
        }
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
