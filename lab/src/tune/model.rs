//! The evaluator as a differentiable function of its weights.
//!
//! Computes in floating point and for arbitrary weights what `eval::pst` and `eval::king_pst` compute with integers: a
//! sum over the pieces, tapered by a phase that is itself a weighted sum of piece counts. The loss of a position is the
//! squared difference between the expected score (0 to 1) of the evaluation and a target. Each batch is divided into a
//! fixed number of parts; their sums are added in a fixed order, so that the number of threads does not change the
//! result.

use std::thread;

use shakmaty::{Color, Role};

use super::form::{Form, MAX_TABLES, OffsetTable};
use crate::game_file::{GameResult, PositionRecord};
use aspirant::eval::material::{
    IMBALANCE_SCALE, IMBALANCE_TERMS, PieceCounts, SCALE_ONE, imbalance_terms, scale_factor,
};
use aspirant::eval::{TaperedScore, pst, weights};

/// Number of piece-square entries of a table.
///
/// The index of an entry is role × 64 + square, from the view of the piece's own side.
pub const SQUARES: usize = 6 * 64;
/// Index of the tempo entry.
pub const TEMPO: usize = SQUARES;
/// Index of the first material imbalance entry, in fractions of a centipawn ([`IMBALANCE_SCALE`]).
pub const IMBALANCE: usize = SQUARES + 1;
/// Index of the first of the six phase weights.
pub const PHASE: usize = 2 * (IMBALANCE + IMBALANCE_TERMS);
/// Number of weights without offsets.
///
/// Middlegame and endgame values of each entry alternate, followed by the phase weights. The tables of offsets come
/// after them, middlegame and endgame values alternating.
pub const BASE_WEIGHTS: usize = PHASE + 6;
/// Sum of the phase weights at which the phase is 1 (pure middlegame).
pub const PHASE_ONE: f64 = 256.0;

/// Number of parts of a batch; more threads than this have no effect.
const PARTS: usize = 8;

/// All weights of the evaluator.
pub type Theta = Vec<f64>;

/// Returns the weights of `eval::pst`, with offsets of zero.
#[must_use]
pub fn current_weights(form: &Form) -> Theta {
    let squares = pst::PIECE_SQUARE.iter().flatten().copied();
    let pairs = squares.map(|pair: TaperedScore| (pair.middlegame(), pair.endgame())).chain([weights::TEMPO]);
    let scale = PHASE_ONE / f64::from(weights::PHASE_MAX);
    let pairs = pairs.chain(weights::IMBALANCE);
    let mut theta: Theta = pairs
        .flat_map(|(mg, eg)| [f64::from(mg), f64::from(eg)])
        .chain(weights::PHASE.map(|weight| f64::from(weight) * scale))
        .collect();
    theta.resize(form.weight_count(), 0.0);
    theta
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
    /// Expected score for White from 0 to 1.
    target: f32,
    /// Search score in centipawns from White's view.
    score: i16,
    result: GameResult,
    /// 1 if white is to move, -1 otherwise.
    turn: i8,
    /// Piece counts of both sides by role, without kings.
    counts: [u8; 6],
    /// Squares of the white and of the black king, each from the view of its own side.
    kings: [u8; 2],
    /// Scale factor of an advantage of Black and of White, in units of 1/[`SCALE_ONE`].
    scale: [u8; 2],
    /// Products of piece counts (material imbalance).
    products: [i8; IMBALANCE_TERMS],
}

/// Positions in a compact form for fast evaluation, independent of the form of the evaluation.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    samples: Vec<Sample>,
    /// Piece-square entries of all samples, shifted left by one; the lowest bit is 1 for black pieces.
    entries: Vec<u16>,
}

impl Samples {
    pub fn push(&mut self, record: &PositionRecord) {
        let board = record.position.board();
        let counts = PieceCounts::of(board);
        let total = |role: Role| (counts.get(Color::White, role) + counts.get(Color::Black, role)) as u8;
        let king = |color: Color| {
            let square = board.king_of(color).map_or(0, |square| square as u8);
            color.fold_wb(square, square ^ 56)
        };
        self.samples.push(Sample {
            first: self.entries.len() as u32,
            target: 0.5,
            score: record.score,
            result: record.result,
            turn: record.position.turn().fold_wb(1, -1),
            counts: Role::ALL.map(|role| if role == Role::King { 0 } else { total(role) }),
            kings: [Color::White, Color::Black].map(king),
            scale: [-1, 1].map(|advantage| scale_factor(counts, advantage) as u8),
            products: imbalance_terms(counts).map(|product| product.clamp(-127, 127) as i8),
        });
        for (square, piece) in board {
            let square = piece.color.fold_wb(square, square.flip_vertical()) as u16;
            self.entries.push(((piece.role as u16 - 1) * 64 + square) << 1 | u16::from(piece.color.is_black()));
        }
    }

