//! Who answers a search: exactly one, whatever happens to it.
//!
//! Every `go` gets a [`Desk`]. All that the search says passes over it, so the desk knows the line that was last
//! reported, and before there is one, a legal move. The first to answer takes the reporter away; whoever comes
//! later speaks to nobody. That may be the search itself, the search thread after a panic, or the [`Watchdog`], which
//! answers for a search that neither its hard limit nor `stop` has ended: a disk that does not react, a defect.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use shakmaty::{Move, Position as _};

use super::Task;
use super::report::{BestMove, Reporter, SearchInfo};
use super::signals::Signals;
use super::time::TimeManager;
use crate::position::Position;
use crate::score::{Bound, DRAW, MATE};
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a search may take beyond its hard limit before another answers for it.
const GRACE: Duration = Duration::from_millis(20);
/// The same after `stop`, where no clock is known.
const GRACE_AFTER_STOP: Duration = Duration::from_millis(100);

/// The place where one search is answered.
pub struct Desk {
    position: Position,
    start: Instant,
    state: Mutex<State>,
    answered: Condvar,
}

struct State {
    /// Gone when the answer has been given.
    reporter: Option<Box<dyn Reporter>>,
    /// What would be answered now.
    answer: BestMove,
    /// Has any line been reported?
    has_line: bool,
}

impl Desk {
    /// For this task; until more is known, its answer is the first legal move.
    #[must_use]
    pub fn new(task: &Task, reporter: Box<dyn Reporter>) -> Self {
        let wanted = |m: &Move| task.limits.search_moves.is_empty() || task.limits.search_moves.contains(m);
        let best = task.game.position.chess().legal_moves().into_iter().find(wanted);
        Self::with_fallback(task, BestMove { best, ponder: None }, reporter)
    }

