//! Benchmark: searches a fixed set of positions to a fixed depth.
//!
//! With one thread the total number of nodes is the bench signature of search and evaluation: it is equal on every
//! machine and in every run, and nearly every functional change alters it. OpenBench reads the last line,
//! `N nodes M nps`.
//! <https://www.chessprogramming.org/Bench>

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};

use crate::board::position::{parse_fen, printable};
use crate::config::Config;
use crate::config::options::MAX_HASH;
use crate::engine::{BuildError, Engine, ResultSender};
use crate::search::limits::Limits;
use crate::search::report::SearchResult;

/// Default depth in plies.
pub const DEPTH: u32 = crate::engine::DEFAULT_BENCH_DEPTH;

/// The benchmark positions: openings, middlegames, endgames, positions without legal moves, Chess960.
#[doc(hidden)]
pub const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r2qkb1r/pp1n1ppp/2p1p3/4Pb2/3Pp3/1B6/PPP1NPPP/R1BQK2R w KQkq -",
    "r1bqk2r/1ppnbppp/p3p3/2Pp4/3P1B2/2Q2N2/PP2PPPP/R3KB1R w KQkq -",
    "r1b1kb1r/1pqn1ppp/p3pn2/2P5/Q1p5/5NP1/PP2PPBP/RNB2RK1 w kq -",
    "r1b1kb1r/5ppp/1qn1pn2/p2p4/1P6/P1P2N2/1B2PPPP/RN1QKB1R w KQkq -",
    "r1bq1rk1/pp1nppbp/2p2np1/8/3PP3/2N1B3/PPPQB1PP/R3K1NR w KQ -",
    "r1bqk2r/ppp2p1p/3p1p2/2bNn3/3pP3/5N2/PPPQ1PPP/R3KB1R w KQkq -",
    "r1bqkb1r/1p3ppp/p3p3/n1pn4/8/2N2N2/PPPPBPPP/R1BQR1K1 w kq -",
    "r1b1kb1r/1p2pppp/1qn2n2/1p1P4/8/6P1/PP2PPBP/RNBQK2R w KQkq -",
    "rn1qkb1r/pppbpppp/5n2/3p4/8/2P2N1P/PP1PPPP1/RNBQKB1R w KQkq -",
    "r2qkbnr/pbpppppp/1pn5/8/8/3P3N/PPPNPPPP/R1BQKB1R w KQkq -",
    "rnbqkbnr/p1p1ppp1/1p5p/3p4/P7/3P1N2/1PP1PPPP/RNBQKB1R w KQkq -",
    "rnbqkbnr/p3pppp/1p6/2pp4/8/4P1P1/PPPPQP1P/RNB1KBNR w KQkq -",
    "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - -",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - -",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq -",
    "3rr3/2pq2pk/p2p1pnp/8/2QBPP2/1P6/P5PP/4RRK1 b - -",
    "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - -",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -",
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - -",
    "rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - -",
    "r1bq1rk1/1pp2pbp/p1np1np1/3Pp3/2P1P3/2N1BP2/PP4PP/R1NQKB1R b KQ -",
    "rnbq1rk1/pppp1ppp/4pn2/8/1bPP4/P1N5/1PQ1PPPP/R1B1KBNR b KQ -",
    "rnbq1b1r/ppp2kpp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKB1R b KQ d3",
    "r2qkbnr/ppp1pp1p/3p2p1/3Pn3/4P1b1/2N2N2/PPP2PPP/R1BQKB1R w KQkq -",
    "r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq -",
    "rnbqkb1r/ppp1pppp/5n2/8/3PP3/2N5/PP3PPP/R1BQKBNR b KQkq -",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/8/8/5N2/8/p7/8/2NK3k w - - 0 1",
    "8/3k4/8/8/8/4B3/4KB2/2B5 w - - 0 1",
    "8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",
    "8/2p4P/8/kr6/6R1/8/8/1K6 w - - 0 1",
    "8/8/3P3k/8/1p6/8/1P6/1K3n2 b - - 0 1",
    "8/R7/2q5/8/6k1/8/1P5p/K6R w - - 0 124",
    "6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1",
    "2K5/p7/7P/5pR1/8/5k2/r7/8 w - - 0 1",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 1",
    "7k/3p2pp/4q3/8/4Q3/5Kp1/P6b/8 w - - 0 1",
    "8/pp2r1k1/2p1p3/3pP2p/1P1P1P1P/P5KR/8/8 w - - 0 1",
    "8/3p4/p1bk3p/Pp6/1Kp1PpPp/2P2P1P/2P5/5B2 b - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "8/8/8/8/8/6k1/6p1/6K1 w - - 0 1",
    "7k/7P/6K1/8/3B4/8/8/8 b - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "nqbnrkrb/pppppppp/8/8/8/8/PPPPPPPP/NQBNRKRB w KQkq - 0 1",
];

/// The parameters of a benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchRequest {
    /// Depth of each search in plies.
    pub depth: u32,
    /// Number of search threads, 1 to 512.
    pub threads: usize,
    /// Size of the transposition table in MB, 1 to 1048576 (1024 on 32-bit targets).
    pub hash: usize,
}

impl Default for BenchRequest {
    fn default() -> Self {
        Self { depth: DEPTH, threads: 1, hash: 16 }
    }
}

impl BenchRequest {
    /// Returns the configuration with the hash size and threads of this benchmark; ignores those out of range.
    #[must_use]
    pub fn apply_to(&self, mut config: Config) -> Config {
        for (name, value) in [("Hash", self.hash), ("Threads", self.threads)] {
            let _ = config.options.set(name, &value.to_string());
        }
        config
    }

