//! The engine as front ends see it: a position, options, and a search that runs beside them.
//!
//! No text of any protocol passes here. `go` returns at once; what the search has to say goes to the
//! [`Reporter`] it was given, on the search's thread, and ends with exactly one `best_move`. Whatever must
//! not happen during a search (a new table, a new game, another search) stops the running one first, which
//! then still answers.
//!
//! ```
//! use aspirant::engine::Engine;
//! use aspirant::search::limits::Limits;
//!
//! let mut engine = Engine::new(Default::default()).unwrap();
//! let answer = engine.search(Limits::depth(5));
//! assert!(answer.best.is_some());
//! ```

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crossbeam_channel::{Sender, unbounded};
use shakmaty::{CastlingMode, Position as _};

use crate::book::{Book, BookError};
use crate::config::{Config, tunable};
use crate::eval::Evaluator;
use crate::eval::pst::Pst;
use crate::machine::{available_megabytes, table_megabytes};
use crate::options::{self, FILE_OPTIONS, OPTIONS, OptionError, Options};
use crate::position::Game;
use crate::search::Task;
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::search::signals::Signals;
use crate::search::time::TimeManager;
use crate::search::worker::{Known, Settings, Worker};
use crate::tablebase::{Tablebase, Tables};

/// The evaluator that is played with; another one is named here.
pub type DefaultEvaluator = Pst;

/// Stops whichever search of its engine runs at that moment, from any thread; stays valid across searches.
///
/// Between two searches [`StopHandle::stop`] has no effect: the next search is not ended by it.
///
/// ```
/// use aspirant::engine::Engine;
/// use aspirant::search::limits::Limits;
/// use std::time::Duration;
///
/// let mut engine = Engine::new(Default::default()).unwrap();
/// let handle = engine.stop_handle();
/// std::thread::spawn(move || {
///     std::thread::sleep(Duration::from_millis(100));
///     handle.stop();
/// });
/// let answer = engine.search(Limits { infinite: true, ..Limits::default() });
/// assert!(answer.best.is_some());
/// ```
#[derive(Clone)]
pub struct StopHandle {
    /// The running search, or the last one.
    current: Arc<Mutex<Arc<Signals>>>,
}

impl StopHandle {
    fn new() -> Self {
        Self { current: Arc::new(Mutex::new(Arc::new(Signals::new(1)))) }
    }

    /// Ends the running search; its best move is reported soon after.
    pub fn stop(&self) {
        self.lock().stop();
    }

    /// Stops the current search and makes `next` the current one, so that no `stop` falls in between.
    fn replace(&self, next: Arc<Signals>) {
        let mut current = self.lock();
        current.stop();
        *current = next;
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Signals>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Information about an option that was set as requested.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Which tablebase files were found in `SyzygyPath`, and the first that cannot be used.
    Tablebases(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tablebases(text) => f.write_str(text),
        }
    }
}

/// Error of [`Engine::set_option`]. The engine stays usable after each of them.
#[derive(thiserror::Error, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SetOptionError {
    /// Unknown option, invalid value, or not allowed here. Nothing is changed.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Invalid value of a search parameter (feature `tune`). Nothing is changed.
    #[error("{0}")]
    Parameter(String),
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
    /// There is not enough memory for the search threads. The option is set; fewer threads are used.
    #[error("could allocate memory for only {allocated} of {requested} search threads")]
    Threads {
        /// Number that was set.
        requested: usize,
        /// Number in use.
        allocated: usize,
    },
    /// The search thread has ended because of a defect. The option is set and has no effect.
    #[error("internal error; option '{option}' has no effect")]
    SearchThread {
        /// Name of the option.
        option: &'static str,
    },
}

