//! Perft: counts the leaf nodes of the legal move tree, to test and benchmark move generation.
//!
//! The moves of the last ply are counted without being made (bulk counting). A hash table counts transpositions only
//! once. With several threads, the subtrees below the positions after two plies are distributed over the threads.
//! <https://www.chessprogramming.org/Perft>

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use shakmaty::{CastlingMode, Chess, Move, Position as _};

use crate::board::movegen;
use crate::board::position::{Position, printable};
use crate::platform::files::{check_file, error_reason};

/// Maximum depth of the commands `perft` and `go perft`, in plies.
///
/// [`perft`] and [`divide`] do not check it. They recurse once per ply, so a much larger depth overflows the stack.
pub const MAX_DEPTH: u32 = 64;

/// Maximum size of a journal, MB; one of the deepest perft has a few hundred kilobytes.
const MAX_JOURNAL_MB: u64 = 64;

/// The parameters of a perft run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerftRequest {
    /// Depth in plies, 0 to [`MAX_DEPTH`].
    pub depth: u32,
    /// Number of threads.
    pub threads: usize,
    /// Size of the hash table in MB; 0 disables it.
    pub hash: usize,
}

impl PerftRequest {
    /// Creates a request for one thread without hash table.
    #[must_use]
    pub const fn new(depth: u32) -> Self {
        Self { depth, threads: 1, hash: 0 }
    }
}

/// The leaf counts of all root moves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PerftDivide {
    /// Each root move with its leaf count.
    pub moves: Vec<(Move, u64)>,
}

impl PerftDivide {
    /// Returns the sum of all counts, saturating.
    #[must_use]
    pub fn total(&self) -> u64 {
        // The counts may come from a journal with arbitrary numbers.
        self.moves.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Formats the counts like Stockfish: one line per move, an empty line, and the sum.
    #[must_use]
    pub fn to_lines(&self, position: &Position, mode: CastlingMode) -> Vec<String> {
        let moves = self.moves.iter().map(|&(m, count)| format!("{}: {count}", position.uci(m, mode)));
        moves.chain([String::new(), format!("Nodes searched: {}", self.total()), String::new()]).collect()
    }
}

/// Receives the counts of completed subtrees and supplies those of earlier runs.
#[doc(hidden)]
pub trait SubtreeRecorder: Sync {
    /// Called once with the number of subtrees.
    fn start(&self, _subtrees: usize) {}
    /// Returns the stored count of a subtree, if any; the subtree is not counted then.
    fn stored_count(&self, _subtree: usize) -> Option<u64> {
        None
    }
    /// Called when a subtree is completed.
    fn subtree_done(&self, _subtree: usize, _count: u64) {}
}

impl SubtreeRecorder for () {}

/// Counts the leaves below each root move; `None` if stopped. With depth 0 the result has no moves.
#[must_use]
pub fn divide(position: &Position, request: &PerftRequest, stop: &AtomicBool) -> Option<PerftDivide> {
    divide_with(position, request, stop, &())
}

/// Like [`divide`], with a recorder for completed subtrees.
#[doc(hidden)]
#[must_use]
pub fn divide_with(
    position: &Position,
    request: &PerftRequest,
    stop: &AtomicBool,
    recorder: &impl SubtreeRecorder,
) -> Option<PerftDivide> {
    let moves = position.chess().legal_moves();
    if request.depth == 0 {
        return Some(PerftDivide::default());
    }
    let table = (request.hash > 0).then(|| CountTable::new(request.hash));
    // The positions after two plies (one, if the depth is less than 3), each with the index of its root move.
    let mut subtrees: Vec<(usize, Position)> = Vec::new();
    let split_plies = request.depth.min(3) - 1;
    for (index, &m) in moves.iter().enumerate() {
        let child = position.play(m);
        match split_plies {
            2 => subtrees.extend(child.chess().legal_moves().into_iter().map(|reply| (index, child.play(reply)))),
            _ => subtrees.push((index, child)),
        }
    }
    recorder.start(subtrees.len());
    let remaining_depth = request.depth - split_plies.max(1);
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let run = || loop {
        let subtree = next.fetch_add(1, Relaxed);
        let Some((index, child)) = subtrees.get(subtree) else { break };
        let count = recorder.stored_count(subtree).unwrap_or_else(|| match &table {
            Some(table) => count_hashed(child, remaining_depth, table, stop),
            None => count(child.chess(), remaining_depth, stop),
        });
        counts[*index].fetch_add(count, Relaxed);
        if stop.load(Relaxed) {
            break;
        }
        recorder.subtree_done(subtree, count);
    };
    std::thread::scope(|scope| {
        for _ in 1..request.threads.max(1) {
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, run) {
                let _ = writeln!(io::stderr(), "perft: cannot start a thread: {error}; fewer threads are used");
                break;
            }
        }
        run();
    });
    if stop.load(Relaxed) {
        return None;
    }
    Some(PerftDivide { moves: moves.iter().copied().zip(counts.iter().map(|count| count.load(Relaxed))).collect() })
}

