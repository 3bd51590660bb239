//! The state of a fit after an epoch, beside the table file: an interrupted run goes on from there.
//!
//! The order of the positions follows from seed and epoch alone, so that numbers and moments are all there is
//! to keep. A state is used only if it was left by the same fit: same data, same settings, same start.

use std::path::{Path, PathBuf};

use super::model::SIZE;
use super::{Adam, Args, Data};
use crate::game_file::fingerprint;
use aspirant::tools::fnv1a;

const MAGIC: &[u8; 8] = b"\x89ASPTUNE";

/// A fit that is under way.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Epochs done.
    pub epoch: u32,
    /// The numbers.
    pub theta: Vec<f64>,
    /// The optimizer.
    pub adam: Adam,
}

/// Where states of one fit are kept.
pub struct Checkpoint {
    path: PathBuf,
    /// A number that is different for different fits.
    fit: u64,
}

impl Checkpoint {
    /// For a fit of these data.
    pub fn new(args: &Args, data: &Data, k: f64) -> Self {
        let settings = format!(
            "{:?} {} {} {} {} {} {} {} {} {} {:x}",
            data.origins,
            data.records.len(),
            args.epochs,
            args.batch,
            args.rate,
            args.result,
            args.pull,
            args.mirror,
            args.seed,
            k.to_bits(),
            fingerprint()
        );
        Self { path: args.out.with_extension("rs.state"), fit: fnv1a(settings.as_bytes()) }
    }

    /// The state that an interrupted run of the same fit left.
    pub fn load(&self) -> Option<State> {
        self.decode(&std::fs::read(&self.path).ok()?)
    }

    /// Keeps a state; the old one stays until the new one is whole.
    pub fn save(&self, state: &State) -> std::io::Result<()> {
        aspirant::tools::replace_file(&self.path, &self.encode(state))
    }

    /// The fit is finished.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }

    /// The file itself, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn encode(&self, state: &State) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.fit.to_le_bytes());
        out.extend(state.epoch.to_le_bytes());
        out.extend(state.adam.steps.to_le_bytes());
        for numbers in [&state.theta, &state.adam.mean, &state.adam.square] {
            out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        let sum = fnv1a(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let (body, sum) = bytes.split_last_chunk()?;
        let (magic, rest) = body.split_first_chunk::<8>()?;
        let (fit, rest) = rest.split_first_chunk()?;
        let (epoch, rest) = rest.split_first_chunk()?;
        let (steps, rest) = rest.split_first_chunk()?;
        let (numbers, odd) = rest.as_chunks();
        let genuine = magic == MAGIC && u64::from_le_bytes(*fit) == self.fit && u64::from_le_bytes(*sum) == fnv1a(body);
        if !genuine || !odd.is_empty() || numbers.len() != 3 * SIZE {
            return None;
        }
        let mut parts = numbers.chunks(SIZE).map(|part| part.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect());
        let (theta, mean, square) = (parts.next()?, parts.next()?, parts.next()?);
        let adam = Adam { mean, square, steps: i32::from_le_bytes(*steps) };
        Some(State { epoch: u32::from_le_bytes(*epoch), theta, adam })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_for_its_own_fit_only() {
        let path = std::env::temp_dir().join(format!("aspirant-tune-state-{}", std::process::id()));
        let mine = Checkpoint { path: path.clone(), fit: 7 };
        let numbers = |from: usize| (0..SIZE).map(|n| (from + n) as f64 * 0.1).collect::<Vec<_>>();
        let adam = Adam { mean: numbers(5), square: numbers(9), steps: 99 };
        let state = State { epoch: 3, theta: numbers(1), adam };
        assert_eq!(mine.load(), None);
        mine.save(&state).unwrap();
        assert_eq!(mine.load(), Some(state));
        assert_eq!(Checkpoint { path: path.clone(), fit: 8 }.load(), None);
        let bytes = std::fs::read(&path).unwrap();
        for damaged in [&bytes[..bytes.len() - 1], &bytes[8..], &[bytes.as_slice(), b"x"].concat(), b""] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(mine.load(), None);
        }
        mine.remove();
        assert!(!path.exists());
    }
}
