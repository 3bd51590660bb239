//! Invalid input of every kind: afterwards the engine answers `isready` and plays a legal move.
//!
//! Every input that ever caused a defect is added to these lists.

use crate::common::grammar::Line;
use crate::common::positions::fen::MOST_MOVES;
use crate::common::{Engine, data};
use aspirant::uci::input::{Command, parse};

/// Sends a line and stops the search it may have started; the engine must keep working and print only valid messages.
#[track_caller]
fn survives(engine: &mut Engine, line: &str) {
    engine.expect_answers(searches(line));
    engine.send_bytes(format!("{line}\nstop\n").as_bytes());
    // The bestmove after `stop` may follow a `readyok`, but it precedes the end of `ucinewgame`.
    engine.send("ucinewgame");
    engine.ready();
    engine.assert_answered();
    engine.assert_alive();
}

/// Returns 1 if the line starts a search, otherwise 0.
fn searches(line: &str) -> usize {
    usize::from(matches!(parse(line), Command::Go(request) if request.perft.is_none()))
}

#[test]
fn unusual_lines_are_survived() {
    let mut engine = Engine::start();
    engine.allow_text = true;
    for line in [
        "",
        " ",
        "\t\t",
        "\r",
        "\u{feff}isready",
        "uci uci",
        "joho debug on",
        "UCI",
        "IsReady",
        "quitx",
        "xquit",
        "ponderhit",
        "stop",
        "uciok",
        "readyok",
        "bestmove e2e4",
        "info string x",
        "id name x",
        "option name x",
        "register",
        "register later",
        "register name a code b",
        "debug",
        "debug x",
        "debug on off",
        "copyprotection ok",
        "position",
        "setoption",
        "go go",
        "help help",
        "eval x",
        "d d d",
        "flip x",
        "compiler x",
        "(none)",
        "0000",
        "\u{7f}\u{1b}[31m",
        "😀",
        "положение",
        "é",
        "%s%n%d",
        "../../etc",
        "'; --",
        "\\",
        "\"",
        "{}",
        "NaN",
    ] {
        survives(&mut engine, line);
    }
    engine.quit();
}

#[test]
fn unusual_go_parameters_are_survived() {
    let mut engine = Engine::start();
    for go in [
        "",
        "go",
        "depth",
        "depth 0",
        "depth -1",
        "depth 256",
        "depth 1000",
        "depth 99999999999",
        "depth 1e3",
        "depth 0x10",
        "depth ١",
        "nodes",
        "nodes 0",
        "nodes 1",
        "nodes 18446744073709551615",
        "nodes 18446744073709551616",
        "nodes -1",
        "movetime",
        "movetime 0",
        "movetime -5",
        "movetime 1000000000",
        "movetime 9223372036854775808",
        "wtime",
        "wtime btime",
        "wtime 0 btime 0",
        "wtime -171000",
        "wtime -9223372036854775809",
        "btime 5",
        "winc 5",
        "binc",
        "wtime 5 winc -9223372036854775808",
        "wtime 1 btime 1 winc 9223372036854775807 binc 9223372036854775807",
        "movestogo 0",
        "movestogo 1",
        "movestogo 300",
        "movestogo -1",
        "movestogo 4294967296",
        "wtime 100 movestogo 0",
        "wtime 5 wtime 6 wtime 7",
        "searchmoves",
        "searchmoves e2e5",
        "searchmoves e2e4 e2e4",
        "searchmoves xyz depth 3",
        "searchmoves depth 3",
        "searchmoves e2e4 wtime 1 btime 1",
        "mate",
        "mate 0",
        "mate 1",
        "mate 9999",
        "mate -3",
        "infinite",
        "infinite infinite",
        "infinite depth 3",
        "ponder",
        "ponder ponder",
        "ponder infinite",
        "perft",
        "perft x",
        "perft -1",
        "perft 0",
        "perft 1",
        "perft 2 depth 3",
        "depth 3 perft",
        "\u{7f}",
        "depth 3\u{0}",
        "    depth     3    ",
    ] {
        survives(&mut engine, &format!("go {go}"));
    }
    engine.quit();
}

