//! The engine for front ends: a position, options, and a search on a thread of its own.
//!
//! Independent of any protocol. [`Engine::go`] returns at once; the search reports to its [`Reporter`] on the
//! search thread, and finally exactly one best move. Operations that are not possible during a search (resizing the TT,
//! a new game, another search) stop the running search first, which still reports its best move. An engine built with
//! [`EngineBuilder::inline`] starts no thread: it searches on the thread of the caller, during `go`.
//!
//! ```
//! use aspirant::engine::Engine;
//! use aspirant::search::limits::Limits;
//!
//! let mut engine = Engine::new(Default::default()).unwrap();
//! let result = engine.search(Limits::depth(5));
//! assert!(result.best_move().is_some() && result.depth == 5);
//! ```

mod builder;
mod evaluation;
mod extra_options;

use std::fmt;
#[cfg(feature = "cli")]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Sender, unbounded};
use shakmaty::{CastlingMode, Move, Position as _};

use crate::board::game::{Game, GameOutcome};
use crate::book::{Book, BookError};
use crate::config::options::{self, OPTIONS, OptionError, OptionKind, OptionSpec, OptionValue, Options};
use crate::config::{Config, tunable};
use crate::eval::king_pst::KingPst;
use crate::platform::bytes::to_path;
use crate::platform::clock::Instant;
use crate::platform::files::HAS_FILE_SYSTEM;
use crate::platform::memory::{available_memory_mb, clamp_hash_mb};
use crate::platform::sync::HAS_THREADS;
use crate::score::{DRAW, mate_in};
use crate::search::limits::Limits;
use crate::search::report::{Reporter, Variation};
use crate::search::state::control::SearchControl;
use crate::search::thread::runner::SearchRunner;
use crate::search::time::TimeManager;
use crate::search::{SearchRequest, SearchSettings};
use crate::tablebase::{Tablebase, TbProber};

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use crate::platform::clock::{set_host_clock, set_host_pause};
pub use crate::search::report::SearchResult;
pub(crate) use builder::DEFAULT_BENCH_DEPTH;
pub use builder::{BuildError, EngineBuilder, Identity};
pub use evaluation::AnyEvaluator;
pub(crate) use evaluation::{PositionScorer, SearchFactory};
pub use extra_options::ExtraOption;

/// The evaluator of [`Engine::new`] and of the program; [`EngineBuilder::evaluator`] sets another one.
pub type DefaultEvaluator = KingPst;

/// Stops the running search of its engine, from any thread; stays valid across searches.
///
/// Between two searches [`StopHandle::stop`] has no effect: the next search is not ended by it.
///
/// ```
/// use aspirant::engine::Engine;
/// use aspirant::search::limits::Limits;
/// use aspirant::search::report::Silent;
///
/// let mut engine = Engine::new(Default::default()).unwrap();
/// let handle = engine.stop_handle();
/// engine.go(Limits::infinite(), Box::new(Silent));
/// std::thread::spawn(move || handle.stop());
/// engine.wait();
/// ```
#[derive(Clone)]
pub struct StopHandle {
    /// The running search, or the last one.
    current: Arc<Mutex<Arc<SearchControl>>>,
}

impl fmt::Debug for StopHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopHandle").finish_non_exhaustive()
    }
}

impl StopHandle {
    fn new() -> Self {
        Self { current: Arc::new(Mutex::new(Arc::new(SearchControl::new(1)))) }
    }

    /// Stops the running search, which then reports its best move.
    pub fn stop(&self) {
        self.lock().stop();
    }

    /// Ends pondering: the opponent played the expected move. No effect without `ponder`.
    pub fn ponder_hit(&self) {
        self.lock().ponder_hit();
    }

    /// Stops the current search and makes `next` the current one, so that no `stop` falls in between.
    fn replace(&self, next: Arc<SearchControl>) {
        let mut current = self.lock();
        current.stop();
        *current = next;
    }

