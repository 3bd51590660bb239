//! Simultaneous perturbation stochastic approximation: the slope in all directions from two measurements.
//!
//! Each pair of games moves every number a little, up or down by the toss of a coin, and lets the moved player
//! meet the one that is moved the other way. Whatever wins, all numbers go a small step towards it: over thousands of
//! pairs the tosses that did not matter cancel out. Perturbations and steps shrink along the way, with the
//! customary exponents. A pair follows from its number and the values alone, not from the threads.
//! <https://www.chessprogramming.org/SPSA>, Spall 1998 <https://www.jhuapl.edu/SPSA/PDF-SPSA/Spall_An_Overview.PDF>

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::selfplay::STACK_SIZE;

/// Exponent with which the steps shrink.
const ALPHA: f64 = 0.602;
/// Exponent with which the perturbations shrink.
const GAMMA: f64 = 0.101;
/// The first steps are held back as if this share of all pairs had been played already.
const HELD_BACK: f64 = 0.1;

/// A number to be tuned.
#[derive(Clone, PartialEq, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// Where it begins.
    pub start: i32,
    /// Least and greatest value.
    pub range: (i32, i32),
    /// How far the last pairs move it up and down; earlier ones further.
    pub reach: f64,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The numbers.
    pub knobs: Vec<Knob>,
    /// Pairs of games in all.
    pub pairs: u64,
    /// Pairs that are played with the same values.
    pub batch: u64,
    /// Step of the last pairs, as a share of the reach for each point won.
    pub rate: f64,
    /// Which coins are tossed.
    pub seed: u64,
}

/// How far it has come.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Pairs played.
    pub pairs: u64,
    /// Games that the player moved upwards won, drew and lost (by the coin of the first number).
    pub games: Tally,
    /// The values now, in the order of the knobs.
    pub values: Vec<f64>,
}

/// Results of games as one of two players sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Points won less points lost; a game is worth one.
    fn balance(self) -> f64 {
        self.wins as f64 - self.losses as f64
    }

    /// Both together.
    fn plus(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }
}

/// The two players of a pair.
#[derive(Clone, PartialEq, Debug)]
pub struct Rivals {
    /// The number of the pair.
    pub pair: u64,
    /// Values of the one.
    pub one: Vec<i32>,
    /// Values of the other.
    pub other: Vec<i32>,
    /// For each number, whether the one has more (1) or less (-1) of it.
    signs: Vec<f64>,
}

/// Plays the two games of a pair, one with each color, and tells the result of the one.
pub type Play<'a> = dyn Fn(&Rivals) -> Tally + Sync + 'a;

/// The random numbers of a pair.
pub fn random(seed: u64, pair: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ pair << 20)
}

impl Plan {
    /// Nothing played, every number where it begins.
    pub fn start(&self) -> State {
        let values = self.knobs.iter().map(|knob| knob.start.into()).collect();
        State { pairs: 0, games: Tally::default(), values }
    }

    /// Where in the course of all pairs this one stands, `0..=1`.
    fn progress(&self, pair: u64) -> f64 {
        (pair + 1) as f64 / self.pairs.max(1) as f64
    }

    /// How far pair `pair` moves a number whose reach at the end is 1.
    fn reach(&self, pair: u64) -> f64 {
        self.progress(pair).powf(-GAMMA)
    }

    /// The step of a pair for each point, as a share of the reach.
    fn step(&self, pair: u64) -> f64 {
        let shrink = ((1.0 + HELD_BACK) / (self.progress(pair) + HELD_BACK)).powf(ALPHA);
        self.rate * shrink / self.reach(pair).powi(2)
    }

    /// Who plays in a pair. Values between two whole numbers become the one or the other, both players' alike, so
    /// that small numbers are tuned, too.
    pub fn rivals(&self, pair: u64, values: &[f64]) -> Rivals {
        let mut random = random(self.seed, pair);
        let mut rivals = Rivals { pair, one: Vec::new(), other: Vec::new(), signs: Vec::new() };
        for (knob, value) in self.knobs.iter().zip(values) {
            let (sign, dither) = (if random.bool() { 1.0 } else { -1.0 }, random.f64());
            let moved = |way: f64| {
                let value = (value + way * knob.reach * self.reach(pair) + dither).floor();
                (value as i32).clamp(knob.range.0, knob.range.1)
            };
            rivals.one.push(moved(sign));
            rivals.other.push(moved(-sign));
            rivals.signs.push(sign);
        }
        rivals
    }

    /// A step towards the winner of a pair.
    fn learn(&self, values: &mut [f64], rivals: &Rivals, result: Tally) {
        let step = self.step(rivals.pair) * self.reach(rivals.pair) * result.balance();
        for ((knob, value), sign) in self.knobs.iter().zip(values).zip(&rivals.signs) {
            *value = (*value + step * knob.reach * sign).clamp(knob.range.0.into(), knob.range.1.into());
        }
    }

