//! Platform support: clock, available memory, system calls, files, hash functions, fault injection.
#![doc(hidden)]

pub mod bytes;
pub mod clock;
pub mod fault;
pub mod files;
pub mod hash;
pub mod lines;
pub mod memory;
pub(crate) mod sync;
pub(crate) mod system;
