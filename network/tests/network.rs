//! The network against PyTorch, its updates, its file, and the engine.

use std::sync::atomic::AtomicBool;

use aspirant::eval::evaluate;
use aspirant::eval::testing::{assert_incremental, assert_symmetric};
use aspirant::prelude::*;
use aspirant::tools::bench;
use aspirant_network::evaluator::NetworkEvaluator;
use aspirant_network::network::Network;

fn evaluator() -> NetworkEvaluator {
    NetworkEvaluator::built_in().unwrap()
}

#[test]
fn quantized_scores_are_close_to_those_in_floating_point() {
    let (mut evaluator, mut errors) = (evaluator(), Vec::new());
    for line in include_str!("../network.csv").lines() {
        let (fen, expected) = line.rsplit_once(',').unwrap();
        let (score, expected) = (evaluate(&mut evaluator, &parse_fen(fen).unwrap()), expected.parse::<f64>().unwrap());
        let error = (f64::from(score) - expected).abs();
        assert!(error < 15.0, "{line}: {score}");
        errors.push(error);
    }
    assert_eq!(errors.len(), 1000);
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 3.0, "{mean} centipawns");
}

#[test]
fn incremental_scores_equal_fresh_ones() {
    assert_incremental(evaluator());
}

#[test]
fn scores_are_symmetric_in_color() {
    assert_symmetric(evaluator());
}

#[test]
fn a_mirrored_position_without_castling_rights_has_the_same_score() {
    let score = |fen: &str| evaluate(&mut evaluator(), &parse_fen(fen).unwrap());
    assert_eq!(
        score("3r1k2/pp3p2/8/8/2B5/8/P4PPP/4R1K1 w - - 0 1"),
        score("2k1r3/2p3pp/8/8/5B2/8/PPP4P/1K1R4 w - - 0 1")
    );
}

#[test]
fn bench_signature_is_the_same_in_each_run_and_differs_from_that_of_other_evaluators() {
    let bench = |engine: Engine| bench::run_engine(engine, 5, &AtomicBool::new(false), &mut |_| {}).unwrap().nodes;
    let nodes = bench(aspirant_network::builder().unwrap().build().unwrap());
    assert_eq!(nodes, bench(aspirant_network::builder().unwrap().build().unwrap()));
    assert_ne!(nodes, bench(Engine::builder().build().unwrap()));
}

#[test]
fn a_network_file_that_does_not_fit_is_rejected_and_named() {
    let bytes = include_bytes!("../network.bin");
    let error = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(error(b""), "not a network file: its first bytes are not 'ASPNET1'");
    assert_eq!(error(&bytes[..10]), format!("10 bytes, expected {}", bytes.len()));
    assert_eq!(error(&bytes[..bytes.len() - 1]), format!("{} bytes, expected {}", bytes.len() - 1, bytes.len()));
    let mut other = bytes.to_vec();
    other[8..12].copy_from_slice(&[7, 0, 3, 0]);
    assert!(error(&other).starts_with("7 hidden neurons and 3 buckets, expected "));

    let mut engine = aspirant_network::builder().unwrap().build().unwrap();
    let error = engine.set_option("EvalFile", "missing.bin").unwrap_err().to_string();
    assert!(error.contains("EvalFile") && error.contains("missing.bin"), "{error}");
}

#[test]
fn eval_file_changes_the_scores_of_a_running_engine() {
    let mut bytes = include_bytes!("../network.bin").to_vec();
    // The biases of the output are the last numbers.
    bytes.iter_mut().rev().take(4 * 8).for_each(|byte| *byte = 1);
    let path = std::env::temp_dir().join(format!("aspirant-network-{}.bin", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let mut engine = aspirant_network::builder().unwrap().build().unwrap();
    let mut score = |path: &str| {
        engine.set_option("EvalFile", path).unwrap();
        engine.search(Limits::depth(1)).score()
    };
    let scores = ["", path.to_str().unwrap(), ""].map(&mut score);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(scores[0], scores[2]);
    assert_ne!(scores[0], scores[1]);
}

#[test]
fn two_games_are_played_to_the_end() {
    let mut engine = aspirant_network::builder().unwrap().build().unwrap();
    for opening in ["e2e4", "g1f3"] {
        let mut game = Game::default();
        game.play(game.position.parse_move(opening).unwrap());
        while game.outcome().is_none() && game.history.len() < 200 {
            engine.set_game(game.clone());
            let result = engine.search(Limits::nodes(500));
            assert_eq!(result.messages, [""; 0]);
            game.play(result.best_move().unwrap());
        }
        engine.new_game();
    }
}
