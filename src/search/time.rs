//! The time manager: from the clock to a soft and a hard deadline.
//!
//! The *soft* limit is asked between iterations: is it worth starting another? It stretches while the best
//! move is new or its score falls, and shrinks while one move takes all the nodes. The *hard* limit is
//! asked inside the tree and never passed. Both leave `Move Overhead` on the clock for what happens between
//! engine and referee. Whatever a clock says (negative, missing, one-sided, absurd), a move is made in time.
//! <https://www.chessprogramming.org/Time_Management>

use crate::platform::clock::Instant;
use std::time::Duration;

use shakmaty::Color;

use super::limits::Limits;
use super::params::Params;

/// The deadlines of one search.
#[derive(Clone, Debug)]
pub struct TimeManager {
    start: Instant,
    /// Time to aim at.
    soft: Option<Duration>,
    /// Time never to pass.
    hard: Option<Duration>,
}

/// Soft and hard limit in milliseconds for one side's clock. `None` where nothing bounds the time.
#[must_use]
pub fn budget(limits: &Limits, side: Color, overhead: u64, params: &Params) -> (Option<u64>, Option<u64>) {
    let at_least_one = |ms: i64| u64::try_from(ms).unwrap_or(0).max(1);
    let move_time = limits.move_time.map(|ms| at_least_one(ms).saturating_sub(overhead).max(1));
    let (time, increment) = limits.clock(side);
    // Whoever gives a time for this move and sends noughts besides does not mean that there is none left.
    let is_empty = time.is_none_or(|left| left == 0) && increment.is_none_or(|more| more == 0);
    if !limits.has_clock() || move_time.is_some() && is_empty {
        return (move_time, move_time);
    }
    let increment = at_least_one(increment.unwrap_or(0)).saturating_sub(1);
    let time = time.map_or_else(|| increment.max(limits.clock(!side).0.map_or(1, at_least_one) / 4), at_least_one);
    let left = time.saturating_sub(overhead).max(1);

    let percent = |value: u64, share: i32| value.saturating_mul(u64::from(share.unsigned_abs())) / 100;
    // The overhead is paid at every move, so only what the increment exceeds it by is income. What is spent is a
    // share of what is left, and the clock settles where a pause of the machine does no harm.
    let gain = percent(increment.saturating_sub(overhead), params.time_increment);
    let cap = percent(left, params.time_max_share);
    let (soft, hard) = match limits.moves_to_go {
        // Before the control everything may be used, but each remaining move needs its share.
        Some(moves) if moves > 0 => {
            let moves = u64::from(moves.min(50));
            let share = left / moves + gain;
            let cap = if moves == 1 { percent(left, 90) } else { cap };
            (percent(share, 85).min(cap), percent(share, params.time_hard / 2).min(cap))
        }
        _ => {
            let left = left - reserve(left, overhead.saturating_sub(increment));
            let share = left.saturating_mul(u64::from(params.time_share.unsigned_abs())) / 1000 + gain;
            (share.min(cap), percent(share, params.time_hard).min(cap))
        }
    };
    let (soft, hard) = (soft.max(1), hard.max(1));
    match move_time {
        Some(ms) => (Some(soft.min(ms)), Some(hard.min(ms))),
        None => (Some(soft), Some(hard)),
    }
}

/// What to leave untouched of a clock that no control refills and whose increment is less than the overhead: each of the
/// moves to come loses `loss` milliseconds on the way to the referee. A share of what is left, taken again and again, would
/// otherwise end where a few such losses cost the game. An eighth stays in use.
fn reserve(left: u64, loss: u64) -> u64 {
    const MOVES_TO_COME: u64 = 50;
    loss.saturating_mul(MOVES_TO_COME).min(left - left / 8)
}

impl TimeManager {
    /// For a search that was asked for at `start`. `overhead` in milliseconds.
    #[must_use]
    pub fn new(limits: &Limits, side: Color, overhead: u64, start: Instant, params: &Params) -> Self {
        let (mut soft, hard) = budget(limits, side, overhead, params);
        if limits.infinite {
            return Self { start, soft: None, hard: None };
        }
        // A fixed time is used up: nothing is saved by answering early.
        if limits.move_time.is_some() && soft == hard {
            soft = None;
        }
        Self { start, soft: soft.map(Duration::from_millis), hard: hard.map(Duration::from_millis) }
    }

