//! What the threads of one search share besides the table: stop, ponder, node counters.
//!
//! Made afresh for every `go`, so that a late `stop` can never end the next search. The flags are atomics
//! that the tree reads every few hundred nodes; a search that has nothing left to do but may not answer
//! yet (`go infinite`, `go ponder`) sleeps on a condition variable until it may.

use crate::platform::clock::Instant;

use crate::platform::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use crate::platform::sync::{Condvar, Mutex, PoisonError};
use crate::search::smp::shared_iteration::Relay;
use crate::search::time::TimeManager;

/// A counter on a cache line of its own: threads that count do not disturb each other.
#[derive(Default)]
#[repr(align(128))]
struct Counter {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// Flags and counters of one search.
pub struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// When `ponderhit` came; guards the sleep of a finished search, too.
    ponder_hit: Mutex<Option<Instant>>,
    changed: Condvar,
    counters: Vec<Counter>,
    /// Finished iterations.
    pub(in crate::search) relay: Relay,
}

impl Signals {
    /// For a search of this many threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            ponder_hit: Mutex::new(None),
            changed: Condvar::new(),
            counters: (0..threads.max(1)).map(|_| Counter::default()).collect(),
            relay: Relay::default(),
        }
    }

    /// For a search on the opponent's time.
    #[must_use]
    pub fn pondering(threads: usize) -> Self {
        Self { pondering: AtomicBool::new(true), ..Self::new(threads) }
    }

    /// Ends the search.
    pub fn stop(&self) {
        let _guard = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Is the search to end?
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The opponent played the expected move: from now on the clock runs. Without effect when not pondering.
    pub fn ponder_hit(&self) {
        let mut hit = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        if self.pondering.load(Relaxed) {
            *hit = Some(Instant::now());
            self.pondering.store(false, Relaxed);
        }
        self.changed.notify_all();
    }

    /// Is this still the opponent's time?
    #[must_use]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Since when the own clock has been running: since `start`, or since `ponderhit`; `None` while pondering.
    #[must_use]
    pub fn clock_since(&self, start: Instant) -> Option<Instant> {
        if self.is_pondering() {
            return None;
        }
        let hit = *self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        Some(hit.unwrap_or(start))
    }

    /// Sleeps until the answer may be given: at `stop`, or, if it was only pondering that forbade it, at `ponderhit`.
    pub fn wait_until_allowed(&self, infinite: bool) {
        let mut guard = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Sleeps until the search should be at its end: at `stop`, or when the clock has passed the hard limit.
    pub fn wait_until_over(&self, time: &TimeManager) {
        let mut hit = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() {
            hit = match time.hard().filter(|_| !self.is_pondering()) {
                None => self.changed.wait(hit).unwrap_or_else(PoisonError::into_inner),
                Some(hard) => {
                    let left = hard.saturating_sub(hit.unwrap_or(time.start()).elapsed());
                    if left.is_zero() {
                        return;
                    }
                    self.changed.wait_timeout(hit, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Number of threads of this search.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.counters.len()
    }

    /// Thread `id` has searched this many nodes by now.
    pub fn publish(&self, id: usize, nodes: u64, tb_hits: u64) {
        if let Some(counter) = self.counters.get(id) {
            counter.nodes.store(nodes, Relaxed);
            counter.tb_hits.store(tb_hits, Relaxed);
        }
    }

    /// Nodes of all threads, as far as published.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.nodes.load(Relaxed)).sum()
    }

    /// Endgame table hits of all threads, as far as published.
    #[must_use]
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counter| counter.tb_hits.load(Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn a_finished_search_waits_for_its_word() {
        for (infinite, ponder, word) in [(true, false, "stop"), (false, true, "ponderhit"), (false, true, "stop")] {
            let signals = Arc::new(if ponder { Signals::pondering(1) } else { Signals::new(1) });
            let waiter = {
                let signals = Arc::clone(&signals);
                std::thread::spawn(move || signals.wait_until_allowed(infinite))
            };
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished(), "{word}");
            if word == "stop" {
                signals.stop()
            } else {
                signals.ponder_hit()
            }
            waiter.join().unwrap();
        }
        Signals::new(1).wait_until_allowed(false);
    }

    #[test]
    fn the_clock_starts_with_ponderhit() {
        let start = Instant::now();
        let signals = Signals::pondering(1);
        assert_eq!(signals.clock_since(start), None);
        signals.ponder_hit();
        assert!(signals.clock_since(start).unwrap() >= start);
        assert_eq!(Signals::new(1).clock_since(start), Some(start));
    }
}
