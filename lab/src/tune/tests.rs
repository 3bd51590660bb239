//! Tests of the tuner: correct gradients, recovery of known weights, reproducible results.

use shakmaty::Color;

use super::*;
use crate::game_file::tests::{TempFile, random_game, settings};
use crate::game_file::{GameFileWriter, GameResult, PositionRecord};
use aspirant::board::position::Position;
use aspirant::eval::king_pst::KingPst;
use aspirant::eval::{Evaluator, evaluate};
use shakmaty::{Board, Position as _, Role, Square};

fn args(threads: u16) -> FitArgs {
    FitArgs {
        epochs: 60,
        patience: 60,
        batch: 1500,
        rate: 4.0,
        result: 0.0,
        pull: 0.0,
        mirror: Some(0.0),
        offsets: 0.0,
        smooth: 0.0,
        games: None,
        held_out: 20,
        seed: 3,
        threads: Some(threads),
    }
}

fn form(kings: Kings, buckets: &str) -> Form {
    Form { kings, map: buckets.parse().unwrap() }
}

/// The weights of `eval::king_pst`.
fn king_weights() -> (Theta, Form) {
    use aspirant::eval::king_weights as weights;
    let map = BucketMap { buckets: weights::KING_BUCKET, count: weights::KING_BUCKETS };
    let form = Form { kings: Kings::Both, map };
    let mut theta = Theta::new();
    for role in 0..6 {
        for square in 0..64 {
            let (mg, eg) = weights::MATERIAL[role];
            theta.push(f64::from(mg + weights::MIDDLEGAME[role][square ^ 56]));
            theta.push(f64::from(eg + weights::ENDGAME[role][square ^ 56]));
        }
    }
    theta.extend([weights::TEMPO].into_iter().chain(weights::IMBALANCE).flat_map(<[i32; 2]>::from).map(f64::from));
    theta.extend(weights::PHASE.map(f64::from));
    for (middlegame, endgame) in [
        (&weights::OWN_KING_MIDDLEGAME, &weights::OWN_KING_ENDGAME),
        (&weights::OPPOSING_KING_MIDDLEGAME, &weights::OPPOSING_KING_ENDGAME),
    ] {
        for (middlegame, endgame) in middlegame.iter().flatten().zip(endgame.iter().flatten()) {
            for square in 0..64 {
                theta.extend([middlegame[square ^ 56], endgame[square ^ 56]].map(f64::from));
            }
        }
    }
    (theta, form)
}

/// Positions of random games; the score is the static evaluation.
fn random_records(count: usize, seed: u64) -> Vec<PositionRecord> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut records = Vec::new();
    while records.len() < count {
        let mut position = Position::default();
        for ply in 0..random.u32(8..200) {
            let moves = position.chess().legal_moves();
            let Some(&m) = random.choice(moves.as_slice()) else { break };
            position = position.play(m);
            if ply > 6 && ply % 5 == 0 {
                let score = evaluate(&mut Pst, &position);
                let score = position.turn().fold_wb(score, -score) as i16;
                records.push(PositionRecord { position: position.clone(), score, result: GameResult::Draw });
            }
        }
    }
    records.truncate(count);
    records
}

fn samples(records: &[PositionRecord]) -> Samples {
    let mut samples = Samples::default();
    records.iter().for_each(|record| samples.push(record));
    samples
}

fn model<'a>(samples: &'a Samples, form: &'a Form, k: f64) -> Model<'a> {
    Model { samples, form, k, threads: 1 }
}

/// Returns the training samples and the held-out samples: every tenth one.
fn divided(samples: &Samples) -> (Samples, Samples) {
    let (train, held_out): (Vec<u32>, Vec<u32>) = (0..samples.len() as u32).partition(|index| index % 10 != 0);
    (samples.select(&train), samples.select(&held_out))
}

fn fit(problem: &Problem, state: FitState) -> Theta {
    problem.fit(state, &mut |_, _, _| Ok::<(), ()>(())).unwrap()
}

fn assert_agreement(mut evaluator: impl Evaluator, theta: &Theta, form: &Form) {
    let records = random_records(3000, 1);
    let samples = samples(&records);
    for (index, record) in records.iter().enumerate() {
        let score = evaluate(&mut evaluator, &record.position);
        let exact = model(&samples, form, 0.005).evaluate(theta, index);
        // The evaluator rounds three intermediate results.
        assert!((exact - f64::from(record.position.turn().fold_wb(score, -score))).abs() < 3.0, "{record:?}: {exact}");
    }
}

