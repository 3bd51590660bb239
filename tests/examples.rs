//! The examples compile (cargo sees to it) and run to their end.

#[path = "../examples/evaluator.rs"]
mod evaluator;
#[path = "../examples/reporter.rs"]
mod reporter;
#[path = "../examples/search.rs"]
mod search;

#[test]
fn a_position_is_searched_in_ten_lines() {
    search::main();
}

#[test]
fn an_evaluator_of_ones_own_plays() {
    evaluator::main();
}

#[test]
fn a_reporter_of_ones_own_hears_the_end() {
    reporter::main();
}
