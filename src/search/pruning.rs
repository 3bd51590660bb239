//! Pruning: nodes and moves that are not searched at all. One function per rule.
//!
//! Each rule assumes that a deeper search would not change the result; its doc comment says under which condition. The
//! node function applies them in order. A rule that is switched off never prunes. Margins are in centipawns and tuned
//! for the default evaluator; another evaluator would need others.
//! <https://www.chessprogramming.org/Pruning>
#![doc(hidden)]

use super::params::Params;
use crate::score::{Score, is_decisive};

/// The state of a node that the pruning rules depend on.
#[derive(Clone, Copy, Debug)]
pub struct NodeContext {
    /// Depth left, plies.
    pub depth: i32,
    /// Static evaluation, or the TT score if its bound makes it a better estimate.
    pub eval: Score,
    /// Whether the static evaluation has risen since the last own turn.
    pub improving: bool,
    /// Upper bound of the window.
    pub beta: Score,
    /// Lower bound of the window.
    pub alpha: Score,
}

/// Reverse futility: returns the score of a node whose evaluation is far above beta.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
#[must_use]
pub fn reverse_futility(p: &Params, node: &NodeContext) -> Option<Score> {
    if !p.reverse_futility || node.depth > p.rfp_depth || is_decisive(node.beta) || is_decisive(node.eval) {
        return None;
    }
    let margin = p.rfp_margin * node.depth - p.rfp_improving * i32::from(node.improving);
    (node.eval - margin.max(20) >= node.beta).then_some(i32::midpoint(node.eval, node.beta))
}

/// Razoring: returns whether the evaluation is so far below alpha that only captures could help.
///
/// The caller then runs quiescence search.
/// <https://www.chessprogramming.org/Razoring>
#[must_use]
pub fn razoring(p: &Params, node: &NodeContext) -> bool {
    p.razoring
        && node.depth <= p.razor_depth
        && !is_decisive(node.alpha)
        && node.eval + p.razor_margin * node.depth <= node.alpha
}

/// Null move: returns the depth reduction after a null move, plies; `None` if it is not worth a try.
/// <https://www.chessprogramming.org/Null_Move_Pruning>
#[must_use]
pub fn null_move_reduction(p: &Params, node: &NodeContext, static_eval: Score) -> Option<i32> {
    let promising = node.eval >= node.beta && static_eval + 12 * node.depth >= node.beta + p.nmp_margin;
    if !p.null_move || node.depth < p.nmp_depth || !promising || is_decisive(node.beta) {
        return None;
    }
    let above_beta = ((node.eval - node.beta) / p.nmp_eval_divisor).min(3);
    Some(p.nmp_base + node.depth / p.nmp_divisor + above_beta)
}

/// ProbCut: returns the raised beta that a capture must reach in a shallow search to cut the node off.
/// <https://www.chessprogramming.org/ProbCut>
#[must_use]
pub fn prob_cut_beta(p: &Params, node: &NodeContext) -> Option<Score> {
    if !p.prob_cut || node.depth < p.probcut_depth || is_decisive(node.beta) {
        return None;
    }
    Some(node.beta + p.probcut_margin - 60 * i32::from(node.improving))
}

/// Late move pruning: returns the move number from which quiet moves are skipped at low depth.
/// <https://www.chessprogramming.org/Futility_Pruning#Move_Count_Based_Pruning>
#[must_use]
pub fn late_move_limit(p: &Params, node: &NodeContext) -> i32 {
    if !p.late_move_pruning || node.depth > p.lmp_depth {
        return i32::MAX;
    }
    (p.lmp_base + node.depth * node.depth) >> i32::from(!node.improving)
}

/// Futility: returns whether a quiet move is unlikely to raise the evaluation to alpha.
/// <https://www.chessprogramming.org/Futility_Pruning>
#[must_use]
pub fn futility(p: &Params, node: &NodeContext, static_eval: Score, reduced_depth: i32, history: i32) -> bool {
    p.futility_pruning
        && reduced_depth <= p.futility_depth
        && static_eval + p.futility_base + p.futility_margin * reduced_depth.max(0) + history / 128 <= node.alpha
}

/// History pruning: returns whether a quiet move has too bad a history to be searched at low depth.
#[must_use]
pub fn bad_history(p: &Params, reduced_depth: i32, history: i32) -> bool {
    p.history_pruning && reduced_depth <= p.history_depth && history < -p.history_margin * reduced_depth.max(1)
}

/// SEE pruning: returns the lowest SEE that is searched, centipawns; `None` at high depth.
/// <https://www.chessprogramming.org/Static_Exchange_Evaluation>
#[must_use]
pub fn see_margin(p: &Params, node: &NodeContext, quiet: bool, reduced_depth: i32, history: i32) -> Option<Score> {
    if !p.see_pruning || node.depth > p.see_depth {
        return None;
    }
    let depth = reduced_depth.max(0);
    Some(if quiet { -p.see_quiet * depth * depth } else { -p.see_noisy * node.depth - history / 64 })
}
