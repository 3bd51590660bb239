//! The log of a session: every line of both sides, on request.
//!
//! Off unless `Debug Log File` names a file. A file that exists is continued if its first line is that of such a log,
//! and otherwise left alone, whatever it is: an engine must not be the way to overwrite a file. A log that has
//! grown to [`MOST_BYTES`] ends. Whatever goes wrong is told once, and play goes on.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The first line of every log.
const HEADER: &str = "# Aspirant debug log: seconds, > from the engine, < to the engine\n";
/// A log grows no further.
pub const MOST_BYTES: u64 = 64 << 20;

/// Who says a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaker {
    /// The GUI.
    Gui,
    /// The engine.
    Engine,
}

/// A log that may be switched on and off while others write to it. Clones share it.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    file: Option<OpenLog>,
    /// Not yet told.
    fault: Option<String>,
}

struct OpenLog {
    file: File,
    name: String,
    bytes: u64,
    start: Instant,
}

impl Log {
    /// From now on writes to this file; an empty name ends the log.
    ///
    /// # Errors
    /// A sentence that says why nothing is written; then there is no log.
    pub fn open(&self, name: &str) -> Result<(), String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.file = None;
        if !name.is_empty() {
            let (file, bytes) = open(Path::new(name)).map_err(|reason| format!("no log in {name}: {reason}"))?;
            state.file = Some(OpenLog { file, name: name.into(), bytes, start: Instant::now() });
        }
        Ok(())
    }

    /// Is a log of this name being written? An empty name is that of no log.
    #[must_use]
    pub fn is_open(&self, name: &str) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.as_ref().map_or("", |log| log.name.as_str()) == name
    }

    /// Writes a line, if there is a log.
    pub fn line(&self, speaker: Speaker, text: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(log) = state.file.as_mut() else { return };
        if let Err(reason) = log.write(speaker, text) {
            state.fault = Some(format!("the log in {} ends: {reason}", log.name));
            state.file = None;
        }
    }

    /// What has gone wrong since the last time, once.
    #[must_use]
    pub fn take_error(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fault.take()
    }
}

fn open(path: &Path) -> Result<(File, u64), String> {
    let text = |error: io::Error| error.to_string();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut file = OpenOptions::new().append(true).create_new(true).open(path).map_err(text)?;
            file.write_all(HEADER.as_bytes()).map_err(text)?;
            Ok((file, HEADER.len() as u64))
        }
        Err(error) => Err(text(error)),
        // Opening a pipe or a device may wait for ever or do something.
        Ok(meta) if !meta.is_file() => Err("it exists and is no plain file".into()),
        Ok(meta) => {
            let mut begin = Vec::new();
            let old = File::open(path).map_err(text)?;
            old.take(HEADER.len() as u64).read_to_end(&mut begin).map_err(text)?;
            if begin != HEADER.as_bytes() {
                return Err("it exists and is no such log".into());
            }
            Ok((OpenOptions::new().append(true).open(path).map_err(text)?, meta.len()))
        }
    }
}

impl OpenLog {
    fn write(&mut self, speaker: Speaker, text: &str) -> Result<(), String> {
        let sign = if speaker == Speaker::Gui { '<' } else { '>' };
        let line = format!("{:.3} {sign} {}\n", self.start.elapsed().as_secs_f64(), text.trim_end());
        self.bytes += line.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(format!("it has grown to {} MB", MOST_BYTES >> 20));
        }
        self.file.write_all(line.as_bytes()).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_ends_and_says_so_once() {
        let path = std::env::temp_dir().join(format!("aspirant-log-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let log = Log::default();
        log.open(path.to_str().unwrap()).unwrap();
        log.line(Speaker::Gui, "uci\r");
        assert_eq!(log.take_error(), None);
        log.0.lock().unwrap().file.as_mut().unwrap().bytes = MOST_BYTES - 3;
        log.line(Speaker::Engine, "uciok");
        log.line(Speaker::Engine, "readyok");
        assert!(log.take_error().unwrap().contains("64 MB"));
        assert!(log.is_open("") && !log.is_open(path.to_str().unwrap()));
        assert_eq!(log.take_error(), None);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(HEADER) && text.ends_with(" < uci\n") && text.lines().count() == 2, "{text:?}");
        let _ = std::fs::remove_file(&path);
    }
}
