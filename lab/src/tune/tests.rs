//! Tests of the tuner: correct gradients, recovery of known weights, reproducible results.

use shakmaty::Color;

use super::*;
use crate::game_file::GameResult;
use aspirant::board::position::Position;
use aspirant::eval::Evaluator;
use aspirant::eval::pst::Pst;
use shakmaty::Position as _;

fn args(threads: u16) -> TuneArgs {
    TuneArgs {
        data: Vec::new(),
        out: PathBuf::new(),
        epochs: 60,
        batch: 1500,
        rate: 4.0,
        result: 0.0,
        pull: 0.0,
        mirror: 0.0,
        seed: 3,
        threads: Some(threads),
        commit: None,
    }
}

/// Positions of random games; the score is the static evaluation.
fn random_records(count: usize, seed: u64) -> Vec<PositionRecord> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut records = Vec::new();
    while records.len() < count {
        let mut position = Position::default();
        for ply in 0..random.u16(8..200) {
            let moves = position.chess().legal_moves();
            let Some(&m) = random.choice(moves.as_slice()) else { break };
            position = position.play(m);
            if ply > 6 && ply % 5 == 0 {
                records.push(PositionRecord::new(&position, Pst.evaluate(&position), ply));
            }
        }
    }
    records.truncate(count);
    records
}

fn samples(records: &[PositionRecord]) -> Samples {
    let mut samples = Samples::default();
    records.iter().for_each(|record| samples.push(record, 0.5));
    samples
}

fn fit(problem: &Problem, state: FitState) -> Theta {
    problem.fit(state, &mut |_| Ok::<(), ()>(())).unwrap()
}

#[test]
fn model_agrees_with_the_evaluator() {
    let records = random_records(3000, 1);
    let samples = samples(&records);
    let theta = current_weights();
    for (index, record) in records.iter().enumerate() {
        let exact = samples.evaluate(&theta, index);
        // The evaluator rounds three intermediate results.
        assert!((exact - f64::from(record.score)).abs() < 3.0, "{record:?}: {exact}");
    }
}

#[test]
fn gradient_agrees_with_finite_differences() {
    let records = random_records(300, 2);
    let mut samples = Samples::default();
    let mut random = fastrand::Rng::with_seed(9);
    records.iter().for_each(|record| samples.push(record, random.f64()));
    let which: Vec<u32> = (0..records.len() as u32).collect();
    let (mut theta, k, step) = (current_weights(), 0.005, 1e-3);
    // Stays below phase 1, where the loss is not differentiable.
    theta[PHASE..].iter_mut().for_each(|weight| *weight *= 0.9);
    let gradient = samples.loss(&theta, k, &which, 1, true).gradient.unwrap();
    let mut nonzero = 0;
    for index in 0..WEIGHT_COUNT {
        let at = |delta: f64| {
            let mut shifted = theta.clone();
            shifted[index] += delta;
            samples.loss(&shifted, k, &which, 1, false).loss
        };
        let difference = (at(step) - at(-step)) / (2.0 * step);
        assert!((difference - gradient[index]).abs() < 1e-8 + 1e-4 * difference.abs(), "weight {index}");
        nonzero += usize::from(gradient[index] != 0.0);
    }
    assert!(nonzero > 500, "{nonzero}");
}

