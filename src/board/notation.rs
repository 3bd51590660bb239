//! Notation of moves: parsing of SAN and UCI notation, reasons for illegal moves, SAN.

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, CastlingSide, Color, EnPassantMode, File, Move, Piece, Position as _, Rank, Role, Square, attacks,
};

use super::position::Position;

/// The reason why a text is not a legal move.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not in any move notation.
    #[error("not a move in SAN (Nf3) or UCI notation (g1f3)")]
    NotAMove,
    /// A null move.
    #[error("a null move is not a legal move")]
    NullMove,
    /// Several legal moves match.
    #[error("ambiguous: {}", .0.join(", "))]
    Ambiguous(Vec<String>),
    /// No legal move matches; the text names the rule.
    #[error("{0}")]
    Illegal(String),
}

/// Notation of moves.
impl Position {
    /// Parses a legal move in SAN or UCI notation, in any case; castling also as king takes rook.
    ///
    /// A move number, capture signs, hyphens, `=`, `e.p.` and annotations are optional. Where the case matters (`bxc3`,
    /// `Bxc3`), the move that matches exactly is preferred; `Bxc3` never means the move of a pawn.
    ///
    /// ```
    /// use aspirant::board::position::Position;
    ///
    /// let position = Position::default();
    /// let m = position.parse_move("g1f3")?;
    /// assert_eq!((position.san(m), position.uci(m)), ("Nf3".to_owned(), "g1f3".to_owned()));
    /// assert_eq!(position.parse_move("Nf3"), Ok(m));
    /// assert_eq!(position.parse_move("e5").unwrap_err().to_string(), "no pawn of White can move to e5");
    /// # Ok::<(), aspirant::board::notation::MoveError>(())
    /// ```
    ///
    /// # Errors
    /// [`MoveError`] with the reason.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let text = without_number(text.trim());
        // The usual forms first: a list of all legal moves in all their forms takes a hundred times longer.
        if let Ok(m) = text.parse::<UciMove>()
            && let Ok(m) = m.to_move(self.chess())
        {
            return Ok(m);
        }
        if let Ok(m) = text.parse::<SanPlus>()
            && let Ok(m) = m.san.to_move(self.chess())
        {
            return Ok(m);
        }
        if is_null_move(text) { Err(MoveError::NullMove) } else { parse_unusual_form(self, text) }
    }

    /// Returns a legal move in SAN, with the sign of a check or mate.
    #[must_use]
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.chess().clone(), m).to_string()
    }

    /// Returns a move in UCI notation.
    ///
    /// Castling is written as the move of the king (`e1g1`), but as king takes rook (`e1h1`) if this position has
    /// castling rights that exist only in Chess960.
    #[must_use]
    pub fn uci(&self, m: Move) -> String {
        m.to_uci(self.chess().castles().mode()).to_string()
    }

    /// Returns a variation in SAN with move numbers (`12… Nf6 13. e5`), up to its first illegal move.
    ///
    /// ```
    /// use aspirant::engine::Engine;
    /// use aspirant::search::limits::Limits;
    ///
    /// let mut engine = Engine::builder().build()?;
    /// let result = engine.search(Limits::depth(4));
    /// println!("{}", engine.game().position.san_variation(result.pv()));
    /// # Ok::<(), aspirant::engine::BuildError>(())
    /// ```
    #[must_use]
    pub fn san_variation(&self, moves: &[Move]) -> String {
        let mut chess = self.chess().clone();
        let mut out = String::new();
        for (index, &m) in moves.iter().enumerate() {
            if !chess.is_legal(m) {
                break;
            }
            let separator = if index == 0 { "" } else { " " };
            let number = match chess.turn() {
                Color::White => format!("{}. ", chess.fullmoves()),
                Color::Black if index == 0 => format!("{}… ", chess.fullmoves()),
                Color::Black => String::new(),
            };
            let san = SanPlus::from_move_and_play_unchecked(&mut chess, m);
            out.push_str(&format!("{separator}{number}{san}"));
        }
        out
    }
}

