//! A UCI engine with a search of its own: Monte Carlo tree search with static evaluations instead of random games.

use aspirant::eval::{evaluate, pst::Pst};
use aspirant::prelude::*;

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
        let (mut root, mut result) = (Node::default(), SearchResult::default());
        root.children = request.root_moves.iter().map(|&m| (m, Node::default())).collect();
        // More would need too much memory.
        for playouts in 1..=200_000_u64 {
            root.playout(&mut request.game.clone());
            if playouts.is_power_of_two() {
                result = root.result();
                reporter.progress(&result);
            }
            if request.should_stop(playouts) || request.soft_limit_reached(&result) {
                break;
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
        let bound = |node: &Self| match node.visits {
            0.0 => f64::INFINITY,
            visits => ((self.visits + 1.0).ln() / visits).sqrt() - node.points / visits,
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
        let odds = (self.points / (self.visits - self.points)).clamp(0.001, 1000.0);
        let best = Variation::new(pv, (200.0 * odds.ln()) as Score, self.visits.log2() as i32);
        let mut result = SearchResult::new(vec![best]);
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
