//! Fits the evaluator's tables to games.
//!
//! Each position gets a target, the expected score that result of the game and search together suggest; the
//! numbers of the evaluator are moved until its expected scores come near, by Adam on small batches. One game
//! in twenty is held out and only measured. Afterwards everything is scaled so that evaluations are as large on
//! average as before: the margins of the search are in centipawns and are not to be tuned along the way.
//! <https://www.chessprogramming.org/Texel%27s_Tuning_Method>, Kingma and Ba 2014 <https://arxiv.org/abs/1412.6980>

mod checkpoint;
mod model;
mod output;

use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use crate::game_file::{GamesError, Origin, Reader, Record, fingerprint};
use aspirant::tools::tell;
use checkpoint::{Checkpoint, State};
use model::{PHASE, Pulls, SIZE, Samples, Theta, current, sigmoid};

/// What `tune` is told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Files of aspirant datagen
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// The table file to write
    #[arg(long, value_name = "FILE", default_value = "src/eval/weights.rs")]
    pub out: PathBuf,
    /// Passes over the data
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: u32,
    /// Positions of one step
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: u32,
    /// First step size, centipawns; the last is a hundredth of it
    #[arg(long, value_name = "CP", default_value_t = 1.0)]
    pub rate: f64,
    /// Weight of the game's result in the target, the rest is the search's score (0 to 1)
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub result: f64,
    /// Pull of each square towards the mean of its table, in positions
    #[arg(long, value_name = "N", default_value_t = 50.0)]
    pub pull: f64,
    /// Pull of each square towards the square across the board, in positions
    #[arg(long, value_name = "N", default_value_t = 500.0)]
    pub mirror: f64,
    /// Which games are held out, and the order of the positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads (default: one for each processor); the result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    /// The commit to name as the origin of the data (default: asked of git)
    #[arg(long, value_name = "TEXT")]
    pub commit: Option<String>,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "not a number from 0 to 1".into())
}

