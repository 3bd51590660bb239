//! The numbers of the `pst` evaluator.
//!
//! Provenance: written down from plain rules (centralization, advancement of pawns, shelter of the king)
//! with the usual values of the men, to start from. Squares run from a1 to h8, seen from white.

use super::pst::Pair;

/// What each man counts towards the middlegame: pawn, knight, bishop, rook, queen, king.
pub const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The sum of [`PHASE`] over the initial men; more (after promotions) counts as this.
pub const PHASE_MAX: i32 = 24;
/// For having the move.
pub const TEMPO: Pair = Pair::new(12, 6);
/// For two or more bishops.
pub const BISHOP_PAIR: Pair = Pair::new(22, 38);

const MATERIAL: [(i32, i32); 6] = [(82, 104), (335, 295), (350, 310), (470, 530), (980, 960), (0, 0)];

/// Middlegame and endgame value of each man (pawn to king) on each square.
pub static PIECE_SQUARE: [[Pair; 64]; 6] = build();

const fn build() -> [[Pair; 64]; 6] {
    let mut out = [[Pair::new(0, 0); 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            let (mg, eg) = rule(role, (square / 8) as i32, (square % 8) as i32);
            out[role][square] = Pair::new(MATERIAL[role].0 + mg, MATERIAL[role].1 + eg);
            square += 1;
        }
        role += 1;
    }
    out
}

/// Bonus of a man (0 pawn … 5 king) on a rank and file, each 0 to 7.
const fn rule(role: usize, rank: i32, file: i32) -> (i32, i32) {
    // 0 on the edge files to 3 on the center files; likewise for ranks.
    let f = if file < 4 { file } else { 7 - file };
    let r = if rank < 4 { rank } else { 7 - rank };
    let center = f + r;
    match role {
        0 => {
            let mg = [0, -4, -2, 4, 12, 28, 60, 0][rank as usize];
            let eg = [0, 4, 4, 12, 30, 64, 110, 0][rank as usize];
            let push = if rank >= 2 && rank <= 4 { 5 * f - 4 } else { 0 };
            let shelter = if rank == 1 && f < 3 { 6 } else { 0 };
            (mg + push + shelter, eg - f)
        }
        1 => (9 * center - 32 + if rank > 3 && rank < 6 { 8 } else { 0 }, 7 * center - 26),
        2 => (4 * center - 10 + if rank == 0 { -8 } else { 0 }, 3 * center - 8),
        3 => (3 * f - 4 + if rank == 6 { 16 } else { 0 }, if rank >= 4 { 8 } else { 0 }),
        4 => (2 * center - 6, 7 * center - 20),
        _ => {
            let shelter = [24, 6, -24, -48, -60, -70, -70, -70][rank as usize];
            let wing = if rank <= 1 { [10, 22, 2, -16][f as usize] } else { 0 };
            (shelter + wing, 9 * center - 30)
        }
    }
}
