//! Lines of untrusted text.

use std::io::{self, BufRead, ErrorKind, Read as _};
use std::time::Duration;

use super::bytes::decode;

/// Maximum length of a line in bytes, sufficient for 800,000 moves.
///
/// The rest of a longer line is dropped.
const MAX_BYTES: u64 = 4 << 20;

/// Passes each line to `sink` until the input ends or `sink` returns `false`.
///
/// Lines are [decoded](super::bytes::decode), a byte order mark and NULs are dropped, and a line that is too long is cut.
/// The input may be in non-blocking mode.
///
/// # Errors
/// If the input cannot be read.
pub fn lines(mut input: impl BufRead, mut sink: impl FnMut(&str) -> bool) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        // After an error, `bytes` contains what was read before it.
        while let Err(error) = input.by_ref().take(MAX_BYTES - bytes.len() as u64).read_until(b'\n', &mut bytes) {
            wait_if_temporary(error)?;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == MAX_BYTES {
            skip_to_newline(&mut input)?;
        }
        bytes.retain(|&byte| byte != 0);
        let text = decode(&bytes);
        let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        // A carriage return alone is also a line end.
        for line in text.split('\r') {
            if !sink(line.trim()) {
                return Ok(());
            }
        }
    }
}

/// Returns the text as one line: control characters are replaced by spaces.
#[must_use]
pub(crate) fn single_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Waits a millisecond after an error that is temporary, and returns any other error.
///
/// Stdin and stdout may be inherited in non-blocking mode, where an empty input and a full pipe are errors.
pub(crate) fn wait_if_temporary(error: io::Error) -> io::Result<()> {
    match error.kind() {
        ErrorKind::Interrupted => Ok(()),
        ErrorKind::WouldBlock => {
            std::thread::sleep(Duration::from_millis(1));
            Ok(())
        }
        _ => Err(error),
    }
}

fn skip_to_newline(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) => {
                wait_if_temporary(error)?;
                continue;
            }
        };
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => {
                input.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = buffer.len();
                input.consume(length);
            }
        }
    }
}
