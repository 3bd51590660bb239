//! The protocol: every command and every parameter of `go`, in every mood of the engine.
//!
//! The driver in `common` holds each line against a strict grammar and each search against the rules of
//! chess; these tests add who may speak when. Times are generous: they tell "at once" from "after the search",
//! not a fast machine from a slow one.

mod common;

use std::time::{Duration, Instant};

use common::grammar::{Line, Score};
use common::search::Root;
use common::{Engine, LIMIT, SOON};

const MATE_IN_1: &str = "fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
const BARE_KINGS: &str = "fen 8/8/4k3/8/8/3K4/8/8 w - - 0 1";
const MATED: &str = "fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1";
const KIWIPETE: &str = "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Knights go out and home again: as many plies as wanted, all legal.
fn shuffle(plies: usize) -> String {
    let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
    (0..plies).map(|ply| round[ply % 4]).collect::<Vec<_>>().join(" ")
}

#[test]
fn uci_introduces_the_engine() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until(LIMIT, "uciok", |line| *line == Line::UciOk);
    let told: Vec<String> = lines.iter().map(Line::to_string).collect();
    assert!(told[0].starts_with("id name Aspirant ") && told[1].starts_with("id author "), "{told:?}");
    for option in [
        "option name Hash type spin default 16 min 1 max ",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max ",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max ",
        "option name Move Overhead type spin default ",
        "option name UCI_Chess960 type check default false",
        "option name UCI_ShowWDL type check default false",
    ] {
        assert_eq!(told.iter().filter(|line| line.starts_with(option)).count(), 1, "{option}: {told:?}");
    }
    assert!(lines[2..lines.len() - 1].iter().all(|line| matches!(line, Line::Option(_))), "{told:?}");
    engine.quit();
}

#[test]
fn readiness_is_said_after_everything_before_it() {
    let mut engine = Engine::start();
    engine.ready();
    for round in 0..30 {
        let rounds = (0..20).map(|number| format!("setoption name Nonsense{number}\nisready\n"));
        engine.send_bytes(rounds.collect::<String>().as_bytes());
        for number in 0..20 {
            let lines = engine.until(SOON, "readyok", |line| *line == Line::ReadyOk);
            let before: Vec<String> = lines[..lines.len() - 1].iter().map(Line::to_string).collect();
            let complained = |text: &String| text.contains(&format!("Nonsense{number}'"));
            assert!(before.len() == 1 && before.iter().all(complained), "{round}: {before:?}");
        }
    }
    engine.quit();
}

#[test]
fn commands_that_need_no_answer_get_none() {
    let mut engine = Engine::start();
    for line in [
        "",
        "   ",
        "\t",
        "# a note",
        "debug on",
        "debug off",
        "ucinewgame",
        "setoption name Clear Hash",
        "setoption name hash value 8",
        "setoption name Hash value 16 ",
        "position startpos",
        "position startpos moves",
        "position startpos moves e2e4 e7e5",
        "position  startpos  moves  e2e4  ",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - moves e2e4",
        "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9 moves g2g3",
        "stop",
        "stop",
        "ponderhit",
    ] {
        engine.quiet(line);
    }
    engine.quit();
}

