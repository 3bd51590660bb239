//! The command `tune-wdl`: fits the win/draw/loss model ([`aspirant::wdl`]) to game files.
//!
//! The games are those of `datagen`, or matches in PGN files. Each position contributes its score, its material and the
//! result of the game. The model depends only on score and material, so positions are counted in a histogram; Adam
//! finds the eight coefficients with the maximum likelihood. One game in five is held out; the predictions for these
//! games are compared with their results. The model is symmetric, so a negative score is counted as the positive score
//! of the other side.
//! <https://en.wikipedia.org/wiki/Maximum_likelihood_estimation>

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::files::replace_file;
use crate::game_file::{GameResult, PositionFilter, read_games};
use crate::match_file::read_match;
use crate::tune::{TuneError, build_commit, check_output};
use aspirant::terminal::print_ignoring_closed_pipe;
use aspirant::wdl::{MATERIAL_RANGE, WdlModel, material};

/// The arguments of `tune-wdl`.
#[derive(clap::Args, Clone, Debug)]
pub struct TuneWdlArgs {
    /// Game files written by `aspirant-lab datagen`, or PGN files (*.pgn) of matches with a score for each move
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Use only the scores of this player of the PGN files (default: of both players)
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// Source file of the model to write; the engine uses src/wdl/model.rs (default: only print the comparison)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Seed of the choice of held-out games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Commit to name in the file (default: that of this program)
    #[arg(long, value_name = "TEXT")]
    pub commit: Option<String>,
}

/// Width of a score bin in centipawns.
const BIN_WIDTH: f64 = 5.0;
/// Number of score bins; the last one includes all greater scores.
const SCORE_BINS: usize = 240;
/// Number of material values.
const MATERIAL_BINS: usize = (*MATERIAL_RANGE.end() - *MATERIAL_RANGE.start() + 1) as usize;
/// One game in this many is held out for validation.
const HELD_OUT: u32 = 5;
/// Minimum number of games for a fit.
const MIN_GAMES: u32 = 200;
/// Number of optimizer steps.
const ITERATIONS: u32 = 3000;

/// Numbers of wins, draws and losses of the side that is not behind, by material and score.
#[derive(Clone)]
struct WdlCounts(Vec<[u32; 3]>);

impl WdlCounts {
    fn new() -> Self {
        Self(vec![[0; 3]; MATERIAL_BINS * SCORE_BINS])
    }

    /// Adds a position; `score` is from White's view.
    fn add(&mut self, score: i16, material: u32, result: GameResult) {
        let score_bin = usize::from(score.unsigned_abs()) / BIN_WIDTH as usize;
        let result = if score < 0 { result as usize } else { 2 - result as usize };
        let material_bin =
            (material.clamp(*MATERIAL_RANGE.start(), *MATERIAL_RANGE.end()) - MATERIAL_RANGE.start()) as usize;
        self.0[material_bin * SCORE_BINS + score_bin.min(SCORE_BINS - 1)][result] += 1;
    }

    fn positions(&self) -> u64 {
        self.0.iter().flatten().map(|&n| u64::from(n)).sum()
    }

    /// Iterates over the nonempty cells: material, midpoint of the score bin, counts.
    fn cells(&self) -> impl Iterator<Item = (u32, f64, [f64; 3])> + '_ {
        let nonempty = self.0.iter().enumerate().filter(|(_, counts)| counts.iter().any(|&n| n > 0));
        nonempty.map(|(index, counts)| {
            let score = ((index % SCORE_BINS) as f64 + 0.5) * BIN_WIDTH;
            (MATERIAL_RANGE.start() + (index / SCORE_BINS) as u32, score, counts.map(f64::from))
        })
    }
}

/// Returns the probabilities of win, draw and loss.
fn wdl_probabilities(model: &WdlModel, score: f64, material: u32) -> [f64; 3] {
    let (win, loss) = (model.win_probability(score, material), model.win_probability(-score, material));
    [win, (1.0 - win - loss).max(1e-9), loss]
}

/// Returns the mean negative log-likelihood of the results.
fn loss(model: &WdlModel, counts: &WdlCounts) -> f64 {
    let cell = |(material, score, counts): (u32, f64, [f64; 3])| -> f64 {
        let probabilities = wdl_probabilities(model, score, material);
        (0..3).map(|result| -counts[result] * probabilities[result].max(1e-9).ln()).sum()
    };
    counts.cells().map(cell).sum::<f64>() / counts.positions().max(1) as f64
}

