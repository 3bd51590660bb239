//! Fits the model of chances ([`aspirant::wdl`]) to games.
//!
//! Of each kept position count the score, the material and how the game ended. The eight coefficients are those
//! under which these ends are most likely, found by Adam on the counts, for positions with equal score and material are
//! the same to the model. One game in five is held out; over those the fit is shown beside what happened.
//! The score of either side is the other's with its sign turned, and so is the result: only scores from zero up are counted.
//! <https://en.wikipedia.org/wiki/Maximum_likelihood_estimation>

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::game_file::{GamesError, Origin, Outcome, Reader};
use crate::tune::{TuneError, git_commit};
use aspirant::tools::replace_file;
use aspirant::tools::say;
use aspirant::wdl::{MATERIAL, Model, material};

/// What `tune-wdl` is told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Files of aspirant datagen
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// The file to write (default: only the comparison is printed)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Which games are held out
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The commit to name as the origin of the data (default: asked of git)
    #[arg(long, value_name = "TEXT")]
    pub commit: Option<String>,
}

/// Scores are counted in steps of this many centipawns …
const STEP: f64 = 5.0;
/// … up to this many steps; what is beyond counts as the last.
const STEPS: usize = 240;
const MATERIALS: usize = (*MATERIAL.end() - *MATERIAL.start() + 1) as usize;
/// One game in so many is held out.
const HELD_OUT: u32 = 5;
/// Fewer games than this tell nothing.
const FEWEST_GAMES: u32 = 200;
const ROUNDS: u32 = 3000;

/// How often the side that was not behind won, drew and lost, by material and score.
#[derive(Clone)]
struct Counts(Vec<[u32; 3]>);

impl Counts {
    fn new() -> Self {
        Self(vec![[0; 3]; MATERIALS * STEPS])
    }

    /// `score` from white.
    fn add(&mut self, score: i16, material: u32, outcome: Outcome) {
        let ahead = usize::from(score.unsigned_abs()) / STEP as usize;
        let result = if score < 0 { outcome as usize } else { 2 - outcome as usize };
        let men = (material.clamp(*MATERIAL.start(), *MATERIAL.end()) - MATERIAL.start()) as usize;
        self.0[men * STEPS + ahead.min(STEPS - 1)][result] += 1;
    }

    fn positions(&self) -> u64 {
        self.0.iter().flatten().map(|&n| u64::from(n)).sum()
    }

    /// Every cell that counted anything: material, mean score, counts.
    fn cells(&self) -> impl Iterator<Item = (u32, f64, [f64; 3])> + '_ {
        let filled = self.0.iter().enumerate().filter(|(_, counts)| counts.iter().any(|&n| n > 0));
        filled.map(|(index, counts)| {
            let score = ((index % STEPS) as f64 + 0.5) * STEP;
            (MATERIAL.start() + (index / STEPS) as u32, score, counts.map(f64::from))
        })
    }
}

/// Chances of win, draw and loss.
fn chances(model: &Model, score: f64, material: u32) -> [f64; 3] {
    let (win, loss) = (model.win(score, material), model.win(-score, material));
    [win, (1.0 - win - loss).max(1e-9), loss]
}

/// Mean negative logarithm of the chance that the model gave to what happened.
fn loss(model: &Model, counts: &Counts) -> f64 {
    let cell = |(material, score, counts): (u32, f64, [f64; 3])| -> f64 {
        let chances = chances(model, score, material);
        (0..3).map(|result| -counts[result] * chances[result].max(1e-9).ln()).sum()
    };
    counts.cells().map(cell).sum::<f64>() / counts.positions().max(1) as f64
}

/// The slope of [`loss`] in each coefficient, `a` first.
fn gradient(model: &Model, counts: &Counts) -> [f64; 8] {
    let mut out = [0.0; 8];
    for (material, score, counts) in counts.cells() {
        let (a, b) = model.at(material);
        let [win, draw, loss] = chances(model, score, material);
        let (up, down) = ((score - a) / b, (-score - a) / b);
        let (win_slope, loss_slope) = (win * (1.0 - win), loss * (1.0 - loss));
        // Slopes of the logarithms in x = (score - a) / b, of win and of loss.
        let of_win = -counts[0] * (1.0 - win) + counts[1] * win_slope / draw;
        let of_loss = -counts[2] * (1.0 - loss) + counts[1] * loss_slope / draw;
        let (in_a, in_b) = (-(of_win + of_loss) / b, -(of_win * up + of_loss * down) / b);
        let x = aspirant::wdl::scaled(material);
        for power in 0..4 {
            out[power] += in_a * x.powi(power as i32);
            out[4 + power] += in_b * x.powi(power as i32);
        }
    }
    let positions = counts.positions().max(1) as f64;
    out.map(|slope| slope / positions)
}

