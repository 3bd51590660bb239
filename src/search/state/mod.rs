//! The state of a search, by its lifetime: one `go`, one thread, one ply.

pub mod control;
pub(in crate::search) mod request;
pub(in crate::search) mod root_move;
pub(in crate::search) mod stack;
pub(in crate::search) mod thread_data;
