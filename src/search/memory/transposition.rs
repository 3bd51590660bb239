//! The transposition table: what earlier searches found out about a position.
//!
//! One allocation of 64-bit words, read and written by all threads without locks. An entry is two words,
//! the data and the key exclusive-or the data: a torn write makes a key that matches nothing, so a mixed
//! entry is never believed (Hyatt and Mann 2002). Four entries fill one cache line; the entry that is
//! replaced is the shallowest, counting each search since it was written as lost depth. A foreign position
//! with an equal key is possible all the same: moves are checked for legality before use.
//! <https://www.chessprogramming.org/Transposition_Table>, <https://www.chessprogramming.org/Shared_Hash_Table>

use std::hint::select_unpredictable;

use crate::board::movegen::PackedMove;
use crate::platform::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use crate::platform::system;
use crate::score::{Bound, INFINITY, MATE, Score};

const ENTRIES: usize = 4;
const WORDS: usize = 2 * ENTRIES;
const LINE: usize = 64;
const AGES: u8 = 32;

/// What the table knows about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best or refuting move; may be none, may be illegal here.
    pub best: PackedMove,
    /// The score, counted from the node (see [`crate::score::from_table`]).
    pub score: Score,
    /// The static evaluation, or [`NO_EVAL`].
    pub eval: Score,
    /// Depth of the search that found it, plies.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
    /// Was it ever searched as a PV-node?
    pub pv: bool,
}

/// Stands for "no static evaluation" (the side to move was in check).
pub const NO_EVAL: Score = INFINITY;

impl Entry {
    fn pack(self, age: u8) -> u64 {
        let flags = self.bound as u8 | u8::from(self.pv) << 2 | age << 3;
        u64::from(self.best.0)
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(flags) << 56
    }

    /// Any 64 bits give an entry that is safe to use: scores are clamped to what a search can return.
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

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

fn age_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// The entries of a line, each read once: whose key it has, and its data.
fn read(line: &[AtomicU64]) -> ([u64; ENTRIES], [u64; ENTRIES]) {
    let data = std::array::from_fn(|n| line[2 * n + 1].load(Relaxed));
    (std::array::from_fn(|n| line[2 * n].load(Relaxed) ^ data[n]), data)
}

/// Which entry is this key's? All are compared, for where a search through them would end cannot be foretold.
fn holder(keys: &[u64; ENTRIES], key: u64) -> Option<usize> {
    let found = (0..ENTRIES).fold(0, |found, n| found | u32::from(keys[n] == key) << n);
    (found != 0).then_some(found.trailing_zeros() as usize)
}

/// The entry to replace: one that is empty, or the shallowest, each search since it was written a lost depth.
fn least_worth(data: &[u64; ENTRIES], age: u8) -> usize {
    const LESS_THAN_ANY: i32 = -4 * AGES as i32;
    let worth = |n: usize| {
        let searches_ago = i32::from((AGES + age - age_of(data[n])) % AGES);
        let worth = select_unpredictable(data[n] == 0, LESS_THAN_ANY, depth_of(data[n]) - 4 * searches_ago);
        worth * ENTRIES as i32 + n as i32
    };
    let least = (0..ENTRIES).map(worth).min().unwrap_or(0);
    least.rem_euclid(ENTRIES as i32) as usize
}

/// A shared table of a fixed size.
pub struct Table {
    words: Box<[AtomicU64]>,
    /// Index of the first word on a cache line.
    first: usize,
    lines: usize,
    megabytes: usize,
    age: AtomicU8,
}

impl Table {
    /// Allocates about `megabytes` MB (at least 1). If the memory cannot be had, half of it is tried, and so
    /// on: ask [`Table::megabytes`] for what was got.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        let mut size = megabytes.max(1);
        loop {
            let lines = size.saturating_mul(1 << 20) / LINE;
            // One line more than used, so that the first can start where a cache line starts.
            let words = if crate::platform::fault::refuses(size) {
                Err(())
            } else {
                bytemuck::allocation::try_zeroed_slice_box::<AtomicU64>((lines + 1) * WORDS)
            };
            match words {
                Ok(words) => {
                    system::advise_large_pages(&words);
                    let first = (words.as_ptr() as usize).wrapping_neg() % LINE / size_of::<u64>();
                    return Self { words, first, lines, megabytes: size, age: AtomicU8::new(0) };
                }
                Err(()) if size > 1 => size /= 2,
                // Not even a megabyte: a table of one line finds nothing but is correct.
                Err(()) => {
                    let words = (0..2 * WORDS).map(|_| AtomicU64::new(0)).collect();
                    return Self { words, first: 0, lines: 1, megabytes: 0, age: AtomicU8::new(0) };
                }
            }
        }
    }

    /// The size, in MB.
    #[must_use]
    pub fn megabytes(&self) -> usize {
        self.megabytes
    }

    /// Where the line of a key starts: the high half of a multiplication spreads keys over any number of lines.
    fn start(&self, key: u64) -> usize {
        let index = ((u128::from(key) * self.lines as u128) >> 64) as usize;
        self.first + index * WORDS
    }

