//! What the steps of the tutorial have in common: the value of a position, and draws.
#![allow(dead_code, reason = "a step uses only what it needs")]

use aspirant::prelude::*;
use aspirant::score::is_mate;

pub mod weights;

/// Values of pawn, knight, bishop, rook, queen and king in centipawns. The king is never captured.
const VALUES: [Score; 6] = [100, 320, 330, 500, 900, 0];

/// Returns the value of a piece, centipawns.
pub fn value(role: Role) -> Score {
    VALUES[role as usize - 1]
}

// ANCHOR: evaluate
/// Evaluates a position for the side to move: the material, and a few centipawns for pieces near the center.
pub fn evaluate(position: &Position) -> Score {
    let mut white = 0;
    for (square, piece) in position.board() {
        let score = value(piece.role) + if piece.role == Role::King { 0 } else { centrality(square) };
        white += piece.color.fold_wb(score, -score);
    }
    position.turn().fold_wb(white, -white)
}

/// Returns 15 on the four squares in the center, then 10 and 5, and 0 at the edge of the board.
fn centrality(square: Square) -> Score {
    let (file, rank) = (square.file() as Score, square.rank() as Score);
    5 * file.min(7 - file).min(rank).min(7 - rank)
}
// ANCHOR_END: evaluate

// ANCHOR: is_draw
/// Returns whether a position is a draw by the fifty-move rule, by lack of material or by repetition.
///
/// `earlier`: keys of the positions before this one, oldest first. One repetition counts as a draw: what could be
/// repeated once can be repeated again.
pub fn is_draw(position: &Position, earlier: &[u64]) -> bool {
    let since_capture_or_pawn_move = earlier.iter().rev().take(position.reversible_plies());
    (position.halfmoves() >= 100 && !position.is_checkmate())
        || position.chess().is_insufficient_material()
        || since_capture_or_pawn_move.skip(1).step_by(2).any(|&key| key == position.key())
}
// ANCHOR_END: is_draw

// ANCHOR: table
/// Changes a mate score, which counts from the root, by the distance of its position from the root.
///
/// In the table, it counts from that position, because the same position can occur at another distance.
pub fn mate_distance(score: Score, plies: Score) -> Score {
    if is_mate(score) { score + plies * score.signum() } else { score }
}

/// Returns the place of a position in a table of this size.
pub fn index(position: &Position, size: usize) -> usize {
    (position.key() % size as u64) as usize
}
// ANCHOR_END: table