#[test]
fn people_get_answers_to_what_they_type() {
    let mut engine = Engine::start();
    engine.free_text = true;
    let board = engine.ask("d").join("\n");
    assert!(board.contains("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{board}");
    assert!(board.contains("Key: ") && board.contains("Checkers:"), "{board}");
    assert!(engine.ask("eval").join("\n").to_lowercase().contains("evaluation"));
    assert!(engine.ask("compiler").join("\n").contains("Aspirant"));
    let help = engine.ask("help").join("\n");
    for word in ["position", "go", "setoption", "perft", "bench", "flip", "eval", "ponderhit"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    engine.quiet("position startpos moves e2e4");
    engine.quiet("flip");
    let flipped = engine.ask("d").join("\n");
    assert!(flipped.contains("Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - "), "{flipped}");
    assert!(!engine.ask("register later").is_empty());
    engine.send("bench 2");
    let is_total = |line: &Line| matches!(line, Line::Text(text) if text.contains(" nodes ") && text.ends_with(" nps"));
    engine.until(LIMIT, "total", is_total);
    engine.quit();
}

#[test]
fn perft_prints_what_others_print() {
    let mut engine = Engine::start();
    for (command, count) in [("go perft 3", 8902), ("perft 3", 8902), ("go perft 1", 20)] {
        engine.send(command);
        let mut lines = engine.until(LIMIT, "sum", |line| matches!(line, Line::NodesSearched(_)));
        assert_eq!(lines.pop(), Some(Line::NodesSearched(count)), "{command}");
        assert_eq!(lines.pop(), Some(Line::Blank), "{command}");
        assert_eq!(lines.len(), 20);
        let sum: u64 = lines.iter().map(|line| if let Line::Divide(_, n) = line { *n } else { 0 }).sum();
        assert_eq!(sum, count, "{lines:?}");
        engine.until(SOON, "blank line", |line| *line == Line::Blank);
    }
    engine.quit();
}

#[test]
fn a_long_perft_can_be_stopped_and_holds_nothing_up() {
    let mut engine = Engine::start();
    // The second waits for the first; the protocol waits for neither.
    for _ in 0..2 {
        engine.send("go perft 20");
    }
    engine.ready();
    engine.search("startpos", "depth 3");
    engine.send("stop");
    let is_stopped = |line: &Line| matches!(line, Line::InfoString(text) if text.contains("stopped"));
    engine.until(SOON, "end", is_stopped);
    engine.until(SOON, "end", is_stopped);
    engine.send("go perft 2");
    engine.until(SOON, "sum", |line| *line == Line::NodesSearched(400));
    engine.quit();
}

#[test]
fn tools_of_any_size_are_survived() {
    let mut engine = Engine::start();
    for depth in ["0", "65", "5000", "100000", "4294967295", "99999999999999999999"] {
        for command in ["perft", "go perft"] {
            assert!(engine.complaint(&format!("{command} {depth}")).contains("depth"));
        }
    }
    engine.free_text = true;
    for command in ["perft 64", "bench 100", "bench 100 2 1"] {
        engine.send(command);
        engine.ready();
        engine.send("stop");
        let is_end = |line: &Line| matches!(line, Line::InfoString(text) if text.contains("stopped"));
        engine.until(SOON, "end", is_end);
    }
    engine.is_well();
    engine.quit();
}

#[test]
fn every_parameter_of_go_alone_and_combined() {
    let mut engine = Engine::start();
    for go in [
        "depth 4",
        "nodes 2000",
        "movetime 50",
        "mate 1 depth 3",
        "wtime 1000 btime 1000",
        "btime 1000 wtime 1000 binc 10 winc 10",
        "wtime 500 btime 500 movestogo 1",
        "movestogo 20 btime 500 wtime 500",
        "depth 50 nodes 2000",
        "nodes 100000000 depth 3",
        "depth 50 movetime 50",
        "wtime 100000 btime 100000 depth 3",
        "wtime 100000 btime 100000 nodes 2000",
        "wtime 100000 btime 100000 movetime 50",
        "searchmoves e2e4 d2d4 depth 4",
        "depth 4 searchmoves e2e4 d2d4",
        "searchmoves e2e4 movetime 50",
        "DEPTH 4 depth 3",
        "depth 3 somethingnew nodes 1000",
        "depth 3 ",
        "depth\t3\t",
        "  depth   3",
    ] {
        let found = engine.search("startpos moves e2e4 e7e5", go);
        assert!(found.best.is_some(), "go {go}");
    }
    engine.quit();
}

#[test]
fn depth_and_nodes_are_kept() {
    let mut engine = Engine::start();
    for depth in [1, 2, 5, 9] {
        let found = engine.search(KIWIPETE, &format!("depth {depth}"));
        assert_eq!(found.last().depth, depth);
        let depths: Vec<u32> = found.infos.iter().map(|info| info.depth).collect();
        assert_eq!(depths, (1..=depth).collect::<Vec<_>>(), "one line for each iteration");
    }
    for nodes in [1, 2, 10, 500, 10_000] {
        let found = engine.search(KIWIPETE, &format!("nodes {nodes}"));
        assert!(found.last().nodes <= nodes + 2, "{nodes}: {:?}", found.last());
    }
    engine.quit();
}

#[test]
fn isready_is_answered_at_once_also_while_searching() {
    let mut engine = Engine::start();
    for threads in [1, 2] {
        engine.quiet(&format!("setoption name Threads value {threads}"));
        engine.send("position startpos");
        engine.send("go infinite");
        for _ in 0..20 {
            engine.send("isready");
            engine.until(SOON, "readyok", |line| *line == Line::ReadyOk);
        }
        engine.send("stop");
        engine.answer(&Root::new("startpos"), SOON);
    }
    engine.quit();
}

#[test]
fn stop_is_obeyed_at_once() {
    let mut engine = Engine::start();
    let queens = "fen q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1";
    for position in ["startpos", KIWIPETE, queens, MATE_IN_1, BARE_KINGS, MATED] {
        for delay in [0, 1, 30, 200] {
            engine.send(&format!("position {position}"));
            engine.send("go infinite");
            std::thread::sleep(Duration::from_millis(delay));
            let start = Instant::now();
            engine.send("stop");
            engine.answer(&Root::new(position), SOON);
            assert!(start.elapsed() < SOON, "{position}");
        }
    }
    engine.quit();
}

#[test]
fn infinite_and_ponder_wait_for_their_word() {
    let mut engine = Engine::start();
    for position in [MATE_IN_1, BARE_KINGS, MATED, "startpos"] {
        let root = Root::new(position);
        for go in [
            "infinite",
            "infinite depth 2",
            "infinite nodes 10",
            "infinite movetime 1",
            "infinite wtime 1 btime 1",
            "infinite mate 1",
            "ponder wtime 1 btime 1",
            "ponder movetime 1",
            "ponder depth 1",
            "ponder nodes 1",
            "wtime 1 btime 1 ponder",
            "ponder infinite",
        ] {
            engine.send(&format!("position {position}"));
            engine.send(&format!("go {go}"));
            engine.no_answer_for(Duration::from_millis(60));
            engine.send("stop");
            engine.answer(&root, SOON);
        }
        for go in ["ponder wtime 100 btime 100", "ponder depth 2", "ponder nodes 10", "ponder movetime 30"] {
            engine.send(&format!("position {position}"));
            engine.send(&format!("go {go}"));
            engine.no_answer_for(Duration::from_millis(60));
            engine.send("ponderhit");
            engine.answer(&root, SOON);
        }
    }
    // Not even a search that is over at the greatest depth speaks first.
    engine.send(&format!("position {BARE_KINGS}"));
    engine.send("go infinite");
    engine.no_answer_for(Duration::from_millis(1500));
    engine.send("stop");
    engine.answer(&Root::new(BARE_KINGS), SOON);
    engine.quit();
}

#[test]
fn after_ponderhit_infinite_still_waits_for_stop() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go ponder infinite");
    engine.send("ponderhit");
    engine.no_answer_for(Duration::from_millis(200));
    engine.send("stop");
    engine.answer(&Root::new("startpos"), SOON);
    engine.quit();
}

#[test]
fn a_late_stop_or_ponderhit_does_not_reach_the_next_search() {
    let mut engine = Engine::start();
    for _ in 0..50 {
        engine.send_bytes(b"stop\nponderhit\nstop\n");
    }
    engine.send("position startpos");
    engine.send("go infinite");
    engine.no_answer_for(Duration::from_millis(200));
    engine.send("stop");
    engine.answer(&Root::new("startpos"), SOON);
    engine.search("startpos", "depth 3");
    engine.send_bytes(b"stop\nponderhit\n");
    engine.send("go ponder wtime 1000 btime 1000");
    engine.no_answer_for(Duration::from_millis(200));
    engine.send("ponderhit");
    engine.answer(&Root::new("startpos"), SOON);
    engine.quit();
}

#[test]
fn go_while_searching_answers_both_in_order() {
    let mut engine = Engine::start();
    let (first, second) = (Root::new("startpos"), Root::new(BARE_KINGS));
    for _ in 0..20 {
        engine.send("position startpos");
        engine.send("go infinite");
        engine.send(&format!("position {BARE_KINGS}"));
        engine.send("go depth 2");
        engine.answer(&first, SOON);
        engine.answer(&second, SOON);
    }
    engine.quit();
}

#[test]
fn a_position_sent_during_a_search_is_for_the_next_one() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    engine.quietly_during_search("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    engine.send("stop");
    engine.answer(&Root::new("startpos"), SOON);
    engine.send("go depth 3");
    let found = engine.answer(&Root::new(MATE_IN_1), LIMIT);
    assert_eq!(found.score(), Score::Mate(1));
    engine.quit();
}

trait DuringSearch {
    fn quietly_during_search(&mut self, line: &str);
}

impl DuringSearch for Engine {
    /// Sends a line that the running search must not notice.
    #[track_caller]
    fn quietly_during_search(&mut self, line: &str) {
        self.send(line);
        let lines = self.ready();
        assert!(lines.iter().all(|line| matches!(line, Line::Info(_) | Line::CurrentMove { .. })), "{lines:?}");
    }
}

#[test]
fn options_and_new_games_during_a_search() {
    let mut engine = Engine::start();
    let root = Root::new(KIWIPETE);
    for line in [
        "setoption name Hash value 4",
        "setoption name Threads value 3",
        "setoption name Hash value 32",
        "setoption name Clear Hash",
        "setoption name Threads value 1",
        "ucinewgame",
        "setoption name MultiPV value 3",
        "setoption name UCI_ShowWDL value true",
        "setoption name MultiPV value 1",
        "setoption name Move Overhead value 50",
        "setoption name Ponder value true",
        "setoption name NoSuchThing value 1",
    ] {
        engine.send(&format!("position {KIWIPETE}"));
        engine.send("go infinite");
        std::thread::sleep(Duration::from_millis(15));
        // Whether it ends the search or waits for its end: one answer, and the engine goes on.
        engine.send(line);
        engine.send("stop");
        engine.answer(&root, SOON);
        engine.ready();
        engine.search(KIWIPETE, "depth 4");
    }
    engine.quit();
}

#[test]
fn everything_at_random_moments() {
    let mut random = fastrand::Rng::with_seed(20);
    let mut engine = Engine::start();
    let positions = ["startpos", KIWIPETE, MATE_IN_1, BARE_KINGS, MATED];
    let (mut roots, mut next) = (Vec::new(), "startpos");
    for _ in 0..300 {
        match random.u32(0..12) {
            0..3 => {
                next = positions[random.usize(0..positions.len())];
                engine.send(&format!("position {next}"));
            }
            3..7 => {
                let kinds = ["infinite", "ponder wtime 50 btime 50", "depth 5", "movetime 5", "nodes 500"];
                engine.send(&format!("go {}", kinds[random.usize(0..kinds.len())]));
                roots.push(Root::new(next));
            }
            7 => engine.send("stop"),
            8 => engine.send("ponderhit"),
            9 => engine.send(&format!("setoption name Hash value {}", random.u32(1..20))),
            10 => engine.send(&format!("setoption name Threads value {}", random.u32(1..4))),
            _ => engine.send("ucinewgame"),
        }
        std::thread::sleep(Duration::from_micros(random.u64(0..3000)));
    }
    engine.send("stop");
    for root in &roots {
        engine.answer(root, LIMIT);
    }
    engine.is_well();
    engine.quit();
}

#[test]
fn what_cannot_be_done_is_said_in_one_line_and_changes_nothing() {
    let mut engine = Engine::start();
    engine.quiet("position startpos moves e2e4");
    for (line, part) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w KQkq - 0 1", "FEN"),
        ("position fen", "FEN"),
        ("position", "position"),
        ("position kiwipete", "kiwipete"),
        ("position startpos e2e4", "e2e4"),
        ("position startpos moves e2e5", "e2e5"),
        ("position startpos moves e2e4 e7e5 e1e3 d7d5", "e1e3"),
        ("position startpos moves e2e4 xyz", "xyz"),
        ("position startpos moves 0000", "0000"),
        ("setoption name Hash value 0", "Hash"),
        ("setoption name Hash value lots", "lots"),
        ("setoption name Hash value", "Hash"),
        ("setoption name Hash", "Hash"),
        ("setoption name Threads value -5", "-5"),
        ("setoption name Threads value 999999999999999999999", "whole number from 1 to"),
        ("setoption name Ponder value 1", "true or false"),
        ("setoption name Hsah value 16", "Hash"),
        ("setoption name NoSuchThing value 16", "NoSuchThing"),
        ("setoption", "setoption"),
        ("debug maybe", "debug"),
        ("perft", "perft"),
        ("perft x", "perft"),
        ("bench x", "bench"),
        ("xyzzy", "xyzzy"),
        ("isreadyx", "isreadyx"),
    ] {
        let text = engine.complaint(line);
        assert!(text.contains(part), "{line}: {text}");
    }
    // The old position and the old options are still there.
    engine.send("go depth 3");
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.free_text = true;
    assert!(engine.ask("d").join("\n").contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"));
    engine.quit();
}

#[test]
fn a_go_with_a_bad_number_says_so_and_still_answers() {
    let mut engine = Engine::start();
    for go in ["depth x nodes 500", "depth 3 wtime", "movetime fast depth 3", "nodes 1,5 depth 3", "depth 3 mate"] {
        let found = engine.search("startpos", go);
        assert_eq!(found.strings.len(), 1, "go {go}: {found:?}");
    }
    let found = engine.search("startpos", "depth 3 searchmoves e2e5");
    assert!(found.strings.len() == 1 && found.strings[0].contains("e2e5"), "{found:?}");
    engine.quit();
}

#[test]
fn any_clock_gives_a_move_in_time() {
    let mut engine = Engine::start();
    for go in [
        "wtime 0 btime 0",
        "wtime -1 btime -1",
        "wtime -171000 btime 50000",
        "wtime -9223372036854775808 btime 1",
        "wtime -99999999999999999999999999 btime 1",
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
        "movetime 0",
        "movetime -5",
        "movetime 1",
        "movestogo 5 wtime 50 btime 50",
        "wtime 100 wtime 50 btime 100",
    ] {
        for side in ["startpos", "startpos moves e2e4"] {
            engine.send(&format!("position {side}"));
            engine.send(&format!("go {go}"));
            engine.answer(&Root::new(side), SOON);
        }
    }
    // Absurdly much time: the answer may take long, but a stop brings it.
    for go in ["wtime 99999999999999999999 btime 1", "movetime 9223372036854775807", "wtime 9223372036854775807"] {
        engine.send("position startpos");
        engine.send(&format!("go {go}"));
        engine.no_answer_for(Duration::from_millis(50));
        engine.send("stop");
        engine.answer(&Root::new("startpos"), SOON);
    }
    engine.quit();
}

#[test]
fn numbers_of_any_size_are_survived() {
    let mut engine = Engine::start();
    for go in [
        "depth 0",
        "depth -1",
        "nodes 0",
        "nodes -5",
        "mate 0 nodes 2000",
        "mate -1 nodes 2000",
        "mate 9999 nodes 2000",
        "depth 256 nodes 2000",
        "depth 1000 nodes 2000",
        "depth 99999999999 nodes 2000",
        "nodes 18446744073709551616 depth 3",
        "movetime 99999999999999999999999 depth 3",
        "depth +3",
    ] {
        engine.search("startpos", go);
    }
    let found = engine.search(BARE_KINGS, "depth 99999");
    assert!(found.last().depth > 100, "{:?}", found.last());
    engine.quit();
}

#[test]
fn no_legal_move_is_answered_in_every_kind_of_search() {
    let mut engine = Engine::start();
    for multi_pv in [1, 3] {
        engine.quiet(&format!("setoption name MultiPV value {multi_pv}"));
        for threads in [1, 2] {
            engine.quiet(&format!("setoption name Threads value {threads}"));
            for go in ["", "depth 1", "nodes 100", "movetime 10", "wtime 10 btime 10", "mate 3", "searchmoves a1a2"] {
                let found = engine.search(MATED, go);
                assert!(found.best.is_none() && found.ponder.is_none());
            }
        }
    }
    engine.quit();
}

#[test]
fn the_end_of_input_ends_the_engine() {
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
    ] {
        for wait in [0, 100] {
            let mut engine = Engine::start();
            engine.expect_answers(answers);
            engine.send_bytes(before.as_bytes());
            std::thread::sleep(Duration::from_millis(wait));
            engine.close_stdin();
            let start = Instant::now();
            assert_eq!(engine.exit_code(LIMIT), Some(0), "{before:?}");
            assert!(start.elapsed() < SOON, "{before:?}");
        }
    }
}

