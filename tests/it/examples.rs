//! Runs the examples, which are included as modules.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

use aspirant::config::options::OptionValue;
use aspirant::eval::testing::{assert_incremental, assert_symmetric};
use aspirant::prelude::*;
use aspirant::tools::bench::{self, BenchRequest};
use aspirant::uci::Session;

#[path = "../../examples/evaluator.rs"]
mod evaluator;
#[path = "../../examples/lazy_network.rs"]
mod lazy_network;
#[path = "../../examples/own_engine.rs"]
mod own_engine;
#[path = "../../examples/reporter.rs"]
mod reporter;
#[path = "../../examples/search.rs"]
mod search;

/// Plays two short games of an engine against itself.
fn play_two_games(mut engine: Engine) {
    for opening in ["e2e4", "g1f3"] {
        let mut game = Game::default();
        game.play(parse_move(&game.position, opening).unwrap());
        while game.outcome().is_none() && game.history.len() < 60 {
            engine.set_game(game.clone());
            let result = engine.search(Limits::nodes(200));
            assert_eq!(result.messages, [""; 0]);
            let m = result.best_move().unwrap();
            assert!(game.position.chess().legal_moves().contains(&m), "{m}");
            game.play(m);
        }
        engine.new_game();
    }
}

#[test]
fn search_example_runs() {
    search::main();
}

#[test]
fn evaluator_example_plays() {
    let _ = evaluator::main;
    play_two_games(evaluator::engine().unwrap());
}

#[test]
fn lazy_network_example_plays_and_is_incremental() {
    let _ = lazy_network::main;
    assert_incremental(lazy_network::LazyNetwork::random());
    assert_symmetric(lazy_network::LazyNetwork::random());
    play_two_games(Engine::builder().evaluator(lazy_network::LazyNetwork::random()).build().unwrap());
}

#[test]
fn reporter_example_runs() {
    reporter::main();
}

#[test]
fn own_engine_example_speaks_uci() {
    let _ = own_engine::main;
    let (sender, lines) = channel();
    let output = move |line: &str| drop(sender.send(line.to_owned()));
    let mut session = Session::new(own_engine::engine().unwrap(), output);
    for line in ["uci", "eval", "setoption name mobility weight value 10", "eval", "bench 2", "go depth 4"] {
        assert!(session.handle_line(line), "{line}");
    }
    assert_eq!(session.engine().extra_option("Mobility Weight"), Some(&OptionValue::Spin(10)));
    session.handle_line("setoption name Mobility Weight value 21");
    assert!(!session.handle_line("quit"));
    session.finish();
    let lines: Vec<String> = lines.iter().collect();
    for expected in [
        "id name Mobility 1.0",
        "id author Me",
        "option name Mobility Weight type spin default 3 min 0 max 20",
        "Static evaluation: +0.60 (white's view), +0.60 (white to move)",
        "Static evaluation: +2.00 (white's view), +2.00 (white to move)",
        "info string ignored option 'Mobility Weight': '21' is not a whole number from 0 to 20",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:#?}");
    }
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 1);
    let nodes = lines.iter().find(|line| line.ends_with(" nps")).expect("the result of bench");
    let default =
        bench::run(&BenchRequest { depth: 2, ..BenchRequest::default() }, &AtomicBool::new(false), &mut |_| {});
    assert_ne!(nodes.split(' ').next(), Some(default.unwrap().nodes.to_string().as_str()), "bench uses the evaluator");
}
