//! State shared between threads: the TT.
//!
//! Small enough for Miri, which also explores weak memory orderings:
//! `MIRIFLAGS="-Zmiri-many-seeds -Zmiri-disable-isolation" cargo +nightly miri test --test it concurrency`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aspirant::board::movegen::PackedMove;
use aspirant::score::Bound;
use aspirant::search::memory::transposition::{TranspositionTable, TtEntry};

const ROUNDS: usize = if cfg!(miri) { 40 } else { 200_000 };

/// Returns one of several versions of an entry; all fields derive from key and version, so a mixture equals none.
fn entry(key: u64, version: u64) -> TtEntry {
    let bits = (key ^ version.wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1;
    let depth = 1 + (bits >> 48 & 63) as i32;
    let (best, score) = (PackedMove(bits as u16), i32::from(bits as u16 % 2000));
    TtEntry { best, score, eval: depth * 7, depth, bound: Bound::Exact, pv: bits >> 40 & 1 == 1 }
}

/// official-stockfish/Stockfish#5369.
#[test]
fn torn_tt_entries_are_rejected() {
    let (table, hits) = (TranspositionTable::new(1), AtomicUsize::new(0));
    thread::scope(|scope| {
        for id in 0..3 {
            let (table, hits) = (&table, &hits);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(id);
                for _ in 0..ROUNDS {
                    // Six keys compete for one cache line of four entries.
                    let key = random.u64(1..=6);
                    if random.bool() {
                        table.store(key, entry(key, random.u64(0..8)));
                    } else if let Some(found) = table.probe(key) {
                        assert!((0..8).any(|version| entry(key, version) == found), "{key}: {found:?}");
                        hits.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(hits.into_inner() > 0, "no entry was found");
}

/// pkrisz99/Renegade#190.
#[test]
#[cfg_attr(miri, ignore = "one thread only, and clearing megabytes takes minutes under Miri")]
fn larger_hash_keeps_more_entries() {
    let mut last = 0;
    for megabytes in [1, 3, 8] {
        let table = TranspositionTable::new(megabytes);
        let mut random = fastrand::Rng::with_seed(22);
        let keys: Vec<u64> = (0..2 * ROUNDS).map(|_| random.u64(..)).collect();
        keys.iter().for_each(|&key| table.store(key, entry(key, 0)));
        let found = keys.iter().filter(|&&key| table.probe(key).is_some()).count();
        assert!(found > last + last / 4, "{megabytes} MB: {found} entries, {last} with the smaller size");
        last = found;
    }
}
