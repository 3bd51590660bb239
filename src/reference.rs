//! The reference algorithms as engines: each of the catalog of [`game_tree_search`] plays chess, behind [`Search`].
//!
//! All of them get the same: iterative deepening, a clock, the evaluator of the program, and optionally a quiescence
//! search at the leaves, move ordering and a memory. A game between two of them therefore compares the algorithms.
//! `aspirant --search NAME` is a UCI engine.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use game_tree_search::algorithms::quiescence::{NoisyGame, QuiescenceMoves, quiesce};
use game_tree_search::catalog::{Algorithm, AlgorithmId, AlgorithmSettings, MemoryUse};
use game_tree_search::ordering::heuristic_names;
use game_tree_search::{GameTree, Memory, MoveOrdering, SearchContext, SearchCounters, TreeSearchError};
use shakmaty::Move;

use crate::chess_tree::{Chess, ChessNode, DrawRules, LeafEvaluation};
use crate::config::options::OptionValue;
use crate::engine::{DefaultEvaluator, Engine, EngineBuilder, ExtraOption, Identity};
use crate::score::{INFINITY, Score};
use crate::search::report::{Reporter, SearchResult, Variation};
use crate::search::{Allocated, Search, SearchRequest, SearchSettings};

/// Depth of `bench`, plies.
pub(crate) const BENCH_DEPTH: u32 = 3;

/// Default of the option `Ordering`. With quiescence searches, `presearch` costs more than it saves.
const ORDERING: &str = "captures,killers,refutations,best-move";

/// Returns the builder of an engine that searches with this algorithm.
///
/// Of the built-in options, it has those that apply. Its own are `Leaves` (static evaluation or quiescence search),
/// `Ordering` (the heuristics of [`game_tree_search::ordering`]) and, if the algorithm can work with and without one,
/// `Memory`. `Hash` limits the memory or the OPEN list: when it is full, the search ends and the move of the last
/// finished depth is played.
///
/// ```
/// use aspirant::reference;
/// use aspirant::search::limits::Limits;
/// use game_tree_search::catalog::find_algorithm;
///
/// let mut engine = reference::builder(find_algorithm("mtd(f)").unwrap()).build()?;
/// assert!(engine.identity().name.contains("mtd(f)"));
/// assert_eq!(engine.search(Limits::depth(3)).depth, 3);
/// # Ok::<(), aspirant::engine::BuildError>(())
/// ```
#[must_use]
pub fn builder(algorithm: &'static Algorithm) -> EngineBuilder {
    let Identity { name, author, version } = Identity::default();
    let settings = Arc::new(Mutex::new(Settings::default()));
    let evaluator = DefaultEvaluator::default();
    let mut builder = Engine::builder()
        .name(format!("{name} {}", algorithm.name))
        .author(author)
        .version(version)
        .evaluator(evaluator.clone())
        .bench_depth(BENCH_DEPTH)
        .option(ExtraOption::combo("Leaves", "quiescence", &["quiescence", "static"]).on_change({
            let settings = Arc::clone(&settings);
            move |value| {
                let is_static = value.as_text() == Some("static");
                lock(&settings).leaves = if is_static { LeafEvaluation::Static } else { LeafEvaluation::Quiescence };
                Ok(())
            }
        }))
        .option(ExtraOption::text("Ordering", ORDERING).on_change({
            let settings = Arc::clone(&settings);
            move |value| {
                let names = value.as_text().unwrap_or_default().split(',');
                let expected = |name| format!("'{name}' is not one of all, none, {}", heuristic_names());
                lock(&settings).ordering = MoveOrdering::parse(names).map_err(expected)?;
                Ok(())
            }
        }));
    for name in ["Threads", "SyzygyPath", "SyzygyProbeDepth", "Syzygy50MoveRule", "SyzygyProbeLimit"] {
        builder = builder.without_option(name);
    }
    if algorithm.memory == MemoryUse::Optional {
        let settings = Arc::clone(&settings);
        builder = builder.option(ExtraOption::check("Memory", true).on_change(move |value| {
            lock(&settings).memory = *value == OptionValue::Check(true);
            Ok(())
        }));
    }
    builder.search(move || ReferenceSearch {
        algorithm,
        evaluator: evaluator.clone(),
        settings: Arc::clone(&settings),
        bytes: 0,
        memory: None,
    })
}

