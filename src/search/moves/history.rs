//! What earlier nodes of this search taught about moves and evaluations.
//!
//! *History* tables hold, for moves of a kind, how often they cut off and how often they were tried in vain;
//! ordering, reductions and pruning read them. A value moves towards its limit by a share of the distance
//! left ("gravity"), so tables never overflow and old lessons fade. *Correction* tables hold how far the
//! static evaluation was off in earlier positions with the same pawns, pieces or last moves.
//! <https://www.chessprogramming.org/History_Heuristic>, <https://www.chessprogramming.org/Static_Evaluation_Correction_History>

use std::alloc::{Layout, handle_alloc_error};

use shakmaty::{Bitboard, Color, Move, Role, Square};

use crate::board::movegen::Threats;
use crate::board::position::Position;
use crate::score::Score;
use crate::search::params::Params;

/// Largest magnitude of a history value.
pub const HISTORY_LIMIT: i32 = 16_384;
const CORRECTION_LIMIT: i32 = 1024;
const CORRECTION_SIZE: usize = 1 << 14;

/// Index of a moved man and its target square, `0..768`; castling counts as the king's move to the rook's square.
#[must_use]
#[inline(always)]
pub fn piece_to(us: Color, m: Move) -> usize {
    let (role, _, to) = parts(m);
    man_to(us, role, to)
}

/// The man, where it comes from and where it goes. Nearly every move is a normal one: asked for these one by one, a move
/// is taken apart three times.
#[inline(always)]
fn parts(m: Move) -> (Role, Square, Square) {
    match m {
        Move::Normal { role, from, to, .. } => (role, from, to),
        _ => (m.role(), m.from().unwrap_or(m.to()), m.to()),
    }
}

fn man_to(us: Color, role: Role, to: Square) -> usize {
    (us as usize * 6 + role as usize - 1) * 64 + to as usize
}

/// The index that stands for "no move": nothing is ever learned there.
pub const NO_PIECE_TO: usize = 768;

/// Moves `value` towards `±limit` by `bonus`.
fn gravity(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let v = i32::from(*value);
    *value = (v + bonus - v * bonus.abs() / limit) as i16;
}

/// All tables of one search thread.
pub struct Histories {
    /// By side, whether the opponent attacks the square left and the square reached (`danger`), from, to.
    butterfly: Box<[[[[i16; 64]; 64]; 4]; 2]>,
    /// By an earlier move (1, 2 or 4 plies ago) and this one, both as man and target.
    continuation: Box<[[i16; 768]; 769]>,
    /// By man and target, and the captured role.
    capture: Box<[[i16; 7]; 768]>,
    pawn: Box<[[i16; CORRECTION_SIZE]; 2]>,
    non_pawn: Box<[[[i16; CORRECTION_SIZE]; 2]; 2]>,
    minor: Box<[[i16; CORRECTION_SIZE]; 2]>,
    correction_continuation: Box<[[i16; 769]; 769]>,
}

/// What the worth of a quiet move depends on besides the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    /// The moves that led to the node: indices ([`piece_to`]) of the last, the one before it, that of four plies ago.
    pub moves: [usize; 3],
    /// The squares that the opponent attacks.
    pub threats: Threats,
}

impl Path {
    /// No moves, no threats.
    pub const EMPTY: Self = Self { moves: [NO_PIECE_TO; 3], threats: Threats::NONE };
}

/// Does a move flee from an attack, or go where it is attacked? `0..4`.
#[inline(always)]
fn danger(threats: Bitboard, from: usize, to: usize) -> usize {
    let attacked = |square: usize| (threats.0 >> square & 1) as usize;
    2 * attacked(from) + attacked(to)
}

/// Where the quiet moves of one node are looked up: see [`Histories::quiets`].
pub struct QuietRows<'a> {
    us: Color,
    threats: Bitboard,
    butterfly: &'a [[[i16; 64]; 64]; 4],
    continuation: [&'a [i16; 768]; 3],
}

