//! What a search needs from move generation and shakmaty does not offer, over its public attack tables:
//! noisy and quiet moves apart, a packed move and its legality, the static exchange evaluation, and
//! whether a move gives check.
//!
//! `shakmaty::legal_moves` makes all moves at once. A node that cuts off at its first capture needs only
//! the captures, and a node that cuts off at the table's move needs only to know that this move is legal.
//! In check only moves of the king, captures of the man that checks and moves between are made. Everything here is tested against
//! shakmaty's list or a slow, obvious oracle.
//! <https://www.chessprogramming.org/Move_Generation>

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Move, Position as _, Rank, Role, Square, attacks};

use crate::board::position::Position;

/// Which moves to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Captures and promotions.
    Noisy,
    /// All others.
    Quiet,
    /// All moves.
    All,
}

impl Kind {
    /// Is this move of the kind?
    #[must_use]
    pub fn includes(self, m: Move) -> bool {
        match self {
            Self::Noisy => is_noisy(m),
            Self::Quiet => !is_noisy(m),
            Self::All => true,
        }
    }
}

/// Captures and promotions change the material; everything else is quiet.
#[must_use]
pub fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}

/// What stands on a square. The board looks into one set after the other, and where it stops nobody can foretell; here the
/// sets are read all at once: a role's number, from pawn 1 to king 6, is three bits.
#[inline]
#[must_use]
pub fn role_at(board: &Board, square: Square) -> Option<Role> {
    let bit = |set: Bitboard| (set.0 >> square as u32 & 1) as u8;
    let odd = bit(board.pawns() | board.bishops() | board.queens());
    let second = bit(board.knights() | board.bishops() | board.kings());
    let third = bit(board.rooks() | board.queens() | board.kings());
    Role::try_from(odd | second << 1 | third << 2).ok()
}

/// The squares that the opponent of the side to move attacks, and with what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Threats {
    /// By any man.
    pub all: Bitboard,
    /// By pawns; by pawns, knights and bishops; by all these and rooks; by nobody.
    by_lesser: [Bitboard; 4],
}

impl Threats {
    /// No square.
    pub const NONE: Self = Self { all: Bitboard::EMPTY, by_lesser: [Bitboard::EMPTY; 4] };

    /// What any man attacks, `None` if nobody has looked: wherever their king stands, it attacks something.
    #[must_use]
    pub fn known(&self) -> Option<Bitboard> {
        self.all.any().then_some(self.all)
    }

    /// The threats against the side to move.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let (board, them) = (position.board(), !position.turn());
        let (men, occupied) = (board.by_color(them), board.occupied());
        let pawns = men & board.pawns();
        let toward_a = Bitboard(!0x0101_0101_0101_0101) & pawns;
        let toward_h = Bitboard(!0x8080_8080_8080_8080) & pawns;
        let by_pawns = Bitboard(them.fold_wb(toward_a.0 << 7 | toward_h.0 << 9, toward_a.0 >> 9 | toward_h.0 >> 7));
        let reach = |reached: Bitboard, role: Role| {
            let of_role = men & board.by_role(role);
            of_role.into_iter().fold(reached, |all, from| all | attacks::attacks(from, role.of(them), occupied))
        };
        let by_minors = reach(reach(by_pawns, Role::Knight), Role::Bishop);
        let by_rooks = reach(by_minors, Role::Rook);
        let all = reach(reach(by_rooks, Role::Queen), Role::King);
        Self { all, by_lesser: [by_pawns, by_minors, by_rooks, Bitboard::EMPTY] }
    }

    /// May the opponent capture a man that moves between these squares? Not on a square that nobody attacks, unless
    /// the line of a slider to it opens when the man leaves the square before it.
    #[must_use]
    #[inline]
    pub fn may_answer(&self, from: Square, to: Square) -> bool {
        self.all.contains(from) || self.all.contains(to)
    }

    /// Where a man that is worth less attacks one of this kind.
    #[must_use]
    pub fn by_lesser(&self, role: Role) -> Bitboard {
        /// From pawn to king, who have nobody to fear in this sense, an index each.
        const LESSER: [usize; 6] = [3, 0, 0, 1, 2, 3];
        self.by_lesser[LESSER[role as usize - 1]]
    }
}

