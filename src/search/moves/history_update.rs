//! When the search updates the histories.

use shakmaty::Move;

use super::history::{ContHistContext, SearchedMoves};
use crate::board::movegen::{Threats, is_noisy};
use crate::eval::Evaluator;
use crate::score::{Bound, Score, is_decisive};
use crate::search::Searcher;
use crate::search::memory::transposition::TtEntry;
use crate::search::node::{Node, NodeContext, NodeType};
use crate::search::params::MAX_REFUTED_MOVE_NUMBER;

impl<E: Evaluator> Searcher<E> {
    /// Updates the histories after a node.
    ///
    /// Rewards the move that caused a cutoff or, after a fail low, the opponent's preceding quiet move.
    #[inline(always)]
    pub(in crate::search) fn update_histories<N: NodeType>(
        &mut self,
        node: &Node<E::Acc>,
        context: &NodeContext,
        best: Score,
        best_move: Option<Move>,
        conthist: &ContHistContext,
        searched: &SearchedMoves,
    ) {
        match best_move {
            Some(m) if best >= context.beta => {
                let exceeds_margin = best > context.beta + self.thread.params.history_beta_margin;
                self.update_cutoff_histories(node, m, context.depth + i32::from(exceeds_margin), conthist, searched);
            }
            None if context.excluded.is_none() && !N::ROOT => self.update_prior_countermove(node, context.depth),
            _ => {}
        }
    }

    /// Updates the histories after a cutoff by `m`.
    ///
    /// `m` gets a bonus, the moves searched before it that did not raise alpha get a malus. A noisy `m` gives no malus
    /// to quiet moves. A quiet `m` becomes the killer move.
    fn update_cutoff_histories(
        &mut self,
        node: &Node<E::Acc>,
        m: Move,
        depth: i32,
        conthist: &ContHistContext,
        searched: &SearchedMoves,
    ) {
        let us = node.position.turn();
        let bonus = self.history_bonus(depth);
        let malus = self.history_malus(depth);
        let histories = &mut self.thread.histories;
        if is_noisy(m) {
            histories.update_noisy(us, m, bonus);
        } else {
            self.stack.at(node.ply).killer = self.thread.params.killer_move.then_some(m);
            histories.update_quiet(us, m, conthist, bonus);
            for &quiet in &searched.quiets {
                histories.update_quiet(us, quiet, conthist, -malus);
            }
        }
        for &noisy in &searched.noisies {
            histories.update_noisy(us, noisy, -malus);
        }
    }

    /// Returns the history bonus for a move that caused a cutoff at this depth.
    fn history_bonus(&self, depth: i32) -> i32 {
        let p = &self.thread.params;
        (p.history_bonus * depth - p.history_bonus_offset).max(1).min(p.history_bonus_max)
    }

    /// Returns the malus for a move searched at this depth before the move that caused a cutoff.
    fn history_malus(&self, depth: i32) -> i32 {
        let p = &self.thread.params;
        (p.history_malus * depth).min(p.history_malus_max)
    }

    /// Gives a history bonus to a quiet TT move when the TT score causes a cutoff.
    pub(in crate::search) fn update_tt_move_history(&mut self, node: &Node<E::Acc>, entry: &TtEntry, depth: i32) {
        let percent = self.thread.params.history_tt_bonus;
        if percent > 0
            && let Some(m) = entry.best.unpack(&node.position).filter(|&m| !is_noisy(m))
        {
            let conthist =
                ContHistContext { threats: Threats::of(&node.position), ..self.stack.conthist_context(node.ply) };
            let bonus = self.history_bonus(depth) * percent / 100;
            self.thread.histories.update_quiet(node.position.turn(), m, &conthist, bonus);
        }
    }

    /// Gives a malus to the opponent's preceding quiet move when the TT score refutes it.
    ///
    /// Only if it was one of the first [`MAX_REFUTED_MOVE_NUMBER`] moves of its node.
    pub(in crate::search) fn update_refuted_move_history(&mut self, node: &Node<E::Acc>, depth: i32) {
        let frame = self.stack.back(node.ply, 1);
        if frame.move_number <= MAX_REFUTED_MOVE_NUMBER
            && let Some(m) = frame.current_move.filter(|&m| !is_noisy(m))
        {
            let (conthist, malus) = (self.stack.conthist_context(node.ply - 1), self.history_malus(depth));
            self.thread.histories.update_continuation(!node.position.turn(), m, &conthist, -malus);
        }
    }

    /// Updates the continuation history of the quiet move to `child` after its search without reduction.
    pub(in crate::search) fn update_researched_move_history(
        &mut self,
        child: &Node<E::Acc>,
        depth: i32,
        raised_alpha: bool,
    ) {
        if let Some(m) = self.stack.back(child.ply, 1).current_move.filter(|&m| !is_noisy(m)) {
            let bonus = if raised_alpha { self.history_bonus(depth) } else { -self.history_malus(depth) };
            let conthist = self.stack.conthist_context(child.ply - 1);
            self.thread.histories.update_continuation(!child.position.turn(), m, &conthist, bonus);
        }
    }

    /// Gives a history bonus to the opponent's preceding quiet move, which caused the fail low.
    /// <https://github.com/official-stockfish/Stockfish/pull/1599>
    fn update_prior_countermove(&mut self, node: &Node<E::Acc>, depth: i32) {
        let percent = self.thread.params.history_prior_bonus;
        if percent > 0
            && let Some(m) = self.stack.back(node.ply, 1).current_move.filter(|&m| !is_noisy(m))
        {
            let (conthist, bonus) =
                (self.stack.conthist_context(node.ply - 1), self.history_bonus(depth) * percent / 100);
            self.thread.histories.update_quiet(!node.position.turn(), m, &conthist, bonus);
        }
    }

    /// Updates the correction history with the error of the static evaluation.
    ///
    /// The error is `best`, the result, minus the corrected static evaluation.
    ///
    /// Skipped in check and when the best move is noisy (the static evaluation does not resolve captures), for decisive
    /// scores, and for a bound on the wrong side of the static evaluation, which says nothing about the error.
    pub(in crate::search) fn update_correction_history(
        &mut self,
        node: &Node<E::Acc>,
        context: &NodeContext,
        best: Score,
        best_move: Option<Move>,
        bound: Bound,
        conthist: &ContHistContext,
    ) {
        let informative = !node.position.in_check()
            && best_move.is_none_or(|m| !is_noisy(m))
            && !is_decisive(best)
            && match bound {
                Bound::Lower => best > context.static_eval,
                Bound::Upper => best < context.static_eval,
                Bound::Exact | Bound::None => true,
            };
        if informative && self.thread.params.correction_history {
            let error = best - context.static_eval;
            self.thread.histories.update_correction(&node.position, conthist, context.depth, error);
        }
    }
}
