//! Aspirant, a UCI chess engine.
#![forbid(unsafe_code)]

pub mod eval;
pub mod movegen;
pub mod position;
pub mod score;
pub mod search;
