//! The steps of docs/tutorial: each plays, and does what its chapter says.
//!
//! The tests named `exercise_N` fail until the exercise of chapter N is solved in `examples/tutorial/`:
//! `cargo test --test tutorial exercise_3_ -- --ignored`.
#![allow(clippy::duplicate_mod, reason = "each step includes the module `shared`")]

use std::time::{Duration, Instant};

use aspirant::eval::testing::assert_symmetric;
use aspirant::prelude::*;
use aspirant::score::{Bound, is_mate, mate_in};

#[path = "../examples/tutorial/step01_random.rs"]
mod step01;
#[path = "../examples/tutorial/step02_material.rs"]
mod step02;
#[path = "../examples/tutorial/step03_negamax.rs"]
mod step03;
#[path = "../examples/tutorial/step04_alpha_beta.rs"]
mod step04;
#[path = "../examples/tutorial/step05_ordering.rs"]
mod step05;
#[path = "../examples/tutorial/step06_quiescence.rs"]
mod step06;
#[path = "../examples/tutorial/step07_clock.rs"]
mod step07;
#[path = "../examples/tutorial/step08_transpositions.rs"]
mod step08;
#[path = "../examples/tutorial/step09_pvs.rs"]
mod step09;
#[path = "../examples/tutorial/step10_null_move.rs"]
mod step10;
#[path = "../examples/tutorial/step11_reductions.rs"]
mod step11;
#[path = "../examples/tutorial/step12_tables.rs"]
mod step12;
#[path = "../examples/tutorial/step13_threads.rs"]
mod step13;

type Step = fn() -> Result<Engine, BuildError>;

const STEPS: [Step; 13] = [
    step01::engine,
    step02::engine,
    step03::engine,
    step04::engine,
    step05::engine,
    step06::engine,
    step07::engine,
    step08::engine,
    step09::engine,
    step10::engine,
    step11::engine,
    step12::engine,
    step13::engine,
];

const MIDDLEGAMES: [&str; 3] = [
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "2r3k1/pp3ppp/4pn2/3p4/3P1B2/2r1P2P/PP3PP1/2R2RK1 w - - 0 20",
];
const MATE_IN_1: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
/// Rook b7 and rook a8.
const MATE_IN_2: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
/// The queen can take a pawn that another pawn defends.
const DEFENDED_PAWN: &str = "4k3/8/3p4/4p3/8/8/8/4QK2 w - - 0 1";

fn search_with(engine: &mut Engine, fen: &str, limits: Limits) -> SearchResult {
    engine.set_game(Game::new(parse_fen(fen).unwrap()));
    let result = engine.search(limits);
    assert_eq!(result.messages, [""; 0]);
    result
}

fn search(step: Step, fen: &str, limits: Limits) -> SearchResult {
    search_with(&mut step().unwrap(), fen, limits)
}

/// Returns the best move in UCI notation.
fn best(step: Step, fen: &str, limits: Limits) -> String {
    let m = search(step, fen, limits).best_move().unwrap();
    m.to_uci(aspirant::shakmaty::CastlingMode::Standard).to_string()
}

/// Returns the nodes of a search of the middlegame positions to this depth.
fn nodes(step: Step, plies: u32) -> u64 {
    MIDDLEGAMES.iter().map(|fen| search(step, fen, Limits::depth(plies)).nodes).sum()
}

#[test]
fn every_step_plays_two_games() {
    let _ = [step01::main, step02::main, step03::main, step04::main, step05::main, step06::main, step07::main];
    let _ = [step08::main, step09::main, step10::main, step11::main, step12::main, step13::main];
    for step in STEPS {
        let mut engine = step().unwrap();
        for opening in ["e2e4", "g1f3"] {
            let mut game = Game::default();
            game.play_moves([opening]).unwrap();
            while game.outcome().is_none() && game.history.len() < 60 {
                engine.set_game(game.clone());
                let result = engine.search(Limits { nodes: Some(300), ..Limits::depth(2) });
                assert_eq!(result.messages, [""; 0]);
                let m = result.best_move().unwrap();
                assert!(game.position.legal_moves().contains(&m), "{m}");
                game.play(m);
            }
            engine.new_game();
        }
    }
}