#[test]
fn quit_ends_a_search_at_once() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.send("quit");
    assert_eq!(engine.exit_code(SOON), Some(0));
}

#[test]
fn a_closed_stdout_ends_the_engine() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    for commands in ["isready\n", "go infinite\n", "uci\nuci\nuci\n", "go perft 20\nisready\nisready\n"] {
        let dir = common::Dir::new();
        let mut child = common::command(&dir, &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"isready\n").unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        drop(stdout);
        let _ = stdin.write_all(commands.as_bytes());
        let end = Instant::now() + LIMIT;
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                let _ = child.kill();
                panic!("{commands:?}: still running with nobody to talk to");
            }
            // While another test of this program starts a process, that process holds the reading end for a moment, and
            // what is written then arrives: the engine must be made to speak until it notices.
            std::thread::sleep(Duration::from_millis(20));
            let _ = stdin.write_all(b"isready\n");
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{commands:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_reader_that_pauses_loses_no_answer() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_AnalyseMode value true");
    engine.send("setoption name MultiPV value 20");
    engine.send("position startpos");
    engine.send("go infinite");
    // The reader thread of the driver goes on; what is paused is only this side. Many lines, one answer.
    std::thread::sleep(Duration::from_millis(500));
    engine.send("stop");
    engine.answer(&Root::new("startpos"), SOON);
    engine.quit();
}

