//! The integration tests: one program with a module for each subject.
//!
//! Separate programs exist only where a test needs a feature (`tests/tune.rs`), which includes `common` by path, and for the
//! tutorial (`tests/tutorial.rs`), whose exercises its readers run alone.

mod common;

mod annotate;
mod book;
mod clocks;
mod commands;
mod concurrency;
mod config;
mod console;
mod dependencies;
mod documents;
mod driver;
mod engine;
mod evaluator;
mod examples;
mod faults;
mod files;
mod game_outcome;
mod games;
mod go;
mod inline;
mod input;
mod memory;
mod minimax_equivalence;
mod mutations;
mod options;
mod perft;
mod play;
mod position;
mod reference;
mod reproducible;
mod resources;
mod search;
mod stop;
mod strength;
mod tablebase;
#[cfg(target_os = "linux")]
mod terminal;
mod textbook_commands;
