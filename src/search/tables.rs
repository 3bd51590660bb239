//! Endgame tables in the search: ranks at the root, results at inner nodes.
//!
//! At the root the tables say which moves keep the result; the search chooses among those, and of each line
//! the table's result is reported until a mate is found. With distances ranked (or nothing left to win)
//! the inner nodes need not ask again: every move that remains is good enough, and a search that sees material and
//! mates finds the way better than one that sees the same win everywhere.
//! <https://www.chessprogramming.org/Endgame_Tablebases>

use super::{Node, RootMove, Searcher};
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, INFINITY, Score, is_mate};

impl<E: Evaluator> Searcher<E> {
    /// Ranks the root moves by the tables, if they know them all, best first.
    pub(super) fn rank_root(&mut self) {
        let Some(ranking) = self.tables.as_ref().and_then(|tables| tables.rank(&self.root)) else { return };
        if self.id == 0 {
            self.table_hits += ranking.moves.len() as u64;
        }
        for root_move in &mut self.root_moves {
            if let Some(known) = ranking.moves.iter().find(|known| known.m == root_move.m) {
                root_move.rank = known.rank;
                root_move.table_score = Some(known.score);
            }
        }
        self.root_moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.rank));
        let best = self.root_moves.first().and_then(|root_move| root_move.table_score);
        if ranking.by_distance || best.is_none_or(|score| score <= DRAW) {
            self.tables = None;
        }
    }

    /// What the tables know of a node, and what it bounds.
    pub(super) fn ask_tables(&mut self, node: &Node<E::Acc>, depth: i32) -> Option<(Score, Bound)> {
        let known = self.tables.as_ref()?.probe(&node.position, depth, node.ply)?;
        self.table_hits += 1;
        Some(known)
    }
}

impl RootMove {
    /// What is told of a score of this move: the tables' result, unless a mate was found.
    pub(super) fn told(&self, score: Score) -> Score {
        match self.table_score {
            Some(known) if score <= -INFINITY || !is_mate(score) => known,
            _ => score,
        }
    }
}
