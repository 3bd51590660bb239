//! The game file that `datagen` writes and `tune` reads: positions of self-play games, 32 bytes each.
//!
//! All integers are little-endian.
//! ```text
//! file    header, then one block for each game, numbered from 0 without gaps
//! header  64 bytes: magic "\x89ASPDATA" · version u32 · soft node limit u32 · seed u64 · checksum of the
//!         evaluation weights that played u64 · checksum of the search parameters u64, 0 if not recorded ·
//!         20 bytes 0 · FNV-1a of the preceding 60 bytes u32
//! block   32 bytes: "GAME" · number u32 · records u16 · plies u16 · result u8 · end reason u8 ·
//!         14 bytes 0 ·
//!         FNV-1a of the preceding 28 bytes and of the records u32; then the records
//! record  32 bytes: occupied squares u64 (bit 0 is a1) · the pieces on them in this order, 4 bits each, low
//!         half of a byte first: role 0 to 5, plus 8 if black (16 bytes) · score i16 · result u8 · side to
//!         move u8 (1 black) · ply u16 · plies since a capture or pawn move u8 · 0
//! ```
//! Scores are centipawns from White's view; results are 0 (Black won), 1 (draw) and 2 (White won). An interrupted run
//! leaves at most one incomplete block at the end, which the next run removes. A power failure can leave a damaged end,
//! which is reported. A lock ensures a single writer.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use shakmaty::{Bitboard, Board, Color, Piece, Role};

use crate::hash::{fnv1a, fnv1a_32};
use crate::selfplay::seed_class;
use aspirant::board::game::GameOutcome;
use aspirant::board::position::Position;
use aspirant::engine::DefaultEvaluator;
use aspirant::score::Score;
use aspirant::search::params::Params;
use aspirant::terminal::print_error_line;

const MAGIC: [u8; 8] = *b"\x89ASPDATA";
const VERSION: u32 = 1;
const HEADER_SIZE: usize = 64;
const BLOCK_HEADER_SIZE: usize = 32;
const BLOCK_MAGIC: [u8; 4] = *b"GAME";

/// Size of a position record in bytes.
pub const RECORD_SIZE: usize = 32;

/// The reason why a game file cannot be read or written.
#[derive(thiserror::Error, Debug)]
pub enum GameFileError {
    /// An input or output error.
    #[error("{}: {source}", .path.display())]
    System {
        /// The game file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Another process has locked the file.
    #[error("{}: another run is writing this file; nothing was changed", .path.display())]
    InUse {
        /// The game file.
        path: PathBuf,
    },
    /// The file is not a game file.
    #[error("{}: not a game file of datagen: {reason}", .path.display())]
    Foreign {
        /// The game file.
        path: PathBuf,
        /// The check that failed.
        reason: String,
    },
    /// The file ends within a game.
    #[error("{}: truncated in game {game}, at byte {offset}; run 'aspirant-lab datagen' with the settings of this file to remove the incomplete game and continue", .path.display())]
    Truncated {
        /// The game file.
        path: PathBuf,
        /// Number of the incomplete game.
        game: u32,
        /// Offset of its block in bytes.
        offset: u64,
    },
    /// The contents of a block do not match its checksum or are invalid.
    #[error("{}: damaged in game {game}, at byte {offset}: {reason}; the games before it are intact: truncate the file to {offset} bytes to keep them", .path.display())]
    Damaged {
        /// The game file.
        path: PathBuf,
        /// Number of the damaged game.
        game: u32,
        /// Offset of its block in bytes.
        offset: u64,
        /// The check that failed.
        reason: &'static str,
    },
    /// Two files were played with the same settings.
    #[error("{} and {} contain the same games: {}; name each file once, and play each file with a different --seed", .first.display(), .second.display(), common_games(.settings))]
    SameGames {
        /// The file that was named first.
        first: PathBuf,
        /// The other file.
        second: PathBuf,
        /// Their settings.
        settings: [DatagenSettings; 2],
    },
    /// The file was created with other settings.
    #[error("{}: created with {existing}; cannot be continued with {requested}; nothing was changed", .path.display())]
    Settings {
        /// The game file.
        path: PathBuf,
        /// The settings in the file.
        existing: DatagenSettings,
        /// The requested settings.
        requested: DatagenSettings,
    },
}

/// Describes why two files contain the same games.
fn common_games(settings: &[DatagenSettings; 2]) -> String {
    let [first, second] = settings;
    let seeds = if first.seed == second.seed {
        format!("both have seed {}", first.seed)
    } else {
        format!("seeds {} and {} have games in common", first.seed, second.seed)
    };
    format!("{seeds}, {} nodes and weights {:016x}", first.nodes, first.weights)
}

/// The settings with which the games of a file are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatagenSettings {
    /// Soft node limit of each move.
    pub nodes: u32,
    /// Seed of the random openings.
    pub seed: u64,
    /// [`weights_checksum`] of the evaluator that played.
    pub weights: u64,
    /// [`params_checksum`] of the search parameters; 0 if the file does not record them.
    pub params: u64,
}

