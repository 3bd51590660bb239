//! Checks the documents against the program and the repository: options, commands, flags, examples, links, paths.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser as _};

use crate::common::{Dir, Engine, run_in, rust_files, text};
use aspirant::cli::Cli;
use aspirant::config::options::{OPTIONS, OptionKind};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the paths of the documents, relative to the repository.
fn documents() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for folder in ["", "docs", "docs/tutorial"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        paths.extend(entries.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    paths.sort();
    assert!(paths.len() > 10, "{paths:?}");
    paths.iter().map(|path| path.strip_prefix(root()).unwrap().to_owned()).collect()
}

/// Returns the text of a section, without its subsections.
fn section<'a>(document: &'a str, heading: &str) -> &'a str {
    let (_, rest) = document.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    rest.split("\n#").next().unwrap()
}

/// Returns the cells of table rows whose first cell begins with a backquote.
fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let line = line.trim().trim_matches('|').replace("\\|", "\u{0}");
        line.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
    };
    text.lines().filter(|line| line.starts_with("| `")).map(cells).collect()
}

/// Returns the texts between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn blocks<'a>(document: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    document.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn usage_document_lists_every_option_with_default_range_and_meaning() {
    let document = document("docs/usage.md");
    let rows = rows(section(&document, "## UCI options"));
    let expected: Vec<Vec<String>> = OPTIONS
        .iter()
        .map(|option| {
            let (default, range) = match option.kind {
                OptionKind::Spin { default, min, max } => (default.to_string(), format!("{min} to {max}")),
                OptionKind::Check { default } => (default.to_string(), "true or false".to_owned()),
                OptionKind::Text { .. } => (String::new(), "text".to_owned()),
                OptionKind::Button => (String::new(), String::new()),
                other => panic!("{other:?}"),
            };
            vec![format!("`{}`", option.name), default, range, option.doc.to_owned()]
        })
        .collect();
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row, expected);
    }
    assert_eq!(rows.len(), expected.len());
}

/// Appends the visible commands below `command` that have no commands of their own, with their full names.
fn leaf_commands<'a>(command: &'a clap::Command, prefix: &str, found: &mut Vec<(String, &'a clap::Command)>) {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = format!("{prefix} {}", command.get_name());
        if command.has_subcommands() {
            leaf_commands(command, &name, found);
        } else {
            found.push((name, command));
        }
    }
}

/// Compares the commands and flags of [`Cli`] with the tables, in both directions.
#[test]
fn usage_document_lists_every_command_and_flag() {
    let document = document("docs/usage.md");
    let cli = Cli::command();
    let flags = |command: &clap::Command| -> BTreeSet<String> {
        command.get_arguments().filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect()
    };
    let in_cells = |cells: &[String]| -> BTreeSet<String> {
        let words = cells.iter().flat_map(|cell| quoted(cell)).filter_map(|code| code.split(' ').next());
        words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
    };
    let rows = rows(section(&document, "## Commands"));
    let (commands, global): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[0].starts_with("`aspirant"));
    let mut declared = Vec::new();
    leaf_commands(&cli, "aspirant", &mut declared);
    let documented: BTreeSet<&str> = commands.iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(documented, declared.iter().map(|(name, _)| name.as_str()).collect());
    for (name, command) in declared {
        let row = commands.iter().find(|row| row[0] == format!("`{name}`")).unwrap();
        assert_eq!(in_cells(&row[1..2]), flags(command), "flags of {name}");
        for alias in command.get_all_aliases() {
            assert!(row[2].contains(&format!("`{alias}` is an alias")), "{row:?} does not name {alias}");
        }
    }
    let mut expected = flags(&cli);
    expected.extend(["--help".to_owned(), "--version".to_owned()]);
    let documented: BTreeSet<String> = global.iter().flat_map(|row| in_cells(&row[..1])).collect();
    assert_eq!(documented, expected);
}

#[test]
fn usage_document_lists_every_console_command() {
    let document = document("docs/usage.md");
    let mut engine = Engine::start();
    engine.allow_text = true;
    let help = engine.output_of("help").join("\n");
    engine.quit();
    let also = help.split("Also:").nth(1).and_then(|rest| rest.split("Options:").next()).expect("a list of commands");
    let first = |code: &str| code.split([' ', ',']).next().unwrap_or_default().to_owned();
    let mut listed: BTreeSet<String> = also.split([',', '\n']).map(|part| first(part.trim())).collect();
    listed.remove("");
    let rows = rows(section(&document, "## UCI"));
    let documented: BTreeSet<String> = rows.iter().map(|row| first(row[0].trim_matches('`'))).collect();
    assert_eq!(documented, listed);
}

