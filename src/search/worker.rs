//! The search thread and its helpers.
//!
//! One long-lived thread owns the table and a searcher for each of `Threads`. It takes orders from a channel,
//! one at a time; `stop` does not go through the channel but through the [`Signals`](super::signals::Signals) of the running
//! search.
//! With more than one thread every helper searches the same root and shares the table and finished iterations ("Lazy SMP");
//! histories are each thread's own. A panic in a search ends in this file: the searcher is rebuilt, and the
//! answer is the best move known by then.
//! <https://www.chessprogramming.org/Lazy_SMP>

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use shakmaty::{Move, Position as _};

use super::desk::{AtDesk, Desk, Watchdog};
use super::iterative::Outcome;
use super::params::Params;
use super::report::{BestMove, Reporter, SearchInfo, Silent};
use super::signals::Signals;
use super::tt::Table;
use super::{Searcher, Task};
use crate::eval::Evaluator;
use crate::position::Position;
use crate::score::{Bound, DRAW, is_decisive, mate_in};

/// Enough for the longest line in a debug build.
const STACK_SIZE: usize = 32 << 20;

/// What the search thread is built from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Size of the transposition table, MB.
    pub hash: usize,
    /// Search threads, at least 1.
    pub threads: usize,
    /// The numbers of the search.
    pub params: Params,
}

/// What memory was there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Size of the table, MB.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
}

/// An answer that needs no search.
#[derive(Clone, Debug)]
pub struct Known {
    /// Where it is to be played.
    pub position: Position,
    /// A legal move.
    pub m: Move,
    /// A legal reply, if one is expected.
    pub ponder: Option<Move>,
    /// When it was asked for.
    pub start: Instant,
}

enum Order {
    Answer(Box<Known>, Arc<Signals>, Arc<Desk>),
    Search(Box<Task>, Arc<Desk>),
    NewGame(Sender<()>),
    Configure(Box<Settings>, Sender<Applied>),
    Wait(Sender<()>),
}

