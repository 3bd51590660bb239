//! Reductions: late moves, PV nodes and expected cut nodes without a TT move are searched less deep.
//!
//! With good ordering the first moves decide. Later moves are searched at reduced depth with a null window, and again
//! at full depth only if they beat alpha. The base reduction grows with `ln(depth) · ln(move number)` and comes from a
//! precomputed table; properties of node and move then add or subtract fractions of a ply (1024ths).
//! <https://www.chessprogramming.org/Late_Move_Reductions>
#![doc(hidden)]

use super::node::{NodeContext, NodeType};
use super::params::{LMR_MIN_DEPTH, NMP_MAX_EVAL_REDUCTION, ONE_PLY, Params};
use crate::score::Score;

/// Number of depths and of move numbers in the table; larger ones count as the largest.
const SIZE: usize = 64;

/// Exact division by a parameter as a multiplication, which is several times faster.
#[derive(Clone, Copy)]
struct Reciprocal(u64);

impl Reciprocal {
    /// Exact for `|dividend| * divisor` below 2 to this power and `|dividend| / divisor` below 2^19.
    const SHIFT: u32 = 44;

    /// Prepares the division by a positive number.
    fn new(divisor: i32) -> Self {
        Self((1 << Self::SHIFT) / u64::from(divisor.max(1).unsigned_abs()) + 1)
    }

    /// Returns `dividend / divisor`, truncated toward zero.
    #[inline(always)]
    fn divide(self, dividend: i32) -> i32 {
        let quotient = ((u64::from(dividend.unsigned_abs()) * self.0) >> Self::SHIFT) as i32;
        if dividend < 0 { -quotient } else { quotient }
    }
}

/// Precomputed base reductions by depth and move number, and reciprocals of divisors.
pub(super) struct Reductions {
    quiet: Box<[[i16; SIZE]; SIZE]>,
    noisy: Box<[[i16; SIZE]; SIZE]>,
    lmr_history: Reciprocal,
    lmr_noisy_history: Reciprocal,
    nmp_divisor: Reciprocal,
    nmp_eval_divisor: Reciprocal,
}

impl Reductions {
    /// Computes the tables for these parameters.
    #[must_use]
    pub(super) fn new(p: &Params) -> Self {
        let table = |base: i32, divisor: i32| {
            let mut reductions: Box<[[i16; SIZE]; SIZE]> = bytemuck::zeroed_box();
            for (depth, row) in reductions.iter_mut().enumerate().skip(1) {
                for (move_number, reduction) in row.iter_mut().enumerate().skip(1) {
                    let logs = (depth as f64).ln() * (move_number as f64).ln();
                    *reduction = (f64::from(base) + f64::from(ONE_PLY) * logs * 100.0 / f64::from(divisor)) as i16;
                }
            }
            reductions
        };
        Self {
            quiet: table(p.lmr_base, p.lmr_divisor),
            noisy: table(p.lmr_noisy_base, p.lmr_noisy_divisor),
            lmr_history: Reciprocal::new(p.lmr_history),
            lmr_noisy_history: Reciprocal::new(p.lmr_noisy_history),
            nmp_divisor: Reciprocal::new(p.nmp_divisor),
            nmp_eval_divisor: Reciprocal::new(p.nmp_eval_divisor),
        }
    }

    /// Returns the reduction of a null move that depends on depth and on the evaluation above beta, plies.
    pub(super) fn null_move(&self, depth: i32, above_beta: Score) -> i32 {
        self.nmp_divisor.divide(depth) + self.nmp_eval_divisor.divide(above_beta).min(NMP_MAX_EVAL_REDUCTION)
    }

    /// Returns by how much the history of a move decreases its reduction, 1024ths of a ply.
    #[inline(always)]
    fn history(&self, quiet: bool, history: i32) -> i32 {
        let scale = if quiet { self.lmr_history } else { self.lmr_noisy_history };
        scale.divide(history * ONE_PLY)
    }

    /// Returns the base reduction of a move, 1024ths of a ply. `move_number` counts from 1.
    #[must_use]
    pub(super) fn base(&self, quiet: bool, depth: i32, move_number: i32) -> i32 {
        let index = |n: i32| (n.max(0) as usize).min(SIZE - 1);
        let table = if quiet { &self.quiet } else { &self.noisy };
        i32::from(table[index(depth)][index(move_number)])
    }
}

