//! The UCI session: executes commands on the [`Engine`] without waiting for a search.
//!
//! All interpretation against the current position is done here: the moves of `position`, and `searchmoves`.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded, never, select};

use super::input::{self, Command, GoRequest, PositionCommand};
use super::log::Log;
use super::output::{self, Output, UciReporter};
use crate::board::game::Game;
use crate::board::position::{Position, SetupError, parse_fen, parse_standard_fen, printable};
use crate::config::Config;
use crate::config::options::{self, OPTIONS, OptionError};
use crate::engine::{Engine, Identity, SetOptionError};
use crate::search::limits::Limits;
use crate::tools::bench::{self, BenchError};
use crate::tools::{display, genfens, perft};
use crate::wdl::material;

const HELP: &str = "\
UCI:       uci, isready, setoption, ucinewgame, position, go, stop, ponderhit,
           debug, register, quit or exit
position:  startpos | fen FEN   [moves M1 M2 …]
go:        infinite | depth N | nodes N | movetime MS | mate N | ponder |
           searchmoves M1 … | wtime MS btime MS winc MS binc MS movestogo N |
           perft N
Also:      d (board), eval, bench [DEPTH] [THREADS] [HASH], perft N, help,
           genfens N seed S book None|FILE (random openings)
Options:   setoption name NAME value VALUE; uci lists them";

const INTERNAL_ERROR: &str = "internal error; the command was not completed";
/// Time in which the evaluator must return for the command `eval`.
const EVAL_LIMIT: Duration = Duration::from_secs(10);
/// Time after which a tool that has been stopped and has not ended does not delay the end of the session any more.
const TOOL_PATIENCE: Duration = Duration::from_secs(5);

/// A UCI session: handles lines of the client and sends its answers to an [`Output`].
///
/// It reads no stream and writes none; [`run`](super::run) connects one to stdin and stdout, a GUI or a web page can
/// connect another. `go` returns at once, and the search reports on its own thread; a line that requires the end of the
/// search (`ucinewgame`, some options, a tool) stops it first. With an
/// [inline](crate::engine::EngineBuilder::inline) engine, `go` and the tools (`bench`, `perft`, `genfens`) run to their
/// end instead. A line that cannot be executed
/// is answered with an `info string` with the reason. An invalid value changes nothing; options that are set although
/// they could not be applied are described at [`SetOptionError`](crate::engine::SetOptionError).
///
/// ```
/// use std::sync::mpsc::channel;
///
/// use aspirant::engine::Engine;
/// use aspirant::uci::Session;
///
/// let (sender, lines) = channel();
/// let mut session = Session::new(Engine::builder().build()?, move |line: &str| drop(sender.send(line.to_owned())));
/// for line in ["uci", "position startpos moves e2e4", "go depth 3"] {
///     session.handle_line(line);
/// }
/// assert!(lines.iter().any(|line| line.starts_with("bestmove ")));
/// # Ok::<(), aspirant::engine::BuildError>(())
/// ```
pub struct Session {
    engine: Engine,
    output: Arc<dyn Output>,
    log: Log,
    /// Printed at the first `isready` or `go`.
    startup_warnings: Vec<String>,
    /// The last tool that was started, which runs after those before: a channel that is closed when it ends, and its stop
    /// flag.
    tool: Option<(Receiver<()>, Arc<AtomicBool>)>,
    /// Stop flag of all tools that were started since the last `stop`.
    stop_tools: Arc<AtomicBool>,
    /// The message of the first command other than `go` that failed because of an error in the program.
    failure: Arc<OnceLock<String>>,
    /// Whether the last search has a limit that is always reached.
    search_is_bounded: bool,
}

impl Session {
    /// Starts a session with this engine.
    #[must_use]
    pub fn new(engine: Engine, output: impl Output) -> Self {
        let log = Log::default();
        let mut startup_warnings = engine.config().warnings().to_vec();
        startup_warnings.extend(log.open(engine.options().debug_log_file()).err());
        Self {
            engine,
            output: Arc::new(LoggedOutput { log: log.clone(), output }),
            log,
            startup_warnings,
            tool: None,
            stop_tools: Arc::default(),
            failure: Arc::default(),
            search_is_bounded: false,
        }
    }

    /// The engine with the position and the options of the lines handled so far.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Handles a line of the client.
    ///
    /// Returns `false` after `quit`: the session should then be [finished](Self::finish).
    pub fn handle_line(&mut self, line: &str) -> bool {
        self.log.line('<', line);
        match input::parse(line) {
            Command::Quit => return false,
            command => self.handle_guarded(command),
        }
        true
    }