/// Returns the gradient of [`loss`] with respect to the coefficients, those of `a` first.
fn gradient(model: &WdlModel, counts: &WdlCounts) -> [f64; 8] {
    let mut out = [0.0; 8];
    for (material, score, counts) in counts.cells() {
        let (a, b) = model.parameters(material);
        let [win, draw, loss] = wdl_probabilities(model, score, material);
        let (win_arg, loss_arg) = ((score - a) / b, (-score - a) / b);
        let (win_slope, loss_slope) = (win * (1.0 - win), loss * (1.0 - loss));
        // Derivatives of the negative log-likelihood with respect to (±score - a) / b, the arguments of win and loss.
        let d_win = -counts[0] * (1.0 - win) + counts[1] * win_slope / draw;
        let d_loss = -counts[2] * (1.0 - loss) + counts[1] * loss_slope / draw;
        let (d_a, d_b) = (-(d_win + d_loss) / b, -(d_win * win_arg + d_loss * loss_arg) / b);
        let x = aspirant::wdl::normalized_material(material);
        for power in 0..4 {
            out[power] += d_a * x.powi(power as i32);
            out[4 + power] += d_b * x.powi(power as i32);
        }
    }
    let positions = counts.positions().max(1) as f64;
    out.map(|slope| slope / positions)
}

/// Fits a model by Adam with a decaying learning rate, from a plausible initial model.
fn fit(counts: &WdlCounts) -> WdlModel {
    let mut theta = [150.0, 0.0, 0.0, 0.0, 80.0, 0.0, 0.0, 0.0];
    let (mut mean, mut square) = ([0.0; 8], [0.0; 8]);
    for iteration in 1..=ITERATIONS {
        let model = model_of(&theta);
        let slope = gradient(&model, counts);
        let rate = 2.0 * 1e-3f64.powf(f64::from(iteration) / f64::from(ITERATIONS));
        let correction = (1.0 - 0.9f64.powi(iteration as i32), 1.0 - 0.99f64.powi(iteration as i32));
        for index in 0..8 {
            mean[index] = 0.9 * mean[index] + 0.1 * slope[index];
            square[index] = 0.99 * square[index] + 0.01 * slope[index] * slope[index];
            theta[index] -= rate * (mean[index] / correction.0) / ((square[index] / correction.1).sqrt() + 1e-12);
        }
    }
    model_of(&theta)
}

fn model_of(theta: &[f64; 8]) -> WdlModel {
    // Rounded as in the written file.
    let round = |value: &f64| (value * 1000.0).round() / 1000.0;
    WdlModel { a: std::array::from_fn(|i| round(&theta[i])), b: std::array::from_fn(|i| round(&theta[4 + i])) }
}

/// Returns whether a file is a match in PGN, by its extension.
fn is_match(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}

/// Rejects a match that is named twice.
///
/// Its games would count twice, and held-out games would also be fitted.
fn check_distinct_paths<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<(), TuneError> {
    let mut seen = HashSet::new();
    for path in paths {
        if !seen.insert(std::fs::canonicalize(path).unwrap_or_else(|_| path.clone())) {
            return Err(TuneError::Twice { path: path.clone() });
        }
    }
    Ok(())
}

/// The histograms of the games.
struct Data {
    /// Origin of the games of each file, number of games.
    data_files: Vec<(String, u32)>,
    fitted: WdlCounts,
    held_out: WdlCounts,
}

impl Data {
    fn read(args: &TuneWdlArgs) -> Result<Self, TuneError> {
        let game_files: Vec<PathBuf> = args.data.iter().filter(|path| !is_match(path)).cloned().collect();
        check_distinct_paths(args.data.iter().filter(|path| is_match(path)))?;
        let mut data = Self { data_files: Vec::new(), fitted: WdlCounts::new(), held_out: WdlCounts::new() };
        let mut random = fastrand::Rng::with_seed(args.seed);
        let read = read_games(&game_files, |game| {
            let counts = data.choose(&mut random);
            let positions = game.positions(PositionFilter::default());
            positions.for_each(|record| counts.add(record.score, material(record.position.board()), record.result));
            Ok::<_, TuneError>(ControlFlow::Continue(()))
        })?;
        data.data_files = read.into_iter().map(|(origin, games)| (format!("datagen, {origin}"), games)).collect();
        for path in args.data.iter().filter(|path| is_match(path)) {
            let file = data.add_match(path, args.player.as_deref(), &mut random)?;
            data.data_files.push(file);
        }
        Ok(data)
    }

