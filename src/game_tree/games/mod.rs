//! Trees to search: from text, random, tic-tac-toe, chess, and one problem without an opponent.

pub mod chess;
pub mod literal_tree;
pub mod random_tree;
pub mod tic_tac_toe;
pub mod traveling_salesman;

pub use chess::Chess;
pub use literal_tree::LiteralTree;
pub use random_tree::{OrderedTree, RandomTree};
pub use tic_tac_toe::TicTacToe;
pub use traveling_salesman::TravelingSalesman;
