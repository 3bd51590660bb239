//! Fault injection for tests.
//!
//! Without the feature `fault-injection`, all functions are empty and compiled away. A fault is set by `arm` in a
//! test, or by the environment variable `ASPIRANT_FAULT` at program start:
//!
//! | fault | effect |
//! |---|---|
//! | `panic THREAD NODE` | the search thread panics once, after this number of nodes |
//! | `sleep THREAD NODE MS` | the search thread sleeps once, after this number of nodes, for this time or until `arm` is called |
//! | `slow-syzygy MS` | each tablebase probe takes this long, at most until `arm` is called |
//! | `key-bits BITS` | the transposition table uses only this many bits of a key |

#[cfg(not(feature = "fault-injection"))]
mod imp {
    /// Called by a search thread at every node.
    #[inline(always)]
    pub fn at_node(_thread: usize, _nodes: u64) {}

    /// Returns the part of a key that the transposition table uses.
    #[inline(always)]
    pub fn mask_key(key: u64) -> u64 {
        key
    }

    /// Called before a tablebase is probed.
    #[inline(always)]
    pub fn before_probe() {}

    /// Arms the fault of the environment variable `ASPIRANT_FAULT`.
    #[inline(always)]
    pub fn arm_from_env() {}
}

#[cfg(feature = "fault-injection")]
mod imp {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
    use std::time::{Duration, Instant};

    const NEVER: u64 = u64::MAX;

    static THREAD: AtomicUsize = AtomicUsize::new(0);
    static PANIC_AT: AtomicU64 = AtomicU64::new(NEVER);
    static SLEEP_AT: AtomicU64 = AtomicU64::new(NEVER);
    static SLEEP_MS: AtomicU64 = AtomicU64::new(0);
    static SLOW_SYZYGY_MS: AtomicU64 = AtomicU64::new(0);
    static KEY_MASK: AtomicU64 = AtomicU64::new(u64::MAX);

    /// Sleeps for this number of milliseconds, or until `arm` sets it to 0.
    fn sleep(milliseconds: &AtomicU64) {
        let end = Instant::now() + Duration::from_millis(milliseconds.load(SeqCst));
        while Instant::now() < end && milliseconds.load(SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Called by a search thread at every node; executes a due panic or sleep.
    ///
    /// # Panics
    /// If an injected panic is due.
    pub fn at_node(thread: usize, nodes: u64) {
        let is_due = |trigger: &AtomicU64| {
            let at = trigger.load(SeqCst);
            thread == THREAD.load(SeqCst) && nodes >= at && trigger.compare_exchange(at, NEVER, SeqCst, SeqCst).is_ok()
        };
        if is_due(&SLEEP_AT) {
            sleep(&SLEEP_MS);
        }
        assert!(!is_due(&PANIC_AT), "injected fault in search thread {thread} at node {nodes}");
    }

    /// Returns the part of a key that the transposition table uses: its highest bits.
    pub fn mask_key(key: u64) -> u64 {
        key & KEY_MASK.load(SeqCst)
    }

    /// Called before a tablebase is probed.
    pub fn before_probe() {
        sleep(&SLOW_SYZYGY_MS);
    }

    /// Replaces the armed fault; an empty or invalid text disarms it.
    pub fn arm(fault: &str) {
        for (disarmed, setting) in
            [(NEVER, &PANIC_AT), (NEVER, &SLEEP_AT), (0, &SLEEP_MS), (0, &SLOW_SYZYGY_MS), (u64::MAX, &KEY_MASK)]
        {
            setting.store(disarmed, SeqCst);
        }
        let words: Vec<&str> = fault.split_whitespace().collect();
        let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
        match (words.first().copied(), number(1), number(2), number(3)) {
            (Some("panic"), Some(thread), Some(node), _) => {
                THREAD.store(thread as usize, SeqCst);
                PANIC_AT.store(node, SeqCst);
            }
            (Some("sleep"), Some(thread), Some(node), Some(milliseconds)) => {
                THREAD.store(thread as usize, SeqCst);
                SLEEP_MS.store(milliseconds, SeqCst);
                SLEEP_AT.store(node, SeqCst);
            }
            (Some("key-bits"), Some(bits), ..) => {
                KEY_MASK.store(!u64::MAX.checked_shr(bits as u32).unwrap_or(0), SeqCst)
            }
            (Some("slow-syzygy"), Some(milliseconds), ..) => SLOW_SYZYGY_MS.store(milliseconds, SeqCst),
            _ => {}
        }
    }

    /// Returns whether an armed panic or sleep has not occurred yet.
    #[must_use]
    pub fn is_pending() -> bool {
        PANIC_AT.load(SeqCst) != NEVER || SLEEP_AT.load(SeqCst) != NEVER
    }

    /// Arms the fault of the environment variable `ASPIRANT_FAULT`.
    pub fn arm_from_env() {
        if let Ok(fault) = std::env::var("ASPIRANT_FAULT") {
            arm(&fault);
        }
    }
}

pub use imp::*;
