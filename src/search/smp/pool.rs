//! The search thread and the thread pool of Lazy SMP.
//!
//! One long-lived thread owns the TT and one searcher for each of `Threads`. It handles messages from a channel one
//! at a time; `stop` bypasses the channel through the [`SearchControl`] of the running search. With more than one
//! thread all searchers search the same root; they share the TT and finished iterations, but not their histories.
//! A panic in a search is caught here: the failed searcher is rebuilt, and the best move known by then is reported.
//! <https://www.chessprogramming.org/Lazy_SMP>

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use shakmaty::Move;

use crate::board::game::{Game, GameOutcome};
use crate::board::position::Position;
use crate::eval::Evaluator;
use crate::platform::clock::{Instant, host_pause};
use crate::score::{Bound, DRAW, is_decisive, mate_in};
use crate::search::iterative::SearchOutcome;
use crate::search::memory::transposition::TranspositionTable;
use crate::search::params::Params;
use crate::search::report::{BestMove, Reporter, SearchInfo, Silent};
use crate::search::smp::guard::{BestMoveGuard, GuardedReporter, Watchdog};
use crate::search::smp::runner::SearchRunner;
use crate::search::{STACK_SIZE, SearchRequest, Searcher};

/// Settings of the thread pool and its searchers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolSettings {
    /// Size of the transposition table, MB.
    pub hash: usize,
    /// Number of search threads, at least 1.
    pub threads: usize,
    /// Search parameters.
    pub params: Params,
}

/// What could be allocated of the [`PoolSettings`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocated {
    /// Size of the transposition table, MB.
    pub hash: usize,
    /// Number of search threads.
    pub threads: usize,
}

/// A move that is reported without a search.
#[derive(Clone, Debug)]
pub struct BookAnswer {
    /// The position of the `go` command.
    pub position: Position,
    /// A legal move.
    pub m: Move,
    /// A legal reply to ponder on.
    pub ponder: Option<Move>,
    /// Time of the `go` command.
    pub start: Instant,
}

impl BookAnswer {
    /// Returns the guard of this answer to `request`, which lets only the book move through.
    pub(super) fn guard(&self, mut request: SearchRequest, reporter: Box<dyn Reporter>) -> BestMoveGuard {
        request.root_moves = vec![self.m];
        BestMoveGuard::new(Arc::new(request), reporter)
    }
}

enum Message {
    Answer(Box<BookAnswer>, Arc<BestMoveGuard>),
    Search(Arc<SearchRequest>, Arc<BestMoveGuard>),
    NewGame(Sender<()>),
    Configure(Box<PoolSettings>, Sender<Allocated>),
    Wait(Sender<()>),
}

/// Handle of the search thread. Dropping it waits until all queued messages have been handled.
pub struct SearchThread {
    messages: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
    watchdog: Watchdog,
}

impl SearchThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system cannot start a thread or allocate one searcher.
    pub fn start<E: Evaluator>(eval: E, settings: PoolSettings) -> std::io::Result<(Self, Allocated)> {
        let (messages, inbox) = unbounded();
        let pool = ThreadPool::new(eval, settings, false).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let allocated = pool.allocated();
        let thread =
            thread::Builder::new().name("search".into()).stack_size(STACK_SIZE).spawn(move || pool.run(&inbox))?;
        Ok((Self { messages: Some(messages), thread: Some(thread), watchdog: Watchdog::start() }, allocated))
    }

    /// Sends a message; returns whether the thread still receives any.
    fn send(&self, message: Message) -> bool {
        let sent = self.messages.as_ref().is_some_and(|messages| messages.send(message).is_ok());
        if !sent {
            log::error!("the search thread has ended");
        }
        sent
    }

    /// Sends a message that leads to a best move.
    ///
    /// If the search thread has ended, the fallback of `guard` is reported.
    fn send_guarded(&self, message: Message, guard: &BestMoveGuard) {
        if !self.send(message) {
            guard.answer_fallback("internal error; the search thread has ended");
        }
    }

    /// Sends a message and waits for its reply; `None` if the thread has ended.
    fn request<T>(&self, message: impl FnOnce(Sender<T>) -> Message) -> Option<T> {
        let (done, reply) = bounded(1);
        self.send(message(done));
        reply.recv().ok()
    }
}

impl SearchRunner for SearchThread {
    fn search(&self, request: SearchRequest, reporter: Box<dyn Reporter>) {
        let request = Arc::new(request);
        let guard = Arc::new(BestMoveGuard::new(Arc::clone(&request), reporter));
        self.watchdog.watch(&guard);
        self.send_guarded(Message::Search(request, Arc::clone(&guard)), &guard);
    }

