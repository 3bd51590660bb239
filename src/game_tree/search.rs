//! What every search of this room shares and no source spends a line on: counting, limits, the
//! principal variation, ordering, memory and the record for the picture.
//!
//! An algorithm announces what it does (`enter`, `successors`, `leaf`, `improve`, `cut`, `leave`) and
//! [`Search`] keeps the books. Values are announced from the view the algorithm computes in: the
//! two-sided ones (sources 001 to 004) in MAX's view, the negamax ones (source 000) in the mover's;
//! books and pictures are always in MAX's view. None of these calls changes what is searched, except
//! `successors`, which orders the moves, and `retrieve`, which answers from memory.

use super::memory::Entry;
use super::{Game, Memory, Mode, OPEN, Ordering, Trace};
use crate::score::{Bound, Score};
use thiserror::Error;

/// The recursive searches refuse trees deeper than this many plies instead of overflowing the call
/// stack. [`super::algorithms::explicit_stack`], [`super::algorithms::and_or`] and [`super::algorithms::sss_star`] have no such limit.
pub const MAX_RECURSION: u32 = 1_000;

/// Why a search ended without a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Stop {
    /// The node limit was reached or the caller asked to stop.
    #[error("stopped after {nodes} nodes")]
    Limit {
        /// Nodes visited until then.
        nodes: u64,
    },
    /// A recursive search came deeper than it may.
    #[error("the tree is deeper than {limit} plies, the limit of a recursive search")]
    TooDeep {
        /// The limit in plies, [`MAX_RECURSION`].
        limit: u32,
    },
}

/// From whose side an algorithm states values and windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// MAX's side: the minimax form.
    Max,
    /// The side to move: the negamax form.
    Mover,
}

/// What a search cost. All counts include every pass and re-search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Leaves evaluated. A leaf answered from memory is not counted here but under `hits`.
    pub leaves: u64,
    /// Nodes entered, leaves included.
    pub nodes: u64,
    /// Nodes whose moves were generated.
    pub interior: u64,
    /// Moves generated at these nodes; `moves / interior` is the measured width.
    pub moves: u64,
    /// Cut-offs below a MIN node: its value is at most a value that MAX already has.
    pub alpha_cuts: u64,
    /// Cut-offs below a MAX node: its value is at least a value that MIN already has.
    pub beta_cuts: u64,
    /// Those cut-offs whose bound came from an ancestor above the parent.
    pub deep_cuts: u64,
    /// Those cut-offs whose bound came from the window the search was started with (zero-window tests,
    /// aspiration), not from a value found on the path.
    pub window_cuts: u64,
    /// Cut-offs at the first move looked at.
    pub first_cuts: u64,
    /// Nodes answered from memory.
    pub hits: u64,
    /// Subtrees searched again because a test inside the tree failed high.
    pub re_searches: u64,
    /// Searches started from the root.
    pub passes: u64,
    /// Leaves evaluated only to order moves (shallow pre-search). Not part of `leaves`.
    pub presearch_leaves: u64,
}

impl Counts {
    /// All cut-offs.
    #[must_use]
    pub const fn cuts(&self) -> u64 {
        self.alpha_cuts + self.beta_cuts
    }

    /// The sum of two counts.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            leaves: self.leaves + other.leaves,
            nodes: self.nodes + other.nodes,
            interior: self.interior + other.interior,
            moves: self.moves + other.moves,
            alpha_cuts: self.alpha_cuts + other.alpha_cuts,
            beta_cuts: self.beta_cuts + other.beta_cuts,
            deep_cuts: self.deep_cuts + other.deep_cuts,
            window_cuts: self.window_cuts + other.window_cuts,
            first_cuts: self.first_cuts + other.first_cuts,
            hits: self.hits + other.hits,
            re_searches: self.re_searches + other.re_searches,
            passes: self.passes + other.passes,
            presearch_leaves: self.presearch_leaves + other.presearch_leaves,
        }
    }

    /// Mean number of moves of the nodes whose moves were generated; 0 if there were none.
    #[must_use]
    pub fn width(&self) -> f64 {
        if self.interior == 0 { 0.0 } else { self.moves as f64 / self.interior as f64 }
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome<M> {
    /// The minimax value of the root for MAX (a bound on it, if the search was given a window).
    pub value: Score,
    /// A move that leads to the value; `None` if the root is a leaf.
    pub best_move: Option<M>,
    /// The line both players follow to the leaf the value comes from. May end early where memory
    /// answered.
    pub principal_variation: Vec<M>,
    /// The cost.
    pub counts: Counts,
}

/// A position in the tree.
pub struct Node<G: Game> {
    /// The position itself.
    pub position: G::Position,
    /// Moves from the root.
    pub ply: u32,
    /// The move that led here, `None` at the root.
    pub mv: Option<G::Move>,
    /// The node's number in the [`Trace`]; 0 without one.
    pub id: u32,
}

impl<G: Game> Node<G> {
    /// MAX or MIN.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        Mode::at(self.ply)
    }
}

