//! A move at the root and the results of its search.

use shakmaty::Move;

use crate::score::{Bound, INFINITY, Score, is_mate};
use crate::search::report::Variation;
use crate::search::state::stack::Pv;

/// A move at the root and the results of its search.
#[derive(Clone, Debug)]
pub(in crate::search) struct RootMove {
    pub(in crate::search) m: Move,
    /// Score of the last search of the move.
    ///
    /// `-INFINITY` before the first search and if the move failed low and was not the first.
    pub(in crate::search) score: Score,
    /// Score in the last completed iteration; `-INFINITY` if there is none or the move failed low and was not the
    /// first.
    pub(in crate::search) previous_score: Score,
    /// Bound of `score` in the current iteration; `None` if the move has not been searched in it, or failed low and was
    /// not the first.
    pub(in crate::search) bound: Bound,
    /// Maximum ply reached when the score was last set.
    pub(in crate::search) seldepth: usize,
    /// Nodes spent on the move since the start of the search; 0 if it has not been searched.
    pub(in crate::search) nodes: u64,
    pub(in crate::search) pv: Pv,
    /// Tablebase rank: moves of a higher rank are better. Equal for all moves without tablebases.
    pub(in crate::search) tb_rank: i32,
    /// Score according to the tablebases.
    pub(in crate::search) tb_score: Option<Score>,
}

impl RootMove {
    pub(in crate::search) fn new(m: Move) -> Self {
        let pv = Pv::from_iter([m]);
        Self {
            m,
            score: -INFINITY,
            previous_score: -INFINITY,
            bound: Bound::None,
            seldepth: 0,
            nodes: 0,
            pv,
            tb_rank: 0,
            tb_score: None,
        }
    }

    /// Returns the PV with this score, or with the tablebase score unless a mate was found.
    pub(in crate::search) fn variation(&self, score: Score, bound: Bound, depth: i32) -> Variation {
        let (score, bound, from_tablebase) = match self.tb_score {
            Some(tb_score) if score <= -INFINITY || !is_mate(score) => (tb_score, Bound::Exact, true),
            _ => (score, bound, false),
        };
        let pv: Vec<Move> = self.pv.iter().copied().collect();
        let mut variation = Variation::new(pv, score, depth);
        (variation.bound, variation.from_tablebase) = (bound, from_tablebase);
        // A move that has not been searched has a `seldepth` of 0.
        variation.seldepth = variation.seldepth.max(self.seldepth);
        variation
    }
}
