//! Move ordering: the better the first move, the smaller the tree.
//!
//! Moves come in stages, and a stage is generated only when the one before it is used up: the table's move
//! (tested for legality, nothing generated), captures and promotions that do not lose material (most valuable
//! victim first, with capture history), quiet moves (killer first, then by history and urgency), and last the
//! captures that lose. A cut-off at an early stage saves the work of the later ones.
//! <https://www.chessprogramming.org/Move_Ordering>, <https://www.chessprogramming.org/MVV-LVA>

use std::hint::select_unpredictable;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, Color, Move, Role, Square, attacks};

use crate::board::movegen::{self, Kind, Sink, Threats};
use crate::board::position::Position;
use crate::search::memory::transposition::Table;
use crate::search::moves::history::{Histories, Path, QuietRows};
use crate::search::params::Params;

/// More than the 218 legal moves that a position can have; an index fits a byte.
const MOST_MOVES: usize = 256;
/// A key that was handed out, below every score.
const USED: i32 = i32::MIN;
/// So many keys are compared at a time.
const LANES: usize = 8;
/// A key for each move, and room to fill up the last lanes.
const MOST_KEYS: usize = MOST_MOVES + LANES;
/// Scores are kept within this, so that a score and an index fit one key.
const MOST_SCORE: i32 = 1 << 22;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Stage {
    TableMove,
    MakeNoisy,
    GoodNoisy,
    Killer,
    MakeQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Which moves a node wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Every legal move.
    All,
    /// Captures and promotions only.
    Noisy,
}

/// Hands out the moves of one node, best first as far as is known.
pub struct MovePicker {
    stage: Stage,
    wanted: Wanted,
    table_move: Option<Move>,
    killer: Option<Move>,
    /// What a capture must win to count as good, centipawns.
    threshold: i32,
    moves: ArrayVec<Move, MOST_MOVES>,
    /// For each move its score and, in the low byte, its index counted from the end: the largest key is the
    /// best move, the first generated among equals. One pass over a few words finds it.
    keys: ArrayVec<i32, MOST_KEYS>,
    /// Captures that lose material, put by.
    bad: ArrayVec<Move, MOST_MOVES>,
    next_bad: usize,
    /// Index of the next best move, found ahead.
    found: Option<usize>,
    /// Was the table asked ahead for the line of the move handed out last?
    asked: bool,
    skip_quiets: bool,
}

/// What the picker reads while it works.
pub struct Knowledge<'a> {
    /// The position whose moves are picked.
    pub position: &'a Position,
    /// The tables of this thread.
    pub histories: &'a Histories,
    /// The moves that led here, and what the opponent attacks.
    pub path: &'a Path,
    /// Where children will be looked up.
    pub table: &'a Table,
    /// The numbers of the search.
    pub params: &'a Params,
}

impl Knowledge<'_> {
    /// The table's line for the child after this move will be wanted soon.
    fn prefetch(&self, m: Move) {
        self.table.prefetch(self.position.likely_key_after(m));
    }
}

impl MovePicker {
    /// For a node: `table_move` must be legal; `threshold` is what a good capture must win, centipawns.
    #[must_use]
    pub fn new(wanted: Wanted, table_move: Option<Move>, killer: Option<Move>, threshold: i32) -> Self {
        Self {
            stage: Stage::TableMove,
            wanted,
            table_move: table_move.filter(|&m| wanted == Wanted::All || movegen::is_noisy(m)),
            killer,
            threshold,
            moves: ArrayVec::new(),
            keys: ArrayVec::new(),
            bad: ArrayVec::new(),
            next_bad: 0,
            found: None,
            asked: false,
            skip_quiets: false,
        }
    }

    /// From now on hand out no quiet moves.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Is it known that the move handed out last loses nothing in exchange, so that none need be played out? A `quiet`
    /// one where the opponent cannot answer, a capture that was judged good.
    #[must_use]
    #[inline]
    pub fn is_safe(&self, m: Move, quiet: bool, threats: &Threats) -> bool {
        match m {
            Move::Normal { from, to, .. } if quiet => !threats.may_answer(from, to),
            _ => self.stage == Stage::GoodNoisy && self.threshold >= 0,
        }
    }

