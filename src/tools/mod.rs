//! Command-line tools: benchmark, perft, analysis, test suites, play.
//!
//! The tools use the engine through its public interface; the engine does not depend on them.

pub mod analyze;
pub mod bench;
pub mod display;
pub mod epd;
pub mod genfens;
pub mod notation;
pub mod perft;
pub mod play;
pub mod speedtest;
