//! Guarantees exactly one `bestmove` per `go`, even after a panic or a hang.
//!
//! Every `go` gets a [`BestMoveGuard`], which forwards all output of the search to its reporter and stores the last
//! reported result as the fallback. The first final result takes the reporter out of the guard, so that later ones have
//! no effect. It comes from the search itself, from the search thread after a panic, or from the watchdog if the
//! search (a storage device that does not respond, a defect, a busy machine) is about to lose on time or has not ended
//! one second after `stop`. A search without a deadline may take any time until `stop`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};
use shakmaty::Move;

use crate::platform::sync::{Mutex, MutexGuard, PoisonError};
use crate::score::{DRAW, MATE};
use crate::search::report::{Reporter, SearchResult, Variation};
use crate::search::state::control::SearchControl;
use crate::search::state::request::SearchRequest;
use crate::search::thread::fallback::best_without_search;

/// Time after the answer of the watchdog at which a search counts as one that never returns.
const HANG: Duration = Duration::from_millis(100);

/// Forwards the output of one search and lets exactly one final result through.
pub struct BestMoveGuard {
    request: Arc<SearchRequest>,
    /// Control of the job before the search on its thread, if any.
    ///
    /// A search that is answered instead of being called returns when the one before it has returned.
    earlier: Option<Arc<SearchControl>>,
    state: Mutex<GuardState>,
}

struct GuardState {
    /// `None` after the final result has been reported.
    reporter: Option<Box<dyn Reporter>>,
    /// The last reported result.
    last: Option<SearchResult>,
    /// The messages reported so far.
    messages: Vec<String>,
}

impl BestMoveGuard {
    /// Creates the guard of a search that follows the job with the control `earlier`.
    #[must_use]
    pub fn new(request: Arc<SearchRequest>, reporter: Box<dyn Reporter>, earlier: Option<Arc<SearchControl>>) -> Self {
        let state = GuardState { reporter: Some(reporter), last: None, messages: Vec::new() };
        Self { request, earlier, state: Mutex::new(state) }
    }

    /// Returns the control of the search.
    #[must_use]
    pub fn control(&self) -> &Arc<SearchControl> {
        &self.request.control
    }

    fn state(&self) -> MutexGuard<'_, GuardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the final result, unless one has been reported; its messages and variations first, if they are new.
    ///
    /// A result without variations is replaced by the last reported one. Before the first one, it is the best move of a
    /// one-ply search.
    pub fn answer(&self, mut result: SearchResult) {
        let mut state = self.state();
        // Ends the wait of the watchdog.
        self.request.control.set_answered();
        let Some(mut reporter) = state.reporter.take() else { return };
        let new_messages = std::mem::take(&mut result.messages);
        if result.variations.is_empty() {
            result = state.last.clone().unwrap_or_else(|| self.result_without_search());
        }
        // A panic in the reporter must not prevent the best move.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            new_messages.iter().for_each(|text| reporter.message(text));
            if !is_reported(state.last.as_ref(), &result) {
                reporter.progress(&result);
            }
        }));
        result.messages = std::mem::take(&mut state.messages);
        result.messages.extend(new_messages);
        reporter.finished(&result);
    }

    /// Reports the last result as the final one, with `reason` as a message for the user, unless one has been reported.
    pub fn answer_fallback(&self, reason: &str) {
        let mut result = SearchResult::default();
        result.messages.push(reason.to_owned());
        self.answer(result);
    }

    /// Returns the best root move of a one-ply search, even if that panics.
    fn result_without_search(&self) -> SearchResult {
        let game = &self.request.game;
        let moves = self.request.best_ranked_moves();
        let best = catch_unwind(AssertUnwindSafe(|| best_without_search(game, &moves))).unwrap_or_default();
        let variation = match best.or_else(|| Some((*moves.first()?, DRAW))) {
            Some((best, score)) => Variation::new(vec![best], score, 1),
            None => Variation::new(Vec::new(), if game.position.is_checkmate() { -MATE } else { DRAW }, 0),
        };
        let mut result = SearchResult::new(vec![variation]);
        result.time = self.request.time.elapsed();
        result
    }

    /// Waits for the best move and reports the fallback if it is late, or at once if the job before the search hangs.
    pub fn watch(&self) {
        let (control, time) = (&self.request.control, &self.request.time);
        // A search that was answered a moment ago may be about to return.
        let patience = time.deadline().map_or(HANG, |deadline| deadline.min(HANG));
        if self.earlier.as_ref().is_some_and(|earlier| !earlier.wait_for_return(patience)) {
            control.finish();
            control.wait_for_stop_or_ponderhit(self.request.limits.infinite);
            self.answer_fallback(
                "internal error; the search has not returned from an earlier call, so the move is played without a search",
            );
        } else if !control.wait_for_answer(time.start(), time.deadline()) {
            control.finish();
            self.answer_fallback("the search did not end in time; the best move known so far is reported");
        }
        // Before the next search is watched.
        self.wait_until_reported();
    }

    /// Waits until a final result whose report has begun has been reported.
    pub fn wait_until_reported(&self) {
        // It is reported under this lock.
        drop(self.state());
    }
}