#[test]
fn any_depth_limit_is_searched() {
    for step in STEPS {
        for plies in [0, u32::MAX] {
            assert!(search(step, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", Limits::depth(plies)).best_move().is_some());
        }
    }
}

#[test]
fn step_1_plays_only_the_moves_that_it_was_given() {
    let only = parse_fen(MATE_IN_1).unwrap().parse_move("a1a2").unwrap();
    for _ in 0..10 {
        let limits = Limits { search_moves: vec![only], ..Limits::default() };
        assert_eq!(best(step01::engine, MATE_IN_1, limits), "a1a2");
    }
}

#[test]
fn step_2_mates_but_takes_a_defended_pawn() {
    assert_eq!(best(step02::engine, MATE_IN_1, Limits::default()), "a1a8");
    assert_eq!(best(step02::engine, DEFENDED_PAWN, Limits::default()), "e1e5");
}

#[test]
fn step_3_sees_the_reply_and_prefers_the_shorter_mate() {
    assert_ne!(best(step03::engine, DEFENDED_PAWN, Limits::depth(2)), "e1e5");
    assert_eq!(search(step03::engine, MATE_IN_1, Limits::depth(3)).score(), mate_in(1));
    assert_eq!(search(step03::engine, MATE_IN_2, Limits::depth(3)).score(), mate_in(3));
}

#[test]
fn step_4_returns_the_result_of_step_3_with_fewer_nodes() {
    for fen in MIDDLEGAMES {
        let negamax = search(step03::engine, fen, Limits::depth(3));
        let alpha_beta = search(step04::engine, fen, Limits::depth(3));
        assert_eq!((alpha_beta.score(), alpha_beta.best_move()), (negamax.score(), negamax.best_move()), "{fen}");
        assert!(5 * alpha_beta.nodes < negamax.nodes, "{fen}: {} and {}", alpha_beta.nodes, negamax.nodes);
    }
}

#[test]
fn step_5_returns_the_score_of_step_4_with_fewer_nodes() {
    for fen in MIDDLEGAMES {
        let unordered = search(step04::engine, fen, Limits::depth(4));
        assert_eq!(search(step05::engine, fen, Limits::depth(4)).score(), unordered.score(), "{fen}");
    }
    assert!(2 * nodes(step05::engine, 4) < nodes(step04::engine, 4));
}

#[test]
fn step_6_sees_the_recapture_behind_the_last_ply() {
    assert_eq!(best(step05::engine, DEFENDED_PAWN, Limits::depth(1)), "e1e5");
    assert_ne!(best(step06::engine, DEFENDED_PAWN, Limits::depth(1)), "e1e5");
    assert_eq!(search(step06::engine, MATE_IN_2, Limits::depth(3)).score(), mate_in(3));
}

#[test]
fn step_7_keeps_every_limit_and_the_last_finished_iteration() {
    let start = Instant::now();
    search(step07::engine, MIDDLEGAMES[1], Limits::move_time(50));
    assert!(start.elapsed() < Duration::from_secs(10));
    for limit in [5000, 20_000] {
        let result = search(step07::engine, MIDDLEGAMES[1], Limits::nodes(limit));
        let finished = search(step07::engine, MIDDLEGAMES[1], Limits::depth(result.depth as u32));
        assert!(finished.nodes <= limit, "{} nodes", finished.nodes);
        assert_eq!(result.variations, finished.variations);
    }
}

#[test]
fn step_8_needs_fewer_nodes_and_stores_mates_by_their_distance() {
    assert!(nodes(step08::engine, 5) < nodes(step07::engine, 5));
    let mut engine = step08::engine().unwrap();
    assert_eq!(search_with(&mut engine, MATE_IN_2, Limits::depth(6)).score(), mate_in(3));
    // The same position two plies later, from the table: the mate is as far away as it was from there.
    let mut game = Game::new(parse_fen("6k1/8/8/8/8/8/R7/1R5K w - - 0 1").unwrap());
    game.play_moves(["h1g1", "g8h8"]).unwrap();
    engine.set_game(game);
    assert_eq!(engine.search(Limits::depth(3)).score(), mate_in(3));
}

#[test]
fn step_9_needs_fewer_nodes_and_searches_again_if_the_score_leaves_the_window() {
    assert!(nodes(step09::engine, 5) < nodes(step08::engine, 5));
    let result = search(step09::engine, MATE_IN_3, Limits::depth(7));
    assert_eq!(result.score(), mate_in(5));
}

/// From the collection of the Bratko-Kopec test: Qd1+ mates.
const MATE_IN_3: &str = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1";

#[test]
fn step_10_needs_fewer_nodes_and_makes_no_null_move_in_pawn_endgames() {
    assert!(2 * nodes(step10::engine, 5) < nodes(step09::engine, 5));
    assert!(search(step10::engine, PAWN_ENDGAME, Limits::depth(9)).score() > 500);
}

/// With null moves, the search does not see that White's pawn promotes.
const PAWN_ENDGAME: &str = "8/8/8/p2p4/6P1/Pk3K2/8/8 w - - 0 1";

#[test]
fn step_11_needs_fewer_nodes_and_still_finds_the_mate() {
    assert!(2 * nodes(step11::engine, 5) < nodes(step10::engine, 5));
    // Late move pruning, the exercise of the chapter, finds it only at depth 11.
    assert!((8..=11).any(|plies| search(step11::engine, MATE_IN_3, Limits::depth(plies)).score() == mate_in(5)));
}

#[test]
fn step_12_evaluates_both_sides_alike() {
    #[derive(Clone)]
    struct Tables;
    impl SimpleEvaluator for Tables {
        fn evaluate(&mut self, position: &Position) -> Score {
            step12::evaluate(position)
        }
    }
    assert_symmetric(Tables);
}

#[test]
fn step_13_searches_with_several_threads() {
    let mut engine = step13::engine().unwrap();
    engine.set_option("Threads", "3").unwrap();
    for _ in 0..3 {
        assert_eq!(search_with(&mut engine, MATE_IN_3, Limits::depth(10)).score(), mate_in(5));
        assert!(is_mate(search_with(&mut engine, MATE_IN_2, Limits::depth(6)).score()));
    }
}

#[test]
#[ignore = "exercise: prefer captures"]
fn exercise_1_captures_if_it_can() {
    for _ in 0..20 {
        assert_eq!(best(step01::engine, "4k3/8/8/4p3/8/8/8/4QK2 w - - 0 1", Limits::default()), "e1e5");
    }
}

#[test]
#[ignore = "exercise: a stalemate is a draw"]
fn exercise_2_avoids_stalemate() {
    assert_ne!(best(step02::engine, "k7/2p5/8/8/8/8/8/2Q3K1 w - - 0 1", Limits::default()), "c1c7");
}

#[test]
#[ignore = "exercise: the whole variation"]
fn exercise_3_returns_the_whole_variation() {
    let result = search(step03::engine, MATE_IN_2, Limits::depth(3));
    assert_eq!(result.pv().len(), 3, "{result:?}");
}

#[test]
#[ignore = "exercise: mate distance pruning"]
fn exercise_4_stops_when_a_shorter_mate_is_known() {
    let result = search(step04::engine, MATE_IN_1, Limits::depth(5));
    assert_eq!(result.score(), mate_in(1));
    assert!(result.nodes < 10_500, "{} nodes", result.nodes);
}

#[test]
#[ignore = "exercise: promotions first"]
fn exercise_5_searches_promotions_first() {
    let result = search(step05::engine, "8/1P4pk/7p/8/8/q6P/5PP1/6K1 w - - 0 1", Limits::depth(5));
    assert!(result.nodes < 4000, "{} nodes", result.nodes);
}

#[test]
#[ignore = "exercise: promotions in the quiescence search"]
fn exercise_6_sees_a_promotion_behind_the_last_ply() {
    let result = search(step06::engine, "6k1/5ppp/8/8/8/8/p4PPP/6K1 w - - 0 1", Limits::depth(1));
    assert!(result.score() < -500, "{result:?}");
}

#[test]
#[ignore = "exercise: the selective depth"]
fn exercise_7_reports_the_selective_depth() {
    let result = search(step07::engine, MIDDLEGAMES[1], Limits::depth(3));
    assert!(result.variations[0].seldepth > 5, "{result:?}");
}

#[test]
#[ignore = "exercise: how full the table is"]
fn exercise_8_reports_how_full_the_table_is() {
    let mut engine = step08::engine().unwrap();
    engine.set_option("Hash", "1").unwrap();
    let [shallow, deep] = [3, 7].map(|plies| search_with(&mut engine, MIDDLEGAMES[1], Limits::depth(plies)).hashfull);
    assert!(shallow < deep && (500..=1000).contains(&deep), "{shallow} and {deep}");
}

#[test]
#[ignore = "exercise: report failed windows"]
fn exercise_9_reports_a_score_above_the_window_as_a_lower_bound() {
    let (mut engine, mut bounds) = (step09::engine().unwrap(), Vec::new());
    let position = parse_fen(MATE_IN_3).unwrap();
    engine.analyze(position, Limits::depth(7), |result| bounds.extend(result.best().map(|best| best.bound)));
    assert!(bounds.contains(&Bound::Lower), "{bounds:?}");
}

#[test]
#[ignore = "exercise: verify the null move"]
fn exercise_10_verifies_the_null_move() {
    let fen = "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1";
    assert_eq!(best(step10::engine, fen, Limits::depth(12)), "e1f1");
}

#[test]
#[ignore = "exercise: late move pruning"]
fn exercise_11_prunes_late_moves() {
    let count = nodes(step11::engine, 7);
    assert!(count < 70_000, "{count} nodes");
}

#[test]
#[ignore = "exercise: a bonus for the side to move"]
fn exercise_12_gives_a_bonus_to_the_side_to_move() {
    let bonus = step12::evaluate(&Position::default());
    assert!((1..=30).contains(&bonus), "{bonus}");
}

#[test]
#[ignore = "exercise: the nodes of all threads"]
fn exercise_13_counts_the_nodes_of_all_threads() {
    let mut engine = step13::engine().unwrap();
    let mut count = |threads: &str| {
        engine.set_option("Threads", threads).unwrap();
        search_with(&mut engine, MIDDLEGAMES[1], Limits::depth(8)).nodes
    };
    let (one, four) = (count("1"), count("4"));
    assert!(four > one + one / 10, "{one} and {four}");
}
