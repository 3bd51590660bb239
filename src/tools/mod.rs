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
#[doc(hidden)]
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
    for message in engine.take_startup_messages() {
        crate::terminal::print_error_line(&format!("aspirant: {message}"));
    }
}

/// Reports on stderr that the configuration limits the playing strength, which commands without such a flag respect.
#[cfg(feature = "cli")]
fn print_limited_strength(options: &crate::config::options::Options) {
    use crate::config::strength::MAX_SKILL_LEVEL;
    if options.limit_strength() {
        crate::terminal::print_error_line(&format!(
            "aspirant: the playing strength is limited to Elo {} (limit_strength)",
            options.elo()
        ));
    } else if options.skill_level() < MAX_SKILL_LEVEL {
        crate::terminal::print_error_line(&format!(
            "aspirant: the playing strength is limited to level {} of {MAX_SKILL_LEVEL} (skill_level)",
            options.skill_level()
        ));
    }
}
