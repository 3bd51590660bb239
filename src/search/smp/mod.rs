//! Search threads, stop and ponder flags, and the guarantee of one best move per search.
//!
//! `runner` can also run searches on the calling thread.
#![doc(hidden)]

pub mod control;
pub(in crate::search) mod guard;
pub mod pool;
pub mod runner;
pub(in crate::search) mod shared_iteration;
