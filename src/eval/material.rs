//! What follows from the numbers of men alone: which go well together, and which hardly win.
//!
//! A bishop is worth more beside another, a rook less beside a queen, a knight more the more pawns there are, and an advantage
//! of two men among few is more than among many. A quadratic form in the numbers of men says all that; its coefficients are
//! fitted together with the tables.
//! <https://www.chessprogramming.org/Material>, Kaufman 1999, "The Evaluation of Material Imbalances"

use shakmaty::{Board, Color, Piece, Role};

use super::pst::Pair;
use super::tables;

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

    /// The men of one side, weighted as in [`tables::PHASE`]; the king, who is always there, does not count.
    pub(super) const fn phase(self, color: Color) -> i32 {
        self.get(color, Role::Pawn) * tables::PHASE[0]
            + self.get(color, Role::Knight) * tables::PHASE[1]
            + self.get(color, Role::Bishop) * tables::PHASE[2]
            + self.get(color, Role::Rook) * tables::PHASE[3]
            + self.get(color, Role::Queen) * tables::PHASE[4]
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
    let men = |color| -> Men { std::array::from_fn(|n| counts.get(color, MEN[n]).min(MOST[n])) };
    let (white, black) = (men(Color::White), men(Color::Black));
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

const MEN: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// More men of a kind do not count: games hardly have them, and a square that was fitted to two queens would give the
/// eighth away.
const MOST: Men = [8, 2, 2, 2, 2];

/// Parts of a centipawn in which [`tables::IMBALANCE`] is written.
pub const FINE: i32 = 16;

/// What the company of men adds, white minus black, centipawns.
#[must_use]
pub fn imbalance(counts: Counts) -> Pair {
    let (mut middlegame, mut endgame) = (0, 0);
    for (product, (mg, eg)) in products(counts).into_iter().zip(tables::IMBALANCE) {
        middlegame += product * mg;
        endgame += product * eg;
    }
    let pair =
        i32::from(counts.get(Color::White, Role::Bishop) >= 2) - i32::from(counts.get(Color::Black, Role::Bishop) >= 2);
    Pair(Pair::new(middlegame / FINE, endgame / FINE).0 + pair * tables::BISHOP_PAIR.0)
}

/// The whole of an advantage: see [`winning_chances`].
pub const SCALE_ONE: i32 = 128;

/// How much of an advantage counts, of [`SCALE_ONE`], judged by the numbers of men alone: without pawns, a
/// side that is less than a rook ahead seldom wins.
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
    use crate::eval::Evaluator;
    use crate::eval::pst::Pst;
    use crate::position::parse_fen;

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
    fn the_same_men_on_both_sides_are_worth_nothing() {
        let even = counts("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!((products(even), imbalance(even)), ([0; PRODUCTS], Pair::default()));
    }

    #[test]
    fn another_queen_is_always_welcome() {
        let worth = |queens: usize| {
            let position = parse_fen(&format!(
                "4k3/{}/8/8/8/8/PPP5/RNB1K3 w - - 0 1",
                "1".repeat(8 - queens) + &"Q".repeat(queens)
            ));
            Pst.evaluate(&position.unwrap())
        };
        for queens in 1..8 {
            assert!(worth(queens) > worth(queens - 1) + 300, "{queens}");
        }
    }
}