#[test]
fn configuration_examples_are_valid() {
    let document = document("docs/usage.md");
    let blocks = blocks(&document, "toml");
    assert!(!blocks.is_empty());
    for block in blocks {
        let dir = Dir::new();
        dir.file("engine.toml", block);
        let output = run_in(&dir, &["--config", "engine.toml", "config", "show"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    }
}

/// Splits a command line at spaces outside double quotes; a word that begins with # ends it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    let end = words.iter().position(|word| word.starts_with('#')).unwrap_or(words.len());
    words.truncate(end);
    words
}

/// Returns the arguments of every `aspirant` command line in the `sh` blocks of a document.
fn command_lines(document: &str) -> Vec<Vec<String>> {
    let blocks: Vec<String> = blocks(document, "sh").iter().map(|block| block.replace("\\\n", " ")).collect();
    let lines = blocks.iter().flat_map(|block| block.lines()).map(words);
    lines
        .filter_map(|words| {
            let skip = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["aspirant", ..] => 1,
                ["cargo", "run", "--release", "--", ..] => 4,
                _ => return None,
            };
            Some(words[skip..].to_vec())
        })
        .collect()
}

#[test]
fn command_lines_in_documents_are_valid() {
    let mut count = 0;
    for path in documents() {
        for arguments in command_lines(&document(path.to_str().unwrap())) {
            count += 1;
            let is_protocol = arguments.first().is_some_and(|word| word.contains(' '));
            if !is_protocol && let Err(error) = Cli::try_parse_from(["aspirant".into()].iter().chain(&arguments)) {
                assert!(!error.use_stderr(), "{}: {arguments:?}: {error}", path.display());
            }
        }
    }
    assert!(count > 10, "{count} command lines");
}

/// Returns the text without its code blocks.
fn without_blocks(document: &str) -> String {
    document.split("```").step_by(2).collect()
}

/// Returns the anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_between_documents_resolve() {
    for path in documents() {
        let source = without_blocks(&document(path.to_str().unwrap()));
        let attributes = ["src=\"", "srcset=\""].into_iter().flat_map(|name| source.split(name).skip(1));
        let links = source.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.chain(attributes.filter_map(|rest| rest.split('"').next())) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = root().join(if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) });
            assert!(target.exists(), "{}: {link} does not exist", path.display());
            if !heading.is_empty() {
                let target = without_blocks(&std::fs::read_to_string(&target).unwrap());
                let found = target.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
                assert!(found, "{}: no heading for {link}", path.display());
            }
        }
    }
}

#[test]
fn paths_and_test_modules_named_in_documents_exist() {
    let folders =
        ["src/", "tests/", "docs/", "scripts/", "lab/", "examples/", "fuzz/", "benches/", "web/", ".ci/", ".github/"];
    for path in documents() {
        let source = document(path.to_str().unwrap());
        let text = without_blocks(&source);
        for code in quoted(&text).into_iter().flat_map(|code| code.split_whitespace()) {
            // What `make web` writes exists only after it has run.
            let is_written = ["web/dist", "web/target", "node_modules"].iter().any(|part| code.contains(part));
            if folders.iter().any(|folder| code.starts_with(folder)) && !code.contains(['{', '*', '…']) && !is_written
            {
                assert!(root().join(code).exists(), "{}: {code} does not exist", path.display());
            }
        }
        for rest in source.split("--test it ").skip(1) {
            let module: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let exists = root().join(format!("tests/it/{module}.rs")).exists() || module == "SUBJECT";
            assert!(exists, "{}: no module {module}", path.display());
        }
    }
}

/// Each failure of the table links to a report, and each row names existing tests, or a reason that ends with a period.
#[test]
fn failures_link_to_reports_and_name_existing_tests() {
    let files = ["src", "tests"].into_iter().flat_map(|folder| rust_files(&root().join(folder)));
    let source: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let document = document("docs/reliability.md");
    let table = section(&document, "## Public failures of other engines");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let mut count = 0;
    for row in rows {
        let (failures, reference) = row.trim_matches(['|', ' ']).rsplit_once('|').unwrap();
        for failure in failures.split(';') {
            count += 1;
            assert!(failure.contains("](https://"), "no link: {failure}");
        }
        let tests = quoted(reference);
        for test in &tests {
            assert!(source.contains(&format!("fn {test}(")), "no test named {test}: {row}");
        }
        assert!(!tests.is_empty() || reference.ends_with('.'), "neither a test nor a reason: {row}");
    }
    assert!(count > 70, "{count} failures");
}
