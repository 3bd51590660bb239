//! Output of UCI messages.
//!
//! Lines are formatted by vampirc-uci, with additions that it does not support (`bestmove (none)`, `currmovenumber`,
//! `wdl`, `default <empty>`). Clients rely on the order within `info`: the bound follows its score, and `pv` is last.
//! Control characters in received text are replaced, so that it cannot start a line of its own.
//!
//! Sending a line never blocks. It is written immediately if the queue is empty and stdout is writable, which avoids
//! waking a thread during a search; otherwise it is queued for the writer thread. A client that stops reading
//! therefore delays neither the search nor `stop`. Search information is dropped while too many lines are queued, other
//! lines are not.

use std::io::{ErrorKind, IsTerminal as _, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use shakmaty::{CastlingMode, Move, Role, Square};
use vampirc_uci::{UciInfoAttribute as Info, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare};

use crate::config::options::{ABOUT, OPTIONS, OptionKind, OptionSpec};
use crate::config::tunable;
use crate::engine::{Engine, ExtraOption, Identity};
use crate::score::{Bound, EVAL_LIMIT, moves_to_mate};
use crate::search::params::Param;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::wdl::wdl_permille;

use super::log::{Direction, Log};

/// Search information is dropped while this number of lines is queued.
const MAX_QUEUED: usize = 1000;

/// Maximum length of a line that is written immediately: a writable pipe takes this number of bytes without blocking
/// (`PIPE_BUF`).
const MAX_BATCH: usize = 4096;

/// Sends lines to the GUI. Clones share the destination.
#[derive(Clone)]
pub struct Output {
    queue: Sender<String>,
    sink: Arc<Sink>,
}

struct Sink {
    /// Number of lines in the queue, including the one that is being written.
    queued: AtomicUsize,
    writer: Mutex<Box<dyn Write + Send>>,
    is_writable: fn() -> bool,
    log: Log,
}

/// The writer thread; [`OutputWriter::finish`] writes all queued lines.
pub struct OutputWriter {
    thread: Option<JoinHandle<()>>,
    /// Disconnected when the destination has been closed.
    pub closed: Receiver<()>,
}

impl Sink {
    fn write(&self, writer: &mut dyn Write, line: &str) -> std::io::Result<()> {
        self.log.line(Direction::FromEngine, line);
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match writer.write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(error) => wait_until_writable(error)?,
            }
        }
        while let Err(error) = writer.flush() {
            wait_until_writable(error)?;
        }
        Ok(())
    }

    /// Writes a line if no line is queued and writing does not block; returns whether it was written.
    fn try_write(&self, line: &str) -> bool {
        if line.len() > MAX_BATCH || self.queued.load(Relaxed) > 0 {
            return false;
        }
        let Ok(mut writer) = self.writer.try_lock() else { return false };
        self.queued.load(Relaxed) == 0 && (self.is_writable)() && self.write(&mut **writer, line).is_ok()
    }
}

/// Waits after an error that is temporary; stdout may be inherited in non-blocking mode, where a full pipe is an error.
fn wait_until_writable(error: std::io::Error) -> std::io::Result<()> {
    match error.kind() {
        ErrorKind::Interrupted => Ok(()),
        ErrorKind::WouldBlock => {
            std::thread::sleep(Duration::from_millis(1));
            Ok(())
        }
        _ => Err(error),
    }
}