/// Own men that may not leave the line to their king.
fn pinned(position: &Chess, king: Square) -> Bitboard {
    slider_blockers(position.board(), king, !position.turn()) & position.board().by_color(position.turn())
}

/// Men of either color that alone stand between `king` and a slider of `attacker`.
fn slider_blockers(board: &Board, king: Square, attacker: Color) -> Bitboard {
    let rooks = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let bishops = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut blockers = Bitboard::EMPTY;
    for sniper in (rooks | bishops) & board.by_color(attacker) {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            blockers |= between;
        }
    }
    blockers
}

/// May the king of the side to move stand on `to`, with the king itself lifted off the board?
fn king_is_safe(position: &Chess, king: Square, to: Square) -> bool {
    let board = position.board();
    board.attacks_to(to, !position.turn(), board.occupied().without(king)).is_empty()
}

/// Takes generated moves as they are found: the targets of one man as a set. Whoever wants only their number need not
/// look at each, and whoever ranks them has everything but the target settled once.
pub trait Sink {
    /// Moves of a piece (not a pawn).
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard);
    /// Captures of a pawn; on the last rank each is four promotions.
    fn pawn_captures(&mut self, from: Square, targets: Bitboard);
    /// Pushes of pawns, each from `step` squares before its target; on the last rank each is four promotions.
    fn pushes(&mut self, targets: Bitboard, step: i32);
    /// Any one move.
    fn single(&mut self, m: Move);
}

/// The roles a pawn can become, most valuable first among those that matter.
pub const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

/// The moves of a pawn between two squares: one, or four promotions.
#[inline(always)]
pub fn pawn_moves(from: Square, capture: Option<Role>, to: Square, mut each: impl FnMut(Move)) {
    let mut push = |promotion| each(Move::Normal { role: Role::Pawn, from, capture, to, promotion });
    if Bitboard::BACKRANKS.contains(to) {
        PROMOTIONS.into_iter().for_each(|role| push(Some(role)));
    } else {
        push(None);
    }
}

/// Calls a function with each move.
struct Each<'a, F> {
    board: &'a Board,
    each: F,
}

impl<F: FnMut(Move)> Sink for Each<'_, F> {
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

