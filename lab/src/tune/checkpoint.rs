//! Checkpoints of a fit, from which an interrupted run is resumed.
//!
//! The state after each epoch is stored beside the output file. The order of the positions depends only on seed and
//! epoch, so a checkpoint stores only the weights, the best weights so far and the moments of Adam. It is used only for
//! the same fit: same data, same settings, same initial weights.

use std::path::{Path, PathBuf};

use super::form::Form;
use super::{Adam, Best, Data, TuneArgs, initial_weights_checksum};
use crate::hash::fnv1a;

const MAGIC: &[u8; 8] = b"\x89ASPTUNE";

#[derive(Clone, PartialEq, Debug)]
pub struct FitState {
    pub epoch: u32,
    /// The weights.
    pub theta: Vec<f64>,
    pub adam: Adam,
    /// The weights with the least held-out error so far.
    pub best: Best,
}

pub struct Checkpoint {
    path: PathBuf,
    /// Hash of the data, settings and initial weights of the fit.
    fit: u64,
    weights: usize,
}

impl Checkpoint {
    /// Returns the checkpoint file for a fit of these data.
    pub fn new(args: &TuneArgs, data: &Data, form: &Form, k: f64) -> Self {
        // `data_files` has the number of games, so --games can name the games of a file that has grown since.
        let fit = super::FitArgs { threads: None, games: None, ..args.fit.clone() };
        let settings = format!(
            "{:?} {} {form} {fit:?} {:x} {:x}",
            data.data_files,
            data.positions(),
            k.to_bits(),
            initial_weights_checksum()
        );
        Self {
            path: args.out().with_extension("rs.state"),
            fit: fnv1a(settings.as_bytes()),
            weights: form.weight_count(),
        }
    }

    /// Loads the state stored by an interrupted run of the same fit; `None` if there is none.
    pub fn load(&self) -> Option<FitState> {
        self.decode(&std::fs::read(&self.path).ok()?)
    }

    /// Stores a state; replaces the file atomically.
    pub fn save(&self, state: &FitState) -> std::io::Result<()> {
        crate::files::replace_file(&self.path, &self.encode(state))
    }

    /// Removes the file after a completed fit.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn encode(&self, state: &FitState) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.fit.to_le_bytes());
        out.extend(state.epoch.to_le_bytes());
        out.extend(state.adam.steps.to_le_bytes());
        out.extend(state.best.epoch.to_le_bytes());
        out.extend(state.best.loss.to_le_bytes());
        for numbers in [&state.theta, &state.adam.mean, &state.adam.square, &state.best.theta] {
            out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        let sum = fnv1a(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    fn decode(&self, bytes: &[u8]) -> Option<FitState> {
        let (body, sum) = bytes.split_last_chunk()?;
        let (magic, rest) = body.split_first_chunk::<8>()?;
        let (fit, rest) = rest.split_first_chunk()?;
        let (epoch, rest) = rest.split_first_chunk()?;
        let (steps, rest) = rest.split_first_chunk()?;
        let (best_epoch, rest) = rest.split_first_chunk()?;
        let (best_loss, rest) = rest.split_first_chunk()?;
        let (numbers, remainder) = rest.as_chunks();
        let is_valid =
            magic == MAGIC && u64::from_le_bytes(*fit) == self.fit && u64::from_le_bytes(*sum) == fnv1a(body);
        if !is_valid || !remainder.is_empty() || numbers.len() != 4 * self.weights {
            return None;
        }
        let mut parts =
            numbers.chunks(self.weights).map(|part| part.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect());
        let (theta, mean, square, best) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let adam = Adam { mean, square, steps: i32::from_le_bytes(*steps) };
        let best = Best { epoch: u32::from_le_bytes(*best_epoch), loss: f64::from_le_bytes(*best_loss), theta: best };
        Some(FitState { epoch: u32::from_le_bytes(*epoch), theta, adam, best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_loaded_only_by_the_same_fit() {
        let path = std::env::temp_dir().join(format!("aspirant-tune-state-{}", std::process::id()));
        let checkpoint = Checkpoint { path: path.clone(), fit: 7, weights: 900 };
        let numbers = |from: usize| (0..900).map(|n| (from + n) as f64 * 0.1).collect::<Vec<_>>();
        let adam = Adam { mean: numbers(5), square: numbers(9), steps: 99 };
        let best = Best { epoch: 2, loss: 0.07, theta: numbers(3) };
        let state = FitState { epoch: 3, theta: numbers(1), adam, best };
        assert_eq!(checkpoint.load(), None);
        checkpoint.save(&state).unwrap();
        assert_eq!(checkpoint.load(), Some(state));
        assert_eq!(Checkpoint { path: path.clone(), fit: 8, weights: 900 }.load(), None);
        let bytes = std::fs::read(&path).unwrap();
        for damaged in [&bytes[..bytes.len() - 1], &bytes[8..], &[bytes.as_slice(), b"x"].concat(), b""] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(checkpoint.load(), None);
        }
        checkpoint.remove();
        assert!(!path.exists());
    }
}
