//! Search scores: centipawns, mate distances and tablebase results in one integer.
//!
//! A score is from the point of view of the side to move (negamax): 0 is a draw, 100 is about one pawn. "Mate in
//! n plies" is `MATE - n`, so shorter mates score higher and a score includes the distance to mate. The distance is
//! counted from the root; the transposition table stores it relative to the node (`score_to_tt`, `score_from_tt`).
//! <https://www.chessprogramming.org/Score>, <https://www.chessprogramming.org/Checkmate>

use std::fmt;

/// Score for the side to move, in centipawns or as an encoded mate distance (see [`mate_in`]).
///
/// Range: `-INFINITY..=INFINITY`.
pub type Score = i32;

/// Maximum ply of a search. Mates are at most 123 moves away, which fits the `i8` of vampirc-uci.
pub const MAX_PLY: usize = 246;

/// Bound above every score, for open windows.
pub const INFINITY: Score = 32_000;
/// Base of mate scores: "mate in n plies" is `MATE - n`.
pub const MATE: Score = 31_500;
/// Scores of at least this magnitude are mates found by the search.
pub const MATE_IN_MAX_PLY: Score = MATE - MAX_PLY as Score;
/// Tablebase win at the root: below every mate score, above every evaluation.
pub const TB_WIN: Score = MATE_IN_MAX_PLY - 1;
/// Scores of at least this magnitude are proven wins or losses (mate or tablebase).
pub const TB_WIN_IN_MAX_PLY: Score = TB_WIN - MAX_PLY as Score;
/// Maximum magnitude of a static evaluation.
pub const EVAL_LIMIT: Score = TB_WIN_IN_MAX_PLY - 1;
/// Score of a draw.
pub const DRAW: Score = 0;

/// Returns the score for giving mate in `plies`.
#[must_use]
pub const fn mate_in(plies: usize) -> Score {
    MATE - plies as Score
}

/// Returns the score for being mated in `plies`.
#[must_use]
pub const fn mated_in(plies: usize) -> Score {
    plies as Score - MATE
}

/// Returns whether this is a mate score for either side.
#[must_use]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX_PLY
}

/// Returns whether this is a proven win or loss: a mate or a tablebase result.
#[must_use]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TB_WIN_IN_MAX_PLY
}

/// Returns the full moves to mate as in [`UciScore::Mate`], or `None` if this is not a mate score.
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

/// Score in the units of UCI: centipawns or moves to mate, from the point of view of the side to move.
///
/// It prints in pawns and as `#N` for a mate in N moves, as in a GUI.
///
/// ```
/// use aspirant::score::{UciScore, mated_in};
///
/// let texts = [UciScore::new(35), UciScore::new(mated_in(6))].map(|score| score.to_string());
/// assert_eq!(texts, ["+0.35", "#-3"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UciScore {
    /// Centipawns; a tablebase win or loss is more than [`EVAL_LIMIT`] away from 0.
    Cp(i32),
    /// Full moves to mate: positive if the side to move gives mate, 0 or negative if it is mated.
    Mate(i32),
}

impl UciScore {
    /// Converts a score of the search.
    #[must_use]
    pub const fn new(score: Score) -> Self {
        match moves_to_mate(score) {
            Some(moves) => Self::Mate(moves),
            None => Self::Cp(score),
        }
    }

    /// Returns the score from the point of view of the other side.
    ///
    /// `Mate(0)` stays `Mate(0)`: it does not contain which side is checkmated.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Cp(centipawns) => Self::Cp(-centipawns),
            Self::Mate(moves) => Self::Mate(-moves),
        }
    }
}

impl fmt::Display for UciScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::Cp(centipawns) => format!("{:+.2}", f64::from(*centipawns) / 100.0),
            Self::Mate(moves) => format!("#{moves}"),
        })
    }
}

/// Converts a score for the transposition table: decisive scores become relative to the node at `ply`.
#[must_use]
pub(crate) const fn score_to_tt(score: Score, ply: usize) -> Score {
    if score >= TB_WIN_IN_MAX_PLY {
        score + ply as Score
    } else if score <= -TB_WIN_IN_MAX_PLY {
        score - ply as Score
    } else {
        score
    }
}

