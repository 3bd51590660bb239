//! The search: from a position and limits to a best move.
//!
//! A search runs *iterations* of growing depth (`iterative.rs`), each with a window around the score of the previous
//! one (`aspiration.rs`). Each iteration is a principal variation search on top of alpha-beta (`alpha_beta.rs`) with
//! a quiescence search at its leaves (`quiescence.rs`). The rules that make the search selective have files of their
//! own: pruning (`pruning.rs`), reductions and extensions (`reductions.rs`), move ordering (`ordering.rs`, from the
//! statistics of `history.rs`), the transposition table (`tt.rs`) and tablebase probes (`tables.rs`). `time.rs`
//! computes soft and hard time limits, `params.rs` declares the search parameters, and `report.rs` is the interface
//! to the outside. Only `worker.rs` (the thread pool), `relay.rs` (iterations shared between threads) and `desk.rs`
//! (exactly one answer per search) deal with threads. An abort is returned up the tree as `Err(Aborted)`; there are
//! no sentinel scores.
//! <https://www.chessprogramming.org/Search>

mod alpha_beta;
mod aspiration;
mod iterative;
pub mod limits;
pub mod memory;
pub mod moves;
pub mod params;
pub mod pruning;
mod quiescence;
pub mod reductions;
pub mod report;
pub mod smp;
pub mod stats;
pub mod time;

use std::alloc::{Layout, handle_alloc_error};
use std::ops::Neg;
use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::Move;

use crate::board::movegen::Threats;
use crate::board::position::{Game, Position};
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, EVAL_LIMIT, INFINITY, MAX_PLY, Score};
use crate::tablebase::TbProber;
pub use iterative::SearchOutcome;

use limits::Limits;
use memory::transposition::TranspositionTable;
use moves::history::{ContHistContext, Histories, NO_PIECE_TO, piece_to_index};
use params::Params;
use reductions::Reductions;
use report::{Reporter, Silent};
use smp::control::SearchControl;
use time::TimeManager;

/// Error of a node whose search was stopped: the node has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aborted;

/// The alpha-beta window. Scores outside it are only bounds.
/// <https://www.chessprogramming.org/Window>
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Lower bound: the side to move already has at least this score elsewhere in the tree.
    pub alpha: Score,
    /// Upper bound: at this score or above, the opponent avoids the node.
    pub beta: Score,
}

impl Window {
    /// The full window; no score is outside.
    pub const FULL: Self = Self { alpha: -INFINITY, beta: INFINITY };

    /// Returns the null window (zero window) that tests whether a score exceeds `alpha`.
    #[must_use]
    pub const fn null(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Returns whether no score lies strictly between the bounds.
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

/// A position on the path from the root, with the accumulator of the evaluator.
struct Node<A> {
    position: Position,
    acc: A,
    ply: usize,
}

/// A principal variation.
type Pv = ArrayVec<Move, MAX_PLY>;

/// Stack frame: the state of one ply of the current path.
#[derive(Clone, Default)]
struct Frame {
    /// Corrected static evaluation; meaningless in check.
    static_eval: Score,
    /// Whether the side to move is in check.
    in_check: bool,
    /// Index of the move made at this ply ([`piece_to_index`]), for continuation history.
    conthist_index: usize,
    /// The move made at this ply; `None` for a null move.
    current_move: Option<Move>,
    /// Squares attacked by the opponent; set before the move loop.
    threats: Threats,
    /// Killer move: a quiet move that caused a cutoff at this ply in a sibling node.
    killer: Option<Move>,
    /// The move excluded by a singular search.
    excluded: Option<Move>,
    /// Number of cutoffs among the nodes at this ply since the grandparent was entered.
    cutoffs: u32,
    /// Number of double extensions on the path to this node.
    double_extensions: i32,
}

/// The stack of the current path. Sentinel frames before the root make look-backs unconditional.
struct Stack {
    frames: Vec<Frame>,
    /// The PV from each ply. Only PV nodes use them, so they are kept apart from the frames.
    pvs: Vec<Pv>,
}

impl Stack {
    /// Number of sentinel frames; look-backs go at most this many plies.
    const BEFORE_ROOT: usize = 4;

    /// Returns an empty stack; `None` when out of memory.
    fn try_new() -> Option<Self> {
        let empty = Frame { conthist_index: NO_PIECE_TO, ..Frame::default() };
        let frames = try_filled(empty, Self::BEFORE_ROOT + MAX_PLY + 4)?;
        Some(Self { frames, pvs: try_filled(Pv::new(), MAX_PLY + 2)? })
    }

    /// Resets the stack.
    ///
    /// The PVs are only truncated: overwriting half a megabyte would show in searches of a millisecond.
    fn clear(&mut self) {
        self.frames.fill(Frame { conthist_index: NO_PIECE_TO, ..Frame::default() });
        self.pvs.iter_mut().for_each(Pv::clear);
    }

    /// Returns the frame of `ply`.
    fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[Self::BEFORE_ROOT + ply]
    }

    /// Returns the frame `plies` plies before `ply`; at most [`Stack::BEFORE_ROOT`].
    fn back(&self, ply: usize, plies: usize) -> &Frame {
        &self.frames[Self::BEFORE_ROOT + ply - plies]
    }

    /// Returns the moves that led to `ply` and the threats stored there, as indices into the histories.
    fn conthist_context(&self, ply: usize) -> ContHistContext {
        let moves =
            [self.back(ply, 1).conthist_index, self.back(ply, 2).conthist_index, self.back(ply, 4).conthist_index];
        ContHistContext { moves, threats: self.back(ply, 0).threats }
    }

    /// Sets the PV of `ply` to `m` followed by the PV of the next ply.
    fn extend_pv(&mut self, ply: usize, m: Move) {
        let (upto_ply, below) = self.pvs.split_at_mut(ply + 1);
        let (Some(pv), Some(child_pv)) = (upto_ply.last_mut(), below.first()) else { return };
        pv.clear();
        pv.push(m);
        let capacity = pv.remaining_capacity();
        pv.extend(child_pv.iter().copied().take(capacity));
    }

    /// Clears the PV of `ply`.
    fn clear_pv(&mut self, ply: usize) {
        if let Some(pv) = self.pvs.get_mut(ply) {
            pv.clear();
        }
    }
}

/// Fallible `Vec::with_capacity`; returns `None` when out of memory.
fn try_with_capacity<T>(capacity: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity).ok()?;
    Some(vec)
}

