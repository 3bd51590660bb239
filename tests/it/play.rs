//! Playing strength basics: mates, tactics, draws, underpromotion, MultiPV, `searchmoves`, castling notation.

use crate::common::grammar::Score;
use crate::common::positions::{fen, uci};
use crate::common::search::{Root, random_walk};
use crate::common::{Engine, data, data_path};
use shakmaty::Position as _;

fn fen(text: &str) -> String {
    format!("fen {text}")
}

/// Distance to mate in moves and FEN; negative where the side to move is mated.
const MATES: &[(i32, &str)] = &[
    (1, fen::MATE_IN_1),
    (1, "8/8/8/8/2KR4/8/R7/1n5k w - - 0 1"),
    (1, "8/KR6/4n3/6R1/8/8/7k/8 w - - 0 1"),
    (2, "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"),
    (2, "8/8/k7/7R/4n3/4K3/8/1R6 w - - 0 1"),
    (2, "8/k7/2K2p2/8/b7/8/5N2/Q7 w - - 0 1"),
    (2, "1kN5/7b/2K5/8/8/8/3p4/6Q1 w - - 0 1"),
    (3, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
    (3, "2n5/8/8/8/4R3/2KR4/8/6k1 w - - 0 1"),
    (3, "5k1N/7b/6p1/7K/8/8/8/4Q3 w - - 0 1"),
    (3, "8/5Q2/8/N2b4/k7/1p6/8/1K6 w - - 0 1"),
    (4, "8/k7/2bp3K/8/4Q3/2N5/8/8 w - - 0 1"),
    (4, "8/4N3/3P4/7k/5K2/3R2q1/8/8 w - - 0 1"),
    (4, "8/8/3N4/6k1/4Q3/6K1/bp6/8 w - - 0 1"),
    // lynx-chess/Lynx#1060. The side being mated has legal moves.
    (-1, "R7/8/1q6/8/8/8/4N2P/k1K5 b - - 0 1"),
    (-1, "2n5/8/R7/8/5R2/2K5/8/k7 b - - 0 1"),
    (-2, "8/5K1k/8/6pn/8/8/8/2B4R b - - 0 1"),
    (-2, "8/K2k4/1R6/8/8/1n5R/8/8 b - - 0 1"),
    (-3, "3k4/7R/8/8/2K5/8/4n3/4R3 b - - 0 1"),
    (-3, "8/8/5R2/k7/3K4/1R6/8/4n3 b - - 0 1"),
];

/// The driver checks that the PV of each mate score has that length and ends in mate.
#[test]
fn mates_have_exact_distance_and_complete_pv() {
    let mut engine = Engine::start();
    for threads in [1, 3] {
        engine.set("Threads", threads);
        for &(moves, position) in MATES {
            engine.send_silent("ucinewgame");
            let found = engine.search(&fen(position), &format!("mate {}", moves.abs()));
            assert_eq!(found.score(), Score::Mate(moves), "{position}");
        }
    }
    engine.quit();
}

/// connormcmonigle/seer-nnue#195. The mate begins with a quiet move that leaves the opponent in zugzwang.
#[test]
fn zugzwang_mate_is_found() {
    let mut engine = Engine::start();
    for threads in [1, 2] {
        engine.set("Threads", threads);
        let found = engine.search("fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate 2 nodes 3000000");
        assert_eq!((found.best(), found.score()), ("a1a6", Score::Mate(2)));
    }
    engine.quit();
}

/// official-stockfish/Stockfish#3206; Disservin/fastchess#863; official-stockfish/Stockfish#2370;
/// jhonnold/berserk#598.
///
/// The driver checks each PV: legal, not beyond the end of the game, mates shown to the end.
#[test]
fn pvs_are_legal_and_mate_pvs_complete() {
    let mut random = fastrand::Rng::with_seed(16);
    let mut engine = Engine::start();
    let near_fifty_moves = ["8/5k2/8/8/3R4/8/4K3/8 w - - 94 80", "8/8/4k3/8/2N5/8/4K3/7r b - - 97 90"];
    for round in 0..60 {
        if round % 15 == 0 {
            engine.set("Threads", if round % 30 == 0 { 1 } else { 2 });
        }
        let fen = if round % 4 == 3 { near_fifty_moves[round / 4 % 2] } else { fen::START };
        let plies = random.usize(0..if fen == fen::START { 120 } else { 5 });
        let (position, text) = random_walk(&mut random, fen, plies);
        if !position.chess().legal_moves().is_empty() {
            engine.search(&text, &format!("depth {}", 1 + round % 9));
        }
    }
    // Stopped before the best root move was searched: the mate score of a worse move must not be reported.
    for position in [
        "2BB4/1PPPPPPP/5Nk1/K1bqnnpb/8/8/p4p2/1r6 w - - 0 1",
        "1n2b2Q/1P6/2ppNN1K/4kBP1/5rPp/n5B1/6Pp/2q5 b - - 0 1",
        "qb6/1r6/b1r5/Q4PP1/8/2RpBKpp/1R1P2P1/7k b - - 0 1",
    ] {
        let found = engine.search(&fen(position), "nodes 20000");
        let is_mated = matches!(found.score(), Score::Mate(moves) if moves < 0 && moves > -6);
        assert!(!is_mated, "{position}: {:?}", found.last());
    }
    engine.quit();
}

#[test]
fn third_of_wac_is_solved_in_2000_nodes() {
    let suite = data_path("suites/wac.epd");
    let output = crate::common::run(&["epd", suite.to_str().unwrap(), "--nodes", "2000"]);
    let text = crate::common::text(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    let score = last.split_whitespace().find_map(|word| word.split_once('/')).expect("solved/total");
    let (solved, total): (u32, u32) = (score.0.parse().unwrap(), score.1.parse().unwrap());
    assert!(output.status.success() && total > 100 && solved * 3 >= total, "{last}");
}

#[test]
fn drawn_positions_score_zero() {
    let mut engine = Engine::start();
    for (position, moves) in [
        // Insufficient material: bare kings, a single minor piece.
        (fen::BARE_KINGS, ""),
        ("8/8/4k3/8/8/3KN3/8/8 w - - 0 1", ""),
        ("8/8/4k1b1/8/8/2K5/8/8 b - - 0 1", ""),
        // A quiet move completes the fifty moves.
        ("7k/8/8/8/8/8/1q6/6RK b - - 99 100", " searchmoves b2c2 b2d2"),
        // Stalemate.
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", " searchmoves g5g6"),
    ] {
        let found = engine.search(&fen(position), &format!("depth 7{moves}"));
        assert_eq!(found.score(), Score::Cp(0), "{position}");
    }
    engine.quit();
}

/// official-stockfish/Stockfish#679, kelseyde/calvin-chess-engine#405.
#[test]
fn repetitions_include_the_game_before_the_root() {
    let mut engine = Engine::start();
    // With a queen more, the third occurrence scores 0, the second one since the root position of the game does not.
    let extra_queen = "fen 3k4/8/8/8/8/8/8/QK6 w - - 0 1";
    for cycles in 0..=2 {
        // The search plays the last move of the cycle.
        let moves = ["b1c1 d8e8 c1b1 e8d8"].repeat(cycles).join(" ");
        let position = format!("{extra_queen} moves {moves} b1c1 d8e8 c1b1");
        let found = engine.search(&position, "depth 1 searchmoves e8d8");
        assert_eq!(found.score() == Score::Cp(0), cycles >= 1, "{cycles} cycles: {:?}", found.last());
    }
    let start = fen("6k1/5pp1/7p/8/8/8/r7/7K b - - 10 40");
    let cycle = "a2b2 h1g1 b2a2 g1h1";
    // White is lost, but Kh1 is the third repetition.
    let repeated = engine.search(&format!("{start} moves {cycle} a2b2 h1g1 b2a2"), "depth 6");
    assert_eq!((repeated.score(), repeated.best()), (Score::Cp(0), "g1h1"));
    // One ply earlier Black has a better move, but the move that allows the repetition scores 0.
    let before = format!("{start} moves {cycle} a2b2 h1g1");
    assert!(engine.search(&before, "depth 6").score().rank() > 300);
    assert_eq!(engine.search(&before, "depth 6 searchmoves b2a2").score(), Score::Cp(0));
    // Without that history White is lost.
    assert!(engine.search(&format!("{start} moves a2b2 h1g1 b2a2"), "depth 6").score().rank() < -300);
    engine.quit();
}

/// The only move is the third repetition; the TT still holds a reply from an earlier search.
#[test]
fn no_ponder_move_after_the_end_of_the_game() {
    const CHECKS: &str = "fen 4Q3/6pk/8/8/8/7P/6PK/qrr5 w - - 0 1";
    let mut engine = Engine::start();
    let found = engine.search(CHECKS, "depth 8");
    assert_eq!((found.best(), found.score()), ("e8h5", Score::Cp(0)));
    let cycle = "e8h5 h7g8 h5e8";
    let found = engine.search(&format!("{CHECKS} moves {cycle}"), "depth 1");
    assert_eq!((found.best(), found.ponder.as_deref()), ("g8h7", Some("e8h5")));
    let found = engine.search(&format!("{CHECKS} moves {cycle} g8h7 {cycle}"), "depth 1");
    assert_eq!((found.best(), found.ponder.as_deref()), ("g8h7", None));
    engine.quit();
}

/// deanmchris/blunder#14.
#[test]
fn mate_on_the_hundredth_ply_precedes_the_fifty_move_rule() {
    let mut engine = Engine::start();
    let found = engine.search("fen 8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113", "depth 10");
    assert_eq!(found.score(), Score::Mate(1));
    engine.quit();
}

#[test]
fn underpromotion_is_played_where_it_is_best() {
    let mut engine = Engine::start();
    // A knight gives mate; a rook avoids stalemate.
    for (position, best) in
        [("8/5P1k/5K2/8/8/8/8/8 w - - 0 1", "f7f8r"), ("7b/5P1k/7p/8/8/8/8/1K4R1 w - - 0 1", "f7f8n")]
    {
        engine.send_silent("ucinewgame");
        let found = engine.search(&fen(position), "depth 12");
        assert_eq!(found.best(), best, "{position}");
    }
    engine.quit();
}

/// jhonnold/berserk#498; KierenP/Halogen#239; nescitus/rodent-iv#16.
#[test]
fn multi_pv_lines_are_distinct_complete_and_sorted() {
    let mut engine = Engine::start();
    for (lines, threads) in [(2, 1), (5, 1), (5, 2), (256, 1)] {
        engine.set("MultiPV", lines);
        engine.set("Threads", threads);
        for (position, legal) in [
            ("startpos", 20),
            (uci::KIWIPETE, 48),
            (uci::MATED, 0),
            ("fen 7k/8/8/8/8/8/6q1/7K w - - 0 1", 1),
            ("fen k7/8/8/8/8/8/8/KQ6 b - - 0 1", 1),
            ("fen 7k/8/8/8/8/8/1q6/K7 w - - 0 1", 1),
        ] {
            let found = engine.search(position, "depth 6");
            let set = found.multi_pv();
            assert_eq!(set.len(), lines.min(legal).max(1), "MultiPV {lines}, {position}: {set:?}");
            assert!(set.iter().enumerate().all(|(at, info)| info.multi_pv == at + 1), "{set:?}");
            assert!(set.iter().all(|info| info.depth == set[0].depth), "{set:?}");
        }
        // The driver checks that the best move is the first move of the first PV.
        for delay in [0, 1, 2, 5, 20, 50] {
            let root = engine.start_search(uci::KIWIPETE, "infinite");
            std::thread::sleep(std::time::Duration::from_millis(delay));
            engine.stop(&root);
        }
    }
    assert_eq!(engine.search(uci::MOST_MOVES, "depth 2").multi_pv().len(), 218);
    engine.quit();
}

#[test]
fn searchmoves_restricts_the_root_moves() {
    let mut engine = Engine::start();
    for go in
        ["depth 6 searchmoves a2a3 h2h4", "searchmoves a2a3 h2h4 depth 6", "searchmoves h2h4 a2a3 a2a3 nodes 3000"]
    {
        let found = engine.search("startpos", go);
        assert!(found.infos.iter().all(|info| ["a2a3", "h2h4"].contains(&info.pv[0].as_str())), "{found:?}");
    }
    engine.set("MultiPV", 5);
    assert_eq!(engine.search("startpos", "searchmoves a2a3 h2h4 depth 5").multi_pv().len(), 2);
    engine.quit();
}

#[test]
fn duplicate_searchmoves_count_once() {
    let mut engine = Engine::start();
    for line in ["MultiPV value 2", "UCI_LimitStrength value true", "UCI_Elo value 1400", "Skill Seed value 3"] {
        engine.send_silent(&format!("setoption name {line}"));
    }
    // With limited strength, the node budget is multiplied by the number of PVs.
    let mut nodes = |go: &str| {
        engine.send_silent("ucinewgame");
        engine.search("startpos", go).last().nodes
    };
    assert_eq!(nodes("movetime 1000 searchmoves e2e4 e2e4"), nodes("movetime 1000 searchmoves e2e4"));
    engine.quit();
}

#[test]
fn castling_is_accepted_in_both_notations() {
    let mut engine = Engine::start();
    let both = "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (notation, castled) in [("false", "e1g1"), ("true", "e1h1")] {
        engine.set("UCI_Chess960", notation);
        // Both notations are accepted; output follows the option.
        for input in ["e1g1", "e1h1"] {
            assert_eq!(engine.search(both, &format!("depth 4 searchmoves {input}")).best(), castled);
            engine.send_silent(&format!("position {both} moves {input} e8c8"));
        }
    }
    engine.set("UCI_Chess960", false);
    // With nonstandard king or rook squares only king takes rook is possible.
    let chess960 = "fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1";
    assert_eq!(engine.search(chess960, "depth 4 searchmoves e1g1").best(), "e1g1");
    engine.send_silent(&format!("position {chess960} moves e1b1 e8g8"));
    // Without the option, KQkq means the standard squares.
    let implied = chess960.replace("GBgb", "KQkq");
    assert!(engine.warning(&format!("position {implied}")).contains("castling rights"));
    engine.set("UCI_Chess960", true);
    engine.send_silent(&format!("position {implied} moves e1b1 e8g8"));
    engine.quit();
}

/// cutechess/cutechess#15; pkrisz99/Renegade#190.
#[test]
fn chess960_castling_is_legal() {
    let mut engine = Engine::start();
    engine.set("UCI_Chess960", true);
    let starts = data("books/chess960_starts.epd");
    let mut random = fastrand::Rng::with_seed(64);
    for (number, start) in starts.lines().enumerate() {
        let plies = random.usize(0..30);
        let (position, mut text) = random_walk(&mut random, start.trim(), plies);
        if position.chess().legal_moves().is_empty() {
            continue;
        }
        engine.search(&text, "depth 4");
        // From every third one, the engine plays on.
        for _ in 0..if number % 3 == 0 { 24 } else { 0 } {
            let found = engine.search(&text, "nodes 1500");
            let Some(best) = found.best else { break };
            text = format!("{text} {best}");
        }
    }
    for (position, can_castle) in [
        ("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", true),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", true),
        // The castling rook shields its king from a check.
        ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", false),
        ("1k6/8/8/8/8/8/8/RKR5 w CA - 0 1", true),
    ] {
        let legal = Root::new(&fen(position)).chess.legal_moves();
        assert_eq!(legal.iter().any(|m| m.is_castle()), can_castle, "{position}");
        engine.search(&fen(position), "depth 6");
    }
    engine.quit();
}