    /// Stops the search, and waits until it has sent its best move and all tools have ended.
    ///
    /// Tools (`bench`, `perft`, `genfens`) are stopped only if the configuration is restricted.
    pub fn finish(self) {
        let _ = self.finish_with(false, None);
    }

    /// Prints an `info string`.
    pub(super) fn print(&self, text: &str) {
        self.output.send(output::info_string(text));
    }

    /// Prints startup warnings and log errors.
    ///
    /// Called only at `isready` and `go`: a GUI expects no output before its first command.
    fn print_startup_warnings(&mut self) {
        let warnings = std::mem::take(&mut self.startup_warnings);
        let messages = warnings.into_iter().chain(self.engine.take_startup_messages());
        for message in messages.chain(self.log.take_error()) {
            self.print(&message);
        }
    }

    /// Handles a command; a panic ends the command, not the program.
    fn handle_guarded(&mut self, command: Command) {
        if catch_unwind(AssertUnwindSafe(|| self.handle(command))).is_err() {
            self.fail(INTERNAL_ERROR);
        }
    }

    /// Prints the message of a command that failed because of an error in the program.
    fn fail(&self, text: &str) {
        let _ = self.failure.set(text.to_owned());
        self.print(text);
    }

    fn handle(&mut self, command: Command) {
        match command {
            Command::Uci => output::greeting(&self.engine).into_iter().for_each(|line| self.output.send(line)),
            Command::IsReady => {
                self.print_startup_warnings();
                self.output.send(output::ready());
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref().unwrap_or("")),
            Command::NewGame => self.engine.new_game(),
            Command::Position(command) => match command.to_game(self.engine.options().chess960()) {
                Ok(game) => {
                    if !self.engine.options().chess960() && command.has_chess960_rights() {
                        self.print("castling rights ignored: king or rook is not on its standard square, and UCI_Chess960 is false");
                    }
                    self.engine.set_game(game);
                }
                Err(error) => self.print(&format!("{error}; the position is unchanged")),
            },
            Command::Go(request) => self.go(*request),
            Command::Stop => {
                self.engine.stop();
                self.stop_tools();
            }
            Command::PonderHit => self.engine.ponder_hit(),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench(arguments) => self.bench(&arguments),
            Command::Genfens(arguments) => self.genfens(&arguments),
            Command::Display => {
                display::describe(self.position()).lines().for_each(|line| self.output.send(line.to_owned()))
            }
            Command::Eval => self.eval(),
            Command::Help => {
                let eval = if self.engine.evaluator().is_some() { " eval," } else { "" };
                HELP.lines().for_each(|line| self.output.send(line.replace(" eval,", eval)));
            }
            Command::Invalid(text) => self.print(&text),
            Command::Register => self.print("no registration is needed"),
            Command::Debug(_) | Command::Nothing | Command::Quit => {}
        }
    }

    fn position(&self) -> &Position {
        &self.engine.game().position
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match self.engine.set_option(name, value) {
            Ok(None) => {}
            Ok(Some(notice)) => self.print(&notice),
            Err(error @ SetOptionError::Option(OptionError::Value { .. })) => {
                return self.print(&format!("ignored {error}"));
            }
            Err(error) => return self.print(&error.to_string()),
        }
        let file = self.engine.options().debug_log_file();
        if options::find(name).is_ok_and(|index| OPTIONS[index].key == "debug_log_file")
            && let Err(reason) = self.log.open(file)
        {
            self.print(&reason);
        }
    }

    fn go(&mut self, request: GoRequest) {
        for warning in &request.warnings {
            self.print(warning);
        }
        if let Some(depth) = request.perft {
            return self.perft(depth);
        }
        self.print_startup_warnings();
        let mut limits = request.limits;
        for text in &request.search_moves {
            match self.position().parse_move(text) {
                Ok(m) => limits.search_moves.push(m),
                Err(reason) => {
                    self.print(&format!("searchmoves: illegal move '{}' ignored: {reason}", printable(text)));
                }
            }
        }
        if limits.search_moves.is_empty() && !request.search_moves.is_empty() {
            self.print("searchmoves: no legal move given; all moves are searched");
        }
        let reporter = UciReporter {
            output: Arc::clone(&self.output),
            mode: self.engine.castling_mode(),
            material: self.engine.options().show_wdl().then(|| material(self.position().board())),
            minimal: self.engine.options().minimal(),
        };
        // `mate` does not count: there may be no mate.
        self.search_is_bounded = Limits { mate: None, ..limits.clone() }.is_bounded();
        self.engine.go(limits, Box::new(reporter));
    }

