//! A UCI engine with a search of its own: Monte Carlo tree search (UCT), with static evaluations instead of random games.
//! <https://www.chessprogramming.org/UCT>

use aspirant::eval::{evaluate, pst::Pst};
use aspirant::prelude::*;

/// Maximum number of nodes of the tree, about 120 MB.
const MAX_NODES: usize = 1 << 21;

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
        let mut root = Node { children: Node::new_children(&request.root_moves), ..Node::default() };
        let (mut size, mut result) = (0, SearchResult::default());
        for playouts in 1.. {
            root.playout(&mut request.game.clone(), &mut size);
            let must_stop = request.should_stop(playouts);
            if must_stop || playouts % 1000 == 0 {
                result = SearchResult::new(vec![root.best_variation((playouts / 1000) as i32)]);
                result.nodes = playouts;
                reporter.progress(&result);
                if must_stop || request.soft_limit_reached(&result) {
                    break;
                }
            }
        }
        result
    }
}

impl Node {
    fn new_children(moves: &[Move]) -> Vec<(Move, Self)> {
        moves.iter().map(|&m| (m, Self::default())).collect()
    }

    /// Plays to a leaf and evaluates it; returns the result for the side to move. `size`: number of nodes of the tree.
    fn playout(&mut self, game: &mut Game, size: &mut usize) -> f64 {
        if self.visits == 1.0 && self.children.is_empty() && *size < MAX_NODES && game.outcome().is_none() {
            self.children = Self::new_children(&game.position.chess().legal_moves());
            *size += self.children.len();
        }
        // The upper confidence bound; children without a visit come first.
        let exploration = self.visits.max(1.0).ln().sqrt();
        let bound = |node: &Self| match node.visits {
            0.0 => f64::INFINITY,
            visits => 1.0 - node.points / visits + exploration / visits.sqrt(),
        };
        let points = match self.children.iter_mut().max_by(|a, b| bound(&a.1).total_cmp(&bound(&b.1))) {
            Some((m, child)) => {
                game.play(*m);
                1.0 - child.playout(game, size)
            }
            None => match game.outcome() {
                Some(outcome) => outcome.winner().map_or(0.5, |_| 0.0),
                None => 1.0 / (1.0 + (-f64::from(evaluate(&mut Pst, &game.position)) / 200.0).exp()),
            },
        };
        self.visits += 1.0;
        self.points += points;
        points
    }

    /// Returns the most visited moves, with their score in centipawns.
    fn best_variation(&self, depth: i32) -> Variation {
        let (mut pv, mut node) = (Vec::new(), self);
        while let Some((m, child)) = node.children.iter().max_by(|a, b| a.1.visits.total_cmp(&b.1.visits)) {
            pv.push(*m);
            node = child;
        }
        let points = (self.points / self.visits).clamp(0.001, 0.999);
        Variation::new(pv, (200.0 * (points / (1.0 - points)).ln()) as Score, depth)
    }
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("MCTS").author("Me").search(|| Mcts).bench_depth(1).build()
}

pub fn main() -> std::io::Result<()> {
    aspirant::uci::run(engine()?)
}
