//! Iterative deepening: depth 1, 2, 3, …, each ordered by the one before, an answer ready at any time.
//!
//! The thread with id 0 reports and decides when it is enough; helpers search the same root until they
//! are stopped, and help by what they leave in the table and by iterations that they finish first. When a
//! search is stopped in the middle of an iteration, the move counts that the iteration had already proven
//! best; otherwise that of the last complete iteration, and before the first one is complete any legal move.
//! <https://www.chessprogramming.org/Iterative_Deepening>

use std::time::Duration;

use shakmaty::{Move, Position as _};

use super::report::{BestMove, Reporter, SearchInfo, Silent};
use super::{Aborted, Line, Node, RootMove, SearchRequest, Searcher, Window};
use crate::eval::Evaluator;
use crate::score::{Bound, INFINITY, MATE, MAX_PLY, Score, is_decisive, mate_in, moves_to_mate};

/// After this time a person is probably watching: bounds and current moves are worth printing.
const LONG_SEARCH: Duration = Duration::from_secs(3);

/// What a thread brings back.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// Its choice.
    pub answer: BestMove,
    /// Score of that choice, from the side to move.
    pub score: Score,
    /// What the score says: a search that was broken off may know only a bound.
    pub bound: Bound,
    /// Last complete iteration, plies.
    pub depth: i32,
    /// The line behind it.
    pub pv: Vec<Move>,
}

/// How the last iterations went; stretches or shrinks the soft limit.
#[derive(Default)]
struct Stability {
    best: Option<Move>,
    same_for: u32,
    scores: Vec<Score>,
}

impl Stability {
    fn note(&mut self, best: Move, score: Score) {
        self.same_for = if self.best == Some(best) { self.same_for + 1 } else { 0 };
        self.best = Some(best);
        self.scores.push(score);
    }

    /// `effort`: share of the nodes that went into the best move.
    fn factor(&self, effort: f64) -> f64 {
        let settled = 1.35 - 0.08 * f64::from(self.same_for.min(8));
        let fallen = match self.scores.as_slice() {
            [.., before, _, _, now] => f64::from((before - now).clamp(-20, 60)) / 100.0,
            _ => 0.0,
        };
        settled * (1.0 + fallen) * (1.7 - effort)
    }
}

