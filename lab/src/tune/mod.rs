//! The commands `tune`, which fits the evaluation weights, and `tune-forms`, which compares forms.
//!
//! The target of each position is a weighted mean of the game result and the expected score of its search score. The
//! weights are fitted by Adam on mini-batches, so that the expected scores of the evaluations approach the targets.
//! Whole games are held out for validation, one in twenty by default; the weights of the epoch with the least held-out
//! error are used. Then all values are scaled so that the mean absolute evaluation is that of the weights of
//! `eval::pst`, because the margins of the search are in centipawns and are not refitted here.
//! <https://www.chessprogramming.org/Texel%27s_Tuning_Method>, Kingma and Ba 2014 <https://arxiv.org/abs/1412.6980>

mod checkpoint;
mod form;
pub mod forms;
mod model;
mod output;

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::game_file::{GameFileError, GameRecord, PositionFilter, read_games};
use crate::hash::checksum;
use crate::match_file::MatchFileError;
use aspirant::eval::pst::Pst;
use aspirant::terminal::print_line;
use checkpoint::{Checkpoint, FitState};
use form::{BucketMap, Form, Kings};
use model::{BASE_WEIGHTS, Model, PHASE, Regularization, Samples, Theta, current_weights, sigmoid};

/// The arguments of `tune`.
#[derive(clap::Args, Clone, Debug)]
pub struct TuneArgs {
    /// Game files written by `aspirant-lab datagen`
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Source file of the weights to write; an interrupted run resumes from the state file beside it
    /// (default: src/eval/weights.rs, with --kings src/eval/king_weights.rs)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Kings whose squares select offsets to the piece-square tables
    #[arg(long, value_name = "KINGS", value_enum, default_value_t = Kings::None)]
    pub kings: Kings,
    /// Buckets of the king squares: 1, 4, 8, 16, 32, or 32 digits from 0 to v, one for each of a1, b1, c1, d1, a2 to d8
    #[arg(long, value_name = "BUCKETS", default_value = "4")]
    pub buckets: BucketMap,
    #[command(flatten)]
    pub fit: FitArgs,
    /// Commit to name in the file (default: that of this program)
    #[arg(long, value_name = "TEXT")]
    pub commit: Option<String>,
}

#[derive(clap::Args, Clone, Debug)]
pub struct FitArgs {
    /// Maximum number of passes over the data
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: u32,
    /// Stop when the held-out error has not decreased for this many epochs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: u32,
    /// Positions per optimizer step
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: u32,
    /// Initial learning rate in centipawns; decays to a hundredth of it
    #[arg(long, value_name = "CP", default_value_t = 1.0, value_parser = positive)]
    pub rate: f64,
    /// Weight of the game result in the target, from 0 to 1; the rest is the weight of the search score
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub result: f64,
    /// Regularization of each square toward the mean of its piece-square table, in positions
    #[arg(long, value_name = "N", default_value_t = 50.0, value_parser = not_negative)]
    pub pull: f64,
    /// Regularization of each square toward its mirror square on the same rank, in positions; not for offsets
    /// (default: 500, with offsets 20000)
    #[arg(long, value_name = "N", value_parser = not_negative)]
    pub mirror: Option<f64>,
    /// Regularization of the offsets toward zero, in positions
    #[arg(long, value_name = "N", default_value_t = 20.0, value_parser = not_negative)]
    pub offsets: f64,
    /// Regularization of each offset toward those of the adjacent squares, in positions
    #[arg(long, value_name = "N", default_value_t = 2000.0, value_parser = not_negative)]
    pub smooth: f64,
    /// Use at most the first N games of the files (default: all)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub games: Option<u32>,
    /// Hold out one game in N
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..))]
    pub held_out: u32,
    /// Seed of the choice of held-out games and of the order of positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of threads (default: number of processors); more than 8 have no effect; does not change the result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
}