    /// Are the moves that are handed out now captures that lose material?
    #[must_use]
    pub fn in_bad_noisy(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// The next move, `None` after the last.
    pub fn next(&mut self, known: &Knowledge) -> Option<Move> {
        self.asked = false;
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::MakeNoisy;
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::MakeNoisy => {
                    self.make(Kind::Noisy, known);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.best() {
                    Some(m) if Some(m) == self.table_move => {}
                    Some(m) if movegen::see_at_least(known.position, m, self.threshold) => return Some(m),
                    Some(m) => self.bad.push(m),
                    None if self.wanted == Wanted::Noisy => self.stage = Stage::Done,
                    None => self.stage = Stage::Killer,
                },
                Stage::Killer => {
                    self.stage = Stage::MakeQuiet;
                    let playable = |&m: &Move| !self.skip_quiets && movegen::is_legal_quiet(known.position, m);
                    self.killer = self.killer.filter(|_| self.killer != self.table_move).filter(playable);
                    if self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::MakeQuiet => {
                    if !self.skip_quiets {
                        self.make(Kind::Quiet, known);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.best() {
                    Some(m) if !self.skip_quiets => {
                        if Some(m) != self.killer && Some(m) != self.table_move {
                            return Some(m);
                        }
                    }
                    _ => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    let m = self.bad.get(self.next_bad).copied();
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

    /// Makes a stage. Not inlined, lest handing out a move become a long function.
    #[inline(never)]
    fn make(&mut self, kind: Kind, known: &Knowledge) {
        self.moves.clear();
        self.keys.clear();
        self.found = None;
        let list = List { moves: &mut self.moves, keys: &mut self.keys };
        let (us, attacked) = (known.position.turn(), known.path.threats.known());
        match kind {
            Kind::Noisy | Kind::All => {
                let (board, histories) = (known.position.board(), known.histories);
                movegen::generate_into(known.position, kind, attacked, &mut Noisies { list, board, us, histories });
            }
            Kind::Quiet => {
                let rows = known.histories.quiets(us, known.path);
                let urgency = Urgency::new(known);
                movegen::generate_into(known.position, kind, attacked, &mut Quiets { list, rows, urgency });
            }
        }
        // So that the last lanes that are looked at are full.
        self.keys.extend([USED; LANES]);
    }

    /// The best move not yet handed out. A cut-off seldom needs the rest in order.
    fn best(&mut self) -> Option<Move> {
        self.asked = self.found.is_some();
        let index = self.found.take().or_else(|| self.find())?;
        *self.keys.get_mut(index)? = USED;
        self.moves.get(index).copied()
    }

    /// The move just handed out, `m`, is about to be searched: have its line of the table fetched, and that of the one
    /// after it, so that it is there in time. A subtree of a few nodes is over before memory answers.
    pub fn look_ahead(&mut self, m: Move, known: &Knowledge) {
        if !self.asked {
            known.prefetch(m);
        }
        if self.found.is_none() && matches!(self.stage, Stage::GoodNoisy | Stage::Quiet) {
            self.found = self.find();
            if let Some(&next) = self.found.and_then(|index| self.moves.get(index)) {
                known.prefetch(next);
            }
        }
    }

    /// Where the best move is.
    fn find(&self) -> Option<usize> {
        let lanes = self.keys.as_chunks::<LANES>().0.as_flattened();
        let key = lanes.iter().copied().fold(USED, i32::max);
        if key == USED {
            return None;
        }
        Some(255 - (key & 255) as usize)
    }
}

/// The score above, the index counted from the end below.
fn key(score: i32, index: usize) -> i32 {
    (score.clamp(-MOST_SCORE, MOST_SCORE) << 8) + 255 - index as i32
}

/// Moves and their keys, one for one.
struct List<'a> {
    moves: &'a mut ArrayVec<Move, MOST_MOVES>,
    keys: &'a mut ArrayVec<i32, MOST_KEYS>,
}

impl List<'_> {
    #[inline(always)]
    fn push(&mut self, m: Move, score: i32) {
        self.keys.push(key(score, self.moves.len()));
        self.moves.push(m);
    }
}

/// Captures and promotions: victim first, then what capture history says.
struct Noisies<'a> {
    list: List<'a>,
    board: &'a Board,
    us: Color,
    histories: &'a Histories,
}

impl Sink for Noisies<'_> {
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

    fn single(&mut self, m: Move) {
        self.list.push(m, victim_value(m) + self.histories.noisy(self.us, m) / 8);
    }
}

/// Why a quiet move may be urgent whatever its history: it saves a man from a lesser one, or gives check; and why it
/// may be a blunder: it puts a man where a lesser one takes it.
struct Urgency<'a> {
    threats: &'a Threats,
    /// What is at stake for men of each kind where a lesser one attacks them.
    stakes: [i32; 6],
    /// From where men of each kind attack the opponent's king; a king attacks none.
    checks: [Bitboard; 6],
    /// What a check counts.
    check: i32,
}

impl<'a> Urgency<'a> {
    fn new(known: &Knowledge<'a>) -> Self {
        let (board, them) = (known.position.board(), !known.position.turn());
        let checks = board.king_of(them).map_or([Bitboard::EMPTY; 6], |king| {
            let diagonal = attacks::bishop_attacks(king, board.occupied());
            let straight = attacks::rook_attacks(king, board.occupied());
            let (pawns, knights) = (attacks::pawn_attacks(them, king), attacks::knight_attacks(king));
            [pawns, knights, diagonal, straight, diagonal | straight, Bitboard::EMPTY]
        });
        let p = known.params;
        let stakes = [0, p.order_minor, p.order_minor, p.order_rook, p.order_queen, 0];
        Self { threats: &known.path.threats, stakes, checks, check: p.order_check }
    }

    /// For the moves of one kind of men.
    fn of(&self, role: Role) -> Urgent {
        let kind = role as usize - 1;
        let (stake, checks) = (self.stakes[kind], self.checks[kind]);
        Urgent { threatened: self.threats.by_lesser(role), stake, checks, check: self.check }
    }
}

/// The same for the men of one kind.
struct Urgent {
    /// Where a lesser man attacks.
    threatened: Bitboard,
    /// What leaving or reaching such a square counts.
    stake: i32,
    /// From where the king is attacked.
    checks: Bitboard,
    /// What that counts.
    check: i32,
}

impl Urgent {
    #[inline(always)]
    fn leaving(&self, from: Square) -> i32 {
        where_set(self.threatened, from, self.stake)
    }

    #[inline(always)]
    fn reaching(&self, to: Square) -> i32 {
        where_set(self.checks, to, self.check) - where_set(self.threatened, to, self.stake)
    }
}

/// `amount` on the squares of a set, 0 elsewhere. Nobody can foretell which it is: no branch.
#[inline(always)]
fn where_set(set: Bitboard, square: Square, amount: i32) -> i32 {
    select_unpredictable(set.contains(square), amount, 0)
}

/// Quiet moves, by history and urgency.
struct Quiets<'a> {
    list: List<'a>,
    rows: QuietRows<'a>,
    urgency: Urgency<'a>,
}

impl Sink for Quiets<'_> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        let rows = self.rows.of(role);
        let urgent = self.urgency.of(role);
        let leaving = urgent.leaving(from);
        for to in targets {
            let m = Move::Normal { role, from, capture: None, to, promotion: None };
            self.list.push(m, rows.score(from, to) + leaving + urgent.reaching(to));
        }
    }

    fn pawn_captures(&mut self, _: Square, _: Bitboard) {}

    fn pushes(&mut self, targets: Bitboard, step: i32) {
        let rows = self.rows.of(Role::Pawn);
        let urgent = self.urgency.of(Role::Pawn);
        for to in targets {
            if let Some(from) = to.offset(-step) {
                let m = Move::Normal { role: Role::Pawn, from, capture: None, to, promotion: None };
                self.list.push(m, rows.score(from, to) + urgent.reaching(to));
            }
        }
    }

    fn single(&mut self, m: Move) {
        self.list.push(m, self.rows.score(m));
    }
}

