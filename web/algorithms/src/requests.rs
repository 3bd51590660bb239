//! The requests of a page and their replies, both JSON objects.
//!
//! | request | reply |
//! |---|---|
//! | `algorithms` | `algorithms`, `orderings`, `example`, `limits` |
//! | `parse` with `tree` or `fen` | `nodes`, `leaves`, `depth` and `text` of a tree |
//! | `walk` with `algorithm` | the drawing of a search, as embedded in the page of `aspirant tree --html` |
//! | `compare` with optional `algorithms` | `rows`: value, best move and cost of each algorithm |
//!
//! `walk` and `compare` take `tree` (a tree text) or `fen` and, optionally, `depth`, `ordering` (names), `memory`,
//! `guess`, `delta` and `max_nodes` (of the drawing), with the meaning of the options of `aspirant tree`. The reply to
//! an invalid request is `error`, with `position`, `line` and `column` for a malformed tree text.

use aspirant::board::position::printable;
use aspirant::chess_tree::input::{DrawSettings, SearchSummary, TreeError, TreeInput};
use game_tree_search::MAX_VALUE;
use game_tree_search::catalog::{ALGORITHMS, AlgorithmId, MemoryUse, find_algorithm};
use game_tree_search::drawing::EXAMPLE;
use game_tree_search::games::literal_tree::ParseTreeError;
use game_tree_search::ordering::HEURISTICS;
use serde_json::{Map, Value, json};

/// The maximum length of a tree text in bytes.
const MAX_TREE_TEXT: usize = 200_000;
/// The maximum length of a FEN in bytes.
const MAX_FEN: usize = 200;
/// The maximum number of nodes of a tree text.
const MAX_TREE_NODES: usize = 20_000;
/// The maximum depth of a tree text in plies: the recursion must fit the call stack of a browser.
const MAX_TREE_DEPTH: u32 = 100;
/// The maximum depth of a chess tree in plies.
const MAX_CHESS_DEPTH: u32 = 3;
/// Node limit of one search.
const MAX_VISITED_NODES: u64 = 300_000;
/// Node limit of one `compare` request, so that it ends within about two seconds.
const MAX_COMPARE_NODES: u64 = 700_000;
/// The maximum number of nodes in a drawing, unless the request sets a lower one.
const MAX_DRAWN_NODES: usize = 20_000;

/// Why a request cannot be answered.
enum Refusal {
    /// A message.
    Text(String),
    /// A malformed tree text.
    Tree(ParseTreeError),
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Text(message)
    }
}

impl From<TreeError> for Refusal {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Tree(error) => Self::Tree(error),
            TreeError::Stopped(stop) => Self::Text(format!(
                "{stop}, the limit of this page; use a smaller depth or tree, or the program `aspirant tree`"
            )),
            other => Self::Text(other.to_string()),
        }
    }
}

/// Answers a request.
#[must_use]
pub fn answer(request: &str) -> Value {
    match try_answer(request) {
        Ok(reply) => reply,
        Err(Refusal::Text(message)) => json!({ "error": message }),
        Err(Refusal::Tree(error)) => json!({
            "error": error.to_string(),
            "position": error.position,
            "line": error.line,
            "column": error.column,
        }),
    }
}

fn try_answer(request: &str) -> Result<Value, Refusal> {
    let request: Map<String, Value> =
        serde_json::from_str(request).map_err(|error| format!("the request is not a JSON object: {error}"))?;
    match request.get("request").and_then(Value::as_str) {
        Some("algorithms") => Ok(catalog()),
        Some("parse") => parse(&request),
        Some("walk") => {
            let (input, settings) = (tree_input(&request)?, settings(&request)?);
            check_depth(&input, &settings)?;
            Ok(input.draw(&settings)?.json())
        }
        Some("compare") => compare(&request),
        _ => Err(format!(
            "\"request\": {} is not one of \"algorithms\", \"parse\", \"walk\", \"compare\"",
            shown(request.get("request"))
        )
        .into()),
    }
}

/// Formats a value of a request for a message.
fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| printable(&value.to_string()))
}

/// Returns the list of algorithms and everything else that a page shows before the first search.
fn catalog() -> Value {
    let algorithms: Vec<Value> = ALGORITHMS
        .iter()
        .map(|algorithm| {
            let aspiration = matches!(algorithm.id, AlgorithmId::Aspiration | AlgorithmId::AspirationNegaScout);
            json!({
                "name": algorithm.name,
                "family": algorithm.family,
                "year": algorithm.year,
                "authors": algorithm.authors,
                "paper": algorithm.paper,
                "link": algorithm.link,
                "summary": algorithm.summary,
                "memory": match algorithm.memory {
                    MemoryUse::Never => "never",
                    MemoryUse::Optional => "optional",
                    MemoryUse::Always => "always",
                },
                "guess": aspiration || algorithm.id == AlgorithmId::MtdF,
                "delta": aspiration,
            })
        })
        .collect();
    let orderings = HEURISTICS.map(|(name, summary)| json!({ "name": name, "summary": summary }));
    json!({
        "algorithms": algorithms,
        "orderings": orderings,
        "example": EXAMPLE,
        "limits": {
            "tree_text": MAX_TREE_TEXT,
            "tree_nodes": MAX_TREE_NODES,
            "tree_depth": MAX_TREE_DEPTH,
            "chess_depth": MAX_CHESS_DEPTH,
            "visited_nodes": MAX_VISITED_NODES,
            "drawn_nodes": MAX_DRAWN_NODES,
        },
    })
}