/// The books of one node on the path from the root; values for MAX.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The node's number in the trace.
    pub id: u32,
    /// Lower end of the window the node received.
    pub alpha: Score,
    /// Upper end of the window the node received.
    pub beta: Score,
    /// The value that now narrows the window for the nodes below, if the node has found one.
    pub tentative: Option<Score>,
    /// Children looked at so far.
    pub tried: u32,
}

/// The shared bookkeeping of a search. See the module's essay.
pub struct Search<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The cost so far.
    pub counts: Counts,
    /// Which moves are tried first.
    pub ordering: Ordering<G::Move>,
    /// Results kept from node to node. `None`: nothing is remembered.
    pub memory: Option<Memory<G::Move>>,
    /// The record for the picture. `None`: nothing is recorded.
    pub trace: Option<Trace<G::Move>>,
    /// Keys of the leaves in the order in which they were evaluated. `None`: not kept.
    pub leaf_log: Option<Vec<u64>>,
    /// The search stops when it has visited this many nodes.
    pub max_nodes: u64,
    /// Asked every 4096 nodes, with the counts; the search stops when it answers `false`.
    pub keep_going: Option<&'a mut dyn FnMut(&Counts) -> bool>,
    view: View,
    max_ply: u32,
    path: Vec<Frame>,
    /// The line found below each ply of the path, last move first.
    lines: Vec<Vec<G::Move>>,
}

