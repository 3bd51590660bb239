//! The numbers of the `pst` evaluator, in centipawns.
//!
//! Provenance: written by `aspirant tune` at commit 562b955148 and the change that brings these tables, from 1712844 positions of
//! 21300 games that `aspirant datagen` played:
//! * 21300 games, seed 404, 500 nodes, by tables 8ca400a201ba7dc2
//!
//! The fit began with tables 4e875f056c901a89: seed 1, 40 epochs, batches of 16384, rate 4, result 0.75, pull 50,
//! mirror 500, k 0.006860, scaled by 1.025. Mean squared error of the expected score: 0.065782 before, 0.064602 after;
//! of the games held out 0.063631 before, 0.063331 after.
//!
//! Blocks are seen from white: a8 is the first number, h1 the last.

use super::pst::Pair;

/// What each man counts towards the middlegame: pawn, knight, bishop, rook, queen, king.
pub const PHASE: [i32; 6] = [-2, 11, 13, 18, 53, 0];
/// Where the sum of [`PHASE`] over all men is at least this, the endgame does not count.
pub const PHASE_MAX: i32 = 256;
/// For having the move.
pub const TEMPO: Pair = Pair::new(7, 2);

/// What products of numbers of men add, middlegame and endgame, in sixteenths of a centipawn
/// (see [`super::material::products`]).
#[rustfmt::skip]
pub const IMBALANCE: [(i32, i32); super::material::PRODUCTS] = [
    // pawn and men of its own side
    (-12, 35),
    // knight and men of its own side
    (5, 141), (3, -174),
    // bishop and men of its own side
    (58, 40), (-141, -228), (9, 497),
    // rook and men of its own side
    (-44, 159), (-159, -60), (-133, -172), (55, -313),
    // queen and men of its own side
    (-121, 725), (-283, -237), (-191, -84), (-551, -652), (-663, -1059),
    // knight and lesser men of the other
    (40, 211),
    // bishop and lesser men of the other
    (-72, 242), (54, -226),
    // rook and lesser men of the other
    (-79, 409), (31, -44), (-80, -17),
    // queen and lesser men of the other
    (-26, 513), (109, -71), (150, 289), (-258, -47),
];

/// Mean of each man's table, middlegame and endgame.
const MATERIAL: [(i32, i32); 6] = [(72, 163), (305, 241), (317, 258), (454, 488), (970, 895), (0, 0)];

/// Middlegame and endgame value of each man (pawn to king) on each square, from a1 to h8.
pub static PIECE_SQUARE: [[Pair; 64]; 6] = build();

const fn build() -> [[Pair; 64]; 6] {
    let mut out = [[Pair::new(0, 0); 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            // The blocks begin with the eighth rank.
            let at = square ^ 56;
            let (mg, eg) = MATERIAL[role];
            out[role][square] = Pair::new(mg + MIDDLEGAME[role][at], eg + ENDGAME[role][at]);
            square += 1;
        }
        role += 1;
    }
    out
}