impl Output {
    /// Starts the writer thread. `is_writable` returns whether `writer` takes 4096 bytes without blocking.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(
        writer: impl Write + Send + 'static,
        is_writable: fn() -> bool,
        log: Log,
    ) -> std::io::Result<(Self, OutputWriter)> {
        let (queue, lines) = unbounded::<String>();
        let (alive, closed) = bounded::<()>(0);
        let sink =
            Arc::new(Sink { queued: AtomicUsize::new(0), writer: Mutex::new(Box::new(writer)), is_writable, log });
        let shared = Arc::clone(&sink);
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            crate::platform::system::request_short_time_slice();
            crate::platform::system::prefill_thread_cache();
            let _alive = alive;
            for line in lines {
                let mut writer = sink.writer.lock().unwrap_or_else(PoisonError::into_inner);
                // A closed pipe ends this thread, whose dropped `alive` ends the program.
                if sink.write(&mut **writer, &line).is_err() {
                    return;
                }
                sink.queued.fetch_sub(1, Relaxed);
            }
        })?;
        Ok((Self { queue, sink: shared }, OutputWriter { thread: Some(thread), closed }))
    }

    /// Sends a line; it is never dropped.
    pub fn send(&self, line: impl Into<String>) {
        let mut line: String = line.into();
        line.push('\n');
        if !self.sink.try_write(&line) {
            self.sink.queued.fetch_add(1, Relaxed);
            // Fails only after the destination has been closed.
            let _ = self.queue.send(line);
        }
    }

    /// Sends a line of search information, which is dropped while too many lines are queued.
    pub fn send_info(&self, line: impl Into<String>) {
        if self.sink.queued.load(Relaxed) < MAX_QUEUED {
            self.send(line);
        }
    }
}

/// Returns whether stdout takes a line without blocking; `false` if unknown, and on a terminal, which can be paused.
#[must_use]
pub fn stdout_is_writable() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = std::io::stdout();
        let mut events = [PollFd::new(&stdout, PollFlags::OUT)];
        !stdout.is_terminal()
            && poll(&mut events, Some(&Timespec::default())).is_ok()
            && events[0].revents() == PollFlags::OUT
    }
    #[cfg(not(unix))]
    false
}

