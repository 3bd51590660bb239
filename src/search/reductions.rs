//! Late move reductions and extensions: how deep a move is searched.
//!
//! With good ordering the first moves decide; later ones are searched less deep with a null window and
//! again at full depth only if they surprise. The base is `ln(depth) · ln(number)`, from a table; what is
//! known about the node and the move then adds or takes off fractions of a ply (1024ths).
//! <https://www.chessprogramming.org/Late_Move_Reductions>

use super::params::Params;

/// One ply in the units of this file.
const PLY: i32 = 1024;
const SIZE: usize = 64;

/// Base reductions by depth and number of the move, computed from the parameters once.
pub struct Reductions {
    quiet: Box<[[i16; SIZE]; SIZE]>,
    noisy: Box<[[i16; SIZE]; SIZE]>,
}

impl Reductions {
    /// The tables for these parameters.
    #[must_use]
    pub fn new(p: &Params) -> Self {
        let table = |base: i32, divisor: i32| {
            let mut out: Box<[[i16; SIZE]; SIZE]> = bytemuck::zeroed_box();
            for (depth, row) in out.iter_mut().enumerate().skip(1) {
                for (number, cell) in row.iter_mut().enumerate().skip(1) {
                    let logs = (depth as f64).ln() * (number as f64).ln();
                    *cell = (f64::from(base) + f64::from(PLY) * logs * 100.0 / f64::from(divisor)) as i16;
                }
            }
            out
        };
        Self { quiet: table(p.lmr_base, p.lmr_divisor), noisy: table(p.lmr_noisy_base, p.lmr_noisy_divisor) }
    }

    /// The base for a move, 1024ths of a ply.
    #[must_use]
    pub fn base(&self, quiet: bool, depth: i32, number: i32) -> i32 {
        let at = |n: i32| (n.max(0) as usize).min(SIZE - 1);
        let table = if quiet { &self.quiet } else { &self.noisy };
        i32::from(table[at(depth)][at(number)])
    }
}

/// What the reduction of a move depends on.
#[derive(Clone, Copy, Debug)]
pub struct MoveFacts {
    /// Neither capture nor promotion.
    pub quiet: bool,
    /// A PV-node.
    pub pv: bool,
    /// The table remembers the node as a PV-node.
    pub table_pv: bool,
    /// Expected to be cut off.
    pub cut_node: bool,
    /// The side to move is improving.
    pub improving: bool,
    /// The table's move is a capture or promotion.
    pub table_noisy: bool,
    /// The move cut off a sibling.
    pub killer: bool,
    /// The move gives check.
    pub check: bool,
    /// More than a few of the node's children were cut off before.
    pub many_cutoffs: bool,
    /// Its history value.
    pub history: i32,
}

/// Plies to take off a late move; may be negative for a very promising one.
#[must_use]
pub fn late_move(p: &Params, base: i32, m: &MoveFacts) -> i32 {
    // A product, for most of these conditions are hard to foretell.
    let when = |condition: bool, amount: i32| i32::from(condition) * amount;
    let history = if m.quiet { m.history * PLY / p.lmr_history } else { m.history * PLY / p.lmr_noisy_history };
    let reduction = base - when(m.pv, p.lmr_pv) - when(m.table_pv, p.lmr_table_pv)
        + when(m.cut_node, p.lmr_cut_node)
        + when(!m.improving, p.lmr_not_improving)
        + when(m.table_noisy, p.lmr_table_noisy)
        - when(m.killer, p.lmr_killer)
        - when(m.check, p.lmr_check)
        + when(m.many_cutoffs, p.lmr_cutoffs)
        - history;
    reduction / PLY
}

/// How a move stands against all others, by a shallow search without it.
/// <https://www.chessprogramming.org/Singular_Extensions>
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Singularity {
    /// All others are clearly worse: search it this many plies deeper.
    Singular(i32),
    /// Another move beats beta as well: the node can be cut off.
    MultiCut,
    /// Neither; where the table promises a cut-off anyway, search it less deep.
    Ordinary(i32),
}

/// Judges the outcome of the search without the table's move. `score` is what that search returned against
/// `bound`, `table_score` what the table says of the move.
#[must_use]
pub fn singularity(
    p: &Params,
    pv: bool,
    cut_node: bool,
    score: i32,
    bound: i32,
    table_score: i32,
    beta: i32,
) -> Singularity {
    if score < bound {
        let twice = !pv && score < bound - p.singular_double;
        Singularity::Singular(1 + i32::from(twice))
    } else if bound >= beta && !pv {
        Singularity::MultiCut
    } else if table_score >= beta {
        Singularity::Ordinary(-2)
    } else if cut_node {
        Singularity::Ordinary(-1)
    } else {
        Singularity::Ordinary(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_and_deeper_is_reduced_more() {
        let table = Reductions::new(&Params::default());
        for quiet in [true, false] {
            for depth in 2..60 {
                for number in 2..60 {
                    assert!(table.base(quiet, depth, number) <= table.base(quiet, depth + 1, number));
                    assert!(table.base(quiet, depth, number) <= table.base(quiet, depth, number + 1));
                }
            }
        }
        assert_eq!(table.base(true, 500, 500), table.base(true, 63, 63));
    }
}
