//! Step 1: an engine that plays any legal move.

use std::process::ExitCode;

use aspirant::prelude::*;

struct RandomMover;

impl Search for RandomMover {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        let number = fastrand::usize(..request.root_moves.len());
        // A variation is a line of moves, here a single one, with its score and the depth of the search.
        SearchResult::new(vec![Variation::new(vec![request.root_moves[number]], 0, 1)])
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Step 1: random mover").author("Me").search(|| RandomMover).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
