//! The search: from a position and limits to a best move.
//!
//! - `iterative`: iterations of growing depth until a limit is reached; `time` computes the time limits.
//! - `aspiration`: one iteration, with a window around the score of the previous one.
//! - `alpha_beta`: the node function, a principal variation search; `node`: the types of nodes; `quiescence`: the
//!   search of captures below its leaves.
//! - `pruning`, `reductions`, `extensions`: the selective rules; [`params`]: their parameters.
//! - `moves`: move ordering; `memory`: transposition table, tablebase probes.
//! - `thread`: the thread that searches; it guarantees one best move per `go`. `smp`: parallel search.
//! - `state`: the state of one `go`, one thread and one ply.
//! - [`limits`] is the input, [`report`] the output.
//!
//! An aborted search returns `Err(Aborted)` up the tree; there are no sentinel scores.
//! <https://www.chessprogramming.org/Search>

mod alpha_beta;
mod aspiration;
mod extensions;
#[doc(hidden)]
mod iterative;
pub mod limits;
pub mod memory;
mod moves;
mod node;
pub mod params;
mod pruning;
mod quiescence;
mod reductions;
pub mod report;
pub mod smp;
pub mod state;
pub mod thread;
pub mod time;

use std::alloc::{Layout, handle_alloc_error};
use std::sync::Arc;

use shakmaty::Move;

use crate::board::position::FIFTY_MOVES;
use crate::board::see;
use crate::eval::{Evaluator, evaluate};
use crate::platform::clock::host_pause;
use crate::score::{DRAW, EVAL_LIMIT, Score};
pub use state::request::SearchRequest;
pub use thread::runner::{Allocated, Search, SearchSettings};

use memory::transposition::TranspositionTable;
use moves::history::{Histories, piece_to_index};
use node::Node;
pub(crate) use node::{Aborted, Window};
use params::{FIFTY_MOVE_SCALE, Params};
use reductions::Reductions;
use report::{Reporter, Silent};
use state::root_move::RootMove;
use state::stack::{Stack, try_with_capacity};
use state::thread_data::{KEYS_CAPACITY, ThreadData};

/// Stack size of a thread that searches, bytes: enough for the maximum ply in a debug build.
pub const STACK_SIZE: usize = 32 << 20;

/// Memory that must be available for the small parts of a searcher, bytes.
const RESERVED_BYTES: usize = 256 << 10;

/// Number of nodes between two checks of the clock, the flags and the other threads.
const CHECK_INTERVAL: u64 = 512;

