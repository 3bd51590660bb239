//! The evaluator as a differentiable function of its weights.
//!
//! Computes in floating point and for arbitrary weights what `eval::pst` computes with integers: a sum over the
//! pieces, tapered by a phase that is itself a weighted sum of piece counts. The loss of a position is the squared
//! difference between the expected score (0 to 1) of the evaluation and a target. The samples of a batch are divided
//! into chunks of fixed size; the sums of the chunks are added in a fixed order, so the result does not depend on the
//! number of threads.

use std::thread;

use shakmaty::{Color, Role};

use crate::game_file::PositionRecord;
use aspirant::eval::material::{
    IMBALANCE_SCALE, IMBALANCE_TERMS, PieceCounts, SCALE_ONE, imbalance_terms, scale_factor,
};
use aspirant::eval::{TaperedScore, pst, weights};

/// Number of piece-square entries.
///
/// The index of an entry is role × 64 + square, from the view of the piece's own side.
pub const SQUARES: usize = 6 * 64;
/// Index of the tempo entry.
pub const TEMPO: usize = SQUARES;
/// Index of the first entry of the material imbalance, in fractions of a centipawn ([`IMBALANCE_SCALE`]).
pub const IMBALANCE: usize = SQUARES + 1;
/// Index of the first of the six phase weights.
pub const PHASE: usize = 2 * (IMBALANCE + IMBALANCE_TERMS);
/// Number of weights.
///
/// Middlegame and endgame values of each entry alternate, followed by the phase weights.
pub const WEIGHT_COUNT: usize = PHASE + 6;
/// Sum of the phase weights at which the phase is 1 (pure middlegame).
pub const PHASE_ONE: f64 = 256.0;

/// Number of samples per chunk.
const CHUNK: usize = 1024;

/// All weights of the evaluator.
pub type Theta = Vec<f64>;

/// Returns the weights that the engine plays with.
#[must_use]
pub fn current_weights() -> Theta {
    let squares = pst::PIECE_SQUARE.iter().flatten().copied();
    let pairs = squares.map(|pair: TaperedScore| (pair.middlegame(), pair.endgame())).chain([weights::TEMPO]);
    let scale = PHASE_ONE / f64::from(weights::PHASE_MAX);
    let pairs = pairs.chain(weights::IMBALANCE);
    pairs
        .flat_map(|(mg, eg)| [f64::from(mg), f64::from(eg)])
        .chain(weights::PHASE.map(|weight| f64::from(weight) * scale))
        .collect()
}

/// Returns whether a piece of this role can stand on this square.
#[must_use]
pub fn is_possible(role: usize, square: usize) -> bool {
    role != 0 || (8..56).contains(&square)
}

/// The inputs of the evaluation of one position, except for its piece-square entries.
#[derive(Clone, Debug)]
struct Sample {
    /// Index of its first piece-square entry.
    first: u32,
    /// Piece counts of both sides by role, without kings.
    counts: [u8; 6],
    /// Products of piece counts (material imbalance).
    products: [i8; IMBALANCE_TERMS],
    /// 1 if white is to move, -1 otherwise.
    turn: i8,
    /// Scale factor of an advantage of Black and of White, in units of 1/[`SCALE_ONE`].
    scale: [u8; 2],
    target: f32,
}

/// Positions in a compact form for fast evaluation.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    samples: Vec<Sample>,
    /// Piece-square entries of all samples, shifted left by one; the lowest bit is 1 for black pieces.
    entries: Vec<u16>,
}

