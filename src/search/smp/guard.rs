//! Guarantees exactly one `bestmove` per `go`, even after a panic or a hang.
//!
//! Every `go` gets a [`BestMoveGuard`], which forwards all output of the search to its reporter and stores the best
//! move of the last reported PV (initially a legal move) as the fallback. The first best move that is reported takes
//! the reporter out of the guard, so that later ones have no effect. It comes from the search itself, from the search
//! thread after a panic, or from the [`Watchdog`] if neither the hard limit nor `stop` has ended the search (a storage
//! device that does not respond, a defect).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};
use shakmaty::Move;

use crate::board::position::Position;
use crate::platform::clock::Instant;
use crate::platform::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use crate::score::{Bound, DRAW, MATE};
use crate::search::SearchRequest;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::search::smp::control::SearchControl;
use crate::search::time::TimeManager;

/// Time after the hard limit at which the watchdog reports the fallback.
const GRACE: Duration = Duration::from_millis(20);
/// Time after `stop` at which the watchdog reports the fallback.
const GRACE_AFTER_STOP: Duration = Duration::from_millis(100);

/// Forwards the output of one search and lets exactly one best move through.
pub struct BestMoveGuard {
    position: Position,
    start: Instant,
    state: Mutex<GuardState>,
    answered: Condvar,
}

struct GuardState {
    /// `None` after the best move has been reported.
    reporter: Option<Box<dyn Reporter>>,
    fallback: BestMove,
    /// The best move of the PV that is reported next.
    next: Option<BestMove>,
    has_reported_pv: bool,
}

impl BestMoveGuard {
    /// Creates the guard of a search; the fallback is the first root move.
    #[must_use]
    pub fn new(request: &SearchRequest, reporter: Box<dyn Reporter>) -> Self {
        let best = request.root_moves.first().copied();
        Self::with_fallback(request, BestMove { best, ponder: None }, reporter)
    }

    /// Creates the guard of a search with this fallback.
    #[must_use]
    pub fn with_fallback(request: &SearchRequest, fallback: BestMove, reporter: Box<dyn Reporter>) -> Self {
        let state = GuardState { reporter: Some(reporter), fallback, next: None, has_reported_pv: false };
        Self {
            position: request.game.position.clone(),
            start: request.time.start(),
            state: Mutex::new(state),
            answered: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, GuardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the best move, unless one has been reported.
    pub fn answer(&self, answer: BestMove) {
        let mut state = self.state();
        if let Some(mut reporter) = state.reporter.take() {
            reporter.best_move(answer);
        }
        self.answered.notify_all();
    }

    /// Reports the fallback with `reason` as a message for the user, unless a best move has been reported.
    pub fn answer_fallback(&self, reason: &str) {
        let mut state = self.state();
        let (fallback, has_reported_pv) = (state.fallback, state.has_reported_pv);
        if let Some(mut reporter) = state.reporter.take() {
            log::error!("{reason}");
            // A panic in the reporter must not prevent the best move.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                reporter.message(reason);
                if !has_reported_pv {
                    reporter.info(&self.info_without_search(fallback));
                }
            }));
            reporter.best_move(fallback);
        }
        self.answered.notify_all();
    }

    /// Returns the info line of a move that has not been searched, with a draw score unless mated.
    fn info_without_search(&self, answer: BestMove) -> SearchInfo {
        let mated = answer.best.is_none() && self.position.is_checkmate();
        SearchInfo {
            depth: i32::from(answer.best.is_some()),
            seldepth: usize::from(answer.best.is_some()),
            multi_pv: 1,
            score: if mated { -MATE } else { DRAW },
            bound: Bound::Exact,
            nodes: 0,
            time: self.start.elapsed(),
            hashfull: 0,
            tb_hits: 0,
            is_book: false,
            pv: answer.best.into_iter().collect(),
        }
    }

    /// Waits for at most `time`; returns whether the best move has been reported.
    fn is_answered_within(&self, time: Duration) -> bool {
        let unanswered = |state: &mut GuardState| state.reporter.is_some();
        let wait = self.answered.wait_timeout_while(self.state(), time, unanswered);
        wait.unwrap_or_else(PoisonError::into_inner).0.reporter.is_none()
    }
}

/// The reporter of a search that is guarded.
pub struct GuardedReporter(pub Arc<BestMoveGuard>);

impl Reporter for GuardedReporter {
    fn info(&mut self, info: &SearchInfo) {
        let mut state = self.0.state();
        state.has_reported_pv = true;
        if let Some(next) = state.next.take() {
            state.fallback = next;
        }
        if let Some(reporter) = &mut state.reporter {
            reporter.info(info);
        }
    }

    fn best_move_so_far(&mut self, answer: BestMove) {
        let mut state = self.0.state();
        // Not the fallback yet: the watchdog may answer before the PV of this move is reported.
        if state.has_reported_pv {
            state.next = Some(answer);
        } else {
            state.fallback = answer;
        }
        if let Some(reporter) = &mut state.reporter {
            reporter.best_move_so_far(answer);
        }
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        if let Some(reporter) = &mut self.0.state().reporter {
            reporter.current_move(depth, m, number);
        }
    }

    fn message(&mut self, text: &str) {
        if let Some(reporter) = &mut self.0.state().reporter {
            reporter.message(text);
        }
    }

    #[cfg(feature = "stats")]
    fn cutoffs(&mut self, cutoffs: &crate::search::stats::Cutoffs) {
        if let Some(reporter) = &mut self.0.state().reporter {
            reporter.cutoffs(cutoffs);
        }
    }

    fn best_move(&mut self, answer: BestMove) {
        self.0.answer(answer);
    }
}

