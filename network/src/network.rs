//! The network: inputs, weights, their file, and the output.
//!
//! Each side has its view of the board: own pieces first, the own back rank at the bottom, the own king on files a to d
//! (otherwise the view is mirrored). The inputs are piece and square. They share one hidden layer, whose neurons of both
//! views, clipped and squared, are the inputs of the output: first those of the side to move. The weights of the output
//! depend on the number of pieces.
//! <https://www.chessprogramming.org/NNUE>, <https://github.com/jw1912/bullet/blob/main/docs/1-basics.md>

use std::path::Path;

use aspirant::score::Score;
use aspirant::shakmaty::{Board, Color, Piece, Square};

/// Number of hidden neurons of each view.
pub const HIDDEN: usize = 64;
/// Number of output weight sets, by the number of pieces.
pub const BUCKETS: usize = 8;
/// Number of inputs of each view: kinds of pieces times squares.
const INPUTS: usize = 12 * 64;
/// Quantization of the hidden layer: the value of 1, at which its neurons are clipped. The weights are at most 1.9, so that
/// the sum of those of 32 pieces fits 16 bits.
const HIDDEN_ONE: i16 = 510;
/// The value of 1 in the output: half of the square of 255, the value of a clipped neuron, times 512, the quantization of
/// the output weights. `train.py` limits them so that the sum of `HIDDEN` products fits 32 bits.
const OUTPUT_ONE: i64 = 255 * 255 * 512 / 2;
/// First bytes of a network file.
const MAGIC: [u8; 8] = *b"ASPNET1\n";
/// Size of a network file: magic, three numbers of 16 bits, weights.
pub(crate) const FILE_SIZE: usize = 8 + 3 * 2 + 2 * HIDDEN * (INPUTS + 1) + BUCKETS * (4 * HIDDEN + 4);

/// The reason why a network cannot be used.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file does not begin as a network file.
    #[error("not a network file: its first bytes are not 'ASPNET1'")]
    Magic,
    /// The network has other layers.
    #[error("{hidden} hidden neurons and {buckets} buckets, expected {HIDDEN} and {BUCKETS}, those of this program")]
    Layers {
        /// Its number of hidden neurons.
        hidden: u16,
        /// Its number of output weight sets.
        buckets: u16,
    },
    /// The file is truncated or too long.
    #[error("{0} bytes, expected {FILE_SIZE}")]
    Size(usize),
}

/// A value for each hidden neuron of a view. Aligned for vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Neurons(pub [i16; HIDDEN]);

impl Neurons {
    /// All values 0.
    pub const ZERO: Self = Self([0; HIDDEN]);
}

/// Pieces that a move takes off the board and puts on it, as inputs of a view.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes {
    inputs: [usize; 4],
    len: usize,
    removed: usize,
}

impl Changes {
    /// Adds a change; all removed inputs precede the added ones.
    pub fn push(&mut self, input: usize, added: bool) {
        self.inputs[self.len] = input;
        self.len += 1;
        self.removed += usize::from(!added);
    }
}

/// The weights.
#[derive(Debug)]
pub struct Network {
    hidden: Vec<Neurons>,
    bias: Neurons,
    /// By bucket: for the neurons of the side to move, and of the other side.
    output: [[Neurons; 2]; BUCKETS],
    output_bias: [i32; BUCKETS],
    /// Centipawns of an output of 1.
    scale: i64,
}

