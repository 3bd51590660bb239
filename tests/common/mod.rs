//! Drives the real program over pipes, as a GUI does.
//!
//! Every wait has a limit and fails with the transcript; every line is held against the grammar; stderr must
//! stay empty (a caught panic would show there); one `go` must bring one `bestmove`. The program runs in an
//! empty directory of its own, for it reads `engine.toml` in the working directory.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod grammar;
pub mod search;
pub mod tables;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use grammar::{Line, read};
use search::Root;

/// Far more than anything here takes, even on a loaded machine.
pub const LIMIT: Duration = Duration::from_secs(60);
/// A reaction "within milliseconds", with room for a machine that does other things, too.
pub const SOON: Duration = Duration::from_secs(5);

/// A directory of its own for a test, removed at the end.
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

/// The program with these arguments, to be run in `dir`.
pub fn command(dir: &Dir, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aspirant"));
    command.args(args).current_dir(dir.path()).env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
    command
}

/// Runs a command of the command line to its end, with nothing on stdin.
pub fn run(args: &[&str]) -> Output {
    run_in(&Dir::new(), args)
}

pub fn run_in(dir: &Dir, args: &[&str]) -> Output {
    command(dir, args).stdin(Stdio::null()).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// A file of the shared test data, which is not part of the package; without it the test says so and passes.
pub fn shared(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    let content = std::fs::read_to_string(&path).ok();
    if content.is_none() {
        eprintln!("notice: ../shared/data/{name} is not here: this part is left out");
    }
    content
}

/// A running engine.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<String, String>>,
    transcript: Vec<String>,
    /// Lines that are no messages of the protocol are expected (`d`, `help`, …).
    pub free_text: bool,
    /// What `UCI_Chess960` was set to.
    pub chess960: bool,
    /// Bytes on stderr are expected.
    pub noisy: bool,
    gos: usize,
    answers: usize,
    /// What the running search has said so far.
    said: Vec<Line>,
    /// Answers that were read, each with what came before it, and not yet asked for.
    answered: VecDeque<Vec<Line>>,
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

    /// With variables of the environment.
    pub fn with_env(dir: Dir, variables: &[(&str, &str)]) -> Self {
        let mut command = command(&dir, &[]);
        command.envs(variables.iter().copied());
        Self::run(dir, command)
    }

    /// Any program that speaks the protocol.
    pub fn run(dir: Dir, mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
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
                        None => Err(format!("half a line: {line:?}")),
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
        let (free_text, chess960, noisy) = (false, false, false);
        let (stdin, transcript) = (child.stdin.take(), Vec::new());
        Self {
            child,
            stdin,
            lines,
            transcript,
            free_text,
            chess960,
            noisy,
            gos: 0,
            answers: 0,
            said: vec![],
            answered: VecDeque::new(),
            _dir: dir,
        }
    }

    /// Fails with what was said so far.
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

    /// Bytes as they are. A `go` among them must be announced with [`Engine::expect_answers`].
    #[track_caller]
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let shown: String = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).escape_debug().collect();
        self.transcript.push(format!("> {shown}"));
        let Some(stdin) = self.stdin.as_mut() else { self.fail("stdin is closed") };
        if stdin.write_all(bytes).and_then(|()| stdin.flush()).is_err() {
            self.fail("the engine does not listen any more");
        }
    }

    pub fn expect_answers(&mut self, more: usize) {
        if self.gos == self.answers {
            self.said.clear();
        }
        self.gos += more;
    }

    /// Whatever was announced: what has come is all that will come.
    pub fn settle(&mut self) {
        self.gos = self.answers;
        self.answered.clear();
    }

    /// The next line, if one comes in time. It must be a line of the grammar.
    #[track_caller]
    pub fn line_within(&mut self, limit: Duration) -> Option<Line> {
        let text = match self.lines.recv_timeout(limit) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) if self.noisy => return self.line_within(limit),
            Ok(Err(fault)) => self.fail(&fault),
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => self.fail("the engine has ended"),
        };
        self.transcript.push(text.clone());
        match read(&text) {
            Ok(line) => {
                if matches!(line, Line::Info(_) | Line::CurrentMove { .. } | Line::InfoString(_)) {
                    self.said.push(line.clone());
                }
                if matches!(line, Line::BestMove { .. }) {
                    self.answers += 1;
                    if self.answers > self.gos {
                        self.fail("a bestmove that nobody asked for");
                    }
                    let mut said = std::mem::take(&mut self.said);
                    said.push(line.clone());
                    self.answered.push_back(said);
                }
                Some(line)
            }
            Err(_) if self.free_text => Some(Line::Text(text)),
            Err(fault) => self.fail(&format!("not a line of the protocol: {text:?}: {fault}")),
        }
    }

    /// Lines up to and including the first that `is_last` accepts.
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

    /// `isready`, and what came before `readyok`.
    #[track_caller]
    pub fn ready(&mut self) -> Vec<Line> {
        self.send("isready");
        let mut lines = self.until(LIMIT, "readyok", |line| *line == Line::ReadyOk);
        lines.pop();
        lines
    }

    /// What the engine has to say to this line: free text, or messages of the protocol.
    #[track_caller]
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        let lines = self.ready();
        lines.into_iter().map(|line| line.to_string()).collect()
    }

    /// The nodes of `bench` at the prompt.
    pub fn bench(&mut self, depth: u32) -> u64 {
        self.free_text = true;
        self.send(&format!("bench {depth}"));
        let lines = self.until(LIMIT, "total", |line| line.to_string().ends_with(" nps"));
        self.free_text = false;
        let total = lines.last().map(ToString::to_string).unwrap_or_default();
        total.split(' ').next().and_then(|nodes| nodes.parse().ok()).unwrap_or_else(|| panic!("{total}"))
    }

    /// Sends something that must bring exactly one `info string`, and returns its text.
    #[track_caller]
    pub fn complaint(&mut self, line: &str) -> String {
        self.send(line);
        match self.ready().as_slice() {
            [Line::InfoString(text)] if !text.trim().is_empty() => text.clone(),
            other => self.fail(&format!("{line:?}: expected one info string, got {other:?}")),
        }
    }

    /// Sends something that must be taken without a word.
    #[track_caller]
    pub fn quiet(&mut self, line: &str) {
        self.send(line);
        let lines = self.ready();
        if !lines.is_empty() {
            self.fail(&format!("{line:?} brought {lines:?}"));
        }
    }

    /// For this long no answer may come.
    #[track_caller]
    pub fn no_answer_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(line) = self.line_within(end.saturating_duration_since(Instant::now())) {
            if matches!(line, Line::BestMove { .. }) {
                self.fail("an answer too early");
            }
        }
    }

    /// Everything up to the answer to a `go` that was sent, checked against the position it was for.
    #[track_caller]
    pub fn answer(&mut self, root: &Root, limit: Duration) -> search::Found {
        if self.answered.is_empty() {
            self.until(limit, "bestmove", |line| matches!(line, Line::BestMove { .. }));
        }
        let lines = self.answered.pop_front().unwrap_or_default();
        match search::check(root, self.chess960, lines) {
            Ok(found) => found,
            Err(fault) => self.fail(&fault),
        }
    }

    /// `position …`, `go …`, and the checked answer.
    #[track_caller]
    pub fn search(&mut self, position: &str, go: &str) -> search::Found {
        let root = Root::new(position);
        self.send(&format!("position {position}"));
        self.send(format!("go {go}").trim_end());
        self.answer(&root, LIMIT)
    }

    /// Is it alive, and does it play?
    #[track_caller]
    pub fn is_well(&mut self) {
        self.ready();
        let found = self.search("startpos moves e2e4", "depth 2");
        assert!(found.best.is_some());
        self.ready();
    }

    /// Processor time used so far, in the system's ticks (a hundredth of a second).
    #[cfg(target_os = "linux")]
    pub fn processor_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // Behind the name, which may hold anything but ends with the last bracket: user and system time.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end and returns the exit code; every `go` must have been answered by then.
    #[track_caller]
    pub fn exit_code(mut self, limit: Duration) -> Option<i32> {
        let end = Instant::now() + limit;
        let code = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status.code(),
                None if Instant::now() > end => self.fail("the engine does not end"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(Ok(text)) => {
                    self.answers += usize::from(text.starts_with("bestmove"));
                    if !self.free_text
                        && let Err(fault) = read(&text)
                    {
                        self.fail(&format!("not a line of the protocol: {text:?}: {fault}"));
                    }
                    self.transcript.push(text);
                }
                Ok(Err(fault)) if !self.noisy => self.fail(&fault),
                Ok(Err(_)) => {}
                Err(_) => break,
            }
        }
        if self.answers != self.gos {
            self.fail(&format!("{} go, {} bestmove", self.gos, self.answers));
        }
        code
    }

    /// The polite end.
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