impl<E: Evaluator> Searcher<E> {
    /// Searches until a limit or the stop flag ends it. What there is to say goes to `reporter`, which stays
    /// with the searcher until [`Searcher::take_reporter`].
    pub fn search(&mut self, task: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchOutcome {
        self.reporter = reporter;
        self.prepare(task);
        let root = Node { acc: self.eval.refresh(&self.root.position), position: self.root.position.clone(), ply: 0 };
        if self.root_moves.is_empty() {
            return self.no_legal_move();
        }
        let lines = self.multi_pv.min(self.root_moves.len());
        let mut complete = self.root_moves[0].clone();
        complete.score = self.eval.score(&root.acc, &root.position);
        let (mut depth_done, mut stability) = (0, Stability::default());

        while depth_done < self.deepest() {
            // Every second helper looks one ply further: what it leaves in the table is worth more to the others.
            self.root_depth = (depth_done + 1 + i32::from(self.id % 2 == 1)).min(self.deepest());
            if self.iteration(&root, lines).is_err() && !self.adopt_iteration() {
                break;
            }
            complete = self.root_moves[0].clone();
            depth_done = self.root_depth;
            if self.uses_shared_iteration() {
                self.control.shared_iteration.publish_iteration(depth_done, &complete);
            }
            self.control.publish(self.id, self.nodes, self.table_hits);
            if self.id == 0 {
                if let Some(fault) = task.tables.as_ref().and_then(|tables| tables.base.take_fault()) {
                    self.reporter.message(&fault);
                }
                for line in 0..lines {
                    self.report_line(line, self.root_moves[line].score, Bound::Exact);
                }
                stability.note(complete.m, complete.score);
                if self.is_enough(&complete, &stability) {
                    // On the opponent's time nothing is enough; but once it is our time, it is.
                    self.answer_at_ponder_hit = true;
                    if !self.control.is_pondering() {
                        break;
                    }
                }
            }
        }
        self.control.publish(self.id, self.nodes, self.table_hits);
        #[cfg(feature = "stats")]
        self.reporter.cutoffs(&self.cutoffs);
        self.finish(complete, depth_done)
    }

    /// Searches every line of the root `root_depth` plies deep.
    fn iteration(&mut self, root: &Node<E::Acc>, lines: usize) -> Result<(), Aborted> {
        for root_move in &mut self.root_moves {
            root_move.bound = Bound::None;
        }
        for line in 0..lines {
            self.line = line;
            self.seldepth = 0;
            self.aspiration(root, self.root_depth)?;
        }
        self.line = 0;
        self.root_moves[..lines].sort_by_key(|root_move| std::cmp::Reverse((root_move.rank, root_move.score)));
        Ok(())
    }

    /// Do the threads hand finished iterations on?
    fn uses_shared_iteration(&self) -> bool {
        self.control.threads() > 1 && self.multi_pv == 1
    }

    /// Has another thread finished the iteration that this one is in?
    pub(super) fn is_behind(&self) -> bool {
        self.uses_shared_iteration() && self.control.shared_iteration.has_completed(self.root_depth)
    }

    /// A broken-off iteration is not lost if another thread has finished it: takes what that one found.
    fn adopt_iteration(&mut self) -> bool {
        if self.control.is_stopped() || !self.is_behind() {
            return false;
        }
        let Some((depth, best)) = self.control.shared_iteration.take(self.root_depth) else { return false };
        self.root_depth = depth.min(self.deepest());
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

    fn prepare(&mut self, task: &SearchRequest) {
        self.root = task.game.clone();
        self.limits = task.limits.clone();
        self.time = task.time.clone();
        self.control = std::sync::Arc::clone(&task.control);
        self.multi_pv = task.multi_pv;
        self.analyse_mode = task.analyse_mode;
        self.tables = task.tables.clone();
        self.nodes = 0;
        self.table_hits = 0;
        self.null_move_from = 0;
        self.cutoffs = super::stats::Cutoffs::default();
        self.answer_at_ponder_hit = false;
        self.line = 0;
        self.stack.clear();
        self.keys.clear();
        self.keys.extend_from_slice(&self.root.history);
        let wanted = |m: &Move| self.limits.search_moves.is_empty() || self.limits.search_moves.contains(m);
        let moves = self.root.position.chess().legal_moves();
        self.root_moves = moves
            .into_iter()
            .filter(wanted)
            .map(|m| RootMove {
                m,
                score: -INFINITY,
                bound: Bound::None,
                seldepth: 0,
                nodes: 0,
                pv: Line::from_iter([m]),
                rank: 0,
                table_score: None,
            })
            .collect();
        self.rank_root();
    }

    /// Helpers are bounded only by the stop flag.
    fn deepest(&self) -> i32 {
        let limit = self.limits.depth.filter(|_| self.id == 0).unwrap_or(u32::MAX);
        limit.clamp(1, MAX_PLY as u32 - 1) as i32
    }

    fn no_legal_move(&mut self) -> SearchOutcome {
        let score = if self.root.position.in_check() { -MATE } else { 0 };
        if self.id == 0 {
            let info = self.info(0, score, Bound::Exact, 0, 1, Vec::new());
            self.reporter.info(&info);
        }
        SearchOutcome { answer: BestMove::default(), score, bound: Bound::Exact, depth: 0, pv: Vec::new() }
    }

    /// Is a person watching who wants to see more than finished iterations?
    fn is_watched(&self) -> bool {
        self.id == 0 && self.multi_pv == 1 && (self.analyse_mode || self.time.elapsed() > LONG_SEARCH)
    }

    /// May this move be searched at the root now? (`searchmoves`, lines already finished, a result that endgame
    /// tables know to be worse.)
    pub(super) fn is_root_candidate(&self, m: Move) -> bool {
        let open = &self.root_moves[self.line..];
        open.iter().any(|root_move| root_move.m == m && root_move.rank == open[0].rank)
    }

    /// A root move is about to be searched.
    pub(super) fn announce(&mut self, m: Move, number: i32, is_root: bool) {
        if is_root && self.id == 0 && (self.analyse_mode || self.time.elapsed() > LONG_SEARCH) {
            self.reporter.current_move(self.root_depth, m, number as usize + self.line);
        }
    }

    /// A root move has been searched.
    pub(super) fn note_root_move(&mut self, m: Move, score: Score, window: Window, number: i32, nodes: u64) {
        let (line, seldepth) = (self.line, self.seldepth);
        let pv = &self.stack.lines[1];
        let Some(root_move) = self.root_moves[line..].iter_mut().find(|root_move| root_move.m == m) else { return };
        root_move.nodes += nodes;
        if number == 1 || score > window.alpha {
            root_move.score = score;
            root_move.seldepth = seldepth;
            root_move.bound = match score {
                _ if score <= window.alpha => Bound::Upper,
                _ if score >= window.beta => Bound::Lower,
                _ => Bound::Exact,
            };
            root_move.pv.clear();
            root_move.pv.push(m);
            let room = root_move.pv.remaining_capacity();
            root_move.pv.extend(pv.iter().copied().take(room));
        } else {
            // What an earlier window proved of it is refuted.
            root_move.score = -INFINITY;
            root_move.bound = Bound::None;
        }
    }

    /// Best first among the lines not yet finished; moves that only failed low keep their order.
    pub(super) fn sort_root_moves(&mut self) {
        self.root_moves[self.line..].sort_by_key(|root_move| std::cmp::Reverse((root_move.rank, root_move.score)));
    }

    /// Between iterations: is any limit reached?
    fn is_enough(&self, best: &RootMove, stability: &Stability) -> bool {
        if self.control.is_stopped() || self.must_stop() {
            return true;
        }
        if self.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        if let (Some(wanted), Some(found)) = (self.limits.mate, moves_to_mate(best.score))
            && found.unsigned_abs() <= wanted
        {
            return true;
        }
        if self.limits.infinite || !self.time.is_timed() {
            return false;
        }
        let only_move = self.root_moves.len() == 1 && self.limits.move_time.is_none();
        // A mate that the iteration cannot improve any more.
        let settled = is_decisive(best.score) && best.score.abs() >= mate_in(self.root_depth as usize);
        let effort = best.nodes as f64 / self.nodes.max(1) as f64;
        let factor = if only_move { 0.05 } else { stability.factor(effort) };
        (settled && self.limits.move_time.is_none()) || self.time.is_enough(factor)
    }

    /// An aspiration window failed.
    pub(super) fn report_failure(&mut self, score: Score, bound: Bound) {
        if self.is_watched() {
            self.report_line(self.line, score, bound);
        }
    }

    fn report_line(&mut self, line: usize, score: Score, bound: Bound) {
        let root_move = &self.root_moves[line];
        let told = root_move.told(score);
        let bound = if told == score { bound } else { Bound::Exact };
        let pv = root_move.pv.iter().copied().collect();
        let info = self.info(self.root_depth, told, bound, root_move.seldepth, line + 1, pv);
        self.reporter.info(&info);
    }

    fn info(
        &self,
        depth: i32,
        score: Score,
        bound: Bound,
        seldepth: usize,
        multi_pv: usize,
        pv: Vec<Move>,
    ) -> SearchInfo {
        let others = if self.control.threads() > 1 { self.control.nodes() } else { 0 };
        SearchInfo {
            depth,
            // A line can come from another thread, or be all there was when the search was stopped.
            seldepth: seldepth.max(pv.len()),
            multi_pv,
            score,
            bound,
            nodes: self.nodes.max(others),
            time: self.time.elapsed(),
            hash_full: self.table.permille_full(),
            table_hits: self.control.table_hits(),
            pv,
        }
    }

    /// Chooses between the last complete iteration and what the broken one had already proven.
    fn finish(&mut self, complete: RootMove, depth_done: i32) -> SearchOutcome {
        let broken_off = self.root_depth > depth_done;
        let mut choice = complete;
        let mut reported = depth_done > 0;
        if broken_off && self.line == 0 {
            let proven =
                self.root_moves.iter().filter(|root_move| matches!(root_move.bound, Bound::Exact | Bound::Lower));
            match proven.max_by_key(|root_move| root_move.score) {
                // That the moves looked at so far lose says nothing of the others: what was known before counts, and
                // where nothing was known, a move that has not been looked at.
                Some(lost) if is_decisive(lost.score) && lost.score < 0 => {
                    let unseen = self.root_moves.iter().find(|root_move| root_move.nodes == 0);
                    if depth_done == 0
                        && let Some(unseen) = unseen
                    {
                        choice = RootMove { score: choice.score, ..unseen.clone() };
                    }
                }
                Some(better) if better.m != choice.m || better.bound == Bound::Exact => {
                    choice = better.clone();
                    reported = false;
                }
                _ => {}
            }
        }
        let told = choice.told(choice.score);
        let lower = choice.bound == Bound::Lower && told == choice.score;
        let bound = if lower { Bound::Lower } else { Bound::Exact };
        if self.id == 0 && !reported {
            let depth = self.root_depth.max(1);
            let pv = choice.pv.iter().copied().collect();
            let info = self.info(depth, told, bound, choice.seldepth, 1, pv);
            self.reporter.info(&info);
        }
        let ponder = choice.pv.get(1).copied().or_else(|| self.expected_reply(choice.m));
        SearchOutcome {
            answer: BestMove { best: Some(choice.m), ponder },
            score: told,
            bound,
            depth: depth_done,
            pv: choice.pv.into_iter().collect(),
        }
    }

    /// The reply that the table knows, for a line that ended with its first move.
    fn expected_reply(&self, m: Move) -> Option<Move> {
        let child = self.root.after(m)?.position;
        self.probe(child.key())?.best.unpack(&child)
    }

    /// Gives the searcher somebody to report to.
    pub fn set_reporter(&mut self, reporter: Box<dyn Reporter>) {
        self.reporter = reporter;
    }

    /// Takes the reporter back.
    pub fn take_reporter(&mut self) -> Box<dyn Reporter> {
        std::mem::replace(&mut self.reporter, Box::new(Silent))
    }

    /// Another thread's line was chosen: say so, for the last line reported must begin with the answer.
    pub fn report_choice(&mut self, outcome: &SearchOutcome) {
        let info = self.info(outcome.depth, outcome.score, outcome.bound, 0, 1, outcome.pv.clone());
        self.reporter.info(&info);
    }
}
