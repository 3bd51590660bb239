//! Endgame tables: the result of every position with few men, computed once and for all.
//!
//! Syzygy tables come as two files for each set of men: WDL (win, draw, loss) and DTZ (moves to the next
//! capture or pawn move, without which a won position could be shuffled into a fifty-move draw). The
//! search asks for WDL right after a zeroing move, when the count to the fifty-move draw starts afresh
//! and the table's answer is exact; at the root DTZ ranks the moves. Files are read with positioned reads,
//! never mapped: one that shrinks or breaks is an error here and not a signal. The first error is kept
//! for whoever reports to people, and from then on the tables are as if they were not there.
//! <https://www.chessprogramming.org/Syzygy_Bases>

use std::collections::HashSet;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy::{ProbeError, SyzygyError, Tablebase as Files, Wdl};

use crate::board::position::{Game, Position, printable};
use crate::score::{Bound, DRAW, Score, TABLE_WIN};

/// Far more than there are; a path that leads to more is not one of tables.
const MOST_DIRECTORIES: usize = 64;
/// Larger than any distance to zeroing with the fifty-move counter added.
const WON: i32 = 1 << 18;

/// The tables that were found.
pub struct Tablebase {
    files: Files<Chess>,
    wdl: usize,
    dtz: usize,
    men: usize,
    broken: AtomicBool,
    fault: Mutex<Option<String>>,
}

/// The tables as one search uses them.
#[derive(Clone)]
pub struct Tables {
    /// Shared by all threads.
    pub base: Arc<Tablebase>,
    /// Positions with the most men that the tables know are asked about only at this depth or deeper, plies.
    pub depth: i32,
    /// Ask only about positions with at most this many men.
    pub limit: usize,
    /// Wins that the fifty-move rule frustrates are draws.
    pub fifty_moves: bool,
}

/// A root move as the tables see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked {
    /// The move.
    pub m: Move,
    /// Better results have higher ranks; among equal ones the search decides.
    pub rank: i32,
    /// What the result is worth.
    pub score: Score,
}

/// All root moves as the tables see them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// In no order.
    pub moves: Vec<Ranked>,
    /// By distance to zeroing, so that following them makes progress; otherwise by result alone.
    pub by_distance: bool,
}

impl Tablebase {
    /// Looks for tables in directories, separated by `;` or, but on Windows, `:`. Files are opened only when
    /// they are asked. Comes with what a person should know.
    #[must_use]
    pub fn find(paths: &str) -> (Option<Self>, Option<String>) {
        let mut found = Self {
            files: Files::new(),
            wdl: 0,
            dtz: 0,
            men: 0,
            broken: AtomicBool::new(false),
            fault: Mutex::new(None),
        };
        let separator = |c: char| c == ';' || c == ':' && !cfg!(windows);
        let directories = paths.split(separator).map(str::trim).filter(|path| !path.is_empty());
        let (mut faults, mut seen) = (Vec::new(), HashSet::new());
        for directory in directories.filter(|&path| seen.insert(path)).take(MOST_DIRECTORIES) {
            found.add(Path::new(directory), &mut faults);
        }
        let mut note = match found.wdl {
            _ if paths.trim().is_empty() => return (None, None),
            0 => format!("endgame tables: none found in '{}'", printable(paths)),
            wdl => format!("endgame tables: {wdl} WDL and {} DTZ files, up to {} men", found.dtz, found.men),
        };
        if let Some(first) = faults.first() {
            let more = if faults.len() > 1 { format!(" (and {} more)", faults.len() - 1) } else { String::new() };
            note = format!("{note}; not used: {first}{more}");
        }
        ((found.wdl > 0).then_some(found), Some(note))
    }

    fn add(&mut self, directory: &Path, faults: &mut Vec<String>) {
        let name = |path: &Path| printable(&path.display().to_string());
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return faults.push(format!("'{}': {}", name(directory), error.kind())),
        };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let kind = path.extension().and_then(OsStr::to_str);
            let Some(is_wdl) = kind.and_then(|kind| ["rtbz", "rtbw"].iter().position(|&known| known == kind)) else {
                continue;
            };
            match self.files.add_file(&path) {
                Ok(()) if is_wdl == 1 => {
                    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
                    self.men = self.men.max(stem.len().saturating_sub(1));
                    self.wdl += 1;
                }
                Ok(()) => self.dtz += 1,
                Err(error) => faults.push(format!("'{}': {error}", name(&path))),
            }
        }
    }

    /// The most men that a table is there for.
    #[must_use]
    pub fn men(&self) -> usize {
        self.men
    }

    /// What went wrong, once: for a person.
    pub fn take_fault(&self) -> Option<String> {
        if !self.broken.load(Relaxed) {
            return None;
        }
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks the files. A table that is not there is no answer; anything else that fails ends the use of all
    /// tables: whoever holds one broken file should not trust the rest.
    fn ask<T>(&self, question: impl FnOnce(&Files<Chess>) -> Result<T, SyzygyError>) -> Option<T> {
        if self.broken.load(Relaxed) {
            return None;
        }
        if let Err(error) = crate::platform::fault::read("tables") {
            return self.give_up(&error.kind().to_string());
        }
        let reason = match catch_unwind(AssertUnwindSafe(|| question(&self.files))) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(SyzygyError::ProbeFailed { metric, material, error })) => {
                let reason = match *error {
                    ProbeError::Read { error } => error.kind().to_string(),
                    ProbeError::Magic { .. } => "no Syzygy table".into(),
                    ProbeError::CorruptedTable { .. } => "corrupted".into(),
                };
                format!("{metric} of {material}: {reason}")
            }
            Ok(Err(_)) => return None,
            Err(_) => "a file made the reader fail".into(),
        };
        self.give_up(&reason)
    }

    /// From now on without tables; the first reason is kept for a person.
    fn give_up<T>(&self, reason: &str) -> Option<T> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.broken.swap(true, Relaxed) {
            *fault = Some(format!("endgame tables: {reason}; they are not used any more"));
        }
        None
    }

    fn wdl(&self, chess: &Chess) -> Option<Wdl> {
        self.ask(|files| files.probe_wdl_after_zeroing(chess))
    }

    /// Plies to the next zeroing move, signed like the result; 0 is a draw.
    fn dtz(&self, chess: &Chess) -> Option<i32> {
        self.ask(|files| files.probe_dtz(chess)).map(|dtz| dtz.ignore_rounding().0)
    }
}

