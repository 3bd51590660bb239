//! Default evaluator: tapered piece-square tables (PST), quadratic material imbalance, tempo bonus.
//!
//! The evaluation is the sum of middlegame and endgame piece-square values, interpolated by game phase, plus
//! material terms (`material.rs`: imbalance, and a scale factor for drawish material), plus a tempo bonus. There are
//! no attack or pawn-structure terms. Middlegame and endgame values are summed together in one integer.
//! <https://www.chessprogramming.org/Piece-Square_Tables>, <https://www.chessprogramming.org/Tapered_Eval>

use shakmaty::{CastlingSide, Color, Move, Piece, Square};

use super::material::{Imbalance, PieceCounts, SCALE_ONE, scale_factor};
use super::{Evaluator, TaperedScore, weights};
use crate::board::position::Position;
use crate::score::{EVAL_LIMIT, Score};

/// Bonus for the side to move.
const TEMPO: TaperedScore = TaperedScore::new(weights::TEMPO.0, weights::TEMPO.1);

/// Value of each piece (pawn to king) on each square (a1 to h8), material included.
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
    pub counts: PieceCounts,
}

impl PstAccumulator {
    fn add(&mut self, piece: Piece, square: Square) {
        self.sum = TaperedScore(self.sum.0 + value(piece, square).0);
        self.phase += weights::PHASE[piece.role as usize - 1];
        self.imbalance.add(self.counts, piece);
        self.counts.add(piece);
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        self.sum = TaperedScore(self.sum.0 - value(piece, square).0);
        self.phase -= weights::PHASE[piece.role as usize - 1];
        self.counts.remove(piece);
        self.imbalance.remove(self.counts, piece);
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

/// Default evaluator: tapered piece-square tables and material terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pst;

impl Evaluator for Pst {
    type Acc = PstAccumulator;

    fn refresh(&self, position: &Position) -> PstAccumulator {
        let mut acc = PstAccumulator {
            sum: TaperedScore::default(),
            phase: 0,
            imbalance: Imbalance::default(),
            counts: PieceCounts::default(),
        };
        for (square, piece) in position.board() {
            acc.add(piece, square);
        }
        acc
    }

    #[inline]
    fn apply(&self, acc: &PstAccumulator, position: &Position, m: Move) -> PstAccumulator {
        let (mut acc, us) = (*acc, position.turn());
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                let mover = role.of(us);
                match promotion {
                    // Piece counts do not change.
                    None => acc.sum = TaperedScore(acc.sum.0 + value(mover, to).0 - value(mover, from).0),
                    Some(promoted) => {
                        acc.remove(mover, from);
                        acc.add(promoted.of(us), to);
                    }
                }
                if let Some(captured) = capture {
                    acc.remove(captured.of(!us), to);
                }
            }
            Move::EnPassant { from, to } => {
                acc.remove(us.pawn(), from);
                acc.add(us.pawn(), to);
                acc.remove((!us).pawn(), Square::from_coords(to.file(), from.rank()));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                acc.remove(us.king(), king);
                acc.remove(us.rook(), rook);
                acc.add(us.king(), side.king_to(us));
                acc.add(us.rook(), side.rook_to(us));
            }
            Move::Put { role, to } => acc.add(role.of(us), to),
        }
        acc
    }

    #[inline]
    fn score(&self, acc: &PstAccumulator, position: &Position) -> Score {
        let counts = acc.counts;
        let sum = TaperedScore(acc.sum.0 + acc.imbalance.centipawns().0);
        let phase = acc.phase.min(weights::PHASE_MAX);
        let taper = |score: TaperedScore| {
            (score.middlegame() * phase + score.endgame() * (weights::PHASE_MAX - phase)) / weights::PHASE_MAX
        };
        let white = taper(sum) * scale_factor(counts, sum.endgame()) / SCALE_ONE;
        let score = position.turn().fold_wb(white, -white) + taper(TEMPO);
        score.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use shakmaty::{FromSetup, Position as _};

    fn for_random_positions(mut visit: impl FnMut(&Position)) {
        let mut random = fastrand::Rng::with_seed(3);
        for start in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ] {
            for _ in 0..30 {
                let mut position = parse_fen(start).unwrap();
                for _ in 0..120 {
                    visit(&position);
                    let moves = position.chess().legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[random.usize(..moves.len())]);
                }
            }
        }
    }

    #[test]
    fn incremental_accumulator_equals_refresh() {
        for_random_positions(|position| {
            let acc = Pst.refresh(position);
            for m in position.chess().legal_moves() {
                assert_eq!(Pst.apply(&acc, position, m), Pst.refresh(&position.play(m)), "{m:?} {position:?}");
            }
        });
    }

    #[test]
    fn evaluation_is_symmetric_in_color() {
        for_random_positions(|position| {
            let setup = position.chess().to_setup(shakmaty::EnPassantMode::Always).into_mirrored();
            let mirrored = shakmaty::Chess::from_setup(setup, position.chess().castles().mode()).unwrap();
            assert_eq!(Pst.evaluate(position), Pst.evaluate(&Position::new(mirrored)), "{position:?}");
        });
    }

    #[test]
    fn minor_pieces_without_pawns_do_not_win() {
        for fen in ["4k3/8/8/8/8/8/8/3BK3 w - - 0 1", "4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1"] {
            assert!(Pst.evaluate(&parse_fen(fen).unwrap()).abs() < 50, "{fen}");
        }
        assert!(Pst.evaluate(&parse_fen("4k3/8/8/8/8/8/8/3RK3 w - - 0 1").unwrap()) > 300);
    }
}
