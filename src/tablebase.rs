//! Syzygy tablebases: WDL probes in the search, DTZ ranking of the root moves.
//!
//! There are two files per material configuration: WDL (win, draw, loss) and DTZ (distance to zeroing: plies to the
//! next capture or pawn move, which ensures progress within the fifty-move rule). Inner nodes are probed only directly
//! after a zeroing move, where the halfmove clock is 0 and WDL is exact. At the root, DTZ ranks the moves; if a DTZ file
//! is missing, WDL ranks them without regard to the halfmove clock. Files are read with positioned reads, never
//! memory-mapped, so a truncated or damaged file causes an error instead of a signal. The number of open files is
//! bounded. The first error is stored, to be reported once, and disables all tablebases.
//! <https://www.chessprogramming.org/Syzygy_Bases>
#![doc(hidden)]

mod open_files;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy::{ProbeError, SyzygyError, Tablebase as Files, Wdl};

use crate::board::game::{Game, GameOutcome};
use crate::board::position::{Position, printable};
use crate::platform::bytes::to_path;
use crate::platform::files::error_reason;
use crate::score::{Bound, DRAW, Score, TB_WIN};
use open_files::{BoundedFilesystem, OpenFiles};

/// Maximum number of directories in `SyzygyPath`; further ones are reported and not searched.
const MAX_DIRECTORIES: usize = 64;
/// Rank of a certain win; larger than any DTZ plus halfmove clock.
const WIN_RANK: i32 = 1 << 18;

pub struct Tablebase {
    files: Files<Chess>,
    open_files: Arc<OpenFiles>,
    wdl_files: usize,
    dtz_files: usize,
    max_pieces: usize,
    /// Set by the first error.
    disabled: AtomicBool,
    /// Message of the first error, until taken.
    error: Mutex<Option<String>>,
}

/// Tablebases with the probe settings of one search.
#[derive(Clone)]
pub struct TbProber {
    /// Tablebase files, shared by all threads.
    pub tablebase: Arc<Tablebase>,
    /// Minimum depth in plies for probes with as many pieces as the largest files have (`SyzygyProbeDepth`).
    pub probe_depth: i32,
    /// Maximum number of pieces for probes (`SyzygyProbeLimit`).
    pub probe_limit: usize,
    /// Scores cursed wins and blessed losses as draws (`Syzygy50MoveRule`).
    pub fifty_move_rule: bool,
}

/// Root move with its tablebase result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    pub m: Move,
    /// Rank: higher is better; the search chooses among moves of equal rank.
    pub rank: i32,
    pub score: Score,
}

/// Tablebase ranking of all root moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RootRanking {
    /// Ranked moves, unsorted.
    pub moves: Vec<RankedMove>,
    /// Whether DTZ was used, which ensures progress; otherwise the ranks come from WDL only.
    pub by_dtz: bool,
}

impl Tablebase {
    /// Scans directories for tablebase files; returns them and a message for the user.
    ///
    /// The directories are separated by `;` or, except on Windows, `:`. Files are opened at their first probe.
    #[must_use]
    pub fn open(paths: &str) -> (Option<Self>, Option<String>) {
        let open_files = Arc::new(OpenFiles::new());
        let mut tablebase = Self {
            files: Files::with_filesystem(Arc::new(BoundedFilesystem(Arc::clone(&open_files)))),
            open_files,
            wdl_files: 0,
            dtz_files: 0,
            max_pieces: 0,
            disabled: AtomicBool::new(false),
            error: Mutex::new(None),
        };
        let separator = |c: char| c == ';' || c == ':' && !cfg!(windows);
        let directories = paths.split(separator).map(str::trim).filter(|path| !path.is_empty());
        let (mut errors, mut seen) = (Vec::new(), HashSet::new());
        let mut directories = directories.filter(|&path| seen.insert(path));
        for directory in directories.by_ref().take(MAX_DIRECTORIES) {
            tablebase.add_directory(&to_path(directory), &mut errors);
        }
        if let Some(directory) = directories.next() {
            errors.push(format!("'{}': more than {MAX_DIRECTORIES} directories", printable(directory)));
        }
        let mut message = match tablebase.wdl_files {
            _ if paths.trim().is_empty() => return (None, None),
            0 => format!("tablebases: none found in '{}'", printable(paths)),
            wdl => format!(
                "tablebases: {wdl} WDL and {} DTZ files, up to {} pieces",
                tablebase.dtz_files, tablebase.max_pieces
            ),
        };
        if let Some(first) = errors.first() {
            let more = if errors.len() > 1 { format!(" (and {} more)", errors.len() - 1) } else { String::new() };
            message = format!("{message}; ignored: {first}{more}");
        }
        if tablebase.wdl_files == 0 {
            message.push_str("; no tablebases are used");
        }
        ((tablebase.wdl_files > 0).then_some(tablebase), Some(message))
    }