/// Adam with shrinking steps, from a model that cannot be far off.
fn fit(counts: &Counts) -> Model {
    let mut theta = [150.0, 0.0, 0.0, 0.0, 80.0, 0.0, 0.0, 0.0];
    let (mut mean, mut square) = ([0.0; 8], [0.0; 8]);
    for round in 1..=ROUNDS {
        let model = model_of(&theta);
        let slope = gradient(&model, counts);
        let rate = 2.0 * 1e-3f64.powf(f64::from(round) / f64::from(ROUNDS));
        let correction = (1.0 - 0.9f64.powi(round as i32), 1.0 - 0.99f64.powi(round as i32));
        for index in 0..8 {
            mean[index] = 0.9 * mean[index] + 0.1 * slope[index];
            square[index] = 0.99 * square[index] + 0.01 * slope[index] * slope[index];
            theta[index] -= rate * (mean[index] / correction.0) / ((square[index] / correction.1).sqrt() + 1e-12);
        }
    }
    model_of(&theta)
}

fn model_of(theta: &[f64; 8]) -> Model {
    // As many digits as the file will have.
    let round = |value: &f64| (value * 1000.0).round() / 1000.0;
    Model { a: std::array::from_fn(|i| round(&theta[i])), b: std::array::from_fn(|i| round(&theta[4 + i])) }
}

/// What was read.
struct Data {
    origins: Vec<(Origin, u32)>,
    fitted: Counts,
    held_out: Counts,
}

impl Data {
    fn read(paths: &[PathBuf], seed: u64) -> Result<Self, GamesError> {
        let mut data = Self { origins: Vec::new(), fitted: Counts::new(), held_out: Counts::new() };
        let mut random = fastrand::Rng::with_seed(seed);
        for path in paths {
            let mut reader = Reader::open(path)?;
            let mut games = 0;
            while let Some(game) = reader.next_game()? {
                let counts = if random.u32(..HELD_OUT) == 0 { &mut data.held_out } else { &mut data.fitted };
                game.records.iter().for_each(|r| counts.add(r.score, material(&r.board), r.outcome));
                games += 1;
            }
            data.origins.push((reader.origin, games));
        }
        Ok(data)
    }

    fn games(&self) -> u32 {
        self.origins.iter().map(|(_, games)| games).sum()
    }
}

/// What the model says and what happened, in bands: rows of a Markdown table.
fn comparison(model: &Model, counts: &Counts) -> String {
    let mut out = String::from(
        "| ahead by, centipawns | material | positions | won: model | seen | drawn: model | seen | lost: model | seen |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (from, to) in [(0, 50), (50, 150), (150, 400), (400, 800)] {
        for (few, many) in [(10, 30), (31, 55), (56, 78)] {
            let (mut said, mut seen) = ([0.0; 3], [0.0; 3]);
            let band = counts.cells().filter(|&(material, score, _)| {
                (few..=many).contains(&material) && score >= f64::from(from) && score < f64::from(to)
            });
            for (material, score, counts) in band {
                let total: f64 = counts.iter().sum();
                let chances = chances(model, score, material);
                for result in 0..3 {
                    said[result] += chances[result] * total;
                    seen[result] += counts[result];
                }
            }
            let total: f64 = seen.iter().sum();
            if total > 0.0 {
                let _ = write!(out, "| {from} to {to} | {few} to {many} | {total} |");
                for result in 0..3 {
                    let share = |sum: f64| 100.0 * sum / total;
                    let _ = write!(out, " {:.1} % | {:.1} % |", share(said[result]), share(seen[result]));
                }
                out.push('\n');
            }
        }
    }
    out
}

/// Reads the data, fits the model, shows it beside the games held out, and writes the file.
///
/// # Errors
/// [`TuneError`].
pub fn run(args: &Args) -> Result<(), TuneError> {
    let data = Data::read(&args.data, args.seed)?;
    if data.games() < FEWEST_GAMES {
        return Err(TuneError::TooFewGames { games: data.games(), fewest: FEWEST_GAMES });
    }
    let model = fit(&data.fitted);
    let losses = [Model::FITTED, model].map(|model| (loss(&model, &data.fitted), loss(&model, &data.held_out)));
    let (fitted, held_out) = (data.fitted.positions(), data.held_out.positions());
    let mut text = format!("{} games, {fitted} positions fitted, {held_out} held out\n", data.games());
    for (name, (fitted, held_out)) in ["the program's", "this fit"].iter().zip(losses) {
        let _ = writeln!(text, "{name:14} loss {fitted:.5}, held out {held_out:.5}");
    }
    let table = comparison(&model, &data.held_out);
    let _ = writeln!(text, "\na {:?}\nb {:?}\n\nGames held out:\n\n{table}", model.a, model.b);
    say(&text)?;
    if let Some(path) = &args.out {
        let text = source(&model, &data, args, losses[1]);
        replace_file(path, text.as_bytes()).map_err(|source| TuneError::Write { path: path.clone(), source })?;
        say(&format!("written: {}\n", path.display()))?;
    }
    Ok(())
}