    /// Returns the histogram to which the next game belongs.
    fn choose(&mut self, random: &mut fastrand::Rng) -> &mut WdlCounts {
        if random.u32(..HELD_OUT) == 0 { &mut self.held_out } else { &mut self.fitted }
    }

    fn add_match(
        &mut self,
        path: &Path,
        player: Option<&str>,
        random: &mut fastrand::Rng,
    ) -> Result<(String, u32), TuneError> {
        let games = read_match(path, player)?;
        for game in &games {
            let counts = self.choose(random);
            game.positions.iter().for_each(|position| counts.add(position.score, position.material, game.result));
        }
        let limits: BTreeSet<&str> = games
            .iter()
            .map(|game| if game.time_control.is_empty() { "unknown" } else { game.time_control.as_str() })
            .collect();
        let limits: Vec<&str> = limits.into_iter().collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok((format!("match {name}, time control {}", limits.join(" and ")), games.len() as u32))
    }

    fn games(&self) -> u32 {
        self.data_files.iter().map(|(_, games)| games).sum()
    }
}

/// Returns a Markdown table of predicted and actual results, by ranges of score and material.
fn comparison(model: &WdlModel, counts: &WdlCounts) -> String {
    let mut out = String::from(
        "| ahead by, centipawns | material | positions | won: model | actual | drawn: model | actual | lost: model | actual |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (from, to) in [(0, 50), (50, 150), (150, 400), (400, 800)] {
        for (min_material, max_material) in [(10, 30), (31, 55), (56, 78)] {
            let (mut predicted, mut actual) = ([0.0; 3], [0.0; 3]);
            let band = counts.cells().filter(|&(material, score, _)| {
                (min_material..=max_material).contains(&material) && score >= f64::from(from) && score < f64::from(to)
            });
            for (material, score, counts) in band {
                let total: f64 = counts.iter().sum();
                let probabilities = wdl_probabilities(model, score, material);
                for result in 0..3 {
                    predicted[result] += probabilities[result] * total;
                    actual[result] += counts[result];
                }
            }
            let total: f64 = actual.iter().sum();
            if total > 0.0 {
                let _ = write!(out, "| {from} to {to} | {min_material} to {max_material} | {total} |");
                for result in 0..3 {
                    let share = |sum: f64| 100.0 * sum / total;
                    let _ = write!(out, " {:.1} % | {:.1} % |", share(predicted[result]), share(actual[result]));
                }
                out.push('\n');
            }
        }
    }
    out
}

/// Reads the data, fits the model, prints the comparison for the held-out games, and writes the file.
///
/// # Errors
/// [`TuneError`].
pub fn run(args: &TuneWdlArgs) -> Result<(), TuneError> {
    if let Some(path) = &args.out {
        check_output(path, "//! Coefficients of the WDL model.\n")?;
    }
    let data = Data::read(args)?;
    if data.games() < MIN_GAMES {
        return Err(TuneError::TooFewGames { games: data.games(), min_games: MIN_GAMES });
    }
    let model = fit(&data.fitted);
    let losses = [WdlModel::FITTED, model].map(|model| (loss(&model, &data.fitted), loss(&model, &data.held_out)));
    let (fitted, held_out) = (data.fitted.positions(), data.held_out.positions());
    let mut text = format!("{} games, {fitted} positions fitted, {held_out} held out\n", data.games());
    for (name, (fitted, held_out)) in ["current model", "this fit"].iter().zip(losses) {
        let _ = writeln!(text, "{name:14} loss {fitted:.5}, held out {held_out:.5}");
    }
    let table = comparison(&model, &data.held_out);
    let _ = writeln!(text, "\na {:?}\nb {:?}\n\nGames held out:\n\n{table}", model.a, model.b);
    print_ignoring_closed_pipe(&text)?;
    if let Some(path) = &args.out {
        let text = source(&model, &data, args, losses[1]);
        replace_file(path, text.as_bytes()).map_err(|source| TuneError::Write { path: path.clone(), source })?;
        print_ignoring_closed_pipe(&format!("wrote {}\n", path.display()))?;
    }
    Ok(())
}

