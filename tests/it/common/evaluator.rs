//! An evaluator for tests that need particular scores.

use aspirant::board::position::Position;
use aspirant::eval::SimpleEvaluator;
use aspirant::score::Score;

/// Evaluates every position with the given function.
///
/// The search is compiled anew for every type of evaluator, which takes seconds; this one type serves all tests.
#[derive(Clone, Debug)]
pub struct FnEvaluator(pub fn(&Position) -> Score);

impl SimpleEvaluator for FnEvaluator {
    fn evaluate(&mut self, position: &Position) -> Score {
        self.0(position)
    }
}

/// An evaluator that panics whenever it is asked for a score.
pub const PANICKING: FnEvaluator = FnEvaluator(|_| panic!("a defect of the evaluator"));
