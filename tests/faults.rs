//! What must never happen, made to happen: a search thread that fails, memory that is not there, files that cannot
//! be read, a disk that does not react. Every `go` is answered all the same, once, with a legal move, in time.
//!
//! Needs the feature `fault-injection`: `cargo test --features fault-injection --test faults`. The campaign of a
//! thousand failures is `-- --ignored`.

mod common;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use aspirant::board::position::{Game, parse_fen};
use aspirant::config::Config;
use aspirant::engine::Engine;
use aspirant::fault;
use aspirant::search::limits::Limits;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};
use common::search::Root;
use common::{Dir, LIMIT};
use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::Position as _;

/// The plan is the process's: one test at a time. Planned faults are not worth a line on stderr.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.to_string().contains("injected fault") {
                default(info);
            }
        }));
    });
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    fault::arm("");
    guard
}

enum Said {
    Line(Vec<shakmaty::Move>),
    Message,
    Answer(BestMove),
}

struct Recorder(Sender<Said>);

impl Reporter for Recorder {
    fn info(&mut self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            let _ = self.0.send(Said::Line(info.pv.clone()));
        }
    }
    fn message(&mut self, _text: &str) {
        let _ = self.0.send(Said::Message);
    }
    fn best_move(&mut self, answer: BestMove) {
        let _ = self.0.send(Said::Answer(answer));
    }
}

fn start(engine: &mut Engine, limits: Limits) -> Receiver<Said> {
    let (sender, said) = unbounded();
    engine.go(limits, Box::new(Recorder(sender)));
    said
}

/// Waits for the end: how many messages there were. The last line begins with the answer, which is legal.
#[track_caller]
fn answer(engine: &Engine, said: &Receiver<Said>) -> usize {
    let (mut messages, mut last) = (0, None);
    let answer = loop {
        match said.recv_timeout(LIMIT).expect("an answer") {
            Said::Line(pv) => last = pv.first().copied(),
            Said::Message => messages += 1,
            Said::Answer(answer) => break answer,
        }
    };
    let legal = engine.game().position.chess().legal_moves();
    assert_eq!(answer.best, last, "the answer is what was said last");
    match answer.best {
        Some(best) => assert!(legal.contains(&best)),
        None => assert!(legal.is_empty()),
    }
    // The reporter is gone with the answer: a second one is impossible, and a second wait would show it.
    engine.wait();
    assert!(said.try_recv().is_err(), "something was said after the answer");
    messages
}

const POSITIONS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
];

/// Panics at random nodes of random threads; returns how many really happened.
fn panics(seed: u64, wanted: usize) -> usize {
    let _alone = alone();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("Hash", "1").unwrap();
    let mut happened = 0;
    for _ in 0..wanted {
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
        let said = start(&mut engine, limits);
        let messages = answer(&engine, &said);
        let failed = !fault::is_pending();
        assert!(!failed || messages > 0, "a failure is told");
        happened += usize::from(failed);
        fault::arm("");
        let said = start(&mut engine, Limits::depth(3));
        answer(&engine, &said);
    }
    happened
}

#[test]
fn f46_a_search_thread_that_fails_is_answered_for_and_replaced() {
    assert!(panics(1, 60) > 20);
}

#[test]
#[ignore = "a campaign: minutes"]
fn a_thousand_failures() {
    let happened: usize = (0..10).map(|seed| panics(100 + seed, 200)).sum();
    println!("{happened} failures of search threads");
    assert!(happened >= 1000);
}

