//! Limited playing strength (`UCI_LimitStrength`, `Skill Level`): node limit and evaluation noise.
//!
//! A strength level consists of two numbers. *Nodes* is the node limit of each move, per PV (MultiPV); every halving
//! costs about the same number of Elo points. *Noise* is the maximum evaluation error. The error of a position is
//! constant within a game, for consistent play, and differs in the next game. The search itself is unchanged: limits,
//! `searchmoves`, MultiPV, pondering and tablebases work as usual, and mates within the node limit are found. Against a
//! bare king, the node limit is higher, because players of these ratings give elementary mates. A limited search uses
//! one thread, because further threads would share the same node limit. The ratings were measured (results/levels.csv).

use crate::search::limits::{Limits, Noise};

/// Limited playing strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Strength {
    /// Node limit per PV (MultiPV).
    pub nodes: u64,
    /// Maximum error of a static evaluation, in centipawns.
    pub noise: i32,
}

/// Measured ratings; between the rows, noise and the logarithm of the nodes are interpolated linearly.
const LEVELS: [(i64, Strength); 9] = [
    (400, Strength { nodes: 12, noise: 800 }),
    (700, Strength { nodes: 32, noise: 450 }),
    (1030, Strength { nodes: 60, noise: 250 }),
    (1300, Strength { nodes: 100, noise: 150 }),
    (1650, Strength { nodes: 250, noise: 60 }),
    (1970, Strength { nodes: 1_000, noise: 25 }),
    (2300, Strength { nodes: 2_500, noise: 15 }),
    (2540, Strength { nodes: 6_000, noise: 10 }),
    (2720, Strength { nodes: 16_000, noise: 8 }),
];

/// Against a bare king, the node limit is multiplied by [`BARE_KING_FACTOR`], up to this many nodes.
const BARE_KING_NODES: u64 = 40_000;
/// Enough for the mates with a queen or a rook at 1300, where the search of the usual node limit is too short to see them.
const BARE_KING_FACTOR: u64 = 160;

/// Minimum of `UCI_Elo`.
pub const MIN_ELO: i64 = LEVELS[0].0;
/// Maximum of `UCI_Elo`.
pub const MAX_ELO: i64 = LEVELS[LEVELS.len() - 1].0;
/// `Skill Level` of full strength.
pub const MAX_SKILL_LEVEL: i64 = 20;

impl Strength {
    /// Returns the strength for a rating, clamped to [`MIN_ELO`] to [`MAX_ELO`].
    #[must_use]
    pub fn from_elo(elo: i64) -> Self {
        let elo = elo.clamp(MIN_ELO, MAX_ELO);
        let above = LEVELS.iter().position(|level| level.0 >= elo).unwrap_or(0).max(1);
        let ((low, from), (high, to)) = (LEVELS[above - 1], LEVELS[above]);
        let fraction = (elo - low) as f64 / (high - low) as f64;
        let interpolate = |from: f64, to: f64| from + fraction * (to - from);
        Self {
            nodes: interpolate((from.nodes as f64).ln(), (to.nodes as f64).ln()).exp().round() as u64,
            noise: interpolate(from.noise.into(), to.noise.into()).round() as i32,
        }
    }

    /// Returns the strength for a `Skill Level`, or `None` for full strength.
    ///
    /// Lower levels map linearly onto the range of ratings.
    #[must_use]
    pub fn from_skill_level(level: i64) -> Option<Self> {
        (level < MAX_SKILL_LEVEL).then(|| Self::from_elo(MIN_ELO + (MAX_ELO - MIN_ELO) * level / MAX_SKILL_LEVEL))
    }

    /// Returns the strength in a position in which the opponent has only the king.
    #[must_use]
    pub fn against_bare_king(self) -> Self {
        let nodes = self.nodes.max(BARE_KING_NODES.min(self.nodes * BARE_KING_FACTOR));
        Self { nodes, noise: self.noise }
    }

    /// Returns `limits` reduced to this strength for a search with `multi_pv` PVs.
    ///
    /// Equal seeds give equal evaluation errors.
    #[must_use]
    pub fn apply_to(self, limits: Limits, multi_pv: usize, seed: u64) -> Limits {
        let nodes = self.nodes.saturating_mul(multi_pv as u64);
        Limits {
            nodes: Some(limits.nodes.map_or(nodes, |requested| requested.min(nodes))),
            noise: Noise { max: self.noise, seed },
            ..limits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_ratings_have_more_nodes_and_less_noise() {
        let all: Vec<Strength> = (MIN_ELO..=MAX_ELO).map(Strength::from_elo).collect();
        assert!(all.windows(2).all(|pair| pair[0].nodes <= pair[1].nodes && pair[0].noise >= pair[1].noise));
        assert!(LEVELS.iter().all(|&(elo, strength)| Strength::from_elo(elo) == strength));
        assert!(LEVELS.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1.nodes < pair[1].1.nodes));
        assert_eq!((Strength::from_elo(0), Strength::from_elo(9999)), (all[0], all[all.len() - 1]));
        let skills: Vec<u64> =
            (0..MAX_SKILL_LEVEL).filter_map(Strength::from_skill_level).map(|strength| strength.nodes).collect();
        assert!(skills.len() == 20 && skills.windows(2).all(|pair| pair[0] < pair[1]), "{skills:?}");
        assert_eq!((Strength::from_skill_level(0), Strength::from_skill_level(MAX_SKILL_LEVEL)), (Some(all[0]), None));
    }

    #[test]
    fn stricter_user_limits_are_kept() {
        let strength = Strength { nodes: 100, noise: 30 };
        assert_eq!(strength.apply_to(Limits::nodes(40), 1, 7).nodes, Some(40));
        assert_eq!(strength.apply_to(Limits::nodes(4000), 3, 7).nodes, Some(300));
        let weak = strength.apply_to(Limits::move_time(50), 1, 7);
        assert_eq!((weak.nodes, weak.move_time, weak.noise), (Some(100), Some(50), Noise { max: 30, seed: 7 }));
    }
}