/// The values of the options.
#[derive(Clone, Debug)]
struct Settings {
    leaves: LeafEvaluation,
    ordering: MoveOrdering<Move>,
    memory: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let ordering = MoveOrdering::parse(ORDERING.split(',')).unwrap_or_default();
        Self { leaves: LeafEvaluation::Quiescence, ordering, memory: true }
    }
}

fn lock(settings: &Mutex<Settings>) -> MutexGuard<'_, Settings> {
    settings.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plays chess with an algorithm.
struct ReferenceSearch {
    algorithm: &'static Algorithm,
    evaluator: DefaultEvaluator,
    settings: Arc<Mutex<Settings>>,
    /// `Hash` in bytes: a quarter for the best moves of the move ordering, the rest for the memory or the OPEN list.
    bytes: usize,
    /// `None` while a search uses it.
    memory: Option<Memory<Move>>,
}

impl ReferenceSearch {
    fn new_memory(&self) -> Option<Memory<Move>> {
        Memory::bounded(self.bytes / 4 * 3)
    }
}

impl Search for ReferenceSearch {
    fn search(&mut self, request: &SearchRequest, mut reporter: Box<dyn Reporter>) -> SearchResult {
        let settings = lock(&self.settings).clone();
        let tree = PlayedTree::new(request, self.evaluator.clone(), settings.leaves);
        let mut ctx = SearchContext::new(&tree);
        ctx.ordering = settings.ordering;
        ctx.ordering.previous_best |= self.algorithm.id == AlgorithmId::IterativeDeepening;
        ctx.ordering.limit_best_moves(self.bytes / 4);
        ctx.max_open_bytes = self.bytes / 4 * 3;
        let uses_memory = match self.algorithm.memory {
            MemoryUse::Never => false,
            MemoryUse::Optional => settings.memory,
            MemoryUse::Always => true,
        };
        if uses_memory {
            ctx.memory = self.memory.take().or_else(|| self.new_memory());
        }
        let mut result = SearchResult::default();
        let mut before_last = Vec::new();
        for depth in 1.. {
            // Values alternate between odd and even depths: the iteration before the last is the better guess.
            let guesses = if before_last.is_empty() { &result.variations } else { &before_last };
            let (variations, counters) = match tree.search_depth(self.algorithm, &mut ctx, depth, guesses) {
                Ok(found) => found,
                Err(TreeSearchError::Stopped { .. }) => break,
                Err(stop) => {
                    reporter.note(&format!("depth {depth}: {stop}"));
                    break;
                }
            };
            before_last = std::mem::replace(&mut result, SearchResult::new(variations)).variations;
            result.nodes = tree.nodes.get();
            result.hashfull = ctx.memory.as_ref().map_or(0, Memory::permille_full);
            reporter.progress(&result);
            reporter.note(&counters_line(depth, &counters));
            if request.soft_limit_reached(&result) {
                break;
            }
        }
        self.memory = ctx.memory.take().or_else(|| self.memory.take());
        result
    }

    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        let mut hash = settings.hash;
        loop {
            self.bytes = hash.saturating_mul(1 << 20);
            // The former memory is freed first.
            self.memory = None;
            if self.algorithm.memory != MemoryUse::Never {
                self.memory = self.new_memory();
            }
            if self.memory.is_some() || self.algorithm.memory == MemoryUse::Never {
                return Allocated { hash, threads: settings.threads };
            }
            hash /= 2;
        }
    }
}

/// Returns the counters of an iteration as text.
fn counters_line(depth: u32, counters: &SearchCounters) -> String {
    let SearchCounters { leaves, nodes, first_move_cutoffs, hits, re_searches, passes, presearch_leaves, .. } =
        counters;
    let cutoffs = counters.cutoffs();
    format!(
        "depth {depth}: {leaves} leaves, {nodes} nodes, {cutoffs} cutoffs ({first_move_cutoffs} by the first move), \
         {hits} memory hits, {re_searches} re-searches, {passes} passes, {presearch_leaves} leaves for ordering"
    )
}

