//! Staged legal move generation, packed moves, threats, check detection.
//!
//! Built on shakmaty's attack tables.
//! `shakmaty::legal_moves` generates all moves at once. A node with a cutoff at its first capture needs only
//! the captures, and a node with a cutoff at the TT move needs only a legality test of that move. In check, only
//! king moves, captures of the checking piece and interpositions are generated. Everything here is tested against
//! shakmaty's move list or a simple reference implementation.
//! <https://www.chessprogramming.org/Move_Generation>
#![doc(hidden)]

use shakmaty::{
    Bitboard, Board, CastlingSide, Chess, Color, Move, MoveList, Piece, Position as _, Rank, Role, Square, attacks,
};

use crate::board::position::Position;

/// Type of moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GenType {
    /// Captures and promotions.
    Noisy,
    /// All moves that are not noisy.
    Quiet,
    /// All legal moves.
    All,
}

/// Returns whether `m` is noisy: a capture or a promotion. All other moves are quiet.
#[inline]
#[must_use]
pub fn is_noisy(m: Move) -> bool {
    // One match without further branches.
    match m {
        Move::Normal { capture, promotion, .. } => capture.is_some() | promotion.is_some(),
        Move::EnPassant { .. } => true,
        Move::Castle { .. } | Move::Put { .. } => false,
    }
}

/// Returns the role of the piece on `square`.
///
/// Branch-free: assembles the role (pawn 1 to king 6) from three bits. shakmaty's `Board::role_at` tests one bitboard
/// after the other, which causes branch mispredictions.
#[inline]
#[must_use]
pub fn role_at(board: &Board, square: Square) -> Option<Role> {
    let bit = |set: Bitboard| (set.0 >> square as u32 & 1) as u8;
    let odd = bit(board.pawns() | board.bishops() | board.queens());
    let second = bit(board.knights() | board.bishops() | board.kings());
    let third = bit(board.rooks() | board.queens() | board.kings());
    Role::try_from(odd | second << 1 | third << 2).ok()
}

/// Squares attacked by the opponent of the side to move, by value of the attacking pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Threats {
    /// Squares attacked by any piece.
    pub all: Bitboard,
    /// Squares attacked by pawns; by pawns and minor pieces; by pawns, minor pieces and rooks; empty.
    by_lesser: [Bitboard; 4],
}

impl Threats {
    /// No attacked squares: not computed.
    pub const NONE: Self = Self { all: Bitboard::EMPTY, by_lesser: [Bitboard::EMPTY; 4] };

    /// Returns all attacked squares, or `None` for [`Self::NONE`].
    ///
    /// Computed threats are never empty, because a king always attacks some square.
    #[must_use]
    pub fn attacked_squares(&self) -> Option<Bitboard> {
        self.all.any().then_some(self.all)
    }

    /// Computes the threats against the side to move.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        Self::on_board(position.board(), !position.turn(), position.board().occupied())
    }

    /// Computes the threats by `them`; `occupied` are the squares that block sliders.
    #[inline(always)]
    fn on_board(board: &Board, them: Color, occupied: Bitboard) -> Self {
        let enemies = board.by_color(them);
        let pawns = enemies & board.pawns();
        let toward_a = Bitboard(!0x0101_0101_0101_0101) & pawns;
        let toward_h = Bitboard(!0x8080_8080_8080_8080) & pawns;
        let by_pawns = Bitboard(them.fold_wb(toward_a.0 << 7 | toward_h.0 << 9, toward_a.0 >> 9 | toward_h.0 >> 7));
        let add_attacks = |mut attacked: Bitboard, role: Role| {
            for from in enemies & board.by_role(role) {
                attacked |= piece_attacks(from, role.of(them), occupied);
            }
            attacked
        };
        let by_minors = add_attacks(add_attacks(by_pawns, Role::Knight), Role::Bishop);
        let by_rooks = add_attacks(by_minors, Role::Rook);
        let all = add_attacks(add_attacks(by_rooks, Role::Queen), Role::King);
        Self { all, by_lesser: [by_pawns, by_minors, by_rooks, Bitboard::EMPTY] }
    }

    /// Returns whether the opponent may be able to capture a piece that moves from `from` to `to`.
    ///
    /// Conservative, except for en passant, which SEE ignores: any other capture requires that `to` is attacked before
    /// the move, or that the move opens the line of a slider that attacks `from`.
    #[must_use]
    #[inline]
    pub fn can_recapture(&self, from: Square, to: Square) -> bool {
        self.all.contains(from) || self.all.contains(to)
    }

    /// Returns the squares attacked by a piece of less value than this role; none for pawns and kings.
    #[must_use]
    pub fn by_lesser(&self, role: Role) -> Bitboard {
        // Index into `by_lesser`; pawn and king map to the empty set.
        const LESSER: [usize; 6] = [3, 0, 0, 1, 2, 3];
        self.by_lesser[LESSER[role as usize - 1]]
    }

    /// Returns whether a less valuable piece attacks a piece of the side to move.
    #[must_use]
    pub fn any_piece_threatened(&self, position: &Position) -> bool {
        let board = position.board();
        let [by_pawns, by_minors, by_rooks, _] = self.by_lesser;
        let threatened =
            by_pawns & (board.knights() | board.bishops()) | by_minors & board.rooks() | by_rooks & board.queens();
        (threatened & board.by_color(position.turn())).any()
    }
}

