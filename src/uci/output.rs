//! To the GUI: typed messages become lines, and one thread writes them.
//!
//! Every line is a message of vampirc-uci, with the few words it cannot say added around it (`bestmove
//! (none)`, `currmovenumber`, `wdl`, `default <empty>`). Order within `info` follows what other programs rely
//! on: the score first after the counters, its bound right behind it, `pv` last. Nothing that a peer sent can
//! begin a line of its own here: control characters are replaced. Nobody who has something to say waits for
//! the other end: a line is written at once where nothing is before it and the pipe has room, for no thread
//! need be woken then while others search; else it goes through a queue to a writer thread. So a reader who
//! pauses never holds up the search or a `stop`: answers always get through, search information is dropped
//! while too much of it waits.

use std::io::{ErrorKind, IsTerminal as _, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use shakmaty::{CastlingMode, Move, Role, Square};
use vampirc_uci::{UciInfoAttribute as Info, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare};

use crate::config::options::{OPTIONS, OptionKind, OptionSpec};
use crate::config::tunable;
use crate::score::{Bound, EVAL_LIMIT, moves_to_mate};
use crate::search::params::Param;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::wdl::wdl_permille;

use super::log::{Log, Speaker};

/// Information beyond this many waiting lines is dropped.
const MOST_WAITING: usize = 1000;

/// Longer lines may not fit where there is some room: what a pipe takes as a whole.
const MOST_AT_ONCE: usize = 4096;

/// Where lines are written. Clones share it.
#[derive(Clone)]
pub struct Output {
    queue: Sender<String>,
    sink: Arc<Sink>,
}

struct Sink {
    /// Lines in the queue, the one that is just being written among them.
    waiting: AtomicUsize,
    to: Mutex<Box<dyn Write + Send>>,
    has_room: fn() -> bool,
    log: Log,
}

/// The writer thread: to be waited for at the end, so that nothing queued is lost.
pub struct Writer {
    thread: Option<JoinHandle<()>>,
    /// Disconnected when the other end has been closed.
    pub closed: Receiver<()>,
}

impl Sink {
    fn write(&self, to: &mut dyn Write, line: &str) -> std::io::Result<()> {
        self.log.line(Speaker::Engine, line);
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match to.write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(error) => wait_for_room(error)?,
            }
        }
        while let Err(error) = to.flush() {
            wait_for_room(error)?;
        }
        Ok(())
    }

    /// Writes a line if that takes no waiting and overtakes nothing; says whether it did.
    fn write_at_once(&self, line: &str) -> bool {
        if line.len() > MOST_AT_ONCE || self.waiting.load(Relaxed) > 0 {
            return false;
        }
        let Ok(mut to) = self.to.try_lock() else { return false };
        self.waiting.load(Relaxed) == 0 && (self.has_room)() && self.write(&mut **to, line).is_ok()
    }
}

/// Whoever started the program may have made its stdout non-blocking: a full pipe is then an error, but no end.
fn wait_for_room(error: std::io::Error) -> std::io::Result<()> {
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
    /// Starts the writer thread. `has_room` tells whether `to` takes 4096 bytes without waiting. What is
    /// written goes to the log, too, if there is one.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn start(to: impl Write + Send + 'static, has_room: fn() -> bool, log: Log) -> std::io::Result<(Self, Writer)> {
        let (queue, lines) = unbounded::<String>();
        let (alive, closed) = bounded::<()>(0);
        let sink = Arc::new(Sink { waiting: AtomicUsize::new(0), to: Mutex::new(Box::new(to)), has_room, log });
        let shared = Arc::clone(&sink);
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            crate::platform::system::request_short_time_slice();
            crate::platform::system::prefill_thread_cache();
            let _alive = alive;
            for line in lines {
                let mut to = sink.to.lock().unwrap_or_else(PoisonError::into_inner);
                // A closed pipe ends the writer, and that ends the program.
                if sink.write(&mut **to, &line).is_err() {
                    return;
                }
                sink.waiting.fetch_sub(1, Relaxed);
            }
        })?;
        Ok((Self { queue, sink: shared }, Writer { thread: Some(thread), closed }))
    }

    /// A line that must arrive.
    pub fn answer(&self, line: impl Into<String>) {
        let mut line: String = line.into();
        line.push('\n');
        if !self.sink.write_at_once(&line) {
            self.sink.waiting.fetch_add(1, Relaxed);
            // After the reader has gone there is nobody to tell.
            let _ = self.queue.send(line);
        }
    }

    /// A line that may be dropped if nobody reads.
    pub fn chatter(&self, line: impl Into<String>) {
        if self.sink.waiting.load(Relaxed) < MOST_WAITING {
            self.answer(line);
        }
    }
}

