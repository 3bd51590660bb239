//! Files: atomic replacement, locks.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

/// Replaces a file atomically; see [`replace_file_with`].
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_file_with(path, |file| file.write_all(bytes))
}

/// Replaces a file atomically: writes a temporary file beside it and renames that.
///
/// The temporary file has the name of `path` with `.new` added; an existing file of this name is overwritten.
///
/// # Errors
/// If the temporary file cannot be written or renamed; the file `path` is unchanged then.
pub fn replace_file_with(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let temporary = path.with_added_extension("new");
    let mut file = BufWriter::new(File::create(&temporary)?);
    write(&mut file)?;
    let file = file.into_inner()?;
    // Otherwise, the file can be empty after a power failure.
    file.sync_all()?;
    drop(file);
    std::fs::rename(&temporary, path)
}

/// Locks a file until it is closed; returns `false` if another process holds the lock.
///
/// On file systems without locks the result is always `true`.
pub fn try_lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}
