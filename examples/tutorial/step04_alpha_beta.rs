//! Step 4: alpha-beta, which returns the value of negamax without looking at every move.

use std::process::ExitCode;

use aspirant::prelude::*;
use aspirant::score::{DRAW, INFINITY, mated_in};

mod shared;
use shared::{evaluate, is_draw};

/// Depth of the search, plies, unless `go depth` gives another one.
const DEPTH: i32 = 4;

/// The engine. It keeps nothing between two searches.
struct AlphaBeta;

/// One search.
struct Searcher<'a> {
    request: &'a SearchRequest,
    nodes: u64,
    /// Keys of the positions before the current one, for repetitions.
    keys: Vec<u64>,
    /// Best move at the root.
    best_move: Option<Move>,
}

impl Search for AlphaBeta {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        let mut searcher = Searcher { request, nodes: 0, keys: request.game.history.clone(), best_move: None };
        let depth = request.limits.depth.map_or(DEPTH, |plies| plies.clamp(1, 100) as i32);
        let score = searcher.alpha_beta(&request.game.position, depth, 0, -INFINITY, INFINITY);
        let mut result =
            SearchResult::new(vec![Variation::new(searcher.best_move.into_iter().collect(), score, depth)]);
        result.nodes = searcher.nodes;
        result
    }
}

impl Searcher<'_> {
    // ANCHOR: alpha_beta
    /// Returns the value of a position for the side to move. `ply`: distance from the root.
    ///
    /// The side to move already has a move worth `alpha`, and the opponent does not allow more than `beta`. A result of
    /// at most `alpha` means "not more than this", one of at least `beta` "not less than this".
    fn alpha_beta(&mut self, position: &Position, depth: i32, ply: usize, mut alpha: Score, beta: Score) -> Score {
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
            // The opponent's bounds are ours with the opposite sign.
            let score = -self.alpha_beta(&position.play(m), depth - 1, ply + 1, -beta, -alpha);
            self.keys.pop();
            if score > best {
                best = score;
                if ply == 0 {
                    self.best_move = Some(m);
                }
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                // A cutoff: the opponent has something better and will avoid this position.
                break;
            }
        }
        best
    }
    // ANCHOR_END: alpha_beta
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Step 4: alpha-beta").author("Me").search(|| AlphaBeta).bench_depth(4).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