impl<'a, G: Game> Search<'a, G> {
    /// A search that remembers nothing, orders nothing, records nothing and has no limit.
    #[must_use]
    pub fn new(game: &'a G) -> Self {
        Self {
            game,
            counts: Counts::default(),
            ordering: Ordering::default(),
            memory: None,
            trace: None,
            leaf_log: None,
            max_nodes: u64::MAX,
            keep_going: None,
            view: View::Mover,
            max_ply: MAX_RECURSION,
            path: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// The same with an empty memory.
    #[must_use]
    pub fn with_memory(mut self) -> Self {
        self.memory = Some(Memory::default());
        self
    }

    /// Starts a search: counts from zero, forgets values of earlier searches (but not what they taught
    /// about the order of moves), and makes the root node.
    pub fn begin(&mut self, root: &G::Position, view: View) -> Node<G> {
        self.counts = Counts::default();
        self.max_ply = MAX_RECURSION;
        self.forget_values();
        self.start(root, view)
    }

    /// Allows any depth, for searches that do not recurse.
    pub const fn unlimited_depth(&mut self) {
        self.max_ply = u32::MAX;
    }

    /// Starts a further pass of the same search: counts go on and memory is kept.
    pub fn start(&mut self, root: &G::Position, view: View) -> Node<G> {
        self.view = view;
        self.path.clear();
        self.lines.clear();
        self.counts.passes += 1;
        if let Some(trace) = &mut self.trace {
            trace.pass(self.counts.passes, || self.game.describe(root));
        }
        Node { position: root.clone(), ply: 0, mv: None, id: 0 }
    }

    /// Forgets the values in memory.
    pub fn forget_values(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.clear();
        }
    }

    /// Ends a search whose value is known, for MAX.
    pub fn finish(&mut self, value: Score) -> Outcome<G::Move> {
        let mut principal_variation = self.lines.first().cloned().unwrap_or_default();
        principal_variation.reverse();
        Outcome { value, best_move: principal_variation.first().copied(), principal_variation, counts: self.counts }
    }

    /// The node after a move.
    pub fn child(&mut self, p: &Node<G>, mv: G::Move) -> Node<G> {
        let id = self.trace.as_mut().map_or(0, |trace| trace.child(p.id, mv));
        Node { position: self.game.play(&p.position, mv), ply: p.ply + 1, mv: Some(mv), id }
    }

    /// Visits a node that received the window `(alpha, beta)`.
    ///
    /// # Errors
    /// [`Stop`] if the search may not go on.
    pub fn enter(&mut self, p: &Node<G>, alpha: Score, beta: Score) -> Result<(), Stop> {
        if p.ply > self.max_ply {
            return Err(Stop::TooDeep { limit: self.max_ply });
        }
        if self.counts.nodes >= self.max_nodes {
            return Err(Stop::Limit { nodes: self.counts.nodes });
        }
        self.counts.nodes += 1;
        if self.counts.nodes.is_multiple_of(4096)
            && let Some(keep_going) = &mut self.keep_going
            && !keep_going(&self.counts)
        {
            return Err(Stop::Limit { nodes: self.counts.nodes });
        }
        let (alpha, beta) = self.window_for_max(p, alpha, beta);
        let ply = p.ply as usize;
        self.path.truncate(ply);
        if let Some(parent) = self.path.last_mut() {
            parent.tried += 1;
        }
        self.path.push(Frame { id: p.id, alpha, beta, tentative: None, tried: 0 });
        if self.lines.len() <= ply + 1 {
            self.lines.resize_with(ply + 2, Vec::new);
        }
        self.lines[ply].clear();
        self.lines[ply + 1].clear();
        if let Some(trace) = &mut self.trace {
            trace.enter(p.id, alpha, beta, || self.game.describe(&p.position));
        }
        Ok(())
    }

    /// The moves of a node in the order in which they are to be tried; empty at a leaf, that is at
    /// depth 0 or where the game is over.
    pub fn successors(&mut self, p: &Node<G>, depth: u32) -> Vec<G::Move> {
        if depth == 0 {
            return Vec::new();
        }
        let mut moves = self.game.moves(&p.position);
        if moves.is_empty() {
            return moves;
        }
        self.counts.interior += 1;
        self.counts.moves += moves.len() as u64;
        let game = self.game;
        self.counts.presearch_leaves += self.ordering.sort(game, p, depth, &mut moves);
        if let Some(trace) = &mut self.trace {
            trace.children(p.id, &moves, |mv| game.move_name(&p.position, mv));
        }
        moves
    }

    /// Evaluates a leaf, from the view of the algorithm.
    pub fn leaf(&mut self, p: &Node<G>) -> Score {
        self.counts.leaves += 1;
        if let Some(log) = &mut self.leaf_log {
            log.push(self.game.key(&p.position));
        }
        let value = self.game.value(&p.position);
        let for_max = value * p.mode().sign();
        if let Some(trace) = &mut self.trace {
            trace.leaf(p.id, for_max);
        }
        match self.view {
            View::Max => for_max,
            View::Mover => value,
        }
    }

    /// The tentative value of `p` is now `value`, through the move `mv`, whose subtree has just been
    /// searched.
    pub fn improve(&mut self, p: &Node<G>, mv: G::Move, value: Score) {
        let ply = p.ply as usize;
        self.lines.swap(ply, ply + 1);
        self.lines[ply].push(mv);
        let value = self.for_max(p, value);
        let frame = &mut self.path[ply];
        let narrows = match p.mode() {
            Mode::Max => value > frame.alpha,
            Mode::Min => value < frame.beta,
        };
        if narrows {
            frame.tentative = Some(value);
        }
        if let Some(trace) = &mut self.trace {
            trace.tentative(p.id, value);
        }
    }

    /// One child of `p`, not the rest of them, is left out: it cannot come below `bound`. There is no opponent whose
    /// refutation could be learned.
    pub fn drop_child(&mut self, p: &Node<G>, bound: Score) {
        self.counts.alpha_cuts += 1;
        if let Some(trace) = &mut self.trace {
            trace.cut(p.id, bound, None);
        }
    }

    /// The rest of the moves of `p` is cut off: `mv` brought its value to or beyond `bound`.
    pub fn cut(&mut self, p: &Node<G>, mv: G::Move, bound: Score) {
        let bound = self.for_max(p, bound);
        match p.mode() {
            Mode::Max => self.counts.beta_cuts += 1,
            Mode::Min => self.counts.alpha_cuts += 1,
        }
        let ply = p.ply as usize;
        if self.path[ply].tried <= 1 {
            self.counts.first_cuts += 1;
        }
        // The bound was set by the nearest ancestor of the other mode that holds this very value.
        let holder = self.path[..ply].iter().rev().step_by(2).position(|frame| frame.tentative == Some(bound));
        match holder {
            Some(0) => {}
            Some(_) => self.counts.deep_cuts += 1,
            None => self.counts.window_cuts += 1,
        }
        if let Some(trace) = &mut self.trace {
            let by = holder.map(|back| self.path[ply - 1 - 2 * back].id);
            trace.cut(p.id, bound, by);
        }
        self.ordering.refuted(p, mv);
    }

    /// Leaves a node with its value and hands the value on.
    pub fn leave(&mut self, p: &Node<G>, value: Score) -> Score {
        let ply = p.ply as usize;
        let frame = self.path[ply];
        let for_max = self.for_max(p, value);
        let bound = if for_max <= frame.alpha {
            Bound::Upper
        } else if for_max >= frame.beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        if self.ordering.remembered
            && let Some(&best) = self.lines[ply].last()
        {
            let failed_low = match p.mode() {
                Mode::Max => bound == Bound::Upper,
                Mode::Min => bound == Bound::Lower,
            };
            self.ordering.remember(self.game.key(&p.position), best, !failed_low);
        }
        if let Some(trace) = &mut self.trace {
            trace.leave(p.id, for_max, bound);
        }
        value
    }

    /// Announces that the subtree of `p` is searched again with a wider window.
    pub fn re_search(&mut self, p: &Node<G>) {
        self.counts.re_searches += 1;
        if let Some(trace) = &mut self.trace {
            trace.re_search(p.id);
        }
    }

    /// What the memory knows about a node if it settles the window `(alpha, beta)`, for the mover.
    pub fn retrieve(&mut self, p: &Node<G>, depth: u32, alpha: Score, beta: Score) -> Option<Score> {
        let memory = self.memory.as_ref()?;
        let entry = memory.get(self.game.key(&p.position), depth)?;
        let (value, bound) = match entry {
            Entry { lower, upper, .. } if lower == upper => (*lower, Bound::Exact),
            Entry { lower, .. } if *lower >= beta => (*lower, Bound::Lower),
            Entry { upper, .. } if *upper <= alpha => (*upper, Bound::Upper),
            _ => return None,
        };
        self.counts.hits += 1;
        if let Some(best) = entry.best {
            self.lines[p.ply as usize].push(best);
        }
        if let Some(trace) = &mut self.trace {
            let bound = match (bound, p.mode()) {
                (Bound::Lower, Mode::Min) => Bound::Upper,
                (Bound::Upper, Mode::Min) => Bound::Lower,
                (bound, _) => bound,
            };
            trace.hit(p.id, value * p.mode().sign(), bound);
        }
        Some(value)
    }

    /// Keeps in memory that a search of `p` with the window `(alpha, beta)` returned `value`, all for
    /// the mover, and hands the value on. Bounds already known stay if they are tighter.
    pub fn store(&mut self, p: &Node<G>, depth: u32, alpha: Score, beta: Score, value: Score) -> Score {
        if let Some(memory) = &mut self.memory {
            let best = self.lines[p.ply as usize].last().copied();
            let entry = memory.entry(self.game.key(&p.position), depth);
            if value < beta {
                entry.upper = entry.upper.min(value);
            }
            if value > alpha {
                entry.lower = entry.lower.max(value);
            }
            // A move that only failed low is a guess: it must not displace one that was proven.
            if value > alpha || entry.best.is_none() {
                entry.best = best.or(entry.best);
            }
        }
        value
    }

    /// Keeps in memory that a node is a leaf of this value, for the mover, and hands the value on.
    pub fn store_leaf(&mut self, p: &Node<G>, depth: u32, value: Score) -> Score {
        self.store(p, depth, -OPEN, OPEN, value)
    }

    /// Sets the line from the root, for searches that do not build it move by move.
    pub fn set_line(&mut self, mut line: Vec<G::Move>) {
        line.reverse();
        self.lines.clear();
        self.lines.push(line);
    }

    /// The line from the root to a leaf of this value, as far as the memory knows it.
    pub fn line_from_memory(&self, root: &G::Position, depth: u32, value: Score) -> Vec<G::Move> {
        let mut line = Vec::new();
        let Some(memory) = &self.memory else {
            return line;
        };
        let (mut position, mut wanted) = (root.clone(), value);
        for depth in (0..depth).rev() {
            wanted = -wanted;
            let exact = |mv: &G::Move| {
                let child = self.game.play(&position, *mv);
                memory
                    .get(self.game.key(&child), depth)
                    .is_some_and(|entry| entry.lower == wanted && entry.upper == wanted)
            };
            let Some(mv) = self.game.moves(&position).into_iter().find(exact) else {
                break;
            };
            position = self.game.play(&position, mv);
            line.push(mv);
        }
        line
    }

    /// The books of the node at `ply` on the present path.
    #[must_use]
    pub fn frame(&self, ply: u32) -> Option<&Frame> {
        self.path.get(ply as usize)
    }

    fn for_max(&self, p: &Node<G>, value: Score) -> Score {
        match self.view {
            View::Max => value,
            View::Mover => value * p.mode().sign(),
        }
    }

    fn window_for_max(&self, p: &Node<G>, alpha: Score, beta: Score) -> (Score, Score) {
        match (self.view, p.mode()) {
            (View::Mover, Mode::Min) => (-beta, -alpha),
            _ => (alpha, beta),
        }
    }
}