/// Returns whether the move pushes a passed pawn to its sixth or seventh rank, without a capture.
#[must_use]
pub fn is_advanced_passed_pawn(position: &Position, m: Move) -> bool {
    let Move::Normal { role: Role::Pawn, to, capture: None, promotion: None, .. } = m else { return false };
    let us = position.turn();
    // The files of the pawn and next to it, and the ranks ahead of it.
    let file = 0x0101_0101_0101_0101_u64 << (to as u32 % 8);
    let files = file | file << 1 & !0x0101_0101_0101_0101 | file >> 1 & !0x8080_8080_8080_8080;
    let (rank, ahead) =
        us.fold_wb((to as u32 / 8, !0 << (to as u32 & 56) << 8), (7 - to as u32 / 8, !(!0 << (to as u32 & 56))));
    let enemies = position.board().pawns() & position.board().by_color(!us);
    rank >= 5 && (enemies & Bitboard(files & ahead)).is_empty()
}

/// Pinned pieces of the side to move.
fn pinned_pieces(position: &Chess, king: Square) -> Bitboard {
    slider_checkers_and_pinned(position.board(), king, position.turn()).1
}

/// Sliders that give check to the king of `us` on `king`, and the pieces of `us` that are pinned.
#[inline]
fn slider_checkers_and_pinned(board: &Board, king: Square, us: Color) -> (Bitboard, Bitboard) {
    let (ours, enemies) = (board.by_color(us), board.by_color(!us));
    // Blocked by enemy pieces only: excludes most sliders that neither give check nor pin.
    let rooks = attacks::rook_attacks(king, enemies) & board.rooks_and_queens();
    let bishops = attacks::bishop_attacks(king, enemies) & board.bishops_and_queens();
    let (mut checkers, mut pinned) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for slider in (rooks | bishops) & enemies {
        let blockers = attacks::between(king, slider) & ours;
        if blockers.is_empty() {
            checkers.add(slider);
        } else if !blockers.more_than_one() {
            pinned |= blockers;
        }
    }
    (checkers, pinned)
}

/// Returns whether `to` is not attacked once the king of the side to move has left `king`.
fn king_is_safe(position: &Chess, king: Square, to: Square) -> bool {
    let board = position.board();
    board.attacks_to(to, !position.turn(), board.occupied().without(king)).is_empty()
}

/// Receiver of generated moves: the targets of one piece come as a bitboard.
///
/// Counting needs no iteration over targets, and scoring computes what does not depend on the target once per piece.
pub trait MoveSink {
    /// Moves of a piece other than a pawn.
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard);
    /// Captures by a pawn; each target on the last rank stands for four promotions.
    fn pawn_captures(&mut self, from: Square, targets: Bitboard);
    /// Pawn pushes, each from `target - step`; each target on the last rank stands for four promotions.
    fn pushes(&mut self, targets: Bitboard, step: i32);
    /// Single move: en passant, castling or a move out of check.
    fn single(&mut self, m: Move);
}

