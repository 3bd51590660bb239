//! The clock of the search: [`Instant`], from std or, in WebAssembly, from the host.

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use host::{Instant, host_pause, set_host_clock, set_host_pause};

/// Lets the host of a WebAssembly build handle events; returns whether there is one. `waiting`: nothing is left to do.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub const fn host_pause(_waiting: bool) -> bool {
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

    static PAUSE: OnceLock<fn(bool)> = OnceLock::new();

    /// Sets a function that the search calls every few hundred nodes.
    ///
    /// It may suspend the program, let the host handle events and call `stop` or `ponder_hit` of a
    /// [`StopHandle`](crate::engine::StopHandle). Its argument is `true` while the search has ended and waits for
    /// either. Only the first call has an effect.
    pub fn set_host_pause(pause: fn(bool)) {
        let _ = PAUSE.set(pause);
    }

    /// Calls the function of [`set_host_pause`]. Not inlined, because `web/build.py` names it.
    #[inline(never)]
    pub fn host_pause(waiting: bool) -> bool {
        PAUSE.get().map(|pause| pause(waiting)).is_some()
    }

    /// A point in time of the host's clock.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        #[must_use]
        pub fn now() -> Self {
            let milliseconds = CLOCK.get().map_or(0.0, |clock| clock());
            Self(Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default())
        }

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
