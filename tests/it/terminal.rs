//! Commands on a terminal, and signals. Only for Linux.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::os::fd::FromRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use crate::common::{Dir, LIMIT, command, text};

/// Opens a pseudo terminal of this size; returns its two ends.
fn open_terminal(columns: u16, rows: u16) -> (File, File) {
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut primary, mut secondary) = (-1, -1);
    let (name, settings) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: all pointers are valid or null, and each descriptor is owned by one `File` only.
    unsafe {
        assert_eq!(libc::openpty(&mut primary, &mut secondary, name, settings, &size), 0);
        // Processes that other tests start must not keep the terminal open.
        for descriptor in [primary, secondary] {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
        (File::from_raw_fd(primary), File::from_raw_fd(secondary))
    }
}

/// A command whose input and output are a terminal.
struct TerminalSession {
    child: Child,
    keyboard: File,
    output: Receiver<Vec<u8>>,
    printed: Vec<u8>,
}

impl TerminalSession {
    fn start(dir: &Dir, args: &[&str]) -> Self {
        let (primary, secondary) = open_terminal(80, 24);
        let mut child = command(dir, args);
        child.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        child.stdin(secondary.try_clone().unwrap()).stdout(secondary.try_clone().unwrap()).stderr(secondary);
        // The tests may run under `nohup`.
        set_hangup(&mut child, libc::SIG_DFL);
        let running = child.spawn().unwrap();
        drop(child);
        let (sender, output) = channel();
        let mut screen = primary.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut block) {
                let _ = sender.send(block[..length].to_vec());
            }
        });
        Self { child: running, keyboard: primary, output, printed: Vec::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `part` is printed after everything that was waited for before; returns what is printed between.
    #[track_caller]
    fn wait_for(&mut self, part: &str) -> String {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(start) = self.printed.windows(part.len()).position(|window| window == part.as_bytes()) {
                let before = String::from_utf8_lossy(&self.printed[..start]).into_owned();
                self.printed.drain(..start + part.len());
                return before;
            }
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.printed.extend(bytes),
                Err(error) => {
                    panic!("'{part}' is not printed ({error}): {:?}", String::from_utf8_lossy(&self.printed))
                }
            }
        }
    }
}

/// Sends a signal to a child that has not been waited for.
fn signal(child: &Child, signal: libc::c_int) {
    // SAFETY: the number belongs to a child that has not been waited for, so no other process can have it.
    assert_eq!(unsafe { libc::kill(child.id().cast_signed(), signal) }, 0);
}

/// Starts a command whose output is a pipe; returns the process and the lines of its stdout.
fn start_piped(mut command: Command) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

/// Sets how the process will treat `SIGHUP` at its start.
fn set_hangup(command: &mut Command, handler: libc::sighandler_t) {
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::signal(libc::SIGHUP, handler);
            Ok(())
        });
    }
}

#[test]
fn play_has_line_editing_and_history() {
    let dir = Dir::new();
    let mut game = TerminalSession::start(&dir, &["play", "--depth", "2", "--pgn", "game.pgn"]);
    game.wait_for("> ");
    // A mistake corrected with the backspace key, and the last line repeated with the arrow key.
    game.press("nf4\u{7f}3\r");
    game.wait_for("Aspirant plays 1");
    game.wait_for("> ");
    game.press("\u{1b}[A\r");
    game.wait_for("'nf3' is not possible");
    game.wait_for("> ");
    // Ctrl-C.
    game.press("\u{3}");
    game.wait_for("To leave, press Ctrl-C again");
    game.wait_for("> ");
    game.press("\u{3}");
    game.wait_for("Saved in game.pgn");
    assert!(game.child.wait().unwrap().success());
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    assert!(pgn.contains("1. Nf3 "), "{pgn}");
}