#[test]
fn long_games_are_taken_whole() {
    let mut engine = Engine::start();
    for plies in [601, 2402, 6003] {
        let line = format!("startpos moves {}", shuffle(plies));
        engine.search(&line, "depth 4");
    }
    let line = format!("position startpos moves {} e2e5", shuffle(800));
    assert!(engine.complaint(&line).contains("801"));
    engine.quit();
}

#[test]
fn bytes_of_any_kind() {
    let mut engine = Engine::start();
    for (bytes, readies) in [
        (&b"\xef\xbb\xbfisready\n"[..], 1),
        (b"isready\r\n", 1),
        (b"isready\risready\r\n", 2),
        (b"is\0ready\n", 1),
        (b"  \t isready \t \n", 1),
        (b"\r\n\r\n\n\n", 0),
        (b"isready\nisready\nisready\n", 3),
        (b"joho isready\n", 1),
    ] {
        engine.send_bytes(bytes);
        for _ in 0..readies {
            assert_eq!(engine.line_within(LIMIT), Some(Line::ReadyOk), "{bytes:?}");
        }
        assert_eq!(engine.ready(), [], "{bytes:?}");
    }
    for bytes in [&b"\xff\xfe\xfd\n"[..], b"go\xc3\x28 x\n", b"setoption name \xff value \xfe\n", b"\x1b[2J\x07\n"] {
        engine.send_bytes(bytes);
        let said = engine.ready();
        assert!(matches!(said.as_slice(), [Line::InfoString(_)]), "{bytes:?}: {said:?}");
    }
    engine.send_bytes(b"position startpos moves e2e4\r\ngo depth 2 \r\n");
    engine.expect_answers(1);
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.quit();
}

