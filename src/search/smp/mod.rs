//! Threads: the search thread and its helpers, stop and ponder flags, the one answer of each search.

pub mod control;
pub(super) mod guard;
pub mod pool;
pub(super) mod shared_iteration;
