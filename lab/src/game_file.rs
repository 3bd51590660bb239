//! The game file that `datagen` writes: whole games in viriformat, one after the other.
//!
//! Each ply has the move that was played (of an adjudicated game also the last one, which was not) and its score. The
//! format has no header, so the settings of the run are in a text file beside it, `games.vf.toml` for `games.vf`. An
//! interrupted run leaves at most one incomplete game at the end, which the next run removes. A lock ensures a single
//! writer.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Position as _};

use crate::files::{replace_file, try_lock};
use crate::formats::{PackedPosition, RECORD_SIZE, move_code, move_of_code, pack_position, unpack_position};
use crate::hash::fnv1a;
use aspirant::board::game::GameOutcome;
use aspirant::board::movegen::is_noisy;
use aspirant::board::position::Position;
use aspirant::score::is_decisive;
use aspirant::terminal::{print_error_line, progress_bar};

/// End of a game in place of a move and a score.
const END: [u8; 4] = [0; 4];

/// The reason why a game file cannot be read or written.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum GameFileError {
    /// An input or output error.
    #[error("{}: {source}", .path.display())]
    System {
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Another process has locked the file.
    #[error("{}: another run is writing this file; nothing was changed", .path.display())]
    InUse { path: PathBuf },
    /// The file ends within a game.
    #[error("{}: truncated in game {game}, which begins at byte {offset}; the games before it are intact", .path.display())]
    Truncated {
        path: PathBuf,
        /// Number of the incomplete game, from 0.
        game: u32,
        /// Offset of its first byte.
        offset: u64,
    },
    /// A game is not in viriformat, or is not a game of chess.
    #[error(
        "{}: invalid in game {game}, at byte {offset}: {reason}; expected a file of games in viriformat, as datagen writes it", .path.display()
    )]
    Invalid {
        path: PathBuf,
        /// Number of the invalid game, from 0.
        game: u32,
        /// Offset of the invalid position or move.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// The file has no settings beside it, or they cannot be read.
    #[error("{}: {reason}; only a file of datagen can be continued; nothing was changed", .path.display())]
    NoSettings {
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file was created with other settings.
    #[error("{}: created with {existing}; cannot be continued with {requested}; nothing was changed", .path.display())]
    OtherSettings { path: PathBuf, existing: Box<DatagenSettings>, requested: Box<DatagenSettings> },
}

/// The settings on which the games of a file depend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatagenSettings {
    /// Name and version of the engine that plays.
    pub engine: String,
    /// Checksum of the results of short searches of fixed positions, which changes with evaluator and search.
    pub checksum: String,
    /// Soft node limit of each move.
    pub nodes: u32,
    /// Seed of the random openings.
    pub seed: u32,
}

impl std::fmt::Display for DatagenSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} nodes, seed {}, {} (checksum {})", self.nodes, self.seed, self.engine, self.checksum)
    }
}

impl DatagenSettings {
    /// Reads the settings beside a game file.
    ///
    /// # Errors
    /// [`GameFileError::NoSettings`].
    pub fn read(game_file: &Path) -> Result<Self, GameFileError> {
        let path = settings_path(game_file);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        let settings = text.and_then(|text| toml::from_str(&text).map_err(|error| error.message().to_owned()));
        settings.map_err(|reason| GameFileError::NoSettings { path, reason })
    }

    fn write(&self, game_file: &Path) -> Result<(), GameFileError> {
        let path = settings_path(game_file);
        let text = toml::to_string(self).map_err(std::io::Error::other);
        let written = text.and_then(|text| replace_file(&path, format!("# aspirant-lab datagen\n{text}").as_bytes()));
        written.map_err(|source| GameFileError::System { path, source })
    }
}

fn settings_path(game_file: &Path) -> PathBuf {
    game_file.with_added_extension("toml")
}

/// The result of a game from White's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum GameResult {
    /// Black won.
    Loss = 0,
    /// The game was drawn.
    Draw = 1,
    /// White won.
    Win = 2,
}

impl GameResult {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Loss, Self::Draw, Self::Win].get(usize::from(byte)).copied()
    }

    #[must_use]
    pub fn won_by(color: Color) -> Self {
        color.fold_wb(Self::Win, Self::Loss)
    }

    /// Returns the points of White: 0, ½ or 1.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self as u8) / 2.0
    }
}

