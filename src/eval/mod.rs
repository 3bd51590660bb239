//! Static evaluation: what a position is worth without looking further.
//!
//! An evaluator keeps an *accumulator*: the part of its sum that a move changes only a little. The search
//! carries one accumulator per ply and updates it with each move instead of summing over the board at
//! every leaf. The searcher is generic over [`Evaluator`], so a second evaluator costs nothing at run
//! time: write one file beside `pst.rs` and name its type where `engine.rs` names [`pst::Pst`].
//! <https://www.chessprogramming.org/Evaluation>, <https://www.chessprogramming.org/Incremental_Updates>

pub mod material;
pub mod pst;
pub mod weights;

use shakmaty::Move;

use crate::board::position::Position;
use crate::score::Score;

/// A static evaluation with an incremental part.
pub trait Evaluator: Clone + Send + 'static {
    /// The incremental part: copied at every ply, so keep it small.
    type Acc: Copy + Send;

    /// The accumulator of a position, from scratch.
    fn refresh(&self, position: &Position) -> Self::Acc;

    /// The accumulator after `m` is played in `position`, to which `acc` belongs.
    fn apply(&self, acc: &Self::Acc, position: &Position, m: Move) -> Self::Acc;

    /// The value in centipawns from the side to move, within `±EVAL_LIMIT`.
    fn score(&self, acc: &Self::Acc, position: &Position) -> Score;

    /// The value of a position, from scratch.
    fn evaluate(&self, position: &Position) -> Score {
        self.score(&self.refresh(position), position)
    }
}
