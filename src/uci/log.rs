//! Log of all UCI input and output, enabled by the option `Debug Log File`.
//!
//! Each session begins with a line that names version, date and process. An existing file is appended to if it begins
//! with such a line, and is otherwise left unchanged, so that the option cannot be used to overwrite files. Errors are
//! reported once and end the log.
#![doc(hidden)]

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::board::position::printable;
use crate::platform::bytes::{encode, to_path};
use crate::platform::files::{HAS_FILE_SYSTEM, error_reason};

/// Beginning of every log and of every session in it.
const HEADER: &str = "# Aspirant debug log";

/// A log that can be opened and closed while other threads write to it. Clones share it.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<LogState>>);

#[derive(Default)]
struct LogState {
    file: Option<OpenLog>,
    /// The last error, until it is reported.
    error: Option<String>,
}

struct OpenLog {
    file: File,
    name: String,
}

impl Log {
    /// Opens a log; an empty name closes the current one.
    ///
    /// # Errors
    /// The reason as a message for the user; there is no log then.
    pub fn open(&self, name: &str) -> Result<(), String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.file = None;
        if !name.is_empty() {
            let failed = |reason| format!("cannot log to '{}': {reason}", printable(name));
            let mut log = OpenLog { file: open(&to_path(name)).map_err(failed)?, name: name.into() };
            let (version, date) = (crate::version::version(), utc_date());
            let pid = std::process::id();
            log.append(&format!("{HEADER}: version {version}, {date} UTC, process {pid}; > from the engine, < to it"))
                .map_err(failed)?;
            state.file = Some(log);
        }
        Ok(())
    }

    /// Writes a line if a log is open; `sign` is `<` for input and `>` for output.
    pub fn line(&self, sign: char, text: &str) {
        if !HAS_FILE_SYSTEM {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(log) = state.file.as_mut() else { return };
        if let Err(reason) = log.write(sign, text) {
            state.error = Some(format!("the log in '{}' ends: {reason}", printable(&log.name)));
            state.file = None;
        }
    }

    /// Takes the error that ended the log, if any.
    #[must_use]
    pub fn take_error(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).error.take()
    }
}

fn open(path: &Path) -> Result<File, String> {
    let text = |error: io::Error| error_reason(&error);
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().append(true).create_new(true).open(path).map_err(text)
        }
        Err(error) => Err(text(error)),
        // Opening a pipe or a device may block or have side effects.
        Ok(meta) if !meta.is_file() => Err("it exists and is not a regular file".into()),
        Ok(_) => {
            let mut header = Vec::new();
            let old = File::open(path).map_err(text)?;
            old.take(HEADER.len() as u64).read_to_end(&mut header).map_err(text)?;
            if header != HEADER.as_bytes() {
                return Err("it exists and is not a log of this engine".into());
            }
            OpenOptions::new().append(true).open(path).map_err(text)
        }
    }
}

impl OpenLog {
    fn write(&mut self, sign: char, text: &str) -> Result<(), String> {
        self.append(&format!("{} {sign} {}", utc_time(), text.trim_end()))
    }

    fn append(&mut self, line: &str) -> Result<(), String> {
        self.file.write_all(&encode(&format!("{line}\n"))).map_err(|error| error_reason(&error))
    }
}

/// Returns the current time in UTC with milliseconds: `23:59:59.000`.
fn utc_time() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, ms) = (since.as_secs() % 86_400, since.subsec_millis());
    format!("{:02}:{:02}:{:02}.{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the current date in UTC: `2030-12-31`.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
#[must_use]
pub fn utc_date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    chrono::DateTime::from_timestamp(seconds as i64, 0).unwrap_or_default().date_naive().to_string()
}

/// Browsers have no files to log to.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn utc_date() -> String {
    String::new()
}