/// Most valuable victim first; a promotion to a queen counts as capturing one, others come last.
fn victim_value(m: Move) -> i32 {
    let captured = m.capture().map_or(0, |role| 16 * movegen::exchange_value(role));
    match m.promotion() {
        Some(Role::Queen) => captured + 16 * movegen::exchange_value(Role::Queen),
        Some(_) => captured - 32_000,
        None => captured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use shakmaty::Position as _;

    fn pick(fen: &str, wanted: Wanted, hash: Option<usize>) -> (Vec<Move>, Position) {
        let position = parse_fen(fen).unwrap();
        let legal = position.chess().legal_moves();
        let histories = Histories::default();
        let table = Table::new(1);
        let known = Knowledge {
            position: &position,
            histories: &histories,
            path: &Path::EMPTY,
            table: &table,
            params: &Params::default(),
        };
        let mut picker = MovePicker::new(wanted, hash.map(|i| legal[i]), legal.last().copied(), 0);
        let mut out = Vec::new();
        while let Some(m) = picker.next(&known) {
            out.push(m);
        }
        (out, position)
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    const CHECK: &str = "r1bqk1nr/pppp1ppp/2n5/4p3/1bB1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 0 1";
    const PROMOTIONS: &str = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";

    #[test]
    fn every_legal_move_comes_exactly_once() {
        for fen in [KIWIPETE, CHECK, PROMOTIONS] {
            for table in [None, Some(0), Some(3)] {
                let (mut picked, position) = pick(fen, Wanted::All, table);
                let mut legal: Vec<Move> = position.chess().legal_moves().into_iter().collect();
                if let Some(i) = table {
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
    fn quiescence_gets_good_captures_before_nothing_else() {
        let (picked, position) = pick(KIWIPETE, Wanted::Noisy, None);
        assert!(!picked.is_empty());
        assert!(picked.iter().all(|&m| movegen::is_noisy(m) && movegen::see_at_least(&position, m, 0)));
    }

    #[test]
    fn losing_captures_come_last() {
        let (picked, position) = pick(KIWIPETE, Wanted::All, None);
        let first_quiet = picked.iter().position(|&m| !movegen::is_noisy(m)).unwrap();
        for (index, &m) in picked.iter().enumerate() {
            if movegen::is_noisy(m) {
                assert_eq!(index < first_quiet, movegen::see_at_least(&position, m, 0), "{m:?}");
            }
        }
    }

    #[test]
    fn urgent_quiet_moves_come_first_and_blunders_last() {
        // A pawn attacks the knight, which may go where another pawn takes it; the rook can give check.
        let position = parse_fen("6k1/8/1p6/4p3/3N4/8/R7/7K w - - 0 1").unwrap();
        let path = Path { threats: Threats::of(&position), ..Path::EMPTY };
        let (histories, table, params) = (Histories::default(), Table::new(1), Params::default());
        let known =
            Knowledge { position: &position, histories: &histories, path: &path, table: &table, params: &params };
        let mut picker = MovePicker::new(Wanted::All, None, None, 0);
        let quiets: Vec<String> = std::iter::from_fn(|| picker.next(&known))
            .map(|m| m.to_uci(shakmaty::CastlingMode::Standard).to_string())
            .collect();
        let place = |m: &str| quiets.iter().position(|other| other == m).unwrap();
        let knights: Vec<usize> = ["d4b3", "d4b5", "d4c2", "d4c6", "d4e2", "d4e6", "d4f3"].map(place).to_vec();
        let rook_checks = [place("a2a8"), place("a2g2")];
        let rest = [place("a2a3"), place("h1h2"), place("a2f2")];
        assert!(rook_checks.iter().all(|check| rest.iter().all(|other| check < other)), "{quiets:?}");
        assert!(knights.iter().all(|knight| rest.iter().all(|other| knight < other)), "{quiets:?}");
        // a2a5 runs into the pawn on b6; so does nothing else.
        assert_eq!(place("a2a5"), quiets.len() - 1, "{quiets:?}");
    }
}
