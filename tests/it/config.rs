//! Configuration layers, and errors that name file and line.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::grammar::Line;
use crate::common::{Dir, Engine, LIMIT, command, run, run_in, text, wait_for_exit};

fn printed(dir: &Dir, args: &[&str]) -> String {
    let output = run_in(dir, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Checks that the program exits with an error, prints all of `parts` on stderr and nothing on stdout.
#[track_caller]
fn assert_rejected(dir: &Dir, args: &[&str], parts: &[&str]) {
    let output = run_in(dir, args);
    let stderr = text(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}: {stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{args:?}: missing '{part}' in: {stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn later_config_layers_override_earlier_ones() {
    let dir = Dir::new();
    let line = |all: &str, key: &str| {
        let found = all.lines().find(|line| line.starts_with(&format!("{key} = ")));
        found.unwrap_or_else(|| panic!("no {key} in {all}")).to_owned()
    };
    let all = printed(&dir, &["config", "show", "--all"]);
    assert_eq!(line(&all, "hash"), "hash = 16  # built-in");

    dir.file("engine.toml", "[options]\nhash = 77\nmulti_pv = 2\n\n[search]\nnull_move = false\n");
    let all = printed(&dir, &["config", "show", "--all"]);
    assert_eq!(line(&all, "hash"), "hash = 77  # engine.toml:2");
    assert_eq!(line(&all, "null_move"), "null_move = false  # engine.toml:6");
    assert_eq!(line(&all, "threads"), "threads = 1  # built-in");

    let all = printed(&dir, &["--set", "Hash=5", "--set", "rfp_margin=90", "config", "show", "--all"]);
    assert_eq!(line(&all, "hash"), "hash = 5  # command line");
    assert_eq!(line(&all, "rfp_margin"), "rfp_margin = 90  # command line");
    assert_eq!(line(&all, "multi_pv"), "multi_pv = 2  # engine.toml:3");

    let other = dir.file("other.toml", "[options]\nhash = 3\n");
    let other = other.to_str().unwrap();
    for args in [["--config", other, "config", "show"], ["config", "show", "--config", other]] {
        let all = printed(&dir, &args);
        assert!(
            line(&all, "hash").starts_with("hash = 3  # ") && line(&all, "hash").ends_with("other.toml:2"),
            "{all}"
        );
        assert_eq!(
            line(&all, "multi_pv"),
            "multi_pv = 1  # built-in",
            "--config replaces the file of the working directory"
        );
    }
}

#[test]
fn configuration_file_is_looked_for_in_a_documented_order() {
    let dir = Dir::new();
    let show = |dir: &Dir, named: Option<&str>, args: &[&str]| {
        let mut command = command(dir, &[&["config", "show", "--changed"], args].concat());
        let output = command.envs(named.map(|file| ("ASPIRANT_CONFIG", file))).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    };
    let printed = show(&dir, None, &[]);
    assert!(printed.starts_with("# no configuration file; looked for:\n#   engine.toml\n"), "{printed}");
    assert!(!printed.contains(" = "), "nothing differs from the defaults: {printed}");
    std::fs::create_dir_all(dir.path().join("user/aspirant")).unwrap();
    let mut files = ["user/aspirant/engine.toml", "engine.toml", "environment.toml", "argument.toml"].into_iter();
    for (hash, environment, args) in [
        (1, None, &[][..]),
        (2, None, &[]),
        (3, Some("environment.toml"), &[]),
        (4, Some("environment.toml"), &["--config", "argument.toml"]),
    ] {
        let file = files.next().unwrap();
        dir.file(file, format!("[options]\nhash = {hash}\nthreads = 1\n"));
        let printed = show(&dir, environment, args);
        assert!(printed.contains(&format!("\nhash = {hash}  # ")), "{file}: {printed}");
        assert!(printed.lines().next().unwrap().ends_with(file) && !printed.contains("threads"), "{file}: {printed}");
    }
}

#[test]
fn all_errors_of_a_file_are_reported_at_once() {
    let dir = Dir::new();
    dir.file("engine.toml", "[options]\nhash = 0\nthreads = 0\n[serach]\n");
    for args in [&["config", "show"][..], &["bench", "1"], &["--config", "engine.toml"]] {
        assert_rejected(&dir, args, &["engine.toml:2:", "engine.toml:3:", "engine.toml:4:"]);
    }
}

#[test]
fn setoption_overrides_the_configuration() {
    let dir = Dir::new();
    dir.file("engine.toml", "[options]\nmulti_pv = 3\nshow_wdl = true\n");
    let mut engine = Engine::with(dir, &[]);
    let found = engine.search("startpos", "depth 4");
    assert!(found.multi_pv().len() == 3 && found.infos.iter().all(|info| info.wdl.is_some()), "{found:?}");
    engine.send_silent("ucinewgame");
    assert_eq!(engine.search("startpos", "depth 4").multi_pv().len(), 3, "ucinewgame keeps the options");
    engine.send_silent("setoption name MultiPV value 2");
    assert_eq!(engine.search("startpos", "depth 4").multi_pv().len(), 2);
    engine.quit();

    let mut engine = Engine::with(Dir::new(), &["--set", "MultiPV=4", "uci"]);
    assert_eq!(engine.search("startpos", "depth 4").multi_pv().len(), 4);
    engine.quit();
}

#[test]
fn config_errors_name_file_and_line() {
    for (content, parts) in [
        ("[options]\nhash = 0\n", &["engine.toml:2:", "'0'"][..]),
        ("[search]\nhash = 16\n", &["engine.toml:2: [search] unknown option 'hash'"]),
        ("[options\n", &["engine.toml:1:"]),
        ("\u{0}", &["engine.toml:1:"]),
    ] {
        let dir = Dir::new();
        dir.file("engine.toml", content);
        for args in [
            &["config", "show"][..],
            &["bench", "1"],
            &["--config", "engine.toml"],
            &["uci", "--config", "engine.toml"],
        ] {
            assert_rejected(&dir, args, parts);
        }
    }
    let dir = Dir::new();
    dir.file("engine.toml", b"[options]\nhash = \xff\n");
    assert_rejected(&dir, &["bench", "1"], &["engine.toml", "UTF-8"]);
}

/// Runs a UCI session with this `engine.toml`; returns the engine and the warnings, on stderr and as info strings.
#[track_caller]
fn uci_warnings(content: &[u8], args: &[&str]) -> (Engine, Vec<String>) {
    let dir = Dir::new();
    dir.file("engine.toml", content);
    let output = run_in(&dir, args);
    let printed = text(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{args:?}: {output:?}");
    let mut engine = Engine::with(dir, args);
    engine.allow_stderr = true;
    engine.send("uci");
    let greeting = engine.until(LIMIT, "uciok", |line| *line == Line::UciOk);
    assert!(!greeting.iter().any(|line| matches!(line, Line::InfoString(_))), "before isready: {greeting:?}");
    let strings: Vec<String> = engine
        .ready()
        .into_iter()
        .map(|line| match line {
            Line::InfoString(text) => text,
            other => panic!("{other:?}"),
        })
        .collect();
    let printed: Vec<&str> = printed.lines().map(|line| line.strip_prefix("aspirant: ").unwrap_or(line)).collect();
    assert_eq!(printed, strings, "stderr and info strings differ");
    (engine, strings)
}

// A GUI that starts in a directory with a foreign or damaged engine.toml must not see a crash.
#[test]
fn invalid_keys_of_a_found_file_are_reported_and_the_others_applied() {
    let content = "[options]\nhsah = 16\nmulti_pv = 3\nhash = 0\n[search]\nnull_move = 3\n[serach]\n";
    for args in [&[][..], &["uci"]] {
        let (mut engine, warnings) = uci_warnings(content.as_bytes(), args);
        let expected = [
            &["engine.toml:2:", "'hsah'", "did you mean 'hash'"][..],
            &["engine.toml:4:", "'0'", "a whole number from 1 to"],
            &["engine.toml:6:", "'null_move'", "true or false"],
            &["engine.toml:7:", "'serach'", "[search]"],
        ];
        assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
        for (warning, parts) in warnings.iter().zip(expected) {
            assert!(warning.starts_with("ignored ") && parts.iter().all(|part| warning.contains(part)), "{warning}");
        }
        assert_eq!(engine.search("startpos", "depth 3").multi_pv().len(), 3, "multi_pv is applied");
        engine.ready();
        engine.quit();
    }
    // Lines of the protocol as arguments.
    let dir = Dir::new();
    dir.file("engine.toml", content);
    let output = run_in(&dir, &["isready", "quit"]);
    assert!(output.status.success() && text(&output.stdout).contains("ignored engine.toml:2:"), "{output:?}");
    assert!(text(&output.stderr).contains("ignored engine.toml:2:"), "{output:?}");
}

#[test]
fn found_file_that_cannot_be_read_is_ignored_with_one_warning() {
    let large = vec![b'#'; (1 << 20) + 1];
    for (content, parts) in [
        (&b"[options]\nhash = 4\nhash = 5\n"[..], &["engine.toml:3:", "the file is ignored"][..]),
        (b"[options\n", &["engine.toml:1:", "the file is ignored"]),
        (b"[options]\nhash = \xff\n", &["UTF-8", "the file is ignored"]),
        (&large, &["at most 1 MB", "the file is ignored"]),
    ] {
        let (mut engine, warnings) = uci_warnings(content, &[]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        for part in parts {
            assert!(warnings[0].contains(part), "'{part}' is missing in: {warnings:?}");
        }
        engine.assert_alive();
        engine.quit();
    }
    for content in ["", "# nothing\n", "[options]\n"] {
        let (engine, warnings) = uci_warnings(content.as_bytes(), &[]);
        assert!(warnings.is_empty(), "{warnings:?}");
        engine.quit();
    }
}

#[test]
fn command_line_errors_are_named() {
    let dir = Dir::new();
    assert_rejected(&dir, &["--config", "missing.toml"], &["missing.toml"]);
    assert_rejected(&dir, &["--config", "."], &["cannot read"]);
    assert_rejected(&dir, &["--set", "hash"], &["hash", "KEY=VALUE"]);
    for args in [&["--set", "Hash=0"][..], &["uci", "--set", "Hash=0"]] {
        assert_rejected(&dir, args, &["--set Hash=0", "'0'", "a whole number from 1 to"]);
    }
    assert_rejected(&dir, &["no-such-command"], &["no-such-command"]);
    assert_rejected(&dir, &["--no-such-flag"], &["--no-such-flag"]);
}

#[test]
fn committed_engine_toml_is_what_config_init_writes() {
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/engine.toml")).unwrap();
    let dir = Dir::new();
    printed(&dir, &["config", "init"]);
    let written = std::fs::read_to_string(dir.path().join("engine.toml")).unwrap();
    assert!(committed == written, "engine.toml differs from the output of `aspirant config init`");
    // It sets no value, so that a changed default applies in the directory of the repository, too.
    let active = committed.lines().find(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with('['));
    assert_eq!(active, None);
}

#[test]
fn search_parameters_changed_by_a_found_file_are_reported() {
    let content = "[options]\nhash = 8\n[search]\nrfp_margin = 120\nrfp_depth = 9\nnull_move = false\n";
    let notice = "engine.toml changes search parameters: null_move, rfp_margin";
    let (engine, warnings) = uci_warnings(content.as_bytes(), &[]);
    assert_eq!(warnings, [notice]);
    engine.quit();
    let dir = Dir::new();
    dir.file("engine.toml", content);
    dir.file("other.toml", "[options]\nhash = 8\n");
    assert!(text(&run_in(&dir, &["bench", "1"]).stderr).starts_with(&format!("aspirant: {notice}\n")));
    // A named file and the command line are the user's own choice.
    for args in [
        &["--config", "engine.toml", "bench", "1"][..],
        &["--config", "other.toml", "--set", "rfp_margin=90", "bench", "1"],
    ] {
        assert!(!text(&run_in(&dir, args).stderr).contains("changes search parameters"), "{args:?}");
    }
}

#[test]
fn closed_pipe_is_not_an_error() {
    for args in [&["config", "show"][..], &["perft", "2", "--divide"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(&Dir::new(), args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn closed_stderr_does_not_end_a_command_that_writes_files() {
    let dir = Dir::new();
    let args = ["tree", "--svg", "a.svg", "--html", "b.html"];
    let mut child = command(&dir, &args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    for name in ["a.svg", "b.html"] {
        assert!(dir.path().join(name).exists(), "{name}");
    }
}

#[test]
fn analysis_ends_when_its_reader_closes_the_pipe() {
    let dir = Dir::new();
    let mut child = command(&dir, &["analyze", "--depth", "200"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    wait_for_exit(&mut child, || {});
}

#[test]
fn isready_as_an_argument_does_not_hide_the_input_that_follows() {
    let dir = Dir::new();
    let mut command = command(&dir, &["isready", "go depth 200"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"isready\n").unwrap();
    wait_for_exit(&mut child, || {});
    let output = text(&child.wait_with_output().unwrap().stdout);
    assert_eq!((output.matches("readyok").count(), output.matches("bestmove").count()), (2, 1), "{output}");
}

/// A directory can be opened, but not read.
#[cfg(unix)]
#[test]
fn unreadable_stdin_ends_the_session_with_a_message() {
    let directory = std::fs::File::open("/").unwrap();
    let output = command(&Dir::new(), &[]).stdin(directory).output().unwrap();
    assert!(text(&output.stdout).contains("info string cannot read stdin: "), "{output:?}");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn config_init_overwrites_an_existing_file_only_with_force() {
    let dir = Dir::new();
    assert_eq!(printed(&dir, &["config", "init"]), "wrote engine.toml\n");
    let written = || std::fs::read_to_string(dir.path().join("engine.toml")).unwrap();
    let template = written();
    dir.file("engine.toml", "[options]\nhash = 0\n");
    assert_rejected(&dir, &["config", "init"], &["engine.toml exists already", "--force"]);
    assert_eq!(written(), "[options]\nhash = 0\n");
    // The invalid file does not prevent that it is replaced.
    printed(&dir, &["config", "init", "--force"]);
    assert_eq!(written(), template);
    assert_eq!(printed(&dir, &["config", "init", "new/folder/engine.toml"]), "wrote new/folder/engine.toml\n");
    assert_rejected(&dir, &["config", "init", "engine.toml/engine.toml"], &["cannot write engine.toml/engine.toml: "]);
    assert_rejected(&dir, &["config", "init", "--force", "."], &["cannot write", "is a directory"]);
    let output = run_in(&dir, &["--set", "Hash=1", "config", "init", "other.toml"]);
    assert!(output.status.success() && text(&output.stderr).contains("--set have no effect"), "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn failed_output_is_an_error() {
    let dir = Dir::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [&["analyze", "--depth", "3"][..], &["bench", "1"], &["compare", "--tree", "(1 2)"], &["perft", "1"]] {
        let output = command(&dir, args).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output.stderr).to_lowercase().contains("no space left"), "{args:?}: {output:?}");
    }
}

#[test]
fn faulty_file_does_not_concern_commands_without_configuration() {
    let dir = Dir::new();
    dir.file("engine.toml", b"[options]\nhsah = 64\n");
    for args in [&["completions", "bash"][..], &["perft", "1"], &["help"]] {
        let output = run_in(&dir, args);
        assert!(output.status.success() && !text(&output.stdout).is_empty(), "{args:?}: {}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("hsah"), "{args:?}: {}", text(&output.stderr));
    }
    let output = run_in(&dir, &["bench", "1"]);
    assert!(!output.status.success() && text(&output.stderr).contains("hsah"), "{}", text(&output.stderr));
}

#[test]
fn analysis_reports_options_that_have_no_effect() {
    let output = run(&["analyze", "--depth", "1", "--set", "SyzygyPath=/no/such/folder"]);
    assert!(output.status.success());
    let messages = text(&output.stderr);
    assert_eq!(messages.matches("no such file or directory").count(), 1, "{messages}");
}
