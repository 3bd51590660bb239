//! The commands `aspirant compare` and `aspirant tree`.

use game_tree_search::catalog::ALGORITHMS;
use serde_json::Value;

use crate::common::{Dir, run};

fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn error(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?} should fail");
    assert!(output.stdout.is_empty(), "{arguments:?} prints nothing but the error");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn compare_prints_json_for_a_literal_tree() {
    let json = text(&["compare", "--tree", "((3 5)(2 9))", "--json"]);
    let Ok(Value::Array(rows)) = serde_json::from_str(&json) else { panic!("no array: {json}") };
    let names: Vec<&str> = rows.iter().filter_map(|row| row["algorithm"].as_str()).collect();
    assert_eq!(names, ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>());
    for row in &rows {
        assert_eq!((&row["value"], &row["best_move"]), (&Value::from(3), &Value::from("1")), "{row}");
        assert!(row["leaves"].as_u64().is_some_and(|leaves| leaves >= 3), "{row}");
        assert!(row["nodes"].is_u64() && row["seconds"].is_f64(), "{row}");
    }
    let leaves = |name: &str| rows.iter().find(|row| row["algorithm"] == name).map(|row| row["leaves"].clone());
    assert_eq!(leaves("minimax"), Some(Value::from(4)));
    assert_eq!(leaves("alpha-beta fail-hard"), Some(Value::from(3)));
}

#[test]
fn compare_reads_positions_from_a_file_and_varies_orderings() {
    let dir = Dir::new();
    // With a byte order mark.
    let text_of_file = "\u{feff}# two\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#;\n\n8/8/4k3/8/3n4/4K3/8/8 w - - 0 1\n";
    let file = dir.file("two.epd", text_of_file);
    let name = file.display().to_string();
    let json = text(&["compare", "--positions", &name, "--depth", "3", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&json).expect("an array");
    let mates: Vec<&Value> = rows.iter().filter(|row| row["best_move"] == "Rd8#").collect();
    // Minimax with an explicit stack and negamax are left out.
    assert_eq!((mates.len(), rows.len()), (ALGORITHMS.len() - 2, 2 * (ALGORITHMS.len() - 2)));
    assert!(mates.iter().all(|row| row["position"] == "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), "{mates:?}");
    let each = text(&["compare", "--positions", &name, "--depth", "2", "--ordering", "each"]);
    assert!(each.contains("alpha-beta fail-soft, all but killers") && each.contains("all values agree"), "{each}");
    dir.file("two.epd", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -\nnonsense w - -\n");
    assert!(error(&["compare", "--positions", &name]).contains("two.epd, line 2: bad FEN"));
}

#[test]
fn algorithm_named_twice_is_measured_once() {
    let out = text(&["compare", "--tree", "((3 5)(2 9))", "--algorithms", "minimax,minimax", "--json"]);
    assert_eq!(out.matches("\"algorithm\"").count(), 1, "{out}");
}

#[test]
fn compare_estimates_a_search_beyond_the_limit() {
    let table = text(&[
        "compare",
        "--depth",
        "6",
        "--limit",
        "20000",
        "--algorithms",
        "minimax",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ]);
    // perft(6) is 119,060,324; the estimate must be of that order of magnitude.
    let line = table.lines().find(|line| line.starts_with("minimax")).expect("a row");
    let leaves: f64 = line.split_whitespace().nth(1).map_or(0.0, |cell| {
        assert!(cell.starts_with('~'), "{cell}");
        cell[1..].replace(',', "").parse().expect("a number")
    });
    assert!((4e7..4e8).contains(&leaves), "{line}");
}

#[test]
fn errors_name_the_value_and_its_position() {
    for command in ["compare", "tree"] {
        assert_eq!(
            error(&[command, "--tree", "((3 5)(2 9)"]),
            "aspirant: character 12 (line 1, column 12) of the tree: unexpected end of text; 1 unclosed bracket(s)\n"
        );
        assert!(error(&[command, "8/8 w"]).contains("bad FEN '8/8 w'"));
        assert!(error(&[command, "--ordering", "luck", "--tree", "1"]).contains("'luck'"));
    }
    for args in [["compare", "--algorithms", "scout,negascuot"], ["tree", "--algorithm", "negascuot"]] {
        let error = error(&args);
        assert!(error.contains("invalid value 'negascuot'") && error.contains("'negascout'"), "{error}");
    }
    assert!(error(&["compare", "--positions", "/nowhere"]).starts_with("aspirant: /nowhere: "));
    assert!(error(&["compare", "--tree", "(-2147483648 1)"]).contains("-2147483648"));
    assert!(error(&["compare", "--positions", "/"]).contains("not a regular file of at most 64 MB"));
    assert!(error(&["tree", "--svg", "/nowhere/tree.svg", "--tree", "1"]).contains("/nowhere/tree.svg: "));
}

#[test]
fn deep_and_wide_trees_are_drawn() {
    let deep = format!("{}42{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(error(&["tree", "--tree", &deep]).contains("deeper than 1000 plies"));
    let drawn = text(&["tree", "--tree", &deep, "--algorithm", "minimax explicit stack"]);
    assert!(drawn.contains("deeper nodes are not printed") && drawn.len() < 100_000);
    let wide = format!("({})", "(4 2) ".repeat(218));
    assert!(text(&["tree", "--tree", &wide]).contains("value 2, best 1"));
}

#[test]
fn list_and_help_are_complete() {
    let list = text(&["compare", "--list"]);
    assert!(ALGORITHMS.iter().all(|algorithm| list.contains(algorithm.name) && list.contains(algorithm.file)));
    let help = text(&["compare", "--help"]);
    for figure in ["leaves", "nodes", "hits", "re-searches", "passes", "% of ANS", "x minimal"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(figure)), "{figure} is not explained");
    }
}

#[test]
fn tree_text_may_start_with_a_minus_sign() {
    assert!(text(&["tree", "--tree", "-60"]).contains("value -60"));
    assert!(text(&["compare", "--tree", "-inf"]).contains("value -1000000000"));
}

#[test]
fn window_of_mtd_from_infinity_shows_two_different_ends() {
    let drawn = text(&["tree", "--tree", "((3 5)(2 9))", "--algorithm", "mtd(+inf)"]);
    assert!(!drawn.contains("(+∞, +∞)") && !drawn.contains("(-∞, -∞)"), "{drawn}");
    let drawn = text(&["tree", "--tree", "((3 5)(2 9))", "--algorithm", "mtd(-inf)"]);
    assert!(!drawn.contains("(-∞, -∞)"), "{drawn}");
}

#[test]
fn minimal_tree_is_called_an_estimate() {
    assert!(
        text(&["compare", "--tree", "(1 (2 3 4))"])
            .contains("estimated from the mean width; exact for uniform trees only")
    );
}
