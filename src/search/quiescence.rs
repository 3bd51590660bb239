//! Quiescence: captures are played out before the evaluation is trusted.
//!
//! A material + PST evaluation in the middle of an exchange is off by a piece. So at the leaves the side to
//! move may *stand pat* on the evaluation or try captures that do not lose material; in check there is no
//! standing pat, and evasions are tried. Fail-soft, with the transposition table.
//! <https://www.chessprogramming.org/Quiescence_Search>

use super::alpha_beta::better_guess;
use super::memory::transposition::{Entry, NO_EVAL};
use super::moves::history::Path;
use super::moves::picker::{Knowledge, MovePicker, Wanted};
use super::stats::{Cause, CutNode};
use super::{Aborted, Node, Searcher, Window};
use crate::board::movegen::{self, PackedMove, Threats};
use crate::board::position::Position;
use crate::eval::Evaluator;
use crate::score::{Bound, INFINITY, MAX_PLY, Score, TABLE_WIN_IN_MAX_PLY, from_table, mated_in, to_table};

impl<E: Evaluator> Searcher<E> {
    /// The value of a node when only captures (in check: evasions) are looked at.
    pub(super) fn quiescence<const PV: bool>(&mut self, node: &Node<E::Acc>, window: Window) -> Result<Score, Aborted> {
        debug_assert!(PV || window.is_null());
        let Window { mut alpha, beta } = window;
        let (position, ply) = (&node.position, node.ply);
        self.enter(ply)?;
        if PV {
            self.stack.clear_pv(ply);
        }
        if let Some(draw) = self.draw(node) {
            return Ok(draw);
        }
        if ply >= MAX_PLY {
            return Ok(self.eval.score(&node.acc, position));
        }
        if !self.params.quiescence {
            return self.leaf_without_quiescence(node);
        }

        // What the table knows, and where it settles the node.
        let key = position.key();
        let known = self.probe(key);
        let table_pv = PV || known.is_some_and(|entry| entry.pv);
        if let Some(entry) = known {
            let score = from_table(entry.score, ply);
            if !PV && entry.bound.settles(score, beta) {
                return Ok(score);
            }
        }

        // Stand pat.
        let in_check = position.in_check();
        let (mut raw_eval, mut best, mut futility) = (NO_EVAL, -INFINITY, -INFINITY);
        if !in_check {
            raw_eval = known.map_or(NO_EVAL, |entry| entry.eval);
            if raw_eval == NO_EVAL {
                raw_eval = self.eval.score(&node.acc, position);
            }
            best = self.corrected(node, raw_eval);
            best = better_guess(best, known, known.map(|entry| from_table(entry.score, ply)));
            if best >= beta {
                if known.is_none() {
                    self.remember(key, ply, PackedMove::NONE, best, raw_eval, 0, Bound::Lower, table_pv);
                }
                return Ok(best);
            }
            alpha = alpha.max(best);
            futility = best + self.params.qs_futility;
        }

        // Captures, or evasions.
        let hash_move = known.and_then(|entry| entry.best.unpack(position));
        let wanted = if in_check { Wanted::All } else { Wanted::Noisy };
        let mut picker = MovePicker::new(wanted, hash_move, None, 0);
        let path = Path { threats: Threats::NONE, ..self.stack.path(ply) };
        let (mut best_move, mut tried) = (PackedMove::NONE, 0);
        while let Some(m) = picker.next(&self.knowledge(position, &path)) {
            tried += 1;
            if best > -TABLE_WIN_IN_MAX_PLY {
                if in_check {
                    // One way out is enough to know; quiet ones after it are not worth their subtrees.
                    picker.skip_quiets();
                    if picker.in_bad_noisy() {
                        break;
                    }
                } else if futility + m.capture().map_or(0, movegen::exchange_value) <= alpha
                    && !m.is_promotion()
                    && !movegen::see_at_least(position, m, 1)
                {
                    best = best.max(futility.min(alpha));
                    continue;
                }
            }
            picker.look_ahead(m, &self.knowledge(position, &path));
            let child = self.descend(node, m);
            let score = -self.quiescence::<PV>(&child, -Window { alpha, beta })?;
            self.ascend();
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m.into();
                    if PV {
                        self.stack.extend_pv(ply, m);
                    }
                    if score >= beta {
                        self.cutoffs.note(tried, CutNode { depth: 0, expected: false }, || Cause::Quiescence);
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && tried == 0 {
            return Ok(mated_in(ply));
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        self.remember(key, ply, best_move, best, raw_eval, 0, bound, table_pv);
        Ok(best)
    }

    /// For comparison with the textbook: the bare evaluation, but mate and stalemate seen.
    fn leaf_without_quiescence(&mut self, node: &Node<E::Acc>) -> Result<Score, Aborted> {
        use shakmaty::Position as _;
        if node.position.chess().legal_moves().is_empty() {
            return Ok(if node.position.in_check() { mated_in(node.ply) } else { 0 });
        }
        Ok(self.eval.score(&node.acc, &node.position))
    }

    /// The table's entry for a key, if the table is in use.
    pub(super) fn probe(&self, key: u64) -> Option<Entry> {
        if self.params.transposition_table { self.table.probe(key) } else { None }
    }

    /// What the move picker of a node reads.
    pub(super) fn knowledge<'a>(&'a self, position: &'a Position, path: &'a Path) -> Knowledge<'a> {
        Knowledge { position, histories: &self.histories, path, table: &self.table, params: &self.params }
    }

    /// Stores a result in the table, if it is in use.
    #[allow(clippy::too_many_arguments, reason = "the fields of one entry, named at the callers")]
    pub(super) fn remember(
        &self,
        key: u64,
        ply: usize,
        best: PackedMove,
        score: Score,
        eval: Score,
        depth: i32,
        bound: Bound,
        pv: bool,
    ) {
        if self.params.transposition_table {
            self.table.store(key, Entry { best, score: to_table(score, ply), eval, depth, bound, pv });
        }
    }
}
