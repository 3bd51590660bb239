//! The UCI engine as a WebAssembly module without threads; `aspirant.js` is its host.
//!
//! Exports: [`start`] once, then [`alloc`] and [`line`] for each line of the client, and [`run_slice`] while a search
//! is running. Imports (module `env`): `now`, a clock in milliseconds; `send`, which receives each line of output as
//! UTF-8; `stop_requested`, which returns 1 while a search should stop; `pause`, which suspends a slice
//! (`aspirant.js`). While a slice is suspended, its session is borrowed: a call of [`line`] would end the program.

use std::cell::{Cell, RefCell};
use std::time::Duration;

#[cfg(feature = "algorithms")]
pub use aspirant_web_algorithms as algorithms;

use aspirant::config::Config;
use aspirant::engine::{Engine, SliceBudget, SliceStatus, StopHandle};
use aspirant::platform::clock::{set_host_clock, set_host_pause};
use aspirant::uci::Session;

mod host {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// Milliseconds since any fixed point.
        pub safe fn now() -> f64;
        /// Receives a line of output.
        pub fn send(text: *const u8, length: usize);
        /// 1 if the running search should stop, otherwise 0.
        pub safe fn stop_requested() -> u32;
        /// Suspends the program for a moment, if the host was built for that; 1 if the slice should end.
        pub safe fn pause() -> u32;
    }
}

struct State {
    session: Session,
    stop_handle: StopHandle,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
    /// The handle of the running search during a slice.
    static STOP_HANDLE: Cell<Option<StopHandle>> = const { Cell::new(None) };
}

/// Sends a line to the host.
fn send(line: &str) {
    // SAFETY: the host reads `line.len()` bytes at `line.as_ptr()` before it returns.
    unsafe { host::send(line.as_ptr(), line.len()) };
}

/// Returns the time of the host, and stops the search if the host requests it.
///
/// The search reads the clock every few hundred nodes, which makes this the place to poll the request.
fn now() -> f64 {
    if host::stop_requested() != 0
        && let Some(stop_handle) = STOP_HANDLE.take()
    {
        stop_handle.stop();
    }
    host::now()
}

/// Lets the host handle events; returns whether the slice should end.
///
/// Not inlined, to be a function of its own in the file.
#[inline(never)]
fn pause() -> bool {
    host::pause() != 0
}

/// Starts the engine. `seed` initializes its random numbers.
#[unsafe(no_mangle)]
pub extern "C" fn start(seed: u64) {
    std::panic::set_hook(Box::new(|panic| send(&format!("info string {panic}").replace('\n', " "))));
    set_host_clock(now);
    set_host_pause(pause);
    fastrand::seed(seed);
    // Not by the builder, whose generic code would be compiled a second time in this package.
    match Engine::new(Config::default()) {
        Ok(engine) => {
            let stop_handle = engine.stop_handle();
            let session = Session::new(engine, send);
            STATE.set(Some(State { session, stop_handle }));
        }
        Err(error) => send(&format!("info string {error}")),
    }
}

/// Allocates a buffer for a line of `length` bytes, to be passed to [`line`].
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Handles a line of the client and frees its buffer; returns 0 after `quit`, otherwise 1.
///
/// # Safety
/// `text` must be the result of [`alloc`] with the same `length`, and must not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn line(text: *mut u8, length: usize) -> u32 {
    // SAFETY: guaranteed by the caller.
    let text = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text, length)) };
    let line = String::from_utf8_lossy(&text);
    STATE.with_borrow_mut(|state| state.as_mut().is_none_or(|state| state.session.handle_line(&line))).into()
}

/// Continues the running search for about this time, in milliseconds.
///
/// Returns 0 if none is running, 1 if it needs further slices, and 2 if it is finished and waits for `stop` or
/// `ponderhit`.
#[unsafe(no_mangle)]
pub extern "C" fn run_slice(milliseconds: f64) -> u32 {
    let time = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default();
    let budget = SliceBudget { nodes: None, time: Some(time) };
    STATE.with_borrow_mut(|state| {
        let Some(state) = state else { return 0 };
        STOP_HANDLE.set(Some(state.stop_handle.clone()));
        let status = state.session.run_slice(budget);
        STOP_HANDLE.set(None);
        match status {
            SliceStatus::Idle => 0,
            SliceStatus::Searching => 1,
            _ => 2,
        }
    })
}
