//! WDL model: win, draw and loss probabilities of a score.
//!
//! A logistic model with two parameters: a score of `a` centipawns wins half of the games, and `b` is the width of the
//! transition. Both are polynomials in the material on the board, fitted by `aspirant-lab tune-wdl` to games at
//! a time control (model.rs, docs/evaluation.md): with little material, the same score wins less often, because many such
//! endgames are drawn. The draw probability is the remainder.
//! <https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo>

mod model;

use std::fmt;

use shakmaty::{Board, Role};

use crate::score::{EVAL_LIMIT, Score, is_decisive};

/// Coefficients of the WDL model: polynomials in the material, see [`WdlModel::parameters`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlModel {
    /// Coefficients of `a` in centipawns, powers 0 to 3.
    pub a: [f64; 4],
    /// Coefficients of `b` in centipawns, powers 0 to 3.
    pub b: [f64; 4],
}

/// Range of material (78 in the starting position); values outside, where data are sparse, are clamped.
pub const MATERIAL_RANGE: std::ops::RangeInclusive<u32> = 10..=78;

/// Returns the material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9.
#[must_use]
pub fn material(board: &Board) -> u32 {
    let values = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    let sum: usize = values.iter().map(|&(role, value)| value * board.by_role(role).count()).sum();
    sum as u32
}

/// Returns the material scaled from [`MATERIAL_RANGE`] to -1..=1, the variable of the polynomials.
#[doc(hidden)]
#[must_use]
pub fn normalized_material(material: u32) -> f64 {
    let (min, max) = (f64::from(*MATERIAL_RANGE.start()), f64::from(*MATERIAL_RANGE.end()));
    (2.0 * f64::from(material) - min - max).clamp(min - max, max - min) / (max - min)
}

impl WdlModel {
    /// Fitted model of the engine.
    pub const FITTED: Self = model::MODEL;

    /// Returns the parameters `a` and `b` for this material, in centipawns, each at least 1.
    #[must_use]
    pub fn parameters(&self, material: u32) -> (f64, f64) {
        let x = normalized_material(material);
        let polynomial = |c: &[f64; 4]| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
        (polynomial(&self.a).max(1.0), polynomial(&self.b).max(1.0))
    }

    /// Returns the win probability of the side to move, from 0 to 1; `score` is in centipawns.
    #[must_use]
    pub fn win_probability(&self, score: f64, material: u32) -> f64 {
        let (a, b) = self.parameters(material);
        1.0 / (1.0 + ((a - score) / b).exp())
    }
}

/// Win, draw and loss probabilities of the side to move, in permille; they sum to 1000.
///
/// They print as in UCI: `win draw loss`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wdl {
    /// Wins, permille.
    pub win: u32,
    /// Draws, permille.
    pub draw: u32,
    /// Losses, permille.
    pub loss: u32,
}

impl Wdl {
    /// Returns the probabilities for a score; `material` is that of [`material`].
    ///
    /// `from_tablebase`: a score that is neither won nor lost is a draw, not an estimate.
    /// [`Variation::wdl`](crate::search::report::Variation::wdl) calls this for a result of a search.
    #[must_use]
    pub fn new(score: Score, from_tablebase: bool, material: u32) -> Self {
        if is_decisive(score) {
            let win = if score > 0 { 1000 } else { 0 };
            return Self { win, draw: 0, loss: 1000 - win };
        }
        if from_tablebase {
            return Self { win: 0, draw: 1000, loss: 0 };
        }
        let score = f64::from(score.clamp(-EVAL_LIMIT, EVAL_LIMIT));
        let permille = |score: f64| (1000.0 * WdlModel::FITTED.win_probability(score, material)).round() as u32;
        let (win, loss) = (permille(score), permille(-score));
        // Prevents a sum above 1000 when both are rounded up.
        let loss = loss.min(1000 - win.min(1000));
        Self { win, draw: 1000 - win - loss, loss }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.win, self.draw, self.loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wdl_sums_to_1000_and_is_symmetric_and_monotonic() {
        for material in [0, 10, 24, 40, 58, 78, 500] {
            let mut last = 0;
            for score in -1500..=1500 {
                let Wdl { win, draw, loss } = Wdl::new(score, false, material);
                assert_eq!(win + draw + loss, 1000);
                assert_eq!(Wdl::new(-score, false, material), Wdl { win: loss, draw, loss: win });
                assert!(win >= last, "{score} with {material}");
                last = win;
            }
            assert!(last > 950 && Wdl::new(0, false, material).win < 500);
            for mate in [31_499, 30_000] {
                assert_eq!(Wdl::new(mate, false, material).to_string(), "1000 0 0");
                assert_eq!(Wdl::new(-mate, false, material).to_string(), "0 0 1000");
            }
            for draw in [-2, 0, 2] {
                assert_eq!(Wdl::new(draw, true, material).to_string(), "0 1000 0");
            }
        }
    }

    #[test]
    fn material_includes_both_sides() {
        assert_eq!(material(&Board::new()), 78);
        assert_eq!(material(&Board::from_ascii_board_fen(b"4k3/8/8/8/8/8/pP6/QR1NBK2").unwrap()), 22);
        assert_eq!(
            (normalized_material(10), normalized_material(78), normalized_material(44), normalized_material(3)),
            (-1.0, 1.0, 0.0, -1.0)
        );
    }

    #[test]
    fn polynomial_coefficients_start_with_the_constant() {
        let model = WdlModel { a: [100.0, 10.0, 4.0, 1.0], b: [50.0, 0.0, 0.0, 0.0] };
        assert_eq!(model.parameters(78), (115.0, 50.0));
        assert_eq!(model.parameters(10), (93.0, 50.0));
        assert_eq!(model.win_probability(100.0, 44), 0.5);
    }
}