impl OutputWriter {
    /// Waits until all queued lines are written. All [`Output`]s must have been dropped.
    pub fn finish(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns the answer to `uci`: `id name …`, `id author …`, the options, `uciok`.
#[must_use]
pub fn greeting(engine: &Engine) -> Vec<String> {
    let identity = engine.identity();
    let id = [UciMessage::id_name(&identity.name_and_version()), UciMessage::id_author(&identity.author)];
    let about = about(identity);
    let options = OPTIONS.iter().chain(engine.extra_options().iter().map(ExtraOption::spec));
    let options = options.map(|row| UciMessage::Option(option(row, &about)));
    let params = tunable().iter().map(|param| UciMessage::Option(tunable_option(param)));
    id.into_iter().chain(options).chain(params).chain([UciMessage::UciOk]).map(|message| message.to_string()).collect()
}

/// Returns the text of `UCI_EngineAbout`; an engine built on this library names it.
fn about(identity: &Identity) -> String {
    if *identity == Identity::default() {
        return ABOUT.into();
    }
    format!("{} by {}, based on {ABOUT}", identity.name_and_version(), identity.author)
}

/// Returns the declaration of an option; `about` is the default of `UCI_EngineAbout`.
fn option(row: &OptionSpec, about: &str) -> UciOptionConfig {
    let name = row.name.to_owned();
    match row.kind {
        OptionKind::Text { .. } if row.key == "engine_about" => {
            UciOptionConfig::String { name, default: Some(about.into()) }
        }
        OptionKind::Check { default } => UciOptionConfig::Check { name, default: Some(default) },
        OptionKind::Spin { default, min, max } => {
            UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
        }
        OptionKind::Text { default } => {
            let default = if default.is_empty() { "<empty>" } else { default };
            UciOptionConfig::String { name, default: Some(default.into()) }
        }
        OptionKind::Button => UciOptionConfig::Button { name },
    }
}

/// Returns a search parameter as a UCI option, for external tuners.
fn tunable_option(param: &Param) -> UciOptionConfig {
    let name = param.name.to_owned();
    if param.switch {
        return UciOptionConfig::Check { name, default: Some(param.default != 0) };
    }
    let [default, min, max] = [param.default, param.min, param.max].map(|n| Some(n.into()));
    UciOptionConfig::Spin { name, default, min, max }
}

/// Returns `readyok`.
#[must_use]
pub fn ready() -> String {
    UciMessage::ReadyOk.to_string()
}

/// Returns `info string …`, with control characters replaced by spaces.
#[must_use]
pub fn info_string(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    UciMessage::info_string(text).to_string()
}

fn uci_square(square: Square) -> UciSquare {
    UciSquare::from(square.file().char(), square.rank() as u8 + 1)
}

fn uci_move(m: Move, mode: CastlingMode) -> UciMove {
    let shakmaty::uci::UciMove::Normal { from, to, promotion } = m.to_uci(mode) else {
        // Drops and null moves do not occur in chess.
        return UciMove::from_to(UciSquare::from('0', 0), UciSquare::from('0', 0));
    };
    let promotion = promotion.map(|role| match role {
        Role::Pawn => UciPiece::Pawn,
        Role::Knight => UciPiece::Knight,
        Role::Bishop => UciPiece::Bishop,
        Role::Rook => UciPiece::Rook,
        Role::Queen => UciPiece::Queen,
        Role::King => UciPiece::King,
    });
    UciMove { promotion, ..UciMove::from_to(uci_square(from), uci_square(to)) }
}

/// Returns `bestmove …`.
#[must_use]
pub fn best_move(answer: BestMove, mode: CastlingMode) -> String {
    let Some(best) = answer.best else { return "bestmove (none)".into() };
    let best = uci_move(best, mode);
    match answer.ponder {
        Some(ponder) => UciMessage::best_move_with_ponder(best, uci_move(ponder, mode)),
        None => UciMessage::best_move(best),
    }
    .to_string()
}

/// Returns `info depth … pv …`.
///
/// `wdl` is added if `material` is given and the score is exact: clients disagree about its place beside a bound.
#[must_use]
pub fn info(info: &SearchInfo, mode: CastlingMode, material: Option<u32>) -> String {
    let byte = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    let mate = moves_to_mate(info.score);
    let milliseconds = i64::try_from(info.time.as_millis()).unwrap_or(i64::MAX);
    let per_second = u128::from(info.nodes) * 1_000_000 / info.time.as_micros().max(1);
    let mut attributes = vec![
        Info::Depth(byte(usize::try_from(info.depth).unwrap_or(0))),
        Info::SelDepth(byte(info.seldepth)),
        Info::MultiPv(u16::try_from(info.multi_pv).unwrap_or(u16::MAX)),
        Info::Score {
            cp: if mate.is_none() { Some(info.score.clamp(-EVAL_LIMIT, EVAL_LIMIT)) } else { None },
            mate: mate.map(|moves| moves.clamp(-127, 127) as i8),
            lower_bound: (info.bound == Bound::Lower).then_some(true),
            upper_bound: (info.bound == Bound::Upper).then_some(true),
        },
    ];
    if let Some(material) = material.filter(|_| info.bound == Bound::Exact) {
        let (win, draw, loss) = wdl_permille(info.score, material);
        attributes.push(Info::Any("wdl".into(), format!("{win} {draw} {loss}")));
    }
    attributes.extend([
        Info::Nodes(info.nodes),
        Info::Nps(u64::try_from(per_second).unwrap_or(u64::MAX)),
        Info::HashFull(u16::try_from(info.hashfull.min(1000)).unwrap_or(1000)),
        Info::TbHits(info.tb_hits),
        Info::Time(chrono::Duration::milliseconds(milliseconds)),
    ]);
    if !info.pv.is_empty() {
        attributes.push(Info::Pv(info.pv.iter().map(|&m| uci_move(m, mode)).collect()));
    }
    UciMessage::Info(attributes).to_string()
}

/// Returns `info depth … currmove … currmovenumber …`.
#[must_use]
pub fn current_move(depth: i32, m: Move, number: usize, mode: CastlingMode) -> String {
    UciMessage::Info(vec![
        Info::Depth(u8::try_from(depth).unwrap_or(u8::MAX)),
        Info::CurrMove(uci_move(m, mode)),
        Info::Any("currmovenumber".into(), number.to_string()),
    ])
    .to_string()
}

/// Reports a search as UCI messages.
pub struct UciReporter {
    /// Destination of the messages.
    pub output: Output,
    /// Notation of castling moves.
    pub mode: CastlingMode,
    /// Material on the board, if `wdl` is reported.
    pub material: Option<u32>,
    /// Whether only the last PVs are reported, just before the best move.
    pub minimal: bool,
    /// The PVs that are not yet reported with `minimal`.
    pub buffered: BufferedLines,
}

/// The PVs to be reported at the end of a search: the last complete set (MultiPV), and the incomplete set after it.
///
/// An interrupted iteration may have found a better first PV, which is then reported in addition.
#[derive(Default)]
pub struct BufferedLines {
    complete: Vec<SearchInfo>,
    latest: Vec<SearchInfo>,
}

impl BufferedLines {
    fn push(&mut self, search: &SearchInfo) {
        if search.multi_pv == 1 {
            let set = std::mem::take(&mut self.latest);
            if set.len() >= self.complete.len() {
                self.complete = set;
            }
        }
        self.latest.push(search.clone());
    }

    fn take(&mut self) -> Vec<SearchInfo> {
        let (mut complete, latest) = (std::mem::take(&mut self.complete), std::mem::take(&mut self.latest));
        if latest.len() >= complete.len() {
            return latest;
        }
        complete.extend(latest);
        complete
    }
}

impl Reporter for UciReporter {
    fn info(&mut self, search: &SearchInfo) {
        if self.minimal {
            self.buffered.push(search);
            return;
        }
        self.output.send_info(info(search, self.mode, self.material));
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        if self.minimal {
            return;
        }
        self.output.send_info(current_move(depth, m, number, self.mode));
    }

    fn message(&mut self, text: &str) {
        self.output.send(info_string(text));
    }

    fn best_move(&mut self, answer: BestMove) {
        for search in self.buffered.take() {
            self.output.send_info(info(&search, self.mode, self.material));
        }
        self.output.send(best_move(answer, self.mode));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::{Position, parse_fen, parse_move};
    use crate::score::mated_in;
    use std::time::Duration;

    fn sample(score: i32, bound: Bound) -> SearchInfo {
        let position = Position::default();
        SearchInfo {
            depth: 9,
            seldepth: 14,
            multi_pv: 1,
            score,
            bound,
            nodes: 123_456,
            time: Duration::from_millis(100),
            hashfull: 37,
            tb_hits: 0,
            pv: vec![parse_move(&position, "e2e4").unwrap()],
        }
    }

    #[test]
    fn info_lines_are_exact() {
        let line = info(&sample(-12, Bound::Exact), CastlingMode::Standard, None);
        assert_eq!(
            line,
            "info depth 9 seldepth 14 multipv 1 score cp -12 nodes 123456 nps 1234560 hashfull 37 tbhits 0 time 100 pv e2e4"
        );
        let line = info(&sample(30, Bound::Lower), CastlingMode::Standard, Some(40));
        assert!(line.contains("score cp 30 lowerbound nodes"), "{line}");
        let line = info(&sample(mated_in(4), Bound::Exact), CastlingMode::Standard, Some(40));
        assert!(line.contains("score mate -2 wdl 0 0 1000 nodes"), "{line}");
    }

    #[test]
    fn best_move_is_written_in_both_castling_notations() {
        let position = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let best = parse_move(&position, "e1g1");
        let answer = BestMove { best, ponder: None };
        assert_eq!(best_move(answer, CastlingMode::Standard), "bestmove e1g1");
        assert_eq!(best_move(answer, CastlingMode::Chess960), "bestmove e1h1");
        assert_eq!(best_move(BestMove::default(), CastlingMode::Standard), "bestmove (none)");
        let promotion = parse_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1").unwrap();
        let best = parse_move(&promotion, "a7a8q");
        assert_eq!(best_move(BestMove { best, ponder: best }, CastlingMode::Standard), "bestmove a7a8q ponder a7a8q");
    }

    #[test]
    fn greeting_lists_every_option_with_type_and_default() {
        let lines = greeting(&Engine::new(crate::config::Config::default()).unwrap());
        assert!(lines[0].starts_with("id name Aspirant") && lines[1].starts_with("id author "));
        assert_eq!(lines.last().unwrap(), "uciok");
        assert_eq!(lines.len(), OPTIONS.len() + tunable().len() + 3);
        assert!(lines.contains(&"option name Hash type spin default 16 min 1 max 1048576".into()));
        assert!(lines.contains(&"option name Clear Hash type button".into()));
        assert!(lines.contains(&"option name UCI_Chess960 type check default false".into()));
    }

    #[test]
    fn info_string_is_one_line() {
        assert_eq!(info_string("a\nbestmove e2e4\r\n"), "info string a bestmove e2e4  ");
    }

    #[test]
    fn answers_are_written_while_search_information_is_dropped() {
        struct Slow(Sender<String>, Receiver<()>);
        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                let _ = self.1.recv();
                let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (seen, lines) = unbounded();
        let (gate, wait) = unbounded();
        let (output, writer) = Output::start(Slow(seen, wait), || false, Log::default()).unwrap();
        for _ in 0..3 * MAX_QUEUED {
            output.send_info("info");
        }
        output.send("bestmove e2e4");
        drop(gate);
        drop(output);
        writer.finish();
        let lines: Vec<String> = lines.iter().collect();
        assert!(lines.len() < 2 * MAX_QUEUED && lines.last().unwrap() == "bestmove e2e4\n");
    }

    #[test]
    fn full_non_blocking_pipe_loses_nothing() {
        /// Takes three bytes at a time, every other time.
        struct Full(Sender<u8>, bool);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(ErrorKind::WouldBlock.into());
                }
                bytes.iter().take(3).for_each(|&byte| self.0.send(byte).unwrap());
                Ok(bytes.len().min(3))
            }
            fn flush(&mut self) -> std::io::Result<()> {
                self.1 = !self.1;
                if self.1 { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
            }
        }
        let (seen, bytes) = unbounded();
        let (output, writer) = Output::start(Full(seen, false), || false, Log::default()).unwrap();
        output.send("readyok");
        output.send("bestmove e2e4");
        drop(output);
        writer.finish();
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"readyok\nbestmove e2e4\n");
    }

