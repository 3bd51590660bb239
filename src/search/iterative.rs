//! Iterative deepening: searches depth 1, 2, 3, …; each iteration orders the moves of the next.
//!
//! The thread with id 0 reports and decides when to stop. Helper threads search the same root until they are stopped;
//! they contribute TT entries and a vote on the best move. When an iteration is interrupted, the engine plays the best
//! move that it has already proven, or else that of the last completed iteration. If no iteration is complete, it plays
//! any legal move.
//! <https://www.chessprogramming.org/Iterative_Deepening>

use std::sync::Arc;

use shakmaty::Move;

use super::node::Node;
use super::params::{self, LONG_SEARCH};
use super::report::{Reporter, SearchResult, Silent, Variation};
use super::{Aborted, RootMove, SearchRequest, Searcher, Window};
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, INFINITY, MATE, MAX_PLY, Score, is_decisive};

/// Stability of best move and score over the iterations; scales the soft time limit.
#[derive(Default)]
struct Stability {
    best: Option<Move>,
    /// Number of iterations since the best move changed.
    unchanged_iterations: u32,
    scores: Vec<Score>,
}

impl Stability {
    fn update(&mut self, best: Move, score: Score) {
        self.unchanged_iterations = if self.best == Some(best) { self.unchanged_iterations + 1 } else { 0 };
        self.best = Some(best);
        self.scores.push(score);
    }

    /// Returns the scale factor of the soft limit. `effort`: fraction of all nodes spent on the best move.
    fn factor(&self, effort: f64) -> f64 {
        let unchanged = self.unchanged_iterations.min(params::MAX_UNCHANGED_ITERATIONS);
        let move_factor = params::NEW_MOVE_FACTOR - params::UNCHANGED_MOVE_FACTOR * f64::from(unchanged);
        let (max_rise, max_drop) = (params::MAX_SCORE_RISE, params::MAX_SCORE_DROP);
        let score_drop = match self.scores.as_slice() {
            [.., before, _, _, now] => f64::from((before - now).clamp(-max_rise, max_drop)) / params::SCORE_DROP_SCALE,
            _ => 0.0,
        };
        move_factor * (1.0 + score_drop) * (params::EFFORT_FACTOR - effort)
    }
}

impl<E: Evaluator> Searcher<E> {
    /// Searches until a limit is reached or the search is stopped, and returns the result of this thread.
    ///
    /// `reporter` receives the progress; its `finished` is not called. It is dropped when the search ends.
    pub fn search(&mut self, request: impl Into<Arc<SearchRequest>>, reporter: Box<dyn Reporter>) -> SearchResult {
        self.request = request.into();
        self.reporter = reporter;
        self.thread.start(&self.request);
        self.stack.clear();
        let result = match self.thread.root_moves.first() {
            Some(first) => self.deepen(first.clone()),
            None => self.result_without_moves(),
        };
        self.reporter = Box::new(Silent);
        result
    }

    /// Runs iterations until the search ends. `best` is the move to play without a complete iteration.
    fn deepen(&mut self, mut best: RootMove) -> SearchResult {
        let root_position = self.request.game.position.clone();
        let root = Node { acc: self.thread.eval.refresh(&root_position), position: root_position, ply: 0 };
        let pv_count = self.request.multi_pv.clamp(1, self.thread.root_moves.len());
        let mut stability = Stability::default();
        best.score = self.raw_eval(&root);
        self.thread.completed = vec![best.variation(best.score, Bound::Exact, 1)];
        while self.thread.completed_depth < self.max_depth() {
            // Odd threads search only even depths: deeper TT entries are more useful to the other threads.
            let step = 1 + i32::from(self.thread.id % 2 == 1);
            self.thread.root_depth = (self.thread.completed_depth + step).min(self.max_depth());
            if self.iteration(&root, pv_count).is_err() {
                break;
            }
            let depth = self.thread.root_depth;
            let variations = self.thread.root_moves[..pv_count].iter();
            self.thread.completed = variations.map(|m| m.variation(m.score, Bound::Exact, depth)).collect();
            self.thread.completed_depth = depth;
            self.request.control.publish(self.thread.id, self.thread.nodes, self.thread.tb_hits);
            if self.thread.id == 0 {
                let best = &self.thread.root_moves[0];
                stability.update(best.m, best.score);
                self.report_iteration();
                if self.should_stop_deepening(&stability) {
                    // While pondering, the search goes on; `ponderhit` then ends it.
                    self.thread.stop_on_ponderhit = true;
                    if !self.request.control.is_pondering() {
                        break;
                    }
                }
            }
        }
        self.request.control.publish(self.thread.id, self.thread.nodes, self.thread.tb_hits);
        self.result(self.final_variations())
    }

