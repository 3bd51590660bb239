//! Limits of a search: all parameters of `go`, which the protocol allows to be combined.

use shakmaty::{Color, Move};

use crate::score::Score;

/// Evaluation noise for limited playing strength.
///
/// An error of the static evaluation that depends only on the position and the seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// Largest error, centipawns, at most [`EVAL_LIMIT`](crate::score::EVAL_LIMIT); 0 for no noise.
    pub max: Score,
    /// Equal seeds give equal errors.
    pub seed: u64,
}

impl Noise {
    /// Returns the error for the position with this key; it has a triangular distribution around 0.
    #[must_use]
    pub fn of(self, key: u64) -> Score {
        if self.max == 0 {
            return 0;
        }
        // The halves of the hash are two independent numbers; their sum has a triangular distribution.
        let hash = crate::platform::hash::mix64(key ^ self.seed);
        let sum = i64::from(hash as u32 >> 1) + i64::from((hash >> 33) as u32) - i64::from(i32::MAX);
        (i64::from(self.max) * sum / i64::from(i32::MAX)) as Score
    }
}

/// The limits of one `go`; the search stops at the first one reached.
///
/// Fields may be added in a minor release: construct values with `..Limits::default()`.
///
/// ```
/// use aspirant::prelude::*;
///
/// let mut engine = Engine::builder().build()?;
/// // At most 6 plies, and at most 100 ms.
/// let limits = Limits { depth: Some(6), move_time: Some(100), ..Limits::default() };
/// assert!((1..=6).contains(&engine.search(limits).depth));
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Root moves to search (`searchmoves`); empty for all.
    ///
    /// Illegal moves are ignored. If no legal one is left, the search ends without a best move.
    pub search_moves: Vec<Move>,
    /// Search on the opponent's time; the best move is not reported before `ponderhit` or `stop`.
    ///
    /// The hard time limit counts from `ponderhit`. The soft limit also counts the time before, so the search may end at
    /// `ponderhit`.
    pub ponder: bool,
    /// Do not report the best move before `stop`.
    pub infinite: bool,
    /// White's remaining time, ms; may be negative.
    pub white_time: Option<i64>,
    /// Black's remaining time, ms; may be negative.
    pub black_time: Option<i64>,
    /// White's increment per move, ms.
    pub white_increment: Option<i64>,
    /// Black's increment per move, ms.
    pub black_increment: Option<i64>,
    /// Moves to the next time control; 0 counts as not given, more than 50 as 50.
    pub moves_to_go: Option<u32>,
    /// Maximum depth, plies; clamped to 1 to 245.
    pub depth: Option<u32>,
    /// Maximum number of nodes of all threads.
    ///
    /// Exact with one thread. Several threads exceed it by some hundred nodes each; with `infinite` or `ponder`, all but
    /// the first continue until `stop`.
    pub nodes: Option<u64>,
    /// Number of nodes of all threads after which no further iteration is started.
    ///
    /// Not part of the protocol. Each result is then that of a completed iteration, which is a better training label
    /// than that of an interrupted one.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in at most this many full moves is found, for either side.
    ///
    /// Checked after each iteration.
    pub mate: Option<u32>,
    /// Time for this move, ms, from which `Move Overhead` is subtracted; values below 1 count as 1.
    pub move_time: Option<i64>,
    /// Evaluation noise for limited playing strength. Not part of the protocol.
    ///
    /// Call [`Engine::new_game`](crate::engine::Engine::new_game) when it changes: the TT contains scores with the
    /// former noise.
    pub noise: Noise,
}

impl Limits {
    /// Returns limits with only a maximum depth.
    #[must_use]
    pub fn depth(plies: u32) -> Self {
        Self { depth: Some(plies), ..Self::default() }
    }

    /// Returns limits with only a maximum number of nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Returns limits with the remaining time of each side and the increment per move of both, in ms.
    ///
    /// The engine decides how much of it to use.
    ///
    /// ```
    /// use aspirant::search::limits::Limits;
    ///
    /// // White has 60 s, Black 58 s; 40 moves are to be made in this time.
    /// let limits = Limits { moves_to_go: Some(40), ..Limits::clock(60_000, 58_000, 500) };
    /// assert!(limits.has_clock());
    /// ```
    #[must_use]
    pub fn clock(white_time: i64, black_time: i64, increment: i64) -> Self {
        Self {
            white_time: Some(white_time),
            black_time: Some(black_time),
            white_increment: Some(increment),
            black_increment: Some(increment),
            ..Self::default()
        }
    }

    /// Returns limits of a search that ends only at [`stop`](crate::engine::Engine::stop).
    #[must_use]
    pub fn infinite() -> Self {
        Self { infinite: true, ..Self::default() }
    }

    /// Returns limits with only a time per move, ms.
    #[must_use]
    pub fn move_time(milliseconds: i64) -> Self {
        Self { move_time: Some(milliseconds), ..Self::default() }
    }

    /// Returns whether a limit can end the search without `stop`.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        let counted = self.depth.is_some() || self.nodes.is_some() || self.mate.is_some() || self.soft_nodes.is_some();
        !self.infinite && !self.ponder && (counted || self.move_time.is_some() || self.has_clock())
    }

    /// Returns whether the move is played with a clock.
    ///
    /// A clock of the opponent or an increment is enough. An increment of zero together with another limit does not
    /// count, since some programs always send it.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        let increments = [self.white_increment, self.black_increment];
        let nothing_else = self.move_time.is_none()
            && self.depth.is_none()
            && self.nodes.is_none()
            && self.soft_nodes.is_none()
            && self.mate.is_none();
        self.white_time.is_some()
            || self.black_time.is_some()
            || increments.iter().flatten().any(|&increment| increment > 0 || nothing_else)
    }

    /// Returns time and increment of one side, ms.
    #[must_use]
    pub fn clock_of(&self, side: Color) -> (Option<i64>, Option<i64>) {
        side.fold_wb((self.white_time, self.white_increment), (self.black_time, self.black_increment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_nodes_are_a_limit() {
        assert!(!Limits::default().is_bounded());
        assert!(Limits { soft_nodes: Some(5000), ..Limits::default() }.is_bounded());
        // Together with another limit, zero increments are no clock.
        let increments = Limits { white_increment: Some(0), black_increment: Some(0), ..Limits::default() };
        assert!(increments.has_clock());
        assert!(!Limits { soft_nodes: Some(5000), ..increments }.has_clock());
    }

    #[test]
    fn noise_is_bounded_centered_and_depends_on_the_seed() {
        let noise = Noise { max: 100, seed: 3 };
        let errors: Vec<i64> = (0..20_000).map(|key| i64::from(noise.of(key))).collect();
        assert!(errors.iter().all(|error| error.abs() <= 100) && errors.iter().any(|error| error.abs() > 90));
        let mean = errors.iter().sum::<i64>() as f64 / errors.len() as f64;
        let small = errors.iter().filter(|error| error.abs() <= 50).count();
        // Of a triangular distribution, three quarters lie within half of its range.
        assert!(mean.abs() < 2.0 && (14_500..15_500).contains(&small), "{mean} {small}");
        let other = Noise { seed: 4, ..noise };
        assert!((0..100).any(|key| noise.of(key) != other.of(key)));
        assert!((0..100).all(|key| Noise::default().of(key) == 0));
    }
}
