//! Playing below full strength: fewer nodes, and errors of judgement.
//!
//! A strength is two numbers. *Nodes* is how much of the tree a move may see (for each line of MultiPV); every
//! halving costs about the same number of Elo points. *Noise* is by how much, at most, each position is misjudged:
//! always by the same amount in one game, so that a weak player is consistent in his errors, and different in the next.
//! Nothing else changes: the search is the engine's own, so limits, searchmoves, MultiPV, pondering and tables
//! work as ever, mates in reach are found, and a limited search runs on one thread, for its nodes are all it has.
//! The ratings of the table were measured: docs/strength-levels.md.

use crate::search::limits::{Limits, Noise};

/// How strong to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// Nodes for each line of a move.
    pub nodes: u64,
    /// Greatest error of a static evaluation, centipawns.
    pub noise: i32,
}

/// A rating and what gives it; between the rows the noise and the logarithm of the nodes are interpolated.
const LEVELS: [(i64, Strength); 7] = [
    (800, Strength { nodes: 60, noise: 250 }),
    (1070, Strength { nodes: 100, noise: 150 }),
    (1410, Strength { nodes: 250, noise: 60 }),
    (1810, Strength { nodes: 1_000, noise: 25 }),
    (2090, Strength { nodes: 2_500, noise: 15 }),
    (2370, Strength { nodes: 6_000, noise: 10 }),
    (2620, Strength { nodes: 16_000, noise: 8 }),
];

/// The lowest rating that can be asked for.
pub const MIN_ELO: i64 = LEVELS[0].0;
/// The highest.
pub const MAX_ELO: i64 = LEVELS[LEVELS.len() - 1].0;
/// The `Skill Level` that is full strength.
pub const FULL_SKILL: i64 = 20;

impl Strength {
    /// Of a rating; outside the range that of its end.
    #[must_use]
    pub fn of_elo(elo: i64) -> Self {
        let elo = elo.clamp(MIN_ELO, MAX_ELO);
        let above = LEVELS.iter().position(|level| level.0 >= elo).unwrap_or(0).max(1);
        let ((low, from), (high, to)) = (LEVELS[above - 1], LEVELS[above]);
        let share = (elo - low) as f64 / (high - low) as f64;
        let between = |from: f64, to: f64| from + share * (to - from);
        Self {
            nodes: between((from.nodes as f64).ln(), (to.nodes as f64).ln()).exp().round() as u64,
            noise: between(from.noise.into(), to.noise.into()).round() as i32,
        }
    }

    /// Of a `Skill Level`: equal steps over the range of ratings; `None` is full strength.
    #[must_use]
    pub fn of_skill(level: i64) -> Option<Self> {
        (level < FULL_SKILL).then(|| Self::of_elo(MIN_ELO + (MAX_ELO - MIN_ELO) * level / FULL_SKILL))
    }

    /// The limits of a search of so many lines, weakened. Equal seeds make equal errors.
    #[must_use]
    pub fn weaken(self, limits: Limits, lines: usize, seed: u64) -> Limits {
        let nodes = self.nodes.saturating_mul(lines as u64);
        Limits {
            nodes: Some(limits.nodes.map_or(nodes, |asked| asked.min(nodes))),
            noise: Noise { most: self.noise, seed },
            ..limits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_rating_sees_more_and_errs_less() {
        let all: Vec<Strength> = (MIN_ELO..=MAX_ELO).map(Strength::of_elo).collect();
        assert!(all.windows(2).all(|pair| pair[0].nodes <= pair[1].nodes && pair[0].noise >= pair[1].noise));
        assert!(LEVELS.iter().all(|&(elo, strength)| Strength::of_elo(elo) == strength));
        assert!(LEVELS.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1.nodes < pair[1].1.nodes));
        assert_eq!((Strength::of_elo(0), Strength::of_elo(9999)), (all[0], all[all.len() - 1]));
        let skills: Vec<u64> = (0..FULL_SKILL).filter_map(Strength::of_skill).map(|strength| strength.nodes).collect();
        assert!(skills.len() == 20 && skills.windows(2).all(|pair| pair[0] < pair[1]), "{skills:?}");
        assert_eq!((Strength::of_skill(0), Strength::of_skill(FULL_SKILL)), (Some(all[0]), None));
    }

    #[test]
    fn a_stricter_limit_of_the_user_stays() {
        let strength = Strength { nodes: 100, noise: 30 };
        assert_eq!(strength.weaken(Limits::nodes(40), 1, 7).nodes, Some(40));
        assert_eq!(strength.weaken(Limits::nodes(4000), 3, 7).nodes, Some(300));
        let weak = strength.weaken(Limits::move_time(50), 1, 7);
        assert_eq!((weak.nodes, weak.move_time, weak.noise), (Some(100), Some(50), Noise { most: 30, seed: 7 }));
    }
}