impl QuietRows<'_> {
    /// How promising the move is; `±4 · HISTORY_LIMIT`.
    #[must_use]
    pub fn score(&self, m: Move) -> i32 {
        let (role, from, to) = parts(m);
        self.of(role).score(from, to)
    }

    /// The rows for the moves of one man.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, role: Role) -> ManRows<'_> {
        let man = self.us as usize * 6 + role as usize - 1;
        let continuation = self.continuation.map(|row| &row.as_chunks::<64>().0[man]);
        ManRows { threats: self.threats, butterfly: self.butterfly, continuation }
    }
}

/// Where the quiet moves of men of one kind are looked up.
pub struct ManRows<'a> {
    threats: Bitboard,
    butterfly: &'a [[[i16; 64]; 64]; 4],
    continuation: [&'a [i16; 64]; 3],
}

impl ManRows<'_> {
    /// How promising the move between these squares is; `±4 · HISTORY_LIMIT`.
    #[inline(always)]
    #[must_use]
    pub fn score(&self, from: Square, to: Square) -> i32 {
        let [last, before, earlier] = self.continuation.map(|row| i32::from(row[to as usize]));
        let danger = danger(self.threats, from as usize, to as usize);
        i32::from(self.butterfly[danger][from as usize][to as usize]) + last + before + earlier / 2
    }
}

impl Default for Histories {
    fn default() -> Self {
        Self::try_new().unwrap_or_else(|| handle_alloc_error(Layout::new::<[[i16; 768]; 769]>()))
    }
}

impl Histories {
    /// Empty tables, some 3 MB; `None` where the system has no memory for them.
    #[must_use]
    pub fn try_new() -> Option<Self> {
        use bytemuck::allocation::try_zeroed_box as zeroed;
        Some(Self {
            butterfly: zeroed().ok()?,
            continuation: zeroed().ok()?,
            capture: zeroed().ok()?,
            pawn: zeroed().ok()?,
            non_pawn: zeroed().ok()?,
            minor: zeroed().ok()?,
            correction_continuation: zeroed().ok()?,
        })
    }

    /// Forgets everything, in place: memory that comes and goes is memory that grows.
    pub fn clear(&mut self) {
        bytemuck::write_zeroes(&mut *self.butterfly);
        bytemuck::write_zeroes(&mut *self.continuation);
        bytemuck::write_zeroes(&mut *self.capture);
        bytemuck::write_zeroes(&mut *self.pawn);
        bytemuck::write_zeroes(&mut *self.non_pawn);
        bytemuck::write_zeroes(&mut *self.minor);
        bytemuck::write_zeroes(&mut *self.correction_continuation);
    }

