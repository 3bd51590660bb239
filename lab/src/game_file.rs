//! The file that `datagen` writes and `tune` reads: positions of self-play games, 32 bytes each.
//!
//! All numbers are little-endian.
//! ```text
//! file    header, then one block for each game, numbered from 0 without gaps
//! header  64 bytes: magic "\x89ASPDATA" · version u32 · soft nodes u32 · seed u64 · fingerprint of the
//!         tables that played u64 · 28 bytes 0 · FNV-1a of the 60 bytes before u32
//! block   32 bytes: "GAME" · number u32 · records u16 · plies u16 · result u8 · end u8 · 14 bytes 0 ·
//!         FNV-1a of the 28 bytes before and of the records u32; then the records
//! record  32 bytes: occupied squares u64 (bit 0 is a1) · the men on them in this order, 4 bits each, low
//!         half of a byte first: role 0 to 5, plus 8 if black (16 bytes) · score i16 · result u8 · side to
//!         move u8 (1 black) · ply u16 · plies since a capture or pawn move u8 · 0
//! ```
//! Scores are centipawns from white; results are 0, 1, 2: black won, draw, white won. A run that was cut
//! off leaves at most one broken block at the end, which the next run removes. One run at a time writes a file.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use shakmaty::{Bitboard, Board, Color, Piece, Role};

use aspirant::board::position::Position;
use aspirant::eval::weights;
use aspirant::score::Score;

const MAGIC: [u8; 8] = *b"\x89ASPDATA";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const BLOCK: usize = 32;
const BLOCK_MAGIC: [u8; 4] = *b"GAME";

/// Size of a record, bytes.
pub const RECORD: usize = 32;

/// What is wrong with a file of games.
#[derive(thiserror::Error, Debug)]
pub enum GamesError {
    /// The system refuses.
    #[error("{}: {source}", .path.display())]
    System {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another run appends games to it.
    #[error("{}: another run is writing this file", .path.display())]
    InUse {
        /// Which file.
        path: PathBuf,
    },
    /// Some other kind of file.
    #[error("{}: no game data of aspirant datagen ({reason})", .path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
        /// How that was seen.
        reason: String,
    },
    /// The end is missing.
    #[error("{}: truncated in game {game}, at byte {offset}; 'aspirant datagen' with the settings of this file goes on from there", .path.display())]
    Truncated {
        /// Which file.
        path: PathBuf,
        /// Number of the first game that is not whole.
        game: u32,
        /// Where its block begins.
        offset: u64,
    },
    /// A block that is not as it was written.
    #[error("{}: damaged in game {game}, at byte {offset}: {reason}", .path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Number of the game.
        game: u32,
        /// Where its block begins.
        offset: u64,
        /// What is wrong.
        reason: &'static str,
    },
    /// The file was begun with other settings than it is to be continued with.
    #[error("{}: begun with {theirs}, cannot go on with {ours}", .path.display())]
    Settings {
        /// Which file.
        path: PathBuf,
        /// As in the file.
        theirs: Origin,
        /// As asked for.
        ours: Origin,
    },
}

/// How the games of a file are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Soft node limit of each move.
    pub nodes: u32,
    /// From which every game's openings follow.
    pub seed: u64,
    /// Which tables played: [`fingerprint`].
    pub tables: u64,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} nodes, seed {}, tables {:016x}", self.nodes, self.seed, self.tables)
    }
}

/// Result of a game or value of a position, as white sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Outcome {
    /// Black won.
    Loss = 0,
    /// Nobody won.
    Draw = 1,
    /// White won.
    Win = 2,
}

impl Outcome {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Loss, Self::Draw, Self::Win].get(usize::from(byte)).copied()
    }

    /// The winner's outcome.
    #[must_use]
    pub fn won_by(color: Color) -> Self {
        color.fold_wb(Self::Win, Self::Loss)
    }

    /// 0, ½ or 1.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self as u8) / 2.0
    }
}

/// A position with what a search and a game said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The men.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// What the search found, centipawns from white.
    pub score: i16,
    /// How the game ended.
    pub outcome: Outcome,
    /// Plies since the start of the game.
    pub ply: u16,
    /// Plies since the last capture or pawn move.
    pub halfmoves: u8,
}

