//! The engine without threads: searches in slices on the thread of the caller, through `Engine` and `Session`.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use aspirant::config::Config;
use aspirant::engine::{Engine, SliceBudget, SliceStatus};
use aspirant::search::STACK_SIZE;
use aspirant::search::limits::Limits;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};
use aspirant::uci::Session;

use crate::common::Dir;
use crate::common::books::{E2E4, START, book};
use crate::common::evaluator::PANICKING;

const SMALL: SliceBudget = SliceBudget { nodes: Some(600), time: None };

const POSITIONS: [&str; 4] = [
    "startpos",
    "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "fen 7k/8/6K1/8/8/8/8/5Q2 b - - 0 1",
];

/// Runs a test on a thread with the stack of a search.
fn on_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// An inline session and its output.
struct Client {
    session: Session,
    lines: Receiver<String>,
}

impl Client {
    fn with(config: Config) -> Self {
        let (sender, lines) = channel();
        let engine = Engine::builder().config(config).inline().build().unwrap();
        Self { session: Session::new(engine, move |line: &str| drop(sender.send(line.to_owned()))), lines }
    }

    fn new() -> Self {
        Self::with(Config::default())
    }

    fn send(&mut self, line: &str) -> Vec<String> {
        assert!(self.session.handle_line(line), "{line}");
        self.lines.try_iter().collect()
    }

    /// Runs slices until the search ends or waits; returns the status and the output.
    fn run(&mut self, budget: SliceBudget) -> (SliceStatus, Vec<String>) {
        for _ in 0..100_000 {
            let status = self.session.run_slice(budget);
            if status != SliceStatus::Searching {
                return (status, self.lines.try_iter().collect());
            }
        }
        panic!("the search does not end");
    }
}

fn best_moves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove ")).count()
}

/// Returns the value after this word in the last info line.
fn last_value(lines: &[String], word: &str) -> String {
    let info = lines.iter().rev().find(|line| line.starts_with("info depth")).unwrap();
    info.split(' ').skip_while(|found| *found != word).nth(1).unwrap().to_owned()
}

#[test]
fn one_slice_gives_the_best_move_and_nodes_of_the_threaded_engine() {
    on_large_stack(|| {
        for position in POSITIONS {
            let commands = [format!("position {position}"), "go depth 8".to_owned()];
            let (sender, lines) = channel();
            let mut threaded = Session::new(Engine::builder().build().unwrap(), move |line: &str| {
                drop(sender.send(line.to_owned()));
            });
            let mut inline = Client::new();
            for command in &commands {
                assert!(threaded.handle_line(command));
                assert!(inline.send(command).is_empty());
            }
            threaded.engine().wait();
            threaded.finish();
            let expected: Vec<String> = lines.iter().collect();
            let (status, found) = inline.run(SliceBudget::UNLIMITED);
            assert_eq!((status, found.last()), (SliceStatus::Idle, expected.last()), "{position}");
            assert_eq!(last_value(&found, "nodes"), last_value(&expected, "nodes"), "{position}");
        }
    });
}

#[test]
fn small_slices_reach_the_same_depth_with_one_bestmove() {
    on_large_stack(|| {
        let mut client = Client::new();
        for position in &POSITIONS[..3] {
            client.send(&format!("position {position}"));
            client.send("go depth 9");
            let (status, lines) = client.run(SMALL);
            assert_eq!((status, best_moves(&lines)), (SliceStatus::Idle, 1), "{position}");
            assert_eq!(last_value(&lines, "depth"), "9", "{position}");
        }
        assert_eq!(client.session.run_slice(SMALL), SliceStatus::Idle);
    });
}

#[test]
fn infinite_and_ponder_hold_the_best_move_until_stop_or_ponderhit() {
    on_large_stack(|| {
        let mut client = Client::new();
        client.send(&format!("position {}", POSITIONS[3]));
        for (go, end) in [
            ("go infinite depth 3", "stop"),
            ("go ponder depth 3", "ponderhit"),
            ("go ponder movetime 5", "stop"),
            ("go ponder movetime 5", "ponderhit"),
            ("go ponder infinite depth 2", "stop"),
        ] {
            client.send(go);
            // The move time does not end a search that ponders.
            let deadline = Instant::now() + Duration::from_millis(20);
            while Instant::now() < deadline {
                client.session.run_slice(SMALL);
            }
            assert_eq!(best_moves(&client.lines.try_iter().collect::<Vec<_>>()), 0, "{go}");
            assert_ne!(client.session.run_slice(SMALL), SliceStatus::Idle, "{go}");
            client.send(end);
            let (status, lines) = client.run(SMALL);
            assert_eq!((status, best_moves(&lines)), (SliceStatus::Idle, 1), "{go}, {end}");
        }
        // `ponderhit` does not end an infinite search.
        client.send("go ponder infinite depth 2");
        client.send("ponderhit");
        let (status, lines) = client.run(SMALL);
        assert_eq!((status, best_moves(&lines)), (SliceStatus::Waiting, 0));
        client.send("stop");
        assert_eq!(best_moves(&client.run(SMALL).1), 1);
    });
}