/// The handle of the search thread. Dropping it ends the thread after its current order.
pub struct Worker {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    watchdog: Watchdog,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system has no thread to give, or no memory for a search.
    pub fn start<E: Evaluator>(eval: E, settings: Settings) -> std::io::Result<(Self, Applied)> {
        let (orders, inbox) = unbounded();
        let team = Team::new(eval, settings).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let applied = team.applied();
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_SIZE).spawn(move || {
            crate::sys::fill_store_of_small_blocks();
            team.run(&inbox);
        })?;
        Ok((Self { orders: Some(orders), thread: Some(thread), watchdog: Watchdog::start() }, applied))
    }

    /// Returns whether the thread still takes orders.
    fn send(&self, order: Order) -> bool {
        let sent = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        if !sent {
            log::error!("the search thread has ended");
        }
        sent
    }

    /// Sends an order that ends with a best move; the guard reports one even without a search thread.
    fn send_guarded(&self, order: Order, desk: &Desk) {
        if !self.send(order) {
            desk.answer_instead("internal error; the search thread has ended");
        }
    }

    /// Sends an order and waits for its end; `None` if the thread is gone.
    fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Option<T> {
        let (done, answer) = bounded(1);
        self.send(order(done));
        answer.recv().ok()
    }

    /// Searches after what was ordered before; returns at once. The answer comes whatever happens to the search.
    pub fn search(&self, task: Task, reporter: Box<dyn Reporter>) {
        let desk = Arc::new(Desk::new(&task, reporter));
        self.watchdog.watch(&desk, &task);
        self.send_guarded(Order::Search(Box::new(task), Arc::clone(&desk)), &desk);
    }

    /// Reports a known best move instead of searching `task`, after what was ordered before; returns at once.
    pub fn answer(&self, task: &Task, known: Known, reporter: Box<dyn Reporter>) {
        let best_move = BestMove { best: Some(known.m), ponder: known.ponder };
        let desk = Arc::new(Desk::with_fallback(task, best_move, reporter));
        self.watchdog.watch(&desk, task);
        self.send_guarded(Order::Answer(Box::new(known), Arc::clone(&task.signals), Arc::clone(&desk)), &desk);
    }

    /// Forgets everything learned. Waits for the end of earlier orders.
    pub fn new_game(&self) {
        self.ask(Order::NewGame);
    }

    /// Changes the settings. Waits for the end of earlier orders. `None` if the change failed by a defect.
    pub fn configure(&self, settings: &Settings) -> Option<Applied> {
        self.ask(|done| Order::Configure(Box::new(settings.clone()), done))
    }

    /// Waits for the end of earlier orders.
    pub fn wait(&self) {
        self.ask(Order::Wait);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The searchers and what they share; lives on the search thread.
struct Team<E: Evaluator> {
    eval: E,
    settings: Settings,
    table: Arc<Table>,
    searchers: Vec<Searcher<E>>,
}

impl<E: Evaluator> Team<E> {
    /// `None` where there is no memory for even one searcher.
    fn new(eval: E, settings: Settings) -> Option<Self> {
        let table = Arc::new(Table::new(settings.hash));
        let mut team = Self { eval, settings, table, searchers: Vec::new() };
        team.gather();
        (!team.searchers.is_empty()).then_some(team)
    }

    /// Brings the number of searchers to what is set, or to what there is memory for.
    fn gather(&mut self) {
        let wanted = self.settings.threads.max(1);
        self.searchers.truncate(wanted);
        while self.searchers.len() < wanted {
            let id = self.searchers.len();
            let Some(searcher) = self.recruit(id) else {
                // What the last one had stays free: a search asks for a little memory, too.
                self.searchers.truncate(id.saturating_sub(1).max(1));
                log::warn!("no memory for more than {} of {wanted} search threads", self.searchers.len());
                return;
            };
            self.searchers.push(searcher);
        }
    }

    fn recruit(&self, id: usize) -> Option<Searcher<E>> {
        Searcher::try_new(id, self.eval.clone(), &self.settings.params, Arc::clone(&self.table))
    }

    /// After a defect: searchers that have learned nothing.
    fn rebuild(&mut self) {
        self.searchers.clear();
        self.gather();
    }

    fn applied(&self) -> Applied {
        Applied { hash: self.table.megabytes(), threads: self.searchers.len() }
    }

    fn run(mut self, inbox: &Receiver<Order>) {
        for order in inbox {
            // Whatever fails, the thread lives: the next search needs it.
            if catch_unwind(AssertUnwindSafe(|| self.obey(order))).is_err() {
                self.rebuild();
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Answer(known, signals, desk) => {
                self.answer_guarded(&known, &desk);
                // Releases the watchdog.
                signals.stop();
            }
            Order::Search(task, desk) => self.search_guarded(&task, &desk),
            Order::NewGame(done) => {
                self.clear_table();
                self.searchers.iter_mut().for_each(Searcher::clear);
                let _ = done.send(());
            }
            Order::Configure(settings, done) => {
                let _ = done.send(self.configure(*settings));
            }
            Order::Wait(done) => {
                let _ = done.send(());
            }
        }
    }

    fn configure(&mut self, settings: Settings) -> Applied {
        let old = std::mem::replace(&mut self.settings, settings);
        if self.table.megabytes() != self.settings.hash {
            // Free the old table before the new one is allocated: both together may not fit.
            self.table = Arc::new(Table::new(1));
            self.searchers.iter_mut().for_each(|searcher| searcher.set_table(Arc::clone(&self.table)));
            self.table = Arc::new(Table::new(self.settings.hash));
            self.searchers.iter_mut().for_each(|searcher| searcher.set_table(Arc::clone(&self.table)));
        }
        if self.settings.params != old.params {
            self.searchers.iter_mut().for_each(|searcher| searcher.set_params(&self.settings.params));
        }
        self.gather();
        self.applied()
    }

    /// Clears with as many threads as search: a large table takes seconds with one.
    fn clear_table(&self) {
        if self.table.megabytes() < 64 {
            self.table.clear();
            return;
        }
        let processors = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for part in self.table.parts(processors) {
                if thread::Builder::new().spawn_scoped(scope, || Table::clear_part(part)).is_err() {
                    Table::clear_part(part);
                }
            }
        });
    }

    /// Reports a known move, even if evaluating it panics.
    fn answer_guarded(&self, known: &Known, desk: &Arc<Desk>) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.answer(known, AtDesk(Arc::clone(desk)))));
        desk.answer_instead("internal error; the book move could not be evaluated");
    }

    /// A known move is reported like a searched one: with a score, the static evaluation of what it leads to.
    fn answer(&self, known: &Known, mut reporter: AtDesk) {
        let child = known.position.play(known.m);
        let score = match child.chess().legal_moves().is_empty() {
            true if child.in_check() => mate_in(1),
            true => DRAW,
            false => -self.eval.evaluate(&child),
        };
        let pv: Vec<Move> = std::iter::once(known.m).chain(known.ponder).collect();
        reporter.info(&SearchInfo {
            depth: 1,
            seldepth: pv.len(),
            multi_pv: 1,
            score,
            bound: Bound::Exact,
            nodes: 1,
            time: known.start.elapsed(),
            hash_full: self.table.permille_full(),
            table_hits: 0,
            pv,
        });
        reporter.best_move(BestMove { best: Some(known.m), ponder: known.ponder });
    }

    /// A panic outside the searchers themselves costs what they have learned, not the answer.
    fn search_guarded(&mut self, task: &Task, desk: &Arc<Desk>) {
        let reporter = Box::new(AtDesk(Arc::clone(desk)));
        if catch_unwind(AssertUnwindSafe(|| self.search(task, reporter))).is_err() {
            task.signals.stop();
            self.rebuild();
        }
        desk.answer_instead("internal error; the search was cut short");
    }

    fn search(&mut self, task: &Task, reporter: Box<AtDesk>) {
        self.table.new_search();
        let desk = Arc::clone(&reporter.0);
        let outcomes = self.search_in_parallel(task, reporter);
        let mut reporter = self.searchers[0].take_reporter();
        let dead: Vec<usize> = (0..outcomes.len()).filter(|&id| outcomes[id].is_none()).collect();
        let answer = match choose(&outcomes) {
            Some((0, outcome)) => Some(outcome.answer),
            Some((_, outcome)) => {
                let main = &mut self.searchers[0];
                main.set_reporter(reporter);
                main.report_choice(outcome);
                reporter = main.take_reporter();
                Some(outcome.answer)
            }
            None => None,
        };
        for id in dead {
            log::error!("search thread {id} failed; it is rebuilt");
            reporter.message(&format!("internal error in search thread {id}; the search was cut short"));
            match self.recruit(id) {
                Some(new) => self.searchers[id] = new,
                None => self.searchers[id].clear(),
            }
        }
        if let Some(fault) = task.tables.as_ref().and_then(|tables| tables.base.take_fault()) {
            reporter.message(&fault);
        }
        match answer {
            Some(answer) => desk.answer(answer),
            None => desk.answer_instead("no search thread has come to an end"),
        }
    }

    /// Runs all searchers to their end. `None` marks one that panicked.
    fn search_in_parallel(&mut self, task: &Task, reporter: Box<dyn Reporter>) -> Vec<Option<Outcome>> {
        let guarded = |searcher: &mut Searcher<E>, reporter: Box<dyn Reporter>| {
            catch_unwind(AssertUnwindSafe(|| searcher.search(task, reporter))).ok()
        };
        let (main, helpers) = self.searchers.split_at_mut(1);
        thread::scope(|scope| {
            let helpers: Vec<_> = helpers
                .iter_mut()
                .map_while(|searcher| {
                    thread::Builder::new()
                        .stack_size(STACK_SIZE)
                        .spawn_scoped(scope, move || guarded(searcher, Box::new(Silent)))
                        .inspect_err(|error| log::error!("no thread for a helper: {error}"))
                        .ok()
                })
                .collect();
            let first = guarded(&mut main[0], reporter);
            task.signals.wait_until_allowed(task.limits.infinite);
            task.signals.stop();
            let others = helpers.into_iter().map(|helper| helper.join().ok().flatten());
            std::iter::once(first).chain(others).collect()
        })
    }
}

