//! Fault injection for tests.
//!
//! Without the feature `fault-injection`, all functions are empty and compiled away. A fault is set by `arm` in a
//! test, or by the environment variable `ASPIRANT_FAULT` at program start:
//!
//! | fault | effect |
//! |---|---|
//! | `panic THREAD NODE` | the search thread panics once, after this number of nodes |
//! | `sleep THREAD NODE MS` | the search thread sleeps once, after this number of nodes, for this time or until `arm` is called |
//! | `memory MB` | allocations of a transposition table of this size or more fail |
//! | `threads COUNT` | the allocation of a search thread fails if its id is COUNT or greater |
//! | `book`, `syzygy` | reading these files fails |
//! | `slow-syzygy MS` | each tablebase probe takes this long, at most until `arm` is called |
//! | `key-bits BITS` | the transposition table uses only this many bits of a key |

#[cfg(not(feature = "fault-injection"))]
mod imp {
    /// Called by a search thread at every node.
    #[inline(always)]
    pub fn at_node(_thread: usize, _nodes: u64) {}

    /// Returns whether an allocation of this size in MB fails.
    #[inline(always)]
    pub fn allocation_fails(_megabytes: usize) -> bool {
        false
    }

    /// Returns whether the allocation of the search thread with this id fails.
    #[inline(always)]
    pub fn thread_allocation_fails(_id: usize) -> bool {
        false
    }

    /// Returns the part of a key that the transposition table uses.
    #[inline(always)]
    pub fn mask_key(key: u64) -> u64 {
        key
    }

    /// Called before a file of this kind is read.
    ///
    /// # Errors
    /// Never.
    #[inline(always)]
    pub fn before_read(_kind: &str) -> std::io::Result<()> {
        Ok(())
    }

    /// Arms the fault of the environment variable `ASPIRANT_FAULT`.
    #[inline(always)]
    pub fn arm_from_env() {}
}

#[cfg(feature = "fault-injection")]
mod imp {
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
    use std::time::{Duration, Instant};

    const NEVER: u64 = u64::MAX;

    static THREAD: AtomicUsize = AtomicUsize::new(0);
    static PANIC_AT: AtomicU64 = AtomicU64::new(NEVER);
    static SLEEP_AT: AtomicU64 = AtomicU64::new(NEVER);
    static SLEEP_MS: AtomicU64 = AtomicU64::new(0);
    static MEMORY_MB: AtomicUsize = AtomicUsize::new(usize::MAX);
    static THREADS: AtomicUsize = AtomicUsize::new(usize::MAX);
    static BOOK: AtomicBool = AtomicBool::new(false);
    static SYZYGY: AtomicBool = AtomicBool::new(false);
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

    /// Returns whether an allocation of this size in MB fails.
    pub fn allocation_fails(megabytes: usize) -> bool {
        megabytes >= MEMORY_MB.load(SeqCst)
    }

    /// Returns whether the allocation of the search thread with this id fails.
    pub fn thread_allocation_fails(id: usize) -> bool {
        id >= THREADS.load(SeqCst)
    }

    /// Returns the part of a key that the transposition table uses: its highest bits.
    pub fn mask_key(key: u64) -> u64 {
        key & KEY_MASK.load(SeqCst)
    }

    /// Called before a file of this kind (`book` or `syzygy`) is read.
    ///
    /// # Errors
    /// If the injected fault is a read error of this kind.
    pub fn before_read(kind: &str) -> std::io::Result<()> {
        if kind == "syzygy" {
            sleep(&SLOW_SYZYGY_MS);
        }
        let fails = if kind == "book" { &BOOK } else { &SYZYGY };
        if fails.load(SeqCst) { Err(std::io::Error::other("injected fault")) } else { Ok(()) }
    }

    /// Replaces the armed fault; an empty or invalid text disarms it.
    pub fn arm(fault: &str) {
        for (disarmed, setting) in
            [(NEVER, &PANIC_AT), (NEVER, &SLEEP_AT), (0, &SLEEP_MS), (0, &SLOW_SYZYGY_MS), (u64::MAX, &KEY_MASK)]
        {
            setting.store(disarmed, SeqCst);
        }
        MEMORY_MB.store(usize::MAX, SeqCst);
        THREADS.store(usize::MAX, SeqCst);
        BOOK.store(false, SeqCst);
        SYZYGY.store(false, SeqCst);
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
            (Some("memory"), Some(megabytes), ..) => MEMORY_MB.store(megabytes as usize, SeqCst),
            (Some("threads"), Some(count), ..) => THREADS.store(count as usize, SeqCst),
            (Some("book"), ..) => BOOK.store(true, SeqCst),
            (Some("syzygy"), ..) => SYZYGY.store(true, SeqCst),
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
