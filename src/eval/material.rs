//! Material imbalance and scale factor: evaluation terms that depend on piece counts only.
//!
//! A second bishop adds to the value of the first, a rook is worth less next to a queen, a knight more with many
//! pawns, and an advantage of two pieces counts more the fewer pieces there are. A quadratic form in the piece counts
//! models these effects; its coefficients are tuned together with the piece-square tables.
//! <https://www.chessprogramming.org/Material>, Kaufman 1999, "The Evaluation of Material Imbalances"
#![doc(hidden)]

use shakmaty::{Board, Color, Piece, Role};

use super::TaperedScore;

/// Piece counts by color and role, for accumulators: four bits each, so at most 15, which [`Position::new`] requires.
///
/// ```
/// use aspirant::eval::PieceCounts;
/// use aspirant::prelude::*;
///
/// let mut counts = PieceCounts::of(Position::default().board());
/// counts.remove(Role::Rook.of(Color::White));
/// counts.add(Role::Queen.of(Color::White));
/// assert_eq!((counts.get(Color::White, Role::Rook), counts.get(Color::White, Role::Queen)), (1, 2));
/// ```
///
/// [`Position::new`]: crate::board::position::Position::new
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PieceCounts(u64);

impl PieceCounts {
    const fn shift(color: Color, role: Role) -> u32 {
        4 * (role as u32 - 1) + if color.is_white() { 0 } else { 24 }
    }

    /// Returns the number of pieces of this color and role.
    #[must_use]
    pub const fn get(self, color: Color, role: Role) -> i32 {
        (self.0 >> Self::shift(color, role) & 15) as i32
    }

    /// Counts one more of this piece.
    pub const fn add(&mut self, piece: Piece) {
        self.0 += 1 << Self::shift(piece.color, piece.role);
    }

    /// Counts one less of this piece, of which there must be one.
    pub const fn remove(&mut self, piece: Piece) {
        self.0 -= 1 << Self::shift(piece.color, piece.role);
    }

    /// Counts the pieces on a board.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        let mut counts = Self::default();
        board.iter().for_each(|(_, piece)| counts.add(piece));
        counts
    }
}

/// Piece counts of one side, pawn to queen.
type SideCounts = [i32; 5];

/// Number of imbalance terms: `OWN_TERMS`, then the pairs of a role and a lesser opposing role.
pub const IMBALANCE_TERMS: usize = OWN_TERMS + 10;
/// Number of imbalance terms within one side: pairs of roles, a role with itself included.
const OWN_TERMS: usize = 15;

/// Returns the products of piece counts, White minus Black; antisymmetric in color.
#[must_use]
pub fn imbalance_terms(counts: PieceCounts) -> [i32; IMBALANCE_TERMS] {
    let (white, black) = (side_counts(counts, Color::White), side_counts(counts, Color::Black));
    let mut out = [0; IMBALANCE_TERMS];
    let (mut own, mut against) = (0, OWN_TERMS);
    for greater in 0..5 {
        for lesser in 0..=greater {
            out[own] = white[greater] * white[lesser] - black[greater] * black[lesser];
            own += 1;
            if lesser < greater {
                out[against] = white[greater] * black[lesser] - black[greater] * white[lesser];
                against += 1;
            }
        }
    }
    out
}

fn side_counts(counts: PieceCounts, color: Color) -> SideCounts {
    std::array::from_fn(|n| counts.get(color, ROLES[n]).min(MAX_COUNTED[n]))
}

const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// Maximum count per role.
///
/// Higher counts are too rare in games for tuning, and a quadratic term extrapolates badly: with the coefficient tuned
/// for two queens, an eighth queen would have a negative value.
const MAX_COUNTED: SideCounts = [8, 2, 2, 2, 2];

/// Units of the imbalance weights per centipawn.
pub const IMBALANCE_SCALE: i32 = 16;

/// Middlegame and endgame imbalance, packed like [`TaperedScore`].
///
/// Units of 1/[`IMBALANCE_SCALE`] centipawn, White minus Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imbalance(i64);

impl Imbalance {
    const fn new((middlegame, endgame): (i32, i32)) -> Self {
        Self(((endgame as i64) << 32) + middlegame as i64)
    }

