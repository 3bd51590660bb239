//! Commands other than `uci`, with input and output in pipes: `play`, `analyze`, `genfens`, `epd`, `perft`, help and manual.

use std::io::{Read as _, Write as _};
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
    // The next game is appended, after an empty line.
    run_with_input(&dir, &args, "f3f7\n");
    assert_eq!(std::fs::read_to_string(dir.path().join("game.pgn")).unwrap(), format!("{pgn}\n{pgn}"));
    // Without a move there is nothing to save.
    let stdout = run_with_input(&dir, &["play", "--pgn", "other.pgn"], "quit\n");
    assert!(!stdout.contains("Saved") && !dir.path().join("other.pgn").exists(), "{stdout}");
    let output = run_in(&dir, &["play", "--pgn", "."]);
    assert!(!output.status.success() && text(&output.stderr).contains("not a regular file"), "{output:?}");
}

#[test]
fn play_ends_with_its_input_and_rejects_bad_arguments() {
    let dir = Dir::new();
    let stdout = run_with_input(&dir, &["play", "--depth", "2"], "e4\nKxg9\n\u{fffd}\nundo\nundo\nd2d4");
    assert!(stdout.contains("Aspirant plays 1... ") || stdout.contains("Aspirant plays 1… "), "{stdout}");
    assert!(stdout.contains("is neither a legal move nor a command"), "{stdout}");
    for args in [
        &["play", "--fen", "nonsense"][..],
        &["play", "--side", "red"],
        &["play", "--movetime", "-1"],
        &["play", "--elo", "1"],
        &["play", "--level", "21"],
        &["play", "--book", "missing.bin"],
    ] {
        let output = run_in(&dir, args);
        assert!(!output.status.success() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn genfens_prints_openings_from_a_book_as_info_strings() {
    let dir = Dir::new();
    dir.file("book.epd", "nonsense\nrnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Sicilian\";\n");
    let stdout = text(&run_in(&dir, &["genfens 2 seed 1 book book.epd", "quit"]).stdout);
    assert_eq!(stdout.lines().filter(|line| line.starts_with("info string genfens ")).count(), 2, "{stdout}");
    for invalid in ["genfens x", "genfens 2 seed 1 book", "genfens 2 seed 1 book no/such/book"] {
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
    // Without quotes, the words of a command are separate arguments.
    for args in [&["go", "depth", "2"][..], &["position", "fen", "8/8/8/3k4/8/8/8/KQ6", "w", "-", "-"]] {
        let output = run(args);
        let message = format!("'{}' is not a UCI command", args[1]);
        assert!(
            !output.status.success() && output.stdout.is_empty() && text(&output.stderr).contains(&message),
            "{output:?}"
        );
    }
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
    // A mate after the hundredth ply without a pawn move or capture does not count.
    dir.file(
        "late.epd",
        "k7/8/2K5/8/8/8/8/6R1 w - - hmvc 98; fmvn 80; dm 2;\r6k1/5ppp/8/8/8/8/8/R3K3 w Q - dm 1;\rx\r",
    );
    let output = run_in(&dir, &["epd", "late.epd", "--nodes", "20000"]);
    assert!(text(&output.stdout).ends_with("1/2 solved, 1 of 3 lines skipped\n"), "{output:?}");
    let reports = text(&output.stderr);
    assert!(
        reports.contains("late.epd:3: skipped: bad FEN 'x'") && reports.contains("skipped 1 of 3 lines"),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(1));
    for nothing in ["", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - id \"no move\";\n"] {
        dir.file("nothing.epd", nothing);
        let output = run_in(&dir, &["epd", "nothing.epd", "--nodes", "1"]);
        assert!(!output.status.success() && text(&output.stderr).contains("no position with bm"), "{output:?}");
    }
    let mut child = command(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn completions_list_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        let script = text(&output.stdout);
        assert!(output.status.success() && script.contains("analyze") && script.contains("restricted"), "{shell}");
    }
    assert!(!run(&["completions", "tcsh"]).status.success());
}

#[test]
fn manual_pages_exist_for_every_command_that_the_main_page_names() {
    let dir = Dir::new();
    assert!(run_in(&dir, &["man", "pages"]).status.success());
    let page = |name: &str| std::fs::read_to_string(dir.path().join("pages").join(name)).unwrap();
    let main = page("aspirant.1");
    let named: Vec<String> = main
        .lines()
        .filter_map(|line| line.strip_suffix("(1)"))
        .map(|name| name.replace('\\', ""))
        .filter(|name| !name.is_empty())
        .collect();
    assert!(
        main.contains("Without a command") && named.iter().any(|name| name == "aspirant-analyze") && named.len() >= 12,
        "{named:?} in {main}"
    );
    for name in &named {
        assert!(page(&format!("{name}.1")).contains(".SH NAME"), "{name}");
    }
    assert!(page("aspirant-config-init.1").contains("force"));
}

#[test]
fn help_and_tables_fit_80_columns() {
    let help = text(&run(&["--help"]).stdout);
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let helps = commands.iter().map(|command| vec![*command, "--help"]);
    let tree = ["compare", "--tree", "((3 5)(2 9))"];
    let outputs = helps.chain([vec!["--help"], tree.to_vec(), vec!["compare", "--list"]]);
    let too_wide = |line: &&str| console::measure_text_width(line) > 80;
    for args in outputs {
        let stdout = text(&run(&args).stdout);
        assert_eq!(stdout.lines().find(too_wide), None, "{args:?}");
    }
}

#[test]
fn version_includes_commit_and_architecture() {
    let stdout = text(&run(&["--version"]).stdout);
    assert!(stdout.starts_with(concat!("aspirant ", env!("CARGO_PKG_VERSION"), " (")), "{stdout}");
    assert!(stdout.contains(std::env::consts::ARCH) && stdout.contains(aspirant::version::commit()), "{stdout}");
}

#[test]
fn play_uses_the_book_whatever_the_configuration_says() {
    let dir = Dir::new();
    dir.file("small.bin", crate::common::books::small_book());
    dir.file("engine.toml", "[options]\nmulti_pv = 2\nanalyze_mode = true\n");
    let stdout = run_with_input(&dir, &["play", "--book", "small.bin", "--side", "black"], "");
    assert!(stdout.contains("(book)"), "{stdout}");
}

#[test]
fn game_that_cannot_be_saved_is_printed_with_exit_code_1() {
    let dir = Dir::new();
    let mut child = command(&dir, &["play", "--depth", "1", "--pgn", "no/such/game.pgn"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"e4\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("\n1. e4 "), "{output:?}");
    assert!(text(&output.stderr).starts_with("aspirant: cannot write no/such/game.pgn: no such file"), "{output:?}");
}

#[test]
fn play_saves_the_game_when_stdout_is_closed() {
    let dir = Dir::new();
    let args = ["play", "--depth", "2", "--pgn", "game.pgn"];
    let mut child = command(&dir, &args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Closed after the first prompt.
    let mut stdout = child.stdout.take().unwrap();
    let mut printed = Vec::new();
    while !printed.ends_with(b"> ") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        printed.extend(byte);
    }
    drop(stdout);
    child.stdin.take().unwrap().write_all(b"e4\n").unwrap();
    assert!(child.wait().unwrap().success());
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    assert!(pgn.contains("1. e4"), "{pgn}");
}

#[test]
fn analysis_in_a_pipe_contains_no_escape_codes() {
    let output = run(&["analyze", "--moves", "e2e4", "e7e5", "--depth", "6", "--multipv", "2", "--set", "Hash=16"]);
    let printed = text(&output.stdout);
    assert!(output.status.success() && printed.lines().count() > 10, "{printed}");
    assert!(!printed.contains('\u{1b}'), "{printed:?}");
}

#[test]
fn analyze_reads_moves_in_san_in_uci_and_from_a_pgn_file() {
    let dir = Dir::new();
    dir.file("game.pgn", "[Event \"?\"]\n\n1. e4 {best by test} e5 (1... c5) 2. Nf3 *\n");
    for moves in [&["e4", "e5", "Nf3"][..], &["e2e4", "e7e5", "g1f3"], &["1. e4 e5 2. nf3"], &["game.pgn"]] {
        let args = [&["analyze", "--depth", "3", "--moves"], moves].concat();
        let stdout = text(&run_in(&dir, &args).stdout);
        assert!(
            stdout.contains("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            "{moves:?}: {stdout}"
        );
        assert!(stdout.contains("\nBest move: 2… ") && stdout.contains(" MB, "), "{stdout}");
    }
    dir.file("first.pgn", "[Event \"a\"]\r\r[Event \"b\"]\r[FEN \"8/8/4k3/8/8/8/8/KQ6 w - - 0 1\"]\r\r1. Qb6+ *\r");
    let output = run_in(&dir, &["analyze", "--depth", "1", "--moves", "first.pgn"]);
    assert!(text(&output.stdout).contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{output:?}");
    assert!(text(&output.stderr).contains("only the first of several games is analyzed"), "{output:?}");
    dir.file("empty.pgn", "; nothing\n");
    for (moves, reason) in [
        ("empty.pgn", "--moves: no game found in empty.pgn"),
        ("e4 (e5", "--moves: line 1: the variation that begins with ( is not closed"),
        ("e4 e4", "--moves: 'e4' (number 2) is not possible: no pawn of Black can move to e4"),
        ("missing.pgn", "--moves: cannot read missing.pgn: no such file or directory"),
    ] {
        let output = run_in(&dir, &["analyze", "--depth", "3", "--moves", moves]);
        assert!(!output.status.success(), "{moves}");
        assert!(text(&output.stderr).contains(reason), "{output:?}");
    }
}
