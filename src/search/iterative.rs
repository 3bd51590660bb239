//! Iterative deepening: searches depth 1, 2, 3, …; each iteration improves the move ordering of the next.
//!
//! The thread with id 0 reports and decides when to stop. Helper threads search the same root until they are stopped;
//! they contribute TT entries and iterations that they complete first. When an iteration is interrupted, the best
//! move it has already proven is played; otherwise that of the last completed iteration, and before the first one is
//! complete any legal move.
//! <https://www.chessprogramming.org/Iterative_Deepening>

use std::time::Duration;

use shakmaty::{Move, Position as _};

use super::report::{BestMove, Reporter, SearchInfo, Silent};
use super::{Aborted, Node, Pv, RootMove, SearchRequest, Searcher, Window};
use crate::eval::Evaluator;
use crate::score::{Bound, INFINITY, MATE, MAX_PLY, Score, is_decisive, mate_in, moves_to_mate};

/// Searches longer than this also report bounds and the current move, as with `UCI_AnalyseMode`.
const LONG_SEARCH: Duration = Duration::from_secs(3);

/// Result of the search of one thread.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// Best move and ponder move.
    pub answer: BestMove,
    /// Score of the best move, from the side to move.
    pub score: Score,
    /// Bound of the score: an interrupted search may have only a lower bound.
    pub bound: Bound,
    /// Last completed iteration, plies.
    pub depth: i32,
    /// Principal variation, starting with the best move.
    pub pv: Vec<Move>,
}

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
        let move_factor = 1.35 - 0.08 * f64::from(self.unchanged_iterations.min(8));
        let score_drop = match self.scores.as_slice() {
            [.., before, _, _, now] => f64::from((before - now).clamp(-20, 60)) / 100.0,
            _ => 0.0,
        };
        move_factor * (1.0 + score_drop) * (1.7 - effort)
    }
}

