//! Searches a position: the engine as a library, in ten lines.

use aspirant::board::position::{Game, parse_fen};
use aspirant::engine::Engine;
use aspirant::search::limits::Limits;

pub fn main() {
    let mut engine = Engine::new(Default::default()).expect("a thread for the search");
    let position =
        parse_fen("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4").expect("a position");
    engine.set_game(Game::new(position));
    let answer = engine.search(Limits::depth(6));
    println!("{}", answer.best.expect("a move"));
}
