//! Late move reductions and singular extensions: the depth at which a move is searched.
//!
//! With good ordering the first moves decide. Later moves are searched at reduced depth with a null window, and again
//! at full depth only if they beat alpha. The base reduction grows with `ln(depth) · ln(move number)` and comes from a
//! precomputed table; properties of node and move then add or subtract fractions of a ply (1024ths).
//! <https://www.chessprogramming.org/Late_Move_Reductions>
#![doc(hidden)]

use super::params::Params;

/// One ply in the units of this file.
const PLY: i32 = 1024;
/// Number of depths and of move numbers in the table; larger ones count as the largest.
const SIZE: usize = 64;

/// Base reductions by depth and move number, precomputed from the parameters.
pub struct Reductions {
    quiet: Box<[[i16; SIZE]; SIZE]>,
    noisy: Box<[[i16; SIZE]; SIZE]>,
}

impl Reductions {
    /// Computes the tables for these parameters.
    #[must_use]
    pub fn new(p: &Params) -> Self {
        let table = |base: i32, divisor: i32| {
            let mut reductions: Box<[[i16; SIZE]; SIZE]> = bytemuck::zeroed_box();
            for (depth, row) in reductions.iter_mut().enumerate().skip(1) {
                for (move_number, reduction) in row.iter_mut().enumerate().skip(1) {
                    let logs = (depth as f64).ln() * (move_number as f64).ln();
                    *reduction = (f64::from(base) + f64::from(PLY) * logs * 100.0 / f64::from(divisor)) as i16;
                }
            }
            reductions
        };
        Self { quiet: table(p.lmr_base, p.lmr_divisor), noisy: table(p.lmr_noisy_base, p.lmr_noisy_divisor) }
    }

    /// Returns the base reduction of a move, 1024ths of a ply. `move_number` counts from 1.
    #[must_use]
    pub fn base(&self, quiet: bool, depth: i32, move_number: i32) -> i32 {
        let index = |n: i32| (n.max(0) as usize).min(SIZE - 1);
        let table = if quiet { &self.quiet } else { &self.noisy };
        i32::from(table[index(depth)][index(move_number)])
    }
}

/// The properties of a move and its node that its reduction depends on.
#[derive(Clone, Copy, Debug)]
pub struct LmrInputs {
    /// The move is quiet.
    pub quiet: bool,
    /// The node is a PV node.
    pub pv: bool,
    /// The node is a PV node or was one according to the TT.
    pub tt_pv: bool,
    /// The node is expected to fail high.
    pub cut_node: bool,
    /// The side to move is improving.
    pub improving: bool,
    /// The TT move is noisy.
    pub tt_noisy: bool,
    /// The move is the killer move.
    pub killer: bool,
    /// The move gives check.
    pub gives_check: bool,
    /// More than three cutoffs at the ply of the child since the parent was entered.
    pub many_cutoffs: bool,
    /// History score of the move.
    pub history: i32,
}

/// Returns the reduction of a late move, plies; negative for a very promising move.
#[must_use]
pub fn late_move_reduction(p: &Params, base: i32, m: &LmrInputs) -> i32 {
    // Branch-free, since most of these conditions are unpredictable.
    let add_if = |condition: bool, amount: i32| i32::from(condition) * amount;
    let history = if m.quiet { m.history * PLY / p.lmr_history } else { m.history * PLY / p.lmr_noisy_history };
    let reduction = base - add_if(m.pv, p.lmr_pv) - add_if(m.tt_pv, p.lmr_tt_pv)
        + add_if(m.cut_node, p.lmr_cut_node)
        + add_if(!m.improving, p.lmr_not_improving)
        + add_if(m.tt_noisy, p.lmr_tt_noisy)
        - add_if(m.killer, p.lmr_killer)
        - add_if(m.gives_check, p.lmr_check)
        + add_if(m.many_cutoffs, p.lmr_cutoffs)
        - history;
    reduction / PLY
}

/// Result of a singular search: how the TT move compares with all other moves.
/// <https://www.chessprogramming.org/Singular_Extensions>
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Singularity {
    /// All other moves are clearly worse: extend the TT move by this many plies.
    Singular(i32),
    /// Another move fails high, too: the node can be cut off (multi-cut).
    MultiCut,
    /// Neither; the extension in plies is zero or, where the TT move is expected to fail high, negative.
    NotSingular(i32),
}

/// Evaluates the search of all moves except the TT move.
///
/// `score` is the result of that search against `bound`, `tt_score` the score of the TT entry.
#[must_use]
pub fn singularity(
    p: &Params,
    pv: bool,
    cut_node: bool,
    score: i32,
    bound: i32,
    tt_score: i32,
    beta: i32,
) -> Singularity {
    if score < bound {
        let double = !pv && score < bound - p.singular_double;
        Singularity::Singular(1 + i32::from(double))
    } else if bound >= beta && !pv {
        Singularity::MultiCut
    } else if tt_score >= beta {
        Singularity::NotSingular(-2)
    } else if cut_node {
        Singularity::NotSingular(-1)
    } else {
        Singularity::NotSingular(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