    /// Converts to centipawns.
    #[must_use]
    pub const fn centipawns(self) -> TaperedScore {
        let endgame = (self.0 + 0x8000_0000) >> 32;
        TaperedScore::new(self.0 as i32 / IMBALANCE_SCALE, endgame as i32 / IMBALANCE_SCALE)
    }

    /// Updates the imbalance for a new piece, which `counts` do not include yet.
    pub fn add(&mut self, weights: &ImbalanceWeights, counts: PieceCounts, piece: Piece) {
        self.0 += piece.color.fold_wb(1, -1) * weights.marginal_value(counts, piece);
    }

    /// Updates the imbalance for a removed piece, which `counts` no longer include.
    pub fn remove(&mut self, weights: &ImbalanceWeights, counts: PieceCounts, piece: Piece) {
        self.0 -= piece.color.fold_wb(1, -1) * weights.marginal_value(counts, piece);
    }
}

/// Imbalance coefficients as symmetric and antisymmetric matrices, packed like [`Imbalance`].
#[derive(Clone, Debug)]
pub struct ImbalanceWeights {
    /// Coefficients by role and own role; on the diagonal twice the coefficient of the square.
    own: [[i64; 5]; 5],
    /// Coefficients by role and role of the opponent; antisymmetric.
    opposing: [[i64; 5]; 5],
}

impl ImbalanceWeights {
    /// Creates the matrices from the coefficients of [`imbalance_terms`], middlegame and endgame.
    #[must_use]
    pub const fn new(terms: &[(i32, i32); IMBALANCE_TERMS]) -> Self {
        let mut out = Self { own: [[0; 5]; 5], opposing: [[0; 5]; 5] };
        let (mut own_term, mut opposing_term, mut greater) = (0, OWN_TERMS, 0);
        while greater < 5 {
            let mut lesser = 0;
            while lesser <= greater {
                let value = Imbalance::new(terms[own_term]).0;
                out.own[greater][lesser] += value;
                out.own[lesser][greater] += value;
                own_term += 1;
                if lesser < greater {
                    let value = Imbalance::new(terms[opposing_term]).0;
                    out.opposing[greater][lesser] = value;
                    out.opposing[lesser][greater] = -value;
                    opposing_term += 1;
                }
                lesser += 1;
            }
            greater += 1;
        }
        out
    }

    /// Returns the change of the imbalance by one more piece, from the point of view of its side.
    ///
    /// The difference of a quadratic form is linear in the counts.
    fn marginal_value(&self, counts: PieceCounts, piece: Piece) -> i64 {
        let role = piece.role as usize - 1;
        let Some((own, opposing)) = self.own.get(role).zip(self.opposing.get(role)) else { return 0 };
        if counts.get(piece.color, piece.role) >= MAX_COUNTED[role] {
            return 0;
        }
        let (ours, theirs) = (side_counts(counts, piece.color), side_counts(counts, !piece.color));
        // (n + 1)² - n² = 2n + 1.
        let square = own[role] / 2;
        (0..5).map(|n| own[n] * i64::from(ours[n]) + opposing[n] * i64::from(theirs[n])).sum::<i64>() + square
    }
}

/// Unit of [`scale_factor`]: the evaluation is not reduced.
pub const SCALE_ONE: i32 = 128;