/// Why there are no tables.
#[derive(thiserror::Error, Debug)]
pub enum TuneError {
    /// A data file.
    #[error(transparent)]
    Data(#[from] GamesError),
    /// The data do not suffice.
    #[error("{positions} positions in {games} games are too few to fit {SIZE} numbers")]
    TooFew {
        /// Positions in all files.
        positions: usize,
        /// Games in all files.
        games: u32,
    },
    /// Nobody reads what is printed.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Chances cannot be learned from so little.
    #[error("{games} games are too few: at least {fewest} are needed")]
    TooFewGames {
        /// Games in all files.
        games: u32,
        /// How many are needed.
        fewest: u32,
    },
    /// The table file cannot be written.
    #[error("{}: {source}", .path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// One game in so many is held out.
const HELD_OUT: u32 = 20;
/// Fewer positions than this cannot be meant seriously.
const FEWEST: usize = 10_000;

/// Positions with more plies than this since a capture or pawn move are left out. Nothing but the counter
/// tells them from others, and the further it has come, the more of them are dead draws whatever the men are worth.
const MOST_HALFMOVES: u8 = 20;

/// What the data files hold.
#[derive(Default)]
struct Data {
    origins: Vec<(Origin, u32)>,
    records: Vec<Record>,
    /// Is the record with the same index held out?
    held_out: Vec<bool>,
}

impl Data {
    fn games(&self) -> u32 {
        self.origins.iter().map(|(_, games)| games).sum()
    }

    /// Whole games are held out: positions of one game are too much alike to test each other.
    fn read(paths: &[PathBuf], seed: u64) -> Result<Self, GamesError> {
        let mut data = Self::default();
        let mut random = fastrand::Rng::with_seed(seed);
        for path in paths {
            let mut reader = Reader::open(path)?;
            let mut games = 0;
            while let Some(game) = reader.next_game()? {
                let held_out = random.u32(..HELD_OUT) == 0;
                data.records.extend(game.records.into_iter().filter(|record| record.halfmoves <= MOST_HALFMOVES));
                data.held_out.resize(data.records.len(), held_out);
                games += 1;
            }
            data.origins.push((reader.origin, games));
        }
        Ok(data)
    }
}

/// Reads the data, fits the numbers and writes the table file.
///
/// # Errors
/// [`TuneError`].
pub fn run(args: &Args) -> Result<(), TuneError> {
    let data = Data::read(&args.data, args.seed)?;
    if data.records.len() < FEWEST {
        return Err(TuneError::TooFew { positions: data.records.len(), games: data.games() });
    }
    tell(&format!("{} positions of {} games", data.records.len(), data.games()));
    let k = fit_k(&data.records);
    tell(&format!("k = {k:.6}: an advantage of 100 centipawns is worth {:.3}", sigmoid(100.0 * k)));
    let problem = Problem::new(&data.records, &data.held_out, k, args);
    let before = problem.losses(&current());
    tell(&format!("epoch   0  loss {:.6}  held out {:.6}", before.0, before.1));
    let checkpoint = Checkpoint::new(args, &data, k);
    let state = checkpoint
        .load()
        .inspect(|state| tell(&format!("an interrupted run is continued after epoch {}", state.epoch)));
    let start = Instant::now();
    let theta = problem.fit(state.unwrap_or_default(), &mut |state| {
        let (loss, held_out) = problem.losses(&state.theta);
        let seconds = start.elapsed().as_secs_f64();
        tell(&format!("epoch {:3}  loss {loss:.6}  held out {held_out:.6}  {seconds:.0} s", state.epoch));
        checkpoint.save(state).map_err(|source| TuneError::Write { path: checkpoint.path().into(), source })
    })?;
    let (theta, factor) = problem.rescale(theta);
    tell(&format!("scaled by {factor:.3} to the size of the evaluations before"));
    let after = problem.losses(&theta);
    let provenance = output::Provenance {
        origins: &data.origins,
        positions: data.records.len(),
        commit: args.commit.clone().or_else(git_commit).unwrap_or_else(|| "unknown".into()),
        started_from: fingerprint(),
        args,
        k,
        factor,
        before,
        after,
    };
    let text = output::source(&theta, &provenance);
    aspirant::tools::replace_file(&args.out, text.as_bytes())
        .map_err(|source| TuneError::Write { path: args.out.clone(), source })?;
    checkpoint.remove();
    tell(&format!("written: {}", args.out.display()));
    Ok(())
}

pub(crate) fn git_commit() -> Option<String> {
    let output = std::process::Command::new("git").args(["describe", "--always", "--abbrev=10"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The steepness with which the search's scores tell the results best, by golden-section search.
fn fit_k(records: &[Record]) -> f64 {
    let step = records.len().div_ceil(400_000).max(1);
    let loss = |k: f64| -> f64 {
        let error = |r: &Record| (sigmoid(k * f64::from(r.score)) - r.outcome.points()).powi(2);
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

/// Samples, and how to fit them.
struct Problem {
    samples: Samples,
    train: Vec<u32>,
    held_out: Vec<u32>,
    k: f64,
    pulls: Pulls,
    epochs: u32,
    batch: usize,
    rate: f64,
    threads: usize,
    seed: u64,
}

impl Problem {
    fn new(records: &[Record], held_out: &[bool], k: f64, args: &Args) -> Self {
        let mut samples = Samples::default();
        for record in records {
            let score = sigmoid(k * f64::from(record.score));
            samples.push(record, args.result * record.outcome.points() + (1.0 - args.result) * score);
        }
        let part = |wanted| (0..records.len() as u32).filter(|&index| held_out[index as usize] == wanted).collect();
        let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
        Self {
            samples,
            train: part(false),
            held_out: part(true),
            k,
            pulls: Pulls { mean: args.pull, mirror: args.mirror },
            epochs: args.epochs,
            batch: args.batch as usize,
            rate: args.rate,
            threads,
            seed: args.seed,
        }
    }

    /// Mean loss over the data that are fitted and over those held out.
    fn losses(&self, theta: &Theta) -> (f64, f64) {
        let loss = |which: &[u32]| self.samples.loss(theta, self.k, which, self.threads, false).loss;
        (loss(&self.train), loss(&self.held_out))
    }

    /// Goes on from `state` to the last epoch. `after_epoch` may end it early with an error.
    fn fit<E>(&self, mut state: State, after_epoch: &mut dyn FnMut(&State) -> Result<(), E>) -> Result<Theta, E> {
        let count = self.train.len();
        while state.epoch < self.epochs {
            let mut order = self.train.clone();
            // Each epoch has its own order, which depends on nothing that a checkpoint would have to keep.
            fastrand::Rng::with_seed(self.seed << 32 ^ u64::from(state.epoch)).shuffle(&mut order);
            let rate = self.rate * 0.01f64.powf(f64::from(state.epoch) / f64::from(self.epochs.max(2) - 1));
            for batch in order.chunks(self.batch) {
                let sum = self.samples.loss(&state.theta, self.k, batch, self.threads, true);
                let Some(mut gradient) = sum.gradient else { continue };
                self.pulls.add(&state.theta, self.k, count, &mut gradient);
                state.adam.step(&mut state.theta, &gradient, rate);
            }
            state.epoch += 1;
            after_epoch(&state)?;
        }
        Ok(state.theta)
    }

    /// Scales all values so that the mean size of the evaluations is that of the current tables; and by how much.
    fn rescale(&self, mut theta: Theta) -> (Theta, f64) {
        let size = |theta: &Theta| -> f64 {
            self.train.iter().map(|&index| self.samples.evaluate(theta, index as usize).abs()).sum()
        };
        let factor = size(&current()) / size(&theta).max(f64::MIN_POSITIVE);
        theta[..PHASE].iter_mut().for_each(|value| *value *= factor);
        (theta, factor)
    }
}

/// A fit begins with the numbers that the program plays with.
impl Default for State {
    fn default() -> Self {
        Self { epoch: 0, theta: current(), adam: Adam::new() }
    }
}

/// Adaptive moment estimation: each number has its own step size.
#[derive(Clone, PartialEq, Debug)]
struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

impl Adam {
    /// A phase weight is a tenth of the size of a value and is moved accordingly.
    const PHASE_RATE: f64 = 0.05;

    fn new() -> Self {
        Self { mean: vec![0.0; SIZE], square: vec![0.0; SIZE], steps: 0 }
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
