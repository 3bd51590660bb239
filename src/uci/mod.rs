//! The UCI front end: reads commands, drives the [`Engine`], never waits for a search.
//!
//! Three threads share the work: a reader turns lines into commands, this loop acts on them, a writer writes
//! what cannot be written at once. The search has a thread of its own and reports for itself, so `isready` is
//! answered at once and `stop` is seen at once whatever the search is doing. Where more threads search than
//! there are processors, each thread that must be woken costs milliseconds: the reader itself says `readyok`
//! when everything before it is done. A command that cannot be obeyed gives one `info string` that says why,
//! and changes nothing.
//! <https://www.chessprogramming.org/UCI>

pub mod input;
pub mod log;
pub mod output;

use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, select, unbounded};

use crate::config::Config;
use crate::engine::Engine;
use crate::options::{self, Options};
use crate::position::{Game, Position, parse_move};
use crate::search::limits::Limits;
use crate::wdl::material;
use crate::workbench::{bench, board, genfens, perft};
use input::{Command, GoRequest};
use log::{Log, Speaker};
use output::{Output, UciReporter};

const HELP: &str = "\
UCI:       uci, isready, ucinewgame, position, go, stop, ponderhit, setoption, debug, register, quit
position:  startpos | fen FEN   [moves M1 M2 …]
go:        searchmoves … | ponder | infinite | wtime btime winc binc movestogo | movetime | depth | nodes | mate | perft N
Also:      d (board), eval, flip, bench [DEPTH] [THREADS] [HASH], perft N, compiler, help
           genfens N seed S book None|FILE (random openings)
Options:   setoption name NAME value VALUE; 'uci' lists them
Elsewhere: run 'aspirant --help' in a shell for analysis, test suites and more";

/// Runs the protocol on stdin and stdout until `quit`, the end of input, or a closed stdout. `first` are lines that
/// are obeyed as if they had been typed before any other; a search they begin that has a limit is brought to its end
/// if nobody types after them.
///
/// # Errors
/// If the system has no threads to give, or no memory for a search.
pub fn run(config: Config, first: &[String]) -> io::Result<()> {
    let log = Log::default();
    let (output, writer) = Output::start(io::stdout(), output::stdout_has_room, log.clone())?;
    let closed = writer.closed.clone();
    let mut session = Session::new(config, output.clone(), log.clone())?;
    for line in first.iter().flat_map(|text| text.lines()) {
        log.line(Speaker::Gui, line);
        match input::parse(line) {
            Command::Quit => {
                session.end(Some(closed));
                drop(output);
                writer.finish();
                return Ok(());
            }
            command => session.obey_guarded(command),
        }
    }
    let mut untouched = true;
    let idle = Arc::clone(&session.idle);
    let commands = read_commands(log, output, Arc::clone(&idle))?;
    loop {
        select! {
            recv(commands) -> command => match command {
                Ok(Command::Quit) => {
                    untouched = false;
                    break;
                }
                Ok(command) => {
                    untouched &= matches!(command, Command::Nothing);
                    session.obey_guarded(command);
                    idle.done();
                }
                // The end of the input.
                Err(_) => break,
            },
            recv(closed) -> _ => {
                untouched = false;
                session.stop_tools();
                break;
            }
        }
    }
    session.end(untouched.then_some(closed));
    writer.finish();
    Ok(())
}

/// Has everything been done that was asked for?
#[derive(Default)]
struct Idle {
    /// Commands that were read and not yet obeyed.
    pending: AtomicUsize,
    /// The first `isready` is the session's: it may have something to say.
    greeted: AtomicBool,
}

impl Idle {
    /// One more is done; whoever sees that sees what was said, too.
    fn done(&self) {
        self.pending.fetch_sub(1, Release);
    }

    fn is_ready(&self) -> bool {
        self.greeted.load(Relaxed) && self.pending.load(Acquire) == 0
    }
}

fn read_commands(log: Log, output: Output, idle: Arc<Idle>) -> io::Result<Receiver<Command>> {
    let (commands, inbox) = unbounded();
    std::thread::Builder::new().name("reader".into()).spawn(move || {
        crate::sys::ask_for_short_slices();
        crate::sys::fill_store_of_small_blocks();
        let stdin = BufReader::with_capacity(1 << 16, io::stdin());
        let result = input::lines(stdin, |line| {
            ::log::debug!("<< {line}");
            log.line(Speaker::Gui, line);
            let command = input::parse(line);
            if matches!(command, Command::IsReady) && idle.is_ready() {
                output.answer(output::ready());
                return true;
            }
            let quit = matches!(command, Command::Quit);
            idle.pending.fetch_add(1, Relaxed);
            commands.send(command).is_ok() && !quit
        });
        if let Err(error) = result {
            ::log::error!("stdin: {error}");
        }
    })?;
    Ok(inbox)
}

