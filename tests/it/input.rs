//! Input and output: bytes, invalid and damaged lines, pipes that are closed or not read.
//!
//! Every input that ever caused a defect is added to these lists.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use crate::common::grammar::{Line, read};
use crate::common::search::Root;
use crate::common::{Dir, Engine, LIMIT, command, wait_for_exit};

#[test]
fn unusual_bytes_are_handled() {
    let mut engine = Engine::start();
    for (bytes, readies) in [
        (&b"\xef\xbb\xbfisready\n"[..], 1),
        (b"isready\r\n", 1),
        (b"isready\risready\r\n", 2),
        (b"is\0ready\n", 1),
        (b"  \t isready \t \n", 1),
        (b"\r\n\r\n\n\n", 0),
        (b"isready\nisready\nisready\n", 3),
        (b"joho isready\n", 1),
        (b"stop\nponderhit\n", 0),
    ] {
        engine.send_bytes(bytes);
        for _ in 0..readies {
            assert_eq!(engine.line_within(LIMIT), Some(Line::ReadyOk), "{bytes:?}");
        }
        assert_eq!(engine.ready(), [], "{bytes:?}");
    }
    for bytes in [&b"\xff\xfe\xfd\n"[..], b"go\xc3\x28 x\n", b"setoption name \xff value \xfe\n", b"\x1b[2J\x07\n"] {
        engine.send_bytes(bytes);
        let lines = engine.ready();
        assert!(matches!(lines.as_slice(), [Line::InfoString(_)]), "{bytes:?}: {lines:?}");
    }
    engine.expect_answers(1);
    engine.send_bytes(b"position startpos moves e2e4\r\ngo depth 2 \r\n");
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.quit();
}

#[test]
fn invalid_commands_print_one_warning_and_change_nothing() {
    let mut engine = Engine::start();
    engine.send_silent("position startpos moves e2e4");
    for (line, part) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8"),
        ("position kiwipete", "kiwipete"),
        ("setoption name Hash value 0", "Hash"),
        ("setoption name Hash", "Hash"),
        ("setoption", "setoption"),
        ("debug maybe", "debug"),
        ("perft", "perft"),
        ("perft x", "perft"),
        ("bench x", "bench"),
        ("xyzzy", "xyzzy"),
        ("isreadyx", "isreadyx"),
    ] {
        let text = engine.warning(line);
        assert!(text.contains(part), "{line}: {text}");
    }
    // Position and options are unchanged.
    engine.send("go depth 3");
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.quit();
}

#[test]
fn five_megabyte_line_is_one_invalid_line() {
    let mut engine = Engine::start();
    for word in ["a ", "a", "go ", "position startpos moves e2e4 "] {
        let mut line = word.repeat((5 << 20) / word.len());
        line.push('\n');
        // A prefix of the line may be executed, but the rest must not be parsed as commands.
        engine.expect_answers(1);
        engine.send_bytes(line.as_bytes());
        // Stops the search, and waits until it is answered.
        engine.send("ucinewgame");
        let lines = engine.ready();
        let is_reaction = |line: &&Line| match line {
            // On a loaded machine, the watchdog may have answered.
            Line::InfoString(text) => !text.contains("did not end in time"),
            line => matches!(line, Line::BestMove { .. }),
        };
        assert_eq!(lines.iter().filter(is_reaction).count(), 1, "{lines:?}");
        engine.discard_answers();
    }
    engine.assert_alive();
    engine.quit();
}

#[test]
fn twenty_thousand_isready_are_all_answered() {
    let mut engine = Engine::start();
    engine.send_bytes(&b"isready\n".repeat(20_000));
    for _ in 0..20_000 {
        assert_eq!(engine.line_within(LIMIT), Some(Line::ReadyOk));
    }
    engine.quit();
}

/// rust-lang/rust#46016. Nothing is read until the pipe is full; afterwards every `bestmove` must be there.
#[test]
fn unread_output_does_not_block_stop() {
    let dir = Dir::new();
    let mut child = command(&dir, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    stdin.write_all(b"setoption name MultiPV value 200\nsetoption name UCI_AnalyseMode value true\n").unwrap();
    // The first search fills the pipe.
    for wait in [400, 100, 100] {
        stdin.write_all(b"position startpos\ngo infinite\n").unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // The search must stop although its output is blocked.
        stdin.write_all(b"stop\nucinewgame\n").unwrap();
    }
    stdin.write_all(b"setoption name MultiPV value 1\ngo depth 3\nisready\nquit\n").unwrap();
    let reader = std::thread::spawn(move || {
        let mut all = String::new();
        stdout.read_to_string(&mut all).map(|_| all)
    });
    wait_for_exit(&mut child, || {});
    let all = reader.join().unwrap().unwrap();
    assert!(all.len() > 1 << 16, "the pipe was not filled: {} bytes", all.len());
    assert_eq!(all.lines().filter(|line| line.starts_with("bestmove ")).count(), 4);
    assert_eq!(all.lines().filter(|line| *line == "readyok").count(), 1);
    for line in all.lines() {
        read(line).unwrap_or_else(|fault| panic!("{line}: {fault}"));
    }
}

#[test]
fn closed_stdout_ends_the_engine() {
    for commands in ["isready\n", "go infinite\n", "uci\nuci\nuci\n", "go perft 20\nisready\nisready\n"] {
        let dir = Dir::new();
        let mut child =
            command(&dir, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"isready\n").unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        drop(stdout);
        let _ = stdin.write_all(commands.as_bytes());
        // A process started by another test inherits the reading end until its exec, and writes succeed meanwhile:
        // make the engine print again until it notices.
        wait_for_exit(&mut child, || drop(stdin.write_all(b"isready\n")));
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{commands:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn closed_stdout_ends_genfens_of_the_command_line() {
    let dir = Dir::new();
    let mut child = command(&dir, &["genfens 1000000 seed 1 book None", "quit"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    wait_for_exit(&mut child, || {});
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