/// Counts moves without looking at them.
#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 += targets.count() as u64;
    }

    fn pawn_captures(&mut self, _: Square, targets: Bitboard) {
        self.0 += (targets.count() + 3 * (targets & Bitboard::BACKRANKS).count()) as u64;
    }

    fn pushes(&mut self, targets: Bitboard, _: i32) {
        self.0 += (targets.count() + 3 * (targets & Bitboard::BACKRANKS).count()) as u64;
    }

    fn single(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Calls `each` with every legal move of this kind.
pub fn generate(position: &Position, kind: Kind, each: impl FnMut(Move)) {
    generate_into(position, kind, None, &mut Each { board: position.board(), each });
}

/// Hands every legal move of this kind to the sink. `attacked`: all that the opponent attacks in this position, if that is
/// known; it saves asking for each square whether the king may go there.
pub fn generate_into(position: &Position, kind: Kind, attacked: Option<Bitboard>, sink: &mut impl Sink) {
    debug_assert!(attacked.is_none_or(|squares| squares == Threats::of(position).all), "threats of another position");
    moves_of(position.chess(), position.checkers(), kind, attacked, sink);
}

/// The number of legal moves.
#[must_use]
pub fn count(position: &Chess) -> u64 {
    let mut count = Count::default();
    moves_of(position, position.checkers(), Kind::All, None, &mut count);
    count.0
}

fn moves_of(position: &Chess, checkers: Bitboard, kind: Kind, attacked: Option<Bitboard>, sink: &mut impl Sink) {
    let (board, us) = (position.board(), position.turn());
    let Some(king) = board.king_of(us) else { return };
    let occupied = board.occupied();
    let targets = match kind {
        Kind::Noisy => board.by_color(!us),
        Kind::Quiet => !occupied,
        Kind::All => !board.by_color(us),
    };
    if checkers.any() {
        return evasions(position, (king, checkers), kind, targets, |m| sink.single(m));
    }
    let pinned = pinned(position, king);

    let ours = board.by_color(us);
    let pawns = board.pawns() & ours;
    let forward = us.fold_wb(8, -8);
    // On the king's file a pinned pawn can be pinned along that file only, and stays on it.
    let single = (pawns & (!pinned | Bitboard::from_file(king.file()))).shift(forward) & !occupied;
    if kind != Kind::Quiet {
        pawn_captures(position, king, pinned, sink);
        sink.pushes(single & Bitboard::BACKRANKS, forward);
        if position.maybe_ep_square().is_some() {
            position.en_passant_moves().into_iter().for_each(|m| sink.single(m));
        }
    }
    if kind != Kind::Noisy {
        let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
        sink.pushes(single & !Bitboard::BACKRANKS, forward);
        sink.pushes((single & third).shift(forward) & !occupied, 2 * forward);
    }
    // A pinned knight cannot stay on its line.
    for from in board.knights() & ours & !pinned {
        sink.piece(Role::Knight, from, attacks::knight_attacks(from) & targets);
    }
    for role in [Role::Bishop, Role::Rook, Role::Queen] {
        for from in board.by_role(role) & ours {
            let reach = targets
                & match role {
                    Role::Bishop => attacks::bishop_attacks(from, occupied),
                    Role::Rook => attacks::rook_attacks(from, occupied),
                    _ => attacks::queen_attacks(from, occupied),
                };
            sink.piece(role, from, if pinned.contains(from) { reach & attacks::ray(king, from) } else { reach });
        }
    }
    let reach = attacks::king_attacks(king) & targets;
    let safe = match attacked {
        // No line to the king is open, so none goes on behind it.
        Some(attacked) => reach & !attacked,
        None => reach.into_iter().filter(|&to| king_is_safe(position, king, to)).collect(),
    };
    sink.piece(Role::King, king, safe);
    if kind != Kind::Noisy {
        for side in CastlingSide::ALL {
            // Most of the time a man is in the way, which is seen without making a list.
            let castles = position.castles();
            if castles.has(us, side) && (castles.path(us, side) & occupied).is_empty() {
                position.castling_moves(side).into_iter().for_each(|m| sink.single(m));
            }
        }
    }
}

/// Moves out of check: the king's, and if one man alone gives it, captures of that man and moves between it and the king.
/// A pinned man can do neither, for two lines from the king have nothing but the king in common. All come in the order
/// in which shakmaty makes them: among equals the first made is searched first.
fn evasions(
    position: &Chess,
    (king, checkers): (Square, Bitboard),
    kind: Kind,
    targets: Bitboard,
    mut each: impl FnMut(Move),
) {
    let (board, us, occupied) = (position.board(), position.turn(), position.board().occupied());
    let normal = |role, from, to, promotion| Move::Normal { role, from, capture: role_at(board, to), to, promotion };
    if kind != Kind::Quiet && position.maybe_ep_square().is_some() {
        position.en_passant_moves().into_iter().for_each(&mut each);
    }
    for to in attacks::king_attacks(king) & targets {
        if king_is_safe(position, king, to) {
            each(normal(Role::King, king, to, None));
        }
    }
    let Some(checker) = checkers.single_square() else { return };
    let between = attacks::between(king, checker);
    let free = board.by_color(us) & !pinned(position, king);
    let pawns = board.pawns() & free;
    let mut pawn = |from, to| {
        if !Bitboard::BACKRANKS.contains(to) {
            return each(normal(Role::Pawn, from, to, None));
        }
        for promoted in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            each(normal(Role::Pawn, from, to, Some(promoted)));
        }
    };
    if kind != Kind::Quiet {
        (attacks::pawn_attacks(!us, checker) & pawns).into_iter().rev().for_each(|from| pawn(from, checker));
    }
    let forward = us.fold_wb(8, -8);
    let single = pawns.shift(forward) & !occupied;
    let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
    let double = (single & third).shift(forward) & !occupied;
    let ranks = match kind {
        Kind::Noisy => Bitboard::BACKRANKS,
        Kind::Quiet => !Bitboard::BACKRANKS,
        Kind::All => Bitboard::FULL,
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
        for from in board.by_role(role) & free {
            for to in attacks::attacks(from, role.of(us), occupied) & targets {
                each(normal(role, from, to, None));
            }
        }
    }
}

