//! Re-exports of std's locks and atomics; `tests/models` replaces this module with loom's.

pub use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic};

/// Whether the target has threads.
pub const HAS_THREADS: bool = !cfg!(all(target_arch = "wasm32", target_os = "unknown"));
