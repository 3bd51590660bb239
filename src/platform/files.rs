//! Files: atomic replacement and locks.

/// Replaces a file atomically: writes a temporary file beside it and renames that.
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
