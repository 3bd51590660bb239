//! Defects of an evaluator inside the default search: a panic or a hang at any evaluation, on any thread. Each `go` must
//! still return exactly one legal `bestmove` in time.
//!
//! The environment variable `PANICS` multiplies the number of panics.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aspirant::board::game::Game;
use aspirant::board::position::{Position, parse_fen};
use aspirant::engine::Engine;
use aspirant::eval::{evaluate, pst::Pst};
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::search::report::{Reporter, SearchResult};
use shakmaty::{Move, Position as _};

use crate::common::evaluator::FnEvaluator;
use crate::common::positions::fen::{KIWIPETE, MATE_IN_1, MIDDLEGAME, ROOK_ENDGAME, START};
use crate::common::{LIMIT, factor};

/// Number of evaluations before the planned defect; 0 without one.
static EVALUATIONS_LEFT: AtomicU64 = AtomicU64::new(0);
/// Whether only evaluations of the main search thread, or only those of its helpers, are counted.
static ONLY_MAIN: AtomicBool = AtomicBool::new(false);
static ONLY_HELPERS: AtomicBool = AtomicBool::new(false);
/// Time for which the evaluator hangs, ms, at most until it is set to 0; it panics if that is 0.
static HANG_MS: AtomicU64 = AtomicU64::new(0);

/// The thread on which a defect occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thread {
    Any,
    Main,
    Helper,
}

