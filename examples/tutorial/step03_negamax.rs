//! Step 3: negamax to a fixed depth.

use std::process::ExitCode;

use aspirant::prelude::*;
use aspirant::score::{DRAW, INFINITY, mated_in};

mod shared;
use shared::{evaluate, is_draw};

/// Depth of the search, plies, unless `go depth` gives another one.
const DEPTH: i32 = 3;

/// The engine. It keeps nothing between two searches.
struct Negamax;

/// One search.
struct Searcher<'a> {
    request: &'a SearchRequest,
    nodes: u64,
    /// Keys of the positions before the current one, for repetitions.
    keys: Vec<u64>,
    /// Best move at the root.
    best_move: Option<Move>,
}

impl Search for Negamax {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        let mut searcher = Searcher { request, nodes: 0, keys: request.game.history.clone(), best_move: None };
        let depth = request.limits.depth.map_or(DEPTH, |plies| plies.clamp(1, 100) as i32);
        let score = searcher.negamax(&request.game.position, depth, 0);
        let mut result =
            SearchResult::new(vec![Variation::new(searcher.best_move.into_iter().collect(), score, depth)]);
        result.nodes = searcher.nodes;
        result
    }
}

impl Searcher<'_> {
    // ANCHOR: negamax
    /// Returns the value of a position for the side to move. `ply`: distance from the root.
    fn negamax(&mut self, position: &Position, depth: i32, ply: usize) -> Score {
        self.nodes += 1;
        if ply > 0 && is_draw(position, &self.keys) {
            return DRAW;
        }
        let moves = if ply == 0 { self.request.root_moves.clone() } else { position.legal_moves().to_vec() };
        if moves.is_empty() {
            return if position.in_check() { mated_in(ply) } else { DRAW };
        }
        if depth <= 0 {
            return evaluate(position);
        }
        let mut best = -INFINITY;
        for m in moves {
            self.keys.push(position.key());
            let score = -self.negamax(&position.play(m), depth - 1, ply + 1);
            self.keys.pop();
            if score > best {
                best = score;
                if ply == 0 {
                    self.best_move = Some(m);
                }
            }
        }
        best
    }
    // ANCHOR_END: negamax
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Step 3: negamax").author("Me").search(|| Negamax).bench_depth(3).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