impl From<GameOutcome> for GameResult {
    fn from(outcome: GameOutcome) -> Self {
        outcome.winner().map_or(Self::Draw, Self::won_by)
    }
}

/// A position labeled with the score of a search and the result of the game.
#[derive(Clone, Debug)]
pub struct PositionRecord {
    pub position: Position,
    /// Score of the search in centipawns, from White's view.
    pub score: i16,
    pub result: GameResult,
}

/// The rules by which positions of games are selected.
///
/// A static evaluation cannot resolve tactics, so only quiet positions are used: the side to move is not in check, the
/// move that was played is neither a capture nor a promotion, and the score is not that of a mate or tablebase win. The
/// default has no further rule.
#[derive(clap::Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PositionFilter {
    /// Leave out positions before ply N of the game, counted with the random opening moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub min_ply: u32,
    /// Leave out positions with a score of more than CP centipawns for either side (default: keep them)
    #[arg(long, value_name = "CP")]
    pub max_score: Option<u16>,
    /// Leave out positions more than N plies after the last capture or pawn move (default: keep them)
    #[arg(long, value_name = "N")]
    pub max_halfmoves: Option<u32>,
}

impl PositionFilter {
    fn accepts(&self, position: &Position, m: Move, score: i16) -> bool {
        let ply = 2 * (position.chess().fullmoves().get() - 1) + u32::from(position.turn().is_black());
        !position.in_check()
            && !is_noisy(m)
            && !is_decisive(score.into())
            && ply >= self.min_ply
            && self.max_score.is_none_or(|max_score| score.unsigned_abs() <= max_score)
            && self.max_halfmoves.is_none_or(|max_halfmoves| position.halfmoves() <= max_halfmoves)
    }
}

#[derive(Clone, Debug)]
pub struct GameRecord {
    /// Position after the opening.
    pub start: Position,
    pub result: GameResult,
    /// The moves from `start`, and the score of each position before its move in centipawns, from White's view.
    pub moves: Vec<(Move, i16)>,
}

impl GameRecord {
    /// Returns the game in viriformat.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let start = PositionRecord { position: self.start.clone(), score: 0, result: self.result };
        let mut out = pack_position(&start).to_vec();
        for &(m, score) in &self.moves {
            out.extend(move_code(m).to_le_bytes());
            out.extend(score.to_le_bytes());
        }
        out.extend(END);
        out
    }

    /// Iterates over the positions that the filter accepts.
    pub fn positions(&self, filter: PositionFilter) -> impl Iterator<Item = PositionRecord> {
        let mut next = self.start.clone();
        self.moves.iter().filter_map(move |&(m, score)| {
            let after = next.play(m);
            let position = std::mem::replace(&mut next, after);
            let is_accepted = filter.accepts(&position, m, score);
            is_accepted.then_some(PositionRecord { position, score, result: self.result })
        })
    }
}

/// Reads a file of games in viriformat.
pub struct GameFileReader {
    path: PathBuf,
    file: BufReader<File>,
    /// Offset of the next game.
    offset: u64,
    games: u32,
}

impl GameFileReader {
    /// Opens a game file.
    ///
    /// # Errors
    /// [`GameFileError::System`].
    pub fn open(path: &Path) -> Result<Self, GameFileError> {
        let file = File::open(path).map_err(|source| GameFileError::System { path: path.into(), source })?;
        Ok(Self::new(path, file))
    }

    /// Reads an open file; `path` is used in error messages.
    fn new(path: &Path, file: File) -> Self {
        Self { path: path.into(), file: BufReader::with_capacity(1 << 16, file), offset: 0, games: 0 }
    }