#[test]
fn model_agrees_with_the_evaluator() {
    assert_agreement(Pst, &current_weights(&Form::plain()), &Form::plain());
}

#[test]
fn model_with_king_offsets_agrees_with_the_evaluator() {
    let (theta, form) = king_weights();
    assert_agreement(KingPst::default(), &theta, &form);
}

#[test]
fn gradient_agrees_with_finite_differences() {
    let mut samples = samples(&random_records(300, 2));
    samples.set_targets(0.005, 0.0);
    let which: Vec<u32> = (0..samples.len() as u32).collect();
    let mut random = fastrand::Rng::with_seed(9);
    for (kings, min_nonzero) in [(Kings::None, 500), (Kings::Own, 1500), (Kings::Both, 2500)] {
        let form = form(kings, "4");
        let (mut theta, step) = (current_weights(&form), 1e-3);
        theta[BASE_WEIGHTS..].iter_mut().for_each(|offset| *offset = 40.0 * (random.f64() - 0.5));
        // Stays below phase 1, where the loss is not differentiable.
        theta[PHASE..BASE_WEIGHTS].iter_mut().for_each(|weight| *weight *= 0.9);
        let model = model(&samples, &form, 0.005);
        let gradient = model.loss(&theta, &which, true).gradient.unwrap();
        let every = if kings == Kings::None { 1 } else { 23 };
        for index in (0..theta.len()).step_by(every) {
            let at = |delta: f64| {
                let mut shifted = theta.clone();
                shifted[index] += delta;
                model.loss(&shifted, &which, false).loss
            };
            let difference = (at(step) - at(-step)) / (2.0 * step);
            assert!((difference - gradient[index]).abs() < 1e-8 + 1e-4 * difference.abs(), "{form}: weight {index}");
        }
        let nonzero = gradient.iter().filter(|&&slope| slope != 0.0).count();
        assert!(nonzero > min_nonzero, "{form}: {nonzero}");
    }
}

#[test]
fn known_weights_are_recovered() {
    for (kings, count) in [(Kings::None, 30_000), (Kings::Both, 30_000)] {
        let form = form(kings, "1");
        let mut records = random_records(count, 4);
        let mut random = fastrand::Rng::with_seed(5);
        let current = current_weights(&form);
        let is_phase = |index: usize| (PHASE..BASE_WEIGHTS).contains(&index);
        let shift = |(index, &value): (usize, &f64)| {
            let shift = 60.0 * (random.f64() - 0.5);
            if is_phase(index) { value } else { value + shift }
        };
        let target: Theta = current.iter().enumerate().map(shift).collect();
        let labels = samples(&records);
        for (index, record) in records.iter_mut().enumerate() {
            record.score = model(&labels, &form, 0.004).evaluate(&target, index).round() as i16;
        }
        let mut samples = samples(&records);
        samples.set_targets(0.004, 0.0);
        let args = args(2);
        let (train, held_out) = divided(&samples);
        let problem = Problem::new(&train, &held_out, &form, 0.004, &args);
        let before = problem.losses(&current);
        let fitted = fit(&problem, FitState::new(&form));
        let after = problem.losses(&fitted);
        assert!(after.0 < before.0 / 50.0 && after.1 < before.1 / 50.0, "{form}: {before:?} {after:?}");
        let error = |theta: &Theta| -> f64 {
            let difference = |(index, record): (usize, &PositionRecord)| {
                (problem.held_out.evaluate(theta, index) - f64::from(record.score)).abs()
            };
            records.iter().step_by(10).enumerate().map(difference).sum::<f64>() / held_out.len() as f64
        };
        let (fitted, current) = (error(&fitted), error(&current));
        assert!(fitted < 5.0 && current > 30.0, "{form}: {fitted} {current}");
    }
}

