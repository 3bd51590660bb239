//! The picture as text: one line per node, indented, with colors on a terminal.

use std::fmt::Write as _;

use console::style;

use super::picture::{Drawn, Picture, bound_text, window_text};

/// Below this ply nothing is printed.
const DEEPEST: u32 = 60;
/// No more lines than this are printed.
const MOST_LINES: usize = 5_000;
/// More unvisited siblings than this become one line.
const MOST_UNVISITED: usize = 3;

/// The tree as text.
pub(super) fn text(picture: &Picture) -> String {
    let (first, second) = picture.headline();
    let mut out = format!("{}\n{second}\n\n", style(first).bold());
    let mut lines = 0;
    // What is still to be printed: a node, the indentation above it, and whether it is the last sibling.
    let mut todo = vec![Item::Node { node: 0, indent: String::new(), last: None }];
    while let Some(item) = todo.pop() {
        lines += 1;
        if lines > MOST_LINES {
            let _ = writeln!(out, "… the rest is not printed; --html FILE shows it all");
            break;
        }
        match item {
            Item::Node { node, indent, last } => {
                let (branch, below) = branches(last);
                let drawn = &picture.nodes[node];
                let _ = writeln!(out, "{indent}{branch}{}", describe(picture, drawn));
                let indent = format!("{indent}{below}");
                push_children(picture, drawn, &indent, &mut todo);
            }
            Item::Deeper { indent } => {
                let _ = writeln!(out, "{indent}└─ {}", style("… deeper nodes are not printed").dim());
            }
            Item::Unvisited { count, indent } => {
                let _ = writeln!(out, "{indent}└─ {}", style(format!("{count} more not visited")).dim());
            }
        }
    }
    let (shown, rest) = picture.line.split_at(picture.line.len().min(DEEPEST as usize));
    let dots = if rest.is_empty() { "" } else { " …" };
    let _ = writeln!(out, "\n* principal variation: {}{dots}", shown.join(" "));
    if picture.truncated {
        let _ = writeln!(out, "The record is incomplete (see --max-nodes).");
    }
    out
}

enum Item {
    Node { node: usize, indent: String, last: Option<bool> },
    Unvisited { count: usize, indent: String },
    Deeper { indent: String },
}

const fn branches(last: Option<bool>) -> (&'static str, &'static str) {
    match last {
        None => ("", ""),
        Some(false) => ("├─ ", "│  "),
        Some(true) => ("└─ ", "   "),
    }
}

fn push_children(picture: &Picture, drawn: &Drawn, indent: &str, todo: &mut Vec<Item>) {
    let unvisited = |child: &usize| picture.nodes[*child].order.is_none();
    let folded = drawn.order.is_none() && picture.chess;
    if folded {
        return;
    }
    if drawn.ply >= DEEPEST && !drawn.children.is_empty() {
        todo.push(Item::Deeper { indent: indent.to_owned() });
        return;
    }
    let hidden = drawn.children.iter().filter(|child| unvisited(child)).count();
    let hide = hidden > MOST_UNVISITED;
    if hide {
        todo.push(Item::Unvisited { count: hidden, indent: indent.to_owned() });
    }
    let mut shown: Vec<usize> = drawn.children.iter().copied().filter(|child| !(hide && unvisited(child))).collect();
    shown.sort_by_key(|&child| picture.nodes[child].order.unwrap_or(usize::MAX));
    let count = shown.len();
    for (index, node) in shown.into_iter().enumerate().rev() {
        todo.push(Item::Node { node, indent: indent.to_owned(), last: Some(index + 1 == count && !hide) });
    }
}

fn describe(picture: &Picture, drawn: &Drawn) -> String {
    if drawn.order.is_none() {
        return style(format!("{} not visited", drawn.label)).dim().to_string();
    }
    let mut line = if drawn.leaf {
        drawn.label.clone()
    } else {
        let window = drawn.window.filter(|_| !picture.algorithm.is_best_first());
        let window = window.map_or_else(String::new, |window| format!(" {}", window_text(window, picture.chess)));
        format!("{} {}{window}", picture.algorithm.kind(drawn.mode()), drawn.label)
    };
    if let Some(value) = drawn.value {
        let _ = write!(line, " {}", bound_text(value, picture.chess));
    }
    if drawn.on_line {
        return style(format!("{line} *")).green().bold().to_string();
    }
    match picture.cut_text(drawn) {
        Some(cut) => format!("{line}{}", style(format!(", cut: {cut}")).red()),
        None => line,
    }
}
