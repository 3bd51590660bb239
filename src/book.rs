//! Opening books in Polyglot format.
//!
//! A book is a list of 16-byte entries, sorted by key: Zobrist key (8 bytes, big-endian), move (2), weight (2), and
//! four bytes of learning data that are ignored. The key is shakmaty's `Zobrist64` with pseudo-legal en passant
//! squares. Books are untrusted files: the length is checked, and because keys may collide, every move is matched
//! against the legal moves. Castling is encoded as king takes rook. Moves of weight 0 are listed but never played.
//! <https://www.chessprogramming.org/Polyglot>, <http://hgm.nubati.net/book_format.html>

use std::path::Path;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, File as BoardFile, Move, Position as _, Rank, Role, Square};

use crate::board::game::Game;
use crate::board::position::{Position, printable};
use crate::platform::files::{error_reason, read_file};

/// Maximum size of a book file, MB.
const MAX_MB: u64 = 256;
/// Size of an entry, in bytes.
const ENTRY_BYTES: usize = 16;

/// Error in opening a book.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum BookError {
    /// The file cannot be read, is too large, or is a directory, a pipe or a device.
    #[error("book '{path}' cannot be read: {}", error_reason(.source))]
    Read {
        /// Path of the file.
        path: String,
        /// The reason.
        source: std::io::Error,
    },
    /// The size is not a multiple of the entry size.
    #[error("book '{path}' is not a Polyglot book: {bytes} bytes are not a multiple of {ENTRY_BYTES}")]
    Length {
        /// Path of the file.
        path: String,
        /// Size of the file, in bytes.
        bytes: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct BookEntry {
    key: u64,
    m: u16,
    weight: u16,
}

/// Opening book in memory.
///
/// An engine opens a book by itself with the options `Book File` and `OwnBook`.
///
/// ```
/// use aspirant::book::Book;
/// use aspirant::prelude::*;
///
/// # let path = std::env::temp_dir().join(format!("aspirant-book-{}.bin", std::process::id()));
/// # std::fs::write(&path, 0x463b96181691fc9c_031c_0003_00000000_u128.to_be_bytes())?;
/// let book = Book::open(&path)?;
/// # std::fs::remove_file(&path)?;
/// let position = Position::default();
/// let moves: Vec<_> = book.moves(&position).iter().map(|entry| (position.san(entry.m), entry.weight)).collect();
/// assert_eq!(moves, [("e4".to_owned(), 3)]); // the only entry of this book
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Book {
    /// Sorted by key.
    entries: Vec<BookEntry>,
}

/// Book move in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookMove {
    /// Move, legal in the position.
    pub m: Move,
    /// Weight relative to the other moves of the position.
    pub weight: u64,
}

