//! Chess position for the search: shakmaty's rules with incrementally updated Zobrist keys.
//!
//! shakmaty makes a move in a few nanoseconds but computes a Zobrist key from scratch. Here the keys of a
//! child are derived from those of its parent by XOR: the full key (equal positions have equal keys; an
//! en passant square is hashed only if the capture is legal), a pawn key, a non-pawn key per color, and a key
//! of minor pieces and kings. Children are copies (copy-make); there is no unmake.
//! <https://www.chessprogramming.org/Zobrist_Hashing>, <https://www.chessprogramming.org/Copy-Make>

use std::fmt;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move, MoveList, Piece,
    Position as _, PositionError, Role, Setup, Square,
};

use crate::platform::bytes::escaped_byte;

/// Value of the halfmove clock at which a draw can be claimed.
pub(crate) const FIFTY_MOVES: u32 = 100;

/// Zobrist keys of a position, updated incrementally.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Keys {
    /// Full key: equal for positions that are equal under the repetition rule.
    pub full: u64,
    /// Pawn key, both colors.
    pub pawn: u64,
    /// Minor-piece key: knights, bishops and kings, both colors.
    pub minor: u64,
    /// Non-pawn keys of White and of Black (all pieces except pawns).
    pub non_pawn: [u64; 2],
}

/// Position with its keys and checkers. Cheap to copy (about 200 bytes).
///
/// ```
/// use aspirant::board::position::{Position, parse_fen};
///
/// let position = parse_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
/// let after = position.play(position.parse_move("e4")?);
/// assert_eq!(after.fen(), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
/// assert_eq!(after.legal_moves().len(), 5);
/// assert_eq!(Position::default().legal_moves().len(), 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Position {
    chess: Chess,
    keys: Keys,
    /// En passant component of `keys.full`; 0 if there is none.
    en_passant_key: u64,
    checkers: Bitboard,
    /// Plies since the last irreversible move (capture, pawn move, lost castling right) or null move.
    reversible: u32,
}

fn piece_key(square: Square, piece: Piece) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

fn en_passant_key(chess: &Chess) -> u64 {
    // Fast path: without a double push there is no legality check to make.
    if chess.maybe_ep_square().is_none() {
        return 0;
    }
    chess.ep_square(EnPassantMode::Legal).map_or(0, |sq| Zobrist64::zobrist_for_en_passant_file(sq.file()).0)
}

/// Returns the component of the halfmove clock in the TT key.
///
/// The closer the fifty-move draw, the more the value of a position depends on the clock: values below 16 have no
/// component, so that transpositions are found; from 16 on, eight values share one; from 91 on, each has its own.
#[inline(always)]
fn clock_key(halfmoves: u32) -> u64 {
    if halfmoves < 16 { 0 } else { high_clock_key(halfmoves) }
}

/// The rare case of [`clock_key`]. Not inlined, to keep its callers small.
#[inline(never)]
fn high_clock_key(halfmoves: u32) -> u64 {
    let bucket = (halfmoves.saturating_sub(8) / 8).max(halfmoves.saturating_sub(80));
    // An odd factor: different buckets have different keys.
    u64::from(bucket).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Keys {
    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        self.toggle_key(piece_key(square, piece), piece);
    }

    fn move_piece(&mut self, piece: Piece, from: Square, to: Square) {
        self.toggle_key(piece_key(from, piece) ^ piece_key(to, piece), piece);
    }

    fn toggle_key(&mut self, key: u64, piece: Piece) {
        // Branch-free: masks by role, from pawn to king.
        const PAWN: [u64; 6] = [!0, 0, 0, 0, 0, 0];
        const MINOR: [u64; 6] = [0, !0, !0, 0, 0, !0];
        let role = piece.role as usize - 1;
        self.full ^= key;
        self.pawn ^= key & PAWN[role];
        self.non_pawn[piece.color as usize] ^= key & !PAWN[role];
        self.minor ^= key & MINOR[role];
    }

    /// Computes the keys from scratch; the reference for tests of the incremental keys.
    fn from_scratch(chess: &Chess) -> Self {
        let mut keys = Self::default();
        for (square, piece) in chess.board() {
            keys.toggle(square, piece);
        }
        keys.full = chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        keys
    }
}

