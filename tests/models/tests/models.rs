//! Small plays for two or three threads. The first three were seen to fail when the file under test was broken on purpose:
//! keys stored without the data, a `stop` outside the lock that sleepers hold, a reporter that is used but not taken away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use aspirant::board::movegen::PackedMove;
use aspirant::board::position::Game;
use aspirant::score::Bound;
use aspirant::search::limits::Limits;
use aspirant::search::params::Params;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};
use aspirant::search::time::TimeManager;
use aspirant_models::search::smp::guard::{AtDesk, Desk};
use aspirant_models::search::smp::control::SearchControl;
use aspirant_models::search::memory::transposition::{TtEntry, TranspositionTable};
use aspirant_models::search::{RootMove, SearchRequest, hand_on, handed, watch};
use loom::thread;
use shakmaty::{Color, Position as _};

/// How often a thread may be stopped in the middle of something, on top of where it waits anyway.
fn model(changes: usize, play: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(changes);
    builder.check(play);
}

/// What belongs to a key, every field made from it.
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

/// All keys of this table meet on its one line; the fifth and the sixth push out the first.
#[test]
fn an_entry_is_whole_or_not_there() {
    model(3, || {
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
            assert!(table.probe(key).is_none_or(|found| found == entry(key)), "{key} afterwards");
        }
    });
}

fn time(limits: &Limits, ago: u64) -> TimeManager {
    let start = Instant::now().checked_sub(Duration::from_secs(ago)).unwrap_or_else(Instant::now);
    TimeManager::new(limits, Color::White, 0, start, &Params::default())
}

/// A search that has come to its end and its watchdog sleep; `stop` and `ponderhit` come together. loom reports it if
/// one of them sleeps on.
#[test]
fn the_words_that_end_a_search_wake_everybody() {
    for infinite in [false, true] {
        model(3, move || {
            let signals = Arc::new(SearchControl::pondering(1));
            let (finished, watchdog, hit) = (Arc::clone(&signals), Arc::clone(&signals), Arc::clone(&signals));
            let finished = thread::spawn(move || finished.wait_for_stop_or_ponderhit(infinite));
            let watchdog = thread::spawn(move || watchdog.wait_for_hard_limit(&time(&Limits::move_time(3_600_000), 0)));
            let hit = thread::spawn(move || hit.ponder_hit());
            signals.stop();
            [finished, watchdog, hit].into_iter().for_each(|thread| thread.join().unwrap());
            assert!(signals.is_stopped() && !signals.is_pondering());
        });
    }
}

struct Counter(Arc<AtomicUsize>);

impl Reporter for Counter {
    fn info(&mut self, _info: &SearchInfo) {}
    fn best_move(&mut self, answer: BestMove) {
        assert!(answer.best.is_some());
        self.0.fetch_add(1, SeqCst);
    }
}

/// The search answers, its thread makes sure of it, the watchdog loses patience or does not, and the GUI says `stop`:
/// one answer, and everybody goes home.
#[test]
fn a_search_is_answered_once() {
    // Without a clock, and with one that has run out.
    for (limits, ago) in [(Limits::default(), 0), (Limits::move_time(1), 3600)] {
        model(3, move || {
            let answers = Arc::new(AtomicUsize::new(0));
            let signals = Arc::new(SearchControl::new(1));
            let task = SearchRequest {
                game: Game::default(),
                time: time(&limits, ago),
                limits: limits.clone(),
                control: signals,
            };
            let desk = Arc::new(BestMoveGuard::new(&task, Box::new(Counter(Arc::clone(&answers)))));
            let best = task.game.position.chess().legal_moves().last().copied();
            let search = {
                let (desk, signals) = (Arc::clone(&desk), Arc::clone(&task.control));
                thread::spawn(move || {
                    GuardedReporter(Arc::clone(&desk)).best_move(BestMove { best, ponder: None });
                    signals.stop();
                    desk.answer_fallback("the search is over");
                })
            };
            let gui = {
                let signals = Arc::clone(&task.control);
                thread::spawn(move || signals.stop())
            };
            watch(&desk, &task);
            search.join().unwrap();
            gui.join().unwrap();
            assert_eq!(answers.load(SeqCst), 1);
        });
    }
}

/// A thread that sees at a glance that it was overtaken is handed something, and at the end it is the deepest.
#[test]
fn the_deepest_iteration_is_handed_on() {
    model(3, || {
        let signals = Arc::new(SearchControl::new(2));
        let runners = [4, 3].map(|depth| {
            let signals = Arc::clone(&signals);
            thread::spawn(move || hand_on(&signals, depth))
        });
        if let (true, found) = handed(&signals, 4) {
            assert_eq!(found, Some((4, RootMove(4))));
        }
        runners.into_iter().for_each(|runner| runner.join().unwrap());
        assert_eq!(handed(&signals, 3), (true, Some((4, RootMove(4)))));
        assert_eq!(handed(&signals, 5), (false, None));
    });
}