    fn line(&self, key: u64) -> &[AtomicU64] {
        let start = self.start(key);
        &self.words[start..start + WORDS]
    }

    /// The line of this key will be probed soon.
    pub fn prefetch(&self, key: u64) {
        system::prefetch(&self.words, self.start(key));
    }

    /// What the table knows about the position with this key.
    #[must_use]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let key = crate::platform::fault::key(key);
        let (keys, data) = read(self.line(key));
        let data = data[holder(&keys, key)?];
        (data != 0).then(|| Entry::unpack(data))
    }

    /// Remembers a result. A result without a move keeps the move that was known; a much shallower one of the
    /// same position is not worth a deeper one unless it is exact.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let key = crate::platform::fault::key(key);
        let age = self.age.load(Relaxed);
        let line = self.line(key);
        let (keys, data) = read(line);
        let place = match holder(&keys, key) {
            Some(place) => {
                let known = data[place];
                if !entry.best.is_some() {
                    entry.best = PackedMove(known as u16);
                }
                let fresher = entry.bound == Bound::Exact
                    || age_of(known) != age
                    || entry.depth + 4 + 2 * i32::from(entry.pv) > depth_of(known);
                if !fresher {
                    return;
                }
                place
            }
            None => least_worth(&data, age),
        };
        let data = entry.pack(age);
        line[2 * place].store(key ^ data, Relaxed);
        line[2 * place + 1].store(data, Relaxed);
    }

    /// A new search begins: what is there grows older.
    pub fn new_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// Filled entries of the current search, in thousandths, from a sample.
    #[must_use]
    pub fn permille_full(&self) -> usize {
        let age = self.age.load(Relaxed);
        let sample = self.lines.min(250);
        let words = &self.words[self.first..self.first + sample * WORDS];
        let used = words.chunks_exact(2).map(|pair| pair[1].load(Relaxed));
        used.filter(|&data| data != 0 && age_of(data) == age).count() * 1000 / (sample * ENTRIES)
    }

    /// The whole table in about `parts` pieces, each to be passed to [`Table::clear_part`] by a thread of its own.
    pub fn parts(&self, parts: usize) -> impl Iterator<Item = &[AtomicU64]> {
        self.words.chunks(self.words.len().div_ceil(parts.max(1)).max(1))
    }

    /// Forgets everything in this piece.
    pub fn clear_part(part: &[AtomicU64]) {
        part.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        Self::clear_part(&self.words);
        self.age.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32, best: u16) -> Entry {
        Entry { best: PackedMove(best), score: -321, eval: 45, depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_is_found_and_nothing_else() {
        let table = Table::new(1);
        assert_eq!(table.probe(0), None);
        let keys = if cfg!(miri) { 50 } else { 2000 };
        for key in (1..keys).map(|n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
            table.store(key, entry(7, 99));
            assert_eq!(table.probe(key), Some(entry(7, 99)));
            assert_eq!(table.probe(!key), None);
        }
    }

    #[test]
    fn a_known_move_survives_a_result_without_one() {
        let table = Table::new(1);
        table.store(5, entry(3, 77));
        table.store(5, entry(4, 0));
        assert_eq!(table.probe(5).unwrap().best, PackedMove(77));
    }

    #[test]
    fn the_shallow_and_the_old_make_room() {
        let table = Table::new(1);
        // All these keys share the first line.
        for depth in 1..=4 {
            table.store(depth as u64, entry(10 * depth, 1));
        }
        table.store(5, entry(2, 1));
        assert!(table.probe(1).is_none() && table.probe(2).is_some() && table.probe(5).is_some());
        for _ in 0..12 {
            table.new_search();
        }
        table.store(6, entry(1, 1));
        table.store(7, entry(1, 1));
        assert!(table.probe(6).is_some() && table.probe(7).is_some());
    }

    #[test]
    fn any_bits_unpack_to_a_usable_entry() {
        let mut random = fastrand::Rng::with_seed(2);
        let tries = if cfg!(miri) { 1000 } else { 100_000 };
        for _ in 0..tries {
            let e = Entry::unpack(random.u64(..));
            assert!(e.score.abs() <= MATE && (0..=255).contains(&e.depth));
        }
    }

    #[test]
    fn sizes_are_honored() {
        for megabytes in [1, 3, 16] {
            let table = Table::new(megabytes);
            let bytes = table.words.len() * 8;
            assert!(bytes >= megabytes << 20 && bytes <= (megabytes << 20) + 64);
            assert_eq!(table.words[table.first..].as_ptr() as usize % LINE, 0);
        }
        // More than any machine has: something smaller is got, and said. (Miri itself ends where memory does.)
        if !cfg!(miri) {
            assert!(Table::new(1 << 40).megabytes() < 1 << 40);
        }
    }

    #[test]
    fn clearing_by_parts_reaches_every_word() {
        let table = Table::new(1);
        let keys = if cfg!(miri) { 500 } else { 50_000 };
        for key in (0..keys).map(|n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
            table.store(key, entry(1, 1));
        }
        assert!(table.permille_full() > 0);
        table.parts(3).for_each(Table::clear_part);
        assert!(table.words.iter().all(|w| w.load(Relaxed) == 0));
    }
}
