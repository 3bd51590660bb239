//! Tablebase probes of the search: ranking at the root, results at inner nodes.
//!
//! At the root, the tablebases (Syzygy) determine which moves preserve the result. The search chooses among the best of
//! these, and each PV is reported with the tablebase score until a mate is found. When the root moves are ranked by
//! distance to zeroing (DTZ), or the position is not won, inner nodes are not probed: all remaining moves preserve the
//! result, and scores of material and mates distinguish them better than equal tablebase scores everywhere.
//! <https://www.chessprogramming.org/Endgame_Tablebases>

use crate::board::movegen::PackedMove;
use crate::eval::Evaluator;
use crate::score::{Bound, INFINITY, MAX_PLY, Score};
use crate::search::memory::transposition::{NO_EVAL, TtEntry};
use crate::search::node::Node;
use crate::search::params::TB_DEPTH_BONUS;
use crate::search::{Searcher, Window};

/// Result of a tablebase probe at an inner node.
pub(in crate::search) enum TbResult {
    /// The value of the node, exact or a bound outside the window.
    Cutoff(Score),
    /// Bounds of the value inside the window; infinite if nothing is known.
    Bounds { min: Score, max: Score },
}

impl<E: Evaluator> Searcher<E> {
    /// Probes the tablebases, if any, at an inner node. A result that causes a cutoff is stored in the TT.
    #[inline(always)]
    pub(in crate::search) fn probe_tablebases(
        &mut self,
        node: &Node<E::Acc>,
        depth: i32,
        window: Window,
        pv: bool,
    ) -> TbResult {
        if self.request.tb_prober.is_none() {
            return TbResult::Bounds { min: -INFINITY, max: INFINITY };
        }
        self.probe_loaded_tablebases(node, depth, window, pv)
    }

    /// Probes tablebases that are loaded. Not inlined, to keep the node function small.
    #[cold]
    #[inline(never)]
    fn probe_loaded_tablebases(&mut self, node: &Node<E::Acc>, depth: i32, window: Window, pv: bool) -> TbResult {
        let probed = self.request.inner_tb_prober().and_then(|prober| prober.probe(&node.position, depth, node.ply));
        let Some((score, bound)) = probed else { return TbResult::Bounds { min: -INFINITY, max: INFINITY } };
        self.thread.tb_hits += 1;
        match bound {
            Bound::Lower if score < window.beta => TbResult::Bounds { min: score, max: INFINITY },
            Bound::Upper if score > window.alpha => TbResult::Bounds { min: -INFINITY, max: score },
            _ => {
                // Tablebase results do not depend on the depth: store them as if from a deeper search.
                let depth = (depth + TB_DEPTH_BONUS).min(MAX_PLY as i32 - 1);
                let entry = TtEntry { best: PackedMove::NONE, score, eval: NO_EVAL, depth, bound, pv };
                self.tt_store(&node.position, node.ply, entry);
                TbResult::Cutoff(score)
            }
        }
    }
}