#[test]
fn stop_between_slices_ends_the_search_and_a_late_stop_has_no_effect() {
    on_large_stack(|| {
        let mut client = Client::new();
        for _ in 0..3 {
            client.send("go infinite");
            for _ in 0..3 {
                assert_eq!(client.session.run_slice(SMALL), SliceStatus::Searching);
            }
            assert!(client.send("isready").contains(&"readyok".to_owned()));
            client.send("stop");
            assert_eq!(best_moves(&client.run(SMALL).1), 1);
            client.send("stop");
            client.send("go depth 4");
            let (_, lines) = client.run(SMALL);
            assert_eq!((best_moves(&lines), last_value(&lines, "depth").as_str()), (1, "4"));
        }
        // A second `go`, a new game and a new hash size end the search first; MultiPV does not.
        for command in
            ["go depth 2", "ucinewgame", "setoption name Hash value 2", "setoption name Clear Hash", "perft 1"]
        {
            client.send("go infinite");
            client.session.run_slice(SMALL);
            client.lines.try_iter().for_each(drop);
            assert_eq!(best_moves(&client.send(command)), 1, "{command}");
            client.run(SMALL);
        }
        client.send("go infinite");
        client.session.run_slice(SMALL);
        assert_eq!(best_moves(&client.send("setoption name MultiPV value 2")), 0);
        assert_eq!(client.session.run_slice(SMALL), SliceStatus::Searching);
        client.session.finish();
        assert_eq!(best_moves(&client.lines.iter().collect::<Vec<_>>()), 1);
    });
}

#[test]
fn random_scripts_get_one_bestmove_per_go_in_order() {
    on_large_stack(|| {
        let mut random = fastrand::Rng::with_seed(11);
        for script in 0..60 {
            let mut client = Client::new();
            let (mut gos, mut answers) = (0, 0);
            for _ in 0..25 {
                let position = format!("position {}", POSITIONS[random.usize(..POSITIONS.len())]);
                let commands = [
                    "go depth 3",
                    "go nodes 900",
                    "go movetime 3",
                    "go infinite",
                    "go ponder wtime 100 btime 100",
                    "go wtime 50 btime 50 winc 1",
                    "go mate 1 depth 4",
                    "go searchmoves e2e4 depth 3",
                    "stop",
                    "ponderhit",
                    "isready",
                    "ucinewgame",
                    "setoption name Hash value 1",
                    "setoption name MultiPV value 3",
                    "setoption name UCI_LimitStrength value true",
                    &position,
                ];
                let command = commands[random.usize(..commands.len())];
                answers += best_moves(&client.send(command));
                if command.starts_with("go") {
                    // All earlier searches are answered when the next one begins.
                    assert_eq!(answers, gos, "script {script}: {command}");
                    gos += 1;
                }
                for _ in 0..random.usize(..4) {
                    client.session.run_slice(SMALL);
                }
                answers += best_moves(&client.lines.try_iter().collect::<Vec<_>>());
                assert!(answers <= gos, "script {script}: {command}");
            }
            client.session.finish();
            answers += best_moves(&client.lines.iter().collect::<Vec<_>>());
            assert_eq!(answers, gos, "script {script}");
        }
    });
}

#[test]
fn time_limits_end_a_sliced_search() {
    on_large_stack(|| {
        let mut client = Client::new();
        for go in ["go movetime 40", "go wtime 800 btime 800"] {
            let start = Instant::now();
            client.send(go);
            let (_, lines) = client.run(SliceBudget { nodes: None, time: Some(Duration::from_millis(5)) });
            assert_eq!(best_moves(&lines), 1);
            // Generous, because tests run beside each other.
            assert!(start.elapsed() < Duration::from_secs(5), "{go}: {:?}", start.elapsed());
        }
    });
}

