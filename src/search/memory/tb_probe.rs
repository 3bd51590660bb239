//! Tablebase probes of the search: ranking at the root, results at inner nodes.
//!
//! At the root, the tablebases (Syzygy) determine which moves preserve the result. The search chooses among the best of
//! these, and each PV is reported with the tablebase score until a mate is found. When the root moves are ranked by
//! distance to zeroing (DTZ), or the position is not won, inner nodes are not probed: all remaining moves preserve the
//! result, and scores of material and mates distinguish them better than equal tablebase scores everywhere.
//! <https://www.chessprogramming.org/Endgame_Tablebases>

use shakmaty::Move;

use crate::board::movegen::PackedMove;
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, INFINITY, MAX_PLY, Score};
use crate::search::memory::transposition::{NO_EVAL, TtEntry};
use crate::search::node::Node;
use crate::search::params::TB_DEPTH_BONUS;
use crate::search::{RootMove, SearchRequest, Searcher, Window};
use crate::tablebase::TbProber;

/// Result of a tablebase probe at an inner node.
pub(in crate::search) enum TbResult {
    /// The value of the node, exact or a bound outside the window.
    Cutoff(Score),
    /// Bounds of the value inside the window; infinite if nothing is known.
    Bounds { min: Score, max: Score },
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

impl SearchRequest {
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
    fn inner_tb_prober(&self) -> Option<&TbProber> {
        self.tb_prober.as_ref().filter(|_| self.ranked_root().probes_inner_nodes)
    }
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
