//! State of one thread: evaluator, parameters, histories, counters and buffers.
//!
//! The histories and buffers are kept between searches; [`ThreadData::start`] resets the rest.

use crate::eval::Evaluator;
use crate::search::moves::history::Histories;
use crate::search::params::Params;
use crate::search::reductions::Reductions;
use crate::search::report::Variation;
use crate::search::state::request::SearchRequest;
use crate::search::state::root_move::RootMove;

/// Initial capacity for position keys: a long game and the deepest path.
pub(in crate::search) const KEYS_CAPACITY: usize = 1024;

/// The state of one search thread.
pub(in crate::search) struct ThreadData<E: Evaluator> {
    /// Number of the thread; 0 is the one that reports.
    pub(in crate::search) id: usize,
    pub(in crate::search) eval: E,
    pub(in crate::search) params: Params,
    pub(in crate::search) reductions: Reductions,
    pub(in crate::search) histories: Box<Histories>,
    /// Keys of the positions before the current one, from the start of the game.
    pub(in crate::search) keys: Vec<u64>,
    pub(in crate::search) root_moves: Vec<RootMove>,
    /// Index of the PV being searched (MultiPV); root moves before it are done in this iteration.
    pub(in crate::search) pv_index: usize,
    pub(in crate::search) root_depth: i32,
    pub(in crate::search) nodes: u64,
    pub(in crate::search) seldepth: usize,
    pub(in crate::search) tb_hits: u64,
    /// While a null move cutoff is verified: the first ply at which null moves are allowed again; otherwise 0.
    pub(in crate::search) nmp_min_ply: usize,
    /// Cutoffs of the main search by a searched move, and how many of them by the first move.
    #[cfg(feature = "stats")]
    pub(in crate::search) cutoffs: [u64; 2],
    /// Whether the search decided to stop while pondering; the best move is then reported at `ponderhit`.
    pub(in crate::search) stop_on_ponderhit: bool,
    /// The variations of the last completed iteration, or the move to play without one.
    pub(in crate::search) completed: Vec<Variation>,
    /// Depth of the last completed iteration, plies; 0 without one.
    pub(in crate::search) completed_depth: i32,
}

impl<E: Evaluator> ThreadData<E> {
    /// Creates the state of thread `id` from its two large parts, empty histories and a buffer for keys.
    pub(in crate::search) fn new(
        id: usize,
        eval: E,
        params: &Params,
        histories: Box<Histories>,
        keys: Vec<u64>,
    ) -> Self {
        Self {
            id,
            eval,
            params: params.clone(),
            reductions: Reductions::new(params),
            histories,
            keys,
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            tb_hits: 0,
            nmp_min_ply: 0,
            #[cfg(feature = "stats")]
            cutoffs: [0; 2],
            stop_on_ponderhit: false,
            completed: Vec::new(),
            completed_depth: 0,
        }
    }

    /// Resets what belongs to one search.
    pub(in crate::search) fn start(&mut self, request: &SearchRequest) {
        let root = request.ranked_root();
        self.root_moves.clone_from(&root.moves);
        self.tb_hits = if self.id == 0 { root.tb_hits } else { 0 };
        self.keys.clear();
        self.keys.extend_from_slice(&request.game.history);
        (self.pv_index, self.root_depth, self.nodes, self.seldepth) = (0, 0, 0, 0);
        self.nmp_min_ply = 0;
        #[cfg(feature = "stats")]
        {
            self.cutoffs = [0; 2];
        }
        self.stop_on_ponderhit = false;
        self.completed.clear();
        self.completed_depth = 0;
    }

    /// Counts a cutoff by the move with this number, from 1, for the first-move cutoff rate.
    /// <https://www.chessprogramming.org/Move_Ordering>
    #[cfg(feature = "stats")]
    pub(in crate::search) fn count_cutoff(&mut self, move_number: i32) {
        self.cutoffs[0] += 1;
        self.cutoffs[1] += u64::from(move_number == 1);
    }
}
