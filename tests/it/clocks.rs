//! Time management on simulated clocks: whole games at time controls where other engines lost on time.

use aspirant::search::limits::Limits;
use aspirant::search::params::Params;
use aspirant::search::time::budget;
use shakmaty::Color;

const OVERHEAD: u64 = 10;

/// Returns White's soft and hard limit in milliseconds.
fn plan(time: i64, increment: i64, moves_to_go: Option<u32>) -> (u64, u64) {
    let limits = Limits {
        white_time: Some(time),
        black_time: Some(time),
        white_increment: Some(increment),
        black_increment: Some(increment),
        moves_to_go,
        ..Limits::default()
    };
    let (soft, hard) = budget(&limits, Color::White, OVERHEAD, &Params::default());
    (soft.unwrap(), hard.unwrap())
}

/// Returns the clock time minus the overhead in milliseconds, at least one.
fn usable(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0).saturating_sub(OVERHEAD).max(1)
}

/// Simulates a game: most moves use about the soft limit, some the hard limit. Each move costs `lag` more milliseconds,
/// and some one more. Returns the lowest value of the clock in milliseconds.
fn lowest_clock(seed: u64, mut time: i64, increment: i64, control: Option<(u32, i64)>, moves: u32, lag: i64) -> i64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut lowest = time;
    for played in 0..moves {
        let to_go = control.map(|(moves, _)| moves - played % moves);
        let (soft, hard) = plan(time, increment, to_go);
        let used = if random.u32(0..8) == 0 { hard } else { random.u64(soft / 3..=soft) };
        time -= i64::try_from(used).unwrap() + lag + i64::from(random.u32(0..4) == 0);
        lowest = lowest.min(time);
        time += increment;
        if let Some((every, more)) = control
            && (played + 1) % every == 0
        {
            time += more;
        }
    }
    lowest
}

/// F2: official-stockfish/Stockfish#1272.
#[test]
fn repeating_time_controls_are_never_overstepped() {
    for (moves, time) in [(40, 1000), (40, 60_000), (60, 120_000), (5, 500), (1, 100), (200, 10_000)] {
        for seed in 0..200 {
            let lowest = lowest_clock(seed, time, 0, Some((moves, time)), moves * 5, 0);
            assert!(lowest > 0, "{moves}/{time} ms, seed {seed}: {lowest} ms left");
        }
    }
}

/// `Move Overhead` is reserved for every move up to the time control, not only for the next one.
#[test]
fn time_controls_are_not_overstepped_if_every_move_needs_the_overhead() {
    let lag = i64::try_from(OVERHEAD).unwrap() - 1;
    for (moves, time) in [(40, 1000), (40, 2000), (20, 500), (5, 200), (50, 10_000)] {
        for seed in 0..200 {
            let lowest = lowest_clock(seed, time, 0, Some((moves, time)), moves * 3, lag);
            assert!(lowest > 0, "{moves}/{time} ms, seed {seed}: {lowest} ms left");
        }
    }
}

/// F5: official-stockfish/Stockfish#4192.
#[test]
fn long_games_never_run_out_of_time() {
    let with_increment = [(1000, 10), (100, 5), (10_000, 100), (200, 20)].map(|(time, more)| (time, more, 400));
    let without = [60_000, 5000, 1000, 180_000].map(|time| (time, 0, 300));
    for (time, increment, moves) in with_increment.into_iter().chain(without) {
        for seed in 0..200 {
            let lowest = lowest_clock(seed, time, increment, None, moves, 0);
            assert!(lowest > 0, "{time}+{increment}, seed {seed}: {lowest} ms left");
        }
    }
}

/// F11: cutechess/cutechess#281.
#[test]
fn movetime_is_a_limit_minus_the_overhead() {
    for milliseconds in [i64::MIN, -1, 0, 1, 5, 11, 50, 1000, i64::MAX] {
        let limit = Some(usable(milliseconds));
        let budget = budget(&Limits::move_time(milliseconds), Color::White, OVERHEAD, &Params::default());
        assert_eq!(budget, (limit, limit), "{milliseconds}");
    }
}

/// F14: Stockfish commit 3c04b5c42. At 0.2 s + 0.02 s a move has enough time for a search of depth four.
#[test]
fn short_clock_allows_depth_four() {
    let (soft, _) = plan(200, 20, None);
    let nodes = crate::common::Engine::start().search("startpos", "depth 4").last().nodes;
    assert!(nodes < soft * 200, "{nodes} nodes in {soft} ms");
}
