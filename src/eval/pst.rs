//! The default evaluator: tapered piece-square tables, a form in the numbers of men, a bonus for the move.
//!
//! The value is a sum over the men of `T[phase][man][square]`, interpolated between a middlegame and an
//! endgame table by the material left, plus functions of the numbers of men (`material.rs`: which men go well
//! together, which material hardly wins), plus a bonus for the move. No attacks, no pawn structure: what the board
//! is *about* is left to the search. Middlegame and endgame are summed together in one integer.
//! <https://www.chessprogramming.org/Piece-Square_Tables>, <https://www.chessprogramming.org/Tapered_Eval>

use shakmaty::{CastlingSide, Color, Move, Piece, Square};

use super::material::{Counts, Imbalance, SCALE_ONE, winning_chances};
use super::{Evaluator, weights};
use crate::board::position::Position;
use crate::score::{EVAL_LIMIT, Score};

/// A middlegame and an endgame value in one integer: added and subtracted with one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pair(pub(super) i32);

impl Pair {
    /// Both values in centipawns, each within ±32767.
    #[must_use]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16) + middlegame)
    }

    /// The middlegame value.
    #[must_use]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame value; the borrow of a negative middlegame value is given back.
    #[must_use]
    pub const fn endgame(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }
}

/// The sum over the men, white minus black, and their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acc {
    sum: Pair,
    /// The men of both sides, weighted as in [`weights::PHASE`].
    phase: i32,
    /// What products of numbers of men add, white minus black.
    imbalance: Imbalance,
    /// Numbers of men on the board.
    pub counts: Counts,
}

impl Acc {
    fn add(&mut self, piece: Piece, square: Square) {
        self.sum = Pair(self.sum.0 + value(piece, square).0);
        self.phase += weights::PHASE[piece.role as usize - 1];
        self.imbalance.join(self.counts, piece);
        self.counts.add(piece);
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        self.sum = Pair(self.sum.0 - value(piece, square).0);
        self.phase -= weights::PHASE[piece.role as usize - 1];
        self.counts.remove(piece);
        self.imbalance.leave(self.counts, piece);
    }
}

/// Table value of a man on a square, from white. Black's men use the mirrored square with the sign turned.
fn value(piece: Piece, square: Square) -> Pair {
    VALUES[piece.color as usize][piece.role as usize - 1][square as usize]
}

/// By color, role and square: looked up, for a branch on the color is hard to foretell.
static VALUES: [[[Pair; 64]; 6]; 2] = {
    let mut values = [[[Pair(0); 64]; 6]; 2];
    let mut n = 0;
    while n < 6 * 64 {
        let (kind, square) = (n / 64, n % 64);
        values[Color::White as usize][kind][square] = weights::PIECE_SQUARE[kind][square];
        values[Color::Black as usize][kind][square] = Pair(-weights::PIECE_SQUARE[kind][square ^ 56].0);
        n += 1;
    }
    values
};

/// Material and piece-square tables, tapered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pst;

impl Evaluator for Pst {
    type Acc = Acc;

    fn refresh(&self, position: &Position) -> Acc {
        let mut acc =
            Acc { sum: Pair::default(), phase: 0, imbalance: Imbalance::default(), counts: Counts::default() };
        for (square, piece) in position.board() {
            acc.add(piece, square);
        }
        acc
    }

    fn apply(&self, acc: &Acc, position: &Position, m: Move) -> Acc {
        let (mut acc, us) = (*acc, position.turn());
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                let moved = role.of(us);
                match promotion {
                    // The numbers of men stay.
                    None => acc.sum = Pair(acc.sum.0 + value(moved, to).0 - value(moved, from).0),
                    Some(promoted) => {
                        acc.remove(moved, from);
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

    fn score(&self, acc: &Acc, position: &Position) -> Score {
        let counts = acc.counts;
        let sum = Pair(acc.sum.0 + acc.imbalance.pair().0);
        let phase = acc.phase.min(weights::PHASE_MAX);
        let taper = |pair: Pair| {
            (pair.middlegame() * phase + pair.endgame() * (weights::PHASE_MAX - phase)) / weights::PHASE_MAX
        };
        let white = taper(sum) * winning_chances(counts, sum.endgame()) / SCALE_ONE;
        let score = position.turn().fold_wb(white, -white) + taper(weights::TEMPO);
        score.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use shakmaty::{FromSetup, Position as _};

    fn walk(mut visit: impl FnMut(&Position)) {
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
    fn pairs_keep_both_values() {
        for mg in [-3000, -1, 0, 1, 3000] {
            for eg in [-3000, -1, 0, 1, 3000] {
                let pair = Pair::new(mg, eg);
                assert_eq!((pair.middlegame(), pair.endgame()), (mg, eg));
            }
        }
    }

    #[test]
    fn the_accumulator_follows_every_move() {
        walk(|position| {
            let acc = Pst.refresh(position);
            for m in position.chess().legal_moves() {
                assert_eq!(Pst.apply(&acc, position, m), Pst.refresh(&position.play(m)), "{m:?} {position:?}");
            }
        });
    }

    #[test]
    fn colors_are_treated_alike() {
        walk(|position| {
            let setup = position.chess().to_setup(shakmaty::EnPassantMode::Always).into_mirrored();
            let mirrored = shakmaty::Chess::from_setup(setup, position.chess().castles().mode()).unwrap();
            assert_eq!(Pst.evaluate(position), Pst.evaluate(&Position::new(mirrored)), "{position:?}");
        });
    }

    #[test]
    fn bare_minor_pieces_do_not_win() {
        for fen in ["4k3/8/8/8/8/8/8/3BK3 w - - 0 1", "4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1"] {
            assert!(Pst.evaluate(&parse_fen(fen).unwrap()).abs() < 50, "{fen}");
        }
        assert!(Pst.evaluate(&parse_fen("4k3/8/8/8/8/8/8/3RK3 w - - 0 1").unwrap()) > 300);
    }
}