impl FitArgs {
    fn regularization(&self, form: &Form) -> Regularization {
        // Offsets represent the difference between the sides of the board, so the base needs less freedom.
        let mirror = self.mirror.unwrap_or(if form.kings == Kings::None { 500.0 } else { 20_000.0 });
        Regularization { mean: self.pull, mirror, offsets: self.offsets, smooth: self.smooth }
    }
}

impl TuneArgs {
    fn form(&self) -> Form {
        Form { kings: self.kings, map: self.buckets.clone() }
    }

    fn out(&self) -> &Path {
        let default = if self.kings == Kings::None { "src/eval/weights.rs" } else { "src/eval/king_weights.rs" };
        self.out.as_deref().unwrap_or(Path::new(default))
    }
}

/// Parses a finite number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n: &f64| n.is_finite() && *n > 0.0)
        .ok_or_else(|| format!("'{text}' is not a positive number"))
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.ok_or_else(|| format!("'{text}' is not a number of at least 0"))
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
    /// A PGN file cannot be read.
    #[error(transparent)]
    Match(#[from] MatchFileError),
    /// A match is named twice.
    #[error("{}: named twice; name each file once", .path.display())]
    Twice {
        /// Path of the PGN file.
        path: PathBuf,
    },
    #[error(
        "{positions} positions in {games} games are too few to fit {BASE_WEIGHTS} weights or more, at least {MIN_POSITIONS} are needed"
    )]
    TooFew { positions: usize, games: u32 },
    #[error(
        "--held-out {held_out}: of {games} games, at least one must be held out and one must not; choose another --held-out"
    )]
    NotDivided {
        games: u32,
        /// One in this many games is held out.
        held_out: u32,
    },
    /// There are more positions than a fit can index.
    #[error(
        "{positions} positions of {games} games are too many: the pieces on them exceed {max_pieces}; use --games {} or less",
        .games - 1
    )]
    TooMany {
        positions: usize,
        games: u32,
        /// Maximum number of pieces on the positions for training and on the held-out positions.
        max_pieces: usize,
    },
    /// The output could not be printed.
    #[error("cannot print the results: {0}")]
    System(#[from] std::io::Error),
    /// There are too few games for the win/draw/loss model.
    #[error("{games} games are too few: at least {min_games} are needed")]
    TooFewGames { games: u32, min_games: u32 },
    /// The output file exists and was not written by the same command.
    #[error("{}: exists and was not written by this command; choose another --out; nothing was changed", .path.display())]
    OtherFile {
        /// The output file.
        path: PathBuf,
    },
    /// The state file beside the output belongs to another fit.
    #[error(
        "{}: is damaged or belongs to a fit with other data or settings; if games were added to the last file since, \
         add --games with the former number; otherwise remove it to start from the beginning", .path.display()
    )]
    OtherFit {
        /// The state file.
        path: PathBuf,
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

/// Minimum number of positions for a fit.
const MIN_POSITIONS: usize = 10_000;

/// Maximum number of pieces on all training positions, and on all held-out positions.
///
/// Their indices have 32 bits.
const MAX_PIECES: usize = u32::MAX as usize;

/// The positions that are used.
///
/// The evaluation does not depend on the halfmove clock, but the higher it is, the more positions are dead draws despite
/// a material advantage.
const FILTER: PositionFilter = PositionFilter { min_ply: 0, max_score: None, max_halfmoves: Some(20) };

/// Positions of whole games.
#[derive(Default)]
struct GameSamples {
    samples: Samples,
    first: Vec<u32>,
}

impl GameSamples {
    fn push(&mut self, game: &GameRecord) {
        self.first.push(self.samples.len() as u32);
        game.positions(FILTER).for_each(|record| self.samples.push(&record));
    }

    /// Returns the samples of the first `games` games in random order.
    ///
    /// Neighboring samples then belong to different games, and a fit reads the memory sequentially.
    fn shuffled(&self, games: usize, seed: u64) -> Samples {
        let end = self.first.get(games).copied().unwrap_or(self.samples.len() as u32);
        let mut indices: Vec<u32> = (0..end).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut indices);
        self.samples.select(&indices)
    }
}