    fn report_iteration(&mut self) {
        let tb_error = self.request.tb_prober.as_ref().and_then(|prober| prober.tablebase.take_error());
        if let Some(error) = tb_error {
            self.reporter.message(&error);
        }
        let result = self.result(self.thread.completed.clone());
        self.reporter.progress(&result);
    }

    /// Runs one iteration: searches each PV (MultiPV) at `root_depth` plies.
    fn iteration(&mut self, root: &Node<E::Acc>, pv_count: usize) -> Result<(), Aborted> {
        for root_move in &mut self.thread.root_moves {
            root_move.bound = Bound::None;
        }
        for pv_index in 0..pv_count {
            self.thread.pv_index = pv_index;
            self.thread.seldepth = 0;
            self.aspiration(root, self.thread.root_depth)?;
        }
        self.thread.pv_index = 0;
        self.thread.root_moves[..pv_count]
            .sort_by_key(|root_move| std::cmp::Reverse((root_move.tb_rank, root_move.score)));
        for root_move in &mut self.thread.root_moves {
            root_move.previous_score = root_move.score;
        }
        Ok(())
    }

    /// Returns the depth limit; helper threads are not limited by that of `go`.
    fn max_depth(&self) -> i32 {
        if self.thread.id == 0 { self.request.max_depth() } else { MAX_PLY as i32 - 1 }
    }

    /// Returns the result of a search without root moves.
    ///
    /// Checkmate, stalemate, or no legal move in `Limits::search_moves`, which scores as a draw unless the side to move
    /// is checkmated.
    fn result_without_moves(&self) -> SearchResult {
        let score = if self.request.game.position.is_checkmate() { -MATE } else { DRAW };
        self.result(vec![Variation::new(Vec::new(), score, 0)])
    }

    /// Returns whether to report aspiration window failures.
    ///
    /// Only with a single PV, and only in analysis mode or in a long search.
    fn reports_bounds(&self) -> bool {
        self.thread.id == 0
            && self.request.multi_pv <= 1
            && (self.request.analyze_mode || self.request.time.elapsed() > LONG_SEARCH)
    }

    /// Returns whether this root move may be searched now.
    ///
    /// Excluded are moves not in `searchmoves`, moves of PVs that are done, and moves of a lower tablebase rank.
    pub(super) fn is_root_candidate(&self, m: Move) -> bool {
        let remaining = &self.thread.root_moves[self.thread.pv_index..];
        remaining.iter().any(|root_move| root_move.m == m && root_move.tb_rank == remaining[0].tb_rank)
    }

    /// Reports the root move about to be searched, in analysis mode or in a long search.
    pub(super) fn report_currmove(&mut self, m: Move, move_count: i32) {
        if self.thread.id == 0 && (self.request.analyze_mode || self.request.time.elapsed() > LONG_SEARCH) {
            self.reporter.current_move(self.thread.root_depth, m, move_count as usize + self.thread.pv_index);
        }
    }

    /// Updates a root move after its search. `nodes`: nodes spent on it.
    pub(super) fn update_root_move(&mut self, m: Move, score: Score, window: Window, move_count: i32, nodes: u64) {
        let (pv_index, seldepth) = (self.thread.pv_index, self.thread.seldepth);
        let child_pv = &self.stack.pvs[1];
        let Some(root_move) = self.thread.root_moves[pv_index..].iter_mut().find(|root_move| root_move.m == m) else {
            return;
        };
        root_move.nodes += nodes;
        if move_count == 1 || score > window.alpha {
            root_move.score = score;
            root_move.seldepth = seldepth;
            root_move.bound = match score {
                _ if score <= window.alpha => Bound::Upper,
                _ if score >= window.beta => Bound::Lower,
                _ => Bound::Exact,
            };
            root_move.pv.clear();
            root_move.pv.push(m);
            let capacity = root_move.pv.remaining_capacity();
            root_move.pv.extend(child_pv.iter().copied().take(capacity));
        } else {
            // The move failed low; a score from an earlier window of this iteration is outdated.
            root_move.score = -INFINITY;
            root_move.bound = Bound::None;
        }
    }