/// Lets the threads vote: each for its move, with the depth it reached and how much better it scores than the
/// worst. The first thread's search is the reported one and wins ties; a proven mate beats votes.
fn choose(outcomes: &[Option<Outcome>]) -> Option<(usize, &Outcome)> {
    let alive = || outcomes.iter().enumerate().filter_map(|(id, outcome)| Some((id, outcome.as_ref()?)));
    let (first_id, first) = alive().next()?;
    if first.depth == 0 || first.answer == BestMove::default() {
        return Some((first_id, first));
    }
    let worst = alive().map(|(_, outcome)| outcome.score).min()?;
    let votes = |outcome: &Outcome| -> i64 {
        alive()
            .filter(|(_, other)| other.answer.best == outcome.answer.best && other.depth > 0)
            .map(|(_, other)| i64::from(other.score - worst + 20) * i64::from(other.depth))
            .sum()
    };
    let mut chosen = (first_id, first);
    for (id, outcome) in alive().filter(|(_, outcome)| outcome.depth > 0) {
        let better = if is_decisive(chosen.1.score) || is_decisive(outcome.score) {
            // What is proven lost is lost: another thread has only not seen it yet.
            let is_lost = is_decisive(chosen.1.score) && chosen.1.score < 0;
            !is_lost && outcome.score > chosen.1.score && outcome.depth >= chosen.1.depth
        } else {
            outcome.answer.best != chosen.1.answer.best
                && votes(outcome) > votes(chosen.1)
                && outcome.depth >= first.depth - 1
        };
        if better {
            chosen = (id, outcome);
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Position, parse_move};

    fn outcome(m: &str, score: i32, depth: i32) -> Option<Outcome> {
        let best = parse_move(&Position::default(), m);
        assert!(best.is_some());
        Some(Outcome { answer: BestMove { best, ponder: None }, score, bound: Bound::Exact, depth, pv: Vec::new() })
    }

    #[test]
    fn threads_vote_and_the_dead_do_not() {
        let two_against_one = [outcome("e2e4", 20, 12), outcome("d2d4", 25, 12), outcome("d2d4", 24, 12)];
        assert_eq!(choose(&two_against_one).unwrap().0, 1);
        assert_eq!(choose(&[outcome("e2e4", 20, 12), outcome("d2d4", 20, 12)]).unwrap().0, 0);
        assert_eq!(choose(&[None, outcome("d2d4", 20, 12)]).unwrap().0, 1);
        assert!(choose(&[None, None]).is_none());
        let mate = crate::score::mate_in(5);
        assert_eq!(choose(&[outcome("e2e4", 300, 9), outcome("d2d4", mate, 9)]).unwrap().0, 1);
        assert_eq!(choose(&[outcome("e2e4", -mate, 9), outcome("d2d4", -900, 12)]).unwrap().0, 0);
    }
}