    /// The rows of the tables that all quiet moves of one node are looked up in.
    #[must_use]
    pub fn quiets(&self, us: Color, path: &Path) -> QuietRows<'_> {
        let continuation = path.moves.map(|at| &self.continuation[at]);
        QuietRows { us, threats: path.threats.all, butterfly: &self.butterfly[us as usize], continuation }
    }

    /// How promising a quiet move is; `±4 · HISTORY_LIMIT`.
    #[must_use]
    pub fn quiet(&self, us: Color, m: Move, path: &Path) -> i32 {
        self.quiets(us, path).score(m)
    }

    /// How promising a capture or promotion is; `±HISTORY_LIMIT`.
    #[must_use]
    pub fn noisy(&self, us: Color, m: Move) -> i32 {
        i32::from(self.capture[piece_to(us, m)][m.capture().map_or(0, |role| role as usize)])
    }

    /// Learns about a quiet move: a positive bonus if it cut off, a negative one if another did.
    pub fn learn_quiet(&mut self, us: Color, m: Move, path: &Path, bonus: i32) {
        let (_, from, to) = parts(m);
        let (from, to) = (from as usize, to as usize);
        gravity(&mut self.butterfly[us as usize][danger(path.threats.all, from, to)][from][to], bonus, HISTORY_LIMIT);
        let now = piece_to(us, m);
        for &before in &path.moves {
            if before != NO_PIECE_TO {
                gravity(&mut self.continuation[before][now], bonus, HISTORY_LIMIT);
            }
        }
    }

    /// Learns about a capture or promotion.
    pub fn learn_noisy(&mut self, us: Color, m: Move, bonus: i32) {
        let captured = m.capture().map_or(0, |role: Role| role as usize);
        gravity(&mut self.capture[piece_to(us, m)][captured], bonus, HISTORY_LIMIT);
    }

    /// What to add to the static evaluation of this position, centipawns.
    #[must_use]
    pub fn correction(&self, position: &Position, path: &Path, params: &Params) -> Score {
        let (us, keys) = (position.turn() as usize, position.keys());
        let [last, before, distant] = path.moves;
        let pieces = i32::from(self.non_pawn[us][0][slot(keys.non_pawn[0])])
            + i32::from(self.non_pawn[us][1][slot(keys.non_pawn[1])]);
        let sum = i32::from(self.pawn[us][slot(keys.pawn)]) * params.correction_pawn
            + pieces * params.correction_non_pawn
            + i32::from(self.minor[us][slot(keys.minor)]) * params.correction_minor
            + i32::from(self.correction_continuation[before][last]) * params.correction_continuation
            + i32::from(self.correction_continuation[distant][last]) * params.correction_distant;
        sum / 256
    }

    /// Learns that a search of `depth` plies found `error` centipawns more than the evaluation said.
    pub fn learn_correction(&mut self, position: &Position, path: &Path, depth: i32, error: Score) {
        let (us, keys) = (position.turn() as usize, position.keys());
        let bonus = (error * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        gravity(&mut self.pawn[us][slot(keys.pawn)], bonus, CORRECTION_LIMIT);
        for color in 0..2 {
            gravity(&mut self.non_pawn[us][color][slot(keys.non_pawn[color])], bonus, CORRECTION_LIMIT);
        }
        gravity(&mut self.minor[us][slot(keys.minor)], bonus, CORRECTION_LIMIT);
        let [last, before, distant] = path.moves;
        for earlier in [before, distant] {
            if last != NO_PIECE_TO && earlier != NO_PIECE_TO {
                gravity(&mut self.correction_continuation[earlier][last], bonus, CORRECTION_LIMIT);
            }
        }
    }
}

fn slot(key: u64) -> usize {
    key as usize % CORRECTION_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_within_their_limit_and_fade() {
        let mut value = 0i16;
        for _ in 0..10_000 {
            gravity(&mut value, 1500, HISTORY_LIMIT);
            assert!(i32::from(value) <= HISTORY_LIMIT);
        }
        assert!(value > 15_000);
        gravity(&mut value, -1500, HISTORY_LIMIT);
        assert!(value < 14_000, "a lesson against a strong habit counts more: {value}");
        for _ in 0..10_000 {
            gravity(&mut value, i32::MIN / 2, HISTORY_LIMIT);
        }
        assert_eq!(i32::from(value), -HISTORY_LIMIT);
    }

    #[test]
    fn nothing_is_learned_about_no_move() {
        let mut histories = Histories::default();
        let position = Position::default();
        let m = crate::board::position::parse_move(&position, "e2e4").unwrap();
        histories.learn_quiet(Color::White, m, &Path::EMPTY, 1000);
        assert_eq!(histories.quiet(Color::White, m, &Path::EMPTY), 1000);
        assert!(histories.continuation[NO_PIECE_TO].iter().all(|&v| v == 0));
    }

    #[test]
    fn corrections_go_where_the_error_was() {
        let mut histories = Histories::default();
        let position = Position::default();
        let params = Params::default();
        for _ in 0..100 {
            histories.learn_correction(&position, &Path::EMPTY, 8, 60);
        }
        let up = histories.correction(&position, &Path::EMPTY, &params);
        assert!(up > 20, "{up}");
    }
}
