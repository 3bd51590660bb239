//! The drawing as SVG: the tree at the end of the search, for paper and slides.
//!
//! Leaves are placed from left to right, a parent above the middle of its children. Colors are from the palette
//! of Okabe and Ito; nothing depends on color alone (MAX nodes are squares, MIN nodes circles; the principal
//! variation is thick, edges to nodes that were not visited are dashed).

use std::fmt::Write as _;

use super::picture::{PictureNode, TreePicture};
use super::{BASE_STYLE, escape_xml};
use crate::{Bound, NodeKind};

/// Vertical distance of two plies, in SVG units like all lengths here.
const LEVEL: f64 = 112.0;
/// Vertical position of the root.
const TOP: f64 = 128.0;
/// Width of the left margin, which contains the kinds of the plies.
const SIDE: f64 = 84.0;
/// Half the side of a MAX node, and the radius of a MIN node.
const SIZE: f64 = 19.0;
/// Twice the horizontal space between the texts of adjacent nodes.
const GAP: f64 = 14.0;
/// Larger drawings would not be legible.
const MAX_NODES: usize = 260;

const STYLE: &str = "\
.faint{fill:#8b95a3}\
.edge{stroke:#7b8694;stroke-width:1.5;fill:none}.edge.line{stroke:#00795a;stroke-width:4}\
.edge.off{stroke:#b4bcc7;stroke-dasharray:5 5}\
.max{fill:#d7eaf6;stroke:#0072b2;stroke-width:2}.min{fill:#fdebc8;stroke:#a86400;stroke-width:2}\
.line-node{stroke:#00795a;stroke-width:4}.off{fill:#f3f5f8;stroke:#b4bcc7;stroke-dasharray:4 4;stroke-width:1.5}\
.cut{stroke:#c02f1d;stroke-width:3}.cut-text{fill:#c02f1d}.band{fill:#f5f7fa}\
@media (prefers-color-scheme:dark){.faint{fill:#7d8896}\
.edge{stroke:#6f7b8a}.edge.line{stroke:#2fc79a}.edge.off{stroke:#475160}.max{fill:#0f3349;stroke:#56b4e9}\
.min{fill:#423012;stroke:#e69f00}.line-node{stroke:#2fc79a}.off{fill:#1b2028;stroke:#475160}.cut{stroke:#ff7a66}\
.cut-text{fill:#ff8f7d}.band{fill:#191e26}}";

/// The horizontal position of a node and the width of its texts.
struct Place {
    x: f64,
    width: f64,
}

impl TreePicture {
    /// Returns the tree at the end of the search as an SVG document; `None` if it has more than 260 nodes.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        (self.nodes.len() <= MAX_NODES).then(|| svg(self))
    }
}

fn svg(picture: &TreePicture) -> String {
    let places = places(picture);
    let deepest = picture.nodes.iter().map(|node| node.ply).max().unwrap_or(0);
    let right = places.iter().map(|place| place.x + place.width / 2.0).fold(0.0, f64::max);
    let (first, second) = picture.headline();
    let width = (right + 40.0).max(second.chars().count() as f64 * 8.2 + 48.0).max(760.0);
    let bottom = TOP + LEVEL * f64::from(deepest) + 70.0;
    let height = bottom + if picture.truncated { 82.0 } else { 58.0 };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\"><title>{}</title><style>{BASE_STYLE}{STYLE}</style>\
         <rect class=\"bg\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n\
         <text class=\"ink\" x=\"24\" y=\"36\" font-size=\"21\" font-weight=\"600\">{}</text>\
         <text class=\"soft\" x=\"24\" y=\"60\" font-size=\"15\">{}</text>\n",
        escape_xml(&first),
        escape_xml(&first),
        escape_xml(&second)
    );
    for ply in 0..=deepest {
        let y = TOP + LEVEL * f64::from(ply);
        if ply % 2 == 1 {
            let _ = writeln!(
                out,
                "<rect class=\"band\" x=\"0\" y=\"{:.1}\" width=\"{width:.0}\" height=\"{LEVEL}\"/>",
                y - LEVEL / 2.0 + 6.0
            );
        }
        let _ = writeln!(
            out,
            "<text class=\"soft\" x=\"24\" y=\"{:.1}\" font-size=\"15\" font-weight=\"600\">{}</text>",
            y + 5.0,
            picture.algorithm.node_label(NodeKind::at_ply(ply))
        );
    }
    for index in 0..places.len() {
        edge(&mut out, picture, &places, index);
    }
    for (node, place) in picture.nodes.iter().zip(&places) {
        draw(&mut out, picture, node, place);
    }
    legend(&mut out, bottom + 22.0);
    if picture.truncated {
        let _ = writeln!(
            out,
            "<text class=\"cut-text\" x=\"24\" y=\"{:.1}\" font-size=\"14\">The drawing is incomplete: the node limit of \
             the trace was reached.</text>",
            bottom + 66.0
        );
    }
    out.push_str("</svg>\n");
    out
}