/// Promotion roles in the order of generation when not in check: queen and knight first.
pub const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

/// Calls `each` with the moves of a pawn between two squares: one move, or four promotions.
#[inline(always)]
pub fn pawn_moves(from: Square, capture: Option<Role>, to: Square, mut each: impl FnMut(Move)) {
    let mut push = |promotion| each(Move::Normal { role: Role::Pawn, from, capture, to, promotion });
    if Bitboard::BACKRANKS.contains(to) {
        PROMOTIONS.into_iter().for_each(|role| push(Some(role)));
    } else {
        push(None);
    }
}

/// Sink that calls a function with each move.
struct ForEach<'a, F> {
    board: &'a Board,
    each: F,
}

impl<F: FnMut(Move)> MoveSink for ForEach<'_, F> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            (self.each)(Move::Normal { role, from, capture: role_at(self.board, to), to, promotion: None });
        }
    }

    fn pawn_captures(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            pawn_moves(from, role_at(self.board, to), to, &mut self.each);
        }
    }

    fn pushes(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            if let Some(from) = to.offset(-step) {
                pawn_moves(from, None, to, &mut self.each);
            }
        }
    }

    fn single(&mut self, m: Move) {
        (self.each)(m);
    }
}

#[must_use]
pub fn legal_moves(position: &Chess) -> MoveList {
    let mut moves = MoveList::new();
    let mut sink = ForEach { board: position.board(), each: |m| moves.push(m) };
    generate_moves(position, position.checkers(), GenType::All, None, &mut sink);
    moves
}

/// Calls `each` with every legal move of this type.
pub fn generate(position: &Position, gen_type: GenType, each: impl FnMut(Move)) {
    generate_into(position, gen_type, None, &mut ForEach { board: position.board(), each });
}

/// Passes every legal move of this type to `sink`.
///
/// `attacked`: all squares that the opponent attacks in this position, if computed. It replaces a legality test of
/// each king move.
pub fn generate_into(position: &Position, gen_type: GenType, attacked: Option<Bitboard>, sink: &mut impl MoveSink) {
    debug_assert!(attacked.is_none_or(|squares| squares == Threats::of(position).all), "threats of another position");
    generate_moves(position.chess(), position.checkers(), gen_type, attacked, sink);
}

/// Returns the number of legal moves, without generating them.
#[must_use]
pub fn count(position: &Chess) -> u64 {
    // Compiled once per color.
    match position.turn() {
        Color::White => count_moves(position, Color::White),
        Color::Black => count_moves(position, Color::Black),
    }
}