/// The game tree of a request: it counts the moves, stops at the limits and has only the root moves of the request.
struct PlayedTree<'a> {
    chess: Chess<DefaultEvaluator>,
    leaves: LeafEvaluation,
    request: &'a SearchRequest,
    /// The root moves of the current search; without those of the variations before it (MultiPV).
    root_moves: RefCell<Vec<Move>>,
    /// Moves made so far, those of quiescence searches included.
    nodes: Cell<u64>,
    max_ply: Cell<u32>,
    is_stopped: Cell<bool>,
}

impl<'a> PlayedTree<'a> {
    fn new(request: &'a SearchRequest, evaluator: DefaultEvaluator, leaves: LeafEvaluation) -> Self {
        Self {
            chess: Chess::new(request.game.clone(), evaluator, leaves, DrawRules::RepetitionsWithoutPaths),
            leaves,
            request,
            root_moves: RefCell::default(),
            nodes: Cell::new(0),
            max_ply: Cell::new(0),
            is_stopped: Cell::new(false),
        }
    }

    /// Searches to a depth; returns the variations, best first, and the cost. `guesses` are those of an earlier depth.
    ///
    /// # Errors
    /// If the search must stop or the memory is full.
    fn search_depth(
        &self,
        algorithm: &'static Algorithm,
        ctx: &mut SearchContext<Self>,
        depth: u32,
        guesses: &[Variation],
    ) -> Result<(Vec<Variation>, SearchCounters), TreeSearchError> {
        self.root_moves.replace(self.request.root_moves.clone());
        self.max_ply.set(0);
        let (mut variations, mut counters) = (Vec::new(), SearchCounters::default());
        for index in 0..self.request.multi_pv.clamp(1, self.request.root_moves.len()) {
            let guess = guesses.get(index).map(|variation| variation.score);
            let settings = AlgorithmSettings { guess, ..AlgorithmSettings::default() };
            let outcome = algorithm.of_iteration().run(ctx, &self.root(), depth, settings)?;
            // A quiescence search that was stopped has returned a wrong value.
            if self.is_stopped() {
                return Err(TreeSearchError::Stopped { nodes: outcome.counters.nodes });
            }
            counters = counters.plus(&outcome.counters);
            self.root_moves.borrow_mut().retain(|m| Some(*m) != outcome.best_move);
            let mut variation = Variation::new(outcome.principal_variation, outcome.value, depth as i32);
            variation.seldepth = self.max_ply.get() as usize;
            variations.push(variation);
        }
        Ok((variations, counters))
    }
}

impl GameTree for PlayedTree<'_> {
    type Position = ChessNode;
    type Move = Move;

    fn root(&self) -> ChessNode {
        self.chess.root()
    }

    fn moves(&self, p: &ChessNode) -> Vec<Move> {
        if p.ply() == 0 { self.root_moves.borrow().clone() } else { self.chess.moves(p) }
    }

    fn play(&self, p: &ChessNode, mv: Move) -> ChessNode {
        self.nodes.set(self.nodes.get() + 1);
        self.max_ply.set(self.max_ply.get().max(p.ply() + 1));
        if self.request.should_stop(self.nodes.get()) {
            self.is_stopped.set(true);
        }
        self.chess.play(p, mv)
    }

    fn value(&self, p: &ChessNode) -> Score {
        match self.leaves {
            LeafEvaluation::Static => self.static_value(p),
            LeafEvaluation::Quiescence => quiesce(self, p, -INFINITY, INFINITY),
        }
    }

    fn key(&self, p: &ChessNode) -> u64 {
        self.chess.key(p)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    fn gain(&self, p: &ChessNode, mv: Move) -> Score {
        self.chess.gain(p, mv)
    }
}

impl NoisyGame for PlayedTree<'_> {
    fn static_value(&self, p: &ChessNode) -> Score {
        self.chess.static_value(p)
    }

    /// Without captures that lose material: a leaf is searched with the full window, which would take too long with them.
    fn quiescence_moves(&self, p: &ChessNode) -> QuiescenceMoves<Move> {
        let mut moves = self.chess.quiescence_moves(p);
        if let QuiescenceMoves::Optional(moves) = &mut moves {
            moves.retain(|&mv| self.gain(p, mv) >= 0);
        }
        moves
    }
}
