//! The picture as a page: one file without links, in which a person steps through the search.
//!
//! The page is `viewer.html` with the record put in as JSON; it lays the tree out itself, because what is
//! shown changes with each step and with what the reader folds.

use serde_json::{Value, json};

use super::picture::Picture;
use crate::game_tree::trace::Event;
use crate::game_tree::{Mode, OPEN};
use crate::score::{Bound, MATE, MATE_IN_MAX_PLY};

const VIEWER: &str = include_str!("viewer.html");

/// The page.
pub(super) fn html(picture: &Picture) -> String {
    let (first, second) = picture.headline();
    let data = json!({
        "title": first,
        "subtitle": second,
        "algorithm": picture.algorithm.name,
        "about": picture.algorithm.sentence,
        "source": format!("{} {}", picture.algorithm.authors, picture.algorithm.year),
        "kinds": [picture.algorithm.kind(Mode::Max), picture.algorithm.kind(Mode::Min)],
        "value": picture.value,
        "line": picture.line,
        "open": OPEN - 1,
        "mate": [MATE, MATE_IN_MAX_PLY],
        "chess": picture.chess,
        "best_first": picture.algorithm.is_best_first(),
        "truncated": picture.truncated,
        "nodes": picture.nodes.iter().map(|node| json!({
            "parent": node.parent,
            "children": node.children,
            "ply": node.ply,
            "label": node.label,
            "name": node.full_name,
            "fen": node.describe,
            "line": node.on_line,
        })).collect::<Vec<_>>(),
        "steps": picture.steps.iter().map(|step| event(&step.event, &step.sentence)).collect::<Vec<_>>(),
    });
    // `</script>` inside a name must not end the data.
    let data = data.to_string().replace("</", "<\\/");
    let title = first.replace('&', "&amp;").replace('<', "&lt;");
    VIEWER.replace("{{TITLE}}", &title).replace("{{DATA}}", &data)
}

fn event(event: &Event, sentence: &str) -> Value {
    match *event {
        Event::Pass { number } => json!({"t": "pass", "n": 0, "number": number, "s": sentence}),
        Event::Enter { node, alpha, beta } => json!({"t": "enter", "n": node, "a": alpha, "b": beta, "s": sentence}),
        Event::Leaf { node, value } => json!({"t": "leaf", "n": node, "v": value, "s": sentence}),
        Event::Tentative { node, value } => json!({"t": "tentative", "n": node, "v": value, "s": sentence}),
        Event::Cut { node, bound, by } => json!({"t": "cut", "n": node, "v": bound, "by": by, "s": sentence}),
        Event::Leave { node, value, bound } => {
            json!({"t": "leave", "n": node, "v": value, "sign": sign(bound), "s": sentence})
        }
        Event::Hit { node, value, bound } => {
            json!({"t": "hit", "n": node, "v": value, "sign": sign(bound), "s": sentence})
        }
        Event::ReSearch { node } => json!({"t": "again", "n": node, "s": sentence}),
        Event::Open { node, merit, solved } => {
            json!({"t": "open", "n": node, "v": merit, "solved": solved, "s": sentence})
        }
    }
}

const fn sign(bound: Bound) -> &'static str {
    match bound {
        Bound::Lower => "≥",
        Bound::Upper => "≤",
        _ => "",
    }
}
