//! Staged move picker: yields the moves of a node, the most promising first.
//!
//! A stage is generated only when the previous one is used up, so a cutoff in an early stage saves the work of the later
//! ones: the TT move, after a test of its legality; noisy moves that do not lose material, by most valuable victim and
//! capture history; the killer; quiet moves, by history and threat bonus; losing captures.
//! <https://www.chessprogramming.org/Move_Ordering>

use std::hint::select_unpredictable;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, Color, Move, Role, Square, attacks};

use crate::board::movegen::{self, GenType, MoveSink, Threats};
use crate::board::position::Position;
use crate::board::see;
use crate::search::memory::transposition::TranspositionTable;
use crate::search::moves::history::{ContHistContext, Histories, QuietHistory};
use crate::search::params::{CAPTURE_HISTORY_DIVISOR, Params, UNDERPROMOTION_MALUS, VICTIM_FACTOR};

/// Capacity for moves: at least the maximum of 218 legal moves, and an index fits a byte.
const MAX_MOVES: usize = 256;
/// Key of a move that was already picked, below all other keys.
const USED: i32 = i32::MIN;
/// Number of keys compared at a time (SIMD).
const LANES: usize = 8;
/// Capacity for keys: one per move, and padding for the last lanes.
const MAX_KEYS: usize = MAX_MOVES + LANES;
/// Scores are clamped to this magnitude so that score and index fit one 32-bit key.
const MAX_SCORE: i32 = 1 << 22;

/// Stages of the move picker, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Stage {
    TtMove,
    GenNoisy,
    GoodNoisy,
    Killer,
    GenQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Staged move picker: returns the moves of one node, presumably best first.
pub struct MovePicker {
    stage: Stage,
    /// All moves (main search, evasions) or noisy moves only.
    gen_type: GenType,
    tt_move: Option<Move>,
    killer: Option<Move>,
    /// SEE threshold of a good capture, centipawns.
    threshold: i32,
    moves: ArrayVec<Move, MAX_MOVES>,
    /// Sort keys: for each move its score and, in the low byte, `255 - index`.
    ///
    /// The largest key belongs to the best move; among equal scores to the one generated first.
    keys: ArrayVec<i32, MAX_KEYS>,
    /// Losing captures, deferred to the last stage.
    bad_noisy: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
    /// Index of the next move if it has already been selected, in order to prefetch its TT cluster.
    next_index: Option<usize>,
    /// Whether the TT cluster of the last picked move has been prefetched.
    prefetched: bool,
    skip_quiets: bool,
}

/// The state of a node that the move picker reads.
pub struct PickerContext<'a> {
    /// The position whose moves are picked.
    pub position: &'a Position,
    /// Histories of this search thread.
    pub histories: &'a Histories,
    /// Previous moves and threats, for the quiet histories.
    pub conthist: &'a ContHistContext,
    /// Transposition table, for prefetching.
    pub tt: &'a TranspositionTable,
    /// Search parameters.
    pub params: &'a Params,
}

impl PickerContext<'_> {
    /// Prefetches the TT cluster of the child after `m`.
    #[inline(always)]
    fn prefetch(&self, m: Move) {
        self.tt.prefetch(self.position.approx_tt_key_after(m));
    }
}

impl MovePicker {
    /// Creates a picker.
    ///
    /// `tt_move` must be legal; `threshold` is the SEE threshold of a good capture, centipawns.
    #[must_use]
    pub fn new(gen_type: GenType, tt_move: Option<Move>, killer: Option<Move>, threshold: i32) -> Self {
        Self {
            stage: Stage::TtMove,
            gen_type,
            tt_move: tt_move.filter(|&m| gen_type == GenType::All || movegen::is_noisy(m)),
            killer,
            threshold,
            moves: ArrayVec::new(),
            keys: ArrayVec::new(),
            bad_noisy: ArrayVec::new(),
            next_bad: 0,
            next_index: None,
            prefetched: false,
            skip_quiets: false,
        }
    }

    /// Skips all remaining quiet moves.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Returns whether the SEE of the last picked move is known to be at least 0.
    ///
    /// Known for a quiet move to a square where the opponent cannot recapture, and for a good capture.
    #[must_use]
    #[inline]
    pub fn is_see_safe(&self, m: Move, quiet: bool, threats: &Threats) -> bool {
        match m {
            Move::Normal { from, to, .. } if quiet => !threats.can_recapture(from, to),
            _ => self.stage == Stage::GoodNoisy && self.threshold >= 0,
        }
    }

