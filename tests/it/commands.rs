//! Commands other than `uci`, with input and output in pipes: `play`, `analyze`, `genfens`, `epd`, `perft`, help and manual.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdout, Stdio};

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
    let args = ["play", fen, "--depth", "1", "--pgn", "game.pgn"];
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
        &["play", "nonsense"][..],
        &["play", "--side", "red"],
        &["play", "--movetime", "-1"],
        &["play", "--movetime", "0s"],
        &["play", "--depth", "0"],
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
    assert!(text(&run_in(&dir, &args).stdout).contains("\n0/3 solved, 0.0 %, "));
    // A mate after the hundredth ply without a pawn move or capture does not count.
    dir.file(
        "late.epd",
        "k7/8/2K5/8/8/8/8/6R1 w - - hmvc 98; fmvn 80; dm 2;\r6k1/5ppp/8/8/8/8/8/R3K3 w Q - dm 1;\rx\r",
    );
    let output = run_in(&dir, &["epd", "late.epd", "--nodes", "20000"]);
    assert!(
        text(&output.stdout).contains("\n1/2 solved, 50.0 %, ")
            && text(&output.stdout).ends_with(" s, 1 of 3 lines skipped\n"),
        "{output:?}"
    );
    let reports = text(&output.stderr);
    assert!(
        reports.contains("late.epd:3: skipped: bad FEN 'x'") && reports.contains("skipped 1 of 3 lines"),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(1));
    let output = run_in(&dir, &["epd", "late.epd", "--nodes", "20000", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["solved"], &report["total"], &report["skipped"]), (&1.into(), &2.into(), &1.into()));
    let position = &report["positions"][1];
    assert_eq!(
        (&position["solved"], &position["best_move"], &position["dm"]),
        (&true.into(), &"Ra8#".into(), &1.into())
    );
    assert_eq!((&position["id"], &position["score"]["mate"]), (&"line 2".into(), &1.into()));
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
    for section in ["SYNOPSIS", "EXAMPLES", "FILES", "ENVIRONMENT", "EXIT STATUS"] {
        assert!(
            main.contains(&format!(".SH {section}\n")) || main.contains(&format!(".SH \"{section}\"\n")),
            "{section}"
        );
    }
    let analyze = page("aspirant-analyze.1").replace('\\', "");
    for part in ["[fB--depthfR fIPLIESfR]", "[fIPOSITIONfR]", ".SH EXAMPLES", "aspirant analyze e4 c5 Nf3"] {
        assert!(analyze.contains(part), "{part}: {analyze}");
    }
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
    let folder = dir.path().join("games");
    std::fs::create_dir(&folder).unwrap();
    let (mut child, mut stdout) = start_game(&dir, &["play", "--depth", "1", "--pgn", "games/game.pgn"]);
    std::fs::remove_dir(folder).unwrap();
    child.stdin.take().unwrap().write_all(b"e4\n").unwrap();
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(printed.contains("\n1. e4 "), "{printed}");
    assert!(text(&output.stderr).starts_with("aspirant: cannot write games/game.pgn: no such file"), "{output:?}");
    // Known before the game, it is an error at once.
    let output = run_in(&dir, &["play", "--pgn", "games/game.pgn"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}

/// Starts `play` with input and output in pipes; returns after the first prompt.
fn start_game(dir: &Dir, args: &[&str]) -> (Child, ChildStdout) {
    let mut child =
        command(dir, args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut printed = Vec::new();
    while !printed.ends_with(b"> ") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        printed.extend(byte);
    }
    (child, stdout)
}

#[test]
fn play_saves_the_game_when_stdout_is_closed() {
    let dir = Dir::new();
    let (mut child, stdout) = start_game(&dir, &["play", "--depth", "2", "--pgn", "game.pgn"]);
    drop(stdout);
    child.stdin.take().unwrap().write_all(b"e4\n").unwrap();
    assert!(child.wait().unwrap().success());
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    assert!(pgn.contains("1. e4"), "{pgn}");
}

#[test]
fn analysis_in_a_pipe_contains_no_escape_codes() {
    let output = run(&["analyze", "e2e4", "e7e5", "--depth", "6", "--multipv", "2", "--set", "Hash=16"]);
    let printed = text(&output.stdout);
    assert!(output.status.success() && printed.lines().count() > 10, "{printed}");
    assert!(!printed.contains('\u{1b}'), "{printed:?}");
}

#[test]
fn positions_are_read_from_moves_a_fen_and_a_pgn_file() {
    let dir = Dir::new();
    dir.file("game.pgn", "[Event \"?\"]\n\n1. e4 {best by test} e5 (1... c5) 2. Nf3 *\n");
    for position in [
        &["e4", "e5", "Nf3"][..],
        &["e2e4", "e7e5", "g1f3"],
        &["1. e4 e5 2. nf3"],
        &["game.pgn"],
        &["startpos", "moves", "e2e4", "e7e5", "g1f3"],
        &["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 e5 Nf3"],
        &["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "b", "KQkq", "-", "0", "1", "moves", "e7e5", "g1f3"],
    ] {
        let stdout = text(&run_in(&dir, &[&["analyze", "--depth", "3"], position].concat()).stdout);
        assert!(
            stdout.contains("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            "{position:?}: {stdout}"
        );
        assert!(stdout.contains("\nBest move: 2… ") && stdout.contains(" MB, "), "{stdout}");
    }
    dir.file("first.pgn", "[Event \"a\"]\r\r[Event \"b\"]\r[FEN \"8/8/4k3/8/8/8/8/KQ6 w - - 0 1\"]\r\r1. Qb6+ *\r");
    let output = run_in(&dir, &["analyze", "--depth", "1", "first.pgn"]);
    assert!(text(&output.stdout).contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{output:?}");
    assert!(text(&output.stderr).contains("only the first of several games is used"), "{output:?}");
    dir.file("empty.pgn", "; nothing\n");
    for (position, reason) in [
        (&["empty.pgn"][..], "empty.pgn: no game found"),
        (&["e4 (e5"], "line 1: the variation that begins with ( is not closed"),
        (&["e4 e4"], "'e4' (number 2) is not possible: no pawn of Black can move to e4"),
        (&["missing.pgn"], "cannot read missing.pgn: no such file or directory"),
        (&["game.pgn", "e4"], "unexpected 'e4' after the file game.pgn"),
        (&["startpoz"], "'startpoz' is neither a file, a FEN nor a move"),
        (&["8/8 w"], "bad FEN '8/8 w'"),
    ] {
        for command in [&["analyze"][..], &["play"], &["perft", "1"]] {
            let output = run_in(&dir, &[command, position].concat());
            assert!(!output.status.success(), "{command:?} {position:?}");
            assert!(text(&output.stderr).contains(reason), "{output:?}");
        }
    }
}

#[test]
fn analysis_as_json_has_the_documented_shape() {
    let json = |args: &[&str]| {
        let output = run(&[&["analyze", "--json", "--depth", "6"], args].concat());
        assert!(output.status.success() && output.stdout.ends_with(b"}\n"), "{output:?}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let mate = json(&["6k1/5ppp/8/8/8/8/8/R3K3 w Q -", "--multipv", "2"]);
    assert_eq!((&mate["fen"], &mate["best_move"]), (&"6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1".into(), &"a1a8".into()));
    let best = &mate["variations"][0];
    assert_eq!((&best["score"]["mate"], &best["bound"], &best["san"]), (&1.into(), &"exact".into(), &"1. Ra8#".into()));
    assert_eq!((&best["wdl"][0], &best["moves"][0]), (&1000.into(), &"a1a8".into()));
    assert!(mate["variations"][1]["score"]["cp"].is_i64() && mate["nodes"].is_u64() && mate["time_ms"].is_u64());
    assert_eq!(json(&["8/8/4k3/8/8/4K3/8/8 w - -"])["outcome"], "Insufficient material: a draw");
}

#[test]
fn finished_games_have_a_certain_result() {
    for (fen, result) in [
        ("8/8/4k3/8/8/4K3/8/8 w - -", "Insufficient material: a draw"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", "Stalemate: a draw"),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - -", "Checkmate: White wins"),
    ] {
        let stdout = text(&run(&["analyze", fen]).stdout);
        assert!(stdout.contains(result) && !stdout.contains('%'), "{stdout}");
    }
    let output = run(&["analyze", "--depth", "0"]);
    assert!(!output.status.success() && text(&output.stderr).contains("0 is not in 1.."), "{output:?}");
}

#[test]
fn a_saved_game_is_replaced_when_it_goes_on() {
    let dir = Dir::new();
    let args = ["play", "--depth", "1"];
    let stdout = run_with_input(
        &dir,
        &args,
        "save no/such/game.pgn\ne4\nsave game.pgn\nd4\nundo 2\nd4\nresign\nnew\nc4\nquit\n",
    );
    assert!(stdout.contains("cannot write no/such/game.pgn: no such file"), "{stdout}");
    assert_eq!(stdout.matches("Saved in game.pgn").count(), 3, "{stdout}");
    let pgn = std::fs::read_to_string(dir.path().join("game.pgn")).unwrap();
    let moves: Vec<&str> = pgn.lines().filter(|line| line.starts_with("1. ")).collect();
    assert!(moves.len() == 2 && moves[0].starts_with("1. d4 ") && moves[1].starts_with("1. c4 "), "{pgn}");
    assert!(moves[0].ends_with(" 0-1"), "{pgn}");
}

#[test]
fn play_obeys_the_commands_of_a_game() {
    let dir = Dir::new();
    let fen = "4k3/8/8/8/8/8/8/QQ2K3 w - -";
    let stdout =
        run_with_input(&dir, &["play", fen, "--depth", "1"], "draw\nlevel 3\nlevel x\nQa7\ndraw\nundo x\nundo 9\n");
    for part in [
        "Aspirant declines the draw.",
        "Aspirant now plays at level 3 of 20.",
        "'x' is not a whole number",
        "Draw agreed. Result: 1/2-1/2.",
        "undo: expected a number of moves, found 'x'.",
        "You have not played so many moves.",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}