    fn answer(&self, request: SearchRequest, book_answer: BookAnswer, reporter: Box<dyn Reporter>) {
        let guard = Arc::new(book_answer.guard(request, reporter));
        self.watchdog.watch(&guard);
        self.send_guarded(Message::Answer(Box::new(book_answer), Arc::clone(&guard)), &guard);
    }

    fn new_game(&self) {
        self.request(Message::NewGame);
    }

    fn configure(&self, settings: &PoolSettings) -> Option<Allocated> {
        self.request(|done| Message::Configure(Box::new(settings.clone()), done))
    }

    fn wait(&self) {
        self.request(Message::Wait);
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The searchers and their TT; owned by the search thread or by an inline runner.
pub(super) struct ThreadPool<E: Evaluator> {
    eval: E,
    settings: PoolSettings,
    /// Whether it belongs to an inline runner.
    inline: bool,
    tt: Arc<TranspositionTable>,
    searchers: Vec<Searcher<E>>,
}

impl<E: Evaluator> ThreadPool<E> {
    /// Allocates TT and searchers; `None` without memory for one searcher.
    pub(super) fn new(eval: E, settings: PoolSettings, inline: bool) -> Option<Self> {
        let tt = Arc::new(TranspositionTable::new(settings.hash));
        let mut pool = Self { eval, settings, inline, tt, searchers: Vec::new() };
        pool.resize();
        (!pool.searchers.is_empty()).then_some(pool)
    }

    /// Resizes the pool to the number of threads that is set, or to as many searchers as memory allows.
    fn resize(&mut self) {
        let requested = self.settings.threads.max(1);
        self.searchers.truncate(requested);
        while self.searchers.len() < requested {
            let id = self.searchers.len();
            let Some(searcher) = self.new_searcher(id) else {
                // Frees one more searcher as headroom for the search itself.
                self.searchers.truncate(id.saturating_sub(1).max(1));
                log::warn!("could allocate memory for only {} of {requested} search threads", self.searchers.len());
                return;
            };
            self.searchers.push(searcher);
        }
    }

    fn new_searcher(&self, id: usize) -> Option<Searcher<E>> {
        Searcher::try_new(id, self.eval.clone(), &self.settings.params, Arc::clone(&self.tt))
    }

    /// Replaces all searchers, after a panic.
    pub(super) fn rebuild(&mut self) {
        self.searchers.clear();
        self.resize();
    }

    pub(super) fn allocated(&self) -> Allocated {
        Allocated { hash: self.tt.megabytes(), threads: self.searchers.len() }
    }

    fn run(mut self, inbox: &Receiver<Message>) {
        for message in inbox {
            // After a panic the thread continues with the next message.
            if catch_unwind(AssertUnwindSafe(|| self.handle(message))).is_err() {
                self.rebuild();
            }
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Answer(book_answer, guard) => self.answer_guarded(&book_answer, &guard),
            Message::Search(request, guard) => self.search_guarded(&request, &guard),
            Message::NewGame(done) => {
                self.clear();
                let _ = done.send(());
            }
            Message::Configure(settings, done) => {
                let _ = done.send(self.configure(*settings));
            }
            Message::Wait(done) => {
                let _ = done.send(());
            }
        }
    }

    pub(super) fn configure(&mut self, settings: PoolSettings) -> Allocated {
        let old = std::mem::replace(&mut self.settings, settings);
        if self.tt.megabytes() != self.settings.hash {
            // Free the old TT before the new one is allocated: both together may not fit.
            self.tt = Arc::new(TranspositionTable::new(1));
            self.searchers.iter_mut().for_each(|searcher| searcher.set_tt(Arc::clone(&self.tt)));
            self.tt = Arc::new(TranspositionTable::new(self.settings.hash));
            self.searchers.iter_mut().for_each(|searcher| searcher.set_tt(Arc::clone(&self.tt)));
        }
        if self.settings.params != old.params {
            self.searchers.iter_mut().for_each(|searcher| searcher.set_params(&self.settings.params));
        }
        self.resize();
        self.allocated()
    }

    /// Clears the TT and the histories, for a new game.
    pub(super) fn clear(&mut self) {
        self.clear_tt();
        self.searchers.iter_mut().for_each(Searcher::clear);
    }

    /// Clears the TT on all processors: with one thread a large TT takes seconds.
    fn clear_tt(&self) {
        if self.tt.megabytes() < 64 {
            self.tt.clear();
            return;
        }
        let processors = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for part in self.tt.parts(processors) {
                if thread::Builder::new().spawn_scoped(scope, || TranspositionTable::clear_part(part)).is_err() {
                    TranspositionTable::clear_part(part);
                }
            }
        });
    }

