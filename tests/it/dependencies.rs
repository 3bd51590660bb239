//! The dependency rules of ARCHITECTURE.md that crates cannot express: what the code of a module of `src` must not name.

use std::path::Path;

use crate::common::rust_files;

const OUTSIDE: &[&str] = &["std::fs", "std::io", "std::process", "std::net"];
const THREADS: &[&str] = &["std::thread", "crossbeam_channel"];
const FRONT_ENDS: &[&str] = &[
    "crate::cli",
    "crate::terminal",
    "crate::uci",
    "vampirc_uci",
    "chrono",
    "clap",
    "console::",
    "ctrlc",
    "indicatif",
    "rustyline",
];
const TOOLS: &[&str] = &["crate::tools", "crate::chess_tree", "crate::reference"];
const ENGINE: &[&str] = &["crate::book", "crate::config", "crate::engine"];
const SEARCH: &[&str] = &["crate::search", "crate::tablebase"];

/// Paths below `src` and what their files must not name; all rules whose path matches apply.
const RULES: &[(&[&str], &[&[&str]])] = &[
    (&["score", "platform", "version", "wdl"], &[SEARCH, ENGINE, TOOLS, FRONT_ENDS]),
    (&["board", "eval"], &[SEARCH, ENGINE, TOOLS, FRONT_ENDS, OUTSIDE, THREADS]),
    (&["tablebase", "book"], &[&["crate::search"], ENGINE, TOOLS, FRONT_ENDS]),
    (&["search/smp", "search/thread"], &[&["std::fs", "std::process"]]),
    (&["search"], &[ENGINE, TOOLS, FRONT_ENDS]),
    (&["config", "engine"], &[TOOLS, FRONT_ENDS]),
    (&["chess_tree"], &[SEARCH, ENGINE, &["crate::tools", "crate::reference"], FRONT_ENDS, OUTSIDE, THREADS]),
    (&["reference"], &[&["crate::tools"], FRONT_ENDS, OUTSIDE, THREADS]),
    (&["uci"], &[&["crate::cli", "crate::terminal", "crate::chess_tree", "crate::reference"]]),
];

/// The code of a file without comments and without its test module.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Returns what the code of the file `src/{file}` names against the rules.
fn faults(file: &str, code: &str) -> Vec<String> {
    let is_below = |path: &&str| file.strip_prefix(path).is_some_and(|rest| rest.starts_with(['/', '.']));
    let rules = RULES.iter().filter(|(paths, _)| paths.iter().any(&is_below));
    let mut forbidden: Vec<&str> = rules.flat_map(|(_, lists)| lists.concat()).collect();
    let has_threads = file.starts_with("search/smp/") || file.starts_with("search/thread/");
    if file.starts_with("search/") && !has_threads {
        forbidden.extend([OUTSIDE, THREADS].concat());
    }
    forbidden.into_iter().filter(|name| code.contains(name)).map(|name| format!("{file} names {name}")).collect()
}

#[test]
fn modules_name_nothing_that_the_rules_forbid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    let faults: Vec<String> = rust_files(&root)
        .iter()
        .flat_map(|path| faults(&name(path), &code(&std::fs::read_to_string(path).unwrap())))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
