//! Tablebase probes of the search: ranking at the root, results at inner nodes.
//!
//! At the root, the tablebases (Syzygy) tell which moves preserve the result. The search chooses among the best of
//! these, and each PV is reported with the tablebase score until a mate is found. When the root moves are ranked by
//! distance to zeroing (DTZ), or the position is not won, inner nodes are not probed: all remaining moves preserve the
//! result, and a search that sees material and mates makes better progress than one that sees the same win everywhere.
//! <https://www.chessprogramming.org/Endgame_Tablebases>

use crate::board::movegen::PackedMove;
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, INFINITY, MAX_PLY, Score, is_mate};
use crate::search::memory::transposition::NO_EVAL;
use crate::search::{Node, RootMove, Searcher, Window};

/// Result of a tablebase probe at an inner node.
pub(in crate::search) enum TbResult {
    /// The value of the node, exact or a bound outside the window.
    Cutoff(Score),
    /// Bounds of the value inside the window; infinite if nothing is known.
    Bounds { min: Score, max: Score },
}

impl<E: Evaluator> Searcher<E> {
    /// Ranks and sorts the root moves by the tablebases, if these cover all of them.
    pub(in crate::search) fn rank_root_moves(&mut self) {
        let Some(ranking) = self.tb_prober.as_ref().and_then(|prober| prober.rank_root_moves(&self.root)) else {
            return;
        };
        if self.id == 0 {
            self.tb_hits += ranking.moves.len() as u64;
        }
        for root_move in &mut self.root_moves {
            if let Some(ranked) = ranking.moves.iter().find(|ranked| ranked.m == root_move.m) {
                root_move.tb_rank = ranked.rank;
                root_move.tb_score = Some(ranked.score);
            }
        }
        self.root_moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.tb_rank));
        let best_score = self.root_moves.first().and_then(|root_move| root_move.tb_score);
        if ranking.by_dtz || best_score.is_none_or(|score| score <= DRAW) {
            self.tb_prober = None;
        }
    }

    /// Probes the tablebases at an inner node. A result that causes a cutoff is stored in the TT.
    pub(in crate::search) fn probe_tablebases(
        &mut self,
        node: &Node<E::Acc>,
        depth: i32,
        window: Window,
        pv: bool,
    ) -> TbResult {
        let probed = self.tb_prober.as_ref().and_then(|prober| prober.probe(&node.position, depth, node.ply));
        let Some((score, bound)) = probed else { return TbResult::Bounds { min: -INFINITY, max: INFINITY } };
        self.tb_hits += 1;
        match bound {
            Bound::Lower if score < window.beta => TbResult::Bounds { min: score, max: INFINITY },
            Bound::Upper if score > window.alpha => TbResult::Bounds { min: -INFINITY, max: score },
            _ => {
                // Tablebase results are exact: store them as if from a deeper search.
                let depth = (depth + 6).min(MAX_PLY as i32 - 1);
                let (key, none) = (node.position.key(), PackedMove::NONE);
                self.tt_store(key, node.ply, none, score, NO_EVAL, depth, bound, pv);
                TbResult::Cutoff(score)
            }
        }
    }
}

impl RootMove {
    /// Returns the score to report for this move: the tablebase score, unless a mate was found.
    pub(in crate::search) fn reported_score(&self, score: Score) -> Score {
        match self.tb_score {
            Some(tb_score) if score <= -INFINITY || !is_mate(score) => tb_score,
            _ => score,
        }
    }
}