/// Returns the text of the source file of the model.
fn source(model: &WdlModel, data: &Data, args: &TuneWdlArgs, losses: (f64, f64)) -> String {
    let commit = args.commit.clone().unwrap_or_else(build_commit);
    let mut out = format!(
        "//! Coefficients of the WDL model.\n//!\n\
         //! Provenance: written by `aspirant-lab tune-wdl` at commit {commit}, seed {}, from {} games, one\n\
         //! in {HELD_OUT} held out: {} positions fitted, {} held out:\n",
        args.seed,
        data.games(),
        data.fitted.positions(),
        data.held_out.positions(),
    );
    for (origin, games) in &data.data_files {
        let _ = writeln!(out, "//! * {games} games, {origin}");
    }
    let _ = writeln!(
        out,
        "//!\n//! Mean negative log-likelihood: {:.5}; on held-out games {:.5}.\n\n\
         use super::WdlModel;\n\n\
         #[rustfmt::skip]\npub(super) const MODEL: WdlModel =\n    WdlModel {{ a: {:?}, b: {:?} }};",
        losses.0, losses.1, model.a, model.b
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: WdlModel = WdlModel { a: [180.0, 40.0, 10.0, 0.0], b: [70.0, -10.0, 5.0, 0.0] };

    /// Positions with results drawn from the model [`TRUTH`].
    fn simulated(positions: u32) -> WdlCounts {
        let mut random = fastrand::Rng::with_seed(3);
        let mut counts = WdlCounts::new();
        for _ in 0..positions {
            let (score, material) = (random.i16(-600..600), random.u32(MATERIAL_RANGE));
            let ahead = (f64::from(score.unsigned_abs()) / BIN_WIDTH).floor() * BIN_WIDTH + BIN_WIDTH / 2.0;
            let [win, draw, _] = wdl_probabilities(&TRUTH, ahead, material);
            let sample = random.f64();
            let result = if sample < win {
                2
            } else if sample < win + draw {
                1
            } else {
                0
            };
            let white = if score < 0 { 2 - result } else { result };
            counts.add(score, material, [GameResult::Loss, GameResult::Draw, GameResult::Win][white]);
        }
        counts
    }

    #[test]
    fn the_true_model_is_recovered() {
        let counts = simulated(400_000);
        let fitted = fit(&counts);
        for material in [12, 30, 50, 76] {
            let (a, b) = fitted.parameters(material);
            let (true_a, true_b) = TRUTH.parameters(material);
            assert!((a - true_a).abs() < 6.0 && (b - true_b).abs() < 6.0, "{material}: {a} {b}, {true_a} {true_b}");
        }
        assert!(loss(&fitted, &counts) <= loss(&TRUTH, &counts) + 1e-5);
        let flat = WdlModel { a: [180.0, 0.0, 0.0, 0.0], b: [70.0, 0.0, 0.0, 0.0] };
        assert!(loss(&fitted, &counts) < loss(&flat, &counts));
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let counts = simulated(20_000);
        let theta = [150.0, 20.0, 5.0, -5.0, 80.0, 3.0, -4.0, 2.0];
        let slopes = gradient(&model_of(&theta), &counts);
        for index in 0..8 {
            let at = |shift: f64| {
                let mut shifted = theta;
                shifted[index] += shift;
                loss(&model_of(&shifted), &counts)
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
    fn histogram_is_symmetric_in_color() {
        let (mut white, mut black) = (WdlCounts::new(), WdlCounts::new());
        white.add(120, 40, GameResult::Win);
        white.add(120, 40, GameResult::Loss);
        black.add(-120, 40, GameResult::Loss);
        black.add(-120, 40, GameResult::Win);
        assert_eq!(white.0, black.0);
        let (material, score, counts) = white.cells().next().unwrap();
        assert_eq!((material, score, counts), (40, 122.5, [1.0, 0.0, 1.0]));
    }
}