impl Position {
    /// Creates a position from shakmaty's, with keys computed from scratch.
    ///
    /// Move lists and piece counts rely on at most 15 pieces of a kind and 256 legal moves, which [`parse_fen`] and
    /// legal moves guarantee. Otherwise, later calls may panic.
    #[must_use]
    pub fn new(chess: Chess) -> Self {
        let (keys, checkers) = (Keys::from_scratch(&chess), chess.checkers());
        let reversible = chess.halfmoves();
        Self { en_passant_key: en_passant_key(&chess), chess, keys, checkers, reversible }
    }

    /// Underlying shakmaty position.
    #[must_use]
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// Pieces on the board.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// Side to move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// All Zobrist keys.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Full Zobrist key.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.keys.full
    }

    /// Key of the position in the transposition table: the full key and, as it grows, the halfmove clock.
    #[must_use]
    #[inline]
    pub(crate) fn tt_key(&self) -> u64 {
        self.keys.full ^ clock_key(self.halfmoves())
    }

    /// Enemy pieces that give check.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Returns whether the side to move is mated.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && self.chess.legal_moves().is_empty()
    }

    /// Halfmove clock: plies since the last capture or pawn move.
    #[must_use]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// Maximum number of plies back at which an equal position can occur.
    #[must_use]
    pub fn reversible_plies(&self) -> usize {
        self.reversible as usize
    }

    /// Returns whether the side to move has a piece other than king and pawns.
    ///
    /// Without one, zugzwang is likely and null-move pruning is unsound.
    #[must_use]
    pub fn has_non_pawn_material(&self) -> bool {
        let board = self.board();
        (board.by_color(self.turn()) & !(board.pawns() | board.kings())).any()
    }

    /// Returns whether neither side has enough material to give mate.
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// Returns the child after a legal move.
    ///
    /// The move is not checked; [`Position::parse_move`] returns only legal moves.
    ///
    /// # Panics
    /// An illegal move gives an invalid position, for which this or a later call may panic.
    #[inline]
    #[must_use]
    pub fn play(&self, m: Move) -> Self {
        let mut child = self.clone();
        child.apply_move(self, m);
        child
    }

    /// Makes the legal move `m`; `self` must be a copy of `parent`.
    #[inline]
    pub(crate) fn apply_move(&mut self, parent: &Self, m: Move) {
        self.chess.play_unchecked(m);
        self.update_keys(parent, m);
        self.checkers = self.chess.checkers();
    }

    /// Approximate TT key of the child after `m`, for prefetching its TT entry before the move is made.
    ///
    /// Ignores changes of castling rights, new en passant squares, and the pieces of castling and en passant moves.
    #[must_use]
    #[inline(always)]
    pub(crate) fn approx_tt_key_after(&self, m: Move) -> u64 {
        let key = self.key_after_null_move();
        let Move::Normal { role, from, capture, to, promotion } = m else { return key };
        let us = self.turn();
        let mover = piece_key(from, role.of(us)) ^ piece_key(to, promotion.unwrap_or(role).of(us));
        let key = key ^ mover ^ capture.map_or(0, |captured| piece_key(to, captured.of(!us)));
        match clock_key(self.halfmoves().saturating_add(1)) {
            0 => key,
            clock => key ^ if m.is_zeroing() { 0 } else { clock },
        }
    }

    /// TT key after a null move.
    #[must_use]
    pub(crate) fn tt_key_after_null_move(&self) -> u64 {
        self.key_after_null_move() ^ clock_key(self.halfmoves().saturating_add(1))
    }

    /// Full key after a null move.
    #[must_use]
    fn key_after_null_move(&self) -> u64 {
        self.keys.full ^ Zobrist64::zobrist_for_white_turn().0 ^ self.en_passant_key
    }

    /// Returns the child after a null move, or `None` in check.
    ///
    /// shakmaty's `swap_turn` sets up and validates a whole position. It is cheaper to "move" a piece to its own
    /// square, which changes only the side to move, the en passant square and the clocks.
    /// <https://www.chessprogramming.org/Null_Move>
    #[must_use]
    pub fn after_null_move(&self) -> Option<Self> {
        if self.in_check() {
            return None;
        }
        let chess = match self.null_move_piece() {
            Some((role, square)) => {
                let mut chess = self.chess.clone();
                let null_move = Move::Normal { role, from: square, capture: None, to: square, promotion: None };
                chess.play_unchecked(null_move);
                chess
            }
            None => self.chess.clone().swap_turn().ok()?,
        };
        let keys = Keys { full: self.key_after_null_move(), ..self.keys };
        Some(Self { chess, keys, en_passant_key: 0, checkers: Bitboard::EMPTY, reversible: 0 })
    }

    /// Piece of the side to move whose move loses no castling right and does not reset the halfmove clock.
    fn null_move_piece(&self) -> Option<(Role, Square)> {
        let (board, us) = (self.board(), self.turn());
        [Role::Knight, Role::Bishop, Role::Queen, Role::Rook, Role::King]
            .into_iter()
            .filter(|&role| role < Role::Rook || role == Role::Queen || !self.chess.castles().has_color(us))
            .find_map(|role| Some((role, (board.by_role(role) & board.by_color(us)).first()?)))
    }

    /// Updates the keys, which are still those of `parent`, after `m`.
    #[inline(always)]
    fn update_keys(&mut self, parent: &Self, m: Move) {
        let us = parent.turn();
        let keys = &mut self.keys;
        keys.full ^= Zobrist64::zobrist_for_white_turn().0 ^ parent.en_passant_key;
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                match promotion {
                    None => keys.move_piece(role.of(us), from, to),
                    Some(promoted) => {
                        keys.toggle(from, role.of(us));
                        keys.toggle(to, promoted.of(us));
                    }
                }
                if let Some(captured) = capture {
                    keys.toggle(to, captured.of(!us));
                }
            }
            Move::EnPassant { from, to } => {
                keys.toggle(from, us.pawn());
                keys.toggle(to, us.pawn());
                keys.toggle(Square::from_coords(to.file(), from.rank()), (!us).pawn());
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                keys.toggle(king, us.king());
                keys.toggle(rook, us.rook());
                keys.toggle(side.king_to(us), us.king());
                keys.toggle(side.rook_to(us), us.rook());
            }
            Move::Put { role, to } => keys.toggle(to, role.of(us)),
        }
        let (before, after) = (parent.chess.castles(), self.chess.castles());
        let lost_right = before.castling_rights().any() && before.castling_rights() != after.castling_rights();
        if lost_right {
            for color in Color::ALL {
                for side in CastlingSide::ALL {
                    if before.has(color, side) != after.has(color, side) {
                        keys.full ^= Zobrist64::zobrist_for_castling_right(color, side).0;
                    }
                }
            }
        }
        self.en_passant_key = en_passant_key(&self.chess);
        keys.full ^= self.en_passant_key;
        // The halfmove clock is 0 after a capture or a pawn move.
        let irreversible = self.chess.halfmoves() == 0 || lost_right;
        self.reversible = if irreversible { 0 } else { parent.reversible.saturating_add(1) };
    }

    /// Returns the FEN; an en passant square is included only if the capture is legal.
    #[must_use]
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// Returns the legal moves in no particular order; none after checkmate or stalemate.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::new(Chess::default())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

