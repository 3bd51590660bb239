//! Aspiration windows: a narrow window around the score of the previous iteration.
//!
//! The score seldom changes much from one iteration to the next, and a narrow window gives more cutoffs. When the
//! score falls outside, the window is widened on that side, by a growing amount, and the iteration is searched again.
//! After a fail low, beta also moves to the middle of the window. After a fail high the depth is reduced by one ply, by
//! up to three plies in all. From a maximum width on, the window is full.
//! <https://www.chessprogramming.org/Aspiration_Windows>

use super::node::{Node, RootNode};
use super::params::{ASPIRATION_MAX_DELTA, ASPIRATION_MAX_REDUCTION, ASPIRATION_THREAD_DELTA, ASPIRATION_WIDTHS};
use super::{Aborted, Searcher, Window};
use crate::eval::Evaluator;
use crate::score::{Bound, INFINITY, is_decisive};

impl<E: Evaluator> Searcher<E> {
    /// Searches the root for the PV `pv_index` at `depth` and stores the result in the root moves.
    pub(super) fn aspiration(&mut self, root: &Node<E::Acc>, depth: i32) -> Result<(), Aborted> {
        let p = &self.thread.params;
        let (growth, last_score) = (p.aspiration_growth, self.thread.root_moves[self.thread.pv_index].previous_score);
        // Threads differ in the width of the first window, so that they do not all search the same tree.
        let mut delta = p.aspiration_delta + ASPIRATION_THREAD_DELTA * (self.thread.id % ASPIRATION_WIDTHS) as i32;
        let mut window = Window::FULL;
        if p.aspiration && depth >= p.aspiration_depth && !is_decisive(last_score) {
            window = Window { alpha: last_score - delta, beta: last_score + delta };
        }
        let mut reduction = 0;
        loop {
            window.alpha = window.alpha.max(-INFINITY);
            window.beta = window.beta.min(INFINITY);
            let score = self.alpha_beta::<RootNode>(root, (depth - reduction).max(1), window, false)?;
            self.sort_root_moves();
            if score <= window.alpha && window.alpha > -INFINITY {
                self.report_bound(score, Bound::Upper);
                window.beta = i32::midpoint(window.alpha, window.beta);
                window.alpha = score - delta;
                reduction = 0;
            } else if score >= window.beta && window.beta < INFINITY {
                self.report_bound(score, Bound::Lower);
                window.beta = score + delta;
                reduction = (reduction + 1).min(ASPIRATION_MAX_REDUCTION);
            } else {
                return Ok(());
            }
            delta += (delta * growth / 100).max(1);
            if delta > ASPIRATION_MAX_DELTA {
                window = Window::FULL;
            }
        }
    }
}
