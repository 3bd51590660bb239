//! Tests the test driver: it must detect each of 25 engines that have one fault.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use crate::common::grammar::Line;
use crate::common::positions::uci::MATE_IN_1;
use crate::common::search::Root;
use crate::common::{Dir, Engine, LIMIT, lock_timing};

/// Runs a session that every correct engine passes; returns the first failure.
fn check_engine(command: Command, limit: Duration) -> Result<(), String> {
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
            let found = engine.answer(&Root::new(position), limit);
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
        engine.no_answer_for(Duration::from_millis(100));
        engine.send("isready");
        engine.until(limit, "readyok", |line| *line == Line::ReadyOk);
        engine.send("ponderhit");
        engine.answer(&Root::new("startpos"), limit);
        engine.ready();
        engine.send("quit");
        assert_eq!(engine.exit_code(limit), Some(0), "exit code");
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
    check_engine(fake("none"), LIMIT).unwrap();
    check_engine(crate::common::command(&Dir::new(), &[]), LIMIT).unwrap();
}

#[test]
fn every_planted_fault_is_detected() {
    let _lock = lock_timing();
    let short = Duration::from_millis(1500);
    let planted = [
        ("hang", short, "no bestmove within"),
        ("late", short, "no bestmove within"),
        ("exit", LIMIT, "the engine has ended"),
        ("crash", LIMIT, "the engine has ended"),
        ("no-info", LIMIT, "without an info line"),
        ("nodes", LIMIT, "nodes differ the second time"),
        ("time-back", LIMIT, "decreased"),
        ("score", LIMIT, "not an integer"),
        ("blanks", LIMIT, "not a UCI message"),
        ("unknown", LIMIT, "unknown message"),
        ("case", LIMIT, "unknown message"),
        ("stderr", LIMIT, "stderr: thread panicked"),
        ("illegal", LIMIT, "illegal move e2e5"),
        ("wrong-side", LIMIT, "illegal move e7e5"),
        ("no-move", LIMIT, "(none) with legal moves"),
        ("other", LIMIT, "the last PV of line 1 is"),
        ("ponder", LIMIT, "illegal move e2e4"),
        ("half", LIMIT, "incomplete line"),
        ("double", LIMIT, "without a go"),
        ("past-mate", LIMIT, "after the end of the game"),
        ("short-mate", LIMIT, "score mate 2"),
        ("early", LIMIT, "bestmove too early"),
        ("unready", short, "no readyok within"),
        ("stays", short, "does not exit"),
        ("code", LIMIT, "exit code"),
    ];
    let results: Vec<_> = std::thread::scope(|scope| {
        let checks: Vec<_> =
            planted.iter().map(|&(fault, limit, _)| scope.spawn(move || check_engine(fake(fault), limit))).collect();
        checks.into_iter().map(|check| check.join().unwrap()).collect()
    });
    for ((fault, _, expected), result) in planted.iter().zip(results) {
        let error = result.expect_err(fault);
        assert!(error.contains(expected), "{fault}: {error}");
    }
}
