//! Tapered piece-square tables (PST), quadratic material imbalance, tempo bonus.
//!
//! The evaluation is the sum of middlegame and endgame piece-square values, interpolated by game phase, plus
//! material terms (`material.rs`: imbalance, and a scale factor for drawish material), plus a tempo bonus. There are
//! no attack or pawn-structure terms. Middlegame and endgame values are summed together in one integer.
//! <https://www.chessprogramming.org/Piece-Square_Tables>, <https://www.chessprogramming.org/Tapered_Eval>

use shakmaty::{Color, Move, Piece, Square};

use super::material::{Imbalance, ImbalanceWeights, PieceCounts, SCALE_ONE, scale_factor};
use super::{Evaluator, PieceSums, TaperedScore, weights};
use crate::board::position::Position;
use crate::score::Score;

/// Bonus for the side to move.
const TEMPO: TaperedScore = TaperedScore::new(weights::TEMPO.0, weights::TEMPO.1);

/// Coefficients of the material imbalance.
static IMBALANCE: ImbalanceWeights = ImbalanceWeights::new(&weights::IMBALANCE);

/// Value of each piece (pawn to king) on each square (a1 to h8), material included.
#[doc(hidden)]
pub static PIECE_SQUARE: [[TaperedScore; 64]; 6] = {
    let mut out = [[TaperedScore(0); 64]; 6];
    let mut n = 0;
    while n < 6 * 64 {
        let (role, square) = (n / 64, n % 64);
        // The weights are listed from a8 to h1.
        let index = square ^ 56;
        let (mg, eg) = weights::MATERIAL[role];
        out[role][square] =
            TaperedScore::new(mg + weights::MIDDLEGAME[role][index], eg + weights::ENDGAME[role][index]);
        n += 1;
    }
    out
};

/// Accumulator of [`Pst`]: sums over the pieces, White minus Black, and the piece counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PstAccumulator {
    /// Sum of the piece-square values.
    sum: TaperedScore,
    /// Game phase: pieces of both sides, weighted by [`weights::PHASE`].
    phase: i32,
    imbalance: Imbalance,
    /// Piece counts of both sides.
    counts: PieceCounts,
}

impl PieceSums for PstAccumulator {
    fn change_value(&mut self, piece: Piece, square: Square, added: bool) {
        let value = value(piece, square);
        self.sum += if added { value } else { -value };
    }

    fn add_count(&mut self, piece: Piece) {
        self.phase += weights::PHASE[piece.role as usize - 1];
        self.imbalance.add(&IMBALANCE, self.counts, piece);
        self.counts.add(piece);
    }

    fn remove_count(&mut self, piece: Piece) {
        self.phase -= weights::PHASE[piece.role as usize - 1];
        self.counts.remove(piece);
        self.imbalance.remove(&IMBALANCE, self.counts, piece);
    }
}

/// Returns the piece-square value, negated for Black's pieces, which use the mirrored square.
fn value(piece: Piece, square: Square) -> TaperedScore {
    SIGNED_VALUES[piece.color as usize][piece.role as usize - 1][square as usize]
}

/// Values by color, role and square; avoids an unpredictable branch on the color.
static SIGNED_VALUES: [[[TaperedScore; 64]; 6]; 2] = {
    let mut values = [[[TaperedScore(0); 64]; 6]; 2];
    let mut n = 0;
    while n < 6 * 64 {
        let (role, square) = (n / 64, n % 64);
        values[Color::White as usize][role][square] = PIECE_SQUARE[role][square];
        values[Color::Black as usize][role][square] = TaperedScore(-PIECE_SQUARE[role][square ^ 56].0);
        n += 1;
    }
    values
};

/// Tapered piece-square tables and material terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pst;

impl Pst {
    /// Returns all weights as one list, for checksums.
    #[doc(hidden)]
    #[must_use]
    pub fn weight_list() -> Vec<i32> {
        let squares = PIECE_SQUARE.iter().flatten().map(|pair| (pair.middlegame(), pair.endgame()));
        let list: Vec<i32> = squares.chain([weights::TEMPO]).flat_map(<[i32; 2]>::from).collect();
        let phase = weights::PHASE.into_iter().chain([weights::PHASE_MAX]);
        list.into_iter().chain(phase).chain(weights::IMBALANCE.into_iter().flat_map(<[i32; 2]>::from)).collect()
    }
}

impl Evaluator for Pst {
    type Acc = PstAccumulator;

    fn refresh(&mut self, root: &Position) -> PstAccumulator {
        let mut acc = PstAccumulator {
            sum: TaperedScore::default(),
            phase: 0,
            imbalance: Imbalance::default(),
            counts: PieceCounts::default(),
        };
        for (square, piece) in root.board() {
            acc.change_value(piece, square, true);
            acc.add_count(piece);
        }
        acc
    }

    #[inline]
    fn apply(&mut self, acc: &PstAccumulator, before: &Position, m: Move) -> PstAccumulator {
        let mut acc = *acc;
        acc.make_move(before.turn(), m);
        acc
    }

    #[inline]
    fn score(&mut self, acc: &PstAccumulator, position: &Position) -> Score {
        let sum = acc.sum + acc.imbalance.centipawns();
        let taper = |score: TaperedScore| score.taper(acc.phase, weights::PHASE_MAX);
        let white = taper(sum) * scale_factor(acc.counts, sum.endgame()) / SCALE_ONE;
        position.turn().fold_wb(white, -white) + taper(TEMPO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use crate::eval::evaluate;
    use crate::eval::testing::{assert_incremental, assert_symmetric};

    #[test]
    fn incremental_accumulator_equals_refresh() {
        assert_incremental(Pst);
    }

    #[test]
    fn evaluation_is_symmetric_in_color() {
        assert_symmetric(Pst);
    }

    #[test]
    fn minor_pieces_without_pawns_do_not_win() {
        for fen in ["4k3/8/8/8/8/8/8/3BK3 w - - 0 1", "4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1"] {
            assert!(evaluate(&mut Pst, &parse_fen(fen).unwrap()).abs() < 50, "{fen}");
        }
        assert!(evaluate(&mut Pst, &parse_fen("4k3/8/8/8/8/8/8/3RK3 w - - 0 1").unwrap()) > 300);
    }
}
