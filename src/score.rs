//! Scores of a search: centipawns, and mates as a distance from a bound.
//!
//! A score is seen from the side to move (negamax). `0` is a draw, 100 about a pawn. "Mate in n plies"
//! is `MATE - n`, so that shorter mates are better and a score alone says how far away the mate is; the
//! distance is counted from the root of the search, which is why the transposition table shifts it by
//! the ply of the node (`to_table`, `from_table`).
//! <https://www.chessprogramming.org/Score>, <https://www.chessprogramming.org/Checkmate>

/// A score in centipawns from the side to move, or a coded distance to mate (see [`mate_in`]).
/// Range: `-INFINITY..=INFINITY`.
pub type Score = i32;

/// No line of a search is longer than this many plies. 123 moves of mate fit the 8 bits that vampirc-uci has for them.
pub const MAX_PLY: usize = 246;

/// Larger than any score: the open end of a window.
pub const INFINITY: Score = 32_000;
/// The side to move mates at once; "mate in n plies" is `MATE - n`.
pub const MATE: Score = 31_500;
/// Scores at or beyond this magnitude are mates found by search.
pub const MATE_IN_MAX_PLY: Score = MATE - MAX_PLY as Score;
/// An endgame table says won: below every mate, above every evaluation.
pub const TABLE_WIN: Score = MATE_IN_MAX_PLY - 1;
/// Scores at or beyond this magnitude are proven wins (by mate or by table).
pub const TABLE_WIN_IN_MAX_PLY: Score = TABLE_WIN - MAX_PLY as Score;
/// The largest magnitude that a static evaluation may have.
pub const EVAL_LIMIT: Score = TABLE_WIN_IN_MAX_PLY - 1;
/// A draw.
pub const DRAW: Score = 0;

/// The side to move gives mate in `plies`.
#[must_use]
pub const fn mate_in(plies: usize) -> Score {
    MATE - plies as Score
}

/// The side to move is mated in `plies`.
#[must_use]
pub const fn mated_in(plies: usize) -> Score {
    plies as Score - MATE
}

/// Is this a mate score for either side?
#[must_use]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX_PLY
}

/// Is this a proven win or loss: a mate or a table result?
#[must_use]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TABLE_WIN_IN_MAX_PLY
}

/// Full moves to mate as UCI counts them: positive if the side to move gives mate, negative if it is
/// mated, `None` if the score is no mate score.
#[must_use]
pub const fn moves_to_mate(score: Score) -> Option<i32> {
    if score >= MATE_IN_MAX_PLY {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_IN_MAX_PLY {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}

/// A score as the transposition table keeps it: decisive scores count from the node, not from the root.
#[must_use]
pub const fn to_table(score: Score, ply: usize) -> Score {
    if score >= TABLE_WIN_IN_MAX_PLY {
        score + ply as Score
    } else if score <= -TABLE_WIN_IN_MAX_PLY {
        score - ply as Score
    } else {
        score
    }
}

/// The inverse of [`to_table`].
#[must_use]
pub const fn from_table(score: Score, ply: usize) -> Score {
    if score >= TABLE_WIN_IN_MAX_PLY {
        score - ply as Score
    } else if score <= -TABLE_WIN_IN_MAX_PLY {
        score + ply as Score
    } else {
        score
    }
}

/// What a search result says about the true value.
/// <https://www.chessprogramming.org/Node_Types>
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Bound {
    /// Nothing is known.
    #[default]
    None = 0,
    /// The value is at most the score (fail low, all-node).
    Upper = 1,
    /// The value is at least the score (fail high, cut-node).
    Lower = 2,
    /// The value is the score (PV-node).
    Exact = 3,
}

impl Bound {
    /// From the two lowest bits of a table entry.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            1 => Self::Upper,
            2 => Self::Lower,
            3 => Self::Exact,
            _ => Self::None,
        }
    }

    /// Does a search that returned `score` with this bound prove that the value is at least / at most
    /// `limit`, whichever side of it the score lies on?
    #[must_use]
    pub const fn allows_cutoff(self, score: Score, limit: Score) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= limit,
            Self::Upper => score < limit,
            Self::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(moves_to_mate(mate_in(1)), Some(1));
        assert_eq!(moves_to_mate(mate_in(3)), Some(2));
        assert_eq!(moves_to_mate(mated_in(0)), Some(0));
        assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
        assert_eq!(moves_to_mate(mated_in(4)), Some(-2));
        assert_eq!(moves_to_mate(mate_in(MAX_PLY)), Some(123));
        assert_eq!(moves_to_mate(EVAL_LIMIT), None);
    }

    #[test]
    fn table_scores_come_back_at_any_ply() {
        for ply in 0..MAX_PLY {
            for score in [-250, 0, 250, EVAL_LIMIT, -EVAL_LIMIT] {
                assert_eq!(to_table(score, ply), score);
            }
            // A mate seen at `ply` lies at least `ply` plies from the root.
            for score in [mate_in(ply), mated_in(ply), mate_in(MAX_PLY), mated_in(MAX_PLY)] {
                assert_eq!(from_table(to_table(score, ply), ply), score);
                assert!(to_table(score, ply).abs() <= MATE);
            }
        }
    }

    #[test]
    fn bounds_settle_their_own_side_only() {
        assert!(Bound::Lower.allows_cutoff(50, 40) && !Bound::Lower.allows_cutoff(30, 40));
        assert!(Bound::Upper.allows_cutoff(30, 40) && !Bound::Upper.allows_cutoff(50, 40));
        assert!(Bound::Exact.allows_cutoff(0, 40) && !Bound::None.allows_cutoff(0, 40));
    }
}
