//! Runs the examples, which are included as modules.

#[path = "../../examples/evaluator.rs"]
mod evaluator;
#[path = "../../examples/reporter.rs"]
mod reporter;
#[path = "../../examples/search.rs"]
mod search;

#[test]
fn search_example_runs() {
    search::main();
}

#[test]
fn evaluator_example_runs() {
    evaluator::main();
}

#[test]
fn reporter_example_runs() {
    reporter::main();
}
