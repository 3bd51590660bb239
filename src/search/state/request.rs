//! State of one `go`: position, limits and settings. Immutable and shared by all threads.

use std::sync::{Arc, OnceLock};

use shakmaty::{Move, Position as _};

use crate::board::game::Game;
use crate::search::limits::Limits;
use crate::search::memory::tb_probe::RankedRoot;
use crate::search::smp::control::SearchControl;
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
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self::untimed(Game::default(), Limits::default())
    }
}