#[test]
fn a_line_of_five_megabytes_is_one_bad_line() {
    let mut engine = Engine::start();
    for word in ["a ", "a", "go ", "position startpos moves e2e4 "] {
        let mut line = word.repeat((5 << 20) / word.len());
        line.push('\n');
        // Whatever a prefix of it means, the rest must not become commands.
        engine.expect_answers(1);
        engine.send_bytes(line.as_bytes());
        engine.send("stop");
        engine.ready();
        std::thread::sleep(Duration::from_millis(100));
        engine.ready();
        engine.settle();
    }
    engine.is_well();
    engine.quit();
}

#[test]
fn a_flood_of_isready_is_answered_to_the_last() {
    let mut engine = Engine::start();
    engine.send_bytes(&b"isready\n".repeat(20_000));
    for _ in 0..20_000 {
        assert_eq!(engine.line_within(LIMIT), Some(Line::ReadyOk));
    }
    engine.quit();
}

#[test]
fn wdl_and_current_moves_on_demand() {
    let mut engine = Engine::start();
    let found = engine.search("startpos", "depth 6");
    assert!(found.infos.iter().all(|info| info.wdl.is_none() && info.bound.is_none()) && found.current_moves == 0);
    engine.quiet("setoption name UCI_ShowWDL value true");
    let found = engine.search("startpos", "depth 6");
    assert!(found.infos.iter().all(|info| info.wdl.is_some()), "{found:?}");
    engine.quiet("setoption name UCI_AnalyseMode value true");
    let found = engine.search(KIWIPETE, "depth 9");
    assert!(found.current_moves > 0);
    assert!(found.infos.iter().any(|info| info.bound.is_some()), "no window ever failed");
    engine.quit();
}

