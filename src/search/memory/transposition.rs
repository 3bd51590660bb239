//! The transposition table: results of earlier searches by position key.
//!
//! One allocation of 64-bit words that all threads read and write without locks. An entry has two words, the data and
//! the key XOR the data. A torn write gives a key that does not match, so an entry mixed from two is never used (Hyatt
//! and Mann, 2002). Four entries form a cluster of one cache line. An empty entry is replaced first, otherwise the one
//! with the lowest value: its depth minus four plies for each search since it was written. Key collisions remain
//! possible, so the TT move is checked for legality before it is used.
//! <https://www.chessprogramming.org/Transposition_Table>, <https://www.chessprogramming.org/Shared_Hash_Table>

use std::hint::select_unpredictable;

use crate::board::movegen::PackedMove;
use crate::platform::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use crate::platform::system;
use crate::score::{Bound, INFINITY, MATE, Score};

/// Entries per cluster.
const CLUSTER_SIZE: usize = 4;
const CLUSTER_WORDS: usize = 2 * CLUSTER_SIZE;
/// Bytes per cache line, and per cluster.
const CACHE_LINE: usize = 64;
/// Alignment of the table, bytes. On Linux, that of huge pages, so that at most its end is on small pages.
const ALIGNMENT: usize = if cfg!(target_os = "linux") { system::HUGE_PAGE } else { CACHE_LINE };
/// Number of generations; the generation of a search wraps around and fits 5 bits.
const GENERATIONS: u8 = 32;

/// The stored result of the search of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TtEntry {
    /// Best or refutation move; may be none, and may be illegal after a key collision.
    pub best: PackedMove,
    /// Score. In the table, mate and tablebase scores count from this node; `Searcher::tt_probe` and `tt_store` convert
    /// from and to scores that count from the root.
    pub score: Score,
    /// Raw static evaluation, or [`NO_EVAL`].
    pub eval: Score,
    /// Depth of the search, plies.
    pub depth: i32,
    pub bound: Bound,
    /// Whether the position was searched as a PV node.
    pub pv: bool,
}

/// No static evaluation: the side to move was in check, or the evaluation was not computed.
pub const NO_EVAL: Score = INFINITY;

impl TtEntry {
    /// Packs the entry into 64 bits.
    ///
    /// From the low end: move, score, evaluation (16 bits each), depth (8), bound (2), PV flag (1), generation (5).
    fn pack(self, generation: u8) -> u64 {
        let flags = self.bound as u8 | u8::from(self.pv) << 2 | generation << 3;
        u64::from(self.best.0)
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(flags) << 56
    }

    /// Unpacks an entry.
    ///
    /// Any 64 bits are safe: the score is clamped to the range of search scores, and the search clamps `eval`.
    fn unpack(data: u64) -> Self {
        let flags = (data >> 56) as u8;
        Self {
            best: PackedMove(data as u16),
            score: Score::from((data >> 16) as i16).clamp(-MATE, MATE),
            eval: Score::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            bound: Bound::from_bits(flags),
            pv: flags & 4 != 0,
        }
    }
}

/// Depth of a packed entry.
fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

/// Generation of a packed entry.
fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// Reads the keys and the data of a cluster, each word once.
fn read_cluster(cluster: &[AtomicU64]) -> ([u64; CLUSTER_SIZE], [u64; CLUSTER_SIZE]) {
    let data = std::array::from_fn(|slot| cluster[2 * slot + 1].load(Relaxed));
    (std::array::from_fn(|slot| cluster[2 * slot].load(Relaxed) ^ data[slot]), data)
}

/// Returns the slot of the entry with this key.
///
/// Compares all slots without branches, since the position of a match is unpredictable.
fn find_slot(keys: &[u64; CLUSTER_SIZE], key: u64) -> Option<usize> {
    let matches = (0..CLUSTER_SIZE).fold(0, |matches, slot| matches | u32::from(keys[slot] == key) << slot);
    (matches != 0).then_some(matches.trailing_zeros() as usize)
}

/// Returns the slot to replace: an empty one, else the one of least value.
///
/// The value is the depth, less four plies for each search since the entry was written.
fn replacement_slot(data: &[u64; CLUSTER_SIZE], generation: u8) -> usize {
    const EMPTY: i32 = -4 * GENERATIONS as i32;
    let value_and_slot = |slot: usize| {
        let age = i32::from((GENERATIONS + generation - generation_of(data[slot])) % GENERATIONS);
        let value = select_unpredictable(data[slot] == 0, EMPTY, depth_of(data[slot]) - 4 * age);
        value * CLUSTER_SIZE as i32 + slot as i32
    };
    let least = (0..CLUSTER_SIZE).map(value_and_slot).min().unwrap_or(0);
    least.rem_euclid(CLUSTER_SIZE as i32) as usize
}

