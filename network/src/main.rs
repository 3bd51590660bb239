//! The program `aspirant-network`; see the library.

use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    Ok(aspirant::uci::main(aspirant_network::builder()?.build()?))
}