fn text<'a>(request: &'a Map<String, Value>, key: &str, max: usize) -> Result<Option<&'a str>, String> {
    match request.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= max => Ok(Some(text)),
        Some(Value::String(text)) => Err(format!("\"{key}\" has {} bytes; at most {max} are accepted", text.len())),
        other => Err(format!("\"{key}\": {} is not a string", shown(other))),
    }
}

fn integer(request: &Map<String, Value>, key: &str, min: i64, max: i64) -> Result<Option<i64>, String> {
    match request.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_i64() {
            Some(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ => Err(format!("\"{key}\": {} is not an integer in {min}..={max}", shown(Some(value)))),
        },
    }
}

fn names(request: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let wrong = |value| format!("\"{key}\": {} is not a list of names", shown(Some(value)));
    match request.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(value) => {
            let list = value.as_array().filter(|list| list.len() <= 100).ok_or_else(|| wrong(value))?;
            list.iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(|| wrong(value))).collect()
        }
    }
}

fn tree_input(request: &Map<String, Value>) -> Result<TreeInput, Refusal> {
    match (text(request, "tree", MAX_TREE_TEXT)?, text(request, "fen", MAX_FEN)?) {
        (Some(tree), None) => {
            let input = TreeInput::from_text(tree).map_err(Refusal::Tree)?;
            if let TreeInput::Literal(tree) = &input {
                if tree.len() > MAX_TREE_NODES {
                    return Err(
                        format!("the tree has {} nodes; at most {MAX_TREE_NODES} are accepted", tree.len()).into()
                    );
                }
                if tree.depth() > MAX_TREE_DEPTH {
                    return Err(format!(
                        "the tree is {} plies deep; at most {MAX_TREE_DEPTH} are accepted",
                        tree.depth()
                    )
                    .into());
                }
            }
            Ok(input)
        }
        (None, Some(fen)) => Ok(TreeInput::from_fen(fen).map_err(|error| error.to_string())?),
        _ => Err("expected either \"tree\" or \"fen\"".to_owned().into()),
    }
}

fn settings(request: &Map<String, Value>) -> Result<DrawSettings, String> {
    let memory = match request.get("memory") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(memory)) => *memory,
        other => return Err(format!("\"memory\": {} is not true or false", shown(other))),
    };
    let drawn = integer(request, "max_nodes", 1, MAX_DRAWN_NODES as i64)?;
    Ok(DrawSettings {
        algorithm: text(request, "algorithm", 100)?.unwrap_or("alpha-beta fail-soft").to_owned(),
        depth: integer(request, "depth", 1, i64::from(MAX_TREE_DEPTH))?.map(|depth| depth as u32),
        ordering: names(request, "ordering")?,
        memory,
        guess: integer(request, "guess", (-MAX_VALUE).into(), MAX_VALUE.into())?.map(|guess| guess as i32),
        delta: integer(request, "delta", 1, 30_000)?.unwrap_or(1) as i32,
        max_drawn_nodes: drawn.map_or(MAX_DRAWN_NODES, |drawn| drawn as usize),
        max_visited_nodes: MAX_VISITED_NODES,
    })
}

fn check_depth(input: &TreeInput, settings: &DrawSettings) -> Result<(), String> {
    match (input, settings.depth) {
        (TreeInput::Chess(_), Some(depth)) if depth > MAX_CHESS_DEPTH => {
            Err(format!("\"depth\": {depth} is not in 1..={MAX_CHESS_DEPTH} for a chess position"))
        }
        _ => Ok(()),
    }
}

fn parse(request: &Map<String, Value>) -> Result<Value, Refusal> {
    Ok(match tree_input(request)? {
        TreeInput::Literal(tree) => json!({
            "nodes": tree.len(),
            "leaves": tree.leaves(),
            "depth": tree.depth(),
            "text": tree.to_text(),
        }),
        TreeInput::Chess(_) => json!({}),
    })
}

