//! The source files that synchronize threads, compiled with loom's locks and atomics instead of the standard library's.
//! `cargo test` in this folder explores all interleavings that the memory model allows, up to a few forced preemptions.
//! Everything else comes from the library.

// Stands in for `bytemuck`: allocation fails, so that the TT has a single cache line.
extern crate self as bytemuck;

pub use aspirant::{board, score, wdl};

/// Refuses every allocation; the TT then falls back to one cache line, which keeps the model small.
pub mod allocation {
    #[expect(clippy::result_unit_err, reason = "the signature of bytemuck")]
    pub fn try_zeroed_slice_box<T>(_length: usize) -> Result<Box<[T]>, ()> {
        Err(())
    }
}

/// Stands in for the modules of `src/platform/` that the files under test use.
pub mod platform {
    pub mod clock {
        pub use std::time::Instant;
    }

    pub mod system {
        pub const HUGE_PAGE: usize = 2 << 20;
        pub fn prefetch<T>(_slice: &[T], _index: usize) {}
        pub fn advise_huge_pages<T>(_slice: &[T]) {}
    }

    /// Replaces `src/platform/sync.rs`.
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
        }
    }
}

/// The module `search` with the three files under test.
#[path = "."]
pub mod search {
    pub use aspirant::search::{limits, params, time};

    // Not used from the library, so that its trait can be implemented here.
    #[path = "../../../src/search/report.rs"]
    pub mod report;

    #[path = "."]
    pub mod state {
        #[path = "../../../src/search/state/control.rs"]
        pub mod control;

        pub mod request {
            use std::sync::Arc;

            use crate::search::state::control::SearchControl;
            use crate::search::{limits, time};

            /// The part of a search request that the guard needs.
            pub struct SearchRequest {
                pub game: aspirant::board::game::Game,
                pub limits: limits::Limits,
                pub root_moves: Vec<shakmaty::Move>,
                pub time: time::TimeManager,
                pub control: Arc<SearchControl>,
            }

            impl SearchRequest {
                pub(crate) fn best_ranked_moves(&self) -> Vec<shakmaty::Move> {
                    self.root_moves.clone()
                }
            }
        }
    }
    #[path = "."]
    pub mod thread {
        #[path = "../../../src/search/thread/guard.rs"]
        pub mod guard;
        pub use aspirant::search::thread::fallback;
    }
    #[path = "."]
    pub mod memory {
        #[path = "../../../src/search/memory/transposition.rs"]
        pub mod transposition;
    }
}
