//! The reports of `compare` as text: table, JSON, and the catalog of algorithms.

use std::fmt::Write as _;

use game_tree_search::TreeSearchError;
use game_tree_search::catalog::{ALGORITHMS, MemoryUse};
use serde_json::{Value, json};

use super::ComparePlan;
use super::measure::CompareRow;
use crate::terminal::{group_digits, wrap};

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
    group_digits(number.round() as u64)
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

/// A column of the text table.
struct Column {
    title: &'static str,
    width: usize,
    text: fn(&RowGroup, Option<&RowGroup>) -> String,
}

/// The columns in the order of the table.
const COLUMNS: [Column; 8] = [
    Column { title: "leaves", width: 15, text: |sum, _| format!("{}{}", sum.mark(), grouped(sum.leaves())) },
    Column {
        title: "nodes",
        width: 15,
        text: |sum, _| format!("{}{}", sum.mark(), grouped(sum.total(|row| row.counters.nodes as f64))),
    },
    Column { title: "hits", width: 12, text: |sum, _| grouped(sum.total(|row| row.counters.hits as f64)) },
    Column { title: "re-search", width: 9, text: |sum, _| grouped(sum.total(|row| row.counters.re_searches as f64)) },
    Column { title: "passes", width: 6, text: |sum, _| grouped(sum.total(|row| row.counters.passes as f64)) },
    Column {
        title: "time s",
        width: 7,
        text: |sum, _| match sum.total(|row| row.seconds) {
            seconds if seconds < 100.0 => format!("{}{seconds:.2}", sum.mark()),
            seconds => format!("{}{}", sum.mark(), grouped(seconds)),
        },
    },
    Column {
        title: "% ANS",
        width: 7,
        text: |sum, reference| match reference {
            Some(reference) => ratio_text(100.0 * sum.leaves() / reference.leaves().max(1.0), 1),
            None => "-".into(),
        },
    },
    Column { title: "x min", width: 7, text: |sum, _| ratio_text(sum.times_minimal(), 2) },
];
/// Column indices, most important first; columns that do not fit the terminal are left out.
const COLUMNS_BY_IMPORTANCE: [usize; 8] = [0, 6, 7, 5, 1, 2, 3, 4];

/// Formats a ratio; without decimals if it would not fit a column of seven characters.
fn ratio_text(ratio: f64, decimals: usize) -> String {
    let text = format!("{ratio:.decimals$}");
    if text.len() <= 7 { text } else { grouped(ratio) }
}

/// The text table, printed row by row.
pub(super) struct Table {
    label_width: usize,
    columns: Vec<&'static Column>,
}

impl Table {
    /// Chooses the columns that fit into `width`.
    pub fn new(plan: &ComparePlan, width: usize) -> Self {
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let mut label_width = longest(&mut plan.algorithms.iter().map(|algorithm| algorithm.name.len())).max(9);
        if plan.memory.len() > 1 {
            label_width += " + memory".len();
        }
        if plan.orderings.len() > 1 {
            label_width += ", ".len() + longest(&mut plan.orderings.iter().map(|set| set.name.len()));
        }
        let mut left = width.saturating_sub(label_width);
        let fits = |&index: &usize| {
            let needed = COLUMNS[index].width + 1;
            let fits = needed <= left;
            left = if fits { left - needed } else { 0 };
            fits
        };
        let shown: Vec<usize> = COLUMNS_BY_IMPORTANCE.into_iter().filter(fits).collect();
        let columns = COLUMNS.iter().enumerate().filter(|(index, _)| *index == 0 || shown.contains(index));
        Self { label_width, columns: columns.map(|(_, column)| column).collect() }
    }

    /// Returns the lines above the rows.
    pub fn head(&self, plan: &ComparePlan, positions: usize) -> String {
        let mut out = format!("{}\n\n{:2$}", headline(plan, positions), "algorithm", self.label_width);
        for column in &self.columns {
            let _ = write!(out, " {:>1$}", column.title, column.width);
        }
        out + "\n"
    }

    /// Returns the row of an algorithm.
    pub fn row(&self, rows: &[CompareRow], reference: Option<&[CompareRow]>, plan: &ComparePlan) -> String {
        let reference = reference.and_then(|rows| sums(rows).into_iter().next());
        let mut out = String::new();
        for sum in sums(rows) {
            let _ = write!(out, "{:1$}", label(&sum, plan), self.label_width);
            for column in &self.columns {
                let _ = write!(out, " {:>1$}", (column.text)(&sum, reference.as_ref()), column.width);
            }
            out.push('\n');
        }
        out
    }
}

/// Returns the lines below the rows.
pub(super) fn table_foot(rows: &[CompareRow]) -> String {
    let sums = sums(rows);
    let positions = sums.first().map_or(0, |sum| sum.rows.len());
    footnotes(&sums, rows, positions)
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
            "\nminimal tree: about {} leaves{sum}\n  (estimated from the mean width; exact for uniform trees only)",
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
        out.push_str("~ stopped at --limit; for chess, estimated from the completed depths, if there are any\n");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_names_the_folder_of_the_files() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
        for algorithm in ALGORITHMS {
            assert!(folder.join(algorithm.file).is_file(), "{}", algorithm.file);
        }
        let list = list();
        assert!(list.ends_with("The files are in game-tree/src/algorithms/.\n"), "{list}");
        assert!(list.lines().any(|line| line.trim() == "enhanced_transposition_cutoffs.rs"), "{list}");
    }
}
