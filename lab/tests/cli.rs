//! The program `aspirant-lab` as a process: messages about invalid game files, a closed stdout, help texts.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aspirant-lab")).args(args).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn tune_wdl_names_the_fault_of_a_bad_file_and_writes_nothing() {
    let dir = folder("bad-game-data");
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.join(name), bytes).unwrap();
    write("foreign.vf", b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O");
    write("empty.vf", b"");
    let made = run_in(&dir, &["datagen", "--out", "few.vf", "--games", "3", "--nodes", "50", "--threads", "1"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let few = std::fs::read(dir.join("few.vf")).unwrap();
    write("cut.vf", &few[..few.len() - 7]);
    let mut damaged = few;
    damaged[36] ^= 0x40;
    write("damaged.vf", &damaged);
    for (file, part) in [
        ("missing.vf", "missing.vf"),
        ("foreign.vf", "foreign.vf: invalid in game 0, at byte 0"),
        ("empty.vf", "0 games are too few"),
        ("cut.vf", "2 games are too few"),
        ("damaged.vf", "damaged.vf: invalid in game 0, at byte 36: illegal move"),
        ("few.vf", "3 games are too few"),
    ] {
        let output = run_in(&dir, &["tune-wdl", file, "--out", "model.rs"]);
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.contains(part) && !stderr.contains("panicked"), "{file}: {stderr}");
    }
    assert!(!dir.join("model.rs").exists());
}

#[test]
fn output_replaces_no_file_of_another_kind() {
    let dir = folder("foreign-output");
    let made = run_in(&dir, &["datagen", "--out", "few.vf", "--games", "3", "--nodes", "50", "--threads", "1"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let few = std::fs::read(dir.join("few.vf")).unwrap();
    for command in ["tune", "tune-wdl"] {
        let output = run_in(&dir, &[command, "few.vf", "--out", "few.vf"]);
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.contains("few.vf: exists and was not written by"), "{stderr}");
    }
    assert_eq!(std::fs::read(dir.join("few.vf")).unwrap(), few);
}

#[test]
fn equal_games_are_used_once_by_every_command() {
    let dir = folder("same-games");
    for (file, games, seed) in [("games1.vf", "2", "1"), ("games2.vf", "3", "1"), ("games3.vf", "2", "2")] {
        let made = run_in(
            &dir,
            &["datagen", "--out", file, "--games", games, "--nodes", "50", "--threads", "1", "--seed", seed],
        );
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    for command in ["tune", "tune-forms", "tune-wdl"] {
        for (files, part) in [
            (["games1.vf", "games2.vf"], "ignored 2 games that occur more than once"),
            (["games3.vf", "games3.vf"], "ignored 2 games"),
            (["games1.vf", "games3.vf"], "4 games are too few"),
        ] {
            let output = run_in(&dir, &[command, files[0], files[1]]);
            let stderr = text(&output.stderr);
            assert!(!output.status.success() && stderr.contains(part), "{command} {files:?}: {stderr}");
        }
    }
}

#[test]
fn convert_replaces_no_file_and_writes_the_same_positions_in_both_formats() {
    let dir = folder("convert");
    let made = run_in(&dir, &["datagen", "--out", "games.vf", "--games", "3", "--nodes", "50", "--threads", "1"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let bullet = run_in(&dir, &["convert", "games.vf", "--out", "positions.bullet"]);
    let lines = run_in(&dir, &["convert", "games.vf", "--out", "positions.txt", "--format", "text"]);
    assert!(bullet.status.success() && lines.status.success(), "{bullet:?} {lines:?}");
    let [bullet, lines] = ["positions.bullet", "positions.txt"].map(|name| std::fs::read(dir.join(name)).unwrap());
    assert_eq!(bullet.len(), 32 * text(&lines).lines().count());
    for (out, arguments, part) in [
        ("positions.txt", &[][..], "positions.txt: exists"),
        ("none.txt", &["--min-ply", "1000"], "none of the positions of 3 games is left"),
    ] {
        let output = run_in(&dir, &[&["convert", "games.vf", "--out", out], arguments].concat());
        assert!(!output.status.success() && text(&output.stderr).contains(part), "{output:?}");
        assert!(!dir.join("none.txt").exists());
    }
    assert_eq!(std::fs::read(dir.join("positions.txt")).unwrap(), lines);
}

#[test]
fn closed_stdout_does_not_end_a_run() {
    let dir = folder("closed-stdout");
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aspirant-lab"));
        let mut child = command
            .args(args)
            .current_dir(&dir)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && !text(&output.stderr).contains("panicked"), "{args:?}: {output:?}");
    };
    run(&["--help"]);
    run(&["datagen", "--out", "games.vf", "--games", "2", "--nodes", "50", "--threads", "1"]);
    assert!(dir.join("games.vf").exists());
    run(&["tune-search", "--games", "4", "--nodes", "50", "--threads", "1", "--only", "rfp_margin"]);
    assert!(dir.join("tuned.toml").exists());
}

#[test]
fn second_tuning_of_the_same_file_is_rejected() {
    let dir = folder("locked-state");
    let lock = std::fs::File::create(dir.join("tuned.state.lock")).unwrap();
    lock.lock().unwrap();
    let args = ["tune-search", "--games", "2", "--nodes", "50", "--threads", "1", "--only", "rfp_margin"];
    let output = run_in(&dir, &args);
    assert!(!output.status.success() && text(&output.stderr).contains("another process"), "{output:?}");
    assert!(!dir.join("tuned.toml").exists());
    drop(lock);
    assert!(run_in(&dir, &args).status.success());
    assert!(dir.join("tuned.toml").exists());
    let output = run_in(&dir, &["tune-search", "--out", "no/such/tuned.toml", "--games", "2"]);
    assert!(!output.status.success() && text(&output.stderr).contains("No such file"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_engine_program_that_cannot_be_tuned_is_named_with_the_reason() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = folder("engine-program");
    // Plays only e2e4.
    let script = "#!/bin/sh\nwhile read -r command rest; do case $command in\n\
        uci) echo 'option name Weight type spin default 3 min 0 max 20'; echo uciok;;\n\
        go) echo 'info score cp 5'; echo 'bestmove e2e4';;\nquit) exit;;\nesac; done\n";
    std::fs::write(dir.join("engine"), script).unwrap();
    std::fs::set_permissions(dir.join("engine"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(dir.join("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    let tune = ["tune-search", "--games", "2", "--nodes", "50", "--threads", "1", "--book", "start.epd", "--engine"];
    for (arguments, part) in [
        (&["missing"][..], "missing: No such file"),
        (&["engine"], "engine: has no search parameters as options"),
        (&["engine", "--only", "Wieght"], "did you mean 'Weight'?"),
        (
            &["engine", "--only", "Weight"],
            "engine: e2e4 in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1: ",
        ),
    ] {
        let output = run_in(&dir, &[&tune, arguments].concat());
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.contains(part) && !stderr.contains("panicked"), "{part}: {stderr}");
        assert!(!dir.join("tuned.toml").exists());
    }
}

#[test]
fn files_written_by_default_exist_in_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let dir = folder("help");
    for (command, path) in
        [("tune", "src/eval/weights.rs"), ("tune", "src/eval/king_weights.rs"), ("tune-wdl", "src/wdl/model.rs")]
    {
        let output = run_in(&dir, &[command, "--help"]);
        assert!(text(&output.stdout).contains(path), "{command}: {}", text(&output.stdout));
        assert!(root.join(path).is_file(), "{path}");
    }
}

/// The flags that the help of a command lists, without those that every command has.
fn flags(help: &str) -> Vec<String> {
    let global = ["--config", "--set", "--help"];
    let words = help.lines().filter_map(|line| line.trim_start().strip_prefix("-h, ").or(Some(line.trim_start())));
    let mut flags: Vec<String> = words
        .filter(|line| line.starts_with("--"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|flag| !global.contains(&flag.as_str()))
        .collect();
    flags.sort();
    flags
}

#[test]
fn commands_document_lists_every_command_and_flag() {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/usage.md")).unwrap();
    let dir = folder("commands");
    let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| `aspirant-lab ")).collect();
    let help = text(&run_in(&dir, &["--help"]).stdout);
    for row in &rows {
        let codes: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let command = codes[0].split_whitespace().nth(1).unwrap();
        assert!(help.contains(&format!("\n  {command} ")), "unknown command {command}");
        let mut documented: Vec<String> = codes[1..]
            .iter()
            .filter(|code| code.starts_with("--"))
            .filter_map(|code| code.split(' ').next().map(str::to_owned))
            .collect();
        documented.sort();
        assert_eq!(documented, flags(&text(&run_in(&dir, &[command, "--help"]).stdout)), "{command}");
    }
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let indented = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    assert_eq!(indented.count(), rows.len() + 1, "every command and `help`");
}

#[test]
fn command_lines_in_documents_are_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let dir = folder("command-lines");
    let mut count = 0;
    for name in ["README.md", "docs/usage.md", "docs/evaluation.md", "docs/testing.md"] {
        let document = std::fs::read_to_string(root.join(name)).unwrap();
        let blocks = document.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        for line in blocks.flat_map(str::lines).filter(|line| line.starts_with("aspirant-lab ")) {
            count += 1;
            let mut arguments: Vec<&str> = line.split_whitespace().skip(1).take_while(|word| *word != "#").collect();
            arguments.push("--help");
            let output = run_in(&dir, &arguments);
            assert!(output.status.success(), "{name}: {line}: {}", text(&output.stderr));
        }
    }
    assert!(count >= 5, "{count} command lines");
}

#[test]
fn settings_outside_their_range_are_named() {
    let dir = folder("settings");
    for (setting, part) in [
        ("--rate=nan", "'nan' is not a positive number"),
        ("--rate=0", "'0' is not a positive number"),
        ("--pull=-1", "'-1' is not a number of at least 0"),
        ("--smooth=inf", "'inf' is not a number of at least 0"),
        ("--result=1.5", "expected a number from 0 to 1"),
    ] {
        let output = run_in(&dir, &["tune", "games.vf", setting]);
        assert!(!output.status.success() && text(&output.stderr).contains(part), "{setting}: {}", text(&output.stderr));
    }
}
