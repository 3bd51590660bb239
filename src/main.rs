//! The `aspirant` program; its code is in the library ([`aspirant::cli`]).

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::new().parse_env(env_logger::Env::default().default_filter_or("off")).init();
    aspirant::cli::main()
}
