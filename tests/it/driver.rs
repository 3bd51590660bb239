//! Tests the test driver: it must detect each of 25 engines that have one fault.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use crate::common::grammar::Line;
use crate::common::positions::uci::MATE_IN_1;
use crate::common::search::Root;
use crate::common::{Dir, Engine, LIMIT};

/// How long a session waits.
#[derive(Clone, Copy)]
struct Waits {
    /// For an answer that must not come before `ponderhit`.
    ponder: Duration,
    answer: Duration,
    /// For `readyok` while pondering.
    ready: Duration,
    exit: Duration,
}

const WAITS: Waits = Waits { ponder: Duration::from_millis(100), answer: LIMIT, ready: LIMIT, exit: LIMIT };

/// Runs a session that every correct engine passes; returns the first failure.
fn check_engine(command: Command, waits: Waits) -> Result<(), String> {
    let mut engine = Engine::run(Dir::new(), command);
    let result = catch_unwind(AssertUnwindSafe(move || {
        engine.send("uci");
        engine.until(LIMIT, "uciok", |line| *line == Line::UciOk);
        engine.ready();
        let mut nodes = Vec::new();
        for (position, go) in [("startpos", "depth 1"), (MATE_IN_1, "depth 1"), ("startpos", "movetime 50")] {
            engine.send("ucinewgame");
            engine.send(&format!("position {position}"));
            engine.send(&format!("go {go}"));
            let found = engine.answer(&Root::new(position), waits.answer);
            engine.ready();
            if go == "depth 1" {
                nodes.push(found.last().nodes);
            }
        }
        for (position, before) in [("startpos", nodes[0]), (MATE_IN_1, nodes[1])] {
            engine.send("ucinewgame");
            assert_eq!(engine.search(position, "depth 1").last().nodes, before, "nodes differ the second time");
        }
        engine.send("position startpos");
        engine.send("go ponder wtime 1000 btime 1000");
        engine.no_answer_for(waits.ponder);
        engine.send("isready");
        engine.until(waits.ready, "readyok", |line| *line == Line::ReadyOk);
        engine.send("ponderhit");
        engine.answer(&Root::new("startpos"), waits.answer);
        engine.ready();
        engine.send("quit");
        assert_eq!(engine.exit_code(waits.exit), Some(0), "exit code");
    }));
    result.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

fn fake(fault: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/common/fake_engine.sh")).arg(fault);
    command
}

#[test]
fn correct_engines_pass() {
    check_engine(fake("none"), WAITS).unwrap();
    check_engine(crate::common::command(&Dir::new(), &[]), WAITS).unwrap();
}

#[test]
fn every_planted_fault_is_detected() {
    let short = Duration::from_millis(1500);
    let planted = [
        ("hang", Waits { answer: short, ..WAITS }, "no bestmove within"),
        ("late", Waits { answer: short, ..WAITS }, "no bestmove within"),
        ("exit", WAITS, "the engine has ended"),
        ("crash", WAITS, "the engine has ended"),
        ("no-info", WAITS, "without an info line"),
        ("nodes", WAITS, "nodes differ the second time"),
        ("time-back", WAITS, "decreased"),
        ("score", WAITS, "not an integer"),
        ("blanks", WAITS, "not a UCI message"),
        ("unknown", WAITS, "unknown message"),
        ("case", WAITS, "unknown message"),
        ("stderr", WAITS, "stderr: thread panicked"),
        ("illegal", WAITS, "illegal move e2e5"),
        ("wrong-side", WAITS, "illegal move e7e5"),
        ("no-move", WAITS, "(none) with legal moves"),
        ("other", WAITS, "the last PV of line 1 is"),
        ("ponder", WAITS, "illegal move e2e4"),
        ("half", WAITS, "incomplete line"),
        ("double", WAITS, "without a go"),
        ("past-mate", WAITS, "after the end of the game"),
        ("short-mate", WAITS, "score mate 2"),
        ("early", Waits { ponder: LIMIT, ..WAITS }, "bestmove too early"),
        ("unready", Waits { ready: short, ..WAITS }, "no readyok within"),
        ("stays", Waits { exit: short, ..WAITS }, "does not exit"),
        ("code", WAITS, "exit code"),
    ];
    let results: Vec<_> = std::thread::scope(|scope| {
        let checks: Vec<_> =
            planted.iter().map(|&(fault, waits, _)| scope.spawn(move || check_engine(fake(fault), waits))).collect();
        checks.into_iter().map(|check| check.join().unwrap()).collect()
    });
    for ((fault, _, expected), result) in planted.iter().zip(results) {
        let error = result.expect_err(fault);
        assert!(error.contains(expected), "{fault}: {error}");
    }
}
