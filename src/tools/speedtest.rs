//! Measures nodes per second and the time to depth for several thread counts.
//!
//! Each benchmark position is searched to the same depth with each thread count in turn, so that fluctuations of the
//! machine affect all of them alike. Nodes per second is the total of all nodes divided by the total time. Because
//! more threads also search more nodes, the speedup is measured as time to depth: the geometric mean over the
//! positions.
//! <https://www.chessprogramming.org/Parallel_Search#Time_to_Depth>
#![doc(hidden)]

use std::fmt::Write as _;
use std::time::Duration;

use indicatif::ProgressBar;
use shakmaty::Position as _;

use super::bench::{self, POSITIONS};
use crate::board::game::Game;
use crate::board::position::parse_fen;
use crate::config::Config;
use crate::config::options::MAX_HASH;
use crate::engine::{BuildError, Engine};
use crate::search::limits::Limits;
use crate::terminal::{Failure, group_digits};

/// The arguments of `speedtest`.
#[derive(clap::Args, Clone, Debug)]
pub struct SpeedtestArgs {
    /// Thread counts to compare; the first is the baseline
    #[arg(long, value_name = "N,…", default_value = "1", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Vec<u16>,
    /// Size of the transposition table in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=MAX_HASH))]
    pub hash: u32,
    /// Depth of each search in plies
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: u32,
    /// Number of searches of each position
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
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
    /// Time to depth of each search in seconds, in the same order for all thread counts.
    pub times: Vec<f64>,
}

impl Speed {
    /// Returns the nodes per second.
    #[must_use]
    fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// Returns the speedup in time to depth over `other`: the geometric mean over the searches.
    #[must_use]
    pub fn speedup_over(&self, other: &Self) -> f64 {
        let logs = self.times.iter().zip(&other.times).map(|(own, baseline)| (baseline / own).ln());
        (logs.sum::<f64>() / self.times.len().max(1) as f64).exp()
    }
}

/// Runs the speed test; `bar` counts searches.
///
/// # Errors
/// If an engine cannot start or a search reports a problem.
pub fn run(args: &SpeedtestArgs, bar: &ProgressBar) -> Result<Vec<Speed>, Failure> {
    let empty = |&threads: &u16| Speed { threads, nodes: 0, time: Duration::ZERO, times: Vec::new() };
    let mut speeds: Vec<Speed> = args.threads.iter().map(empty).collect();
    let mut engines = Vec::new();
    for threads in &args.threads {
        let mut config = Config::default();
        for (name, value) in [("Hash", args.hash), ("Threads", u32::from(*threads))] {
            let _ = config.options.set(name, &value.to_string());
        }
        let mut engine = Engine::new(config).map_err(BuildError::System)?;
        super::print_messages(&mut engine);
        engines.push(engine);
    }
    let positions: Vec<_> = POSITIONS.iter().map(|fen| parse_fen(fen)).collect::<Result<_, _>>()?;
    let searchable = positions.into_iter().filter(|position| !position.chess().legal_moves().is_empty());
    let searches: Vec<_> = searchable.flat_map(|p| std::iter::repeat_n(p, args.rounds as usize)).collect();
    bar.set_length((searches.len() * engines.len()) as u64);
    for position in searches {
        for (engine, speed) in engines.iter_mut().zip(&mut speeds) {
            engine.new_game();
            engine.set_game(Game::new(position.clone()));
            let result =
                bench::run_search(engine, Limits::depth(args.depth), &std::sync::atomic::AtomicBool::new(false))?;
            speed.nodes += result.nodes;
            speed.time += result.time;
            speed.times.push(result.time.as_secs_f64().max(1e-6));
            bar.inc(1);
        }
    }
    Ok(speeds)
}

/// Formats one line per thread count, with the ratios to the first one if there are several.
///
/// The last line is the speed with the first thread count, for comparing machines.
#[must_use]
pub fn table(args: &SpeedtestArgs, speeds: &[Speed]) -> String {
    let mut out = String::new();
    let has_ratios = speeds.len() > 1;
    let ratio = |text: &str| if has_ratios { format!(" {text:>8}") } else { String::new() };
    let _ = writeln!(out, "{:>7} {:>14}{} {:>10}{}", "threads", "nodes/s", ratio("ratio"), "time", ratio("speedup"));
    let Some(first) = speeds.first() else { return out };
    for speed in speeds {
        let (rate, time) = (speed.nodes_per_second(), speed.time.as_secs_f64());
        let rate_ratio = ratio(&format!("{:.2}", rate / first.nodes_per_second()));
        let speedup = ratio(&format!("{:.2}", speed.speedup_over(first)));
        let _ =
            writeln!(out, "{:>7} {:>14}{rate_ratio} {time:>8.2} s{speedup}", speed.threads, group_digits(rate as u64));
    }
    let SpeedtestArgs { hash, depth, rounds, .. } = args;
    let searches = group_digits(first.times.len() as u64);
    let _ = writeln!(
        out,
        "{searches} searches to depth {depth}, hash {} MB, {rounds} per position",
        group_digits((*hash).into())
    );
    if has_ratios {
        out += "ratio: nodes/s to the first line; speedup: time to depth, geometric mean\n";
    }
    let _ = writeln!(out, "speedtest {:.0} nps", first.nodes_per_second());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_thread_counts_search_equal_nodes_on_every_position() {
        let args = SpeedtestArgs { threads: vec![1, 1, 2], hash: 2, depth: 3, rounds: 2 };
        let speeds = run(&args, &ProgressBar::hidden()).unwrap();
        assert_eq!(speeds[0].nodes, speeds[1].nodes);
        assert_eq!(speeds[0].times.len(), speeds[2].times.len());
        assert!(speeds[0].times.len() >= 80 && speeds[2].nodes > speeds[0].nodes / 2);
        let text = table(&args, &speeds);
        assert!(text.lines().count() == 7 && text.ends_with(" nps\n"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        // One thread count has nothing to compare with.
        let text = table(&args, &speeds[..1]);
        assert!(text.lines().count() == 4 && !text.contains("ratio") && !text.contains("speedup"), "{text}");
    }

    #[test]
    fn speedup_is_the_geometric_mean() {
        let speed = |times: &[f64]| Speed { threads: 1, nodes: 1, time: Duration::from_secs(1), times: times.to_vec() };
        let speedup = speed(&[1.0, 1.0]).speedup_over(&speed(&[4.0, 1.0]));
        assert!((speedup - 2.0).abs() < 1e-9, "{speedup}");
    }
}