    /// Prints the evaluation. The evaluator runs on a thread of its own, because one that never returns must not block the
    /// session.
    fn eval(&self) {
        let Some(evaluator) = self.engine.evaluator().cloned() else {
            return self.print("eval: this engine has no static evaluation");
        };
        let position = self.position().clone();
        let evaluate = move || display::evaluation(&position, &evaluator);
        if self.engine.is_inline() {
            return self.output.send(evaluate());
        }
        let (sender, text) = bounded(1);
        let thread = thread::Builder::new().name("eval".into()).spawn(move || sender.send(evaluate()));
        match thread.map(|_| text.recv_timeout(EVAL_LIMIT)) {
            Ok(Ok(text)) => self.output.send(text),
            Ok(Err(RecvTimeoutError::Timeout)) => {
                self.fail(&format!("internal error; the evaluator has not returned within {} s", EVAL_LIMIT.as_secs()));
            }
            Ok(Err(RecvTimeoutError::Disconnected)) => self.fail(INTERNAL_ERROR),
            Err(error) => self.print(&format!("cannot start a thread: {error}; the command is ignored")),
        }
    }

    fn perft(&mut self, depth: u32) {
        if !(1..=perft::MAX_DEPTH).contains(&depth) {
            return self.print(&format!("perft: depth {depth} is not from 1 to {}", perft::MAX_DEPTH));
        }
        let (position, mode) = (self.position().clone(), self.engine.castling_mode());
        self.start_tool(move |output: &dyn Output, stop: &AtomicBool| match perft::divide(&position, depth, 1, stop) {
            Some(counts) => {
                perft::divide_lines(mode, &counts).into_iter().for_each(|line| output.send(line));
                Ok(())
            }
            None => Err("perft stopped".into()),
        });
    }

    /// Runs the benchmark with the current search parameters and default options: the signature must not depend on
    /// options such as a book or a reduced strength.
    fn bench(&mut self, arguments: &[String]) {
        let mut config = Config::default();
        config.params = self.engine.config().params.clone();
        let factory = self.engine.search_factory().clone();
        let inline = self.engine.is_inline();
        match bench::BenchRequest::parse(arguments, self.engine.bench_depth()) {
            Ok(request) if inline && request.threads > 1 => {
                self.print(&format!("bench: threads '{}' is not 1, the only number of this engine", request.threads));
            }
            Ok(request) => self.start_tool(move |output: &dyn Output, stop: &AtomicBool| {
                let result = Engine::start(request.apply_to(config), factory, Identity::default(), Vec::new(), inline)
                    .map_err(|error| BenchError::Build(error.into()))
                    .and_then(|engine| {
                        bench::run_engine(engine, request.depth, stop, &mut |line| output.send(line.to_owned()))
                    });
                output.send(result.map_err(|error| error.to_string())?.to_string());
                Ok(())
            }),
            Err(error) => self.print(&error.to_string()),
        }
    }

    fn genfens(&mut self, arguments: &[String]) {
        let params = self.engine.config().params.clone();
        let evaluator = self.engine.evaluator().cloned().unwrap_or_default();
        let run = if self.engine.is_inline() { genfens::run_inline } else { genfens::run };
        match genfens::GenfensRequest::parse(arguments) {
            Ok(request) if self.engine.config().restricted && request.book.is_some() => {
                self.print("genfens: a book is not allowed: file paths are disabled (restricted mode)");
            }
            Ok(request) => self.start_tool(move |output: &dyn Output, stop: &AtomicBool| {
                let found = &mut |fen: &str| output.send(output::info_string(&format!("genfens {fen}")));
                run(&request, &params, &evaluator, stop, found)
            }),
            Err(error) => self.print(&error),
        }
    }

