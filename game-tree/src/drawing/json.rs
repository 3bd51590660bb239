//! The drawing as JSON: the input of the viewer.
//!
//! Nodes are numbered in the order of their generation. A step has its kind `t`, its node `n` and the sentence `s`;
//! values are for MAX. The layout is computed by the viewer, because the visible part changes with each step.

use serde_json::{Map, Value, json};

use super::picture::TreePicture;
use crate::trace::TraceEvent;
use crate::{Bound, NodeKind, UNBOUNDED};

impl TreePicture {
    /// Returns the drawing as JSON for the viewer.
    #[must_use]
    pub fn json(&self) -> Value {
        let (title, subtitle) = self.headline();
        let counters = &self.counters;
        json!({
            "title": title,
            "subtitle": subtitle,
            "algorithm": self.algorithm.name,
            "about": self.algorithm.summary,
            "source": format!("{} {}", self.algorithm.authors, self.algorithm.year),
            "kinds": [self.algorithm.node_label(NodeKind::Max), self.algorithm.node_label(NodeKind::Min)],
            "depth": self.depth,
            "value": self.value,
            "best": self.best,
            "line": self.line,
            "leaves": counters.leaves,
            "visited": counters.nodes,
            "cutoffs": counters.cutoffs(),
            "passes": counters.passes,
            "infinity": UNBOUNDED,
            "names": self.names.0.iter().map(|(value, name)| (value.to_string(), name.clone().into())).collect::<Map<_, _>>(),
            "best_first": self.algorithm.is_best_first(),
            "windows": self.algorithm.has_windows(),
            "truncated": self.truncated,
            "nodes": self.nodes.iter().map(|node| json!({
                "parent": node.parent,
                "children": node.children,
                "index": node.index,
                "ply": node.ply,
                "label": node.label,
                "name": node.full_name,
                "position": node.description,
                "line": node.on_pv,
            })).collect::<Vec<_>>(),
            "steps": self.steps.iter().map(|step| event(&step.event, &step.sentence)).collect::<Vec<_>>(),
        })
    }
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
        Bound::Exact => "",
    }
}
