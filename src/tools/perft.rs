//! Perft: the number of move sequences of a given length, to check and to time move generation.
//!
//! The last ply is not made but counted (bulk counting). With a hash table equal positions reached on
//! different ways are counted once; with several threads the root's subtrees of two plies are shared out.
//! <https://www.chessprogramming.org/Perft>

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use indicatif::ProgressBar;
use shakmaty::{CastlingMode, Chess, Move, Position as _};

use crate::board::movegen;
use crate::board::position::{Position, printable};

/// More would take longer than the world has existed, and the recursion needs its stack.
pub const MOST_DEPTH: u32 = 64;

/// What to count, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Plies.
    pub depth: u32,
    /// Threads.
    pub threads: usize,
    /// Hash table, MB; 0 for none.
    pub hash: usize,
}

impl Request {
    /// One thread, no hash table.
    #[must_use]
    pub const fn new(depth: u32) -> Self {
        Self { depth, threads: 1, hash: 0 }
    }
}

/// Counts by root move.
#[derive(Clone, Debug, Default)]
pub struct Divided {
    /// Each root move with its count.
    pub moves: Vec<(Move, u64)>,
}

impl Divided {
    /// The sum.
    #[must_use]
    pub fn total(&self) -> u64 {
        // A journal may hold any numbers.
        self.moves.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// One line for each move, a blank one, and the sum, as Stockfish prints them.
    #[must_use]
    pub fn lines(&self, position: &Position, mode: CastlingMode) -> Vec<String> {
        let moves = self.moves.iter().map(|&(m, count)| format!("{}: {count}", position.uci(m, mode)));
        moves.chain([String::new(), format!("Nodes searched: {}", self.total()), String::new()]).collect()
    }
}

/// Told of each piece of work as it is finished, and asked for those that are known already.
pub trait Record: Sync {
    /// How many pieces there are.
    fn begin(&self, _pieces: usize) {}
    /// The count of a piece that need not be counted again.
    fn known(&self, _piece: usize) -> Option<u64> {
        None
    }
    /// A piece is counted.
    fn finished(&self, _piece: usize, _count: u64) {}
}

impl Record for () {}

/// Counts; `None` if stopped. A depth of 0 counts the position itself and has no moves to divide by.
#[must_use]
pub fn divide(position: &Position, request: &Request, stop: &AtomicBool) -> Option<Divided> {
    divide_recorded(position, request, stop, &())
}

/// [`divide`], with somebody who keeps a record of finished pieces.
#[must_use]
pub fn divide_recorded(
    position: &Position,
    request: &Request,
    stop: &AtomicBool,
    record: &impl Record,
) -> Option<Divided> {
    let moves = position.chess().legal_moves();
    if request.depth == 0 {
        return Some(Divided::default());
    }
    let table = (request.hash > 0).then(|| CountTable::new(request.hash));
    // Pieces of work: the positions after two plies (one, if there are not two), each with its root move.
    let mut work: Vec<(usize, Position)> = Vec::new();
    let split = request.depth.min(3) - 1;
    for (index, &m) in moves.iter().enumerate() {
        let child = position.play(m);
        match split {
            2 => work.extend(child.chess().legal_moves().into_iter().map(|reply| (index, child.play(reply)))),
            _ => work.push((index, child)),
        }
    }
    record.begin(work.len());
    let below = request.depth - split.max(1);
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let run = || loop {
        let piece = next.fetch_add(1, Relaxed);
        let Some((index, child)) = work.get(piece) else { break };
        let count = record.known(piece).unwrap_or_else(|| match &table {
            Some(table) => count_hashed(child, below, table, stop),
            None => count(child.chess(), below, stop),
        });
        counts[*index].fetch_add(count, Relaxed);
        if stop.load(Relaxed) {
            break;
        }
        record.finished(piece, count);
    };
    std::thread::scope(|scope| {
        for _ in 1..request.threads.max(1) {
            scope.spawn(run);
        }
        run();
    });
    if stop.load(Relaxed) {
        return None;
    }
    Some(Divided { moves: moves.iter().copied().zip(counts.iter().map(|count| count.load(Relaxed))).collect() })
}

/// A file that a long count writes its finished pieces to, one line each, and begins again from: `piece count`, after a
/// first line that names depth and position.
pub struct Journal {
    known: HashMap<usize, u64>,
    file: Mutex<File>,
    bar: ProgressBar,
}

/// Why a journal cannot be used.
#[derive(thiserror::Error, Debug)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another run keeps it.
    #[error("{path}: another run is writing this journal")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It belongs to another count, or to none.
    #[error("{path}: begins with '{found}', not with '{expected}'")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its first line.
        found: String,
        /// What that line must be.
        expected: String,
    },
    /// A line is not two numbers.
    #[error("{path}, line {line}: expected a piece and its count, not '{found}'")]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// As it stands there.
        found: String,
    },
}