#[test]
fn f07_a_search_that_hangs_is_answered_for_in_time() {
    let _alone = alone();
    let mut engine = Engine::new(Config::default()).unwrap();
    for (thread, threads) in [(0, 1), (0, 2), (1, 2)] {
        engine.set_option("Threads", &threads.to_string()).unwrap();
        fault::arm(&format!("sleep {thread} 2000 4000"));
        let start_time = Instant::now();
        let (sender, said) = unbounded();
        engine.go(Limits::move_time(100), Box::new(Recorder(sender)));
        while !matches!(said.recv_timeout(LIMIT), Ok(Said::Answer(_))) {}
        let waited = start_time.elapsed();
        assert!(waited < Duration::from_secs(3), "answered after {waited:?}");
        answer_of_the_next(&mut engine);
    }
    // After `stop`, too.
    fault::arm("sleep 0 2000 4000");
    let said = start(&mut engine, Limits { infinite: true, ..Limits::default() });
    std::thread::sleep(Duration::from_millis(100));
    let stopped = Instant::now();
    engine.stop();
    while !matches!(said.recv_timeout(LIMIT), Ok(Said::Answer(_))) {}
    assert!(stopped.elapsed() < Duration::from_secs(3));
    answer_of_the_next(&mut engine);
}

/// The next search is asked for while the last still hangs; both are answered, in their order.
#[track_caller]
fn answer_of_the_next(engine: &mut Engine) {
    fault::arm("");
    let said = start(engine, Limits::depth(4));
    answer(engine, &said);
}

#[test]
fn f34_a_table_that_cannot_be_had_is_smaller_and_said_to_be() {
    let _alone = alone();
    let mut engine = Engine::new(Config::default()).unwrap();
    for megabytes in [1usize, 2, 3, 7, 16, 64] {
        fault::arm("");
        engine.set_option("Hash", "5").unwrap();
        fault::arm(&format!("memory {megabytes}"));
        let note = engine.set_option("Hash", "64").unwrap_err().to_string();
        let got: usize = note.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
        assert!(got < megabytes, "{note}");
        // Whatever it is, it plays; and the same wish is tried again.
        let said = start(&mut engine, Limits::depth(6));
        assert_eq!(answer(&engine, &said), 0);
        fault::arm("");
        assert_eq!(engine.set_option("Hash", "64").unwrap(), None, "now there is room");
    }
}

#[test]
fn f34_search_threads_without_memory_are_done_without() {
    let _alone = alone();
    fault::arm("threads 3");
    let mut engine = Engine::new(Config::default()).unwrap();
    let note = engine.set_option("Threads", "8").unwrap_err().to_string();
    assert!(note.contains("only 2 of 8 search threads"), "{note}");
    let said = start(&mut engine, Limits::nodes(50_000));
    assert_eq!(answer(&engine, &said), 0);
    // An option that has nothing to do with it brings no second word and ends no search.
    let said = start(&mut engine, Limits { infinite: true, ..Limits::default() });
    assert_eq!(engine.set_option("MultiPV", "2").unwrap(), None);
    std::thread::sleep(Duration::from_millis(100));
    assert!(!said.try_iter().any(|said| matches!(said, Said::Answer(_))), "the search was stopped");
    engine.stop();
    engine.wait();
    assert!(engine.set_option("Threads", "8").is_err(), "the same wish is tried again");
    fault::arm("");
    assert_eq!(engine.set_option("Threads", "8").unwrap(), None, "now there is room");
    fault::arm("threads 2");
    let mut config = Config::default();
    config.options.set("Threads", "4").unwrap();
    let notes = Engine::new(config).unwrap().take_startup_messages();
    assert!(notes.iter().any(|note| note.contains("only 1 of 4 search threads")), "{notes:?}");
    fault::arm("threads 0");
    assert!(Engine::new(Config::default()).is_err_and(|error| error.kind() == std::io::ErrorKind::OutOfMemory));
}

/// King and queen against king, 80 bytes: the result is the same everywhere.
fn small_tables(dir: &Dir) {
    for (name, magic) in [("KQvK.rtbw", [0x71, 0xe8, 0x23, 0x5d]), ("KQvK.rtbz", [0xd7, 0x66, 0x0c, 0xa5])] {
        let sides: &[u8] = if name.ends_with('w') { &[0x80, 4, 0x80, 0] } else { &[0x80, 0] };
        let mut bytes = [&magic[..], &[1, 0, 0x66, 0x55, 0xee, 0], sides].concat();
        bytes.resize(80, 0);
        dir.file(name, bytes);
    }
}

