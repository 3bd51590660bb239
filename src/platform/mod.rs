//! Platform support: clock, available memory, system calls, files, hash functions, fault injection.
#![doc(hidden)]

pub mod clock;
pub mod fault;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod hash;
pub mod lines;
pub mod memory;
pub(crate) mod sync;
pub(crate) mod system;