type Job = Box<dyn FnOnce() + Send>;

/// Bench and perft run beside the protocol, one after the other, on a thread of their own.
struct Tools {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Tools {
    fn start() -> io::Result<Self> {
        let (jobs, inbox) = unbounded::<Job>();
        let thread = std::thread::Builder::new().name("tools".into()).spawn(move || {
            for job in inbox {
                // A tool that fails does not take the later ones with it; the failure itself is on stderr.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
        })?;
        Ok(Self { jobs, thread })
    }
}

struct Session {
    engine: Engine,
    output: Output,
    log: Log,
    /// For a person, once the GUI has spoken.
    notes: Vec<String>,
    tools: Option<Tools>,
    /// Stops every tool that was asked for since the last `stop`.
    stop_tools: Arc<AtomicBool>,
    debug: bool,
    /// Does the search that was last begun end by itself?
    ends_by_itself: bool,
    idle: Arc<Idle>,
}

impl Session {
    fn new(config: Config, output: Output, log: Log) -> io::Result<Self> {
        let stop_tools = Arc::new(AtomicBool::new(false));
        let mut notes = config.warnings().to_vec();
        notes.extend(log.open(config.options.debug_log_file()).err());
        Ok(Self {
            engine: Engine::new(config)?,
            output,
            log,
            notes,
            tools: None,
            stop_tools,
            debug: false,
            ends_by_itself: false,
            idle: Arc::default(),
        })
    }

    fn say(&self, text: &str) {
        self.output.answer(output::info_string(text));
    }

    /// What the start left to be said: not before the GUI speaks, for it expects nothing then.
    fn say_notes(&mut self) {
        let notes = std::mem::take(&mut self.notes).into_iter().chain(self.engine.take_startup_messages());
        for note in notes.chain(self.log.take_fault()) {
            self.say(&note);
        }
    }

