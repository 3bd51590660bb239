//! Move ordering: the staged move picker and the history tables it ranks by.

pub mod history;
pub mod picker;
