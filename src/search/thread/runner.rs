//! Runs searches one after the other: on a thread of their own or, for an inline engine, on the calling thread.
//!
//! A search of which a function never returns keeps its thread: each later `go` is answered by the watchdog, and what
//! needs the thread fails. No thread is replaced, because the defect should be seen.
//!
//! An inline engine is for hosts without threads, such as WebAssembly in a browser. Its searches have the same guarantees,
//! except that no watchdog runs.

use std::cell::{Cell, RefCell};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::platform::clock::host_pause;
use crate::platform::sync::HAS_THREADS;
use crate::search::STACK_SIZE;
use crate::search::params::Params;
use crate::search::report::{Reporter, SearchResult};
use crate::search::state::control::SearchControl;
use crate::search::state::request::SearchRequest;
use crate::search::thread::guard::{BestMoveGuard, start_watchdog};

/// Time for which the engine waits for a search that has not returned although its best move has been reported.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the time in which a search must be made, configured, prepared for a new game and dropped.
///
/// Enough to write the memory for these settings on a slow machine.
fn call_limit(settings: &SearchSettings) -> Duration {
    Duration::from_millis(10_000 + 10 * settings.hash as u64 + 100 * settings.threads as u64)
}

/// Settings of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchSettings {
    /// Size of the transposition table, MB.
    pub hash: usize,
    /// Number of search threads, at least 1.
    pub threads: usize,
    /// Search parameters.
    pub params: Params,
}

/// What a search could allocate of its [`SearchSettings`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocated {
    /// Size of the transposition table, MB.
    pub hash: usize,
    /// Number of search threads.
    pub threads: usize,
}

/// A search that an engine can run, in place of the default one: [`EngineBuilder::search`].
///
/// It runs on a thread with a stack of [`STACK_SIZE`] bytes. Whatever it does, each `go` is answered by one legal move:
///
/// - After a panic, the engine plays the move of the last report or, without a report, the best move of a one-ply
///   search, and the next `go` calls the search again.
/// - A search that does not return is answered shortly before the clock runs out, 200 ms after `movetime` and one second
///   after `stop`. As long as it has not returned, each further `go` is answered at once, with an error message.
/// - The same holds if `new_game` or `configure` has not returned after ten seconds, and 10 ms more for each MB of
///   `Hash`. An engine whose search takes longer to be made cannot be [built](crate::engine::EngineBuilder::build).
/// - An illegal best move is replaced, with an error message. Variations end before their first illegal move, and mate
///   scores are limited to those of a mate on the board.
///
/// An [inline](crate::engine::EngineBuilder::inline) engine has no second thread and waits for the search to return.
///
/// ```
/// use aspirant::engine::Engine;
/// use aspirant::search::limits::Limits;
/// use aspirant::search::report::{Reporter, SearchResult, Variation};
/// use aspirant::search::{Search, SearchRequest};
///
/// struct RandomMover(fastrand::Rng);
///
/// impl Search for RandomMover {
///     fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
///         let best = request.root_moves[self.0.usize(..request.root_moves.len())];
///         SearchResult::new(vec![Variation::new(vec![best], 0, 1)])
///     }
/// }
///
/// let mut engine = Engine::builder().name("Random").search(|| RandomMover(fastrand::Rng::new())).build()?;
/// assert!(engine.search(Limits::move_time(100)).best_move().is_some());
/// # Ok::<(), aspirant::engine::BuildError>(())
/// ```
///
/// `examples/negamax.rs` and `examples/mcts.rs` are complete engines.
///
/// [`EngineBuilder::search`]: crate::engine::EngineBuilder::search
pub trait Search: Send + 'static {
    /// Searches until [`SearchRequest::should_stop`] or [`SearchRequest::soft_limit_reached`] returns `true`.
    ///
    /// `reporter` receives the progress, [`Reporter::progress`] usually after each iteration. It may be moved to a
    /// thread that the search starts. [`Reporter::finished`] is not to be called. The engine adds the time to each
    /// result.
    fn search(&mut self, request: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchResult;

    /// Prepares for a new game: clears what was learned in the previous one.
    fn new_game(&mut self) {}

    /// Applies the options `Hash` and `Threads` before the first search and after a change; returns what it could
    /// allocate.
    ///
    /// A smaller value than requested is reported to the user.
    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        Allocated { hash: settings.hash, threads: settings.threads }
    }
}

/// A task for the search thread.
type Job = Box<dyn FnOnce(&mut dyn Search) + Send>;

