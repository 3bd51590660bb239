//! Perft: known node counts, in the library and on the command line.

use std::sync::atomic::AtomicBool;

use crate::common::positions::fen::{CHESS960, KIWIPETE, MIDDLEGAME, ROOK_ENDGAME, START};
use crate::common::{data, run, text};
use aspirant::board::position::parse_fen;
use aspirant::tools::perft::perft;

/// Known counts from <https://www.chessprogramming.org/Perft_Results>, and Chess960 positions from other engines' suites.
const KNOWN: &[(&str, u32, u64)] = &[
    (START, 5, 4_865_609),
    (KIWIPETE, 4, 4_085_603),
    (ROOK_ENDGAME, 6, 11_030_083),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15_833_292),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
    (MIDDLEGAME, 4, 3_894_594),
    ("r7/4p3/5p1q/3P4/4pQ2/4pP2/6pp/R3K1kr w Q - 1 3", 5, 11_609_488),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5, 3_605_103),
    (CHESS960, 4, 326_672),
    ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 4, 667_366),
];

/// Returns whether the FEN is rejected for having more pieces than a game can produce, which would overflow move lists.
fn is_rejected(fen: &str) -> bool {
    parse_fen(fen).is_err_and(|error| error.to_string().contains("too much material"))
}

fn count(fen: &str, depth: u32) -> u64 {
    let position = parse_fen(fen).unwrap_or_else(|error| panic!("{error}"));
    perft(&position, depth, 1, &AtomicBool::new(false)).unwrap()
}

#[test]
fn known_positions_match() {
    for &(fen, depth, expected) in KNOWN {
        assert_eq!(count(fen, depth), expected, "{fen}");
    }
}

/// Scale for the largest node counts that are checked.
const NODE_SCALE: u64 = 300_000;

/// `FEN ;D1 20 ;D2 400 …`
#[test]
fn perftsuite_matches() {
    let suite = data("perft/perftsuite.epd");
    let mut checked = 0;
    for line in suite.lines().filter(|line| line.contains(';')) {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default().trim();
        let entries = fields.filter_map(|entry| entry.trim().strip_prefix('D')?.split_once(' '));
        let entries = entries.map(|(depth, n)| (depth.parse().unwrap(), n.trim().parse::<u64>().unwrap()));
        for (depth, expected) in entries.filter(|&(_, n)| n <= 5 * NODE_SCALE) {
            assert_eq!(count(fen, depth), expected, "{fen} depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 400, "{checked}");
}

/// Lines `epd FEN` and `perft DEPTH COUNT`.
#[test]
fn tricky_random_and_chess960_suites_match() {
    for (name, min_checked) in [("tricky", 60), ("random", 2000), ("chess960", 1200)] {
        let suite = data(&format!("perft/{name}.perft"));
        let (mut fen, mut checked, mut skipped) = ("", 0, 0);
        for line in suite.lines() {
            if let Some(text) = line.strip_prefix("epd ") {
                fen = text.trim();
                skipped += usize::from(is_rejected(fen));
            } else if let Some(entry) = line.strip_prefix("perft ") {
                let (depth, n) = entry.trim().split_once(' ').expect("depth and count");
                let (depth, expected): (u32, u64) = (depth.parse().unwrap(), n.trim().parse().unwrap());
                if expected <= NODE_SCALE / 2 && !is_rejected(fen) {
                    assert_eq!(count(fen, depth), expected, "{name}: {fen} depth {depth}");
                    checked += 1;
                }
            }
        }
        assert!(checked > min_checked && skipped <= 2, "{name}: {checked} checked, {skipped} positions skipped");
    }
}

#[test]
fn perft_command_counts_and_divides() {
    let kiwipete = KNOWN[1].0;
    let output = run(&["perft", "3", kiwipete]);
    assert!(output.status.success());
    assert_eq!(text(&output.stdout), "97862\n");

    let output = run(&["perft", "--divide", "--threads", "2", "3", kiwipete]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.split('\n').collect();
    // One line for each move, a blank line, the sum, a blank line: the format that perft comparison tools parse.
    assert_eq!(lines.len(), 48 + 4, "{printed}");
    assert_eq!(lines[48..], ["", "Nodes searched: 97862", "", ""]);
    let mut sum = 0;
    for line in &lines[..48] {
        let (m, n) = line.split_once(": ").expect("move and count");
        assert!(crate::common::grammar::is_move(m), "{line}");
        sum += n.parse::<u64>().unwrap();
    }
    assert_eq!(sum, 97_862);
    assert!(lines.contains(&"e1g1: 2059") && lines.contains(&"e2a6: 1907"), "{printed}");

    // Chess960 castling is written as king takes rook.
    let output = run(&["perft", "1", "--divide", "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"]);
    let printed = text(&output.stdout);
    assert!(printed.contains("e1g1: 1\n") && printed.contains("e1b1: 1\n"), "{printed}");

    for arguments in [&["perft", "0"][..], &["perft", "0", "--divide"]] {
        assert_eq!(text(&run(arguments).stdout), "1\n");
    }
    for invalid in [&["perft"][..], &["perft", "x"], &["perft", "65"], &["perft", "5000"], &["perft", "2", "x"]] {
        let output = run(invalid);
        assert!(!output.status.success() && !output.stderr.is_empty() && output.stdout.is_empty(), "{invalid:?}");
    }
}
