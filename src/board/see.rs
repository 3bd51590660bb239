//! Static exchange evaluation (SEE): what a move wins or loses in the exchanges on its target square.
//!
//! The search prunes and orders captures by it; see `search/pruning.rs` and `search/moves/picker.rs`.
//! <https://www.chessprogramming.org/Static_Exchange_Evaluation>

use shakmaty::{Color, Move, Position as _, Role, Square, attacks};

use crate::board::position::Position;

/// Piece value for SEE, in centipawns.
#[must_use]
pub const fn see_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 310,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 20_000,
    }
}

/// Static exchange evaluation (SEE): returns whether the move wins at least `threshold` centipawns.
///
/// Both sides capture on the target square with their least valuable attacker and may stop at any point. Pins
/// are ignored; a king does not capture a defended piece.
/// <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>
#[must_use]
#[inline]
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    let (from, to, mover) = match m {
        Move::Normal { from, to, role, promotion, .. } => (from, to, promotion.unwrap_or(role)),
        Move::EnPassant { from, to } => (from, to, Role::Pawn),
        // Castling counts as an even exchange.
        Move::Castle { .. } | Move::Put { .. } => return threshold <= 0,
    };
    let gain =
        m.capture().map_or(0, see_value) + m.promotion().map_or(0, |role| see_value(role) - see_value(Role::Pawn));
    // `balance`: gain over the threshold of the side that has just captured, if the exchange ends here.
    let mut balance = gain - threshold;
    if balance < 0 {
        return false;
    }
    // The threshold is met even if the capturing piece is lost without compensation.
    balance -= see_value(mover);
    if balance >= 0 {
        return true;
    }
    wins_exchange(position, m, from, to, balance)
}

/// Returns whether the side to move wins the exchanges on `to` after its move `m`.
///
/// `balance`: the gain over the threshold if the moved piece is lost, negative.
fn wins_exchange(position: &Position, m: Move, from: Square, to: Square, mut balance: i32) -> bool {
    let board = position.board();
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
        // Negamax: negate the balance; the capturing piece may be lost next. With a balance of 0 the threshold is met,
        // so the other side must win at least 1 more.
        balance = -balance - 1 - see_value(role);
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
    // `side` would capture next, but has no attacker left or cannot make up the balance: it loses the exchange.
    side != position.turn()
}

/// Returns whether a capture of the side to move wins material.
#[cold]
#[must_use]
pub fn wins_material(position: &Position) -> bool {
    position.chess().capture_moves().into_iter().any(|m| see_at_least(position, m, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::positions;
    use shakmaty::{Bitboard, Board};

    /// Reference SEE: minimax over "capture with the least valuable piece, or stop".
    fn see_minimax(board: &Board, to: Square, side: Color, target: Role, occupied: Bitboard) -> i32 {
        let attackers = board.attacks_to(to, side, occupied) & occupied;
        let Some(role) = Role::ALL.into_iter().find(|&r| (attackers & board.by_role(r)).any()) else { return 0 };
        let from = (attackers & board.by_role(role)).first().unwrap();
        let rest = occupied.without(from);
        if role == Role::King && (board.attacks_to(to, !side, rest) & rest).any() {
            return 0;
        }
        (see_value(target) - see_minimax(board, to, !side, role, rest)).max(0)
    }

    #[test]
    fn see_agrees_with_minimax() {
        let mut count = 0;
        for position in positions(12) {
            for m in position.chess().legal_moves() {
                let (Move::Normal { from, to, .. } | Move::EnPassant { from, to }) = m else { continue };
                let mut occupied = position.board().occupied().without(from).with(to);
                if m.is_en_passant() {
                    occupied = occupied.without(Square::from_coords(to.file(), from.rank()));
                }
                let target = m.promotion().unwrap_or(m.role());
                let gain = m.capture().map_or(0, see_value)
                    + m.promotion().map_or(0, |r| see_value(r) - see_value(Role::Pawn));
                let value = gain - see_minimax(position.board(), to, !position.turn(), target, occupied);
                for threshold in [value - 1, value, value + 1, 0, -100, 100] {
                    assert_eq!(
                        see_at_least(&position, m, threshold),
                        value >= threshold,
                        "{m:?} value {value} threshold {threshold} {position:?}"
                    );
                }
                count += 1;
            }
        }
        assert!(count > 10_000);
    }
}
