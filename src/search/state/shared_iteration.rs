//! Shares finished iterations between the threads of one search.
//!
//! The threads search the same root, every second one a ply deeper, and share the TT. When one finishes an iteration,
//! the threads at this or a smaller depth abort theirs, adopt its best move, score and PV, and continue with the next
//! depth. The time to a depth is that of the fastest thread. Only without MultiPV: otherwise each thread has finished a
//! different part of the variations.

use crate::platform::sync::atomic::{AtomicI32, Ordering::Relaxed};
use crate::platform::sync::{Mutex, PoisonError};
use crate::search::state::root_move::RootMove;

/// The deepest iteration that any thread of a search has finished.
#[derive(Default)]
pub struct SharedIteration {
    /// Depth of `finished`, 0 without one; readable without the lock.
    depth: AtomicI32,
    finished: Mutex<Option<(i32, RootMove)>>,
}

impl SharedIteration {
    /// Stores the best root move of an iteration, unless a deeper one is stored.
    pub(in crate::search) fn publish_iteration(&self, depth: i32, best: &RootMove) {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if finished.as_ref().is_none_or(|(deepest, _)| *deepest < depth) {
            *finished = Some((depth, best.clone()));
            self.depth.store(depth, Relaxed);
        }
    }

    /// Returns whether any thread has finished this depth or a greater one.
    pub(in crate::search) fn has_completed(&self, depth: i32) -> bool {
        self.depth.load(Relaxed) >= depth
    }

    /// Returns a copy of the deepest finished iteration: depth and best root move.
    ///
    /// `None` if its depth is less than `depth`.
    pub(in crate::search) fn completed(&self, depth: i32) -> Option<(i32, RootMove)> {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.clone().filter(|(deepest, _)| *deepest >= depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::eval::pst::Pst;
    use crate::score::Bound;
    use crate::search::limits::Limits;
    use crate::search::memory::transposition::TranspositionTable;
    use crate::search::params::Params;
    use crate::search::report::Silent;
    use crate::search::state::control::SearchControl;
    use crate::search::{SearchRequest, Searcher};
    use std::sync::Arc;

    fn root_move(text: &str, score: i32) -> RootMove {
        let m = Game::default().position.parse_move(text).unwrap();
        RootMove { score, bound: Bound::Exact, seldepth: 1, ..RootMove::new(m) }
    }

    #[test]
    fn deepest_iteration_is_kept() {
        let shared = SharedIteration::default();
        assert!(!shared.has_completed(1) && shared.completed(1).is_none());
        shared.publish_iteration(7, &root_move("e2e4", 30));
        shared.publish_iteration(6, &root_move("d2d4", 20));
        assert!(shared.has_completed(7) && !shared.has_completed(8) && shared.completed(8).is_none());
        let (depth, best) = shared.completed(5).unwrap();
        assert_eq!((depth, best.score), (7, 30));
    }

    #[test]
    #[cfg_attr(miri, ignore = "a complete search takes hours under Miri")]
    fn thread_that_is_behind_adopts_the_shared_iteration() {
        let params = Params::default();
        let limits = Limits { nodes: Some(20_000), ..Limits::depth(20) };
        for threads in [1, 2] {
            let control = Arc::new(SearchControl::new(threads));
            control.shared_iteration.publish_iteration(20, &root_move("a2a3", 77));
            let mut request = SearchRequest::untimed(Game::default(), limits.clone());
            request.control = control;
            let table = Arc::new(TranspositionTable::new(1));
            let result = Searcher::new(0, Pst, &params, table).search(request, Box::new(Silent));
            let is_adopted =
                (result.depth, result.score()) == (20, 77) && result.best_move() == root_move("a2a3", 77).m.into();
            assert_eq!(is_adopted, threads == 2, "{result:?}");
        }
    }
}
