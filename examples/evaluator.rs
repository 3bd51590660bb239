//! Custom evaluator: material and mobility instead of piece-square tables.
//!
//! An accumulator would be updated incrementally with each move; this evaluator has none and computes everything at
//! each node it evaluates. `Engine::with_evaluator` accepts any evaluator.

use aspirant::board::position::Position;
use aspirant::engine::Engine;
use aspirant::eval::Evaluator;
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::shakmaty::{Color, Move, Position as _, Role};

#[derive(Clone)]
struct Mobility;

impl Mobility {
    fn material(position: &Position, color: Color) -> Score {
        let count = |role: Role| position.board().by_piece(role.of(color)).count() as Score;
        let values =
            [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 320), (Role::Rook, 500), (Role::Queen, 900)];
        values.into_iter().map(|(role, value)| value * count(role)).sum()
    }
}

impl Evaluator for Mobility {
    type Acc = ();

    fn refresh(&self, _position: &Position) {}

    fn apply(&self, _acc: &(), _position: &Position, _m: Move) {}

    fn score(&self, _acc: &(), position: &Position) -> Score {
        let (us, moves) = (position.turn(), position.chess().legal_moves().len() as Score);
        Self::material(position, us) - Self::material(position, !us) + 3 * moves
    }
}

pub fn main() {
    let mut engine = Engine::with_evaluator(Default::default(), Mobility).expect("start the search thread");
    let result = engine.search(Limits::depth(5));
    println!("{}", result.best_move.expect("a legal move"));
}