impl std::fmt::Display for DatagenSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} nodes, seed {}, weights {:016x}", self.nodes, self.seed, self.weights)?;
        if self.params == 0 { Ok(()) } else { write!(f, ", search parameters {:016x}", self.params) }
    }
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
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Loss, Self::Draw, Self::Win].get(usize::from(byte)).copied()
    }

    /// Returns the result of a game won by `color`.
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionRecord {
    /// The pieces.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// Score of the search in centipawns, from White's view.
    pub score: i16,
    /// Outcome of the game.
    pub result: GameResult,
    /// Plies since the start of the game.
    pub ply: u16,
    /// Plies since the last capture or pawn move.
    pub halfmoves: u8,
}

impl PositionRecord {
    /// Creates a record from the score for the side to move; the result is set after the game.
    #[must_use]
    pub fn new(position: &Position, score: Score, ply: u16) -> Self {
        let white = position.turn().fold_wb(score, -score);
        Self {
            board: position.board().clone(),
            turn: position.turn(),
            score: white.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            result: GameResult::Draw,
            ply,
            halfmoves: position.halfmoves().min(255) as u8,
        }
    }

    fn to_bytes(&self) -> [u8; RECORD_SIZE] {
        let mut out = [0; RECORD_SIZE];
        let occupied = self.board.occupied();
        out[..8].copy_from_slice(&occupied.0.to_le_bytes());
        // A game never has more than the 32 pieces of the initial position.
        for (index, square) in occupied.into_iter().take(32).enumerate() {
            if let Some(piece) = self.board.piece_at(square) {
                let code = (piece.role as u8 - 1) | u8::from(piece.color.is_black()) << 3;
                out[8 + index / 2] |= code << (4 * (index % 2));
            }
        }
        out[24..26].copy_from_slice(&self.score.to_le_bytes());
        out[26] = self.result as u8;
        out[27] = self.turn.is_black().into();
        out[28..30].copy_from_slice(&self.ply.to_le_bytes());
        out[30] = self.halfmoves;
        out
    }

    fn from_bytes(bytes: &[u8; RECORD_SIZE]) -> Option<Self> {
        let occupied = Bitboard(u64::from_le_bytes(field(bytes, 0)));
        if occupied.count() > 32 {
            return None;
        }
        let mut board = Board::empty();
        for (index, square) in occupied.into_iter().enumerate() {
            let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
            let role = *Role::ALL.get(usize::from(code & 7))?;
            let color = Color::from_white(code & 8 == 0);
            board.set_piece_at(square, Piece { color, role });
        }
        Some(Self {
            board,
            turn: Color::from_white(bytes[27] == 0),
            score: i16::from_le_bytes(field(bytes, 24)),
            result: GameResult::from_byte(bytes[26])?,
            ply: u16::from_le_bytes(field(bytes, 28)),
            halfmoves: bytes[30],
        })
    }
}

/// Returns the `N` bytes at offset `at`.
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}

/// Returns a checksum of the weights of the default evaluator.
#[must_use]
pub fn weights_checksum() -> u64 {
    checksum(&DefaultEvaluator::weight_list())
}

/// Returns a checksum of search parameters; never 0.
#[must_use]
pub fn params_checksum(params: &Params) -> u64 {
    fnv1a(format!("{params:?}").as_bytes()).max(1)
}

/// Returns a checksum of a list of weights.
#[must_use]
pub fn checksum(weights: &[i32]) -> u64 {
    let bytes: Vec<u8> = weights.iter().copied().flat_map(i32::to_le_bytes).collect();
    fnv1a(&bytes)
}

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Its result.
    pub result: GameResult,
    /// The reason why it ended: the discriminant of an `EndReason`.
    pub end_reason: u8,
    /// Its length in plies.
    pub plies: u16,
    /// Its recorded positions.
    pub records: Vec<PositionRecord>,
}

