//! The build with feature `tune`: every search parameter is a UCI option and takes effect.

#[path = "it/common/mod.rs"]
mod common;

use aspirant::config::tunable;
use aspirant::engine::ExtraOption;
use common::Engine;

#[test]
fn every_search_parameter_is_an_option() {
    let mut engine = Engine::start();
    let lines = engine.output_of("uci");
    assert!(tunable().len() > 50);
    for param in tunable() {
        let (name, default) = (param.name, param.default);
        let row = match param.switch {
            true => format!("option name {name} type check default {}", default != 0),
            false => format!("option name {name} type spin default {default} min {} max {}", param.min, param.max),
        };
        assert!(lines.contains(&row), "{row} is missing in {lines:#?}");
    }
    engine.quit();
}

#[test]
fn search_parameters_take_effect() {
    let mut engine = Engine::start();
    let nodes = engine.bench(7);
    for (name, value, default) in [("rfp_margin", "150", "78"), ("null_move", "false", "true")] {
        engine.send_silent(&format!("setoption name {name} value {value}"));
        assert_ne!(engine.bench(7), nodes, "{name}");
        engine.send_silent(&format!("setoption name {name} value {default}"));
        assert_eq!(engine.bench(7), nodes, "{name}");
    }
    assert!(engine.warning("setoption name rfp_margin value 9999").contains("from 20 to 250"));
    engine.quit();
}

#[test]
fn extra_option_with_the_name_of_a_search_parameter_is_rejected() {
    let result = aspirant::engine::Engine::builder().option(ExtraOption::check("RFP_Margin", true)).build();
    let Err(error) = result else { panic!("the name is taken") };
    assert!(error.to_string().contains("already in use"), "{error}");
}