#[cfg(test)]
thread_local! {
    /// Number of bits of a key that are used, to test key collisions.
    pub static KEY_BITS: std::cell::Cell<u32> = const { std::cell::Cell::new(64) };
}

/// Returns the part of a key that identifies an entry: all of it, except in a test.
#[inline(always)]
fn stored_key(key: u64) -> u64 {
    #[cfg(test)]
    let key = key & !u64::MAX.checked_shr(KEY_BITS.get()).unwrap_or(0);
    key
}

/// A transposition table of fixed size, shared by all search threads.
pub struct TranspositionTable {
    words: Box<[AtomicU64]>,
    /// Index of the first word of the first cluster.
    first: usize,
    clusters: usize,
    megabytes: usize,
    /// Generation of the current search.
    generation: AtomicU8,
}

impl TranspositionTable {
    /// Allocates a table of `megabytes` MB (at least 1).
    ///
    /// If the allocation fails, the size is halved until it succeeds; [`TranspositionTable::megabytes`] returns the
    /// actual size.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        let mut size = megabytes.max(1);
        loop {
            let clusters = size.saturating_mul(1 << 20) / CACHE_LINE;
            let bytes = (clusters * CACHE_LINE).saturating_add(ALIGNMENT);
            match bytemuck::allocation::try_zeroed_slice_box::<AtomicU64>(bytes / size_of::<u64>()) {
                Ok(words) => {
                    system::advise_huge_pages(&words);
                    let first = (words.as_ptr() as usize).wrapping_neg() % ALIGNMENT / size_of::<u64>();
                    return Self { words, first, clusters, megabytes: size, generation: AtomicU8::new(0) };
                }
                Err(()) if size > 1 => size /= 2,
                // Not even 1 MB is available: a table of one cluster is useless but correct.
                Err(()) => {
                    let words = (0..2 * CLUSTER_WORDS).map(|_| AtomicU64::new(0)).collect();
                    return Self { words, first: 0, clusters: 1, megabytes: 0, generation: AtomicU8::new(0) };
                }
            }
        }
    }

    /// Returns the size in MB; 0 if not even 1 MB could be allocated.
    #[must_use]
    pub fn megabytes(&self) -> usize {
        self.megabytes
    }

    /// Returns the index of the first word of the cluster of a key.
    ///
    /// The high half of a 128-bit product maps keys evenly to any number of clusters.
    fn cluster_start(&self, key: u64) -> usize {
        let index = ((u128::from(key) * self.clusters as u128) >> 64) as usize;
        self.first + index * CLUSTER_WORDS
    }

    fn cluster(&self, key: u64) -> &[AtomicU64] {
        let start = self.cluster_start(key);
        &self.words[start..start + CLUSTER_WORDS]
    }

    fn all_clusters(&self) -> &[AtomicU64] {
        &self.words[self.first..][..self.clusters * CLUSTER_WORDS]
    }

    /// Prefetches the cluster of a key that is about to be probed.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        system::prefetch(&self.words, self.cluster_start(key));
    }

    /// Returns the entry of the position with this key.
    #[must_use]
    #[inline]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        let key = stored_key(key);
        let (keys, data) = read_cluster(self.cluster(key));
        let data = data[find_slot(&keys, key)?];
        (data != 0).then(|| TtEntry::unpack(data))
    }

    /// Stores a result.
    ///
    /// Without a best move, the move of an existing entry is kept. An entry of the current search is not replaced by a
    /// much shallower result for the same position, unless that is exact. Depths are clamped to 0 to 255.
    #[inline]
    pub fn store(&self, key: u64, mut entry: TtEntry) {
        let key = stored_key(key);
        let generation = self.generation.load(Relaxed);
        let cluster = self.cluster(key);
        let (keys, data) = read_cluster(cluster);
        let slot = match find_slot(&keys, key) {
            Some(slot) => {
                let existing = data[slot];
                if !entry.best.is_some() {
                    entry.best = PackedMove(existing as u16);
                }
                let replaces = entry.bound == Bound::Exact
                    || generation_of(existing) != generation
                    || entry.depth + 4 + 2 * i32::from(entry.pv) > depth_of(existing);
                if !replaces {
                    return;
                }
                slot
            }
            None => replacement_slot(&data, generation),
        };
        let data = entry.pack(generation);
        cluster[2 * slot].store(key ^ data, Relaxed);
        cluster[2 * slot + 1].store(data, Relaxed);
    }

    /// Starts a new generation, in which existing entries are more likely to be replaced.
    pub fn new_search(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    /// Returns the permille of slots filled in the current search, from a sample (`hashfull`).
    #[must_use]
    pub fn hashfull(&self) -> usize {
        let generation = self.generation.load(Relaxed);
        let sample = self.clusters.min(250);
        let words = &self.all_clusters()[..sample * CLUSTER_WORDS];
        let entries = words.chunks_exact(2).map(|pair| pair[1].load(Relaxed));
        entries.filter(|&data| data != 0 && generation_of(data) == generation).count() * 1000 / (sample * CLUSTER_SIZE)
    }

    /// Resets the generation and splits the table into about `parts` parts, for [`TranspositionTable::clear_part`].
    pub fn parts_to_clear(&self, parts: usize) -> impl Iterator<Item = &[AtomicU64]> {
        self.generation.store(0, Relaxed);
        let words = self.all_clusters();
        words.chunks(words.len().div_ceil(parts.max(1)).max(1))
    }

    /// Clears one part of the table.
    pub fn clear_part(part: &[AtomicU64]) {
        part.iter().for_each(|word| word.store(0, Relaxed));
    }

    pub fn clear(&self) {
        self.parts_to_clear(1).for_each(Self::clear_part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32, best: u16) -> TtEntry {
        TtEntry { best: PackedMove(best), score: -321, eval: 45, depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn stored_entry_is_found_by_its_key_only() {
        let tt = TranspositionTable::new(1);
        assert_eq!(tt.probe(0), None);
        let keys = if cfg!(miri) { 50 } else { 2000 };
        for key in (1..keys).map(|n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
            tt.store(key, entry(7, 99));
            assert_eq!(tt.probe(key), Some(entry(7, 99)));
            assert_eq!(tt.probe(!key), None);
        }
    }

    #[test]
    fn store_without_move_keeps_the_existing_move() {
        let tt = TranspositionTable::new(1);
        tt.store(5, entry(3, 77));
        tt.store(5, entry(4, 0));
        assert_eq!(tt.probe(5).unwrap().best, PackedMove(77));
    }

    #[test]
    fn shallow_and_old_entries_are_replaced_first() {
        let tt = TranspositionTable::new(1);
        // All these keys map to the first cluster.
        for depth in 1..=4 {
            tt.store(depth as u64, entry(10 * depth, 1));
        }
        tt.store(5, entry(2, 1));
        assert!(tt.probe(1).is_none() && tt.probe(2).is_some() && tt.probe(5).is_some());
        for _ in 0..12 {
            tt.new_search();
        }
        tt.store(6, entry(1, 1));
        tt.store(7, entry(1, 1));
        assert!(tt.probe(6).is_some() && tt.probe(7).is_some());
    }

    #[test]
    fn any_bits_unpack_to_a_usable_entry() {
        let mut random = fastrand::Rng::with_seed(2);
        let tries = if cfg!(miri) { 1000 } else { 100_000 };
        for _ in 0..tries {
            let e = TtEntry::unpack(random.u64(..));
            assert!(e.score.abs() <= MATE && (0..=255).contains(&e.depth));
        }
    }

    #[test]
    fn sizes_are_honored() {
        for megabytes in [1, 3, 16] {
            let tt = TranspositionTable::new(megabytes);
            let bytes = tt.words.len() * 8;
            assert!(bytes >= megabytes << 20 && bytes <= (megabytes << 20) + ALIGNMENT);
            assert_eq!(tt.all_clusters().as_ptr() as usize % ALIGNMENT, 0);
        }
        // More than any machine has: a smaller table is allocated. (Miri aborts when out of memory.)
        if !cfg!(miri) {
            assert!(TranspositionTable::new(1 << 40).megabytes() < 1 << 40);
        }
    }

    #[test]
    fn clearing_by_parts_reaches_every_word() {
        let tt = TranspositionTable::new(1);
        let keys = if cfg!(miri) { 500 } else { 50_000 };
        for key in (0..keys).map(|n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
            tt.store(key, entry(1, 1));
        }
        assert!(tt.hashfull() > 0);
        tt.parts_to_clear(3).for_each(TranspositionTable::clear_part);
        assert!(tt.words.iter().all(|w| w.load(Relaxed) == 0));
    }
}
