//! Searches a position with the engine as a library.

use aspirant::board::position::parse_fen;
use aspirant::engine::Engine;
use aspirant::search::limits::Limits;

pub fn main() {
    let mut engine = Engine::builder().build().expect("start the search thread");
    engine.update_options(|options| options.set_hash(32)).expect("a valid size");
    let position =
        parse_fen("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4").expect("a valid FEN");
    engine.set_game(position);
    let result = engine.search(Limits::depth(6));
    let best_move = result.best_move().expect("a legal move");
    println!("{best_move}, score {}, depth {}, {} nodes", result.score(), result.depth, result.nodes);
}
