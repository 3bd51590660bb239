//! Parallel search (Lazy SMP).
#![doc(hidden)]

pub mod pool;
