//! Opening books in Polyglot's format: what to play where others have played before.
//!
//! A book is a list of 16-byte records, sorted by key: the position's key (8 bytes, big-endian), a move (2), its
//! weight (2) and four bytes for learning that are not used here. The key is shakmaty's `Zobrist64` with
//! pseudo-legal en passant squares. A book is a file from somewhere: its length is checked, keys may collide, so
//! every move is looked up among the legal ones, and castling (always written as king takes rook there)
//! and promotions are translated. Moves of weight 0 are known but never played.
//! <https://www.chessprogramming.org/Polyglot>, <http://hgm.nubati.net/book_format.html>

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, File as BoardFile, Move, Position as _, Rank, Role, Square};

use crate::board::position::{Position, printable};

/// A larger file is not read.
pub const MOST_BYTES: u64 = 256 << 20;
const RECORD: usize = 16;

/// Why a book cannot be used.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
pub enum BookError {
    /// The system does not give the file.
    #[error("book '{path}' cannot be read: {reason}")]
    Read {
        /// Which file.
        path: String,
        /// The kind of failure, without anything of the file's content.
        reason: std::io::ErrorKind,
    },
    /// A directory, a pipe, a device.
    #[error("book '{path}' is not a regular file")]
    NotAFile {
        /// Which file.
        path: String,
    },
    /// More than [`MOST_BYTES`].
    #[error("book '{path}' is larger than {} MB", MOST_BYTES >> 20)]
    TooLarge {
        /// Which file.
        path: String,
    },
    /// No whole number of records.
    #[error("book '{path}' is no Polyglot book: {bytes} bytes are not a multiple of {RECORD}")]
    Length {
        /// Which file.
        path: String,
        /// Its size.
        bytes: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Record {
    key: u64,
    m: u16,
    weight: u16,
}

/// A book in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Book {
    records: Vec<Record>,
}

/// A move of the book in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// Legal in the position that was asked about.
    pub m: Move,
    /// How often to play it, relative to the others.
    pub weight: u64,
}

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// [`BookError`].
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let name = || printable(&path.display().to_string());
        let unreadable = |error: std::io::Error| BookError::Read { path: name(), reason: error.kind() };
        crate::platform::fault::read("book").map_err(unreadable)?;
        // Looked at before it is opened: opening a pipe waits for a writer.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(BookError::NotAFile { path: name() });
        }
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.len() > MOST_BYTES {
            return Err(BookError::TooLarge { path: name() });
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        Self::from_bytes(&bytes).map_err(|bytes| BookError::Length { path: name(), bytes })
    }

    /// A book from the content of its file; the length is the error.
    fn from_bytes(bytes: &[u8]) -> Result<Self, usize> {
        let (records, rest) = bytes.as_chunks::<RECORD>();
        if !rest.is_empty() {
            return Err(bytes.len());
        }
        let mut records: Vec<Record> = records.iter().map(Record::read).collect();
        // Books are sorted, except those that are not.
        if !records.is_sorted_by_key(|record| record.key) {
            records.sort_by_key(|record| record.key);
        }
        Ok(Self { records })
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Is there no record at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The legal moves that the book knows here, the heaviest first.
    #[must_use]
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let key = position.chess().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
        let first = self.records.partition_point(|record| record.key < key);
        let here = self.records.iter().skip(first).take_while(|record| record.key == key);
        let legal = position.chess().legal_moves();
        let mut moves: Vec<BookMove> = Vec::new();
        for record in here {
            let Some(&m) = legal.iter().find(|&&m| encode(m) == record.m || king_steps(m) == Some(record.m)) else {
                continue;
            };
            let weight = u64::from(record.weight);
            match moves.iter_mut().find(|known| known.m == m) {
                Some(known) => known.weight += weight,
                None => moves.push(BookMove { m, weight }),
            }
        }
        moves.sort_by_key(|known| std::cmp::Reverse(known.weight));
        moves
    }

    /// A move of the book, at random by weight or the heaviest; `None` where it has none of any weight.
    #[must_use]
    pub fn choose(&self, position: &Position, best: bool, random: &mut fastrand::Rng) -> Option<BookMove> {
        let moves = self.moves(position);
        let total: u64 = moves.iter().map(|known| known.weight).sum();
        if total == 0 {
            return None;
        }
        if best {
            return moves.first().copied();
        }
        let mut ticket = random.u64(..total);
        moves.into_iter().find(|known| match ticket.checked_sub(known.weight) {
            Some(rest) => {
                ticket = rest;
                false
            }
            None => true,
        })
    }
}

impl Record {
    fn read(bytes: &[u8; RECORD]) -> Self {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = *bytes;
        Self {
            key: u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
            m: u16::from_be_bytes([m0, m1]),
            weight: u16::from_be_bytes([w0, w1]),
        }
    }
}

/// A move as a book writes it: to-file, to-rank, from-file, from-rank, promotion, three bits each from the lowest.
/// Castling is king takes rook.
#[must_use]
pub fn encode(m: Move) -> u16 {
    let promotion = match m.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        Some(Role::Pawn | Role::King) | None => 0,
    };
    squares(m.from().unwrap_or(m.to()), m.to()) | promotion << 12
}

fn squares(from: Square, to: Square) -> u16 {
    u16::from(to) | u16::from(from) << 6
}

