//! Keeps the dependency rules of ARCHITECTURE.md: reads the paths that each module of `src` names and compares them with the
//! modules and packages that it may use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::common::rust_files;

/// A rule: paths below `src` (the longest match applies), the modules they may use, and the packages and parts of std they must not.
struct Rule {
    path: &'static str,
    uses: &'static [&'static str],
    never: &'static [&'static str],
}

const NO_OUTSIDE: &[&str] = &[
    "crossbeam_channel::",
    "std::thread",
    "std::fs",
    "std::io",
    "std::process",
    "vampirc_uci::",
    "clap::",
    "serde::",
    "serde_json::",
    "indicatif::",
    "console::",
    "toml::",
    "chrono::",
];
const NO_TERMINAL: &[&str] =
    &["clap::", "indicatif::", "console::", "rustyline::", "ctrlc::", "vampirc_uci::", "chrono::"];

const RULES: &[Rule] = &[
    Rule { path: "score", uses: &[], never: NO_OUTSIDE },
    Rule { path: "platform", uses: &[], never: NO_TERMINAL },
    Rule { path: "version", uses: &[], never: NO_OUTSIDE },
    Rule { path: "board", uses: &["score"], never: NO_OUTSIDE },
    Rule { path: "eval", uses: &["board", "score"], never: NO_OUTSIDE },
    Rule { path: "tablebase", uses: &["board", "score", "platform"], never: NO_TERMINAL },
    Rule { path: "book", uses: &["board", "score", "platform"], never: NO_TERMINAL },
    Rule { path: "wdl", uses: &["board", "score"], never: NO_OUTSIDE },
    Rule { path: "search", uses: &["board", "eval", "score", "tablebase", "platform"], never: NO_OUTSIDE },
    Rule {
        path: "search/smp",
        uses: &["board", "eval", "score", "tablebase", "platform", "search"],
        never: NO_TERMINAL,
    },
    Rule {
        path: "config",
        uses: &["board", "platform", "search"],
        never: &["crossbeam_channel::", "vampirc_uci::", "clap::"],
    },
    Rule {
        path: "engine",
        uses: &["board", "book", "config", "eval", "platform", "score", "search", "tablebase", "version"],
        never: NO_TERMINAL,
    },
    Rule {
        path: "uci",
        uses: &[
            "board",
            "config",
            "engine",
            "platform",
            "score",
            "search/limits",
            "search/params",
            "search/report",
            "tools",
            "version",
            "wdl",
        ],
        never: &["clap::", "indicatif::", "console::"],
    },
    Rule { path: "game_tree", uses: &["platform/hash", "score"], never: NO_OUTSIDE },
    Rule { path: "game_tree/games", uses: &["board", "eval", "game_tree", "score"], never: NO_OUTSIDE },
    Rule {
        path: "game_tree/compare",
        uses: &["board", "eval", "game_tree", "platform", "score", "terminal"],
        never: &["vampirc_uci::"],
    },
    Rule {
        path: "game_tree/visualize",
        uses: &["board", "eval", "game_tree", "platform", "score", "terminal"],
        never: &["vampirc_uci::"],
    },
];

/// Modules that nothing but `main`, `cli`, each other and (for `tools`) `uci` may use; they may use everything.
const TOP: &[&str] = &["tools", "cli", "terminal", "main", "lib"];

/// The code of a file without comments and without its test module.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The module paths behind `crate::`, groups in braces taken apart: `crate::search::{a, b::c}` gives `search/a`, `search/b`.
fn named(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:{}, \n*".contains(c))).unwrap_or(rest.len());
        expand("", &rest[..end], &mut found);
    }
    found
}

fn expand(prefix: &str, rest: &str, found: &mut BTreeSet<String>) {
    let rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        let (mut depth, mut start) = (1, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && c == ',') {
                if !group[start..at].trim().is_empty() {
                    expand(prefix, &group[start..at], found);
                }
                start = at + 1;
            }
            if depth == 0 {
                return;
            }
        }
        return;
    }
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let is_module = name.chars().next().is_some_and(char::is_lowercase);
    let path = if is_module {
        format!("{prefix}{}{name}", if prefix.is_empty() { "" } else { "/" })
    } else {
        prefix.to_owned()
    };
    match rest[name.len()..].strip_prefix("::") {
        Some(next) if is_module && path.split('/').count() < 2 => expand(&path, next, found),
        _ => drop(found.insert(path)),
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn rule_of(module: &str) -> Option<&'static Rule> {
    RULES.iter().filter(|rule| is_below(module, rule.path)).max_by_key(|rule| rule.path.len())
}