/// A file of the completed subtrees of a perft run, from which an interrupted run can be resumed.
///
/// The first line names depth and position; each further line is `subtree count`.
#[doc(hidden)]
pub struct Journal {
    counts: HashMap<usize, u64>,
    /// `None` after a write error: an incomplete line followed by another would be a wrong entry.
    file: Mutex<Option<File>>,
    progress: Box<dyn SubtreeRecorder>,
}

/// The reason why a journal cannot be used.
#[doc(hidden)]
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{path}: {}", error_reason(.error))]
    File {
        /// The journal.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Another process has locked it.
    #[error("{path}: another run is writing this journal; nothing was counted")]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// It belongs to another position or depth, or is not a journal.
    #[error("{path}: begins with '{found}', not with '{expected}'; choose another file")]
    Foreign {
        /// The journal.
        path: PathBuf,
        /// First line of the file.
        found: String,
        /// The expected first line.
        expected: String,
    },
    /// A line is not a pair of numbers.
    #[error("{path}, line {line}: '{found}' is not a subtree number and its count")]
    Line {
        /// The journal.
        path: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// The line.
        found: String,
    },
}

impl Journal {
    /// Opens or creates the journal of a run; drops an incomplete last line.
    ///
    /// Progress is forwarded to `progress`.
    ///
    /// # Errors
    /// [`JournalError`]; the file is unchanged then.
    pub fn open(
        path: &Path,
        position: &Position,
        depth: u32,
        progress: Box<dyn SubtreeRecorder>,
    ) -> Result<Self, JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        let header = format!("aspirant perft {depth} {}", position.fen());
        let mut file = File::options().create(true).read(true).append(true).open(path).map_err(failed)?;
        if !crate::platform::files::try_lock(&file) {
            return Err(JournalError::InUse { path: path.to_owned() });
        }
        file.metadata().and_then(|meta| check_file(&meta, MAX_JOURNAL_MB)).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let complete = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut counts = HashMap::new();
        for (index, line) in complete.lines().enumerate() {
            if index == 0 {
                if line != header {
                    let (path, found) = (path.to_owned(), printable(line));
                    return Err(JournalError::Foreign { path, found, expected: header });
                }
                continue;
            }
            let pair =
                line.split_once(' ').and_then(|(subtree, count)| Some((subtree.parse().ok()?, count.parse().ok()?)));
            let Some((subtree, count)) = pair else {
                return Err(JournalError::Line { path: path.to_owned(), line: index + 1, found: printable(line) });
            };
            counts.insert(subtree, count);
        }
        if complete.is_empty() && !text.is_empty() && !header.starts_with(&text) {
            let (path, found) = (path.to_owned(), printable(&text));
            return Err(JournalError::Foreign { path, found, expected: header });
        }
        file.set_len(complete.len() as u64).map_err(failed)?;
        if complete.is_empty() {
            file.write_all((header + "\n").as_bytes()).map_err(failed)?;
        }
        Ok(Self { counts, file: Mutex::new(Some(file)), progress })
    }
}