#[rustfmt::skip]
const MIDDLEGAME: [[i32; 64]; 6] = [
    // pawn
    [
           0,    0,    0,    0,    0,    0,    0,    0,
          38,    6,   45,   73,   62,   31,  -23,   -2,
          -9,    4,   12,   22,   36,   29,   26,  -32,
         -21,    4,   -4,   10,    6,   10,   -4,  -34,
         -25,  -10,   -3,    4,    4,  -11,   -9,  -34,
         -31,   -5,   -3,  -12,   -7,  -14,   17,  -20,
         -37,   -7,  -16,  -25,  -27,    5,   15,  -25,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    // knight
    [
        -118,    6,  -38,   -1,    3,  -41,    9, -119,
         -49,   -8,   18,   74,   66,   36,    0,  -34,
           2,   32,   46,   46,   60,   66,   40,   -2,
           9,   -4,   22,   33,   26,   53,   10,   32,
         -22,   -5,    2,    8,   14,   21,   16,   -7,
         -26,   -7,   -6,   11,   10,    8,   17,  -10,
         -36,  -22,  -10,   -6,   -1,   13,   -2,  -22,
         -42,  -22,    1,  -26,  -34,   -8,  -16,  -48,
    ],
    // bishop
    [
         -13,  -20,  -44,  -31,  -42,  -48,  -24,  -13,
         -13,  -20,   -1,   -7,    2,   -6,  -13,  -20,
          17,   20,   45,   39,   16,   55,   11,   17,
          16,   -2,   37,   20,   24,   20,   14,   -3,
          -3,    0,    6,   11,   22,    9,   -4,   -1,
          -4,   18,    2,    3,    4,   13,   16,   -1,
          -7,    6,   -3,   -5,    3,   11,   20,  -15,
         -10,  -36,   -8,  -25,  -21,  -12,  -41,  -11,
    ],
    // rook
    [
          41,    7,   34,   46,   37,   32,   12,   46,
          13,   22,   40,   59,   78,   30,   10,    1,
         -16,  -13,   41,   50,   40,   67,    8,  -17,
         -12,  -23,   13,   17,   19,   18,    2,    0,
         -41,  -44,  -28,   -9,   -1,  -19,  -32,  -19,
         -41,  -35,  -16,  -31,  -22,  -18,  -13,  -31,
         -42,  -20,   -7,  -11,   -6,  -15,  -15,  -57,
         -32,  -23,  -16,   -5,   -1,  -20,  -38,  -25,
    ],
    // queen
    [
           4,    2,   10,   30,   28,   10,    7,   13,
          -5,  -24,    4,   20,   16,   18,  -15,   16,
           9,  -13,   10,   32,   35,   36,   22,   34,
         -32,  -10,  -19,  -11,   -5,   -1,   15,    8,
         -17,    2,  -13,    0,   -8,   -1,    6,   -5,
          -7,   -3,  -21,   -4,    2,   -5,   10,   -9,
         -23,  -12,    6,    5,    2,    0,    0,  -39,
         -31,   -9,   -7,    1,    0,  -20,  -16,  -38,
    ],
    // king
    [
           1,   18,   21,    6,    7,   21,   18,    2,
          25,   14,   19,   14,   15,   22,   14,   26,
          20,    2,    4,   -3,    1,    6,   -1,   26,
          19,  -14,   -5,   -2,   -2,    2,   -9,   14,
         -11,  -30,  -36,  -49,  -53,  -35,  -33,  -17,
         -16,  -20,  -43,  -71,  -68,  -24,  -22,  -16,
          22,    4,   24,  -41,  -29,   13,   34,   25,
          18,   45,   27,  -32,   23,   -4,   59,   55,
    ],
];

#[rustfmt::skip]
const ENDGAME: [[i32; 64]; 6] = [
    // pawn
    [
           0,    0,    0,    0,    0,    0,    0,    0,
         127,  133,   87,   64,   70,   66,  105,  106,
          53,   55,   26,   12,    8,   -6,   21,   52,
           8,   -2,  -24,  -29,  -40,  -39,  -29,   -5,
         -17,  -21,  -38,  -44,  -40,  -35,  -29,  -24,
         -32,  -20,  -39,  -39,  -40,  -38,  -41,  -40,
         -22,  -23,  -27,  -38,  -45,  -34,  -41,  -37,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    // knight
    [
         -56,   -8,   14,   23,   19,   17,   -9,  -64,
          -3,   -1,    8,   11,    0,   19,   -1,   -6,
          -3,   10,   17,   27,   34,   15,    1,  -11,
          -2,   19,   34,   40,   43,   28,   28,  -11,
         -11,   -8,   39,   36,   44,   34,   18,   -6,
         -29,   12,    9,   14,   25,    7,  -12,  -25,
         -40,  -11,   11,    4,  -12,    7,   -7,  -47,
         -45,  -51,  -33,  -20,  -26,  -15,  -45,  -45,
    ],
    // bishop
    [
         -18,    7,    9,   24,    7,    3,  -26,  -13,
          -3,    3,    3,    4,   15,   -2,   -9,   -7,
         -12,    4,   16,   12,    1,   20,    3,  -24,
         -19,   10,   22,   38,   36,    1,    1,   -7,
         -11,   11,   26,   31,   14,    7,   10,    8,
           4,    0,   11,   20,   18,   18,   -7,  -17,
          -9,  -31,   -8,  -30,    4,  -22,   -8,  -14,
         -24,    6,  -44,   -8,  -17,  -18,    8,  -30,
    ],
    // rook
    [
           6,   27,   28,   19,   12,   23,   26,   22,
          11,   19,   13,   16,    2,    9,   12,   22,
          24,   14,   -6,    6,    0,    4,   14,   18,
           8,   12,   12,    7,   -3,    7,    9,    5,
           5,   10,   15,   -3,   -4,    7,    6,   -2,
         -16,   -9,   -5,  -18,  -15,  -25,  -17,  -24,
         -16,  -19,  -17,  -10,  -17,  -18,  -22,  -30,
         -18,  -14,   -6,  -12,  -17,  -20,  -12,  -46,
    ],
    // queen
    [
           4,   13,   27,   48,   43,   27,   15,    4,
          -1,   21,   17,   33,   31,   17,   13,    2,
          -6,   21,    4,   27,   30,   13,   40,    1,
          11,   24,   63,   65,   70,   67,   37,   27,
         -16,    3,   27,   26,   41,   30,   11,   -7,
         -39,  -47,   24,  -32,  -29,   12,  -31,  -31,
           5,  -47,  -35,  -45,  -25,  -36,  -46,   -2,
         -41,  -52, -101,  -87,  -68, -112,  -54,  -32,
    ],
    // king
    [
         -46,  -13,  -18,   10,   18,  -17,  -12,  -43,
           2,   15,   15,   34,   30,   22,   25,    7,
          -9,   27,   19,   17,   25,   29,   30,    2,
         -10,   13,   18,   23,   25,   23,   13,  -11,
         -10,    7,   11,   24,   23,   20,   16,   -8,
           1,    7,    5,   16,   16,    5,    4,  -10,
         -29,   -5,   -9,    8,    0,  -13,  -15,  -15,
         -46,  -37,  -29,  -34,  -41,  -37,  -42,  -49,
    ],
];
