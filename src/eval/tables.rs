//! The numbers of the `pst` evaluator, in centipawns.
//!
//! Provenance: written by `aspirant tune` at commit 1d0b04e, from 2867415 positions of 37058 games that
//! `aspirant datagen` played:
//! * 18000 games, seed 101, 600 nodes, by tables 6276ef3db2d87111
//! * 10968 games, seed 202, 600 nodes, by tables 14812db5bd8149ff
//! * 8090 games, seed 303, 600 nodes, by tables abe446382315154c
//!
//! The fit began with tables 14812db5bd8149ff: seed 1, 12 epochs, batches of 16384, rate 1, result 0.75, pull 50,
//! mirror 500, k 0.006065, scaled by 0.974. Mean squared error of the expected score: 0.067390 before, 0.066909 after;
//! of the games held out 0.068047 before, 0.067559 after.
//!
//! Blocks are seen from white: a8 is the first number, h1 the last.

use super::pst::Pair;

/// What each man counts towards the middlegame: pawn, knight, bishop, rook, queen, king.
pub const PHASE: [i32; 6] = [-1, 11, 15, 22, 40, 0];
/// Where the sum of [`PHASE`] over all men is at least this, the endgame does not count.
pub const PHASE_MAX: i32 = 256;
/// For having the move.
pub const TEMPO: Pair = Pair::new(7, 1);
/// For two or more bishops.
pub const BISHOP_PAIR: Pair = Pair::new(7, 60);

/// What products of numbers of men add, middlegame and endgame, in sixteenths of a centipawn
/// (see [`super::material::products`]).
#[rustfmt::skip]
pub const IMBALANCE: [(i32, i32); super::material::PRODUCTS] = [
    // pawn and men of its own side
    (0, 0),
    // knight and men of its own side
    (0, 0), (0, 0),
    // bishop and men of its own side
    (0, 0), (0, 0), (0, 0),
    // rook and men of its own side
    (0, 0), (0, 0), (0, 0), (0, 0),
    // queen and men of its own side
    (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    // knight and lesser men of the other
    (0, 0),
    // bishop and lesser men of the other
    (0, 0), (0, 0),
    // rook and lesser men of the other
    (0, 0), (0, 0), (0, 0),
    // queen and lesser men of the other
    (0, 0), (0, 0), (0, 0), (0, 0),
];

/// Mean of each man's table, middlegame and endgame.
const MATERIAL: [(i32, i32); 6] = [(72, 152), (310, 287), (324, 312), (455, 531), (959, 941), (0, 0)];

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
          44,   17,   40,   70,   52,   16,  -18,   12,
          -5,   15,    2,   21,   25,   16,   32,  -18,
         -35,    2,   -9,   10,    9,    5,   -4,  -32,
         -34,   -9,   -6,    9,   11,   -1,  -10,  -37,
         -31,   -9,   -3,   -6,   -2,   -5,   10,  -32,
         -39,   -7,  -15,  -19,  -21,    1,    3,  -38,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    // knight
    [
        -139,  -29,  -34,   38,   39,  -42,  -30, -140,
         -18,  -10,   46,   29,   31,   66,  -14,  -16,
           7,   36,   17,   50,   59,   27,   46,   18,
          20,    1,   18,   29,   17,   44,    2,   45,
         -16,  -14,    5,    6,   12,   19,   13,   -2,
         -18,   -8,   -2,   13,   12,    3,   11,  -19,
         -18,  -18,   -8,  -10,   -5,    1,    0,  -21,
         -29,  -21,  -36,  -12,   -3,  -17,  -22,  -34,
    ],
    // bishop
    [
         -42,  -16,  -30,  -22,  -22,  -36,  -19,  -40,
         -43,   -1,  -19,   14,   15,  -14,   -8,  -20,
           8,   17,    7,   49,   21,   27,    9,   24,
           5,    0,    4,   34,   10,   31,   13,    9,
          -4,   -7,    8,   26,   18,    9,    5,   12,
          -1,   12,    8,   -4,    0,    6,   12,   -9,
          21,    5,   15,   -4,    1,    2,   10,   -2,
         -24,   -1,  -10,  -20,  -22,  -18,  -10,  -17,
    ],
    // rook
    [
          31,   31,   47,   51,   40,   36,   25,   46,
          34,   28,   52,   48,   51,   68,   15,   44,
          -8,    8,   16,   50,   62,   23,   -5,   -9,
         -17,  -17,   -1,    3,   12,   23,   11,  -22,
         -25,  -39,  -26,  -16,  -24,  -26,  -50,  -39,
         -39,  -16,  -29,  -19,  -20,  -18,  -35,  -43,
         -35,  -14,  -12,  -21,   -3,  -12,  -33,  -48,
         -25,  -16,  -15,   -1,   -5,  -15,  -36,  -34,
    ],
    // queen
    [
         -23,   10,   57,   20,   21,   67,   14,   -8,
           4,  -16,  -16,  -14,   -7,    6,    9,    1,
         -16,    2,   16,   31,   37,   23,   22,   17,
         -16,  -24,   -2,    7,    2,    5,  -14,    1,
          -9,  -17,  -11,  -13,   -4,    3,   -1,   -4,
          -8,   -2,   -8,  -13,   -7,   -1,  -15,   -9,
         -36,   -3,    8,    2,    4,   -5,   31,  -12,
         -19,  -13,   -1,    7,   -4,    4,  -16,  -16,
    ],
    // king
    [
          -6,   10,   -3,  -18,  -19,   -3,   10,   -6,
           0,   23,    0,   -1,   -3,    1,   24,    2,
         -19,  -35,  -21,  -26,  -27,  -11,  -31,  -17,
          -2,  -11,   26,    6,    2,   28,  -11,  -15,
         -25,    5,  -22,  -33,  -28,  -32,   -4,  -20,
          -2,    6,  -23,  -10,  -26,   -5,   10,  -28,
         -18,    8,   24,   -5,   -7,   25,   40,   16,
          28,   59,   41,    3,   37,   20,   58,   59,
    ],
];