#[inline(always)]
fn count_moves(position: &Chess, us: Color) -> u64 {
    let board = position.board();
    let Some(king) = board.king_of(us) else { return 0 };
    let (ours, enemies, occupied) = (board.by_color(us), board.by_color(!us), board.occupied());

    let (slider_checkers, pinned) = slider_checkers_and_pinned(board, king, us);
    let pawn_checkers = attacks::pawn_attacks(us, king) & board.pawns();
    let checkers = slider_checkers | (pawn_checkers | attacks::knight_attacks(king) & board.knights()) & enemies;
    let targets = if checkers.is_empty() {
        !ours
    } else if let Some(checker) = checkers.single_square() {
        attacks::between(king, checker).with(checker)
    } else {
        Bitboard::EMPTY
    };

    let pawn_targets = |pawns: Bitboard| {
        let forward = us.fold_wb(8, -8);
        let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
        let single = pawns.shift(forward) & !occupied;
        let double = (single & third).shift(forward) & !occupied;
        let toward_a = pawns.without(Bitboard::from_file(shakmaty::File::A)).shift(us.fold_wb(7, -9));
        let toward_h = pawns.without(Bitboard::from_file(shakmaty::File::H)).shift(us.fold_wb(9, -7));
        // Pushes and captures in one direction have no target in common.
        ((single | double | toward_a & enemies) & targets, toward_h & enemies & targets)
    };
    let pawn_count = |(a, b): (Bitboard, Bitboard)| {
        let promotions = |targets: Bitboard| 3 * (targets & Bitboard::BACKRANKS).count();
        let promoting = ((a | b) & Bitboard::BACKRANKS).any();
        a.count() + b.count() + if promoting { promotions(a) + promotions(b) } else { 0 }
    };
    let mut count = pawn_count(pawn_targets(board.pawns() & ours & !pinned));
    // A pinned knight has no legal moves.
    for from in board.knights() & ours & !pinned {
        count += (attacks::knight_attacks(from) & targets).count();
    }
    for from in board.bishops_and_queens() & ours & !pinned {
        count += (attacks::bishop_attacks(from, occupied) & targets).count();
    }
    for from in board.rooks_and_queens() & ours & !pinned {
        count += (attacks::rook_attacks(from, occupied) & targets).count();
    }
    // In check, a pinned piece cannot move: two lines through the king share no other square.
    if checkers.is_empty() {
        for from in pinned & !board.knights() {
            let line = attacks::ray(king, from);
            if board.pawns().contains(from) {
                let (a, b) = pawn_targets(Bitboard::from_square(from));
                count += pawn_count((a & line, b & line));
            }
            if board.bishops_and_queens().contains(from) {
                count += (attacks::bishop_attacks(from, occupied) & targets & line).count();
            }
            if board.rooks_and_queens().contains(from) {
                count += (attacks::rook_attacks(from, occupied) & targets & line).count();
            }
        }
    }
    en_passant_moves(position, king, |_| count += 1);

    let reach = attacks::king_attacks(king) & !ours;
    let castles = position.castles();
    let is_open = |side| castles.has(us, side) && (castles.path(us, side) & occupied).is_empty();
    let can_castle = checkers.is_empty() && CastlingSide::ALL.into_iter().any(is_open);
    if reach.any() || can_castle {
        let attacked = Threats::on_board(board, !us, occupied.without(king)).all;
        count += (reach & !attacked).count();
        if can_castle {
            castling_moves(position, king, pinned, |path| (path & attacked).is_empty(), |_| count += 1);
        }
    }
    count as u64
}

/// Calls `each` with the legal en passant captures.
fn en_passant_moves(position: &Chess, king: Square, mut each: impl FnMut(Move)) {
    let Some(to) = position.maybe_ep_square() else { return };
    let (board, us) = (position.board(), position.turn());
    for from in board.pawns() & board.by_color(us) & attacks::pawn_attacks(!us, to) {
        let captured = Square::from_coords(to.file(), from.rank());
        let occupied = board.occupied().without(from).without(captured).with(to);
        if board.attacks_to(king, !us, occupied).without(captured).is_empty() {
            each(Move::EnPassant { from, to });
        }
    }
}

/// Calls `each` with the legal castling moves of a side that is not in check.
///
/// `is_safe`: whether none of these squares, which the king crosses, is attacked.
#[inline(always)]
fn castling_moves(
    position: &Chess,
    king: Square,
    pinned: Bitboard,
    is_safe: impl Fn(Bitboard) -> bool,
    mut each: impl FnMut(Move),
) {
    let (castles, us, occupied) = (position.castles(), position.turn(), position.board().occupied());
    for side in CastlingSide::ALL {
        if let Some(rook) = castles.rook(us, side)
            && (castles.path(us, side) & occupied).is_empty()
            // In Chess960 the rook may shield the king from a slider on the first rank.
            && !pinned.contains(rook)
            && is_safe(attacks::between(king, side.king_to(us)).with(side.king_to(us)))
        {
            each(Move::Castle { king, rook });
        }
    }
}

