//! Tests the checks of the test driver: they must detect each of these faults in the output of an engine.

use crate::common::grammar::read;
use crate::common::positions::uci::MATE_IN_1;
use crate::common::search::{Root, check};

/// Checks the output of a search as the driver does.
fn check_output(position: &str, lines: &[String]) -> Result<(), String> {
    let lines = lines.iter().map(|line| read(line)).collect::<Result<_, _>>()?;
    check(&Root::new(position), false, lines).map(drop)
}

#[test]
fn every_planted_fault_is_detected() {
    let info = |score: &str, nodes: u32, pv: &str| {
        format!(
            "info depth 1 seldepth 2 multipv 1 score {score} nodes {nodes} nps 9 hashfull 0 tbhits 0 time 1 pv {pv}"
        )
    };
    let (first, mate) = (info("cp 30", 20, "e2e4 e7e5"), info("mate 1", 20, "a1a8"));
    let best = |answer: &str| format!("bestmove {answer}");
    check_output("startpos", &[first.clone(), best("e2e4 ponder e7e5")]).unwrap();
    check_output(MATE_IN_1, &[mate, best("a1a8")]).unwrap();
    for (position, lines, expected) in [
        ("startpos", vec![best("e2e4")], "without an info line"),
        ("startpos", vec![first.clone(), info("cp 30", 10, "e2e4"), best("e2e4")], "decreased"),
        ("startpos", vec![info("cp 12.5", 20, "e2e4"), best("e2e4")], "not an integer"),
        ("startpos", vec!["info  depth 1".into(), best("e2e4")], "expected 'depth'"),
        ("startpos", vec![first.clone(), "hello".into()], "unknown message"),
        ("startpos", vec![first.clone(), "BestMove e2e4".into()], "unknown message"),
        ("startpos", vec![first.clone(), best("e2e5")], "illegal move e2e5"),
        ("startpos", vec![first.clone(), best("e7e5")], "illegal move e7e5"),
        ("startpos", vec![first.clone(), best("(none)")], "(none) with legal moves"),
        ("startpos", vec![first.clone(), best("d2d4")], "the last PV of line 1 is"),
        ("startpos", vec![first.clone(), best("e2e4 ponder e2e4")], "illegal move e2e4"),
        ("startpos", vec![first, "uciok".into(), best("e2e4")], "during a search"),
        (MATE_IN_1, vec![info("mate 1", 20, "a1a8 g8h8"), best("a1a8")], "after the end of the game"),
        (MATE_IN_1, vec![info("mate 2", 20, "a1a8"), best("a1a8")], "score mate 2"),
    ] {
        let error = check_output(position, &lines).unwrap_err();
        assert!(error.contains(expected), "{lines:?}: {error}");
    }
}