#[test]
fn invalid_option_values_print_at_most_one_warning() {
    let mut engine = Engine::start();
    let long = "x".repeat(5000);
    for (name, values) in [
        ("Hash", &["0", "33554432", "-5", "1e30", "abc", "", " 16 ", "1.5", "١٦", "99999999999999999999", "16 32"][..]),
        ("Threads", &["0", "100000", "-1", "two", "", "1 2"]),
        ("MultiPV", &["0", "500", "-1", "1"]),
        ("Move Overhead", &["-1", "5001", "x", ""]),
        ("Ponder", &["TRUE", "1", "yes", "", "tru", "false"]),
        ("UCI_Chess960", &["maybe", "False", ""]),
        ("UCI_EngineAbout", &["", "<empty>", "a\tb", "name type default", &long]),
        ("Clear Hash", &["", "x", "true"]),
        ("SyzygyPath", &["", "<empty>", ";;", "/", "/dev/zero", "/nonexistent", "é/русский", "trailing ;", &long]),
        ("EvalFile", &["", "/dev/zero"]),
        ("value", &["value", ""]),
        ("Value Scale", &["3"]),
        (&long, &["1", &long]),
        ("", &["", "3"]),
    ] {
        for value in values {
            for middle in ["value", "VALUE", "valu", ""] {
                let line = format!("setoption name {name} {middle} {value}");
                engine.send(&line);
                let lines = engine.ready();
                assert!(
                    lines.iter().all(|line| matches!(line, Line::InfoString(_))) && lines.len() <= 1,
                    "{line}: {lines:?}"
                );
            }
        }
    }
    for line in
        ["setoption", "setoption name", "setoption value 3", "setoption Hash 3", "setoption name value", "setoption x"]
    {
        survives(&mut engine, line);
    }
    for line in ["Hash value 16", "Threads value 1", "MultiPV value 1", "UCI_Chess960 value false"] {
        engine.send_silent(&format!("setoption name {line}"));
    }
    engine.assert_alive();
    engine.quit();
}

#[test]
fn invalid_options_during_search_are_survived() {
    let mut engine = Engine::start();
    for option in
        ["Hash value 0", "Hash value abc", "Threads value 100000", "MultiPV value 500", "Nonsense value 1", ""]
    {
        engine.send("go infinite");
        engine.send(&format!("setoption name {option}"));
        engine.send("isready");
        engine.until(crate::common::SOON, "readyok", |line| *line == Line::ReadyOk);
        engine.send("stop");
        engine.answer(&crate::common::search::Root::new("startpos"), crate::common::SOON);
    }
    engine.assert_alive();
    engine.quit();
}

/// Unusual and invalid FENs: rejected with one warning, or searched.
const UNUSUAL_FENS: &[&str] = &[
    "",
    "x",
    "8/8/8/8/8/8/8/8 w - -",
    "8/8/8/8/8/8/8/4K3 w - -",
    "4k3/8/8/8/8/8/8/8 w - -",
    "4k3/8/8/8/8/8/8/KK6 w - -",
    "8/8/8/3kK3/8/8/8/8 w - -",
    "4k3/8/8/8/8/8/4Q3/4K3 w - -",
    "4k3/8/8/8/8/8/8/P3K3 w - -",
    "p3k3/8/8/8/8/8/8/4K3 w - -",
    "P3k3/8/8/8/8/8/8/4K3 w - -",
    "4k3/8/8/8/8/8/8/p3K3 b - -",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnX/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w XYZ - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w -K - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkqKQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w AAAA - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w HAha - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 99999",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 100 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 150 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 255 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 65535 65535",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4000000000 4000000000",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 99999999999 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ٣ 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 trailing words",
    "rnbqkbnr/pppppppp/８/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    // 218 moves; 265 moves; more moves than a list of 256 holds; a board full of knights.
    MOST_MOVES,
    "QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
    "NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/KNNNNNNk w - - 0 1",
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    // Two checkers on one line; three checkers.
    "r7/3R2kQ/5p2/4p3/8/7P/8/5K2 b - - 2 3",
    "4k3/8/3N1N2/8/4R3/8/8/4K3 b - - 0 1",
    // Blocked positions that reach great depths.
    "7K/P1p1p1p1/2P1P1Pk/6pP/3p2P1/1P6/3P4/8 w - - 0 1",
    "8/8/8/8/8/6k1/8/6K1 w - - 0 1",
    "k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1",
    // En passant captures that would expose the king.
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "q4kb1/3Q2nq/8/r3PpK1/2n5/7q/8/q7 w - f6 0 1",
];

