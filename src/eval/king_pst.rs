//! King-dependent piece-square tables: [`Pst`](super::pst::Pst) with offsets for both kings.
//!
//! The value of a piece on a square is its base value plus two offsets: one from the table of its own king's bucket,
//! one from the table of the opposing king's bucket. A bucket is a group of king squares on files a to d. For a king on
//! files e to h, its bucket and the squares of its offsets are those of the mirrored squares. For each pair of buckets,
//! the three values are added in advance, so each piece needs one lookup. The sum is recomputed only if a king changes
//! its bucket or its half of the board; all other moves update it incrementally.
//! <https://www.chessprogramming.org/King_Buckets>, material terms and tapering as in `pst.rs`

use std::sync::Arc;

use shakmaty::{Board, Color, Move, Piece, Square};

use super::king_weights as weights;
use super::material::{Imbalance, ImbalanceWeights, PieceCounts, SCALE_ONE, scale_factor};
use super::{Evaluator, PieceSums, TaperedScore};
use crate::board::position::Position;
use crate::score::Score;

/// Bonus for the side to move.
const TEMPO: TaperedScore = TaperedScore::new(weights::TEMPO.0, weights::TEMPO.1);

/// Coefficients of the material imbalance.
static IMBALANCE: ImbalanceWeights = ImbalanceWeights::new(&weights::IMBALANCE);

/// Number of states of a king: its bucket, and whether it is on files e to h.
const KING_STATES: usize = 2 * weights::KING_BUCKETS;

/// Values by color, role and square, White minus Black.
type PieceValues = [[[TaperedScore; 64]; 6]; 2];

/// King-dependent piece-square tables and material terms.
#[derive(Clone, Debug)]
pub struct KingPst {
    /// Values for each pair of king states, White's state first.
    tables: Arc<[PieceValues]>,
}

impl Default for KingPst {
    fn default() -> Self {
        let states = (0..KING_STATES).flat_map(|white| (0..KING_STATES).map(move |black| [white, black]));
        Self { tables: states.map(piece_values).collect() }
    }
}

impl KingPst {
    /// Returns all weights as one list, for checksums.
    #[doc(hidden)]
    #[must_use]
    pub fn weight_list() -> Vec<i32> {
        let values = Self::default().tables.iter().flatten().flatten().flatten().map(|pair| pair.0).collect::<Vec<_>>();
        let tempo = [weights::TEMPO.0, weights::TEMPO.1];
        let rest = tempo.into_iter().chain(weights::PHASE).chain([weights::PHASE_MAX]);
        let rest = rest.chain(weights::IMBALANCE.into_iter().flat_map(<[i32; 2]>::from));
        values.into_iter().chain(rest).collect()
    }
}

/// Returns the state of a king on `square`, given from its own side's point of view.
fn king_state(square: Square) -> usize {
    let is_mirrored = square.file() as usize >= 4;
    let folded = if is_mirrored { square.flip_horizontal() } else { square };
    let bucket = weights::KING_BUCKET[folded.rank() as usize * 4 + folded.file() as usize];
    2 * usize::from(bucket) + usize::from(is_mirrored)
}

fn table_index(white: Square, black: Square) -> u16 {
    (king_state(white) * KING_STATES + king_state(black.flip_vertical())) as u16
}

fn table_index_of(board: &Board) -> u16 {
    let king = |color| board.king_of(color).unwrap_or(Square::A1);
    table_index(king(Color::White), king(Color::Black))
}

fn piece_values(kings: [usize; 2]) -> PieceValues {
    std::array::from_fn(|color| {
        let color = Color::from_white(color == Color::White as usize);
        let (own, opposing) = (kings[color.fold_wb(0, 1)], kings[color.fold_wb(1, 0)]);
        std::array::from_fn(|role| {
            std::array::from_fn(|square| {
                // The weights are listed from a8 to h1, from the view of the piece's own side.
                let index = color.fold_wb(square ^ 56, square);
                let mirrored = |state: usize| if state % 2 == 1 { index ^ 7 } else { index };
                let sum = |base: &[[i32; 64]; 6], material: i32, own_king: &Offsets, opposing_king: &Offsets| {
                    material
                        + base[role][index]
                        + i32::from(own_king[own / 2][role][mirrored(own)])
                        + i32::from(opposing_king[opposing / 2][role][mirrored(opposing)])
                };
                let (mg, eg) = weights::MATERIAL[role];
                let mg =
                    sum(&weights::MIDDLEGAME, mg, &weights::OWN_KING_MIDDLEGAME, &weights::OPPOSING_KING_MIDDLEGAME);
                let eg = sum(&weights::ENDGAME, eg, &weights::OWN_KING_ENDGAME, &weights::OPPOSING_KING_ENDGAME);
                TaperedScore::new(color.fold_wb(mg, -mg), color.fold_wb(eg, -eg))
            })
        })
    })
}

/// Offsets by bucket, role and square.
type Offsets = [[[i16; 64]; 6]; weights::KING_BUCKETS];

/// Accumulator of [`KingPst`]: sums over the pieces, White minus Black, and the piece counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KingPstAccumulator {
    /// Sum of the piece-square values.
    sum: TaperedScore,
    /// Index of the table for the squares of the kings.
    table: u16,
    /// Game phase: pieces of both sides, weighted by [`weights::PHASE`].
    phase: i16,
    imbalance: Imbalance,
    counts: PieceCounts,
}