    /// Sorts the remaining root moves, best first.
    ///
    /// The sort is stable: moves that failed low keep their order.
    pub(super) fn sort_root_moves(&mut self) {
        self.thread.root_moves[self.thread.pv_index..]
            .sort_by_key(|root_move| std::cmp::Reverse((root_move.tb_rank, root_move.score)));
    }

    /// Returns whether to stop after a completed iteration.
    ///
    /// True if a limit is reached, the score is final, or the next iteration is not worth its time.
    fn should_stop_deepening(&self, stability: &Stability) -> bool {
        if self.request.control.is_stopped() || self.should_abort() {
            return true;
        }
        let best = &self.thread.root_moves[0];
        // A sum over the root moves: `thread.nodes` also counts the root move during which an iteration was abandoned.
        let searched: u64 = self.thread.root_moves.iter().map(|root_move| root_move.nodes).sum();
        let effort = best.nodes as f64 / searched.max(1) as f64;
        let nodes = self.request.control.nodes();
        self.request.is_last_iteration(self.thread.root_depth, best.score, nodes, stability.factor(effort))
    }

    /// Reports the bound of a failed aspiration window.
    pub(super) fn report_bound(&mut self, score: Score, bound: Bound) {
        if self.reports_bounds() {
            let best = &self.thread.root_moves[self.thread.pv_index];
            let result = self.result(vec![best.variation(score, bound, self.thread.root_depth)]);
            self.reporter.progress(&result);
        }
    }

    /// Returns a result with these variations and the statistics of all threads.
    fn result(&self, variations: Vec<Variation>) -> SearchResult {
        let all_threads = if self.request.control.threads() > 1 { self.request.control.nodes() } else { 0 };
        let mut result = SearchResult::new(variations);
        if result.ponder.is_none() {
            result.ponder = result.best_move().and_then(|m| self.ponder_move_from_tt(m));
        }
        result.depth = self.thread.completed_depth;
        result.nodes = self.thread.nodes.max(all_threads);
        result.time = self.request.time.elapsed();
        result.hashfull = self.tt.hashfull();
        result.tb_hits = self.request.control.tb_hits();
        #[cfg(feature = "stats")]
        {
            result.cutoffs = self.thread.cutoffs;
        }
        result
    }

    /// Returns the variations of the last completed iteration, preceded by what an interrupted one has proven.
    fn final_variations(&self) -> Vec<Variation> {
        let (thread, completed) = (&self.thread, self.thread.completed.clone());
        let variation = |m: &RootMove| m.variation(m.score, m.bound, thread.root_depth);
        if thread.root_depth <= thread.completed_depth {
            return completed;
        }
        if thread.pv_index > 0 {
            // MultiPV: these variations of the interrupted iteration are complete, but not sorted yet.
            let mut searched: Vec<&RootMove> = thread.root_moves[..thread.pv_index].iter().collect();
            searched.sort_by_key(|m| std::cmp::Reverse((m.tb_rank, m.score)));
            return merge(searched.into_iter().map(variation).collect(), completed);
        }
        let proven = thread.root_moves.iter().filter(|m| matches!(m.bound, Bound::Exact | Bound::Lower));
        match proven.max_by_key(|root_move| root_move.score) {
            // That the moves searched so far lose says nothing about the others: keep the last completed result or,
            // without one, choose a move that has not been searched.
            Some(lost) if is_decisive(lost.score) && lost.score < 0 => {
                let unsearched = thread.root_moves.iter().find(|root_move| root_move.nodes == 0);
                match unsearched.filter(|_| thread.completed_depth == 0) {
                    Some(m) => vec![m.variation(completed[0].score, Bound::Exact, 1)],
                    None => completed,
                }
            }
            Some(better) if Some(better.m) != completed[0].first_move() || better.bound == Bound::Exact => {
                merge(vec![variation(better)], completed)
            }
            _ => completed,
        }
    }

    /// Returns the reply stored in the TT, for a PV that has only one move.
    fn ponder_move_from_tt(&self, m: Move) -> Option<Move> {
        let child = self.request.game.after(m)?.position;
        self.tt_probe(&child, 1)?.best.unpack(&child)
    }
}