#[test]
fn unusual_positions_are_survived() {
    let mut engine = Engine::start();
    for fen in UNUSUAL_FENS {
        engine.send(&format!("position fen {fen}"));
        let lines = engine.ready();
        assert!(lines.iter().all(|line| matches!(line, Line::InfoString(_))) && lines.len() <= 1, "{fen}: {lines:?}");
        // Accepted or not, the current position must be searchable.
        for go in ["depth 2", "nodes 3000", "movetime 5"] {
            engine.send(&format!("go {go}"));
            engine.until(crate::common::LIMIT, "bestmove", |line| matches!(line, Line::BestMove { .. }));
        }
        engine.discard_answers();
        engine.assert_alive();
    }
    engine.quit();
}

#[test]
fn every_prefix_of_a_fen_is_survived() {
    let mut engine = Engine::start();
    let fens = data("books/chess960_3moves.epd");
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq e3 0 1";
    for fen in fens.lines().chain([kiwipete]) {
        for end in 0..=fen.len() {
            engine.send(&format!("position fen {}", &fen[..end]));
        }
        let lines = engine.ready();
        assert!(lines.iter().all(|line| matches!(line, Line::InfoString(_))), "{lines:?}");
        engine.assert_alive();
    }
    engine.quit();
}

#[test]
fn illegal_position_moves_are_reported() {
    let mut engine = Engine::start();
    for moves in [
        "e2e5",
        "e2e4 e2e4",
        "0000",
        "e2e4 0000 d2d4",
        "e2",
        "e2e4e5",
        "e9e4",
        "e2e4q",
        "O-O",
        "e4",
        "Nf3",
        "(none)",
        "e2-e4",
        "e1g1",
        "e1h1",
        "e7e5",
        "e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1g1",
        "moves e2e4",
        "\u{7f}",
        "é2e4",
        "e2e4,e7e5",
        "a7a8q",
        "f2f3 e7e5 g2g4 d8h4 a2a3",
    ] {
        let text = engine.warning(&format!("position startpos moves {moves}"));
        assert!(text.contains("illegal move"), "{moves}: {text}");
        engine.assert_alive();
    }
    for (fen, moves) in [
        ("8/P6k/8/8/8/8/8/K7 w - -", ["a7a8", "a7a8k", "a7a8p", "a7a8x"]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", ["h8g8", "h8h7", "h8g7", "h8h8"]),
    ] {
        for m in moves {
            assert!(engine.warning(&format!("position fen {fen} moves {m}")).contains(m));
            engine.assert_alive();
        }
    }
    for valid in ["E2E4 e7E5", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1"] {
        engine.send_silent(&format!("position startpos moves {valid}"));
    }
    engine.quit();
}

/// Random sequences of UCI keywords, and random bytes.
#[test]
fn random_lines_are_survived() {
    let words = [
        "go",
        "depth",
        "3",
        "position",
        "startpos",
        "fen",
        "moves",
        "e2e4",
        "e7e8q",
        "setoption",
        "name",
        "value",
        "Hash",
        "MultiPV",
        "wtime",
        "-1",
        "0",
        "99999999999999999999",
        "searchmoves",
        "ponder",
        "infinite",
        "stop",
        "ponderhit",
        "ucinewgame",
        "8/8/8/8/8/8/8/8",
        "w",
        "KQkq",
        "-",
        "debug",
        "on",
        "\t",
        "\u{0}",
        "é",
        "nodes",
        "mate",
        "movetime",
    ];
    let mut random = fastrand::Rng::with_seed(99);
    let mut engine = Engine::start();
    engine.allow_text = true;
    for _ in 0..400 {
        let mut line: String =
            (0..random.usize(1..8)).map(|_| words[random.usize(0..words.len())]).collect::<Vec<_>>().join(" ");
        if random.u8(0..4) == 0 {
            let noise: Vec<u8> = (0..random.usize(1..40)).map(|_| random.u8(32..)).collect();
            line = String::from_utf8_lossy(&noise).into_owned();
        }
        engine.expect_answers(searches(&line));
        engine.send_bytes(format!("{line}\nstop\n").as_bytes());
        engine.ready();
    }
    engine.send_bytes(b"debug off\nstop\nucinewgame\n");
    engine.ready();
    engine.assert_answered();
    engine.send_silent("setoption name MultiPV value 1");
    engine.assert_alive();
    engine.quit();
}