/// The file of the model.
fn source(model: &Model, data: &Data, args: &Args, losses: (f64, f64)) -> String {
    let commit = args.commit.clone().or_else(git_commit).unwrap_or_else(|| "unknown".into());
    let mut out = format!(
        "//! The numbers of the model of chances.\n//!\n\
         //! Provenance: written by `aspirant tune-wdl` at commit {commit}, seed {}, from {} positions of\n\
         //! {} games that `aspirant datagen` played ({} more positions held out):\n",
        args.seed,
        data.fitted.positions(),
        data.games(),
        data.held_out.positions(),
    );
    for (origin, games) in &data.origins {
        let _ = writeln!(out, "//! * {games} games, {origin}");
    }
    let _ = writeln!(
        out,
        "//!\n//! Mean negative logarithm of the chance given to what happened: {:.5}; of the games held out {:.5}.\n\n\
         use super::Model;\n\n\
         #[rustfmt::skip]\npub(super) const MODEL: Model = Model {{ a: {:?}, b: {:?} }};",
        losses.0, losses.1, model.a, model.b
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: Model = Model { a: [180.0, 40.0, 10.0, 0.0], b: [70.0, -10.0, 5.0, 0.0] };

    /// Games of a world in which the model is true.
    fn world(positions: u32) -> Counts {
        let mut random = fastrand::Rng::with_seed(3);
        let mut counts = Counts::new();
        for _ in 0..positions {
            let (score, material) = (random.i16(-600..600), random.u32(MATERIAL));
            let ahead = (f64::from(score.unsigned_abs()) / STEP).floor() * STEP + STEP / 2.0;
            let [win, draw, _] = chances(&TRUTH, ahead, material);
            let drawn = random.f64();
            let result = if drawn < win {
                2
            } else if drawn < win + draw {
                1
            } else {
                0
            };
            let white = if score < 0 { 2 - result } else { result };
            counts.add(score, material, [Outcome::Loss, Outcome::Draw, Outcome::Win][white]);
        }
        counts
    }

    #[test]
    fn a_true_model_is_found_again() {
        let counts = world(400_000);
        let found = fit(&counts);
        for material in [12, 30, 50, 76] {
            let (a, b) = found.at(material);
            let (true_a, true_b) = TRUTH.at(material);
            assert!((a - true_a).abs() < 6.0 && (b - true_b).abs() < 6.0, "{material}: {a} {b}, {true_a} {true_b}");
        }
        assert!(loss(&found, &counts) <= loss(&TRUTH, &counts) + 1e-5);
        let flat = Model { a: [180.0, 0.0, 0.0, 0.0], b: [70.0, 0.0, 0.0, 0.0] };
        assert!(loss(&found, &counts) < loss(&flat, &counts));
    }

    #[test]
    fn the_slope_is_that_of_the_loss() {
        let counts = world(20_000);
        let theta = [150.0, 20.0, 5.0, -5.0, 80.0, 3.0, -4.0, 2.0];
        let slopes = gradient(&model_of(&theta), &counts);
        for index in 0..8 {
            let at = |shift: f64| {
                let mut moved = theta;
                moved[index] += shift;
                loss(&model_of(&moved), &counts)
            };
            let measured = (at(0.5) - at(-0.5)) / 1.0;
            assert!(
                (measured - slopes[index]).abs() < 2e-6 + 0.02 * measured.abs(),
                "{index}: {measured} {}",
                slopes[index]
            );
        }
    }

    #[test]
    fn both_sides_count_alike() {
        let (mut white, mut black) = (Counts::new(), Counts::new());
        white.add(120, 40, Outcome::Win);
        white.add(120, 40, Outcome::Loss);
        black.add(-120, 40, Outcome::Loss);
        black.add(-120, 40, Outcome::Win);
        assert_eq!(white.0, black.0);
        let (material, score, counts) = white.cells().next().unwrap();
        assert_eq!((material, score, counts), (40, 122.5, [1.0, 0.0, 1.0]));
    }
}