#[test]
fn play_saves_the_game_when_interrupted() {
    for number in [libc::SIGTERM, libc::SIGHUP] {
        let dir = Dir::new();
        let mut game = TerminalSession::start(&dir, &["play", "--movetime", "60000", "--pgn", "game.pgn"]);
        game.wait_for("> ");
        game.press("e4\r");
        game.wait_for("thinking: depth ");
        signal(&game.child, number);
        game.wait_for("Saved in game.pgn");
        assert_eq!(game.child.wait().unwrap().code(), Some(130));
        let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
        assert!(pgn.contains("\n1. e4 *\n"), "{pgn}");
    }
    // At the prompt: the system sends this signal when the controlling terminal of a program is closed; this one has none.
    let dir = Dir::new();
    let mut game = TerminalSession::start(&dir, &["play", "--depth", "2", "--pgn", "game.pgn"]);
    game.wait_for("> ");
    game.press("e4\r");
    game.wait_for("Aspirant plays 1");
    game.wait_for("> ");
    signal(&game.child, libc::SIGHUP);
    game.child.wait().unwrap();
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    assert!(pgn.contains("\n1. e4 "), "{pgn}");
}

#[test]
fn interrupt_while_the_engine_thinks_means_move_now() {
    let dir = Dir::new();
    let mut game = TerminalSession::start(&dir, &["play", "--movetime", "10m"]);
    game.wait_for("> ");
    game.press("e4\r");
    game.wait_for("thinking: depth ");
    // What is typed now is not echoed, and is the next line.
    game.press("quit\r");
    signal(&game.child, libc::SIGINT);
    let before = game.wait_for("Aspirant plays 1");
    assert!(!before.contains("quit"), "{before}");
    // A game on a terminal is saved without --pgn.
    game.wait_for("Saved in aspirant-games.pgn");
    assert!(game.child.wait().unwrap().success());
    let pgn = std::fs::read_to_string(dir.path().join("aspirant-games.pgn")).unwrap();
    assert!(pgn.contains("\n1. e4 "), "{pgn}");
}

#[test]
fn the_first_line_on_a_terminal_names_the_commands() {
    let mut session = TerminalSession::start(&Dir::new(), &[]);
    session.wait_for("in UCI mode. Commands: help, quit. To play a game: aspirant play\r\n");
    session.press("xboard\r");
    session.wait_for("xboard -fUCI -fcp aspirant");
    session.press("exit\r");
    assert!(session.child.wait().unwrap().success());
}

#[test]
fn interrupted_analysis_prints_the_result_so_far() {
    let dir = Dir::new();
    let args = ["analyze", "--movetime", "60000", "--set", "Hash=16"];
    let mut analysis = TerminalSession::start(&dir, &args);
    analysis.wait_for("Best move: 1. ");
    signal(&analysis.child, libc::SIGINT);
    assert!(analysis.child.wait().unwrap().success());
    // Not on a terminal.
    let (mut child, mut lines) = start_piped(command(&dir, &args));
    // The board is printed before the search.
    assert!(lines.next().is_some());
    signal(&child, libc::SIGINT);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line.starts_with("Best move: 1. ")), "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("Verdict: ")), "{rest:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn errors_are_wrapped_at_spaces() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w KQkq - 0 1";
    let mut analysis = TerminalSession::start(&Dir::new(), &["analyze", fen]);
    analysis.wait_for("aspirant: bad FEN '");
    assert!(analysis.wait_for("board part in fen\r\n").ends_with("':\r\n  invalid "));
    assert_eq!(analysis.child.wait().unwrap().code(), Some(1));
}

#[test]
fn interrupted_annotate_writes_what_is_done() {
    let dir = Dir::new();
    dir.file("game.pgn", "1. e4 e5 2. Nf3 *\n");
    let mut annotation =
        TerminalSession::start(&dir, &["annotate", "game.pgn", "--movetime", "10m", "--hash", "1", "--out", "new.pgn"]);
    annotation.wait_for("game 1 of 1");
    signal(&annotation.child, libc::SIGINT);
    annotation.wait_for("interrupted; what is annotated is written");
    assert_eq!(annotation.child.wait().unwrap().code(), Some(130));
    let pgn = std::fs::read_to_string(dir.path().join("new.pgn")).unwrap();
    assert!(pgn.contains("\n1. e4 e5 2. Nf3 *\n"), "{pgn}");
}

