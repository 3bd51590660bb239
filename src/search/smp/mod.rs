//! Threads: the search thread and its helpers, stop and ponder flags, the one answer of each search. `runner` also runs
//! searches without a thread.
#![doc(hidden)]

pub mod control;
pub(in crate::search) mod guard;
pub mod pool;
pub mod runner;
pub(in crate::search) mod shared_iteration;
