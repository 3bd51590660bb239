//! The engine without threads: `go` searches on the thread of the caller, through `Engine` and `Session`.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use aspirant::config::Config;
use aspirant::engine::Engine;
use aspirant::search::STACK_SIZE;
use aspirant::search::limits::Limits;
use aspirant::uci::Session;

use crate::common::Dir;
use crate::common::books::{E2E4, START, book};
use crate::common::evaluator::PANICKING;

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
fn go_gives_the_best_move_and_nodes_of_the_threaded_engine() {
    on_large_stack(|| {
        for position in POSITIONS {
            let commands = [format!("position {position}"), "go depth 8".to_owned()];
            let (sender, lines) = channel();
            let mut threaded = Session::new(Engine::builder().build().unwrap(), move |line: &str| {
                drop(sender.send(line.to_owned()));
            });
            let mut inline = Client::new();
            let mut found = Vec::new();
            for command in &commands {
                assert!(threaded.handle_line(command));
                found = inline.send(command);
            }
            threaded.engine().wait();
            threaded.finish();
            let expected: Vec<String> = lines.iter().collect();
            assert_eq!(found.last(), expected.last(), "{position}");
            assert_eq!(last_value(&found, "nodes"), last_value(&expected, "nodes"), "{position}");
        }
    });
}

#[test]
fn every_go_returns_with_one_bestmove() {
    on_large_stack(|| {
        let mut client = Client::new();
        for position in POSITIONS {
            client.send(&format!("position {position}"));
            for go in [
                "go depth 3",
                "go nodes 900",
                "go movetime 3",
                "go wtime 50 btime 50 winc 1",
                "go mate 1 depth 4",
                // `stop` and `ponderhit` cannot arrive while the calling thread searches.
                "go infinite depth 3",
                "go infinite nodes 900",
                "go ponder depth 3",
                "go ponder infinite depth 2",
            ] {
                assert_eq!(best_moves(&client.send(go)), 1, "{position}, {go}");
            }
            for command in ["stop", "ponderhit", "ucinewgame", "setoption name Hash value 1"] {
                assert!(client.send(command).is_empty(), "{command}");
            }
            assert_eq!(client.send("isready"), ["readyok"]);
        }
        client.session.finish();
        assert_eq!(best_moves(&client.lines.iter().collect::<Vec<_>>()), 0);
    });
}

#[test]
fn infinite_search_returns_at_its_maximum_depth() {
    on_large_stack(|| {
        let mut client = Client::new();
        client.send("position fen 8/8/4k3/8/8/3K4/8/8 w - - 0 1");
        assert_eq!(best_moves(&client.send("go infinite")), 1);
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
fn book_move_is_answered() {
    on_large_stack(|| {
        let dir = Dir::new();
        let path = dir.file("book.bin", book(&[(START, E2E4, 1)]));
        let mut client = Client::new();
        client.send("setoption name OwnBook value true");
        client.send(&format!("setoption name Book File value {}", path.display()));
        let lines = client.send("go movetime 1000");
        assert_eq!(lines.last().map(String::as_str), Some("bestmove e2e4"));
    });
}

#[test]
fn stop_handle_ends_a_search_from_another_thread() {
    on_large_stack(|| {
        let mut engine = Engine::builder().inline().build().unwrap();
        let stop = engine.stop_handle();
        let (sender, has_ended) = channel::<()>();
        let stopper = std::thread::spawn(move || {
            // Repeated, because a stop before the start of the search has no effect.
            while has_ended.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        for limits in [Limits::infinite(), Limits { ponder: true, ..Limits::move_time(1) }] {
            assert!(engine.search(limits).best_move().is_some());
        }
        drop(sender);
        stopper.join().unwrap();
        assert_eq!(engine.search(Limits::depth(5)).depth, 5);
    });
}

#[test]
fn panic_in_a_search_gives_one_bestmove_and_the_session_continues() {
    on_large_stack(|| {
        let engine = Engine::builder().evaluator(PANICKING).inline().build().unwrap();
        let (sender, lines) = channel();
        let mut session = Session::new(engine, move |line: &str| drop(sender.send(line.to_owned())));
        for _ in 0..2 {
            assert!(session.handle_line("go depth 3"));
            let found: Vec<String> = lines.try_iter().collect();
            assert!(best_moves(&found) == 1 && !found.contains(&"bestmove (none)".to_owned()), "{found:?}");
            assert!(found.iter().any(|line| line.starts_with("info string internal error")), "{found:?}");
        }
    });
}