impl Record {
    /// A position with its score from the side to move; the outcome is filled in when the game is over.
    #[must_use]
    pub fn new(position: &Position, score: Score, ply: u16) -> Self {
        let white = position.turn().fold_wb(score, -score);
        Self {
            board: position.board().clone(),
            turn: position.turn(),
            score: white.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            outcome: Outcome::Draw,
            ply,
            halfmoves: position.halfmoves().min(255) as u8,
        }
    }

    fn to_bytes(&self) -> [u8; RECORD] {
        let mut out = [0; RECORD];
        let occupied = self.board.occupied();
        out[..8].copy_from_slice(&occupied.0.to_le_bytes());
        // 32 men at most: a game begins with so many and never adds one.
        for (index, square) in occupied.into_iter().take(32).enumerate() {
            if let Some(piece) = self.board.piece_at(square) {
                let code = (piece.role as u8 - 1) | u8::from(piece.color.is_black()) << 3;
                out[8 + index / 2] |= code << (4 * (index % 2));
            }
        }
        out[24..26].copy_from_slice(&self.score.to_le_bytes());
        out[26] = self.outcome as u8;
        out[27] = self.turn.is_black().into();
        out[28..30].copy_from_slice(&self.ply.to_le_bytes());
        out[30] = self.halfmoves;
        out
    }

    fn from_bytes(bytes: &[u8; RECORD]) -> Option<Self> {
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
            outcome: Outcome::from_byte(bytes[26])?,
            ply: u16::from_le_bytes(field(bytes, 28)),
            halfmoves: bytes[30],
        })
    }
}

/// `N` bytes from `at` on.
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}

/// FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn checksum<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u32 {
    bytes.into_iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// A number that is different for different tables.
#[must_use]
pub fn fingerprint() -> u64 {
    let squares = weights::PIECE_SQUARE.iter().flatten();
    let pairs = squares.chain([&weights::TEMPO]);
    let numbers = pairs.flat_map(|pair| [pair.middlegame(), pair.endgame()]);
    let numbers = numbers.chain(weights::PHASE).chain([weights::PHASE_MAX]);
    let numbers = numbers.chain(weights::IMBALANCE.into_iter().flat_map(|(mg, eg)| [mg, eg]));
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, n| {
        n.to_le_bytes().iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

/// A finished game, as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended: a code of `datagen`.
    pub end: u8,
    /// Its length.
    pub plies: u16,
    /// Its quiet positions.
    pub records: Vec<Record>,
}

impl GameRecord {
    fn to_bytes(&self, number: u32) -> Vec<u8> {
        let mut out = vec![0; BLOCK];
        out[..4].copy_from_slice(&BLOCK_MAGIC);
        out[4..8].copy_from_slice(&number.to_le_bytes());
        let count = self.records.len().min(usize::from(u16::MAX));
        out[8..10].copy_from_slice(&(count as u16).to_le_bytes());
        out[10..12].copy_from_slice(&self.plies.to_le_bytes());
        out[12] = self.outcome as u8;
        out[13] = self.end;
        out.extend(self.records[..count].iter().flat_map(Record::to_bytes));
        let sum = checksum(out[..28].iter().chain(&out[BLOCK..]));
        out[28..32].copy_from_slice(&sum.to_le_bytes());
        out
    }
}

impl Origin {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[..8].copy_from_slice(&MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&self.nodes.to_le_bytes());
        out[16..24].copy_from_slice(&self.seed.to_le_bytes());
        out[24..32].copy_from_slice(&self.tables.to_le_bytes());
        let sum = checksum(&out[..60]);
        out[60..].copy_from_slice(&sum.to_le_bytes());
        out
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Result<Self, String> {
        if bytes[..8] != MAGIC {
            return Err("it does not begin as one".into());
        }
        let version = u32::from_le_bytes(field(bytes, 8));
        if version != VERSION {
            return Err(format!("its version is {version}, known is {VERSION}"));
        }
        if u32::from_le_bytes(field(bytes, 60)) != checksum(&bytes[..60]) {
            return Err("its header is damaged".into());
        }
        Ok(Self {
            nodes: u32::from_le_bytes(field(bytes, 12)),
            seed: u64::from_le_bytes(field(bytes, 16)),
            tables: u64::from_le_bytes(field(bytes, 24)),
        })
    }
}

/// Reads a file game by game.
pub struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    offset: u64,
    next: u32,
    /// How the games were made.
    pub origin: Origin,
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`GamesError::System`] or [`GamesError::Foreign`].
    pub fn open(path: &Path) -> Result<Self, GamesError> {
        let file = File::open(path).map_err(|source| GamesError::System { path: path.into(), source })?;
        Self::of(path, file)
    }

    /// Reads `file`, which `path` names, from its start.
    fn of(path: &Path, file: File) -> Result<Self, GamesError> {
        let system = |source| GamesError::System { path: path.into(), source };
        let foreign = |reason| GamesError::Foreign { path: path.into(), reason };
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut header = [0; HEADER];
        if read_full(&mut file, &mut header).map_err(system)? < HEADER {
            return Err(foreign("it is too short".into()));
        }
        let origin = Origin::from_bytes(&header).map_err(foreign)?;
        Ok(Self { path: path.into(), file, offset: HEADER as u64, next: 0, origin })
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// [`GamesError::Truncated`] where a game is not whole, [`GamesError::Damaged`] where it is not as it was written.
    pub fn next_game(&mut self) -> Result<Option<GameRecord>, GamesError> {
        let path = self.path.clone();
        let (game, offset) = (self.next, self.offset);
        let truncated = || GamesError::Truncated { path: path.clone(), game, offset };
        let damaged = |reason| GamesError::Damaged { path: path.clone(), game, offset, reason };
        let system = |source| GamesError::System { path: path.clone(), source };
        let mut block = [0; BLOCK];
        match read_full(&mut self.file, &mut block).map_err(system)? {
            0 => return Ok(None),
            BLOCK => {}
            _ => return Err(truncated()),
        }
        if block[..4] != BLOCK_MAGIC || u32::from_le_bytes(field(&block, 4)) != game {
            return Err(damaged("no game begins here"));
        }
        let mut bytes = vec![0; usize::from(u16::from_le_bytes(field(&block, 8))) * RECORD];
        if read_full(&mut self.file, &mut bytes).map_err(system)? < bytes.len() {
            return Err(truncated());
        }
        if u32::from_le_bytes(field(&block, 28)) != checksum(block[..28].iter().chain(&bytes)) {
            return Err(damaged("wrong checksum"));
        }
        let records = bytes.as_chunks().0.iter().map(Record::from_bytes).collect::<Option<Vec<_>>>();
        let outcome = Outcome::from_byte(block[12]);
        let (Some(records), Some(outcome)) = (records, outcome) else { return Err(damaged("impossible contents")) };
        self.next += 1;
        self.offset += (BLOCK + bytes.len()) as u64;
        Ok(Some(GameRecord { outcome, end: block[13], plies: u16::from_le_bytes(field(&block, 10)), records }))
    }
}

