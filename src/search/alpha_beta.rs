//! The node function: principal variation search on top of fail-soft alpha-beta.
//!
//! The first move of a node is searched with the window of the node. Later moves are searched with a null window at
//! alpha, and again with the window of the node if they fail high. Non-PV nodes have a null window throughout; only
//! there can a node be pruned before its moves are searched (step 5). Single moves are pruned in PV nodes, too, but
//! not at the root (step 8). The function is a list of numbered steps; the conditions and margins of the rules are
//! in `pruning.rs` and `reductions.rs`. With every rule switched off, what remains is plain alpha-beta, which
//! returns the minimax value.
//! <https://www.chessprogramming.org/Principal_Variation_Search>, <https://www.chessprogramming.org/Fail-Soft>

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::memory::tb_probe::TbResult;
use super::memory::transposition::{NO_EVAL, TtEntry};
use super::moves::history::{ContHistContext, NO_PIECE_TO};
use super::moves::picker::MovePicker;
use super::pruning::{self, NodeContext};
use super::reductions::{self, LmrInputs, Singularity};
use super::stats::{CutoffCause, CutoffNode};
use super::{Aborted, Node, Searcher, Window};
use crate::board::movegen::{self, GenType, PackedMove, Threats};
use crate::board::see;
use crate::eval::Evaluator;
use crate::score::{
    Bound, DRAW, INFINITY, MAX_PLY, Score, TB_WIN_IN_MAX_PLY, is_decisive, mate_in, mated_in, score_from_tt,
};

/// Moves searched before a cutoff, for the history malus; moves beyond the capacity get none.
type SearchedMoves = ArrayVec<Move, 32>;

impl<E: Evaluator> Searcher<E> {
    /// Returns the value of a node at `depth` plies, exact inside the window, else a bound.
    ///
    /// `cut_node`: the node is expected to fail high.
    pub(super) fn alpha_beta<const PV: bool>(
        &mut self,
        node: &Node<E::Acc>,
        depth: i32,
        window: Window,
        cut_node: bool,
    ) -> Result<Score, Aborted> {
        debug_assert!(PV || window.is_null());
        debug_assert!(window.alpha < window.beta);
        let (position, ply) = (&node.position, node.ply);
        let (in_check, is_root) = (position.in_check(), ply == 0);

        // 1. Horizon: check extension, then quiescence search at depth 0.
        let depth = depth + i32::from(in_check && !is_root && self.thread.params.check_extension);
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence::<PV>(node, window);
        }
        self.count_node(ply)?;
        if PV {
            self.stack.clear_pv(ply);
        }
        self.stack.at(ply + 2).cutoffs = 0;
        let Window { mut alpha, mut beta } = window;

