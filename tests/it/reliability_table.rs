//! Checks the table of failures in docs/reliability.md: all rows are present and the tests named there exist.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::rust_files;

#[test]
fn every_failure_has_an_existing_test_or_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(root.join("docs/reliability.md")).unwrap();
    let files = ["src", "tests"].into_iter().flat_map(|folder| rust_files(&root.join(folder)));
    let source: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let mut numbers = BTreeSet::new();
    for row in document.lines().filter(|line| line.starts_with("| F")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [number, failure, reference] = cells[..] else { panic!("{row}") };
        assert!(numbers.insert(number[1..].parse::<u32>().unwrap()), "duplicate row {number}");
        assert!(!failure.is_empty() && reference.len() > 10, "{row}");
        let tests: Vec<&str> = reference.split('`').skip(1).step_by(2).collect();
        for test in &tests {
            assert!(source.contains(&format!("fn {test}(")), "{number}: no test named {test}");
        }
        assert!(!tests.is_empty() || reference.ends_with('.'), "{number}: neither a test nor a reason");
    }
    assert!(numbers.into_iter().eq(1..=76));
}