/// Reads until the buffer is full or the file ends; how much was read.
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

/// Appends games to a file.
pub struct Writer {
    path: PathBuf,
    file: File,
    /// Games in the file.
    pub games: u32,
    /// Positions in the file.
    pub positions: u64,
}

impl Writer {
    /// Begins a file, or goes on with one that was begun with the same settings: a game that is not whole at its
    /// end is removed.
    ///
    /// # Errors
    /// [`GamesError`]; the file is then as it was.
    pub fn open(path: &Path, origin: Origin) -> Result<Self, GamesError> {
        let system = |source| GamesError::System { path: path.into(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(system)?;
        if !aspirant::tools::take(&file) {
            return Err(GamesError::InUse { path: path.into() });
        }
        if file.metadata().map_err(system)?.len() == 0 {
            file.write_all(&origin.to_bytes()).map_err(system)?;
            return Ok(Self { path: path.into(), file, games: 0, positions: 0 });
        }
        // By the same handle: some systems let no other read what is locked.
        let mut reader = Reader::of(path, file.try_clone().map_err(system)?)?;
        if reader.origin != origin {
            return Err(GamesError::Settings { path: path.into(), theirs: reader.origin, ours: origin });
        }
        let mut positions = 0;
        loop {
            match reader.next_game() {
                Ok(Some(game)) => positions += game.records.len() as u64,
                Ok(None) | Err(GamesError::Truncated { .. }) => break,
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
    /// [`GamesError::System`].
    pub fn append(&mut self, game: &GameRecord) -> Result<(), GamesError> {
        let bytes = game.to_bytes(self.games);
        self.file.write_all(&bytes).map_err(|source| GamesError::System { path: self.path.clone(), source })?;
        self.games += 1;
        self.positions += game.records.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    const ORIGIN: Origin = Origin { nodes: 700, seed: 0xdead_beef_0000_0001, tables: 42 };

    /// A file of its own for each test, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("aspirant-games-{name}-{}", std::process::id()));
            let _ = std::fs::remove_file(&path);
            Self(path)
        }
    }

    impl Drop for Scratch {
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
            records.push(Record { outcome: Outcome::Win, ..Record::new(&position, score, ply as u16) });
        }
        GameRecord { outcome: Outcome::Win, end: 3, plies: length as u16, records }
    }

    fn written(name: &str) -> (Scratch, Vec<GameRecord>) {
        let scratch = Scratch::new(name);
        let games = vec![game(1, 80), game(2, 0), game(3, 150)];
        let mut writer = Writer::open(&scratch.0, ORIGIN).unwrap();
        games.iter().for_each(|game| writer.append(game).unwrap());
        assert_eq!((writer.games, writer.positions), (3, 230));
        (scratch, games)
    }

    #[test]
    fn what_is_written_is_read() {
        let (scratch, games) = written("round-trip");
        let mut reader = Reader::open(&scratch.0).unwrap();
        assert_eq!(reader.origin, ORIGIN);
        for game in games {
            assert_eq!(reader.next_game().unwrap(), Some(game));
        }
        assert_eq!(reader.next_game().unwrap(), None);
    }

    #[test]
    fn two_runs_do_not_write_one_file() {
        let (scratch, games) = written("two-runs");
        let mut first = Writer::open(&scratch.0, ORIGIN).unwrap();
        let error = Writer::open(&scratch.0, ORIGIN).err().unwrap().to_string();
        assert!(error.contains("another run is writing"), "{error}");
        first.append(&games[0]).unwrap();
        drop(first);
        assert_eq!(Writer::open(&scratch.0, ORIGIN).unwrap().games, 4);
    }

    #[test]
    fn a_truncated_end_is_named_and_removed() {
        let (scratch, games) = written("truncated");
        let whole = std::fs::read(&scratch.0).unwrap();
        let last = whole.len() - BLOCK - 150 * RECORD;
        for length in [last + 1, last + BLOCK, whole.len() - 1] {
            std::fs::write(&scratch.0, &whole[..length]).unwrap();
            let mut reader = Reader::open(&scratch.0).unwrap();
            assert!(reader.next_game().is_ok() && reader.next_game().is_ok());
            let error = reader.next_game().unwrap_err().to_string();
            assert!(error.contains(&format!("truncated in game 2, at byte {last}")), "{error}");
            let mut writer = Writer::open(&scratch.0, ORIGIN).unwrap();
            assert_eq!((writer.games, writer.positions), (2, 80));
            writer.append(&games[2]).unwrap();
            assert_eq!(std::fs::read(&scratch.0).unwrap(), whole);
        }
    }

    #[test]
    fn foreign_files_are_refused_and_left_alone() {
        let scratch = Scratch::new("foreign");
        let mut header = ORIGIN.to_bytes();
        header[8] = 9;
        let damaged = {
            let mut header = ORIGIN.to_bytes();
            header[20] ^= 1;
            header
        };
        for (bytes, reason) in [
            (&b"e4 e5"[..], "too short"),
            (&[b'x'; 500][..], "does not begin as one"),
            (&header[..], "version is 9"),
            (&damaged[..], "header is damaged"),
        ] {
            std::fs::write(&scratch.0, bytes).unwrap();
            for error in [Reader::open(&scratch.0).err(), Writer::open(&scratch.0, ORIGIN).err()] {
                let text = error.unwrap().to_string();
                assert!(text.contains("no game data") && text.contains(reason), "{text}");
            }
            assert_eq!(std::fs::read(&scratch.0).unwrap(), bytes);
        }
        assert!(Reader::open(Path::new("/nowhere/at/all")).is_err());
    }

    #[test]
    fn damage_is_seen_anywhere() {
        let (scratch, _) = written("damaged");
        let whole = std::fs::read(&scratch.0).unwrap();
        for at in (HEADER..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 16;
            std::fs::write(&scratch.0, &bytes).unwrap();
            let mut reader = Reader::open(&scratch.0).unwrap();
            let result = (0..4).try_for_each(|_| reader.next_game().map(drop));
            assert!(result.is_err(), "byte {at}");
        }
    }

    #[test]
    fn other_settings_do_not_mix() {
        let (scratch, _) = written("settings");
        let other = Origin { nodes: 701, ..ORIGIN };
        let error = Writer::open(&scratch.0, other).err().unwrap().to_string();
        assert!(error.contains("begun with 700 nodes") && error.contains("701 nodes"), "{error}");
    }
}