    fn add_directory(&mut self, directory: &Path, errors: &mut Vec<String>) {
        let name = |path: &Path| printable(&path.display().to_string());
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return errors.push(format!("'{}': {}", name(directory), error_reason(&error))),
        };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let is_wdl = match path.extension().and_then(OsStr::to_str) {
                Some("rtbw") => true,
                Some("rtbz") => false,
                _ => continue,
            };
            match self.files.add_file(&path) {
                Ok(()) if is_wdl => {
                    // "KQvKR" is four pieces.
                    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
                    self.max_pieces = self.max_pieces.max(stem.len().saturating_sub(1));
                    self.wdl_files += 1;
                }
                Ok(()) => self.dtz_files += 1,
                Err(error) => errors.push(format!("'{}': {error}", name(&path))),
            }
        }
    }

    /// Maximum number of pieces, kings and pawns included, that the WDL files cover.
    #[must_use]
    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    /// Closes all files; a running search opens those that it still needs.
    pub fn close_files(&self) {
        self.open_files.close();
    }

    /// Returns the message of the first error, once.
    pub fn take_error(&self) -> Option<String> {
        if !self.disabled.load(Relaxed) {
            return None;
        }
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Runs a probe. A missing file gives `None`; any other error disables all tablebases.
    fn probe_files<T>(&self, probe: impl FnOnce(&Files<Chess>) -> Result<T, SyzygyError>) -> Option<T> {
        if self.disabled.load(Relaxed) {
            return None;
        }
        let reason = match catch_unwind(AssertUnwindSafe(|| probe(&self.files))) {
            Ok(Ok(result)) => return Some(result),
            Ok(Err(SyzygyError::ProbeFailed { metric, material, error })) => {
                let reason = match *error {
                    ProbeError::Read { error } => error_reason(&error),
                    ProbeError::Magic { .. } => "not a Syzygy file".into(),
                    ProbeError::CorruptedTable { .. } => "corrupted".into(),
                };
                format!("{metric} of {material}: {reason}")
            }
            Ok(Err(_)) => return None,
            Err(_) => "panic while reading a file".into(),
        };
        self.disable(&reason)
    }

    /// Disables the tablebases and stores the message of the first error.
    fn disable<T>(&self, reason: &str) -> Option<T> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.disabled.swap(true, Relaxed) {
            *error = Some(format!("tablebases: {reason}; disabled until SyzygyPath is set again"));
        }
        None
    }

    fn wdl(&self, chess: &Chess) -> Option<Wdl> {
        self.probe_files(|files| files.probe_wdl_after_zeroing(chess))
    }

    /// DTZ in plies, with the sign of the result; 0 is a draw.
    fn dtz(&self, chess: &Chess) -> Option<i32> {
        self.probe_files(|files| files.probe_dtz(chess)).map(|dtz| dtz.ignore_rounding().0)
    }
}

impl TbProber {
    fn covers(&self, position: &Position) -> bool {
        position.board().occupied().count() <= self.probe_limit.min(self.tablebase.max_pieces())
            && !position.chess().castles().any()
    }

    /// Probes WDL for a node at `ply`; returns its score and the type of bound.
    ///
    /// `None` if the halfmove clock is not 0, the position is not covered, its file is missing, an error has disabled the
    /// tablebases, or the position has [`Tablebase::max_pieces`] pieces and `depth` is below the probe depth. A win is a
    /// lower bound, because a mate scores higher; a loss is an upper bound.
    #[must_use]
    pub fn probe(&self, position: &Position, depth: i32, ply: usize) -> Option<(Score, Bound)> {
        if position.halfmoves() > 0 || !self.covers(position) {
            return None;
        }
        let pieces = position.board().occupied().count();
        if pieces == self.tablebase.max_pieces() && depth < self.probe_depth {
            return None;
        }
        let (wdl, win) = (self.tablebase.wdl(position.chess())?, TB_WIN - ply as Score);
        Some(match self.wdl_value(wdl) {
            2 => (win, Bound::Lower),
            -2 => (-win, Bound::Upper),
            // Cursed wins score slightly above a draw, blessed losses slightly below.
            value => (DRAW + 2 * value, Bound::Exact),
        })
    }