fn generate_moves(
    position: &Chess,
    checkers: Bitboard,
    gen_type: GenType,
    attacked: Option<Bitboard>,
    sink: &mut impl MoveSink,
) {
    let (board, us) = (position.board(), position.turn());
    let Some(king) = board.king_of(us) else { return };
    let occupied = board.occupied();
    let targets = match gen_type {
        GenType::Noisy => board.by_color(!us),
        GenType::Quiet => !occupied,
        GenType::All => !board.by_color(us),
    };
    if checkers.any() {
        return evasions(position, (king, checkers), gen_type, targets, |m| sink.single(m));
    }
    let pinned = pinned_pieces(position, king);

    let ours = board.by_color(us);
    let pawns = board.pawns() & ours;
    let forward = us.fold_wb(8, -8);
    // A pinned pawn on the king's file is pinned along that file, so a push keeps it on the line.
    let single = (pawns & (!pinned | Bitboard::from_file(king.file()))).shift(forward) & !occupied;
    if gen_type != GenType::Quiet {
        pawn_captures(position, king, pinned, sink);
        sink.pushes(single & Bitboard::BACKRANKS, forward);
        en_passant_moves(position, king, |m| sink.single(m));
    }
    if gen_type != GenType::Noisy {
        let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
        sink.pushes(single & !Bitboard::BACKRANKS, forward);
        sink.pushes((single & third).shift(forward) & !occupied, 2 * forward);
    }
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in board.by_role(role) & ours {
            // The line of a pin contains no target of a knight.
            let reach = targets
                & match role {
                    Role::Knight => attacks::knight_attacks(from),
                    Role::Bishop => attacks::bishop_attacks(from, occupied),
                    Role::Rook => attacks::rook_attacks(from, occupied),
                    _ => attacks::queen_attacks(from, occupied),
                };
            sink.piece(role, from, if pinned.contains(from) { reach & attacks::ray(king, from) } else { reach });
        }
    }
    let reach = attacks::king_attacks(king) & targets;
    let safe = match attacked {
        // Not in check: no slider attacks through the king, so its current attacks are exact.
        Some(attacked) => reach & !attacked,
        None => reach.into_iter().filter(|&to| king_is_safe(position, king, to)).collect(),
    };
    sink.piece(Role::King, king, safe);
    if gen_type != GenType::Noisy {
        let is_safe = |path: Bitboard| match attacked {
            Some(attacked) => (path & attacked).is_empty(),
            None => path.into_iter().all(|square| king_is_safe(position, king, square)),
        };
        castling_moves(position, king, pinned, is_safe, |m| sink.single(m));
    }
}

/// Generates evasions: king moves and, with a single checker, its captures and interpositions.
///
/// A pinned piece can do neither: two lines through the king share no other square. The order is that of shakmaty's
/// generator; it matters, because among moves of equal score the first generated is searched first.
fn evasions(
    position: &Chess,
    (king, checkers): (Square, Bitboard),
    gen_type: GenType,
    targets: Bitboard,
    mut each: impl FnMut(Move),
) {
    let (board, us, occupied) = (position.board(), position.turn(), position.board().occupied());
    let normal = |role, from, to, promotion| Move::Normal { role, from, capture: role_at(board, to), to, promotion };
    if gen_type != GenType::Quiet {
        en_passant_moves(position, king, &mut each);
    }
    for to in attacks::king_attacks(king) & targets {
        if king_is_safe(position, king, to) {
            each(normal(Role::King, king, to, None));
        }
    }
    let Some(checker) = checkers.single_square() else { return };
    let between = attacks::between(king, checker);
    let unpinned = board.by_color(us) & !pinned_pieces(position, king);
    let pawns = board.pawns() & unpinned;
    let mut pawn = |from, to| {
        if !Bitboard::BACKRANKS.contains(to) {
            return each(normal(Role::Pawn, from, to, None));
        }
        for promoted in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            each(normal(Role::Pawn, from, to, Some(promoted)));
        }
    };
    if gen_type != GenType::Quiet {
        (attacks::pawn_attacks(!us, checker) & pawns).into_iter().rev().for_each(|from| pawn(from, checker));
    }
    let forward = us.fold_wb(8, -8);
    let single = pawns.shift(forward) & !occupied;
    let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
    let double = (single & third).shift(forward) & !occupied;
    let ranks = match gen_type {
        GenType::Noisy => Bitboard::BACKRANKS,
        GenType::Quiet => !Bitboard::BACKRANKS,
        GenType::All => Bitboard::FULL,
    };
    for (reach, step) in [(single, forward), (double, 2 * forward)] {
        for to in reach & between & ranks {
            if let Some(from) = to.offset(-step) {
                pawn(from, to);
            }
        }
    }
    let targets = targets & between.with(checker);
    if targets.is_empty() {
        return;
    }
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in board.by_role(role) & unpinned {
            for to in piece_attacks(from, role.of(us), occupied) & targets {
                each(normal(role, from, to, None));
            }
        }
    }
}

