//! The UCI engine as a WebAssembly module without threads; `aspirant.js` is its host.
//!
//! Exports: [`start`] once, then [`alloc`] and [`line`] for each line of the client. Imports (module `env`): `now`, a
//! clock in milliseconds; `send`, which receives each line of output as UTF-8; `pause`, which the search calls every few
//! hundred nodes and which may suspend it (`aspirant.js`). A suspended call of [`line`] must be continued to its end
//! before the next one.

use std::cell::{OnceCell, RefCell};

#[cfg(feature = "algorithms")]
pub use aspirant_web_algorithms as algorithms;

#[cfg(feature = "test-search")]
#[path = "../../../examples/negamax.rs"]
pub mod negamax;

use aspirant::engine::{BuildError, Engine, StopHandle};
use aspirant::platform::clock::{set_host_clock, set_host_pause};
use aspirant::uci::Session;

mod host {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// Milliseconds since any fixed point.
        pub safe fn now() -> f64;
        /// Receives a line of output.
        pub fn send(text: *const u8, length: usize);
        /// May suspend the program. Returns 1 to stop the search, 2 for `ponderhit`, otherwise 0.
        ///
        /// `waiting` is 1 while the search has ended and waits for `stop` or `ponderhit`.
        pub safe fn pause(waiting: u32) -> u32;
    }
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static STOP_HANDLE: OnceCell<StopHandle> = const { OnceCell::new() };
}

/// Sends a line to the host.
fn send(line: &str) {
    // SAFETY: the host reads `line.len()` bytes at `line.as_ptr()` before it returns.
    unsafe { host::send(line.as_ptr(), line.len()) };
}

fn now() -> f64 {
    host::now()
}

/// Lets the host handle events, and stops the search or ends pondering if the host requests it.
///
/// Not inlined, to be a function of its own in the file.
#[inline(never)]
fn pause(waiting: bool) {
    let request = host::pause(waiting.into());
    STOP_HANDLE.with(|handle| match (request, handle.get()) {
        (1, Some(handle)) => handle.stop(),
        (2, Some(handle)) => handle.ponder_hit(),
        _ => {}
    });
}

/// Starts the engine. `seed` initializes its random numbers.
#[unsafe(no_mangle)]
pub extern "C" fn start(seed: u64) {
    std::panic::set_hook(Box::new(|panic| send(&format!("info string {panic}").replace('\n', " "))));
    set_host_clock(now);
    set_host_pause(pause);
    fastrand::seed(seed);
    match engine() {
        Ok(engine) => {
            STOP_HANDLE.with(|handle| drop(handle.set(engine.stop_handle())));
            SESSION.set(Some(Session::new(engine, send)));
        }
        Err(error) => send(&format!("info string {error}")),
    }
}

#[cfg(feature = "test-search")]
fn engine() -> Result<Engine, BuildError> {
    negamax::engine()
}

#[cfg(not(feature = "test-search"))]
fn engine() -> Result<Engine, BuildError> {
    // Not by the builder, whose generic code would be compiled a second time in this package.
    Engine::new(aspirant::config::Config::default())
}

/// Allocates a buffer for a line of `length` bytes, to be passed to [`line`].
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Handles a line of the client and frees its buffer; returns 0 after `quit`, otherwise 1. `go` searches.
///
/// # Safety
/// `text` must be the result of [`alloc`] with the same `length`, and must not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn line(text: *mut u8, length: usize) -> u32 {
    // SAFETY: guaranteed by the caller.
    let text = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text, length)) };
    let line = String::from_utf8_lossy(&text);
    SESSION.with_borrow_mut(|session| session.as_mut().is_none_or(|session| session.handle_line(&line))).into()
}
