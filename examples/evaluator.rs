//! An evaluator of your own: material and mobility, in place of the tables.
//!
//! The accumulator is what a move changes only a little; here there is none, and everything is counted anew at
//! each leaf. `Engine::with_evaluator` takes any evaluator, and all of the search works with it.

use aspirant::board::position::Position;
use aspirant::engine::Engine;
use aspirant::eval::Evaluator;
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use shakmaty::{Color, Move, Position as _, Role};

#[derive(Clone)]
struct Mobility;

impl Mobility {
    fn side(position: &Position, color: Color) -> Score {
        let count = |role: Role| position.board().by_piece(role.of(color)).count() as Score;
        let value =
            [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 320), (Role::Rook, 500), (Role::Queen, 900)];
        value.into_iter().map(|(role, worth)| worth * count(role)).sum()
    }
}

impl Evaluator for Mobility {
    type Acc = ();

    fn refresh(&self, _position: &Position) {}

    fn apply(&self, _acc: &(), _position: &Position, _m: Move) {}

    fn score(&self, _acc: &(), position: &Position) -> Score {
        let (us, moves) = (position.turn(), position.chess().legal_moves().len() as Score);
        Self::side(position, us) - Self::side(position, !us) + 3 * moves
    }
}

pub fn main() {
    let mut engine = Engine::with_evaluator(Default::default(), Mobility).expect("a thread for the search");
    let answer = engine.search(Limits::depth(5));
    println!("{}", answer.best.expect("a move"));
}
