//! Measures nodes per second for several thread counts.
//!
//! Each benchmark position is searched to the same depth with each thread count in turn, so that fluctuations of the
//! machine affect all of them alike. Nodes per second is the total of all nodes divided by the total time. More threads
//! also search more nodes: `scripts/time_to_depth.py` measures the speedup in time to depth.
#![doc(hidden)]

use std::fmt::Write as _;
use std::time::Duration;

use indicatif::ProgressBar;

use super::bench::{self, POSITIONS};
use crate::board::game::Game;
use crate::board::position::parse_fen;
use crate::config::Config;
use crate::config::options::MAX_HASH;
use crate::engine::Engine;
use crate::search::limits::Limits;
use crate::terminal::{Failure, group_digits};

/// The arguments of `speedtest`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  aspirant speedtest --threads 1,2,4 --hash 256\n")]
pub struct SpeedtestArgs {
    /// Thread counts to compare
    #[arg(long, value_name = "N,…", default_value = "1", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Vec<u16>,
    /// Size of the transposition table in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=MAX_HASH))]
    pub hash: u32,
    /// Depth of each search in plies
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: u32,
}

/// The measurements of one thread count.
#[derive(Clone, PartialEq, Debug)]
pub struct Speed {
    /// Number of threads.
    pub threads: u16,
    /// Total nodes of all searches.
    pub nodes: u64,
    /// Total time of all searches.
    pub time: Duration,
}

impl Speed {
    #[must_use]
    fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Runs the speed test; `bar` counts searches.
///
/// # Errors
/// If an engine cannot start or a search reports a problem.
pub fn run(args: &SpeedtestArgs, bar: &ProgressBar) -> Result<Vec<Speed>, Failure> {
    let empty = |&threads: &u16| Speed { threads, nodes: 0, time: Duration::ZERO };
    let mut speeds: Vec<Speed> = args.threads.iter().map(empty).collect();
    let mut engines = Vec::new();
    for threads in &args.threads {
        let mut config = Config::default();
        for (name, value) in [("Hash", args.hash), ("Threads", u32::from(*threads))] {
            let _ = config.options.set(name, &value.to_string());
        }
        let mut engine = Engine::new(config)?;
        super::print_messages(&mut engine);
        engines.push(engine);
    }
    let positions: Vec<_> = POSITIONS.iter().map(|fen| parse_fen(fen)).collect::<Result<_, _>>()?;
    bar.set_length((positions.len() * engines.len()) as u64);
    for position in positions {
        for (engine, speed) in engines.iter_mut().zip(&mut speeds) {
            engine.new_game();
            engine.set_game(Game::new(position.clone()));
            let result =
                bench::run_search(engine, Limits::depth(args.depth), &std::sync::atomic::AtomicBool::new(false))?;
            speed.nodes += result.nodes;
            speed.time += result.time;
            bar.inc(1);
        }
    }
    Ok(speeds)
}

/// Formats one line per thread count.
#[must_use]
pub fn table(args: &SpeedtestArgs, speeds: &[Speed]) -> String {
    let mut out = format!("{:>7} {:>14} {:>10}\n", "threads", "nodes/s", "time");
    for speed in speeds {
        let (rate, time) = (speed.nodes_per_second(), speed.time.as_secs_f64());
        let _ = writeln!(out, "{:>7} {:>14} {time:>8.2} s", speed.threads, group_digits(rate as u64));
    }
    let (count, depth, hash) = (POSITIONS.len(), args.depth, group_digits(args.hash.into()));
    let _ = writeln!(out, "{count} positions to depth {depth}, hash {hash} MB");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_thread_counts_search_equal_nodes() {
        let args = SpeedtestArgs { threads: vec![1, 1, 2], hash: 2, depth: 3 };
        let speeds = run(&args, &ProgressBar::hidden()).unwrap();
        assert_eq!(speeds[0].nodes, speeds[1].nodes);
        assert!(speeds[2].nodes > speeds[0].nodes / 2);
        let text = table(&args, &speeds);
        assert!(text.lines().count() == 5 && text.lines().all(|line| line.len() <= 80), "{text}");
    }
}
