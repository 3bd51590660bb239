//! Time management: computes a soft and a hard time limit from the clock.
//!
//! The *soft* limit is checked between iterations and decides whether to start another one. It grows while the best
//! move is new or its score falls, and shrinks while one move takes most of the nodes. The *hard* limit is checked
//! inside the tree, every 512 nodes. Both leave `Move Overhead` on the clock for engine, GUI and network lag. With
//! any clock values (negative, missing, one-sided, extreme), a move is made in time.
//! <https://www.chessprogramming.org/Time_Management>
#![doc(hidden)]

use std::time::Duration;

use shakmaty::Color;

use super::limits::Limits;
use super::params::{
    EXPECTED_MOVES, LAST_MOVE_SHARE, MAX_MOVES_TO_GO, MAX_TIME_FACTOR, MOVES_TO_GO_SHARE, ONLY_MOVE_TIME_FACTOR, Params,
};
use crate::platform::clock::Instant;

/// The time limits of one search.
#[derive(Clone, Debug)]
pub struct TimeManager {
    start: Instant,
    /// Soft limit before scaling; `None` for no limit.
    soft: Option<Duration>,
    /// Hard limit; `None` for no limit.
    hard: Option<Duration>,
    /// When the watchdog answers; `None` for never.
    deadline: Option<Duration>,
}

/// Time before the end of the clock, `Move Overhead` included, at which the watchdog answers, ms.
const CLOCK_RESERVE: u64 = 50;
/// Minimum time between the hard limit on a clock and the answer of the watchdog, ms; at most half of `Move Overhead`.
const CLOCK_GRACE: u64 = 5;
/// Time after `movetime` at which the watchdog answers, ms.
const MOVE_TIME_GRACE: u64 = 200;

/// Returns soft and hard limit of one move, ms; `None` without a time limit. `overhead` in ms.
#[must_use]
pub fn budget(limits: &Limits, side: Color, overhead: u64, params: &Params) -> (Option<u64>, Option<u64>) {
    let at_least_one = |ms: i64| u64::try_from(ms).unwrap_or(0).max(1);
    let move_time = limits.move_time.map(|ms| at_least_one(ms).saturating_sub(overhead).max(1));
    let (time, increment) = limits.clock_of(side);
    // Some programs send `movetime` together with zero clocks: then only `movetime` counts.
    let clock_is_zero = time.is_none_or(|ms| ms == 0) && increment.is_none_or(|ms| ms == 0);
    if !limits.has_clock() || move_time.is_some() && clock_is_zero {
        return (move_time, move_time);
    }
    let increment = u64::try_from(increment.unwrap_or(0)).unwrap_or(0);
    // A missing clock is replaced by a quarter of the opponent's or by the increment, whichever is more.
    let time = time.map_or_else(|| increment.max(limits.clock_of(!side).0.map_or(1, at_least_one) / 4), at_least_one);
    let left = time.saturating_sub(overhead).max(1);

    let percent = |value: u64, share: i32| value.saturating_mul(u64::from(share.unsigned_abs())) / 100;
    // The overhead is lost at every move, so only the part of the increment above it is gained. A move gets a fraction
    // of the remaining time plus that gain, so the clock converges to a level at which a short delay does no harm.
    let gain = percent(increment.saturating_sub(overhead), params.time_increment);
    let loss = overhead.saturating_sub(increment);
    let (soft, hard) = match limits.moves_to_go {
        // Nothing is saved beyond the time control, but each move up to it needs its share.
        Some(moves) if moves > 0 => {
            let moves = u64::from(moves.min(MAX_MOVES_TO_GO));
            let left = left - reserve(left, loss, moves - 1);
            let share = left / moves + gain;
            let cap = percent(left, if moves == 1 { LAST_MOVE_SHARE } else { params.time_max_share });
            (percent(share, MOVES_TO_GO_SHARE).min(cap), percent(share, params.time_hard / 2).min(cap))
        }
        _ => {
            let cap = percent(left, params.time_max_share);
            let left = left - reserve(left, loss, EXPECTED_MOVES);
            let share = left.saturating_mul(u64::from(params.time_share.unsigned_abs())) / 1000 + gain;
            (share.min(cap), percent(share, params.time_hard).min(cap))
        }
    };
    let soft = soft.max(1);
    let hard = hard.max(soft);
    match move_time {
        Some(ms) => (Some(soft.min(ms)), Some(hard.min(ms))),
        None => (Some(soft), Some(hard)),
    }
}

/// Returns the time to reserve for the next `moves` moves, ms.
///
/// Each of them loses `loss` ms to the overhead. If each move only used a fraction of the remaining time, the clock
/// would fall so low that a few such losses forfeit the game. At least an eighth of the time stays usable.
fn reserve(left: u64, loss: u64, moves: u64) -> u64 {
    loss.saturating_mul(moves).min(left - left / 8)
}

