//! Static evaluation: the [`Evaluator`] trait, [`pst::Pst`] and [`king_pst::KingPst`].
//!
//! An evaluator has an *accumulator*: sums over the pieces that each move changes only slightly. The search
//! keeps one accumulator per ply and updates it with each move instead of summing over the board at
//! every leaf. The searcher is generic over [`Evaluator`], so other evaluators have no run-time overhead. A program
//! that uses the library passes its evaluator to [`EngineBuilder::evaluator`]; `pst.rs` is the simplest one here.
//! <https://www.chessprogramming.org/Evaluation>, <https://www.chessprogramming.org/Incremental_Updates>
//!
//! [`EngineBuilder::evaluator`]: crate::engine::EngineBuilder::evaluator

pub mod king_pst;
pub mod king_weights;
pub mod material;
pub mod pst;
pub mod weights;

use shakmaty::{CastlingSide, Color, Move, Piece, Square};

use crate::board::position::Position;
use crate::score::{EVAL_LIMIT, Score};

/// Middlegame and endgame value, packed into one integer.
///
/// One instruction adds or subtracts both.
/// <https://www.chessprogramming.org/Tapered_Eval>
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaperedScore(i32);

impl TaperedScore {
    /// Creates a score from both values in centipawns, each within ±32767.
    #[must_use]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16) + middlegame)
    }

    /// Middlegame value.
    #[must_use]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// Endgame value, with the borrow of a negative middlegame value compensated.
    #[must_use]
    pub const fn endgame(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }
}

/// Static evaluation with an incrementally updated accumulator.
///
/// The accumulator must not depend on the side to move or the en passant square: a null move passes it on unchanged.
/// The score must depend only on the pieces, the side to move, the castling rights and the en passant square, if the
/// capture is legal ([`EnPassantMode::Legal`](shakmaty::EnPassantMode::Legal)): the TT stores it by position key, which
/// contains neither the halfmove clock nor the game history.
///
/// The engine and each search thread hold a clone: keep large weights in an [`Arc`](std::sync::Arc).
pub trait Evaluator: Clone + Send + 'static {
    /// Accumulator type; copied at every ply, so it should be small. Up to 64 KB fit the stack of a search thread at any
    /// depth; a larger one can overflow it, which aborts the process.
    type Acc: Copy + Send;

    /// Computes the accumulator of a position from scratch.
    fn refresh(&self, position: &Position) -> Self::Acc;

    /// Returns the accumulator after the legal move `m` in `position`, whose accumulator is `acc`.
    ///
    /// It must equal [`Evaluator::refresh`] of the position after the move.
    fn apply(&self, acc: &Self::Acc, position: &Position, m: Move) -> Self::Acc;

    /// Returns the evaluation for the side to move, in centipawns; the search clamps it to ±[`EVAL_LIMIT`].
    ///
    /// The side to move may be in check. A panic ends the search, which then reports the best move found so far. The
    /// function must return: after an answer of the watchdog, the engine still waits for it before it is dropped and before
    /// a new game.
    fn score(&self, acc: &Self::Acc, position: &Position) -> Score;

    /// Evaluates a position from scratch; the result is clamped to ±[`EVAL_LIMIT`].
    fn evaluate(&self, position: &Position) -> Score {
        self.score(&self.refresh(position), position).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

/// Sums over the pieces, updated piece by piece.
trait PieceSums {
    /// Adds a piece.
    fn add(&mut self, piece: Piece, square: Square);

    /// Removes a piece.
    fn remove(&mut self, piece: Piece, square: Square);

    /// Moves a piece; the piece counts do not change.
    fn relocate(&mut self, piece: Piece, from: Square, to: Square);

    /// Updates the sums for a move of the side `us`.
    fn make_move(&mut self, us: Color, m: Move) {
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                match promotion {
                    None => self.relocate(role.of(us), from, to),
                    Some(promoted) => {
                        self.remove(role.of(us), from);
                        self.add(promoted.of(us), to);
                    }
                }
                if let Some(captured) = capture {
                    self.remove(captured.of(!us), to);
                }
            }
            Move::EnPassant { from, to } => {
                self.relocate(us.pawn(), from, to);
                self.remove((!us).pawn(), Square::from_coords(to.file(), from.rank()));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                self.relocate(us.king(), king, side.king_to(us));
                self.relocate(us.rook(), rook, side.rook_to(us));
            }
            Move::Put { role, to } => self.add(role.of(us), to),
        }
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

    /// Compares the accumulator after each legal move with that computed from scratch.
    pub fn assert_incremental<E: Evaluator<Acc: PartialEq + std::fmt::Debug>>(evaluator: &E) {
        for_random_positions(|position| {
            let acc = evaluator.refresh(position);
            for m in position.chess().legal_moves() {
                let expected = evaluator.refresh(&position.play(m));
                assert_eq!(evaluator.apply(&acc, position, m), expected, "{m:?} {position:?}");
            }
        });
    }

    /// Compares each evaluation with that of the position with colors exchanged.
    pub fn assert_symmetric<E: Evaluator>(evaluator: &E) {
        for_random_positions(|position| {
            let setup = position.chess().to_setup(shakmaty::EnPassantMode::Always).into_mirrored();
            let mirrored = shakmaty::Chess::from_setup(setup, position.chess().castles().mode()).unwrap();
            let mirrored = Position::new(mirrored);
            assert_eq!(evaluator.evaluate(position), evaluator.evaluate(&mirrored), "{position:?}");
        });
    }

    #[test]
    fn tapered_score_keeps_both_values() {
        for mg in [-3000, -1, 0, 1, 3000] {
            for eg in [-3000, -1, 0, 1, 3000] {
                let score = TaperedScore::new(mg, eg);
                assert_eq!((score.middlegame(), score.endgame()), (mg, eg));
            }
        }
    }
}
