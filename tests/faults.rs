//! Fault injection: panicking and hanging search threads, colliding TT keys, slow disks. Each `go` must still
//! return exactly one legal `bestmove` in time.
//!
//! Needs the feature `fault-injection`: `cargo test --features fault-injection --test faults`. The environment variable
//! `PANICS` multiplies the number of injected panics.

#[path = "it/common/mod.rs"]
mod common;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::config::Config;
use aspirant::engine::Engine;
use aspirant::platform::fault;
use aspirant::search::limits::Limits;
use aspirant::search::report::{Reporter, SearchResult};
use common::positions::fen::{KIWIPETE, MATE_IN_1, MIDDLEGAME, QUEEN_AGAINST_KING, ROOK_ENDGAME, START};
use common::search::Root;
use common::tables::{DTZ, WDL, constant};
use common::{Dir, LIMIT, factor};
use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::Position as _;

/// Locks the process-wide fault plan, so that tests run one at a time, and hides the messages of planned panics.
fn lock_faults() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.to_string().contains("injected fault") {
                default(info);
            }
        }));
    });
    let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    fault::arm("");
    guard
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
    let (sender, events) = unbounded();
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
    let legal = engine.game().position.chess().legal_moves();
    assert_eq!(Some(&answer.variations), last.as_ref(), "the last report gives the final result");
    match answer.best_move() {
        Some(best) => assert!(legal.contains(&best)),
        None => assert!(legal.is_empty()),
    }
    // The answer consumes the reporter; nothing can follow it.
    engine.wait();
    assert!(events.try_recv().is_err(), "output after the best move");
    messages
}

const POSITIONS: [&str; 5] = [START, KIWIPETE, ROOK_ENDGAME, MIDDLEGAME, MATE_IN_1];

/// Runs `count` searches with a panic at a random node of a random thread; returns how many panics happened.
fn panics(seed: u64, count: usize) -> usize {
    let _lock = lock_faults();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("Hash", "1").unwrap();
    let mut happened = 0;
    for _ in 0..count {
        let threads = random.usize(1..=4);
        engine.set_option("Threads", &threads.to_string()).unwrap();
        engine.set_option("MultiPV", &random.usize(1..=2).to_string()).unwrap();
        engine.set_game(Game::new(parse_fen(POSITIONS[random.usize(0..POSITIONS.len())]).unwrap()));
        let thread = random.usize(0..threads);
        let node = 1u64 << random.u32(0..13);
        fault::arm(&format!("panic {thread} {}", random.u64(node..2 * node)));
        let limits = match random.u32(0..3) {
            0 => Limits::nodes(20_000 * threads as u64),
            1 => Limits::move_time(40),
            _ => Limits::depth(9),
        };
        let events = start(&mut engine, limits);
        let messages = answer(&engine, &events);
        let panicked = !fault::is_pending();
        assert!(!panicked || messages > 0, "the panic was not reported");
        happened += usize::from(panicked);
        fault::arm("");
        let events = start(&mut engine, Limits::depth(3));
        answer(&engine, &events);
    }
    happened
}

/// kelseyde/hobbes-chess-engine#398. The environment variable `PANICS` multiplies the number of searches.
#[test]
fn panicking_search_thread_still_returns_bestmove() {
    let searches = 60 * factor("PANICS") as usize;
    let happened = panics(1, searches);
    println!("{happened} panics in {searches} searches");
    assert!(happened > searches / 3);
}