/// Every file of `src` by its module path (`search/smp/pool`), with its code.
fn modules() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let name = |path: &Path| {
        let path = path.strip_prefix(&root).unwrap().with_extension("");
        path.to_str().unwrap().replace('\\', "/").trim_end_matches("/mod").to_owned()
    };
    rust_files(&root).iter().map(|path| (name(path), code(&std::fs::read_to_string(path).unwrap()))).collect()
}

fn faults(modules: &BTreeMap<String, String>) -> Vec<String> {
    let mut faults = Vec::new();
    for (module, code) in modules {
        let top = module.split('/').next().unwrap();
        let Some(rule) = rule_of(module) else {
            if !TOP.contains(&top) {
                faults.push(format!("{module}: no rule"));
            }
            continue;
        };
        for used in named(code) {
            let own = is_below(&used, rule.path) || used.is_empty() || !rule.path.contains('/') && is_below(&used, top);
            if !own && !rule.uses.iter().any(|allowed| is_below(&used, allowed)) {
                faults.push(format!("{module} uses {used}"));
            }
        }
        for package in rule.never.iter().filter(|package| code.contains(*package)) {
            faults.push(format!("{module} uses {package}"));
        }
    }
    faults
}

#[test]
fn modules_use_only_what_the_rules_allow() {
    let faults = faults(&modules());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_forbidden_use_is_found() {
    for (module, line, fault) in [
        ("board/position", "use crate::search::limits::Limits;", "board/position uses search/limits"),
        ("eval/pst", "use crate::{board::position::Position, engine::Engine};", "eval/pst uses engine"),
        ("search/iterative", "let _ = std::thread::spawn(f);", "search/iterative uses std::thread"),
        (
            "uci/session",
            "use crate::search::memory::transposition::TranspositionTable;",
            "uci/session uses search/memory",
        ),
        (
            "game_tree/algorithms/scout",
            "use crate::board::position::Position;",
            "game_tree/algorithms/scout uses board/position",
        ),
        ("newcomer", "", "newcomer: no rule"),
    ] {
        let found = faults(&BTreeMap::from([(module.to_owned(), line.to_owned())]));
        assert_eq!(found, [fault], "{module}: {line}");
    }
    let fine =
        "// crate::search\nuse crate::board::position::Position;\n#[cfg(test)]\nmod tests { use crate::search::X; }";
    assert!(faults(&BTreeMap::from([("eval/pst".to_owned(), code(fine))])).is_empty());
}

#[test]
fn architecture_document_lists_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let document = std::fs::read_to_string(path).unwrap();
    let name = |path: &&str| format!("`{}`", path.replace('/', "::"));
    let rows: Vec<String> = RULES
        .iter()
        .map(|rule| {
            let uses: Vec<String> = rule.uses.iter().map(name).collect();
            let uses = if uses.is_empty() { "–".to_owned() } else { uses.join(", ") };
            format!("| {} | {uses} |\n", name(&rule.path))
        })
        .collect();
    let table = format!("| module | may use |\n|---|---|\n{}\n", rows.concat());
    assert!(document.contains(&table), "ARCHITECTURE.md does not contain this table:\n{table}");
}

/// Top-level modules, and the files of `eval`, import each other in one direction only.
#[test]
fn imports_have_no_cycle() {
    let modules = modules();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, code) in modules.iter().filter(|(module, _)| !["lib", "main"].contains(&module.as_str())) {
        let top = module.split('/').next().unwrap();
        let used = named(code).into_iter().map(|used| used.split('/').next().unwrap_or_default().to_owned());
        edges.entry(top.to_owned()).or_default().extend(used.filter(|used| !used.is_empty() && used != top));
    }
    for (module, code) in modules.iter().filter(|(module, _)| module.starts_with("eval/")) {
        for other in modules.keys().filter(|other| other.starts_with("eval/") && *other != module) {
            let name = &other["eval/".len()..];
            if code.contains(&format!("super::{name}")) || code.contains(&format!("{name}::")) {
                edges.entry(module.clone()).or_default().insert(other.clone());
            }
        }
    }
    // Remove modules without remaining imports until none is left; what stays is a cycle.
    loop {
        let before = edges.len();
        let open: BTreeSet<String> = edges.keys().cloned().collect();
        edges.retain(|_, used| used.iter().any(|used| open.contains(used)));
        if edges.len() == before {
            break;
        }
    }
    assert!(edges.is_empty(), "modules that import each other: {edges:#?}");
}
