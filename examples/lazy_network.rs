//! A UCI engine with a neural network as evaluator: 768 inputs, a hidden layer for each side, one output.
//!
//! `apply` only stores the move; `score` computes the accumulators that are missing on the path, one for each ply. The
//! weights are random, from a fixed seed, so the engine plays badly: load trained ones instead.

use std::sync::Arc;

use aspirant::eval::piece_changes;
use aspirant::prelude::*;

const HIDDEN: usize = 128;

/// The sums of the hidden neurons, from the points of view of Black and White.
type Accumulator = [[i16; HIDDEN]; 2];

#[derive(Clone)]
pub struct LazyNetwork {
    /// Weights of the hidden neurons by piece and square: own pawn to king, then the opponent's.
    hidden: Arc<[[i16; HIDDEN]]>,
    /// Weights of the output: for the neurons of the side to move, then of the opponent.
    output: [[i16; HIDDEN]; 2],
    /// The accumulator of each ply and, until it is computed, the move that leads there and its side.
    path: Vec<(Accumulator, Option<(Move, Color)>)>,
}

impl LazyNetwork {
    pub fn random() -> Self {
        let mut random = fastrand::Rng::with_seed(1);
        let mut layer = || std::array::from_fn(|_| random.i16(-40..=40));
        Self { hidden: (0..768).map(|_| layer()).collect(), output: [layer(), layer()], path: Vec::new() }
    }
}

fn update(hidden: &[[i16; HIDDEN]], sums: &mut Accumulator, piece: Piece, square: Square, added: bool) {
    for view in Color::ALL {
        let piece_index = piece.role as usize - 1 + if piece.color == view { 0 } else { 6 };
        let input = piece_index * 64 + view.fold_wb(square, square.flip_vertical()) as usize;
        for (sum, weight) in sums[view as usize].iter_mut().zip(hidden[input]) {
            *sum += if added { weight } else { -weight };
        }
    }
}

impl Evaluator for LazyNetwork {
    /// The ply. What the path contains beyond it belongs to nodes that the search has left.
    type Acc = usize;

    fn refresh(&mut self, root: &Position) -> usize {
        let mut sums = [[0; HIDDEN]; 2];
        root.board().iter().for_each(|(square, piece)| update(&self.hidden, &mut sums, piece, square, true));
        self.path = vec![(sums, None)];
        0
    }

    fn apply(&mut self, &ply: &usize, before: &Position, m: Move) -> usize {
        self.path.resize(self.path.len().max(ply + 2), ([[0; HIDDEN]; 2], None));
        self.path[ply + 1].1 = Some((m, before.turn()));
        ply + 1
    }

    fn score(&mut self, &ply: &usize, position: &Position) -> Score {
        let computed = (0..=ply).rfind(|&n| self.path[n].1.is_none()).unwrap_or(0);
        for n in computed..ply {
            let mut sums = self.path[n].0;
            if let Some((m, turn)) = self.path[n + 1].1 {
                piece_changes(turn, m, |piece, square, added| update(&self.hidden, &mut sums, piece, square, added));
            }
            self.path[n + 1] = (sums, None);
        }
        let sides = [position.turn(), !position.turn()].map(|view| self.path[ply].0[view as usize]);
        let neurons = sides.iter().flatten().zip(self.output.iter().flatten());
        neurons.map(|(&sum, &weight)| Score::from(sum.clamp(0, 255)) * Score::from(weight)).sum::<Score>() / 256
    }
}

pub fn main() -> Result<std::process::ExitCode, BuildError> {
    let builder = Engine::builder().name("Lazy Network").author("Me");
    Ok(aspirant::uci::main(builder.evaluator(LazyNetwork::random()).build()?))
}