    /// For this task; until more is known, its answer is `answer`.
    #[must_use]
    pub fn with_fallback(task: &Task, answer: BestMove, reporter: Box<dyn Reporter>) -> Self {
        let state = Mutex::new(State { reporter: Some(reporter), answer, has_line: false });
        Self { position: task.game.position.clone(), start: task.time.start(), state, answered: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the answer, if nobody has yet.
    pub fn answer(&self, answer: BestMove) {
        let mut state = self.state();
        if let Some(mut reporter) = state.reporter.take() {
            reporter.best_move(answer);
        }
        self.answered.notify_all();
    }

    /// Answers for a search that cannot, with what it said last; `why` is for a person.
    pub fn answer_instead(&self, why: &str) {
        let mut state = self.state();
        let (answer, has_line) = (state.answer, state.has_line);
        if let Some(mut reporter) = state.reporter.take() {
            log::error!("{why}");
            reporter.message(why);
            if !has_line {
                reporter.info(&self.empty_line(answer));
            }
            reporter.best_move(answer);
        }
        self.answered.notify_all();
    }

    /// A line for a search that had none: a move, and no opinion about it.
    fn empty_line(&self, answer: BestMove) -> SearchInfo {
        let mated = answer.best.is_none() && self.position.in_check();
        SearchInfo {
            depth: i32::from(answer.best.is_some()),
            seldepth: usize::from(answer.best.is_some()),
            multi_pv: 1,
            score: if mated { -MATE } else { DRAW },
            bound: Bound::Exact,
            nodes: 0,
            time: self.start.elapsed(),
            hash_full: 0,
            table_hits: 0,
            pv: answer.best.into_iter().collect(),
        }
    }

    /// Has the answer been given, or is it within this time?
    fn is_answered_within(&self, time: Duration) -> bool {
        let unanswered = |state: &mut State| state.reporter.is_some();
        let wait = self.answered.wait_timeout_while(self.state(), time, unanswered);
        wait.unwrap_or_else(PoisonError::into_inner).0.reporter.is_none()
    }
}

/// What a searcher is given to report to.
pub struct AtDesk(pub Arc<Desk>);

impl Reporter for AtDesk {
    fn info(&mut self, info: &SearchInfo) {
        let mut state = self.0.state();
        if let (1, Some(&best)) = (info.multi_pv, info.pv.first()) {
            state.answer = BestMove { best: Some(best), ponder: info.pv.get(1).copied() };
        }
        state.has_line = true;
        if let Some(reporter) = &mut state.reporter {
            reporter.info(info);
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
    fn cutoffs(&mut self, cutoffs: &super::stats::Cutoffs) {
        if let Some(reporter) = &mut self.0.state().reporter {
            reporter.cutoffs(cutoffs);
        }
    }

    fn best_move(&mut self, answer: BestMove) {
        self.0.answer(answer);
    }
}

/// Looks after searches, one after the other, on a thread of its own; without a thread to be had, nobody does.
pub struct Watchdog {
    searches: Option<Sender<Watched>>,
}

/// One search that is looked after.
pub(super) struct Watched {
    pub(super) desk: Arc<Desk>,
    pub(super) signals: Arc<Signals>,
    pub(super) time: TimeManager,
}

impl Watchdog {
    /// Starts the thread. It ends when the watchdog is dropped and the last search is answered.
    #[must_use]
    pub fn start() -> Self {
        let (searches, inbox) = unbounded::<Watched>();
        let run = move || inbox.iter().for_each(|watched| watched.watch());
        let thread = thread::Builder::new().name("watchdog".into()).spawn(run);
        if let Err(error) = &thread {
            log::error!("no thread for the watchdog: {error}");
        }
        Self { searches: thread.is_ok().then_some(searches) }
    }

    /// Looks after this search until it is answered.
    pub fn watch(&self, desk: &Arc<Desk>, task: &Task) {
        if let Some(searches) = &self.searches {
            let (signals, time) = (Arc::clone(&task.signals), task.time.clone());
            let _ = searches.send(Watched { desk: Arc::clone(desk), signals, time });
        }
    }
}

impl Watched {
    pub(super) fn watch(self) {
        self.signals.wait_until_over(&self.time);
        let grace = if self.signals.is_stopped() { GRACE_AFTER_STOP } else { GRACE };
        if !self.desk.is_answered_within(grace) {
            self.signals.stop();
            self.desk.answer_instead("the search did not end in time; this is what it said last");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::report::Silent;
    use crossbeam_channel::Receiver;
    use shakmaty::Color;

    struct Recorder(Sender<BestMove>);

    impl Reporter for Recorder {
        fn info(&mut self, _info: &SearchInfo) {}
        fn best_move(&mut self, answer: BestMove) {
            let _ = self.0.send(answer);
        }
    }

    fn desk(limits: Limits, signals: Signals) -> (Arc<Desk>, Task, Receiver<BestMove>) {
        let time = TimeManager::new(&limits, Color::White, 0, Instant::now(), &Params::default());
        let task = Task { time, signals: Arc::new(signals), ..Task::untimed(Game::default(), limits) };
        let (sender, answers) = unbounded();
        (Arc::new(Desk::new(&task, Box::new(Recorder(sender)))), task, answers)
    }

    #[test]
    fn whoever_answers_first_is_the_only_one() {
        let (desk, ..) = desk(Limits::default(), Signals::new(1));
        let (sender, answers) = unbounded();
        desk.state().reporter = Some(Box::new(Recorder(sender)));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| desk.answer_instead("a test"));
                scope.spawn(|| AtDesk(Arc::clone(&desk)).best_move(BestMove::default()));
            }
        });
        assert_eq!(answers.try_iter().count(), 1);
        desk.state().reporter = Some(Box::new(Silent));
    }

    #[test]
    fn the_watchdog_answers_after_the_limit_and_after_stop_and_not_before() {
        let watchdog = Watchdog::start();
        let (late, task, answers) = desk(Limits::move_time(50), Signals::new(1));
        watchdog.watch(&late, &task);
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.best.is_some() && task.time.elapsed() >= Duration::from_millis(50));
        // Without limit, or while pondering, nothing is late.
        for signals in [Signals::new(1), Signals::pondering(1)] {
            let limits = if signals.is_pondering() { Limits::move_time(1) } else { Limits::default() };
            let (endless, task, answers) = desk(limits, signals);
            watchdog.watch(&endless, &task);
            assert!(answers.recv_timeout(Duration::from_millis(200)).is_err());
            if task.signals.is_pondering() {
                task.signals.ponder_hit()
            } else {
                task.signals.stop()
            }
            assert!(answers.recv_timeout(Duration::from_secs(60)).unwrap().best.is_some());
        }
    }

    #[test]
    fn what_was_said_last_is_what_is_answered() {
        let (desk, task, answers) = desk(Limits::default(), Signals::new(1));
        let moves = task.game.position.chess().legal_moves();
        let line = |m: Move, multi_pv| {
            let line = desk.empty_line(BestMove { best: Some(m), ponder: None });
            SearchInfo { multi_pv, ..line }
        };
        let mut reporter = AtDesk(Arc::clone(&desk));
        reporter.info(&line(moves[3], 1));
        reporter.info(&line(moves[5], 2));
        desk.answer_instead("a test");
        assert_eq!(answers.try_recv().unwrap().best, Some(moves[3]));
    }
}
