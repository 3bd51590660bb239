//! The command `tune`: fits the evaluation weights to game files.
//!
//! The target of each position is a weighted mean of the game result and the expected score of its search score. The
//! weights are fitted by Adam on mini-batches, so that the expected scores of the evaluations approach the targets.
//! One game in twenty is held out for validation. Afterwards all values are scaled so that the mean absolute
//! evaluation is unchanged, because the margins of the search are in centipawns and are not refitted here.
//! <https://www.chessprogramming.org/Texel%27s_Tuning_Method>, Kingma and Ba 2014 <https://arxiv.org/abs/1412.6980>

mod checkpoint;
mod model;
mod output;

use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use crate::game_file::{DatagenSettings, GameFileError, GameFileReader, PositionRecord, weights_checksum};
use aspirant::terminal::print_line;
use checkpoint::{Checkpoint, FitState};
use model::{PHASE, Regularization, Samples, Theta, WEIGHT_COUNT, current_weights, sigmoid};

/// The arguments of `tune`.
#[derive(clap::Args, Clone, Debug)]
pub struct TuneArgs {
    /// Game files written by `aspirant-lab datagen`
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Source file of the weights to write; an interrupted run resumes from the state file beside it
    #[arg(long, value_name = "FILE", default_value = "src/eval/weights.rs")]
    pub out: PathBuf,
    /// Number of passes over the data
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: u32,
    /// Positions per optimizer step
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: u32,
    /// Initial learning rate in centipawns; decays to a hundredth of it
    #[arg(long, value_name = "CP", default_value_t = 1.0)]
    pub rate: f64,
    /// Weight of the game result in the target, from 0 to 1; the rest is the weight of the search score
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub result: f64,
    /// Regularization of each square towards the mean of its piece-square table, in positions
    #[arg(long, value_name = "N", default_value_t = 50.0)]
    pub pull: f64,
    /// Regularization of each square towards its mirror square on the same rank, in positions
    #[arg(long, value_name = "N", default_value_t = 500.0)]
    pub mirror: f64,
    /// Seed of the choice of held-out games and of the order of positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of threads (default: number of processors); does not change the result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    /// Commit to name as the origin of the data (default: output of git describe)
    #[arg(long, value_name = "TEXT")]
    pub commit: Option<String>,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "expected a number from 0 to 1".into())
}