fn parse_unusual_form(position: &Position, text: &str) -> Result<Move, MoveError> {
    let typed = simplified(text);
    let legal = position.chess().legal_moves();
    for exact in [true, false] {
        let matches = |form: &String| if exact { *form == typed } else { form.eq_ignore_ascii_case(&typed) };
        // A capital B among small letters is the bishop.
        let no_pawns = !exact && typed.starts_with('B') && typed.contains(|c: char| c.is_ascii_lowercase());
        let candidates = legal.iter().copied().filter(|m| !no_pawns || m.role() != Role::Pawn);
        let found: Vec<Move> = candidates.filter(|&m| forms(m).iter().any(matches)).collect();
        match found.as_slice() {
            [] => {}
            [m] => return Ok(*m),
            several => return Err(MoveError::Ambiguous(several.iter().map(|&m| position.san(m)).collect())),
        }
    }
    Err(explain(position, &typed))
}

/// Drops the move number of `12.Nf3` and `12...Nf6`.
pub(super) fn without_number(text: &str) -> &str {
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_dots = after_digits.trim_start_matches(['.', '…']);
    // Without a dot, the digits may be those of `0-0`.
    if after_dots.len() < after_digits.len() { after_dots } else { text }
}

/// Returns whether `text` is a null move, as written in variations.
pub(super) fn is_null_move(text: &str) -> bool {
    matches!(text, "--" | "Z0" | "0000" | "@@@@")
}

/// Returns the move of a word; `None` for a move number, an annotation glyph and `e.p.`.
pub(super) fn move_text(word: &str) -> Option<&str> {
    let text = without_number(word);
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_glyph = !text.contains(char::is_alphanumeric);
    let is_move = is_null_move(text) || !is_number && !is_glyph && !matches!(text, "e.p." | "ep");
    is_move.then_some(text)
}

/// Drops everything that is optional in a move.
fn simplified(text: &str) -> String {
    let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end();
    text.chars().filter(|c| !"xX:-–=+#!?(),".contains(*c)).map(|c| if c == '0' { 'O' } else { c }).collect()
}

/// Returns the simplified notations of a legal move; a promotion also without the piece.
fn forms(m: Move) -> Vec<String> {
    let (from, to) = (m.from().unwrap_or(m.to()), m.to());
    if let Move::Castle { king, rook } = m {
        let side = CastlingSide::from_queen_side(rook.file() < king.file());
        let castling = if side.is_king_side() { "OO" } else { "OOO" };
        let target = Square::from_coords(side.king_to_file(), king.rank());
        let mut forms = vec![castling.to_owned(), format!("{king}{rook}")];
        // In Chess960 the king may reach the same square without castling.
        if king.file() == File::E && matches!(rook.file(), File::A | File::H) {
            forms.push(format!("{king}{target}"));
        }
        return forms;
    }
    let mut forms = match m.role() {
        Role::Pawn if m.is_capture() => vec![format!("{}{to}", from.file().char())],
        Role::Pawn => vec![to.to_string()],
        role => {
            let letter = role.upper_char();
            let (file, rank) = (from.file().char(), from.rank().char());
            let origins = [String::new(), file.to_string(), rank.to_string(), from.to_string()];
            origins.into_iter().map(|origin| format!("{letter}{origin}{to}")).collect()
        }
    };
    forms.push(format!("{from}{to}"));
    if let Some(role) = m.promotion() {
        let promoting: Vec<String> = forms.iter().map(|form| format!("{form}{}", role.upper_char())).collect();
        forms.extend(promoting);
    }
    forms
}

/// The parts of a move that are given in its notation.
struct TypedMove {
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
}

impl TypedMove {
    fn parse(typed: &str) -> Option<Self> {
        let mut chars: Vec<char> = typed.chars().collect();
        if let [.., digit, last] = chars.as_slice()
            && digit.is_ascii_digit()
            && "qrbnQRBN".contains(*last)
        {
            chars.pop();
        }
        let rank = Rank::from_char(chars.pop()?)?;
        let to = Square::from_coords(File::from_char(chars.pop()?.to_ascii_lowercase())?, rank);
        let is_piece = |c: &char| "KQRBN".contains(*c) || "kqrn".contains(*c);
        let role = match chars.as_slice() {
            // A single `b` is the file of a pawn.
            [first, rest @ ..] if is_piece(first) || *first == 'b' && matches!(rest, [c, ..] if c.is_alphabetic()) => {
                Role::from_char(chars.remove(0).to_ascii_lowercase())
            }
            [_, _] => None,
            _ => Some(Role::Pawn),
        };
        let lower = |c: &char| c.to_ascii_lowercase();
        let (file, rank) = match chars.as_slice() {
            [] => (None, None),
            [c] if c.is_ascii_digit() => (None, Some(Rank::from_char(*c)?)),
            [c] => (Some(File::from_char(lower(c))?), None),
            [file, rank] => (Some(File::from_char(lower(file))?), Some(Rank::from_char(*rank)?)),
            _ => return None,
        };
        Some(Self { role, file, rank, to })
    }

