//! Static evaluation: the traits [`SimpleEvaluator`] and [`Evaluator`], and what their authors need.
//!
//! | to write | implement |
//! |---|---|
//! | an evaluation of the position as it is | [`SimpleEvaluator`]: one method |
//! | sums or neurons that each move changes only slightly | [`Evaluator`], with an accumulator for each ply |
//!
//! [`piece_changes`] lists what a move changes on the board, [`TaperedScore`] holds a middlegame and an endgame value,
//! [`PieceCounts`] counts pieces incrementally, and [`testing`] checks an evaluator in random games. A program that uses
//! the library passes its evaluator to [`EngineBuilder::evaluator`]; the searcher is generic over it, so the calls are not
//! virtual. [`pst::Pst`] and [`king_pst::KingPst`] are the evaluators of this library.
//! <https://www.chessprogramming.org/Evaluation>, <https://www.chessprogramming.org/Incremental_Updates>
//!
//! An index by color, as in `table[piece.color as usize]`, is 0 for Black and 1 for White: that is the order of
//! [`shakmaty::Color`].
//!
//! [`EngineBuilder::evaluator`]: crate::engine::EngineBuilder::evaluator

pub mod king_pst;
pub mod king_weights;
pub mod material;
pub mod pst;
pub mod testing;
pub mod weights;

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use shakmaty::{CastlingSide, Color, Move, Piece, Square};

use crate::board::position::Position;
use crate::score::{EVAL_LIMIT, Score};
pub use material::PieceCounts;

/// An evaluator with an accumulator that each move updates.
///
/// The score must depend only on the pieces, the side to move, the castling rights and the en passant square, if the
/// capture is legal ([`EnPassantMode::Legal`](shakmaty::EnPassantMode::Legal)): the TT stores it by position key, which
/// contains neither the halfmove clock nor the game history.
///
/// The engine and each search thread have a clone. `self` may hold what only this thread uses, such as the accumulators
/// of the current path or a cache; keep large weights in an [`Arc`](std::sync::Arc).
///
/// # Order of the calls
/// A search starts with `refresh`, also after one that ended in the middle of the tree, and goes depth first: after
/// `apply(acc, ..)`, no value obtained earlier from a child of `acc`, or from a descendant of it, is used again; `acc`
/// itself still is. So `self` can hold one accumulator for each ply, with the ply as `Acc`, and `apply` overwrites the
/// entry after `acc`. A null move passes `acc` on unchanged: the accumulator must not depend on the side to move or the
/// en passant square. `score` is not called for every position: `apply` need not compute what `score` can compute later.
///
/// ```
/// use aspirant::eval::{piece_changes, testing};
/// use aspirant::prelude::*;
///
/// /// Material, updated with each move. `examples/lazy_network.rs` in the repository has an evaluator with a path.
/// #[derive(Clone)]
/// struct Material;
///
/// fn value(piece: Piece) -> Score {
///     piece.color.fold_wb(1, -1) * [100, 300, 320, 500, 900, 0][piece.role as usize - 1]
/// }
///
/// impl Evaluator for Material {
///     /// White minus Black.
///     type Acc = Score;
///
///     fn refresh(&mut self, root: &Position) -> Score {
///         root.board().iter().map(|(_, piece)| value(piece)).sum()
///     }
///
///     fn apply(&mut self, acc: &Score, before: &Position, m: Move) -> Score {
///         let mut sum = *acc;
///         piece_changes(before.turn(), m, |piece, _, added| sum += if added { value(piece) } else { -value(piece) });
///         sum
///     }
///
///     fn score(&mut self, acc: &Score, position: &Position) -> Score {
///         position.turn().fold_wb(*acc, -acc)
///     }
/// }
///
/// testing::assert_incremental(Material);
/// testing::assert_symmetric(Material);
/// ```
pub trait Evaluator: Clone + Send + 'static {
    /// The accumulator or an index of it. Copied several times per move, so it should be small: the value itself (a few
    /// sums), or the index of a larger one in `self`. Up to 64 KB fit the stack of a search thread at any depth; a larger
    /// one can overflow it, which aborts the process.
    type Acc: Copy + Send;

    /// Computes the accumulator of the root of a search from scratch. No earlier value of `Acc` is used again.
    fn refresh(&mut self, root: &Position) -> Self::Acc;

    /// Returns the accumulator after the legal move `m` in the position `before`, whose accumulator is `acc`.
    fn apply(&mut self, acc: &Self::Acc, before: &Position, m: Move) -> Self::Acc;

    /// Returns the evaluation for the side to move, in centipawns; the search clamps it to ±[`EVAL_LIMIT`].
    ///
    /// It must equal that of a fresh accumulator; debug builds compare them in every 1,000th node and panic with the
    /// position if they differ. The side to move may be in check. A panic ends the search, which then reports the best
    /// move found so far. The function must return: otherwise the watchdog answers this and every later `go`.
    fn score(&mut self, acc: &Self::Acc, position: &Position) -> Score;
}