impl Book {
    /// Reads a book file.
    ///
    /// # Errors
    /// [`BookError`] if the file cannot be read or is not a Polyglot book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let name = || printable(&path.display().to_string());
        let bytes = read_file(path, MAX_MB).map_err(|source| BookError::Read { path: name(), source })?;
        Self::from_bytes(&bytes).map_err(|bytes| BookError::Length { path: name(), bytes })
    }

    /// Parses the content of a book file; the error is its length, if not a multiple of the entry size.
    fn from_bytes(bytes: &[u8]) -> Result<Self, usize> {
        let (chunks, rest) = bytes.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(bytes.len());
        }
        let mut entries: Vec<BookEntry> = chunks.iter().map(BookEntry::from_bytes).collect();
        // The format requires sorted entries, but some books are unsorted.
        if !entries.is_sorted_by_key(|entry| entry.key) {
            entries.sort_by_key(|entry| entry.key);
        }
        Ok(Self { entries })
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the book has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the legal book moves of a position, highest weight first.
    #[must_use]
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let key = position.chess().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
        let first = self.entries.partition_point(|entry| entry.key < key);
        let matching = self.entries.iter().skip(first).take_while(|entry| entry.key == key);
        let legal = position.chess().legal_moves();
        let mut moves: Vec<BookMove> = Vec::new();
        for entry in matching {
            let Some(&m) =
                legal.iter().find(|&&m| encode(m) == entry.m || encode_two_square_castling(m) == Some(entry.m))
            else {
                continue;
            };
            let weight = u64::from(entry.weight);
            match moves.iter_mut().find(|book_move| book_move.m == m) {
                Some(book_move) => book_move.weight += weight,
                None => moves.push(BookMove { m, weight }),
            }
        }
        moves.sort_by_key(|book_move| std::cmp::Reverse(book_move.weight));
        moves
    }

    /// Chooses a book move, or returns `None` if no move has a positive weight.
    ///
    /// With `best` the move of highest weight, otherwise a random one in proportion to the weights. Moves that repeat a
    /// position of the game are not chosen: books join games and may contain cycles.
    #[doc(hidden)]
    #[must_use]
    pub fn choose(&self, game: &Game, best: bool, random: &mut fastrand::Rng) -> Option<BookMove> {
        let mut moves = self.moves(&game.position);
        moves.retain(|book_move| !game.is_repeated_by(book_move.m));
        let total: u64 = moves.iter().map(|book_move| book_move.weight).sum();
        if total == 0 {
            return None;
        }
        if best {
            return moves.first().copied();
        }
        let mut remaining = random.u64(..total);
        moves.into_iter().find(|book_move| match remaining.checked_sub(book_move.weight) {
            Some(rest) => {
                remaining = rest;
                false
            }
            None => true,
        })
    }
}

impl BookEntry {
    fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = *bytes;
        Self {
            key: u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
            m: u16::from_be_bytes([m0, m1]),
            weight: u16::from_be_bytes([w0, w1]),
        }
    }
}

/// Encodes a move in Polyglot format; castling is king takes rook.
///
/// Three bits each, from the lowest: to-file, to-rank, from-file, from-rank, promotion.
#[must_use]
fn encode(m: Move) -> u16 {
    let promotion = match m.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        Some(Role::Pawn | Role::King) | None => 0,
    };
    encode_squares(m.from().unwrap_or(m.to()), m.to()) | promotion << 12
}

fn encode_squares(from: Square, to: Square) -> u16 {
    u16::from(to) | u16::from(from) << 6
}

