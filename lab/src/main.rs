//! `aspirant-lab`: self-play training data, and tuning of weights, search parameters and WDL model.

mod datagen;
mod files;
mod game_file;
mod hash;
mod match_file;
mod progress;
mod selfplay;
mod tune;
mod tune_search;
mod tune_wdl;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use aspirant::config::Config;
use aspirant::terminal::{exit_code, print_error_line};
use clap::{Parser, Subcommand};

const AFTER_HELP: &str = "\
Examples:
  aspirant-lab datagen --out games.dat --games 20000
  aspirant-lab tune games.dat
  aspirant-lab tune games.dat --kings both
  aspirant-lab tune-forms games.dat --kings own,both --buckets 4,8
  aspirant-lab tune-search --games 20000 --only rfp_margin,lmr_base
  aspirant-lab tune-wdl match.pgn --player new
";

/// Training data and tuning for Aspirant.
#[derive(Parser, Debug)]
#[command(name = "aspirant-lab", version = aspirant::version::version_line(), about, after_help = AFTER_HELP)]
struct Cli {
    /// Read this configuration instead of looking for engine.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set an option or a search parameter (repeatable), over engine.toml
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Play self-play games and write their quiet positions to a file for tune and tune-wdl
    Datagen(datagen::DatagenArgs),
    /// Fit the piece-square tables and material weights to games of datagen and write the weights file
    Tune(tune::TuneArgs),
    /// Compare the held-out errors of evaluation forms and amounts of data
    TuneForms(tune::forms::TuneFormsArgs),
    /// Tune the search parameters by self-play games (SPSA)
    TuneSearch(tune_search::TuneSearchArgs),
    /// Fit the win/draw/loss model to games of datagen or to matches
    TuneWdl(tune_wdl::TuneWdlArgs),
}

fn main() -> ExitCode {
    env_logger::Builder::new().parse_env(env_logger::Env::default().default_filter_or("off")).init();
    exit_code("aspirant-lab", run(Cli::parse()))
}

/// Returns the requested number of threads, by default the number of processors.
fn thread_count(requested: Option<u16>) -> usize {
    requested.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

fn run(cli: Cli) -> Result<(), Box<dyn Error>> {
    let config = Config::load(cli.config.as_deref(), &cli.set)?;
    for warning in config.warnings() {
        print_error_line(&format!("aspirant-lab: {warning}"));
    }
    match cli.command {
        Command::Datagen(args) => datagen::run(&args, &config)?,
        Command::Tune(args) => tune::run(&args)?,
        Command::TuneForms(args) => tune::forms::run(&args)?,
        Command::TuneSearch(args) => tune_search::run(&args, &config)?,
        Command::TuneWdl(args) => tune_wdl::run(&args)?,
    }
    Ok(())
}
