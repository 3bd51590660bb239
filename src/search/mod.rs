//! The search: from a position and limits to a move.
//!
//! A search runs *iterations* of growing depth (`iterative.rs`), each around the score of the last
//! (`aspiration.rs`), each a principal variation search over alpha-beta (`alpha_beta.rs`) with
//! quiescence at its leaves (`quiescence.rs`). The rules that make it selective stand beside the node
//! function: what is not searched at all (`pruning.rs`), what is searched less or more deeply
//! (`reductions.rs`), in which order moves are tried (`ordering.rs`, from what `history.rs` learned), what
//! is remembered (`tt.rs`), and what endgame tables know (`tables.rs`). `time.rs` turns the clock into
//! deadlines; `params.rs` declares every number; `report.rs` is what others hear. Only `worker.rs`,
//! `relay.rs`, by which threads hand finished iterations on, and `desk.rs`, which sees to it that every
//! search is answered once, know threads. An abort travels up the tree as `Err(Aborted)`: there are no
//! sentinel scores.
//! <https://www.chessprogramming.org/Search>

mod alpha_beta;
mod aspiration;
mod desk;
pub mod history;
mod iterative;
pub mod limits;
pub mod ordering;
pub mod params;
pub mod pruning;
mod quiescence;
pub mod reductions;
mod relay;
pub mod report;
pub mod signals;
pub mod stats;
mod tables;
pub mod time;
pub mod tt;
pub mod worker;

use std::alloc::{Layout, handle_alloc_error};
use std::ops::Neg;
use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::Move;

use crate::eval::Evaluator;
use crate::movegen::Threats;
use crate::position::{Game, Position};
use crate::score::{Bound, DRAW, EVAL_LIMIT, INFINITY, MAX_PLY, Score};
use crate::tablebase::Tables;
pub use iterative::SearchOutcome;

use history::{Histories, NO_PIECE_TO, Path, piece_to};
use limits::Limits;
use params::Params;
use reductions::Reductions;
use report::{Reporter, Silent};
use signals::SearchControl;
use time::TimeManager;
use tt::Table;

/// The search was stopped; nothing below the root has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aborted;

/// The interval of interest: scores in between change the result.
/// <https://www.chessprogramming.org/Window>
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The side to move has this much already.
    pub alpha: Score,
    /// The opponent will not allow more than this.
    pub beta: Score,
}

impl Window {
    /// Everything is of interest.
    pub const FULL: Self = Self { alpha: -INFINITY, beta: INFINITY };

    /// Only "more than alpha or not" is asked.
    #[must_use]
    pub const fn null(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Does nothing lie between the bounds?
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.alpha + 1 == self.beta
    }
}

impl Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// A position on the path from the root, with its accumulator.
struct Node<A> {
    position: Position,
    acc: A,
    ply: usize,
}

/// A principal variation.
type Line = ArrayVec<Move, MAX_PLY>;

/// What is kept about one ply of the current path.
#[derive(Clone, Default)]
struct Frame {
    /// Corrected static evaluation; meaningless in check.
    static_eval: Score,
    /// Was the side to move in check?
    in_check: bool,
    /// Index of the move made here ([`piece_to`]).
    moved: usize,
    /// The move made here; `None` for a null move.
    played: Option<Move>,
    /// The squares that the opponent attacks, once the node's moves are looked at.
    threats: Threats,
    /// A quiet move that cut off here before.
    killer: Option<Move>,
    /// The move that a singular search leaves out.
    excluded: Option<Move>,
    /// Cut-offs among the children so far.
    cutoffs: u32,
    /// Plies by which the path was extended twice.
    double_extensions: i32,
}

/// Frames of the current path; a few empty ones before the root spare every look back a test.
struct Stack {
    frames: Vec<Frame>,
    /// Best line from each ply on. Only PV-nodes write and read them, so they lie apart from the frames.
    lines: Vec<Line>,
}

impl Stack {
    const BEFORE_ROOT: usize = 4;

    /// `None` where the system has no memory for it.
    fn try_new() -> Option<Self> {
        let empty = Frame { moved: NO_PIECE_TO, ..Frame::default() };
        let frames = filled(empty, Self::BEFORE_ROOT + MAX_PLY + 4)?;
        Some(Self { frames, lines: filled(Line::new(), MAX_PLY + 2)? })
    }

    /// As new, without writing half a megabyte of empty lines: that would show in searches of a millisecond.
    fn clear(&mut self) {
        self.frames.fill(Frame { moved: NO_PIECE_TO, ..Frame::default() });
        self.lines.iter_mut().for_each(Line::clear);
    }

    fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[Self::BEFORE_ROOT + ply]
    }

    fn back(&self, ply: usize, plies: usize) -> &Frame {
        &self.frames[Self::BEFORE_ROOT + ply - plies]
    }

    /// The moves that led to this ply, and the threats that were seen there.
    fn path(&self, ply: usize) -> Path {
        let moves = [self.back(ply, 1).moved, self.back(ply, 2).moved, self.back(ply, 4).moved];
        Path { moves, threats: self.back(ply, 0).threats }
    }

    /// The best line of `ply` becomes `m` and the best line after it.
    fn extend_pv(&mut self, ply: usize, m: Move) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        let (Some(here), Some(child)) = (here.last_mut(), below.first()) else { return };
        here.clear();
        here.push(m);
        let room = here.remaining_capacity();
        here.extend(child.iter().copied().take(room));
    }

    /// No line is known from here.
    fn clear_pv(&mut self, ply: usize) {
        if let Some(line) = self.lines.get_mut(ply) {
            line.clear();
        }
    }
}

/// An empty vector with room for `length` values; `None` instead of the program's end where the system has no memory.
fn room<T>(length: usize) -> Option<Vec<T>> {
    let mut empty = Vec::new();
    empty.try_reserve_exact(length).ok()?;
    Some(empty)
}

/// `vec![value; length]`, under the same condition.
fn filled<T: Clone>(value: T, length: usize) -> Option<Vec<T>> {
    let mut all = room(length)?;
    all.resize(length, value);
    Some(all)
}

/// A move at the root and what is known about it.
#[derive(Clone, Debug)]
struct RootMove {
    m: Move,
    score: Score,
    bound: Bound,
    seldepth: usize,
    nodes: u64,
    pv: Line,
    /// By endgame tables: all moves of a higher rank are better. Equal without tables.
    rank: i32,
    /// What the tables say it is worth.
    table_score: Option<Score>,
}

/// One search thread: its tables and, during a search, its state.
pub struct Searcher<E: Evaluator> {
    eval: E,
    params: Params,
    reductions: Reductions,
    table: Arc<Table>,
    histories: Histories,
    stack: Stack,
    /// Keys of the positions before the current one, the game's first.
    keys: Vec<u64>,
    root: Game,
    root_moves: Vec<RootMove>,
    /// Lines before this one are finished in this iteration (MultiPV).
    line: usize,
    root_depth: i32,
    nodes: u64,
    seldepth: usize,
    table_hits: u64,
    id: usize,
    limits: Limits,
    time: TimeManager,
    control: Arc<SearchControl>,
    multi_pv: usize,
    analyse_mode: bool,
    /// Asked at inner nodes.
    tables: Option<Tables>,
    /// The least ply at which a null move may be tried, while a null-move cut-off is verified.
    null_move_from: usize,
    cutoffs: stats::Cutoffs,
    /// While pondering, the time for the move has been used already: answer at `ponderhit`.
    answer_at_ponder_hit: bool,
    reporter: Box<dyn Reporter>,
}

/// What every thread of one search is told.
#[derive(Clone)]
pub struct SearchRequest {
    /// The position and its history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// Deadlines.
    pub time: TimeManager,
    /// Stop and ponder flags, node counters.
    pub control: Arc<SearchControl>,
    /// How many best lines to find.
    pub multi_pv: usize,
    /// A person is looking on: report bounds and current moves at once.
    pub analyse_mode: bool,
    /// Endgame tables, where they may be asked.
    pub tables: Option<Tables>,
}

impl SearchRequest {
    /// A search of one thread, line and memory that no clock bounds, but depth or nodes: it repeats on every machine.
    #[must_use]
    pub fn untimed(game: Game, limits: Limits) -> Self {
        Self {
            game,
            limits,
            time: TimeManager::unlimited(),
            control: Arc::new(SearchControl::new(1)),
            multi_pv: 1,
            analyse_mode: false,
            tables: None,
        }
    }
}

impl<E: Evaluator> Searcher<E> {
    /// A searcher with empty tables. `id` 0 is the thread that reports and decides. Ends the program where the system has
    /// no memory; see [`Searcher::try_new`].
    #[must_use]
    pub fn new(id: usize, eval: E, params: &Params, table: Arc<Table>) -> Self {
        Self::try_new(id, eval, params, table).unwrap_or_else(|| handle_alloc_error(Layout::new::<Self>()))
    }