/// An accumulator with the table for its kings.
struct Sums<'a> {
    acc: KingPstAccumulator,
    values: &'a PieceValues,
}

impl PieceSums for Sums<'_> {
    fn change_value(&mut self, piece: Piece, square: Square, added: bool) {
        let value = self.values[piece.color as usize][piece.role as usize - 1][square as usize];
        self.acc.sum += if added { value } else { -value };
    }

    fn add_count(&mut self, piece: Piece) {
        self.acc.phase += weights::PHASE[piece.role as usize - 1] as i16;
        self.acc.imbalance.add(&IMBALANCE, self.acc.counts, piece);
        self.acc.counts.add(piece);
    }

    fn remove_count(&mut self, piece: Piece) {
        self.acc.phase -= weights::PHASE[piece.role as usize - 1] as i16;
        self.acc.counts.remove(piece);
        self.acc.imbalance.remove(&IMBALANCE, self.acc.counts, piece);
    }
}

impl KingPst {
    #[inline(never)]
    fn sum(values: &PieceValues, board: &Board) -> TaperedScore {
        let mut sum = TaperedScore::default();
        for (color, values) in
            Color::ALL.into_iter().zip([&values[Color::White as usize], &values[Color::Black as usize]])
        {
            for (role, values) in shakmaty::Role::ALL.into_iter().zip(values) {
                for square in board.by_piece(role.of(color)) {
                    sum += values[square as usize];
                }
            }
        }
        sum
    }
}

impl Evaluator for KingPst {
    type Acc = KingPstAccumulator;

    fn refresh(&mut self, root: &Position) -> KingPstAccumulator {
        let table = table_index_of(root.board());
        let acc = KingPstAccumulator { table, ..KingPstAccumulator::default() };
        let mut sums = Sums { acc, values: &self.tables[usize::from(table)] };
        for (square, piece) in root.board() {
            sums.change_value(piece, square, true);
            sums.add_count(piece);
        }
        sums.acc
    }

    #[inline]
    fn apply(&mut self, acc: &KingPstAccumulator, before: &Position, m: Move) -> KingPstAccumulator {
        let (mut acc, us) = (*acc, before.turn());
        if let Some(king) = king_target(us, m) {
            let opposing = before.board().king_of(!us).unwrap_or(Square::A1);
            let table = us.fold_wb(table_index(king, opposing), table_index(opposing, king));
            if table != acc.table {
                acc.table = table;
                acc.sum = Self::sum(&self.tables[usize::from(table)], before.board());
            }
        }
        let mut sums = Sums { acc, values: &self.tables[usize::from(acc.table)] };
        sums.make_move(us, m);
        sums.acc
    }

    fn score(&mut self, acc: &KingPstAccumulator, position: &Position) -> Score {
        let sum = acc.sum + acc.imbalance.centipawns();
        let taper = |score: TaperedScore| score.taper(acc.phase.into(), weights::PHASE_MAX);
        let white = taper(sum) * scale_factor(acc.counts, sum.endgame()) / SCALE_ONE;
        position.turn().fold_wb(white, -white) + taper(TEMPO)
    }
}

/// Returns the square of the king of `us` after a move of it; `None` for moves of other pieces.
fn king_target(us: Color, m: Move) -> Option<Square> {
    match m {
        Move::Normal { role: shakmaty::Role::King, to, .. } => Some(to),
        Move::Castle { king, rook } => Some(shakmaty::CastlingSide::from_queen_side(rook < king).king_to(us)),
        _ => None,
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
        assert_incremental(KingPst::default());
    }

    #[test]
    fn evaluation_is_symmetric_in_color() {
        assert_symmetric(KingPst::default());
    }

    #[test]
    fn each_king_square_has_a_valid_bucket() {
        assert!(weights::KING_BUCKET.iter().all(|&bucket| usize::from(bucket) < weights::KING_BUCKETS));
        let states: Vec<usize> = Square::ALL.into_iter().map(king_state).collect();
        assert!((0..KING_STATES).all(|state| states.contains(&state)), "{states:?}");
    }

    #[test]
    fn sums_of_extreme_positions_fit_the_accumulator() {
        // The greatest number of queens of each side, with kings in each state.
        let most = |values: &PieceValues, color: Color| {
            let squares = || (0..64).map(|square| values[color as usize][4][square]);
            let max = |of: fn(TaperedScore) -> i32| squares().map(|value| of(value).abs()).max().unwrap_or(0);
            max(TaperedScore::middlegame).max(max(TaperedScore::endgame))
        };
        let evaluator = KingPst::default();
        let max = evaluator.tables.iter().flat_map(|values| Color::ALL.map(|color| most(values, color))).max().unwrap();
        assert!(9 * max + 10_000 < i32::from(i16::MAX), "{max}");
    }

    #[test]
    fn minor_pieces_without_pawns_do_not_win() {
        let evaluate_fen = |fen: &str| evaluate(&mut KingPst::default(), &parse_fen(fen).unwrap());
        for fen in ["4k3/8/8/8/8/8/8/3BK3 w - - 0 1", "4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1"] {
            assert!(evaluate_fen(fen).abs() < 50, "{fen}");
        }
        assert!(evaluate_fen("4k3/8/8/8/8/8/8/3RK3 w - - 0 1") > 100);
    }
}
