//! The engine as a library: dropping it while it searches.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use aspirant::config::Config;
use aspirant::engine::Engine;
use aspirant::search::limits::Limits;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};

/// Generous, because tests run beside each other; the engine itself needs milliseconds.
const TIMEOUT: Duration = Duration::from_secs(20);

struct Recorder(Sender<BestMove>);

impl Reporter for Recorder {
    fn info(&mut self, _info: &SearchInfo) {}

    fn best_move(&mut self, answer: BestMove) {
        let _ = self.0.send(answer);
    }
}

fn recorder() -> (Box<Recorder>, Receiver<BestMove>) {
    let (sender, answers) = channel();
    (Box::new(Recorder(sender)), answers)
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

/// Runs `task` on a thread of its own and fails if it does not return in time.
#[track_caller]
fn within_timeout<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, result) = channel();
    std::thread::spawn(move || sender.send(task()));
    result.recv_timeout(TIMEOUT).expect("the call does not return")
}

#[test]
fn dropping_an_engine_stops_its_search_and_reports_one_best_move() {
    for limits in [infinite(), Limits { ponder: true, ..Limits::move_time(50) }, Limits::default()] {
        let mut engine = Engine::new(Config::default()).unwrap();
        let (reporter, answers) = recorder();
        engine.go(limits.clone(), reporter);
        std::thread::sleep(Duration::from_millis(30));
        let start = Instant::now();
        within_timeout(move || drop(engine));
        assert!(start.elapsed() < Duration::from_secs(2), "{limits:?}: {:?}", start.elapsed());
        assert!(answers.try_recv().is_ok_and(|answer| answer.best.is_some()), "{limits:?}");
        assert!(answers.try_recv().is_err(), "{limits:?}: a second best move");
    }
}