#[test]
fn known_weights_are_recovered() {
    let mut records = random_records(30_000, 4);
    let mut random = fastrand::Rng::with_seed(5);
    let shifted: Theta = current_weights().iter().map(|value| value + 60.0 * (random.f64() - 0.5)).collect();
    let target: Theta =
        shifted.iter().zip(current_weights()).enumerate().map(|(i, (&w, c))| if i < PHASE { w } else { c }).collect();
    let labels = samples(&records);
    for (index, record) in records.iter_mut().enumerate() {
        record.score = labels.evaluate(&target, index).round() as i16;
    }
    let held_out: Vec<bool> = (0..records.len()).map(|index| index % 10 == 0).collect();
    let problem = Problem::new(&records, &held_out, 0.004, &args(2));
    let before = problem.losses(&current_weights());
    let fitted = fit(&problem, FitState::default());
    let after = problem.losses(&fitted);
    assert!(after.0 < before.0 / 50.0 && after.1 < before.1 / 50.0, "{before:?} {after:?}");
    let error = |theta: &Theta| -> f64 {
        let difference = |index: &u32| {
            let index = *index as usize;
            (problem.samples.evaluate(theta, index) - f64::from(records[index].score)).abs()
        };
        problem.held_out.iter().map(difference).sum::<f64>() / problem.held_out.len() as f64
    };
    assert!(
        error(&fitted) < 5.0 && error(&current_weights()) > 30.0,
        "{} {}",
        error(&fitted),
        error(&current_weights())
    );
}

#[test]
fn result_is_independent_of_threads_and_resuming() {
    let records = random_records(6000, 6);
    let held_out = vec![false; records.len()];
    let problem = |threads, seed| {
        let args = TuneArgs { epochs: 3, seed, result: 1.0, ..args(threads) };
        Problem::new(&records, &held_out, 0.004, &args)
    };
    let bits = |theta: Theta| theta.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let fitted = |threads, seed| bits(fit(&problem(threads, seed), FitState::default()));
    let one = fitted(1, 3);
    assert_eq!(one, fitted(2, 3));
    assert_eq!(one, fitted(3, 3));
    assert_ne!(one, fitted(1, 4));

    // Interrupted after the first epoch and resumed.
    let mut saved = None;
    let interrupted = problem(2, 3).fit(FitState::default(), &mut |state| {
        saved = Some(state.clone());
        Err(())
    });
    assert!(interrupted.is_err());
    assert_eq!(one, bits(fit(&problem(2, 3), saved.unwrap())));
}

#[test]
fn rescaling_restores_the_mean_evaluation() {
    let records = random_records(3000, 8);
    let problem = Problem::new(&records, &vec![false; records.len()], 0.004, &args(1));
    let double: Theta =
        current_weights().iter().enumerate().map(|(i, v)| if i < PHASE { 2.0 * v } else { *v }).collect();
    let (theta, factor) = problem.rescale(double);
    assert!((factor - 0.5).abs() < 1e-9);
    assert!((theta[0] - current_weights()[0]).abs() < 1e-9);
}

#[test]
fn fit_k_recovers_the_slope() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut records = random_records(4000, 8);
    for record in &mut records {
        record.score = random.i16(-400..400);
        let won = random.f64() < sigmoid(0.005 * f64::from(record.score));
        record.result = GameResult::won_by(Color::from_white(won));
    }
    assert!((fit_k(&records) - 0.005).abs() < 5e-4);
}

#[test]
fn too_few_positions_and_other_files_are_rejected() {
    let path = std::env::temp_dir().join(format!("aspirant-tune-few-{}", std::process::id()));
    let settings = DatagenSettings { nodes: 1, seed: 1, weights: 1 };
    let mut writer = crate::game_file::GameFileWriter::open(&path, settings).unwrap();
    let game = crate::game_file::GameRecord {
        result: GameResult::Draw,
        end_reason: 0,
        plies: 9,
        records: random_records(5, 1),
    };
    writer.append(&game).unwrap();
    let error = run(&TuneArgs { data: vec![path.clone()], ..args(1) }).unwrap_err().to_string();
    assert!(error.contains("5 positions in 1 games are too few"), "{error}");
    std::fs::write(&path, "uciok").unwrap();
    let error = run(&TuneArgs { data: vec![path.clone()], ..args(1) }).unwrap_err().to_string();
    assert!(error.contains("no game data"), "{error}");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn weights_file_matches_the_generator() {
    let file = include_str!("../../../src/eval/weights.rs");
    let code = output::code(&current_weights());
    assert!(file.ends_with(&code), "the weights file differs from the output of the generator");
}
