//! Guarantees exactly one `bestmove` per `go`, even after a panic or a hang.
//!
//! Every `go` gets a [`BestMoveGuard`], which forwards all output of the search to its reporter and stores the best
//! move of the last reported PV as the fallback. The first best move that is reported takes the reporter out of the
//! guard, so that later ones have no effect. It comes from the search itself, from the search thread after a panic, or
//! from the [`Watchdog`] if the search (a storage device that does not respond, a defect, a busy machine) is about to
//! lose on time or has not ended one second after `stop`. A search without a deadline may take any time until `stop`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Sender, unbounded};
use shakmaty::Move;

use crate::platform::sync::{Mutex, MutexGuard, PoisonError};
use crate::score::{Bound, DRAW, MATE, Score};
use crate::search::SearchRequest;
use crate::search::fallback::best_without_search;
use crate::search::report::{BestMove, Reporter, SearchInfo};

/// Forwards the output of one search and lets exactly one best move through.
pub struct BestMoveGuard {
    request: Arc<SearchRequest>,
    state: Mutex<GuardState>,
}

struct GuardState {
    /// `None` after the best move has been reported.
    reporter: Option<Box<dyn Reporter>>,
    /// The best move of the last reported PV.
    fallback: Option<BestMove>,
    /// The best move of the PV that is reported next.
    next: Option<BestMove>,
}

impl BestMoveGuard {
    /// Creates the guard of a search.
    #[must_use]
    pub fn new(request: Arc<SearchRequest>, reporter: Box<dyn Reporter>) -> Self {
        let state = GuardState { reporter: Some(reporter), fallback: None, next: None };
        Self { request, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, GuardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the best move, unless one has been reported.
    pub fn answer(&self, answer: BestMove) {
        if let Some(mut reporter) = self.take_reporter(&mut self.state()) {
            reporter.best_move(answer);
        }
    }

    /// Reports the best move of the last reported PV, with `reason` as a message for the user, unless a best move has been
    /// reported. Before the first PV, it is the best move of a one-ply search.
    pub fn answer_fallback(&self, reason: &str) {
        let mut state = self.state();
        let Some(mut reporter) = self.take_reporter(&mut state) else { return };
        log::error!("{reason}");
        let (answer, info) = match state.fallback {
            Some(fallback) => (fallback, None),
            None => {
                let (best, score) = self.choose_without_search();
                (BestMove { best, ponder: None }, Some(self.info_without_search(best, score)))
            }
        };
        // A panic in the reporter must not prevent the best move.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            reporter.message(reason);
            if let Some(info) = info {
                reporter.info(&info);
            }
        }));
        reporter.best_move(answer);
    }

    /// Takes the reporter for the best move; `None` if one has been reported. Ends the wait of the watchdog.
    fn take_reporter(&self, state: &mut GuardState) -> Option<Box<dyn Reporter>> {
        self.request.control.set_answered();
        state.reporter.take()
    }

    /// Returns the best root move of a one-ply search, even if that panics, and its score.
    fn choose_without_search(&self) -> (Option<Move>, Score) {
        let game = &self.request.game;
        let moves = self.request.best_ranked_moves();
        let best = catch_unwind(AssertUnwindSafe(|| best_without_search(game, &moves))).unwrap_or_default();
        match best.or_else(|| Some((*moves.first()?, DRAW))) {
            Some((best, score)) => (Some(best), score),
            None => (None, if game.position.is_checkmate() { -MATE } else { DRAW }),
        }
    }

    /// Returns the info line of a move that has not been searched.
    fn info_without_search(&self, best: Option<Move>, score: Score) -> SearchInfo {
        SearchInfo {
            depth: i32::from(best.is_some()),
            seldepth: usize::from(best.is_some()),
            multi_pv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            time: self.request.time.elapsed(),
            hashfull: 0,
            tb_hits: 0,
            is_book: false,
            pv: best.into_iter().collect(),
        }
    }

    /// Waits for the best move and reports the fallback if it is late.
    pub fn watch(&self) {
        let (control, time) = (&self.request.control, &self.request.time);
        if !control.wait_for_answer(time.start(), time.deadline()) {
            control.finish();
            self.answer_fallback("the search did not end in time; the best move known so far is reported");
        }
    }
}

/// The reporter of a search that is guarded.
pub struct GuardedReporter(pub Arc<BestMoveGuard>);

impl Reporter for GuardedReporter {
    fn info(&mut self, info: &SearchInfo) {
        let mut state = self.0.state();
        if let Some(next) = state.next.take() {
            state.fallback = Some(next);
        }
        if let Some(reporter) = &mut state.reporter {
            reporter.info(info);
        }
    }