impl GameRecord {
    fn to_bytes(&self, number: u32) -> Vec<u8> {
        let mut out = vec![0; BLOCK_HEADER_SIZE];
        out[..4].copy_from_slice(&BLOCK_MAGIC);
        out[4..8].copy_from_slice(&number.to_le_bytes());
        let count = self.records.len().min(usize::from(u16::MAX));
        out[8..10].copy_from_slice(&(count as u16).to_le_bytes());
        out[10..12].copy_from_slice(&self.plies.to_le_bytes());
        out[12] = self.result as u8;
        out[13] = self.end_reason;
        out.extend(self.records[..count].iter().flat_map(PositionRecord::to_bytes));
        let sum = fnv1a_32(out[..28].iter().chain(&out[BLOCK_HEADER_SIZE..]));
        out[28..32].copy_from_slice(&sum.to_le_bytes());
        out
    }
}

impl DatagenSettings {
    fn to_bytes(self) -> [u8; HEADER_SIZE] {
        let mut out = [0; HEADER_SIZE];
        out[..8].copy_from_slice(&MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&self.nodes.to_le_bytes());
        out[16..24].copy_from_slice(&self.seed.to_le_bytes());
        out[24..32].copy_from_slice(&self.weights.to_le_bytes());
        out[32..40].copy_from_slice(&self.params.to_le_bytes());
        let sum = fnv1a_32(&out[..60]);
        out[60..].copy_from_slice(&sum.to_le_bytes());
        out
    }

    fn from_bytes(bytes: &[u8; HEADER_SIZE]) -> Result<Self, String> {
        if bytes[..8] != MAGIC {
            return Err("it does not start with the magic bytes".into());
        }
        let version = u32::from_le_bytes(field(bytes, 8));
        if version != VERSION {
            return Err(format!("its version is {version}, expected {VERSION}"));
        }
        if u32::from_le_bytes(field(bytes, 60)) != fnv1a_32(&bytes[..60]) {
            return Err("its header is damaged".into());
        }
        Ok(Self {
            nodes: u32::from_le_bytes(field(bytes, 12)),
            seed: u64::from_le_bytes(field(bytes, 16)),
            weights: u64::from_le_bytes(field(bytes, 24)),
            params: u64::from_le_bytes(field(bytes, 32)),
        })
    }

    /// Returns whether the settings are equal, ignoring search parameters that one does not record.
    fn matches(&self, other: &Self) -> bool {
        let params_match = self.params == other.params || self.params == 0 || other.params == 0;
        params_match && (self.nodes, self.seed, self.weights) == (other.nodes, other.seed, other.weights)
    }

    /// Returns whether files with these settings can contain the same game.
    fn shares_games_with(&self, other: &Self) -> bool {
        seed_class(self.seed) == seed_class(other.seed) && self.matches(&Self { seed: self.seed, ..*other })
    }
}

/// Checks that no two of the files can contain the same game.
///
/// With the same program, a game is determined by its number and the settings in the header, so the headers suffice.
/// Search parameters that a file does not record may be equal to any others. Files with the same seed but other nodes,
/// weights or search parameters are accepted, although many of their openings are equal.
///
/// # Errors
/// [`GameFileError::SameGames`]; [`GameFileError::System`] or [`GameFileError::Foreign`] for a file without a header.
pub fn check_distinct(paths: &[PathBuf]) -> Result<(), GameFileError> {
    let mut earlier: Vec<(&PathBuf, DatagenSettings)> = Vec::new();
    for path in paths {
        let settings = GameFileReader::open(path)?.settings;
        if let Some(&(first, first_settings)) = earlier.iter().find(|(_, other)| other.shares_games_with(&settings)) {
            return Err(GameFileError::SameGames {
                first: first.clone(),
                second: path.clone(),
                settings: [first_settings, settings],
            });
        }
        earlier.push((path, settings));
    }
    Ok(())
}

/// Reads a game file game by game.
pub struct GameFileReader {
    path: PathBuf,
    file: BufReader<File>,
    offset: u64,
    next: u32,
    /// The settings with which the games were played.
    pub settings: DatagenSettings,
}

impl GameFileReader {
    /// Opens a game file and reads its header.
    ///
    /// # Errors
    /// [`GameFileError::System`] or [`GameFileError::Foreign`].
    pub fn open(path: &Path) -> Result<Self, GameFileError> {
        let file = File::open(path).map_err(|source| GameFileError::System { path: path.into(), source })?;
        Self::from_file(path, file)
    }