/// The reporter of the search that is guarded.
impl Reporter for Arc<BestMoveGuard> {
    fn progress(&mut self, result: &SearchResult) {
        let mut state = self.state();
        if let Some(reporter) = &mut state.reporter {
            reporter.progress(result);
            state.last = Some(result.clone());
        }
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        if let Some(reporter) = &mut self.state().reporter {
            reporter.current_move(depth, m, number);
        }
    }

    fn note(&mut self, text: &str) {
        if let Some(reporter) = &mut self.state().reporter {
            reporter.note(text);
        }
    }

    fn message(&mut self, text: &str) {
        let mut state = self.state();
        if let Some(reporter) = &mut state.reporter {
            reporter.message(text);
            state.messages.push(text.to_owned());
        }
    }

    fn finished(&mut self, result: &SearchResult) {
        self.answer(result.clone());
    }
}

/// Returns whether the last report already gives the final result: the same moves, scores, bounds and depths.
///
/// In between, a bound of a failed aspiration window may have been reported, also for another move.
fn is_reported(last: Option<&SearchResult>, result: &SearchResult) -> bool {
    last.is_some_and(|last| last.variations == result.variations)
}

/// Starts the watchdog: a thread that watches the searches sent to it, one after the other, until they are answered.
///
/// A search is answered at once if the job before it hangs. The thread ends when the sender is dropped and the last
/// search is answered. If it cannot be started, no search is watched.
#[must_use]
pub fn start_watchdog() -> Sender<Arc<BestMoveGuard>> {
    let (searches, inbox) = unbounded::<Arc<BestMoveGuard>>();
    let run = move || {
        for search in inbox {
            // A reporter that panics must not end the thread, which watches the later searches, too.
            let _ = catch_unwind(AssertUnwindSafe(|| search.watch()));
        }
    };
    if let Err(error) = thread::Builder::new().name("watchdog".into()).spawn(run) {
        log::error!("cannot start the watchdog thread: {error}; hanging searches are not answered");
    }
    searches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::platform::clock::Instant;
    use crate::score::Bound;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::report::Silent;
    use crate::search::state::control::SearchControl;
    use crate::search::thread::runner::{Allocated, Search, SearchRunner, SearchSettings};
    use crate::search::time::TimeManager;
    use crossbeam_channel::Receiver;
    use shakmaty::{Color, Position as _};
    use std::time::Duration;

    struct Recorder(Sender<SearchResult>);

    impl Reporter for Recorder {
        fn finished(&mut self, result: &SearchResult) {
            let _ = self.0.send(result.clone());
        }
    }

    fn guard(
        limits: Limits,
        control: SearchControl,
        earlier: Option<&Arc<SearchControl>>,
    ) -> (Arc<BestMoveGuard>, Arc<SearchRequest>, Receiver<SearchResult>) {
        let time = TimeManager::new(&limits, Color::White, 0, Instant::now(), &Params::default());
        let control = Arc::new(control);
        let request = Arc::new(SearchRequest { time, control, ..SearchRequest::untimed(Game::default(), limits) });
        let (sender, answers) = unbounded();
        let guard = BestMoveGuard::new(Arc::clone(&request), Box::new(Recorder(sender)), earlier.cloned());
        (Arc::new(guard), request, answers)
    }

    #[test]
    fn watchdog_answers_after_the_deadline_and_after_stop_and_not_before() {
        let watchdog = start_watchdog();
        let (timed, request, answers) = guard(Limits::move_time(50), SearchControl::new(1), None);
        watchdog.send(Arc::clone(&timed)).unwrap();
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.best_move().is_some() && request.time.elapsed() >= Duration::from_millis(250));
        for control in [SearchControl::new(1), SearchControl::pondering(1)] {
            let limits = if control.is_pondering() { Limits::move_time(1) } else { Limits::depth(1) };
            let (endless, request, answers) = guard(limits, control, None);
            watchdog.send(Arc::clone(&endless)).unwrap();
            // The search itself may finish at any time, for example to wait for its helper threads.
            if !request.control.is_pondering() {
                request.control.finish();
            }
            assert!(answers.recv_timeout(Duration::from_millis(300)).is_err());
            assert!(!request.control.is_answered());
            if request.control.is_pondering() {
                request.control.ponder_hit()
            } else {
                request.control.stop()
            }
            assert!(answers.recv_timeout(Duration::from_secs(60)).unwrap().best_move().is_some());
        }
    }

    #[test]
    fn searches_after_one_that_hangs_are_answered_at_once() {
        let watchdog = start_watchdog();
        let (hanging, _, answers) = guard(Limits::move_time(1), SearchControl::new(1), None);
        watchdog.send(Arc::clone(&hanging)).unwrap();
        assert!(answers.recv_timeout(Duration::from_secs(60)).is_ok());
        for limits in [Limits::move_time(3_600_000), Limits::depth(1)] {
            let (next, _, answers) = guard(limits, SearchControl::new(1), Some(hanging.control()));
            watchdog.send(Arc::clone(&next)).unwrap();
            let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
            assert!(answer.best_move().is_some() && answer.messages[0].contains("has not returned"), "{answer:?}");
        }
        // `infinite` is answered after `stop` only.
        let limits = Limits { infinite: true, ..Limits::default() };
        let (infinite, request, answers) = guard(limits, SearchControl::new(1), Some(hanging.control()));
        watchdog.send(Arc::clone(&infinite)).unwrap();
        assert!(answers.recv_timeout(Duration::from_millis(200)).is_err());
        request.control.stop();
        assert!(answers.recv_timeout(Duration::from_secs(60)).is_ok());
        request.control.set_returned();
        let (next, _, answers) = guard(Limits::depth(1), SearchControl::new(1), Some(infinite.control()));
        watchdog.send(Arc::clone(&next)).unwrap();
        assert!(answers.recv_timeout(Duration::from_millis(200)).is_err());
    }

    /// Takes a while to report the final result.
    struct Slow(Recorder);

    impl Reporter for Slow {
        fn finished(&mut self, result: &SearchResult) {
            thread::sleep(Duration::from_millis(300));
            self.0.finished(result);
        }
    }

    #[test]
    fn searches_are_answered_in_their_order() {
        let watchdog = start_watchdog();
        let (first, ..) = guard(Limits::depth(1), SearchControl::new(1), None);
        let (sender, first_answers) = unbounded();
        first.state().reporter = Some(Box::new(Slow(Recorder(sender))));
        let (second, _, second_answers) = guard(Limits::move_time(1), SearchControl::new(1), Some(first.control()));
        watchdog.send(Arc::clone(&first)).unwrap();
        watchdog.send(Arc::clone(&second)).unwrap();
        // The deadline of the second one passes meanwhile.
        thread::sleep(second.request.time.deadline().unwrap_or_default());
        let answer = thread::spawn(move || first.answer_fallback("a test"));
        assert!(second_answers.recv_timeout(Duration::from_secs(60)).is_ok() && first_answers.try_recv().is_ok());
        answer.join().unwrap();
    }

    /// Ignores `stop`.
    struct Hanging;

    impl Search for Hanging {
        fn search(&mut self, _request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
            thread::sleep(Duration::from_millis(600));
            SearchResult::default()
        }
    }

    #[test]
    fn wait_returns_after_the_report() {
        let settings = SearchSettings { hash: 1, threads: 1, params: Params::default() };
        let make = || Ok((Box::new(Hanging) as Box<dyn Search>, Allocated { hash: 1, threads: 1 }));
        let (runner, _) = SearchRunner::start(make, &settings, false).unwrap();
        let (_, first, _) = guard(Limits::move_time(1), SearchControl::new(1), None);
        runner.search((*first).clone(), Box::new(Silent));
        // The search thread becomes free while the watchdog reports this one.
        let (sender, answers) = unbounded();
        let request = SearchRequest::untimed(Game::default(), Limits::depth(1));
        runner.search(request, Box::new(Slow(Recorder(sender))));
        runner.wait();
        assert!(answers.try_recv().is_ok());
    }

    /// Panics in `message`.
    struct Panicking(Sender<SearchResult>);

    impl Reporter for Panicking {
        fn message(&mut self, _text: &str) {
            panic!("a test")
        }
        fn finished(&mut self, result: &SearchResult) {
            let _ = self.0.send(result.clone());
        }
    }

    #[test]
    fn watchdog_survives_a_panic_in_a_reporter() {
        let watchdog = start_watchdog();
        for _ in 0..2 {
            let (guard, ..) = guard(Limits::move_time(1), SearchControl::new(1), None);
            let (sender, answers) = unbounded();
            guard.state().reporter = Some(Box::new(Panicking(sender)));
            watchdog.send(Arc::clone(&guard)).unwrap();
            assert!(answers.recv_timeout(Duration::from_secs(60)).unwrap().best_move().is_some());
        }
    }

    #[test]
    fn fallback_is_the_last_reported_result_with_all_messages() {
        let (guard, request, answers) = guard(Limits::default(), SearchControl::new(1), None);
        let moves = request.game.position.chess().legal_moves();
        let mut reporter = Arc::clone(&guard);
        reporter.message("first");
        for m in [moves[3], moves[5]] {
            reporter.progress(&SearchResult::new(vec![Variation::new(vec![m], 20, 7)]));
        }
        guard.answer_fallback("second");
        let result = answers.try_recv().unwrap();
        assert_eq!(result.best_move(), Some(moves[5]));
        assert_eq!(result.messages, ["first", "second"]);
    }

    #[test]
    fn final_result_is_reported_unless_the_last_report_gives_it() {
        let moves = Game::default().position.chess().legal_moves();
        let result = |m: usize, depth, score, bound| {
            let mut variation = Variation::new(vec![moves[m]], score, depth);
            variation.bound = bound;
            SearchResult::new(vec![variation])
        };
        let last = result(0, 8, 20, Bound::Exact);
        assert!(is_reported(Some(&last), &SearchResult { nodes: 99, ..last.clone() }));
        for other in [
            result(1, 8, 20, Bound::Exact),
            result(0, 9, 20, Bound::Exact),
            result(0, 8, 21, Bound::Exact),
            // A move that has failed high or low since.
            result(0, 8, 20, Bound::Lower),
            result(1, 9, 10, Bound::Upper),
        ] {
            assert!(!is_reported(Some(&other), &last), "{other:?}");
        }
        assert!(!is_reported(None, &last));
    }

    #[test]
    fn fallback_before_the_first_pv_is_the_choice_of_a_one_ply_search() {
        // After 1. e4 e5 2. Qh5 Ke7, White mates; the first legal moves do not.
        let mut game = Game::default();
        game.play_moves(["e2e4", "e7e5", "d1h5", "e8e7"]).unwrap();
        let request = Arc::new(SearchRequest::untimed(game, Limits::default()));
        let (sender, answers) = unbounded();
        BestMoveGuard::new(Arc::clone(&request), Box::new(Recorder(sender)), None).answer_fallback("a test");
        let best = answers.try_recv().unwrap().best_move().unwrap();
        assert_eq!(request.game.position.uci(best), "h5e5");
    }
}