#[test]
fn threads_is_offered_and_accepted_with_the_value_1_only() {
    on_large_stack(|| {
        let mut config = Config::default();
        config.options.set("Threads", "3").unwrap();
        let mut client = Client::with(config);
        assert!(client.send("uci").contains(&"option name Threads type spin default 1 min 1 max 1".to_owned()));
        let expected = "option 'Threads': '3' is not 1, this engine searches on the thread of its caller";
        assert_eq!(
            client.send("isready"),
            [format!("info string {expected}; one thread is used"), "readyok".to_owned()]
        );
        let answer = client.send("setoption name Threads value 2");
        assert_eq!(answer, ["info string ignored option 'Threads': '2' is not a whole number from 1 to 1"]);
        assert!(client.send("setoption name Threads value 1").is_empty());
        assert_eq!(
            client.send("bench 1 2"),
            ["info string bench: threads '2' is not 1, the only number of this engine"]
        );
        let mut engine = Engine::builder().inline().build().unwrap();
        assert!(engine.update_options(|options| options.set_threads(2)).is_err() && engine.options().threads() == 1);
    });
}

#[test]
fn tools_run_to_their_end_within_the_command() {
    on_large_stack(|| {
        let mut client = Client::new();
        assert!(client.send("perft 3").contains(&"Nodes searched: 8902".to_owned()));
        let bench = client.send("bench 5");
        let expected = aspirant::tools::bench::run(
            &aspirant::tools::bench::BenchRequest { depth: 5, ..Default::default() },
            &std::sync::atomic::AtomicBool::new(false),
            &mut |_| {},
        );
        let nodes = format!("{} nodes ", expected.unwrap().nodes);
        assert!(bench.last().unwrap().starts_with(&nodes), "{nodes}: {:?}", bench.last());
        assert_eq!(client.send("genfens 2 seed 1 book None").len(), 2);
    });
}

#[test]
fn book_move_is_answered_without_a_slice() {
    on_large_stack(|| {
        let dir = Dir::new();
        let path = dir.file("book.bin", book(&[(START, E2E4, 1)]));
        let mut client = Client::new();
        client.send("setoption name OwnBook value true");
        client.send(&format!("setoption name Book File value {}", path.display()));
        let lines = client.send("go movetime 1000");
        assert_eq!(lines.last().map(String::as_str), Some("bestmove e2e4"));
        assert_eq!(client.session.run_slice(SMALL), SliceStatus::Idle);
    });
}

#[test]
fn dropping_an_engine_reports_one_best_move() {
    struct Recorder(Sender<BestMove>);
    impl Reporter for Recorder {
        fn info(&mut self, _info: &SearchInfo) {}
        fn best_move(&mut self, answer: BestMove) {
            let _ = self.0.send(answer);
        }
    }
    on_large_stack(|| {
        for slices in [0, 2] {
            let mut engine = Engine::builder().inline().build().unwrap();
            let (sender, answers) = channel();
            engine.go(Limits { infinite: true, ..Limits::default() }, Box::new(Recorder(sender)));
            for _ in 0..slices {
                assert_eq!(engine.run_slice(SMALL), SliceStatus::Searching);
            }
            drop(engine);
            assert_eq!(answers.iter().filter(|answer| answer.best.is_some()).count(), 1);
        }
        let mut engine = Engine::builder().inline().build().unwrap();
        let result = engine.search(Limits::depth(5));
        assert!(result.best_move.is_some() && result.depth == 5);
        let stop = engine.stop_handle();
        let (sender, has_ended) = channel::<()>();
        let stopper = std::thread::spawn(move || {
            // Repeated, because a stop before the start of the search has no effect.
            while has_ended.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        assert!(engine.search(Limits { infinite: true, ..Limits::depth(2) }).best_move.is_some());
        drop(sender);
        stopper.join().unwrap();
    });
}

#[test]
fn panic_in_a_slice_gives_one_bestmove_and_the_session_continues() {
    on_large_stack(|| {
        let engine = Engine::builder().evaluator(PANICKING).inline().build().unwrap();
        let (sender, lines) = channel();
        let mut session = Session::new(engine, move |line: &str| drop(sender.send(line.to_owned())));
        for _ in 0..2 {
            assert!(session.handle_line("go depth 3"));
            while session.run_slice(SMALL) != SliceStatus::Idle {}
            let found: Vec<String> = lines.try_iter().collect();
            assert!(best_moves(&found) == 1 && !found.contains(&"bestmove (none)".to_owned()), "{found:?}");
            assert!(found.iter().any(|line| line.starts_with("info string internal error")), "{found:?}");
        }
    });
}
