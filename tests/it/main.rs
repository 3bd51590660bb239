//! The integration tests: one program with a module for each subject.
//!
//! Separate programs exist only where a test needs its own allocator (`tests/memory.rs`) or a feature
//! (`tests/faults.rs`, `tests/tune.rs`); they include `common` by path.

mod common;

mod algorithms_agree;
mod bad_inputs;
mod book;
mod clocks;
mod concurrency;
mod config;
mod dependencies;
mod documents;
#[cfg(unix)]
mod driver;
mod engine;
mod examples;
mod failures;
mod game_outcome;
mod games;
mod inline;
mod known_trees;
mod minimax_equivalence;
mod mutations;
mod options;
mod perft;
mod play;
mod protocol;
mod reliability_table;
mod reproducible;
mod strength;
mod tablebase;
mod terminal;
mod textbook_commands;
