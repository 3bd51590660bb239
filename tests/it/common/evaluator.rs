//! An evaluator for tests that need particular scores.

use aspirant::board::position::Position;
use aspirant::eval::Evaluator;
use aspirant::score::Score;
use shakmaty::Move;

/// Evaluates every position with the given function.
///
/// The search is compiled anew for every type of evaluator, which takes seconds; this one type serves all tests.
#[derive(Clone, Debug)]
pub struct FnEvaluator(pub fn(&Position) -> Score);

impl Evaluator for FnEvaluator {
    type Acc = ();

    fn refresh(&self, _position: &Position) {}

    fn apply(&self, _acc: &(), _position: &Position, _m: Move) {}

    fn score(&self, _acc: &(), position: &Position) -> Score {
        self.0(position)
    }
}

/// An evaluator that panics whenever it is asked for a score.
pub const PANICKING: FnEvaluator = FnEvaluator(|_| panic!("a defect of the evaluator"));