/// Converts a score from the transposition table to one that counts from the root; the inverse of [`score_to_tt`].
///
/// `plies_to_draw`: plies from the node to the fifty-move draw. A mate or a tablebase win that comes later was found
/// with a lower halfmove clock. It is not proven here and becomes the largest score that is not decisive.
#[must_use]
pub(crate) const fn score_from_tt(score: Score, ply: usize, plies_to_draw: u32) -> Score {
    if !is_decisive(score) {
        return score;
    }
    let distance = if is_mate(score) { MATE - score.abs() } else { TB_WIN - score.abs() };
    if distance > plies_to_draw as Score {
        return EVAL_LIMIT * score.signum();
    }
    score - ply as Score * score.signum()
}

/// Type of bound that a score is on the true value of a node.
/// <https://www.chessprogramming.org/Node_Types>
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Bound {
    /// No score.
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
    /// Decodes the two lowest bits of a TT entry.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            1 => Self::Upper,
            2 => Self::Lower,
            3 => Self::Exact,
            _ => Self::None,
        }
    }

    /// Returns whether `score` with this bound proves on which side of `limit` the value is.
    ///
    /// With `limit` as beta of a zero window, a TT entry then allows a cutoff.
    #[must_use]
    pub(crate) const fn allows_cutoff(self, score: Score, limit: Score) -> bool {
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
    fn moves_to_mate_counts_full_moves() {
        assert_eq!(moves_to_mate(mate_in(1)), Some(1));
        assert_eq!(moves_to_mate(mate_in(3)), Some(2));
        assert_eq!(moves_to_mate(mated_in(0)), Some(0));
        assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
        assert_eq!(moves_to_mate(mated_in(4)), Some(-2));
        assert_eq!(moves_to_mate(mate_in(MAX_PLY)), Some(123));
        assert_eq!(moves_to_mate(EVAL_LIMIT), None);
    }

    #[test]
    fn uci_score_is_centipawns_or_moves_to_mate() {
        for score in [0, -12, EVAL_LIMIT, TB_WIN, -TB_WIN] {
            assert_eq!(UciScore::new(score), UciScore::Cp(score));
        }
        assert_eq!(UciScore::new(mate_in(3)), UciScore::Mate(2));
        assert_eq!(UciScore::new(mated_in(4)), UciScore::Mate(-2));
        assert_eq!(UciScore::new(mated_in(0)), UciScore::Mate(0));
        assert_eq!(UciScore::new(mated_in(4)).negated(), UciScore::new(mate_in(3)));
        assert_eq!(UciScore::Cp(-30).negated(), UciScore::Cp(30));
        let texts = [0, -7, 1234].map(|score| format!("{:>7}", UciScore::new(score)));
        assert_eq!(texts, ["  +0.00", "  -0.07", " +12.34"]);
    }

    #[test]
    fn tt_score_conversion_round_trips_at_every_ply() {
        for ply in 0..MAX_PLY {
            for score in [-250, 0, 250, EVAL_LIMIT, -EVAL_LIMIT] {
                assert_eq!(score_to_tt(score, ply), score);
            }
            // A mate found at `ply` is at least `ply` plies from the root.
            for score in [mate_in(ply), mated_in(ply), mate_in(MAX_PLY), mated_in(MAX_PLY)] {
                assert_eq!(score_from_tt(score_to_tt(score, ply), ply, MAX_PLY as u32), score);
                assert!(score_to_tt(score, ply).abs() <= MATE);
            }
        }
    }

    #[test]
    fn mates_and_tablebase_wins_after_the_fifty_move_draw_are_not_decisive() {
        let (ply, plies_to_draw) = (3, 8);
        for base in [MATE, TB_WIN] {
            for distance in 0..20 {
                // The distance from the root is three plies longer than that from the node.
                let score = base - (distance + ply) as Score;
                let expected = if distance <= plies_to_draw { score } else { EVAL_LIMIT };
                let from_tt = |score| score_from_tt(score_to_tt(score, ply), ply, plies_to_draw as u32);
                assert_eq!((from_tt(score), from_tt(-score)), (expected, -expected), "{distance}");
            }
        }
        assert_eq!(score_from_tt(EVAL_LIMIT, ply, 0), EVAL_LIMIT);
    }

    #[test]
    fn bounds_allow_cutoffs_on_their_own_side_only() {
        assert!(Bound::Lower.allows_cutoff(50, 40) && !Bound::Lower.allows_cutoff(30, 40));
        assert!(Bound::Upper.allows_cutoff(30, 40) && !Bound::Upper.allows_cutoff(50, 40));
        assert!(Bound::Exact.allows_cutoff(0, 40) && !Bound::None.allows_cutoff(0, 40));
    }
}
