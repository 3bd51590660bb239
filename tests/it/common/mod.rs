//! Test driver: runs the compiled program over pipes, as a GUI does.
//!
//! Every wait has a time limit and fails with the transcript; every line is checked against the grammar; stderr must
//! stay empty (a caught panic is reported there); each `go` must produce exactly one `bestmove`. Each process runs in
//! an empty directory of its own, because the program reads `engine.toml` from the working directory.
#![allow(dead_code, reason = "each test program uses a different part")]

pub mod books;
pub mod evaluator;
pub mod grammar;
pub mod positions;
pub mod search;
pub mod tables;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use aspirant::uci::input::{self, parse};
use grammar::{Line, read};
use search::Root;

/// Time limit for anything that must happen eventually. The tests check order and completion, also on a loaded machine;
/// `scripts/latency.py` measures times.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Returns the value of the environment variable `name`, a positive whole number that multiplies the length of a test;
/// 1 if it is not set.
pub fn factor(name: &str) -> u64 {
    let Some(value) = std::env::var_os(name) else { return 1 };
    let factor = value.to_str().and_then(|text| text.parse().ok()).filter(|&factor| factor > 0);
    factor.unwrap_or_else(|| panic!("{name}={}: expected a positive whole number", value.display()))
}

/// A temporary directory, removed when dropped.
pub struct Dir(PathBuf);

impl Dir {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("run-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a command that runs the program in `dir` with these arguments.
///
/// The words of the environment variable `ASPIRANT_UCI` replace the program where it has no arguments: with
/// `ASPIRANT_UCI="node /…/web/dist/package/aspirant.js"`, the tests `go`, `stop` and `position` check the engine for browsers.
pub fn command(dir: &Dir, args: &[&str]) -> Command {
    let other = std::env::var("ASPIRANT_UCI").ok().filter(|_| args.is_empty());
    let mut words = other.as_deref().unwrap_or_default().split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(env!("CARGO_BIN_EXE_aspirant")));
    command.args(words).args(args).current_dir(dir.path()).env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
    command.env_remove("ASPIRANT_CONFIG").env("XDG_CONFIG_HOME", dir.path().join("user")).env("LC_ALL", "C.UTF-8");
    command
}

/// Runs the program in an empty directory until it exits, with empty stdin.
pub fn run(args: &[&str]) -> Output {
    run_in(&Dir::new(), args)
}

pub fn run_in(dir: &Dir, args: &[&str]) -> Output {
    command(dir, args).stdin(Stdio::null()).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Waits until `child` exits, and calls `meanwhile` every 20 ms. After [`LIMIT`] it ends the process and panics.
#[track_caller]
pub fn wait_for_exit(child: &mut Child, mut meanwhile: impl FnMut()) {
    let end = Instant::now() + LIMIT;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            let _ = child.kill();
            panic!("the program does not exit");
        }
        std::thread::sleep(Duration::from_millis(20));
        meanwhile();
    }
}

/// Returns the path of a file or folder in `tests/data`.
pub fn data_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Returns the Rust files in `folder` and its subfolders.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    files.chain(folders.iter().flat_map(|folder| rust_files(folder))).collect()
}

