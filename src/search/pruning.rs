//! Pruning: nodes and moves that are not searched at all. One function per rule.
//!
//! Each rule assumes that a deeper search would not change the result; its doc comment says under which condition. The
//! node function applies them in the order of the steps in `ARCHITECTURE.md`. A rule that is switched off never prunes.
//! Margins are in centipawns and tuned for the default evaluator; another evaluator would need others.
//! <https://www.chessprogramming.org/Pruning>
#![doc(hidden)]

use super::memory::transposition::TtEntry;
use super::moves::history::{ContHistContext, NO_PIECE_TO};
use super::moves::picker::MovePicker;
use super::node::{Node, NodeContext, NonPvNode};
use super::params::{
    FUTILITY_HISTORY_DIVISOR, NMP_VERIFICATION_DEPTH, PROBCUT_REDUCTION, PROBCUT_TT_REDUCTION, Params,
    SEE_HISTORY_DIVISOR, nmp_verification_plies,
};
use super::reductions::Reductions;
use super::{Aborted, Searcher, Window};
use crate::board::movegen::{GenType, Threats};
use crate::board::position::Position;
use crate::board::see;
use crate::eval::Evaluator;
use crate::score::{Bound, Score, TB_WIN_IN_MAX_PLY, is_decisive};

/// Razoring: returns whether the evaluation is so far below alpha that only captures could help.
///
/// The caller then runs quiescence search.
/// <https://www.chessprogramming.org/Razoring>
#[must_use]
pub(super) fn razoring(p: &Params, node: &NodeContext) -> bool {
    p.razoring
        && node.depth <= p.razor_depth
        && !is_decisive(node.alpha)
        && node.eval + p.razor_margin * node.depth <= node.alpha
}

/// Reverse futility: returns the score of a node whose evaluation is far above beta.
///
/// The score is the mean of the evaluation and beta. The evaluation has no terms for threats, so the margin is larger
/// if a less valuable piece attacks a piece of the side to move.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
#[must_use]
pub(super) fn reverse_futility(p: &Params, node: &NodeContext, position: &Position) -> Option<Score> {
    if !p.reverse_futility || node.depth > p.rfp_depth || is_decisive(node.beta) {
        return None;
    }
    let margin = p.rfp_margin * node.depth - p.rfp_improving * i32::from(node.improving);
    let exceeds = |margin: i32| node.eval - margin.max(p.rfp_min_margin) >= node.beta;
    // The threats are computed only if they can make a difference.
    let cuts =
        exceeds(margin) && (exceeds(margin + p.rfp_threat) || !Threats::of(position).any_piece_threatened(position));
    cuts.then_some(i32::midpoint(node.eval, node.beta))
}

/// Null move: returns the depth reduction after a null move, plies; `None` if null move pruning does not apply.
/// <https://www.chessprogramming.org/Null_Move_Pruning>
#[must_use]
fn null_move_reduction(p: &Params, reductions: &Reductions, node: &NodeContext) -> Option<i32> {
    let promising =
        node.eval >= node.beta && node.static_eval + p.nmp_depth_margin * node.depth >= node.beta + p.nmp_margin;
    if !p.null_move || node.depth < p.nmp_depth || !promising || is_decisive(node.beta) {
        return None;
    }
    Some(p.nmp_base + reductions.null_move(node.depth, node.eval - node.beta))
}

/// ProbCut: returns the raised beta that a capture must reach in a shallow search to cut the node off.
/// <https://www.chessprogramming.org/ProbCut>
#[must_use]
fn prob_cut_beta(p: &Params, node: &NodeContext) -> Option<Score> {
    if !p.prob_cut || node.depth < p.probcut_depth || is_decisive(node.beta) {
        return None;
    }
    Some(node.beta + p.probcut_margin - p.probcut_improving * i32::from(node.improving))
}

/// Late move pruning: returns the move number from which quiet moves are skipped at low depth.
///
/// Half as large when not improving.
/// <https://www.chessprogramming.org/Futility_Pruning#Move_Count_Based_Pruning>
#[must_use]
pub(super) fn late_move_limit(p: &Params, node: &NodeContext) -> i32 {
    if !p.late_move_pruning || node.depth > p.lmp_depth {
        return i32::MAX;
    }
    (p.lmp_base + node.depth * node.depth) >> i32::from(!node.improving)
}

