//! Lazy SMP: the search of an engine, with one searcher for each of `Threads`.
//!
//! All searchers search the same root; they share the TT, but not their histories. The first runs on the calling thread,
//! each other one on a helper thread, which waits between searches. A panic in one of them is caught here: its searcher is
//! replaced, and the others decide.
//! <https://www.chessprogramming.org/Lazy_SMP>

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::eval::Evaluator;
use crate::platform::sync::HAS_THREADS;
use crate::score::is_decisive;
use crate::search::memory::transposition::TranspositionTable;
use crate::search::report::{Reporter, SearchResult, Silent};
use crate::search::thread::runner::{Allocated, Search, SearchSettings};
use crate::search::{STACK_SIZE, SearchRequest, Searcher};

/// The searchers and their TT.
pub struct ThreadPool<E: Evaluator> {
    eval: E,
    settings: SearchSettings,
    tt: Arc<TranspositionTable>,
    searchers: Vec<Box<Searcher<E>>>,
    /// One for each searcher but the first.
    helpers: Vec<HelperThread<E>>,
}

/// A thread that runs the searchers sent to it and returns them. It ends when this is dropped.
struct HelperThread<E: Evaluator> {
    jobs: Sender<(Box<Searcher<E>>, Arc<SearchRequest>)>,
    results: Receiver<(Box<Searcher<E>>, Option<SearchResult>)>,
}

impl<E: Evaluator> HelperThread<E> {
    fn start() -> io::Result<Self> {
        // The constant lets the compiler remove the code of helper threads from WebAssembly.
        if !HAS_THREADS {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (jobs, inbox) = bounded::<(Box<Searcher<E>>, Arc<SearchRequest>)>(1);
        let (outbox, results) = bounded(1);
        thread::Builder::new().name("helper".into()).stack_size(STACK_SIZE).spawn(move || {
            for (mut searcher, request) in inbox {
                let result = guarded_search(&mut searcher, &request, Box::new(Silent));
                let _ = outbox.send((searcher, result));
            }
        })?;
        Ok(Self { jobs, results })
    }
}

/// Runs a searcher to its end; `None` after a panic.
fn guarded_search<E: Evaluator>(
    searcher: &mut Searcher<E>,
    request: &Arc<SearchRequest>,
    reporter: Box<dyn Reporter>,
) -> Option<SearchResult> {
    let result = catch_unwind(AssertUnwindSafe(|| searcher.search(Arc::clone(request), reporter)));
    // Not dropped: a payload that panics when it is dropped would end the helper thread.
    result.map_err(std::mem::forget).ok()
}

impl<E: Evaluator> ThreadPool<E> {
    /// Allocates TT and searchers; `None` without memory for one searcher.
    #[must_use]
    pub fn new(eval: E, settings: SearchSettings) -> Option<Self> {
        let tt = Arc::new(TranspositionTable::new(settings.hash));
        let mut pool = Self { eval, settings, tt, searchers: Vec::new(), helpers: Vec::new() };
        pool.resize();
        (!pool.searchers.is_empty()).then_some(pool)
    }

    /// Resizes the pool to the number of threads that is set, or to as many as memory and system allow.
    fn resize(&mut self) {
        let requested = self.settings.threads.max(1);
        self.truncate(requested);
        while self.searchers.len() < requested {
            let id = self.searchers.len();
            if !self.add_searcher(id) {
                // Frees one more searcher as headroom for the search itself.
                self.truncate(id.saturating_sub(1).max(1));
                log::warn!("could start only {} of {requested} search threads", self.searchers.len());
                return;
            }
        }
    }

    fn truncate(&mut self, threads: usize) {
        self.searchers.truncate(threads);
        self.helpers.truncate(threads - 1);
    }

    /// Adds the searcher with this number and, unless it is the first, its helper thread.
    ///
    /// Returns `false` if there is not enough memory or the thread cannot be started.
    fn add_searcher(&mut self, id: usize) -> bool {
        let Some(searcher) = self.new_searcher(id) else { return false };
        if id > 0 {
            match HelperThread::start() {
                Ok(helper) => self.helpers.push(helper),
                Err(error) => {
                    log::error!("cannot start a helper thread: {error}");
                    return false;
                }
            }
        }
        self.searchers.push(searcher);
        true
    }

