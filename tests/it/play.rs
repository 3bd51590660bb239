//! Playing strength basics: mates, tactics, draws, underpromotion, MultiPV, `searchmoves`, castling notation.

use crate::common::grammar::Score;
use crate::common::positions::{fen, uci};
use crate::common::{Engine, data, data_path};

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
        engine.send_silent(&format!("setoption name Threads value {threads}"));
        for &(moves, position) in MATES {
            engine.send_silent("ucinewgame");
            let found = engine.search(&fen(position), &format!("mate {}", moves.abs()));
            assert_eq!(found.score(), Score::Mate(moves), "{position}");
        }
    }
    engine.quit();
}

#[test]
fn suite_mates_are_never_shorter_than_possible() {
    let suite = data("suites/mates.epd");
    let mut engine = Engine::start();
    let (mut solved, mut total) = (0, 0);
    for line in suite.lines() {
        let (position, mate) = line.split_once(" bm #").expect("bm #N");
        let moves: i32 = mate.trim_end_matches(';').parse().unwrap();
        engine.send_silent("ucinewgame");
        let found = engine.search(&format!("{} 0 1", fen(position)), "nodes 10000");
        if let Score::Mate(announced) = found.score() {
            assert_eq!(announced > 0, moves > 0, "{line}: mate {announced}");
            assert!(announced.abs() >= moves.abs(), "{line}: mate {announced} is shorter than possible");
            solved += i32::from(announced == moves);
        }
        total += 1;
    }
    assert!(solved > 0, "none of {total} mates found in 10,000 nodes each");
    engine.quit();
}

#[test]
fn mated_and_stalemated_positions_return_none() {
    let mut engine = Engine::start();
    for (position, score) in [
        (fen::MATED, Score::Mate(0)),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Score::Mate(0)),
        (fen::STALEMATED, Score::Cp(0)),
        ("7k/7P/6K1/8/8/3B4/8/8 b - - 0 1", Score::Cp(0)),
    ] {
        for go in ["depth 3", "", "movetime 100", "wtime 1000 btime 1000", "nodes 1", "mate 1", "searchmoves e2e4"] {
            let found = engine.search(&fen(position), go);
            assert_eq!((found.score(), found.best.as_deref()), (score, None), "{position} go {go}");
        }
    }
    engine.quit();
}

#[test]
fn stalemate_suite_is_searched_correctly() {
    let suite = data("suites/stalemates.epd");
    let mut engine = Engine::start();
    for line in suite.lines() {
        engine.search(&fen(line), "depth 4");
    }
    engine.quit();
}

/// FEN and the only good move.
const TACTICS: &[(&str, &str)] = &[
    ("5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1", "e3g3"),
    ("r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1", "h6h7"),
    ("5k2/6pp/p1qN4/1p1p4/3P4/2PKP2Q/PP3r2/3R4 b - - 0 1", "c6c4"),
    ("7k/p7/1R5K/6r1/6p1/6P1/8/8 w - - 0 1", "b6b7"),
    ("rnbqkb1r/pppp1ppp/8/4P3/6n1/7P/PPPNPPP1/R1BQKBNR b KQkq - 0 1", "g4e3"),
    ("2br2k1/2q3rn/p2NppQ1/2p1P3/Pp5R/4P3/1P3PPP/3R2K1 w - - 0 1", "h4h7"),
    ("r1b1kb1r/3q1ppp/pBp1pn2/8/Np3P2/5B2/PPP3PP/R2Q1RK1 w kq - 0 1", "f3c6"),
    ("4k1r1/2p3r1/1pR1p3/3pP2p/3P2qP/P4N2/1PQ4P/5R1K b - - 0 1", "g4f3"),
    ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "f3f7"),
    ("q3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "d5c7"),
    ("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "b1b8"),
    ("3r2k1/5ppp/8/8/8/8/3Q1PPP/6K1 w - - 0 1", "d2d8"),
];

#[test]
fn tactics_are_solved() {
    let mut engine = Engine::start();
    for (position, best) in TACTICS {
        engine.send_silent("ucinewgame");
        let found = engine.search(&fen(position), "nodes 300000");
        assert_eq!(found.best(), *best, "{position}");
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

#[test]
fn repetitions_include_the_game_before_the_root() {
    let mut engine = Engine::start();
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

#[test]
fn multi_pv_lines_are_distinct_complete_and_sorted() {
    let mut engine = Engine::start();
    for (lines, threads) in [(2, 1), (5, 1), (5, 2), (256, 1)] {
        engine.send_silent(&format!("setoption name MultiPV value {lines}"));
        engine.send_silent(&format!("setoption name Threads value {threads}"));
        for (position, legal) in [
            ("startpos", 20),
            (uci::KIWIPETE, 48),
            ("fen 7k/8/8/8/8/8/6q1/7K w - - 0 1", 1),
            ("fen 7k/6pp/8/8/8/8/r7/1r5K w - - 0 1", 0),
        ] {
            let found = engine.search(position, "depth 6");
            let set = found.multi_pv();
            assert_eq!(set.len(), lines.min(legal).max(1), "MultiPV {lines}, {position}: {set:?}");
            assert!(set.iter().enumerate().all(|(at, info)| info.multi_pv == at + 1), "{set:?}");
            assert!(set.iter().all(|info| info.depth == set[0].depth), "{set:?}");
        }
    }
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
    engine.send_silent("setoption name MultiPV value 5");
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
        engine.send_silent(&format!("setoption name UCI_Chess960 value {notation}"));
        // Both notations are accepted; output follows the option.
        for input in ["e1g1", "e1h1"] {
            assert_eq!(engine.search(both, &format!("depth 4 searchmoves {input}")).best(), castled);
            engine.send_silent(&format!("position {both} moves {input} e8c8"));
        }
    }
    engine.send_silent("setoption name UCI_Chess960 value false");
    // With nonstandard king or rook squares only king takes rook is possible.
    let chess960 = "fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1";
    assert_eq!(engine.search(chess960, "depth 4 searchmoves e1g1").best(), "e1g1");
    for text in ["GBgb", "KQkq"] {
        engine.send_silent(&format!(
            "position fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w {text} - 0 1 moves e1b1 e8g8"
        ));
    }
    engine.quit();
}

#[test]
fn chess960_games_from_many_starts() {
    let starts = data("books/chess960_starts.epd");
    let starts: Vec<&str> = starts.lines().collect();
    let mut engine = Engine::start();
    engine.send_silent("setoption name UCI_Chess960 value true");
    for start in starts.iter().step_by(starts.len().div_ceil(12)) {
        engine.send_silent("ucinewgame");
        let mut line = format!("fen {start} moves");
        for _ in 0..24 {
            let found = engine.search(&line, "nodes 1500");
            let Some(best) = found.best else { break };
            line = format!("{line} {best}");
        }
    }
    engine.quit();
}