/// Returns when the watchdog answers a search with this hard limit, ms: always after the hard limit, on a clock before
/// the remaining time without the overhead is used up.
fn deadline(limits: &Limits, side: Color, overhead: u64, hard: u64) -> u64 {
    let at_least_one = |ms: i64| u64::try_from(ms).unwrap_or(0).max(1);
    let after_move_time = limits.move_time.map(|ms| at_least_one(ms).saturating_add(MOVE_TIME_GRACE));
    // A zero clock beside `movetime` does not count; see `budget`.
    let clock = limits.clock_of(side).0.filter(|&ms| ms != 0 || limits.move_time.is_none());
    let on_clock = clock.map(|ms| {
        let left = at_least_one(ms).saturating_sub(overhead);
        let grace = (left.saturating_sub(hard) / 2).max(CLOCK_GRACE.min(overhead / 2)).max(1);
        left.saturating_sub(CLOCK_RESERVE).max(hard + grace)
    });
    let first = [after_move_time, on_clock].into_iter().flatten().min();
    first.unwrap_or(hard.saturating_add(MOVE_TIME_GRACE))
}

impl TimeManager {
    /// Computes the limits of a search requested at `start`. `overhead` in ms.
    #[must_use]
    pub fn new(limits: &Limits, side: Color, overhead: u64, start: Instant, params: &Params) -> Self {
        let (mut soft, hard) = budget(limits, side, overhead, params);
        if limits.infinite {
            return Self { start, soft: None, hard: None, deadline: None };
        }
        // With `movetime` alone the whole time is used: an early answer saves nothing.
        if limits.move_time.is_some() && soft == hard {
            soft = None;
        }
        let deadline = hard.map(|hard| deadline(limits, side, overhead, hard));
        let [soft, hard, deadline] = [soft, hard, deadline].map(|limit| limit.map(Duration::from_millis));
        Self { start, soft, hard, deadline }
    }

