//! The thread on which an engine searches, and the guarantee of one best move per search.
#![doc(hidden)]

pub(crate) mod checked;
pub mod fallback;
pub(in crate::search) mod guard;
pub mod runner;
