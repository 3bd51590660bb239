//! Files: reading with a size limit, reasons of errors.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Whether the target has a file system.
pub const HAS_FILE_SYSTEM: bool = !cfg!(all(target_arch = "wasm32", target_os = "unknown"));

/// Reads a regular file of at most `max_mb` megabytes.
///
/// # Errors
/// If the file cannot be read, is larger, or is a directory, device or pipe.
pub fn read_file(path: &Path, max_mb: u64) -> io::Result<Vec<u8>> {
    // Checked before opening: opening a pipe blocks until there is a writer.
    check_file(&std::fs::metadata(path)?, max_mb)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(max_mb << 20).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text file of at most `max_mb` megabytes; invalid UTF-8 is replaced, a byte order mark is dropped.
///
/// # Errors
/// Those of [`read_file`].
pub fn read_text(path: &Path, max_mb: u64) -> io::Result<String> {
    let bytes = read_file(path, max_mb)?;
    Ok(String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).into_owned())
}

/// Returns an error unless the metadata are those of a regular file of at most `max_mb` megabytes.
///
/// # Errors
/// An error that names both conditions.
pub fn check_file(meta: &std::fs::Metadata, max_mb: u64) -> io::Result<()> {
    if meta.is_file() && meta.len() <= max_mb << 20 {
        return Ok(());
    }
    Err(io::Error::other(format!("not a regular file of at most {max_mb} MB")))
}

/// Returns the reason of an I/O error as a user reads it, for example "no such file or directory".
#[must_use]
pub fn error_reason(error: &io::Error) -> String {
    // The standard library appends the number of the system's error: "No such file or directory (os error 2)".
    let text = error.to_string();
    let text = text.split_once(" (os error").map_or(text.as_str(), |(reason, _)| reason);
    if text == error.kind().to_string() {
        return match error.kind() {
            io::ErrorKind::NotFound => "no such file or directory".into(),
            io::ErrorKind::AlreadyExists => "the file exists already".into(),
            other => other.to_string(),
        };
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
