//! Replacement of the tablebases in a build without the feature `syzygy`: none is ever open.
#![doc(hidden)]

use std::convert::Infallible;
use std::sync::Arc;

use shakmaty::Move;

use crate::board::game::Game;
use crate::board::position::Position;
use crate::score::{Bound, Score};

/// Tablebase files; cannot be constructed in this build.
pub struct Tablebase(Infallible);

/// Tablebases with the probe settings of one search.
#[derive(Clone)]
pub struct TbProber {
    /// Tablebase files, shared by all threads.
    pub tablebase: Arc<Tablebase>,
    /// Minimum depth in plies for probes with as many pieces as the largest files have (`SyzygyProbeDepth`).
    pub probe_depth: i32,
    /// Maximum number of pieces for probes (`SyzygyProbeLimit`).
    pub probe_limit: usize,
    /// Scores cursed wins and blessed losses as draws (`Syzygy50MoveRule`).
    pub fifty_move_rule: bool,
}

/// Root move with its tablebase result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    pub m: Move,
    /// Rank: higher is better; the search chooses among moves of equal rank.
    pub rank: i32,
    pub score: Score,
}

/// Tablebase ranking of all root moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RootRanking {
    /// Ranked moves, unsorted.
    pub moves: Vec<RankedMove>,
    /// Whether DTZ was used, which ensures progress; otherwise the ranks come from WDL only.
    pub by_dtz: bool,
}

impl Tablebase {
    #[must_use]
    pub fn open(_paths: &str) -> (Option<Self>, Option<String>) {
        (None, None)
    }

    /// Maximum number of pieces that the files cover.
    #[must_use]
    pub fn max_pieces(&self) -> usize {
        match self.0 {}
    }

    pub fn close_files(&self) {
        match self.0 {}
    }

    /// Returns the message of the first error, once.
    pub fn take_error(&self) -> Option<String> {
        match self.0 {}
    }
}

impl TbProber {
    /// Probes WDL for a node at `ply`; returns its score and the type of bound.
    #[must_use]
    pub fn probe(&self, _position: &Position, _depth: i32, _ply: usize) -> Option<(Score, Bound)> {
        match self.tablebase.0 {}
    }

    /// Ranks the root moves; `None` if the tablebases do not cover all of them.
    #[must_use]
    pub fn rank_root_moves(&self, _game: &Game) -> Option<RootRanking> {
        match self.tablebase.0 {}
    }
}
