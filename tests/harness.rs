//! Is the driver of these tests any good? It is shown engines with one fault each, and must notice every one.
#![cfg(unix)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use common::grammar::Line;
use common::search::Root;
use common::{Dir, Engine, LIMIT};

const MATE_IN_1: &str = "fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";

/// What every engine must do; the first thing that is wrong is the error.
fn judge(command: Command, limit: Duration) -> Result<(), String> {
    let mut engine = Engine::run(Dir::new(), command);
    let verdict = catch_unwind(AssertUnwindSafe(move || {
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
    verdict.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

fn fake(fault: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/fake_engine.sh")).arg(fault);
    command
}

#[test]
fn an_honest_engine_passes() {
    judge(fake("honest"), LIMIT).unwrap();
    judge(common::command(&Dir::new(), &[]), LIMIT).unwrap();
}

#[test]
fn every_planted_fault_is_noticed() {
    let soon = Duration::from_millis(1500);
    let planted = [
        ("hang", soon, "no bestmove within"),
        ("late", soon, "no bestmove within"),
        ("exit", LIMIT, "the engine has ended"),
        ("crash", LIMIT, "the engine has ended"),
        ("no-info", LIMIT, "without any info line"),
        ("nodes", LIMIT, "nodes differ the second time"),
        ("time-back", LIMIT, "went back"),
        ("score", LIMIT, "no whole number"),
        ("blanks", LIMIT, "not a line of the protocol"),
        ("unknown", LIMIT, "unknown message"),
        ("case", LIMIT, "unknown message"),
        ("stderr", LIMIT, "stderr: thread panicked"),
        ("illegal", LIMIT, "illegal move e2e5"),
        ("wrong-side", LIMIT, "illegal move e7e5"),
        ("none", LIMIT, "(none) with legal moves"),
        ("other", LIMIT, "the last line 1 is"),
        ("ponder", LIMIT, "illegal move e2e4"),
        ("half", LIMIT, "half a line"),
        ("double", LIMIT, "nobody asked for"),
        ("past-mate", LIMIT, "after the end of the game"),
        ("short-mate", LIMIT, "mate 2 promised"),
        ("early", LIMIT, "an answer too early"),
        ("unready", soon, "no readyok within"),
        ("stays", soon, "does not end"),
        ("code", LIMIT, "exit code"),
    ];
    let verdicts: Vec<_> = std::thread::scope(|scope| {
        let judges: Vec<_> =
            planted.iter().map(|&(fault, limit, _)| scope.spawn(move || judge(fake(fault), limit))).collect();
        judges.into_iter().map(|judge| judge.join().unwrap()).collect()
    });
    for ((fault, _, expected), verdict) in planted.iter().zip(verdicts) {
        let complaint = verdict.expect_err(fault);
        assert!(complaint.contains(expected), "{fault}: {complaint}");
    }
}
