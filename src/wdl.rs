//! Chances of win, draw and loss: what a score is worth in points.
//!
//! A logistic model with two parameters: an advantage of `a` centipawns wins every second game, and `b` says how
//! sharply the chance turns there. Both depend on how much material is left, as polynomials that `aspirant tune-wdl`
//! fits to games of `aspirant datagen` (model.rs, docs/wdl.md): the same advantage wins less often where few men
//! are left, for many such endings are drawn. A draw is what neither side wins.
//! <https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo>

mod model;

use shakmaty::{Board, Role};

use crate::score::{EVAL_LIMIT, Score, is_decisive};

/// Polynomials of the material: see [`Model::at`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// Coefficients of `a`, centipawns, of the powers 0 to 3.
    pub a: [f64; 4],
    /// Coefficients of `b`, centipawns.
    pub b: [f64; 4],
}

/// Material outside of this range (the start has 78) counts as its end: there are few games to learn from.
pub const MATERIAL: std::ops::RangeInclusive<u32> = 10..=78;

/// Men of both sides: pawn 1, knight and bishop 3, rook 5, queen 9.
#[must_use]
pub fn material(board: &Board) -> u32 {
    let worth = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    let sum: usize = worth.iter().map(|&(role, worth)| worth * board.by_role(role).count()).sum();
    sum as u32
}

/// The material as the polynomials take it: from -1 to 1 over [`MATERIAL`].
#[doc(hidden)]
#[must_use]
pub fn scaled(material: u32) -> f64 {
    let (least, most) = (f64::from(*MATERIAL.start()), f64::from(*MATERIAL.end()));
    (2.0 * f64::from(material) - least - most).clamp(least - most, most - least) / (most - least)
}

impl Model {
    /// The model that is played with.
    pub const FITTED: Self = model::MODEL;

    /// `a` and `b` where so much material is left.
    #[must_use]
    pub fn at(&self, material: u32) -> (f64, f64) {
        let x = scaled(material);
        let value = |c: &[f64; 4]| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
        (value(&self.a).max(1.0), value(&self.b).max(1.0))
    }

    /// The chance of the side to move to win.
    #[must_use]
    pub fn win(&self, score: f64, material: u32) -> f64 {
        let (a, b) = self.at(material);
        1.0 / (1.0 + ((a - score) / b).exp())
    }
}

/// Chances of win, draw and loss in thousandths (they add up to 1000), for a score from the side to move.
#[must_use]
pub fn win_draw_loss(score: Score, material: u32) -> (u32, u32, u32) {
    if is_decisive(score) {
        return if score > 0 { (1000, 0, 0) } else { (0, 0, 1000) };
    }
    let score = f64::from(score.clamp(-EVAL_LIMIT, EVAL_LIMIT));
    let thousandths = |score: f64| (1000.0 * Model::FITTED.win(score, material)).round() as u32;
    let (win, loss) = (thousandths(score), thousandths(-score));
    // With a flat curve both could be rounded up to one too many.
    let loss = loss.min(1000 - win.min(1000));
    (win, 1000 - win - loss, loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_are_symmetric_and_grow_with_the_score() {
        for material in [0, 10, 24, 40, 58, 78, 500] {
            let mut last = 0;
            for score in -1500..=1500 {
                let (win, draw, loss) = win_draw_loss(score, material);
                assert_eq!(win + draw + loss, 1000);
                assert_eq!(win_draw_loss(-score, material), (loss, draw, win));
                assert!(win >= last, "{score} with {material}");
                last = win;
            }
            assert!(last > 950 && win_draw_loss(0, material).0 < 500);
            for mate in [31_499, 30_000] {
                assert_eq!(win_draw_loss(mate, material), (1000, 0, 0));
            }
        }
    }

    #[test]
    fn material_is_counted_for_both_sides() {
        assert_eq!(material(&Board::new()), 78);
        assert_eq!(material(&Board::from_ascii_board_fen(b"4k3/8/8/8/8/8/pP6/QR1NBK2").unwrap()), 22);
        assert_eq!((scaled(10), scaled(78), scaled(44), scaled(3)), (-1.0, 1.0, 0.0, -1.0));
    }

    #[test]
    fn polynomials_have_their_powers_in_order() {
        let model = Model { a: [100.0, 10.0, 4.0, 1.0], b: [50.0, 0.0, 0.0, 0.0] };
        assert_eq!(model.at(78), (115.0, 50.0));
        assert_eq!(model.at(10), (93.0, 50.0));
        assert_eq!(model.win(100.0, 44), 0.5);
    }
}