impl Journal {
    /// Opens or begins the journal of one count. A last line that was cut short is dropped.
    ///
    /// # Errors
    /// [`JournalError`]; the file is left as it is then.
    pub fn open(path: &Path, position: &Position, depth: u32, bar: ProgressBar) -> Result<Self, JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        let header = format!("aspirant perft {depth} {}", position.fen());
        let mut file = File::options().create(true).read(true).append(true).open(path).map_err(failed)?;
        if !super::take(&file) {
            return Err(JournalError::InUse { path: path.to_owned() });
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut known = HashMap::new();
        for (index, line) in whole.lines().enumerate() {
            if index == 0 {
                if line != header {
                    let (path, found) = (path.to_owned(), printable(line));
                    return Err(JournalError::Foreign { path, found, expected: header });
                }
                continue;
            }
            let pair = line.split_once(' ').and_then(|(piece, count)| Some((piece.parse().ok()?, count.parse().ok()?)));
            let Some((piece, count)) = pair else {
                return Err(JournalError::Line { path: path.to_owned(), line: index + 1, found: printable(line) });
            };
            known.insert(piece, count);
        }
        if whole.is_empty() && !text.is_empty() && !header.starts_with(&text) {
            let (path, found) = (path.to_owned(), printable(&text));
            return Err(JournalError::Foreign { path, found, expected: header });
        }
        file.set_len(whole.len() as u64).map_err(failed)?;
        if whole.is_empty() {
            file.write_all((header + "\n").as_bytes()).map_err(failed)?;
        }
        Ok(Self { known, file: Mutex::new(file), bar })
    }
}

impl Record for Journal {
    fn begin(&self, pieces: usize) {
        self.bar.set_length(pieces as u64);
    }

    fn known(&self, piece: usize) -> Option<u64> {
        self.known.get(&piece).copied()
    }

    fn finished(&self, piece: usize, count: u64) {
        if !self.known.contains_key(&piece)
            && let Ok(mut file) = self.file.lock()
            && let Err(error) = file.write_all(format!("{piece} {count}\n").as_bytes())
        {
            // The count itself is not in danger.
            log::warn!("perft: the journal cannot be written: {error}");
        }
        self.bar.inc(1);
    }
}

impl Record for ProgressBar {
    fn begin(&self, pieces: usize) {
        self.set_length(pieces as u64);
    }

    fn finished(&self, _piece: usize, _count: u64) {
        self.inc(1);
    }
}

/// The number of leaf nodes; see [`divide`].
#[must_use]
pub fn perft(position: &Position, request: &Request, stop: &AtomicBool) -> Option<u64> {
    if request.depth == 0 { Some(1) } else { divide(position, request, stop).map(|divided| divided.total()) }
}

fn count(chess: &Chess, depth: u32, stop: &AtomicBool) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return movegen::count(chess);
    }
    let moves = chess.legal_moves();
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
    if let Some(known) = table.get(position.key(), depth) {
        return known;
    }
    let moves = position.chess().legal_moves();
    let sum = moves.into_iter().map(|m| count_hashed(&position.play(m), depth - 1, table, stop)).sum();
    if !stop.load(Relaxed) {
        table.put(position.key(), depth, sum);
    }
    sum
}

/// Counts by position and depth, shared without locks: the key is kept exclusive-or the count.
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
                let request = Request { depth, threads, hash };
                assert_eq!(perft(&position, &request, &AtomicBool::new(false)), Some(expected), "{request:?}");
            }
        }
    }

    #[test]
    fn a_journal_spares_what_was_counted() {
        let folder = std::env::temp_dir().join(format!("aspirant-perft-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("journal");
        let position = Position::default();
        let open = |depth| Journal::open(&path, &position, depth, ProgressBar::hidden());
        let count = |journal: &Journal| {
            divide_recorded(&position, &Request::new(4), &AtomicBool::new(false), journal).unwrap().total()
        };
        let first = open(4).unwrap();
        assert!(open(4).err().unwrap().to_string().contains("another run"));
        assert_eq!(count(&first), 197_281);
        drop(first);
        // Cut in the middle of a line, and with one count changed to show that it is believed and not counted again.
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 401);
        let half: String = text.lines().take(200).map(|line| format!("{line}\n")).collect::<String>() + "39";
        let (piece, old) = half.lines().nth(1).unwrap().split_once(' ').unwrap();
        let changed = half.replacen(&format!("\n{piece} {old}\n"), &format!("\n{piece} {}\n", 1_000_000), 1);
        fs::write(&path, changed).unwrap();
        assert_eq!(count(&open(4).unwrap()), 197_281 + 1_000_000 - old.parse::<u64>().unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 401);
        assert!(open(5).err().unwrap().to_string().contains("not with 'aspirant perft 5"));
        fs::write(&path, text.replacen("\n0 ", "\nzero ", 1)).unwrap();
        assert!(open(4).err().unwrap().to_string().contains("'zero "));
        fs::write(&path, "a letter to somebody").unwrap();
        assert!(open(4).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter to somebody");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn it_can_be_stopped() {
        assert_eq!(perft(&Position::default(), &Request::new(20), &AtomicBool::new(true)), None);
    }
}