/// With keys of four bits nearly every probe finds what belongs to another position.
#[test]
fn f20_foreign_table_entries_never_make_an_illegal_move() {
    let _alone = alone();
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("Hash", "1").unwrap();
    for bits in [4, 0, 8] {
        fault::arm(&format!("key-bits {bits}"));
        for threads in [1, 3] {
            engine.set_option("Threads", &threads.to_string()).unwrap();
            for fen in POSITIONS.iter().cycle().take(20) {
                engine.set_game(Game::new(parse_fen(fen).unwrap()));
                let said = start(&mut engine, Limits { depth: Some(9), nodes: Some(30_000), ..Limits::default() });
                assert_eq!(answer(&engine, &said), 0, "{fen}: a search thread failed");
            }
        }
    }
}

#[test]
fn f06_slow_tables_do_not_cost_the_game() {
    let _alone = alone();
    let dir = Dir::new();
    small_tables(&dir);
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.set_option("SyzygyPath", dir.path().to_str().unwrap()).unwrap();
    engine.set_game(Game::new(parse_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").unwrap()));
    fault::arm("slow-syzygy 200");
    let asked = Instant::now();
    let (sender, said) = unbounded();
    engine.go(Limits::move_time(100), Box::new(Recorder(sender)));
    let best = loop {
        if let Said::Answer(answer) = said.recv_timeout(LIMIT).expect("an answer") {
            break answer.best;
        }
    };
    let waited = asked.elapsed();
    assert!(best.is_some());
    // Ranking the root alone asks more than twenty times.
    assert!(waited < Duration::from_millis(2500), "{waited:?}");
}

#[test]
fn files_that_cannot_be_read_are_named_and_done_without() {
    let _alone = alone();
    let dir = Dir::new();
    small_tables(&dir);
    let book = dir.file("book.bin", [0u8; 16]);
    let mut engine = Engine::new(Config::default()).unwrap();
    fault::arm("book");
    let note = engine.set_option("Book File", book.to_str().unwrap()).unwrap_err().to_string();
    assert!(note.contains("cannot be read"), "{note}");
    engine.set_option("OwnBook", "true").unwrap();
    let said = start(&mut engine, Limits::move_time(30));
    answer(&engine, &said);
    fault::arm("");
    engine.set_option("SyzygyPath", dir.path().to_str().unwrap()).unwrap();
    engine.set_game(Game::new(parse_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").unwrap()));
    fault::arm("syzygy");
    let said = start(&mut engine, Limits::depth(8));
    assert_eq!(answer(&engine, &said), 1, "told once");
    let said = start(&mut engine, Limits::depth(8));
    assert_eq!(answer(&engine, &said), 0, "and not again");
}

/// The same through the protocol, with every line held against the grammar.
#[test]
fn the_program_lives_through_it() {
    let _alone = alone();
    for (plan, threads, go) in [
        ("panic 0 1", 1, "depth 12"),
        ("panic 0 5000", 1, "movetime 200"),
        ("panic 0 5000", 3, "movetime 200"),
        // However busy the machine, the thread comes to its fault before the others come to the limit.
        ("panic 2 3000", 3, "nodes 2000000"),
        ("panic 0 2000", 2, "wtime 4000 btime 4000"),
    ] {
        let mut engine = common::Engine::with_env(Dir::new(), &[("ASPIRANT_FAULT", plan)]);
        engine.noisy = true;
        engine.quiet(&format!("setoption name Threads value {threads}"));
        let found = engine.search("startpos moves e2e4", go);
        assert!(found.best.is_some() && !found.strings.is_empty(), "{plan}: {found:?}");
        engine.is_well();
        engine.quit();
    }
    // On the opponent's time the answer still waits for its word.
    let mut engine = common::Engine::with_env(Dir::new(), &[("ASPIRANT_FAULT", "panic 0 2000")]);
    engine.noisy = true;
    engine.send("position startpos");
    engine.send("go ponder wtime 1000 btime 1000");
    engine.no_answer_for(Duration::from_millis(300));
    engine.send("ponderhit");
    engine.answer(&Root::new("startpos"), LIMIT);
    engine.quit();
}