#[test]
fn debug_mode_names_the_position() {
    let mut engine = Engine::start();
    engine.quiet("debug on");
    assert!(engine.complaint("position startpos").contains("rnbqkbnr/pppppppp"));
    engine.quiet("debug off");
    engine.quiet("position startpos");
    engine.quit();
}

#[test]
fn a_log_that_could_not_be_begun_is_tried_again() {
    let dir = common::Dir::new();
    let path = dir.path().join("logs").join("session.log");
    let mut engine = Engine::start();
    let line = format!("setoption name Debug Log File value {}", path.display());
    assert!(engine.complaint(&line).contains("no log in"));
    std::fs::create_dir(dir.path().join("logs")).unwrap();
    engine.quiet(&line);
    // Named again while it is written, it goes on.
    engine.quiet(&line);
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("< setoption name Debug Log File"), "{log}");
    engine.quit();
}

#[test]
fn a_search_that_lost_its_limit_ends() {
    let mut engine = Engine::start();
    for go in ["go depth x", "go movetime", "go nodes 1e6"] {
        engine.send("position startpos");
        engine.send(go);
        let found = engine.answer(&Root::new("startpos"), LIMIT);
        assert!(found.strings.iter().any(|text| text.contains("no limit is left")), "{go}: {:?}", found.strings);
    }
    engine.quit();
}