    /// The same, but `None` where the system has no memory for the tables.
    #[must_use]
    pub fn try_new(id: usize, eval: E, params: &Params, table: Arc<Table>) -> Option<Self> {
        if crate::fault::refuses_thread(id) {
            return None;
        }
        Some(Self {
            histories: Histories::try_new()?,
            stack: Stack::try_new()?,
            eval,
            reductions: Reductions::new(params),
            params: params.clone(),
            table,
            keys: room(1024)?,
            root: Game::default(),
            root_moves: Vec::new(),
            line: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            table_hits: 0,
            id,
            time: TimeManager::unlimited(),
            limits: Limits::default(),
            control: Arc::new(SearchControl::new(1)),
            multi_pv: 1,
            analyse_mode: false,
            tables: None,
            null_move_from: 0,
            cutoffs: stats::Cutoffs::default(),
            answer_at_ponder_hit: false,
            reporter: Box::new(Silent),
        })
    }

    /// Forgets what was learned and what was searched last, for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.root = Game::default();
        self.root_moves = Vec::new();
    }

    /// From now on use these parameters.
    pub fn set_params(&mut self, params: &Params) {
        self.params = params.clone();
        self.reductions = Reductions::new(params);
    }

    /// From now on use this table.
    pub fn set_table(&mut self, table: Arc<Table>) {
        self.table = table;
    }

    /// Counts a node and asks, now and then, whether to stop.
    fn enter(&mut self, ply: usize) -> Result<(), Aborted> {
        self.nodes += 1;
        crate::fault::at_node(self.id, self.nodes);
        self.seldepth = self.seldepth.max(ply);
        if self.nodes.is_multiple_of(512) {
            self.control.publish(self.id, self.nodes, self.table_hits);
            // A limit ends this thread's search only: whether the answer may be given yet is another matter.
            if self.control.is_stopped() || self.id == 0 && self.must_stop() || self.is_behind() {
                return Err(Aborted);
            }
        }
        match self.limits.nodes {
            Some(limit) if self.id == 0 && self.control.threads() == 1 && self.nodes > limit => Err(Aborted),
            _ => Ok(()),
        }
    }

    /// Is a limit that bounds the whole search reached?
    fn must_stop(&self) -> bool {
        if self.limits.nodes.is_some_and(|limit| self.control.nodes() >= limit) {
            return true;
        }
        self.control
            .clock_since(self.time.start())
            .is_some_and(|from| self.answer_at_ponder_hit || self.time.is_over(from))
    }

    /// The child after `m`; the path and the repetition record follow.
    #[inline]
    fn descend(&mut self, node: &Node<E::Acc>, m: Move) -> Node<E::Acc> {
        self.keys.push(node.position.key());
        let frame = self.stack.at(node.ply);
        (frame.moved, frame.played) = (piece_to(node.position.turn(), m), Some(m));
        let acc = self.eval.apply(&node.acc, &node.position, m);
        // A copy that becomes the child where it stays: one that is made elsewhere and handed over is copied again.
        let mut child = Node { position: node.position.clone(), acc, ply: node.ply + 1 };
        child.position.follow(&node.position, m);
        child
    }

    /// Back from a child. (After an abort nothing is taken back: what comes next starts from the root.)
    fn ascend(&mut self) {
        self.keys.pop();
    }

    /// The score of a node that the rules declare drawn. A position that occurred since the root counts at its
    /// first return: what can be repeated once can be repeated again. Mate on the hundredth ply is mate.
    fn draw(&self, node: &Node<E::Acc>) -> Option<Score> {
        let position = &node.position;
        if node.ply == 0 {
            return None;
        }
        if position.halfmoves() >= 100 {
            use shakmaty::Position as _;
            let mated = position.in_check() && position.chess().legal_moves().is_empty();
            return (!mated).then_some(DRAW);
        }
        if position.is_insufficient_material() {
            return Some(DRAW);
        }
        let reversible = position.reversible_plies().min(self.keys.len());
        if reversible < 4 {
            return None;
        }
        let mut seen_in_game = false;
        // Four plies back is the nearest that the same side can be in the same position.
        for back in (4..=reversible).step_by(2) {
            if self.keys[self.keys.len() - back] == position.key() {
                if back <= node.ply || seen_in_game {
                    return Some(DRAW);
                }
                seen_in_game = true;
            }
        }
        None
    }

    /// The static evaluation as the search uses it: corrected by experience, shrunk towards the fifty-move draw, and
    /// misjudged where the engine is to play below its strength.
    fn corrected(&self, node: &Node<E::Acc>, raw: Score) -> Score {
        let position = &node.position;
        let mut eval = raw;
        if self.params.fifty_move_scaling {
            eval = eval * (200 - position.halfmoves().min(100) as i32) / 200;
        }
        if self.params.correction_history {
            eval += self.histories.correction(position, &self.stack.path(node.ply), &self.params);
        }
        eval += self.limits.noise.of(position.key());
        eval.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}
