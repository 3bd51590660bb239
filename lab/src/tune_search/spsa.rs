//! Simultaneous perturbation stochastic approximation (SPSA): a gradient from two measurements.
//!
//! Each pair of games perturbs every parameter up or down at random; a player with these values plays against one with
//! the opposite perturbations. All parameters take a small step toward the values of the winner; over thousands of
//! pairs the effects of irrelevant perturbations cancel out. Perturbations and steps decay with the customary
//! exponents. A pair depends only on its number and the current values, not on the threads.
//! <https://www.chessprogramming.org/SPSA>, Spall 1998 <https://www.jhuapl.edu/SPSA/PDF-SPSA/Spall_An_Overview.PDF>

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::selfplay::numbered_rng;
use aspirant::search::STACK_SIZE;

/// Exponent of the decay of the steps.
const ALPHA: f64 = 0.602;
/// Exponent of the decay of the perturbations.
const GAMMA: f64 = 0.101;
/// Stability constant of SPSA as a fraction of all pairs; reduces the first steps.
const STABILITY: f64 = 0.1;

/// A search parameter to be tuned.
#[derive(Clone, PartialEq, Debug)]
pub struct SpsaParam {
    pub name: String,
    /// Its initial value.
    pub start: i32,
    /// Its minimum and maximum.
    pub range: (i32, i32),
    /// Perturbation in the last pair; those of earlier pairs are greater.
    pub perturbation: f64,
}

/// The settings of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct SpsaPlan {
    /// The parameters to be tuned.
    pub params: Vec<SpsaParam>,
    /// Total number of pairs of games.
    pub pairs: u64,
    /// Number of pairs played between two updates of the values.
    pub batch: u64,
    /// Step of the last pair per point won, as a fraction of the perturbation.
    pub rate: f64,
    pub seed: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SpsaState {
    /// Number of pairs played.
    pub pairs: u64,
    /// Results of the first player of each pair.
    pub games: Tally,
    /// Current values, in the order of the parameters.
    pub values: Vec<f64>,
}

/// Game results from the view of one of two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Number of games won.
    pub wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games lost.
    pub losses: u64,
}

impl Tally {
    fn balance(self) -> f64 {
        self.wins as f64 - self.losses as f64
    }

    fn plus(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} won {} drawn {} lost", self.wins, self.draws, self.losses)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct PlayerPair {
    pub pair: u64,
    /// Parameter values of the first player.
    pub first: Vec<i32>,
    /// Parameter values of the second player.
    pub second: Vec<i32>,
    /// Sign of the perturbation of each parameter for the first player (1 or -1).
    signs: Vec<f64>,
}

/// A function that plays the two games of a pair with alternating colors.
///
/// It returns the tally of the first player, or the problem that ended a game.
pub type Play<'a> = dyn Fn(&PlayerPair) -> Result<Tally, String> + Sync + 'a;

impl SpsaPlan {
    pub fn start(&self) -> SpsaState {
        let values = self.params.iter().map(|param| param.start.into()).collect();
        SpsaState { pairs: 0, games: Tally::default(), values }
    }

    /// Returns the fraction of all pairs that is completed after this one, from 0 to 1.
    fn progress(&self, pair: u64) -> f64 {
        (pair + 1) as f64 / self.pairs.max(1) as f64
    }

    /// Returns the perturbation of a pair as a multiple of that of the last pair.
    fn perturbation_factor(&self, pair: u64) -> f64 {
        self.progress(pair).powf(-GAMMA)
    }

    /// Returns the step of a pair per point, as a fraction of the perturbation.
    fn step(&self, pair: u64) -> f64 {
        let decay = ((1.0 + STABILITY) / (self.progress(pair) + STABILITY)).powf(ALPHA);
        self.rate * decay / self.perturbation_factor(pair).powi(2)
    }