/// An engine with its search thread.
pub struct Engine {
    config: Config,
    worker: Worker,
    /// What the worker was last told, but for a table that could not be had: that is as large as it is.
    applied: Settings,
    /// Search threads there was memory for.
    threads: usize,
    game: Game,
    stop_handle: StopHandle,
    book: Option<Book>,
    tables: Option<Arc<Tablebase>>,
    /// Chooses among book moves.
    random: fastrand::Rng,
    /// Which errors are made below full strength.
    skill_seed: u64,
    /// Notices and errors of the configuration, until they are taken.
    startup_messages: Vec<String>,
}

impl Engine {
    /// Starts the search thread.
    ///
    /// # Errors
    /// If the system has no thread to give, or no memory for a search.
    pub fn new(config: Config) -> std::io::Result<Self> {
        Self::with_evaluator(config, DefaultEvaluator::default())
    }

    /// Starts the search thread with an evaluator of your own.
    ///
    /// # Errors
    /// If the system has no thread to give, or no memory for a search.
    pub fn with_evaluator<E: Evaluator>(config: Config, eval: E) -> std::io::Result<Self> {
        let mut applied = settings(&config);
        let asked = applied.hash;
        applied.hash = table_megabytes(asked, 0, available_megabytes());
        let (worker, got) = Worker::start(eval, applied.clone())?;
        applied.hash = got.hash;
        let mut engine = Self {
            worker,
            threads: got.threads,
            applied,
            game: Game::default(),
            stop_handle: StopHandle::new(),
            book: None,
            tables: None,
            random: seeded(&config.options),
            skill_seed: skill_seed(&config.options),
            startup_messages: Vec::new(),
            config,
        };
        let results = [
            check_hash(engine.applied.hash, asked).map(|()| None),
            check_threads(engine.threads, engine.applied.threads).map(|()| None),
            engine.open_book().map(|()| None),
            engine.open_tables(),
        ];
        let text = |result: Result<Option<Notice>, SetOptionError>| match result {
            Ok(notice) => notice.map(|notice| notice.to_string()),
            Err(error) => Some(error.to_string()),
        };
        engine.startup_messages = results.into_iter().filter_map(text).collect();
        Ok(engine)
    }

