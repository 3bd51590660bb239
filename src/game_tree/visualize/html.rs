//! The drawing as an HTML page: one self-contained file that steps through the search.
//!
//! The page is `viewer.html` with the picture inserted as JSON. The layout is computed in the page, because the
//! visible part changes with each step and with folding.

use serde_json::{Value, json};

use super::picture::TreePicture;
use crate::game_tree::drawing::escape_xml;
use crate::game_tree::trace::TraceEvent;
use crate::game_tree::{NodeKind, UNBOUNDED};
use crate::score::{Bound, MATE, MATE_IN_MAX_PLY};

const VIEWER: &str = include_str!("viewer.html");

/// Returns the HTML page.
pub(super) fn html(picture: &TreePicture) -> String {
    let (first, second) = picture.headline();
    let data = json!({
        "title": first,
        "subtitle": second,
        "algorithm": picture.algorithm.name,
        "about": picture.algorithm.summary,
        "source": format!("{} {}", picture.algorithm.authors, picture.algorithm.year),
        "kinds": [picture.algorithm.node_label(NodeKind::Max), picture.algorithm.node_label(NodeKind::Min)],
        "value": picture.value,
        "line": picture.line,
        "infinity": UNBOUNDED,
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
            "fen": node.description,
            "line": node.on_pv,
        })).collect::<Vec<_>>(),
        "steps": picture.steps.iter().map(|step| event(&step.event, &step.sentence)).collect::<Vec<_>>(),
    });
    // Prevents `</script>` in a name from ending the data.
    let data = data.to_string().replace("</", "<\\/");
    VIEWER.replace("{{TITLE}}", &escape_xml(&first)).replace("{{DATA}}", &data)
}

fn event(event: &TraceEvent, sentence: &str) -> Value {
    match *event {
        TraceEvent::Pass { number } => json!({"t": "pass", "n": 0, "number": number, "s": sentence}),
        TraceEvent::Enter { node, alpha, beta } => {
            json!({"t": "enter", "n": node, "a": alpha, "b": beta, "s": sentence})
        }
        TraceEvent::Leaf { node, value } => json!({"t": "leaf", "n": node, "v": value, "s": sentence}),
        TraceEvent::Tentative { node, value } => json!({"t": "tentative", "n": node, "v": value, "s": sentence}),
        TraceEvent::Cut { node, bound, by } => json!({"t": "cut", "n": node, "v": bound, "by": by, "s": sentence}),
        TraceEvent::Leave { node, value, bound } => {
            json!({"t": "leave", "n": node, "v": value, "sign": sign(bound), "s": sentence})
        }
        TraceEvent::MemoryHit { node, value, bound } => {
            json!({"t": "hit", "n": node, "v": value, "sign": sign(bound), "s": sentence})
        }
        TraceEvent::ReSearch { node } => json!({"t": "again", "n": node, "s": sentence}),
        TraceEvent::SelectState { node, merit, solved } => {
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
