//! The reference algorithms as engines: `aspirant --search NAME`.

use std::time::{Duration, Instant};

use aspirant::prelude::*;
use aspirant::reference;
use aspirant::search::report::Silent;
use game_tree_search::catalog::{ALGORITHMS, Algorithm, MemoryUse};

use crate::common::grammar::Line;
use crate::common::positions::fen::{KIWIPETE, MANY_QUEENS, ROOK_ENDGAME};
use crate::common::{Dir, Engine as Program, LIMIT, play_two_games, run, text};

fn engine(algorithm: &'static Algorithm) -> Engine {
    reference::builder(algorithm).build().unwrap()
}

/// Runs a check of all algorithms, half of them at once.
fn check_all(check: impl Fn(&'static Algorithm) + Copy + Send) {
    std::thread::scope(|scope| {
        for half in ALGORITHMS.chunks(ALGORITHMS.len().div_ceil(2)) {
            scope.spawn(move || half.iter().for_each(check));
        }
    });
}

#[test]
fn every_algorithm_plays_games() {
    check_all(|algorithm| play_two_games(engine(algorithm)));
}

#[test]
fn every_algorithm_returns_the_value_of_minimax() {
    for (leaves, fen) in [("static", KIWIPETE), ("quiescence", ROOK_ENDGAME)] {
        let search = |algorithm, options: &[(&str, &str)]| {
            let mut engine = engine(algorithm);
            engine.set_option("Leaves", leaves).unwrap();
            for (name, value) in options {
                engine.set_option(name, value).unwrap();
            }
            engine.set_game(parse_fen(fen).unwrap());
            engine.search(Limits::depth(2))
        };
        let expected = search(&ALGORITHMS[0], &[]);
        for algorithm in ALGORITHMS {
            let mut found = vec![search(algorithm, &[]), search(algorithm, &[("Ordering", "none")])];
            if algorithm.memory == MemoryUse::Optional {
                found.push(search(algorithm, &[("Memory", "false")]));
            }
            for result in found {
                let values = (result.score(), result.depth, result.messages.len());
                assert_eq!(values, (expected.score(), 2, 0), "{}, {leaves} leaves: {result:?}", algorithm.name);
            }
        }
    }
}

#[test]
fn every_algorithm_obeys_stop_and_a_clock() {
    check_all(|algorithm| {
        let mut engine = engine(algorithm);
        for fen in [KIWIPETE, MANY_QUEENS] {
            engine.set_game(parse_fen(fen).unwrap());
            let (stop, start) = (engine.stop_handle(), Instant::now());
            let stopper = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                stop.stop();
            });
            let result = engine.search(Limits::infinite());
            stopper.join().unwrap();
            let limits = Limits { white_time: Some(300), black_time: Some(300), ..Limits::default() };
            let on_clock = engine.search(limits);
            assert!(result.best_move().is_some() && on_clock.best_move().is_some(), "{}", algorithm.name);
            // The watchdog would leave a message.
            assert_eq!((result.messages, on_clock.messages), (vec![], vec![]), "{}: {fen}", algorithm.name);
            assert!(start.elapsed() < Duration::from_secs(30), "{}", algorithm.name);
        }
    });
}

#[test]
fn multi_pv_finds_different_moves() {
    for algorithm in ALGORITHMS {
        let mut engine = engine(algorithm);
        engine.update_options(|options| options.set_multi_pv(3)).unwrap();
        let result = engine.search(Limits::depth(2));
        let moves: Vec<_> = result.variations.iter().map(|variation| variation.first_move().unwrap()).collect();
        assert!(moves.len() == 3 && moves[0] != moves[1] && !moves[..2].contains(&moves[2]), "{}", algorithm.name);
        assert!(result.variations.is_sorted_by_key(|variation| -variation.score), "{result:?}");
    }
}

#[test]
fn search_with_a_full_memory_plays_the_move_of_the_last_finished_depth() {
    for algorithm in ALGORITHMS.iter().filter(|algorithm| ["sss*", "mtd(f)", "mtd(+inf)"].contains(&algorithm.name)) {
        let mut engine = engine(algorithm);
        engine.update_options(|options| options.set_hash(1)).unwrap();
        let result = engine.search(Limits::depth(20));
        assert!((2..20).contains(&result.depth) && result.messages.is_empty(), "{}: {result:?}", algorithm.name);
        engine.go(Limits::infinite(), Box::new(Silent));
        engine.stop();
        engine.wait();
    }
}

#[test]
fn search_argument_is_a_uci_engine_with_options_of_its_own() {
    let mut engine = Program::with(Dir::new(), &["--search", "MTD(f)"]);
    let greeting = engine.output_of("uci").join("\n");
    for (line, is_present) in [
        ("id name Aspirant mtd(f)", true),
        ("option name Leaves type combo default quiescence var quiescence var static", true),
        ("option name Ordering type string default captures,killers", true),
        ("option name Memory", false),
        ("option name Threads", false),
    ] {
        assert_eq!(greeting.contains(line), is_present, "{line}: {greeting}");
    }
    engine.set("Ordering", "captures, killers");
    let error = engine.warning("setoption name Ordering value luck");
    assert!(error.contains("'luck' is not one of all, none, captures"), "{error}");
    let root = engine.start_search("startpos moves e2e4", "depth 3");
    let lines = engine.until(LIMIT, "bestmove", |line| matches!(line, Line::BestMove { .. }));
    let counters = |line: &Line| matches!(line, Line::InfoString(text) if text.starts_with("depth 3: "));
    assert!(lines.iter().any(counters), "{lines:?}");
    engine.answer(&root, Duration::ZERO);
    let root = engine.start_search("startpos", "ponder wtime 1000 btime 1000");
    engine.send("ponderhit");
    engine.answer(&root, LIMIT);
    engine.quit();
}

#[test]
fn search_argument_rejects_unknown_names_and_other_commands() {
    for (args, expected) in [
        (&["--search", "negascot"][..], "a similar value exists: 'negascout'"),
        (&["--search", "sss", "analyze"], "--search has no effect on this command"),
    ] {
        let output = run(args);
        assert!(!output.status.success() && text(&output.stderr).contains(expected), "{output:?}");
    }
    let output = run(&["--search", "pvs", "bench", "1"]);
    assert!(output.status.success() && text(&output.stdout).trim_end().ends_with(" nps"), "{output:?}");
    let script = text(&run(&["completions", "bash"]).stdout);
    assert!(script.contains("alpha-beta-fail-soft") && script.contains("mtd-plus-inf"), "{script}");
}
