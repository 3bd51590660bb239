//! Plays games with the network of this package, as data for the next one. The arguments are those of `aspirant-lab datagen`.

use std::error::Error;
use std::process::ExitCode;

use aspirant_lab::datagen::{self, DatagenArgs};
use clap::Parser as _;

fn run(arguments: &DatagenArgs) -> Result<(), Box<dyn Error>> {
    let evaluator = aspirant_network::evaluator::NetworkEvaluator::built_in()?;
    let params = aspirant_network::params()?;
    Ok(datagen::run(arguments, || aspirant_network::builder_with(evaluator.clone(), params.clone()).inline().build())?)
}

fn main() -> ExitCode {
    match run(&DatagenArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("datagen: {error}");
            ExitCode::FAILURE
        }
    }
}