/// Castling as the king's two steps: some programs write books so. It can mean nothing else only where king and
/// rook stand as in standard chess.
fn king_steps(m: Move) -> Option<u16> {
    let Move::Castle { king, rook } = m else { return None };
    let to = match (king.file(), rook.file()) {
        (BoardFile::E, BoardFile::H) => BoardFile::G,
        (BoardFile::E, BoardFile::A) => BoardFile::C,
        _ => return None,
    };
    debug_assert!(matches!(king.rank(), Rank::First | Rank::Eighth));
    Some(squares(king, Square::from_coords(to, king.rank())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::{Game, parse_fen, parse_move};

    fn key(position: &Position) -> u64 {
        position.chess().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
    }

    fn record(key: u64, m: u16, weight: u16) -> Vec<u8> {
        [&key.to_be_bytes()[..], &m.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    fn book(position: &Position, moves: &[(&str, u16)]) -> Book {
        let bytes: Vec<u8> = moves
            .iter()
            .flat_map(|(text, weight)| record(key(position), encode(parse_move(position, text).unwrap()), *weight))
            .collect();
        Book::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn keys_and_moves_are_polyglot_s() {
        // The examples of the format's description.
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c_u64),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let mut game = Game::default();
            game.play_uci(moves.split_whitespace()).unwrap();
            assert_eq!(key(&game.position), expected, "{moves}");
        }
        let start = Position::default();
        assert_eq!(encode(parse_move(&start, "e2e4").unwrap()), 0x031c);
    }

    #[test]
    fn choice_follows_the_weights_and_repeats_with_its_seed() {
        let start = Position::default();
        let book = book(&start, &[("d2d4", 100), ("e2e4", 300), ("a2a4", 0)]);
        let run = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            (0..4000).map(|_| book.choose(&start, false, &mut random).unwrap().m).collect::<Vec<_>>()
        };
        let (first, e4) = (run(1), parse_move(&start, "e2e4").unwrap());
        assert_eq!(first, run(1));
        let share = first.iter().filter(|&&m| m == e4).count();
        assert!((2800..3200).contains(&share), "{share}");
        assert!(!first.contains(&parse_move(&start, "a2a4").unwrap()), "weight 0 is not played");
        let best = book.choose(&start, true, &mut fastrand::Rng::with_seed(5)).unwrap();
        assert_eq!(best, BookMove { m: e4, weight: 300 });
        assert_eq!(book.moves(&start).len(), 3);
    }

    #[test]
    fn weights_add_up_without_overflow_and_a_total_of_zero_is_no_move() {
        let start = Position::default();
        let heavy = book(&start, &[("e2e4", u16::MAX); 70_000]);
        assert_eq!(heavy.moves(&start)[0].weight, 70_000 * u64::from(u16::MAX));
        assert!(heavy.choose(&start, false, &mut fastrand::Rng::with_seed(1)).is_some());
        let light = book(&start, &[("e2e4", 0), ("d2d4", 0)]);
        assert_eq!(light.choose(&start, false, &mut fastrand::Rng::with_seed(1)), None);
        assert_eq!(light.choose(&start, true, &mut fastrand::Rng::with_seed(1)), None);
    }

    #[test]
    fn castling_and_promotions_are_translated() {
        for (fen, text, raw) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", squares(Square::E1, Square::H1)),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", squares(Square::E1, Square::G1)),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", squares(Square::E8, Square::A8)),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", squares(Square::E8, Square::C8)),
            ("8/1P5k/8/8/8/8/8/K7 w - - 0 1", "b7b8q", squares(Square::B7, Square::B8) | 4 << 12),
            ("8/1P5k/8/8/8/8/8/K7 w - - 0 1", "b7b8n", squares(Square::B7, Square::B8) | 1 << 12),
            (
                "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
                "a2c3",
                squares(Square::A2, Square::C3),
            ),
        ] {
            let position = parse_fen(fen).unwrap();
            let m = parse_move(&position, text).unwrap();
            let book = Book::from_bytes(&record(key(&position), raw, 1)).unwrap();
            assert_eq!(book.moves(&position), [BookMove { m, weight: 1 }], "{fen} {text}");
        }
        // Chess960: the king takes its rook, wherever both stand.
        let position = parse_fen("3k4/8/8/8/8/8/8/1R1K3R w HB - 0 1").unwrap();
        let m = parse_move(&position, "d1b1").unwrap();
        assert!(m.is_castle());
        let book = Book::from_bytes(&record(key(&position), encode(m), 1)).unwrap();
        assert_eq!(book.moves(&position)[0].m, m);
    }

    #[test]
    fn illegal_moves_and_foreign_keys_are_left_out() {
        let start = Position::default();
        let bytes = [
            record(key(&start), squares(Square::E2, Square::E5), 9),
            record(key(&start), 0xffff, 9),
            record(key(&start), 0, 9),
            record(7, squares(Square::E2, Square::E4), 9),
        ];
        let book = Book::from_bytes(&bytes.concat()).unwrap();
        assert_eq!((book.len(), book.moves(&start)), (4, vec![]));
    }

    #[test]
    fn any_bytes_are_survived() {
        let mut random = fastrand::Rng::with_seed(3);
        let start = Position::default();
        for length in 0..200usize {
            let mut bytes: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
            if length >= 8 {
                bytes[..8].copy_from_slice(&key(&start).to_be_bytes());
            }
            match Book::from_bytes(&bytes) {
                Ok(book) => assert!(book.moves(&start).len() <= book.len()),
                Err(reported) => assert!(reported == length && length % 16 != 0),
            }
        }
        assert!(Book::from_bytes(&[]).unwrap().is_empty());
    }

    #[test]
    fn only_regular_files_are_read() {
        for path in ["/", "/dev/zero", "", "no/such/file", "\u{e9}/русский", &"x".repeat(5000)] {
            let error = Book::open(Path::new(path)).unwrap_err().to_string();
            assert!(error.starts_with("book '") && error.len() < 300, "{error}");
        }
    }
}