    /// Returns the samples with the given indices, in this order.
    #[must_use]
    pub fn select(&self, indices: &[u32]) -> Self {
        let mut out = Self::default();
        out.samples.reserve_exact(indices.len());
        for &index in indices {
            let first = out.entries.len() as u32;
            out.entries.extend_from_slice(self.entries(index as usize));
            out.samples.push(Sample { first, ..self.samples[index as usize].clone() });
        }
        out
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    #[must_use]
    pub fn pieces(&self) -> usize {
        self.entries.len()
    }

    /// Sets the targets to weighted means of the results and the expected scores of the search scores.
    pub fn set_targets(&mut self, k: f64, result_share: f64) {
        for sample in &mut self.samples {
            let score = sigmoid(k * f64::from(sample.score));
            sample.target = (result_share * sample.result.points() + (1.0 - result_share) * score) as f32;
        }
    }

    /// Returns the mean squared error of the expected scores of every `step`-th search score.
    ///
    /// The expected scores are compared with the results.
    #[must_use]
    pub fn score_error(&self, k: f64, step: usize) -> f64 {
        let error = |sample: &Sample| (sigmoid(k * f64::from(sample.score)) - sample.result.points()).powi(2);
        self.samples.iter().step_by(step).map(error).sum::<f64>() / self.len().div_ceil(step).max(1) as f64
    }

    fn entries(&self, index: usize) -> &[u16] {
        let end = self.samples.get(index + 1).map_or(self.entries.len(), |next| next.first as usize);
        &self.entries[self.samples[index].first as usize..end]
    }
}

/// The evaluation of samples in one form.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    /// The positions.
    pub samples: &'a Samples,
    pub form: &'a Form,
    /// Slope of the logistic function.
    pub k: f64,
    pub threads: usize,
}

impl Model<'_> {
    /// Returns the evaluation of a sample in centipawns from White's view.
    #[must_use]
    pub fn evaluate(&self, theta: &Theta, index: usize) -> f64 {
        match self.form.tables_per_piece() {
            0 => self.forward::<0>(theta, index).value,
            1 => self.forward::<1>(theta, index).value,
            _ => self.forward::<MAX_TABLES>(theta, index).value,
        }
    }

    /// `TABLES` is the number of offset tables per piece.
    fn forward<const TABLES: usize>(&self, theta: &Theta, index: usize) -> Forward {
        let sample = &self.samples.samples[index];
        let tables = self.form.tables(sample.kings);
        let pairs = theta.as_chunks::<2>().0;
        let mut sums = [0.0; 2];
        for &entry in self.samples.entries(index) {
            let at = usize::from(entry >> 1);
            let mut value = pairs[at];
            for table in &tables[usize::from(entry & 1)][..TABLES] {
                let offset = pairs[offset_index(*table, at)];
                value = [value[0] + offset[0], value[1] + offset[1]];
            }
            let sign = sign(entry);
            sums = [sums[0] + sign * value[0], sums[1] + sign * value[1]];
        }
        let [mut mg, mut eg] = sums;
        for (&product, values) in sample.products.iter().zip(theta[2 * IMBALANCE..PHASE].as_chunks::<2>().0) {
            mg += f64::from(product) / f64::from(IMBALANCE_SCALE) * values[0];
            eg += f64::from(product) / f64::from(IMBALANCE_SCALE) * values[1];
        }
        let weights = &theta[PHASE..BASE_WEIGHTS];
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
            tables,
        }
    }

    /// Adds the loss of one sample and its gradient to `sum`.
    fn add<const TABLES: usize>(&self, theta: &Theta, index: usize, sum: &mut LossSum) {
        let sample = &self.samples.samples[index];
        let forward = self.forward::<TABLES>(theta, index);
        let expected = sigmoid(self.k * forward.value);
        let error = expected - f64::from(sample.target);
        sum.loss += error * error;
        let Some(gradient) = &mut sum.gradient else { return };
        let outer = 2.0 * error * expected * (1.0 - expected) * self.k;
        let (mg, eg) = (outer * forward.phase, outer * (1.0 - forward.phase));
        let (scaled_mg, scaled_eg) = (mg * forward.scale, eg * forward.scale);
        let slots = gradient.as_chunks_mut::<2>().0;
        for &entry in self.samples.entries(index) {
            let at = usize::from(entry >> 1);
            let sign = sign(entry);
            let mut add = |at: usize| {
                slots[at][0] += sign * scaled_mg;
                slots[at][1] += sign * scaled_eg;
            };
            add(at);
            for table in &forward.tables[usize::from(entry & 1)][..TABLES] {
                add(offset_index(*table, at));
            }
        }
        for (&product, slots) in sample.products.iter().zip(gradient[2 * IMBALANCE..PHASE].as_chunks_mut::<2>().0) {
            slots[0] += f64::from(product) / f64::from(IMBALANCE_SCALE) * scaled_mg;
            slots[1] += f64::from(product) / f64::from(IMBALANCE_SCALE) * scaled_eg;
        }
        gradient[2 * TEMPO] += f64::from(sample.turn) * mg;
        gradient[2 * TEMPO + 1] += f64::from(sample.turn) * eg;
        for (slot, &n) in gradient[PHASE..BASE_WEIGHTS].iter_mut().zip(&sample.counts) {
            *slot += outer * forward.slope * f64::from(n) / PHASE_ONE;
        }
    }

    /// Returns the squared errors of one sample with regard to the target and to the result.
    #[must_use]
    pub fn errors(&self, theta: &Theta, index: usize) -> (f64, f64) {
        let sample = &self.samples.samples[index];
        let expected = sigmoid(self.k * self.evaluate(theta, index));
        let result = sample.result.points();
        ((expected - f64::from(sample.target)).powi(2), (expected - result).powi(2))
    }

    /// Returns the mean loss over all samples.
    #[must_use]
    pub fn mean_loss(&self, theta: &Theta) -> f64 {
        let indices: Vec<u32> = (0..self.samples.len() as u32).collect();
        self.loss(theta, &indices, false).loss
    }

    /// Returns the mean loss over the samples with the given indices, and its gradient if requested.
    #[must_use]
    pub fn loss(&self, theta: &Theta, indices: &[u32], with_gradient: bool) -> LossSum {
        match self.form.tables_per_piece() {
            0 => self.loss_with::<0>(theta, indices, with_gradient),
            1 => self.loss_with::<1>(theta, indices, with_gradient),
            _ => self.loss_with::<MAX_TABLES>(theta, indices, with_gradient),
        }
    }

    fn loss_with<const TABLES: usize>(&self, theta: &Theta, indices: &[u32], with_gradient: bool) -> LossSum {
        let empty = || LossSum { loss: 0.0, gradient: with_gradient.then(|| vec![0.0; theta.len()]) };
        let parts: Vec<&[u32]> = indices.chunks(indices.len().div_ceil(PARTS).max(1)).collect();
        let part_sum = |part: &&[u32]| {
            let mut sum = empty();
            part.iter().for_each(|&index| self.add::<TABLES>(theta, index as usize, &mut sum));
            sum
        };
        let sums: Vec<LossSum> = if self.threads < 2 || parts.len() < 2 {
            parts.iter().map(part_sum).collect()
        } else {
            thread::scope(|scope| {
                let part_sums = |parts: &[&[u32]]| parts.iter().map(part_sum).collect::<Vec<_>>();
                let started: Vec<_> = parts
                    .chunks(parts.len().div_ceil(self.threads))
                    .map(|parts| scope.spawn(move || part_sums(parts)))
                    .collect();
                let join = |thread: thread::ScopedJoinHandle<'_, Vec<LossSum>>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                started.into_iter().flat_map(join).collect()
            })
        };
        let mut total = empty();
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

fn offset_index(table: OffsetTable, at: usize) -> usize {
    table.first as usize + (at ^ table.mirror as usize)
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
    tables: [[OffsetTable; MAX_TABLES]; 2],
}

/// A loss and, if requested, its gradient.
#[derive(Clone, Debug)]
pub struct LossSum {
    /// Mean squared error of the expected score.
    pub loss: f64,
    /// Derivative of the loss with respect to each weight.
    pub gradient: Option<Vec<f64>>,
}

#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Regularization, which determines weights for which there is little data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regularization {
    /// Strength toward the mean of the piece-square table of the piece.
    pub mean: f64,
    /// Strength toward the value of the mirror square on the same rank.
    pub mirror: f64,
    /// Strength of the offsets toward zero.
    pub offsets: f64,
    /// Strength of each offset toward those of the adjacent squares on its rank and file.
    pub smooth: f64,
}

