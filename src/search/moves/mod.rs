//! Move ordering: the staged move picker and the histories by which it scores moves.

pub mod history;
mod history_update;
pub mod picker;