    /// Records each write and its thread.
    #[derive(Clone, Default)]
    struct WriteRecorder(Arc<Mutex<Vec<(String, std::thread::ThreadId)>>>);

    impl Write for WriteRecorder {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let line = String::from_utf8_lossy(bytes).into_owned();
            self.0.lock().unwrap().push((line, std::thread::current().id()));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_order_and_immediately_if_writable() {
        use std::sync::atomic::AtomicU32;
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let recorder = WriteRecorder::default();
        // Writable for two lines of three.
        let is_writable = || !CALLS.fetch_add(1, Relaxed).is_multiple_of(3);
        let (output, writer) = Output::start(recorder.clone(), is_writable, Log::default()).unwrap();
        let long = "x".repeat(MAX_BATCH);
        for number in 0..3000 {
            while number % 10 == 0 && output.sink.queued.load(Relaxed) > 0 {
                std::thread::yield_now();
            }
            output.send(if number % 100 == 7 { format!("{number} {long}") } else { number.to_string() });
        }
        drop(output);
        writer.finish();
        let writes = recorder.0.lock().unwrap();
        let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<u32>().ok());
        assert!(writes.iter().enumerate().all(|(index, (line, _))| number(line) == u32::try_from(index).ok()));
        let here = std::thread::current().id();
        let immediate = writes.iter().filter(|(_, thread)| *thread == here).count();
        assert!(immediate > 0 && immediate < writes.len() && writes.len() == 3000, "{immediate}");
        assert!(writes.iter().all(|(line, thread)| line.len() <= MAX_BATCH || *thread != here));
    }
}
