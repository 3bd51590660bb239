//! Aspirant, a UCI chess engine.
#![forbid(unsafe_code)]

pub mod score;
