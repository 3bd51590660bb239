//! Quiescence search: resolves captures before the static evaluation is used.
//!
//! In the middle of an exchange, an evaluation by material and piece-square tables is off by a piece. So at the leaves
//! the side to move may *stand pat*, that is, accept the static evaluation, or try noisy moves that do not lose
//! material. In check it may not stand pat, and evasions are searched instead. Fail-soft, with the transposition table.
//! <https://www.chessprogramming.org/Quiescence_Search>

use super::memory::transposition::{NO_EVAL, TtEntry};
use super::memory::tt_access::tt_adjusted_eval;
use super::moves::history::ContHistContext;
use super::moves::picker::{MovePicker, PickerContext};
use super::node::{Node, NodeType};
use super::params::QS_MIN_GAIN;
use super::{Aborted, Searcher, Window};
use crate::board::movegen::{GenType, PackedMove, Threats};
use crate::board::position::Position;
use crate::board::see;
use crate::eval::Evaluator;
use crate::score::{Bound, INFINITY, MAX_PLY, Score, TB_WIN_IN_MAX_PLY, mated_in};

impl<E: Evaluator> Searcher<E> {
    /// Returns the value of a node when only noisy moves (in check: evasions) are searched.
    pub(super) fn quiescence<N: NodeType>(&mut self, node: &Node<E::Acc>, window: Window) -> Result<Score, Aborted> {
        debug_assert!(N::PV || window.is_null());
        let Window { mut alpha, beta } = window;
        let (position, ply) = (&node.position, node.ply);
        self.count_node(ply)?;
        if N::PV {
            self.stack.clear_pv(ply);
        }
        if let Some(draw) = self.draw_score(node) {
            return Ok(draw);
        }
        if ply >= MAX_PLY {
            return Ok(self.raw_eval(node));
        }
        if !self.thread.params.quiescence {
            return self.leaf_without_quiescence(node);
        }

        // TT probe and cutoff.
        let tt_entry = self.tt_probe(position, ply);
        let tt_pv = N::PV || tt_entry.is_some_and(|entry| entry.pv);
        if !N::PV
            && let Some(entry) = tt_entry
            && entry.bound.allows_cutoff(entry.score, beta)
        {
            return Ok(entry.score);
        }

        // Stand pat.
        let in_check = position.in_check();
        let (mut raw_eval, mut best, mut futility) = (NO_EVAL, -INFINITY, -INFINITY);
        if !in_check {
            raw_eval = tt_entry.map_or(NO_EVAL, |entry| entry.eval);
            if raw_eval == NO_EVAL {
                raw_eval = self.raw_eval(node);
            }
            best = self.corrected_eval(node, raw_eval);
            best = tt_adjusted_eval(best, tt_entry);
            if best >= beta {
                if tt_entry.is_none() {
                    let (best_move, bound) = (PackedMove::NONE, Bound::Lower);
                    let entry = TtEntry { best: best_move, score: best, eval: raw_eval, depth: 0, bound, pv: tt_pv };
                    self.tt_store(position, ply, entry);
                }
                return Ok(best);
            }
            alpha = alpha.max(best);
            futility = best + self.thread.params.qs_futility;
        }

        // Noisy moves, or evasions in check.
        let tt_move = tt_entry.and_then(|entry| entry.best.unpack(position));
        let gen_type = if in_check { GenType::All } else { GenType::Noisy };
        let mut picker = MovePicker::new(gen_type, tt_move, None, 0);
        // Threats are not computed: evasions use the butterfly history of squares that are not attacked.
        let conthist = ContHistContext { threats: Threats::NONE, ..self.stack.conthist_context(ply) };
        let (mut best_move, mut move_count) = (PackedMove::NONE, 0);
        while let Some(m) = picker.next(&self.picker_context(position, &conthist)) {
            move_count += 1;
            if best > -TB_WIN_IN_MAX_PLY {
                if in_check {
                    // After an evasion that is not lost by force: the move just picked is searched unless it is a
                    // losing capture; later quiet moves and losing captures are skipped.
                    picker.skip_quiets();
                    if picker.in_bad_noisy() {
                        break;
                    }
                } else if futility + m.capture().map_or(0, see::see_value) <= alpha
                    && !m.is_promotion()
                    && !see::see_at_least(position, m, QS_MIN_GAIN)
                {
                    // Delta pruning: the captured piece does not raise the evaluation above alpha, and the exchange wins
                    // nothing. <https://www.chessprogramming.org/Delta_Pruning>
                    best = best.max(futility);
                    continue;
                }
            }
            picker.prefetch_next(m, &self.picker_context(position, &conthist));
            let child = self.make_move(node, m);
            let score = -self.quiescence::<N>(&child, -Window { alpha, beta })?;
            self.pop_key();
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m.into();
                    if N::PV {
                        self.stack.extend_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && move_count == 0 {
            return Ok(mated_in(ply));
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let entry = TtEntry { best: best_move, score: best, eval: raw_eval, depth: 0, bound, pv: tt_pv };
        self.tt_store(position, ply, entry);
        Ok(best)
    }

    /// Returns the static evaluation, or mate or stalemate; for comparison with plain alpha-beta.
    #[cold]
    fn leaf_without_quiescence(&mut self, node: &Node<E::Acc>) -> Result<Score, Aborted> {
        use shakmaty::Position as _;
        if node.position.chess().legal_moves().is_empty() {
            return Ok(if node.position.in_check() { mated_in(node.ply) } else { 0 });
        }
        Ok(self.raw_eval(node))
    }

    /// Returns what the move picker of this node reads.
    #[inline(always)]
    pub(super) fn picker_context<'a>(
        &'a self,
        position: &'a Position,
        conthist: &'a ContHistContext,
    ) -> PickerContext<'a> {
        PickerContext {
            position,
            histories: &self.thread.histories,
            conthist,
            tt: &self.tt,
            params: &self.thread.params,
        }
    }
}
