//! The chart of `compare`: leaves as bars on a logarithmic scale, as SVG.

use std::fmt::Write as _;

use game_tree_search::drawing::{BASE_STYLE, escape_xml};

use super::ComparePlan;
use super::measure::CompareRow;
use super::report::{RowGroup, grouped, headline, label, sums};

const ROW: f64 = 30.0;
const TOP: f64 = 92.0;
const LEFT: f64 = 290.0;
const WIDTH: f64 = 1180.0;
const RIGHT: f64 = 235.0;

/// The caption of the axis.
const SCALE_NOTE: &str =
    "Logarithmic scale: equal distances are equal factors; the length of a bar is not proportional to its figure.";

/// Colors from the color-blind-safe palette of Okabe and Ito.
const STYLE: &str = "\
.grid{stroke:#d9dee5;stroke-width:1}\
.done{fill:#0072b2}.guess{fill:url(#hatch);stroke:#b35900;stroke-width:1}.stripe{stroke:#b35900;stroke-width:3}\
.minimal{stroke:#00795a;stroke-width:2;stroke-dasharray:7 4}.minimal-text{fill:#00795a}\
@media (prefers-color-scheme:dark){.grid{stroke:#2e3642}\
.done{fill:#56b4e9}.guess{stroke:#e69f00}.stripe{stroke:#e69f00}.minimal{stroke:#2fc79a}.minimal-text{fill:#2fc79a}}";

/// The logarithmic axis.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn new(sums: &[RowGroup]) -> Self {
        let smallest = sums.iter().map(|sum| sum.leaves().min(sum.minimal())).fold(f64::MAX, f64::min).max(1.0);
        let largest = sums.iter().map(RowGroup::leaves).fold(10.0, f64::max);
        let from = (smallest * 0.7).log10().floor().max(0.0);
        Self { from, to: (largest.log10() + 0.05).max(from + 1.0) }
    }

    fn x(&self, count: f64) -> f64 {
        let share = (count.max(1.0).log10() - self.from) / (self.to - self.from);
        LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }
}

/// Returns a power of ten in words.
fn power(exponent: i32) -> String {
    match exponent {
        0..=2 => format!("{}", 10_i32.pow(exponent.unsigned_abs())),
        3..=5 => format!("{} thousand", 10_i32.pow((exponent - 3).unsigned_abs())),
        6..=8 => format!("{} million", 10_i32.pow((exponent - 6).unsigned_abs())),
        9..=11 => format!("{} billion", 10_i32.pow((exponent - 9).unsigned_abs())),
        _ => format!("1e{exponent}"),
    }
}

/// Returns the chart as SVG.
pub(super) fn svg(rows: &[CompareRow], plan: &ComparePlan) -> String {
    let sums = sums(rows);
    let positions = sums.first().map_or(0, |sum| sum.rows.len());
    let axis = Axis::new(&sums);
    let bottom = TOP + ROW * sums.len() as f64;
    let height = bottom + 84.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\"><title>Leaves evaluated by each algorithm</title><style>{BASE_STYLE}{STYLE}</style>\
         <defs><pattern id=\"hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><line class=\"stripe\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"8\"/></pattern></defs>\
         <rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\
         <text class=\"ink\" x=\"24\" y=\"36\" font-size=\"22\" font-weight=\"600\">Leaves evaluated (logarithmic scale)</text>\
         <text class=\"soft\" x=\"24\" y=\"60\" font-size=\"15\">{}</text>\n",
        escape_xml(&headline(plan, positions))
    );
    for exponent in axis.from.ceil() as i32..=axis.to.floor() as i32 {
        let x = axis.x(10f64.powi(exponent));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{bottom}\"/>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"{}\" font-size=\"13\" text-anchor=\"middle\">{}</text>",
            TOP - 6.0,
            bottom + 20.0,
            power(exponent)
        );
    }
    for (index, sum) in sums.iter().enumerate() {
        bar(&mut out, sum, &sums, &axis, TOP + ROW * index as f64, &label(sum, plan));
    }
    if let Some(first) = sums.first() {
        let x = axis.x(first.minimal());
        let _ = writeln!(
            out,
            "<line class=\"minimal\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{}\"/>\
             <text class=\"minimal-text\" x=\"{x:.1}\" y=\"{}\" font-size=\"14\" text-anchor=\"middle\">\
             minimal tree, estimated from the mean width: {} leaves</text>",
            TOP - 8.0,
            bottom + 28.0,
            bottom + 46.0,
            grouped(first.minimal())
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"soft\" x=\"{LEFT}\" y=\"{}\" font-size=\"13\">{SCALE_NOTE}</text>\n</svg>",
        bottom + 70.0
    );
    out
}

fn bar(out: &mut String, sum: &RowGroup, all: &[RowGroup], axis: &Axis, y: f64, label: &str) {
    let end = axis.x(sum.leaves());
    let mark = sum.mark();
    let class = if mark.is_empty() { "done" } else { "guess" };
    let percent = sum.percent(all).map_or_else(String::new, |percent| match percent {
        p if p < 1000.0 => format!("  {p:.0} %"),
        p => format!("  {:.0} ×", p / 100.0),
    });
    let _ = writeln!(
        out,
        "<text class=\"ink\" x=\"{}\" y=\"{}\" font-size=\"15\" text-anchor=\"end\">{}</text>\
         <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" rx=\"3\"/>\
         <text class=\"ink\" x=\"{:.1}\" y=\"{}\" font-size=\"14\">{mark}{}<tspan class=\"soft\" dx=\"6\">{percent}</tspan></text>",
        LEFT - 12.0,
        y + 20.0,
        escape_xml(label),
        y + 5.0,
        (end - LEFT).max(2.0),
        ROW - 10.0,
        end + 8.0,
        y + 20.0,
        grouped(sum.leaves()),
    );
}