/// Error in setting up a position or making its moves.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum SetupError {
    /// The text is not a valid FEN.
    #[error("bad FEN '{fen}': {reason}")]
    Syntax {
        /// Input, shortened and without control characters.
        fen: String,
        /// Parser error.
        reason: ParseFenError,
    },
    /// The FEN does not describe a legal position.
    #[error("illegal position '{fen}': {reason}")]
    Illegal {
        /// Input, shortened and without control characters.
        fen: String,
        /// Violated rules.
        reason: String,
    },
    /// The game has other rules than chess and Chess960.
    #[error("the rules of the variant '{0}' are unknown")]
    Variant(String),
    /// A move cannot be parsed or is not legal in its position.
    #[error("illegal move '{text}' (number {number} of the list) in {fen}: {reason}")]
    Move {
        /// Input, shortened and without control characters.
        text: String,
        /// Number in the move list, from 1.
        number: usize,
        /// FEN of the position before the move.
        fen: String,
        /// Why it is not a legal move.
        reason: String,
    },
}

/// Returns the first 120 characters of untrusted text; `…` follows if it was longer.
///
/// Control characters are replaced by `?`, bytes that are not UTF-8 by U+FFFD.
#[doc(hidden)]
#[must_use]
pub fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        c if c.is_control() => '?',
        c if escaped_byte(c).is_some() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    let mut out: String = text.chars().take(120).map(shown).collect();
    if text.chars().nth(120).is_some() {
        out.push('…');
    }
    out
}