/// Generates captures by pawns; en passant is not included.
fn pawn_captures(position: &Chess, king: Square, pinned: Bitboard, sink: &mut impl MoveSink) {
    let (board, us) = (position.board(), position.turn());
    let enemies = board.by_color(!us);
    let near_enemy = enemies.shift(us.fold_wb(-8, 8));
    // Only pawns diagonally behind an enemy piece can capture.
    let beside = near_enemy.without(Bitboard::from_file(shakmaty::File::H)).shift(1)
        | near_enemy.without(Bitboard::from_file(shakmaty::File::A)).shift(-1);
    for from in board.pawns() & board.by_color(us) & beside {
        let reach = attacks::pawn_attacks(us, from) & enemies;
        sink.pawn_captures(from, if pinned.contains(from) { reach & attacks::ray(king, from) } else { reach });
    }
}

/// Move in 16 bits, as stored in the transposition table; 0 is no move.
///
/// From the low end: origin (6 bits), target (6), role of the promoted piece (4; 0 for none). Castling is encoded as
/// king takes rook, which covers Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PackedMove(pub u16);

impl PackedMove {
    pub const NONE: Self = Self(0);

    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Returns the corresponding legal move, or `None`: a TT entry may belong to another position.
    #[must_use]
    pub fn unpack(self, position: &Position) -> Option<Move> {
        if !self.is_some() {
            return None;
        }
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from(self.0 >> 6 & 63));
        let promotion = match self.0 >> 12 {
            0 => None,
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Rook),
            5 => Some(Role::Queen),
            _ => return None,
        };
        legal_move(position, from, to, promotion)
    }
}

impl From<Move> for PackedMove {
    fn from(m: Move) -> Self {
        let from = m.from().map_or(0, |square| square as u16);
        let promotion = m.promotion().map_or(0, |role| role as u16);
        Self(from | (m.to() as u16) << 6 | promotion << 12)
    }
}

/// Returns whether `m`, which may come from another position, is legal and quiet in this one.
#[must_use]
pub fn is_legal_quiet(position: &Position, m: Move) -> bool {
    !is_noisy(m) && m.from().is_some_and(|from| legal_move(position, from, m.to(), None) == Some(m))
}

/// Returns the legal move with these squares, without generating all moves.
fn legal_move(position: &Position, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let (board, us) = (position.board(), position.turn());
    let ours = board.by_color(us);
    if !ours.contains(from) {
        return None;
    }
    let role = role_at(board, from)?;
    if ours.contains(to) {
        // Only castling (king takes rook) has an own piece on its target square.
        if role != Role::King || promotion.is_some() || position.in_check() {
            return None;
        }
        let side = CastlingSide::from_queen_side(to < from);
        return position.chess().castling_moves(side).into_iter().find(|m| m.to() == to);
    }
    let capture = role_at(board, to);
    let m = Move::Normal { role, from, capture, to, promotion };
    let king = board.king_of(us)?;
    let occupied = board.occupied();
    let is_pseudo_legal = match role {
        Role::Pawn => {
            if Bitboard::BACKRANKS.contains(to) != promotion.is_some() {
                return None;
            }
            if attacks::pawn_attacks(us, from).contains(to) {
                if capture.is_none() {
                    let list = position.chess().en_passant_moves();
                    return list.into_iter().find(|&e| e == Move::EnPassant { from, to });
                }
                true
            } else {
                pawn_pushes(us, from, occupied).contains(to)
            }
        }
        Role::Knight => attacks::knight_attacks(from).contains(to),
        Role::Bishop => attacks::bishop_attacks(from, occupied).contains(to),
        Role::Rook => attacks::rook_attacks(from, occupied).contains(to),
        Role::Queen => attacks::queen_attacks(from, occupied).contains(to),
        Role::King => {
            return (promotion.is_none()
                && attacks::king_attacks(from).contains(to)
                && king_is_safe(position.chess(), king, to))
            .then_some(m);
        }
    };
    if !is_pseudo_legal || (role != Role::Pawn && promotion.is_some()) {
        return None;
    }
    let is_pinned = || pinned_pieces(position.chess(), king).contains(from);
    let legal = if position.in_check() {
        let captures_or_blocks = |checker| attacks::between(king, checker).with(checker).contains(to);
        position.checkers().single_square().is_some_and(captures_or_blocks) && !is_pinned()
    } else {
        !is_pinned() || attacks::aligned(king, from, to)
    };
    legal.then_some(m)
}

