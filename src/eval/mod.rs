//! Static evaluation: the [`Evaluator`] trait and the default evaluator.
//!
//! An evaluator has an *accumulator*: sums over the pieces that each move changes only slightly. The search
//! keeps one accumulator per ply and updates it with each move instead of summing over the board at
//! every leaf. The searcher is generic over [`Evaluator`], so other evaluators have no run-time overhead:
//! add a file next to `pst.rs` and replace [`pst::Pst`] in `engine.rs`.
//! <https://www.chessprogramming.org/Evaluation>, <https://www.chessprogramming.org/Incremental_Updates>

pub mod material;
pub mod pst;
pub mod weights;

use shakmaty::Move;

use crate::board::position::Position;
use crate::score::Score;

/// Middlegame and endgame value, packed into one integer.
///
/// One instruction adds or subtracts both.
/// <https://www.chessprogramming.org/Tapered_Eval>
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaperedScore(i32);

impl TaperedScore {
    /// Creates a score from both values in centipawns, each within ±32767.
    #[must_use]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16) + middlegame)
    }

    /// Middlegame value.
    #[must_use]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// Endgame value, with the borrow of a negative middlegame value compensated.
    #[must_use]
    pub const fn endgame(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }
}

/// Static evaluation with an incrementally updated accumulator.
pub trait Evaluator: Clone + Send + 'static {
    /// Accumulator type; copied at every ply, so it should be small.
    type Acc: Copy + Send;

    /// Computes the accumulator of a position from scratch.
    fn refresh(&self, position: &Position) -> Self::Acc;

    /// Returns the accumulator after the move `m` in `position`, whose accumulator is `acc`.
    fn apply(&self, acc: &Self::Acc, position: &Position, m: Move) -> Self::Acc;

    /// Returns the evaluation for the side to move, in centipawns within `±EVAL_LIMIT`.
    fn score(&self, acc: &Self::Acc, position: &Position) -> Score;

    /// Evaluates a position from scratch.
    fn evaluate(&self, position: &Position) -> Score {
        self.score(&self.refresh(position), position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tapered_score_keeps_both_values() {
        for mg in [-3000, -1, 0, 1, 3000] {
            for eg in [-3000, -1, 0, 1, 3000] {
                let score = TaperedScore::new(mg, eg);
                assert_eq!((score.middlegame(), score.endgame()), (mg, eg));
            }
        }
    }
}