    /// Reports a book move, even if evaluating it panics.
    pub(super) fn answer_guarded(&self, book_answer: &BookAnswer, guard: &Arc<BestMoveGuard>) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.answer(book_answer, GuardedReporter(Arc::clone(guard)))));
        // No effect if the best move has been reported.
        guard.answer_fallback("internal error; the book move could not be evaluated");
    }

    /// Reports a book move with an info line; its score is the static evaluation after the move.
    fn answer(&self, book_answer: &BookAnswer, mut reporter: GuardedReporter) {
        let child = Game::new(book_answer.position.play(book_answer.m));
        let score = match child.outcome() {
            Some(GameOutcome::Checkmate { .. }) => mate_in(1),
            Some(_) => DRAW,
            None => -self.eval.evaluate(&child.position),
        };
        let pv: Vec<Move> = std::iter::once(book_answer.m).chain(book_answer.ponder).collect();
        reporter.info(&SearchInfo {
            depth: 1,
            seldepth: pv.len(),
            multi_pv: 1,
            score,
            bound: Bound::Exact,
            nodes: 1,
            time: book_answer.start.elapsed(),
            hashfull: self.tt.hashfull(),
            tb_hits: 0,
            is_book: true,
            pv,
        });
        reporter.best_move(BestMove { best: Some(book_answer.m), ponder: book_answer.ponder });
    }

    /// Searches; after a panic the searchers are replaced and the fallback is reported.
    pub(super) fn search_guarded(&mut self, request: &Arc<SearchRequest>, guard: &Arc<BestMoveGuard>) {
        if catch_unwind(AssertUnwindSafe(|| self.search(request, guard))).is_err() {
            request.control.finish();
            self.rebuild();
        }
        // No effect if the best move has been reported.
        guard.answer_fallback("internal error; the search was cut short");
    }

    fn search(&mut self, request: &Arc<SearchRequest>, guard: &Arc<BestMoveGuard>) {
        self.tt.new_search();
        // Reads tablebase files, here once for all threads.
        request.ranked_root();
        let outcomes = self.search_in_parallel(request, guard);
        self.report_outcomes(request, guard, &outcomes);
    }

    /// Reports the best move of a search with these outcomes, and replaces the searchers that panicked.
    fn report_outcomes(
        &mut self,
        request: &SearchRequest,
        guard: &Arc<BestMoveGuard>,
        outcomes: &[Option<SearchOutcome>],
    ) {
        let mut reporter = GuardedReporter(Arc::clone(guard));
        let choice = choose(request, outcomes);
        if let Some((id, outcome)) = choice
            && id != 0
        {
            reporter.best_move_so_far(outcome.answer);
            reporter.info(&self.searchers[0].outcome_info(outcome));
        }
        for id in (0..outcomes.len()).filter(|&id| outcomes[id].is_none()) {
            log::error!("search thread {id} panicked; its searcher is replaced");
            reporter.message(&format!("internal error in search thread {id}; the search was cut short"));
            match self.new_searcher(id) {
                Some(new) => self.searchers[id] = new,
                None => self.searchers[id].clear(),
            }
        }
        if let Some(fault) = request.tb_prober.as_ref().and_then(|prober| prober.tablebase.take_error()) {
            reporter.message(&fault);
        }
        match choice {
            Some((_, outcome)) => guard.answer(outcome.answer),
            None => guard.answer_fallback("internal error; all search threads failed"),
        }
    }

    /// Runs all searchers to their end. The outcome of one that panicked is `None`.
    fn search_in_parallel(
        &mut self,
        request: &Arc<SearchRequest>,
        guard: &Arc<BestMoveGuard>,
    ) -> Vec<Option<SearchOutcome>> {
        let guarded = |searcher: &mut Searcher<E>, reporter: Box<dyn Reporter>| {
            catch_unwind(AssertUnwindSafe(|| searcher.search(Arc::clone(request), reporter))).ok()
        };
        let inline = self.inline;
        let (main, helpers) = self.searchers.split_at_mut(1);
        thread::scope(|scope| {
            let helpers: Vec<_> = helpers
                .iter_mut()
                .map_while(|searcher| {
                    thread::Builder::new()
                        .stack_size(STACK_SIZE)
                        .spawn_scoped(scope, move || guarded(searcher, Box::new(Silent)))
                        .inspect_err(|error| log::error!("cannot start a helper thread: {error}"))
                        .ok()
                })
                .collect();
            let first = guarded(&mut main[0], Box::new(GuardedReporter(Arc::clone(guard))));
            wait_for_stop_or_ponderhit(request, inline);
            request.control.finish();
            let others = helpers.into_iter().map(|helper| helper.join().ok().flatten());
            std::iter::once(first).chain(others).collect()
        })
    }
}