fn pawn_pushes(us: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let forward = us.fold_wb(8, -8);
    let single = Bitboard::from_square(from).shift(forward) & !occupied;
    if from.rank() == us.fold_wb(Rank::Second, Rank::Seventh) {
        single | (single.shift(forward) & !occupied)
    } else {
        single
    }
}

/// [`attacks::attacks`], but inlined: without link-time optimization, that function is not.
#[inline(always)]
fn piece_attacks(from: Square, piece: Piece, occupied: Bitboard) -> Bitboard {
    match piece.role {
        Role::Pawn => attacks::pawn_attacks(piece.color, from),
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        Role::Queen => attacks::queen_attacks(from, occupied),
        Role::King => attacks::king_attacks(from),
    }
}

#[must_use]
pub fn gives_check(position: &Position, m: Move) -> bool {
    let (board, us) = (position.board(), position.turn());
    let Some(their_king) = board.king_of(!us) else { return false };
    match m {
        Move::Normal { role, from, to, promotion, .. } => {
            let occupied = board.occupied().without(from).with(to);
            piece_attacks(to, promotion.unwrap_or(role).of(us), occupied).contains(their_king)
                || is_discovered_check(board, us, their_king, occupied, Bitboard::from_square(from))
        }
        Move::EnPassant { from, to } => {
            let captured = Square::from_coords(to.file(), from.rank());
            let occupied = board.occupied().without(from).without(captured).with(to);
            attacks::pawn_attacks(us, to).contains(their_king)
                || is_discovered_check(board, us, their_king, occupied, Bitboard::from_square(from))
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            let occupied = board.occupied().without(king).without(rook).with(side.king_to(us)).with(side.rook_to(us));
            attacks::rook_attacks(side.rook_to(us), occupied).contains(their_king)
                || is_discovered_check(board, us, their_king, occupied, Bitboard::from_square(rook))
        }
        Move::Put { .. } => false,
    }
}

