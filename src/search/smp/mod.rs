//! Threads: the search thread and its helpers, stop and ponder flags, the one answer of each search.
#![doc(hidden)]

pub mod control;
pub(in crate::search) mod guard;
pub mod pool;
pub(in crate::search) mod shared_iteration;
