//! The evaluator as a function of its numbers, with its derivatives.
//!
//! What `eval::pst` computes with integers for playing is computed here with floating point, for any
//! numbers: a sum over the men, tapered by a phase that is itself a weighted count of men. The loss of a
//! position is the squared difference between the expected score (0 to 1) that the evaluation stands for and a
//! target. All samples of a batch are cut into chunks of fixed size; threads share the chunks and their sums are
//! added in the order of the chunks, so that the result does not depend on the number of threads.

use std::thread;

use shakmaty::{Color, Role};

use crate::game_file::Record;
use aspirant::eval::material::{Counts, FINE, PRODUCTS, SCALE_ONE, products, winning_chances};
use aspirant::eval::pst::Pair;
use aspirant::eval::weights;

/// Piece-square entries: role × 64 + square, seen by the man's own side.
pub const SQUARES: usize = 6 * 64;
/// Entry of the tempo.
pub const TEMPO: usize = SQUARES;
/// First entry of the products of numbers of men, in parts of a centipawn ([`FINE`]).
pub const IMBALANCE: usize = SQUARES + 1;
/// First of the six phase weights.
pub const PHASE: usize = 2 * (IMBALANCE + PRODUCTS);
/// Length of a vector of numbers: middlegame and endgame of each entry alternate, then come the phase weights.
pub const SIZE: usize = PHASE + 6;
/// What the phase weights add up to where the middlegame counts fully.
pub const PHASE_ONE: f64 = 256.0;

/// Samples of one chunk.
const CHUNK: usize = 1024;

/// All numbers of the evaluator.
pub type Theta = Vec<f64>;

/// The numbers that the program plays with.
#[must_use]
pub fn current() -> Theta {
    let squares = weights::PIECE_SQUARE.iter().flatten().copied();
    let pairs = squares.chain([weights::TEMPO]);
    let scale = PHASE_ONE / f64::from(weights::PHASE_MAX);
    let pairs = pairs.map(|pair: Pair| (pair.middlegame(), pair.endgame())).chain(weights::IMBALANCE);
    pairs
        .flat_map(|(mg, eg)| [f64::from(mg), f64::from(eg)])
        .chain(weights::PHASE.map(|weight| f64::from(weight) * scale))
        .collect()
}

/// Can a man of this role stand on this square?
#[must_use]
pub fn is_possible(role: usize, square: usize) -> bool {
    role != 0 || (8..56).contains(&square)
}

/// What a position contributes, apart from its piece-square entries.
#[derive(Clone, Debug)]
struct Sample {
    /// Where its entries begin.
    first: u32,
    /// Numbers of men of both sides by role; kings are left out.
    counts: [u8; 6],
    /// Products of numbers of men.
    products: [i8; PRODUCTS],
    /// 1 if white is to move, -1 otherwise.
    turn: i8,
    /// How much of an advantage counts, of [`SCALE_ONE`]: of black's, of white's.
    scale: [u8; 2],
    target: f32,
}

/// Positions in the form in which they are evaluated fast.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    samples: Vec<Sample>,
    /// Entries of all samples, shifted left by one; the lowest bit is 1 for black's men.
    entries: Vec<u16>,
}

impl Samples {
    /// Adds a position with the expected score that it is to get.
    pub fn push(&mut self, record: &Record, target: f64) {
        let counts = Counts::of(&record.board);
        let total = |role: Role| (counts.get(Color::White, role) + counts.get(Color::Black, role)) as u8;
        self.samples.push(Sample {
            first: self.entries.len() as u32,
            counts: Role::ALL.map(|role| if role == Role::King { 0 } else { total(role) }),
            products: products(counts).map(|product| product.clamp(-127, 127) as i8),
            turn: record.turn.fold_wb(1, -1),
            scale: [-1, 1].map(|advantage| winning_chances(counts, advantage) as u8),
            target: target as f32,
        });
        let first = self.entries.len();
        for (square, piece) in record.board.clone() {
            let square = piece.color.fold_wb(square, square.flip_vertical()) as u16;
            let entry = ((piece.role as u16 - 1) * 64 + square) << 1 | u16::from(piece.color.is_black());
            // Men of both sides on mirrored squares cancel out.
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

    /// The evaluation of a sample, from white.
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
            mg += f64::from(product) / f64::from(FINE) * values[0];
            eg += f64::from(product) / f64::from(FINE) * values[1];
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

    /// Adds the loss and its gradient at one sample.
    fn add(&self, theta: &Theta, k: f64, index: usize, sum: &mut Sum) {
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
            slots[0] += f64::from(product) / f64::from(FINE) * scaled_mg;
            slots[1] += f64::from(product) / f64::from(FINE) * scaled_eg;
        }
        gradient[2 * TEMPO] += f64::from(sample.turn) * mg;
        gradient[2 * TEMPO + 1] += f64::from(sample.turn) * eg;
        for (slot, &n) in gradient[PHASE..].iter_mut().zip(&sample.counts) {
            *slot += outer * forward.slope * f64::from(n) / PHASE_ONE;
        }
    }

    /// Mean loss over the samples named, and its gradient if wanted.
    #[must_use]
    pub fn loss(&self, theta: &Theta, k: f64, which: &[u32], threads: usize, with_gradient: bool) -> Sum {
        let chunks: Vec<&[u32]> = which.chunks(CHUNK).collect();
        let one = |chunk: &[u32]| {
            let mut sum = Sum { loss: 0.0, gradient: with_gradient.then(|| vec![0.0; SIZE]) };
            chunk.iter().for_each(|&index| self.add(theta, k, index as usize, &mut sum));
            sum
        };
        let share = chunks.len().div_ceil(threads.max(1)).max(1);
        let sums: Vec<Sum> = if threads < 2 || chunks.len() < 2 {
            chunks.iter().map(|chunk| one(chunk)).collect()
        } else {
            thread::scope(|scope| {
                let work = |part: &[&[u32]]| part.iter().map(|chunk| one(chunk)).collect::<Vec<_>>();
                let started: Vec<_> = chunks.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
                let join = |part: thread::ScopedJoinHandle<'_, Vec<Sum>>| {
                    part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                started.into_iter().flat_map(join).collect()
            })
        };
        let mut total = Sum { loss: 0.0, gradient: with_gradient.then(|| vec![0.0; SIZE]) };
        let count = which.len().max(1) as f64;
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
    /// Derivative of the value by the phase.
    slope: f64,
    phase: f64,
    scale: f64,
}

/// A loss and, where it was asked for, its gradient.
#[derive(Clone, Debug)]
pub struct Sum {
    /// Mean squared error of the expected score.
    pub loss: f64,
    /// Its derivative by every number.
    pub gradient: Option<Vec<f64>>,
}

/// The logistic function.
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Pulls that hold where the data say little.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pulls {
    /// Towards the mean of the man's table.
    pub mean: f64,
    /// Towards the value on the same rank across the board.
    pub mirror: f64,
}

impl Pulls {
    /// Adds the gradient of the pulls. Both are measured in positions: a pull of 100 weighs as much as 100 of
    /// the `count` positions would that ask for nothing else, at the steepest point of the logistic function.
    pub fn add(&self, theta: &Theta, k: f64, count: usize, gradient: &mut [f64]) {
        let unit = 2.0 * (k / 4.0).powi(2) / count.max(1) as f64;
        // Products that hardly occur stay small.
        for at in 2 * IMBALANCE..PHASE {
            gradient[at] += unit * self.mean * theta[at] / f64::from(FINE);
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
