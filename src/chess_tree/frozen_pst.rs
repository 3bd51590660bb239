//! The evaluator of the reference games: tapered piece-square tables with frozen weights.
//!
//! Used by `compare` and `tree`, so that their figures do not change with the evaluator of the engine. The
//! piece-square values are a copy of those of `crate::eval::weights` of November 2026; they must not be changed.
//! Piece values are round numbers, because the tuned ones are incomplete without the material imbalance, which is
//! left out, like the scale factor of drawish endgames.
//! <https://www.chessprogramming.org/Piece-Square_Tables>

use crate::board::position::Position;
use crate::eval::SimpleEvaluator;
use crate::score::Score;

/// Tapered piece-square tables with frozen weights, in centipawns.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrozenPst;

impl SimpleEvaluator for FrozenPst {
    fn evaluate(&mut self, position: &Position) -> Score {
        let (mut mg_sum, mut eg_sum, mut phase) = (0, 0, 0);
        for (square, piece) in position.board() {
            let role = piece.role as usize - 1;
            // The weights are listed from a8 to h1 from White's point of view.
            let index = piece.color.fold_wb(square as usize ^ 56, square as usize);
            let sign = piece.color.fold_wb(1, -1);
            let (middlegame, endgame) = MATERIAL[role];
            mg_sum += sign * (middlegame + MIDDLEGAME[role][index]);
            eg_sum += sign * (endgame + ENDGAME[role][index]);
            phase += PHASE[role];
        }
        let phase = phase.min(PHASE_MAX);
        let white = (mg_sum * phase + eg_sum * (PHASE_MAX - phase)) / PHASE_MAX;
        position.turn().fold_wb(white, -white) + TEMPO
    }
}

/// Game phase weight of each piece: pawn, knight, bishop, rook, queen, king.
const PHASE: [i32; 6] = [2, 10, 10, 15, 37, 0];
/// Sum of [`PHASE`] over all pieces from which on only middlegame values count.
const PHASE_MAX: i32 = 256;
/// Bonus for the side to move.
const TEMPO: i32 = 8;
/// Piece values, middlegame and endgame.
const MATERIAL: [(i32, i32); 6] = [(80, 120), (320, 300), (330, 320), (480, 520), (1000, 960), (0, 0)];

