//! The system underneath: free memory, system calls, locks that the models replace, fault injection.
#![doc(hidden)]

pub mod clock;
pub mod fault;
#[doc(hidden)]
pub mod files;
pub mod lines;
pub mod memory;
pub(crate) mod sync;
pub(crate) mod system;
