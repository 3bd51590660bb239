//! State shared by the threads of one search, except for the TT: stop and ponder flags, counters.
//!
//! Created for every `go`, so that a late `stop` cannot end the next search. The flags are atomics that the
//! search reads every few hundred nodes. A finished search that must not report its best move yet (`go infinite`,
//! `go ponder`) waits on a condition variable.

use std::time::Duration;

use crate::platform::clock::Instant;
use crate::platform::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use crate::platform::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Time after `stop` at which the watchdog reports the best move.
const GRACE_AFTER_STOP: Duration = Duration::from_secs(1);
/// Time that a search thread gets to end its job after the report of a best move, even if the report took long.
const RETURN_TIME: Duration = Duration::from_millis(20);
/// Maximum number of nodes between two checks of the clock by [`SearchControl::is_check_due`].
const MAX_CHECK_INTERVAL: u64 = 512;

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
    /// Its lock also protects the flags against lost wakeups.
    events: Mutex<Events>,
    changed: Condvar,
    counters: Vec<ThreadCounters>,
    /// Nodes between two checks of the clock, for a search that calls `SearchRequest::should_stop`.
    check_interval: AtomicU64,
}

/// What has happened to a search.
#[derive(Default)]
struct Events {
    /// Time of `ponderhit`.
    ponder_hit: Option<Instant>,
    /// Time of the first `stop`.
    stopped: Option<Instant>,
    /// Time at which the best move was reported.
    answered: Option<Instant>,
    /// Whether the search function has returned.
    returned: bool,
}

impl SearchControl {
    /// Creates the control of a search with this number of threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            events: Mutex::new(Events::default()),
            changed: Condvar::new(),
            counters: (0..threads.max(1)).map(|_| ThreadCounters::default()).collect(),
            check_interval: AtomicU64::new(0),
        }
    }

    /// Creates the control of a search that starts by pondering.
    #[must_use]
    pub fn pondering(threads: usize) -> Self {
        Self { pondering: AtomicBool::new(true), ..Self::new(threads) }
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the search at the request of the user, who waits for the best move from now on.
    pub fn stop(&self) {
        let mut events = self.events();
        events.stopped.get_or_insert_with(Instant::now);
        self.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Ends the search of all threads, because its result is known or it has failed.
    pub fn finish(&self) {
        let _events = self.events();
        self.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Ends the wait of the watchdog, because the best move is reported.
    pub fn set_answered(&self) {
        self.events().answered.get_or_insert_with(Instant::now);
        self.changed.notify_all();
    }

    /// Returns whether the best move has been reported.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.events().answered.is_some()
    }

    /// Ends the waits for the search thread, which is free again.
    pub fn set_returned(&self) {
        self.events().returned = true;
        self.changed.notify_all();
    }

    /// Waits until the search thread is free; returns whether it is.
    ///
    /// Gives up if the search has not returned `patience` after the best move was reported, which the watchdog does for
    /// a search that hangs.
    pub fn wait_for_return(&self, patience: Duration) -> bool {
        let start = Instant::now();
        let mut events = self.events();
        while !events.returned {
            let left = |answered: Instant| {
                let at_least = RETURN_TIME.min(patience).saturating_sub(start.elapsed());
                patience.saturating_sub(answered.elapsed()).max(at_least)
            };
            events = match events.answered.map(left) {
                None => self.changed.wait(events).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return false,
                Some(time) => self.changed.wait_timeout(events, time).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        true
    }

    /// Returns whether the search must stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends pondering and starts the clock of the search; no effect when not pondering.
    pub fn ponder_hit(&self) {
        let mut events = self.events();
        if self.pondering.load(Relaxed) {
            events.ponder_hit = Some(Instant::now());
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
        Some(self.events().ponder_hit.unwrap_or(start))
    }

    /// Returns whether the best move may be reported: after `stop`, or if neither `infinite` nor pondering.
    #[must_use]
    pub fn may_report_best_move(&self, infinite: bool) -> bool {
        self.may_report_after(&self.events(), infinite)
    }

    fn may_report_after(&self, events: &Events, infinite: bool) -> bool {
        events.stopped.is_some() || events.answered.is_some() || !infinite && !self.is_pondering()
    }

    /// Waits until the best move may be reported: until `stop`, or until `ponderhit` unless `infinite`.
    pub fn wait_for_stop_or_ponderhit(&self, infinite: bool) {
        let mut events = self.events();
        while !self.may_report_after(&events, infinite) {
            events = self.changed.wait(events).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the best move as long as that costs nothing; returns whether it has been reported.
    ///
    /// Gives up one second after `stop`, and at `deadline` on a clock that has been running since `start` or `ponderhit`.
    pub fn wait_for_answer(&self, start: Instant, deadline: Option<Duration>) -> bool {
        let mut events = self.events();
        while events.answered.is_none() {
            let clock_start = events.ponder_hit.unwrap_or(start);
            let to_deadline =
                deadline.filter(|_| !self.is_pondering()).map(|time| time.saturating_sub(clock_start.elapsed()));
            let after_stop = events.stopped.map(|stopped| GRACE_AFTER_STOP.saturating_sub(stopped.elapsed()));
            events = match [to_deadline, after_stop].into_iter().flatten().min() {
                None => self.changed.wait(events).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return false,
                Some(time) => self.changed.wait_timeout(events, time).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        true
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

    /// Returns whether a search of one thread should check the clock again after this number of nodes.
    #[inline]
    #[must_use]
    pub fn is_check_due(&self, nodes: u64) -> bool {
        let last = self.counters.first().map_or(0, |counter| counter.nodes.load(Relaxed));
        // Fewer nodes than before wrap around: the check is due for a search that counts from 0 again, too.
        nodes.wrapping_sub(last) >= self.check_interval.load(Relaxed)
    }

    /// Sets the next check of the clock to about one millisecond later, at most 512 nodes.
    ///
    /// `nodes` have been searched in `elapsed`.
    pub fn set_next_check(&self, nodes: u64, elapsed: Duration) {
        let per_millisecond = u128::from(nodes) / elapsed.as_millis().max(1);
        let interval = u64::try_from(per_millisecond).unwrap_or(u64::MAX).clamp(1, MAX_CHECK_INTERVAL);
        self.check_interval.store(interval, Relaxed);
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
    fn clock_is_checked_every_millisecond_or_512_nodes() {
        let control = SearchControl::new(1);
        assert!(control.is_check_due(0));
        for (nodes, milliseconds, interval) in [(4, 0, 4), (100, 200, 1), (100, 20, 5), (90_000, 20, 512)] {
            control.publish(0, nodes, 0);
            control.set_next_check(nodes, Duration::from_millis(milliseconds));
            assert!(!control.is_check_due(nodes + interval - 1) && control.is_check_due(nodes + interval), "{nodes}");
            assert!(control.is_check_due(nodes - 1), "a search that counts from 0 again");
        }
    }

    #[test]
    fn wait_for_return_gives_up_only_after_the_best_move() {
        let control = Arc::new(SearchControl::new(1));
        let waiter = {
            let control = Arc::clone(&control);
            std::thread::spawn(move || control.wait_for_return(Duration::from_millis(5)))
        };
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiter.is_finished());
        control.set_answered();
        assert!(!waiter.join().unwrap());
        control.set_returned();
        assert!(control.wait_for_return(Duration::ZERO));
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