/// Waits until the best move may be reported: until `stop`, or until `ponderhit` unless `infinite`.
///
/// An inline search can wait only if its host suspends it; otherwise it ends at once.
fn wait_for_stop_or_ponderhit(request: &SearchRequest, inline: bool) {
    let (control, infinite) = (&request.control, request.limits.infinite);
    if inline {
        while !control.may_report_best_move(infinite) && host_pause(true) {}
    } else {
        control.wait_for_stop_or_ponderhit(infinite);
    }
}

/// Chooses one of the outcomes by vote; returns the id of its thread as well.
///
/// Each thread votes for its best move, weighted by depth and by the difference of its score to the worst score. The
/// first thread, whose search is the reported one, wins ties. A proven win at no less depth outweighs all votes, a proven
/// loss is kept, and an outcome more than one ply shallower than that of the first thread is not chosen. Unless the first
/// thread has failed, there is no vote with a depth limit, which the helper threads do not have, or with MultiPV, because
/// the PVs of the first thread have been reported.
fn choose<'a>(request: &SearchRequest, outcomes: &'a [Option<SearchOutcome>]) -> Option<(usize, &'a SearchOutcome)> {
    let finished = || outcomes.iter().enumerate().filter_map(|(id, outcome)| Some((id, outcome.as_ref()?)));
    let (first_id, first) = finished().next()?;
    let is_voted = request.limits.depth.is_none() && request.multi_pv <= 1;
    if first_id == 0 && !is_voted || first.depth == 0 || first.answer == BestMove::default() {
        return Some((first_id, first));
    }
    let worst = finished().map(|(_, outcome)| outcome.score).min()?;
    let votes = |outcome: &SearchOutcome| -> i64 {
        finished()
            .filter(|(_, other)| other.answer.best == outcome.answer.best && other.depth > 0)
            .map(|(_, other)| i64::from(other.score - worst + 20) * i64::from(other.depth))
            .sum()
    };
    let mut chosen = (first_id, first);
    for (id, outcome) in finished().filter(|(_, outcome)| outcome.depth > 0) {
        let better = if is_decisive(chosen.1.score) || is_decisive(outcome.score) {
            // A proven loss is kept: a thread with a better score has not found the loss yet.
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
    use crate::board::notation::parse_move;
    use crate::board::position::Position;
    use crate::search::limits::Limits;

    fn outcome(m: &str, score: i32, depth: i32) -> Option<SearchOutcome> {
        let best = parse_move(&Position::default(), m).ok();
        assert!(best.is_some());
        Some(SearchOutcome {
            answer: BestMove { best, ponder: None },
            score,
            bound: Bound::Exact,
            depth,
            pv: Vec::new(),
        })
    }

    #[test]
    fn threads_vote_and_failed_ones_do_not() {
        let request = |limits| SearchRequest::untimed(Game::default(), limits);
        let chosen = |request: &SearchRequest, outcomes: &[_]| choose(request, outcomes).map(|(id, _)| id);
        let unlimited = request(Limits::default());
        let two_against_one = [outcome("e2e4", 20, 12), outcome("d2d4", 25, 12), outcome("d2d4", 24, 12)];
        assert_eq!(chosen(&unlimited, &two_against_one), Some(1));
        assert_eq!(chosen(&unlimited, &[outcome("e2e4", 20, 12), outcome("d2d4", 20, 12)]), Some(0));
        assert_eq!(chosen(&unlimited, &[None, outcome("d2d4", 20, 12)]), Some(1));
        assert_eq!(chosen(&unlimited, &[None, None]), None);
        let mate = crate::score::mate_in(5);
        assert_eq!(chosen(&unlimited, &[outcome("e2e4", 300, 9), outcome("d2d4", mate, 9)]), Some(1));
        assert_eq!(chosen(&unlimited, &[outcome("e2e4", -mate, 9), outcome("d2d4", -900, 12)]), Some(0));
        // Without a vote.
        let multi_pv = SearchRequest { multi_pv: 2, ..request(Limits::default()) };
        for request in [request(Limits::depth(12)), multi_pv] {
            assert_eq!(chosen(&request, &two_against_one), Some(0));
            assert_eq!(chosen(&request, &[None, outcome("d2d4", 20, 12)]), Some(1));
        }
    }
}
