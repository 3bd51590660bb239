//! Locks and atomics by one name: `tests/models` compiles the files that use them with those of loom in their place.

pub use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic};