/// Reads a text file in `tests/data`.
#[track_caller]
pub fn data(name: &str) -> String {
    let path = data_path(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Plays two short games of an engine against itself.
pub fn play_two_games(mut engine: aspirant::engine::Engine) {
    for opening in ["e2e4", "g1f3"] {
        let mut game = aspirant::board::game::Game::default();
        game.play(game.position.parse_move(opening).unwrap());
        while game.outcome().is_none() && game.history.len() < 60 {
            engine.set_game(game.clone());
            let result = engine.search(aspirant::search::limits::Limits::nodes(200));
            assert_eq!(result.messages, [""; 0]);
            let m = result.best_move().unwrap();
            assert!(game.position.legal_moves().contains(&m), "{m}");
            game.play(m);
        }
        engine.new_game();
    }
}

/// A running engine process.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<String, String>>,
    transcript: Vec<String>,
    /// Allows lines that are not protocol messages (`d`, `help`, …).
    pub allow_text: bool,
    /// Current value of `UCI_Chess960`.
    pub chess960: bool,
    /// Allows output on stderr.
    pub allow_stderr: bool,
    gos: usize,
    answers: usize,
    /// Lines printed by the search that is running.
    current: Vec<Line>,
    /// Searches that ended with a `bestmove` and were not yet returned by [`Engine::answer`].
    finished: VecDeque<Vec<Line>>,
    _dir: Dir,
}

impl Engine {
    pub fn start() -> Self {
        Self::with(Dir::new(), &[])
    }

    pub fn with(dir: Dir, args: &[&str]) -> Self {
        let command = command(&dir, args);
        Self::run(dir, command)
    }

    /// Starts the engine with additional environment variables.
    pub fn with_env(dir: Dir, variables: &[(&str, &str)]) -> Self {
        let mut command = command(&dir, &[]);
        command.envs(variables.iter().copied());
        Self::run(dir, command)
    }

    /// Starts any UCI program.
    pub fn run(dir: Dir, mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("cannot start the program");
        let (sender, lines) = channel();
        let (stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let errors = sender.clone();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut bytes = Vec::new();
            while stdout.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
                let line = String::from_utf8(std::mem::take(&mut bytes));
                let whole =
                    line.map_err(|e| format!("not UTF-8: {e}")).and_then(|line| match line.strip_suffix('\n') {
                        Some(line) => Ok(line.to_owned()),
                        None => Err(format!("incomplete line: {line:?}")),
                    });
                let _ = sender.send(whole);
            }
        });
        std::thread::spawn(move || {
            let mut all = Vec::new();
            let _ = stderr.read_to_end(&mut all);
            if !all.is_empty() {
                let _ = errors.send(Err(format!("stderr: {}", String::from_utf8_lossy(&all))));
            }
        });
        let (allow_text, chess960, allow_stderr) = (false, false, false);
        let (stdin, transcript) = (child.stdin.take(), Vec::new());
        Self {
            child,
            stdin,
            lines,
            transcript,
            allow_text,
            chess960,
            allow_stderr,
            gos: 0,
            answers: 0,
            current: vec![],
            finished: VecDeque::new(),
            _dir: dir,
        }
    }

    /// Panics with this message and the end of the transcript.
    #[track_caller]
    pub fn fail(&self, why: &str) -> ! {
        let from = self.transcript.len().saturating_sub(80);
        panic!("{why}\n--- transcript ---\n{}\n------------------", self.transcript[from..].join("\n"));
    }

    #[track_caller]
    pub fn send(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_some_and(|word| word.eq_ignore_ascii_case("go")) && !words.contains(&"perft") {
            self.expect_answers(1);
        }
        if let ["setoption", "name", "UCI_Chess960", "value", value] = words[..] {
            self.chess960 = value == "true";
        }
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends raw bytes. Each `go` in them must be announced with [`Engine::expect_answers`].
    #[track_caller]
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let shown: String = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).escape_debug().collect();
        self.transcript.push(format!("> {shown}"));
        let Some(stdin) = self.stdin.as_mut() else { self.fail("stdin is closed") };
        if stdin.write_all(bytes).and_then(|()| stdin.flush()).is_err() {
            self.fail("the engine no longer reads its input");
        }
    }

    /// Announces this many further `bestmove` lines.
    pub fn expect_answers(&mut self, count: usize) {
        if self.gos == self.answers {
            self.current.clear();
        }
        self.gos += count;
    }

    /// Discards the answers read so far and expects no more of those announced.
    pub fn discard_answers(&mut self) {
        self.gos = self.answers;
        self.finished.clear();
    }

    /// Checks that all announced answers have been read, and discards them.
    #[track_caller]
    pub fn assert_answered(&mut self) {
        if self.answers != self.gos {
            self.fail(&format!("{} go, {} bestmove", self.gos, self.answers));
        }
        self.finished.clear();
    }

    /// Returns the next line, or `None` after `limit`. The line must match the grammar.
    #[track_caller]
    pub fn line_within(&mut self, limit: Duration) -> Option<Line> {
        let text = match self.lines.recv_timeout(limit) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) if self.allow_stderr => return self.line_within(limit),
            Ok(Err(fault)) => self.fail(&fault),
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => self.fail("the engine has ended"),
        };
        self.transcript.push(text.clone());
        match read(&text) {
            Ok(line) => {
                if matches!(line, Line::Info(_) | Line::CurrentMove { .. } | Line::InfoString(_)) {
                    self.current.push(line.clone());
                }
                if matches!(line, Line::BestMove { .. }) {
                    self.answers += 1;
                    if self.answers > self.gos {
                        self.fail("a bestmove without a go");
                    }
                    let mut lines = std::mem::take(&mut self.current);
                    lines.push(line.clone());
                    self.finished.push_back(lines);
                }
                Some(line)
            }
            Err(_) if self.allow_text => Some(Line::Text(text)),
            Err(fault) => self.fail(&format!("not a UCI message: {text:?}: {fault}")),
        }
    }

    /// Returns the lines up to and including the first that `is_last` accepts.
    #[track_caller]
    pub fn until(&mut self, limit: Duration, what: &str, is_last: impl Fn(&Line) -> bool) -> Vec<Line> {
        let end = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            match self.line_within(end.saturating_duration_since(Instant::now())) {
                Some(line) => lines.push(line),
                None => self.fail(&format!("no {what} within {limit:?}")),
            }
            if lines.last().is_some_and(&is_last) {
                return lines;
            }
        }
    }

    /// Sends `isready` and returns the lines before `readyok`.
    #[track_caller]
    pub fn ready(&mut self) -> Vec<Line> {
        self.send("isready");
        let mut lines = self.until(LIMIT, "readyok", |line| *line == Line::ReadyOk);
        lines.pop();
        lines
    }

    /// Sends a line and returns everything it prints before the next `readyok`.
    #[track_caller]
    pub fn output_of(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        let lines = self.ready();
        lines.into_iter().map(|line| line.to_string()).collect()
    }

    /// Sends `bench` and returns its node count.
    pub fn bench(&mut self, depth: u32) -> u64 {
        self.allow_text = true;
        self.send(&format!("bench {depth}"));
        let lines = self.until(LIMIT, "total", |line| line.to_string().ends_with(" nps"));
        self.allow_text = false;
        let total = lines.last().map(ToString::to_string).unwrap_or_default();
        total.split(' ').next().and_then(|nodes| nodes.parse().ok()).unwrap_or_else(|| panic!("{total}"))
    }

    /// Sends a line that must produce exactly one `info string`, and returns its text.
    #[track_caller]
    pub fn warning(&mut self, line: &str) -> String {
        self.send(line);
        match self.ready().as_slice() {
            [Line::InfoString(text)] if !text.trim().is_empty() => text.clone(),
            other => self.fail(&format!("{line:?}: expected one info string, found {other:?}")),
        }
    }

    /// Sets an option without a warning.
    #[track_caller]
    pub fn set(&mut self, name: &str, value: impl std::fmt::Display) {
        self.send_silent(&format!("setoption name {name} value {value}"));
    }

    /// Sends a line that must produce no output.
    #[track_caller]
    pub fn send_silent(&mut self, line: &str) {
        self.send(line);
        let lines = self.ready();
        if !lines.is_empty() {
            self.fail(&format!("{line:?}: expected no output, found {lines:?}"));
        }
    }

    /// Fails if a `bestmove` is printed within this time.
    #[track_caller]
    pub fn no_answer_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(line) = self.line_within(end.saturating_duration_since(Instant::now())) {
            if matches!(line, Line::BestMove { .. }) {
                self.fail("bestmove too early");
            }
        }
    }

    /// Waits for the next `bestmove` and checks its search against the position it was for.
    #[track_caller]
    pub fn answer(&mut self, root: &Root, limit: Duration) -> search::SearchOutput {
        if self.finished.is_empty() {
            self.until(limit, "bestmove", |line| matches!(line, Line::BestMove { .. }));
        }
        let lines = self.finished.pop_front().unwrap_or_default();
        match search::check(root, self.chess960, lines) {
            Ok(found) => found,
            Err(fault) => self.fail(&fault),
        }
    }

    /// Sends `position …` and `go …`.
    #[track_caller]
    pub fn start_search(&mut self, position: &str, go: &str) -> Root {
        let root = Root::new(position);
        self.send(&format!("position {position}"));
        self.send(format!("go {go}").trim_end());
        root
    }

    /// Sends `position …` and `go …`, and returns the checked search.
    #[track_caller]
    pub fn search(&mut self, position: &str, go: &str) -> search::SearchOutput {
        let root = self.start_search(position, go);
        self.answer(&root, LIMIT)
    }

    /// Sends `stop` and returns the checked search.
    #[track_caller]
    pub fn stop(&mut self, root: &Root) -> search::SearchOutput {
        self.send("stop");
        self.answer(root, LIMIT)
    }

    /// Sends a line, and `stop` in the same write. A search that it starts must be answered, and the engine keeps working.
    #[track_caller]
    pub fn survives(&mut self, line: &str) {
        let is_search = matches!(parse(line), input::Command::Go(request) if request.perft.is_none());
        self.expect_answers(is_search.into());
        self.send_bytes(format!("{line}\nstop\n").as_bytes());
        // The bestmove after `stop` may follow a `readyok`, but it precedes the end of `ucinewgame`.
        self.send("ucinewgame");
        self.ready();
        self.assert_answered();
        self.assert_alive();
    }

    /// Returns whether a search on the clock is answered from the book, that is with one node, or with none if the watchdog
    /// had to answer. On a busy machine, a short search can also end like that: then it is repeated with more time.
    #[track_caller]
    pub fn is_from_book(&mut self, position: &str) -> bool {
        ["movetime 50", "movetime 2000"].iter().all(|go| self.search(position, go).last().nodes <= 1)
    }

    /// Checks that the engine answers `isready` and plays a move.
    #[track_caller]
    pub fn assert_alive(&mut self) {
        self.ready();
        let found = self.search("startpos moves e2e4", "depth 2");
        assert!(found.best.is_some());
        self.ready();
    }

    /// Size of the virtual memory in MB.
    #[cfg(target_os = "linux")]
    pub fn virtual_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
        size.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
    }

    /// Processor time used so far, in clock ticks of 10 ms.
    #[cfg(target_os = "linux")]
    pub fn processor_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // User and system time; the process name before them may contain blanks and ends with the last parenthesis.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to exit and returns its code; each `go` must have been answered.
    #[track_caller]
    pub fn exit_code(mut self, limit: Duration) -> Option<i32> {
        let end = Instant::now() + limit;
        let code = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status.code(),
                None if Instant::now() > end => self.fail("the engine does not exit"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(Ok(text)) => {
                    self.answers += usize::from(text.starts_with("bestmove"));
                    if !self.allow_text
                        && let Err(fault) = read(&text)
                    {
                        self.fail(&format!("not a UCI message: {text:?}: {fault}"));
                    }
                    self.transcript.push(text);
                }
                Ok(Err(fault)) if !self.allow_stderr => self.fail(&fault),
                Ok(Err(_)) => {}
                Err(_) => break,
            }
        }
        self.assert_answered();
        code
    }

    /// Sends `quit` and checks exit code 0.
    #[track_caller]
    pub fn quit(mut self) {
        self.ready();
        self.send("quit");
        let code = self.exit_code(LIMIT);
        assert_eq!(code, Some(0), "exit code");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