    /// Returns whether the picker has reached the losing captures.
    #[must_use]
    pub fn in_bad_noisy(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// Returns the next move; `None` after the last.
    #[inline(always)]
    pub fn next(&mut self, context: &PickerContext) -> Option<Move> {
        self.prefetched = false;
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenNoisy;
                    if self.tt_move.is_some() {
                        return self.tt_move;
                    }
                }
                Stage::GenNoisy => {
                    self.generate(false, context);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.pick_best() {
                    Some(m) if Some(m) == self.tt_move => {}
                    Some(m) => {
                        // Before the SEE, during which memory can respond.
                        self.prefetch(m, context);
                        if see::see_at_least(context.position, m, self.threshold) {
                            return Some(m);
                        }
                        self.bad_noisy.push(m);
                    }
                    None if self.gen_type == GenType::Noisy => self.stage = Stage::Done,
                    None => self.stage = Stage::Killer,
                },
                Stage::Killer => {
                    self.stage = Stage::GenQuiet;
                    let is_playable = |&m: &Move| !self.skip_quiets && movegen::is_legal_quiet(context.position, m);
                    self.killer = self.killer.filter(|_| self.killer != self.tt_move).filter(is_playable);
                    if self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::GenQuiet => {
                    if !self.skip_quiets {
                        self.generate(true, context);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.pick_best() {
                    Some(m) if !self.skip_quiets => {
                        if Some(m) != self.killer && Some(m) != self.tt_move {
                            return Some(m);
                        }
                    }
                    _ => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    let m = self.bad_noisy.get(self.next_bad).copied();
                    self.next_bad += 1;
                    if m.is_none() {
                        self.stage = Stage::Done;
                    }
                    return m;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Generates and scores the quiet or the noisy moves. Not inlined, to keep [`MovePicker::next`] small.
    #[inline(never)]
    fn generate(&mut self, quiet: bool, context: &PickerContext) {
        self.moves.clear();
        self.keys.clear();
        self.next_index = None;
        let list = ScoredMoves { moves: &mut self.moves, keys: &mut self.keys };
        let (us, attacked) = (context.position.turn(), context.conthist.threats.attacked_squares());
        if quiet {
            let history = context.histories.quiet_history(us, context.conthist);
            let mut sink = QuietSink { list, history, bonus: QuietBonus::new(context) };
            movegen::generate_into(context.position, GenType::Quiet, attacked, &mut sink);
        } else {
            let (board, histories) = (context.position.board(), context.histories);
            let mut sink = NoisySink { list, board, us, histories };
            movegen::generate_into(context.position, GenType::Noisy, attacked, &mut sink);
        }
        // Padding, so that the last lanes are complete.
        let _ = self.keys.try_extend_from_slice(&[USED; LANES]);
    }

    /// Picks the best remaining move. Selection instead of sorting: after a cutoff the rest is not needed.
    #[inline]
    fn pick_best(&mut self) -> Option<Move> {
        self.prefetched = self.next_index.is_some();
        let index = self.next_index.take().or_else(|| self.best_index())?;
        *self.keys.get_mut(index)? = USED;
        self.moves.get(index).copied()
    }

    /// Prefetches the TT clusters of the picked move `m` and of the move after it.
    ///
    /// One move ahead, because a subtree of a few nodes is searched faster than memory responds.
    #[inline(always)]
    pub fn prefetch_next(&mut self, m: Move, context: &PickerContext) {
        self.prefetch(m, context);
        if self.next_index.is_none() && matches!(self.stage, Stage::GoodNoisy | Stage::Quiet) {
            self.next_index = self.best_index();
            if let Some(&next) = self.next_index.and_then(|index| self.moves.get(index)) {
                context.prefetch(next);
            }
        }
    }

    /// Prefetches the TT cluster of the picked move `m`, unless that has been done.
    #[inline(always)]
    fn prefetch(&mut self, m: Move, context: &PickerContext) {
        if !self.prefetched {
            context.prefetch(m);
            self.prefetched = true;
        }
    }

    #[inline(always)]
    fn best_index(&self) -> Option<usize> {
        let lanes = self.keys.as_chunks::<LANES>().0.as_flattened();
        let key = lanes.iter().copied().fold(USED, i32::max);
        if key == USED {
            return None;
        }
        Some(255 - (key & 255) as usize)
    }
}

/// Combines a score (high bits) and an index counted from the end (low byte) into a key.
fn sort_key(score: i32, index: usize) -> i32 {
    (score.clamp(-MAX_SCORE, MAX_SCORE) << 8) + 255 - index as i32
}

/// Moves and their keys, at equal indices.
struct ScoredMoves<'a> {
    moves: &'a mut ArrayVec<Move, MAX_MOVES>,
    keys: &'a mut ArrayVec<i32, MAX_KEYS>,
}

impl ScoredMoves<'_> {
    #[inline(always)]
    fn push(&mut self, m: Move, score: i32) {
        self.keys.push(sort_key(score, self.moves.len()));
        self.moves.push(m);
    }
}

/// Scores noisy moves: most valuable victim first, then capture history.
struct NoisySink<'a> {
    list: ScoredMoves<'a>,
    board: &'a Board,
    us: Color,
    histories: &'a Histories,
}

impl MoveSink for NoisySink<'_> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.single(Move::Normal { role, from, capture: movegen::role_at(self.board, to), to, promotion: None });
        }
    }