/// Parses a FEN of 1 to 6 fields, X-FEN or Shredder-FEN; a move counter may be `-`.
///
/// A castling right or en passant square that the board does not allow is dropped, as in other engines. Checks that
/// cannot occur in a game are accepted, because well-known test suites contain them. Any other defect is an error.
/// This includes more pieces than a game can produce: move lists rely on the maximum of 218 legal moves. Two bishops
/// on squares of one color are accepted, as in the initial positions of shuffle chess.
///
/// # Errors
/// [`SetupError::Syntax`] or [`SetupError::Illegal`] with the reason.
pub fn parse_fen(text: &str) -> Result<Position, SetupError> {
    let setup = parse_setup(text)?;
    let mode = CastlingMode::detect(&setup);
    from_setup(text, setup, mode)
}

/// Like [`parse_fen`], but drops castling rights `KQkq` that exist only in Chess960.
///
/// Those are rights of a king or rook that is not on its square in standard chess. Rights in Shredder-FEN (`HAha`) are
/// kept.
///
/// # Errors
/// Those of [`parse_fen`].
pub fn parse_standard_fen(text: &str) -> Result<Position, SetupError> {
    let rights = text.split_whitespace().nth(2).unwrap_or("-");
    if rights.contains(|c| !"KQkq-".contains(c)) {
        return parse_fen(text);
    }
    from_setup(text, parse_setup(text)?, CastlingMode::Standard)
}

fn parse_setup(text: &str) -> Result<Setup, SetupError> {
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    for (index, default) in [(4, "0"), (5, "1")] {
        if let Some(counter) = fields.get_mut(index)
            && *counter == "-"
        {
            *counter = default;
        }
    }
    let fen: Result<Fen, _> = fields.join(" ").parse();
    fen.map(Fen::into_setup).map_err(|reason| SetupError::Syntax { fen: printable(text), reason })
}

fn from_setup(text: &str, setup: Setup, mode: CastlingMode) -> Result<Position, SetupError> {
    let too_many = Color::ALL.into_iter().find(|&color| !is_possible_material(&setup.board, color));
    let mut chess = Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check);
    if too_many.is_none() {
        chess = chess.or_else(PositionError::ignore_too_much_material);
    }
    chess.map(Position::new).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.strip_prefix("illegal position: ").unwrap_or(&reason).to_owned();
        SetupError::Illegal { fen: printable(text), reason }
    })
}