impl<E: Evaluator> Searcher<E> {
    /// Searches until a limit is reached or the search is stopped, and returns the result of this thread.
    ///
    /// `reporter` receives the info lines and stays with the searcher until [`Searcher::take_reporter`].
    pub fn search(&mut self, task: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchOutcome {
        self.reporter = reporter;
        self.start_search(task);
        let root = Node { acc: self.eval.refresh(&self.root.position), position: self.root.position.clone(), ply: 0 };
        if self.root_moves.is_empty() {
            return self.outcome_without_moves();
        }
        let pv_count = self.multi_pv.min(self.root_moves.len());
        let mut completed = self.root_moves[0].clone();
        completed.score = self.eval.score(&root.acc, &root.position);
        let (mut completed_depth, mut stability) = (0, Stability::default());

        while completed_depth < self.max_depth() {
            // Every second thread searches one ply deeper: its TT entries help the others more.
            self.root_depth = (completed_depth + 1 + i32::from(self.id % 2 == 1)).min(self.max_depth());
            if self.iteration(&root, pv_count).is_err() && !self.adopt_iteration() {
                break;
            }
            completed = self.root_moves[0].clone();
            completed_depth = self.root_depth;
            if self.uses_shared_iteration() {
                self.control.shared_iteration.publish_iteration(completed_depth, &completed);
            }
            self.control.publish(self.id, self.nodes, self.tb_hits);
            if self.id == 0 {
                if let Some(fault) = task.tb_prober.as_ref().and_then(|prober| prober.tablebase.take_error()) {
                    self.reporter.message(&fault);
                }
                for pv_index in 0..pv_count {
                    self.report_pv(pv_index, self.root_moves[pv_index].score, Bound::Exact);
                }
                stability.update(completed.m, completed.score);
                if self.should_stop_deepening(&completed, &stability) {
                    // While pondering, the search goes on; `ponderhit` then ends it.
                    self.stop_on_ponderhit = true;
                    if !self.control.is_pondering() {
                        break;
                    }
                }
            }
        }
        self.control.publish(self.id, self.nodes, self.tb_hits);
        #[cfg(feature = "stats")]
        self.reporter.cutoffs(&self.cutoffs);
        self.finish(completed, completed_depth)
    }

    /// Runs one iteration: searches each PV (MultiPV) at `root_depth` plies.
    fn iteration(&mut self, root: &Node<E::Acc>, pv_count: usize) -> Result<(), Aborted> {
        for root_move in &mut self.root_moves {
            root_move.bound = Bound::None;
        }
        for pv_index in 0..pv_count {
            self.pv_index = pv_index;
            self.seldepth = 0;
            self.aspiration(root, self.root_depth)?;
        }
        self.pv_index = 0;
        self.root_moves[..pv_count].sort_by_key(|root_move| std::cmp::Reverse((root_move.tb_rank, root_move.score)));
        Ok(())
    }

    /// Returns whether the threads share completed iterations: several threads and a single PV.
    fn uses_shared_iteration(&self) -> bool {
        self.control.threads() > 1 && self.multi_pv == 1
    }

    /// Returns whether another thread has completed the current iteration of this thread.
    pub(super) fn is_behind(&self) -> bool {
        self.uses_shared_iteration() && self.control.shared_iteration.has_completed(self.root_depth)
    }

    /// Adopts the iteration result of a thread that has completed it; returns whether one had.
    fn adopt_iteration(&mut self) -> bool {
        if self.control.is_stopped() || !self.is_behind() {
            return false;
        }
        let Some((depth, best)) = self.control.shared_iteration.take(self.root_depth) else { return false };
        self.root_depth = depth.min(self.max_depth());
        self.keys.truncate(self.root.history.len());
        for root_move in &mut self.root_moves {
            let nodes = root_move.nodes;
            if root_move.m == best.m {
                *root_move = RootMove { nodes, ..best.clone() };
            } else {
                (root_move.score, root_move.bound) = (-INFINITY, Bound::None);
            }
        }
        self.sort_root_moves();
        true
    }

    /// Resets the state of the last search and generates the root moves.
    fn start_search(&mut self, task: &SearchRequest) {
        self.root = task.game.clone();
        self.limits = task.limits.clone();
        self.time = task.time.clone();
        self.control = std::sync::Arc::clone(&task.control);
        self.multi_pv = task.multi_pv;
        self.analyse_mode = task.analyse_mode;
        self.tb_prober = task.tb_prober.clone();
        self.nodes = 0;
        self.tb_hits = 0;
        self.nmp_min_ply = 0;
        self.cutoffs = super::stats::Cutoffs::default();
        self.stop_on_ponderhit = false;
        self.pv_index = 0;
        self.stack.clear();
        self.keys.clear();
        self.keys.extend_from_slice(&self.root.history);
        let is_included = |m: &Move| self.limits.search_moves.is_empty() || self.limits.search_moves.contains(m);
        let moves = self.root.position.chess().legal_moves();
        self.root_moves = moves
            .into_iter()
            .filter(is_included)
            .map(|m| RootMove {
                m,
                score: -INFINITY,
                bound: Bound::None,
                seldepth: 0,
                nodes: 0,
                pv: Pv::from_iter([m]),
                tb_rank: 0,
                tb_score: None,
            })
            .collect();
        self.rank_root_moves();
    }

    /// Returns the depth limit. Helper threads have none and run until they are stopped.
    fn max_depth(&self) -> i32 {
        let limit = self.limits.depth.filter(|_| self.id == 0).unwrap_or(u32::MAX);
        limit.clamp(1, MAX_PLY as u32 - 1) as i32
    }

    /// Reports and returns the result of a search from a checkmate or stalemate position.
    fn outcome_without_moves(&mut self) -> SearchOutcome {
        let score = if self.root.position.in_check() { -MATE } else { 0 };
        if self.id == 0 {
            let info = self.info(0, score, Bound::Exact, 0, 1, Vec::new());
            self.reporter.info(&info);
        }
        SearchOutcome { answer: BestMove::default(), score, bound: Bound::Exact, depth: 0, pv: Vec::new() }
    }

    /// Returns whether to report aspiration window failures.
    ///
    /// Only with a single PV, and only in analysis mode or in a long search.
    fn reports_bounds(&self) -> bool {
        self.id == 0 && self.multi_pv == 1 && (self.analyse_mode || self.time.elapsed() > LONG_SEARCH)
    }

    /// Returns whether this root move may be searched now.
    ///
    /// Excluded are moves not in `searchmoves`, moves of PVs that are done, and moves of a lower tablebase rank.
    pub(super) fn is_root_candidate(&self, m: Move) -> bool {
        let remaining = &self.root_moves[self.pv_index..];
        remaining.iter().any(|root_move| root_move.m == m && root_move.tb_rank == remaining[0].tb_rank)
    }

    /// Reports the root move about to be searched, in analysis mode or in a long search.
    pub(super) fn report_currmove(&mut self, m: Move, move_count: i32, is_root: bool) {
        if is_root && self.id == 0 && (self.analyse_mode || self.time.elapsed() > LONG_SEARCH) {
            self.reporter.current_move(self.root_depth, m, move_count as usize + self.pv_index);
        }
    }

    /// Updates a root move after its search. `nodes`: nodes spent on it.
    pub(super) fn update_root_move(&mut self, m: Move, score: Score, window: Window, move_count: i32, nodes: u64) {
        let (pv_index, seldepth) = (self.pv_index, self.seldepth);
        let child_pv = &self.stack.pvs[1];
        let Some(root_move) = self.root_moves[pv_index..].iter_mut().find(|root_move| root_move.m == m) else { return };
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
        self.root_moves[self.pv_index..]
            .sort_by_key(|root_move| std::cmp::Reverse((root_move.tb_rank, root_move.score)));
    }

    /// Returns whether to stop after a completed iteration.
    ///
    /// True if a limit is reached, the score is final, or the next iteration is not worth its time.
    fn should_stop_deepening(&self, best: &RootMove, stability: &Stability) -> bool {
        if self.control.is_stopped() || self.should_abort() {
            return true;
        }
        if self.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        if let (Some(max_moves), Some(found)) = (self.limits.mate, moves_to_mate(best.score))
            && found.unsigned_abs() <= max_moves
        {
            return true;
        }
        if self.limits.infinite || !self.time.is_timed() {
            return false;
        }
        let only_move = self.root_moves.len() == 1 && self.limits.move_time.is_none();
        // A decisive score that a deeper iteration cannot improve.
        let is_final = is_decisive(best.score) && best.score.abs() >= mate_in(self.root_depth as usize);
        let effort = best.nodes as f64 / self.nodes.max(1) as f64;
        let factor = if only_move { 0.05 } else { stability.factor(effort) };
        (is_final && self.limits.move_time.is_none()) || self.time.soft_limit_reached(factor)
    }

    /// Reports the bound of a failed aspiration window.
    pub(super) fn report_bound(&mut self, score: Score, bound: Bound) {
        if self.reports_bounds() {
            self.report_pv(self.pv_index, score, bound);
        }
    }

    /// Reports the PV with this index.
    fn report_pv(&mut self, pv_index: usize, score: Score, bound: Bound) {
        let root_move = &self.root_moves[pv_index];
        let reported_score = root_move.reported_score(score);
        let bound = if reported_score == score { bound } else { Bound::Exact };
        let pv = root_move.pv.iter().copied().collect();
        let info = self.info(self.root_depth, reported_score, bound, root_move.seldepth, pv_index + 1, pv);
        self.reporter.info(&info);
    }

    /// Returns an info line with the statistics of all threads. `multi_pv`: rank of the PV, from 1.
    fn info(
        &self,
        depth: i32,
        score: Score,
        bound: Bound,
        seldepth: usize,
        multi_pv: usize,
        pv: Vec<Move>,
    ) -> SearchInfo {
        let all_threads = if self.control.threads() > 1 { self.control.nodes() } else { 0 };
        SearchInfo {
            depth,
            // A PV adopted from another thread can be longer than `seldepth`.
            seldepth: seldepth.max(pv.len()),
            multi_pv,
            score,
            bound,
            nodes: self.nodes.max(all_threads),
            time: self.time.elapsed(),
            hashfull: self.tt.hashfull(),
            tb_hits: self.control.tb_hits(),
            pv,
        }
    }

    /// Chooses between the last completed iteration and the moves proven in an interrupted one.
    ///
    /// Reports the choice unless its PV was already reported.
    fn finish(&mut self, completed: RootMove, completed_depth: i32) -> SearchOutcome {
        let interrupted = self.root_depth > completed_depth;
        let mut choice = completed;
        let mut reported = completed_depth > 0;
        if interrupted && self.pv_index == 0 {
            let proven =
                self.root_moves.iter().filter(|root_move| matches!(root_move.bound, Bound::Exact | Bound::Lower));
            match proven.max_by_key(|root_move| root_move.score) {
                // That the moves searched so far lose says nothing about the others: keep the last completed result or,
                // without one, choose a move that has not been searched.
                Some(lost) if is_decisive(lost.score) && lost.score < 0 => {
                    let unsearched = self.root_moves.iter().find(|root_move| root_move.nodes == 0);
                    if completed_depth == 0
                        && let Some(unsearched) = unsearched
                    {
                        choice = RootMove { score: choice.score, ..unsearched.clone() };
                    }
                }
                Some(better) if better.m != choice.m || better.bound == Bound::Exact => {
                    choice = better.clone();
                    reported = false;
                }
                _ => {}
            }
        }
        let reported_score = choice.reported_score(choice.score);
        let is_lower_bound = choice.bound == Bound::Lower && reported_score == choice.score;
        let bound = if is_lower_bound { Bound::Lower } else { Bound::Exact };
        if self.id == 0 && !reported {
            let depth = self.root_depth.max(1);
            let pv = choice.pv.iter().copied().collect();
            let info = self.info(depth, reported_score, bound, choice.seldepth, 1, pv);
            self.reporter.info(&info);
        }
        let ponder = choice.pv.get(1).copied().or_else(|| self.ponder_move_from_tt(choice.m));
        SearchOutcome {
            answer: BestMove { best: Some(choice.m), ponder },
            score: reported_score,
            bound,
            depth: completed_depth,
            pv: choice.pv.into_iter().collect(),
        }
    }

    /// Returns the reply stored in the TT, for a PV that has only one move.
    fn ponder_move_from_tt(&self, m: Move) -> Option<Move> {
        let child = self.root.after(m)?.position;
        self.tt_probe(child.key())?.best.unpack(&child)
    }

    /// Sets the reporter.
    pub fn set_reporter(&mut self, reporter: Box<dyn Reporter>) {
        self.reporter = reporter;
    }

    /// Takes the reporter back, leaving one that discards everything.
    pub fn take_reporter(&mut self) -> Box<dyn Reporter> {
        std::mem::replace(&mut self.reporter, Box::new(Silent))
    }

    /// Reports the outcome of another thread that was chosen as the final result.
    ///
    /// The last reported PV must start with the best move.
    pub fn report_choice(&mut self, outcome: &SearchOutcome) {
        let info = self.info(outcome.depth, outcome.score, outcome.bound, 0, 1, outcome.pv.clone());
        self.reporter.info(&info);
    }
}
