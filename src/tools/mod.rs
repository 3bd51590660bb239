//! Command-line tools: benchmark, perft, analysis, annotated games, test suites, play.
//!
//! The engine does not depend on the tools.

#[cfg(feature = "cli")]
pub mod analyze;
#[cfg(feature = "cli")]
pub mod annotate;
#[cfg(feature = "cli")]
pub mod arguments;
pub mod bench;
#[cfg(feature = "cli")]
pub mod compare;
pub mod display;
#[cfg(feature = "cli")]
pub mod epd;
pub mod genfens;
pub mod perft;
#[cfg(feature = "cli")]
pub mod play;
#[cfg(feature = "cli")]
pub mod speedtest;
#[cfg(feature = "cli")]
pub mod tree;

/// Prints the notices and errors of the options that the engine was started with.
///
/// Write errors are ignored: a closed stderr does not end the program.
#[cfg(feature = "cli")]
fn print_messages(engine: &mut crate::engine::Engine) {
    for message in engine.take_startup_messages() {
        crate::terminal::print_error_line(&format!("aspirant: {message}"));
    }
}

/// Returns the playing strength as text, for example "Elo 1500"; `None` for full strength.
#[cfg(feature = "cli")]
fn limited_strength(options: &crate::config::options::Options) -> Option<String> {
    use crate::config::strength::MAX_SKILL_LEVEL;
    let level = options.skill_level();
    if options.limit_strength() {
        Some(format!("Elo {}", options.elo()))
    } else {
        (level < MAX_SKILL_LEVEL).then(|| format!("level {level} of {MAX_SKILL_LEVEL}"))
    }
}

/// Returns how the game has ended if no move can change it; the draws that a player must claim can.
#[cfg(feature = "cli")]
fn final_outcome(game: &crate::board::game::Game) -> Option<crate::board::game::GameOutcome> {
    use crate::board::game::GameOutcome::{FiftyMoves, Repetition};
    game.outcome().filter(|outcome| !matches!(outcome, FiftyMoves | Repetition))
}
