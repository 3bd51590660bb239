//! Pruning: nodes and moves that are not searched at all. One rule, one function.
//!
//! Each rule bets that a deeper look would not change the answer, and says what it bets on. The node
//! function asks them in order; a rule that is switched off answers "search it". Margins are in
//! centipawns and belong to this evaluator: another one would need others.
//! <https://www.chessprogramming.org/Pruning>

use super::params::Params;
use crate::score::{Score, is_decisive};

/// What the rules know about a node before its moves.
#[derive(Clone, Copy, Debug)]
pub struct NodeFacts {
    /// Depth left, plies.
    pub depth: i32,
    /// Best guess of the value: the static evaluation, or a better one from the table.
    pub eval: Score,
    /// Is the side to move doing better than two plies ago?
    pub improving: bool,
    /// Upper bound of the window.
    pub beta: Score,
    /// Lower bound of the window.
    pub alpha: Score,
}

/// Reverse futility: so far above beta that the opponent would need several moves to come back.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
#[must_use]
pub fn reverse_futility(p: &Params, node: &NodeFacts) -> Option<Score> {
    if !p.reverse_futility || node.depth > p.rfp_depth || is_decisive(node.beta) || is_decisive(node.eval) {
        return None;
    }
    let margin = p.rfp_margin * node.depth - p.rfp_improving * i32::from(node.improving);
    (node.eval - margin.max(20) >= node.beta).then_some(i32::midpoint(node.eval, node.beta))
}

/// Razoring: so far below alpha that only captures could help; the caller asks quiescence.
/// <https://www.chessprogramming.org/Razoring>
#[must_use]
pub fn razoring(p: &Params, node: &NodeFacts) -> bool {
    p.razoring
        && node.depth <= p.razor_depth
        && !is_decisive(node.alpha)
        && node.eval + p.razor_margin * node.depth <= node.alpha
}

/// Null move: how many plies to search less after passing, where passing is worth a try.
/// <https://www.chessprogramming.org/Null_Move_Pruning>
#[must_use]
pub fn null_move_reduction(p: &Params, node: &NodeFacts, static_eval: Score) -> Option<i32> {
    let promising = node.eval >= node.beta && static_eval + 12 * node.depth >= node.beta + p.nmp_margin;
    if !p.null_move || node.depth < p.nmp_depth || !promising || is_decisive(node.beta) {
        return None;
    }
    let ahead = ((node.eval - node.beta) / p.nmp_eval_divisor).min(3);
    Some(p.nmp_base + node.depth / p.nmp_divisor + ahead)
}

/// ProbCut: the raised bound that a capture must beat in a shallow search for the node to be cut off.
/// <https://www.chessprogramming.org/ProbCut>
#[must_use]
pub fn prob_cut_beta(p: &Params, node: &NodeFacts) -> Option<Score> {
    if !p.prob_cut || node.depth < p.probcut_depth || is_decisive(node.beta) {
        return None;
    }
    Some(node.beta + p.probcut_margin - 60 * i32::from(node.improving))
}

/// Late move pruning: at low depth, quiet moves from this number on will not matter.
/// <https://www.chessprogramming.org/Futility_Pruning#Move_Count_Based_Pruning>
#[must_use]
pub fn late_move_limit(p: &Params, node: &NodeFacts) -> i32 {
    if !p.late_move_pruning || node.depth > p.lmp_depth {
        return i32::MAX;
    }
    (p.lmp_base + node.depth * node.depth) >> i32::from(!node.improving)
}

/// Futility: a quiet move changes the evaluation too little to reach alpha.
/// <https://www.chessprogramming.org/Futility_Pruning>
#[must_use]
pub fn futility(p: &Params, node: &NodeFacts, static_eval: Score, reduced_depth: i32, history: i32) -> bool {
    p.futility_pruning
        && reduced_depth <= p.futility_depth
        && static_eval + p.futility_base + p.futility_margin * reduced_depth.max(0) + history / 128 <= node.alpha
}

/// History: at low depth, a quiet move that has failed again and again.
#[must_use]
pub fn bad_history(p: &Params, reduced_depth: i32, history: i32) -> bool {
    p.history_pruning && reduced_depth <= p.history_depth && history < -p.history_margin * reduced_depth.max(1)
}

/// Exchange pruning: the least that a move's static exchange must keep, centipawns; `None` at high depth.
/// <https://www.chessprogramming.org/Static_Exchange_Evaluation>
#[must_use]
pub fn exchange_margin(p: &Params, node: &NodeFacts, quiet: bool, reduced_depth: i32, history: i32) -> Option<Score> {
    if !p.see_pruning || node.depth > p.see_depth {
        return None;
    }
    let reduced = reduced_depth.max(0);
    Some(if quiet { -p.see_quiet * reduced * reduced } else { -p.see_noisy * node.depth - history / 64 })
}