fn own_width(picture: &TreePicture, drawn: &PictureNode) -> f64 {
    // The label is to the left of the node, and the node is centered.
    let beside = 2.0 * (SIZE + 12.0 + drawn.label.chars().count() as f64 * 8.0);
    let mut letters = 0;
    if let (Some(window), false) = (drawn.window, drawn.leaf) {
        letters = letters.max(picture.names.window(window).chars().count());
    }
    if let Some(cut) = picture.cut_text(drawn) {
        letters = letters.max(cut.chars().count() + 2);
    }
    (letters as f64 * 7.4).max(beside) + GAP / 2.0
}

/// Computes widths bottom-up, then positions top-down; children follow their parents in the list.
fn places(picture: &TreePicture) -> Vec<Place> {
    let nodes = &picture.nodes;
    let mut places: Vec<Place> = nodes.iter().map(|node| Place { x: 0.0, width: own_width(picture, node) }).collect();
    let mut span: Vec<f64> = places.iter().map(|place| place.width).collect();
    let below = |span: &[f64], node: &PictureNode| node.children.iter().map(|&child| span[child]).sum::<f64>();
    for (index, node) in nodes.iter().enumerate().rev() {
        span[index] = span[index].max(below(&span, node));
    }
    let mut left = vec![SIDE; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let mut at = left[index] + (span[index] - below(&span, node)) / 2.0;
        for &child in &node.children {
            left[child] = at;
            at += span[child];
        }
        places[index].x = left[index] + span[index] / 2.0;
    }
    // Center each parent above its outermost children.
    for (index, node) in nodes.iter().enumerate().rev() {
        if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
            places[index].x = f64::midpoint(places[first].x, places[last].x);
        }
    }
    places
}

fn y_of(ply: u32) -> f64 {
    TOP + LEVEL * f64::from(ply)
}

fn edge(out: &mut String, picture: &TreePicture, places: &[Place], index: usize) {
    let node = &picture.nodes[index];
    let Some(parent) = node.parent else { return };
    let (above, here) = (&places[parent], &places[index]);
    let (parent, off, on_pv) = (&picture.nodes[parent], node.order.is_none(), node.on_pv);
    let class = if on_pv {
        "edge line"
    } else if off {
        "edge off"
    } else {
        "edge"
    };
    let (y1, y2) = (y_of(parent.ply) + SIZE, y_of(node.ply) - SIZE);
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{y1:.1}\" x2=\"{:.1}\" y2=\"{y2:.1}\"/>",
        above.x, here.x
    );
    // A stroke across the edge marks a child that was cut off.
    if off && parent.cut.is_some() && parent.order.is_some() {
        let (x, y) = (above.x + (here.x - above.x) * 0.62, y1 + (y2 - y1) * 0.62);
        let _ = writeln!(
            out,
            "<line class=\"cut\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            x - 8.0,
            y + 4.0,
            x + 8.0,
            y - 4.0
        );
    }
}

