//! The board: positions and games over shakmaty, fast move generation, SEE.

pub mod game;
pub mod movegen;
pub mod position;