        // 2. Draw detection and mate distance pruning.
        if let Some(draw) = self.draw_score(node) {
            return Ok(draw);
        }
        if !is_root && self.thread.params.mate_distance_pruning {
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // 3. Transposition table probe. No cutoff close to the fifty-move draw: the TT key ignores the counter.
        let key = position.key();
        let excluded = self.stack.at(ply).excluded;
        let tt_entry = if excluded.is_some() { None } else { self.tt_probe(key) };
        let tt_score = tt_entry.map(|entry| score_from_tt(entry.score, ply));
        if let (false, Some(entry), Some(score)) = (PV, tt_entry, tt_score)
            && entry.depth >= depth
            && entry.bound.allows_cutoff(score, beta)
            && position.halfmoves() < 90
        {
            if score >= beta {
                self.thread.cutoffs.record(0, CutoffNode { depth, expected: cut_node }, || CutoffCause::TtCutoff);
                self.update_tt_move_history(node, &entry, depth);
            }
            return Ok(score);
        }
        let tt_pv = PV || tt_entry.is_some_and(|entry| entry.pv);

        // 3a. Tablebase probe: returns the value of the node or a bound on it.
        let (mut tb_min, mut tb_max) = (-INFINITY, INFINITY);
        if !is_root && excluded.is_none() {
            match self.probe_tablebases(node, depth, Window { alpha, beta }, tt_pv) {
                TbResult::Cutoff(score) => return Ok(score),
                TbResult::Bounds { min, max } => (tb_min, tb_max) = (min, max),
            }
            alpha = alpha.max(tb_min);
        }
        let tt_move = match tt_entry {
            _ if is_root && self.thread.root_depth > 1 => {
                self.thread.root_moves.get(self.thread.pv_index).map(|root| root.m)
            }
            Some(entry) => entry.best.unpack(position),
            None => None,
        };
        if let Some(m) = tt_move {
            self.tt.prefetch(position.approx_key_after(m));
        }

        // 4. Static evaluation, adjusted by the TT score.
        let (raw_eval, static_eval) = self.evaluate(node, tt_entry, excluded);
        let eval = if in_check { static_eval } else { tt_adjusted_eval(static_eval, tt_entry, tt_score) };
        let improving = !in_check && self.improving(ply, static_eval);
        let context = NodeContext { depth, eval, improving, beta, alpha };

        // 5. Whole-node pruning: razoring, reverse futility, null move, ProbCut.
        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(node, &context, static_eval, tt_entry, cut_node)?
        {
            return Ok(score);
        }

        // 6. IIR: without a TT move, ordering is poor; reduce by one ply. The shallower search stores a TT move.
        let iir = self.thread.params.internal_iterative_reductions
            && depth >= self.thread.params.iir_depth
            && (PV || cut_node)
            && tt_move.is_none()
            && excluded.is_none();
        let depth = depth - i32::from(iir);
        let context = NodeContext { depth, ..context };

        // 7. Move loop, in the order of the move picker.
        self.stack.at(ply).threats = Threats::of(position);
        let conthist = self.stack.conthist_context(ply);
        let killer = self.stack.at(ply).killer;
        let tt_noisy = tt_move.is_some_and(movegen::is_noisy);
        self.stack.at(ply + 1).killer = None;
        let mut picker = MovePicker::new(GenType::All, tt_move, killer, 0);
        let quiet_limit = pruning::late_move_limit(&self.thread.params, &context);
        let (mut best, mut best_move, mut move_count) = (tb_min, None, 0);
        let (mut quiets, mut noisies) = (SearchedMoves::new(), SearchedMoves::new());
        while let Some(m) = picker.next(&self.picker_context(position, &conthist)) {
            if Some(m) == excluded || (is_root && !self.is_root_candidate(m)) {
                continue;
            }
            move_count += 1;
            let quiet = !movegen::is_noisy(m);
            let history = if quiet {
                self.thread.histories.quiet(position.turn(), m, &conthist)
            } else {
                self.thread.histories.noisy(position.turn(), m)
            };
            let base = self.thread.reductions.base(quiet, depth, move_count);

            // 8. Pruning of single moves: late move, futility, history and SEE pruning.
            if !is_root && best > -TB_WIN_IN_MAX_PLY && position.has_non_pawn_material() {
                let context = NodeContext { alpha, ..context };
                if move_count + 1 >= quiet_limit {
                    // Set before the next call of the picker, so that quiet moves need not be generated.
                    picker.skip_quiets();
                }
                let see_safe = picker.is_see_safe(m, quiet, &conthist.threats);
                if self.prune_move(node, m, &context, static_eval, (quiet, see_safe, base, history)) {
                    continue;
                }
            }

            // 9. Singular extension: extend the TT move if a search of all others fails low against a bound below its score.
            let mut extension = 0;
            if let (Some(entry), Some(score), None) = (tt_entry, tt_score, excluded)
                && !is_root
                && Some(m) == tt_move
                && self.can_be_singular(&entry, score, depth, ply)
            {
                match self.test_singularity::<PV>(node, m, depth, score, beta, cut_node)? {
                    (Singularity::Singular(plies) | Singularity::NotSingular(plies), _) => extension = plies,
                    (Singularity::MultiCut, score) => return Ok(score),
                }
            }

            // 10. Make the move and search it, late moves with reduced depth and a null window first.
            let nodes_before = self.thread.nodes;
            self.report_currmove(m, move_count, is_root);
            picker.prefetch_next(m, &self.picker_context(position, &conthist));
            let child = self.make_move(node, m);
            self.stack.at(ply + 1).double_extensions = self.stack.at(ply).double_extensions + i32::from(extension > 1);
            let may_reduce =
                depth >= 2 && move_count > 1 + i32::from(is_root) && self.thread.params.late_move_reductions;
            let reduction = may_reduce.then(|| {
                let inputs = LmrInputs {
                    quiet,
                    pv: PV,
                    tt_pv,
                    cut_node,
                    improving,
                    tt_noisy,
                    killer: Some(m) == killer,
                    gives_check: child.position.in_check(),
                    many_cutoffs: self.stack.at(ply + 1).cutoffs > 3,
                    history,
                };
                reductions::late_move_reduction(&self.thread.params, base, &inputs)
            });
            let child_search =
                ChildSearch { depth: depth - 1 + extension, reduction, first: move_count == 1, cut_node, best };
            let score = self.search_child::<PV>(&child, Window { alpha, beta }, &child_search)?;
            self.pop_key();
            if is_root {
                self.update_root_move(m, score, Window { alpha, beta }, move_count, self.thread.nodes - nodes_before);
            }

            // 11. Update the best move and alpha; beta cutoff.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if PV {
                        self.stack.extend_pv(ply, m);
                    }
                    if score >= beta {
                        self.stack.at(ply).cutoffs += 1;
                        self.thread.cutoffs.record(move_count, CutoffNode { depth, expected: cut_node }, || match () {
                            () if Some(m) == tt_move => CutoffCause::TtMove,
                            () if !quiet => CutoffCause::Noisy,
                            () if Some(m) == killer => CutoffCause::Killer,
                            () => CutoffCause::Quiet,
                        });
                        break;
                    }
                    alpha = score;
                }
            }
            if Some(m) != best_move {
                let _ = if quiet { quiets.try_push(m) } else { noisies.try_push(m) };
            }
        }

        // 12. No legal move: checkmate or stalemate. In a singular search without other moves: fail low.
        if move_count == 0 {
            return Ok(match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => DRAW,
            });
        }

        // 13. Update the histories and store the result in the TT.
        best = best.min(tb_max);
        if let (Some(m), true) = (best_move, best >= beta) {
            self.update_histories(node, m, depth + i32::from(best > beta + 60), &conthist, &quiets, &noisies);
        }
        if best_move.is_none() && excluded.is_none() && !is_root {
            self.update_prior_countermove(node, depth);
        }
        if excluded.is_none() {
            let bound = match best {
                _ if best >= beta => Bound::Lower,
                _ if PV && best_move.is_some() => Bound::Exact,
                _ => Bound::Upper,
            };
            self.update_correction_history(node, static_eval, best, bound, best_move, depth, &conthist);
            if !is_root || self.thread.pv_index == 0 {
                let packed = best_move.map_or(PackedMove::NONE, PackedMove::from);
                self.tt_store(key, ply, packed, best, raw_eval, depth, bound, tt_pv);
            }
        }
        Ok(best)
    }

    /// Searches a child (step 10) and returns its value from the parent's side.
    ///
    /// Late moves are searched at reduced depth with a null window at alpha, and again at full depth if they fail high;
    /// in PV nodes, a move that still beats alpha is searched again with the window of the node.
    fn search_child<const PV: bool>(
        &mut self,
        child: &Node<E::Acc>,
        window: Window,
        child_search: &ChildSearch,
    ) -> Result<Score, Aborted> {
        let &ChildSearch { depth, reduction, first, cut_node, best } = child_search;
        let (alpha, null) = (window.alpha, -Window::null(window.alpha));
        let mut score = -INFINITY;
        if let Some(reduction) = reduction {
            let reduced_depth = (depth - reduction).clamp(1, depth.max(1) + i32::from(PV));
            score = -self.alpha_beta::<false>(child, reduced_depth, null, true)?;
            if score > alpha && reduced_depth < depth {
                let deeper = i32::from(score > best + self.thread.params.lmr_deeper + 2 * depth);
                let shallower = i32::from(score < best + depth);
                score = -self.alpha_beta::<false>(child, depth + deeper - shallower, null, !cut_node)?;
            }
        } else if !PV || !first {
            score = -self.alpha_beta::<false>(child, depth, null, !cut_node)?;
        }
        if PV && (first || score > alpha) {
            score = -self.alpha_beta::<true>(child, depth, -window, false)?;
        }
        Ok(score)
    }

    /// Returns the raw and the corrected static evaluation and stores the latter in the stack frame.
    ///
    /// In check these are `NO_EVAL` and `-INFINITY`.
    fn evaluate(&mut self, node: &Node<E::Acc>, tt_entry: Option<TtEntry>, excluded: Option<Move>) -> (Score, Score) {
        let in_check = node.position.in_check();
        let (raw, corrected) = if in_check {
            (NO_EVAL, -INFINITY)
        } else if excluded.is_some() {
            // Singular search: the enclosing search of this node has stored its evaluation in the frame.
            (NO_EVAL, self.stack.at(node.ply).static_eval)
        } else {
            let raw = match tt_entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.thread.eval.score(&node.acc, &node.position),
            };
            (raw, self.corrected_eval(node, raw))
        };
        let frame = self.stack.at(node.ply);
        frame.static_eval = corrected;
        frame.in_check = in_check;
        (raw, corrected)
    }

    /// Returns whether the static evaluation has risen since an earlier turn of the side to move.
    ///
    /// Compares with 2 plies ago or, if that was in check, 4 plies ago; true if neither is available.
    fn improving(&self, ply: usize, static_eval: Score) -> bool {
        [2, 4]
            .into_iter()
            .filter(|&plies| plies <= ply)
            .map(|plies| self.stack.back(ply, plies))
            .find(|frame| !frame.in_check)
            .is_none_or(|frame| static_eval > frame.static_eval)
    }

    /// Applies whole-node pruning (step 5); returns the score if the node is pruned.
    fn prune_node(
        &mut self,
        node: &Node<E::Acc>,
        context: &NodeContext,
        static_eval: Score,
        tt_entry: Option<TtEntry>,
        cut_node: bool,
    ) -> Result<Option<Score>, Aborted> {
        let window = Window { alpha: context.alpha, beta: context.beta };
        if pruning::razoring(&self.thread.params, context) {
            let score = self.quiescence::<false>(node, window)?;
            if score <= context.alpha {
                return Ok(Some(score));
            }
        }
        if let Some(score) = pruning::reverse_futility(&self.thread.params, context) {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node, context, static_eval)? {
            return Ok(Some(score));
        }
        self.prob_cut(node, context, static_eval, tt_entry, cut_node)
    }

    /// Null move pruning: passing the turn keeps the score at or above beta, so a move would, too.
    ///
    /// <https://www.chessprogramming.org/Null_Move_Pruning>
    fn null_move(
        &mut self,
        node: &Node<E::Acc>,
        context: &NodeContext,
        static_eval: Score,
    ) -> Result<Option<Score>, Aborted> {
        let (ply, beta) = (node.ply, context.beta);
        let previous_was_null = self.stack.back(ply, 1).conthist_index == NO_PIECE_TO;
        if previous_was_null || ply < self.thread.nmp_min_ply || !node.position.has_non_pawn_material() {
            return Ok(None);
        }
        let Some(reduction) = pruning::null_move_reduction(&self.thread.params, context, static_eval) else {
            return Ok(None);
        };
        self.tt.prefetch(node.position.key_after_null_move());
        let Some(position) = node.position.after_null_move() else { return Ok(None) };
        self.thread.keys.push(node.position.key());
        let frame = self.stack.at(ply);
        (frame.conthist_index, frame.current_move) = (NO_PIECE_TO, None);
        let child = Node { position, acc: node.acc, ply: ply + 1 };
        let depth = context.depth - reduction;
        let score = -self.alpha_beta::<false>(&child, depth, -Window::null(beta - 1), false)?;
        self.pop_key();
        if score < beta {
            return Ok(None);
        }
        // Do not return unproven mate or tablebase win scores.
        let score = if score >= TB_WIN_IN_MAX_PLY { beta } else { score };
        if context.depth < 14 || self.thread.nmp_min_ply > 0 {
            return Ok(Some(score));
        }
        // Zugzwang: verify cutoffs at high depth with null moves disabled up to `nmp_min_ply`.
        self.thread.nmp_min_ply = ply + 3 * depth.max(1) as usize / 4;
        let verified = self.alpha_beta::<false>(node, depth, Window::null(beta - 1), false);
        self.thread.nmp_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut: a good capture that beats a raised beta in a shallow search probably beats beta.
    ///
    /// <https://www.chessprogramming.org/ProbCut>
    fn prob_cut(
        &mut self,
        node: &Node<E::Acc>,
        context: &NodeContext,
        static_eval: Score,
        tt_entry: Option<TtEntry>,
        cut_node: bool,
    ) -> Result<Option<Score>, Aborted> {
        let (position, ply, depth) = (&node.position, node.ply, context.depth);
        let Some(probcut_beta) = pruning::prob_cut_beta(&self.thread.params, context) else { return Ok(None) };
        let tt_refutes = tt_entry.is_some_and(|entry| {
            entry.depth >= depth - 3 && score_from_tt(entry.score, ply) < probcut_beta && entry.bound != Bound::Lower
        });
        if tt_refutes {
            return Ok(None);
        }
        let tt_move = tt_entry.and_then(|entry| entry.best.unpack(position));
        // The threats in the frame are those of an earlier node at this ply.
        let conthist = ContHistContext { threats: Threats::NONE, ..self.stack.conthist_context(ply) };
        let mut picker = MovePicker::new(GenType::Noisy, tt_move, None, probcut_beta - static_eval);
        while let Some(m) = picker.next(&self.picker_context(position, &conthist)) {
            if !see::see_at_least(position, m, probcut_beta - static_eval) {
                continue;
            }
            let child = self.make_move(node, m);
            let window = -Window::null(probcut_beta - 1);
            let mut score = -self.quiescence::<false>(&child, window)?;
            if score >= probcut_beta {
                score = -self.alpha_beta::<false>(&child, depth - 4, window, !cut_node)?;
            }
            self.pop_key();
            if score >= probcut_beta {
                let raw_eval = tt_entry.map_or(NO_EVAL, |entry| entry.eval);
                self.tt_store(position.key(), ply, m.into(), score, raw_eval, depth - 3, Bound::Lower, false);
                return Ok(Some(score));
            }
        }
        Ok(None)
    }

    /// Returns whether the move can be skipped (step 8).
    ///
    /// The tuple holds: the move is quiet, its SEE is known not to be negative, its base reduction (1024ths of a ply)
    /// and its history score. A futile move is skipped alone, not with all quiet moves after it, since one of them may
    /// give check.
    fn prune_move(
        &self,
        node: &Node<E::Acc>,
        m: Move,
        context: &NodeContext,
        static_eval: Score,
        (quiet, see_safe, base, history): (bool, bool, i32, i32),
    ) -> bool {
        let (p, in_check) = (&self.thread.params, node.position.in_check());
        let reduced_depth = context.depth - base / 1024;
        if quiet {
            let gives_check = || movegen::gives_check(&node.position, m);
            let futile =
                !in_check && pruning::futility(p, context, static_eval, reduced_depth, history) && !gives_check();
            if futile || pruning::bad_history(p, reduced_depth, history) {
                return true;
            }
        }
        let margin = || pruning::see_margin(p, context, quiet, reduced_depth, history);
        !see_safe && margin().is_some_and(|margin| !see::see_at_least(&node.position, m, margin.min(0)))
    }

    /// Returns whether the TT entry is deep and reliable enough to test its move for singularity.
    fn can_be_singular(&mut self, entry: &TtEntry, score: Score, depth: i32, ply: usize) -> bool {
        self.thread.params.singular_extension
            && depth >= self.thread.params.singular_depth
            && entry.depth >= depth - 3
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && !is_decisive(score)
            && ply < 2 * self.thread.root_depth as usize
    }

    /// Searches all moves except `m` at half depth against a bound below the TT score (step 9).
    ///
    /// Returns the classification of the move and the bound, which is the score to return on a multi-cut.
    fn test_singularity<const PV: bool>(
        &mut self,
        node: &Node<E::Acc>,
        m: Move,
        depth: i32,
        tt_score: Score,
        beta: Score,
        cut_node: bool,
    ) -> Result<(Singularity, Score), Aborted> {
        let ply = node.ply;
        let bound = tt_score - self.thread.params.singular_margin * depth / 16;
        self.stack.at(ply).excluded = Some(m);
        let result = self.alpha_beta::<false>(node, (depth - 1) / 2, Window::null(bound - 1), cut_node);
        self.stack.at(ply).excluded = None;
        let score = result?;
        let mut singularity = reductions::singularity(&self.thread.params, PV, cut_node, score, bound, tt_score, beta);
        if singularity == Singularity::Singular(2) && self.stack.at(ply).double_extensions > 8 {
            singularity = Singularity::Singular(1);
        }
        Ok((singularity, bound))
    }

    /// Updates the histories after a cutoff by `m`.
    ///
    /// `m` gets a bonus, the moves searched before it a malus. A noisy `m` gives no malus to quiet moves. A quiet `m`
    /// becomes the killer move.
    fn update_histories(
        &mut self,
        node: &Node<E::Acc>,
        m: Move,
        depth: i32,
        conthist: &ContHistContext,
        quiets: &[Move],
        noisies: &[Move],
    ) {
        let (p, us) = (&self.thread.params, node.position.turn());
        let bonus = self.history_bonus(depth);
        let malus = (p.history_malus * depth).min(p.history_malus_max);
        if movegen::is_noisy(m) {
            self.thread.histories.update_noisy(us, m, bonus);
        } else {
            self.stack.at(node.ply).killer = Some(m);
            self.thread.histories.update_quiet(us, m, conthist, bonus);
            for &searched in quiets {
                self.thread.histories.update_quiet(us, searched, conthist, -malus);
            }
        }
        for &searched in noisies {
            self.thread.histories.update_noisy(us, searched, -malus);
        }
    }

    /// Returns the history bonus for a move that caused a cutoff at this depth.
    fn history_bonus(&self, depth: i32) -> i32 {
        let p = &self.thread.params;
        (p.history_bonus * depth - p.history_bonus_offset).clamp(1, p.history_bonus_max)
    }

    /// Gives a history bonus to a quiet TT move when the TT score causes a cutoff.
    fn update_tt_move_history(&mut self, node: &Node<E::Acc>, entry: &TtEntry, depth: i32) {
        let percent = self.thread.params.history_tt_bonus;
        if percent > 0
            && let Some(m) = entry.best.unpack(&node.position).filter(|&m| !movegen::is_noisy(m))
        {
            let conthist =
                ContHistContext { threats: Threats::of(&node.position), ..self.stack.conthist_context(node.ply) };
            let bonus = self.history_bonus(depth) * percent / 100;
            self.thread.histories.update_quiet(node.position.turn(), m, &conthist, bonus);
        }
    }

    /// Fail low: gives a history bonus to the opponent's preceding quiet move, which refuted all replies.
    fn update_prior_countermove(&mut self, node: &Node<E::Acc>, depth: i32) {
        let percent = self.thread.params.history_prior_bonus;
        if percent > 0
            && let Some(m) = self.stack.back(node.ply, 1).current_move.filter(|&m| !movegen::is_noisy(m))
        {
            let (conthist, bonus) =
                (self.stack.conthist_context(node.ply - 1), self.history_bonus(depth) * percent / 100);
            self.thread.histories.update_quiet(!node.position.turn(), m, &conthist, bonus);
        }
    }

    /// Updates the correction history with the difference between search result and static evaluation.
    ///
    /// Skipped in check and when the best move is noisy (the evaluation is not meant to see captures), for decisive
    /// scores, and for a bound on the wrong side of the static evaluation, which says nothing about the error.
    #[allow(clippy::too_many_arguments, reason = "the results of a node, passed by its only caller")]
    fn update_correction_history(
        &mut self,
        node: &Node<E::Acc>,
        static_eval: Score,
        best: Score,
        bound: Bound,
        best_move: Option<Move>,
        depth: i32,
        conthist: &ContHistContext,
    ) {
        let informative = !node.position.in_check()
            && best_move.is_none_or(|m| !movegen::is_noisy(m))
            && !is_decisive(best)
            && match bound {
                Bound::Lower => best > static_eval,
                Bound::Upper => best < static_eval,
                Bound::Exact | Bound::None => true,
            };
        if informative && self.thread.params.correction_history {
            self.thread.histories.update_correction(&node.position, conthist, depth, best - static_eval);
        }
    }
}

/// How to search a child: depth, reduction and the state of its parent.
struct ChildSearch {
    /// Full depth of the child, plies.
    depth: i32,
    /// Reduction of the first search, plies; `None` if the move is not reduced.
    reduction: Option<i32>,
    /// Whether this is the first move of the parent.
    first: bool,
    /// Whether the parent is an expected cut node.
    cut_node: bool,
    /// Best score of the parent so far (fail-soft).
    best: Score,
}

/// Returns the static evaluation, or the TT score if its bound makes it a better estimate.
pub(super) fn tt_adjusted_eval(static_eval: Score, tt_entry: Option<TtEntry>, tt_score: Option<Score>) -> Score {
    match (tt_entry, tt_score) {
        (Some(entry), Some(score)) if !is_decisive(score) => match entry.bound {
            Bound::Exact => score,
            Bound::Lower => static_eval.max(score),
            Bound::Upper => static_eval.min(score),
            Bound::None => static_eval,
        },
        _ => static_eval,
    }
}
