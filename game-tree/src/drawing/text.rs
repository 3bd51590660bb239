//! The drawing as text: one indented line per node, optionally with the colors of terminals.

use std::fmt::Write as _;

use super::picture::{PictureNode, TreePicture};

/// The last ply that is printed.
const MAX_PLY: u32 = 60;
const MAX_LINES: usize = 5_000;
/// Maximum number of unvisited siblings before they are summarized in one line.
const MAX_UNVISITED: usize = 3;

/// The parameters of ANSI escape sequences.
const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";

/// Returns the text between escape sequences, or unchanged without colors.
fn style(text: &str, parameters: &str, colors: bool) -> String {
    if colors { format!("\x1b[{parameters}m{text}\x1b[0m") } else { text.to_owned() }
}

impl TreePicture {
    /// Returns the tree as text; `colors` adds ANSI escape sequences.
    #[must_use]
    pub fn text(&self, colors: bool) -> String {
        text(self, colors)
    }
}

fn text(picture: &TreePicture, colors: bool) -> String {
    let (first, second) = picture.headline();
    let mut out = format!("{}\n{second}\n\n", style(&first, BOLD, colors));
    let mut lines = 0;
    // Pending lines: a node with its indentation and whether it is the last sibling, or a summary.
    let mut pending = vec![Item::Node { node: 0, indent: String::new(), last: None }];
    while let Some(item) = pending.pop() {
        lines += 1;
        if lines > MAX_LINES {
            let _ = writeln!(out, "… further lines are not printed; the HTML page shows the whole tree");
            break;
        }
        match item {
            Item::Node { node, indent, last } => {
                let (branch, below) = branches(last);
                let drawn = &picture.nodes[node];
                let _ = writeln!(out, "{indent}{branch}{}", describe(picture, drawn, colors));
                let indent = format!("{indent}{below}");
                push_children(picture, drawn, &indent, &mut pending);
            }
            Item::Deeper { indent } => {
                let _ = writeln!(out, "{indent}└─ {}", style("… deeper nodes are not printed", DIM, colors));
            }
            Item::Unvisited { count, indent } => {
                let _ = writeln!(out, "{indent}└─ {}", style(&format!("{count} more not visited"), DIM, colors));
            }
        }
    }
    let (shown, rest) = picture.line.split_at(picture.line.len().min(MAX_PLY as usize));
    let dots = if rest.is_empty() { "" } else { " …" };
    let _ = writeln!(out, "\n* principal variation: {}{dots}", shown.join(" "));
    if picture.truncated {
        let _ = writeln!(out, "The drawing is incomplete: the node limit of the trace was reached.");
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

fn push_children(picture: &TreePicture, drawn: &PictureNode, indent: &str, pending: &mut Vec<Item>) {
    let unvisited = |child: &usize| picture.nodes[*child].order.is_none();
    if drawn.ply >= MAX_PLY && !drawn.children.is_empty() {
        pending.push(Item::Deeper { indent: indent.to_owned() });
        return;
    }
    let hidden = drawn.children.iter().filter(|child| unvisited(child)).count();
    let hide = hidden > MAX_UNVISITED;
    if hide {
        pending.push(Item::Unvisited { count: hidden, indent: indent.to_owned() });
    }
    let mut shown: Vec<usize> = drawn.children.iter().copied().filter(|child| !(hide && unvisited(child))).collect();
    shown.sort_by_key(|&child| picture.nodes[child].order.unwrap_or(usize::MAX));
    let count = shown.len();
    for (index, node) in shown.into_iter().enumerate().rev() {
        pending.push(Item::Node { node, indent: indent.to_owned(), last: Some(index + 1 == count && !hide) });
    }
}

fn describe(picture: &TreePicture, drawn: &PictureNode, colors: bool) -> String {
    if drawn.order.is_none() {
        return style(&format!("{} not visited", drawn.label), DIM, colors);
    }
    let mut line = if drawn.leaf {
        drawn.label.clone()
    } else {
        let window = drawn.window.filter(|_| picture.algorithm.has_windows());
        let window = window.map_or_else(String::new, |window| format!(" {}", picture.names.window(window)));
        format!("{} {}{window}", picture.algorithm.node_label(drawn.kind()), drawn.label)
    };
    if let Some(value) = drawn.value {
        let _ = write!(line, " {}", picture.names.bound(value));
    }
    if drawn.on_pv {
        return style(&format!("{line} *"), BOLD, colors);
    }
    match picture.cut_text(drawn) {
        Some(cut) => format!("{line}{}", style(&format!(", cut: {cut}"), RED, colors)),
        None => line,
    }
}