#[test]
fn a_restricted_engine_opens_no_file_that_a_stranger_names() {
    let dir = common::Dir::new();
    dir.file("book.bin", [0; 16]);
    dir.file("openings.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n");
    let mut engine = Engine::with(dir, &["--restricted"]);
    for line in [
        "setoption name Book File value book.bin",
        "setoption name syzygypath value .",
        "setoption name Debug Log File value session.log",
        "genfens 1 seed 1 book openings.epd",
    ] {
        assert!(engine.complaint(line).contains("--restricted"), "{line}");
    }
    engine.quiet("setoption name Hash value 4");
    engine.is_well();
    engine.quit();
}

/// What fastchess, python-chess, Cute Chess and others send at the start of a game.
#[test]
fn the_openings_of_known_guis() {
    let mut engine = Engine::start();
    for line in ["uci", "setoption name UCI_Opponent value none none human Somebody", "ucinewgame", "position startpos"]
    {
        engine.send(line);
        engine.ready();
    }
    engine.search("fen 3r2k1/1p3ppp/2pq4/p1n5/P6P/1P6/1PB2QP1/1K2R3 w - - 0 1", "wtime 100");
    engine.search("fen 8/6k1/5r2/8/8/8/1K6/Q7 b - - 0 1", "btime 100");
    engine.search("startpos", "wtime 100 winc 100 btime 100 binc 100");
    engine.search("startpos", "binc 100 winc 100 btime 100 wtime 100");
    let root = Root::new("startpos moves e2e4 e7e5 g1f3");
    engine.send("position startpos moves e2e4 e7e5 g1f3");
    engine.send("go ponder wtime 300 btime 300 winc 10 binc 10");
    engine.no_answer_for(Duration::from_millis(100));
    engine.send("ponderhit");
    engine.answer(&root, SOON);
    engine.quit();
}
