//! What follows from the numbers of men alone: which go well together, and which hardly win.
//!
//! A bishop is worth more beside another, a rook less beside a queen, a knight more the more pawns there are, and an advantage
//! of two men among few is more than among many. A quadratic form in the numbers of men says all that; its coefficients are
//! fitted together with the tables.
//! <https://www.chessprogramming.org/Material>, Kaufman 1999, "The Evaluation of Material Imbalances"

use shakmaty::{Board, Color, Piece, Role};

use super::pst::Pair;
use super::weights;

/// Numbers of men, four bits for each color and role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts(u64);

impl Counts {
    const fn shift(color: Color, role: Role) -> u32 {
        4 * (role as u32 - 1) + if color.is_white() { 0 } else { 24 }
    }

    /// How many men of this kind there are.
    #[must_use]
    pub const fn get(self, color: Color, role: Role) -> i32 {
        (self.0 >> Self::shift(color, role) & 15) as i32
    }

    pub(super) const fn add(&mut self, piece: Piece) {
        self.0 += 1 << Self::shift(piece.color, piece.role);
    }

    pub(super) const fn remove(&mut self, piece: Piece) {
        self.0 -= 1 << Self::shift(piece.color, piece.role);
    }

    /// The men of a board.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        let mut counts = Self::default();
        board.iter().for_each(|(_, piece)| counts.add(piece));
        counts
    }
}

/// The numbers of one side's men from pawn to queen.
type Men = [i32; 5];

/// The products that count, white's view: of each two kinds of men of one side, each side's for itself ([`OWN`] of them),
/// then of men of one side and lesser men of the other.
pub const PRODUCTS: usize = OWN + 10;
/// Pairs of kinds of men of one side, a kind with itself included.
pub const OWN: usize = 15;