fn draw(out: &mut String, picture: &TreePicture, drawn: &PictureNode, place: &Place) {
    let (x, y) = (place.x, y_of(drawn.ply));
    let side = if drawn.kind() == NodeKind::Max { "max" } else { "min" };
    let class = match (drawn.order, drawn.on_pv) {
        (None, _) => "off".to_owned(),
        (Some(_), true) => format!("{side} line-node"),
        (Some(_), false) => side.to_owned(),
    };
    if drawn.kind() == NodeKind::Max {
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
            x - SIZE,
            y - SIZE,
            SIZE * 2.0,
            SIZE * 2.0
        );
    } else {
        let _ = write!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{SIZE}\"/>");
    }
    let ink = if drawn.order.is_some() { "ink" } else { "faint" };
    let value = drawn.value.map_or_else(String::new, |(value, bound)| match bound {
        Bound::Exact => picture.names.text(value),
        bound => picture.names.bound((value, bound)).replace(' ', ""),
    });
    let size = if value.chars().count() > 4 { 12 } else { 15 };
    let _ = write!(
        out,
        "<text class=\"ink\" x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{size}\" font-weight=\"600\" \
         text-anchor=\"middle\">{}</text>\
         <text class=\"{ink}\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\" text-anchor=\"end\">{}</text>",
        y + 5.0,
        escape_xml(&value),
        x - SIZE - 5.0,
        y - 3.0,
        escape_xml(&drawn.label)
    );
    if let Some(order) = drawn.order {
        let _ = write!(
            out,
            "<text class=\"faint\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\">{order}</text>",
            x + SIZE + 4.0,
            y - SIZE + 8.0
        );
    }
    let mut below = y + SIZE + 16.0;
    if let (Some(window), false) = (drawn.window, drawn.leaf || !picture.algorithm.has_windows()) {
        halo(out, drawn, "soft", x, below, &picture.names.window(window));
        below += 16.0;
    }
    if let Some(cut) = picture.cut_text(drawn) {
        halo(out, drawn, "cut-text", x, below, &format!("✂ {cut}"));
    }
    out.push('\n');
}

/// Writes a text on an opaque background, so that edges do not cross the letters.
fn halo(out: &mut String, drawn: &PictureNode, class: &str, x: f64, y: f64, text: &str) {
    let width = text.chars().count() as f64 * 6.7 + 6.0;
    let paper = if drawn.kind() == NodeKind::Max { "bg" } else { "band" };
    let _ = write!(
        out,
        "<rect class=\"{paper}\" opacity=\"0.93\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"15\" rx=\"3\"/>\
         <text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"12.5\" text-anchor=\"middle\">{}</text>",
        x - width / 2.0,
        y - 11.5,
        escape_xml(text)
    );
}

fn legend(out: &mut String, y: f64) {
    let _ = writeln!(
        out,
        "<line class=\"edge line\" x1=\"24\" x2=\"58\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
         <text class=\"soft\" x=\"66\" y=\"{1:.1}\" font-size=\"13\">principal variation</text>\
         <line class=\"edge off\" x1=\"206\" x2=\"240\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
         <text class=\"soft\" x=\"248\" y=\"{1:.1}\" font-size=\"13\">not visited</text>\
         <line class=\"cut\" x1=\"340\" x2=\"356\" y1=\"{2:.1}\" y2=\"{3:.1}\"/>\
         <text class=\"soft\" x=\"366\" y=\"{1:.1}\" font-size=\"13\">cut off; below the node: its value and the \
         bound</text>\
         <text class=\"soft\" x=\"24\" y=\"{4:.1}\" font-size=\"13\">(α, β): the window of the node; small number: visiting \
         order; values are for MAX</text>",
        y - 4.0,
        y,
        y,
        y - 8.0,
        y + 20.0
    );
}