    /// Returns the next game; `None` at the end of the file.
    ///
    /// # Errors
    /// [`GameFileError::Truncated`] if the file ends within a game, [`GameFileError::Invalid`] if its position or a move
    /// is not legal, [`GameFileError::System`] if the file cannot be read.
    pub fn next_game(&mut self) -> Result<Option<GameRecord>, GameFileError> {
        let mut start = PackedPosition::default();
        match self.read(&mut start)? {
            0 => return Ok(None),
            RECORD_SIZE => {}
            _ => return Err(self.truncated()),
        }
        let PositionRecord { position: start, result, .. } =
            unpack_position(&start).map_err(|reason| self.invalid(self.offset, reason))?;
        let (mut position, mut moves) = (start.clone(), Vec::new());
        let mut end = self.offset + RECORD_SIZE as u64;
        loop {
            let mut pair = END;
            if self.read(&mut pair)? < pair.len() {
                return Err(self.truncated());
            }
            if pair == END {
                break;
            }
            let [a, b, c, d] = pair;
            let m = move_of_code(&position, u16::from_le_bytes([a, b]))
                .ok_or_else(|| self.invalid(end, format!("illegal move in {}", position.fen())))?;
            moves.push((m, i16::from_le_bytes([c, d])));
            position = position.play(m);
            end += END.len() as u64;
        }
        self.offset = end + END.len() as u64;
        self.games += 1;
        Ok(Some(GameRecord { start, result, moves }))
    }

    /// Reads until the buffer is full or the file ends; returns the number of bytes read.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, GameFileError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(GameFileError::System { path: self.path.clone(), source }),
            }
        }
        Ok(filled)
    }

    fn truncated(&self) -> GameFileError {
        GameFileError::Truncated { path: self.path.clone(), game: self.games, offset: self.offset }
    }

    fn invalid(&self, offset: u64, reason: String) -> GameFileError {
        GameFileError::Invalid { path: self.path.clone(), game: self.games, offset, reason }
    }
}

