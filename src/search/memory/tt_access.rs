//! Access of the search to the transposition table: keys, scores counted from the root, the TT switch.

use shakmaty::Move;

use crate::board::position::{FIFTY_MOVES, Position};
use crate::eval::Evaluator;
use crate::score::{Bound, Score, is_decisive, score_from_tt, score_to_tt};
use crate::search::Searcher;
use crate::search::memory::transposition::TtEntry;
use crate::search::node::NodeType;

impl<E: Evaluator> Searcher<E> {
    /// Returns the TT entry of a position, if the TT is enabled, with its score counted from the root.
    #[inline]
    pub(in crate::search) fn tt_probe(&self, position: &Position, ply: usize) -> Option<TtEntry> {
        if !self.thread.params.transposition_table {
            return None;
        }
        let entry = self.tt.probe(position.tt_key())?;
        let plies_to_draw = FIFTY_MOVES.saturating_sub(position.halfmoves());
        Some(TtEntry { score: score_from_tt(entry.score, ply, plies_to_draw), ..entry })
    }

    /// Stores an entry, with its score counted from the root, in the TT, if that is enabled.
    #[inline]
    pub(in crate::search) fn tt_store(&self, position: &Position, ply: usize, entry: TtEntry) {
        if self.thread.params.transposition_table {
            self.tt.store(position.tt_key(), TtEntry { score: score_to_tt(entry.score, ply), ..entry });
        }
    }

    /// Returns the TT move, if it is legal, and prefetches the entry of the position after it.
    ///
    /// At the root, from depth 2 on, it is the best move found so far for this PV.
    #[inline(always)]
    pub(in crate::search) fn tt_move<N: NodeType>(
        &self,
        position: &Position,
        tt_entry: Option<TtEntry>,
    ) -> Option<Move> {
        let tt_move = if N::ROOT && self.thread.root_depth > 1 {
            self.thread.root_moves.get(self.thread.pv_index).map(|root_move| root_move.m)
        } else {
            tt_entry.and_then(|entry| entry.best.unpack(position))
        };
        if let Some(m) = tt_move {
            self.tt.prefetch(position.approx_tt_key_after(m));
        }
        tt_move
    }
}

/// Returns the static evaluation, or the TT score if its bound makes it a better estimate.
#[inline]
pub(in crate::search) fn tt_adjusted_eval(static_eval: Score, tt_entry: Option<TtEntry>) -> Score {
    match tt_entry {
        Some(entry) if !is_decisive(entry.score) => match entry.bound {
            Bound::Exact => entry.score,
            Bound::Lower => static_eval.max(entry.score),
            Bound::Upper => static_eval.min(entry.score),
            Bound::None => static_eval,
        },
        _ => static_eval,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::game::Game;
    use crate::board::movegen::PackedMove;
    use crate::board::position::parse_fen;
    use crate::eval::pst::Pst;
    use crate::score::{DRAW, EVAL_LIMIT, mate_in};
    use crate::search::SearchRequest;
    use crate::search::limits::Limits;
    use crate::search::memory::transposition::{KEY_BITS, TranspositionTable};
    use crate::search::params::Params;
    use crate::search::report::{Reporter, SearchResult};
    use shakmaty::Position as _;

    /// Checks that the PV is legal.
    struct LegalPv(Position);

    impl Reporter for LegalPv {
        fn progress(&mut self, result: &SearchResult) {
            let mut position = self.0.clone();
            for &m in result.pv() {
                assert!(position.chess().is_legal(m), "{m} in {position:?}");
                position = position.play(m);
            }
        }
        fn finished(&mut self, _result: &SearchResult) {}
    }

    /// Aethdv/Soul#2, ratosh/pirarucu#135. With keys of four bits most probes return the entry of another position.
    #[test]
    #[cfg_attr(miri, ignore = "a complete search takes hours under Miri")]
    fn tt_key_collisions_never_cause_illegal_moves() {
        let table = Arc::new(TranspositionTable::new(1));
        let mut searcher = Searcher::new(0, Pst, &Params::default(), table);
        for bits in [4, 0, 8] {
            KEY_BITS.set(bits);
            for fen in [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            ]
            .repeat(4)
            {
                let position = parse_fen(fen).unwrap();
                let limits = Limits { depth: Some(9), nodes: Some(30_000), ..Limits::default() };
                let request = SearchRequest::untimed(Game::new(position.clone()), limits);
                let result = searcher.search(request, Box::new(LegalPv(position.clone())));
                LegalPv(position).progress(&result);
                assert!(result.best_move().is_some(), "{fen}");
            }
        }
        KEY_BITS.set(64);
    }

    #[test]
    fn tt_entry_is_valid_only_near_its_halfmove_clock() {
        let searcher = Searcher::new(0, Pst, &Params::default(), Arc::new(TranspositionTable::new(1)));
        let at_clock = |clock: u32| parse_fen(&format!("8/8/6p1/2B1k3/N1K5/8/8/8 b - - {clock} 143")).unwrap();
        let store = |clock, score| {
            let entry = TtEntry { best: PackedMove::NONE, score, eval: DRAW, depth: 9, bound: Bound::Exact, pv: true };
            searcher.tt_store(&at_clock(clock), 2, entry);
        };
        let score_at = |clock| searcher.tt_probe(&at_clock(clock), 2).map(|entry| entry.score);
        store(0, -313);
        assert_eq!((score_at(0), score_at(15), score_at(86), score_at(99)), (Some(-313), Some(-313), None, None));
        // Mate in 14 plies from the node; the draw comes after 100 minus the clock.
        store(84, mate_in(16));
        assert_eq!(
            (score_at(84), score_at(86), score_at(87)),
            (Some(mate_in(16)), Some(mate_in(16)), Some(EVAL_LIMIT))
        );
    }
}
