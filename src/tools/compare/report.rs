//! The reports of `compare` as text: table, JSON, and the catalog of algorithms.

use std::fmt::Write as _;

use game_tree_search::TreeSearchError;
use game_tree_search::catalog::{ALGORITHMS, AlgorithmId, MemoryUse};
use serde_json::{Value, json};

use super::ComparePlan;
use super::measure::{CompareRow, RowGroup};
use crate::terminal::{group_digits, wrap};

impl RowGroup {
    fn total(&self, figure: impl Fn(&CompareRow) -> f64) -> f64 {
        self.rows.iter().map(figure).sum()
    }

    fn leaves(&self) -> f64 {
        self.total(|row| row.counters.leaves as f64)
    }

    fn minimal(&self) -> f64 {
        self.total(|row| row.minimal)
    }

    fn estimated(&self) -> bool {
        self.rows.iter().any(|row| row.estimated)
    }

    fn failed(&self) -> Option<TreeSearchError> {
        self.rows.iter().find_map(|row| row.failed)
    }

    /// Returns the prefix of a figure: `!` after an error, `~` for an estimate, otherwise nothing.
    fn mark(&self) -> &'static str {
        if self.failed().is_some() {
            "!"
        } else if self.estimated() {
            "~"
        } else {
            ""
        }
    }

    /// Returns the leaves as a percentage of aspiration NegaScout's with the same ordering; `-` without it.
    fn percent(&self, all: &[Self]) -> String {
        let is_reference =
            |other: &&Self| other.algorithm.id == AlgorithmId::AspirationNegaScout && other.ordering == self.ordering;
        let reference = all.iter().find(is_reference);
        reference.map_or("-".into(), |reference| ratio(100.0 * self.leaves() / reference.leaves().max(1.0), 1))
    }
}

/// Formats a count with commas between groups of three digits.
fn grouped(number: f64) -> String {
    group_digits(number.round() as u64)
}

/// Formats a ratio; without decimals if it would not fit a column of seven characters.
fn ratio(ratio: f64, decimals: usize) -> String {
    let text = format!("{ratio:.decimals$}");
    if text.len() <= 7 { text } else { grouped(ratio) }
}

/// Returns the table, for 80 columns unless orderings are compared.
pub(super) fn table(groups: &[RowGroup], plan: &ComparePlan, positions: usize) -> String {
    let label = |group: &RowGroup| match plan.orderings.len() {
        1 => group.algorithm.name.to_owned(),
        _ => format!("{}, {}", group.algorithm.name, group.ordering),
    };
    let width = groups.iter().map(|group| label(group).len()).max().unwrap_or(0).max("algorithm".len());
    let row = |label: &str, [leaves, nodes, time, percent, minimal]: [&str; 5]| {
        format!("{label:width$} {leaves:>15} {nodes:>15} {time:>7} {percent:>7} {minimal:>7}\n")
    };
    let mut out = headline(plan, positions) + "\n\n";
    out += &row("algorithm", ["leaves", "nodes", "time s", "% ANS", "x min"]);
    for group in groups {
        let mark = group.mark();
        let leaves = format!("{mark}{}", grouped(group.leaves()));
        let nodes = format!("{mark}{}", grouped(group.total(|row| row.counters.nodes as f64)));
        let time = match group.total(|row| row.seconds) {
            seconds if seconds < 100.0 => format!("{mark}{seconds:.2}"),
            seconds => format!("{mark}{}", grouped(seconds)),
        };
        let minimal = ratio(group.total(|row| row.last_leaves as f64) / group.minimal(), 2);
        out += &row(&label(group), [&leaves, &nodes, &time, &group.percent(groups), &minimal]);
    }
    out + &footnotes(groups, positions)
}

/// Returns a line that describes the comparison.
fn headline(plan: &ComparePlan, positions: usize) -> String {
    let memory = if plan.memory { "with memory" } else { "without memory" };
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

fn footnotes(groups: &[RowGroup], positions: usize) -> String {
    let mut out = String::new();
    if let Some(first) = groups.first() {
        let sum = if positions > 1 { " (sum over the positions)" } else { "" };
        let _ = writeln!(
            out,
            "\nminimal tree: about {} leaves{sum}\n  (estimated from the mean width; exact for uniform trees only)",
            grouped(first.minimal())
        );
    }
    let rows = groups.iter().flat_map(|group| &group.rows);
    let finished: Vec<&CompareRow> = rows.filter(|row| row.value.is_some()).collect();
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
    if groups.iter().any(RowGroup::estimated) {
        out.push_str("~ stopped at --limit; for chess, estimated from the completed depths, if there are any\n");
    }
    for group in groups {
        if let Some(stop) = group.failed() {
            let _ = writeln!(out, "! {}: {stop}", group.algorithm.name);
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
pub(super) fn json(groups: &[RowGroup]) -> String {
    let objects: Vec<Value> = groups.iter().flat_map(|group| &group.rows).map(object).collect();
    serde_json::to_string_pretty(&objects).unwrap_or_default()
}

/// The folder of the files in the catalog.
const FOLDER: &str = "game-tree/src/algorithms";

/// Returns the catalog of algorithms, for 80 columns.
pub(super) fn list() -> String {
    let mut out = String::new();
    for algorithm in ALGORITHMS {
        let memory = match algorithm.memory {
            MemoryUse::Never => "",
            MemoryUse::Optional => " [memory: optional]",
            MemoryUse::Always => " [memory: always]",
        };
        let lines = [
            format!("{:24} {} {}{memory}", algorithm.name, algorithm.year, algorithm.summary),
            format!("{:24} {}: {}.", "", algorithm.authors, algorithm.paper),
            format!("{:24} {}", "", algorithm.file),
        ];
        for line in lines {
            let _ = writeln!(out, "{}", wrap(&line, 80, 25).join("\n"));
        }
    }
    let _ = writeln!(out, "\nThe files are in {FOLDER}/.");
    out
}
