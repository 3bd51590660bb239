//! The production search with all pruning, the TT and quiescence search switched off returns the values of textbook
//! minimax over the same positions.

use crate::common::data_path;
use crate::common::positions::fen::{ROOK_ENDGAME, START};
use std::sync::Arc;

use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::chess_tree::input::TreeInput;
use aspirant::chess_tree::{Chess, DrawRules, LeafEvaluation};
use aspirant::engine::DefaultEvaluator;
use aspirant::eval::pst::Pst;
use aspirant::score::{MATE_IN_MAX_PLY, Score};
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::Silent;
use aspirant::search::{SearchRequest, Searcher};
use game_tree_search::algorithms::fail_soft::{fail_soft, fail_soft_window};
use game_tree_search::algorithms::minimax::minimax;
use game_tree_search::algorithms::proof_number_search::proves;
use game_tree_search::catalog::{ALGORITHMS, AlgorithmSettings};
use game_tree_search::{GameTree as _, MoveOrdering, SearchContext};

/// FEN and greatest depth: all game phases, with mates, stalemates, insufficient material and the fifty-move rule in reach.
const POSITIONS: &[(&str, u32)] = &[
    (START, 4),
    ("r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1", 3),
    (ROOK_ENDGAME, 4),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 4),
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 3),
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 4),
    ("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", 4),
    ("7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", 4),
    ("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", 4),
    ("5k2/5P2/4K3/8/8/8/8/8 w - - 0 1", 4),
    ("8/8/4k3/8/3n4/4K3/8/8 w - - 0 1", 4),
    ("8/8/4k3/8/8/3pK3/8/5B2 w - - 98 90", 4),
    ("7k/8/5K2/8/8/8/8/R7 w - - 97 90", 4),
    ("k7/1R6/2K5/8/8/8/8/8 w - - 98 90", 4),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 3),
    ("8/8/1k6/2pP4/8/8/8/4K3 w - c6 0 2", 4),
];

fn production(game: &Game, depth: u32) -> Score {
    let params = Params::plain();
    let request = SearchRequest::untimed(game.clone(), Limits::depth(depth));
    let mut searcher = Searcher::new(0, DefaultEvaluator::default(), &params, Arc::new(TranspositionTable::new(1)));
    let result = searcher.search(request, Box::new(Silent));
    // The search may end early only after a mate score or without legal moves.
    let is_final = result.best_move().is_none() || result.score().abs() >= MATE_IN_MAX_PLY;
    assert!(is_final || result.depth == depth as i32);
    result.score()
}

fn reference_score(game: &Game, depth: u32) -> Score {
    let evaluator = DefaultEvaluator::default();
    let chess = Chess::new(game.clone(), evaluator, LeafEvaluation::Static, DrawRules::WithRepetitions);
    let mut s = SearchContext::new(&chess);
    minimax(&mut s, &chess.root(), depth).expect("no limit").value
}

#[test]
fn production_search_without_pruning_equals_minimax() {
    for &(fen, max_depth) in POSITIONS {
        let game = Game::new(parse_fen(fen).expect(fen));
        for depth in 1..=max_depth {
            assert_eq!(production(&game, depth), reference_score(&game, depth), "{fen} depth {depth}");
        }
    }
}

#[test]
fn repetitions_score_equally_in_both_searches() {
    let mut game = Game::new(parse_fen("7k/8/8/8/8/6q1/8/R6K w - - 0 1").expect("legal"));
    // White can repeat; the positions before the root have occurred once.
    for moves in [&["a1a8", "h8h7", "a8a7", "h7h8", "a7a1"][..], &["g3h3"], &["h1g1"], &["h3g3"], &["g1h1"]] {
        game.play_moves(moves.iter().copied()).expect("legal");
        for depth in 1..=4 {
            assert_eq!(production(&game, depth), reference_score(&game, depth), "after {moves:?} depth {depth}");
        }
    }
}

#[test]
fn all_algorithms_agree_on_chess() {
    for &(fen, _) in POSITIONS {
        for (rules, horizon, depth) in [
            (DrawRules::PathIndependent, LeafEvaluation::Static, 3),
            (DrawRules::WithRepetitions, LeafEvaluation::Quiescence, 1),
        ] {
            // This type is compiled for all algorithms in the library.
            let chess = Chess::new(Game::new(parse_fen(fen).expect(fen)), Pst, horizon, rules);
            let chess = TreeInput::Chess(Box::new(chess));
            let root = chess.root();
            let value = minimax(&mut SearchContext::new(&chess), &root, depth).expect("no limit").value;
            for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.family > 4) {
                let mut s = SearchContext::new(&chess).with_memory();
                s.ordering = MoveOrdering::all();
                let outcome = algorithm.run(&mut s, &root, depth, AlgorithmSettings::default()).expect("no limit");
                assert_eq!(outcome.value, value, "{} {fen} {rules:?}", algorithm.name);
                if let Some(mv) = outcome.best_move {
                    let child = chess.play(&root, mv);
                    let reply = fail_soft(&mut SearchContext::new(&chess), &child, depth - 1).expect("no limit");
                    assert_eq!(-reply.value, value, "{} {fen} {rules:?} {mv:?}", algorithm.name);
                }
            }
        }
    }
}

/// Null windows are effective in mate searches. Proof-number search needs no window at all.
#[test]
fn null_window_at_mate_needs_fewer_leaves_than_the_full_window() {
    let suite = std::fs::read_to_string(data_path("suites/short_mates.epd")).expect("the suite");
    let (mut full, mut null, mut proof) = (0, 0, 0);
    for line in suite.lines() {
        let (epd, moves) = line.split_once("bm #").expect("a mate");
        let moves: u32 = moves.split(';').next().expect("an end").parse().expect("a number");
        if moves > 3 {
            continue;
        }
        let game = Game::new(parse_fen(epd.trim()).expect("legal"));
        let chess = Chess::new(game, Pst, LeafEvaluation::Static, DrawRules::PathIndependent);
        let chess = TreeInput::Chess(Box::new(chess));
        let (root, depth) = (chess.root(), 2 * moves - 1);
        let mut ctx = SearchContext::new(&chess);
        for heuristic in ["captures", "killers", "presearch"] {
            ctx.ordering.enable(heuristic);
        }
        assert!(fail_soft(&mut ctx, &root, depth).expect("no limit").value >= MATE_IN_MAX_PLY, "{line}");
        full += ctx.counters.leaves;
        let window = (MATE_IN_MAX_PLY - 1, MATE_IN_MAX_PLY);
        let outcome = fail_soft_window(&mut ctx, &root, depth, window.0, window.1).expect("no limit");
        assert!(outcome.value >= MATE_IN_MAX_PLY, "{line}");
        null += ctx.counters.leaves;
        ctx.ordering = MoveOrdering::default();
        assert_eq!(proves(&mut ctx, &root, depth, MATE_IN_MAX_PLY), Ok(true), "{line}");
        proof += ctx.counters.leaves;
    }
    assert!(proof < null && null * 2 < full, "full window {full}, null window {null}, proof numbers {proof}");
}