/// Returns the variations found in an interrupted iteration, followed by those of the completed one with other moves.
fn merge(mut found: Vec<Variation>, completed: Vec<Variation>) -> Vec<Variation> {
    let count = found.len().max(completed.len());
    for variation in completed {
        if found.len() < count && found.iter().all(|other| other.first_move() != variation.first_move()) {
            found.push(variation);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    use crate::board::game::Game;
    use crate::board::position::parse_fen;
    use crate::eval::pst::Pst;
    use crate::search::limits::Limits;
    use crate::search::memory::transposition::TranspositionTable;
    use crate::search::params::Params;

    const POSITIONS: [&str; 3] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
    ];

    #[test]
    #[cfg_attr(miri, ignore = "a complete search takes hours under Miri")]
    fn restricted_root_is_not_stored_in_the_tt() {
        let position = parse_fen(POSITIONS[0]).unwrap();
        let stored = |search_moves: Vec<Move>| {
            let tt = Arc::new(TranspositionTable::new(1));
            let mut searcher = Searcher::new(0, Pst, &Params::default(), Arc::clone(&tt));
            let limits = Limits { search_moves, ..Limits::depth(6) };
            searcher.search(SearchRequest::untimed(Game::new(position.clone()), limits), Box::new(Silent));
            tt.probe(position.key()).is_some()
        };
        assert!(stored(Vec::new()));
        assert!(!stored(vec![position.chess().legal_moves()[0]]));
    }

    #[test]
    #[cfg_attr(miri, ignore = "a complete search takes hours under Miri")]
    fn interrupted_multi_pv_search_plays_the_best_of_the_searched_pvs() {
        let mut interrupted = 0;
        for nodes in (2_000..24_000).step_by(677) {
            let mut searcher = Searcher::new(0, Pst, &Params::default(), Arc::new(TranspositionTable::new(1)));
            let game = Game::new(parse_fen(POSITIONS[0]).unwrap());
            let request = SearchRequest { multi_pv: 3, ..SearchRequest::untimed(game, Limits::nodes(nodes)) };
            let result = searcher.search(request, Box::new(Silent));
            if searcher.thread.pv_index > 0 {
                interrupted += 1;
                let searched = &searcher.thread.root_moves[..searcher.thread.pv_index];
                assert_eq!(Some(result.score()), searched.iter().map(|m| m.score).max(), "{nodes} nodes");
                assert!(searched.iter().any(|m| m.pv[..] == *result.pv()), "{nodes} nodes");
                assert_eq!(result.variations.len(), 3, "{nodes} nodes");
            }
        }
        assert!(interrupted > 5, "{interrupted}");
    }

    #[test]
    fn completed_variations_follow_those_of_an_interrupted_iteration() {
        let moves = Game::default().position.chess().legal_moves();
        let variation = |m: usize, depth| Variation::new(vec![moves[m]], 20, depth);
        let completed = || vec![variation(0, 8), variation(1, 8), variation(2, 8)];
        assert_eq!(merge(vec![variation(0, 9)], completed()), [variation(0, 9), variation(1, 8), variation(2, 8)]);
        assert_eq!(merge(vec![variation(3, 9)], completed()), [variation(3, 9), variation(0, 8), variation(1, 8)]);
        let found = vec![variation(2, 9), variation(0, 9)];
        assert_eq!(merge(found, completed()), [variation(2, 9), variation(0, 9), variation(1, 8)]);
    }

    #[test]
    fn no_mate_is_reported_in_check_without_a_legal_search_move() {
        let search_moves = Game::default().position.chess().legal_moves().to_vec();
        let limits = Limits { search_moves, ..Limits::depth(2) };
        for (fen, score) in [("8/8/8/8/8/k7/8/K6r w - - 0 1", -MATE), ("8/8/8/8/8/k7/8/2K4r w - - 0 1", DRAW)] {
            let mut searcher = Searcher::new(0, Pst, &Params::default(), Arc::new(TranspositionTable::new(1)));
            let request = SearchRequest::untimed(Game::new(parse_fen(fen).unwrap()), limits.clone());
            let result = searcher.search(request, Box::new(Silent));
            assert_eq!((result.best_move(), result.score()), (None, score), "{fen}");
        }
    }
}