/// Watches searches, one after the other, on a thread of its own.
///
/// If the thread cannot be started, no search is watched.
pub struct Watchdog {
    searches: Option<Sender<WatchedSearch>>,
}

pub(in crate::search) struct WatchedSearch {
    pub(in crate::search) guard: Arc<BestMoveGuard>,
    pub(in crate::search) control: Arc<SearchControl>,
    pub(in crate::search) time: TimeManager,
}

impl Watchdog {
    /// Starts the thread. It ends when the watchdog is dropped and the last search is answered.
    #[must_use]
    pub fn start() -> Self {
        let (searches, inbox) = unbounded::<WatchedSearch>();
        // A reporter that panics must not end the thread, which watches the later searches, too.
        let watch = |search: WatchedSearch| drop(catch_unwind(AssertUnwindSafe(|| search.watch())));
        let run = move || inbox.iter().for_each(watch);
        let thread = thread::Builder::new().name("watchdog".into()).spawn(run);
        if let Err(error) = &thread {
            log::error!("cannot start the watchdog thread: {error}; hanging searches are not answered");
        }
        Self { searches: thread.is_ok().then_some(searches) }
    }

    /// Watches this search until its best move is reported.
    pub fn watch(&self, guard: &Arc<BestMoveGuard>, request: &SearchRequest) {
        if let Some(searches) = &self.searches {
            let (control, time) = (Arc::clone(&request.control), request.time.clone());
            let _ = searches.send(WatchedSearch { guard: Arc::clone(guard), control, time });
        }
    }
}

impl WatchedSearch {
    pub(in crate::search) fn watch(self) {
        self.control.wait_for_hard_limit(&self.time);
        let grace = if self.control.is_stopped() { GRACE_AFTER_STOP } else { GRACE };
        if !self.guard.is_answered_within(grace) {
            self.control.stop();
            self.guard.answer_fallback("the search did not end in time; the best move known so far is reported");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::report::Silent;
    use crossbeam_channel::Receiver;
    use shakmaty::{Color, Position as _};

    struct Recorder(Sender<BestMove>);

    impl Reporter for Recorder {
        fn info(&mut self, _info: &SearchInfo) {}
        fn best_move(&mut self, answer: BestMove) {
            let _ = self.0.send(answer);
        }
    }

    fn guard(limits: Limits, control: SearchControl) -> (Arc<BestMoveGuard>, SearchRequest, Receiver<BestMove>) {
        let time = TimeManager::new(&limits, Color::White, 0, Instant::now(), &Params::default());
        let control = Arc::new(control);
        let mut request = SearchRequest::untimed(Game::default(), limits);
        (request.time, request.control) = (time, control);
        let (sender, answers) = unbounded();
        (Arc::new(BestMoveGuard::new(&request, Box::new(Recorder(sender)))), request, answers)
    }

    #[test]
    fn concurrent_answers_report_one_best_move() {
        let (guard, ..) = guard(Limits::default(), SearchControl::new(1));
        let (sender, answers) = unbounded();
        guard.state().reporter = Some(Box::new(Recorder(sender)));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| guard.answer_fallback("a test"));
                scope.spawn(|| GuardedReporter(Arc::clone(&guard)).best_move(BestMove::default()));
            }
        });
        assert_eq!(answers.try_iter().count(), 1);
        guard.state().reporter = Some(Box::new(Silent));
    }

    #[test]
    fn watchdog_answers_after_the_hard_limit_and_after_stop_and_not_before() {
        let watchdog = Watchdog::start();
        let (timed, request, answers) = guard(Limits::move_time(50), SearchControl::new(1));
        watchdog.watch(&timed, &request);
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.best.is_some() && request.time.elapsed() >= Duration::from_millis(50));
        for control in [SearchControl::new(1), SearchControl::pondering(1)] {
            let limits = if control.is_pondering() { Limits::move_time(1) } else { Limits::default() };
            let (endless, request, answers) = guard(limits, control);
            watchdog.watch(&endless, &request);
            assert!(answers.recv_timeout(Duration::from_millis(200)).is_err());
            if request.control.is_pondering() {
                request.control.ponder_hit()
            } else {
                request.control.stop()
            }
            assert!(answers.recv_timeout(Duration::from_secs(60)).unwrap().best.is_some());
        }
    }

    /// Panics in `message`.
    struct Panicking(Sender<BestMove>);

    impl Reporter for Panicking {
        fn info(&mut self, _info: &SearchInfo) {}
        fn message(&mut self, _text: &str) {
            panic!("a test")
        }
        fn best_move(&mut self, answer: BestMove) {
            let _ = self.0.send(answer);
        }
    }

    #[test]
    fn watchdog_survives_a_panic_in_a_reporter() {
        let watchdog = Watchdog::start();
        for _ in 0..2 {
            let (guard, request, _) = guard(Limits::move_time(1), SearchControl::new(1));
            let (sender, answers) = unbounded();
            guard.state().reporter = Some(Box::new(Panicking(sender)));
            watchdog.watch(&guard, &request);
            assert!(answers.recv_timeout(Duration::from_secs(60)).unwrap().best.is_some());
        }
    }

    #[test]
    fn fallback_is_the_best_move_of_the_last_reported_pv() {
        let (guard, request, answers) = guard(Limits::default(), SearchControl::new(1));
        let moves = request.game.position.chess().legal_moves();
        let answer = |m: Move| BestMove { best: Some(m), ponder: None };
        let mut reporter = GuardedReporter(Arc::clone(&guard));
        reporter.best_move_so_far(answer(moves[3]));
        reporter.info(&guard.info_without_search(answer(moves[3])));
        reporter.best_move_so_far(answer(moves[5]));
        guard.answer_fallback("a test");
        assert_eq!(answers.try_recv().unwrap().best, Some(moves[3]));
    }
}