impl SubtreeRecorder for Journal {
    fn start(&self, subtrees: usize) {
        self.progress.start(subtrees);
    }

    fn stored_count(&self, subtree: usize) -> Option<u64> {
        self.counts.get(&subtree).copied()
    }

    fn subtree_done(&self, subtree: usize, count: u64) {
        if !self.counts.contains_key(&subtree)
            && let Ok(mut file) = self.file.lock()
            && let Some(open_file) = file.as_mut()
            && let Err(error) = open_file.write_all(format!("{subtree} {count}\n").as_bytes())
        {
            // The count remains correct; only resuming is affected.
            *file = None;
            let reason = error_reason(&error);
            let _ = writeln!(
                io::stderr(),
                "perft: cannot write the journal: {reason}; the rest of the run is not recorded"
            );
        }
        self.progress.subtree_done(subtree, count);
    }
}

/// Returns the number of leaf nodes; `None` if stopped. See [`divide`].
#[must_use]
pub fn perft(position: &Position, request: &PerftRequest, stop: &AtomicBool) -> Option<u64> {
    if request.depth == 0 { Some(1) } else { divide(position, request, stop).map(|divide| divide.total()) }
}

/// Estimate of a perft run.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct PerftEstimate {
    /// Estimated number of leaf nodes.
    pub leaves: f64,
    /// Estimated time in seconds, without the effect of a hash table.
    pub seconds: f64,
}

/// Estimates size and duration from the counts of small depths, within about a tenth of a second.
///
/// Returns `None` if the count is small or the game ends before this depth.
#[doc(hidden)]
#[must_use]
pub fn estimate(position: &Position, request: &PerftRequest) -> Option<PerftEstimate> {
    let start = std::time::Instant::now();
    let mut counts = vec![1.0];
    let last = loop {
        let depth = counts.len() as u32;
        if depth >= request.depth {
            return None;
        }
        let begin = std::time::Instant::now();
        counts.push(count(position.chess(), depth, &AtomicBool::new(false)) as f64);
        let last = begin.elapsed();
        if counts.last() == Some(&0.0) {
            return None;
        }
        if start.elapsed().as_millis() >= 10 {
            break last;
        }
    };
    // Growth over two plies, because it differs between the sides.
    let measured = counts.len() - 1;
    let growth = (counts[measured] / counts[measured.saturating_sub(2)]).powf(1.0 / measured.min(2) as f64);
    let leaves = counts[measured] * growth.powi(request.depth as i32 - measured as i32);
    let rate = counts[measured] / last.as_secs_f64().max(1e-6);
    Some(PerftEstimate { leaves, seconds: leaves / rate / request.threads.max(1) as f64 })
}

fn count(chess: &Chess, depth: u32, stop: &AtomicBool) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return movegen::count(chess);
    }
    let moves = movegen::legal_moves(chess);
    if depth >= 4 && stop.load(Relaxed) {
        return 0;
    }
    let mut sum = 0;
    for &m in &moves {
        let mut child = chess.clone();
        child.play_unchecked(m);
        sum += count(&child, depth - 1, stop);
    }
    sum
}

fn count_hashed(position: &Position, depth: u32, table: &CountTable, stop: &AtomicBool) -> u64 {
    if depth <= 1 {
        return count(position.chess(), depth, stop);
    }
    if stop.load(Relaxed) {
        return 0;
    }
    if let Some(stored) = table.get(position.key(), depth) {
        return stored;
    }
    let moves = movegen::legal_moves(position.chess());
    let sum = moves.iter().map(|&m| count_hashed(&position.play(m), depth - 1, table, stop)).sum();
    if !stop.load(Relaxed) {
        table.put(position.key(), depth, sum);
    }
    sum
}

/// A lock-free hash table of leaf counts by position and depth.
///
/// Each key is stored XORed with its count, so that entries torn by concurrent writes do not match.
/// <https://www.chessprogramming.org/Shared_Hash_Table#Lockless>
struct CountTable {
    words: Box<[AtomicU64]>,
}

