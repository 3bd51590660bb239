//! Platform support: clock, available memory, system calls, files, hash functions.
#![doc(hidden)]

pub mod bytes;
pub mod clock;
pub mod files;
pub mod hash;
pub mod lines;
pub mod memory;
pub(crate) mod sync;
pub(crate) mod system;
