//! The program `aspirant-lab`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use aspirant::config::Config;
use aspirant::terminal::{exit_code, print_error_line};
use clap::{Parser, Subcommand};

use crate::selfplay::aspirant_engine;
use crate::{convert, datagen, tune, tune_search, tune_wdl};

const AFTER_HELP: &str = "\
Examples:
  aspirant-lab datagen --out games.vf --games 20000
  aspirant-lab convert games.vf --out positions.bullet --min-ply 16
  aspirant-lab tune games.vf
  aspirant-lab tune games.vf --kings both
  aspirant-lab tune-forms games.vf --kings own,both --buckets 4,8
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
    /// Play self-play games and write them to a file (viriformat)
    Datagen(datagen::DatagenArgs),
    /// Write the quiet positions of games in random order, for trainers (bulletformat or text)
    Convert(convert::ConvertArgs),
    /// Fit the piece-square tables and material weights to games of datagen and write the weights file
    Tune(tune::TuneArgs),
    /// Compare the held-out errors of evaluation forms and amounts of data
    TuneForms(tune::forms::TuneFormsArgs),
    /// Tune the search parameters by self-play games (SPSA)
    TuneSearch(tune_search::TuneSearchArgs),
    /// Fit the win/draw/loss model to games of datagen or to matches
    TuneWdl(tune_wdl::TuneWdlArgs),
}

/// Runs the command of the command line.
#[must_use]
pub fn main() -> ExitCode {
    env_logger::Builder::new().parse_env(env_logger::Env::default().default_filter_or("off")).init();
    exit_code("aspirant-lab", run(Cli::parse()))
}

fn run(cli: Cli) -> Result<(), Box<dyn Error>> {
    let config = Config::load(cli.config.as_deref(), &cli.set)?;
    for warning in config.warnings() {
        print_error_line(&format!("aspirant-lab: {warning}"));
    }
    match cli.command {
        Command::Datagen(args) => datagen::run(&args, || aspirant_engine(&config.params))?,
        Command::Convert(args) => convert::run(&args)?,
        Command::Tune(args) => tune::run(&args)?,
        Command::TuneForms(args) => tune::forms::run(&args)?,
        Command::TuneSearch(args) => tune_search::run(&args, &config)?,
        Command::TuneWdl(args) => tune_wdl::run(&args)?,
    }
    Ok(())
}