/// The properties of a late move that its reduction depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateMove {
    /// Base reduction, 1024ths of a ply.
    pub(super) base_reduction: i32,
    pub(super) history: i32,
    pub(super) quiet: bool,
    /// Whether the TT move of the node is noisy.
    pub(super) tt_noisy: bool,
    pub(super) killer: bool,
    /// Whether the move pushes a passed pawn to the sixth or seventh rank.
    pub(super) passed_pawn: bool,
    pub(super) gives_check: bool,
    /// Whether many cutoffs occurred at the ply of the child since the grandparent of the child was entered; at the
    /// root, in this search.
    /// <https://github.com/official-stockfish/Stockfish/pull/4005>
    pub(super) many_cutoffs: bool,
}

/// Returns whether the move with this number, counted from 1, is searched at reduced depth first.
pub(super) fn is_late<N: NodeType>(p: &Params, depth: i32, move_number: i32) -> bool {
    p.late_move_reductions && depth >= LMR_MIN_DEPTH && move_number > 1 + i32::from(N::ROOT)
}

/// Returns the depth, plies, after this base reduction (1024ths of a ply).
pub(super) fn reduced_depth(depth: i32, base_reduction: i32) -> i32 {
    depth - base_reduction / ONE_PLY
}

/// Returns the late move reduction of a move, plies; negative for a very promising move.
pub(super) fn late_move_reduction<N: NodeType>(
    p: &Params,
    reductions: &Reductions,
    node: &NodeContext,
    m: &LateMove,
) -> i32 {
    // Branch-free, since most of these conditions are unpredictable.
    let add_if = |condition: bool, amount: i32| i32::from(condition) * amount;
    let tt_exceeds_alpha = node.tt_entry.is_some_and(|entry| entry.score > node.alpha);
    let tt_is_deep = node.tt_entry.is_some_and(|entry| entry.depth >= node.depth);
    let tt_pv = p.lmr_tt_pv + add_if(tt_exceeds_alpha, p.lmr_tt_pv_score) + add_if(tt_is_deep, p.lmr_tt_pv_depth);
    let reduction = m.base_reduction - add_if(N::PV, p.lmr_pv) - add_if(node.tt_pv, tt_pv)
        + add_if(node.cut_node, p.lmr_cut_node)
        + add_if(!node.improving, p.lmr_not_improving)
        + add_if(m.tt_noisy, p.lmr_tt_noisy)
        - add_if(m.killer, p.lmr_killer)
        - add_if(m.passed_pawn, p.lmr_passed_pawn)
        - add_if(m.gives_check, p.lmr_check)
        + add_if(m.many_cutoffs, p.lmr_cutoffs)
        - reductions.history(m.quiet, m.history);
    reduction / ONE_PLY
}

/// Internal iterative reductions: returns whether the node, a PV node or expected cut node without a
/// TT move, is reduced by one ply.
/// <https://www.chessprogramming.org/Internal_Iterative_Reductions>
pub(super) fn is_iir_node(p: &Params, node: &NodeContext, pv: bool) -> bool {
    p.internal_iterative_reductions
        && node.depth >= p.iir_depth
        && (pv || node.cut_node)
        && node.tt_move.is_none()
        && node.excluded.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocal_divides_exactly() {
        let mut random = fastrand::Rng::with_seed(9);
        for divisor in [1, 2, 3, 4, 7, 10, 50, 171, 500, 1000, 6000, 8167, 29_999, 30_000] {
            let (reciprocal, max) = (Reciprocal::new(divisor), (divisor << 15).min(1 << 26));
            for _ in 0..2000 {
                let multiple = random.i32(-max..=max) / divisor * divisor;
                for dividend in [multiple - 1, multiple, multiple + 1] {
                    assert_eq!(reciprocal.divide(dividend), dividend / divisor, "{dividend} / {divisor}");
                }
            }
        }
    }

    #[test]
    fn base_reduction_grows_with_depth_and_move_number() {
        let reductions = Reductions::new(&Params::default());
        for quiet in [true, false] {
            for depth in 2..60 {
                for move_number in 2..60 {
                    let base = reductions.base(quiet, depth, move_number);
                    assert!(base <= reductions.base(quiet, depth + 1, move_number));
                    assert!(base <= reductions.base(quiet, depth, move_number + 1));
                }
            }
        }
        assert_eq!(reductions.base(true, 500, 500), reductions.base(true, 63, 63));
    }
}
