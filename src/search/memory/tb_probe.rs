//! Endgame tables in the search: ranks at the root, results at inner nodes.
//!
//! At the root the tables say which moves keep the result; the search chooses among those, and of each line
//! the table's result is reported until a mate is found. With distances ranked (or nothing left to win)
//! the inner nodes need not ask again: every move that remains is good enough, and a search that sees material and
//! mates finds the way better than one that sees the same win everywhere.
//! <https://www.chessprogramming.org/Endgame_Tablebases>

use crate::board::movegen::PackedMove;
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, INFINITY, MAX_PLY, Score, is_mate};
use crate::search::memory::transposition::NO_EVAL;
use crate::search::{Node, RootMove, Searcher, Window};

/// What the tables say of a node.
pub(in crate::search) enum Verdict {
    /// Its value.
    Settled(Score),
    /// The least and the most it can be worth.
    Between(Score, Score),
}

impl<E: Evaluator> Searcher<E> {
    /// Ranks the root moves by the tables, if they know them all, best first.
    pub(in crate::search) fn rank_root(&mut self) {
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

    /// What the tables know of a node: a result beyond the window settles it, any other only bounds it.
    pub(in crate::search) fn ask_tables(
        &mut self,
        node: &Node<E::Acc>,
        depth: i32,
        window: Window,
        pv: bool,
    ) -> Verdict {
        let known = self.tables.as_ref().and_then(|tables| tables.probe(&node.position, depth, node.ply));
        let Some((score, bound)) = known else { return Verdict::Between(-INFINITY, INFINITY) };
        self.table_hits += 1;
        match bound {
            Bound::Lower if score < window.beta => Verdict::Between(score, INFINITY),
            Bound::Upper if score > window.alpha => Verdict::Between(-INFINITY, score),
            _ => {
                let depth = (depth + 6).min(MAX_PLY as i32 - 1);
                let (key, none) = (node.position.key(), PackedMove::NONE);
                self.remember(key, node.ply, none, score, NO_EVAL, depth, bound, pv);
                Verdict::Settled(score)
            }
        }
    }
}

impl RootMove {
    /// What is told of a score of this move: the tables' result, unless a mate was found.
    pub(in crate::search) fn told(&self, score: Score) -> Score {
        match self.table_score {
            Some(known) if score <= -INFINITY || !is_mate(score) => known,
            _ => score,
        }
    }
}