    fn lock(&self) -> MutexGuard<'_, Arc<SearchControl>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Error of [`Engine::set_option`]. The engine stays usable after each of them.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum SetOptionError {
    /// Unknown option, invalid value, or not allowed here. Nothing is changed.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The book cannot be read. The option is set; no book is used, not even the former one.
    #[error("{0}; no book is used")]
    Book(#[from] BookError),
    /// No tablebase file was found. The option is set; no tablebases are used, not even the former ones.
    #[error("{0}")]
    Tablebases(String),
    /// There is not enough memory for the transposition table. The option is set; the table has the allocated size.
    #[error("could allocate only {allocated} of {requested} MB for the transposition table")]
    Hash {
        /// Size that was set, MB.
        requested: usize,
        /// Size of the table in use, MB.
        allocated: usize,
    },
    /// There is not enough memory for the search threads, or the system cannot start as many. The option is set; fewer
    /// threads are used.
    #[error("could start only {allocated} of {requested} search threads")]
    Threads {
        /// Number that was set.
        requested: usize,
        /// Number in use.
        allocated: usize,
    },
    /// The function of [`ExtraOption::on_change`] rejected the value. The option keeps its value.
    #[error("option '{option}': '{value}' is rejected: {reason}; the former value is kept")]
    Rejected {
        /// Name of the option.
        option: &'static str,
        /// Input, shortened and without control characters.
        value: String,
        /// Its error.
        reason: String,
    },
    /// Applying the option failed because of a defect. The option is set and has no effect.
    #[error("internal error; option '{option}' has no effect")]
    SearchThread {
        /// Name of the option.
        option: &'static str,
    },
}

/// An engine and the runner of its searches.
///
/// Dropping it stops the search, which still reports its best move, and waits for its end. For a search that does not
/// end, it waits only until the best move is reported and one more second; the thread then ends with the process.
pub struct Engine {
    identity: Identity,
    config: Config,
    extra_options: Vec<ExtraOption>,
    /// Names of the built-in options that do not apply.
    absent_options: Vec<&'static str>,
    factory: SearchFactory,
    runner: SearchRunner,
    /// Whether the searches run on the thread of the caller.
    inline: bool,
    /// Last settings of the runner; `hash` is the allocated size, `threads` the requested number.
    search_settings: SearchSettings,
    /// Number of search threads that could be allocated.
    threads: usize,
    game: Game,
    stop_handle: StopHandle,
    book: Option<Book>,
    tablebases: Option<Arc<Tablebase>>,
    /// Random numbers for the choice of book moves.
    book_rng: fastrand::Rng,
    /// Seed of the evaluation noise below full strength.
    skill_seed: u64,
    /// Depth of `bench` without an argument, plies.
    bench_depth: u32,
    /// Notices and errors of the configuration, until they are taken.
    startup_messages: Vec<String>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Engine");
        fields.field("identity", &self.identity).field("game", &self.game).finish_non_exhaustive()
    }
}