/// Returns whether a slider of `us` attacks `king` with this occupancy, ignoring pieces on `moved`.
fn is_discovered_check(board: &Board, us: Color, king: Square, occupied: Bitboard, moved: Bitboard) -> bool {
    let ours = board.by_color(us) & !moved;
    (attacks::rook_attacks(king, occupied) & board.rooks_and_queens() & ours).any()
        || (attacks::bishop_attacks(king, occupied) & board.bishops_and_queens() & ours).any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::see::see_value;
    use crate::board::tests::positions;

    fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        let mut v: Vec<String> = moves.into_iter().map(|m| format!("{m:?}")).collect();
        v.sort();
        v
    }

    #[test]
    fn generated_moves_match_shakmaty_by_type() {
        for position in positions(6) {
            let legal = position.chess().legal_moves();
            for gen_type in [GenType::Noisy, GenType::Quiet, GenType::All] {
                let expected = sorted(
                    legal
                        .iter()
                        .copied()
                        .filter(|&m| gen_type == GenType::All || is_noisy(m) == (gen_type == GenType::Noisy)),
                );
                for attacked in [None, Some(Threats::of(&position).all)] {
                    let mut generated = Vec::new();
                    let mut sink = ForEach { board: position.board(), each: |m| generated.push(m) };
                    generate_into(&position, gen_type, attacked, &mut sink);
                    assert_eq!(sorted(generated), expected, "{gen_type:?} {position:?}");
                }
            }
        }
    }

    #[test]
    fn count_matches_shakmaty() {
        for position in positions(12) {
            assert_eq!(count(position.chess()), position.chess().legal_moves().len() as u64, "{position:?}");
        }
    }

    #[test]
    fn packed_move_unpacks_only_if_legal() {
        // Pinned pieces in positions with a check are rare; test more of these positions.
        let pinned_in_check = |position: &Position| {
            position.in_check()
                && position
                    .board()
                    .king_of(position.turn())
                    .is_some_and(|king| pinned_pieces(position.chess(), king).any())
        };
        let rare: Vec<Position> = positions(30).into_iter().filter(pinned_in_check).collect();
        assert!(rare.len() > 50, "{}", rare.len());
        for position in positions(1).into_iter().chain(rare) {
            let mut legal = vec![None; 1 << 16];
            for m in position.chess().legal_moves() {
                let PackedMove(bits) = m.into();
                legal[usize::from(bits)] = Some(m);
            }
            for bits in 0..=u16::MAX {
                // a1a1 is encoded as 0, "no move"; it is never legal.
                assert_eq!(PackedMove(bits).unpack(&position), legal[usize::from(bits)], "{bits:#06x} {position:?}");
            }
        }
    }

    #[test]
    fn gives_check_agrees_with_making_the_move() {
        for position in positions(12) {
            for m in position.chess().legal_moves() {
                assert_eq!(gives_check(&position, m), position.play(m).in_check(), "{m:?} {position:?}");
            }
        }
    }

    #[test]
    fn threats_match_attacks_of_each_square() {
        for position in positions(20) {
            let (board, them) = (position.board(), !position.turn());
            let attackers = |square: Square| board.attacks_to(square, them, board.occupied());
            let (threats, squares) = (Threats::of(&position), Square::ALL);
            assert_eq!(threats.all, squares.into_iter().filter(|&to| attackers(to).any()).collect(), "{position:?}");
            for role in Role::ALL {
                let lesser = |&from: &Square| {
                    let attacker = board.role_at(from).map_or(0, see_value);
                    // Knight and bishop count as equal here, although their SEE values differ.
                    attacker < see_value(role) && !(role == Role::Bishop && attacker == see_value(Role::Knight))
                };
                let expected = squares.into_iter().filter(|&to| attackers(to).into_iter().any(|from| lesser(&from)));
                let expected = if role == Role::King { Bitboard::EMPTY } else { expected.collect() };
                assert_eq!(threats.by_lesser(role), expected, "{role:?} {position:?}");
            }
        }
    }

    #[test]
    fn any_piece_threatened_agrees_with_the_threats_of_each_piece() {
        let mut threatened = 0;
        for position in positions(20) {
            let (board, us) = (position.board(), position.turn());
            let threats = Threats::of(&position);
            let pieces = board.by_color(us) & (board.knights() | board.bishops() | board.rooks() | board.queens());
            let expected =
                pieces.into_iter().any(|square| threats.by_lesser(board.role_at(square).unwrap()).contains(square));
            assert_eq!(threats.any_piece_threatened(&position), expected, "{position:?}");
            threatened += i32::from(expected);
        }
        assert!(threatened > 100, "{threatened}");
    }

    #[test]
    fn advanced_passed_pawns_have_no_enemy_pawn_ahead() {
        let mut advanced = 0;
        for position in positions(20) {
            let (us, board) = (position.turn(), position.board());
            let rank = |square: Square| us.fold_wb(square.rank() as i32, 7 - square.rank() as i32);
            for m in position.chess().legal_moves() {
                let to = m.to();
                let is_push = m.role() == Role::Pawn && !is_noisy(m);
                let enemy_ahead = (board.pawns() & board.by_color(!us))
                    .into_iter()
                    .any(|enemy| (enemy.file() as i32 - to.file() as i32).abs() <= 1 && rank(enemy) > rank(to));
                let expected = is_push && [5, 6].contains(&rank(to)) && !enemy_ahead;
                assert_eq!(is_advanced_passed_pawn(&position, m), expected, "{m:?} {position:?}");
                advanced += i32::from(expected);
            }
        }
        assert!(advanced > 50, "{advanced}");
    }
}