    /// Reads the header of an open file; `path` is used in error messages.
    fn from_file(path: &Path, file: File) -> Result<Self, GameFileError> {
        let system = |source| GameFileError::System { path: path.into(), source };
        let foreign = |reason| GameFileError::Foreign { path: path.into(), reason };
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut header = [0; HEADER_SIZE];
        if read_full(&mut file, &mut header).map_err(system)? < HEADER_SIZE {
            return Err(foreign("it is too short".into()));
        }
        let settings = DatagenSettings::from_bytes(&header).map_err(foreign)?;
        Ok(Self { path: path.into(), file, offset: HEADER_SIZE as u64, next: 0, settings })
    }

    /// Returns the next game; `None` at the end of the file.
    ///
    /// # Errors
    /// [`GameFileError::Truncated`] if the file ends within a game, [`GameFileError::Damaged`] if a block is invalid,
    /// [`GameFileError::System`] if the file cannot be read.
    pub fn next_game(&mut self) -> Result<Option<GameRecord>, GameFileError> {
        let path = self.path.clone();
        let (game, offset) = (self.next, self.offset);
        let truncated = || GameFileError::Truncated { path: path.clone(), game, offset };
        let damaged = |reason| GameFileError::Damaged { path: path.clone(), game, offset, reason };
        let system = |source| GameFileError::System { path: path.clone(), source };
        let mut block = [0; BLOCK_HEADER_SIZE];
        match read_full(&mut self.file, &mut block).map_err(system)? {
            0 => return Ok(None),
            BLOCK_HEADER_SIZE => {}
            _ => return Err(truncated()),
        }
        if block[..4] != BLOCK_MAGIC || u32::from_le_bytes(field(&block, 4)) != game {
            return Err(damaged("expected the start of a game here"));
        }
        let (records, plies) = (u16::from_le_bytes(field(&block, 8)), u16::from_le_bytes(field(&block, 10)));
        if records > plies {
            return Err(damaged("more positions than plies"));
        }
        let mut bytes = vec![0; usize::from(records) * RECORD_SIZE];
        if read_full(&mut self.file, &mut bytes).map_err(system)? < bytes.len() {
            return Err(truncated());
        }
        if u32::from_le_bytes(field(&block, 28)) != fnv1a_32(block[..28].iter().chain(&bytes)) {
            return Err(damaged("wrong checksum"));
        }
        let records = bytes.as_chunks().0.iter().map(PositionRecord::from_bytes).collect::<Option<Vec<_>>>();
        let result = GameResult::from_byte(block[12]);
        let (Some(records), Some(result)) = (records, result) else {
            return Err(damaged("invalid position or result"));
        };
        self.next += 1;
        self.offset += (BLOCK_HEADER_SIZE + bytes.len()) as u64;
        Ok(Some(GameRecord { result, end_reason: block[13], plies, records }))
    }

    /// Like [`next_game`](Self::next_game), but skips an incomplete game at the end, with a message.
    ///
    /// Files can therefore be read while `datagen` is writing them.
    ///
    /// # Errors
    /// [`GameFileError::Damaged`] if a block is invalid, [`GameFileError::System`] if the file cannot be read.
    pub fn next_complete_game(&mut self) -> Result<Option<GameRecord>, GameFileError> {
        match self.next_game() {
            Err(GameFileError::Truncated { path, game, .. }) => {
                print_error_line(&format!("{}: ignored the incomplete game {game} at the end", path.display()));
                Ok(None)
            }
            result => result,
        }
    }
}