    /// Returns the result from -2 (loss) to 2 (win).
    ///
    /// Without the fifty-move rule, cursed wins and blessed losses count as wins and losses.
    fn wdl_value(&self, wdl: Wdl) -> i32 {
        let value = i32::from(wdl);
        if self.fifty_move_rule { value } else { 2 * value.signum() }
    }

    /// Ranks the root moves; `None` if the tablebases do not cover all of them.
    #[must_use]
    pub fn rank_root_moves(&self, game: &Game) -> Option<RootRanking> {
        if !self.covers(&game.position) {
            return None;
        }
        let moves = game.position.chess().legal_moves();
        let rank_all =
            |rank: &dyn Fn(Move) -> Option<RankedMove>| moves.iter().map(|&m| rank(m)).collect::<Option<Vec<_>>>();
        // After a repetition, only the smallest DTZ ensures progress.
        let repeated = has_repeated(game);
        if let Some(moves) = rank_all(&|m| self.rank_by_dtz(game, m, repeated)) {
            return Some(RootRanking { moves, by_dtz: true });
        }
        let moves = rank_all(&|m| self.rank_by_wdl(game, m))?;
        Some(RootRanking { moves, by_dtz: false })
    }

    fn rank_by_dtz(&self, game: &Game, m: Move, repeated: bool) -> Option<RankedMove> {
        let halfmoves = i32::try_from(game.position.halfmoves()).unwrap_or(i32::MAX).min(WIN_RANK / 8);
        let mut after = game.clone();
        after.play(m);
        let child = after.position.chess();
        let dtz = match after.outcome() {
            Some(GameOutcome::Checkmate { .. }) => 1,
            Some(_) => 0,
            None if child.halfmoves() == 0 => match -i32::from(self.tablebase.wdl(child)?) {
                2 => 1,
                1 => 101,
                0 => 0,
                -1 => -101,
                _ => -1,
            },
            None => {
                let dtz = -self.tablebase.dtz(child)?;
                dtz.saturating_add(dtz.signum())
            }
        };
        let dtz = dtz.clamp(-WIN_RANK / 8, WIN_RANK / 8);
        let rank = match dtz {
            // Certain win within the fifty-move rule, with one ply of margin for rounded DTZ: equal ranks, so the
            // search chooses.
            1.. if dtz + halfmoves <= 99 && !repeated => WIN_RANK,
            1.. => WIN_RANK / 2 - (dtz + halfmoves),
            0 => 0,
            // Certain loss, no chance of a fifty-move draw: equal ranks, so the search chooses.
            _ if -2 * dtz + halfmoves < 100 => -WIN_RANK,
            _ => -WIN_RANK / 2 + (-dtz + halfmoves),
        };
        let min_win_rank = if self.fifty_move_rule { WIN_RANK / 2 - 100 } else { 1 };
        let score = match rank {
            _ if rank >= min_win_rank => TB_WIN,
            1.. => DRAW + 2,
            0 => DRAW,
            _ if rank <= -min_win_rank => -TB_WIN,
            _ => DRAW - 2,
        };
        Some(RankedMove { m, rank, score })
    }

    fn rank_by_wdl(&self, game: &Game, m: Move) -> Option<RankedMove> {
        let mut after = game.clone();
        after.play(m);
        let child = after.position.chess();
        let is_drawn = after.outcome().is_some_and(|outcome| outcome.winner().is_none());
        let value = if is_drawn { 0 } else { self.wdl_value(-self.tablebase.wdl(child)?) };
        let score = match value {
            2 => TB_WIN,
            -2 => -TB_WIN,
            value => DRAW + 2 * value,
        };
        Some(RankedMove { m, rank: value, score })
    }
}

/// Returns whether any position has occurred twice since the last irreversible move.
fn has_repeated(game: &Game) -> bool {
    let back = game.position.reversible_plies().min(game.history.len());
    let mut keys: Vec<u64> = game.history.iter().rev().take(back).copied().collect();
    keys.push(game.position.key());
    keys.sort_unstable();
    keys.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}