    /// Takes the notices and errors of the options that the engine was started with.
    pub fn take_startup_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.startup_messages)
    }

    /// The options as they are set.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.config.options
    }

    /// The configuration as it is set.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sets an option by its UCI name. A running search is stopped first if the option requires it.
    ///
    /// # Errors
    /// [`SetOptionError`], whose variants say what is changed nevertheless.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<Option<Notice>, SetOptionError> {
        if let Some(param) = tunable().iter().find(|param| param.name == name.trim()) {
            self.config.set_param(param.name, value.trim()).map_err(SetOptionError::Parameter)?;
            return self.apply_settings(param.name).map(|()| None);
        }
        let row = options::find(name)?;
        if self.config.restricted && FILE_OPTIONS.contains(&OPTIONS[row].name) {
            return Err(OptionError::Restricted { name: OPTIONS[row].name }.into());
        }
        let strength = self.options().strength();
        self.config.options.set(name, value)?;
        if self.options().strength() != strength {
            // TT entries of a stronger search would raise the playing strength.
            self.new_game();
        }
        match OPTIONS[row].name {
            _ if Options::is_clear_hash(row) => {
                self.new_game();
                return Ok(None);
            }
            "Book File" => return self.open_book().map(|()| None),
            "SyzygyPath" => return self.open_tables(),
            "Book Seed" => self.random = seeded(self.options()),
            "Skill Seed" => self.skill_seed = skill_seed(self.options()),
            _ => {}
        }
        self.apply_settings(OPTIONS[row].name).map(|()| None)
    }

    /// Configures the search thread if `option` has changed its settings. An allocation that failed before is
    /// repeated only when the same option is set again.
    fn apply_settings(&mut self, option: &'static str) -> Result<(), SetOptionError> {
        let mut settings = settings(&self.config);
        let sets_hash = option == "Hash";
        if !sets_hash {
            settings.hash = self.applied.hash;
        }
        let retries_threads = option == "Threads" && self.threads < settings.threads;
        if settings == self.applied && !retries_threads {
            return Ok(());
        }
        self.stop();
        if sets_hash {
            settings.hash = table_megabytes(settings.hash, self.applied.hash, available_megabytes());
        }
        let allocated = self.worker.configure(&settings).ok_or(SetOptionError::SearchThread { option })?;
        self.threads = allocated.threads;
        self.applied = Settings { hash: allocated.hash, ..settings };
        if sets_hash {
            check_hash(allocated.hash, self.options().hash())?;
        }
        check_threads(allocated.threads, self.applied.threads)
    }

    /// Reads the book of the option `Book File`; without one, or after an error, no book is used.
    fn open_book(&mut self) -> Result<(), SetOptionError> {
        self.book = None;
        let path = self.config.options.book_file();
        if !path.is_empty() {
            self.book = Some(Book::open(Path::new(path))?);
        }
        Ok(())
    }

    /// Finds the tablebases of the option `SyzygyPath`. A running search continues with the former ones.
    fn open_tables(&mut self) -> Result<Option<Notice>, SetOptionError> {
        let (found, text) = Tablebase::find(self.config.options.syzygy_path());
        self.tables = found.map(Arc::new);
        match text {
            Some(text) if self.tables.is_none() => Err(SetOptionError::Tablebases(text)),
            text => Ok(text.map(Notice::Tablebases)),
        }
    }

    /// The tables as the next search is to use them.
    fn tables(&self) -> Option<Tables> {
        let (base, options) = (Arc::clone(self.tables.as_ref()?), self.options());
        let (depth, limit) = (options.syzygy_probe_depth(), options.syzygy_probe_limit());
        (limit > 0).then(|| Tables { base, depth, limit, fifty_moves: options.syzygy_50_move_rule() })
    }

    /// The book's move, if this search may be answered from it: only where a clock or a fixed time rules it. Whoever
    /// asks for depth, nodes, a mate, certain moves, several lines or an endless search wants a search.
    fn book_move(&mut self, limits: &Limits, start: Instant) -> Option<Known> {
        let options = &self.config.options;
        let timed = limits.move_time.is_some() || limits.clock(self.game.position.turn()).0.is_some();
        let asked_to_search = limits.infinite
            || limits.ponder
            || !limits.search_moves.is_empty()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.mate.is_some()
            || options.multi_pv() > 1
            || options.analyse_mode();
        let position = &self.game.position;
        let too_late = position.chess().fullmoves().get() > options.book_depth();
        if !options.own_book() || !timed || asked_to_search || too_late {
            return None;
        }
        let book = self.book.as_ref()?;
        let m = book.choose(position, options.best_book_move(), &mut self.random)?.m;
        let ponder = self.game.after(m).and_then(|game| Some(book.moves(&game.position).first()?.m));
        Some(Known { position: position.clone(), m, ponder, start })
    }

    /// Puts a game on the board. A running search goes on with its own.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// The game on the board.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How moves are written: as the option says, and always as Chess960 where castling is not standard.
    #[must_use]
    pub fn castling_mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(
            self.options().chess960() || self.game.position.chess().castles().mode().is_chess960(),
        )
    }

    /// Starts a search of the position on the board and returns. A search that still runs is stopped and
    /// answers first.
    pub fn go(&mut self, limits: Limits, reporter: Box<dyn Reporter>) {
        let start = Instant::now();
        self.stop();
        let book_move = self.book_move(&limits, start);
        let limits = match self.options().strength() {
            Some(strength) => {
                let lines = self.lines(&limits);
                strength.weaken(limits, lines, self.skill_seed)
            }
            None => limits,
        };
        let threads = self.threads;
        let signals = Arc::new(if limits.ponder { Signals::pondering(threads) } else { Signals::new(threads) });
        let (side, overhead) = (self.game.position.turn(), self.options().move_overhead());
        let task = Task {
            game: self.game.clone(),
            time: TimeManager::new(&limits, side, overhead, start, &self.config.params),
            limits,
            signals: Arc::clone(&signals),
            multi_pv: self.options().multi_pv(),
            analyse_mode: self.options().analyse_mode(),
            tables: self.tables(),
        };
        self.stop_handle.replace(signals);
        match book_move {
            Some(book_move) => self.worker.answer(&task, book_move, reporter),
            None => self.worker.search(task, reporter),
        }
    }

    /// How many lines a search reports: no more than it has moves.
    fn lines(&self, limits: &Limits) -> usize {
        let moves = match limits.search_moves.as_slice() {
            [] => self.game.position.chess().legal_moves().len(),
            chosen => chosen.len(),
        };
        self.options().multi_pv().min(moves.max(1))
    }

    /// Searches and waits for the answer. Without any limit this does not return.
    pub fn search(&mut self, limits: Limits) -> BestMove {
        let (answer, result) = unbounded();
        self.go(limits, Box::new(AnswerOnly(answer)));
        result.recv().unwrap_or_default()
    }

    /// Ends the running search; it answers soon after.
    pub fn stop(&self) {
        self.stop_handle.stop();
    }

    /// Returns a handle with which other threads can stop this engine's searches.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop_handle.clone()
    }

    /// The opponent played the expected move.
    pub fn ponder_hit(&self) {
        self.stop_handle.lock().ponder_hit();
    }

    /// Stops what runs and forgets what was learned.
    pub fn new_game(&mut self) {
        self.stop();
        self.skill_seed = skill_seed(self.options());
        self.worker.new_game();
        crate::sys::give_free_memory_back();
    }

    /// Waits until the running search has answered.
    pub fn wait(&self) {
        self.worker.wait();
    }
}