impl Engine {
    /// Returns a builder: default identity, evaluator and configuration, unless replaced.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::new()
    }

    /// Starts an engine with the default evaluator.
    ///
    /// [`Engine::take_startup_messages`] returns what could not be applied of the configuration.
    ///
    /// # Errors
    /// [`BuildError::System`] if the system cannot start a thread or allocate one searcher.
    pub fn new(config: Config) -> Result<Self, BuildError> {
        Self::builder().config(config).build()
    }

    pub(crate) fn start(
        mut config: Config,
        factory: SearchFactory,
        identity: Identity,
        extra_options: Vec<ExtraOption>,
        inline: bool,
    ) -> std::io::Result<Self> {
        let inline = inline || !HAS_THREADS;
        let threads_error = check_inline_threads(inline, &config.options).err();
        if threads_error.is_some() {
            let _ = config.options.set_threads(1);
        }
        let mut search_settings = search_settings(&config);
        let requested_hash = search_settings.hash;
        search_settings.hash = clamp_hash_mb(requested_hash, available_memory_mb());
        let make = {
            let (factory, settings) = (factory.clone(), search_settings.clone());
            move || factory.make(settings)
        };
        let (runner, allocated) = SearchRunner::start(make, &search_settings, inline)?;
        search_settings.hash = allocated.hash;
        let mut engine = Self {
            identity,
            extra_options,
            absent_options: Vec::new(),
            factory,
            runner,
            inline,
            threads: allocated.threads,
            search_settings,
            game: Game::default(),
            stop_handle: StopHandle::new(),
            book: None,
            tablebases: None,
            book_rng: book_rng(&config.options),
            skill_seed: skill_seed(&config.options),
            bench_depth: DEFAULT_BENCH_DEPTH,
            startup_messages: Vec::new(),
            config,
        };
        let results = [
            check_hash(engine.search_settings.hash, requested_hash).map(|()| None),
            check_threads(engine.threads, engine.search_settings.threads).map(|()| None),
            engine.open_book().map(|()| None),
            engine.open_tablebases(),
        ];
        let text =
            |result: Result<Option<String>, SetOptionError>| result.unwrap_or_else(|error| Some(error.to_string()));
        let threads_message = threads_error.map(|error| format!("{error}; one thread is used"));
        engine.startup_messages = threads_message.into_iter().chain(results.into_iter().filter_map(text)).collect();
        Ok(engine)
    }

    /// Takes the notices and errors of the options that the engine was started with.
    ///
    /// Whatever could not be applied is listed: an unreadable book, missing tablebases, less memory or fewer threads.
    #[must_use]
    pub fn take_startup_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.startup_messages)
    }

    /// Returns name, author and version.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the type-erased evaluator; `None` for an engine with a [search](EngineBuilder::search) of its own for
    /// which none was set.
    #[must_use]
    pub fn evaluator(&self) -> Option<&AnyEvaluator> {
        self.factory.evaluator()
    }

    /// Returns what makes the searches of this engine and of its `bench`.
    #[cfg(feature = "uci")]
    pub(crate) fn search_factory(&self) -> &SearchFactory {
        &self.factory
    }

    /// Returns the depth of `bench` without an argument, plies.
    #[cfg(feature = "uci")]
    pub(crate) fn bench_depth(&self) -> u32 {
        self.bench_depth
    }

    /// Returns the options declared with [`EngineBuilder::option`].
    #[must_use]
    pub fn extra_options(&self) -> &[ExtraOption] {
        &self.extra_options
    }

    /// Returns the value of an option declared with [`EngineBuilder::option`].
    #[must_use]
    pub fn extra_option(&self, name: &str) -> Option<&OptionValue> {
        self.extra_options.iter().find(|option| option.is(name)).map(ExtraOption::value)
    }

    /// Returns the declarations of the built-in options that this engine has.
    ///
    /// Of [`OPTIONS`], those are missing that this build does not [support](OptionSpec::is_offered) or that do not apply
    /// to the engine ([`EngineBuilder::without_option`]). The range of `Threads` differs if the engine is
    /// [inline](EngineBuilder::inline).
    pub fn option_specs(&self) -> impl Iterator<Item = OptionSpec> {
        let is_present = |spec: &OptionSpec| spec.is_offered() && !self.absent_options.contains(&spec.name);
        (0..OPTIONS.len()).map(|row| self.option_spec(row)).filter(is_present)
    }

    fn option_spec(&self, row: usize) -> OptionSpec {
        let spec = OPTIONS[row];
        if self.is_inline() && spec.key == "threads" {
            return OptionSpec { kind: OptionKind::Spin { default: 1, min: 1, max: 1 }, ..spec };
        }
        spec
    }

    /// Returns the values of the options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.config.options
    }

    /// Returns the configuration: options and search parameters.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the allocated size of the TT in MB; less than the option `Hash` if the memory is not available.
    #[cfg(feature = "cli")]
    pub(crate) fn allocated_hash_mb(&self) -> usize {
        self.search_settings.hash
    }

    /// Sets an option by its UCI name. A running search is stopped first if the option requires it.
    ///
    /// Returns a message for the user, if there is one: which tablebase files were found in `SyzygyPath`, and the first
    /// that cannot be used.
    ///
    /// # Errors
    /// [`SetOptionError`]; its variants describe what is changed nevertheless.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<Option<String>, SetOptionError> {
        if let Some(param) = tunable().iter().find(|param| param.name.eq_ignore_ascii_case(name.trim())) {
            self.config.set_param(param.name, value.trim())?;
            return self.apply_settings(param.name).map(|()| None);
        }
        if let Some(index) = self.extra_options.iter().position(|option| option.is(name)) {
            let new_value = self.extra_options[index].parse(value, self.config.restricted)?;
            // Before `on_change`, which may panic.
            self.clear();
            return self.extra_options[index].set(new_value).map(|()| None);
        }
        let row = options::find(name)?;
        if self.absent_options.contains(&OPTIONS[row].name) {
            return Err(OptionError::unknown(name, self.option_specs().map(|spec| spec.name)).into());
        }
        if self.config.restricted && OPTIONS[row].is_file {
            return Err(OptionError::Restricted { name: OPTIONS[row].name }.into());
        }
        let value = self.option_spec(row).parse(value)?;
        self.set_row(row, value)
    }

    /// Sets options with their typed setters. A running search is stopped first if an option requires it.
    ///
    /// ```
    /// # let mut engine = aspirant::engine::Engine::builder().build()?;
    /// engine.update_options(|options| options.set_hash(64)?.set_multi_pv(3))?;
    /// assert_eq!(engine.options().hash(), 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SetOptionError`]: nothing is changed if a value is out of range; after any other error, the options that come
    /// later in [`OPTIONS`] are unchanged.
    pub fn update_options(
        &mut self,
        change: impl FnOnce(&mut Options) -> Result<&mut Options, OptionError>,
    ) -> Result<Vec<String>, SetOptionError> {
        let mut options = self.config.options.clone();
        change(&mut options)?;
        check_inline_threads(self.is_inline(), &options)?;
        let mut notices = Vec::new();
        for row in 0..OPTIONS.len() {
            let value = options.get(row);
            if value != self.options().get(row) {
                notices.extend(self.set_row(row, value)?);
            }
        }
        Ok(notices)
    }

    /// Sets the option with this index in [`OPTIONS`] to a valid value.
    fn set_row(&mut self, row: usize, value: OptionValue) -> Result<Option<String>, SetOptionError> {
        let strength = self.options().strength();
        let fifty_move_rule = self.options().syzygy_50_move_rule();
        self.config.options.store(row, value);
        if self.options().strength() != strength {
            // TT entries of a stronger search would raise the playing strength.
            self.new_game();
        }
        match OPTIONS[row].key {
            "clear_hash" => {
                self.clear();
                return Ok(None);
            }
            "book_file" => return self.open_book().map(|()| None),
            "syzygy_path" => return self.open_tablebases(),
            "syzygy_50_move_rule" if self.options().syzygy_50_move_rule() != fifty_move_rule => {
                // The TT contains tablebase scores of the former rule.
                self.clear();
            }
            "book_seed" => self.book_rng = book_rng(self.options()),
            "skill_seed" => {
                if strength.is_some() {
                    // The TT contains scores with the noise of the previous seed.
                    self.clear();
                }
                self.skill_seed = skill_seed(self.options());
                return Ok(None);
            }
            _ => {}
        }
        self.apply_settings(OPTIONS[row].name).map(|()| None)
    }

    /// Configures the runner if `option` has changed its settings.
    ///
    /// A failed allocation of the TT is repeated only when `Hash` is set again; missing threads are started, if
    /// possible, whenever the runner is configured.
    fn apply_settings(&mut self, option: &'static str) -> Result<(), SetOptionError> {
        let mut settings = search_settings(&self.config);
        let sets_hash = option == "Hash";
        if !sets_hash {
            settings.hash = self.search_settings.hash;
        }
        let retries_threads = option == "Threads" && self.threads < settings.threads;
        if settings == self.search_settings && !retries_threads {
            return Ok(());
        }
        self.stop();
        if sets_hash && settings.hash > self.search_settings.hash {
            // The old TT is freed first: its unused pages already count as available.
            let small = SearchSettings { hash: 1, ..self.search_settings.clone() };
            let freed = self.runner.configure(&small).ok_or(SetOptionError::SearchThread { option })?;
            (self.threads, self.search_settings.hash) = (freed.threads, freed.hash);
            settings.hash = clamp_hash_mb(settings.hash, available_memory_mb());
        }
        let allocated = self.runner.configure(&settings).ok_or(SetOptionError::SearchThread { option })?;
        self.threads = allocated.threads;
        self.search_settings = SearchSettings { hash: allocated.hash, ..settings };
        if sets_hash {
            check_hash(allocated.hash, self.options().hash())?;
        }
        check_threads(allocated.threads, self.search_settings.threads)
    }

    /// Reads the book of the option `Book File`; without one, or after an error, no book is used.
    fn open_book(&mut self) -> Result<(), SetOptionError> {
        self.book = None;
        let path = self.config.options.book_file();
        if HAS_FILE_SYSTEM && !path.is_empty() {
            self.book = Some(Book::open(&to_path(path))?);
        }
        Ok(())
    }

    /// Finds the tablebases of the option `SyzygyPath`. A running search continues with the former ones.
    fn open_tablebases(&mut self) -> Result<Option<String>, SetOptionError> {
        if let Some(former) = self.tablebases.take() {
            former.close_files();
        }
        let (found, text) = Tablebase::open(self.config.options.syzygy_path());
        self.tablebases = found.map(Arc::new);
        match text {
            Some(text) if self.tablebases.is_none() => Err(SetOptionError::Tablebases(text)),
            text => Ok(text),
        }
    }

    /// Returns the tablebases with the probe settings of the next search.
    fn tb_prober(&self) -> Option<TbProber> {
        let (tablebase, options) = (Arc::clone(self.tablebases.as_ref()?), self.options());
        let (probe_depth, probe_limit) = (options.syzygy_probe_depth(), options.syzygy_probe_limit());
        (probe_limit > 0).then(|| TbProber {
            tablebase,
            probe_depth,
            probe_limit,
            fifty_move_rule: options.syzygy_50_move_rule(),
        })
    }

    /// Returns a book move and a reply to ponder on if the book applies: only with a clock or `movetime`, and not together with any other limit,
    /// `searchmoves`, MultiPV or analysis.
    fn book_move(&mut self, limits: &Limits) -> Option<(Move, Option<Move>)> {
        let options = &self.config.options;
        let timed = limits.move_time.is_some() || limits.clock_of(self.game.position.turn()).0.is_some();
        let requires_search = limits.infinite
            || limits.ponder
            || !limits.search_moves.is_empty()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.soft_nodes.is_some()
            || limits.mate.is_some()
            || options.multi_pv() > 1
            || options.analyze_mode();
        let position = &self.game.position;
        let too_late = position.chess().fullmoves().get() > options.book_depth();
        if !options.own_book() || !timed || requires_search || too_late {
            return None;
        }
        let book = self.book.as_ref().filter(|_| HAS_FILE_SYSTEM)?;
        let m = book.choose(&self.game, options.best_book_move(), &mut self.book_rng)?.m;
        let ponder = self.game.after(m).and_then(|game| Some(book.moves(&game.position).first()?.m));
        Some((m, ponder))
    }

    /// Sets position and game history for the next search; a running search is not affected.
    ///
    /// A [`Position`](crate::board::position::Position) is a game without history.
    pub fn set_game(&mut self, game: impl Into<Game>) {
        self.game = game.into();
    }

    /// Returns position and game history.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the notation of castling moves.
    ///
    /// Chess960 if the option is set or the castling rights require it.
    #[must_use]
    pub fn castling_mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(
            self.options().chess960() || self.game.position.chess().castles().mode().is_chess960(),
        )
    }

    /// Starts a search of the current position and returns at once.
    ///
    /// A running search is stopped and reports its best move first. An [inline](EngineBuilder::inline) engine searches
    /// during this call.
    pub fn go(&mut self, limits: Limits, reporter: Box<dyn Reporter>) {
        self.start_search(limits, reporter, true);
    }

    /// Starts a search like [`Engine::go`], but waits for a late result: for callers that lose nothing by waiting.
    #[cfg(feature = "cli")]
    pub(crate) fn go_without_deadline(&mut self, limits: Limits, reporter: Box<dyn Reporter>) {
        self.start_search(limits, reporter, false);
    }

    fn start_search(&mut self, limits: Limits, reporter: Box<dyn Reporter>, has_deadline: bool) {
        let start = Instant::now();
        self.stop();
        let book_move = self.book_move(&limits);
        let limits = match self.options().strength() {
            Some(strength) => {
                let pv_count = self.pv_count(&limits);
                let position = &self.game.position;
                let has_bare_king = position.board().by_color(!position.turn()).count() == 1;
                let strength = if has_bare_king { strength.against_bare_king() } else { strength };
                strength.apply_to(limits, pv_count, self.skill_seed)
            }
            None => limits,
        };
        let threads = self.threads;
        let control =
            Arc::new(if limits.ponder { SearchControl::pondering(threads) } else { SearchControl::new(threads) });
        let (side, overhead) = (self.game.position.turn(), self.options().move_overhead());
        let time = TimeManager::new(&limits, side, overhead, start, &self.config.params);
        let mut request = SearchRequest::untimed(self.game.clone(), limits);
        request.time = if has_deadline { time } else { time.without_deadline() };
        request.control = Arc::clone(&control);
        request.multi_pv = self.options().multi_pv();
        request.analyze_mode = self.options().analyze_mode();
        request.move_overhead = overhead;
        request.tb_prober = self.tb_prober();
        self.stop_handle.replace(control);
        let Some((m, ponder)) = book_move else { return self.runner.search(request, reporter) };
        request.root_moves = vec![m];
        let evaluator = self.evaluator().cloned();
        self.runner.answer(request, move |request| book_result(evaluator.as_ref(), request, m, ponder), reporter);
    }

    /// Returns the number of PVs: MultiPV, limited by the number of root moves.
    fn pv_count(&self, limits: &Limits) -> usize {
        let is_included = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        let root_moves = self.game.position.chess().legal_moves().into_iter().filter(is_included).count();
        self.options().multi_pv().min(root_moves.max(1))
    }

    /// Searches and returns the result.
    ///
    /// With `infinite` or `ponder`, this returns only after [`StopHandle::stop`] from another thread; use [`Engine::go`]
    /// to ponder. Without any limit, the search ends at the maximum depth.
    pub fn search(&mut self, limits: Limits) -> SearchResult {
        let (sender, result) = unbounded();
        self.go(limits, Box::new(ResultSender(sender)));
        result.recv().unwrap_or_default()
    }

    /// Searches a game or position, passes the result so far to `progress` after each iteration, and returns the final
    /// result.
    ///
    /// `progress` runs on the calling thread; with an [inline](EngineBuilder::inline) engine, after the search. To cancel,
    /// call [`StopHandle::stop`] in it or on another thread.
    ///
    /// ```
    /// use aspirant::board::position::parse_fen;
    /// use aspirant::engine::Engine;
    /// use aspirant::score::is_mate;
    /// use aspirant::search::limits::Limits;
    ///
    /// let mut engine = Engine::builder().build()?;
    /// let stop = engine.stop_handle();
    /// let position = parse_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?;
    /// let result = engine.analyze(position, Limits::infinite(), |progress| {
    ///     println!("depth {}: {} nodes", progress.depth, progress.nodes);
    ///     if is_mate(progress.score()) {
    ///         stop.stop();
    ///     }
    /// });
    /// assert_eq!(engine.game().position.san(result.pv()[0]), "Rd8#");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn analyze(
        &mut self,
        game: impl Into<Game>,
        limits: Limits,
        mut progress: impl FnMut(&SearchResult),
    ) -> SearchResult {
        self.set_game(game);
        let (sender, reports) = unbounded();
        self.go(limits, Box::new(ReportSender(sender)));
        for (is_final, result) in reports {
            if is_final {
                return result;
            }
            progress(&result);
        }
        SearchResult::default()
    }

    /// Searches like [`Engine::search`], but waits for a late result.
    ///
    /// Stops at once if `is_stopped` is set: a stop before the start of the search does not reach it.
    #[cfg(feature = "cli")]
    pub(crate) fn search_without_deadline(&mut self, limits: Limits, is_stopped: &AtomicBool) -> SearchResult {
        let (sender, result) = unbounded();
        self.go_without_deadline(limits, Box::new(ResultSender(sender)));
        if is_stopped.load(Relaxed) {
            self.stop();
        }
        result.recv().unwrap_or_default()
    }

    /// Stops the running search, which then reports its best move.
    pub fn stop(&self) {
        self.stop_handle.stop();
    }

    /// Returns a handle with which other threads can stop this engine's searches.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop_handle.clone()
    }

    /// Ends pondering: the opponent played the expected move. No effect without `ponder`.
    pub fn ponder_hit(&self) {
        self.stop_handle.ponder_hit();
    }

    /// Prepares for a new game: stops the running search, clears the TT and the histories, and draws new evaluation
    /// noise for limited strength.
    pub fn new_game(&mut self) {
        self.skill_seed = skill_seed(self.options());
        self.clear();
    }

    /// Stops the running search and clears the TT and the histories.
    fn clear(&self) {
        self.stop();
        self.runner.new_game();
    }

    /// Waits until the running search has ended.
    ///
    /// For a search that hangs, it waits only until the best move is reported and one more second.
    ///
    /// With `infinite` or `ponder`, call [`Engine::stop`] or [`Engine::ponder_hit`] first; otherwise this waits until
    /// another thread stops the search.
    pub fn wait(&self) {
        let _ = self.runner.wait();
    }

    /// Returns whether the engine searches on the thread of its caller; see [`EngineBuilder::inline`].
    #[must_use]
    pub fn is_inline(&self) -> bool {
        // The constant lets the compiler remove the code of engines with threads from WebAssembly.
        self.inline || !HAS_THREADS
    }
}