/// Reads the games of several files until `on_game` breaks; returns the origin of each file and its number of games.
///
/// Equal games are read once: those of a file that is named twice, of files with the same seed, and, rarely, games with
/// the same random opening. An incomplete game at the end is ignored, so files can be read while `datagen` writes them.
///
/// # Errors
/// The error of `on_game`, or a [`GameFileError`].
pub(crate) fn read_games<E: From<GameFileError>>(
    paths: &[PathBuf],
    mut on_game: impl FnMut(GameRecord) -> Result<ControlFlow<()>, E>,
) -> Result<Vec<(String, u32)>, E> {
    let (mut files, mut seen, mut repeated) = (Vec::new(), HashSet::new(), 0);
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let progress = progress_bar(paths.iter().map(size).sum(), "{bar:30} {bytes}/{total_bytes} read");
    'files: for path in paths {
        let mut reader = GameFileReader::open(path)?;
        let before = progress.position();
        let origin = DatagenSettings::read(path).map_or_else(|_| "unknown settings".into(), |known| known.to_string());
        files.push((origin, 0));
        loop {
            let game = match reader.next_game() {
                Ok(Some(game)) => game,
                Ok(None) => break,
                Err(error @ GameFileError::Truncated { .. }) => {
                    print_error_line(&format!("{error}; the incomplete game is ignored"));
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            progress.set_position(before + reader.offset);
            if !seen.insert(fnv1a(&game.to_bytes())) {
                repeated += 1;
                continue;
            }
            files.last_mut().into_iter().for_each(|(_, games)| *games += 1);
            if on_game(game)?.is_break() {
                break 'files;
            }
        }
    }
    progress.finish_and_clear();
    if repeated > 0 {
        print_error_line(&format!("ignored {repeated} games that occur more than once"));
    }
    Ok(files)
}

pub struct GameFileWriter {
    path: PathBuf,
    file: File,
    pub games: u32,
    /// Positions with a score in the file.
    pub positions: u64,
}

impl GameFileWriter {
    /// Creates a file and its settings, or opens one that was created with the same settings.
    ///
    /// Removes an incomplete game at the end of the file.
    ///
    /// # Errors
    /// [`GameFileError`]; the file is unchanged then.
    pub fn open(path: &Path, settings: &DatagenSettings) -> Result<Self, GameFileError> {
        let system = |source| GameFileError::System { path: path.into(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(system)?;
        if !try_lock(&file) {
            return Err(GameFileError::InUse { path: path.into() });
        }
        if file.metadata().map_err(system)?.len() == 0 {
            settings.write(path)?;
            return Ok(Self { path: path.into(), file, games: 0, positions: 0 });
        }
        let existing = DatagenSettings::read(path)?;
        if existing != *settings {
            let (existing, requested) = (Box::new(existing), Box::new(settings.clone()));
            return Err(GameFileError::OtherSettings { path: path.into(), existing, requested });
        }
        // On Windows, a locked file can only be read through the handle that holds the lock.
        let mut reader = GameFileReader::new(path, file.try_clone().map_err(system)?);
        let mut positions = 0;
        loop {
            match reader.next_game() {
                Ok(Some(game)) => positions += game.moves.len() as u64,
                Ok(None) => break,
                Err(error @ GameFileError::Truncated { .. }) => {
                    print_error_line(&format!("{error}; the incomplete game is removed"));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        file.set_len(reader.offset).map_err(system)?;
        file.seek(SeekFrom::End(0)).map_err(system)?;
        Ok(Self { path: path.into(), file, games: reader.games, positions })
    }

    /// Appends a game with one write.
    ///
    /// # Errors
    /// [`GameFileError::System`].
    pub fn append(&mut self, game: &GameRecord) -> Result<(), GameFileError> {
        let written = self.file.write_all(&game.to_bytes());
        written.map_err(|source| GameFileError::System { path: self.path.clone(), source })?;
        self.games += 1;
        self.positions += game.moves.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use aspirant::board::position::parse_fen;

    /// The path of a temporary file that is deleted on drop, together with its settings.
    pub struct TempFile(pub PathBuf);

    impl TempFile {
        pub fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("aspirant-games-{name}-{}", std::process::id()));
            let _ = std::fs::remove_file(&path);
            Self(path)
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = [&self.0, &settings_path(&self.0)].map(std::fs::remove_file);
        }
    }

    pub fn settings() -> DatagenSettings {
        DatagenSettings { engine: "Test 1".into(), checksum: "c0ffee".into(), nodes: 700, seed: u32::MAX }
    }

    pub fn random_game(seed: u64, length: usize) -> GameRecord {
        let mut random = fastrand::Rng::with_seed(seed);
        let start = Position::default();
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for _ in 0..length {
            let legal = position.chess().legal_moves();
            let Some(&m) = random.choice(legal.as_slice()) else { break };
            position = position.play(m);
            moves.push((m, random.i16(..)));
        }
        GameRecord { start, result: GameResult::Win, moves }
    }

    fn written(name: &str) -> (TempFile, Vec<GameRecord>) {
        let file = TempFile::new(name);
        let games = vec![random_game(1, 80), random_game(2, 0), random_game(3, 150)];
        let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
        games.iter().for_each(|game| writer.append(game).unwrap());
        assert_eq!((writer.games, writer.positions), (3, 230));
        (file, games)
    }

    #[test]
    fn a_second_writer_is_rejected() {
        let (file, games) = written("two-runs");
        let mut first = GameFileWriter::open(&file.0, &settings()).unwrap();
        let error = GameFileWriter::open(&file.0, &settings()).err().unwrap().to_string();
        assert!(error.contains("another run is writing"), "{error}");
        first.append(&games[0]).unwrap();
        drop(first);
        assert_eq!(GameFileWriter::open(&file.0, &settings()).unwrap().games, 4);
    }

    #[test]
    fn a_truncated_game_is_reported_and_removed() {
        let (file, games) = written("truncated");
        let whole = std::fs::read(&file.0).unwrap();
        let last = whole.len() - games[2].to_bytes().len();
        for length in [last + 1, last + RECORD_SIZE, last + RECORD_SIZE + 10, whole.len() - 1] {
            std::fs::write(&file.0, &whole[..length]).unwrap();
            let mut reader = GameFileReader::open(&file.0).unwrap();
            assert!(reader.next_game().is_ok() && reader.next_game().is_ok());
            let error = reader.next_game().unwrap_err().to_string();
            let expected = format!("{}: truncated in game 2, which begins at byte {last};", file.0.display());
            assert!(error.starts_with(&expected), "{error}");
            let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
            assert_eq!((writer.games, writer.positions), (2, 80));
            writer.append(&games[2]).unwrap();
            assert_eq!(std::fs::read(&file.0).unwrap(), whole);
        }
    }

    #[test]
    fn invalid_games_are_reported_and_unchanged() {
        let (file, games) = written("invalid");
        let whole = std::fs::read(&file.0).unwrap();
        let changed = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            bytes
        };
        let second = games[0].to_bytes().len();
        for (bytes, reason) in [
            (vec![b'x'; 500], "invalid in game 0, at byte 0: more than 32 pieces, or an unknown piece"),
            (vec![0; 500], "invalid in game 0, at byte 0: illegal position"),
            (changed(RECORD_SIZE, 0xff), "invalid in game 0, at byte 32: illegal move in rnbqkbnr/pppppppp/8/8/8/8"),
            (changed(second + 30, 3), &format!("invalid in game 1, at byte {second}: the result is 3, not 0, 1 or 2")),
        ] {
            std::fs::write(&file.0, &bytes).unwrap();
            let mut reader = GameFileReader::open(&file.0).unwrap();
            let read = std::iter::from_fn(|| reader.next_game().transpose()).find_map(Result::err);
            for error in [read, GameFileWriter::open(&file.0, &settings()).err()] {
                let text = error.unwrap().to_string();
                assert!(text.contains(reason) && text.contains("viriformat"), "{text}");
            }
            assert_eq!(std::fs::read(&file.0).unwrap(), bytes);
        }
        assert!(GameFileReader::open(Path::new("/nowhere/at/all")).is_err());
    }

    #[test]
    fn a_file_is_continued_only_with_its_settings() {
        let (file, _) = written("settings");
        for other in [
            DatagenSettings { nodes: 701, ..settings() },
            DatagenSettings { seed: 1, ..settings() },
            DatagenSettings { checksum: "other".into(), ..settings() },
        ] {
            let error = GameFileWriter::open(&file.0, &other).err().unwrap().to_string();
            let expected = format!("created with {}; cannot be continued with {other}", settings());
            assert!(error.contains(&expected), "{error}");
        }
        for text in [None, Some("nodes = 700"), Some("=")] {
            match text {
                Some(text) => std::fs::write(settings_path(&file.0), text).unwrap(),
                None => std::fs::remove_file(settings_path(&file.0)).unwrap(),
            }
            let error = GameFileWriter::open(&file.0, &settings()).err().unwrap().to_string();
            assert!(error.contains("only a file of datagen can be continued"), "{error}");
        }
    }

    #[test]
    fn equal_games_are_read_once() {
        let (first, games) = written("first");
        let second = TempFile::new("second");
        std::fs::write(&second.0, [games[1].to_bytes(), random_game(4, 9).to_bytes()].concat()).unwrap();
        let mut lengths = Vec::new();
        let files = read_games(&[first.0.clone(), second.0.clone(), first.0.clone()], |game| {
            lengths.push(game.moves.len());
            Ok::<_, GameFileError>(ControlFlow::Continue(()))
        });
        let known = settings().to_string();
        assert_eq!(files.unwrap(), [(known.clone(), 3), ("unknown settings".into(), 1), (known, 0)]);
        assert_eq!(lengths, [80, 0, 150, 9]);
    }

    #[test]
    fn positions_are_selected_by_the_rules() {
        // White is in check at ply 6; plies 8 and 9 are captures.
        let start = parse_fen("rnbqkbnr/ppp1pppp/8/3p4/4P3/3P4/PPP2PPP/RNBQKBNR b KQkq - 0 2").unwrap();
        let (mut position, mut moves) = (start.clone(), Vec::new());
        let scores = [10, -20, 30, -40, 50, 60, -70, 80];
        for (text, score) in "e7e6 g1f3 f8b4 c2c3 b4e7 e4d5 e6d5 b1d2".split(' ').zip(scores) {
            let m = position.parse_move(text).unwrap();
            position = position.play(m);
            moves.push((m, score));
        }
        moves[4].1 = 31_100;
        let game = GameRecord { start, result: GameResult::Loss, moves };
        let selected = |filter| game.positions(filter).map(|record| record.score).collect::<Vec<_>>();
        let all = PositionFilter::default();
        // The check, the tablebase win of ply 7 and the captures are left out.
        assert_eq!(selected(all), [10, -20, 30, 80]);
        assert_eq!(selected(PositionFilter { min_ply: 4, ..all }), [-20, 30, 80]);
        assert_eq!(selected(PositionFilter { max_score: Some(20), ..all }), [10, -20]);
        assert_eq!(selected(PositionFilter { max_halfmoves: Some(0), ..all }), [10, -20, 80]);
        assert!(game.positions(all).all(|record| record.result == GameResult::Loss));
    }
}