impl CountTable {
    fn new(megabytes: usize) -> Self {
        let mut pairs = megabytes.saturating_mul(1 << 16).max(1);
        loop {
            match bytemuck::allocation::try_zeroed_slice_box(2 * pairs) {
                Ok(words) => return Self { words },
                Err(()) if pairs > 1 => pairs /= 2,
                Err(()) => return Self { words: vec![AtomicU64::new(0), AtomicU64::new(0)].into() },
            }
        }
    }

    fn slot(&self, key: u64, depth: u32) -> (&AtomicU64, &AtomicU64, u64) {
        let key = key ^ u64::from(depth).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let index = ((u128::from(key) * (self.words.len() / 2) as u128) >> 64) as usize;
        (&self.words[2 * index], &self.words[2 * index + 1], key)
    }

    fn get(&self, key: u64, depth: u32) -> Option<u64> {
        let (check, count, key) = self.slot(key, depth);
        let value = count.load(Relaxed);
        (value != 0 && check.load(Relaxed) ^ value == key).then_some(value)
    }

    fn put(&self, key: u64, depth: u32, value: u64) {
        let (check, count, key) = self.slot(key, depth);
        check.store(key ^ value, Relaxed);
        count.store(value, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use std::fs;

    #[test]
    fn threads_and_hash_do_not_change_the_count() {
        let position = parse_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        for (depth, expected) in [(0, 1), (1, 48), (2, 2039), (3, 97_862), (4, 4_085_603)] {
            for (threads, hash) in [(1, 0), (2, 0), (1, 1), (3, 4)] {
                let request = PerftRequest { depth, threads, hash };
                assert_eq!(perft(&position, &request, &AtomicBool::new(false)), Some(expected), "{request:?}");
            }
        }
    }

    #[test]
    fn journal_resumes_an_interrupted_run() {
        let folder = std::env::temp_dir().join(format!("aspirant-perft-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("journal");
        let position = Position::default();
        let open = |depth| Journal::open(&path, &position, depth, Box::new(()));
        let count = |journal: &Journal| {
            divide_with(&position, &PerftRequest::new(4), &AtomicBool::new(false), journal).unwrap().total()
        };
        let first = open(4).unwrap();
        assert!(open(4).err().unwrap().to_string().contains("another run"));
        assert_eq!(count(&first), 197_281);
        drop(first);
        // An incomplete last line; one changed count shows that stored counts are used.
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 401);
        let half: String = text.lines().take(200).map(|line| format!("{line}\n")).collect::<String>() + "39";
        let (subtree, old) = half.lines().nth(1).unwrap().split_once(' ').unwrap();
        let changed = half.replacen(&format!("\n{subtree} {old}\n"), &format!("\n{subtree} {}\n", 1_000_000), 1);
        fs::write(&path, changed).unwrap();
        assert_eq!(count(&open(4).unwrap()), 197_281 + 1_000_000 - old.parse::<u64>().unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 401);
        assert!(open(5).err().unwrap().to_string().contains("not with 'aspirant perft 5"));
        fs::write(&path, text.replacen("\n0 ", "\nzero ", 1)).unwrap();
        assert!(open(4).err().unwrap().to_string().contains("'zero "));
        fs::write(&path, "an unrelated file").unwrap();
        assert!(open(4).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "an unrelated file");
        fs::remove_dir_all(&folder).unwrap();
    }

    /// `/dev/full` rejects every write.
    #[cfg(target_os = "linux")]
    #[test]
    fn failed_write_closes_the_journal_and_keeps_the_count() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let journal = Journal { counts: HashMap::new(), file: Mutex::new(Some(file)), progress: Box::new(()) };
        let divide = divide_with(&Position::default(), &PerftRequest::new(3), &AtomicBool::new(false), &journal);
        assert_eq!(divide.unwrap().total(), 8902);
        assert!(journal.file.lock().unwrap().is_none());
    }

    #[test]
    fn a_stopped_run_returns_none() {
        assert_eq!(perft(&Position::default(), &PerftRequest::new(20), &AtomicBool::new(true)), None);
    }
}