impl Samples {
    /// Adds a position with its target, an expected score for White from 0 to 1.
    pub fn push(&mut self, record: &PositionRecord, target: f64) {
        let counts = PieceCounts::of(&record.board);
        let total = |role: Role| (counts.get(Color::White, role) + counts.get(Color::Black, role)) as u8;
        self.samples.push(Sample {
            first: self.entries.len() as u32,
            counts: Role::ALL.map(|role| if role == Role::King { 0 } else { total(role) }),
            products: imbalance_terms(counts).map(|product| product.clamp(-127, 127) as i8),
            turn: record.turn.fold_wb(1, -1),
            scale: [-1, 1].map(|advantage| scale_factor(counts, advantage) as u8),
            target: target as f32,
        });
        let first = self.entries.len();
        for (square, piece) in record.board.clone() {
            let square = piece.color.fold_wb(square, square.flip_vertical()) as u16;
            let entry = ((piece.role as u16 - 1) * 64 + square) << 1 | u16::from(piece.color.is_black());
            // Pieces of both sides on mirrored squares cancel each other out.
            match self.entries[first..].iter().position(|&other| other == entry ^ 1) {
                Some(index) => {
                    self.entries.swap_remove(first + index);
                }
                None => self.entries.push(entry),
            }
        }
    }

    fn entries(&self, index: usize) -> &[u16] {
        let end = self.samples.get(index + 1).map_or(self.entries.len(), |next| next.first as usize);
        &self.entries[self.samples[index].first as usize..end]
    }

    /// Returns the evaluation of a sample in centipawns from White's view.
    #[must_use]
    pub fn evaluate(&self, theta: &Theta, index: usize) -> f64 {
        self.forward(theta, index).value
    }

    fn forward(&self, theta: &Theta, index: usize) -> Forward {
        let sample = &self.samples[index];
        let (mut mg, mut eg) = (0.0, 0.0);
        for &entry in self.entries(index) {
            let at = usize::from(entry & !1);
            let sign = sign(entry);
            mg += sign * theta[at];
            eg += sign * theta[at + 1];
        }
        for (&product, values) in sample.products.iter().zip(theta[2 * IMBALANCE..PHASE].as_chunks::<2>().0) {
            mg += f64::from(product) / f64::from(IMBALANCE_SCALE) * values[0];
            eg += f64::from(product) / f64::from(IMBALANCE_SCALE) * values[1];
        }
        let weights = &theta[PHASE..];
        let phase: f64 = sample.counts.iter().zip(weights).map(|(&n, w)| f64::from(n) * w).sum::<f64>() / PHASE_ONE;
        let is_tapered = (0.0..1.0).contains(&phase);
        let phase = phase.clamp(0.0, 1.0);
        let scale = f64::from(sample.scale[usize::from(eg >= 0.0)]) / f64::from(SCALE_ONE);
        let turn = f64::from(sample.turn);
        let tempo = (theta[2 * TEMPO], theta[2 * TEMPO + 1]);
        let taper = |mg: f64, eg: f64| mg * phase + eg * (1.0 - phase);
        Forward {
            value: scale * taper(mg, eg) + turn * taper(tempo.0, tempo.1),
            slope: if is_tapered { scale * (mg - eg) + turn * (tempo.0 - tempo.1) } else { 0.0 },
            phase,
            scale,
        }
    }

    /// Adds the loss of one sample and its gradient to `sum`.
    fn add(&self, theta: &Theta, k: f64, index: usize, sum: &mut LossSum) {
        let sample = &self.samples[index];
        let forward = self.forward(theta, index);
        let expected = sigmoid(k * forward.value);
        let error = expected - f64::from(sample.target);
        sum.loss += error * error;
        let Some(gradient) = &mut sum.gradient else { return };
        let outer = 2.0 * error * expected * (1.0 - expected) * k;
        let (mg, eg) = (outer * forward.phase, outer * (1.0 - forward.phase));
        let (scaled_mg, scaled_eg) = (mg * forward.scale, eg * forward.scale);
        for &entry in self.entries(index) {
            let at = usize::from(entry & !1);
            let sign = sign(entry);
            gradient[at] += sign * scaled_mg;
            gradient[at + 1] += sign * scaled_eg;
        }
        for (&product, slots) in sample.products.iter().zip(gradient[2 * IMBALANCE..PHASE].as_chunks_mut::<2>().0) {
            slots[0] += f64::from(product) / f64::from(IMBALANCE_SCALE) * scaled_mg;
            slots[1] += f64::from(product) / f64::from(IMBALANCE_SCALE) * scaled_eg;
        }
        gradient[2 * TEMPO] += f64::from(sample.turn) * mg;
        gradient[2 * TEMPO + 1] += f64::from(sample.turn) * eg;
        for (slot, &n) in gradient[PHASE..].iter_mut().zip(&sample.counts) {
            *slot += outer * forward.slope * f64::from(n) / PHASE_ONE;
        }
    }