/// Stops a running search, which then reports its best move; dropping the runner waits for that.
impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

fn check_hash(allocated: usize, requested: usize) -> Result<(), SetOptionError> {
    if allocated == requested { Ok(()) } else { Err(SetOptionError::Hash { requested, allocated }) }
}

/// Returns an error if an inline engine is configured with more than one thread.
fn check_inline_threads(inline: bool, options: &Options) -> Result<(), OptionError> {
    if !inline || options.threads() == 1 {
        return Ok(());
    }
    let (value, expected) =
        (options.threads().to_string(), "1, this engine searches on the thread of its caller".into());
    Err(OptionError::Value { name: "Threads", value, expected })
}

fn check_threads(allocated: usize, requested: usize) -> Result<(), SetOptionError> {
    if allocated >= requested { Ok(()) } else { Err(SetOptionError::Threads { requested, allocated }) }
}

fn book_rng(options: &Options) -> fastrand::Rng {
    match options.book_seed() {
        0 => fastrand::Rng::new(),
        seed => fastrand::Rng::with_seed(seed),
    }
}

fn skill_seed(options: &Options) -> u64 {
    match options.skill_seed() {
        0 => fastrand::u64(..),
        seed => seed,
    }
}

/// Returns the settings of the thread pool.
///
/// Below full strength one thread is used, because only then the node limit is exact.
fn search_settings(config: &Config) -> SearchSettings {
    let options = &config.options;
    let threads = if options.strength().is_some() { 1 } else { options.threads() };
    SearchSettings { hash: options.hash(), threads, params: config.params.clone() }
}