/// Reads until the buffer is full or the file ends; returns the number of bytes read.
fn read_full(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Appends games to a game file.
pub struct GameFileWriter {
    path: PathBuf,
    file: File,
    /// Games in the file.
    pub games: u32,
    /// Positions in the file.
    pub positions: u64,
}

impl GameFileWriter {
    /// Creates a file, or opens one that was created with the same settings.
    ///
    /// Removes an incomplete game at the end of the file.
    ///
    /// # Errors
    /// [`GameFileError`]; the file is unchanged then.
    pub fn open(path: &Path, settings: DatagenSettings) -> Result<Self, GameFileError> {
        let system = |source| GameFileError::System { path: path.into(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(system)?;
        if !crate::files::try_lock(&file) {
            return Err(GameFileError::InUse { path: path.into() });
        }
        if file.metadata().map_err(system)?.len() == 0 {
            file.write_all(&settings.to_bytes()).map_err(system)?;
            return Ok(Self { path: path.into(), file, games: 0, positions: 0 });
        }
        // On Windows, a locked file can only be read through the handle that holds the lock.
        let mut reader = GameFileReader::from_file(path, file.try_clone().map_err(system)?)?;
        if !reader.settings.matches(&settings) {
            return Err(GameFileError::Settings { path: path.into(), existing: reader.settings, requested: settings });
        }
        let mut positions = 0;
        loop {
            match reader.next_game() {
                Ok(Some(game)) => positions += game.records.len() as u64,
                Ok(None) => break,
                Err(GameFileError::Truncated { game, .. }) => {
                    print_error_line(&format!("{}: removed the incomplete game {game} at the end", path.display()));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        file.set_len(reader.offset).map_err(system)?;
        file.seek(SeekFrom::End(0)).map_err(system)?;
        Ok(Self { path: path.into(), file, games: reader.next, positions })
    }

    /// Appends the next game with one write.
    ///
    /// # Errors
    /// [`GameFileError::System`].
    pub fn append(&mut self, game: &GameRecord) -> Result<(), GameFileError> {
        let bytes = game.to_bytes(self.games);
        self.file.write_all(&bytes).map_err(|source| GameFileError::System { path: self.path.clone(), source })?;
        self.games += 1;
        self.positions += game.records.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    const SETTINGS: DatagenSettings =
        DatagenSettings { nodes: 700, seed: 0xdead_beef_0000_0001, weights: 42, params: 43 };

    /// The path of a temporary file that is deleted on drop.
    struct TempFile(PathBuf);

    impl TempFile {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("aspirant-games-{name}-{}", std::process::id()));
            let _ = std::fs::remove_file(&path);
            Self(path)
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn game(seed: u64, length: usize) -> GameRecord {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut position = Position::default();
        let mut records = Vec::new();
        for ply in 0..length {
            let moves = position.chess().legal_moves();
            let Some(&m) = random.choice(moves.as_slice()) else { break };
            position = position.play(m);
            let score = random.i32(-30_000..30_000);
            records
                .push(PositionRecord { result: GameResult::Win, ..PositionRecord::new(&position, score, ply as u16) });
        }
        GameRecord { result: GameResult::Win, end_reason: 3, plies: length as u16, records }
    }

    fn written(name: &str) -> (TempFile, Vec<GameRecord>) {
        let file = TempFile::new(name);
        let games = vec![game(1, 80), game(2, 0), game(3, 150)];
        let mut writer = GameFileWriter::open(&file.0, SETTINGS).unwrap();
        games.iter().for_each(|game| writer.append(game).unwrap());
        assert_eq!((writer.games, writer.positions), (3, 230));
        (file, games)
    }

    #[test]
    fn written_games_are_read_back() {
        let (file, games) = written("round-trip");
        let mut reader = GameFileReader::open(&file.0).unwrap();
        assert_eq!(reader.settings, SETTINGS);
        for game in games {
            assert_eq!(reader.next_game().unwrap(), Some(game));
        }
        assert_eq!(reader.next_game().unwrap(), None);
    }

    #[test]
    fn a_second_writer_is_rejected() {
        let (file, games) = written("two-runs");
        let mut first = GameFileWriter::open(&file.0, SETTINGS).unwrap();
        let error = GameFileWriter::open(&file.0, SETTINGS).err().unwrap().to_string();
        assert!(error.contains("another run is writing"), "{error}");
        first.append(&games[0]).unwrap();
        drop(first);
        assert_eq!(GameFileWriter::open(&file.0, SETTINGS).unwrap().games, 4);
    }

    #[test]
    fn a_truncated_game_is_reported_and_removed() {
        let (file, games) = written("truncated");
        let whole = std::fs::read(&file.0).unwrap();
        let last = whole.len() - BLOCK_HEADER_SIZE - 150 * RECORD_SIZE;
        for length in [last + 1, last + BLOCK_HEADER_SIZE, whole.len() - 1] {
            std::fs::write(&file.0, &whole[..length]).unwrap();
            let mut reader = GameFileReader::open(&file.0).unwrap();
            assert!(reader.next_game().is_ok() && reader.next_game().is_ok());
            let error = reader.next_game().unwrap_err().to_string();
            assert!(error.contains(&format!("truncated in game 2, at byte {last}")), "{error}");
            let mut writer = GameFileWriter::open(&file.0, SETTINGS).unwrap();
            assert_eq!((writer.games, writer.positions), (2, 80));
            writer.append(&games[2]).unwrap();
            assert_eq!(std::fs::read(&file.0).unwrap(), whole);
        }
    }

    #[test]
    fn other_files_are_rejected_and_unchanged() {
        let file = TempFile::new("foreign");
        let mut header = SETTINGS.to_bytes();
        header[8] = 9;
        let damaged = {
            let mut header = SETTINGS.to_bytes();
            header[20] ^= 1;
            header
        };
        for (bytes, reason) in [
            (&b"e4 e5"[..], "too short"),
            (&[b'x'; 500][..], "does not start with the magic"),
            (&header[..], "version is 9"),
            (&damaged[..], "header is damaged"),
        ] {
            std::fs::write(&file.0, bytes).unwrap();
            for error in [GameFileReader::open(&file.0).err(), GameFileWriter::open(&file.0, SETTINGS).err()] {
                let text = error.unwrap().to_string();
                assert!(text.contains("not a game file") && text.contains(reason), "{text}");
            }
            assert_eq!(std::fs::read(&file.0).unwrap(), bytes);
        }
        assert!(GameFileReader::open(Path::new("/nowhere/at/all")).is_err());
    }

    #[test]
    fn a_flipped_bit_anywhere_is_detected() {
        let (file, _) = written("damaged");
        let whole = std::fs::read(&file.0).unwrap();
        for at in (HEADER_SIZE..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 16;
            std::fs::write(&file.0, &bytes).unwrap();
            let mut reader = GameFileReader::open(&file.0).unwrap();
            let result = (0..4).try_for_each(|_| reader.next_game().map(drop));
            assert!(result.is_err(), "byte {at}");
        }
    }

    #[test]
    fn files_with_the_same_games_are_rejected() {
        let files: Vec<(TempFile, DatagenSettings)> = [
            ("first", SETTINGS),
            ("seed", DatagenSettings { seed: SETTINGS.seed + 1, ..SETTINGS }),
            ("nodes", DatagenSettings { nodes: SETTINGS.nodes + 1, ..SETTINGS }),
            ("weights", DatagenSettings { weights: SETTINGS.weights + 1, ..SETTINGS }),
            ("parameters", DatagenSettings { params: SETTINGS.params + 1, ..SETTINGS }),
            ("same", SETTINGS),
            ("unrecorded", DatagenSettings { params: 0, ..SETTINGS }),
        ]
        .map(|(name, settings)| (TempFile::new(&format!("distinct-{name}")), settings))
        .into();
        for (file, settings) in &files {
            GameFileWriter::open(&file.0, *settings).unwrap();
        }
        let paths: Vec<PathBuf> = files.iter().map(|(file, _)| file.0.clone()).collect();
        assert!(check_distinct(&paths[..5]).is_ok());
        for pair in [[&paths[0], &paths[5]], [&paths[0], &paths[0]], [&paths[4], &paths[6]]] {
            let error = check_distinct(&pair.map(Clone::clone)).unwrap_err().to_string();
            let expected = format!(
                "{} and {} contain the same games: both have seed {}, {} nodes",
                pair[0].display(),
                pair[1].display(),
                SETTINGS.seed,
                SETTINGS.nodes
            );
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn a_file_is_not_continued_with_other_settings() {
        let (file, _) = written("settings");
        let other = DatagenSettings { nodes: 701, ..SETTINGS };
        let error = GameFileWriter::open(&file.0, other).err().unwrap().to_string();
        assert!(error.contains("created with 700 nodes") && error.contains("701 nodes"), "{error}");
    }

    #[test]
    fn a_file_is_not_continued_with_other_search_parameters() {
        let (file, _) = written("parameters");
        let changed = DatagenSettings { params: params_checksum(&Params::plain()), ..SETTINGS };
        let error = GameFileWriter::open(&file.0, changed).err().unwrap().to_string();
        assert!(error.contains("search parameters 000000000000002b; cannot be continued"), "{error}");
        assert_ne!(changed.params, params_checksum(&Params::default()));
        // Files of earlier versions do not record the search parameters.
        let older = TempFile::new("unrecorded-parameters");
        drop(GameFileWriter::open(&older.0, DatagenSettings { params: 0, ..SETTINGS }).unwrap());
        assert!(GameFileWriter::open(&older.0, changed).is_ok());
    }
}
