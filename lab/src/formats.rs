//! Records of positions and moves in the formats that trainers read.
//!
//! - viriformat: whole games. A game is its start position ([`pack_position`]), a move ([`move_code`]) and a score for
//!   each ply, and four bytes 0. <https://crates.io/crates/viriformat>
//! - bulletformat: positions from the view of the side to move ([`bullet_record`]). <https://github.com/jw1912/bulletformat>
//! - text: `FEN | score | result` ([`text_line`]), the text format of bulletformat.
//!
//! All integers are little-endian; squares count from a1 = 0 to h8 = 63.

use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Board, Color, EnPassantMode, Move, Piece, Position as _, Role, Setup, Square};

use crate::game_file::{GameResult, PositionRecord};
use aspirant::board::position::{Position, parse_fen};

/// Size of a packed position and of a record of bulletformat, bytes.
pub const RECORD_SIZE: usize = 32;

/// A position, a score and a result in 32 bytes.
///
/// Occupied squares u64 · the pieces on them in this order, 4 bits each, low half of a byte first: role 0 to 5 from pawn
/// to king, 6 for a rook with its castling right, plus 8 if black (16 bytes) · en passant square u8, 64 if none, plus
/// 128 if Black is to move · halfmove clock u8 · move number u16 · score i16 · result u8 · 0. Score and result are from
/// White's view; results are 0 (Black won), 1 (draw) and 2 (White won).
pub type PackedPosition = [u8; RECORD_SIZE];

/// Code of a rook that has its castling right.
const CASTLING_ROOK: u8 = 6;
/// Code of the en passant square if there is none.
const NO_SQUARE: u8 = 64;
/// Kinds of moves: bits 14 and 15 of a [`move_code`].
const EN_PASSANT: u16 = 1 << 14;
const CASTLING: u16 = 2 << 14;
const PROMOTION: u16 = 3 << 14;

/// Returns the `N` bytes at offset `at`.
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}

/// Returns a record whose first 24 bytes contain the board.
fn pack_board(board: &Board, castling_rooks: Bitboard) -> [u8; RECORD_SIZE] {
    let mut out = [0; RECORD_SIZE];
    let occupied = board.occupied();
    out[..8].copy_from_slice(&occupied.0.to_le_bytes());
    // A game never has more than the 32 pieces of the initial position.
    for (index, square) in occupied.into_iter().take(32).enumerate() {
        if let Some(piece) = board.piece_at(square) {
            let role = if castling_rooks.contains(square) { CASTLING_ROOK } else { piece.role as u8 - 1 };
            out[8 + index / 2] |= (role | u8::from(piece.color.is_black()) << 3) << (4 * (index % 2));
        }
    }
    out
}

/// Returns the board and the rooks that have their castling right.
fn unpack_board(bytes: &PackedPosition) -> Option<(Board, Bitboard)> {
    let occupied = Bitboard(u64::from_le_bytes(field(bytes, 0)));
    if occupied.count() > 32 {
        return None;
    }
    let (mut board, mut castling_rooks) = (Board::empty(), Bitboard::EMPTY);
    for (index, square) in occupied.into_iter().enumerate() {
        let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
        let color = Color::from_white(code & 8 == 0);
        let role = match code & 7 {
            CASTLING_ROOK => {
                castling_rooks.add(square);
                Role::Rook
            }
            role => *Role::ALL.get(usize::from(role))?,
        };
        board.set_piece_at(square, Piece { color, role });
    }
    Some((board, castling_rooks))
}

#[must_use]
pub fn pack_position(record: &PositionRecord) -> PackedPosition {
    let chess = record.position.chess();
    let mut out = pack_board(chess.board(), chess.castles().castling_rights());
    let en_passant = chess.ep_square(EnPassantMode::Legal).map_or(NO_SQUARE, |square| square as u8);
    out[24] = en_passant | u8::from(chess.turn().is_black()) << 7;
    out[25] = chess.halfmoves().min(u8::MAX.into()) as u8;
    out[26..28].copy_from_slice(&(chess.fullmoves().get().min(u16::MAX.into()) as u16).to_le_bytes());
    out[28..30].copy_from_slice(&record.score.to_le_bytes());
    out[30] = record.result as u8;
    out
}