    /// Stops the search and queues a tool; further commands are handled while it runs. Its error is printed.
    ///
    /// An inline session runs it here.
    fn start_tool(&mut self, tool: impl FnOnce(&dyn Output, &AtomicBool) -> Result<(), String> + Send + 'static) {
        self.engine.stop();
        self.engine.wait();
        let (output, failure) = (Arc::clone(&self.output), Arc::clone(&self.failure));
        let run = move |stop: &AtomicBool| {
            let result = catch_unwind(AssertUnwindSafe(|| tool(&*output, stop)));
            // A tool that was stopped has not failed.
            let has_failed = result.is_err() || !stop.load(Relaxed);
            if let Err(text) = result.unwrap_or_else(|_| Err(INTERNAL_ERROR.into())) {
                output.send(output::info_string(&text));
                if has_failed {
                    let _ = failure.set(text);
                }
            }
        };
        if self.engine.is_inline() {
            return run(&self.stop_tools);
        }
        let (previous, stop) = (self.tool.take(), Arc::clone(&self.stop_tools));
        let (running, ended) = bounded(0);
        let run = move || {
            if let Some((previous, _)) = previous {
                let _ = previous.recv();
            }
            run(&stop);
            drop(running);
        };
        match thread::Builder::new().name("tool".into()).spawn(run) {
            Ok(_) => self.tool = Some((ended, Arc::clone(&self.stop_tools))),
            Err(error) => self.print(&format!("cannot start a thread: {error}; the command is ignored")),
        }
    }

    fn stop_tools(&mut self) {
        self.stop_tools.store(true, Relaxed);
        self.stop_tools = Arc::new(AtomicBool::new(false));
    }

    /// Waits for the search and for running tools; returns the message of the first command that failed.
    ///
    /// The search is stopped, unless `finishes_search` is set and it has a limit. Tools are stopped only with
    /// `--restricted`: a perft may take days, which a publicly hosted engine must not spend on it. When stdout is
    /// closed, search and tools are stopped. A tool that does not end although it has been stopped, because the evaluator
    /// never returns, is left behind.
    pub(super) fn finish_with(mut self, finishes_search: bool, stdout_closed: Option<Receiver<()>>) -> Option<String> {
        let mut stops_search = !(finishes_search && self.search_is_bounded);
        if let Some(stdout_closed) = stdout_closed.clone() {
            let (handle, stop_tools) = (self.engine.stop_handle(), Arc::clone(&self.stop_tools));
            let watch = move || {
                let _ = stdout_closed.recv();
                handle.stop();
                stop_tools.store(true, Relaxed);
            };
            stops_search |= thread::Builder::new().name("stdout".into()).spawn(watch).is_err();
        }
        if stops_search {
            self.engine.stop();
        }
        self.engine.wait();
        if self.engine.config().restricted {
            self.stop_tools();
        }
        if let Some((ended, stop)) = self.tool.take() {
            if !stop.load(Relaxed) {
                select! {
                    recv(ended) -> _ => {}
                    recv(stdout_closed.unwrap_or_else(never)) -> _ => {}
                }
            }
            let _ = ended.recv_timeout(TOOL_PATIENCE);
        }
        self.failure.get().cloned()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// Stops the tools, if the session was not [finished](Session::finish).
impl Drop for Session {
    fn drop(&mut self) {
        self.stop_tools.store(true, Relaxed);
    }
}

/// An output that also writes each line to a log.
struct LoggedOutput<O> {
    log: Log,
    output: O,
}

impl<O: Output> Output for LoggedOutput<O> {
    fn send(&self, line: String) {
        self.log.line('>', &line);
        self.output.send(line);
    }

    fn send_info(&self, line: String) {
        self.log.line('>', &line);
        self.output.send_info(line);
    }
}

impl PositionCommand {
    /// Sets up the position and makes the moves; `is_chess960` is the value of `UCI_Chess960`.
    ///
    /// # Errors
    /// [`SetupError`] if the FEN is invalid or a move is illegal.
    pub fn to_game(&self, is_chess960: bool) -> Result<Game, SetupError> {
        let mut game = match &self.fen {
            Some(fen) if is_chess960 => Game::new(parse_fen(fen)?),
            Some(fen) => Game::new(parse_standard_fen(fen)?),
            None => Game::default(),
        };
        game.play_moves(self.moves.iter().map(String::as_str))?;
        Ok(game)
    }

    /// Returns whether [`parse_standard_fen`] drops castling rights that Chess960 has.
    fn has_chess960_rights(&self) -> bool {
        use shakmaty::Position as _;
        let rights = |position: Position| position.chess().castles().castling_rights();
        self.fen.as_ref().is_some_and(|fen| parse_fen(fen).ok().map(rights) != parse_standard_fen(fen).ok().map(rights))
    }
}