#[test]
fn result_is_independent_of_threads_and_resuming() {
    let mut samples = samples(&random_records(6000, 6));
    samples.set_targets(0.004, 1.0);
    let (form, none) = (form(Kings::Both, "4"), Samples::default());
    let args = |threads, seed| FitArgs { epochs: 3, seed, ..args(threads) };
    let bits = |theta: Theta| theta.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let fitted = |threads, seed, state: FitState| {
        let args = args(threads, seed);
        bits(fit(&Problem::new(&samples, &none, &form, 0.004, &args), state))
    };
    let start = || FitState::new(&form);
    let one = fitted(1, 3, start());
    assert_eq!(one, fitted(2, 3, start()));
    assert_eq!(one, fitted(3, 3, start()));
    assert_ne!(one, fitted(1, 4, start()));

    // Interrupted after the first epoch and resumed.
    let mut saved = None;
    let args = args(2, 3);
    let interrupted = Problem::new(&samples, &none, &form, 0.004, &args).fit(start(), &mut |state, _, _| {
        saved = Some(state.clone());
        Err(())
    });
    assert!(interrupted.is_err());
    assert_eq!(one, fitted(2, 3, saved.unwrap()));
}

#[test]
fn fit_stops_and_returns_the_weights_with_the_least_held_out_error() {
    // The held-out results are random, so the held-out error increases with overfitting.
    let mut random = fastrand::Rng::with_seed(7);
    let mut records = random_records(2000, 7);
    records.iter_mut().for_each(|record| record.result = GameResult::won_by(Color::from_white(random.bool())));
    let mut samples = samples(&records);
    samples.set_targets(0.004, 1.0);
    let form = form(Kings::Both, "4");
    let args = FitArgs { patience: 2, ..args(2) };
    let (train, held_out) = divided(&samples);
    let problem = Problem::new(&train, &held_out, &form, 0.004, &args);
    let mut errors = Vec::new();
    let theta = problem
        .fit(FitState::new(&form), &mut |_, _, held_out| {
            errors.push(held_out);
            Ok::<(), ()>(())
        })
        .unwrap();
    assert!(errors.len() < 60, "{errors:?}");
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(problem.held_out.mean_loss(&theta), least);
    assert_eq!(errors.iter().position(|&error| error == least), Some(errors.len() - 3));
}

/// The gradient of the regularization when only the offset of a rook on c4 differs from zero.
fn offset_regularization(offsets: f64, smooth: f64) -> Vec<f64> {
    let form = form(Kings::Own, "4");
    let mut theta = current_weights(&form);
    theta[BASE_WEIGHTS + 2 * ROOK_C4] = 7.0;
    let mut gradient = vec![0.0; theta.len()];
    Regularization { mean: 0.0, mirror: 0.0, offsets, smooth }.add(&theta, 0.004, 1000, &mut gradient);
    gradient
}

const ROOK_C4: usize = 3 * 64 + 26;

#[test]
fn offsets_are_regularized_toward_zero() {
    let gradient = offset_regularization(100.0, 0.0);
    assert!(gradient[BASE_WEIGHTS + 2 * ROOK_C4] > 0.0);
    assert_eq!(gradient.iter().filter(|&&slope| slope != 0.0).count(), 1);
}

#[test]
fn offsets_are_regularized_toward_those_of_adjacent_squares() {
    let gradient = offset_regularization(0.0, 100.0);
    let at = |entry: usize| gradient[BASE_WEIGHTS + 2 * entry];
    // b4, d4, c3 and c5.
    for adjacent in [ROOK_C4 - 1, ROOK_C4 + 1, ROOK_C4 - 8, ROOK_C4 + 8] {
        assert!(at(adjacent) < 0.0 && (at(ROOK_C4) + 4.0 * at(adjacent)).abs() < 1e-12, "{adjacent}");
    }
    assert_eq!(gradient.iter().filter(|&&slope| slope != 0.0).count(), 5);
}

#[test]
fn rescaling_restores_the_mean_evaluation() {
    let samples = samples(&random_records(3000, 8));
    let (form, none, args) = (Form::plain(), Samples::default(), args(1));
    let problem = Problem::new(&samples, &none, &form, 0.004, &args);
    let current = current_weights(&form);
    let double: Theta = current.iter().enumerate().map(|(i, v)| if i < PHASE { 2.0 * v } else { *v }).collect();
    let (theta, factor) = problem.rescale(double);
    assert!((factor - 0.5).abs() < 1e-9);
    assert!((theta[0] - current[0]).abs() < 1e-9);
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
    assert!((fit_k(&samples(&records)) - 0.005).abs() < 5e-4);
}