/// Waits until the search thread has reached the injected fault.
#[track_caller]
fn wait_for_fault() {
    let end = Instant::now() + LIMIT;
    while fault::is_pending() {
        assert!(Instant::now() < end, "the search thread did not reach the fault");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Stockfish commit 0f9ae0d11.
#[test]
fn hanging_search_is_answered_by_the_watchdog() {
    let _lock = lock_faults();
    let mut engine = Engine::new(Config::default()).unwrap();
    let clock = Limits { white_time: Some(3000), ..Limits::default() };
    for (thread, threads, limits) in [(0, 1, Limits::move_time(1000)), (0, 2, clock), (1, 2, Limits::move_time(1000))] {
        engine.set_option("Threads", &threads.to_string()).unwrap();
        fault::arm(&format!("sleep {thread} 2000 600000"));
        let events = start(&mut engine, limits);
        wait_for_fault();
        wait_for_answer(&events);
        answer_next_search(&mut engine);
    }
    // Without a time limit, only after `stop`.
    for limits in [Limits::infinite(), Limits::depth(30)] {
        fault::arm("sleep 0 2000 600000");
        let events = start(&mut engine, limits);
        wait_for_fault();
        engine.stop();
        wait_for_answer(&events);
        answer_next_search(&mut engine);
    }
}

/// Waits for the best move while the search thread still hangs.
#[track_caller]
fn wait_for_answer(events: &Receiver<Event>) -> Option<shakmaty::Move> {
    loop {
        if let Event::Answer(answer) = events.recv_timeout(LIMIT).expect("an answer") {
            return answer.best_move();
        }
    }
}

/// A search without a time limit waits for late threads: nothing is lost by that.
#[test]
fn late_thread_is_not_a_hang() {
    let _lock = lock_faults();
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("Threads", "2").unwrap();
    for thread in [0, 1] {
        fault::arm(&format!("sleep {thread} 20 1500"));
        let events = start(&mut engine, Limits::depth(12));
        assert_eq!(answer(&engine, &events), 0, "a message of the watchdog");
    }
}

/// A search that hangs at its first node is answered with the best move of a one-ply search.
#[test]
fn hang_before_the_first_pv_plays_a_reasonable_move() {
    let _lock = lock_faults();
    let mut engine = Engine::new(Config::default()).unwrap();
    // Mate in one; an undefended queen.
    for (fen, expected) in [(MATE_IN_1, None), ("4k3/p7/1p6/3q4/8/8/8/3RK3 w - - 0 1", Some("d1d5"))] {
        engine.set_game(Game::new(parse_fen(fen).unwrap()));
        fault::arm("sleep 0 1 600000");
        let events = start(&mut engine, Limits::move_time(50));
        let best = wait_for_answer(&events).unwrap();
        let position = &engine.game().position;
        match expected {
            Some(expected) => assert_eq!(position.uci(best), expected),
            None => assert!(position.play(best).is_checkmate()),
        }
        answer_next_search(&mut engine);
    }
}

/// Starts another search while the previous one still hangs, and ends the hang; the new search must be answered.
#[track_caller]
fn answer_next_search(engine: &mut Engine) {
    let events = start(engine, Limits::depth(4));
    fault::arm("");
    answer(engine, &events);
}

/// Aethdv/Soul#2, ratosh/pirarucu#135. With keys of four bits most probes return the entry of another position.
#[test]
fn tt_key_collisions_never_cause_illegal_moves() {
    let _lock = lock_faults();
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("Hash", "1").unwrap();
    for bits in [4, 0, 8] {
        fault::arm(&format!("key-bits {bits}"));
        for threads in [1, 3] {
            engine.set_option("Threads", &threads.to_string()).unwrap();
            for fen in POSITIONS.iter().cycle().take(20) {
                engine.set_game(Game::new(parse_fen(fen).unwrap()));
                let events = start(&mut engine, Limits { depth: Some(9), nodes: Some(30_000), ..Limits::default() });
                assert_eq!(answer(&engine, &events), 0, "{fen}: a search thread failed");
            }
        }
    }
}

/// official-stockfish/Stockfish#5894.
#[test]
fn slow_tablebases_do_not_delay_bestmove() {
    let _lock = lock_faults();
    let dir = Dir::new();
    dir.file("KQvK.rtbw", constant(WDL, 5, 4, 0));
    dir.file("KQvK.rtbz", constant(DTZ, 5, 4, 0));
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("SyzygyPath", dir.path().to_str().unwrap()).unwrap();
    engine.set_game(Game::new(parse_fen(QUEEN_AGAINST_KING).unwrap()));
    fault::arm("slow-syzygy 10000");
    let events = start(&mut engine, Limits::move_time(100));
    // Ranking the root moves alone needs more than twenty probes; the answer does not wait for them.
    assert!(wait_for_answer(&events).is_some());
    fault::arm("");
}

/// The same faults through UCI, with every line checked against the grammar.
#[test]
fn program_survives_injected_faults() {
    let _lock = lock_faults();
    for (plan, threads, go) in [
        ("panic 0 1", 1, "depth 12"),
        // The panic ends the search. There are so much time and so many nodes that the thread reaches its fault before the others reach the limit, even on a busy machine.
        ("panic 0 5000", 1, "movetime 10000"),
        ("panic 0 5000", 3, "movetime 10000"),
        ("panic 2 3000", 3, "nodes 2000000"),
        ("panic 0 2000", 2, "wtime 4000 btime 4000"),
    ] {
        let mut engine = common::Engine::with_env(Dir::new(), &[("ASPIRANT_FAULT", plan)]);
        engine.allow_stderr = true;
        engine.send_silent(&format!("setoption name Threads value {threads}"));
        let found = engine.search("startpos moves e2e4", go);
        assert!(found.best.is_some() && !found.strings.is_empty(), "{plan}: {found:?}");
        engine.assert_alive();
        engine.quit();
    }
    // While pondering, the answer still waits for `ponderhit`.
    let mut engine = common::Engine::with_env(Dir::new(), &[("ASPIRANT_FAULT", "panic 0 2000")]);
    engine.allow_stderr = true;
    engine.send("position startpos");
    engine.send("go ponder wtime 1000 btime 1000");
    engine.no_answer_for(Duration::from_millis(300));
    engine.send("ponderhit");
    let found = engine.answer(&Root::new("startpos"), LIMIT);
    assert!(!found.strings.is_empty(), "the panic was not reported");
    engine.quit();
}
