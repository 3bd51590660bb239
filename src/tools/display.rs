//! Text output of a position: the board, its FEN, key, checkers and static evaluation.
#![doc(hidden)]

use std::fmt::Write as _;

use shakmaty::{Color, File, Rank, Square};

use crate::board::position::Position;
use crate::engine::AnyEvaluator;

#[cfg(feature = "cli")]
mod drawing;
#[cfg(feature = "cli")]
pub use drawing::{BoardStyle, draw};

/// Returns the output of the UCI command `d`: the board, FEN, key and checkers.
#[must_use]
pub fn describe(position: &Position) -> String {
    let mut out = String::from("\n +---+---+---+---+---+---+---+---+\n");
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let _ = write!(out, " | {}", piece.map_or(' ', shakmaty::Piece::char));
        }
        let _ = writeln!(out, " | {}\n +---+---+---+---+---+---+---+---+", rank.char());
    }
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ = write!(
        out,
        "   a   b   c   d   e   f   g   h\n\nFen: {}\nKey: {:016X}\nCheckers: {}\n",
        position.fen(),
        position.key(),
        checkers.join(" ")
    );
    out
}

/// Returns the static evaluation by `evaluator` as one line of text.
#[must_use]
pub fn evaluation(position: &Position, evaluator: &AnyEvaluator) -> String {
    let score = evaluator.evaluate(position);
    let white = position.turn().fold_wb(score, -score);
    let side = if position.turn() == Color::White { "white" } else { "black" };
    format!("Static evaluation: {} (white's view), {} ({side} to move)", pawns(white), pawns(score))
}

/// Formats centipawns as pawns with sign.
///
/// Floating-point formatting would enlarge the WebAssembly file.
fn pawns(centipawns: i32) -> String {
    let (sign, size) = (if centipawns < 0 { '-' } else { '+' }, centipawns.unsigned_abs());
    format!("{sign}{}.{:02}", size / 100, size % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_are_formatted_like_floating_point_pawns() {
        for centipawns in [0, 1, -1, 9, -99, 100, -101, 1234, -32000] {
            assert_eq!(pawns(centipawns), format!("{:+.2}", f64::from(centipawns) / 100.0));
        }
    }
}