impl Network {
    /// Reads a network file.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let read = std::fs::read(path);
        Self::from_bytes(&read.map_err(|source| NetworkError::Read { path: path.display().to_string(), source })?)
    }

    /// Reads the content of a network file, as `train.py` writes it; numbers are little-endian.
    ///
    /// Magic · numbers of hidden neurons and buckets, scale (u16) · hidden weights by input, hidden bias (i16) · for each
    /// bucket, output weights (i16) · output biases (i32).
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(NetworkError::Magic)?;
        let Some((&[a, b, c, d, e, f], rest)) = rest.split_first_chunk() else {
            return Err(NetworkError::Size(bytes.len()));
        };
        let (hidden, buckets) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        if (usize::from(hidden), usize::from(buckets)) != (HIDDEN, BUCKETS) {
            return Err(NetworkError::Layers { hidden, buckets });
        }
        if bytes.len() != FILE_SIZE {
            return Err(NetworkError::Size(bytes.len()));
        }
        let (hidden, rest) = rest.split_at(2 * HIDDEN * (INPUTS + 1));
        let (output, output_bias) = rest.split_at(4 * HIDDEN * BUCKETS);
        let row = |bytes: &[u8]| Neurons(std::array::from_fn(|n| i16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]])));
        let mut hidden: Vec<Neurons> = hidden.chunks_exact(2 * HIDDEN).map(row).collect();
        let output: Vec<Neurons> = output.chunks_exact(2 * HIDDEN).map(row).collect();
        Ok(Self {
            bias: hidden.pop().unwrap_or(Neurons::ZERO),
            hidden,
            output: std::array::from_fn(|bucket| [output[2 * bucket], output[2 * bucket + 1]]),
            output_bias: std::array::from_fn(|bucket| {
                i32::from_le_bytes(std::array::from_fn(|byte| output_bias[4 * bucket + byte]))
            }),
            scale: u16::from_le_bytes([e, f]).into(),
        })
    }

    /// Returns the index of the input for a piece in the view of a side.
    #[inline]
    #[must_use]
    pub fn input(view: Color, is_mirrored: bool, piece: Piece, square: Square) -> usize {
        let kind = piece.role as usize - 1 + if piece.color == view { 0 } else { 6 };
        64 * kind + (square as usize ^ view.fold_wb(0, 56) ^ if is_mirrored { 7 } else { 0 })
    }

    /// Computes the sums of the hidden neurons from the board.
    #[must_use]
    pub fn sums(&self, view: Color, is_mirrored: bool, board: &Board) -> Neurons {
        let mut sums = self.bias;
        for (square, piece) in board.iter() {
            let weights = &self.hidden[Self::input(view, is_mirrored, piece, square)].0;
            sums.0.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        sums
    }

    /// Computes the sums after a move from those before it, in one pass: the compiler vectorizes each loop.
    #[inline]
    pub fn update(&self, changes: &Changes, Neurons(from): &Neurons, Neurons(to): &mut Neurons) {
        let [a, b, c, d] = changes.inputs.map(|input| &self.hidden[input].0);
        match (changes.removed, changes.len) {
            (1, _) => (0..HIDDEN).for_each(|n| to[n] = from[n] - a[n] + b[n]),
            (_, 3) => (0..HIDDEN).for_each(|n| to[n] = from[n] - a[n] - b[n] + c[n]),
            _ => (0..HIDDEN).for_each(|n| to[n] = from[n] - a[n] - b[n] + c[n] + d[n]),
        }
    }

    /// Returns the score in centipawns from the sums of the side to move and the other side.
    #[inline]
    #[must_use]
    pub fn output(&self, sums: [&Neurons; 2], pieces: usize) -> Score {
        let bucket = (pieces.saturating_sub(2) / 4).min(BUCKETS - 1);
        let mut total = i64::from(self.output_bias[bucket]);
        for (Neurons(sums), Neurons(weights)) in sums.into_iter().zip(&self.output[bucket]) {
            let mut sum = 0;
            for n in 0..HIDDEN {
                // Half of its square fits 16 bits, for which there are vector instructions that multiply and add.
                let value = (sums[n].clamp(0, HIDDEN_ONE) as u16).div_ceil(2);
                sum += i32::from((value * value / 2) as i16) * i32::from(weights[n]);
            }
            total += i64::from(sum);
        }
        (total * self.scale / OUTPUT_ONE) as Score
    }
}
