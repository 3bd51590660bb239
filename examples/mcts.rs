//! A UCI engine with a search of its own: Monte Carlo tree search with static evaluations instead of random games.

use aspirant::eval::{evaluate, pst::Pst};
use aspirant::prelude::*;

/// Maximum size of the tree, about 200 MB.
const MAX_PLAYOUTS: u64 = 200_000;

/// A position of the tree. `points`: sum of the results for the side to move, each from 0 to 1.
#[derive(Default)]
struct Node {
    visits: f64,
    points: f64,
    children: Vec<(Move, Node)>,
}

struct Mcts;

impl Search for Mcts {
    fn search(&mut self, request: &SearchRequest, mut reporter: Box<dyn Reporter>) -> SearchResult {
        let (mut root, mut playouts, mut result) = (Node::default(), 0, SearchResult::default());
        root.children = request.root_moves.iter().map(|&m| (m, Node::default())).collect();
        while playouts < MAX_PLAYOUTS && !request.should_stop(playouts) && !request.soft_limit_reached(&result) {
            root.playout(&mut request.game.clone());
            playouts += 1;
            if playouts.is_power_of_two() {
                result = root.result();
                reporter.progress(&result);
            }
        }
        root.result()
    }
}

impl Node {
    /// Plays to a leaf and evaluates it; returns the result for the side to move.
    fn playout(&mut self, game: &mut Game) -> f64 {
        if self.visits == 1.0 && self.children.is_empty() && game.outcome().is_none() {
            self.children = game.position.legal_moves().iter().map(|&m| (m, Self::default())).collect();
        }
        // The upper confidence bound of the points for the side to move. Children without a visit come first.
        let exploration = (self.visits + 1.0).ln().sqrt();
        let bound = |node: &Self| match node.visits {
            0.0 => f64::INFINITY,
            visits => exploration / visits.sqrt() - node.points / visits,
        };
        let points = match self.children.iter_mut().max_by(|a, b| bound(&a.1).total_cmp(&bound(&b.1))) {
            Some((m, child)) => {
                game.play(*m);
                1.0 - child.playout(game)
            }
            None => match game.outcome() {
                Some(outcome) => outcome.winner().map_or(0.5, |_| 0.0),
                None => 1.0 / (1.0 + (-0.005 * f64::from(evaluate(&mut Pst, &game.position))).exp()),
            },
        };
        (self.visits, self.points) = (self.visits + 1.0, self.points + points);
        points
    }

    /// Returns the most visited moves, with their score in centipawns. The depth is the logarithm of the visits.
    fn result(&self) -> SearchResult {
        let (mut pv, mut node) = (Vec::new(), self);
        while let Some((m, child)) = node.children.iter().max_by(|a, b| a.1.visits.total_cmp(&b.1.visits)) {
            pv.push(*m);
            node = child;
        }
        let points = (self.points / self.visits).clamp(0.001, 0.999);
        let score = (200.0 * (points / (1.0 - points)).ln()) as Score;
        let mut result = SearchResult::new(vec![Variation::new(pv, score, self.visits.log2() as i32)]);
        result.nodes = self.visits as u64;
        result
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("MCTS").author("Me").search(|| Mcts).bench_depth(9).build()
}

pub fn main() -> Result<std::process::ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