    /// For a search that no clock bounds.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { start: Instant::now(), soft: None, hard: None }
    }

    /// Time since `go`.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// When `go` came.
    #[must_use]
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Does a clock or a fixed time bound this search?
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.hard.is_some()
    }

    /// Time never to pass; `None` for a search that no clock bounds.
    #[must_use]
    pub fn hard(&self) -> Option<Duration> {
        self.hard
    }

    /// Is the hard limit passed, for a clock that has been running since `from`?
    #[must_use]
    pub fn is_over(&self, from: Instant) -> bool {
        self.hard.is_some_and(|hard| from.elapsed() >= hard)
    }

    /// Is it too late to start another iteration? `factor` stretches the soft limit.
    #[must_use]
    pub fn is_enough(&self, factor: f64) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= soft.mul_f64(factor.clamp(0.05, 5.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_clock_is_overdrawn() {
        let params = Params::default();
        let mut random = fastrand::Rng::with_seed(5);
        let tries = if cfg!(miri) { 300 } else { 200_000 };
        for _ in 0..tries {
            let scale = 1i64 << random.u32(0..40);
            let mut maybe = |max: i64| random.bool().then(|| random.i64(-max / 8 - 5..=max));
            let limits = Limits {
                white_time: maybe(scale),
                black_time: maybe(scale),
                white_increment: maybe(scale / 50),
                black_increment: maybe(scale / 50),
                moves_to_go: None,
                move_time: maybe(scale),
                ..Limits::default()
            };
            let limits = Limits { moves_to_go: random.bool().then(|| random.u32(0..300)), ..limits };
            let overhead = random.u64(0..200);
            let (soft, hard) = budget(&limits, Color::White, overhead, &params);
            if let (Some(soft), Some(hard)) = (soft, hard) {
                assert!(soft >= 1 && soft <= hard.max(soft), "{limits:?}");
                let empty = limits.move_time.is_some() && limits.white_increment.is_none_or(|more| more == 0);
                if let Some(time) = limits.white_time.filter(|&time| time != 0 || !empty) {
                    let left = u64::try_from(time).unwrap_or(0).saturating_sub(overhead).max(1);
                    assert!(hard <= left, "{limits:?} overhead {overhead}: hard {hard} of {left}");
                }
                if let Some(ms) = limits.move_time {
                    assert!(hard <= u64::try_from(ms).unwrap_or(0).max(1), "{limits:?}: {hard}");
                }
            }
        }
    }

    #[test]
    fn more_time_or_increment_is_never_less_to_use() {
        let params = Params::default();
        for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(300)] {
            let mut last = (0, 0);
            for time in (0..60_000).step_by(if cfg!(miri) { 3701 } else { 37 }) {
                let limits = Limits { white_time: Some(time), moves_to_go, ..Limits::default() };
                let (soft, hard) = budget(&limits, Color::White, 10, &params);
                let now = (soft.unwrap(), hard.unwrap());
                assert!(now.0 >= last.0 && now.1 >= last.1, "{time} {moves_to_go:?}");
                let more = Limits { white_increment: Some(500), ..limits };
                assert!(budget(&more, Color::White, 10, &params).0.unwrap() >= now.0);
                last = now;
            }
        }
    }

    #[test]
    fn an_empty_clock_beside_another_limit_is_none() {
        let nothing = Limits { white_increment: Some(0), black_increment: Some(0), ..Limits::default() };
        let plan = |limits: &Limits| budget(limits, Color::White, 10, &Params::default());
        assert_eq!(plan(&Limits { move_time: Some(300), ..nothing.clone() }), (Some(290), Some(290)));
        assert_eq!(plan(&Limits { depth: Some(9), ..nothing.clone() }), (None, None));
        assert_eq!(plan(&Limits { nodes: Some(9), ..nothing.clone() }), (None, None));
        let no_time = Limits { white_time: Some(0), black_time: Some(0), ..nothing.clone() };
        assert_eq!(plan(&Limits { move_time: Some(300), ..no_time.clone() }), (Some(290), Some(290)));
        // Alone it still ends the search: an answer is better than none.
        assert!(plan(&nothing).1.is_some() && plan(&no_time).1.is_some());
        let short = Limits { white_time: Some(100), move_time: Some(300), ..nothing };
        assert!(plan(&short).1.unwrap() < 100);
    }

    #[test]
    fn the_other_sides_clock_alone_still_bounds_the_move() {
        let limits = Limits { black_time: Some(1000), ..Limits::default() };
        let (_, hard) = budget(&limits, Color::White, 10, &Params::default());
        assert!(hard.unwrap() < 1000);
        assert_eq!(budget(&Limits::default(), Color::White, 10, &Params::default()), (None, None));
    }
}