/// Stops a running search, which then reports its best move; dropping the search thread waits for that.
impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

fn check_hash(allocated: usize, requested: usize) -> Result<(), SetOptionError> {
    if allocated == requested { Ok(()) } else { Err(SetOptionError::Hash { requested, allocated }) }
}

fn check_threads(allocated: usize, requested: usize) -> Result<(), SetOptionError> {
    if allocated >= requested { Ok(()) } else { Err(SetOptionError::Threads { requested, allocated }) }
}

fn seeded(options: &Options) -> fastrand::Rng {
    options.book_seed().map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed)
}

fn skill_seed(options: &Options) -> u64 {
    options.skill_seed().unwrap_or_else(|| fastrand::u64(..))
}

/// Below full strength the nodes are counted exactly, which only one thread can do.
fn settings(config: &Config) -> Settings {
    let options = &config.options;
    let threads = if options.strength().is_some() { 1 } else { options.threads() };
    Settings { hash: options.hash(), threads, params: config.params.clone() }
}

struct AnswerOnly(Sender<BestMove>);

impl Reporter for AnswerOnly {
    fn info(&mut self, _info: &SearchInfo) {}

    fn best_move(&mut self, answer: BestMove) {
        let _ = self.0.send(answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_lines_than_moves() {
        let mut config = Config::default();
        config.options.set("MultiPV", "256").unwrap();
        let engine = Engine::new(config).unwrap();
        assert_eq!(engine.lines(&Limits::default()), 20);
        let search_moves = crate::position::parse_move(&engine.game().position, "e2e4").into_iter().collect();
        assert_eq!(engine.lines(&Limits { search_moves, ..Limits::default() }), 1);
    }

    #[test]
    fn a_mate_in_one_is_found_and_played() {
        let mut engine = Engine::new(Config::default()).unwrap();
        let position = crate::position::parse_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").unwrap();
        let mate = crate::position::parse_move(&position, "a1a8");
        engine.set_game(Game::new(position));
        assert_eq!(engine.search(Limits::depth(3)).best, mate);
    }
}
