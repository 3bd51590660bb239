#![doc = include_str!("../README.md")]

#[doc(hidden)]
pub mod cli;
pub mod convert;
pub mod datagen;
mod files;
mod formats;
pub mod game_file;
mod hash;
mod match_file;
mod progress;
mod selfplay;
mod tune;
mod tune_search;
mod tune_wdl;

/// Returns the requested number of threads, by default the number of processors.
fn thread_count(requested: Option<u16>) -> usize {
    requested.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}