    /// Returns no time limits.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { start: Instant::now(), soft: None, hard: None, deadline: None }
    }

    /// Returns the time since the search was requested.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns when the search was requested.
    #[must_use]
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Returns whether a clock or a fixed time limits this search.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.hard.is_some()
    }

    /// Returns when the watchdog answers for a search that has not ended; `None` for never.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Removes the deadline: late results are waited for.
    #[must_use]
    pub fn without_deadline(self) -> Self {
        Self { deadline: None, ..self }
    }

    /// Returns whether the hard limit is reached on a clock that has been running since `clock_start`.
    #[must_use]
    pub fn hard_limit_reached(&self, clock_start: Instant) -> bool {
        self.hard.is_some_and(|hard| clock_start.elapsed() >= hard)
    }

    /// Returns whether the soft limit, scaled by `factor`, is reached: start no further iteration.
    ///
    /// The time since the search was requested counts, pondering included.
    #[must_use]
    pub fn soft_limit_reached(&self, factor: f64) -> bool {
        self.soft
            .is_some_and(|soft| self.elapsed() >= soft.mul_f64(factor.clamp(ONLY_MOVE_TIME_FACTOR, MAX_TIME_FACTOR)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::params::PARAMS;

    /// Returns time parameters in their ranges, the other parameters at their defaults.
    fn random_time_params(random: &mut fastrand::Rng) -> Params {
        let mut params = Params::default();
        for param in PARAMS.iter().filter(|param| param.name.starts_with("time_")) {
            params.set(param.name, random.i32(param.min..=param.max));
        }
        params
    }

    /// kelseyde/hobbes-chess-engine#308; cimarronOST/Monolith#4; ptsouchlos/byte-knight#100.
    #[test]
    fn soft_limit_is_at_most_the_hard_limit_and_both_fit_the_remaining_time() {
        let mut random = fastrand::Rng::with_seed(5);
        let tries = if cfg!(miri) { 300 } else { 200_000 };
        for _ in 0..tries {
            let params = if random.bool() { Params::default() } else { random_time_params(&mut random) };
            let scale = 1i64 << random.u32(0..40);
            let mut random_time = |max: i64| match random.u32(0..16) {
                0..8 => None,
                8 => Some(*random.choice(&[i64::MIN, i64::MAX]).unwrap()),
                _ => Some(random.i64(-max / 8 - 5..=max)),
            };
            let limits = Limits {
                white_time: random_time(scale),
                black_time: random_time(scale),
                white_increment: random_time(scale / 50),
                black_increment: random_time(scale / 50),
                moves_to_go: None,
                move_time: random_time(scale),
                ..Limits::default()
            };
            let moves_to_go = [None, Some(random.u32(0..300)), Some(u32::MAX)][random.usize(0..3)];
            let limits = Limits { moves_to_go, ..limits };
            let overhead = random.u64(0..200);
            let (soft, hard) = budget(&limits, Color::White, overhead, &params);
            if let (Some(soft), Some(hard)) = (soft, hard) {
                assert!(soft >= 1 && soft <= hard, "{limits:?} {params:?}: {soft} {hard}");
                let only_move_time = limits.move_time.is_some() && limits.white_increment.is_none_or(|ms| ms == 0);
                if let Some(time) = limits.white_time.filter(|&time| time != 0 || !only_move_time) {
                    let left = u64::try_from(time).unwrap_or(0).saturating_sub(overhead).max(1);
                    assert!(hard <= left, "{limits:?} overhead {overhead}: hard {hard} of {left}");
                }
                if let Some(ms) = limits.move_time {
                    assert!(hard <= u64::try_from(ms).unwrap_or(0).max(1), "{limits:?}: {hard}");
                }
            }
        }
    }

    /// Matthies/RubiChess#314.
    #[test]
    fn limits_grow_with_time_and_increment() {
        for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(300)] {
            let limits = |time, increment| {
                let (white_time, white_increment) = (Some(time), Some(increment));
                let limits = Limits { white_time, white_increment, moves_to_go, ..Limits::default() };
                let (soft, hard) = budget(&limits, Color::White, 10, &Params::default());
                (soft.unwrap(), hard.unwrap())
            };
            let mut less_time = (0, 0);
            for time in (0..60_000).step_by(if cfg!(miri) { 3701 } else { 37 }).chain([3_600_000]) {
                let current = limits(time, 0);
                assert!(current.0 >= less_time.0 && current.1 >= less_time.1, "{time} {moves_to_go:?}");
                less_time = current;
                let mut less_increment = current;
                for increment in [1, 5, 10, 11, 50, 100, 1000, 10_000, 100_000] {
                    let current = limits(time, increment);
                    assert!(
                        current.0 >= less_increment.0 && current.1 >= less_increment.1,
                        "{time}+{increment} {moves_to_go:?}"
                    );
                    less_increment = current;
                }
            }
        }
    }

    #[test]
    fn zero_clock_beside_another_limit_is_ignored() {
        let zero_increment = Limits { white_increment: Some(0), black_increment: Some(0), ..Limits::default() };
        let budget = |limits: &Limits| budget(limits, Color::White, 10, &Params::default());
        assert_eq!(budget(&Limits { move_time: Some(300), ..zero_increment.clone() }), (Some(290), Some(290)));
        assert_eq!(budget(&Limits { depth: Some(9), ..zero_increment.clone() }), (None, None));
        assert_eq!(budget(&Limits { nodes: Some(9), ..zero_increment.clone() }), (None, None));
        let zero_clock = Limits { white_time: Some(0), black_time: Some(0), ..zero_increment.clone() };
        assert_eq!(budget(&Limits { move_time: Some(300), ..zero_clock.clone() }), (Some(290), Some(290)));
        // Without another limit, a zero clock does end the search: some move is better than none.
        assert!(budget(&zero_increment).1.is_some() && budget(&zero_clock).1.is_some());
        let short = Limits { white_time: Some(100), move_time: Some(300), ..zero_increment };
        assert!(budget(&short).1.unwrap() < 100);
    }

    #[test]
    fn watchdog_answers_after_the_hard_limit_and_before_the_flag() {
        let deadline = |limits: &Limits, overhead| {
            let time = TimeManager::new(limits, Color::White, overhead, Instant::now(), &Params::default());
            time.deadline().map(|deadline| (deadline, time.hard.unwrap()))
        };
        let clock = |white_time| Limits { white_time: Some(white_time), ..Limits::default() };
        for overhead in [0, 10, 500] {
            for time in (-20..2000).chain([60_000, 1 << 40]) {
                let (deadline, hard) = deadline(&clock(time), overhead).unwrap();
                let left = u64::try_from(time).unwrap_or(0).saturating_sub(overhead);
                assert!(deadline > hard, "{time} ms, overhead {overhead}: {deadline:?}, hard limit {hard:?}");
                let is_early =
                    deadline < Duration::from_millis(left) || left < 15 && deadline <= hard + Duration::from_millis(5);
                assert!(is_early, "{time} ms, overhead {overhead}: {deadline:?}");
                assert!(
                    time < 1000 || deadline >= Duration::from_millis(left.saturating_sub(50)),
                    "{time} ms: {deadline:?}"
                );
            }
        }
        let milliseconds = |limits: &Limits| deadline(limits, 10).map(|(deadline, _)| deadline.as_millis());
        assert_eq!(milliseconds(&clock(10_000)), Some(9_940));
        assert_eq!(milliseconds(&Limits::move_time(1000)), Some(1200));
        assert_eq!(milliseconds(&Limits { move_time: Some(1000), ..clock(0) }), Some(1200));
        assert_eq!(milliseconds(&Limits { move_time: Some(1000), ..clock(600) }), Some(540));
        assert!(milliseconds(&Limits::move_time(i64::MAX)).is_some());
        for unwatched in [Limits::depth(5), Limits::nodes(5), Limits { infinite: true, ..clock(1000) }] {
            assert_eq!(milliseconds(&unwatched), None);
        }
        let time = TimeManager::new(&clock(1000), Color::White, 10, Instant::now(), &Params::default());
        assert_eq!(time.without_deadline().deadline(), None);
    }

    #[test]
    fn clock_of_the_opponent_alone_limits_the_time() {
        let limits = Limits { black_time: Some(1000), ..Limits::default() };
        let (_, hard) = budget(&limits, Color::White, 10, &Params::default());
        assert!(hard.unwrap() < 1000);
        assert_eq!(budget(&Limits::default(), Color::White, 10, &Params::default()), (None, None));
    }
}