fn faulty_evaluation(position: &Position) -> Score {
    let is_main = std::thread::current().name() == Some("search");
    let is_counted = if is_main { !ONLY_HELPERS.load(SeqCst) } else { !ONLY_MAIN.load(SeqCst) };
    let count_down = |left: u64| left.checked_sub(1);
    if is_counted && EVALUATIONS_LEFT.fetch_update(SeqCst, SeqCst, count_down) == Ok(1) {
        let milliseconds = HANG_MS.load(SeqCst);
        if milliseconds == 0 {
            // A panic without its message on stderr.
            std::panic::resume_unwind(Box::new("a planned defect"));
        }
        let end = Instant::now() + Duration::from_millis(milliseconds);
        while Instant::now() < end && HANG_MS.load(SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    evaluate(&mut Pst, position)
}

/// Plans a panic, or a hang for `hang_ms`.
fn plan(thread: Thread, evaluations: u64, hang_ms: u64) {
    ONLY_MAIN.store(thread == Thread::Main, SeqCst);
    ONLY_HELPERS.store(thread == Thread::Helper, SeqCst);
    HANG_MS.store(hang_ms, SeqCst);
    EVALUATIONS_LEFT.store(evaluations, SeqCst);
}

/// Removes a planned defect, and ends a hang.
fn clear_plan() {
    plan(Thread::Any, 0, 0);
}

/// Returns an engine without a planned defect; the lock lets one test run at a time.
fn engine() -> (Engine, MutexGuard<'static, ()>) {
    static LOCK: Mutex<()> = Mutex::new(());
    let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    clear_plan();
    let mut engine = Engine::builder().evaluator(FnEvaluator(faulty_evaluation)).build().unwrap();
    engine.set_option("Hash", "1").unwrap();
    (engine, lock)
}

enum Event {
    Progress(SearchResult),
    Message,
    Answer(SearchResult),
}

struct Recorder(Sender<Event>);

impl Reporter for Recorder {
    fn progress(&mut self, result: &SearchResult) {
        let _ = self.0.send(Event::Progress(result.clone()));
    }
    fn message(&mut self, _text: &str) {
        let _ = self.0.send(Event::Message);
    }
    fn finished(&mut self, result: &SearchResult) {
        let _ = self.0.send(Event::Answer(result.clone()));
    }
}

fn start(engine: &mut Engine, limits: Limits) -> Receiver<Event> {
    let (sender, events) = channel();
    engine.go(limits, Box::new(Recorder(sender)));
    events
}

/// Waits for the best move, checks that it is legal and begins the last PV, and returns the number of messages.
#[track_caller]
fn answer(engine: &Engine, events: &Receiver<Event>) -> usize {
    let (mut messages, mut last) = (0, None);
    let answer = loop {
        match events.recv_timeout(LIMIT).expect("an answer") {
            Event::Progress(result) => last = Some(result.variations),
            Event::Message => messages += 1,
            Event::Answer(answer) => break answer,
        }
    };
    assert_eq!(Some(&answer.variations), last.as_ref(), "the last report gives the final result");
    assert!(answer.best_move().is_some_and(|best| engine.game().position.chess().is_legal(best)));
    // The answer consumes the reporter; nothing can follow it.
    engine.wait();
    assert!(events.try_recv().is_err(), "output after the best move");
    messages
}

/// Waits for the best move while the search hangs.
#[track_caller]
fn wait_for_answer(events: &Receiver<Event>) -> Option<Move> {
    loop {
        if let Event::Answer(answer) = events.recv_timeout(LIMIT).expect("an answer") {
            return answer.best_move();
        }
    }
}

/// Waits until the search has reached the planned defect.
#[track_caller]
fn wait_for_defect() {
    let end = Instant::now() + LIMIT;
    while EVALUATIONS_LEFT.load(SeqCst) > 0 {
        assert!(Instant::now() < end, "the search did not reach the defect");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Starts another search while the previous one still hangs, and ends the hang; the new search must be answered.
#[track_caller]
fn answer_next_search(engine: &mut Engine) {
    let events = start(engine, Limits::depth(4));
    clear_plan();
    answer(engine, &events);
}

/// kelseyde/hobbes-chess-engine#398. The environment variable `PANICS` multiplies the number of searches.
#[test]
fn panicking_search_thread_still_returns_bestmove() {
    let positions = [START, KIWIPETE, ROOK_ENDGAME, MIDDLEGAME, MATE_IN_1];
    let (mut engine, _lock) = engine();
    let mut random = fastrand::Rng::with_seed(1);
    let searches = 60 * factor("PANICS") as usize;
    let mut happened = 0;
    for _ in 0..searches {
        let threads = random.usize(1..=4);
        engine.set_option("Threads", &threads.to_string()).unwrap();
        engine.set_option("MultiPV", &random.usize(1..=2).to_string()).unwrap();
        engine.set_game(Game::new(parse_fen(positions[random.usize(0..positions.len())]).unwrap()));
        let evaluations = 1u64 << random.u32(0..12);
        plan(Thread::Any, random.u64(evaluations..2 * evaluations), 0);
        let limits = match random.u32(0..3) {
            0 => Limits::nodes(20_000 * threads as u64),
            1 => Limits::move_time(40),
            _ => Limits::depth(9),
        };
        let events = start(&mut engine, limits);
        let messages = answer(&engine, &events);
        let panicked = EVALUATIONS_LEFT.load(SeqCst) == 0;
        assert!(!panicked || messages > 0, "the panic was not reported");
        happened += usize::from(panicked);
        clear_plan();
        let events = start(&mut engine, Limits::depth(3));
        answer(&engine, &events);
    }
    println!("{happened} panics in {searches} searches");
    assert!(happened > searches / 3);
}

#[test]
fn best_move_waits_for_ponderhit_after_a_panic() {
    let (mut engine, _lock) = engine();
    plan(Thread::Main, 2000, 0);
    let clock = Limits { white_time: Some(60_000), ponder: true, ..Limits::default() };
    let events = start(&mut engine, clock);
    wait_for_defect();
    let end = Instant::now() + Duration::from_millis(300);
    while let Ok(event) = events.recv_timeout(end.saturating_duration_since(Instant::now())) {
        assert!(!matches!(event, Event::Answer(_)), "a best move while pondering");
    }
    engine.ponder_hit();
    assert!(wait_for_answer(&events).is_some());
}

/// Stockfish commit 0f9ae0d11.
#[test]
fn hanging_search_is_answered_by_the_watchdog() {
    let (mut engine, _lock) = engine();
    let clock = Limits { white_time: Some(3000), ..Limits::default() };
    for (thread, threads, limits) in [
        (Thread::Main, 1, Limits::move_time(1000)),
        (Thread::Main, 2, clock),
        (Thread::Helper, 2, Limits::move_time(1000)),
    ] {
        engine.set_option("Threads", &threads.to_string()).unwrap();
        plan(thread, 100, 600_000);
        let events = start(&mut engine, limits);
        wait_for_defect();
        wait_for_answer(&events);
        answer_next_search(&mut engine);
    }
    // Without a time limit, only after `stop`.
    for limits in [Limits::infinite(), Limits::depth(30)] {
        plan(Thread::Main, 1000, 600_000);
        let events = start(&mut engine, limits);
        wait_for_defect();
        engine.stop();
        wait_for_answer(&events);
        answer_next_search(&mut engine);
    }
}

/// A search without a time limit waits for late threads: nothing is lost by that.
#[test]
fn late_thread_is_not_a_hang() {
    let (mut engine, _lock) = engine();
    engine.set_option("Threads", "2").unwrap();
    for thread in [Thread::Main, Thread::Helper] {
        plan(thread, 10, 1500);
        let events = start(&mut engine, Limits::depth(10));
        assert_eq!(answer(&engine, &events), 0, "a message of the watchdog");
    }
}

/// official-stockfish/Stockfish#5894. A search that hangs before its first report is answered with the best move of a
/// one-ply search, whatever it waits for: a tablebase on a slow disk, or an evaluator.
#[test]
fn hang_before_the_first_pv_plays_a_reasonable_move() {
    let (mut engine, _lock) = engine();
    // Mate in one; an undefended queen.
    for (fen, expected) in [(MATE_IN_1, "a1a8"), ("4k3/p7/1p6/3q4/8/8/8/3RK3 w - - 0 1", "d1d5")] {
        engine.set_game(Game::new(parse_fen(fen).unwrap()));
        plan(Thread::Main, 1, 600_000);
        let events = start(&mut engine, Limits::move_time(50));
        let best = wait_for_answer(&events).unwrap();
        assert_eq!(engine.game().position.uci(best), expected);
        answer_next_search(&mut engine);
    }
}
