//! Step 2: an engine that looks one move ahead and counts the pieces.

use std::process::ExitCode;

use aspirant::prelude::*;
use aspirant::score::{INFINITY, mate_in};

mod shared;
use shared::evaluate;

struct OnePly;

// ANCHOR: search
impl Search for OnePly {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        let (mut best_score, mut best_move) = (-INFINITY, None);
        for &m in &request.root_moves {
            let after = request.game.position.play(m);
            // The opponent is to move: what is good for the opponent is bad for us.
            let score = if after.is_checkmate() { mate_in(1) } else { -evaluate(&after) };
            if score > best_score {
                (best_score, best_move) = (score, Some(m));
            }
        }
        SearchResult::new(vec![Variation::new(best_move.into_iter().collect(), best_score, 1)])
    }
}
// ANCHOR_END: search

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Step 2: one ply").author("Me").search(|| OnePly).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