/// Futility: returns whether a quiet move is unlikely to raise the evaluation above alpha.
/// <https://www.chessprogramming.org/Futility_Pruning>
#[must_use]
pub(super) fn futility(p: &Params, node: &NodeContext, reduced_depth: i32, history: i32) -> bool {
    p.futility_pruning
        && reduced_depth <= p.futility_depth
        && node.static_eval
            + p.futility_base
            + p.futility_margin * reduced_depth.max(0)
            + history / FUTILITY_HISTORY_DIVISOR
            <= node.alpha
}

/// History pruning: returns whether a quiet move has too bad a history to be searched at low depth.
/// <https://www.chessprogramming.org/History_Leaf_Pruning>
#[must_use]
pub(super) fn bad_history(p: &Params, reduced_depth: i32, history: i32) -> bool {
    p.history_pruning && reduced_depth <= p.history_depth && history < -p.history_margin * reduced_depth.max(1)
}

/// SEE pruning: returns the lowest SEE that is searched, centipawns, at most 0; `None` at high depth.
/// <https://www.chessprogramming.org/Static_Exchange_Evaluation>
#[must_use]
pub(super) fn see_margin(
    p: &Params,
    node: &NodeContext,
    quiet: bool,
    reduced_depth: i32,
    history: i32,
) -> Option<Score> {
    if !p.see_pruning || node.depth > p.see_depth {
        return None;
    }
    let depth = reduced_depth.max(0);
    let margin =
        if quiet { -p.see_quiet * depth * depth } else { -p.see_noisy * node.depth - history / SEE_HISTORY_DIVISOR };
    Some(margin.min(0))
}

