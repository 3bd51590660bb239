//! Models with two or three threads. Each fails when its source file is broken on purpose: keys stored without the data;
//! `stop` set outside the lock of the waiting threads; a reporter used without being taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use aspirant::board::movegen::PackedMove;
use aspirant::board::game::Game;
use aspirant::score::Bound;
use aspirant::search::limits::Limits;
use aspirant::search::params::Params;
use aspirant::search::time::TimeManager;
use aspirant_models::search::memory::transposition::{TranspositionTable, TtEntry};
use aspirant_models::search::report::{Reporter, SearchResult, Variation};
use aspirant_models::search::state::control::SearchControl;
use aspirant_models::search::thread::guard::BestMoveGuard;
use aspirant_models::search::state::request::SearchRequest;
use loom::thread;
use shakmaty::{Color, Position as _};

/// Explores all interleavings with at most three forced preemptions.
fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(run);
}

/// Returns the entry of a key; all fields derive from it.
fn entry(key: u64) -> TtEntry {
    let n = key as i32;
    TtEntry {
        best: PackedMove(n as u16 * 257),
        score: n * 11,
        eval: n * 7,
        depth: n,
        bound: Bound::Exact,
        pv: n % 2 == 1,
    }
}

/// All keys map to the only cache line of this table; the fifth and sixth evict earlier ones.
#[test]
fn tt_entries_are_whole_or_missing() {
    model(|| {
        let table = Arc::new(TranspositionTable::new(1));
        (1..=4).for_each(|key| table.store(key, entry(key)));
        let writers = [5, 6].map(|key| {
            let table = Arc::clone(&table);
            thread::spawn(move || table.store(key, entry(key)))
        });
        for key in [1, 5, 6] {
            assert!(table.probe(key).is_none_or(|found| found == entry(key)), "{key}");
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        for key in 1..=6 {
            assert!(table.probe(key).is_none_or(|found| found == entry(key)), "{key} after joining");
        }
    });
}

fn time(limits: &Limits, ago: u64) -> TimeManager {
    let start = Instant::now().checked_sub(Duration::from_secs(ago)).unwrap_or_else(Instant::now);
    TimeManager::new(limits, Color::White, 0, start, &Params::default())
}

/// A finished search and its watchdog wait while `stop` and `ponderhit` arrive concurrently. loom reports a thread that
/// is not woken as a deadlock.
#[test]
fn waiting_threads_are_woken() {
    for infinite in [false, true] {
        model(move || {
            let control = Arc::new(SearchControl::pondering(1));
            let (finished, watchdog, hit) = (Arc::clone(&control), Arc::clone(&control), Arc::clone(&control));
            let finished = thread::spawn(move || {
                finished.wait_for_stop_or_ponderhit(infinite);
                finished.set_answered();
            });
            let watchdog = thread::spawn(move || {
                let time = time(&Limits::move_time(3_600_000), 0);
                assert!(watchdog.wait_for_answer(time.start(), time.deadline()));
            });
            let hit = thread::spawn(move || hit.ponder_hit());
            control.stop();
            [finished, watchdog, hit].into_iter().for_each(|thread| thread.join().unwrap());
            assert!(control.is_stopped() && !control.is_pondering());
        });
    }
}

struct Counter(Arc<AtomicUsize>);

impl Reporter for Counter {
    fn finished(&mut self, result: &SearchResult) {
        assert!(result.best_move().is_some());
        self.0.fetch_add(1, SeqCst);
    }
}

/// The search answers, its thread runs the fallback, the deadline of the watchdog has passed or not, and the GUI sends
/// `stop`: there is exactly one answer and all threads end.
#[test]
fn search_returns_exactly_one_bestmove() {
    // Without a time limit, and with one that has expired.
    for (limits, ago) in [(Limits::default(), 0), (Limits::move_time(1), 3600)] {
        model(move || {
            let answers = Arc::new(AtomicUsize::new(0));
            let control = Arc::new(SearchControl::new(1));
            let request = Arc::new(SearchRequest {
                game: Game::default(),
                root_moves: Game::default().position.chess().legal_moves().to_vec(),
                time: time(&limits, ago),
                limits: limits.clone(),
                control,
            });
            let guard = Arc::new(BestMoveGuard::new(Arc::clone(&request), Box::new(Counter(Arc::clone(&answers))), None));
            let pv = vec![*request.root_moves.last().unwrap()];
            let search = {
                let (guard, control) = (Arc::clone(&guard), Arc::clone(&request.control));
                thread::spawn(move || {
                    Arc::clone(&guard).finished(&SearchResult::new(vec![Variation::new(pv, 0, 1)]));
                    control.finish();
                    guard.answer_fallback("the search has ended");
                })
            };
            let gui = {
                let control = Arc::clone(&request.control);
                thread::spawn(move || control.stop())
            };
            guard.watch();
            search.join().unwrap();
            gui.join().unwrap();
            assert_eq!(answers.load(SeqCst), 1);
        });
    }
}
