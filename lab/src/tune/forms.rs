//! The command `tune-forms`: compares the held-out errors of evaluation forms and amounts of data.
//!
//! Fits each form to each share of the training games. The held-out games are the same for all fits. Differences are
//! relative to plain piece-square tables fitted to the same games; their standard errors are computed from whole games,
//! because positions of the same game are correlated.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use super::checkpoint::FitState;
use super::form::{BucketMap, Form, Kings};
use super::model::{Samples, Theta, current_weights};
use super::{Data, FitArgs, GameSamples, Problem, TuneError};

/// The arguments of `tune-forms`.
#[derive(clap::Args, Clone, Debug)]
pub struct TuneFormsArgs {
    /// Game files written by `aspirant-lab datagen`
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// Kings whose squares select offsets to the piece-square tables, one or more
    #[arg(long, value_name = "KINGS", value_enum, value_delimiter = ',', default_values_t = [Kings::Own, Kings::Both])]
    pub kings: Vec<Kings>,
    /// Buckets of the king squares, one or more: 1, 4, 8, 16, 32, or 32 digits as in tune
    #[arg(long, value_name = "BUCKETS", value_delimiter = ',', default_value = "4")]
    pub buckets: Vec<BucketMap>,
    /// Shares of the training games in percent, one or more
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "100", value_parser = percent)]
    pub shares: Vec<f64>,
    #[command(flatten)]
    pub fit: FitArgs,
}

fn percent(text: &str) -> Result<f64, String> {
    let is_valid = |share: &f64| *share > 0.0 && *share <= 100.0;
    text.parse().ok().filter(is_valid).ok_or_else(|| "expected a number greater than 0, at most 100".into())
}

/// Sums of squared errors over a game: with regard to the target, and to the result.
type GameErrors = Vec<[f64; 2]>;

/// Fits each form to each share of the games and prints a table of the held-out errors.
///
/// # Errors
/// [`TuneError`].
pub fn run(args: &TuneFormsArgs) -> Result<(), TuneError> {
    let mut data = Data::read(&args.data, &args.fit)?;
    let k = data.set_targets(args.fit.result);
    let positions = data.held_out.samples.len();
    print(&format!("held out: {positions} positions of {} games\n", data.held_out.first.len()))?;
    print(
        "| kings, buckets | games | positions | weights | error | difference | error (result) | difference | time |",
    )?;
    print("|---|---|---|---|---|---|---|---|---|")?;
    let plain = Form { kings: Kings::None, map: args.buckets[0].clone() };
    let with_offsets = args.kings.iter().filter(|&&kings| kings != Kings::None);
    let forms: Vec<Form> = std::iter::once(plain.clone())
        .chain(with_offsets.flat_map(|&kings| args.buckets.iter().map(move |map| Form { kings, map: map.clone() })))
        .collect();
    let none = Samples::default();
    let current = Problem::new(&none, &data.held_out.samples, &plain, k, &args.fit);
    let current = game_errors(&current, &current_weights(&plain), &data.held_out);
    let total = |index: usize| current.iter().map(|game| game[index]).sum::<f64>() / positions as f64;
    print(&format!(
        "| weights of eval::pst | – | – | {} | {:.6} | – | {:.6} | – | – |",
        plain.weight_count(),
        total(0),
        total(1)
    ))?;
    for share in &args.shares {
        let all = data.train.first.len();
        let games = ((all as f64 * share / 100.0).round() as usize).clamp(1, all);
        let train = data.train.shuffled(games, args.fit.seed);
        let mut baseline = None;
        for form in &forms {
            let start = Instant::now();
            let problem = Problem::new(&train, &data.held_out.samples, form, k, &args.fit);
            let theta = problem.fit(FitState::new(form), &mut |_, _, _| Ok::<(), TuneError>(()))?;
            let errors = game_errors(&problem, &theta, &data.held_out);
            print(&format!(
                "| {form} | {games} | {} | {} |{} {:.0} s |",
                train.len(),
                form.weight_count(),
                row(&errors, baseline.as_ref().unwrap_or(&errors), positions),
                start.elapsed().as_secs_f64()
            ))?;
            baseline.get_or_insert(errors);
        }
    }
    Ok(())
}

/// Prints a line of the table. Without a reader of the output, the run ends: it has no other result.
fn print(line: &str) -> Result<(), TuneError> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

fn game_errors(problem: &Problem<'_>, theta: &Theta, games: &GameSamples) -> GameErrors {
    let ends = games.first.iter().skip(1).copied().chain([games.samples.len() as u32]);
    let sum = |(&first, end): (&u32, u32)| {
        (first..end).fold([0.0, 0.0], |sum, index| {
            let (target, result) = problem.held_out.errors(theta, index as usize);
            [sum[0] + target, sum[1] + result]
        })
    };
    games.first.iter().zip(ends).map(sum).collect()
}

/// Returns the cells of both errors and of their differences from the baseline.
fn row(errors: &GameErrors, baseline: &GameErrors, positions: usize) -> String {
    let cells = [0, 1].map(|index| {
        let total: f64 = errors.iter().map(|game| game[index]).sum();
        let (difference, error) = relative_difference(errors, baseline, index);
        format!(" {:.6} | {:+.2} ± {:.2} % |", total / positions as f64, 100.0 * difference, 100.0 * error)
    });
    cells.concat()
}

/// Returns the relative difference of the sums and its standard error, for independent games.
fn relative_difference(errors: &GameErrors, baseline: &GameErrors, index: usize) -> (f64, f64) {
    let total = |errors: &GameErrors| errors.iter().map(|game| game[index]).sum::<f64>();
    let ratio = total(errors) / total(baseline) - 1.0;
    let residual = |(game, base): (&[f64; 2], &[f64; 2])| (game[index] - base[index] * (1.0 + ratio)).powi(2);
    let variance: f64 = errors.iter().zip(baseline).map(residual).sum();
    (ratio, variance.sqrt() / total(baseline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_difference_has_the_standard_error_of_independent_games() {
        let baseline: GameErrors = vec![[1.0, 2.0]; 100];
        let errors: GameErrors = (0..100).map(|n| [if n % 2 == 0 { 0.8 } else { 1.0 }, 2.0]).collect();
        let (difference, error) = relative_difference(&errors, &baseline, 0);
        assert!((difference + 0.1).abs() < 1e-12 && (error - 0.01).abs() < 1e-12, "{difference} {error}");
        assert_eq!(relative_difference(&errors, &baseline, 1), (0.0, 0.0));
    }
}
