//! `go`: every parameter, alone and combined, valid or not. `stop` has tests of what ends a search.

use std::time::{Duration, Instant};

use crate::common::Engine;
use crate::common::grammar::Score;
use crate::common::positions::uci::{BARE_KINGS, KIWIPETE, MATED, STALEMATED};

#[test]
fn depth_and_node_limits_are_kept() {
    let mut engine = Engine::start();
    for depth in [1, 2, 5, 9] {
        let found = engine.search(KIWIPETE, &format!("depth {depth}"));
        assert_eq!(found.last().depth, depth);
        let depths: Vec<u32> = found.infos.iter().map(|info| info.depth).collect();
        assert_eq!(depths, (1..=depth).collect::<Vec<_>>(), "one info line for each iteration");
    }
    for nodes in [1, 2, 10, 500, 10_000] {
        let found = engine.search(KIWIPETE, &format!("nodes {nodes}"));
        assert!(found.last().nodes <= nodes + 2, "{nodes}: {:?}", found.last());
    }
    engine.quit();
}

/// cutechess/cutechess#281. `clocks` tests that the limit is not exceeded, `scripts/latency.py` by how much on a machine.
#[test]
fn movetime_is_used() {
    let mut engine = Engine::start();
    for milliseconds in [1, 10, 50, 250] {
        let start = Instant::now();
        engine.search("startpos", &format!("movetime {milliseconds}"));
        assert!(start.elapsed() + Duration::from_millis(20) >= Duration::from_millis(milliseconds), "{milliseconds}");
    }
    engine.quit();
}

/// ptsouchlos/byte-knight#100, bdmendes/camel#219.
#[test]
fn any_clock_returns_bestmove() {
    let mut engine = Engine::start();
    let mut clocks: Vec<String> = [
        "wtime 0 btime 0",
        "wtime -171000 btime 5000",
        "wtime 1 btime 1",
        "wtime 1 btime 1 winc 0 binc 0 movestogo 0",
        "wtime 100",
        "btime 100",
        "btime -5",
        "winc 10",
        "binc 10",
        "winc -10 wtime 100 btime 100",
        "wtime 100 btime 100 movestogo -3",
        "wtime 100 btime 100 movestogo 300",
        "wtime 100 btime 100 movestogo 1 winc 99999999",
        "wtime 5 btime 5 winc 2000 binc 2000",
        "wtime 5 wtime 6 btime 7",
        "movetime 0",
        "movetime -5",
        "movetime 1",
        "movestogo 5 wtime 50 btime 50",
        "wtime 100 wtime 50 btime 100",
    ]
    .map(str::to_owned)
    .into();
    for time in ["-1", "-50", "-2147483649", "-9223372036854775808", "-99999999999999999999999999"] {
        clocks.extend(
            ["", " winc -5 binc -5", " winc 10 binc 10"].map(|more| format!("wtime {time} btime {time}{more}")),
        );
    }
    for go in &clocks {
        for side in ["startpos", "startpos moves e2e4"] {
            engine.search(side, go);
        }
    }
    // Extremely much time: the search continues until `stop`.
    for go in ["wtime 99999999999999999999 btime 1", "movetime 9223372036854775807", "wtime 9223372036854775807"] {
        let root = engine.start_search("startpos", go);
        engine.no_answer_for(Duration::from_millis(50));
        engine.stop(&root);
    }
    engine.quit();
}

#[test]
fn invalid_go_argument_is_reported_and_answered() {
    let mut engine = Engine::start();
    for go in ["depth x nodes 500", "depth 3 wtime", "movetime fast depth 3", "nodes 1,5 depth 3", "depth 3 mate"] {
        let found = engine.search("startpos", go);
        assert_eq!(found.strings.len(), 1, "go {go}: {found:?}");
    }
    for go in ["depth x", "movetime", "nodes 1e6"] {
        let found = engine.search("startpos", go);
        assert!(found.strings.iter().any(|text| text.contains("no limit is left")), "go {go}: {:?}", found.strings);
    }
    engine.quit();
}

