//! Faults on demand, for the tests that show what the engine does about them.
//!
//! Only with the feature `fault-injection` can anything here go wrong; without it every function is empty and
//! compiled away. A plan is armed once, by a test or by the variable `ASPIRANT_FAULT` of the environment, as words:
//! `panic THREAD NODE` (a search thread fails when it has searched so many nodes, once), `sleep THREAD NODE MS`
//! (it does nothing for so long, once), `memory MB` (no table of this size or more is to be had), `threads COUNT` (there is
//! memory for no more search threads), `book`, `tables`
//! (the files cannot be read), `slow-tables MS` (each question to the tables takes so long), `keys BITS` (the transposition
//! table knows only so many bits of a key).

#[cfg(not(feature = "fault-injection"))]
mod plan {
    /// A search thread has come to this node.
    #[inline(always)]
    pub fn at_node(_thread: usize, _nodes: u64) {}

    /// Is an allocation of so many MB to fail?
    #[inline(always)]
    pub fn refuses(_megabytes: usize) -> bool {
        false
    }

    /// Is there to be no memory for the search thread of this number?
    #[inline(always)]
    pub fn refuses_thread(_id: usize) -> bool {
        false
    }

    /// What the transposition table sees of a key.
    #[inline(always)]
    pub fn key(key: u64) -> u64 {
        key
    }

    /// A file of this kind is about to be read.
    ///
    /// # Errors
    /// Never.
    #[inline(always)]
    pub fn read(_kind: &str) -> std::io::Result<()> {
        Ok(())
    }

    /// Arms what the environment asks for.
    #[inline(always)]
    pub fn arm_from_environment() {}
}

#[cfg(feature = "fault-injection")]
mod plan {
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    const NEVER: u64 = u64::MAX;

    static THREAD: AtomicUsize = AtomicUsize::new(0);
    static PANIC_AT: AtomicU64 = AtomicU64::new(NEVER);
    static SLEEP_AT: AtomicU64 = AtomicU64::new(NEVER);
    static SLEEP: AtomicU64 = AtomicU64::new(0);
    static MEMORY: AtomicUsize = AtomicUsize::new(usize::MAX);
    static THREADS: AtomicUsize = AtomicUsize::new(usize::MAX);
    static BOOK: AtomicBool = AtomicBool::new(false);
    static TABLES: AtomicBool = AtomicBool::new(false);
    static SLOW_TABLES: AtomicU64 = AtomicU64::new(0);
    static KEY_MASK: AtomicU64 = AtomicU64::new(u64::MAX);

    /// A search thread has come to this node.
    ///
    /// # Panics
    /// When the plan says so.
    pub fn at_node(thread: usize, nodes: u64) {
        let due = |when: &AtomicU64| {
            let at = when.load(SeqCst);
            thread == THREAD.load(SeqCst) && nodes >= at && when.compare_exchange(at, NEVER, SeqCst, SeqCst).is_ok()
        };
        if due(&SLEEP_AT) {
            std::thread::sleep(Duration::from_millis(SLEEP.load(SeqCst)));
        }
        assert!(!due(&PANIC_AT), "a planned fault in search thread {thread} at node {nodes}");
    }

    /// Is an allocation of so many MB to fail?
    pub fn refuses(megabytes: usize) -> bool {
        megabytes >= MEMORY.load(SeqCst)
    }

    /// Is there to be no memory for the search thread of this number?
    pub fn refuses_thread(id: usize) -> bool {
        id >= THREADS.load(SeqCst)
    }

    /// What the transposition table sees of a key: its highest bits.
    pub fn key(key: u64) -> u64 {
        key & KEY_MASK.load(SeqCst)
    }

    /// A file of this kind is about to be read.
    ///
    /// # Errors
    /// When the plan says so.
    pub fn read(kind: &str) -> std::io::Result<()> {
        if kind == "tables" {
            std::thread::sleep(Duration::from_millis(SLOW_TABLES.load(SeqCst)));
        }
        let fails = if kind == "book" { &BOOK } else { &TABLES };
        if fails.load(SeqCst) { Err(std::io::Error::other("a planned fault")) } else { Ok(()) }
    }

    /// Replaces the plan. Words that make no sense are left out.
    pub fn arm(plan: &str) {
        for (off, place) in [(NEVER, &PANIC_AT), (NEVER, &SLEEP_AT), (0, &SLOW_TABLES), (u64::MAX, &KEY_MASK)] {
            place.store(off, SeqCst);
        }
        MEMORY.store(usize::MAX, SeqCst);
        THREADS.store(usize::MAX, SeqCst);
        BOOK.store(false, SeqCst);
        TABLES.store(false, SeqCst);
        let words: Vec<&str> = plan.split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        match (words.first().copied(), number(1), number(2), number(3)) {
            (Some("panic"), Some(thread), Some(node), _) => {
                THREAD.store(thread as usize, SeqCst);
                PANIC_AT.store(node, SeqCst);
            }
            (Some("sleep"), Some(thread), Some(node), Some(milliseconds)) => {
                THREAD.store(thread as usize, SeqCst);
                SLEEP.store(milliseconds, SeqCst);
                SLEEP_AT.store(node, SeqCst);
            }
            (Some("keys"), Some(bits), ..) => KEY_MASK.store(!u64::MAX.checked_shr(bits as u32).unwrap_or(0), SeqCst),
            (Some("memory"), Some(megabytes), ..) => MEMORY.store(megabytes as usize, SeqCst),
            (Some("threads"), Some(count), ..) => THREADS.store(count as usize, SeqCst),
            (Some("book"), ..) => BOOK.store(true, SeqCst),
            (Some("tables"), ..) => TABLES.store(true, SeqCst),
            (Some("slow-tables"), Some(milliseconds), ..) => SLOW_TABLES.store(milliseconds, SeqCst),
            _ => {}
        }
    }

    /// Has a planned panic or sleep not happened yet?
    #[must_use]
    pub fn is_pending() -> bool {
        PANIC_AT.load(SeqCst) != NEVER || SLEEP_AT.load(SeqCst) != NEVER
    }

    /// Arms what the environment asks for.
    pub fn arm_from_environment() {
        if let Ok(plan) = std::env::var("ASPIRANT_FAULT") {
            arm(&plan);
        }
    }
}

pub use plan::*;
