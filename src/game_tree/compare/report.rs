//! The reports of `compare` as text: table, JSON, CSV, and the catalog of algorithms.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::ComparePlan;
use super::measure::CompareRow;
use crate::game_tree::TreeSearchError;
use crate::game_tree::catalog::{ALGORITHMS, MemoryUse};

/// The rows of all positions for one algorithm, memory setting and ordering.
#[derive(Clone, Debug)]
pub(super) struct RowGroup {
    pub algorithm: &'static str,
    pub memory: bool,
    pub ordering: String,
    pub rows: Vec<CompareRow>,
}

impl RowGroup {
    pub fn total(&self, figure: impl Fn(&CompareRow) -> f64) -> f64 {
        self.rows.iter().map(figure).sum()
    }

    pub fn leaves(&self) -> f64 {
        self.total(|row| row.counters.leaves as f64)
    }

    pub fn minimal(&self) -> f64 {
        self.total(|row| row.minimal)
    }

    pub fn times_minimal(&self) -> f64 {
        self.total(|row| row.last_leaves as f64) / self.minimal()
    }

    pub fn estimated(&self) -> bool {
        self.rows.iter().any(|row| row.estimated)
    }

    pub fn failed(&self) -> Option<TreeSearchError> {
        self.rows.iter().find_map(|row| row.failed)
    }

    /// Returns the prefix of a figure: `!` after an error, `~` for an estimate, otherwise nothing.
    pub fn mark(&self) -> &'static str {
        if self.failed().is_some() {
            "!"
        } else if self.estimated() {
            "~"
        } else {
            ""
        }
    }

    /// Returns the leaves as a percentage of aspiration NegaScout's with the same ordering.
    ///
    /// With the same memory setting, if that was measured.
    pub fn percent(&self, all: &[Self]) -> Option<f64> {
        let references =
            || all.iter().filter(|other| other.algorithm == "aspiration negascout" && other.ordering == self.ordering);
        let same = references().find(|other| other.memory == self.memory);
        let reference = same.or_else(|| references().next())?;
        Some(100.0 * self.leaves() / reference.leaves().max(1.0))
    }
}

/// Groups the rows, in the order of their first appearance.
pub(super) fn sums(rows: &[CompareRow]) -> Vec<RowGroup> {
    let mut sums: Vec<RowGroup> = Vec::new();
    for row in rows {
        let same = |sum: &&mut RowGroup| {
            sum.algorithm == row.algorithm && sum.memory == row.memory && sum.ordering == row.ordering
        };
        match sums.iter_mut().find(same) {
            Some(sum) => sum.rows.push(row.clone()),
            None => sums.push(RowGroup {
                algorithm: row.algorithm,
                memory: row.memory,
                ordering: row.ordering.clone(),
                rows: vec![row.clone()],
            }),
        }
    }
    sums
}

/// Formats a count with commas between groups of three digits.
pub(super) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns the label of a row: the algorithm, with memory and ordering if they vary in the report.
pub(super) fn label(sum: &RowGroup, plan: &ComparePlan) -> String {
    let mut label = sum.algorithm.to_owned();
    if plan.memory.len() > 1 && sum.memory {
        label.push_str(" + memory");
    }
    if plan.orderings.len() > 1 {
        let _ = write!(label, ", {}", sum.ordering);
    }
    label
}

/// Returns the text table.
pub(super) fn table(rows: &[CompareRow], plan: &ComparePlan) -> String {
    let sums = sums(rows);
    let positions = sums.first().map_or(0, |sum| sum.rows.len());
    let labels: Vec<String> = sums.iter().map(|sum| label(sum, plan)).collect();
    let wide = labels.iter().map(String::len).max().unwrap_or(0).max(9);
    let mut out = String::new();
    let _ = writeln!(out, "{}", headline(plan, positions));
    let _ = writeln!(
        out,
        "\n{:wide$} {:>16} {:>16} {:>12} {:>9} {:>7} {:>10} {:>9} {:>10}",
        "algorithm", "leaves", "nodes", "hits", "re-search", "passes", "time s", "% of ANS", "x minimal"
    );
    for (sum, label) in sums.iter().zip(&labels) {
        let mark = sum.mark();
        let percent = sum.percent(&sums).map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1}"));
        let _ = writeln!(
            out,
            "{label:wide$} {:>16} {:>16} {:>12} {:>9} {:>7} {:>10} {percent:>9} {:>10.2}",
            format!("{mark}{}", grouped(sum.leaves())),
            format!("{mark}{}", grouped(sum.total(|row| row.counters.nodes as f64))),
            grouped(sum.total(|row| row.counters.hits as f64)),
            grouped(sum.total(|row| row.counters.re_searches as f64)),
            grouped(sum.total(|row| row.counters.passes as f64)),
            format!("{mark}{:.3}", sum.total(|row| row.seconds)),
            sum.times_minimal(),
        );
    }
    out.push_str(&footnotes(&sums, rows, positions));
    out
}