impl Tables {
    fn covers(&self, position: &Position) -> bool {
        position.board().occupied().count() <= self.limit.min(self.base.men()) && !position.chess().castles().any()
    }

    /// What the tables know about a node: a score `ply` plies from the root, and what it bounds. A table win is
    /// worth at least as much as it says, for the mate behind it is worth more.
    #[must_use]
    pub fn probe(&self, position: &Position, depth: i32, ply: usize) -> Option<(Score, Bound)> {
        if position.halfmoves() > 0 || !self.covers(position) {
            return None;
        }
        let men = position.board().occupied().count();
        if men == self.base.men() && depth < self.depth {
            return None;
        }
        let (wdl, won) = (self.base.wdl(position.chess())?, TABLE_WIN - ply as Score);
        Some(match self.value(wdl) {
            2 => (won, Bound::Lower),
            -2 => (-won, Bound::Upper),
            // A frustrated win is a draw, but the better one.
            other => (DRAW + 2 * other, Bound::Exact),
        })
    }

    /// −2 to 2; without the fifty-move rule every win is one.
    fn value(&self, wdl: Wdl) -> i32 {
        let value = i32::from(wdl);
        if self.fifty_moves { value } else { 2 * value.signum() }
    }

    /// Ranks the moves at the root of a search; `None` if the tables do not cover all of them.
    #[must_use]
    pub fn rank(&self, game: &Game) -> Option<Ranking> {
        if !self.covers(&game.position) {
            return None;
        }
        let moves = game.position.chess().legal_moves();
        let ranked = |rank: &dyn Fn(Move) -> Option<Ranked>| moves.iter().map(|&m| rank(m)).collect::<Option<Vec<_>>>();
        // A position that has come back: from now on only the shortest way counts, or it comes back again.
        let repeated = has_repeated(game);
        let by_distance = ranked(&|m| self.rank_by_distance(game, m, repeated));
        if let Some(moves) = by_distance {
            return Some(Ranking { moves, by_distance: true });
        }
        let moves = ranked(&|m| self.rank_by_result(game, m))?;
        Some(Ranking { moves, by_distance: false })
    }

    fn rank_by_distance(&self, game: &Game, m: Move, repeated: bool) -> Option<Ranked> {
        let counter = i32::try_from(game.position.halfmoves()).unwrap_or(i32::MAX).min(WON / 8);
        let mut after = game.clone();
        after.play(m);
        let child = after.position.chess();
        let dtz = if child.is_checkmate() {
            1
        } else if after.is_repetition(2) || child.halfmoves() >= 100 {
            0
        } else if child.halfmoves() == 0 {
            match -i32::from(self.base.wdl(child)?) {
                2 => 1,
                1 => 101,
                0 => 0,
                -1 => -101,
                _ => -1,
            }
        } else {
            let dtz = -self.base.dtz(child)?;
            dtz.saturating_add(dtz.signum())
        };
        let dtz = dtz.clamp(-WON / 8, WON / 8);
        let rank = match dtz {
            // In time, with a ply to spare for rounding: all such wins are equal, and the search looks for the mate.
            1.. if dtz + counter <= 99 && !repeated => WON,
            1.. => WON / 2 - (dtz + counter),
            0 => 0,
            // A loss that cannot be dragged out to the fifty-move draw: all equal, and the search sets problems.
            _ if -2 * dtz + counter < 100 => -WON,
            _ => -WON / 2 + (-dtz + counter),
        };
        let in_time = if self.fifty_moves { WON / 2 - 100 } else { 1 };
        let score = match rank {
            _ if rank >= in_time => TABLE_WIN,
            1.. => DRAW + 2,
            0 => DRAW,
            _ if rank <= -in_time => -TABLE_WIN,
            _ => DRAW - 2,
        };
        Some(Ranked { m, rank, score })
    }

    fn rank_by_result(&self, game: &Game, m: Move) -> Option<Ranked> {
        let mut after = game.clone();
        after.play(m);
        let child = after.position.chess();
        let drawn = after.is_repetition(2) || child.halfmoves() >= 100 && !child.is_checkmate();
        let value = if drawn { 0 } else { self.value(-self.base.wdl(child)?) };
        let score = match value {
            2 => TABLE_WIN,
            -2 => -TABLE_WIN,
            other => DRAW + 2 * other,
        };
        Some(Ranked { m, rank: value, score })
    }
}

/// Has any position occurred twice since the last move that cannot be taken back?
fn has_repeated(game: &Game) -> bool {
    let back = game.position.reversible_plies().min(game.history.len());
    let mut keys: Vec<u64> = game.history.iter().rev().take(back).copied().collect();
    keys.push(game.position.key());
    keys.sort_unstable();
    keys.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}