/// Middlegame piece-square values, less [`MATERIAL`].
#[rustfmt::skip]
const MIDDLEGAME: [[i32; 64]; 6] = [
    // pawn
    [
           0,    0,    0,    0,    0,    0,    0,    0,
          81,   46,   38,   63,   56,    9,    2,   17,
         -28,   -9,   -4,   22,   37,   20,   19,  -31,
         -28,   -3,  -15,    8,    5,    7,   -2,  -34,
         -28,  -18,   -8,    4,    3,   -7,   -8,  -32,
         -29,   -8,   -5,  -17,  -13,  -13,   26,  -15,
         -40,  -10,  -20,  -32,  -33,    9,   20,  -25,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    // knight
    [
        -166,   -9,  -23,   12,   10,  -31,   -3, -149,
         -56,    4,   27,   59,   51,   43,   -3,  -38,
         -13,   27,   33,   63,   80,   55,   45,   -4,
          19,   -1,   27,   37,   29,   61,    7,   42,
         -19,  -19,    4,   10,   19,   21,   14,   -7,
         -26,   -7,   -1,   12,   11,    8,   22,  -12,
         -26,  -15,  -18,   -7,   -3,   12,   -6,  -13,
         -32,  -17,  -15,  -22,  -37,  -11,  -14,  -34,
    ],
    // bishop
    [
         -11,  -29,  -73,  -31,  -43,  -83,  -32,    6,
         -30,    1,   17,  -26,  -13,    0,    5,  -27,
          13,   25,   25,   58,   21,   54,    5,   21,
          27,    5,   31,   24,   26,    6,   14,    1,
          -2,    4,   10,   21,   24,   15,  -13,    2,
           0,   18,    7,    7,    3,   11,   25,    1,
          -9,   12,    0,   -2,    7,   30,   27,  -17,
         -14,  -44,   -3,  -23,  -20,   -8,  -51,  -20,
    ],
    // rook
    [
          51,   55,   65,  112,  109,   69,   73,   60,
          20,   36,   45,   77,   96,   49,   25,    9,
         -20,    2,   21,   52,   57,   44,   12,  -27,
         -19,  -31,    1,   10,   14,    3,  -19,  -24,
         -41,  -53,  -45,  -33,  -15,  -32,  -38,  -38,
         -55,  -44,  -41,  -46,  -29,  -21,   -9,  -48,
         -47,  -30,   -9,  -28,  -10,   -6,  -21,  -80,
         -37,  -30,  -26,   -7,   -5,  -26,  -64,  -33,
    ],
    // queen
    [
          -2,    6,   21,   19,   32,   40,   14,   27,
         -12,  -24,   -4,    7,   15,   27,   -2,    9,
          -5,  -14,  -10,   34,   42,   30,   32,   29,
         -26,  -19,  -21,   -9,   -7,   -3,    6,    3,
         -11,   -5,   -7,   -8,  -14,   -6,    1,  -23,
          -2,    3,  -28,   -5,   -8,  -12,    8,    2,
         -13,  -11,   15,    3,   -1,   17,   -2,  -31,
         -19,  -12,   -8,    7,   -1,  -13,   -8,  -25,
    ],
    // king
    [
           9,   38,   62,   14,   15,   63,   39,   11,
          30,   42,   40,   72,   71,   43,   38,   26,
          19,    6,   45,   15,   18,   46,    6,   27,
          17,   24,   15,    4,   11,   23,   30,   17,
         -40,  -35,  -38,  -73,  -76,  -40,  -40,  -42,
         -58,  -55,  -66,  -88,  -84,  -51,  -54,  -60,
          21,  -17,   -3,  -55,  -61,  -12,   13,    1,
         -18,   40,   15,  -46,   14,  -24,   52,   42,
    ],
];

/// Endgame piece-square values, less [`MATERIAL`].
#[rustfmt::skip]
const ENDGAME: [[i32; 64]; 6] = [
    // pawn
    [
           0,    0,    0,    0,    0,    0,    0,    0,
         119,  129,  100,   75,   77,   81,   94,   92,
          67,   64,   32,   24,   10,    3,   21,   60,
          14,   -4,  -29,  -34,  -47,  -39,  -26,   -5,
         -17,  -22,  -43,  -48,  -50,  -47,  -35,  -27,
         -30,  -25,  -48,  -42,  -41,  -44,  -50,  -41,
         -21,  -23,  -31,  -42,  -46,  -41,  -46,  -40,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    // knight
    [
         -48,  -30,   12,   12,    9,   16,  -27,  -56,
          -8,    1,   10,   13,    3,   20,  -19,  -19,
          -6,   10,   29,   25,   21,   20,   10,    3,
         -10,   26,   32,   43,   48,   35,   36,  -27,
         -18,    6,   50,   48,   49,   38,   29,    3,
         -24,   11,   14,   24,   30,   12,  -10,  -37,
         -46,  -10,   10,    9,   -2,   -6,   -7,  -30,
         -53,  -70,  -30,  -15,  -11,   -2,  -70,  -53,
    ],
    // bishop
    [
          -8,   10,   19,   18,   17,   16,  -16,   -1,
           8,  -12,    5,    7,   16,    5,   -9,   -1,
          -7,    6,   14,    5,   -1,   28,    5,  -22,
         -26,   16,   17,   36,   28,   11,   11,  -12,
         -18,   18,   26,   28,   13,    2,   14,    4,
         -12,  -10,   12,   24,   18,    8,  -15,  -17,
          -7,  -40,   -6,  -23,    5,  -35,  -20,   -7,
         -28,   10,  -62,   -8,  -20,  -30,    0,  -31,
    ],
    // rook
    [
           1,    5,    8,  -12,  -15,   -1,    6,   12,
          13,   12,   12,    7,   -7,    7,   13,   18,
          28,   16,   11,    7,   -5,    5,   14,   21,
          14,   22,   25,    9,    4,   11,   13,    7,
          11,   16,   24,    6,   -2,    9,    8,   -3,
          -6,    0,    9,   -8,   -6,  -17,  -12,  -11,
         -20,  -21,  -17,   -1,  -20,  -21,  -16,  -33,
         -17,  -15,   -1,  -13,  -19,  -19,    7,  -60,
    ],
    // queen
    [
           5,   12,   13,   20,   22,   23,   22,   12,
           5,   28,   24,   44,   50,   31,   24,   15,
          -6,   13,   31,   28,   27,   37,   37,    7,
           7,   13,   50,   52,   57,   54,   48,   21,
         -22,   -3,   21,   43,   49,   30,   16,   -2,
         -47,  -57,   29,  -19,    6,   22,  -37,  -51,
         -19,  -24,  -63,  -38,  -16,  -69,  -29,  -30,
         -46,  -49,  -92,  -83,  -71, -111,  -46,  -34,
    ],
    // king
    [
         -49,   -4,   -1,   -4,   -1,   -4,   -6,  -43,
          10,   10,   15,  -13,  -10,   15,    7,    5,
           2,   23,   14,   20,   20,   19,   23,   11,
          -8,   10,   17,   23,   28,   28,   12,  -11,
         -17,    8,   19,   32,   37,   28,   17,   -5,
          -6,   10,   16,   29,   32,   16,   10,   -4,
         -24,   -2,   -5,   16,   12,   -1,  -14,  -22,
         -36,  -44,  -30,  -32,  -55,  -38,  -50,  -53,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frozen_weights_are_unchanged() {
        let sums = [MIDDLEGAME, ENDGAME].map(|table| {
            table
                .iter()
                .flatten()
                .enumerate()
                .fold(0i64, |sum, (index, &weight)| (sum * 31 + i64::from(weight) + index as i64) % 1_000_000_007)
        });
        assert_eq!(sums, [509868854, 335553295]);
    }
}
