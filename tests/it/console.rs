//! Commands that do not search: `uci`, `isready`, `debug`, and the commands for a console.

use crate::common::grammar::Line;
use crate::common::{Engine, LIMIT};

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
            let lines = engine.until(LIMIT, "readyok", |line| *line == Line::ReadyOk);
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
    let help = engine.output_of("help").join("\n");
    for word in ["position", "go", "setoption", "perft", "bench", "eval", "ponderhit"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(!engine.output_of("register later").is_empty());
    engine.bench(2);
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
        engine.until(LIMIT, "blank line", |line| *line == Line::Blank);
    }
    engine.quit();
}

#[test]
fn long_perft_and_bench_can_be_stopped_and_do_not_block() {
    let is_stopped = |line: &Line| matches!(line, Line::InfoString(text) if text.contains("stopped"));
    let mut engine = Engine::start();
    for depth in ["0", "65", "5000", "100000", "4294967295", "99999999999999999999"] {
        for command in ["perft", "go perft"] {
            assert!(engine.warning(&format!("{command} {depth}")).contains("depth"));
        }
    }
    // The second waits for the first; other commands wait for neither.
    for _ in 0..2 {
        engine.send("go perft 20");
    }
    engine.ready();
    engine.search("startpos", "depth 3");
    engine.send("stop");
    for _ in 0..2 {
        engine.until(LIMIT, "end", is_stopped);
    }
    engine.send("go perft 2");
    engine.until(LIMIT, "sum", |line| *line == Line::NodesSearched(400));
    engine.allow_text = true;
    for command in ["perft 64", "bench 100", "bench 100 2 1"] {
        engine.send(command);
        engine.ready();
        engine.send("stop");
        engine.until(LIMIT, "end", is_stopped);
    }
    engine.assert_alive();
    engine.quit();
}
