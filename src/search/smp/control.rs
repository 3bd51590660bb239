//! State shared by the threads of one search, except for the TT: stop and ponder flags, counters.
//!
//! Created for every `go`, so that a late `stop` cannot end the next search. The flags are atomics that the
//! search reads every few hundred nodes. A finished search that must not report its best move yet (`go infinite`,
//! `go ponder`) waits on a condition variable.

use crate::platform::clock::Instant;
use crate::platform::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use crate::platform::sync::{Condvar, Mutex, PoisonError};
use crate::search::smp::shared_iteration::SharedIteration;
use crate::search::time::TimeManager;

/// Counters of one thread, on a cache line of their own to avoid false sharing.
#[derive(Default)]
#[repr(align(128))]
struct ThreadCounters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// Flags and counters of one search; shared by its threads, its watchdog and the engine.
pub struct SearchControl {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Time of `ponderhit`. Its lock also protects the flags against lost wakeups.
    ponder_hit: Mutex<Option<Instant>>,
    changed: Condvar,
    counters: Vec<ThreadCounters>,
    pub(in crate::search) shared_iteration: SharedIteration,
}

impl SearchControl {
    /// Creates the control of a search with this number of threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            ponder_hit: Mutex::new(None),
            changed: Condvar::new(),
            counters: (0..threads.max(1)).map(|_| ThreadCounters::default()).collect(),
            shared_iteration: SharedIteration::default(),
        }
    }

    /// Creates the control of a search that starts by pondering.
    #[must_use]
    pub fn pondering(threads: usize) -> Self {
        Self { pondering: AtomicBool::new(true), ..Self::new(threads) }
    }

    /// Stops the search.
    pub fn stop(&self) {
        let _guard = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Returns whether the search must stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends pondering and starts the clock of the search; no effect when not pondering.
    pub fn ponder_hit(&self) {
        let mut hit = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        if self.pondering.load(Relaxed) {
            *hit = Some(Instant::now());
            self.pondering.store(false, Relaxed);
        }
        self.changed.notify_all();
    }

    /// Returns whether the search is still pondering.
    #[must_use]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Returns when the engine's clock started: at `start` or at `ponderhit`; `None` while pondering.
    #[must_use]
    pub fn clock_since(&self, start: Instant) -> Option<Instant> {
        if self.is_pondering() {
            return None;
        }
        let hit = *self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        Some(hit.unwrap_or(start))
    }

    /// Returns whether the best move may be reported: after `stop`, or if neither `infinite` nor pondering.
    #[must_use]
    pub fn may_report_best_move(&self, infinite: bool) -> bool {
        self.is_stopped() || !infinite && !self.is_pondering()
    }

    /// Waits until the best move may be reported: until `stop`, or until `ponderhit` unless `infinite`.
    pub fn wait_for_stop_or_ponderhit(&self, infinite: bool) {
        let mut guard = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.may_report_best_move(infinite) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the search should have ended: until `stop`, or until the hard limit of `time`.
    pub fn wait_for_hard_limit(&self, time: &TimeManager) {
        let mut hit = self.ponder_hit.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() {
            hit = match time.hard().filter(|_| !self.is_pondering()) {
                None => self.changed.wait(hit).unwrap_or_else(PoisonError::into_inner),
                Some(hard) => {
                    let remaining = hard.saturating_sub(hit.unwrap_or(time.start()).elapsed());
                    if remaining.is_zero() {
                        return;
                    }
                    self.changed.wait_timeout(hit, remaining).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Returns the number of threads of this search.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.counters.len()
    }

    /// Stores the current counters of thread `id`.
    pub fn publish(&self, id: usize, nodes: u64, tb_hits: u64) {
        if let Some(counter) = self.counters.get(id) {
            counter.nodes.store(nodes, Relaxed);
            counter.tb_hits.store(tb_hits, Relaxed);
        }
    }

    /// Returns the published nodes of all threads.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.nodes.load(Relaxed)).sum()
    }

    /// Returns the published tablebase hits of all threads.
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
    fn finished_search_waits_for_stop_or_ponderhit() {
        for (infinite, ponder, command) in [(true, false, "stop"), (false, true, "ponderhit"), (false, true, "stop")] {
            let control = Arc::new(if ponder { SearchControl::pondering(1) } else { SearchControl::new(1) });
            let waiter = {
                let control = Arc::clone(&control);
                std::thread::spawn(move || control.wait_for_stop_or_ponderhit(infinite))
            };
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished(), "{command}");
            if command == "stop" {
                control.stop()
            } else {
                control.ponder_hit()
            }
            waiter.join().unwrap();
        }
        SearchControl::new(1).wait_for_stop_or_ponderhit(false);
    }

    #[test]
    fn clock_starts_at_ponderhit() {
        let start = Instant::now();
        let control = SearchControl::pondering(1);
        assert_eq!(control.clock_since(start), None);
        control.ponder_hit();
        assert!(control.clock_since(start).unwrap() >= start);
        assert_eq!(SearchControl::new(1).clock_since(start), Some(start));
    }
}
