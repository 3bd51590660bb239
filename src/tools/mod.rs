//! Command-line tools: benchmark, perft, analysis, test suites, play.
//!
//! The engine does not depend on the tools.

#[cfg(feature = "cli")]
pub mod analyze;
pub mod bench;
pub mod display;
#[cfg(feature = "cli")]
pub mod epd;
pub mod genfens;
#[cfg(feature = "cli")]
pub mod notation;
pub mod perft;
#[cfg(feature = "cli")]
pub mod play;
#[cfg(feature = "cli")]
pub mod speedtest;

/// Prints the notices and errors of the options that the engine was started with.
///
/// Write errors are ignored: a closed stderr does not end the program.
#[cfg(feature = "cli")]
fn print_messages(engine: &mut crate::engine::Engine) {
    use std::io::Write as _;
    for message in engine.take_startup_messages() {
        let _ = writeln!(std::io::stderr(), "aspirant: {message}");
    }
}