    fn pawn_captures(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            movegen::pawn_moves(from, movegen::role_at(self.board, to), to, |m| self.single(m));
        }
    }

    fn pushes(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            if let Some(from) = to.offset(-step) {
                movegen::pawn_moves(from, None, to, |m| self.single(m));
            }
        }
    }

    #[inline(always)]
    fn single(&mut self, m: Move) {
        self.list.push(m, victim_value(m) + self.histories.noisy(self.us, m) / CAPTURE_HISTORY_DIVISOR);
    }
}

/// Bonus of a quiet move in addition to its history.
///
/// Positive if it escapes from an attack by a less valuable piece or gives check, negative if it moves to a square
/// attacked by a less valuable piece.
struct QuietBonus<'a> {
    threats: &'a Threats,
    threat_bonus: [i32; 6],
    /// By role, the squares from which that role attacks the opponent's king; none for the king.
    check_squares: [Bitboard; 6],
    check_bonus: i32,
}

impl<'a> QuietBonus<'a> {
    fn new(context: &PickerContext<'a>) -> Self {
        let (board, them) = (context.position.board(), !context.position.turn());
        let check_squares = board.king_of(them).map_or([Bitboard::EMPTY; 6], |king| {
            let diagonal = attacks::bishop_attacks(king, board.occupied());
            let straight = attacks::rook_attacks(king, board.occupied());
            let (pawns, knights) = (attacks::pawn_attacks(them, king), attacks::knight_attacks(king));
            [pawns, knights, diagonal, straight, diagonal | straight, Bitboard::EMPTY]
        });
        let p = context.params;
        let threat_bonus =
            [0, p.threat_bonus_minor, p.threat_bonus_minor, p.threat_bonus_rook, p.threat_bonus_queen, 0];
        Self { threats: &context.conthist.threats, threat_bonus, check_squares, check_bonus: p.check_bonus }
    }

    /// Returns the bonuses for the moves of one role.
    fn for_role(&self, role: Role) -> PieceQuietBonus {
        let index = role as usize - 1;
        PieceQuietBonus {
            threatened: self.threats.by_lesser(role),
            threat_bonus: self.threat_bonus[index],
            check_squares: self.check_squares[index],
            check_bonus: self.check_bonus,
        }
    }
}

/// The bonuses for the moves of one role; see [`QuietBonus`].
struct PieceQuietBonus {
    /// Squares attacked by a less valuable piece.
    threatened: Bitboard,
    /// Bonus for leaving such a square, malus for entering one.
    threat_bonus: i32,
    /// Squares from which the opponent's king is attacked.
    check_squares: Bitboard,
    /// Bonus for entering one of these.
    check_bonus: i32,
}

impl PieceQuietBonus {
    #[inline(always)]
    fn escape_bonus(&self, from: Square) -> i32 {
        bonus_if_in(self.threatened, from, self.threat_bonus)
    }

    #[inline(always)]
    fn target_bonus(&self, to: Square) -> i32 {
        bonus_if_in(self.check_squares, to, self.check_bonus) - bonus_if_in(self.threatened, to, self.threat_bonus)
    }
}

/// Returns `bonus` for a square in the set, else 0. Branch-free, since the condition is unpredictable.
#[inline(always)]
fn bonus_if_in(set: Bitboard, square: Square, bonus: i32) -> i32 {
    select_unpredictable(set.contains(square), bonus, 0)
}

/// Scores quiet moves: history and [`QuietBonus`]; castling and moves out of check only by history.
struct QuietSink<'a> {
    list: ScoredMoves<'a>,
    history: QuietHistory<'a>,
    bonus: QuietBonus<'a>,
}

impl MoveSink for QuietSink<'_> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let history = self.history.for_role(role);
        let bonus = self.bonus.for_role(role);
        let escape_bonus = bonus.escape_bonus(from);
        for to in targets {
            let m = Move::Normal { role, from, capture: None, to, promotion: None };
            self.list.push(m, history.score(from, to) + escape_bonus + bonus.target_bonus(to));
        }
    }

    fn pawn_captures(&mut self, _: Square, _: Bitboard) {}

    #[inline]
    fn pushes(&mut self, targets: Bitboard, step: i32) {
        let history = self.history.for_role(Role::Pawn);
        let bonus = self.bonus.for_role(Role::Pawn);
        for to in targets {
            if let Some(from) = to.offset(-step) {
                let m = Move::Normal { role: Role::Pawn, from, capture: None, to, promotion: None };
                self.list.push(m, history.score(from, to) + bonus.target_bonus(to));
            }
        }
    }

    fn single(&mut self, m: Move) {
        self.list.push(m, self.history.score(m));
    }
}

