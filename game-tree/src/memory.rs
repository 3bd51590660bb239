//! Transposition table in which no entry is ever replaced (the "memory" of Plaat et al.).
//!
//! The production search has a table of fixed size with a replacement scheme; here a search ends when a bounded memory is
//! full, so that MTD(+∞) is exactly SSS\* and the equality can be tested. An entry holds a lower and an upper bound
//! (Plaat et al. keep both; most engines keep only the latest). Entries are valid for one search to one depth:
//! a mate score depends on the distance from the root.
//! <https://www.chessprogramming.org/Transposition_Table>

use crate::{UNBOUNDED, Value};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The bounds for a position at a depth, from the perspective of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryEntry<M> {
    /// Lower bound of the value.
    pub lower: Value,
    /// Upper bound of the value.
    pub upper: Value,
    /// The best move, or the move that caused a cutoff.
    pub best: Option<M>,
}

/// A transposition table; see the module documentation.
#[derive(Clone, Debug)]
pub struct Memory<M> {
    entries: KeyMap<MemoryEntry<M>>,
    max_entries: usize,
}

/// A hash table whose keys are hash keys.
pub(crate) type KeyMap<T> = HashMap<u64, T, BuildHasherDefault<KeyHasher>>;

/// Returns the number of entries of the largest [`KeyMap`] of at most this size.
pub(crate) fn max_entries<T>(bytes: usize) -> usize {
    // A hash table has a power of two of slots, each with one byte of control data, and fills seven eighths of them.
    let slots = bytes / (size_of::<(u64, T)>() + 1);
    slots.checked_ilog2().map_or(0, |log| (1 << log) / 8 * 7)
}

/// A memory without size limit.
impl<M> Default for Memory<M> {
    fn default() -> Self {
        Self { entries: HashMap::default(), max_entries: usize::MAX }
    }
}

impl<M: Copy> Memory<M> {
    /// Returns a memory of at most this size, which is allocated at once; `None` if that fails.
    ///
    /// A search ends with [`TreeSearchError::MemoryFull`](crate::TreeSearchError::MemoryFull) when it is full.
    #[must_use]
    pub fn bounded(bytes: usize) -> Option<Self> {
        let max_entries = max_entries::<MemoryEntry<M>>(bytes);
        let mut entries = HashMap::default();
        entries.try_reserve(max_entries).ok()?;
        Some(Self { entries, max_entries })
    }

    /// Returns whether the limit of [`Memory::bounded`] is reached.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.max_entries
    }

    /// Returns the share of the limit of [`Memory::bounded`] that is used, permille.
    #[must_use]
    pub fn permille_full(&self) -> usize {
        (self.entries.len() as u128 * 1000 / self.max_entries.max(1) as u128) as usize
    }

    /// Returns the entry for a position with `depth` remaining plies, if there is one.
    #[must_use]
    pub fn get(&self, key: u64, depth: u32) -> Option<&MemoryEntry<M>> {
        self.entries.get(&mixed(key, depth))
    }

    /// Returns the entry for writing; creates it with open bounds if it does not exist.
    pub fn entry(&mut self, key: u64, depth: u32) -> &mut MemoryEntry<M> {
        self.entries.entry(mixed(key, depth)).or_insert(MemoryEntry { lower: -UNBOUNDED, upper: UNBOUNDED, best: None })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// Combines key and depth into one word; a bijection of the key for each depth.
const fn mixed(key: u64, depth: u32) -> u64 {
    key ^ (depth as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Mixes the bits of a word: one step of SplitMix64 (Steele, Lea and Flood 2014).
#[must_use]
pub(crate) const fn splitmix64(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// A hasher for one 64-bit word, cheaper than the standard hasher.
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
        self.0 = splitmix64(self.0 ^ word);
    }
}
