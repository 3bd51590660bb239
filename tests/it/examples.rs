//! Runs the examples, which are included as modules.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::channel;

use aspirant::config::options::OptionValue;
use aspirant::eval::testing::{assert_incremental, assert_symmetric};
use aspirant::prelude::*;
use aspirant::tools::bench::{self, BenchRequest};
use aspirant::uci::Session;

use crate::common::play_two_games;

#[path = "../../examples/analyze_many.rs"]
mod analyze_many;
#[path = "../../examples/annotate.rs"]
mod annotate;
#[path = "../../examples/evaluator.rs"]
mod evaluator;
#[path = "../../examples/lazy_network.rs"]
mod lazy_network;
#[path = "../../examples/mcts.rs"]
mod mcts;
#[path = "../../examples/negamax.rs"]
mod negamax;
#[path = "../../examples/own_engine.rs"]
mod own_engine;
#[path = "../../examples/reporter.rs"]
mod reporter;
#[path = "../../examples/search.rs"]
mod search;

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
fn analyze_many_example_returns_all_results_until_it_is_canceled() {
    analyze_many::main().unwrap();
    let fens = ["6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"];
    let positions: Vec<Position> = (0..8).map(|index| parse_fen(fens[index % 2]).unwrap()).collect();
    let mut results = [const { None }; 8];
    let never = AtomicBool::new(false);
    analyze_many::analyze(&positions, &Limits::depth(4), 3, &never, |index, result| results[index] = Some(result))
        .unwrap();
    for (index, result) in results.iter().enumerate() {
        let result = result.as_ref().unwrap();
        assert_eq!((result.depth, result.variations.len()), (4, 2), "{result:?}");
        assert_eq!(UciScore::new(result.score()) == UciScore::Mate(1), index % 2 == 0, "{result:?}");
    }
    let (is_canceled, mut count) = (AtomicBool::new(false), 0);
    analyze_many::analyze(&positions, &Limits::depth(6), 1, &is_canceled, |_, _| {
        count += 1;
        is_canceled.store(true, Relaxed);
    })
    .unwrap();
    assert!((1..=2).contains(&count), "{count}");
}

#[test]
fn annotate_example_marks_the_mistake() {
    let _ = annotate::main;
    let annotated = annotate::annotate("1. f3 e5 2. g4 Qh4#", &Limits::depth(4)).unwrap();
    let moves: Vec<&str> = annotated.moves.iter().map(|m| m.text.as_str()).collect();
    assert_eq!((moves[2], moves[3]), ("g4?", "Qh4#"));
    let comments = &annotated.moves[2].comments;
    assert!(comments[0].starts_with("better is 2. ") && comments[1] == "[%eval #-1]", "{comments:?}");
    assert!(annotated.to_string().contains("2... Qh4#"), "{annotated}");
}

#[test]
fn reporter_example_runs() {
    reporter::main();
}

#[test]
fn search_examples_play_and_find_a_mate() {
    let _ = (negamax::main, mcts::main);
    for make in [negamax::engine, mcts::engine] {
        play_two_games(make().unwrap());
        let mut engine = make().unwrap();
        engine.set_game(Game::new(parse_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").unwrap()));
        for limits in [Limits::nodes(5000), Limits::depth(4), Limits::move_time(100)] {
            let result = engine.search(limits.clone());
            let best = result.best_move().map(|m| m.to_string());
            assert_eq!(best.as_deref(), Some("Ra1-a8"), "{limits:?}: {result:?}");
            assert_eq!(result.messages, [""; 0]);
        }
        let mut lines = 0;
        let result = bench::run_engine(make().unwrap(), 3, &AtomicBool::new(false), &mut |_| lines += 1);
        assert!(result.unwrap().nodes > 300 && lines == bench::POSITIONS.len());
    }
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
