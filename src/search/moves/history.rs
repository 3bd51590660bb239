//! History heuristics: statistics of earlier nodes about moves and static evaluations.
//!
//! *Histories* score a move by how often it caused a cutoff and how often it was searched without one; move ordering,
//! reductions and pruning read them. An update moves a value toward its limit by an amount proportional to the
//! remaining distance ("history gravity"), so values never overflow and old results fade. *Correction histories* store
//! the error of the static evaluation in earlier positions with the same pawns, pieces or last moves.
//! <https://www.chessprogramming.org/History_Heuristic>,
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, Move, Role, Square};

use crate::board::movegen::Threats;
use crate::board::position::Position;
use crate::score::Score;
use crate::search::params::{
    CORRECTION_ERROR_DIVISOR, CORRECTION_LIMIT, CORRECTION_MAX_BONUS, CORRECTION_SCALE, DISTANT_HISTORY_DIVISOR,
    HISTORY_LIMIT, MAX_SEARCHED_MOVES, Params,
};

/// Entries per side of a correction history that is indexed by a key.
const CORRECTION_SIZE: usize = 1 << 14;

/// Index of the moved piece and its target square, `0..768`.
///
/// Castling is the king's move to the rook's square.
#[must_use]
#[inline(always)]
pub fn piece_to_index(us: Color, m: Move) -> usize {
    let (role, _, to) = role_from_to(m);
    piece_to(us, role, to)
}

/// Role, origin and target square of a move.
///
/// One match for nearly every move, where three accessors would each match again.
#[inline(always)]
fn role_from_to(m: Move) -> (Role, Square, Square) {
    match m {
        Move::Normal { role, from, to, .. } => (role, from, to),
        _ => (m.role(), m.from().unwrap_or(m.to()), m.to()),
    }
}

/// Index of a piece and a target square, `0..768`.
fn piece_to(us: Color, role: Role, to: Square) -> usize {
    (us as usize * 6 + role as usize - 1) * 64 + to as usize
}

/// Stands for "no move" (null move, or before the root); its entries are never updated.
pub const NO_PIECE_TO: usize = 768;

/// Adds `bonus` with history gravity; the result stays within `±limit`.
fn apply_gravity(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let v = i32::from(*value);
    *value = (v + bonus - v * bonus.abs() / limit) as i16;
}

/// The histories and correction histories of one search thread, about 3 MB.
#[derive(bytemuck::Zeroable)]
pub struct Histories {
    /// Butterfly history: by side, [`threat_index`], origin and target square.
    butterfly: [[[[i16; 64]; 64]; 4]; 2],
    /// Continuation history: by a move 1, 2 or 4 plies ago and the current one ([`piece_to`]).
    continuation: [[i16; 768]; 769],
    /// Capture history of noisy moves: by [`piece_to`] and captured role (0 for none).
    capture: [[i16; 7]; 768],
    /// Correction by side to move and pawn key.
    correction_pawn: [[i16; CORRECTION_SIZE]; 2],
    /// Correction by side to move, color of the pieces and their key.
    correction_non_pawn: [[[i16; CORRECTION_SIZE]; 2]; 2],
    /// Correction by side to move and key of knights, bishops and kings.
    correction_minor: [[i16; CORRECTION_SIZE]; 2],
    /// Correction by an earlier move (2 or 4 plies ago) and the last one, each as [`piece_to`].
    correction_continuation: [[i16; 769]; 769],
}

/// The context of the quiet and correction histories: the previous moves and the threats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContHistContext {
    /// The moves 1, 2 and 4 plies ago, as [`piece_to_index`].
    pub moves: [usize; 3],
    /// Squares attacked by the opponent.
    pub threats: Threats,
}

#[cfg(test)]
impl ContHistContext {
    /// No previous moves, no threats.
    pub const EMPTY: Self = Self { moves: [NO_PIECE_TO; 3], threats: Threats::NONE };
}

/// The searched moves of a node that did not raise alpha, for the history malus.
///
/// Moves beyond the capacity get none.
#[derive(Default)]
pub(in crate::search) struct SearchedMoves {
    pub(super) quiets: ArrayVec<Move, MAX_SEARCHED_MOVES>,
    pub(super) noisies: ArrayVec<Move, MAX_SEARCHED_MOVES>,
}

impl SearchedMoves {
    #[inline(always)]
    pub(in crate::search) fn push(&mut self, m: Move, quiet: bool) {
        let _ = if quiet { self.quiets.try_push(m) } else { self.noisies.try_push(m) };
    }
}

/// Index into the butterfly history, `0..4`: 2 if `from` is attacked, plus 1 if `to` is.
#[inline(always)]
fn threat_index(threats: Bitboard, from: usize, to: usize) -> usize {
    let attacked = |square: usize| (threats.0 >> square & 1) as usize;
    2 * attacked(from) + attacked(to)
}

