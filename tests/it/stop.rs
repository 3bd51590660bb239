//! What ends a search: `stop`, `ponderhit`, `quit`, and commands that arrive at any moment. Each `go` is answered once, in order.

use std::time::Duration;

use crate::common::grammar::{Line, Score};
use crate::common::positions::uci::{
    BARE_KINGS, KIWIPETE, MANY_QUEENS, MATE_IN_1, MATED, MOST_MOVES, QUEEN_AGAINST_KING,
};
use crate::common::search::Root;
use crate::common::{Engine, LIMIT};

#[test]
fn isready_is_answered_while_searching() {
    let mut engine = Engine::start();
    for threads in [1, 2] {
        engine.set("Threads", threads);
        let root = engine.start_search("startpos", "infinite");
        (0..20).for_each(|_| drop(engine.ready()));
        engine.stop(&root);
    }
    engine.quit();
}

/// paulsonkoly/chess-3#163, lucasart/Demolito#27; Matthies/RubiChess#257, official-stockfish/Stockfish#3911.
#[test]
fn stop_returns_bestmove_at_any_moment() {
    std::thread::scope(|scope| {
        for position in ["startpos", KIWIPETE, MANY_QUEENS, MOST_MOVES, MATE_IN_1, BARE_KINGS, MATED] {
            scope.spawn(move || {
                let mut engine = Engine::start();
                for threads in [1, 3] {
                    engine.set("Threads", threads);
                    for delay in [0, 1, 5, 30, 100] {
                        let root = engine.start_search(position, "infinite");
                        std::thread::sleep(Duration::from_millis(delay));
                        engine.stop(&root);
                    }
                    // Both commands are read at once: no time for a search.
                    for go in ["infinite", "movetime 0", "nodes 0", "nodes 1", "wtime 0 btime 0", "depth 0"] {
                        engine.expect_answers(1);
                        engine.send_bytes(format!("position {position}\ngo {go}\nstop\n").as_bytes());
                        engine.answer(&Root::new(position), LIMIT);
                    }
                }
                engine.quit();
            });
        }
    });
}

/// jdart1/arasan-chess#21; LeelaChessZero/lc0#693; nescitus/rodent-iv#15.
#[test]
fn infinite_and_ponder_wait_for_stop_or_ponderhit() {
    // Mostly waits: one engine for each position, all at once.
    std::thread::scope(|scope| {
        for position in [MATE_IN_1, BARE_KINGS, MATED, "startpos"] {
            scope.spawn(move || infinite_and_ponder_in(position));
        }
        // A search with `infinite` that has reached the maximum depth waits for `stop`, too.
        scope.spawn(|| {
            let mut engine = Engine::start();
            let root = engine.start_search(BARE_KINGS, "infinite");
            engine.no_answer_for(Duration::from_millis(1500));
            engine.stop(&root);
            engine.quit();
        });
    });
}

fn infinite_and_ponder_in(position: &str) {
    let mut random = fastrand::Rng::with_seed(39);
    let mut engine = Engine::start();
    for go in [
        "infinite",
        "infinite depth 2",
        "infinite nodes 10",
        "infinite movetime 1",
        "infinite wtime 1 btime 1",
        "infinite mate 1",
        "ponder wtime 10 btime 10",
        "ponder movetime 1",
        "ponder depth 1",
        "ponder nodes 1",
        "wtime 1 btime 1 ponder",
        "ponder infinite",
    ] {
        // Late commands for the search before.
        (0..random.u32(0..5)).for_each(|_| engine.send_bytes(b"stop\nponderhit\n"));
        let root = engine.start_search(position, go);
        engine.no_answer_for(Duration::from_millis(40));
        // Both commands in one write, in either order.
        let end = ["stop\n", "stop\nponderhit\n", "ponderhit\nstop\nstop\n"][random.usize(0..3)];
        engine.send_bytes(end.as_bytes());
        engine.answer(&root, LIMIT);
        engine.ready();
    }
    for go in ["ponder wtime 100 btime 100", "ponder depth 2", "ponder nodes 10", "ponder movetime 30"] {
        let root = engine.start_search(position, go);
        engine.no_answer_for(Duration::from_millis(40));
        engine.send("ponderhit");
        engine.answer(&root, LIMIT);
    }
    let root = engine.start_search(position, "ponder infinite");
    engine.send("ponderhit");
    engine.no_answer_for(Duration::from_millis(100));
    engine.stop(&root);
    engine.quit();
}

