//! A UCI engine with a search of its own: negamax with alpha-beta pruning, and captures only below the last depth.

use aspirant::board::game::GameOutcome;
use aspirant::eval::{evaluate, pst::Pst};
use aspirant::prelude::*;
use aspirant::score::{DRAW, INFINITY, mated_in};

#[derive(Default)]
struct Negamax {
    nodes: u64,
}

impl Search for Negamax {
    fn search(&mut self, request: &SearchRequest, mut reporter: Box<dyn Reporter>) -> SearchResult {
        let mut result = SearchResult::default();
        self.nodes = 0;
        for depth in 1.. {
            let found = self.negamax(request, &request.game, depth, -INFINITY, INFINITY);
            let Some((score, pv)) = found else { break };
            result = SearchResult::new(vec![Variation::new(pv, score, depth)]);
            result.nodes = self.nodes;
            reporter.progress(&result);
            if request.soft_limit_reached(&result) {
                break;
            }
        }
        result
    }
}

/// Score for the side to move, and the moves that lead to it.
type Line = (Score, Vec<Move>);

impl Negamax {
    /// Searches with the window from `alpha` to `beta`; `None` if the search must stop.
    fn negamax(&mut self, request: &SearchRequest, game: &Game, depth: i32, alpha: Score, beta: Score) -> Option<Line> {
        if request.should_stop(self.nodes) {
            return None;
        }
        self.nodes += 1;
        let mut best: Line = (alpha, Vec::new());
        let mut moves = request.root_moves.clone();
        let ply = game.history.len() - request.game.history.len();
        if ply > 0 {
            match game.outcome() {
                Some(GameOutcome::Checkmate { .. }) => return Some((mated_in(ply), Vec::new())),
                Some(_) => return Some((DRAW, Vec::new())),
                None => moves = game.position.legal_moves().to_vec(),
            }
            if depth <= 0 {
                best.0 = alpha.max(evaluate(&mut Pst, &game.position));
                moves.retain(|m| m.is_capture());
            }
        }
        // Captures first, of the most valuable piece by the least valuable one.
        moves.sort_by_key(|m| m.capture().map_or(0, |captured| m.role() as i32 - 8 * captured as i32));
        for m in moves {
            if best.0 >= beta {
                break;
            }
            let mut child = game.clone();
            child.play(m);
            let (score, reply) = self.negamax(request, &child, depth - 1, -beta, -best.0)?;
            if -score > best.0 {
                best = (-score, [vec![m], reply].concat());
            }
        }
        Some(best)
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Negamax").author("Me").search(Negamax::default).bench_depth(4).build()
}

pub fn main() -> Result<std::process::ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