    fn new_searcher(&self, id: usize) -> Option<Box<Searcher<E>>> {
        Searcher::try_new(id, self.eval.clone(), &self.settings.params, Arc::clone(&self.tt)).map(Box::new)
    }

    /// Returns the size of the TT and the number of searchers.
    #[must_use]
    pub fn allocated(&self) -> Allocated {
        Allocated { hash: self.tt.megabytes(), threads: self.searchers.len() }
    }

    /// Runs all searchers to their end. The result of one that panicked is `None`.
    fn search_in_parallel(
        &mut self,
        request: &Arc<SearchRequest>,
        reporter: Box<dyn Reporter>,
    ) -> Vec<Option<SearchResult>> {
        let helpers = if HAS_THREADS { self.helpers.as_slice() } else { &[] };
        for (helper, searcher) in helpers.iter().zip(self.searchers.drain(1..)) {
            let _ = helper.jobs.send((searcher, Arc::clone(request)));
        }
        let first = guarded_search(&mut self.searchers[0], request, reporter);
        request.control.finish();
        let mut results = vec![first];
        for (searcher, result) in helpers.iter().filter_map(|helper| helper.results.recv().ok()) {
            self.searchers.push(searcher);
            results.push(result);
        }
        results
    }
}

impl<E: Evaluator> Search for ThreadPool<E> {
    fn search(&mut self, request: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchResult {
        self.tt.new_search();
        // Reads tablebase files, here once for all threads.
        request.ranked_root();
        let results = self.search_in_parallel(&Arc::new(request.clone()), reporter);
        let mut result = choose(request, &results).map(|(_, result)| result.clone()).unwrap_or_default();
        result.nodes = result.nodes.max(request.control.nodes());
        // That of a helper thread may be before the last report of the first.
        result.time = request.time.elapsed();
        for id in (0..results.len()).filter(|&id| results[id].is_none()) {
            result.messages.push(format!("internal error in search thread {id}; the search was cut short"));
            match self.new_searcher(id) {
                Some(new) => self.searchers[id] = new,
                None => self.searchers[id].clear(),
            }
        }
        result.messages.extend(request.tb_prober.as_ref().and_then(|prober| prober.tablebase.take_error()));
        result
    }

    fn new_game(&mut self) {
        // One thread takes seconds to clear a large TT; for a small one, others are not worth starting.
        let is_large = self.tt.megabytes() >= 64 || self.searchers.len() > 16;
        let threads = if is_large { thread::available_parallelism().map_or(1, usize::from) } else { 1 };
        let parts = Mutex::new(self.tt.parts_to_clear(threads));
        let searchers = Mutex::new(self.searchers.iter_mut());
        let clear = || {
            while let Some(part) = next(&parts) {
                TranspositionTable::clear_part(part);
            }
            while let Some(searcher) = next(&searchers) {
                searcher.clear();
            }
        };
        thread::scope(|scope| {
            // If a thread cannot be started, the others clear its share.
            (1..threads).for_each(|_| drop(thread::Builder::new().spawn_scoped(scope, clear)));
            clear();
        });
    }

    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        let old = std::mem::replace(&mut self.settings, settings.clone());
        if self.tt.megabytes() != self.settings.hash {
            // Free the old TT before the new one is allocated: both together may not fit.
            self.tt = Arc::new(TranspositionTable::new(1));
            self.searchers.iter_mut().for_each(|searcher| searcher.set_tt(Arc::clone(&self.tt)));
            self.tt = Arc::new(TranspositionTable::new(self.settings.hash));
            self.searchers.iter_mut().for_each(|searcher| searcher.set_tt(Arc::clone(&self.tt)));
        }
        if self.settings.params != old.params {
            self.searchers.iter_mut().for_each(|searcher| searcher.set_params(&self.settings.params));
        }
        self.resize();
        self.allocated()
    }
}

/// Takes the next item; several threads share the iterator.
fn next<T>(items: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}

/// Chooses one of the results by vote; returns the id of its thread as well.
///
/// Each thread votes for its best move, weighted by depth and by the difference of its score to the worst score. The
/// first thread, whose search is the reported one, wins ties. A proven win at no less depth outweighs all votes, a proven
/// loss is kept, and a result more than one ply shallower than that of the first thread is not chosen. Unless the first
/// thread has failed, there is no vote with a depth limit, which the helper threads do not have, or with MultiPV, because
/// the PVs of the first thread have been reported.
fn choose<'a>(request: &SearchRequest, results: &'a [Option<SearchResult>]) -> Option<(usize, &'a SearchResult)> {
    let finished = || results.iter().enumerate().filter_map(|(id, result)| Some((id, result.as_ref()?)));
    let (first_id, first) = finished().next()?;
    let is_voted = request.limits.depth.is_none() && request.multi_pv <= 1;
    if first_id == 0 && !is_voted || first.depth == 0 || first.best_move().is_none() {
        return Some((first_id, first));
    }
    let worst = finished().map(|(_, result)| result.score()).min()?;
    let votes = |result: &SearchResult| -> i64 {
        finished()
            .filter(|(_, other)| other.best_move() == result.best_move() && other.depth > 0)
            .map(|(_, other)| i64::from(other.score() - worst + 20) * i64::from(other.depth))
            .sum()
    };
    let mut chosen = (first_id, first);
    for (id, result) in finished().filter(|(_, result)| result.depth > 0) {
        let better = if is_decisive(chosen.1.score()) || is_decisive(result.score()) {
            // A proven loss is kept: a thread with a better score has not found the loss yet.
            let is_lost = is_decisive(chosen.1.score()) && chosen.1.score() < 0;
            !is_lost && result.score() > chosen.1.score() && result.depth >= chosen.1.depth
        } else {
            result.best_move() != chosen.1.best_move()
                && votes(result) > votes(chosen.1)
                && result.depth >= first.depth - 1
        };
        if better {
            chosen = (id, result);
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::board::position::Position;
    use crate::eval::king_pst::KingPst;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::report::Variation;
    use crate::search::state::control::SearchControl;

    fn result(m: &str, score: i32, depth: i32) -> Option<SearchResult> {
        let best = Position::default().parse_move(m).unwrap();
        Some(SearchResult { depth, ..SearchResult::new(vec![Variation::new(vec![best], score, depth)]) })
    }

    #[test]
    fn helper_threads_search_each_go_at_even_depths_if_their_number_is_odd() {
        let settings = SearchSettings { hash: 1, threads: 3, params: Params::default() };
        let mut pool = ThreadPool::new(KingPst::default(), settings).unwrap();
        for depth in [6, 8] {
            let mut request = SearchRequest::untimed(Game::default(), Limits::depth(depth));
            request.control = Arc::new(SearchControl::new(3));
            let results = pool.search_in_parallel(&Arc::new(request), Box::new(Silent));
            assert_eq!(results.len(), 3);
            let depths: Vec<_> = results.iter().flatten().map(|result| result.depth).collect();
            assert!(depths.len() == 3 && depths[0] == depth as i32 && depths[1] % 2 == 0, "{depths:?}");
            assert_eq!(pool.searchers.iter().map(|searcher| searcher.thread.id).collect::<Vec<_>>(), [0, 1, 2]);
        }
    }

    #[test]
    fn threads_vote_and_failed_ones_do_not() {
        let request = |limits| SearchRequest::untimed(Game::default(), limits);
        let chosen = |request: &SearchRequest, results: &[_]| choose(request, results).map(|(id, _)| id);
        let unlimited = request(Limits::default());
        let two_against_one = [result("e2e4", 20, 12), result("d2d4", 25, 12), result("d2d4", 24, 12)];
        assert_eq!(chosen(&unlimited, &two_against_one), Some(1));
        assert_eq!(chosen(&unlimited, &[result("e2e4", 20, 12), result("d2d4", 20, 12)]), Some(0));
        assert_eq!(chosen(&unlimited, &[None, result("d2d4", 20, 12)]), Some(1));
        assert_eq!(chosen(&unlimited, &[None, None]), None);
        let mate = crate::score::mate_in(5);
        assert_eq!(chosen(&unlimited, &[result("e2e4", 300, 9), result("d2d4", mate, 9)]), Some(1));
        assert_eq!(chosen(&unlimited, &[result("e2e4", -mate, 9), result("d2d4", -900, 12)]), Some(0));
        // Without a vote.
        let multi_pv = SearchRequest { multi_pv: 2, ..request(Limits::default()) };
        for request in [request(Limits::depth(12)), multi_pv] {
            assert_eq!(chosen(&request, &two_against_one), Some(0));
            assert_eq!(chosen(&request, &[None, result("d2d4", 20, 12)]), Some(1));
        }
    }
}
