//! What searches share through memory and files: the transposition table and tablebase probes.
#![doc(hidden)]

pub(in crate::search) mod tb_probe;
pub mod transposition;
pub(in crate::search) mod tt_access;
