//! Runners of searches: on a dedicated thread, or in slices on the calling thread.
//!
//! [`InlineRunner`] is for hosts without threads, such as WebAssembly in a browser. It gives the guarantees of the
//! search thread: one best move per `go`, a running search ends before the next one and before new settings, and a
//! panic is answered. Two things differ: no watchdog runs, and only the first searcher is used.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::eval::Evaluator;
use crate::search::iterative::{SearchOutcome, SliceBudget, SliceResult};
use crate::search::report::Reporter;
use crate::search::smp::guard::{BestMoveGuard, GuardedReporter};
use crate::search::smp::pool::{Allocated, BookAnswer, PoolSettings, ThreadPool};
use crate::search::{SearchRequest, Searcher};

/// Runs the searches of an engine, one after the other. Dropping it waits for the running search.
pub trait SearchRunner: Send {
    /// Queues a search. Exactly one best move is reported, even if the search fails.
    fn search(&self, request: SearchRequest, reporter: Box<dyn Reporter>);

    /// Queues a book move as the answer to `request`.
    fn answer(&self, request: &SearchRequest, book_answer: BookAnswer, reporter: Box<dyn Reporter>);

    /// Clears the TT and the histories. Waits for the running search.
    fn new_game(&self);

    /// Changes the settings. Waits for the running search. `None` after a panic.
    fn configure(&self, settings: &PoolSettings) -> Option<Allocated>;

    /// Waits until the running search has reported its best move.
    fn wait(&self);

    /// Continues the running search on the calling thread.
    ///
    /// A runner with a search thread returns `Idle` immediately.
    fn run_slice(&self, _budget: SliceBudget) -> SliceStatus {
        SliceStatus::Idle
    }
}

/// State of an inline search after a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SliceStatus {
    /// No search is running.
    Idle,
    /// The search is not finished: run another slice.
    Searching,
    /// The search is finished and reports its best move in the slice after `stop` or `ponderhit`.
    Waiting,
}

/// A [`SearchRunner`] without threads: [`SearchRunner::run_slice`] does the work.
pub struct InlineRunner<E: Evaluator>(RefCell<InlineState<E>>);

struct InlineState<E: Evaluator> {
    pool: ThreadPool<E>,
    running: Option<RunningSearch>,
}

struct RunningSearch {
    request: Arc<SearchRequest>,
    guard: Arc<BestMoveGuard>,
    /// The outcome once the search is finished; the inner value is `None` after a panic.
    finished: Option<Option<SearchOutcome>>,
}

impl<E: Evaluator> InlineRunner<E> {
    /// Allocates the TT and one searcher.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(eval: E, settings: PoolSettings) -> std::io::Result<(Self, Allocated)> {
        let pool = ThreadPool::new(eval, settings).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let allocated = pool.allocated();
        Ok((Self(RefCell::new(InlineState { pool, running: None })), allocated))
    }
}

impl<E: Evaluator> InlineState<E> {
    fn begin(&mut self, request: SearchRequest, reporter: Box<dyn Reporter>) {
        let request = Arc::new(request);
        let guard = Arc::new(BestMoveGuard::new(&request, reporter));
        let (pool, guarded) = (&mut self.pool, Box::new(GuardedReporter(Arc::clone(&guard))));
        let begin = || {
            pool.prepare(&request);
            pool.searchers[0].begin(Arc::clone(&request), guarded);
        };
        let finished = catch_unwind(AssertUnwindSafe(begin)).is_err().then_some(None);
        self.running = Some(RunningSearch { request, guard, finished });
    }

    fn run_slice(&mut self, budget: SliceBudget) -> SliceStatus {
        let Some(search) = &mut self.running else { return SliceStatus::Idle };
        if search.finished.is_none() {
            let searcher: &mut Searcher<E> = &mut self.pool.searchers[0];
            search.finished = match catch_unwind(AssertUnwindSafe(|| searcher.run_slice(budget))) {
                Ok(SliceResult::Running) => return SliceStatus::Searching,
                Ok(SliceResult::Done(outcome)) => Some(Some(outcome)),
                Err(_) => Some(None),
            };
        }
        let control = &search.request.control;
        if !control.may_report_best_move(search.request.limits.infinite) {
            return SliceStatus::Waiting;
        }
        control.stop();
        if let Some(RunningSearch { request, guard, finished }) = self.running.take() {
            let pool = &mut self.pool;
            let report = || pool.report_outcomes(&request, &guard, &[finished.flatten()]);
            if catch_unwind(AssertUnwindSafe(report)).is_err() {
                pool.rebuild();
            }
            // No effect if the best move has been reported.
            guard.answer_fallback("internal error; the search was cut short");
        }
        SliceStatus::Idle
    }

    fn wait(&mut self) {
        while self.run_slice(SliceBudget::UNLIMITED) != SliceStatus::Idle {
            if let Some(RunningSearch { request, finished: Some(_), .. }) = &self.running {
                request.control.wait_for_stop_or_ponderhit(request.limits.infinite);
            }
        }
    }
}

impl<E: Evaluator> SearchRunner for InlineRunner<E> {
    fn search(&self, request: SearchRequest, reporter: Box<dyn Reporter>) {
        let mut state = self.0.borrow_mut();
        state.wait();
        state.begin(request, reporter);
    }

    fn answer(&self, request: &SearchRequest, book_answer: BookAnswer, reporter: Box<dyn Reporter>) {
        let mut state = self.0.borrow_mut();
        state.wait();
        let guard = Arc::new(book_answer.guard(request, reporter));
        state.pool.answer_guarded(&book_answer, &guard);
    }

    fn new_game(&self) {
        let mut state = self.0.borrow_mut();
        state.wait();
        state.pool.clear();
    }

    fn configure(&self, settings: &PoolSettings) -> Option<Allocated> {
        let state = &mut *self.0.borrow_mut();
        state.wait();
        let configured = catch_unwind(AssertUnwindSafe(|| state.pool.configure(settings.clone())));
        if configured.is_err() {
            state.pool.rebuild();
        }
        configured.ok()
    }

    fn wait(&self) {
        self.0.borrow_mut().wait();
    }

    fn run_slice(&self, budget: SliceBudget) -> SliceStatus {
        self.0.borrow_mut().run_slice(budget)
    }
}

impl<E: Evaluator> Drop for InlineRunner<E> {
    fn drop(&mut self) {
        self.0.get_mut().wait();
    }
}
