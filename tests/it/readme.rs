//! Checks README.md against the program: options, commands, files, examples.

use std::path::Path;

use crate::common::{Dir, run, run_in, text};
use aspirant::config::options::{OPTIONS, OptionKind};
use aspirant::tools::bench;

fn readme() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md")
}

/// Returns the cells of table rows whose first cell begins with a backquote.
fn rows(readme: &str) -> Vec<Vec<String>> {
    let lines = readme.lines().filter(|line| line.trim_start().starts_with("| `"));
    lines.map(|line| line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn bare(cell: &str) -> String {
    cell.replace('`', "")
}

/// Returns the texts between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn readme_lists_every_option_with_default_and_range() {
    let readme = readme();
    let rows = rows(&readme);
    for option in OPTIONS {
        let row = rows.iter().find(|row| bare(&row[0]) == option.name);
        let row = row.unwrap_or_else(|| panic!("no row for the option {}", option.name));
        let cells: Vec<String> = row.iter().map(|cell| bare(cell)).collect();
        let numbers: Vec<i64> =
            cells[1..].iter().take(3).flat_map(|c| c.split(' ')).filter_map(|w| w.parse().ok()).collect();
        match option.kind {
            OptionKind::Spin { default, min, max } => {
                assert_eq!(numbers, [default, min, max], "{}: default, min, max in {row:?}", option.name);
            }
            OptionKind::Check { default } => assert!(cells.contains(&default.to_string()), "{}: {row:?}", option.name),
            OptionKind::Text { .. } | OptionKind::Button => {}
        }
        if option.kind != OptionKind::Button {
            assert!(cells.contains(&option.key.to_owned()), "the key {} is missing in {row:?}", option.key);
        }
    }
    // Rows with at least five cells are options, which must exist.
    for row in rows.iter().filter(|row| row.len() >= 5) {
        assert!(OPTIONS.iter().any(|option| option.name == bare(&row[0])), "unknown option {}", row[0]);
    }
}

#[test]
fn readme_lists_every_command_with_its_flags() {
    let readme = readme();
    let help = text(&run(&["--help"]).stdout);
    let commands =
        help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("no list of commands");
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let rows = rows(&readme);
    let documented: Vec<&Vec<String>> = rows.iter().filter(|row| row[0].starts_with("`aspirant")).collect();
    for command in commands.iter().filter(|command| **command != "uci") {
        let start = format!("`aspirant {command}");
        assert!(documented.iter().any(|row| row[0].starts_with(&start)), "README has no row for {command}");
    }
    for row in documented {
        let usage = bare(&row[0]);
        let Some(command) = usage.split(' ').nth(1) else { continue };
        assert!(commands.contains(&command), "unknown command {command}");
        let help = text(&run(&[command, "--help"]).stdout);
        for flag in usage.split(|c: char| " []|".contains(c)).filter(|word| word.starts_with("--")) {
            assert!(help.contains(flag), "aspirant {command} has no {flag}");
        }
    }
    // Flags in running text.
    for code in quoted(&readme).into_iter().filter(|code| code.starts_with("--")) {
        let flag = code.split([' ', '=']).next().unwrap_or_default();
        assert!(help.contains(flag), "--help does not list {flag}");
    }
}

#[test]
fn readme_console_commands_exist() {
    let readme = readme();
    let line = readme.lines().find(|line| line.contains("UCI prompt")).expect("no line about the UCI prompt");
    let mut engine = crate::common::Engine::start();
    engine.allow_text = true;
    let help = engine.output_of("help").join("\n");
    for word in quoted(line) {
        let first = word.split(' ').next().unwrap_or_default();
        assert!(help.contains(first), "help does not list {first}");
    }
    engine.quit();
}

#[test]
fn readme_files_exist() {
    let readme = readme();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let in_links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let in_quotes = quoted(&readme).into_iter().filter(|code| code.starts_with("src/") || code.starts_with("tests/"));
    for path in in_links.chain(in_quotes).filter(|path| !path.contains("://") && !path.starts_with('#')) {
        assert!(root.join(path).exists(), "{path} does not exist");
    }
}

#[test]
fn readme_configuration_examples_are_valid() {
    let readme = readme();
    let blocks: Vec<&str> = readme.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let dir = Dir::new();
        dir.file("engine.toml", block);
        let output = run_in(&dir, &["--print-config"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

#[test]
fn readme_numbers_are_current() {
    let readme = readme();
    let positions = format!("{} fixed positions", bench::POSITIONS.len());
    assert!(readme.contains(&positions), "missing: {positions}");
    assert!(readme.contains(env!("CARGO_PKG_RUST_VERSION")), "required Rust version");
}

/// The first command of the README, with the depth limited, must print an analysis without escape codes.
#[test]
fn readme_analysis_example_runs() {
    let readme = readme();
    let fen = readme.split("analyze --fen \"").nth(1).and_then(|rest| rest.split('"').next()).expect("no example");
    let output = run(&["analyze", "--fen", fen, "--depth", "6"]);
    let printed = text(&output.stdout);
    assert!(output.status.success() && !printed.trim().is_empty(), "{printed}");
    assert!(!printed.contains('\u{1b}'), "escape codes in a pipe: {printed:?}");
}
