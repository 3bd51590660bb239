//! What people and scripts start besides the protocol: games in the terminal, openings for test farms,
//! completions, the manual, the version.

mod common;

use std::io::Write as _;
use std::process::Stdio;

use common::{Dir, command, run, run_in, text};

/// Runs a command with this input and returns what it printed.
#[track_caller]
fn talk(dir: &Dir, args: &[&str], input: &str) -> String {
    let mut child =
        command(dir, args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn scholar_s_mate_is_played_to_the_end_and_saved() {
    let dir = Dir::new();
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let args = ["play", "--fen", fen, "--depth", "1", "--pgn", "game.pgn"];
    let said = talk(&dir, &args, "hint\nf3f7\nquit\n");
    assert!(said.contains("Checkmate: White wins.") && said.contains("Saved in game.pgn"), "{said}");
    assert!(!said.contains('\u{1b}') && said.is_ascii(), "escape codes or Unicode men in a pipe: {said}");
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    for part in ["[Result \"1-0\"]", "[White \"Human\"]", &format!("[FEN \"{fen}\"]"), "\n4. Qxf7# 1-0\n"] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    // What is there stays there.
    let again = run_in(&dir, &args);
    assert!(!again.status.success() && text(&again.stderr).contains("exists already"), "{again:?}");
    assert_eq!(std::fs::read_to_string(dir.path().join("game.pgn")).unwrap(), pgn);
}

#[test]
fn a_game_ends_with_its_input_and_bad_arguments_are_named() {
    let dir = Dir::new();
    let said = talk(&dir, &["play", "--depth", "2"], "e4\nKxg9\n\u{fffd}\nundo\nundo\nd2d4");
    assert!(said.contains("Aspirant plays 1... ") || said.contains("Aspirant plays 1… "), "{said}");
    assert!(said.contains("is neither a legal move nor a command"), "{said}");
    let said = talk(&dir, &["play", "--depth", "2", "--side", "black"], "");
    assert!(said.contains("You play black") && said.contains("Aspirant plays 1. "), "{said}");
    for args in [&["play", "--fen", "nonsense"][..], &["play", "--side", "red"], &["play", "--movetime", "-1"]] {
        let output = run_in(&dir, args);
        assert!(!output.status.success() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn openings_for_test_farms() {
    let lines = |args: &[&str]| text(&run(args).stdout).lines().map(str::to_owned).collect::<Vec<_>>();
    let first = lines(&["genfens 3 seed 7 book None", "quit"]);
    assert_eq!(first.len(), 3, "{first:?}");
    assert_eq!(first, lines(&["genfens 3 seed 7 book None extra words", "quit"]));
    assert_ne!(first, lines(&["genfens 3 seed 8 book None", "quit"]));
    for line in &first {
        let fen = line.strip_prefix("info string genfens ").expect("the prefix");
        let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
        assert!(fen.into_position::<shakmaty::Chess>(shakmaty::CastlingMode::Standard).is_ok());
    }
    let dir = Dir::new();
    dir.file("book.epd", "nonsense\nrnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Sicilian\";\n");
    let said = text(&run_in(&dir, &["genfens 2 seed 1 book book.epd", "quit"]).stdout);
    assert_eq!(said.lines().filter(|line| line.starts_with("info string genfens ")).count(), 2, "{said}");
    for bad in ["genfens", "genfens x", "genfens 2 seed y", "genfens 2 seed 1 book no/such/book"] {
        let said = text(&run(&[bad, "quit"]).stdout);
        assert!(said.starts_with("info string genfens: "), "{bad}: {said}");
    }
}

#[test]
fn arguments_that_are_lines_of_the_protocol_are_obeyed() {
    let said = text(&run(&["isready", "quit"]).stdout);
    assert_eq!(said, "readyok\n");
    let said = text(&run(&["uci", "quit"]).stdout);
    assert!(said.ends_with("uciok\n"), "{said}");
    // Without quit the input goes on, here to its end.
    let said = talk(&Dir::new(), &["position startpos moves e2e4", "go depth 3"], "isready\n");
    assert!(said.contains("readyok") && said.contains("bestmove"), "{said}");
    assert!(!run(&["nonsense"]).status.success());
    // A search with a limit is brought to its end where nobody types after it, as in cron or a script.
    for said in [text(&run(&["go depth 9", "quit"]).stdout), talk(&Dir::new(), &["go depth 9"], "")] {
        assert!(said.contains("info depth 9 ") && said.contains("bestmove"), "{said}");
    }
    let said = talk(&Dir::new(), &["go depth 99"], "quit\n");
    assert!(said.contains("bestmove"), "{said}");
    for endless in ["go infinite", "go mate 3"] {
        let said = talk(&Dir::new(), &[endless], "");
        assert!(said.contains("bestmove"), "{endless}: {said}");
    }
    // A flag among the lines would not be in force: a safety switch must not be lost in silence.
    let output = run(&["uci", "isready", "--restricted"]);
    assert!(!output.status.success() && text(&output.stderr).contains("--restricted"), "{output:?}");
}

#[test]
fn a_count_for_a_stranger_ends_when_he_leaves() {
    let dir = Dir::new();
    let said = talk(&dir, &["--restricted"], "perft 20\nquit\n");
    assert!(said.contains("perft stopped"), "{said}");
    // A count for the owner is brought to its end.
    let said = talk(&dir, &[], "perft 4\nquit\n");
    assert!(said.contains("197281"), "{said}");
}

#[test]
fn whoever_has_read_enough_of_a_suite_is_no_error() {
    let dir = Dir::new();
    dir.file("suite.epd", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - am Ra8;\n".repeat(3));
    let args = ["epd", "suite.epd", "--nodes", "2000"];
    assert!(text(&run_in(&dir, &args).stdout).ends_with("0/3 solved\n"));
    let mut child = command(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn completions_and_the_manual_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        let script = text(&output.stdout);
        assert!(output.status.success() && script.contains("analyze") && script.contains("print-config"), "{shell}");
    }
    assert!(!run(&["completions", "tcsh"]).status.success());
    let page = text(&run(&["man"]).stdout);
    for part in [".TH aspirant 1", "analyze", "perft", "Without a command"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_version_comes_with_what_it_was_built_from() {
    let said = text(&run(&["--version"]).stdout);
    assert!(said.starts_with(concat!("aspirant ", env!("CARGO_PKG_VERSION"), " (")), "{said}");
    assert!(said.contains(std::env::consts::ARCH) && said.contains(aspirant::version::commit()), "{said}");
}

/// What a command writes to a terminal of so many columns, without its colors, the last picture only.
#[cfg(target_os = "linux")]
fn on_terminal(columns: u16, rows: u16, args: &[&str], input: &str) -> Vec<String> {
    use std::fs::File;
    use std::io::Read as _;
    use std::os::fd::FromRawFd as _;

    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut ours, mut theirs) = (-1, -1);
    let (name, settings) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: the two numbers are written, the size is read, and the files belong to nobody else afterwards.
    let (mut screen, terminal) = unsafe {
        assert_eq!(libc::openpty(&mut ours, &mut theirs, name, settings, &size), 0);
        (File::from_raw_fd(ours), File::from_raw_fd(theirs))
    };
    let dir = Dir::new();
    let mut child = command(&dir, args);
    child.env("TERM", "xterm-256color").env_remove("NO_COLOR").stdin(Stdio::piped()).stdout(terminal);
    let mut running = child.spawn().unwrap();
    // The child's end must be its only one: reading ends when it is closed.
    drop(child);
    let _ = running.stdin.take().unwrap().write_all(input.as_bytes());
    let (mut said, mut block) = (Vec::new(), [0; 4096]);
    // The end of a terminal is an error on Linux.
    while let Ok(length @ 1..) = screen.read(&mut block) {
        said.extend_from_slice(&block[..length]);
    }
    assert!(running.wait().unwrap().success(), "{}", text(&said));
    let picture = text(&said);
    assert!(picture.contains('\u{1b}'), "a terminal gets colors: {picture}");
    // A picture that is drawn over begins after the last cursor movement.
    let last = picture.rsplit_once("A 8").map_or(picture.as_str(), |(_, last)| last);
    console::strip_ansi_codes(last).lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn narrow_terminals_lose_nothing() {
    let fits = |lines: &[String], columns: u16| {
        let wide = lines.iter().find(|line| console::measure_text_width(line) > columns.into());
        assert_eq!(wide, None, "{columns}: {lines:#?}");
    };
    for columns in [20, 40, 60, 100] {
        let analysis = ["analyze", "--depth", "9", "--multipv", "3"];
        let lines = on_terminal(columns, 60, &analysis, "");
        fits(&lines, columns);
        let all = lines.join(" ").split_whitespace().collect::<Vec<_>>().concat();
        for part in ["RNBQKBNRwKQkq-01", "Whitetomove", "depth9/", "nodes", "M/s", "hash", "%", "B", "draw", "3)"] {
            assert!(all.contains(part), "{columns}: {part} is missing in {lines:#?}");
        }
        let game = on_terminal(columns, 60, &["play", "--depth", "4"], "help\ne4\nhint\neval\nrubbish\n");
        // What is typed does not come back here, so that the prompt stands before the answer.
        let game: Vec<String> = game.iter().map(|line| line.trim_start_matches("> ").to_owned()).collect();
        fits(&game, columns);
        let all = game.join(" ");
        assert!(all.contains("take back") && all.contains("plays 1"), "{game:#?}");
    }
    // Not more than fits while it is drawn over; all of it at the end.
    let lines = on_terminal(80, 10, &["analyze", "--depth", "9", "--multipv", "5"], "");
    assert!(lines.iter().any(|line| line.trim_start().starts_with("5)")), "{lines:#?}");
}