    /// A defect in one command is not the end of the game.
    fn obey_guarded(&mut self, command: Command) {
        if catch_unwind(AssertUnwindSafe(|| self.obey(command))).is_err() {
            self.say("internal error; the command was not obeyed");
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => output::greeting().into_iter().for_each(|line| self.output.answer(line)),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => {
                self.say_notes();
                self.output.answer(output::ready());
                self.idle.greeted.store(true, Relaxed);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref().unwrap_or("")),
            Command::NewGame => self.engine.new_game(),
            Command::Position(result) => match *result {
                Ok(game) => self.set_game(game),
                Err(error) => self.say(&format!("{error}; the position is unchanged")),
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
            Command::Display => board::describe(self.position()).lines().for_each(|line| self.output.answer(line)),
            Command::Eval => self.output.answer(board::evaluation(self.position())),
            Command::Flip => self.flip(),
            Command::Help => HELP.lines().for_each(|line| self.output.answer(line)),
            Command::Compiler => self.output.answer(crate::build_info()),
            Command::Wrong(text) => self.say(&text),
            Command::Register => self.say("no registration is needed"),
            Command::Nothing | Command::Quit => {}
        }
    }

    fn position(&self) -> &Position {
        &self.engine.game().position
    }

    fn set_game(&mut self, game: Game) {
        if self.debug {
            self.say(&format!("position {}", game.position.fen()));
        }
        self.engine.set_game(game);
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match self.engine.set_option(name, value) {
            Ok(None) => {}
            Ok(Some(notice)) => self.say(&notice.to_string()),
            Err(error) => return self.say(&error.to_string()),
        }
        let file = self.engine.options().debug_log_file();
        // A log that could not be begun, or has ended, is tried again when it is asked for again.
        if options::find(name).is_ok_and(Options::is_debug_log_file)
            && !self.log.is_open(file)
            && let Err(reason) = self.log.open(file)
        {
            self.say(&reason);
        }
    }

    fn go(&mut self, request: GoRequest) {
        for complaint in &request.complaints {
            self.say(complaint);
        }
        if let Some(depth) = request.perft {
            return self.perft(depth);
        }
        self.say_notes();
        let mut limits = request.limits;
        for text in &request.search_moves {
            match parse_move(self.position(), text) {
                Some(m) => limits.search_moves.push(m),
                None => self.say(&format!("searchmoves: illegal move '{}' ignored", crate::position::printable(text))),
            }
        }
        let reporter = UciReporter {
            output: self.output.clone(),
            mode: self.engine.castling_mode(),
            material: self.engine.options().show_wdl().then(|| material(self.position().board())),
            minimal: self.engine.options().minimal(),
            held_back: output::HeldBack::default(),
        };
        // There may be no mate to find.
        self.ends_by_itself = Limits { mate: None, ..limits.clone() }.is_bounded();
        self.engine.go(limits, Box::new(reporter));
    }

    fn flip(&mut self) {
        use shakmaty::{FromSetup as _, Position as _};
        let chess = self.position().chess();
        let setup = chess.to_setup(shakmaty::EnPassantMode::Legal).into_mirrored();
        match shakmaty::Chess::from_setup(setup, chess.castles().mode()) {
            Ok(chess) => self.engine.set_game(Game::new(Position::new(chess))),
            Err(error) => self.say(&format!("cannot flip: {error}")),
        }
    }

    fn perft(&mut self, depth: u32) {
        if !(1..=perft::MOST_DEPTH).contains(&depth) {
            return self.say(&format!("perft: depth {depth} is not from 1 to {}", perft::MOST_DEPTH));
        }
        let (position, mode) = (self.position().clone(), self.engine.castling_mode());
        self.start_tool(move |output, stop| {
            let request = perft::Request { threads: 1, ..perft::Request::new(depth) };
            match perft::divide(&position, &request, stop) {
                Some(divided) => {
                    divided.lines(&position, mode).into_iter().for_each(|line| output.answer(line));
                }
                None => output.answer(output::info_string("perft stopped")),
            }
        });
    }

    /// With the numbers of the search as they are now, but no option of the session: an opening book or a weaker play
    /// would not leave a fingerprint of the search.
    fn bench(&mut self, arguments: &[String]) {
        let mut config = Config::default();
        config.params = self.engine.config().params.clone();
        match bench::Request::parse(arguments) {
            Ok(request) => self.start_tool(move |output, stop| {
                let result = bench::run_with(config, &request, stop, &mut |line: &str| output.answer(line));
                output.answer(match result {
                    Ok(total) => total.to_string(),
                    Err(error) => output::info_string(&error.to_string()),
                });
            }),
            Err(error) => self.say(&error),
        }
    }

    fn genfens(&mut self, arguments: &[String]) {
        let params = self.engine.config().params.clone();
        match genfens::Request::parse(arguments) {
            Ok(request) if self.engine.config().restricted && request.book.is_some() => {
                self.say("genfens: no book, this engine was started with --restricted");
            }
            Ok(request) => self.start_tool(move |output, stop| {
                let found = &mut |fen: &str| output.answer(output::info_string(&format!("genfens {fen}")));
                if let Err(error) = genfens::run(&request, &params, stop, found) {
                    output.answer(output::info_string(&error));
                }
            }),
            Err(error) => self.say(&error),
        }
    }

    /// Runs a tool beside the protocol, after those before it have ended.
    fn start_tool(&mut self, tool: impl FnOnce(&Output, &AtomicBool) + Send + 'static) {
        self.engine.stop();
        self.engine.wait();
        let (output, stop) = (self.output.clone(), Arc::clone(&self.stop_tools));
        let tools = match self.tools.take().map_or_else(Tools::start, Ok) {
            Ok(tools) => self.tools.insert(tools),
            Err(error) => return self.say(&format!("cannot start: {error}")),
        };
        // The thread lives until the session ends.
        let _ = tools.jobs.send(Box::new(move || tool(&output, &stop)));
    }

    fn stop_tools(&mut self) {
        self.stop_tools.store(true, Relaxed);
        self.stop_tools = Arc::new(AtomicBool::new(false));
    }

    fn finish_tools(&mut self) {
        if let Some(Tools { jobs, thread }) = self.tools.take() {
            drop(jobs);
            let _ = thread.join();
        }
    }

    /// The search answers, a tool that still runs is waited for (it ends by itself, but perft may take days: strangers
    /// get no time for it), and the queue is let go. A search that ends by itself is waited for, too, if there is a
    /// `reader` and as long as it stays.
    fn end(mut self, reader: Option<Receiver<()>>) {
        match reader.filter(|_| self.ends_by_itself) {
            Some(reader) => {
                let handle = self.engine.stop_handle();
                let watch = move || {
                    let _ = reader.recv();
                    handle.stop();
                };
                if std::thread::Builder::new().name("reader left".into()).spawn(watch).is_err() {
                    self.engine.stop();
                }
            }
            None => self.engine.stop(),
        }
        self.engine.wait();
        if self.engine.config().restricted {
            self.stop_tools();
        }
        self.finish_tools();
    }
}
