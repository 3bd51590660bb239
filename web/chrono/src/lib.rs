//! The duration type that vampirc-uci and the UCI front end use; see Cargo.toml.

/// A signed duration in whole milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Duration(i64);

impl Duration {
    /// Creates a duration from milliseconds.
    #[must_use]
    pub const fn milliseconds(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    #[must_use]
    pub const fn num_milliseconds(&self) -> i64 {
        self.0
    }
}
