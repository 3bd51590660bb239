//! The one place with `unsafe`: five hints to processor and system that have no safe spelling, and one beside them that has.
//!
//! None can change a value: a prefetch moves a cache line nearer, an advice lets the kernel back memory with
//! larger pages, settings of the allocator let tables have pages of their own, free memory goes back when it is said
//! to, a thread's store of small blocks is filled at once, a short slice lets a thread run soon after it is woken. All
//! earn their place by measurement (see `docs/performance.md` and, for the last four, `docs/reliability.md`); where the
//! platform does not offer one, it does nothing. Nothing else may be added here without the same evidence.
#![allow(unsafe_code, reason = "hints that have no safe interface; see the module comment")]

/// Asks for the cache line of `slice[index]`; an index outside the slice is ignored.
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(element) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address is architecturally harmless, and this one is a valid reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (slice, index);
}

/// Lets the kernel back this memory with large pages, where it offers that. Fewer pages mean fewer misses of the
/// address translation cache, which random accesses to a large table pay for each time.
pub fn advise_large_pages<T>(slice: &[T]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const LARGE_PAGE: usize = 2 << 20;
        let (start, bytes) = (slice.as_ptr() as usize, size_of_val(slice));
        // Whole large pages inside the slice only.
        let first = start.next_multiple_of(LARGE_PAGE);
        let end = (start + bytes) / LARGE_PAGE * LARGE_PAGE;
        if first < end {
            // SAFETY: the range lies inside one live allocation, and MADV_HUGEPAGE changes no contents.
            // A refusal is no error: the memory then has small pages.
            let _ = unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = slice;
}

/// Tables get pages of their own and give them back when they are dropped, for the life of the process. glibc begins so,
/// but takes each freed table as a reason to keep tables of that size (up to 32 MB) among all other memory from then on,
/// where what lies between them stays in the way: with changing options a process of 40 MB grew by a quarter in minutes,
/// and a table that was made smaller gave nothing back. A limit that is set stays; at 4 kB it includes whatever belongs to
/// a searcher. Small things share one heap for all threads, where by default each new thread may begin one of its own
/// and leave it behind half empty; as searches allocate nothing, nobody waits for it.
pub fn give_tables_their_own_pages() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    for (setting, value) in [(libc::M_MMAP_THRESHOLD, 4 << 10), (libc::M_ARENA_MAX, 1)] {
        // SAFETY: this sets a number of the allocator. A refusal leaves it at its default, which is correct, too.
        let _ = unsafe { libc::mallopt(setting, value) };
    }
}

/// What was freed goes back to the system, also from the middle of the heap, where the allocator would keep it for as long
/// as anything above is in use. For the times between games.
pub fn give_free_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: no memory in use is touched. That there was nothing to give back is no error.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// What the allocator will put by for this thread, it gets at once and in one piece. glibc keeps up to seven freed blocks of
/// each of 64 sizes up to a kilobyte for every thread, as they come and wherever they lie, and each holds its page: a
/// process of 26 MB went on growing by a percent for hours. For long-lived threads that come by blocks of many sizes.
pub fn fill_store_of_small_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    {
        let sizes = (24..=1032).step_by(16).flat_map(|size| [size; 7]);
        let blocks: Vec<Vec<u8>> = sizes.map(Vec::with_capacity).collect();
        drop(std::hint::black_box(blocks));
    }
}

/// This thread works for microseconds at a time: let it have a processor in slices of a tenth of a millisecond, sooner
/// than threads that want to compute for milliseconds. It gets no larger share than they and no other priority. From
/// Linux 6.12 on; threads that this one starts inherit it.
pub fn ask_for_short_slices() {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const SLICE: u64 = 100_000; // nanoseconds, the least there is
        // SAFETY: all numbers, for which zeros are values.
        let mut wanted: libc::sched_attr = unsafe { std::mem::zeroed() };
        let (this_thread, size) = (0, size_of::<libc::sched_attr>());
        // SAFETY: the kernel writes at most `size` bytes there.
        let known = unsafe { libc::syscall(libc::SYS_sched_getattr, this_thread, &raw mut wanted, size, 0) };
        if known == 0 && i64::from(wanted.sched_policy) == i64::from(libc::SCHED_OTHER) {
            wanted.sched_runtime = SLICE;
            // SAFETY: the kernel reads what it has written, but for the slice. A refusal leaves the slice as it was.
            let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, this_thread, &raw const wanted, 0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_change_nothing() {
        let words = if cfg!(miri) { 1 << 10 } else { 1 << 20 };
        let memory: Vec<u64> = (0..words).collect();
        advise_large_pages(&memory);
        for index in [0, 1, memory.len() - 1, memory.len(), usize::MAX] {
            prefetch(&memory, index);
        }
        assert!(memory.iter().copied().eq(0..words));
        prefetch::<u64>(&[], 0);
        advise_large_pages::<u64>(&[]);
        fill_store_of_small_blocks();
        std::thread::spawn(ask_for_short_slices).join().unwrap();
    }
}