    fn origin_text(&self) -> String {
        match (self.file, self.rank) {
            (Some(file), Some(rank)) => format!(" on {}", Square::from_coords(file, rank)),
            (Some(file), None) => format!(" on the {}-file", file.char()),
            (None, Some(rank)) => format!(" on rank {}", rank.char()),
            (None, None) => String::new(),
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn color_name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// Returns "the knight on g1".
fn piece_on(position: &Position, square: Square) -> String {
    let role = position.board().role_at(square).map_or("piece", role_name);
    format!("the {role} on {square}")
}

/// Returns why no legal move matches.
fn explain(position: &Position, typed: &str) -> MoveError {
    if let Some(side) = [("OO", CastlingSide::KingSide), ("OOO", CastlingSide::QueenSide)]
        .into_iter()
        .find_map(|(text, side)| text.eq_ignore_ascii_case(typed).then_some(side))
    {
        return MoveError::Illegal(why_not_castling(position, side));
    }
    let Some(typed) = TypedMove::parse(typed) else { return MoveError::NotAMove };
    let (board, us, to) = (position.board(), position.turn(), typed.to);
    let name = color_name(us);
    let role = match (typed.role, typed.file, typed.rank) {
        (Some(role), ..) => role,
        (None, Some(file), Some(rank)) => {
            let from = Square::from_coords(file, rank);
            match board.piece_at(from) {
                None => return MoveError::Illegal(format!("there is no piece on {from}")),
                Some(piece) if piece.color != us => {
                    let owner = color_name(piece.color);
                    return MoveError::Illegal(format!(
                        "{} is {owner}'s, and {name} is to move",
                        piece_on(position, from)
                    ));
                }
                Some(piece) => piece.role,
            }
        }
        _ => return MoveError::NotAMove,
    };
    let in_origin = |square: &Square| {
        typed.file.is_none_or(|file| file == square.file()) && typed.rank.is_none_or(|rank| rank == square.rank())
    };
    let pieces: Vec<Square> = (board.by_role(role) & board.by_color(us)).into_iter().filter(in_origin).collect();
    if pieces.is_empty() {
        return MoveError::Illegal(format!("{name} has no {}{}", role_name(role), typed.origin_text()));
    }
    if board.color_at(to) == Some(us) {
        return MoveError::Illegal(format!(
            "{to} is occupied by {name}'s own {}",
            board.role_at(to).map_or("piece", role_name)
        ));
    }
    if let Some(&from) = pieces.iter().find(|&&from| is_pseudo_legal(position, role, from, to)) {
        // The move is legal, but not written correctly, for example `e2e4q`.
        if position.chess().legal_moves().iter().any(|m| m.from() == Some(from) && m.to() == to) {
            return MoveError::NotAMove;
        }
        return MoveError::Illegal(why_king_is_exposed(position, role, from, to));
    }
    MoveError::Illegal(why_unreachable(position, role, &pieces, to))
}

/// Returns whether the piece could move there if checks did not matter.
fn is_pseudo_legal(position: &Position, role: Role, from: Square, to: Square) -> bool {
    let (board, us) = (position.board(), position.turn());
    let occupied = board.occupied();
    if role != Role::Pawn {
        return attacks::attacks(from, Piece { color: us, role }, occupied).contains(to);
    }
    if from.file() != to.file() {
        let is_en_passant = || position.chess().ep_square(EnPassantMode::PseudoLegal) == Some(to);
        return attacks::pawn_attacks(us, from).contains(to) && (occupied.contains(to) || is_en_passant());
    }
    let steps = us.fold_wb(1, -1) * (i32::from(to.rank()) - i32::from(from.rank()));
    let second = us.fold_wb(Rank::Second, Rank::Seventh);
    (steps == 1 || steps == 2 && from.rank() == second)
        && !occupied.contains(to)
        && (attacks::between(from, to) & occupied).is_empty()
}

/// Returns which check makes a pseudo-legal move illegal.
fn why_king_is_exposed(position: &Position, role: Role, from: Square, to: Square) -> String {
    let (board, us) = (position.board(), position.turn());
    if role == Role::King {
        return format!("the king would be in check on {to}");
    }
    let name = color_name(us);
    let checkers = position.checkers();
    match checkers.into_iter().collect::<Vec<_>>().as_slice() {
        [] => {}
        [checker] => {
            return format!("{name} is in check from {}, and this move does not end it", piece_on(position, *checker));
        }
        _ => return format!("{name} is in double check: only the king can move"),
    }
    let without = board.occupied() & !Bitboard::from_square(from);
    let pinner = board.king_of(us).and_then(|king| {
        let sliders = board.attacks_to(king, !us, without) & board.by_color(!us);
        sliders.into_iter().next()
    });
    match pinner {
        Some(pinner) => format!("{} is pinned to the king by {}", piece_on(position, from), piece_on(position, pinner)),
        None => "the king would be in check".into(),
    }
}

/// Returns why none of the pieces can move to the square.
fn why_unreachable(position: &Position, role: Role, pieces: &[Square], to: Square) -> String {
    let (board, us) = (position.board(), position.turn());
    let occupied = board.occupied();
    let blocked = |from: Square| {
        // The first occupied square on the way, seen from the piece.
        let on_the_way = (attacks::between(from, to) | Bitboard::from_square(to)) & occupied;
        let blocker = on_the_way.into_iter().min_by_key(|&square| from.distance(square))?;
        Some(format!("{} is blocked by {}", piece_on(position, from), piece_on(position, blocker)))
    };
    if role == Role::Pawn {
        let forward = |from: Square| us.fold_wb(1, -1) * (i32::from(to.rank()) - i32::from(from.rank()));
        let second = us.fold_wb(Rank::Second, Rank::Seventh);
        let in_range = |from: &&Square| {
            from.file() == to.file() && (forward(**from) == 1 || forward(**from) == 2 && from.rank() == second)
        };
        if let Some(reason) = pieces.iter().find(in_range).and_then(|&from| blocked(from)) {
            return reason;
        }
        if pieces.iter().any(|&from| attacks::pawn_attacks(us, from).contains(to)) && !occupied.contains(to) {
            return format!("there is nothing to capture on {to}");
        }
        if let [from] = pieces
            && forward(*from) <= 0
        {
            return format!("{} can only move forward", piece_on(position, *from));
        }
    } else {
        let on_empty_board =
            |from: &&Square| attacks::attacks(**from, Piece { color: us, role }, Bitboard::EMPTY).contains(to);
        if let Some(reason) = pieces.iter().find(on_empty_board).and_then(|&from| blocked(from)) {
            return reason;
        }
    }
    match pieces {
        [from] => format!("{} cannot move to {to}", piece_on(position, *from)),
        _ => format!("no {} of {} can move to {to}", role_name(role), color_name(us)),
    }
}

fn why_not_castling(position: &Position, side: CastlingSide) -> String {
    let (chess, us) = (position.chess(), position.turn());
    let (name, wing) = (color_name(us), if side.is_king_side() { "kingside" } else { "queenside" });
    if !chess.castles().has(us, side) {
        return format!("{name} has no right to castle {wing}");
    }
    if let Some(checker) = position.checkers().into_iter().next() {
        return format!("{name} cannot castle in check from {}", piece_on(position, checker));
    }
    let in_the_way = chess.castles().path(us, side) & position.board().occupied();
    match in_the_way.into_iter().next() {
        Some(square) => format!("{} is in the way of castling", piece_on(position, square)),
        None => format!("the king would pass through or end in check when castling {wing}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;

    fn found(fen: &str, text: &str) -> Result<String, String> {
        let position = parse_fen(fen).unwrap();
        position.parse_move(text).map(|m| position.san(m)).map_err(|error| error.to_string())
    }

    #[test]
    fn variations_have_move_numbers_and_end_before_an_illegal_move() {
        let start = Position::default();
        let e4 = start.parse_move("e4").unwrap();
        let after_e4 = start.play(e4);
        let e5 = after_e4.parse_move("e5").unwrap();
        let nf3 = start.parse_move("Nf3").unwrap();
        assert_eq!(start.san_variation(&[e4, e5, nf3, nf3]), "1. e4 e5 2. Nf3");
        assert_eq!(after_e4.san_variation(&[e5, nf3]), "1… e5 2. Nf3");
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn moves_are_found_in_any_case_and_notation() {
        for text in
            ["Nf3", "nf3", "NF3", "g1f3", "G1F3", "Ng1-f3", "ng1f3", "Nf3!?", "Ngf3", "1.Nf3", "1...Nf3,", " Nf3 "]
        {
            assert_eq!(found(START, text).unwrap(), "Nf3", "{text}");
        }
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for text in ["O-O", "o-o", "0-0", "1.0-0", "oo", "e1g1", "e1h1"] {
            assert_eq!(found(castle, text).unwrap(), "O-O", "{text}");
        }
        let both = "4k3/8/8/8/1B6/p1p5/1P6/4K3 w - - 0 1";
        assert_eq!(found(both, "bxc3").unwrap(), "bxc3");
        assert_eq!(found(both, "Bxc3").unwrap(), "Bxc3");
        assert_eq!(found(both, "bd6").unwrap(), "Bd6");
        // No bishop can capture on c3: a capital B does not mean the pawn.
        let pawn = "4k3/8/8/8/8/2p5/1P6/4KB2 w - - 0 1";
        for text in ["bxc3", "BXC3", "b2c3"] {
            assert_eq!(found(pawn, text).unwrap(), "bxc3", "{text}");
        }
        for text in ["Bxc3", "Bc3", "B2c3"] {
            assert!(found(pawn, text).unwrap_err().contains("bishop"), "{text}");
        }
        let ep = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        for text in ["exd6", "ed6", "exd6 e.p.", "e5d6"] {
            assert_eq!(found(ep, text).unwrap(), "exd6", "{text}");
        }
        let promotion = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
        for text in ["e8=Q", "e8Q", "e8q", "e7e8q", "E8=q", "e8(Q)"] {
            assert_eq!(found(promotion, text).unwrap(), "e8=Q", "{text}");
        }
        assert!(found(promotion, "e8").unwrap_err().starts_with("ambiguous: e8="));
    }

    #[test]
    fn illegal_moves_have_a_reason() {
        for (fen, text, reason) in [
            (START, "Nf4", "no knight of White can move to f4"),
            (START, "e5", "no pawn of White can move to e5"),
            (START, "e2e5", "the pawn on e2 cannot move to e5"),
            (START, "exd3", "there is nothing to capture on d3"),
            (START, "Bb5", "the bishop on f1 is blocked by the pawn on e2"),
            (START, "Nd2", "d2 is occupied by White's own pawn"),
            (START, "e3e4", "there is no piece on e3"),
            (START, "e7e5", "the pawn on e7 is Black's, and White is to move"),
            (START, "O-O", "the bishop on f1 is in the way of castling"),
            (START, "--", "a null move is not a legal move"),
            (START, "0000", "a null move is not a legal move"),
            (START, "xyzzy", "not a move in SAN (Nf3) or UCI notation (g1f3)"),
            (START, "e2e4q", "not a move in SAN (Nf3) or UCI notation (g1f3)"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Qd4", "White has no queen"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "O-O", "White has no right to castle kingside"),
            ("4k3/8/8/8/8/8/3r4/4K2R w K - 0 1", "Kd1", "the king would be in check on d1"),
            ("4k3/8/8/8/1b6/2N5/8/4K3 w - - 0 1", "Nd5", "the knight on c3 is pinned to the king by the bishop on b4"),
            (
                "4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1",
                "Nb3",
                "White is in check from the rook on e8, and this move does not end it",
            ),
            ("4r1k1/8/8/8/8/8/8/R3K3 w Q - 0 1", "O-O-O", "White cannot castle in check from the rook on e8"),
            ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "exd6", "the king would be in check"),
            (
                "k5r1/8/8/8/8/8/8/4K2R w K - 0 1",
                "O-O",
                "the king would pass through or end in check when castling kingside",
            ),
            (
                "5rk1/8/8/8/8/8/8/4K2R w K - 0 1",
                "O-O",
                "the king would pass through or end in check when castling kingside",
            ),
            ("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e4", "the pawn on e2 is blocked by the knight on e3"),
            ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e3", "the pawn on e4 can only move forward"),
            ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2", "ambiguous: Nbd2, Nfd2"),
        ] {
            assert_eq!(found(fen, text).unwrap_err(), reason, "{fen} {text}");
        }
    }

    #[test]
    fn every_legal_move_is_found_in_san_and_uci() {
        for fen in [
            START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ] {
            let position = parse_fen(fen).unwrap();
            for &m in &position.chess().legal_moves() {
                let uci = position.uci(m);
                assert_eq!((position.parse_move(&position.san(m)), position.parse_move(&uci)), (Ok(m), Ok(m)), "{m}");
            }
        }
    }
}