/// An evaluator without an accumulator: one method. Every `SimpleEvaluator` is an [`Evaluator`].
///
/// ```
/// use aspirant::prelude::*;
///
/// #[derive(Clone)]
/// struct Material;
///
/// impl SimpleEvaluator for Material {
///     fn evaluate(&mut self, position: &Position) -> Score {
///         let value = |color: Color| {
///             let n = position.board().material_side(color).map(Score::from);
///             100 * n.pawn + 300 * n.knight + 320 * n.bishop + 500 * n.rook + 900 * n.queen
///         };
///         value(position.turn()) - value(!position.turn())
///     }
/// }
///
/// let mut engine = Engine::builder().evaluator(Material).build()?;
/// engine.set_game(Game::new(parse_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")?));
/// assert!(engine.search(Limits::depth(3)).score() > 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SimpleEvaluator: Clone + Send + 'static {
    /// Returns the evaluation for the side to move, in centipawns, under the conditions of [`Evaluator::score`].
    fn evaluate(&mut self, position: &Position) -> Score;
}

impl<E: SimpleEvaluator> Evaluator for E {
    type Acc = ();

    #[inline]
    fn refresh(&mut self, _root: &Position) {}

    #[inline]
    fn apply(&mut self, _acc: &(), _before: &Position, _m: Move) {}

    #[inline]
    fn score(&mut self, _acc: &(), position: &Position) -> Score {
        self.evaluate(position)
    }
}

/// Evaluates a position from scratch, for the side to move, in centipawns, clamped to ±[`EVAL_LIMIT`].
///
/// ```
/// use aspirant::board::position::Position;
/// use aspirant::eval::{evaluate, king_pst::KingPst};
///
/// assert!(evaluate(&mut KingPst::default(), &Position::default()).abs() < 50);
/// ```
pub fn evaluate(evaluator: &mut impl Evaluator, position: &Position) -> Score {
    let acc = evaluator.refresh(position);
    evaluator.score(&acc, position).clamp(-EVAL_LIMIT, EVAL_LIMIT)
}

/// Calls `change(piece, square, added)` for each piece that the move `m` of the side `turn` takes off a square or puts on
/// one.
///
/// Castling, also in Chess960, en passant and promotion are included: there are two to four calls, those with
/// `added == false` first.
///
/// ```
/// use aspirant::eval::piece_changes;
/// use aspirant::prelude::*;
///
/// let position = parse_fen("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1")?;
/// let m = position.parse_move("e4d3")?;
/// let mut changes = Vec::new();
/// piece_changes(position.turn(), m, |piece, square, added| changes.push((piece.char(), square, added)));
/// assert_eq!(changes, [('p', Square::E4, false), ('P', Square::D4, false), ('p', Square::D3, true)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn piece_changes(turn: Color, m: Move, mut change: impl FnMut(Piece, Square, bool)) {
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            change(role.of(turn), from, false);
            if let Some(captured) = capture {
                change(captured.of(!turn), to, false);
            }
            change(promotion.unwrap_or(role).of(turn), to, true);
        }
        Move::EnPassant { from, to } => {
            change(turn.pawn(), from, false);
            change((!turn).pawn(), Square::from_coords(to.file(), from.rank()), false);
            change(turn.pawn(), to, true);
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            change(turn.king(), king, false);
            change(turn.rook(), rook, false);
            change(turn.king(), side.king_to(turn), true);
            change(turn.rook(), side.rook_to(turn), true);
        }
        Move::Put { role, to } => change(role.of(turn), to, true),
    }
}