/// Encodes castling as a two-square king move, as some programs write it.
///
/// Only for king and rook on their standard squares: elsewhere the encoding is ambiguous.
fn encode_two_square_castling(m: Move) -> Option<u16> {
    let Move::Castle { king, rook } = m else { return None };
    let to = match (king.file(), rook.file()) {
        (BoardFile::E, BoardFile::H) => BoardFile::G,
        (BoardFile::E, BoardFile::A) => BoardFile::C,
        _ => return None,
    };
    debug_assert!(matches!(king.rank(), Rank::First | Rank::Eighth));
    Some(encode_squares(king, Square::from_coords(to, king.rank())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;

    fn key(position: &Position) -> u64 {
        position.chess().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
    }

    fn entry(key: u64, m: u16, weight: u16) -> Vec<u8> {
        [&key.to_be_bytes()[..], &m.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    fn book(position: &Position, moves: &[(&str, u16)]) -> Book {
        let bytes: Vec<u8> = moves
            .iter()
            .flat_map(|(text, weight)| entry(key(position), encode(position.parse_move(text).unwrap()), *weight))
            .collect();
        Book::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn keys_and_moves_match_polyglot_examples() {
        // Examples of the format description.
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
            game.play_moves(moves.split_whitespace()).unwrap();
            assert_eq!(key(&game.position), expected, "{moves}");
        }
        let start = Position::default();
        assert_eq!(encode(start.parse_move("e2e4").unwrap()), 0x031c);
    }

    #[test]
    fn choice_is_proportional_to_weights_and_reproducible() {
        let (start, game) = (Position::default(), Game::default());
        let book = book(&start, &[("d2d4", 100), ("e2e4", 300), ("a2a4", 0)]);
        let run = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            (0..4000).map(|_| book.choose(&game, false, &mut random).unwrap().m).collect::<Vec<_>>()
        };
        let (first, e4) = (run(1), start.parse_move("e2e4").unwrap());
        assert_eq!(first, run(1));
        let count = first.iter().filter(|&&m| m == e4).count();
        assert!((2800..3200).contains(&count), "{count}");
        assert!(!first.contains(&start.parse_move("a2a4").unwrap()), "weight 0 is not played");
        let best = book.choose(&game, true, &mut fastrand::Rng::with_seed(5)).unwrap();
        assert_eq!(best, BookMove { m: e4, weight: 300 });
        assert_eq!(book.moves(&start).len(), 3);
    }

    #[test]
    fn moves_that_repeat_a_position_are_not_chosen() {
        let mut game = Game::default();
        game.play_moves(["g1f3", "g8f6"]).unwrap();
        let book = book(&game.position, &[("f3g1", 900), ("c2c4", 100)]);
        let mut random = fastrand::Rng::with_seed(1);
        let [back, english] = ["f3g1", "c2c4"].map(|text| game.position.parse_move(text).unwrap());
        assert_eq!(book.choose(&game, true, &mut random).unwrap().m, back);
        game.play_moves(["f3g1", "f6g8", "g1f3", "g8f6"]).unwrap();
        for best in [true, false] {
            assert_eq!(book.choose(&game, best, &mut random).unwrap().m, english);
        }
    }

    #[test]
    fn large_weights_do_not_overflow_and_zero_weights_give_no_move() {
        let (start, game) = (Position::default(), Game::default());
        let heavy = book(&start, &[("e2e4", u16::MAX); 70_000]);
        assert_eq!(heavy.moves(&start)[0].weight, 70_000 * u64::from(u16::MAX));
        assert!(heavy.choose(&game, false, &mut fastrand::Rng::with_seed(1)).is_some());
        let light = book(&start, &[("e2e4", 0), ("d2d4", 0)]);
        assert_eq!(light.choose(&game, false, &mut fastrand::Rng::with_seed(1)), None);
        assert_eq!(light.choose(&game, true, &mut fastrand::Rng::with_seed(1)), None);
    }

    #[test]
    fn castling_and_promotions_are_decoded() {
        for (fen, text, raw) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", encode_squares(Square::E1, Square::H1)),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", encode_squares(Square::E1, Square::G1)),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", encode_squares(Square::E8, Square::A8)),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", encode_squares(Square::E8, Square::C8)),
            ("8/1P5k/8/8/8/8/8/K7 w - - 0 1", "b7b8q", encode_squares(Square::B7, Square::B8) | 4 << 12),
            ("8/1P5k/8/8/8/8/8/K7 w - - 0 1", "b7b8n", encode_squares(Square::B7, Square::B8) | 1 << 12),
            (
                "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
                "a2c3",
                encode_squares(Square::A2, Square::C3),
            ),
        ] {
            let position = parse_fen(fen).unwrap();
            let m = position.parse_move(text).unwrap();
            let book = Book::from_bytes(&entry(key(&position), raw, 1)).unwrap();
            assert_eq!(book.moves(&position), [BookMove { m, weight: 1 }], "{fen} {text}");
        }
        // Chess960: king takes rook, both on arbitrary squares.
        let position = parse_fen("3k4/8/8/8/8/8/8/1R1K3R w HB - 0 1").unwrap();
        let m = position.parse_move("d1b1").unwrap();
        assert!(m.is_castle());
        let book = Book::from_bytes(&entry(key(&position), encode(m), 1)).unwrap();
        assert_eq!(book.moves(&position)[0].m, m);
    }
}