/// Fallible `vec![value; length]`; returns `None` when out of memory.
fn try_filled<T: Clone>(value: T, length: usize) -> Option<Vec<T>> {
    let mut vec = try_with_capacity(length)?;
    vec.resize(length, value);
    Some(vec)
}

/// A move at the root and the results of its search.
#[derive(Clone, Debug)]
struct RootMove {
    m: Move,
    /// Score in the current iteration; `-INFINITY` if the move failed low and was not the first.
    score: Score,
    bound: Bound,
    seldepth: usize,
    nodes: u64,
    pv: Pv,
    /// Tablebase rank: moves of a higher rank are better. Equal for all moves without tablebases.
    tb_rank: i32,
    /// Score according to the tablebases.
    tb_score: Option<Score>,
}

/// One search thread: its histories and buffers and, during a search, its state.
pub struct Searcher<E: Evaluator> {
    eval: E,
    params: Params,
    reductions: Reductions,
    tt: Arc<TranspositionTable>,
    histories: Histories,
    stack: Stack,
    /// Keys of the positions before the current one, from the start of the game.
    keys: Vec<u64>,
    root: Game,
    root_moves: Vec<RootMove>,
    /// Index of the PV being searched (MultiPV); root moves before it are done in this iteration.
    pv_index: usize,
    root_depth: i32,
    nodes: u64,
    seldepth: usize,
    tb_hits: u64,
    id: usize,
    limits: Limits,
    time: TimeManager,
    control: Arc<SearchControl>,
    multi_pv: usize,
    analyse_mode: bool,
    /// Tablebases to probe at inner nodes.
    tb_prober: Option<TbProber>,
    /// Null moves are disabled below this ply while a null move cutoff is verified; otherwise 0.
    nmp_min_ply: usize,
    cutoffs: stats::Cutoffs,
    /// The search decided to stop while pondering: the best move is reported at `ponderhit`.
    stop_on_ponderhit: bool,
    reporter: Box<dyn Reporter>,
}

/// The parameters of one search, the same for every thread.
#[derive(Clone)]
pub struct SearchRequest {
    /// The position and the game history.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// Soft and hard time limit.
    pub time: TimeManager,
    /// Stop and ponder flags and node counters, shared by all threads.
    pub control: Arc<SearchControl>,
    /// Number of principal variations to find (MultiPV).
    pub multi_pv: usize,
    /// `UCI_AnalyseMode`: reports bounds and current moves from the start, not only in long searches.
    pub analyse_mode: bool,
    /// Tablebases to probe, if any.
    pub tb_prober: Option<TbProber>,
}

impl SearchRequest {
    /// Returns a reproducible search: one thread, one PV, no clock, limited by `limits` only.
    #[must_use]
    pub fn untimed(game: Game, limits: Limits) -> Self {
        Self {
            game,
            limits,
            time: TimeManager::unlimited(),
            control: Arc::new(SearchControl::new(1)),
            multi_pv: 1,
            analyse_mode: false,
            tb_prober: None,
        }
    }
}

impl<E: Evaluator> Searcher<E> {
    /// Creates a searcher with empty histories. The thread with `id` 0 reports and decides when to stop.
    ///
    /// Aborts the process when out of memory; see [`Searcher::try_new`].
    #[must_use]
    pub fn new(id: usize, eval: E, params: &Params, tt: Arc<TranspositionTable>) -> Self {
        Self::try_new(id, eval, params, tt).unwrap_or_else(|| handle_alloc_error(Layout::new::<Self>()))
    }