/// Reads a packed position.
///
/// # Errors
/// A message if it is not a legal position with a result.
pub fn unpack_position(bytes: &PackedPosition) -> Result<PositionRecord, String> {
    let (board, castling_rights) = unpack_board(bytes).ok_or("more than 32 pieces, or an unknown piece")?;
    let setup = Setup {
        board,
        castling_rights,
        turn: Color::from_white(bytes[24] & 128 == 0),
        ep_square: Square::try_from(bytes[24] & 127).ok(),
        halfmoves: bytes[25].into(),
        fullmoves: u32::from(u16::from_le_bytes(field(bytes, 26))).try_into().unwrap_or(std::num::NonZeroU32::MIN),
        ..Setup::empty()
    };
    // Through a FEN, because `parse_fen` accepts only positions that the engine can search.
    let fen = Fen::try_from(setup).map_err(|_| "castling rights away from the back rank")?;
    let result =
        GameResult::from_byte(bytes[30]).ok_or_else(|| format!("the result is {}, not 0, 1 or 2", bytes[30]))?;
    Ok(PositionRecord {
        position: parse_fen(&fen.to_string()).map_err(|error| error.to_string())?,
        score: i16::from_le_bytes(field(bytes, 28)),
        result,
    })
}

/// Returns a move in 16 bits: from, to (6 bits each), promotion from 0 (knight) to 3 (queen), kind.
///
/// Castling is the king's move to the square of the rook. Never 0.
#[must_use]
pub fn move_code(m: Move) -> u16 {
    let squares = |from: Square, to: Square| from as u16 | (to as u16) << 6;
    match m {
        Move::Normal { from, to, promotion: Some(role), .. } => {
            squares(from, to) | (role as u16 - Role::Knight as u16) << 12 | PROMOTION
        }
        Move::Normal { from, to, .. } => squares(from, to),
        Move::EnPassant { from, to } => squares(from, to) | EN_PASSANT,
        Move::Castle { king, rook } => squares(king, rook) | CASTLING,
        Move::Put { to, .. } => squares(to, to),
    }
}

/// Returns the legal move with this code, if there is one.
#[must_use]
pub fn move_of_code(position: &Position, code: u16) -> Option<Move> {
    // Only a promotion uses bits 12 and 13; other programs may leave anything there.
    let code = if code & PROMOTION == PROMOTION { code } else { code & !(3 << 12) };
    position.chess().legal_moves().into_iter().find(|&m| move_code(m) == code)
}

/// Returns a record of bulletformat.
///
/// The board is seen from the side to move: with Black to move, it is mirrored and the colors are swapped, so that the
/// pieces of the side to move are "white" and its score and result positive if it is better. Occupied squares u64 ·
/// pieces as in [`PackedPosition`] (16 bytes) · score i16 · result u8 · king square of the side to move u8 · king square
/// of the opponent u8, from the opponent's view · three bytes 0.
///
/// `None` if it is not a packed position.
#[must_use]
pub fn bullet_record(packed: &PackedPosition) -> Option<[u8; RECORD_SIZE]> {
    let (mut board, _) = unpack_board(packed)?;
    let (mut score, mut result) = (i16::from_le_bytes(field(packed, 28)), packed[30]);
    if packed[24] & 128 != 0 {
        board.mirror();
        (score, result) = (score.saturating_neg(), 2u8.checked_sub(result)?);
    }
    let king = |color: Color| board.king_of(color).map(|square| square as u8);
    let mut out = pack_board(&board, Bitboard::EMPTY);
    out[24..26].copy_from_slice(&score.to_le_bytes());
    (out[26], out[27], out[28]) = (result, king(Color::White)?, king(Color::Black)? ^ 56);
    Some(out)
}

/// Returns a line of text: `FEN | score | result`, score and result (0.0, 0.5 or 1.0) from White's view.
#[must_use]
pub fn text_line(record: &PositionRecord) -> String {
    format!("{} | {} | {:.1}\n", record.position.fen(), record.score, record.result.points())
}
