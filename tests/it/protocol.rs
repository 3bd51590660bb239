//! UCI: every command and every parameter of `go`, while idle, searching and pondering.
//!
//! The driver in `common` checks each line against a strict grammar and each search against the rules of chess; these
//! tests check which message may be printed when. Time limits are generous: they distinguish an immediate reaction from
//! one after the search, not a fast machine from a slow one.

use std::time::{Duration, Instant};

use crate::common::grammar::{Line, Score};
use crate::common::positions::knight_moves;
use crate::common::positions::uci::{BARE_KINGS, KIWIPETE, MANY_QUEENS, MATE_IN_1, MATED};
use crate::common::search::Root;
use crate::common::{Engine, LIMIT, SOON};

#[test]
fn uci_lists_id_and_options() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until(LIMIT, "uciok", |line| *line == Line::UciOk);
    let texts: Vec<String> = lines.iter().map(Line::to_string).collect();
    assert!(texts[0].starts_with("id name Aspirant ") && texts[1].starts_with("id author "), "{texts:?}");
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
        assert_eq!(texts.iter().filter(|line| line.starts_with(option)).count(), 1, "{option}: {texts:?}");
    }
    assert!(lines[2..lines.len() - 1].iter().all(|line| matches!(line, Line::Option(_))), "{texts:?}");
    engine.quit();
}

#[test]
fn readyok_follows_all_earlier_output() {
    let mut engine = Engine::start();
    engine.ready();
    for round in 0..30 {
        let rounds = (0..20).map(|number| format!("setoption name Nonsense{number}\nisready\n"));
        engine.send_bytes(rounds.collect::<String>().as_bytes());
        for number in 0..20 {
            let lines = engine.until(SOON, "readyok", |line| *line == Line::ReadyOk);
            let before: Vec<String> = lines[..lines.len() - 1].iter().map(Line::to_string).collect();
            let is_warning = |text: &String| text.contains(&format!("Nonsense{number}'"));
            assert!(before.len() == 1 && before.iter().all(is_warning), "{round}: {before:?}");
        }
    }
    engine.quit();
}

#[test]
fn valid_commands_are_silent() {
    let mut engine = Engine::start();
    for line in [
        "",
        "   ",
        "\t",
        "# a comment",
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
        engine.send_silent(line);
    }
    engine.quit();
}