/// Returns the scale factor of an evaluation, from 0 to [`SCALE_ONE`], for drawish material.
///
/// Without pawns, a side that is at most a minor piece ahead rarely wins (an eighth). With at most a single minor
/// piece, or two knights against a side without pawns, it does not win (0). `advantage` is from White's point of view;
/// only its sign is used.
/// <https://www.chessprogramming.org/Draw_Evaluation>
#[must_use]
pub fn scale_factor(counts: PieceCounts, advantage: i32) -> i32 {
    if advantage == 0 {
        // Neither side is stronger; keeps the evaluation symmetric.
        return SCALE_ONE;
    }
    let strong = if advantage > 0 { Color::White } else { Color::Black };
    if counts.get(strong, Role::Pawn) > 0 {
        return SCALE_ONE;
    }
    let material = |color| {
        3 * (counts.get(color, Role::Knight) + counts.get(color, Role::Bishop))
            + 5 * counts.get(color, Role::Rook)
            + 9 * counts.get(color, Role::Queen)
    };
    let (ours, theirs) = (material(strong), material(!strong));
    let two_knights = ours == 6 && counts.get(strong, Role::Knight) == 2;
    if ours <= 3 || (two_knights && counts.get(!strong, Role::Pawn) == 0) {
        0
    } else if ours - theirs <= 3 {
        SCALE_ONE / 8
    } else {
        SCALE_ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use crate::eval::pst::Pst;
    use crate::eval::{evaluate, weights};

    fn counts(fen: &str) -> PieceCounts {
        PieceCounts::of(parse_fen(fen).unwrap().board())
    }

    #[test]
    fn imbalance_terms_are_products_of_piece_counts() {
        // White: three pawns, two knights, a rook. Black: a pawn, two queens; then with a bishop.
        let terms = imbalance_terms(counts("2q1k3/q6p/8/8/8/8/PPP5/1N1RK1N1 b - - 0 1"));
        let with_bishop = imbalance_terms(counts("2q1kb2/q6p/8/8/8/8/PPP5/1N1RK1N1 b - - 0 1"));
        // Own: pawn-pawn, knight-pawn, knight-knight.
        assert_eq!(terms[..3], [9 - 1, 6, 4]);
        // Own: queen-pawn, queen-queen.
        assert_eq!((terms[10], terms[14]), (-2, -4));
        // Opposing: White's knights with the black pawn; Black's queens with White's pawns, knights, bishops, rook.
        assert_eq!((terms[OWN_TERMS], &terms[OWN_TERMS + 6..]), (2, &[-6, -4, 0, -2][..]));
        assert_eq!(
            (with_bishop[3], with_bishop[5], with_bishop[OWN_TERMS + 1], with_bishop[OWN_TERMS + 2]),
            (-1, -1, -3, -2)
        );
    }

    #[test]
    fn incremental_imbalance_equals_weighted_sum_of_terms() {
        let mut random = fastrand::Rng::with_seed(6);
        let coefficients = ImbalanceWeights::new(&weights::IMBALANCE);
        for _ in 0..2000 {
            let (mut counts, mut imbalance) = (PieceCounts::default(), Imbalance::default());
            let piece = |random: &mut fastrand::Rng| {
                let color = Color::from_white(random.bool());
                Role::ALL[random.usize(..6)].of(color)
            };
            for _ in 0..random.usize(..40) {
                let piece = piece(&mut random);
                let max = if piece.role == Role::Pawn { 8 } else { 4 };
                if random.u8(..3) == 0 && counts.get(piece.color, piece.role) > 0 {
                    counts.remove(piece);
                    imbalance.remove(&coefficients, counts, piece);
                } else if counts.get(piece.color, piece.role) < max {
                    imbalance.add(&coefficients, counts, piece);
                    counts.add(piece);
                }
            }
            let (mut middlegame, mut endgame) = (0, 0);
            for (term, (mg, eg)) in imbalance_terms(counts).into_iter().zip(weights::IMBALANCE) {
                middlegame += term * mg;
                endgame += term * eg;
            }
            assert_eq!(imbalance, Imbalance::new((middlegame, endgame)));
            assert_eq!(
                imbalance.centipawns(),
                TaperedScore::new(middlegame / IMBALANCE_SCALE, endgame / IMBALANCE_SCALE)
            );
        }
    }

    #[test]
    fn equal_material_has_no_imbalance() {
        let equal = counts("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(imbalance_terms(equal), [0; IMBALANCE_TERMS]);
    }

    #[test]
    fn each_additional_queen_increases_the_evaluation() {
        // The queens do not attack Black's king; each may be a promoted pawn.
        let with_queens = |queens: usize| {
            let rank = if queens == 8 { String::new() } else { (8 - queens).to_string() } + &"Q".repeat(queens);
            evaluate(&mut Pst, &parse_fen(&format!("krn5/ppp5/8/8/{rank}/8/8/RNB1K3 w - - 0 1")).unwrap())
        };
        for queens in 1..=8 {
            assert!(with_queens(queens) > with_queens(queens - 1) + 300, "{queens}");
        }
    }
}