fn pawn_captures(position: &Chess, king: Square, pinned: Bitboard, sink: &mut impl Sink) {
    let (board, us) = (position.board(), position.turn());
    let enemies = board.by_color(!us);
    let near_enemy = enemies.shift(us.fold_wb(-8, 8));
    // Only pawns beside the square below an enemy can capture anything.
    let beside = near_enemy.without(Bitboard::from_file(shakmaty::File::H)).shift(1)
        | near_enemy.without(Bitboard::from_file(shakmaty::File::A)).shift(-1);
    for from in board.pawns() & board.by_color(us) & beside {
        let reach = attacks::pawn_attacks(us, from) & enemies;
        sink.pawn_captures(from, if pinned.contains(from) { reach & attacks::ray(king, from) } else { reach });
    }
}

/// A move in 16 bits, as the transposition table keeps it: from, to, promotion. `0` is no move. Castling
/// is king takes rook, so that Chess960 needs nothing more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PackedMove(pub u16);

impl PackedMove {
    /// No move.
    pub const NONE: Self = Self(0);

    /// Is there a move?
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Finds the legal move that this stands for, if there is one: a table entry may belong to another position.
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

/// Is this move, perhaps one of another position, legal and quiet here?
#[must_use]
pub fn is_legal_quiet(position: &Position, m: Move) -> bool {
    !is_noisy(m) && m.from().is_some_and(|from| legal_move(position, from, m.to(), None) == Some(m))
}

/// The legal move with these squares, without making the list of all moves.
fn legal_move(position: &Position, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let (board, us) = (position.board(), position.turn());
    let ours = board.by_color(us);
    if !ours.contains(from) {
        return None;
    }
    let role = role_at(board, from)?;
    if ours.contains(to) {
        // Only castling goes to an own man.
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
    let reaches = match role {
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
    if !reaches || (role != Role::Pawn && promotion.is_some()) {
        return None;
    }
    let pinned = || pinned(position.chess(), king).contains(from);
    let legal = if position.in_check() {
        let takes_or_blocks = |checker| attacks::between(king, checker).with(checker).contains(to);
        position.checkers().single_square().is_some_and(takes_or_blocks) && !pinned()
    } else {
        !pinned() || attacks::aligned(king, from, to)
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

/// Does the move give check?
#[must_use]
pub fn gives_check(position: &Position, m: Move) -> bool {
    let (board, us) = (position.board(), position.turn());
    let Some(their_king) = board.king_of(!us) else { return false };
    match m {
        Move::Normal { role, from, to, promotion, .. } => {
            let occupied = board.occupied().without(from).with(to);
            attacks::attacks(to, promotion.unwrap_or(role).of(us), occupied).contains(their_king)
                || uncovers(board, us, their_king, occupied, Bitboard::from_square(from))
        }
        Move::EnPassant { from, to } => {
            let captured = Square::from_coords(to.file(), from.rank());
            let occupied = board.occupied().without(from).without(captured).with(to);
            attacks::pawn_attacks(us, to).contains(their_king)
                || uncovers(board, us, their_king, occupied, Bitboard::from_square(from))
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            let occupied = board.occupied().without(king).without(rook).with(side.king_to(us)).with(side.rook_to(us));
            attacks::rook_attacks(side.rook_to(us), occupied).contains(their_king)
                || uncovers(board, us, their_king, occupied, Bitboard::from_square(rook))
        }
        Move::Put { .. } => false,
    }
}

/// Does a slider of `us`, other than the men that left `moved`, see the king through `occupied`?
fn uncovers(board: &Board, us: Color, king: Square, occupied: Bitboard, moved: Bitboard) -> bool {
    let ours = board.by_color(us) & !moved;
    (attacks::rook_attacks(king, occupied) & board.rooks_and_queens() & ours).any()
        || (attacks::bishop_attacks(king, occupied) & board.bishops_and_queens() & ours).any()
}

/// What a man counts in an exchange, in centipawns.
#[must_use]
pub const fn exchange_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 310,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 20_000,
    }
}

/// Static exchange evaluation: does the move win at least `threshold` centipawns if both sides go on
/// capturing on its target square, each with the least valuable man first and each free to stop? Pins
/// are not looked at; a king does not capture a defended man.
/// <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>
#[must_use]
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    let (from, to, mover) = match m {
        Move::Normal { from, to, role, promotion, .. } => (from, to, promotion.unwrap_or(role)),
        Move::EnPassant { from, to } => (from, to, Role::Pawn),
        // Nobody can capture a castled rook at a profit in one exchange: count castling as even.
        Move::Castle { .. } | Move::Put { .. } => return threshold <= 0,
    };
    let board = position.board();
    let gain = m.capture().map_or(0, exchange_value)
        + m.promotion().map_or(0, |role| exchange_value(role) - exchange_value(Role::Pawn));
    // `balance`: what the side that has just captured is ahead of its threshold if the exchange ends here.
    let mut balance = gain - threshold;
    if balance < 0 {
        return false;
    }
    // Even if the capturing man is lost for nothing, it is enough.
    balance -= exchange_value(mover);
    if balance >= 0 {
        return true;
    }
    let mut occupied = board.occupied().without(from).with(to);
    if m.is_en_passant() {
        occupied = occupied.without(Square::from_coords(to.file(), from.rank()));
    }
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut attackers = (attacks::king_attacks(to) & board.kings()
        | attacks::knight_attacks(to) & board.knights()
        | attacks::bishop_attacks(to, occupied) & diagonal
        | attacks::rook_attacks(to, occupied) & straight
        | attacks::pawn_attacks(Color::White, to) & board.pawns() & board.black()
        | attacks::pawn_attacks(Color::Black, to) & board.pawns() & board.white())
        & occupied;
    let mut side = !position.turn();
    loop {
        let ours = attackers & board.by_color(side);
        if ours.is_empty() {
            break;
        }
        let Some(role) = Role::ALL.into_iter().find(|&role| (ours & board.by_role(role)).any()) else { break };
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        side = !side;
        // The side that captured now stands at minus the other's balance, and may lose its man next.
        balance = -balance - 1 - exchange_value(role);
        if balance >= 0 {
            break;
        }
        occupied = occupied.without((ours & board.by_role(role)).isolate_first());
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        attackers &= occupied;
    }
    // Whoever is to capture and cannot (or will not) has lost the exchange.
    side != position.turn()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;

    /// Positions from random games: every castling, en passant, promotion, pin and check turns up.
    fn positions(games: usize) -> Vec<Position> {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        ];
        let mut random = fastrand::Rng::with_seed(11);
        let mut out = Vec::new();
        for start in starts {
            for _ in 0..games {
                let mut position = parse_fen(start).unwrap();
                for _ in 0..100 {
                    let moves = position.chess().legal_moves();
                    out.push(position.clone());
                    if moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[random.usize(..moves.len())]);
                }
            }
        }
        out
    }

    fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        let mut v: Vec<String> = moves.into_iter().map(|m| format!("{m:?}")).collect();
        v.sort();
        v
    }

    #[test]
    fn noisy_and_quiet_moves_are_the_legal_moves() {
        for position in positions(12) {
            let legal = position.chess().legal_moves();
            for kind in [Kind::Noisy, Kind::Quiet, Kind::All] {
                let theirs = sorted(legal.iter().copied().filter(|&m| kind.includes(m)));
                for attacked in [None, Some(Threats::of(&position).all)] {
                    let mut ours = Vec::new();
                    let mut sink = Each { board: position.board(), each: |m| ours.push(m) };
                    generate_into(&position, kind, attacked, &mut sink);
                    assert_eq!(sorted(ours), theirs, "{kind:?} {position:?}");
                }
            }
        }
    }

    #[test]
    fn moves_are_counted_without_looking_at_them() {
        for position in positions(12) {
            assert_eq!(count(position.chess()), position.chess().legal_moves().len() as u64, "{position:?}");
        }
    }

    #[test]
    fn a_packed_move_unpacks_where_it_is_legal_and_nowhere_else() {
        // Men that are pinned while another gives check come up seldom.
        let pinned_in_check = |position: &Position| {
            position.in_check()
                && position.board().king_of(position.turn()).is_some_and(|king| pinned(position.chess(), king).any())
        };
        let seldom: Vec<Position> = positions(30).into_iter().filter(pinned_in_check).collect();
        assert!(seldom.len() > 50, "{}", seldom.len());
        for position in positions(1).into_iter().chain(seldom) {
            let legal = position.chess().legal_moves();
            for bits in 0..=u16::MAX {
                let packed = PackedMove(bits);
                let expected = legal.iter().copied().find(|&m| PackedMove::from(m) == packed);
                // a1a1 would be 0, which is no move, and is never legal.
                assert_eq!(packed.unpack(&position), expected, "{bits:#06x} {position:?}");
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

    /// The exchange as a plain minimax over "capture with the least valuable man, or stop".
    fn exchange(board: &Board, to: Square, side: Color, standing: Role, occupied: Bitboard) -> i32 {
        let attackers = board.attacks_to(to, side, occupied) & occupied;
        let Some(role) = Role::ALL.into_iter().find(|&r| (attackers & board.by_role(r)).any()) else { return 0 };
        let from = (attackers & board.by_role(role)).first().unwrap();
        let rest = occupied.without(from);
        if role == Role::King && (board.attacks_to(to, !side, rest) & rest).any() {
            return 0;
        }
        (exchange_value(standing) - exchange(board, to, !side, role, rest)).max(0)
    }

    #[test]
    fn threats_are_the_attacked_squares() {
        for position in positions(20) {
            let (board, them) = (position.board(), !position.turn());
            let attackers = |square: Square| board.attacks_to(square, them, board.occupied());
            let (threats, squares) = (Threats::of(&position), Square::ALL);
            assert_eq!(threats.all, squares.into_iter().filter(|&to| attackers(to).any()).collect(), "{position:?}");
            for role in Role::ALL {
                let lesser = |&from: &Square| {
                    let attacker = board.role_at(from).map_or(0, exchange_value);
                    // A bishop is no lesser man than a knight, whatever the values say.
                    attacker < exchange_value(role)
                        && !(role == Role::Bishop && attacker == exchange_value(Role::Knight))
                };
                let wanted = squares.into_iter().filter(|&to| attackers(to).into_iter().any(|from| lesser(&from)));
                let wanted = if role == Role::King { Bitboard::EMPTY } else { wanted.collect() };
                assert_eq!(threats.by_lesser(role), wanted, "{role:?} {position:?}");
            }
        }
    }

    #[test]
    fn static_exchange_agrees_with_a_plain_minimax() {
        let mut seen = 0;
        for position in positions(12) {
            for m in position.chess().legal_moves() {
                let (Move::Normal { from, to, .. } | Move::EnPassant { from, to }) = m else { continue };
                let mut occupied = position.board().occupied().without(from).with(to);
                if m.is_en_passant() {
                    occupied = occupied.without(Square::from_coords(to.file(), from.rank()));
                }
                let standing = m.promotion().unwrap_or(m.role());
                let gain = m.capture().map_or(0, exchange_value)
                    + m.promotion().map_or(0, |r| exchange_value(r) - exchange_value(Role::Pawn));
                let value = gain - exchange(position.board(), to, !position.turn(), standing, occupied);
                for threshold in [value - 1, value, value + 1, 0, -100, 100] {
                    assert_eq!(
                        see_at_least(&position, m, threshold),
                        value >= threshold,
                        "{m:?} value {value} threshold {threshold} {position:?}"
                    );
                }
                seen += 1;
            }
        }
        assert!(seen > 10_000);
    }
}