/// The quiet histories as seen from one node; see [`Histories::quiet_history`].
pub struct QuietHistory<'a> {
    us: Color,
    threats: Bitboard,
    butterfly: &'a [[[i16; 64]; 64]; 4],
    continuation: [&'a [i16; 768]; 3],
}

impl QuietHistory<'_> {
    /// Returns the history score of a quiet move, within `±4 · HISTORY_LIMIT`.
    #[must_use]
    pub fn score(&self, m: Move) -> i32 {
        let (role, from, to) = role_from_to(m);
        self.for_role(role).score(from, to)
    }

    /// Returns the part for the moves of one role.
    #[inline(always)]
    #[must_use]
    pub fn for_role(&self, role: Role) -> PieceHistory<'_> {
        let piece = self.us as usize * 6 + role as usize - 1;
        let continuation = self.continuation.map(|row| &row.as_chunks::<64>().0[piece]);
        PieceHistory { threats: self.threats, butterfly: self.butterfly, continuation }
    }
}

/// The quiet histories as seen from one node, for the moves of one role.
pub struct PieceHistory<'a> {
    threats: Bitboard,
    butterfly: &'a [[[i16; 64]; 64]; 4],
    continuation: [&'a [i16; 64]; 3],
}

impl PieceHistory<'_> {
    /// Returns the history score of the move between these squares, within `±4 · HISTORY_LIMIT`.
    #[inline(always)]
    #[must_use]
    pub fn score(&self, from: Square, to: Square) -> i32 {
        let [one_ply_ago, two_plies_ago, four_plies_ago] = self.continuation.map(|row| i32::from(row[to as usize]));
        let index = threat_index(self.threats, from as usize, to as usize);
        i32::from(self.butterfly[index][from as usize][to as usize])
            + one_ply_ago
            + two_plies_ago
            + four_plies_ago / DISTANT_HISTORY_DIVISOR
    }
}

impl Histories {
    /// Returns empty histories; `None` when out of memory.
    #[must_use]
    pub fn try_new() -> Option<Box<Self>> {
        bytemuck::allocation::try_zeroed_box().ok()
    }

    /// Clears everything in place. Reallocating would fragment the heap.
    pub fn clear(&mut self) {
        bytemuck::write_zeroes(self);
    }

    /// Returns the view of the quiet histories that is shared by all quiet moves of one node.
    #[must_use]
    #[inline]
    pub fn quiet_history(&self, us: Color, conthist: &ContHistContext) -> QuietHistory<'_> {
        let continuation = conthist.moves.map(|index| &self.continuation[index]);
        QuietHistory { us, threats: conthist.threats.all, butterfly: &self.butterfly[us as usize], continuation }
    }

    /// Returns the history score of a quiet move, within `±4 · HISTORY_LIMIT`.
    #[must_use]
    pub fn quiet(&self, us: Color, m: Move, conthist: &ContHistContext) -> i32 {
        self.quiet_history(us, conthist).score(m)
    }

    /// Returns the history score of a noisy move, within `±HISTORY_LIMIT`.
    #[must_use]
    pub fn noisy(&self, us: Color, m: Move) -> i32 {
        i32::from(self.capture[piece_to_index(us, m)][m.capture().map_or(0, |role| role as usize)])
    }

    #[inline(always)]
    #[must_use]
    pub fn score(&self, us: Color, m: Move, quiet: bool, conthist: &ContHistContext) -> i32 {
        if quiet { self.quiet(us, m, conthist) } else { self.noisy(us, m) }
    }

    /// Adds a bonus (positive: the move caused a cutoff; negative: another move did) to a quiet move.
    pub(super) fn update_quiet(&mut self, us: Color, m: Move, conthist: &ContHistContext, bonus: i32) {
        let (_, from, to) = role_from_to(m);
        let (from, to) = (from as usize, to as usize);
        apply_gravity(
            &mut self.butterfly[us as usize][threat_index(conthist.threats.all, from, to)][from][to],
            bonus,
            HISTORY_LIMIT,
        );
        self.update_continuation(us, m, conthist, bonus);
    }

    /// Adds a bonus, positive or negative, to the continuation history of a quiet move.
    pub(super) fn update_continuation(&mut self, us: Color, m: Move, conthist: &ContHistContext, bonus: i32) {
        let current = piece_to_index(us, m);
        for &previous in &conthist.moves {
            if previous != NO_PIECE_TO {
                apply_gravity(&mut self.continuation[previous][current], bonus, HISTORY_LIMIT);
            }
        }
    }

    /// Adds a bonus, positive or negative, to a noisy move.
    pub(super) fn update_noisy(&mut self, us: Color, m: Move, bonus: i32) {
        let captured = m.capture().map_or(0, |role: Role| role as usize);
        apply_gravity(&mut self.capture[piece_to_index(us, m)][captured], bonus, HISTORY_LIMIT);
    }

    /// Returns the correction to add to the static evaluation of this position, centipawns.
    #[must_use]
    #[inline]
    pub fn correction(&self, position: &Position, conthist: &ContHistContext, params: &Params) -> Score {
        let (us, keys) = (position.turn() as usize, position.keys());
        let [one_ply_ago, two_plies_ago, four_plies_ago] = conthist.moves;
        let pieces = i32::from(self.correction_non_pawn[us][0][correction_slot(keys.non_pawn[0])])
            + i32::from(self.correction_non_pawn[us][1][correction_slot(keys.non_pawn[1])]);
        let sum = i32::from(self.correction_pawn[us][correction_slot(keys.pawn)]) * params.correction_pawn
            + pieces * params.correction_non_pawn
            + i32::from(self.correction_minor[us][correction_slot(keys.minor)]) * params.correction_minor
            + i32::from(self.correction_continuation[two_plies_ago][one_ply_ago]) * params.correction_continuation
            + i32::from(self.correction_continuation[four_plies_ago][one_ply_ago]) * params.correction_distant;
        sum / CORRECTION_SCALE
    }

    /// Updates the correction histories.
    ///
    /// A search of `depth` plies returned `error` centipawns more than the static evaluation.
    pub(super) fn update_correction(
        &mut self,
        position: &Position,
        conthist: &ContHistContext,
        depth: i32,
        error: Score,
    ) {
        let (us, keys) = (position.turn() as usize, position.keys());
        let bonus = (error * depth / CORRECTION_ERROR_DIVISOR).clamp(-CORRECTION_MAX_BONUS, CORRECTION_MAX_BONUS);
        apply_gravity(&mut self.correction_pawn[us][correction_slot(keys.pawn)], bonus, CORRECTION_LIMIT);
        for color in 0..2 {
            apply_gravity(
                &mut self.correction_non_pawn[us][color][correction_slot(keys.non_pawn[color])],
                bonus,
                CORRECTION_LIMIT,
            );
        }
        apply_gravity(&mut self.correction_minor[us][correction_slot(keys.minor)], bonus, CORRECTION_LIMIT);
        let [one_ply_ago, two_plies_ago, four_plies_ago] = conthist.moves;
        for earlier in [two_plies_ago, four_plies_ago] {
            if one_ply_ago != NO_PIECE_TO && earlier != NO_PIECE_TO {
                apply_gravity(&mut self.correction_continuation[earlier][one_ply_ago], bonus, CORRECTION_LIMIT);
            }
        }
    }
}