/// The search of one thread: the state of the `go`, the thread and the path, TT and reporter.
#[doc(hidden)]
pub struct Searcher<E: Evaluator> {
    /// The `go` that is searched, or the last one; shared by all threads.
    request: Arc<SearchRequest>,
    /// What one thread keeps during and between searches.
    thread: ThreadData<E>,
    /// The path from the root to the current node.
    stack: Stack,
    tt: Arc<TranspositionTable>,
    /// Receives the output of a search; discards it between searches.
    reporter: Box<dyn Reporter>,
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
        // Reserves memory for the small allocations below, which cannot report a failure.
        let reserve: Vec<u8> = try_with_capacity(RESERVED_BYTES)?;
        let (histories, stack, keys) = (Histories::try_new()?, Stack::try_new()?, try_with_capacity(KEYS_CAPACITY)?);
        drop(std::hint::black_box(reserve));
        Some(Self {
            request: Arc::default(),
            thread: ThreadData::new(id, eval, params, histories, keys),
            stack,
            tt,
            reporter: Box::new(Silent),
        })
    }

    /// Clears the histories and the result of the last search, for a new game.
    pub fn clear(&mut self) {
        self.request = Arc::default();
        self.thread.histories.clear();
        self.thread.root_moves = Vec::new();
        self.reporter = Box::new(Silent);
    }

    /// Sets the search parameters.
    pub fn set_params(&mut self, params: &Params) {
        self.thread.params = params.clone();
        self.thread.reductions = Reductions::new(params);
    }

    /// Replaces the transposition table.
    pub fn set_tt(&mut self, tt: Arc<TranspositionTable>) {
        self.tt = tt;
    }

    /// Counts a node and checks the limits; `Err` if the search of this thread must end.
    ///
    /// An exact node limit is checked at each node, all other limits every 512 nodes.
    #[inline]
    fn count_node(&mut self, ply: usize) -> Result<(), Aborted> {
        if self.is_node_limit_reached() {
            return Err(Aborted);
        }
        self.thread.nodes += 1;
        self.thread.seldepth = self.thread.seldepth.max(ply);
        if self.thread.nodes.is_multiple_of(CHECK_INTERVAL) && self.is_limit_reached() {
            return Err(Aborted);
        }
        Ok(())
    }

    /// Publishes the counters and returns whether this thread must end its search.
    ///
    /// The other threads continue until `stop`: with `infinite` or `ponder`, the best move must not be reported yet.
    #[cold]
    fn is_limit_reached(&self) -> bool {
        let (thread, control) = (&self.thread, &self.request.control);
        control.publish(thread.id, thread.nodes, thread.tb_hits);
        host_pause(false);
        control.is_stopped() || thread.id == 0 && self.should_abort()
    }

    /// Returns whether an exact node limit is reached; only with one thread.
    #[inline(always)]
    fn is_node_limit_reached(&self) -> bool {
        match self.request.limits.nodes {
            Some(limit) => self.thread.id == 0 && self.request.control.threads() == 1 && self.thread.nodes >= limit,
            None => false,
        }
    }

    /// Returns whether the node limit or the hard time limit of the whole search is reached.
    fn should_abort(&self) -> bool {
        if self.request.limits.nodes.is_some_and(|limit| self.request.control.nodes() >= limit) {
            return true;
        }
        let stops_on_ponderhit = self.thread.stop_on_ponderhit && !self.request.control.is_pondering();
        stops_on_ponderhit || self.request.hard_limit_reached()
    }

    /// Makes `m` and returns the child node; updates the stack frames and the repetition keys.
    #[inline]
    fn make_move(&mut self, node: &Node<E::Acc>, m: Move) -> Node<E::Acc> {
        self.push_move(node, piece_to_index(node.position.turn(), m), Some(m));
        let acc = self.thread.eval.apply(&node.acc, &node.position, m);
        // Modified in place: a child built elsewhere and returned by value would be copied once more.
        let mut child = Node { position: node.position.clone(), acc, ply: node.ply + 1 };
        child.position.apply_move(&node.position, m);
        child
    }

    /// Updates the stack frames of a node and of its child, and the repetition keys, for a move; `None` is a null move.
    #[inline]
    fn push_move(&mut self, node: &Node<E::Acc>, conthist_index: usize, current_move: Option<Move>) {
        self.thread.keys.push(node.position.key());
        let frame = self.stack.at(node.ply);
        (frame.conthist_index, frame.current_move) = (conthist_index, current_move);
        let double_extensions = frame.double_extensions;
        self.stack.at(node.ply + 1).double_extensions = double_extensions;
    }

    /// Removes the key pushed by [`Searcher::push_move`].
    ///
    /// Not called on abort: the next search resets the keys.
    fn pop_key(&mut self) {
        self.thread.keys.pop();
    }

    /// Returns the draw score if the node is a draw by rule.
    ///
    /// Checks the fifty-move rule, insufficient material and repetition. A position that first occurred after the root
    /// counts as a draw at its first repetition; the root and the positions before it at their second, because a player
    /// who repeats them once can still choose another move there. Checkmate on the hundredth ply takes precedence. If a
    /// root move reaches the hundredth ply, a draw in which the opponent wins material scores slightly worse, because
    /// the game goes on until a player claims it.
    /// <https://www.chessprogramming.org/Repetitions>
    #[inline]
    fn draw_score(&self, node: &Node<E::Acc>) -> Option<Score> {
        let position = &node.position;
        if position.halfmoves() >= FIFTY_MOVES {
            return (!position.is_checkmate())
                .then(|| DRAW + Score::from(node.ply == 1 && see::wins_material(position)));
        }
        if position.is_insufficient_material() {
            return Some(DRAW);
        }
        let reversible = position.reversible_plies().min(self.thread.keys.len());
        if reversible < 4 {
            return None;
        }
        let mut seen_up_to_root = false;
        // With the same side to move, a position can repeat after four plies at the earliest.
        for back in (4..=reversible).step_by(2) {
            if self.thread.keys[self.thread.keys.len() - back] == position.key() {
                if back < node.ply || seen_up_to_root {
                    return Some(DRAW);
                }
                seen_up_to_root = true;
            }
        }
        None
    }

    /// Returns the score of the evaluator, clamped to the range of static evaluations.
    ///
    /// The evaluator of another program may return any value. In debug builds, those of every 1,000th node must equal a
    /// fresh evaluation: an incremental update with a defect would only make the engine weaker.
    #[inline(always)]
    fn raw_eval(&mut self, node: &Node<E::Acc>) -> Score {
        let score = self.thread.eval.score(&node.acc, &node.position).clamp(-EVAL_LIMIT, EVAL_LIMIT);
        if cfg!(debug_assertions) && self.thread.nodes.is_multiple_of(1000) {
            let fresh = evaluate(&mut self.thread.eval.clone(), &node.position);
            assert_eq!(score, fresh, "the evaluator's incremental and fresh score differ in {:?}", node.position);
        }
        score
    }

    /// Returns the static evaluation used by the search, clamped to the range of static evaluations.
    ///
    /// Scaled toward zero as the fifty-move counter grows, adjusted by correction history, and with the evaluation
    /// noise of a limited playing strength.
    #[inline(always)]
    fn corrected_eval(&self, node: &Node<E::Acc>, raw: Score) -> Score {
        let position = &node.position;
        let mut eval = raw;
        if self.thread.params.fifty_move_scaling {
            eval = eval * (FIFTY_MOVE_SCALE - position.halfmoves().min(FIFTY_MOVES) as i32) / FIFTY_MOVE_SCALE;
        }
        if self.thread.params.correction_history {
            eval +=
                self.thread.histories.correction(position, &self.stack.conthist_context(node.ply), &self.thread.params);
        }
        eval += self.request.limits.noise.of(position.key());
        eval.clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}
