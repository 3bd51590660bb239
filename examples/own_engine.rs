//! A complete UCI engine of your own: name, evaluator and option, with the search and protocol of this library.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use aspirant::prelude::*;

/// Material and mobility. The clones in the search threads share the weight, which is an option.
#[derive(Clone)]
struct Mobility {
    weight: Arc<AtomicI32>,
}

impl SimpleEvaluator for Mobility {
    fn evaluate(&mut self, position: &Position) -> Score {
        let material = |color: Color| {
            let n = position.board().material_side(color).map(Score::from);
            100 * n.pawn + 300 * n.knight + 320 * n.bishop + 500 * n.rook + 900 * n.queen
        };
        let moves = position.legal_moves().len() as Score;
        material(position.turn()) - material(!position.turn()) + self.weight.load(Relaxed) * moves
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    let weight = Arc::new(AtomicI32::new(3));
    let option = ExtraOption::spin("Mobility Weight", 3, 0..=20);
    let option = option.on_change({
        let weight = Arc::clone(&weight);
        move |value| {
            weight.store(value.as_integer().unwrap_or(3) as i32, Relaxed);
            Ok(())
        }
    });
    let builder = Engine::builder().name("Mobility").author("Me").version("1.0");
    builder.evaluator(Mobility { weight }).option(option).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