impl<E: Evaluator> Searcher<E> {
    /// Null move: passes the turn, searches at reduced depth, and returns the score on a cutoff.
    /// <https://www.chessprogramming.org/Null_Move_Pruning>
    pub(super) fn null_move(&mut self, node: &Node<E::Acc>, context: &NodeContext) -> Result<Option<Score>, Aborted> {
        let (ply, beta) = (node.ply, context.beta);
        let previous_was_null = self.stack.back(ply, 1).conthist_index == NO_PIECE_TO;
        if previous_was_null || ply < self.thread.nmp_min_ply || !node.position.has_non_pawn_material() {
            return Ok(None);
        }
        let Some(reduction) = null_move_reduction(&self.thread.params, &self.thread.reductions, context) else {
            return Ok(None);
        };
        self.tt.prefetch(node.position.tt_key_after_null_move());
        let Some(position) = node.position.after_null_move() else { return Ok(None) };
        self.push_move(node, NO_PIECE_TO, None);
        let child = Node { position, acc: node.acc, ply: ply + 1 };
        let depth = context.depth - reduction;
        let score = -self.alpha_beta::<NonPvNode>(&child, depth, -Window::null(beta - 1), false)?;
        self.pop_key();
        if score < beta {
            return Ok(None);
        }
        // Do not return unproven mate or tablebase win scores.
        let score = if score >= TB_WIN_IN_MAX_PLY { beta } else { score };
        if context.depth < NMP_VERIFICATION_DEPTH || self.thread.nmp_min_ply > 0 {
            return Ok(Some(score));
        }
        // Zugzwang: verify cutoffs at high depth by a search without null moves before the ply `nmp_min_ply`.
        self.thread.nmp_min_ply = ply + nmp_verification_plies(depth);
        let verified = self.alpha_beta::<NonPvNode>(node, depth, Window::null(beta - 1), false);
        self.thread.nmp_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut: returns the score of a noisy move that reaches the raised beta at low depth.
    ///
    /// Searches noisy moves whose SEE is at least the difference between the raised beta and the static evaluation.
    /// <https://www.chessprogramming.org/ProbCut>
    pub(super) fn prob_cut(&mut self, node: &Node<E::Acc>, context: &NodeContext) -> Result<Option<Score>, Aborted> {
        let (position, ply, depth) = (&node.position, node.ply, context.depth);
        let Some(probcut_beta) = prob_cut_beta(&self.thread.params, context) else { return Ok(None) };
        let tt_depth = depth - PROBCUT_TT_REDUCTION;
        let tt_refutes = context
            .tt_entry
            .is_some_and(|entry| entry.depth >= tt_depth && entry.score < probcut_beta && entry.bound != Bound::Lower);
        if tt_refutes {
            return Ok(None);
        }
        let min_gain = probcut_beta - context.static_eval;
        // The threats in the frame are those of an earlier node at this ply.
        let conthist = ContHistContext { threats: Threats::NONE, ..self.stack.conthist_context(ply) };
        let mut picker = MovePicker::new(GenType::Noisy, context.tt_move, None, min_gain);
        while let Some(m) = picker.next(&self.picker_context(position, &conthist)) {
            // The picker has checked all moves but the TT move.
            if !see::see_at_least(position, m, min_gain) {
                continue;
            }
            let child = self.make_move(node, m);
            let window = -Window::null(probcut_beta - 1);
            let mut score = -self.quiescence::<NonPvNode>(&child, window)?;
            if score >= probcut_beta {
                score = -self.alpha_beta::<NonPvNode>(&child, depth - PROBCUT_REDUCTION, window, !context.cut_node)?;
            }
            self.pop_key();
            if score >= probcut_beta {
                let eval = context.raw_eval;
                let entry = TtEntry { best: m.into(), score, eval, depth: tt_depth, bound: Bound::Lower, pv: false };
                self.tt_store(position, ply, entry);
                return Ok(Some(score));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::position::parse_fen;
    use crate::eval::pst::Pst;
    use crate::score::INFINITY;
    use crate::search::memory::transposition::TranspositionTable;

    /// Returns a cut node with a null window at 0.
    fn cut_node(depth: i32, eval: Score) -> NodeContext {
        NodeContext {
            depth,
            alpha: -1,
            beta: 0,
            cut_node: true,
            static_eval: eval,
            eval,
            improving: false,
            tt_entry: None,
            tt_move: None,
            tt_pv: false,
            excluded: None,
            raw_eval: eval,
            tb_min: -INFINITY,
            tb_max: INFINITY,
        }
    }

    #[test]
    fn every_child_inherits_the_number_of_double_extensions() {
        let table = Arc::new(TranspositionTable::new(1));
        let mut searcher = Searcher::new(0, Pst, &Params::default(), table);
        let position = parse_fen("4k1n1/8/8/3p4/4N3/8/8/4K3 w - - 0 1").unwrap();
        let m = position.parse_move("e4c5").unwrap();
        let root = Node { acc: searcher.thread.eval.refresh(&position), position, ply: 0 };
        searcher.stack.at(0).double_extensions = 3;
        // Stale numbers of earlier nodes.
        (searcher.stack.at(1).double_extensions, searcher.stack.at(2).double_extensions) = (8, 9);
        let child = searcher.make_move(&root, m);
        assert_eq!(searcher.stack.at(1).double_extensions, 3);
        searcher.null_move(&child, &cut_node(3, 500)).unwrap();
        assert_eq!(searcher.stack.at(2).double_extensions, 3);
    }

    #[test]
    fn reverse_futility_margin_is_larger_under_a_threat() {
        let params = Params::default();
        // A knight of the side to move is attacked by a pawn, and is not.
        let threatened = parse_fen("4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1").unwrap();
        let quiet = parse_fen("4k3/8/3p4/8/4N3/8/8/4K3 w - - 0 1").unwrap();
        // The smallest evaluation that returns a score.
        let margin = |position: &Position| {
            let returns = |&eval: &Score| reverse_futility(&params, &cut_node(4, eval), position).is_some();
            (0..2000).find(returns).unwrap()
        };
        assert_eq!(margin(&quiet), params.rfp_margin * 4);
        assert_eq!(margin(&threatened), params.rfp_margin * 4 + params.rfp_threat);
    }
}