/// The reason why fitting failed.
#[derive(thiserror::Error, Debug)]
pub enum TuneError {
    /// A game file cannot be read.
    #[error(transparent)]
    Data(#[from] GameFileError),
    /// There are too few positions.
    #[error(
        "{positions} positions in {games} games are too few to fit {WEIGHT_COUNT} weights, at least {MIN_POSITIONS} are needed"
    )]
    TooFew {
        /// Number of positions in all files.
        positions: usize,
        /// Number of games in all files.
        games: u32,
    },
    /// The output could not be printed.
    #[error("cannot print the results: {0}")]
    System(#[from] std::io::Error),
    /// There are too few games for the win/draw/loss model.
    #[error("{games} games are too few: at least {min_games} are needed")]
    TooFewGames {
        /// Number of games in all files.
        games: u32,
        /// The number of games needed.
        min_games: u32,
    },
    /// The output file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The output file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// One game in this many is held out for validation.
const HELD_OUT: u32 = 20;
/// Minimum number of positions for a fit.
const MIN_POSITIONS: usize = 10_000;

/// Maximum number of plies since the last capture or pawn move; positions with more are skipped.
///
/// The evaluation does not depend on this counter, but the higher it is, the more positions are dead draws despite a
/// material advantage.
const MAX_HALFMOVES: u8 = 20;

/// The contents of the game files.
#[derive(Default)]
struct Data {
    data_files: Vec<(DatagenSettings, u32)>,
    records: Vec<PositionRecord>,
    /// For each record, whether it is held out.
    held_out: Vec<bool>,
}

impl Data {
    fn games(&self) -> u32 {
        self.data_files.iter().map(|(_, games)| games).sum()
    }

    /// Reads the files. Whole games are held out, because positions of the same game are correlated.
    fn read(paths: &[PathBuf], seed: u64) -> Result<Self, GameFileError> {
        let mut data = Self::default();
        let mut random = fastrand::Rng::with_seed(seed);
        for path in paths {
            let mut reader = GameFileReader::open(path)?;
            let mut games = 0;
            while let Some(game) = reader.next_game()? {
                let held_out = random.u32(..HELD_OUT) == 0;
                data.records.extend(game.records.into_iter().filter(|record| record.halfmoves <= MAX_HALFMOVES));
                data.held_out.resize(data.records.len(), held_out);
                games += 1;
            }
            data.data_files.push((reader.settings, games));
        }
        Ok(data)
    }
}

/// Reads the data, fits the weights and writes the source file.
///
/// # Errors
/// [`TuneError`].
pub fn run(args: &TuneArgs) -> Result<(), TuneError> {
    let data = Data::read(&args.data, args.seed)?;
    if data.records.len() < MIN_POSITIONS {
        return Err(TuneError::TooFew { positions: data.records.len(), games: data.games() });
    }
    print_line(&format!("{} positions of {} games", data.records.len(), data.games()));
    let k = fit_k(&data.records);
    print_line(&format!("k = {k:.6}: the expected score at +100 centipawns is {:.3}", sigmoid(100.0 * k)));
    let problem = Problem::new(&data.records, &data.held_out, k, args);
    let before = problem.losses(&current_weights());
    print_line(&format!("epoch   0  loss {:.6}  held out {:.6}", before.0, before.1));
    let checkpoint = Checkpoint::new(args, &data, k);
    let state = checkpoint
        .load()
        .inspect(|state| print_line(&format!("continuing an interrupted run after epoch {}", state.epoch)));
    let start = Instant::now();
    let theta = problem.fit(state.unwrap_or_default(), &mut |state| {
        let (loss, held_out) = problem.losses(&state.theta);
        let seconds = start.elapsed().as_secs_f64();
        print_line(&format!("epoch {:3}  loss {loss:.6}  held out {held_out:.6}  {seconds:.0} s", state.epoch));
        checkpoint.save(state).map_err(|source| TuneError::Write { path: checkpoint.path().into(), source })
    })?;
    let (theta, factor) = problem.rescale(theta);
    print_line(&format!("scaled by {factor:.3} to the previous mean absolute evaluation"));
    let after = problem.losses(&theta);
    let provenance = output::Provenance {
        data_files: &data.data_files,
        positions: data.records.len(),
        commit: args.commit.clone().or_else(git_commit).unwrap_or_else(|| "unknown".into()),
        started_from: weights_checksum(),
        args,
        k,
        factor,
        before,
        after,
    };
    let text = output::source(&theta, &provenance);
    aspirant::platform::files::replace_file(&args.out, text.as_bytes())
        .map_err(|source| TuneError::Write { path: args.out.clone(), source })?;
    checkpoint.remove();
    print_line(&format!("wrote {}", args.out.display()));
    Ok(())
}

pub(crate) fn git_commit() -> Option<String> {
    let output = std::process::Command::new("git").args(["describe", "--always", "--abbrev=10"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Fits the slope `k` of the logistic function by golden-section search.
///
/// With this slope, the search scores predict the results best.
fn fit_k(records: &[PositionRecord]) -> f64 {
    let step = records.len().div_ceil(400_000).max(1);
    let loss = |k: f64| -> f64 {
        let error = |r: &PositionRecord| (sigmoid(k * f64::from(r.score)) - r.result.points()).powi(2);
        records.iter().step_by(step).map(error).sum()
    };
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (1e-4, 2e-2);
    for _ in 0..32 {
        let width = golden * (high - low);
        if loss(high - width) < loss(low + width) {
            high = low + width;
        } else {
            low += high - low - width;
        }
    }
    f64::midpoint(low, high)
}

/// The samples and the settings of a fit.
struct Problem {
    samples: Samples,
    train: Vec<u32>,
    held_out: Vec<u32>,
    k: f64,
    regularization: Regularization,
    epochs: u32,
    batch: usize,
    rate: f64,
    threads: usize,
    seed: u64,
}

impl Problem {
    fn new(records: &[PositionRecord], held_out: &[bool], k: f64, args: &TuneArgs) -> Self {
        let mut samples = Samples::default();
        for record in records {
            let score = sigmoid(k * f64::from(record.score));
            samples.push(record, args.result * record.result.points() + (1.0 - args.result) * score);
        }
        let part =
            |is_held_out| (0..records.len() as u32).filter(|&index| held_out[index as usize] == is_held_out).collect();
        let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
        Self {
            samples,
            train: part(false),
            held_out: part(true),
            k,
            regularization: Regularization { mean: args.pull, mirror: args.mirror },
            epochs: args.epochs,
            batch: args.batch as usize,
            rate: args.rate,
            threads,
            seed: args.seed,
        }
    }

    /// Returns the mean loss of the training data and of the held-out data.
    fn losses(&self, theta: &Theta) -> (f64, f64) {
        let loss = |indices: &[u32]| self.samples.loss(theta, self.k, indices, self.threads, false).loss;
        (loss(&self.train), loss(&self.held_out))
    }

    /// Continues from `state` to the last epoch; an error of `after_epoch` ends the fit early.
    fn fit<E>(&self, mut state: FitState, after_epoch: &mut dyn FnMut(&FitState) -> Result<(), E>) -> Result<Theta, E> {
        let count = self.train.len();
        while state.epoch < self.epochs {
            let mut order = self.train.clone();
            // The order depends only on seed and epoch, so checkpoints need not store it.
            fastrand::Rng::with_seed(self.seed << 32 ^ u64::from(state.epoch)).shuffle(&mut order);
            let rate = self.rate * 0.01f64.powf(f64::from(state.epoch) / f64::from(self.epochs.max(2) - 1));
            for batch in order.chunks(self.batch) {
                let sum = self.samples.loss(&state.theta, self.k, batch, self.threads, true);
                let Some(mut gradient) = sum.gradient else { continue };
                self.regularization.add(&state.theta, self.k, count, &mut gradient);
                state.adam.step(&mut state.theta, &gradient, rate);
            }
            state.epoch += 1;
            after_epoch(&state)?;
        }
        Ok(state.theta)
    }

    /// Scales all values so that the mean absolute evaluation is that of the current weights.
    ///
    /// Returns the scaled weights and the factor.
    fn rescale(&self, mut theta: Theta) -> (Theta, f64) {
        let total_size = |theta: &Theta| -> f64 {
            self.train.iter().map(|&index| self.samples.evaluate(theta, index as usize).abs()).sum()
        };
        let factor = total_size(&current_weights()) / total_size(&theta).max(f64::MIN_POSITIVE);
        theta[..PHASE].iter_mut().for_each(|value| *value *= factor);
        (theta, factor)
    }
}

/// The initial state: the weights that the engine plays with.
impl Default for FitState {
    fn default() -> Self {
        Self { epoch: 0, theta: current_weights(), adam: Adam::new() }
    }
}

/// Adam (adaptive moment estimation): each weight has its own step size.
#[derive(Clone, PartialEq, Debug)]
struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

impl Adam {
    /// Learning rate of phase weights relative to that of values, which are about ten times as large.
    const PHASE_RATE: f64 = 0.05;

    fn new() -> Self {
        Self { mean: vec![0.0; WEIGHT_COUNT], square: vec![0.0; WEIGHT_COUNT], steps: 0 }
    }

    fn step(&mut self, theta: &mut Theta, gradient: &[f64], rate: f64) {
        const BETA: (f64, f64) = (0.9, 0.999);
        self.steps = self.steps.saturating_add(1);
        let correction = (1.0 - BETA.0.powi(self.steps), 1.0 - BETA.1.powi(self.steps));
        for (index, (value, &slope)) in theta.iter_mut().zip(gradient).enumerate() {
            let (mean, square) = (&mut self.mean[index], &mut self.square[index]);
            *mean = BETA.0 * *mean + (1.0 - BETA.0) * slope;
            *square = BETA.1 * *square + (1.0 - BETA.1) * slope * slope;
            let rate = if index < PHASE { rate } else { rate * Self::PHASE_RATE };
            *value -= rate * (*mean / correction.0) / ((*square / correction.1).sqrt() + 1e-12);
        }
    }
}

#[cfg(test)]
mod tests;