/// Returns the MVV part of the score of a noisy move.
///
/// A queen promotion counts like capturing a queen; underpromotions come last.
fn victim_value(m: Move) -> i32 {
    let captured = m.capture().map_or(0, |role| VICTIM_FACTOR * see::see_value(role));
    match m.promotion() {
        Some(Role::Queen) => captured + VICTIM_FACTOR * see::see_value(Role::Queen),
        Some(_) => captured - UNDERPROMOTION_MALUS,
        None => captured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use shakmaty::Position as _;

    fn pick(fen: &str, gen_type: GenType, tt_index: Option<usize>) -> (Vec<Move>, Position) {
        let position = parse_fen(fen).unwrap();
        let legal = position.chess().legal_moves();
        let histories = Histories::try_new().unwrap();
        let tt = TranspositionTable::new(1);
        let context = PickerContext {
            position: &position,
            histories: &histories,
            conthist: &ContHistContext::EMPTY,
            tt: &tt,
            params: &Params::default(),
        };
        let mut picker = MovePicker::new(gen_type, tt_index.map(|i| legal[i]), legal.last().copied(), 0);
        let mut picked = Vec::new();
        while let Some(m) = picker.next(&context) {
            picked.push(m);
        }
        (picked, position)
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    const CHECK: &str = "r1bqk1nr/pppp1ppp/2n5/4p3/1bB1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 0 1";
    const PROMOTIONS: &str = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";

    #[test]
    fn every_legal_move_is_picked_exactly_once() {
        for fen in [KIWIPETE, CHECK, PROMOTIONS] {
            for tt_index in [None, Some(0), Some(3)] {
                let (mut picked, position) = pick(fen, GenType::All, tt_index);
                let mut legal: Vec<Move> = position.chess().legal_moves().into_iter().collect();
                if let Some(i) = tt_index {
                    assert_eq!(picked[0], legal[i]);
                }
                let key = |m: &Move| format!("{m:?}");
                picked.sort_by_key(key);
                legal.sort_by_key(key);
                assert_eq!(picked, legal, "{fen}");
            }
        }
    }

    #[test]
    fn noisy_picker_returns_only_good_captures() {
        let (picked, position) = pick(KIWIPETE, GenType::Noisy, None);
        assert!(!picked.is_empty());
        assert!(picked.iter().all(|&m| movegen::is_noisy(m) && see::see_at_least(&position, m, 0)));
    }

    #[test]
    fn losing_captures_come_last() {
        let (picked, position) = pick(KIWIPETE, GenType::All, None);
        let first_quiet = picked.iter().position(|&m| !movegen::is_noisy(m)).unwrap();
        for (index, &m) in picked.iter().enumerate() {
            if movegen::is_noisy(m) {
                assert_eq!(index < first_quiet, see::see_at_least(&position, m, 0), "{m:?}");
            }
        }
    }

    #[test]
    fn threat_and_check_bonuses_order_quiet_moves() {
        // A pawn attacks the knight, which may go where another pawn takes it; the rook can give check.
        let position = parse_fen("6k1/8/1p6/4p3/3N4/8/R7/7K w - - 0 1").unwrap();
        let conthist = ContHistContext { threats: Threats::of(&position), ..ContHistContext::EMPTY };
        let (histories, tt, params) = (Histories::try_new().unwrap(), TranspositionTable::new(1), Params::default());
        let context =
            PickerContext { position: &position, histories: &histories, conthist: &conthist, tt: &tt, params: &params };
        let mut picker = MovePicker::new(GenType::All, None, None, 0);
        let quiets: Vec<String> = std::iter::from_fn(|| picker.next(&context))
            .map(|m| m.to_uci(shakmaty::CastlingMode::Standard).to_string())
            .collect();
        let place = |m: &str| quiets.iter().position(|other| other == m).unwrap();
        let knights: Vec<usize> = ["d4b3", "d4b5", "d4c2", "d4c6", "d4e2", "d4e6", "d4f3"].map(place).to_vec();
        let rook_checks = [place("a2a8"), place("a2g2")];
        let rest = [place("a2a3"), place("h1h2"), place("a2f2")];
        assert!(rook_checks.iter().all(|check| rest.iter().all(|other| check < other)), "{quiets:?}");
        assert!(knights.iter().all(|knight| rest.iter().all(|other| knight < other)), "{quiets:?}");
        // Only a2a5 moves to a square attacked by a less valuable piece, the pawn on b6.
        assert_eq!(place("a2a5"), quiets.len() - 1, "{quiets:?}");
    }
}