    fn best_move_so_far(&mut self, answer: BestMove) {
        let mut state = self.0.state();
        // Not the fallback yet: the watchdog may answer before the PV of this move is reported.
        state.next = Some(answer);
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
    searches: Option<Sender<Arc<BestMoveGuard>>>,
}

impl Watchdog {
    /// Starts the thread. It ends when the watchdog is dropped and the last search is answered.
    #[must_use]
    pub fn start() -> Self {
        let (searches, inbox) = unbounded::<Arc<BestMoveGuard>>();
        // A reporter that panics must not end the thread, which watches the later searches, too.
        let watch = |search: Arc<BestMoveGuard>| drop(catch_unwind(AssertUnwindSafe(|| search.watch())));
        let run = move || inbox.iter().for_each(watch);
        let thread = thread::Builder::new().name("watchdog".into()).spawn(run);
        if let Err(error) = &thread {
            log::error!("cannot start the watchdog thread: {error}; hanging searches are not answered");
        }
        Self { searches: thread.is_ok().then_some(searches) }
    }

    /// Watches this search until its best move is reported.
    pub fn watch(&self, search: &Arc<BestMoveGuard>) {
        if let Some(searches) = &self.searches {
            let _ = searches.send(Arc::clone(search));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::platform::clock::Instant;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::smp::control::SearchControl;
    use crate::search::time::TimeManager;
    use crossbeam_channel::Receiver;
    use shakmaty::{Color, Position as _};
    use std::time::Duration;

    struct Recorder(Sender<BestMove>);

    impl Reporter for Recorder {
        fn info(&mut self, _info: &SearchInfo) {}
        fn best_move(&mut self, answer: BestMove) {
            let _ = self.0.send(answer);
        }
    }

    fn guard(limits: Limits, control: SearchControl) -> (Arc<BestMoveGuard>, Arc<SearchRequest>, Receiver<BestMove>) {
        let time = TimeManager::new(&limits, Color::White, 0, Instant::now(), &Params::default());
        let control = Arc::new(control);
        let request = Arc::new(SearchRequest { time, control, ..SearchRequest::untimed(Game::default(), limits) });
        let (sender, answers) = unbounded();
        (Arc::new(BestMoveGuard::new(Arc::clone(&request), Box::new(Recorder(sender)))), request, answers)
    }

    #[test]
    fn concurrent_answers_report_one_best_move() {
        let (guard, _, answers) = guard(Limits::default(), SearchControl::new(1));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| guard.answer_fallback("a test"));
                scope.spawn(|| GuardedReporter(Arc::clone(&guard)).best_move(BestMove::default()));
            }
        });
        assert_eq!(answers.try_iter().count(), 1);
    }

    #[test]
    fn watchdog_answers_after_the_deadline_and_after_stop_and_not_before() {
        let watchdog = Watchdog::start();
        let (timed, request, answers) = guard(Limits::move_time(50), SearchControl::new(1));
        watchdog.watch(&timed);
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.best.is_some() && request.time.elapsed() >= Duration::from_millis(250));
        for control in [SearchControl::new(1), SearchControl::pondering(1)] {
            let limits = if control.is_pondering() { Limits::move_time(1) } else { Limits::depth(1) };
            let (endless, request, answers) = guard(limits, control);
            watchdog.watch(&endless);
            // The search itself may finish at any time, for example to wait for its helper threads.
            if !request.control.is_pondering() {
                request.control.finish();
            }
            assert!(answers.recv_timeout(Duration::from_millis(300)).is_err());
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
            let (guard, ..) = guard(Limits::move_time(1), SearchControl::new(1));
            let (sender, answers) = unbounded();
            guard.state().reporter = Some(Box::new(Panicking(sender)));
            watchdog.watch(&guard);
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
        reporter.info(&guard.info_without_search(Some(moves[3]), DRAW));
        reporter.best_move_so_far(answer(moves[5]));
        guard.answer_fallback("a test");
        assert_eq!(answers.try_recv().unwrap().best, Some(moves[3]));
    }

    #[test]
    fn fallback_before_the_first_pv_is_the_choice_of_a_one_ply_search() {
        // After 1. e4 e5 2. Qh5 Ke7, White mates; the first legal moves do not.
        let mut game = Game::default();
        game.play_moves(["e2e4", "e7e5", "d1h5", "e8e7"]).unwrap();
        let request = Arc::new(SearchRequest::untimed(game, Limits::default()));
        let (sender, answers) = unbounded();
        BestMoveGuard::new(Arc::clone(&request), Box::new(Recorder(sender))).answer_fallback("a test");
        let best = answers.try_recv().unwrap().best.unwrap();
        assert_eq!(request.game.position.uci(best, shakmaty::CastlingMode::Standard), "h5e5");
    }
}
