//! Extensions: moves that are searched deeper.
//! <https://www.chessprogramming.org/Extensions>

use shakmaty::Move;

use super::node::{Node, NodeContext, NodeType, NonPvNode};
use super::params::{
    CUT_NODE_REDUCTION, FAIL_HIGH_REDUCTION, MAX_DOUBLE_EXTENSIONS, Params, SINGULAR_DEPTH_DIVISOR,
    SINGULAR_MARGIN_SCALE, SINGULAR_MAX_PLY_FACTOR, SINGULAR_TT_REDUCTION,
};
use super::{Aborted, Searcher, Window};
use crate::eval::Evaluator;
use crate::score::{Bound, Score, is_decisive};

/// Result of a singular search: how the TT move compares with all other moves.
/// <https://www.chessprogramming.org/Singular_Extensions>
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Singularity {
    /// Extension of the TT move, plies: positive if all other moves are clearly worse; otherwise negative if the TT
    /// move is expected to fail high or the node is an expected cut node, else 0.
    Extension(i32),
    /// Another move fails high, too: cut the node off with this score.
    ///
    /// <https://www.chessprogramming.org/Multi-Cut>
    MultiCut(Score),
}

/// Returns whether the TT entry is deep and reliable enough to test its move for singularity.
pub(super) fn can_be_singular(p: &Params, node: &NodeContext, ply: usize, root_depth: i32) -> bool {
    p.singular_extension
        && node.depth >= p.singular_depth
        && node.tt_entry.is_some_and(|entry| {
            entry.depth >= node.depth - SINGULAR_TT_REDUCTION
                && matches!(entry.bound, Bound::Lower | Bound::Exact)
                && !is_decisive(entry.score)
        })
        && ply < SINGULAR_MAX_PLY_FACTOR * root_depth as usize
}

/// Evaluates the search of all moves except the TT move.
///
/// The search returned `score` against `singular_beta`.
fn singularity<N: NodeType>(
    p: &Params,
    node: &NodeContext,
    tt_score: Score,
    score: Score,
    singular_beta: Score,
) -> Singularity {
    if score < singular_beta {
        let double = !N::PV && score < singular_beta - p.singular_double;
        Singularity::Extension(1 + i32::from(double))
    } else if singular_beta >= node.beta && !N::PV {
        Singularity::MultiCut(singular_beta)
    } else if tt_score >= node.beta {
        Singularity::Extension(-FAIL_HIGH_REDUCTION)
    } else if node.cut_node {
        Singularity::Extension(-CUT_NODE_REDUCTION)
    } else {
        Singularity::Extension(0)
    }
}

impl<E: Evaluator> Searcher<E> {
    /// Searches all moves except the TT move `m` at half depth.
    ///
    /// The null window is at singular beta, below the TT score.
    pub(super) fn test_singularity<N: NodeType>(
        &mut self,
        node: &Node<E::Acc>,
        m: Move,
        context: &NodeContext,
    ) -> Result<Singularity, Aborted> {
        let Some(tt_entry) = context.tt_entry else { return Ok(Singularity::Extension(0)) };
        let singular_beta = tt_entry.score - self.thread.params.singular_margin * context.depth / SINGULAR_MARGIN_SCALE;
        let depth = (context.depth - 1) / SINGULAR_DEPTH_DIVISOR;
        self.stack.at(node.ply).excluded = Some(m);
        let result = self.alpha_beta::<NonPvNode>(node, depth, Window::null(singular_beta - 1), context.cut_node);
        self.stack.at(node.ply).excluded = None;
        let singularity = singularity::<N>(&self.thread.params, context, tt_entry.score, result?, singular_beta);
        if singularity == Singularity::Extension(2) && self.stack.at(node.ply).double_extensions > MAX_DOUBLE_EXTENSIONS
        {
            return Ok(Singularity::Extension(1));
        }
        Ok(singularity)
    }
}
