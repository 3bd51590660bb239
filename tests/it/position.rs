//! `position`: FENs and moves, valid or not. After each, the engine answers `isready` and searches.

use crate::common::grammar::Line;
use crate::common::positions::{fen, knight_moves};
use crate::common::{Engine, LIMIT};

/// FENs that are no position, or positions with which the search could not work.
const REJECTED: &[&str] = &[
    "",
    "x",
    // codedeliveryservice/Reckless#1097.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB",
    // official-stockfish/Stockfish#6476. Not one king for each side.
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/8/8/4K3 w - -",
    "8/8/8/8/8/8/8/4K3 b - - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/KK6 w - - 0 1",
    // official-stockfish/Stockfish#3236. The side not to move is in check.
    "8/8/8/3kK3/8/8/8/8 w - -",
    "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1",
    "4k2r/8/8/8/8/8/8/4R2K w - - 0 1 moves e1e8",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnX/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w XYZ - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w -K - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ٣ 1",
    "rnbqkbnr/pppppppp/８/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 trailing words",
    // official-stockfish/Stockfish#4558, paulsonkoly/chess-3#161. 265 moves, more than a list of 256 holds, all
    // squares occupied.
    "QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
    "NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/KNNNNNNk w - - 0 1",
    "nnnnnnnn/nnnnnnnn/8/8/8/8/NNNNNNNN/KNNNNNNk w - - 0 1",
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
];

/// Unusual FENs that can be searched. What is wrong in them is ignored or corrected.
const ACCEPTED: &[&str] = &[
    // official-stockfish/Stockfish#3519. Castling rights without rooks; other spellings.
    "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w HAha - 0 1",
    "r3k2r/8/8/8/8/8/8/4K2R w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkqKQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w AAAA - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
    // No pawn can be captured en passant, or the capture would expose the king.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "q4kb1/3Q2nq/8/r3PpK1/2n5/7q/8/q7 w - f6 0 1",
    // official-stockfish/Stockfish#3171. Two checkers on one line; three checkers.
    "r7/3R2kQ/5p2/4p3/8/7P/8/5K2 b - - 2 3",
    "4k3/8/3N1N2/8/4R3/8/8/4K3 b - - 0 1",
    // Blocked positions that reach great depths.
    "7K/P1p1p1p1/2P1P1Pk/6pP/3p2P1/1P6/3P4/8 w - - 0 1",
    "8/8/8/8/8/6k1/8/6K1 w - - 0 1",
    "k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1",
    fen::MOST_MOVES,
];

/// Sends a position and searches; returns whether it was accepted. At most one warning is allowed.
#[track_caller]
fn is_accepted(engine: &mut Engine, fen: &str) -> bool {
    engine.send(&format!("position fen {fen}"));
    let lines = engine.ready();
    assert!(matches!(lines.as_slice(), [] | [Line::InfoString(_)]), "{fen}: {lines:?}");
    // Accepted or not, the current position must be searchable.
    for go in ["depth 3", "nodes 3000", "movetime 5"] {
        engine.send(&format!("go {go}"));
        engine.until(LIMIT, "bestmove", |line| matches!(line, Line::BestMove { .. }));
    }
    engine.discard_answers();
    engine.assert_alive();
    lines.is_empty()
}

/// official-stockfish/Stockfish#1077.
#[test]
fn impossible_positions_are_rejected() {
    let mut engine = Engine::start();
    for fen in REJECTED {
        assert!(!is_accepted(&mut engine, fen), "{fen}");
    }
    for (pawn, side) in [('P', 'w'), ('p', 'b')] {
        for file in 0..8 {
            let rank: String = (0..8).map(|at| if at == file { pawn } else { '1' }).collect();
            for board in [format!("{rank}/8/4k3/8/8/4K3/8/8"), format!("8/8/4k3/8/8/4K3/8/{rank}")] {
                engine.warning(&format!("position fen {board} {side} - - 0 1"));
            }
        }
    }
    engine.assert_alive();
    engine.quit();
}

#[test]
fn unusual_positions_are_searched() {
    let mut engine = Engine::start();
    for fen in ACCEPTED {
        assert!(is_accepted(&mut engine, fen), "{fen}");
    }
    engine.quit();
}

/// codedeliveryservice/Reckless#1101. A negative clock is invalid.
#[test]
fn fen_counters_of_any_size_are_handled() {
    let mut engine = Engine::start();
    for clock in ["99", "100", "101", "150", "255", "256", "32767", "65535", "4294967295", "99999999999", "-1"] {
        for number in ["0", "1", "9999", "65536", "4294967295"] {
            let fen = format!("4k3/8/8/8/8/8/4P3/4K3 w - - {clock} {number}");
            assert_eq!(is_accepted(&mut engine, &fen), clock != "-1", "{fen}");
        }
    }
    engine.quit();
}

/// lichess-bot-devs/lichess-bot#377.
#[test]
fn illegal_moves_are_reported_and_leave_the_board_unchanged() {
    let mut engine = Engine::start();
    engine.send_silent("position startpos moves e2e4");
    for moves in [
        "e2e5",
        "e2e4 e2e4",
        "d2d4 d7d5 d2d4",
        "0000",
        "e2e4 0000 d2d4",
        "e2",
        "e2e4e5",
        "e9e4",
        "e2e4q",
        "O-O",
        "Nf4",
        "(none)",
        "e1g1",
        "e1h1",
        "e7e5",
        "e2e4 e7e5 e1e3 d7d5",
        "e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1g1",
        "e2e4 xyz",
        "moves e2e4",
        "\u{7f}",
        "é2e4",
        "e2e4,e7e5",
        "a7a8q",
        "f2f3 e7e5 g2g4 d8h4 a2a3",
    ] {
        let text = engine.warning(&format!("position startpos moves {moves}"));
        assert!(text.contains("illegal move"), "{moves}: {text}");
    }
    for (fen, moves) in [
        ("8/P6k/8/8/8/8/8/K7 w - -", ["a7a8", "a7a8k", "a7a8p", "a7a8x"]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", ["h8g8", "h8h7", "h8g7", "h8h8"]),
    ] {
        for m in moves {
            assert!(engine.warning(&format!("position fen {fen} moves {m}")).contains(m));
        }
    }
    engine.allow_text = true;
    assert!(engine.output_of("d").join("\n").contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"));
    for valid in
        ["E2E4 e7E5", "e4 e7-e5 2.Nf3", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1"]
    {
        engine.send_silent(&format!("position startpos moves {valid}"));
    }
    engine.quit();
}

/// TerjeKir/weiss#630; jhonnold/berserk#374.
#[test]
fn games_of_any_length_are_accepted() {
    let mut engine = Engine::start();
    for plies in [255, 601, 1024, 2402, 6003] {
        engine.search(&format!("startpos moves {}", knight_moves(plies)), "depth 4");
    }
    let line = format!("position startpos moves {} e2e5", knight_moves(800));
    assert!(engine.warning(&line).contains("801"));
    let mut line = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat((6 << 20) / 20));
    line.push_str("\nisready\n");
    engine.send_bytes(line.as_bytes());
    engine.until(LIMIT, "readyok", |line| *line == Line::ReadyOk);
    engine.assert_alive();
    engine.quit();
}
