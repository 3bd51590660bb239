//! A complete UCI engine of your own: name, evaluator and option, with the search and protocol of this library.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use aspirant::board::position::Position;
use aspirant::engine::{BuildError, Engine, ExtraOption};
use aspirant::eval::Evaluator;
use aspirant::score::Score;
use aspirant::shakmaty::{Color, Move, Position as _, Role};

/// Material and mobility. The clones in the search threads share the weight, which is an option.
#[derive(Clone)]
struct Mobility {
    weight: Arc<AtomicI32>,
}

impl Mobility {
    fn material(position: &Position, color: Color) -> Score {
        let count = |role: Role| position.board().by_piece(role.of(color)).count() as Score;
        100 * count(Role::Pawn)
            + 300 * count(Role::Knight)
            + 320 * count(Role::Bishop)
            + 500 * count(Role::Rook)
            + 900 * count(Role::Queen)
    }
}

impl Evaluator for Mobility {
    type Acc = ();

    fn refresh(&self, _position: &Position) {}

    fn apply(&self, _acc: &(), _position: &Position, _m: Move) {}

    fn score(&self, _acc: &(), position: &Position) -> Score {
        let (us, moves) = (position.turn(), position.chess().legal_moves().len() as Score);
        let material = Self::material(position, us) - Self::material(position, !us);
        material + self.weight.load(Relaxed) * moves
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    let weight = Arc::new(AtomicI32::new(3));
    let option = ExtraOption::spin("Mobility Weight", 3, 0..=20);
    let option = option.on_change({
        let weight = Arc::clone(&weight);
        move |value| weight.store(value.as_integer().unwrap_or(3) as i32, Relaxed)
    });
    let builder = Engine::builder().name("Mobility").author("Me").version("1.0");
    builder.evaluator(Mobility { weight }).option(option).build()
}

pub fn main() -> std::io::Result<()> {
    // Arguments are UCI commands, one per argument. OpenBench runs the program with `bench`, which must terminate.
    let mut commands: Vec<String> = std::env::args().skip(1).collect();
    if commands == ["bench"] {
        commands.push("quit".into());
    }
    aspirant::uci::run_with(engine()?, &commands)
}
