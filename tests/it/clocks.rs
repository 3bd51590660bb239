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

/// official-stockfish/Stockfish#1272; official-stockfish/Stockfish#4192.
#[test]
fn clocks_are_never_overstepped() {
    let repeated = [(40, 1000), (40, 60_000), (60, 120_000), (5, 500), (1, 100), (200, 10_000)];
    let repeated = repeated.map(|(moves, time)| (time, 0, Some((moves, time)), moves * 5, 0));
    // `Move Overhead` is reserved for every move up to the time control, not only for the next one.
    let lag = i64::try_from(OVERHEAD).unwrap() - 1;
    let delayed = [(40, 1000), (40, 2000), (20, 500), (5, 200), (50, 10_000)];
    let delayed = delayed.map(|(moves, time)| (time, 0, Some((moves, time)), moves * 3, lag));
    let long = [(1000, 10), (100, 5), (10_000, 100), (200, 20), (60_000, 0), (5000, 0), (1000, 0), (180_000, 0)];
    let long = long.map(|(time, increment)| (time, increment, None, 400, 0));
    for game in repeated.into_iter().chain(delayed).chain(long) {
        let (time, increment, control, moves, lag) = game;
        for seed in 0..200 {
            let lowest = lowest_clock(seed, time, increment, control, moves, lag);
            assert!(lowest > 0, "{game:?}, seed {seed}: {lowest} ms left");
        }
    }
}

/// cutechess/cutechess#281.
#[test]
fn movetime_is_a_limit_minus_the_overhead() {
    for milliseconds in [i64::MIN, -1, 0, 1, 5, 11, 50, 1000, i64::MAX] {
        let limit = Some(usable(milliseconds));
        let budget = budget(&Limits::move_time(milliseconds), Color::White, OVERHEAD, &Params::default());
        assert_eq!(budget, (limit, limit), "{milliseconds}");
    }
}

/// Stockfish commit 3c04b5c42. At 0.2 s + 0.02 s a move has enough time for a search of depth four.
#[test]
fn short_clock_allows_depth_four() {
    let (soft, _) = plan(200, 20, None);
    let nodes = crate::common::Engine::start().search("startpos", "depth 4").last().nodes;
    assert!(nodes < soft * 200, "{nodes} nodes in {soft} ms");
}
