//! Commands besides UCI: games in the terminal, `genfens`, `epd`, completions, man page, version.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::{Dir, command, run, run_in, text};

/// Runs a command with this input and returns its stdout.
#[track_caller]
fn run_with_input(dir: &Dir, args: &[&str], input: &str) -> String {
    let mut child =
        command(dir, args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program may exit before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn play_saves_a_finished_game() {
    let dir = Dir::new();
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let args = ["play", "--fen", fen, "--depth", "1", "--pgn", "game.pgn"];
    let stdout = run_with_input(&dir, &args, "hint\nf3f7\nquit\n");
    assert!(stdout.contains("Checkmate: White wins.") && stdout.contains("Saved in game.pgn"), "{stdout}");
    assert!(!stdout.contains('\u{1b}') && stdout.is_ascii(), "escape codes or Unicode pieces in a pipe: {stdout}");
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    for part in ["[Result \"1-0\"]", "[White \"Human\"]", &format!("[FEN \"{fen}\"]"), "\n4. Qxf7# 1-0\n"] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    // An existing file is not overwritten.
    let again = run_in(&dir, &args);
    assert!(!again.status.success() && text(&again.stderr).contains("exists already"), "{again:?}");
    assert_eq!(std::fs::read_to_string(dir.path().join("game.pgn")).unwrap(), pgn);
}

#[test]
fn play_ends_with_its_input_and_rejects_bad_arguments() {
    let dir = Dir::new();
    let stdout = run_with_input(&dir, &["play", "--depth", "2"], "e4\nKxg9\n\u{fffd}\nundo\nundo\nd2d4");
    assert!(stdout.contains("Aspirant plays 1... ") || stdout.contains("Aspirant plays 1… "), "{stdout}");
    assert!(stdout.contains("is neither a legal move nor a command"), "{stdout}");
    let stdout = run_with_input(&dir, &["play", "--depth", "2", "--side", "black"], "");
    assert!(stdout.contains("You play black") && stdout.contains("Aspirant plays 1. "), "{stdout}");
    for args in [&["play", "--fen", "nonsense"][..], &["play", "--side", "red"], &["play", "--movetime", "-1"]] {
        let output = run_in(&dir, args);
        assert!(!output.status.success() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn genfens_prints_reproducible_openings() {
    let lines = |args: &[&str]| text(&run(args).stdout).lines().map(str::to_owned).collect::<Vec<_>>();
    let first = lines(&["genfens 3 seed 7 book None", "quit"]);
    assert_eq!(first.len(), 3, "{first:?}");
    assert_eq!(first, lines(&["genfens 3 seed 7 book None extra words", "quit"]));
    assert_ne!(first, lines(&["genfens 3 seed 8 book None", "quit"]));
    for line in &first {
        let fen = line.strip_prefix("info string genfens ").expect("no prefix");
        let fen: shakmaty::fen::Fen = fen.parse().expect("invalid FEN");
        assert!(fen.into_position::<shakmaty::Chess>(shakmaty::CastlingMode::Standard).is_ok());
    }
    let dir = Dir::new();
    dir.file("book.epd", "nonsense\nrnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Sicilian\";\n");
    let stdout = text(&run_in(&dir, &["genfens 2 seed 1 book book.epd", "quit"]).stdout);
    assert_eq!(stdout.lines().filter(|line| line.starts_with("info string genfens ")).count(), 2, "{stdout}");
    for invalid in ["genfens", "genfens x", "genfens 2 seed y", "genfens 2 seed 1 book no/such/book"] {
        let stdout = text(&run(&[invalid, "quit"]).stdout);
        assert!(stdout.starts_with("info string genfens: "), "{invalid}: {stdout}");
    }
}

#[test]
fn arguments_are_executed_as_uci_commands() {
    let stdout = text(&run(&["isready", "quit"]).stdout);
    assert_eq!(stdout, "readyok\n");
    let stdout = text(&run(&["uci", "quit"]).stdout);
    assert!(stdout.ends_with("uciok\n"), "{stdout}");
    // Without `quit`, stdin is read until its end.
    let stdout = run_with_input(&Dir::new(), &["position startpos moves e2e4", "go depth 3"], "isready\n");
    assert!(stdout.contains("readyok") && stdout.contains("bestmove"), "{stdout}");
    assert!(!run(&["nonsense"]).status.success());
    // A search with a limit is completed before the end of input counts, as in scripts.
    for stdout in [text(&run(&["go depth 9", "quit"]).stdout), run_with_input(&Dir::new(), &["go depth 9"], "")] {
        assert!(stdout.contains("info depth 9 ") && stdout.contains("bestmove"), "{stdout}");
    }
    let stdout = run_with_input(&Dir::new(), &["go depth 99"], "quit\n");
    assert!(stdout.contains("bestmove"), "{stdout}");
    for endless in ["go infinite", "go mate 3"] {
        let stdout = run_with_input(&Dir::new(), &[endless], "");
        assert!(stdout.contains("bestmove"), "{endless}: {stdout}");
    }
    // A flag after UCI commands would have no effect and is rejected, so that `--restricted` is never silently lost.
    let output = run(&["uci", "isready", "--restricted"]);
    assert!(!output.status.success() && text(&output.stderr).contains("--restricted"), "{output:?}");
}

#[test]
fn restricted_perft_ends_with_the_input() {
    let dir = Dir::new();
    let stdout = run_with_input(&dir, &["--restricted"], "perft 20\nquit\n");
    assert!(stdout.contains("perft stopped"), "{stdout}");
    // Without --restricted it is completed.
    let stdout = run_with_input(&dir, &[], "perft 4\nquit\n");
    assert!(stdout.contains("197281"), "{stdout}");
}

#[test]
fn epd_with_closed_stdout_is_not_an_error() {
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
fn completions_and_man_page_list_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        let script = text(&output.stdout);
        assert!(output.status.success() && script.contains("analyse") && script.contains("print-config"), "{shell}");
    }
    assert!(!run(&["completions", "tcsh"]).status.success());
    let page = text(&run(&["man"]).stdout);
    for part in [".TH aspirant 1", "analyse", "perft", "Without a command"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn version_includes_commit_and_architecture() {
    let stdout = text(&run(&["--version"]).stdout);
    assert!(stdout.starts_with(concat!("aspirant ", env!("CARGO_PKG_VERSION"), " (")), "{stdout}");
    assert!(stdout.contains(std::env::consts::ARCH) && stdout.contains(aspirant::commit()), "{stdout}");
}

/// Invalid game files are reported and no model is written.
#[test]
fn tune_wdl_rejects_invalid_game_files() {
    let dir = Dir::new();
    dir.file("text.dat", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O");
    dir.file("empty.dat", "");
    let output = run_in(&dir, &["datagen", "--out", "few.dat", "--games", "3", "--nodes", "50", "--threads", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let few = std::fs::read(dir.path().join("few.dat")).unwrap();
    dir.file("cut.dat", &few[..few.len() - 7]);
    let mut damaged = few;
    damaged[150] ^= 0x40;
    dir.file("damaged.dat", damaged);
    for (file, part) in [
        ("missing.dat", "missing.dat"),
        ("text.dat", "no game data"),
        ("empty.dat", "too short"),
        ("cut.dat", "truncated in game 2"),
        ("damaged.dat", "damaged in game 0"),
        ("few.dat", "3 games are too few"),
    ] {
        let output = run_in(&dir, &["tune-wdl", file, "--out", "model.rs"]);
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.contains(part) && !stderr.contains("panicked"), "{file}: {stderr}");
    }
    assert!(!dir.path().join("model.rs").exists());
}

/// Runs a command in a terminal of this size and returns the last screen without colors.
#[cfg(target_os = "linux")]
fn on_terminal(columns: u16, rows: u16, args: &[&str], input: &str) -> Vec<String> {
    use std::fs::File;
    use std::io::Read as _;
    use std::os::fd::FromRawFd as _;

    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut primary, mut secondary) = (-1, -1);
    let (name, settings) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: all pointers are valid or null, and each descriptor is owned by one `File` only.
    let (mut screen, terminal) = unsafe {
        assert_eq!(libc::openpty(&mut primary, &mut secondary, name, settings, &size), 0);
        // Processes that other tests start must not keep the terminal open.
        for descriptor in [primary, secondary] {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
        (File::from_raw_fd(primary), File::from_raw_fd(secondary))
    };
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
    console::strip_ansi_codes(last).lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn narrow_terminals_show_every_field() {
    let assert_fits = |lines: &[String], columns: u16| {
        let too_wide = lines.iter().find(|line| console::measure_text_width(line) > columns.into());
        assert_eq!(too_wide, None, "{columns}: {lines:#?}");
    };
    for columns in [20, 40, 60, 100] {
        let analysis = ["analyse", "--depth", "9", "--multipv", "3"];
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
    let lines = on_terminal(80, 10, &["analyse", "--depth", "9", "--multipv", "5"], "");
    assert!(lines.iter().any(|line| line.trim_start().starts_with("5)")), "{lines:#?}");
}