/// The contents of the game files.
#[derive(Default)]
struct Data {
    /// Origin and number of games of each file.
    data_files: Vec<(String, u32)>,
    train: GameSamples,
    held_out: GameSamples,
}

impl Data {
    /// Reads the files. Whole games are held out, because positions of the same game are correlated.
    ///
    /// An incomplete game at the end of a file is ignored, so files can be read while `datagen` is writing them.
    fn read(paths: &[PathBuf], args: &FitArgs) -> Result<Self, TuneError> {
        Self::read_limited(paths, args, MAX_PIECES)
    }

    /// Like [`read`](Self::read), with another limit than [`MAX_PIECES`].
    fn read_limited(paths: &[PathBuf], args: &FitArgs, max_pieces: usize) -> Result<Self, TuneError> {
        let mut data = Self::default();
        let mut random = fastrand::Rng::with_seed(args.seed);
        let mut games = 0;
        data.data_files = read_games(paths, |game| {
            let is_held_out = random.u32(..args.held_out) == 0;
            let destination = if is_held_out { &mut data.held_out } else { &mut data.train };
            destination.push(&game);
            games += 1;
            if destination.samples.pieces() > max_pieces {
                return Err(TuneError::TooMany { positions: data.positions(), games, max_pieces });
            }
            let is_last = args.games.is_some_and(|max_games| games >= max_games);
            Ok(if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let (positions, games) = (data.positions(), data.games());
        print_line(&format!("{positions} positions of {games} games"));
        if positions < MIN_POSITIONS {
            Err(TuneError::TooFew { positions, games })
        } else if data.train.samples.len() == 0 || data.held_out.samples.len() == 0 {
            Err(TuneError::NotDivided { games, held_out: args.held_out })
        } else {
            Ok(data)
        }
    }

    fn games(&self) -> u32 {
        self.data_files.iter().map(|(_, games)| games).sum()
    }

    fn positions(&self) -> usize {
        self.train.samples.len() + self.held_out.samples.len()
    }

    /// Fits the slope of the logistic function and sets the targets; returns the slope.
    fn set_targets(&mut self, result_share: f64) -> f64 {
        let k = fit_k(&self.train.samples);
        print_line(&format!("k = {k:.6}: the expected score at +100 centipawns is {:.3}", sigmoid(100.0 * k)));
        self.train.samples.set_targets(k, result_share);
        self.held_out.samples.set_targets(k, result_share);
        k
    }
}

/// Reads the data, fits the weights and writes the source file.
///
/// # Errors
/// [`TuneError`].
pub fn run(args: &TuneArgs) -> Result<(), TuneError> {
    check_output(args.out(), "//! Weights of the `")?;
    let mut data = Data::read(&args.data, &args.fit)?;
    let k = data.set_targets(args.fit.result);
    let form = args.form();
    let positions = data.positions();
    data.train.samples = data.train.shuffled(usize::MAX, args.fit.seed);
    let problem = Problem::new(&data.train.samples, &data.held_out.samples, &form, k, &args.fit);
    let before = problem.losses(&current_weights(&form));
    print_line(&format!("epoch   0  loss {:.6}  held out {:.6}", before.0, before.1));
    let checkpoint = Checkpoint::new(args, &data, &form, k);
    let state = checkpoint.load();
    if state.is_none() && checkpoint.path().exists() {
        return Err(TuneError::OtherFit { path: checkpoint.path().into() });
    }
    let state =
        state.inspect(|state| print_line(&format!("continuing an interrupted run after epoch {}", state.epoch)));
    let start = Instant::now();
    let theta = problem.fit(state.unwrap_or_else(|| FitState::new(&form)), &mut |state, loss, held_out| {
        let seconds = start.elapsed().as_secs_f64();
        print_line(&format!("epoch {:3}  loss {loss:.6}  held out {held_out:.6}  {seconds:.0} s", state.epoch));
        checkpoint.save(state).map_err(|source| TuneError::Write { path: checkpoint.path().into(), source })
    })?;
    let (theta, factor) = problem.rescale(theta);
    print_line(&format!("scaled by {factor:.3} to the mean absolute evaluation of the weights of eval::pst"));
    let after = problem.losses(&output::rounded(&theta));
    print_line(&format!("rounded    loss {:.6}  held out {:.6}", after.0, after.1));
    let provenance = output::Provenance {
        data_files: &data.data_files,
        positions,
        commit: args.commit.clone().unwrap_or_else(build_commit),
        started_from: initial_weights_checksum(),
        args,
        k,
        factor,
        before,
        after,
    };
    let text = output::source(&theta, &form, &provenance);
    crate::files::replace_file(args.out(), text.as_bytes())
        .map_err(|source| TuneError::Write { path: args.out().into(), source })?;
    checkpoint.remove();
    print_line(&format!("wrote {}", args.out().display()));
    Ok(())
}

/// Checks that the output replaces only a file that starts with `expected`, as the files of the same command do.
pub(crate) fn check_output(path: &Path, expected: &str) -> Result<(), TuneError> {
    let mut start = Vec::new();
    match File::open(path).and_then(|file| file.take(expected.len() as u64).read_to_end(&mut start)) {
        Ok(_) if start == expected.as_bytes() => Ok(()),
        Ok(_) => Err(TuneError::OtherFile { path: path.into() }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(TuneError::Write { path: path.into(), source }),
    }
}

/// Returns a checksum of the weights with which a fit starts.
fn initial_weights_checksum() -> u64 {
    checksum(&Pst::weight_list())
}

/// Returns the commit from which this program was built, or "unknown".
pub(crate) fn build_commit() -> String {
    let commit = aspirant::version::commit();
    if commit.is_empty() { "unknown".into() } else { commit.into() }
}

/// Fits the slope `k` of the logistic function by golden-section search.
///
/// With this slope, the search scores predict the results best.
fn fit_k(samples: &Samples) -> f64 {
    let step = samples.len().div_ceil(400_000).max(1);
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (1e-4, 2e-2);
    for _ in 0..32 {
        let width = golden * (high - low);
        if samples.score_error(high - width, step) < samples.score_error(low + width, step) {
            high = low + width;
        } else {
            low += high - low - width;
        }
    }
    f64::midpoint(low, high)
}

/// Number of consecutive samples that stay together when the order of the samples is changed.
const BLOCK: usize = 64;

/// The samples and the settings of a fit.
struct Problem<'a> {
    train: Model<'a>,
    held_out: Model<'a>,
    regularization: Regularization,
    args: &'a FitArgs,
}

impl<'a> Problem<'a> {
    /// The samples of the training data must be in random order.
    fn new(train: &'a Samples, held_out: &'a Samples, form: &'a Form, k: f64, args: &'a FitArgs) -> Self {
        let threads = crate::thread_count(args.threads);
        let model = |samples| Model { samples, form, k, threads };
        Self { train: model(train), held_out: model(held_out), regularization: args.regularization(form), args }
    }

    /// Returns the mean loss of the training data and of the held-out data.
    fn losses(&self, theta: &Theta) -> (f64, f64) {
        (self.train.mean_loss(theta), self.held_out.mean_loss(theta))
    }

    /// Continues from `state` until the last epoch or until the held-out error has stopped decreasing.
    ///
    /// The weights of an epoch are the mean over its steps, which is less noisy than the last step.
    /// Calls `after_epoch` with the state, the mean loss of the training data during the epoch, and the loss of the
    /// held-out data; an error of `after_epoch` ends the fit. Returns the weights of the epoch with the least
    /// held-out error.
    fn fit<E>(
        &self,
        mut state: FitState,
        after_epoch: &mut dyn FnMut(&FitState, f64, f64) -> Result<(), E>,
    ) -> Result<Theta, E> {
        let count = self.train.samples.len();
        while state.epoch < self.args.epochs && state.epoch < state.best.epoch.saturating_add(self.args.patience) {
            let mut blocks: Vec<usize> = (0..count.div_ceil(BLOCK)).collect();
            // The order depends only on seed and epoch, so checkpoints need not store it.
            fastrand::Rng::with_seed(self.args.seed << 32 ^ u64::from(state.epoch)).shuffle(&mut blocks);
            let block = |index: usize| (index * BLOCK) as u32..((index + 1) * BLOCK).min(count) as u32;
            let order: Vec<u32> = blocks.into_iter().flat_map(block).collect();
            let progress = f64::from(state.epoch) / f64::from(self.args.epochs.max(2) - 1);
            let rate = self.args.rate * 0.01f64.powf(progress);
            let (mut loss, mut mean) = (0.0, vec![0.0; state.theta.len()]);
            let steps = count.div_ceil(self.args.batch as usize) as f64;
            for batch in order.chunks(self.args.batch as usize) {
                let sum = self.train.loss(&state.theta, batch, true);
                loss += sum.loss * batch.len() as f64 / count as f64;
                let Some(mut gradient) = sum.gradient else { continue };
                self.regularization.add(&state.theta, self.train.k, count, &mut gradient);
                state.adam.step(&mut state.theta, &gradient, rate);
                mean.iter_mut().zip(&state.theta).for_each(|(mean, value)| *mean += value / steps);
            }
            state.epoch += 1;
            let held_out = self.held_out.mean_loss(&mean);
            if self.held_out.samples.len() == 0 || held_out < state.best.loss {
                state.best = Best { epoch: state.epoch, loss: held_out, theta: mean };
            }
            after_epoch(&state, loss, held_out)?;
        }
        Ok(state.best.theta)
    }

    /// Scales all values so that the mean absolute evaluation is that of the weights of `eval::pst`.
    ///
    /// Returns the scaled weights and the factor.
    fn rescale(&self, mut theta: Theta) -> (Theta, f64) {
        let total_size = |theta: &Theta| -> f64 {
            (0..self.train.samples.len()).map(|index| self.train.evaluate(theta, index).abs()).sum()
        };
        let factor = total_size(&current_weights(self.train.form)) / total_size(&theta).max(f64::MIN_POSITIVE);
        let (values, offsets) = theta.split_at_mut(BASE_WEIGHTS);
        values[..PHASE].iter_mut().chain(offsets).for_each(|value| *value *= factor);
        (theta, factor)
    }
}

/// The weights with the least held-out error.
#[derive(Clone, PartialEq, Debug)]
struct Best {
    epoch: u32,
    loss: f64,
    theta: Theta,
}

impl FitState {
    /// The initial state: the weights of `eval::pst`, with offsets of zero.
    fn new(form: &Form) -> Self {
        let theta = current_weights(form);
        let adam = Adam::new(theta.len());
        Self { epoch: 0, best: Best { epoch: 0, loss: f64::INFINITY, theta: theta.clone() }, theta, adam }
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

    fn new(count: usize) -> Self {
        Self { mean: vec![0.0; count], square: vec![0.0; count], steps: 0 }
    }

    fn step(&mut self, theta: &mut Theta, gradient: &[f64], rate: f64) {
        const BETA: (f64, f64) = (0.9, 0.999);
        self.steps = self.steps.saturating_add(1);
        let correction = (1.0 - BETA.0.powi(self.steps), 1.0 - BETA.1.powi(self.steps));
        for (index, (value, &slope)) in theta.iter_mut().zip(gradient).enumerate() {
            let (mean, square) = (&mut self.mean[index], &mut self.square[index]);
            *mean = BETA.0 * *mean + (1.0 - BETA.0) * slope;
            *square = BETA.1 * *square + (1.0 - BETA.1) * slope * slope;
            let rate = if (PHASE..BASE_WEIGHTS).contains(&index) { rate * Self::PHASE_RATE } else { rate };
            *value -= rate * (*mean / correction.0) / ((*square / correction.1).sqrt() + 1e-12);
        }
    }
}

#[cfg(test)]
mod tests;
