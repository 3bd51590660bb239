//! Access of the search to the transposition table: scores counted from the root, the TT switch.

use shakmaty::Move;

use crate::board::position::Position;
use crate::eval::Evaluator;
use crate::score::{Bound, Score, is_decisive, score_from_tt, score_to_tt};
use crate::search::Searcher;
use crate::search::memory::transposition::TtEntry;
use crate::search::node::NodeType;

impl<E: Evaluator> Searcher<E> {
    /// Returns the TT entry of a key, if the TT is enabled, with its score counted from the root.
    #[inline]
    pub(in crate::search) fn tt_probe(&self, key: u64, ply: usize) -> Option<TtEntry> {
        if !self.thread.params.transposition_table {
            return None;
        }
        self.tt.probe(key).map(|entry| TtEntry { score: score_from_tt(entry.score, ply), ..entry })
    }

    /// Stores an entry, with its score counted from the root, in the TT, if that is enabled.
    #[inline]
    pub(in crate::search) fn tt_store(&self, key: u64, ply: usize, entry: TtEntry) {
        if self.thread.params.transposition_table {
            self.tt.store(key, TtEntry { score: score_to_tt(entry.score, ply), ..entry });
        }
    }

    /// Returns the TT move, if it is legal, and prefetches the entry of the position after it.
    ///
    /// At the root, from depth 2 on, it is the best move found so far for this PV.
    #[inline(always)]
    pub(in crate::search) fn tt_move<N: NodeType>(
        &self,
        position: &Position,
        tt_entry: Option<TtEntry>,
    ) -> Option<Move> {
        let tt_move = if N::ROOT && self.thread.root_depth > 1 {
            self.thread.root_moves.get(self.thread.pv_index).map(|root_move| root_move.m)
        } else {
            tt_entry.and_then(|entry| entry.best.unpack(position))
        };
        if let Some(m) = tt_move {
            self.tt.prefetch(position.approx_key_after(m));
        }
        tt_move
    }
}

/// Returns the static evaluation, or the TT score if its bound makes it a better estimate.
#[inline]
pub(in crate::search) fn tt_adjusted_eval(static_eval: Score, tt_entry: Option<TtEntry>) -> Score {
    match tt_entry {
        Some(entry) if !is_decisive(entry.score) => match entry.bound {
            Bound::Exact => entry.score,
            Bound::Lower => static_eval.max(entry.score),
            Bound::Upper => static_eval.min(entry.score),
            Bound::None => static_eval,
        },
        _ => static_eval,
    }
}