/// LeelaChessZero/lc0#899.
#[test]
fn illegal_searchmoves_are_reported_and_ignored() {
    let mut engine = Engine::start();
    for moves in ["e2e5", "a1a1 e7e5", "xyz", "0000"] {
        let found = engine.search("startpos", &format!("depth 3 searchmoves {moves}"));
        assert!(found.strings[0].contains(moves.split(' ').next().unwrap()), "{found:?}");
        assert!(found.strings.iter().any(|text| text.contains("all moves are searched")), "{found:?}");
    }
    for moves in ["e2e4 e2e5", "e2e4 e2e4"] {
        assert_eq!(engine.search("startpos", &format!("depth 3 searchmoves {moves}")).best(), "e2e4");
    }
    assert!(engine.search("startpos", "depth 3 searchmoves").best.is_some());
    engine.quit();
}

#[test]
fn out_of_range_limits_are_survived() {
    let mut engine = Engine::start();
    for go in [
        "depth 0",
        "depth -1",
        "depth 256 nodes 2000",
        "depth 1000 nodes 2000",
        "depth 99999999999 nodes 2000",
        "depth +3",
        "nodes 0",
        "nodes -5",
        "nodes 18446744073709551616 depth 3",
        "movetime 99999999999999999999999 depth 3",
        "mate 0 nodes 2000",
        "mate -1 nodes 2000",
        "mate 9999 nodes 2000",
    ] {
        engine.search("startpos", go);
    }
    let found = engine.search(BARE_KINGS, "depth 99999");
    assert!(found.last().depth > 100, "{:?}", found.last());
    // Some of these search until `stop`; some are not searches.
    for go in [
        "",
        "depth",
        "depth 3\u{0}",
        "movetime",
        "wtime btime",
        "btime 5",
        "searchmoves depth 3",
        "mate -3",
        "ponder ponder",
        "perft x",
        "perft 2 depth 3",
    ] {
        engine.survives(&format!("go {go}"));
    }
    engine.quit();
}

/// mcostalba/Stockfish#88, Yoshie2000/PlentyChess#351; Stockfish commit 0b9068d51.
#[test]
fn greatest_depths_do_not_overflow() {
    let mut engine = Engine::start();
    for (position, go) in [
        ("fen 7K/P1p1p1p1/2P1P1Pk/6pP/3p2P1/1P6/3P4/8 w - - 0 1", "nodes 300000"),
        ("fen 8/8/8/8/8/6k1/8/6K1 w - - 0 1", "depth 255"),
        ("fen k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1", "depth 60 nodes 300000"),
        ("fen 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "depth 99 nodes 300000"),
    ] {
        let found = engine.search(position, go);
        assert!(found.last().depth >= 20 || found.last().nodes >= 100_000, "{:?}", found.last());
    }
    engine.quit();
}

/// LeelaChessZero/lc0#1209.
#[test]
fn no_legal_move_returns_none_without_busy_waiting() {
    std::thread::scope(|scope| {
        for (position, score) in [(MATED, Score::Mate(0)), (STALEMATED, Score::Cp(0))] {
            for threads in [1, 2] {
                scope.spawn(move || no_legal_move(position, score, threads));
            }
        }
    });
}

fn no_legal_move(position: &str, score: Score, threads: u32) {
    let mut engine = Engine::start();
    engine.set("Threads", threads);
    for multi_pv in [1, 3] {
        engine.set("MultiPV", multi_pv);
        for go in [
            "",
            "depth 5",
            "nodes 1",
            "movetime 30",
            "wtime 10 btime 10",
            "wtime 1000 btime 1000",
            "mate 2",
            "searchmoves a1a2",
        ] {
            let found = engine.search(position, go);
            assert_eq!((found.best.as_deref(), found.ponder.as_deref(), found.score()), (None, None, score), "go {go}");
        }
    }
    let root = engine.start_search(position, "infinite");
    #[cfg(target_os = "linux")]
    {
        let before = engine.processor_ticks();
        engine.no_answer_for(Duration::from_millis(300));
        assert!(engine.processor_ticks() - before < 15, "busy waiting");
    }
    engine.stop(&root);
    engine.quit();
}
