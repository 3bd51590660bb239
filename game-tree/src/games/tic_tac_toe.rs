//! Tic-tac-toe: small enough to be searched completely, but a real game.
//!
//! 255,168 games, 549,946 nodes without memory, 5,478 positions; the value is a draw. The squares are numbered
//! from 0 (top left) to 8. <https://www.chessprogramming.org/Tic-Tac-Toe>

use crate::{GameTree, Value};

/// The game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TicTacToe;

/// A position: bitboards of the side to move and of the opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TicTacToeBoard {
    own: u16,
    opponent: u16,
}

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
const FULL: u16 = 0o777;

fn has_line(squares: u16) -> bool {
    LINES.iter().any(|line| squares & line == *line)
}

impl GameTree for TicTacToe {
    type Position = TicTacToeBoard;
    type Move = u8;

    fn root(&self) -> TicTacToeBoard {
        TicTacToeBoard::default()
    }

    fn moves(&self, board: &TicTacToeBoard) -> Vec<u8> {
        if has_line(board.opponent) {
            return Vec::new();
        }
        let free = FULL & !(board.own | board.opponent);
        (0..9).filter(|square| free & (1 << square) != 0).collect()
    }

    fn play(&self, board: &TicTacToeBoard, square: u8) -> TicTacToeBoard {
        TicTacToeBoard { own: board.opponent, opponent: board.own | (1 << square) }
    }

    /// Returns -1 if the opponent has completed a line, otherwise 0.
    fn value(&self, board: &TicTacToeBoard) -> Value {
        if has_line(board.opponent) { -1 } else { 0 }
    }

    fn key(&self, board: &TicTacToeBoard) -> u64 {
        u64::from(board.own) << 16 | u64::from(board.opponent)
    }
}