/// kelseyde/hobbes-chess-engine#425; TerjeKir/weiss#17; FitzOReilly/fatalii#68;
/// lichess-org/stockfish.wasm#13.
#[test]
fn bestmove_belongs_to_the_position_of_its_go() {
    let mut random = fastrand::Rng::with_seed(18);
    let mut engine = Engine::start();
    // No legal move of one of these positions is legal in another.
    let positions = ["startpos", "startpos moves e2e4", QUEEN_AGAINST_KING, "fen 8/7p/8/3k4/8/8/8/K7 b - - 0 1"];
    for _ in 0..150 {
        let burst: Vec<&str> = (0..random.usize(1..4)).map(|_| positions[random.usize(0..4)]).collect();
        let mut bytes = String::new();
        for position in &burst {
            bytes +=
                &format!("position {position}\ngo {}\n", ["infinite", "depth 3", "movetime 2"][random.usize(0..3)]);
            if random.bool() {
                bytes += "stop\n";
            }
        }
        bytes += "stop\n";
        engine.expect_answers(burst.len());
        engine.send_bytes(bytes.as_bytes());
        for position in burst {
            engine.answer(&Root::new(position), LIMIT);
        }
        std::thread::sleep(Duration::from_micros(random.u64(0..500)));
    }
    engine.quit();
}

#[test]
fn position_during_search_applies_to_the_next_go() {
    let mut engine = Engine::start();
    let root = engine.start_search("startpos", "infinite");
    engine.send(&format!("position {MATE_IN_1}"));
    assert!(engine.ready().iter().all(|line| matches!(line, Line::Info(_))));
    engine.stop(&root);
    engine.send("go depth 3");
    assert_eq!(engine.answer(&Root::new(MATE_IN_1), LIMIT).score(), Score::Mate(1));
    engine.quit();
}

/// official-stockfish/Stockfish#1184; vshcherbyna/igel#218.
#[test]
fn random_commands_keep_one_bestmove_in_order() {
    let options = [
        "Hash value 4",
        "Hash value 32",
        "Threads value 8",
        "Threads value 3",
        "Threads value 1",
        "Clear Hash",
        "MultiPV value 3",
        "MultiPV value 1",
        "UCI_ShowWDL value true",
        "Move Overhead value 50",
        "Hash value 0",
        "Threads value 100000",
        "Nonsense value 1",
    ];
    let mut random = fastrand::Rng::with_seed(20);
    let mut engine = Engine::start();
    let positions = ["startpos", KIWIPETE, MATE_IN_1, BARE_KINGS, MATED];
    let (mut roots, mut next) = (Vec::new(), "startpos");
    for _ in 0..600 {
        match random.u32(0..12) {
            0..2 => {
                next = positions[random.usize(0..positions.len())];
                engine.send(&format!("position {next}"));
            }
            2..6 => {
                let kinds = ["infinite", "ponder wtime 50 btime 50", "depth 5", "movetime 5", "nodes 500"];
                engine.send(&format!("go {}", kinds[random.usize(0..kinds.len())]));
                roots.push(Root::new(next));
            }
            6 => engine.send("stop"),
            7 => engine.send("ponderhit"),
            8..11 => engine.send(&format!("setoption name {}", options[random.usize(0..options.len())])),
            _ => engine.send("ucinewgame"),
        }
        std::thread::sleep(Duration::from_micros(random.u64(0..2500)));
    }
    engine.send("stop");
    for root in &roots {
        engine.answer(root, LIMIT);
    }
    engine.assert_alive();
    engine.quit();
}

/// official-stockfish/Stockfish#5460.
#[test]
fn number_of_info_lines_is_limited() {
    std::thread::scope(|scope| {
        for position in ["startpos", BARE_KINGS, MATE_IN_1, KIWIPETE] {
            scope.spawn(move || {
                let mut engine = Engine::start();
                let root = engine.start_search(position, "infinite");
                std::thread::sleep(Duration::from_millis(300));
                let found = engine.stop(&root);
                assert_eq!(found.current_moves, 0, "currmove in the first seconds");
                assert!(found.infos.len() <= 256, "{} info lines", found.infos.len());
                engine.quit();
            });
        }
    });
}

#[test]
fn quit_and_end_of_input_end_the_engine() {
    for (before, answers) in [
        ("", 0),
        ("uci\n", 0),
        ("isready\n", 0),
        ("go infinite\n", 1),
        ("go ponder wtime 1000 btime 1000\n", 1),
        ("go wtime 1000000 btime 1000000\n", 1),
        ("setoption name Threads value 2\ngo infinite\n", 1),
        ("position fen 8/8/4k3/8/8/3K4/8/8 w - - 0 1\ngo infinite\n", 1),
        ("isready", 0),
        ("quit", 0),
        ("go infinite\nquit\n", 1),
        ("go depth 99", 1),
    ] {
        for wait in [0, 30] {
            let mut engine = Engine::start();
            engine.expect_answers(answers);
            engine.send_bytes(before.as_bytes());
            std::thread::sleep(Duration::from_millis(wait));
            if !before.ends_with("quit\n") {
                engine.close_stdin();
            }
            assert_eq!(engine.exit_code(LIMIT), Some(0), "{before:?}");
        }
    }
}