/// Returns whether the pieces of a color can arise from 16 pieces by promotions.
fn is_possible_material(board: &Board, color: Color) -> bool {
    let count = |role: Role| (board.by_role(role) & board.by_color(color)).count();
    let promoted = [(Role::Knight, 2), (Role::Bishop, 2), (Role::Rook, 2), (Role::Queen, 1)];
    count(Role::Pawn) + promoted.map(|(role, initial)| count(role).saturating_sub(initial)).iter().sum::<usize>() <= 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;

    /// Random games from these positions contain every type of move, including castling and en passant.
    #[test]
    fn incremental_keys_equal_keys_from_scratch() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ];
        let mut random = fastrand::Rng::with_seed(7);
        for start in starts {
            for _ in 0..40 {
                let mut position = parse_fen(start).unwrap();
                for _ in 0..120 {
                    let moves = position.chess().legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    for &m in &moves {
                        let child = position.play(m);
                        assert_eq!(child.keys, Keys::from_scratch(&child.chess), "{start} … {m}");
                        assert_eq!(child.checkers, child.chess.checkers());
                    }
                    if let Some(child) = position.after_null_move() {
                        assert_eq!(child.keys, Keys::from_scratch(&child.chess));
                        assert_eq!(child.key(), position.key_after_null_move());
                        let swapped = position.chess.clone().swap_turn().unwrap();
                        assert_eq!(child.chess, swapped, "{}", position.fen());
                        assert_eq!(child.chess.castles().castling_rights(), swapped.castles().castling_rights());
                    }
                    position = position.play(moves[random.usize(..moves.len())]);
                }
            }
        }
    }

    #[test]
    fn tt_key_depends_on_the_clock_only_near_the_fifty_move_draw() {
        let with_clock = |clock: u32| parse_fen(&format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 90")).unwrap();
        let key = |clock| with_clock(clock).tt_key();
        assert!((0..16).all(|clock| key(clock) == with_clock(0).key()));
        assert!((16..100).all(|clock| with_clock(clock).key() == with_clock(0).key()));
        let keys: std::collections::HashSet<u64> = (0..=100).step_by(8).map(key).collect();
        assert_eq!(keys.len(), 12, "0 and 8 share a key");
        assert!((90..100).all(|clock| key(clock) != key(clock + 1)));
    }

    #[test]
    fn approximate_tt_keys_equal_those_of_the_children() {
        for clock in [0, 15, 40, 79, 95, u32::MAX] {
            let fen = format!("4k3/1p4p1/2p5/8/3n1Q2/2N5/1P4P1/R3K3 w - - {clock} 90");
            let position = parse_fen(&fen).unwrap();
            for &m in &position.chess().legal_moves() {
                assert_eq!(position.approx_tt_key_after(m), position.play(m).tt_key(), "{fen} {m}");
            }
            assert_eq!(position.tt_key_after_null_move(), position.after_null_move().unwrap().tt_key(), "{fen}");
        }
    }

    #[test]
    fn setup_errors_name_the_invalid_input() {
        for (fen, part) in [
            ("8/8/8/8/8/8/8/8 w - - 0 1", "illegal position '8/8/8/8/8/8/8/8 w - - 0 1': empty board"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w - -", "bad FEN"),
            ("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "opposite check"),
            ("", "bad FEN"),
        ] {
            let error = parse_fen(fen).unwrap_err().to_string();
            assert!(error.contains(part), "{fen}: {error}");
        }
        let mut game = Game::default();
        let error = game.play_moves(["e2e4", "e2e4"]).unwrap_err().to_string();
        assert!(error.contains("'e2e4' (number 2"), "{error}");
    }

    #[test]
    fn standard_fens_have_no_castling_rights_of_chess960() {
        for (fen, rights) in [
            ("4k3/8/8/8/8/8/8/2K4R w K - 0 1", "-"),
            ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "-"),
            ("r3k2r/8/8/8/8/8/8/R2K3R w KQkq - 0 1", "kq"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "KQkq"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq"),
            ("4k3/8/8/8/8/8/8/2K4R w H - 0 1", "K"),
        ] {
            assert_eq!(parse_standard_fen(fen).unwrap().fen().split(' ').nth(2), Some(rights), "{fen}");
        }
        // Without a declared mode, the rights decide it.
        let p = parse_fen("4k3/8/8/8/8/8/8/2K4R w K - 0 1").unwrap();
        assert!(p.parse_move("c1h1").is_ok());
    }

    #[test]
    fn parse_fen_accepts_common_deviations() {
        // A castling right without a rook and an impossible en passant square are dropped.
        let p = parse_fen("4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1").unwrap();
        assert_eq!(p.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        for tail in ["- - - -", "- - - 1", "- - 0 -", "- -", "-", ""] {
            let p = parse_fen(&format!("4k3/8/8/8/8/8/8/4K3 w {tail}")).unwrap();
            assert_eq!(p.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        }
        // Eight pawns and two bishops on squares of one color; an initial position of shuffle chess.
        for fen in [
            "nr1kqrbn/pbpppppp/1p6/8/8/BP6/P1PPPPPP/NR1KQRBN b BFbf - 0 1",
            "rbknqnbr/pppppppp/8/8/8/8/PPPPPPPP/RBKNQNBR w HAha - 0 1",
        ] {
            assert_eq!(parse_fen(fen).unwrap().fen().split(' ').next(), fen.split(' ').next());
        }
        for board in ["rnbqkbnr/pppppppp/8/8/8/1B6/PPPPPPPP/RNBQKBNR", "qqqqkqqq/pppppppp/8/8/8/8/8/4K3"] {
            assert!(parse_fen(&format!("{board} w - - 0 1")).unwrap_err().to_string().contains("too much material"));
        }
        // Four fields, Shredder-FEN castling rights.
        assert!(parse_fen("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -").is_ok());
        // Both notations of castling.
        let p = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        assert_eq!(p.parse_move("e1g1"), p.parse_move("e1h1"));
        assert!(p.parse_move("e1g1").is_ok());
    }
}