/// Returns a line that describes the comparison.
pub(super) fn headline(plan: &ComparePlan, positions: usize) -> String {
    let memory = match plan.memory.as_slice() {
        [true] => "with memory",
        [false] => "without memory",
        _ => "without and with memory",
    };
    let ordering = match plan.orderings.as_slice() {
        [one] => format!("ordering: {}", one.name),
        _ => "ordering varied".to_owned(),
    };
    let what = match (plan.deepen, positions) {
        (false, _) => "one tree".to_owned(),
        (true, 1) => "1 chess position".to_owned(),
        (true, n) => format!("{n} chess positions"),
    };
    format!("{what}, depth {}, {memory}, {ordering}", plan.depth)
}

fn footnotes(sums: &[RowGroup], rows: &[CompareRow], positions: usize) -> String {
    let mut out = String::new();
    if let Some(first) = sums.first() {
        let sum = if positions > 1 { " (sum over the positions)" } else { "" };
        let _ = writeln!(
            out,
            "\nminimal tree: about {} leaves{sum}, estimated from the mean width; exact for uniform trees only",
            grouped(first.minimal())
        );
    }
    let finished: Vec<&CompareRow> = rows.iter().filter(|row| row.value.is_some()).collect();
    if positions == 1
        && let Some(row) = finished.first()
    {
        let value = row.value.unwrap_or_default();
        let _ = writeln!(out, "value {value}, best move {}", row.best_move.as_deref().unwrap_or("-"));
    }
    if finished.is_empty() {
        out.push_str("no search was completed\n");
    }
    let disagree = finished
        .iter()
        .any(|row| finished.iter().any(|other| other.position == row.position && other.value != row.value));
    if disagree {
        out.push_str("VALUES DIFFER: this is a bug in the program\n");
    } else if finished.len() > 1 {
        out.push_str("all values agree\n");
    }
    if sums.iter().any(RowGroup::estimated) {
        out.push_str("~ stopped at --limit; for chess, estimated from smaller depths\n");
    }
    for sum in sums {
        if let Some(stop) = sum.failed() {
            let _ = writeln!(out, "! {}: {stop}", sum.algorithm);
        }
    }
    out
}

fn object(row: &CompareRow) -> Value {
    let counters = &row.counters;
    json!({
        "position": row.position,
        "depth": row.depth,
        "algorithm": row.algorithm,
        "memory": row.memory,
        "ordering": row.ordering,
        "value": row.value,
        "best_move": row.best_move,
        "leaves": counters.leaves,
        "last_leaves": row.last_leaves,
        "nodes": counters.nodes,
        "hits": counters.hits,
        "cuts": counters.cutoffs(),
        "alpha_cuts": counters.alpha_cutoffs,
        "beta_cuts": counters.beta_cutoffs,
        "deep_cuts": counters.deep_cutoffs,
        "window_cuts": counters.window_cutoffs,
        "first_cuts": counters.first_move_cutoffs,
        "re_searches": counters.re_searches,
        "passes": counters.passes,
        "presearch_leaves": counters.presearch_leaves,
        "width": counters.mean_branching_factor(),
        "seconds": row.seconds,
        "percent_of_aspiration_negascout": row.percent,
        "minimal_leaves": row.minimal,
        "times_minimal": row.last_leaves as f64 / row.minimal,
        "estimated": row.estimated,
        "error": row.failed.map(|stop| stop.to_string()),
    })
}

/// Returns a JSON array of one object per row.
pub(super) fn json(rows: &[CompareRow]) -> String {
    let objects: Vec<Value> = rows.iter().map(object).collect();
    serde_json::to_string_pretty(&objects).unwrap_or_default()
}

/// Returns the fields of [`json()`] as comma-separated values.
pub(super) fn csv(rows: &[CompareRow]) -> String {
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let Value::Object(fields) = object(row) else { continue };
        if index == 0 {
            out.push_str(&fields.keys().map(String::as_str).collect::<Vec<_>>().join(","));
            out.push('\n');
        }
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => format!("\"{}\"", text.replace('"', "\"\"")),
            other => other.to_string(),
        };
        out.push_str(&fields.values().map(cell).collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}

/// Returns the catalog of algorithms.
pub(super) fn list() -> String {
    let mut out = String::new();
    for algorithm in ALGORITHMS {
        let memory = match algorithm.memory {
            MemoryUse::Never => "",
            MemoryUse::Optional => " [memory: optional]",
            MemoryUse::Always => " [memory: always]",
        };
        let _ = writeln!(
            out,
            "{:24} {} {}{memory}\n{:24} {}: {}. src/game_tree/{}",
            algorithm.name, algorithm.year, algorithm.summary, "", algorithm.authors, algorithm.paper, algorithm.file
        );
    }
    out
}
