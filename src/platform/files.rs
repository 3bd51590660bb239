//! Files: atomic replacement and locks.

/// Whether the target has a file system.
pub const HAS_FILE_SYSTEM: bool = !cfg!(all(target_arch = "wasm32", target_os = "unknown"));

/// Replaces a file atomically: writes a temporary file beside it and renames that.
///
/// The temporary file has the extension `new` instead of that of `path`; an existing file of this name is overwritten.
///
/// # Errors
/// If the temporary file cannot be written or renamed; the file `path` is unchanged then.
pub fn replace_file(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension("new");
    std::fs::write(&temporary, bytes)?;
    std::fs::rename(&temporary, path)
}

/// Locks a file until it is closed; returns `false` if another process holds the lock.
///
/// On file systems without locks the result is always `true`.
pub fn try_lock(file: &std::fs::File) -> bool {
    !matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Returns the reason of an I/O error as a user reads it, for example "no such file or directory".
#[must_use]
pub fn error_reason(error: &std::io::Error) -> String {
    // The standard library appends the number of the system's error: "No such file or directory (os error 2)".
    let text = error.to_string();
    let text = text.split_once(" (os error").map_or(text.as_str(), |(reason, _)| reason);
    if text == error.kind().to_string() {
        return kind_reason(error.kind());
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Like [`error_reason`], for errors of which only the kind is known.
#[must_use]
pub fn kind_reason(kind: std::io::ErrorKind) -> String {
    match kind {
        std::io::ErrorKind::NotFound => "no such file or directory".into(),
        std::io::ErrorKind::AlreadyExists => "the file exists already".into(),
        other => other.to_string(),
    }
}