/// Runs the searches of an engine, one after the other. Dropping it waits for the running search, unless that hangs.
pub struct SearchRunner {
    place: Place,
    /// Control of the last job that was sent to the thread.
    last: RefCell<Option<Arc<SearchControl>>>,
    /// Receives the searches to watch; `None` on the thread of the caller.
    watchdog: Option<Sender<Arc<BestMoveGuard>>>,
    /// Limit of a job that is not a search.
    call_limit: Cell<Duration>,
}

/// Where the searches run.
enum Place {
    /// `ended` is disconnected when the thread has dropped the search.
    Thread {
        jobs: Option<Sender<Job>>,
        thread: Option<JoinHandle<()>>,
        ended: Receiver<()>,
    },
    Caller(RefCell<Box<dyn Search>>),
}

impl SearchRunner {
    /// Makes the search, on its thread unless `inline`.
    ///
    /// # Errors
    /// If the system cannot start a thread, or if `make` fails, panics or does not return.
    pub fn start(
        make: impl FnOnce() -> io::Result<(Box<dyn Search>, Allocated)> + Send + 'static,
        settings: &SearchSettings,
        inline: bool,
    ) -> io::Result<(Self, Allocated)> {
        let make = || {
            catch_unwind(AssertUnwindSafe(make))
                .unwrap_or_else(|_| Err(io::Error::other("internal error; the search panicked when it was made")))
        };
        let call_limit = Cell::new(call_limit(settings));
        if inline || !HAS_THREADS {
            let (search, allocated) = make()?;
            let place = Place::Caller(RefCell::new(search));
            return Ok((Self { place, last: RefCell::default(), watchdog: None, call_limit }, allocated));
        }
        let (jobs, inbox) = unbounded::<Job>();
        let (made, is_made) = bounded(1);
        let (end, ended) = bounded(0);
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_SIZE).spawn(move || {
            let mut search = match make() {
                Ok((search, allocated)) => {
                    let _ = made.send(Ok(allocated));
                    search
                }
                Err(error) => return drop(made.send(Err(error))),
            };
            for job in inbox {
                // After a panic the thread continues with the next job.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut *search)));
            }
            drop(search);
            drop::<Sender<()>>(end);
        })?;
        let is_made = is_made.recv_timeout(call_limit.get());
        let allocated = is_made.map_err(|_| {
            let seconds = call_limit.get().as_secs();
            io::Error::other(format!("internal error; the search was not made within {seconds} s"))
        })??;
        let place = Place::Thread { jobs: Some(jobs), thread: Some(thread), ended };
        Ok((Self { place, last: RefCell::default(), watchdog: Some(start_watchdog()), call_limit }, allocated))
    }

    /// Searches. Exactly one final result is reported, even if the search fails.
    pub fn search(&self, request: SearchRequest, reporter: Box<dyn Reporter>) {
        let request = Arc::new(request);
        let guard = Arc::new(BestMoveGuard::new(Arc::clone(&request), reporter, self.last.borrow().clone()));
        match &self.place {
            Place::Caller(search) => {
                let result = guarded_search(&mut **search.borrow_mut(), &request, &guard);
                // Only if the host can suspend the search; otherwise `stop` could not arrive.
                while !request.control.may_report_best_move(request.limits.infinite) && host_pause(true) {}
                guard.answer(result);
            }
            Place::Thread { .. } => self.start_guarded(&guard, {
                let guard = Arc::clone(&guard);
                move |search| {
                    let result = guarded_search(search, &request, &guard);
                    request.control.wait_for_stop_or_ponderhit(request.limits.infinite);
                    guard.answer(result);
                }
            }),
        }
    }

    /// Reports a result that needs no search. `request.root_moves` contains only its best move, in case `find` panics.
    pub fn answer(
        &self,
        request: SearchRequest,
        find: impl FnOnce(&SearchRequest) -> SearchResult + Send + 'static,
        reporter: Box<dyn Reporter>,
    ) {
        let request = Arc::new(request);
        let guard = Arc::new(BestMoveGuard::new(Arc::clone(&request), reporter, self.last.borrow().clone()));
        let watched = Arc::clone(&guard);
        let answer = move |_: &mut dyn Search| match catch_unwind(AssertUnwindSafe(|| find(&request))) {
            Ok(result) => guard.answer(result),
            Err(_) => guard.answer_fallback("internal error; the book move could not be evaluated"),
        };
        match &self.place {
            Place::Caller(search) => answer(&mut **search.borrow_mut()),
            Place::Thread { .. } => self.start_guarded(&watched, answer),
        }
    }

    /// Starts a job that leads to a final result, watched by the watchdog.
    fn start_guarded(&self, guard: &Arc<BestMoveGuard>, job: impl FnOnce(&mut dyn Search) + Send + 'static) {
        // The constant lets the compiler remove the code of engines with threads from WebAssembly.
        if !HAS_THREADS {
            return;
        }
        self.last.replace(Some(Arc::clone(guard.control())));
        if let Some(watchdog) = &self.watchdog {
            let _ = watchdog.send(Arc::clone(guard));
        }
        let watched = Arc::clone(guard);
        let guarded_job = move |search: &mut dyn Search| {
            if watched.control().is_answered() {
                // By the watchdog: the thread was not free in time.
                watched.wait_until_reported();
            } else {
                let _ = catch_unwind(AssertUnwindSafe(|| job(search)));
            }
            watched.control().set_returned();
        };
        if !self.send(Box::new(guarded_job)) {
            guard.answer_fallback("internal error; the search thread has ended");
            guard.control().set_returned();
        }
    }

    /// Sends a job to the search thread; returns whether it still receives any.
    fn send(&self, job: Job) -> bool {
        match &self.place {
            Place::Thread { jobs: Some(jobs), .. } if HAS_THREADS => jobs.send(job).is_ok(),
            _ => false,
        }
    }

    /// Runs a job after the earlier ones and waits for its result; `None` after a panic, or if this or an earlier job
    /// hangs.
    fn call<T: Send + 'static>(&self, job: impl FnOnce(&mut dyn Search) -> T + Send + 'static) -> Option<T> {
        if let Place::Caller(search) = &self.place {
            return catch_unwind(AssertUnwindSafe(|| job(&mut **search.borrow_mut()))).ok();
        }
        // The constant lets the compiler remove the code of engines with threads from WebAssembly.
        if !HAS_THREADS || !self.wait() {
            return None;
        }
        let control = Arc::new(SearchControl::new(1));
        self.last.replace(Some(Arc::clone(&control)));
        let returning = Arc::clone(&control);
        let (done, reply) = bounded(1);
        self.send(Box::new(move |search| {
            let result = catch_unwind(AssertUnwindSafe(|| job(search)));
            returning.set_returned();
            let _ = done.send(result.ok());
        }));
        let result = reply.recv_timeout(self.call_limit.get());
        if result.is_err() {
            // From now on it counts as a search that hangs.
            control.set_answered();
        }
        result.ok().flatten()
    }

    /// Prepares for a new game. Waits for the running search; no effect if that hangs.
    pub fn new_game(&self) {
        self.call(|search| search.new_game());
    }

    /// Changes the settings. Waits for the running search. `None` after a panic or if the search hangs.
    pub fn configure(&self, settings: &SearchSettings) -> Option<Allocated> {
        self.call_limit.set(call_limit(settings));
        let settings = settings.clone();
        self.call(move |search| search.configure(&settings))
    }

    /// Waits until the running search has ended, or hangs: at most one second after its best move. Returns whether it
    /// has ended.
    pub fn wait(&self) -> bool {
        self.last.borrow().as_ref().is_none_or(|control| control.wait_for_return(PATIENCE))
    }
}

