//! The clock of the search: [`Instant`], from std or, in WebAssembly, from the host.

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use host::{Instant, host_ends_slice, set_host_clock, set_host_pause};

/// Returns whether the host of a WebAssembly build requests the end of the slice.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
#[must_use]
pub const fn host_ends_slice() -> bool {
    false
}

/// A clock provided by the host (`performance.now` in a browser): std's `Instant` panics here.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod host {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Sets the clock: a function that returns milliseconds since any fixed point and never goes back.
    ///
    /// Without one, the time is always 0. Only the first call has an effect.
    pub fn set_host_clock(milliseconds: fn() -> f64) {
        let _ = CLOCK.set(milliseconds);
    }

    static PAUSE: OnceLock<fn() -> bool> = OnceLock::new();

    /// Sets a function that the search calls every few hundred nodes. If it returns `true`, the slice ends; it must then
    /// return `true` until `run_slice` has returned.
    ///
    /// It may suspend the program and let the host handle events. Only the first call has an effect.
    pub fn set_host_pause(pause: fn() -> bool) {
        let _ = PAUSE.set(pause);
    }

    /// Calls the function of [`set_host_pause`]. Not inlined, because `web/build.py` names it.
    #[inline(never)]
    #[must_use]
    pub fn host_ends_slice() -> bool {
        PAUSE.get().is_some_and(|pause| pause())
    }

    /// A point in time of the host's clock.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns the current time.
        #[must_use]
        pub fn now() -> Self {
            let milliseconds = CLOCK.get().map_or(0.0, |clock| clock());
            Self(Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default())
        }

        /// Returns the point `time` later, or `None` if it is out of range.
        #[must_use]
        pub fn checked_add(&self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Self)
        }

        /// Returns the time since this point.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }

        /// Returns the time from `earlier` to this point; zero if `earlier` is later.
        #[must_use]
        pub fn duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }
}
