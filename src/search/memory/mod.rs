//! What searches share through memory and files: the transposition table and tablebase probes.

pub(super) mod tb_probe;
pub mod transposition;