    /// Plays the pairs that are left, a batch at a time, and tells of the state after each.
    ///
    /// # Errors
    /// What `after` returns, or a thread that cannot be had or that failed.
    pub fn run<E: From<std::io::Error>>(
        &self,
        state: &mut State,
        threads: usize,
        play: &Play,
        after: &mut dyn FnMut(&State) -> Result<(), E>,
    ) -> Result<(), E> {
        while state.pairs < self.pairs {
            // Batches end at multiples of their size, wherever a run was broken off.
            let end = ((state.pairs / self.batch + 1) * self.batch).min(self.pairs);
            let rivals: Vec<Rivals> = (state.pairs..end).map(|pair| self.rivals(pair, &state.values)).collect();
            let results = play_all(&rivals, threads, play)?;
            for (rivals, &result) in rivals.iter().zip(&results) {
                self.learn(&mut state.values, rivals, result);
                state.games = state.games.plus(result);
            }
            state.pairs = end;
            after(state)?;
        }
        Ok(())
    }
}

/// Plays pairs on several threads; the results stand in the order of the pairs.
fn play_all(rivals: &[Rivals], threads: usize, play: &Play) -> Result<Vec<Tally>, std::io::Error> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Relaxed);
            let Some(rivals) = rivals.get(index) else { return results };
            results.push((index, play(rivals)));
        }
    };
    thread::scope(|scope| {
        let mut players = Vec::new();
        for _ in 0..threads {
            players.push(thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work)?);
        }
        let mut results = Vec::new();
        for player in players {
            results.extend(player.join().map_err(|_| std::io::Error::other("a game ended in an internal error"))?);
        }
        results.sort_unstable_by_key(|&(index, _)| index);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of different size whose best values are known.
    fn plan() -> Plan {
        let knob = |name, start, range, reach| Knob { name, start, range, reach };
        Plan {
            knobs: vec![
                knob("large", 2000, (0, 10_000), 500.0),
                knob("small", 1, (0, 10), 0.5),
                knob("edge", 50, (0, 100), 5.0),
            ],
            pairs: 6000,
            batch: 8,
            rate: 0.01,
            seed: 3,
        }
    }

    /// Games whose winner is drawn by lot, the likelier the nearer a player's values are to the best ones.
    fn lottery(rivals: &Rivals) -> Tally {
        let badness = |values: &[i32]| -> f64 {
            let far = |index: usize, best: f64, unit: f64| ((f64::from(values[index]) - best) / unit).powi(2);
            far(0, 6000.0, 1000.0) + far(1, 7.0, 2.0) + far(2, 130.0, 20.0)
        };
        let chance = 1.0 / (1.0 + (badness(&rivals.one) - badness(&rivals.other)).exp());
        let mut random = fastrand::Rng::with_seed(rivals.pair);
        let mut tally = Tally::default();
        for _ in 0..2 {
            if random.f64() < chance {
                tally.wins += 1;
            } else {
                tally.losses += 1;
            }
        }
        tally
    }

    fn run(plan: &Plan, state: &mut State, threads: usize, pairs: u64) {
        // Broken off like a run whose disk is full.
        let _ = plan.run(state, threads, &lottery, &mut |state| {
            if state.pairs >= pairs { Err(std::io::Error::other("enough")) } else { Ok(()) }
        });
    }

    #[test]
    fn finds_the_best_values() {
        let plan = plan();
        let mut state = plan.start();
        run(&plan, &mut state, 1, u64::MAX);
        let [large, small, edge] = state.values[..] else { panic!("three numbers") };
        assert!((large - 6000.0).abs() < 600.0 && (small - 7.0).abs() < 1.0 && edge > 95.0, "{state:?}");
        assert_eq!(state.games.wins + state.games.losses, 2 * plan.pairs);
    }

    #[test]
    fn interruptions_and_threads_change_nothing() {
        let plan = Plan { pairs: 100, ..plan() };
        let (mut whole, mut pieces) = (plan.start(), plan.start());
        run(&plan, &mut whole, 1, u64::MAX);
        run(&plan, &mut pieces, 3, 20);
        assert_eq!(pieces.pairs, 24);
        run(&plan, &mut pieces, 2, u64::MAX);
        assert_eq!(whole, pieces);
    }

    #[test]
    fn rivals_stay_in_range_and_apart() {
        let plan = plan();
        let mut apart = 0;
        for pair in 0..200 {
            let rivals = plan.rivals(pair, &[5000.0, 9.8, 100.0]);
            for values in [&rivals.one, &rivals.other] {
                assert!(plan.knobs.iter().zip(values).all(|(knob, v)| (knob.range.0..=knob.range.1).contains(v)));
            }
            apart += (rivals.one[0] - rivals.other[0]).abs();
        }
        let expected = 200.0 * 2.0 * 500.0 * plan.reach(100);
        assert!((f64::from(apart) / expected - 1.0).abs() < 0.1, "{apart} {expected}");
    }

    #[test]
    fn a_game_that_fails_is_an_error() {
        let plan = plan();
        let result: Result<(), std::io::Error> = plan.run(
            &mut plan.start(),
            2,
            &|rivals| if rivals.pair == 5 { panic!("as if") } else { lottery(rivals) },
            &mut |_| Ok(()),
        );
        assert!(result.unwrap_err().to_string().contains("internal error"));
    }
}
