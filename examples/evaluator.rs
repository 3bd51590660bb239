//! A complete UCI engine with your own evaluator in one method: material, and pieces near the center.

use aspirant::prelude::*;

#[derive(Clone)]
struct Center;

impl SimpleEvaluator for Center {
    fn evaluate(&mut self, position: &Position) -> Score {
        let value = |(square, piece): (Square, Piece)| {
            let material = [100, 310, 320, 500, 900, 0][piece.role as usize - 1];
            let (file, rank) = (square.file() as Score, square.rank() as Score);
            // 0 on the central squares, 6 in the corners.
            let distance = (2 * file - 7).abs() / 2 + (2 * rank - 7).abs() / 2;
            piece.color.fold_wb(1, -1) * (material - 4 * distance)
        };
        let white: Score = position.board().iter().map(value).sum();
        position.turn().fold_wb(white, -white)
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Center").author("Me").evaluator(Center).build()
}

pub fn main() -> Result<std::process::ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
