//! Move ordering: the staged move picker and the history tables it ranks by.
#![doc(hidden)]

pub mod history;
pub mod picker;
