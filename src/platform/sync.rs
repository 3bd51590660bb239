//! Re-exports of std's locks and atomics; `tests/models` replaces this module with loom's.

pub use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic};