/// These products. Colors exchanged, all change sign.
#[must_use]
pub fn products(counts: Counts) -> [i32; PRODUCTS] {
    let (white, black) = (men(counts, Color::White), men(counts, Color::Black));
    let mut out = [0; PRODUCTS];
    let (mut own, mut against) = (0, OWN);
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

fn men(counts: Counts, color: Color) -> Men {
    std::array::from_fn(|n| counts.get(color, MEN[n]).min(MOST[n]))
}

const MEN: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// More men of a kind do not count: games hardly have them, and a square term that was fitted to two queens would give the
/// eighth away.
const MOST: Men = [8, 2, 2, 2, 2];

/// Parts of a centipawn in which [`weights::IMBALANCE`] is written.
pub const FINE: i32 = 16;

/// A middlegame and an endgame value in parts of a centipawn ([`FINE`]), like [`Pair`] in one integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imbalance(i64);

impl Imbalance {
    const fn new((middlegame, endgame): (i32, i32)) -> Self {
        Self(((endgame as i64) << 32) + middlegame as i64)
    }

    /// In centipawns.
    #[must_use]
    pub const fn pair(self) -> Pair {
        let endgame = (self.0 + 0x8000_0000) >> 32;
        Pair::new(self.0 as i32 / FINE, endgame as i32 / FINE)
    }

    /// A man joins those counted so far; white minus black.
    pub fn join(&mut self, counts: Counts, piece: Piece) {
        self.0 += piece.color.fold_wb(1, -1) * worth(counts, piece);
    }

    /// A man has left those counted now.
    pub fn leave(&mut self, counts: Counts, piece: Piece) {
        self.0 -= piece.color.fold_wb(1, -1) * worth(counts, piece);
    }
}

/// What one more man is worth to its side for the company it finds: of a quadratic form the difference is linear.
fn worth(counts: Counts, piece: Piece) -> i64 {
    let kind = piece.role as usize - 1;
    let Some((own, against)) = OWN_SIDE.get(kind).zip(OTHER_SIDE.get(kind)) else { return 0 };
    if counts.get(piece.color, piece.role) >= MOST[kind] {
        return 0;
    }
    let (ours, theirs) = (men(counts, piece.color), men(counts, !piece.color));
    // n squared becomes n squared + 2 n + 1.
    let square = own[kind] / 2;
    (0..5).map(|n| own[n] * i64::from(ours[n]) + against[n] * i64::from(theirs[n])).sum::<i64>() + square
}

/// By kind of man and kind beside it: the coefficient of their product, and twice that of a square.
static OWN_SIDE: [[i64; 5]; 5] = sides().0;
/// By kind of man and kind of the other side.
static OTHER_SIDE: [[i64; 5]; 5] = sides().1;

const fn sides() -> ([[i64; 5]; 5], [[i64; 5]; 5]) {
    let (mut beside, mut against) = ([[0; 5]; 5], [[0; 5]; 5]);
    let (mut own, mut other, mut greater) = (0, OWN, 0);
    while greater < 5 {
        let mut lesser = 0;
        while lesser <= greater {
            let value = Imbalance::new(weights::IMBALANCE[own]).0;
            beside[greater][lesser] += value;
            beside[lesser][greater] += value;
            own += 1;
            if lesser < greater {
                let value = Imbalance::new(weights::IMBALANCE[other]).0;
                against[greater][lesser] = value;
                against[lesser][greater] = -value;
                other += 1;
            }
            lesser += 1;
        }
        greater += 1;
    }
    (beside, against)
}

/// The whole of an advantage: see [`winning_chances`].
pub const SCALE_ONE: i32 = 128;

/// How much of an advantage counts, of [`SCALE_ONE`], judged by the numbers of men alone: without pawns, a
/// side that is no more than a minor piece ahead seldom wins.
/// <https://www.chessprogramming.org/Draw_Evaluation>
#[must_use]
pub fn winning_chances(counts: Counts, advantage: i32) -> i32 {
    if advantage == 0 {
        // Neither side is the strong one, and both must be judged alike.
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
    use crate::eval::Evaluator;
    use crate::eval::pst::Pst;

    fn counts(fen: &str) -> Counts {
        Counts::of(parse_fen(fen).unwrap().board())
    }

    #[test]
    fn products_are_those_of_the_men() {
        // White: three pawns, two knights, a rook; black: a pawn and two queens, then a bishop as well.
        let found = products(counts("2q1k3/q6p/8/8/8/8/PPP5/1N1RK1N1 b - - 0 1"));
        let bishop = products(counts("2q1kb2/q6p/8/8/8/8/PPP5/1N1RK1N1 b - - 0 1"));
        // Pawns with pawns, knights with pawns and with knights.
        assert_eq!(found[..3], [9 - 1, 6, 4]);
        // Queens with pawns and with queens.
        assert_eq!((found[10], found[14]), (-2, -4));
        // Against: knights and black pawns, queens and white's pawns, knights, rook.
        assert_eq!((found[OWN], &found[OWN + 6..]), (2, &[-6, -4, 0, -2][..]));
        assert_eq!((bishop[3], bishop[5], bishop[OWN + 1], bishop[OWN + 2]), (-1, -1, -3, -2));
    }

    #[test]
    fn the_imbalance_is_the_sum_of_the_products() {
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..2000 {
            let (mut counts, mut imbalance) = (Counts::default(), Imbalance::default());
            let piece = |random: &mut fastrand::Rng| {
                let color = Color::from_white(random.bool());
                Role::ALL[random.usize(..6)].of(color)
            };
            for _ in 0..random.usize(..40) {
                let piece = piece(&mut random);
                let most = if piece.role == Role::Pawn { 8 } else { 4 };
                if random.u8(..3) == 0 && counts.get(piece.color, piece.role) > 0 {
                    counts.remove(piece);
                    imbalance.leave(counts, piece);
                } else if counts.get(piece.color, piece.role) < most {
                    imbalance.join(counts, piece);
                    counts.add(piece);
                }
            }
            let (mut middlegame, mut endgame) = (0, 0);
            for (product, (mg, eg)) in products(counts).into_iter().zip(weights::IMBALANCE) {
                middlegame += product * mg;
                endgame += product * eg;
            }
            assert_eq!(imbalance, Imbalance::new((middlegame, endgame)));
            assert_eq!(imbalance.pair(), Pair::new(middlegame / FINE, endgame / FINE));
        }
    }

    #[test]
    fn the_same_men_on_both_sides_are_worth_nothing() {
        let even = counts("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(products(even), [0; PRODUCTS]);
    }

    #[test]
    fn another_queen_is_always_welcome() {
        // Black's king is out of their reach, and each may have been a pawn.
        let worth = |queens: usize| {
            let rank = if queens == 8 { String::new() } else { (8 - queens).to_string() } + &"Q".repeat(queens);
            Pst.evaluate(&parse_fen(&format!("krn5/ppp5/8/8/{rank}/8/8/RNB1K3 w - - 0 1")).unwrap())
        };
        for queens in 1..=8 {
            assert!(worth(queens) > worth(queens - 1) + 300, "{queens}");
        }
    }
}
