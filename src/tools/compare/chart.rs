//! The chart of `compare`: leaves as bars on a logarithmic scale, as SVG and as an HTML page.

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
        "<svg class=\"wide\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
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

/// Returns the chart for narrow screens: each label above its bar.
fn narrow_svg(rows: &[CompareRow], plan: &ComparePlan) -> String {
    const NARROW: f64 = 360.0;
    const STEP: f64 = 46.0;
    let sums = sums(rows);
    let axis = Axis::new(&sums);
    // The bars use the same scale as the wide chart.
    let x = |count: f64| (axis.x(count) - LEFT) / (WIDTH - LEFT - RIGHT) * NARROW;
    let height = STEP * sums.len() as f64 + 40.0;
    let mut out = format!(
        "<svg class=\"narrow\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {NARROW} {height}\" role=\"img\">\
         <title>Leaves evaluated by each algorithm</title><defs><pattern id=\"hatch-narrow\" width=\"8\" height=\"8\" \
         patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line class=\"stripe\" x1=\"0\" y1=\"0\" x2=\"0\" \
         y2=\"8\"/></pattern></defs>"
    );
    for (index, sum) in sums.iter().enumerate() {
        let y = STEP * index as f64;
        let bar = match sum.mark() {
            "" => "class=\"done\"",
            _ => "class=\"guess\" style=\"fill:url(#hatch-narrow)\"",
        };
        let percent = sum.percent(&sums).map_or_else(String::new, |percent| format!(", {percent:.0} %"));
        let _ = writeln!(
            out,
            "<text class=\"ink\" x=\"0\" y=\"{:.1}\" font-size=\"14\">{}</text>\
             <text class=\"ink\" x=\"{NARROW}\" y=\"{:.1}\" font-size=\"13\" text-anchor=\"end\">{}{}{percent}</text>\
             <rect {bar} x=\"0\" y=\"{:.1}\" width=\"{:.1}\" height=\"14\" rx=\"3\"/>",
            y + 16.0,
            escape_xml(&label(sum, plan)),
            y + 16.0,
            sum.mark(),
            grouped(sum.leaves()),
            y + 22.0,
            x(sum.leaves()).max(2.0),
        );
    }
    if let Some(first) = sums.first() {
        let (x, bottom) = (x(first.minimal()), height - 34.0);
        let anchor = if x > NARROW / 2.0 { "end" } else { "start" };
        let _ = writeln!(
            out,
            "<line class=\"minimal\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\"/>\
             <text class=\"minimal-text\" x=\"{x:.1}\" y=\"{}\" font-size=\"13\" text-anchor=\"{anchor}\">\
             minimal tree (estimate): {} leaves</text>",
            bottom + 16.0,
            grouped(first.minimal())
        );
    }
    out.push_str("</svg>\n");
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

/// Returns a self-contained HTML page: the chart, the table, and the meaning of the figures.
pub(super) fn html(rows: &[CompareRow], plan: &ComparePlan) -> String {
    let sums = sums(rows);
    let positions = sums.first().map_or(0, |sum| sum.rows.len());
    let mut body = String::new();
    for sum in &sums {
        let mark = sum.mark();
        let percent = sum.percent(&sums).map_or_else(|| "–".to_owned(), |percent| format!("{percent:.1}"));
        let cells = [
            format!("{mark}{}", grouped(sum.leaves())),
            format!("{mark}{}", grouped(sum.total(|row| row.counters.nodes as f64))),
            grouped(sum.total(|row| row.counters.hits as f64)),
            grouped(sum.total(|row| row.counters.re_searches as f64)),
            grouped(sum.total(|row| row.counters.passes as f64)),
            format!("{mark}{:.3}", sum.total(|row| row.seconds)),
            percent,
            format!("{:.2}", sum.times_minimal()),
        ];
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", escape_xml(&label(sum, plan)));
        cells.iter().for_each(|cell| {
            let _ = write!(body, "<td>{cell}</td>");
        });
        body.push_str("</tr>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>Game-tree searches compared</title><style>\
         :root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;\
         padding:0 1rem;overflow-wrap:anywhere;background:#fff;color:#1c2330}}svg{{width:100%;height:auto}}\
         .narrow{{display:none}}.table{{overflow-x:auto}}table{{border-collapse:collapse;width:100%;overflow-wrap:normal;\
         font-variant-numeric:tabular-nums}}th,td{{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #8884}}\
         th:first-child{{text-align:left}}h2{{font-size:1.2rem}}dl{{display:grid;\
         grid-template-columns:auto 1fr;gap:.2rem 1rem;font-size:.92rem}}dt{{font-weight:600;overflow-wrap:normal}}dd{{margin:0}}\
         @media (max-width:760px){{body{{margin:1rem auto;padding:0 .9rem}}h1{{font-size:1.35rem}}.wide{{display:none}}\
         .narrow{{display:block}}tbody th{{position:sticky;left:0;background:#fff}}dl{{display:block}}\
         dd{{margin:0 0 .5rem 0}}}}\
         @media (prefers-color-scheme:dark){{body,tbody th{{background:#14181f!important;color:#e8ecf2}}}}</style></head><body>\n\
         <h1>Game-tree searches compared</h1><p>{}</p>\n{}{}<p class=\"narrow\">{SCALE_NOTE}</p>\n<div class=\"table\" tabindex=\"0\"><table><thead><tr><th>algorithm</th><th>leaves</th>\
         <th>nodes</th><th>hits</th><th>re-searches</th><th>passes</th><th>seconds</th><th>% of aspiration NegaScout\
         </th><th>× minimal tree</th></tr></thead><tbody>\n{body}</tbody></table></div>\n{}</body></html>\n",
        escape_xml(&headline(plan, positions)),
        svg(rows, plan),
        narrow_svg(rows, plan),
        figures_as_html()
    )
}

/// Returns the meaning of the figures as a definition list.
///
/// A line indented by more than two spaces continues the previous one.
fn figures_as_html() -> String {
    let (mut out, mut definitions, mut rest) = (String::new(), Vec::<(&str, String)>::new(), String::new());
    for line in super::FIGURES.lines().skip(1) {
        let indent = line.len() - line.trim_start().len();
        match (definitions.last_mut(), line.trim().split_once("  ")) {
            (Some((_, text)), _) if indent > 2 => *text = format!("{text} {}", line.trim()),
            (_, Some((term, text))) if indent == 2 => definitions.push((term, text.trim().to_owned())),
            (_, None) if indent == 2 => definitions.extend(line.trim().split_once(' ').map(|(t, d)| (t, d.to_owned()))),
            _ => rest = format!("{rest} {line}"),
        }
    }
    out.push_str("<h2>Figures</h2><dl>\n");
    for (term, text) in definitions {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape_xml(term), escape_xml(&text));
    }
    let _ = write!(out, "</dl>\n<p>{}</p>", escape_xml(rest.trim()));
    out
}