#[test]
fn too_few_positions_and_other_files_are_rejected() {
    let args = |path: &Path| TuneArgs {
        data: vec![path.into()],
        out: None,
        kings: Kings::None,
        buckets: form(Kings::None, "4").map,
        fit: args(1),
        commit: None,
    };
    let file = TempFile::new("tune-few");
    let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
    let (start, moves) = (Position::default(), Position::default().chess().legal_moves());
    writer.append(&GameRecord { start, result: GameResult::Draw, moves: vec![(moves[0], 20)] }).unwrap();
    let error = run(&args(&file.0)).unwrap_err().to_string();
    assert!(error.contains("1 positions in 1 games are too few"), "{error}");
    // An incomplete second game is ignored, because datagen may still be writing it.
    let bytes = std::fs::read(&file.0).unwrap();
    std::fs::write(&file.0, [&bytes[..], &bytes[..9]].concat()).unwrap();
    let error = run(&args(&file.0)).unwrap_err().to_string();
    assert!(error.contains("1 positions in 1 games are too few"), "{error}");
    std::fs::write(&file.0, [b'x'; 40]).unwrap();
    let error = run(&args(&file.0)).unwrap_err().to_string();
    assert!(error.contains("invalid in game 0, at byte 0"), "{error}");
}

#[test]
fn weights_file_matches_the_generator() {
    let file = include_str!("../../../src/eval/weights.rs");
    let code = output::code(&current_weights(&Form::plain()), &Form::plain());
    assert!(file.ends_with(&code), "the weights file differs from the output of the generator");
}

#[test]
fn king_weights_file_matches_the_generator() {
    let file = include_str!("../../../src/eval/king_weights.rs");
    let (theta, form) = king_weights();
    assert!(file.ends_with(&output::code(&theta, &form)), "the weights file differs from the output of the generator");
}

/// The imbalance and the piece-square values are added in 16 bits.
///
/// The test of the piece-square values in `eval::king_pst` reserves 10,000 centipawns for the imbalance.
#[test]
fn imbalance_of_extreme_material_fits_the_accumulator() {
    use aspirant::eval::material::{IMBALANCE_SCALE, PieceCounts, imbalance_terms};
    use aspirant::eval::{king_weights, weights};
    // Each digit to base 3 selects the count of a role and color: 0, 4 or 8 pawns, or 0 to 2 other pieces.
    for code in 0..3usize.pow(10) {
        let (mut board, mut squares, mut digits) = (Board::empty(), Square::ALL.into_iter(), code);
        for color in Color::ALL {
            for role in Role::ALL.into_iter().take(5) {
                let count = if role == Role::Pawn { 4 * (digits % 3) } else { digits % 3 };
                squares.by_ref().take(count).for_each(|square| board.set_piece_at(square, role.of(color)));
                digits /= 3;
            }
        }
        let terms = imbalance_terms(PieceCounts::of(&board));
        for coefficients in [&weights::IMBALANCE, &king_weights::IMBALANCE] {
            let (mut middlegame, mut endgame) = (0, 0);
            for (term, (mg, eg)) in terms.iter().zip(coefficients) {
                middlegame += term * mg;
                endgame += term * eg;
            }
            let sums = [middlegame, endgame].map(|sum: i32| sum / IMBALANCE_SCALE);
            assert!(sums.iter().all(|sum| sum.abs() < 10_000), "{sums:?}: {board:?}");
        }
    }
}

#[test]
fn too_many_positions_are_rejected_with_the_number_of_games_that_fit() {
    let file = TempFile::new("too-many");
    let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
    let games = [1, 2, 3].map(|seed| random_game(seed, 60));
    games.iter().for_each(|game| writer.append(game).unwrap());
    let records: Vec<PositionRecord> = games.iter().flat_map(|game| game.positions(FILTER)).collect();
    let pieces: usize = records.iter().map(|record| record.position.board().occupied().count()).sum();
    let read =
        |limit| Data::read_limited(std::slice::from_ref(&file.0), &FitArgs { held_out: u32::MAX, ..args(1) }, limit);
    assert!(matches!(read(pieces), Err(TuneError::TooFew { games: 3, .. })));
    let error = read(pieces - 1).err().unwrap().to_string();
    let expected = format!("{} positions of 3 games are too many", records.len());
    assert!(error.contains(&expected) && error.contains("--games 2 or less"), "{error}");
}
