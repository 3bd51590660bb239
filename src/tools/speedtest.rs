//! How fast the engine is here, and what more threads bring: nodes per second and the time to a depth.
//!
//! Each position of the benchmark is searched to the same depth with each number of threads in turn, so that a machine
//! that slows down slows all of them. Nodes per second are all nodes over all time. More threads also search nodes
//! that one would not: what they bring is the time to reach the depth, compared position by position, as a geometric
//! mean. <https://www.chessprogramming.org/Parallel_Search#Time_to_Depth>

use std::time::Duration;

use indicatif::ProgressBar;
use shakmaty::Position as _;

use super::bench::{self, BenchError, POSITIONS};
use crate::board::position::{Game, parse_fen};
use crate::config::Config;
use crate::engine::Engine;
use crate::search::limits::Limits;

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Numbers of threads to compare; the first is what the others are compared with.
    pub threads: Vec<usize>,
    /// Hash table, MB.
    pub hash: usize,
    /// Depth of each search, plies.
    pub depth: u32,
    /// How often each search is done.
    pub rounds: u32,
}

/// What came out for one number of threads.
#[derive(Clone, PartialEq, Debug)]
pub struct Speed {
    /// Threads.
    pub threads: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
    /// Time to the depth in each search, seconds, in one order for all numbers of threads.
    pub times: Vec<f64>,
}

impl Speed {
    /// Nodes per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// How many times faster than `other` the depth was reached: the geometric mean over the searches.
    #[must_use]
    pub fn gain_over(&self, other: &Self) -> f64 {
        let logs = self.times.iter().zip(&other.times).map(|(own, others)| (others / own).ln());
        (logs.sum::<f64>() / self.times.len().max(1) as f64).exp()
    }
}

/// Measures. `bar` counts searches.
///
/// # Errors
/// If the system has no threads to give.
pub fn run(request: &Request, bar: &ProgressBar) -> Result<Vec<Speed>, BenchError> {
    let empty = |&threads: &usize| Speed { threads, nodes: 0, time: Duration::ZERO, times: Vec::new() };
    let mut speeds: Vec<Speed> = request.threads.iter().map(empty).collect();
    let mut engines = Vec::new();
    for threads in &request.threads {
        let mut config = Config::default();
        for (name, value) in [("Hash", request.hash), ("Threads", *threads)] {
            let _ = config.options.set(name, &value.to_string());
        }
        engines.push(Engine::new(config)?);
    }
    let positions: Vec<_> = POSITIONS.iter().map(|fen| parse_fen(fen)).collect::<Result<_, _>>()?;
    let searchable = positions.into_iter().filter(|position| !position.chess().legal_moves().is_empty());
    let searches: Vec<_> = searchable.flat_map(|p| std::iter::repeat_n(p, request.rounds as usize)).collect();
    bar.set_length((searches.len() * engines.len()) as u64);
    for position in searches {
        for (engine, speed) in engines.iter_mut().zip(&mut speeds) {
            engine.new_game();
            engine.set_game(Game::new(position.clone()));
            let total = bench::timed(engine, Limits::depth(request.depth), &std::sync::atomic::AtomicBool::new(false));
            speed.nodes += total.nodes;
            speed.time += total.time;
            speed.times.push(total.time.as_secs_f64().max(1e-6));
            bar.inc(1);
        }
    }
    Ok(speeds)
}

/// A line for each number of threads; the last line is the figure to compare machines by.
#[must_use]
pub fn table(request: &Request, speeds: &[Speed]) -> String {
    let mut out = format!("{:>7} {:>12} {:>6} {:>10} {:>6}\n", "threads", "nodes/s", "×", "time", "×");
    let Some(first) = speeds.first() else { return out };
    for speed in speeds {
        let (rate, time) = (speed.rate(), speed.time.as_secs_f64());
        let (more, sooner) = (rate / first.rate(), speed.gain_over(first));
        out += &format!("{:>7} {rate:>12.0} {more:>6.2} {time:>8.2} s {sooner:>6.2}\n", speed.threads);
    }
    let Request { hash, depth, rounds, .. } = request;
    let searches = first.times.len();
    out += &format!(
        "{searches} searches to depth {depth}, {hash} MB, {rounds} of each position; ×: against the first line\n"
    );
    out += &format!("speedtest {:.0} nps\n", first.rate());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_work_is_counted_alike_and_every_position_takes_part() {
        let request = Request { threads: vec![1, 1, 2], hash: 2, depth: 3, rounds: 2 };
        let speeds = run(&request, &ProgressBar::hidden()).unwrap();
        assert_eq!(speeds[0].nodes, speeds[1].nodes);
        assert_eq!(speeds[0].times.len(), speeds[2].times.len());
        assert!(speeds[0].times.len() >= 80 && speeds[2].nodes > speeds[0].nodes / 2);
        let text = table(&request, &speeds);
        assert!(text.lines().count() == 6 && text.ends_with(" nps\n"), "{text}");
    }

    #[test]
    fn the_gain_is_a_geometric_mean() {
        let speed = |times: &[f64]| Speed { threads: 1, nodes: 1, time: Duration::from_secs(1), times: times.to_vec() };
        let gain = speed(&[1.0, 1.0]).gain_over(&speed(&[4.0, 1.0]));
        assert!((gain - 2.0).abs() < 1e-9, "{gain}");
    }
}