    /// Creates a searcher like [`Searcher::new`], but returns `None` when out of memory.
    #[must_use]
    pub fn try_new(id: usize, eval: E, params: &Params, tt: Arc<TranspositionTable>) -> Option<Self> {
        if crate::platform::fault::thread_allocation_fails(id) {
            return None;
        }
        // Reserves memory for the small allocations below, which cannot report a failure.
        let reserve: Vec<u8> = try_with_capacity(256 << 10)?;
        let (histories, stack, keys) = (Histories::try_new()?, Stack::try_new()?, try_with_capacity(1024)?);
        drop(std::hint::black_box(reserve));
        Some(Self {
            histories,
            stack,
            eval,
            reductions: Reductions::new(params),
            params: params.clone(),
            tt,
            keys,
            root: Game::default(),
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            tb_hits: 0,
            id,
            time: TimeManager::unlimited(),
            limits: Limits::default(),
            control: Arc::new(SearchControl::new(1)),
            multi_pv: 1,
            analyse_mode: false,
            tb_prober: None,
            nmp_min_ply: 0,
            cutoffs: stats::Cutoffs::default(),
            stop_on_ponderhit: false,
            reporter: Box::new(Silent),
        })
    }

    /// Clears the histories and the result of the last search, for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.root = Game::default();
        self.root_moves = Vec::new();
    }

    /// Sets the search parameters.
    pub fn set_params(&mut self, params: &Params) {
        self.params = params.clone();
        self.reductions = Reductions::new(params);
    }

    /// Replaces the transposition table.
    pub fn set_tt(&mut self, tt: Arc<TranspositionTable>) {
        self.tt = tt;
    }

    /// Counts a node and checks the limits; `Err` if the search of this thread must end.
    fn count_node(&mut self, ply: usize) -> Result<(), Aborted> {
        self.nodes += 1;
        crate::platform::fault::at_node(self.id, self.nodes);
        self.seldepth = self.seldepth.max(ply);
        self.check_limits()
    }

    /// Checks an exact node limit at each node, all other limits every 512 nodes.
    #[inline(always)]
    fn check_limits(&self) -> Result<(), Aborted> {
        if self.nodes.is_multiple_of(512) {
            self.control.publish(self.id, self.nodes, self.tb_hits);
            // A limit ends only the search of this thread. With `infinite` or `ponder` the answer may have to wait.
            if self.control.is_stopped() || self.id == 0 && self.should_abort() || self.is_behind() {
                return Err(Aborted);
            }
        }
        match self.limits.nodes {
            Some(limit) if self.id == 0 && self.control.threads() == 1 && self.nodes > limit => Err(Aborted),
            _ => Ok(()),
        }
    }

    /// Returns whether the node limit or the hard time limit of the whole search is reached.
    fn should_abort(&self) -> bool {
        if self.limits.nodes.is_some_and(|limit| self.control.nodes() >= limit) {
            return true;
        }
        self.control
            .clock_since(self.time.start())
            .is_some_and(|clock_start| self.stop_on_ponderhit || self.time.hard_limit_reached(clock_start))
    }

    /// Makes `m` and returns the child node; updates the stack frame and the repetition keys.
    #[inline]
    fn make_move(&mut self, node: &Node<E::Acc>, m: Move) -> Node<E::Acc> {
        self.keys.push(node.position.key());
        let frame = self.stack.at(node.ply);
        (frame.conthist_index, frame.current_move) = (piece_to_index(node.position.turn(), m), Some(m));
        let acc = self.eval.apply(&node.acc, &node.position, m);
        // Modified in place: a child built elsewhere and returned by value would be copied once more.
        let mut child = Node { position: node.position.clone(), acc, ply: node.ply + 1 };
        child.position.apply_move(&node.position, m);
        child
    }

    /// Removes the key pushed by [`Searcher::make_move`] or a null move.
    ///
    /// Not called on abort: the next search or iteration resets the keys.
    fn pop_key(&mut self) {
        self.keys.pop();
    }

    /// Returns the draw score if the node is a draw by rule.
    ///
    /// Checks the fifty-move rule, insufficient material and repetition. A position of the search tree counts as a draw
    /// at its first repetition, one of the game history at its second. Checkmate on the hundredth ply takes precedence.
    /// <https://www.chessprogramming.org/Repetitions>
    fn draw_score(&self, node: &Node<E::Acc>) -> Option<Score> {
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
        // With the same side to move, a position can repeat after four plies at the earliest.
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

    /// Returns the static evaluation used by the search, clamped to the range of static evaluations.
    ///
    /// Scaled toward zero as the fifty-move counter grows, adjusted by correction history, and with the evaluation
    /// noise of a limited playing strength.
    fn corrected_eval(&self, node: &Node<E::Acc>, raw: Score) -> Score {
        let position = &node.position;
        let mut eval = raw;
        if self.params.fifty_move_scaling {
            eval = eval * (200 - position.halfmoves().min(100) as i32) / 200;
        }
        if self.params.correction_history {
            eval += self.histories.correction(position, &self.stack.conthist_context(node.ply), &self.params);
        }
        eval += self.limits.noise.of(position.key());
        eval.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}
