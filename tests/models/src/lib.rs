//! The source files that synchronize threads, compiled with loom's locks and atomics instead of the standard library's.
//! `cargo test` in this folder explores all interleavings that the memory model allows, up to a few forced preemptions.
//! Everything else comes from the library.

// Stands in for `bytemuck`: allocation fails, so that the TT has a single cache line.
extern crate self as bytemuck;

pub use aspirant::{movegen, position, score};

/// Refuses every allocation; the TT then falls back to one cache line, which keeps the model small.
pub mod allocation {
    #[expect(clippy::result_unit_err, reason = "the signature of bytemuck")]
    pub fn try_zeroed_slice_box<T>(_length: usize) -> Result<Box<[T]>, ()> {
        Err(())
    }
}

mod fault {
    pub fn refuses(_megabytes: usize) -> bool {
        true
    }
    pub fn key(key: u64) -> u64 {
        key
    }
}

mod sys {
    pub fn prefetch<T>(_slice: &[T], _index: usize) {}
    pub fn advise_large_pages<T>(_slice: &[T]) {}
}

/// Replaces `src/sync.rs`.
pub mod sync {
    use std::sync::LockResult;
    use std::time::Duration;

    pub use loom::sync::{Mutex, MutexGuard, atomic};
    pub use std::sync::PoisonError;

    /// loom's `Condvar` with time limits that may or may not expire.
    #[derive(Default)]
    pub struct Condvar(loom::sync::Condvar);

    impl Condvar {
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }
        pub fn notify_all(&self) {
            self.0.notify_all();
        }
        pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
            self.0.wait(guard)
        }
        /// Waits without a time limit: the limit is taken to be far in the future.
        pub fn wait_timeout<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            _time: Duration,
        ) -> LockResult<(MutexGuard<'a, T>, bool)> {
            let guard = self.0.wait(guard).unwrap_or_else(PoisonError::into_inner);
            Ok((guard, false))
        }
        /// Explores both cases: the time limit expires at once, or never.
        pub fn wait_timeout_while<'a, T>(
            &self,
            mut guard: MutexGuard<'a, T>,
            _time: Duration,
            mut condition: impl FnMut(&mut T) -> bool,
        ) -> LockResult<(MutexGuard<'a, T>, bool)> {
            while condition(&mut guard) {
                if super::either() {
                    return Ok((guard, true));
                }
                guard = self.0.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
            Ok((guard, false))
        }
    }
}

/// Returns a boolean; loom explores both values.
fn either() -> bool {
    let flag = std::sync::Arc::new(loom::sync::atomic::AtomicBool::new(false));
    let other = std::sync::Arc::clone(&flag);
    let writer = loom::thread::spawn(move || other.store(true, loom::sync::atomic::Ordering::Relaxed));
    let value = flag.load(loom::sync::atomic::Ordering::Relaxed);
    let _ = writer.join();
    value
}

/// The module `search` with the four files under test.
#[path = "."]
pub mod search {
    use std::sync::Arc;

    pub use aspirant::search::{limits, params, report, time};

    #[path = "../../../src/search/desk.rs"]
    pub mod desk;
    #[path = "../../../src/search/relay.rs"]
    mod relay;
    #[path = "../../../src/search/signals.rs"]
    pub mod signals;
    #[path = "../../../src/search/tt.rs"]
    pub mod tt;

    /// Stands in for the root moves that an iteration publishes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RootMove(pub i32);

    /// Publishes a completed iteration of this depth.
    pub fn hand_on(signals: &signals::Signals, depth: i32) {
        signals.relay.hand_on(depth, &RootMove(depth));
    }

    /// Returns whether a deeper iteration is flagged for a thread at this depth, and the iteration taken.
    pub fn handed(signals: &signals::Signals, depth: i32) -> (bool, Option<(i32, RootMove)>) {
        (signals.relay.is_past(depth), signals.relay.take(depth))
    }

    /// The part of a search request that the guard needs.
    pub struct Task {
        pub game: aspirant::position::Game,
        pub limits: limits::Limits,
        pub time: time::TimeManager,
        pub signals: Arc<signals::Signals>,
    }

    /// Runs the watchdog of one search on the calling thread.
    pub fn watch(desk: &Arc<desk::Desk>, task: &Task) {
        let (desk, signals, time) = (Arc::clone(desk), Arc::clone(&task.signals), task.time.clone());
        desk::Watched { desk, signals, time }.watch();
    }
}
