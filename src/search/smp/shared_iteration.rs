//! Threads of one search hand finished iterations on.
//!
//! With shared tables the threads search the same iteration in different order, and one of them is through
//! first. What it found is as good as what the others would find: they break off, take its move, score and
//! line, and go on with the next depth together. So the time to a depth is that of the luckiest thread.
//! Only with one line: of several, each thread has its own unfinished part.

use crate::platform::sync::atomic::{AtomicI32, Ordering::Relaxed};
use crate::platform::sync::{Mutex, PoisonError};
use crate::search::RootMove;

/// The deepest iteration that any thread has finished.
#[derive(Default)]
pub struct Relay {
    /// The depth of what is handed on, to be looked at often; 0 before there is anything.
    depth: AtomicI32,
    finished: Mutex<Option<(i32, RootMove)>>,
}

impl Relay {
    /// A thread has finished `depth`.
    pub(in crate::search) fn hand_on(&self, depth: i32, best: &RootMove) {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if finished.as_ref().is_none_or(|(deepest, _)| *deepest < depth) {
            *finished = Some((depth, best.clone()));
            self.depth.store(depth, Relaxed);
        }
    }

    /// Has any thread finished this depth or a greater one?
    pub(in crate::search) fn is_past(&self, depth: i32) -> bool {
        self.depth.load(Relaxed) >= depth
    }

    /// The deepest finished iteration, if it is at least this deep: its depth and its best move.
    pub(in crate::search) fn take(&self, depth: i32) -> Option<(i32, RootMove)> {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.clone().filter(|(deepest, _)| *deepest >= depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::{Game, parse_move};
    use crate::eval::pst::Pst;
    use crate::score::Bound;
    use crate::search::limits::Limits;
    use crate::search::memory::transposition::TranspositionTable;
    use crate::search::params::Params;
    use crate::search::report::Silent;
    use crate::search::smp::control::Signals;
    use crate::search::{Pv, Searcher, Task};
    use std::sync::Arc;

    fn root_move(text: &str, score: i32) -> RootMove {
        let m = parse_move(&Game::default().position, text).unwrap();
        let pv = Pv::from_iter([m]);
        RootMove { m, score, bound: Bound::Exact, seldepth: 1, nodes: 0, pv, tb_rank: 0, tb_score: None }
    }

    #[test]
    fn the_deepest_iteration_is_kept() {
        let relay = Relay::default();
        assert!(!relay.is_past(1) && relay.take(1).is_none());
        relay.hand_on(7, &root_move("e2e4", 30));
        relay.hand_on(6, &root_move("d2d4", 20));
        assert!(relay.is_past(7) && !relay.is_past(8) && relay.take(8).is_none());
        let (depth, best) = relay.take(5).unwrap();
        assert_eq!((depth, best.score), (7, 30));
    }

    #[test]
    #[cfg_attr(miri, ignore = "a whole search takes Miri hours")]
    fn an_overtaken_thread_takes_what_the_other_found() {
        let params = Params::default();
        let limits = Limits { nodes: Some(20_000), ..Limits::depth(20) };
        for threads in [1, 2] {
            let signals = Arc::new(Signals::new(threads));
            signals.relay.hand_on(20, &root_move("a2a3", 77));
            let task = Task { signals, ..Task::untimed(Game::default(), limits.clone()) };
            let table = Arc::new(TranspositionTable::new(1));
            let outcome = Searcher::new(0, Pst, &params, table).search(&task, Box::new(Silent));
            let taken =
                (outcome.depth, outcome.score) == (20, 77) && outcome.answer.best == root_move("a2a3", 77).m.into();
            assert_eq!(taken, threads == 2, "{outcome:?}");
        }
    }
}
