//! The files of the engine that threads meet in, compiled once more with loom's locks and atomics in place of the
//! standard library's: `cargo test` in this folder runs them through all orders of events that the rules of memory
//! allow, up to a few forced changes of thread. Everything else is the library itself.

// What `bytemuck` means to the table here: there is no memory for more than one line of it.
extern crate self as bytemuck;

pub use aspirant::{board, score};

/// No large allocation succeeds, so a table has one line: all that a model can bear.
pub mod allocation {
    #[expect(clippy::result_unit_err, reason = "as bytemuck has it")]
    pub fn try_zeroed_slice_box<T>(_length: usize) -> Result<Box<[T]>, ()> {
        Err(())
    }
}

mod fault {
    pub fn allocation_fails(_megabytes: usize) -> bool {
        true
    }
    pub fn mask_key(key: u64) -> u64 {
        key
    }

    pub mod system {
        pub fn prefetch<T>(_slice: &[T], _index: usize) {}
        pub fn advise_large_pages<T>(_slice: &[T]) {}
    }

    /// What `src/sync.rs` is to the engine.
    pub mod sync {
        use std::sync::LockResult;
        use std::time::Duration;

        pub use loom::sync::{Mutex, MutexGuard, atomic};
        pub use std::sync::PoisonError;

        /// loom's, with time that passes when it likes.
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
            /// A limit of time that is far away.
            pub fn wait_timeout<'a, T>(
                &self,
                guard: MutexGuard<'a, T>,
                _time: Duration,
            ) -> LockResult<(MutexGuard<'a, T>, bool)> {
                let guard = self.0.wait(guard).unwrap_or_else(PoisonError::into_inner);
                Ok((guard, false))
            }
            /// Either the time is over at once, or there is enough of it.
            pub fn wait_timeout_while<'a, T>(
                &self,
                mut guard: MutexGuard<'a, T>,
                _time: Duration,
                mut condition: impl FnMut(&mut T) -> bool,
            ) -> LockResult<(MutexGuard<'a, T>, bool)> {
                while condition(&mut guard) {
                    if crate::either() {
                        return Ok((guard, true));
                    }
                    guard = self.0.wait(guard).unwrap_or_else(PoisonError::into_inner);
                }
                Ok((guard, false))
            }
        }
    }
}

/// Both answers are tried.
fn either() -> bool {
    let coin = std::sync::Arc::new(loom::sync::atomic::AtomicBool::new(false));
    let other = std::sync::Arc::clone(&coin);
    let thrower = loom::thread::spawn(move || other.store(true, loom::sync::atomic::Ordering::Relaxed));
    let side = coin.load(loom::sync::atomic::Ordering::Relaxed);
    let _ = thrower.join();
    side
}

/// The room of the search, with the four files under test.
#[path = "."]
pub mod search {
    use std::sync::Arc;

    pub use aspirant::search::{limits, params, report, time};

    #[path = "."]
    pub mod smp {
        #[path = "../../../src/search/smp/control.rs"]
        pub mod control;
        #[path = "../../../src/search/smp/guard.rs"]
        pub mod guard;
        #[path = "../../../src/search/smp/shared_iteration.rs"]
        pub(super) mod shared_iteration;
    }
    #[path = "."]
    pub mod memory {
        #[path = "../../../src/search/memory/transposition.rs"]
        pub mod transposition;
    }

    /// As much of a root move as is handed on.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RootMove(pub i32);

    /// A thread has finished this depth.
    pub fn hand_on(signals: &smp::control::SearchControl, depth: i32) {
        control.shared_iteration.publish_iteration(depth, &RootMove(depth));
    }

    /// What a thread in this depth is handed: seen at a glance, or looked for.
    pub fn handed(signals: &smp::control::SearchControl, depth: i32) -> (bool, Option<(i32, RootMove)>) {
        (signals.relay.is_past(depth), signals.relay.take(depth))
    }

    /// As much of a task as a desk asks for.
    pub struct SearchRequest {
        pub game: aspirant::board::position::Game,
        pub limits: limits::Limits,
        pub time: time::TimeManager,
        pub control: Arc<smp::control::SearchControl>,
    }

    /// What the watchdog's thread does for one search.
    pub fn watch(desk: &Arc<smp::guard::Desk>, task: &SearchRequest) {
        let (desk, signals, time) = (Arc::clone(desk), Arc::clone(&task.control), task.time.clone());
        smp::guard::Watched { desk, signals, time }.watch();
    }
}
