//! The reports of `compare` as text: table, JSON, CSV, and the list of algorithms.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Plan;
use super::measure::Row;
use crate::game_tree::Stop;
use crate::game_tree::catalog::{ALGORITHMS, MemoryUse};

/// The rows of all positions of one algorithm, memory and ordering added up.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub algorithm: &'static str,
    pub memory: bool,
    pub ordering: String,
    pub rows: Vec<Row>,
}

impl Sum {
    pub fn total(&self, figure: impl Fn(&Row) -> f64) -> f64 {
        self.rows.iter().map(figure).sum()
    }

    pub fn leaves(&self) -> f64 {
        self.total(|row| row.counts.leaves as f64)
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

    pub fn failed(&self) -> Option<Stop> {
        self.rows.iter().find_map(|row| row.failed)
    }

    /// What stands before a figure that was not measured in full.
    pub fn mark(&self) -> &'static str {
        if self.failed().is_some() {
            "!"
        } else if self.estimated() {
            "~"
        } else {
            ""
        }
    }

    /// As a percentage of the leaves of aspiration NegaScout with the same ordering and, if there is one, the same
    /// memory.
    pub fn percent(&self, all: &[Self]) -> Option<f64> {
        let yardsticks =
            || all.iter().filter(|other| other.algorithm == "aspiration negascout" && other.ordering == self.ordering);
        let same = yardsticks().find(|other| other.memory == self.memory);
        let yardstick = same.or_else(|| yardsticks().next())?;
        Some(100.0 * self.leaves() / yardstick.leaves().max(1.0))
    }
}

/// Adds up the rows, in the order of their first appearance.
pub(super) fn sums(rows: &[Row]) -> Vec<Sum> {
    let mut sums: Vec<Sum> = Vec::new();
    for row in rows {
        let same =
            |sum: &&mut Sum| sum.algorithm == row.algorithm && sum.memory == row.memory && sum.ordering == row.ordering;
        match sums.iter_mut().find(same) {
            Some(sum) => sum.rows.push(row.clone()),
            None => sums.push(Sum {
                algorithm: row.algorithm,
                memory: row.memory,
                ordering: row.ordering.clone(),
                rows: vec![row.clone()],
            }),
        }
    }
    sums
}

/// A count with thin groups of three digits.
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

/// How a row is called: the algorithm, and what it was given if that differs within the report.
pub(super) fn label(sum: &Sum, plan: &Plan) -> String {
    let mut label = sum.algorithm.to_owned();
    if plan.memory.len() > 1 && sum.memory {
        label.push_str(" + memory");
    }
    if plan.orderings.len() > 1 {
        let _ = write!(label, ", {}", sum.ordering);
    }
    label
}

/// The table for people.
pub(super) fn table(rows: &[Row], plan: &Plan) -> String {
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
            format!("{mark}{}", grouped(sum.total(|row| row.counts.nodes as f64))),
            grouped(sum.total(|row| row.counts.hits as f64)),
            grouped(sum.total(|row| row.counts.re_searches as f64)),
            grouped(sum.total(|row| row.counts.passes as f64)),
            format!("{mark}{:.3}", sum.total(|row| row.seconds)),
            sum.times_minimal(),
        );
    }
    out.push_str(&footnotes(&sums, rows, positions));
    out
}

/// One line that says what was compared.
pub(super) fn headline(plan: &Plan, positions: usize) -> String {
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

fn footnotes(sums: &[Sum], rows: &[Row], positions: usize) -> String {
    let mut out = String::new();
    if let Some(first) = sums.first() {
        let _ = write!(out, "\nminimal tree: {} leaves", grouped(first.minimal()));
        if positions > 1 {
            out.push_str(" (sum over the positions)");
        }
        out.push('\n');
    }
    let finished: Vec<&Row> = rows.iter().filter(|row| row.value.is_some()).collect();
    if positions == 1
        && let Some(row) = finished.first()
    {
        let value = row.value.unwrap_or_default();
        let _ = writeln!(out, "value {value}, best move {}", row.best_move.as_deref().unwrap_or("-"));
    }
    if finished.is_empty() {
        out.push_str("no search came to an end\n");
    }
    let disagree = finished
        .iter()
        .any(|row| finished.iter().any(|other| other.position == row.position && other.value != row.value));
    if disagree {
        out.push_str("THE VALUES DIFFER: this is an error in the program\n");
    } else if finished.len() > 1 {
        out.push_str("all values agree\n");
    }
    if sums.iter().any(Sum::estimated) {
        out.push_str("~ stopped at --limit; for chess, estimated from smaller depths\n");
    }
    for sum in sums {
        if let Some(stop) = sum.failed() {
            let _ = writeln!(out, "! {}: {stop}", sum.algorithm);
        }
    }
    out
}

fn object(row: &Row) -> Value {
    let counts = &row.counts;
    json!({
        "position": row.position,
        "depth": row.depth,
        "algorithm": row.algorithm,
        "memory": row.memory,
        "ordering": row.ordering,
        "value": row.value,
        "best_move": row.best_move,
        "leaves": counts.leaves,
        "last_leaves": row.last_leaves,
        "nodes": counts.nodes,
        "hits": counts.hits,
        "cuts": counts.cuts(),
        "alpha_cuts": counts.alpha_cuts,
        "beta_cuts": counts.beta_cuts,
        "deep_cuts": counts.deep_cuts,
        "window_cuts": counts.window_cuts,
        "first_cuts": counts.first_cuts,
        "re_searches": counts.re_searches,
        "passes": counts.passes,
        "presearch_leaves": counts.presearch_leaves,
        "width": counts.width(),
        "seconds": row.seconds,
        "percent_of_aspiration_negascout": row.percent,
        "minimal_leaves": row.minimal,
        "times_minimal": row.last_leaves as f64 / row.minimal,
        "estimated": row.estimated,
        "error": row.failed.map(|stop| stop.to_string()),
    })
}

/// An array of one object per row.
pub(super) fn json(rows: &[Row]) -> String {
    let objects: Vec<Value> = rows.iter().map(object).collect();
    serde_json::to_string_pretty(&objects).unwrap_or_default()
}

/// The same fields as lines of comma-separated values.
pub(super) fn csv(rows: &[Row]) -> String {
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

/// The table of algorithms.
pub(super) fn list() -> String {
    let mut out = String::new();
    for algorithm in ALGORITHMS {
        let memory = match algorithm.memory {
            MemoryUse::Never => "",
            MemoryUse::Optional => " [memory if switched on]",
            MemoryUse::Always => " [memory always]",
        };
        let _ = writeln!(
            out,
            "{:24} {} {}{memory}\n{:24} {}: {}. src/game_tree/{}",
            algorithm.name, algorithm.year, algorithm.sentence, "", algorithm.authors, algorithm.paper, algorithm.file
        );
    }
    out
}
