//! What bounds one search: every parameter of `go`, because the protocol lets them combine.

use shakmaty::{Color, Move};

use crate::score::Score;

/// Errors of judgement, for playing below full strength: a static evaluation is off by an amount that depends on the
/// position and the seed alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// The greatest error, centipawns; 0 for none.
    pub most: Score,
    /// Equal seeds make equal errors.
    pub seed: u64,
}

impl Noise {
    /// The error for the position with this key: small ones are more frequent than large ones.
    #[must_use]
    pub fn of(self, key: u64) -> Score {
        if self.most == 0 {
            return 0;
        }
        // The finalizer of SplitMix64 gives two independent numbers, and their sum a triangle.
        let mut hash = key ^ self.seed;
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
        let sum = i64::from(hash as u32 >> 1) + i64::from((hash >> 33) as u32) - i64::from(i32::MAX);
        (i64::from(self.most) * sum / i64::from(i32::MAX)) as Score
    }
}

/// All limits of a `go`; the search stops at whichever is reached first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Search these root moves only; empty: all.
    pub search_moves: Vec<Move>,
    /// Think on the opponent's time: no clock runs until `ponderhit`.
    pub ponder: bool,
    /// Do not answer before `stop`.
    pub infinite: bool,
    /// Time left for white and for black, milliseconds; may be negative.
    pub white_time: Option<i64>,
    /// See [`Limits::white_time`].
    pub black_time: Option<i64>,
    /// Increment per move, milliseconds.
    pub white_increment: Option<i64>,
    /// See [`Limits::white_increment`].
    pub black_increment: Option<i64>,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Iterations, plies.
    pub depth: Option<u32>,
    /// Nodes, over all threads.
    pub nodes: Option<u64>,
    /// Nodes after which no further iteration is begun: every answer is that of a complete iteration, which
    /// makes better labels for learning than a search cut off anywhere. Not part of the protocol.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in at most this many moves is proven.
    pub mate: Option<u32>,
    /// Time for this move, milliseconds.
    pub move_time: Option<i64>,
    /// Errors to make, for playing below full strength. Not part of the protocol.
    pub noise: Noise,
}

impl Limits {
    /// Only a depth.
    #[must_use]
    pub fn depth(plies: u32) -> Self {
        Self { depth: Some(plies), ..Self::default() }
    }

    /// Only a number of nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Only a time, milliseconds.
    #[must_use]
    pub fn move_time(milliseconds: i64) -> Self {
        Self { move_time: Some(milliseconds), ..Self::default() }
    }

    /// Does anything but `stop` end such a search?
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        let counted = self.depth.is_some() || self.nodes.is_some() || self.mate.is_some() || self.soft_nodes.is_some();
        !self.infinite && !self.ponder && (counted || self.move_time.is_some() || self.has_clock())
    }

    /// Is this a move of a game with clocks? A clock that names only the other side, or only an increment, says so; an
    /// increment of nothing beside other limits does not: some programs always send it.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        let increments = [self.white_increment, self.black_increment];
        let nothing_else =
            self.move_time.is_none() && self.depth.is_none() && self.nodes.is_none() && self.mate.is_none();
        self.white_time.is_some()
            || self.black_time.is_some()
            || increments.iter().flatten().any(|&increment| increment > 0 || nothing_else)
    }

    /// Time and increment of one side.
    #[must_use]
    pub fn clock(&self, side: Color) -> (Option<i64>, Option<i64>) {
        side.fold_wb((self.white_time, self.white_increment), (self.black_time, self.black_increment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_bounded_centered_and_follow_the_seed() {
        let noise = Noise { most: 100, seed: 3 };
        let errors: Vec<i64> = (0..20_000).map(|key| i64::from(noise.of(key))).collect();
        assert!(errors.iter().all(|error| error.abs() <= 100) && errors.iter().any(|error| error.abs() > 90));
        let mean = errors.iter().sum::<i64>() as f64 / errors.len() as f64;
        let small = errors.iter().filter(|error| error.abs() <= 50).count();
        // Three quarters of a triangle lie within half of its reach.
        assert!(mean.abs() < 2.0 && (14_500..15_500).contains(&small), "{mean} {small}");
        let other = Noise { seed: 4, ..noise };
        assert!((0..100).any(|key| noise.of(key) != other.of(key)));
        assert!((0..100).all(|key| Noise::default().of(key) == 0));
    }
}