    /// Returns the mean loss over the samples with the given indices, and its gradient if requested.
    #[must_use]
    pub fn loss(&self, theta: &Theta, k: f64, indices: &[u32], threads: usize, with_gradient: bool) -> LossSum {
        let chunks: Vec<&[u32]> = indices.chunks(CHUNK).collect();
        let chunk_sum = |chunk: &[u32]| {
            let mut sum = LossSum { loss: 0.0, gradient: with_gradient.then(|| vec![0.0; WEIGHT_COUNT]) };
            chunk.iter().for_each(|&index| self.add(theta, k, index as usize, &mut sum));
            sum
        };
        let chunks_per_thread = chunks.len().div_ceil(threads.max(1)).max(1);
        let sums: Vec<LossSum> = if threads < 2 || chunks.len() < 2 {
            chunks.iter().map(|chunk| chunk_sum(chunk)).collect()
        } else {
            thread::scope(|scope| {
                let part_sums = |part: &[&[u32]]| part.iter().map(|chunk| chunk_sum(chunk)).collect::<Vec<_>>();
                let started: Vec<_> =
                    chunks.chunks(chunks_per_thread).map(|part| scope.spawn(move || part_sums(part))).collect();
                let join = |part: thread::ScopedJoinHandle<'_, Vec<LossSum>>| {
                    part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                started.into_iter().flat_map(join).collect()
            })
        };
        let mut total = LossSum { loss: 0.0, gradient: with_gradient.then(|| vec![0.0; WEIGHT_COUNT]) };
        let count = indices.len().max(1) as f64;
        for sum in &sums {
            total.loss += sum.loss / count;
            if let (Some(total), Some(part)) = (&mut total.gradient, &sum.gradient) {
                total.iter_mut().zip(part).for_each(|(slot, value)| *slot += value / count);
            }
        }
        total
    }
}

fn sign(entry: u16) -> f64 {
    1.0 - 2.0 * f64::from(entry & 1)
}

struct Forward {
    value: f64,
    /// Derivative of the value with respect to the phase.
    slope: f64,
    phase: f64,
    scale: f64,
}

/// A loss and, if requested, its gradient.
#[derive(Clone, Debug)]
pub struct LossSum {
    /// Mean squared error of the expected score.
    pub loss: f64,
    /// Derivative of the loss with respect to each weight.
    pub gradient: Option<Vec<f64>>,
}

/// Returns the value of the logistic function.
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Regularization, which determines weights for which there is little data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regularization {
    /// Strength towards the mean of the piece-square table of the piece.
    pub mean: f64,
    /// Strength towards the value of the mirror square on the same rank.
    pub mirror: f64,
}

impl Regularization {
    /// Adds the gradient of the regularization.
    ///
    /// Strengths are in positions: a strength of 100 has the weight of 100 of the `count` positions at the steepest
    /// point of the logistic function.
    pub fn add(&self, theta: &Theta, k: f64, count: usize, gradient: &mut [f64]) {
        let unit = 2.0 * (k / 4.0).powi(2) / count.max(1) as f64;
        // Keeps the weights of rare imbalances small.
        for at in 2 * IMBALANCE..PHASE {
            gradient[at] += unit * self.mean * theta[at] / f64::from(IMBALANCE_SCALE);
        }
        for role in 0..6 {
            for phase in 0..2 {
                let squares = || (0..64).filter(|&square| is_possible(role, square));
                let at = |square: usize| 2 * (64 * role + square) + phase;
                let mean = squares().map(|square| theta[at(square)]).sum::<f64>() / squares().count() as f64;
                for square in squares() {
                    let value = theta[at(square)];
                    let across = theta[at(square ^ 7)];
                    gradient[at(square)] += unit * (self.mean * (value - mean) + self.mirror * (value - across));
                }
            }
        }
    }
}