#[test]
fn console_commands_print_their_output() {
    let mut engine = Engine::start();
    engine.allow_text = true;
    let board = engine.output_of("d").join("\n");
    assert!(board.contains("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{board}");
    assert!(board.contains("Key: ") && board.contains("Checkers:"), "{board}");
    assert!(engine.output_of("eval").join("\n").to_lowercase().contains("evaluation"));
    assert!(engine.output_of("compiler").join("\n").contains("Aspirant"));
    let help = engine.output_of("help").join("\n");
    for word in ["position", "go", "setoption", "perft", "bench", "flip", "eval", "ponderhit"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    engine.send_silent("position startpos moves e2e4");
    engine.send_silent("flip");
    let flipped = engine.output_of("d").join("\n");
    assert!(flipped.contains("Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - "), "{flipped}");
    // Three checking pieces cannot occur in a game, but `position` accepts them.
    engine.send_silent("position fen 4k3/2N5/3N1N2/8/8/8/8/4K3 b - - 0 1");
    engine.send_silent("flip");
    let flipped = engine.output_of("d").join("\n");
    assert!(flipped.contains("Fen: 4k3/8/8/8/8/3n1n2/2n5/4K3 w - - "), "{flipped}");
    assert!(!engine.output_of("register later").is_empty());
    engine.send("bench 2");
    let is_total = |line: &Line| matches!(line, Line::Text(text) if text.contains(" nodes ") && text.ends_with(" nps"));
    engine.until(LIMIT, "total", is_total);
    engine.quit();
}

#[test]
fn go_perft_prints_the_usual_divide_format() {
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
fn long_perft_can_be_stopped_and_does_not_block() {
    let mut engine = Engine::start();
    // The second waits for the first; other commands wait for neither.
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
fn oversized_tool_arguments_are_rejected_or_stoppable() {
    let mut engine = Engine::start();
    for depth in ["0", "65", "5000", "100000", "4294967295", "99999999999999999999"] {
        for command in ["perft", "go perft"] {
            assert!(engine.warning(&format!("{command} {depth}")).contains("depth"));
        }
    }
    engine.allow_text = true;
    for command in ["perft 64", "bench 100", "bench 100 2 1"] {
        engine.send(command);
        engine.ready();
        engine.send("stop");
        let is_end = |line: &Line| matches!(line, Line::InfoString(text) if text.contains("stopped"));
        engine.until(SOON, "end", is_end);
    }
    engine.assert_alive();
    engine.quit();
}

#[test]
fn go_parameters_work_alone_and_combined() {
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

#[test]
fn isready_is_answered_while_searching() {
    let mut engine = Engine::start();
    for threads in [1, 2] {
        engine.send_silent(&format!("setoption name Threads value {threads}"));
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
fn stop_returns_bestmove_promptly() {
    std::thread::scope(|scope| {
        for position in ["startpos", KIWIPETE, MANY_QUEENS, MATE_IN_1, BARE_KINGS, MATED] {
            scope.spawn(move || {
                let mut engine = Engine::start();
                for delay in [0, 1, 30, 200] {
                    engine.send(&format!("position {position}"));
                    engine.send("go infinite");
                    std::thread::sleep(Duration::from_millis(delay));
                    engine.send("stop");
                    engine.answer(&Root::new(position), SOON);
                }
                engine.quit();
            });
        }
    });
}

#[test]
fn infinite_and_ponder_return_no_early_bestmove() {
    // Mostly waits: one engine for each position, all at once.
    std::thread::scope(|scope| {
        for position in [MATE_IN_1, BARE_KINGS, MATED, "startpos"] {
            scope.spawn(move || infinite_and_ponder_in(position));
        }
        // A search with `infinite` that has reached the maximum depth waits for `stop`, too.
        scope.spawn(|| {
            let mut engine = Engine::start();
            engine.send(&format!("position {BARE_KINGS}"));
            engine.send("go infinite");
            engine.no_answer_for(Duration::from_millis(1500));
            engine.send("stop");
            engine.answer(&Root::new(BARE_KINGS), SOON);
            engine.quit();
        });
    });
}

fn infinite_and_ponder_in(position: &str) {
    let mut engine = Engine::start();
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
        engine.no_answer_for(Duration::from_millis(40));
        engine.send("stop");
        engine.answer(&root, SOON);
    }
    for go in ["ponder wtime 100 btime 100", "ponder depth 2", "ponder nodes 10", "ponder movetime 30"] {
        engine.send(&format!("position {position}"));
        engine.send(&format!("go {go}"));
        engine.no_answer_for(Duration::from_millis(40));
        engine.send("ponderhit");
        engine.answer(&root, SOON);
    }
    engine.quit();
}

#[test]
fn ponder_infinite_waits_for_stop_after_ponderhit() {
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
fn late_stop_does_not_end_the_next_search() {
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
fn second_go_answers_both_in_order() {
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
fn position_during_search_applies_to_the_next_go() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    engine.send_silent_during_search("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    engine.send("stop");
    engine.answer(&Root::new("startpos"), SOON);
    engine.send("go depth 3");
    let found = engine.answer(&Root::new(MATE_IN_1), LIMIT);
    assert_eq!(found.score(), Score::Mate(1));
    engine.quit();
}

trait DuringSearch {
    fn send_silent_during_search(&mut self, line: &str);
}

impl DuringSearch for Engine {
    /// Sends a line during a search; nothing but info lines of the search may be printed.
    #[track_caller]
    fn send_silent_during_search(&mut self, line: &str) {
        self.send(line);
        let lines = self.ready();
        assert!(lines.iter().all(|line| matches!(line, Line::Info(_) | Line::CurrentMove { .. })), "{lines:?}");
    }
}

#[test]
fn options_during_search_keep_one_bestmove() {
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
        // Whether it ends the search or waits for its end, there is exactly one answer.
        engine.send(line);
        engine.send("stop");
        engine.answer(&root, SOON);
        engine.ready();
        engine.search(KIWIPETE, "depth 4");
    }
    engine.quit();
}

#[test]
fn random_commands_keep_answers_in_order() {
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
    engine.assert_alive();
    engine.quit();
}

#[test]
fn invalid_commands_print_one_warning_and_change_nothing() {
    let mut engine = Engine::start();
    engine.send_silent("position startpos moves e2e4");
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
        let text = engine.warning(line);
        assert!(text.contains(part), "{line}: {text}");
    }
    // Position and options are unchanged.
    engine.send("go depth 3");
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.allow_text = true;
    assert!(engine.output_of("d").join("\n").contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"));
    engine.quit();
}

#[test]
fn invalid_go_argument_is_reported_and_answered() {
    let mut engine = Engine::start();
    for go in ["depth x nodes 500", "depth 3 wtime", "movetime fast depth 3", "nodes 1,5 depth 3", "depth 3 mate"] {
        let found = engine.search("startpos", go);
        assert_eq!(found.strings.len(), 1, "go {go}: {found:?}");
    }
    let found = engine.search("startpos", "depth 3 searchmoves e2e5");
    assert!(found.strings.len() == 2 && found.strings[0].contains("e2e5"), "{found:?}");
    assert!(found.strings[1].contains("all moves are searched"), "{found:?}");
    engine.quit();
}

#[test]
fn any_clock_returns_bestmove_in_time() {
    let mut engine = Engine::start();
    for go in [
        "wtime 0 btime 0",
        "wtime -1 btime -1",
        "wtime -171000 btime 5000",
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
    // Extremely much time: the search continues until `stop`.
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
fn out_of_range_limits_are_survived() {
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
fn no_legal_move_returns_none_for_every_limit() {
    let mut engine = Engine::start();
    for multi_pv in [1, 3] {
        engine.send_silent(&format!("setoption name MultiPV value {multi_pv}"));
        for threads in [1, 2] {
            engine.send_silent(&format!("setoption name Threads value {threads}"));
            for go in ["", "depth 1", "nodes 100", "movetime 10", "wtime 10 btime 10", "mate 3", "searchmoves a1a2"] {
                let found = engine.search(MATED, go);
                assert!(found.best.is_none() && found.ponder.is_none());
            }
        }
    }
    engine.quit();
}

#[test]
fn end_of_input_ends_the_engine() {
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
            engine.close_stdin();
            assert_eq!(engine.exit_code(SOON), Some(0), "{before:?}");
        }
    }
}

#[test]
fn quit_ends_a_running_search() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.send("quit");
    assert_eq!(engine.exit_code(SOON), Some(0));
}

/// Waits until `child` exits and calls `meanwhile` every 20 ms; fails with `name` after [`LIMIT`].
fn wait_for_exit(child: &mut std::process::Child, name: &str, mut meanwhile: impl FnMut()) {
    let end = Instant::now() + LIMIT;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            let _ = child.kill();
            panic!("{name:?}: the engine does not exit");
        }
        std::thread::sleep(Duration::from_millis(20));
        meanwhile();
    }
}

#[test]
fn closed_stdout_ends_the_engine() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    for commands in ["isready\n", "go infinite\n", "uci\nuci\nuci\n", "go perft 20\nisready\nisready\n"] {
        let dir = crate::common::Dir::new();
        let mut child = crate::common::command(&dir, &[])
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
        // A process started by another test inherits the reading end until its exec, and writes succeed meanwhile:
        // make the engine print again until it notices.
        wait_for_exit(&mut child, commands, || {
            let _ = stdin.write_all(b"isready\n");
        });
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{commands:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn closed_stdout_ends_genfens_of_the_command_line() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let dir = crate::common::Dir::new();
    let mut child = crate::common::command(&dir, &["genfens 1000000 seed 1 book None", "quit"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    wait_for_exit(&mut child, "genfens", || {});
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn many_info_lines_are_followed_by_one_bestmove() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_AnalyseMode value true");
    engine.send("setoption name MultiPV value 20");
    engine.send("position startpos");
    engine.send("go infinite");
    // The driver reads all lines meanwhile; `failures` has tests with a reader that does not.
    std::thread::sleep(Duration::from_millis(500));
    engine.send("stop");
    engine.answer(&Root::new("startpos"), SOON);
    engine.quit();
}

#[test]
fn long_games_are_accepted_whole() {
    let mut engine = Engine::start();
    for plies in [601, 2402, 6003] {
        let line = format!("startpos moves {}", knight_moves(plies));
        engine.search(&line, "depth 4");
    }
    let line = format!("position startpos moves {} e2e5", knight_moves(800));
    assert!(engine.warning(&line).contains("801"));
    engine.quit();
}

#[test]
fn unusual_bytes_are_handled() {
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
        let lines = engine.ready();
        assert!(matches!(lines.as_slice(), [Line::InfoString(_)]), "{bytes:?}: {lines:?}");
    }
    engine.send_bytes(b"position startpos moves e2e4\r\ngo depth 2 \r\n");
    engine.expect_answers(1);
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.quit();
}

#[test]
fn five_megabyte_line_is_one_invalid_line() {
    let mut engine = Engine::start();
    for word in ["a ", "a", "go ", "position startpos moves e2e4 "] {
        let mut line = word.repeat((5 << 20) / word.len());
        line.push('\n');
        // A prefix of the line may be executed, but the rest must not be parsed as commands.
        engine.expect_answers(1);
        engine.send_bytes(line.as_bytes());
        // Stops the search, and waits until it is answered.
        engine.send("ucinewgame");
        let lines = engine.ready();
        let is_reaction = |line: &&Line| match line {
            // On a loaded machine, the watchdog may have answered.
            Line::InfoString(text) => !text.contains("did not end in time"),
            line => matches!(line, Line::BestMove { .. }),
        };
        assert_eq!(lines.iter().filter(is_reaction).count(), 1, "{lines:?}");
        engine.discard_answers();
    }
    engine.assert_alive();
    engine.quit();
}

#[test]
fn twenty_thousand_isready_are_all_answered() {
    let mut engine = Engine::start();
    engine.send_bytes(&b"isready\n".repeat(20_000));
    for _ in 0..20_000 {
        assert_eq!(engine.line_within(LIMIT), Some(Line::ReadyOk));
    }
    engine.quit();
}

#[test]
fn wdl_and_currmove_are_printed_only_when_enabled() {
    let mut engine = Engine::start();
    let found = engine.search("startpos", "depth 6");
    assert!(found.infos.iter().all(|info| info.wdl.is_none() && info.bound.is_none()) && found.current_moves == 0);
    engine.send_silent("setoption name UCI_ShowWDL value true");
    let found = engine.search("startpos", "depth 6");
    assert!(found.infos.iter().all(|info| info.wdl.is_some()), "{found:?}");
    engine.send_silent("setoption name UCI_AnalyseMode value true");
    let found = engine.search(KIWIPETE, "depth 9");
    assert!(found.current_moves > 0);
    assert!(found.infos.iter().any(|info| info.bound.is_some()), "no aspiration window failed");
    engine.quit();
}

#[test]
fn debug_on_prints_the_position() {
    let mut engine = Engine::start();
    engine.send_silent("debug on");
    assert!(engine.warning("position startpos").contains("rnbqkbnr/pppppppp"));
    engine.send_silent("debug off");
    engine.send_silent("position startpos");
    engine.quit();
}

#[test]
fn failed_debug_log_can_be_retried() {
    let dir = crate::common::Dir::new();
    let path = dir.path().join("logs").join("session.log");
    let mut engine = Engine::start();
    let line = format!("setoption name Debug Log File value {}", path.display());
    assert!(engine.warning(&line).contains("cannot log to"));
    std::fs::create_dir(dir.path().join("logs")).unwrap();
    engine.send_silent(&line);
    // Setting the same file again continues the log.
    engine.send_silent(&line);
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("< setoption name Debug Log File"), "{log}");
    engine.quit();
}

#[test]
fn go_without_a_valid_limit_ends() {
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
fn restricted_mode_rejects_file_options() {
    let dir = crate::common::Dir::new();
    dir.file("book.bin", [0; 16]);
    dir.file("openings.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n");
    let mut engine = Engine::with(dir, &["--restricted"]);
    for line in [
        "setoption name Book File value book.bin",
        "setoption name syzygypath value .",
        "setoption name Debug Log File value session.log",
        "genfens 1 seed 1 book openings.epd",
    ] {
        assert!(engine.warning(line).contains("(restricted mode)"), "{line}");
    }
    engine.send_silent("setoption name Hash value 4");
    engine.assert_alive();
    engine.quit();
}

/// What fastchess, python-chess, Cute Chess and other programs send at the start of a game.
#[test]
fn startup_sequences_of_known_guis_work() {
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