/// Does stdout take a line without waiting? Where nobody can tell, and on a terminal, which can be halted: no.
#[must_use]
pub fn stdout_has_room() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = std::io::stdout();
        let mut wanted = [PollFd::new(&stdout, PollFlags::OUT)];
        !stdout.is_terminal()
            && poll(&mut wanted, Some(&Timespec::default())).is_ok()
            && wanted[0].revents() == PollFlags::OUT
    }
    #[cfg(not(unix))]
    false
}

impl Writer {
    /// Waits until everything queued is written; every [`Output`] must be gone by then.
    pub fn finish(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// `id name …`, `id author …`, the options, `uciok`.
#[must_use]
pub fn greeting() -> Vec<String> {
    let id = [
        UciMessage::id_name(concat!("Aspirant ", env!("CARGO_PKG_VERSION"))),
        UciMessage::id_author("the Aspirant authors"),
    ];
    let options = OPTIONS.iter().map(|row| UciMessage::Option(option(row)));
    let params = tunable().iter().map(|param| UciMessage::Option(tunable_option(param)));
    id.into_iter().chain(options).chain(params).chain([UciMessage::UciOk]).map(|message| message.to_string()).collect()
}

fn option(row: &OptionSpec) -> UciOptionConfig {
    let name = row.name.to_owned();
    match row.kind {
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

/// A number of the search as an option for outside tuners.
fn tunable_option(param: &Param) -> UciOptionConfig {
    let name = param.name.to_owned();
    if param.switch {
        return UciOptionConfig::Check { name, default: Some(param.default != 0) };
    }
    let [default, min, max] = [param.default, param.min, param.max].map(|n| Some(n.into()));
    UciOptionConfig::Spin { name, default, min, max }
}

/// `readyok`.
#[must_use]
pub fn ready() -> String {
    UciMessage::ReadyOk.to_string()
}

/// `info string …`, one line whatever the text.
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
        // Drops and null moves are not made in this game.
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

/// `bestmove …`.
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

/// `info depth … pv …`. Chances of win, draw and loss only with exact scores: readers disagree about their
/// place beside a bound; and only if the `material` of the position is told.
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

/// `info depth … currmove … currmovenumber …`.
#[must_use]
pub fn current_move(depth: i32, m: Move, number: usize, mode: CastlingMode) -> String {
    UciMessage::Info(vec![
        Info::Depth(u8::try_from(depth).unwrap_or(u8::MAX)),
        Info::CurrMove(uci_move(m, mode)),
        Info::Any("currmovenumber".into(), number.to_string()),
    ])
    .to_string()
}

/// Reports a search as lines of the protocol.
pub struct UciReporter {
    /// Where the lines go.
    pub output: Output,
    /// How castling is written.
    pub mode: CastlingMode,
    /// The material on the board, if chances of win, draw and loss are wanted.
    pub material: Option<u32>,
    /// Only the last report of each line, just before the answer?
    pub minimal: bool,
    /// What a minimal report has not said yet.
    pub held_back: HeldBack,
}

/// The last whole set of lines, and what came after it: a search that is broken off may have found a better move
/// since, and says so on line 1 only.
#[derive(Default)]
pub struct HeldBack {
    whole: Vec<SearchInfo>,
    latest: Vec<SearchInfo>,
}

impl HeldBack {
    fn keep(&mut self, search: &SearchInfo) {
        if search.multi_pv == 1 {
            let set = std::mem::take(&mut self.latest);
            if set.len() >= self.whole.len() {
                self.whole = set;
            }
        }
        self.latest.push(search.clone());
    }

    fn take(&mut self) -> Vec<SearchInfo> {
        let (mut whole, latest) = (std::mem::take(&mut self.whole), std::mem::take(&mut self.latest));
        if latest.len() >= whole.len() {
            return latest;
        }
        whole.extend(latest);
        whole
    }
}

impl Reporter for UciReporter {
    fn info(&mut self, search: &SearchInfo) {
        if self.minimal {
            self.held_back.keep(search);
            return;
        }
        self.output.chatter(info(search, self.mode, self.material));
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        if self.minimal {
            return;
        }
        self.output.chatter(current_move(depth, m, number, self.mode));
    }

    fn message(&mut self, text: &str) {
        self.output.answer(info_string(text));
    }

    fn best_move(&mut self, answer: BestMove) {
        for search in self.held_back.take() {
            self.output.chatter(info(&search, self.mode, self.material));
        }
        self.output.answer(best_move(answer, self.mode));
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
    fn best_moves_in_both_notations() {
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
    fn the_greeting_names_every_option_with_type_and_default() {
        let lines = greeting();
        assert!(lines[0].starts_with("id name Aspirant") && lines[1].starts_with("id author "));
        assert_eq!(lines.last().unwrap(), "uciok");
        assert_eq!(lines.len(), OPTIONS.len() + tunable().len() + 3);
        assert!(lines.contains(&"option name Hash type spin default 16 min 1 max 1048576".into()));
        assert!(lines.contains(&"option name Clear Hash type button".into()));
        assert!(lines.contains(&"option name UCI_Chess960 type check default false".into()));
    }

    #[test]
    fn no_text_can_forge_a_line() {
        assert_eq!(info_string("a\nbestmove e2e4\r\n"), "info string a bestmove e2e4  ");
    }

    #[test]
    fn answers_arrive_when_chatter_is_dropped() {
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
        for _ in 0..3 * MOST_WAITING {
            output.chatter("info");
        }
        output.answer("bestmove e2e4");
        drop(gate);
        drop(output);
        writer.finish();
        let lines: Vec<String> = lines.iter().collect();
        assert!(lines.len() < 2 * MOST_WAITING && lines.last().unwrap() == "bestmove e2e4\n");
    }

    #[test]
    fn a_full_pipe_that_does_not_block_loses_nothing() {
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
        output.answer("readyok");
        output.answer("bestmove e2e4");
        drop(output);
        writer.finish();
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"readyok\nbestmove e2e4\n");
    }

    /// Keeps what it is given, and who gave it.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<(String, std::thread::ThreadId)>>>);

    impl Write for Kept {
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
    fn where_there_is_room_no_thread_is_woken_and_no_line_overtakes_another() {
        use std::sync::atomic::AtomicU32;
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let kept = Kept::default();
        // Room for two lines of three.
        let has_room = || !CALLS.fetch_add(1, Relaxed).is_multiple_of(3);
        let (output, writer) = Output::start(kept.clone(), has_room, Log::default()).unwrap();
        let long = "x".repeat(MOST_AT_ONCE);
        for number in 0..3000 {
            while number % 10 == 0 && output.sink.waiting.load(Relaxed) > 0 {
                std::thread::yield_now();
            }
            output.answer(if number % 100 == 7 { format!("{number} {long}") } else { number.to_string() });
        }
        drop(output);
        writer.finish();
        let kept = kept.0.lock().unwrap();
        let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<u32>().ok());
        assert!(kept.iter().enumerate().all(|(index, (line, _))| number(line) == u32::try_from(index).ok()));
        let here = std::thread::current().id();
        let at_once = kept.iter().filter(|(_, thread)| *thread == here).count();
        assert!(at_once > 0 && at_once < kept.len() && kept.len() == 3000, "{at_once}");
        assert!(kept.iter().all(|(line, thread)| line.len() <= MOST_AT_ONCE || *thread != here));
    }
}