/// A middlegame and an endgame value in centipawns, packed into one integer: one addition adds both.
///
/// ```
/// use aspirant::eval::TaperedScore;
///
/// let mut sum = TaperedScore::new(100, -20) + TaperedScore::new(-30, 50);
/// sum -= TaperedScore::new(10, 10);
/// assert_eq!((sum.middlegame(), sum.endgame()), (60, 20));
/// // A quarter of the way from the endgame (phase 0) to the middlegame (phase 24).
/// assert_eq!(sum.taper(6, 24), 30);
/// ```
/// <https://www.chessprogramming.org/Tapered_Eval>
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaperedScore(i32);

impl TaperedScore {
    /// Creates a score from both values, each within ±32,767, as all sums of it must be.
    #[must_use]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16) + middlegame)
    }

    /// Middlegame value.
    #[must_use]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// Endgame value.
    #[must_use]
    pub const fn endgame(self) -> i32 {
        // Compensates the borrow of a negative middlegame value.
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }

    /// Interpolates between the endgame value (`phase` 0) and the middlegame value (`phase` of `max` and above).
    #[inline]
    #[must_use]
    pub const fn taper(self, phase: i32, max: i32) -> Score {
        let phase = if phase < max { phase } else { max };
        (self.middlegame() * phase + self.endgame() * (max - phase)) / max
    }
}

impl Add for TaperedScore {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for TaperedScore {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for TaperedScore {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl AddAssign for TaperedScore {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for TaperedScore {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Sums over the pieces and over their counts.
trait PieceSums {
    /// Adds the piece-square value of a piece, or subtracts it unless `added`.
    fn change_value(&mut self, piece: Piece, square: Square, added: bool);

    /// Adds a piece to the counts and to what depends on them.
    fn add_count(&mut self, piece: Piece);

    /// Removes a piece from the counts and from what depends on them.
    fn remove_count(&mut self, piece: Piece);

    /// Updates the sums for a move of the side `us`.
    #[inline(always)]
    fn make_move(&mut self, us: Color, m: Move) {
        piece_changes(us, m, |piece, square, added| self.change_value(piece, square, added));
        if let Some(captured) = m.capture() {
            self.remove_count(captured.of(!us));
        }
        if let Some(promoted) = m.promotion() {
            self.remove_count(us.pawn());
            self.add_count(promoted.of(us));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    #[test]
    fn piece_changes_turn_the_board_into_that_after_the_move() {
        let mut kinds = [0; 4];
        testing::for_random_positions(|position, _| {
            for m in position.chess().legal_moves() {
                let mut board = position.board().clone();
                piece_changes(position.turn(), m, |piece, square, added| {
                    if added {
                        assert_eq!(board.piece_at(square), None, "{m:?} {position:?}");
                        board.set_piece_at(square, piece);
                    } else {
                        assert_eq!(board.remove_piece_at(square), Some(piece), "{m:?} {position:?}");
                    }
                });
                assert_eq!(board, *position.play(m).board(), "{m:?} {position:?}");
                kinds[0] += u32::from(m.is_castle());
                kinds[1] += u32::from(m.is_en_passant());
                kinds[2] += u32::from(m.is_promotion() && m.is_capture());
                kinds[3] += u32::from(m.is_promotion() && !m.is_capture());
            }
        });
        assert!(kinds.iter().all(|&count| count > 0), "{kinds:?}");
    }

    #[test]
    fn tapered_score_keeps_both_values() {
        let values = [-3000, -1, 0, 1, 3000];
        let pairs = || values.into_iter().flat_map(|mg| values.map(|eg| (mg, eg)));
        let both = |score: TaperedScore| (score.middlegame(), score.endgame());
        for (mg, eg) in pairs() {
            let score = TaperedScore::new(mg, eg);
            assert_eq!((both(score), both(-score)), ((mg, eg), (-mg, -eg)));
            for (mg2, eg2) in pairs() {
                let other = TaperedScore::new(mg2, eg2);
                assert_eq!((both(score + other), both(score - other)), ((mg + mg2, eg + eg2), (mg - mg2, eg - eg2)));
            }
        }
    }
}
