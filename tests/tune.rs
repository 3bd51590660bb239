//! The build for outside tuners: every number of the search is an option of the protocol, and setting one counts.

mod common;

use aspirant::config::tunable;
use common::Engine;

#[test]
fn every_number_of_the_search_is_an_option() {
    let mut engine = Engine::start();
    let said = engine.ask("uci");
    assert!(tunable().len() > 50);
    for param in tunable() {
        let (name, default) = (param.name, param.default);
        let row = match param.switch {
            true => format!("option name {name} type check default {}", default != 0),
            false => format!("option name {name} type spin default {default} min {} max {}", param.min, param.max),
        };
        assert!(said.contains(&row), "{row} is missing in {said:#?}");
    }
    engine.quit();
}

#[test]
fn a_number_that_is_set_changes_the_search() {
    let mut engine = Engine::start();
    let nodes = engine.bench(7);
    for (name, value, default) in [("rfp_margin", "150", "78"), ("null_move", "false", "true")] {
        engine.quiet(&format!("setoption name {name} value {value}"));
        assert_ne!(engine.bench(7), nodes, "{name}");
        engine.quiet(&format!("setoption name {name} value {default}"));
        assert_eq!(engine.bench(7), nodes, "{name}");
    }
    assert!(engine.complaint("setoption name rfp_margin value 9999").contains("from 20 to 250"));
    engine.quit();
}