#[test]
fn hangup_is_ignored_under_nohup() {
    let dir = Dir::new();
    let mut analysis = command(&dir, &["analyze", "--depth", "12", "--set", "Hash=16"]);
    set_hangup(&mut analysis, libc::SIG_IGN);
    let (mut child, mut lines) = start_piped(analysis);
    assert!(lines.next().is_some());
    signal(&child, libc::SIGHUP);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line.starts_with("depth 12/")), "{rest:?}");
    assert!(child.wait().unwrap().success());
}

/// Runs a command in a terminal of this size and returns the last screen without colors.
fn on_terminal(columns: u16, rows: u16, args: &[&str], input: &str) -> Vec<String> {
    let (mut screen, terminal) = open_terminal(columns, rows);
    let dir = Dir::new();
    let mut child = command(&dir, args);
    child.env("TERM", "xterm-256color").env_remove("NO_COLOR").stdin(Stdio::piped()).stdout(terminal);
    let mut running = child.spawn().unwrap();
    // Closes this process's copy of the terminal, so that reading ends when the child exits.
    drop(child);
    let _ = running.stdin.take().unwrap().write_all(input.as_bytes());
    let (mut bytes, mut block) = (Vec::new(), [0; 4096]);
    // On Linux, reading after the other end was closed is an error.
    while let Ok(length @ 1..) = screen.read(&mut block) {
        bytes.extend_from_slice(&block[..length]);
    }
    assert!(running.wait().unwrap().success(), "{}", text(&bytes));
    let screen_text = text(&bytes);
    assert!(screen_text.contains('\u{1b}'), "no colors on a terminal: {screen_text}");
    // The last redraw begins after the last cursor movement.
    let last = screen_text.rsplit_once("A 8").map_or(screen_text.as_str(), |(_, last)| last);
    // A carriage return lets the next text overwrite a line.
    let visible_part = |line: &str| line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().to_owned();
    console::strip_ansi_codes(last).lines().map(visible_part).collect()
}

#[test]
fn narrow_terminals_show_every_field() {
    let assert_fits = |lines: &[String], columns: u16| {
        let too_wide = lines.iter().find(|line| console::measure_text_width(line) > columns.into());
        assert_eq!(too_wide, None, "{columns}: {lines:#?}");
    };
    for columns in [40, 60, 100] {
        let analysis = ["analyze", "--depth", "9", "--multipv", "3"];
        let lines = on_terminal(columns, 60, &analysis, "");
        assert_fits(&lines, columns);
        let all = lines.join(" ").split_whitespace().collect::<Vec<_>>().concat();
        for part in ["RNBQKBNRwKQkq-01", "Whitetomove", "depth9/", "nodes", "M/s", "hash", "%", "B", "draw", "3)"] {
            assert!(all.contains(part), "{columns}: {part} is missing in {lines:#?}");
        }
        let game = on_terminal(columns, 60, &["play", "--depth", "4"], "help\ne4\nhint\neval\nrubbish\n");
        // Input is not echoed here, so that the prompt precedes the output.
        let game: Vec<String> = game.iter().map(|line| line.trim_start_matches("> ").to_owned()).collect();
        assert_fits(&game, columns);
        let all = game.join(" ");
        assert!(all.contains("take back") && all.contains("plays 1"), "{game:#?}");
    }
    // While redrawing, only what fits is shown; the last output is complete.
    let lines = on_terminal(80, 10, &["analyze", "--depth", "9", "--multipv", "5", "--set", "Hash=16"], "");
    assert!(lines.iter().any(|line| line.trim_start().starts_with("5)")), "{lines:#?}");
}
