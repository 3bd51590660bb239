//! Trees to search: from text, random, tic-tac-toe, for more than two players, and a problem without an opponent.

pub mod literal_tree;
pub mod multi_player_tree;
pub mod random_tree;
pub mod tic_tac_toe;
pub mod traveling_salesman;

pub use literal_tree::LiteralTree;
pub use multi_player_tree::MultiPlayerTree;
pub use random_tree::{OrderedTree, RandomTree};
pub use tic_tac_toe::TicTacToe;
pub use traveling_salesman::TravelingSalesman;