#[rustfmt::skip]
const ENDGAME: [[i32; 64]; 6] = [
    // pawn
    [
           0,    0,    0,    0,    0,    0,    0,    0,
         110,  131,   71,   59,   45,   94,  109,   75,
          46,   38,   30,   19,   10,    8,   14,   35,
          17,   -8,  -19,  -32,  -31,  -26,  -21,   -4,
         -12,  -21,  -39,  -45,  -42,  -39,  -28,  -19,
         -28,  -25,  -44,  -42,  -43,  -39,  -35,  -34,
         -15,  -32,  -29,  -40,  -36,  -33,  -25,  -29,
           0,    0,    0,    0,    0,    0,    0,    0,
    ],
    // knight
    [
         -16,   -6,  -11,   -8,   -9,  -18,  -14,  -30,
         -19,   -9,  -16,   21,   15,   -9,  -17,  -29,
         -10,    3,   25,    6,    8,   15,  -12,   -4,
         -18,   29,   33,   36,   56,   18,   21,  -19,
           2,   11,   42,   29,   35,   33,    6,    4,
           4,   20,    8,    9,   23,    9,   -4,   -3,
         -36,  -12,    5,   11,    8,   -7,   -5,  -30,
         -34,  -46,   -1,   -6,   -7,  -10,  -30,  -39,
    ],
    // bishop
    [
         -25,   18,    2,    8,    4,  -10,    8,   -8,
          -7,   -2,   16,   22,    7,   14,   -9,    1,
          -9,   19,    9,    4,    5,    9,   21,  -28,
           1,   16,   19,   14,   24,    9,   -7,    7,
         -14,    2,    5,   12,   13,   11,    7,  -10,
          -6,   -6,    9,   18,   13,   11,  -12,   -9,
           6,  -23,   -7,  -16,    0,  -12,  -18,  -29,
         -33,  -12,  -38,   11,    4,  -13,   -3,  -36,
    ],
    // rook
    [
          10,   12,    3,   -2,    0,    0,    5,   14,
          18,   24,   13,    6,    5,    4,   15,   11,
          30,   28,   21,   -1,    4,    9,   14,   19,
          12,   13,   20,   10,    7,    2,   -1,    9,
           7,   14,   15,   -5,    2,   -4,    3,    6,
           0,   -4,  -13,    0,    1,  -12,   -6,  -11,
         -25,  -19,  -15,  -25,  -28,  -19,  -12,  -19,
         -12,  -20,   -9,  -26,  -23,  -14,   -5,  -31,
    ],
    // queen
    [
           0,   -9,   10,   31,   29,   15,   -5,   -2,
         -14,   25,   44,   40,   48,   63,   33,  -19,
           9,   21,   39,   30,   32,   36,   39,   25,
          25,   30,   54,   57,   62,   57,   51,   23,
         -32,   11,   12,   46,   46,    2,   10,  -19,
         -31,    9,   -3,    3,   13,   -5,    9,  -22,
         -35,  -71,  -44,  -39,  -31,  -48,  -77,  -36,
         -68,  -75,  -71,  -87,  -58,  -72,  -73,  -68,
    ],
    // king
    [
         -51,   -5,  -10,   -9,   -7,  -10,    4,  -53,
          12,   18,   11,   16,   12,   18,   -3,   17,
          21,   35,   37,   33,   32,   38,   34,   24,
           8,   35,   15,   26,   31,   22,   33,    1,
         -14,    4,   27,   24,   25,   27,   16,   -4,
         -19,  -14,    7,   13,   14,    8,   -6,  -17,
         -41,  -22,  -14,   -2,   -3,  -18,  -24,  -18,
         -57,  -56,  -26,  -31,  -42,  -26,  -36,  -63,
    ],
];