impl Drop for SearchRunner {
    fn drop(&mut self) {
        let has_ended = self.wait();
        if let Place::Thread { jobs, thread, ended } = &mut self.place
            && HAS_THREADS
        {
            *jobs = None;
            // The thread of a search that hangs, also when it is dropped, ends with the process.
            let has_ended = has_ended && ended.recv_timeout(self.call_limit.get()) != Err(RecvTimeoutError::Timeout);
            if let Some(thread) = thread.take().filter(|_| has_ended) {
                let _ = thread.join();
            }
        }
    }
}

/// Returns the result of a search; after a panic, one with a message only.
fn guarded_search(search: &mut dyn Search, request: &Arc<SearchRequest>, guard: &Arc<BestMoveGuard>) -> SearchResult {
    let reporter = Box::new(Arc::clone(guard));
    let result = catch_unwind(AssertUnwindSafe(|| dispatch_search(search, request, reporter)));
    request.control.finish();
    result.unwrap_or_else(|_| {
        let messages = vec!["internal error; the search was cut short".to_owned()];
        SearchResult { messages, ..SearchResult::default() }
    })
}

/// Calls the search. Not inlined, because `web/build.py` names it.
#[inline(never)]
fn dispatch_search(search: &mut dyn Search, request: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchResult {
    search.search(request, reporter)
}