impl Regularization {
    /// Adds the gradient of the squared differences between adjacent squares of one table.
    fn add_smoothing(&self, role: usize, unit: f64, offsets: &[[f64; 2]], slopes: &mut [[f64; 2]]) {
        for square in (0..64).filter(|&square| is_possible(role, square)) {
            let adjacent = [(square % 8 < 7).then_some(square + 1), (square < 56).then_some(square + 8)];
            for other in adjacent.into_iter().flatten().filter(|&other| is_possible(role, other)) {
                for phase in 0..2 {
                    let slope = unit * self.smooth * (offsets[square][phase] - offsets[other][phase]);
                    slopes[square][phase] += slope;
                    slopes[other][phase] -= slope;
                }
            }
        }
    }

    /// Adds the gradient of the regularization.
    ///
    /// Strengths are in positions: a strength of 100 has the weight of 100 of the `count` positions at the steepest
    /// point of the logistic function.
    pub fn add(&self, theta: &Theta, k: f64, count: usize, gradient: &mut [f64]) {
        let unit = 2.0 * (k / 4.0).powi(2) / count.max(1) as f64;
        for at in BASE_WEIGHTS..theta.len() {
            gradient[at] += unit * self.offsets * theta[at];
        }
        let offsets = theta[BASE_WEIGHTS..].as_chunks::<2>().0.chunks(64);
        let slopes = gradient[BASE_WEIGHTS..].as_chunks_mut::<2>().0.chunks_mut(64);
        for (index, (offsets, slopes)) in offsets.zip(slopes).enumerate() {
            self.add_smoothing(index % 6, unit, offsets, slopes);
        }
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