/// Returns the result of a book move; its score is the static evaluation after the move, a draw score without evaluator.
fn book_result(
    evaluator: Option<&AnyEvaluator>,
    request: &SearchRequest,
    m: Move,
    ponder: Option<Move>,
) -> SearchResult {
    let child = Game::new(request.game.position.play(m));
    let score = match child.outcome() {
        Some(GameOutcome::Checkmate { .. }) => mate_in(1),
        Some(_) => DRAW,
        None => evaluator.map_or(DRAW, |evaluator| -evaluator.evaluate(&child.position)),
    };
    let pv = std::iter::once(m).chain(ponder).collect();
    let mut result = SearchResult::new(vec![Variation::new(pv, score, 1)]);
    (result.is_book, result.nodes, result.time) = (true, 1, request.time.elapsed());
    result
}

/// Sends the final result.
pub(crate) struct ResultSender(pub(crate) Sender<SearchResult>);

impl Reporter for ResultSender {
    fn finished(&mut self, result: &SearchResult) {
        let _ = self.0.send(result.clone());
    }
}

/// Sends each result so far with `false`, and the final one with `true`.
struct ReportSender(Sender<(bool, SearchResult)>);

impl Reporter for ReportSender {
    fn progress(&mut self, result: &SearchResult) {
        let _ = self.0.send((false, result.clone()));
    }

    fn finished(&mut self, result: &SearchResult) {
        let _ = self.0.send((true, result.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multi_pv_is_limited_by_the_root_moves() {
        let mut config = Config::default();
        config.options.set("MultiPV", "256").unwrap();
        let engine = Engine::new(config).unwrap();
        assert_eq!(engine.pv_count(&Limits::default()), 20);
        let search_moves = engine.game().position.parse_move("e2e4").into_iter().collect();
        assert_eq!(engine.pv_count(&Limits { search_moves, ..Limits::default() }), 1);
    }
}
