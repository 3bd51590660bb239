//! File system of the tablebases with a bounded number of open files.
//!
//! A file is opened at its first read. If too many are open, the one not read for the longest time is closed; it is
//! opened again when it is needed. If the process may not open that many, the bound is lowered to what it can have, so
//! that some file descriptors remain for the rest of the program.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

/// Maximum number of open files; some systems allow a process no more than 256.
const MAX_OPEN: usize = 128;
/// Numbers of the system errors for too many open files, of the process or of the system.
const TOO_MANY_OPEN_FILES: &[i32] = if cfg!(windows) { &[4] } else { &[23, 24] };

type File = Arc<dyn RandomAccessFile>;

/// The open files of all tablebases, shared by the threads.
pub(super) struct OpenFiles {
    system: OsFilesystem,
    open: Mutex<LeastRecentlyUsed>,
}

struct LeastRecentlyUsed {
    /// Path and file, the most recently read file last.
    files: Vec<(Arc<Path>, File)>,
    max: usize,
}

/// The implementation of the file system that the tablebases read through.
pub(super) struct BoundedFilesystem(pub(super) Arc<OpenFiles>);

/// A file that is open only while it is read often enough.
struct BoundedFile {
    path: Arc<Path>,
    open_files: Arc<OpenFiles>,
}

impl OpenFiles {
    pub(super) fn new() -> Self {
        let open = LeastRecentlyUsed { files: Vec::new(), max: MAX_OPEN };
        Self { system: OsFilesystem::new(), open: Mutex::new(open) }
    }

    /// Closes all files. They are opened again when they are needed.
    pub(super) fn close(&self) {
        self.lock().files.clear();
    }

    fn lock(&self) -> MutexGuard<'_, LeastRecentlyUsed> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the open file of a path; opens it if it is closed.
    fn get(&self, path: &Arc<Path>) -> io::Result<File> {
        let LeastRecentlyUsed { files, max } = &mut *self.lock();
        if let Some(index) = files.iter().rposition(|(open, _)| Arc::ptr_eq(open, path)) {
            files[index..].rotate_left(1);
            return Ok(Arc::clone(&files[files.len() - 1].1));
        }
        loop {
            files.drain(..(files.len() + 1).saturating_sub(*max));
            match self.system.open(path) {
                Ok(file) => {
                    let file = File::from(file);
                    files.push((Arc::clone(path), Arc::clone(&file)));
                    return Ok(file);
                }
                Err(error) if !files.is_empty() && is_too_many_open_files(&error) => *max = files.len().div_ceil(2),
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_too_many_open_files(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| TOO_MANY_OPEN_FILES.contains(&number))
}

impl Filesystem for BoundedFilesystem {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.system.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.system.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = BoundedFile { path: path.into(), open_files: Arc::clone(&self.0) };
        file.open_files.get(&file.path)?;
        Ok(Box::new(file))
    }
}

impl RandomAccessFile for BoundedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, hint: ReadHint) -> io::Result<usize> {
        self.open_files.get(&self.path)?.read_at(buffer, offset, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_recently_read_file_is_closed_and_opened_again() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
        let open_files = Arc::new(OpenFiles::new());
        open_files.lock().max = 2;
        let system = BoundedFilesystem(Arc::clone(&open_files));
        let names = ["KQvK.rtbw", "KRvK.rtbw", "KPvK.rtbw"];
        let files: Vec<_> = names.iter().map(|name| system.open(&directory.join(name)).unwrap()).collect();
        let open = || -> Vec<String> {
            let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
            open_files.lock().files.iter().map(|(path, _)| name(path)).collect()
        };
        assert_eq!(open(), ["KRvK", "KPvK"]);
        for (index, expected) in [(1, ["KPvK", "KRvK"]), (0, ["KRvK", "KQvK"]), (0, ["KRvK", "KQvK"])] {
            let mut magic = [0; 4];
            files[index].read_exact_at(&mut magic, 0, ReadHint::Header).unwrap();
            assert_eq!((magic, open()), ([0x71, 0xe8, 0x23, 0x5d], expected.map(String::from).to_vec()));
        }
        open_files.close();
        assert!(open().is_empty() && files[2].read_u8_at(0, ReadHint::Header).is_ok());
        assert!(system.open(&directory.join("missing.rtbw")).is_err());
    }
}
