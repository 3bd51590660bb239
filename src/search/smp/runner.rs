//! Runners of searches: on a dedicated thread, or on the calling thread.
//!
//! [`InlineRunner`] is for hosts without threads, such as WebAssembly in a browser. It gives the guarantees of the
//! search thread: one best move per `go`, and a panic is answered. Two things differ: no watchdog runs, and only the
//! first searcher is used.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::eval::Evaluator;
use crate::search::SearchRequest;
use crate::search::report::Reporter;
use crate::search::smp::guard::BestMoveGuard;
use crate::search::smp::pool::{Allocated, BookAnswer, PoolSettings, ThreadPool};

/// Runs the searches of an engine, one after the other. Dropping it waits for the running search.
pub trait SearchRunner: Send {
    /// Queues a search. Exactly one best move is reported, even if the search fails.
    fn search(&self, request: SearchRequest, reporter: Box<dyn Reporter>);

    /// Queues a book move as the answer to `request`.
    fn answer(&self, request: SearchRequest, book_answer: BookAnswer, reporter: Box<dyn Reporter>);

    /// Clears the TT and the histories. Waits for the running search.
    fn new_game(&self);

    /// Changes the settings. Waits for the running search. `None` after a panic.
    fn configure(&self, settings: &PoolSettings) -> Option<Allocated>;

    /// Waits until the running search has reported its best move.
    fn wait(&self);
}

/// A [`SearchRunner`] without threads: each search ends before [`SearchRunner::search`] returns.
pub struct InlineRunner<E: Evaluator>(RefCell<ThreadPool<E>>);

impl<E: Evaluator> InlineRunner<E> {
    /// Allocates the TT and one searcher.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(eval: E, settings: PoolSettings) -> std::io::Result<(Self, Allocated)> {
        let pool = ThreadPool::new(eval, settings, true).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let allocated = pool.allocated();
        Ok((Self(RefCell::new(pool)), allocated))
    }
}

impl<E: Evaluator> SearchRunner for InlineRunner<E> {
    fn search(&self, request: SearchRequest, reporter: Box<dyn Reporter>) {
        let request = Arc::new(request);
        let guard = Arc::new(BestMoveGuard::new(Arc::clone(&request), reporter));
        self.0.borrow_mut().search_guarded(&request, &guard);
    }

    fn answer(&self, request: SearchRequest, book_answer: BookAnswer, reporter: Box<dyn Reporter>) {
        let guard = Arc::new(book_answer.guard(request, reporter));
        self.0.borrow_mut().answer_guarded(&book_answer, &guard);
    }

    fn new_game(&self) {
        self.0.borrow_mut().clear();
    }

    fn configure(&self, settings: &PoolSettings) -> Option<Allocated> {
        let mut pool = self.0.borrow_mut();
        let configured = catch_unwind(AssertUnwindSafe(|| pool.configure(settings.clone())));
        if configured.is_err() {
            pool.rebuild();
        }
        configured.ok()
    }

    fn wait(&self) {}
}
