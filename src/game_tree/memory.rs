//! Memory for searches that come back to a node: bounds per position and depth, without limit.
//!
//! The production search has a table of fixed size whose entries replace each other; here nothing is
//! ever lost, so that MTD(+∞) is exactly SSS* and a property can be tested. An entry holds both a lower
//! and an upper bound (Plaat et al. keep both; most engines keep the last one only). Entries are valid
//! for one search of one depth: a mate found eight plies deep is not the same score seven plies deep.
//! <https://www.chessprogramming.org/Transposition_Table>

use super::UNBOUNDED;
use crate::score::Score;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What is known about a position at a depth; scores for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryEntry<M> {
    /// The value is at least this.
    pub lower: Score,
    /// The value is at most this.
    pub upper: Score,
    /// The move that was best or that cut off.
    pub best: Option<M>,
}

/// An unlimited transposition table. See the module's essay.
#[derive(Clone, Debug)]
pub struct Memory<M> {
    entries: HashMap<u64, MemoryEntry<M>, BuildHasherDefault<KeyHasher>>,
}

impl<M> Default for Memory<M> {
    fn default() -> Self {
        Self { entries: HashMap::default() }
    }
}

impl<M: Copy> Memory<M> {
    /// What is known about a position with `depth` plies to go.
    #[must_use]
    pub fn get(&self, key: u64, depth: u32) -> Option<&MemoryEntry<M>> {
        self.entries.get(&mixed(key, depth))
    }

    /// The entry to write to; made if missing.
    pub fn entry(&mut self, key: u64, depth: u32) -> &mut MemoryEntry<M> {
        self.entries.entry(mixed(key, depth)).or_insert(MemoryEntry { lower: -UNBOUNDED, upper: UNBOUNDED, best: None })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Number of positions known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is nothing known?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// One word for position and depth: a bijection of the key for each depth.
const fn mixed(key: u64, depth: u32) -> u64 {
    key ^ (depth as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Scatters a 64-bit word: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[must_use]
pub(crate) const fn scatter(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Hashes one 64-bit word, cheaper than the standard hasher.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = scatter(self.0 ^ word);
    }
}