fn compare(request: &Map<String, Value>) -> Result<Value, Refusal> {
    let (input, mut settings) = (tree_input(request)?, settings(request)?);
    check_depth(&input, &settings)?;
    let mut names = names(request, "algorithms")?;
    if names.is_empty() {
        names = ALGORITHMS.iter().map(|algorithm| algorithm.name.to_owned()).collect();
    }
    let mut left = MAX_COMPARE_NODES;
    let mut rows = vec![Value::Null; names.len()];
    // Those that visit every node come last, so that they do not use up the limit of the others.
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&index| visits_every_node(&names[index]));
    for index in order {
        settings.algorithm.clone_from(&names[index]);
        settings.max_visited_nodes = MAX_VISITED_NODES.min(left);
        rows[index] = match input.measure(&settings) {
            Ok(summary) => {
                left = left.saturating_sub(summary.counters.nodes + summary.counters.presearch_leaves);
                row(&names[index], &summary)
            }
            Err(TreeError::Stopped(_)) => {
                left = left.saturating_sub(settings.max_visited_nodes);
                json!({ "algorithm": names[index], "error": "not measured: too many nodes for this page" })
            }
            Err(error) => return Err(error.into()),
        };
    }
    Ok(json!({ "rows": rows }))
}

fn visits_every_node(name: &str) -> bool {
    find_algorithm(name).is_some_and(|algorithm| {
        matches!(algorithm.id, AlgorithmId::Minimax | AlgorithmId::ExplicitStack | AlgorithmId::Negamax)
    })
}

fn row(name: &str, summary: &SearchSummary) -> Value {
    let counters = &summary.counters;
    json!({
        "algorithm": name,
        "value": summary.value,
        "best": summary.best,
        "leaves": counters.leaves,
        "nodes": counters.nodes,
        "passes": counters.passes,
        "re_searches": counters.re_searches,
        "cutoffs": counters.cutoffs(),
        "deep_cutoffs": counters.deep_cutoffs,
        "hits": counters.hits,
        "presearch_leaves": counters.presearch_leaves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(request: Value) -> String {
        let reply = answer(&request.to_string());
        reply["error"].as_str().unwrap_or_else(|| panic!("{request}: {reply}")).to_owned()
    }

    #[test]
    fn every_algorithm_walks_the_example_to_its_value() {
        for algorithm in ALGORITHMS {
            let reply = answer(&json!({"request": "walk", "tree": EXAMPLE, "algorithm": algorithm.name}).to_string());
            assert_eq!(reply["value"], 5, "{}", algorithm.name);
        }
        let reply = answer(&json!({"request": "compare", "tree": EXAMPLE}).to_string());
        let rows = reply["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), ALGORITHMS.len());
        assert_eq!((&rows[0]["leaves"], &rows[4]["leaves"]), (&json!(12), &json!(9)));
    }

    #[test]
    fn invalid_requests_are_answered_by_messages() {
        for (request, message) in [
            (json!({}), "\"request\": nothing is not one of \"algorithms\", \"parse\", \"walk\", \"compare\""),
            (json!({"request": "walk"}), "expected either \"tree\" or \"fen\""),
            (json!({"request": "walk", "tree": 5}), "\"tree\": 5 is not a string"),
            (
                json!({"request": "walk", "tree": "(3 5", "algorithm": "x"}),
                "character 5 (line 1, column 5) of the tree: unexpected end of text; 1 unclosed bracket(s)",
            ),
            (
                json!({"request": "walk", "tree": "(3 5)", "algorithm": "best"}),
                "unknown algorithm 'best'; `aspirant compare --list` lists the names",
            ),
            (json!({"request": "walk", "tree": "(3 5)", "depth": 0}), "\"depth\": 0 is not an integer in 1..=100"),
            (
                json!({"request": "walk", "tree": "(3 5)", "delta": "1"}),
                "\"delta\": \"1\" is not an integer in 1..=30000",
            ),
            (json!({"request": "walk", "tree": "(3 5)", "memory": 1}), "\"memory\": 1 is not true or false"),
            (
                json!({"request": "walk", "fen": "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "depth": 4}),
                "\"depth\": 4 is not in 1..=3 for a chess position",
            ),
            (
                json!({"request": "walk", "tree": "(".repeat(150) + "1" + &")".repeat(150)}),
                "the tree is 150 plies deep; at most 100 are accepted",
            ),
        ] {
            assert_eq!(error(request), message);
        }
        for text in ["", "[]", "null", "{\"request\":", "\u{0}"] {
            assert!(answer(text)["error"].as_str().expect("an error").starts_with("the request is not"), "{text}");
        }
    }

    #[test]
    fn searches_beyond_the_limit_are_reported() {
        let fen = "k2q1q2/1q1q2q1/q1q3q1/8/8/1Q3Q1Q/1Q2Q1Q1/2Q1Q2K w - - 0 1";
        let reply = answer(
            &json!({"request": "compare", "fen": fen, "depth": 3, "algorithms": ["minimax", "mtd(f)"]}).to_string(),
        );
        assert_eq!(reply["rows"][0]["error"], "not measured: too many nodes for this page");
        assert!(reply["rows"][1]["leaves"].as_u64().is_some_and(|leaves| leaves > 0), "{}", reply["rows"][1]);
    }
}