    /// Returns the players of a pair.
    ///
    /// Fractional values are rounded at random (dithering, the same for both players), so that parameters with small
    /// values can be tuned as well.
    pub fn player_pair(&self, pair: u64, values: &[f64]) -> PlayerPair {
        let mut random = numbered_rng(self.seed, pair);
        let mut players = PlayerPair { pair, first: Vec::new(), second: Vec::new(), signs: Vec::new() };
        for (param, value) in self.params.iter().zip(values) {
            let (sign, dither) = (if random.bool() { 1.0 } else { -1.0 }, random.f64());
            let perturbed = |direction: f64| {
                let value = (value + direction * param.perturbation * self.perturbation_factor(pair) + dither).floor();
                (value as i32).clamp(param.range.0, param.range.1)
            };
            players.first.push(perturbed(sign));
            players.second.push(perturbed(-sign));
            players.signs.push(sign);
        }
        players
    }

    /// Updates the values with a step toward the winner of a pair.
    fn update(&self, values: &mut [f64], players: &PlayerPair, result: Tally) {
        let step = self.step(players.pair) * self.perturbation_factor(players.pair) * result.balance();
        for ((param, value), sign) in self.params.iter().zip(values).zip(&players.signs) {
            *value = (*value + step * param.perturbation * sign).clamp(param.range.0.into(), param.range.1.into());
        }
    }

    /// Plays the remaining pairs in batches; calls `after` with the state after each batch.
    ///
    /// # Errors
    /// The error of `after` or of a game, or an error if a thread cannot be created or panicked.
    pub fn run<E: From<std::io::Error>>(
        &self,
        state: &mut SpsaState,
        threads: usize,
        play: &Play,
        after: &mut dyn FnMut(&SpsaState) -> Result<(), E>,
    ) -> Result<(), E> {
        while state.pairs < self.pairs {
            // Batches end at multiples of their size, also in a resumed run.
            let end = ((state.pairs / self.batch + 1) * self.batch).min(self.pairs);
            let pairs: Vec<PlayerPair> = (state.pairs..end).map(|pair| self.player_pair(pair, &state.values)).collect();
            let results = play_all(&pairs, threads, play)?;
            for (players, &result) in pairs.iter().zip(&results) {
                self.update(&mut state.values, players, result);
                state.games = state.games.plus(result);
            }
            state.pairs = end;
            after(state)?;
        }
        Ok(())
    }
}

/// Skips the remaining pairs of a batch if its own thread panics.
struct SkipOnPanic<'a> {
    next: &'a AtomicUsize,
    end: usize,
}

impl Drop for SkipOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.next.store(self.end, Relaxed);
        }
    }
}