    /// Parses `[DEPTH] [THREADS] [HASH]`; `default_depth` in plies.
    ///
    /// # Errors
    /// [`BenchError::Argument`] or [`BenchError::UnexpectedArgument`].
    pub fn parse(arguments: &[String], default_depth: u32) -> Result<Self, BenchError> {
        if let Some(text) = arguments.get(3) {
            return Err(BenchError::UnexpectedArgument(printable(text)));
        }
        let number = |index: usize, name: &'static str, default: u32, max: u32| match arguments.get(index) {
            None => Ok(default),
            Some(text) => text.parse().ok().filter(|n| (1..=max).contains(n)).ok_or_else(|| BenchError::Argument {
                name,
                value: printable(text),
                max,
            }),
        };
        Ok(Self {
            depth: number(0, "depth", default_depth, 100)?,
            threads: number(1, "threads", 1, 512)? as usize,
            hash: number(2, "hash", 16, MAX_HASH as u32)? as usize,
        })
    }
}

/// The reason why a benchmark has no result.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum BenchError {
    /// An argument is not a number or out of range.
    #[error("bench: {name} '{value}' is not a whole number from 1 to {max}")]
    Argument {
        /// `depth`, `threads` or `hash`.
        name: &'static str,
        /// Input, shortened and without control characters.
        value: String,
        /// Largest allowed value.
        max: u32,
    },
    /// There are more arguments than `bench` has.
    #[error("bench: unexpected argument '{0}', expected [DEPTH] [THREADS] [HASH]")]
    UnexpectedArgument(String),
    /// The engine could not be started.
    #[error("bench: {0}")]
    Build(#[from] BuildError),
    /// A search reported a problem, such as a panic in the evaluator, so that the node count is not valid.
    #[error("bench: {0}")]
    Search(String),
    /// It was stopped.
    #[error("bench stopped")]
    Stopped,
}

/// The result of a benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct BenchResult {
    /// Nodes of all threads.
    pub nodes: u64,
    /// Elapsed search time.
    pub time: Duration,
}

impl fmt::Display for BenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_second = u128::from(self.nodes) * 1_000_000 / self.time.as_micros().max(1);
        write!(f, "{} nodes {per_second} nps", self.nodes)
    }
}

/// Runs the benchmark with the default configuration; reports one line of progress for each position.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use aspirant::tools::bench::{BenchRequest, run};
///
/// let request = BenchRequest { depth: 1, ..BenchRequest::default() };
/// let result = run(&request, &AtomicBool::new(false), &mut |line| println!("{line}"))?;
/// assert!(result.nodes > 0);
/// # Ok::<(), aspirant::tools::bench::BenchError>(())
/// ```
///
/// # Errors
/// [`BenchError`].
pub fn run(
    request: &BenchRequest,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<BenchResult, BenchError> {
    run_engine(Engine::new(request.apply_to(Config::default()))?, request.depth, stop, progress)
}

/// Runs the benchmark with this engine, which should not have searched yet.
///
/// # Errors
/// [`BenchError::Stopped`] or [`BenchError::Search`].
pub fn run_engine(
    mut engine: Engine,
    depth: u32,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<BenchResult, BenchError> {
    let mut total = BenchResult::default();
    #[cfg(feature = "stats")]
    let mut cutoffs = [0; 2];
    for message in engine.take_startup_messages() {
        progress(&message);
    }
    for (index, fen) in POSITIONS.iter().enumerate() {
        engine.set_game(parse_fen(fen).map_err(|error| BenchError::Search(error.to_string()))?);
        let search = run_search(&mut engine, Limits::depth(depth), stop)?;
        let nodes = search.nodes;
        total.time += search.time;
        #[cfg(feature = "stats")]
        cutoffs.iter_mut().zip(search.cutoffs).for_each(|(total, count)| *total += count);
        total.nodes += nodes;
        progress(&format!("Position {:2}/{}: {nodes:9} | {fen}", index + 1, POSITIONS.len()));
        if stop.load(Relaxed) {
            return Err(BenchError::Stopped);
        }
    }
    #[cfg(feature = "stats")]
    progress(&format!(
        "{:.2} % of {} cutoffs by the first move",
        100.0 * cutoffs[1] as f64 / cutoffs[0] as f64,
        cutoffs[0]
    ));
    Ok(total)
}

/// Searches the engine's current position until the limits are reached or `stop` is set.
///
/// # Errors
/// The problem that the search reported.
pub(super) fn run_search(engine: &mut Engine, limits: Limits, stop: &AtomicBool) -> Result<SearchResult, BenchError> {
    let (sender, results) = bounded(1);
    engine.go(limits, Box::new(ResultSender(sender)));
    let result = loop {
        // An inline engine has sent its result already; a timeout needs a clock that WebAssembly does not have.
        let received = if engine.is_inline() {
            results.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            results.recv_timeout(POLL)
        };
        match received {
            Ok(result) => break result,
            Err(RecvTimeoutError::Timeout) if stop.load(Relaxed) => engine.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(BenchError::Search("no result".into())),
        }
    };
    match result.messages.first() {
        Some(problem) => Err(BenchError::Search(problem.clone())),
        None => Ok(result),
    }
}

/// Interval at which the stop flag is checked during a search.
const POLL: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_are_reported() {
        let parse =
            |text: &str| BenchRequest::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), DEPTH);
        assert_eq!(parse("").unwrap(), BenchRequest::default());
        assert_eq!(parse("9 2 64").unwrap(), BenchRequest { depth: 9, threads: 2, hash: 64 });
        for (text, part) in [("x", "depth 'x'"), ("9 0", "threads '0'"), ("9 1 16 x", "unexpected argument 'x'")] {
            assert!(parse(text).unwrap_err().to_string().contains(part), "{text}");
        }
    }
}
