//! Log of all UCI input and output, enabled by the option `Debug Log File`.
//!
//! An existing file is appended to if its first line is that of a log, and is otherwise left unchanged, so that the
//! option cannot be used to overwrite files. A log ends at [`MAX_BYTES`]. Errors are reported once and end the log.
#![doc(hidden)]

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::board::position::printable;
use crate::platform::bytes::{encode, to_path};
use crate::platform::files::{HAS_FILE_SYSTEM, error_reason};

/// First line of every log.
const HEADER: &str = "# Aspirant debug log: seconds, > from the engine, < to the engine\n";
/// Maximum size of a log.
pub const MAX_BYTES: u64 = 64 << 20;

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
    bytes: u64,
    start: Instant,
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
            let (file, bytes) =
                open(&to_path(name)).map_err(|reason| format!("cannot log to '{}': {reason}", printable(name)))?;
            state.file = Some(OpenLog { file, name: name.into(), bytes, start: Instant::now() });
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

fn open(path: &Path) -> Result<(File, u64), String> {
    let text = |error: io::Error| error_reason(&error);
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut file = OpenOptions::new().append(true).create_new(true).open(path).map_err(text)?;
            file.write_all(HEADER.as_bytes()).map_err(text)?;
            Ok((file, HEADER.len() as u64))
        }
        Err(error) => Err(text(error)),
        // Opening a pipe or a device may block or have side effects.
        Ok(meta) if !meta.is_file() => Err("it exists and is not a regular file".into()),
        Ok(meta) => {
            let mut header = Vec::new();
            let old = File::open(path).map_err(text)?;
            old.take(HEADER.len() as u64).read_to_end(&mut header).map_err(text)?;
            if header != HEADER.as_bytes() {
                return Err("it exists and is not a log of this engine".into());
            }
            Ok((OpenOptions::new().append(true).open(path).map_err(text)?, meta.len()))
        }
    }
}

impl OpenLog {
    fn write(&mut self, sign: char, text: &str) -> Result<(), String> {
        let line = encode(&format!("{:.3} {sign} {}\n", self.start.elapsed().as_secs_f64(), text.trim_end()));
        self.bytes += line.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(format!("it has reached {} MB", MAX_BYTES >> 20));
        }
        self.file.write_all(&line).map_err(|error| error_reason(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_log_ends_and_is_reported_once() {
        let path = std::env::temp_dir().join(format!("aspirant-log-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let log = Log::default();
        log.open(path.to_str().unwrap()).unwrap();
        log.line('<', "uci\r");
        assert_eq!(log.take_error(), None);
        log.0.lock().unwrap().file.as_mut().unwrap().bytes = MAX_BYTES - 3;
        log.line('>', "uciok");
        log.line('>', "readyok");
        assert!(log.take_error().unwrap().contains("64 MB"));
        assert!(log.0.lock().unwrap().file.is_none());
        assert_eq!(log.take_error(), None);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(HEADER) && text.ends_with(" < uci\n") && text.lines().count() == 2, "{text:?}");
        let _ = std::fs::remove_file(&path);
    }
}