/// Plays pairs on several threads; returns the results in the order of the pairs.
fn play_all(pairs: &[PlayerPair], threads: usize, play: &Play) -> Result<Vec<Tally>, std::io::Error> {
    let next = AtomicUsize::new(0);
    let play_pairs = || {
        // After a panic, the results of this batch are not used.
        let _skip_on_panic = SkipOnPanic { next: &next, end: pairs.len() };
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Relaxed);
            let Some(players) = pairs.get(index) else { return results };
            let result = play(players);
            if result.is_err() {
                next.store(pairs.len(), Relaxed);
            }
            results.push((index, result));
        }
    };
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..threads {
            let spawned = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, play_pairs);
            workers.push(spawned.map_err(|error| {
                next.store(pairs.len(), Relaxed);
                std::io::Error::other(format!("cannot create a thread: {error}"))
            })?);
        }
        // All threads are joined: the scope would repeat the panic of one that is not.
        let joined: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        let mut results = Vec::new();
        for outcome in joined {
            results.extend(outcome.map_err(|_| std::io::Error::other("a game thread failed with an internal error"))?);
        }
        results.sort_unstable_by_key(|&(index, _)| index);
        results.into_iter().map(|(_, result)| result.map_err(std::io::Error::other)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters of different magnitude with known optimal values.
    fn plan() -> SpsaPlan {
        let param =
            |name: &str, start, range, perturbation| SpsaParam { name: name.into(), start, range, perturbation };
        SpsaPlan {
            params: vec![
                param("large", 2000, (0, 10_000), 500.0),
                param("small", 1, (0, 10), 0.5),
                param("edge", 50, (0, 100), 5.0),
            ],
            pairs: 6000,
            batch: 8,
            rate: 0.01,
            seed: 3,
        }
    }

    /// Simulated games: the player whose values are closer to the optimum is more likely to win.
    fn simulated_games(players: &PlayerPair) -> Result<Tally, String> {
        let distance = |values: &[i32]| -> f64 {
            let squared = |index: usize, best: f64, unit: f64| ((f64::from(values[index]) - best) / unit).powi(2);
            squared(0, 6000.0, 1000.0) + squared(1, 7.0, 2.0) + squared(2, 130.0, 20.0)
        };
        let chance = 1.0 / (1.0 + (distance(&players.first) - distance(&players.second)).exp());
        let mut random = fastrand::Rng::with_seed(players.pair);
        let mut tally = Tally::default();
        for _ in 0..2 {
            if random.f64() < chance {
                tally.wins += 1;
            } else {
                tally.losses += 1;
            }
        }
        Ok(tally)
    }

    fn run(plan: &SpsaPlan, state: &mut SpsaState, threads: usize, pairs: u64) {
        // An error ends the run early, as a full disk would.
        let _ = plan.run(state, threads, &simulated_games, &mut |state| {
            if state.pairs >= pairs { Err(std::io::Error::other("interrupted")) } else { Ok(()) }
        });
    }

    #[test]
    fn converges_to_the_best_values() {
        let plan = plan();
        let mut state = plan.start();
        run(&plan, &mut state, 1, u64::MAX);
        let [large, small, edge] = state.values[..] else { panic!("expected three values") };
        assert!((large - 6000.0).abs() < 600.0 && (small - 7.0).abs() < 1.0 && edge > 95.0, "{state:?}");
        assert_eq!(state.games.wins + state.games.losses, 2 * plan.pairs);
    }

    #[test]
    fn result_is_independent_of_threads_and_resuming() {
        let plan = SpsaPlan { pairs: 100, ..plan() };
        let (mut whole, mut resumed) = (plan.start(), plan.start());
        run(&plan, &mut whole, 1, u64::MAX);
        run(&plan, &mut resumed, 3, 20);
        assert_eq!(resumed.pairs, 24);
        run(&plan, &mut resumed, 2, u64::MAX);
        assert_eq!(whole, resumed);
    }

    #[test]
    fn perturbed_values_stay_in_range_and_differ_as_expected() {
        let plan = plan();
        let mut difference = 0;
        for pair in 0..200 {
            let players = plan.player_pair(pair, &[5000.0, 9.8, 100.0]);
            for values in [&players.first, &players.second] {
                assert!(plan.params.iter().zip(values).all(|(param, v)| (param.range.0..=param.range.1).contains(v)));
            }
            difference += (players.first[0] - players.second[0]).abs();
        }
        let expected = 200.0 * 2.0 * 500.0 * plan.perturbation_factor(100);
        assert!((f64::from(difference) / expected - 1.0).abs() < 0.1, "{difference} {expected}");
    }

    #[test]
    fn a_panic_in_a_game_is_an_error() {
        let plan = plan();
        let result: Result<(), std::io::Error> = plan.run(
            &mut plan.start(),
            2,
            &|players| if [5, 6].contains(&players.pair) { panic!("test") } else { simulated_games(players) },
            &mut |_| Ok(()),
        );
        assert!(result.unwrap_err().to_string().contains("internal error"));
    }

    #[test]
    fn a_problem_in_a_game_is_the_error_of_the_run() {
        let plan = plan();
        let play =
            |players: &PlayerPair| if players.pair == 5 { Err("no move".into()) } else { simulated_games(players) };
        let result: Result<(), std::io::Error> = plan.run(&mut plan.start(), 2, &play, &mut |_| Ok(()));
        assert_eq!(result.unwrap_err().to_string(), "no move");
    }
}
