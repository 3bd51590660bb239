//! System calls without a safe interface; the only module with `unsafe` code.
//!
//! Cache prefetch, huge pages and the allocator setting do not affect results; each was adopted after measurement, and
//! additions require the same evidence. On platforms without support the functions do nothing.
#![allow(unsafe_code, reason = "no safe interface; see the module comment")]

/// Prefetches the cache line of `slice[index]`; an index out of bounds is ignored.
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(element) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no architectural effect, and the address is that of a valid reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (slice, index);
}

/// Size of a huge page, bytes.
pub const HUGE_PAGE: usize = 2 << 20;

/// Advises the kernel to back this memory with huge pages (Linux).
///
/// Fewer pages reduce TLB misses, which dominate the cost of random accesses to a large table.
pub fn advise_huge_pages<T>(slice: &[T]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let (start, bytes) = (slice.as_ptr() as usize, size_of_val(slice));
        // Only whole huge pages within the slice.
        let first = start.next_multiple_of(HUGE_PAGE);
        let end = (start + bytes) / HUGE_PAGE * HUGE_PAGE;
        if first < end {
            // SAFETY: the range lies inside one live allocation, and MADV_HUGEPAGE changes no contents.
            // A failure is harmless: the memory keeps normal pages.
            let _ = unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = slice;
}

/// Keeps glibc's threshold for mapped blocks at its initial value, 128 kB. To be called at program start.
///
/// Otherwise, glibc raises it (up to 32 MB) when a mapped block is freed, allocates the next tables on the heap and does not
/// return their memory: a session in which `Hash` and `Threads` change grows by 17 instead of 2 MB.
#[cfg(feature = "cli")]
pub fn fix_mmap_threshold() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: sets an allocator parameter. A failure leaves the default, which is correct as well.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10) };
}

/// Calls `install`, which sets signal handlers, but keeps `SIGHUP` ignored if it was ignored before, as under `nohup`.
///
/// Only on Linux; on other systems, the handlers apply.
#[cfg(feature = "cli")]
pub fn keep_hangup_ignored(install: impl FnOnce()) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: all fields are integers, flags or an optional function, for which zero is valid.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: without a new action, the call only writes the current one to `action`.
        let result = unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut action) };
        let is_ignored = result == 0 && action.sa_sigaction == libc::SIG_IGN;
        install();
        if is_ignored {
            // SAFETY: sets no function that could be called.
            let _ = unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    install();
}

/// Lets Ctrl-C only increment the number that [`take_interrupts`] returns. Only on Linux.
#[cfg(feature = "cli")]
pub fn count_interrupts() {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        extern "C" fn count(_: libc::c_int) {
            INTERRUPTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        let handler: extern "C" fn(libc::c_int) = count;
        // SAFETY: the handler only changes an atomic number.
        let _ = unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
    }
}

#[cfg(feature = "cli")]
static INTERRUPTS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Returns the number of Ctrl-C since the last call of this function.
#[cfg(feature = "cli")]
pub fn take_interrupts() -> usize {
    INTERRUPTS.swap(0, std::sync::atomic::Ordering::Relaxed)
}

/// Sets whether the terminal of stdin shows what is typed. Only on Linux.
#[cfg(feature = "cli")]
pub fn set_echo(is_on: bool) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: all fields are integers, for which zero is valid.
        let mut settings: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the call only writes the settings; it fails if stdin is no terminal.
        if unsafe { libc::tcgetattr(libc::STDIN_FILENO, &raw mut settings) } == 0 {
            settings.c_lflag = if is_on { settings.c_lflag | libc::ECHO } else { settings.c_lflag & !libc::ECHO };
            // SAFETY: the call only reads the settings, which are those of the terminal except for one flag.
            let _ = unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const settings) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = is_on;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_do_not_change_memory() {
        let words = if cfg!(miri) { 1 << 10 } else { 1 << 20 };
        let memory: Vec<u64> = (0..words).collect();
        advise_huge_pages(&memory);
        for index in [0, 1, memory.len() - 1, memory.len(), usize::MAX] {
            prefetch(&memory, index);
        }
        assert!(memory.iter().copied().eq(0..words));
        prefetch::<u64>(&[], 0);
        advise_huge_pages::<u64>(&[]);
    }
}