/// Index into a correction history of the position with this key.
fn correction_slot(key: u64) -> usize {
    key as usize % CORRECTION_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_within_the_limit_and_fade() {
        let mut value = 0i16;
        for _ in 0..10_000 {
            apply_gravity(&mut value, 1500, HISTORY_LIMIT);
            assert!(i32::from(value) <= HISTORY_LIMIT);
        }
        assert!(value > 15_000);
        apply_gravity(&mut value, -1500, HISTORY_LIMIT);
        assert!(value < 14_000, "a malus must weigh more against a high value: {value}");
        for _ in 0..10_000 {
            apply_gravity(&mut value, i32::MIN / 2, HISTORY_LIMIT);
        }
        assert_eq!(i32::from(value), -HISTORY_LIMIT);
    }

    #[test]
    fn updates_skip_the_no_move_entries() {
        let mut histories = Histories::try_new().unwrap();
        let position = Position::default();
        let m = position.parse_move("e2e4").unwrap();
        histories.update_quiet(Color::White, m, &ContHistContext::EMPTY, 1000);
        assert_eq!(histories.quiet(Color::White, m, &ContHistContext::EMPTY), 1000);
        assert!(histories.continuation[NO_PIECE_TO].iter().all(|&v| v == 0));
    }

    #[test]
    fn correction_has_the_sign_of_the_error() {
        let mut histories = Histories::try_new().unwrap();
        let position = Position::default();
        let params = Params::default();
        for _ in 0..100 {
            histories.update_correction(&position, &ContHistContext::EMPTY, 8, 60);
        }
        let correction = histories.correction(&position, &ContHistContext::EMPTY, &params);
        assert!(correction > 20, "{correction}");
    }

    #[test]
    fn continuation_update_leaves_the_butterfly_history_unchanged() {
        let mut histories = Histories::try_new().unwrap();
        let m = Position::default().parse_move("e2e4").unwrap();
        let after =
            |previous: usize| ContHistContext { moves: [previous, NO_PIECE_TO, NO_PIECE_TO], ..ContHistContext::EMPTY };
        histories.update_continuation(Color::White, m, &after(5), -1000);
        assert_eq!(histories.quiet(Color::White, m, &after(5)), -1000);
        for other in [after(6), ContHistContext::EMPTY] {
            assert_eq!(histories.quiet(Color::White, m, &other), 0);
        }
    }
}
