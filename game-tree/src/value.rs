//! The values of leaves and nodes, and the bounds that a search proves.

/// The value of a leaf or a node in any unit, from the perspective that the context states.
///
/// Range of leaf values: `-MAX_VALUE..=MAX_VALUE`.
pub type Value = i32;

/// The largest value of a leaf; written `inf` in a tree text.
pub const MAX_VALUE: Value = 1_000_000_000;

/// The `∞` of the sources: larger than every leaf value, including [`MAX_VALUE`].
///
/// The full window is `(-UNBOUNDED, UNBOUNDED)`, so that a leaf worth [`MAX_VALUE`] lies inside it.
pub const UNBOUNDED: Value = MAX_VALUE + 1;

/// What the value that a search returns for a node says about its minimax value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The minimax value is at most this value.
    Upper,
    /// The minimax value is at least this value.
    Lower,
    /// The minimax value is this value.
    Exact,
}
