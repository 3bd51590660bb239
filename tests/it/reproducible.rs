//! With one thread, equal input gives equal results: node counts, PVs, the bench signature.

use crate::common::positions::uci::MIDDLEGAME;
use crate::common::search::SearchOutput;
use crate::common::{Dir, Engine, run, run_in, text};

const GAME: &str = "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";

#[test]
fn searches_repeat_after_ucinewgame() {
    let mut engine = Engine::start();
    let mut nodes = 150;
    for _ in 0..13 {
        let mut runs = Vec::new();
        for new_game in ["ucinewgame", "ucinewgame", "setoption name Clear Hash"] {
            engine.send_silent(new_game);
            let go = format!("nodes {nodes}");
            let both = [engine.search(GAME, &go), engine.search(MIDDLEGAME, &go)];
            for found in &both {
                assert!(found.last().nodes <= nodes + 2, "limit {nodes}: {:?}", found.last());
            }
            runs.push(both.iter().flat_map(SearchOutput::reproducible_part).collect::<Vec<_>>());
        }
        assert_eq!(runs[0], runs[1], "nodes {nodes}");
        assert_eq!(runs[0], runs[2], "nodes {nodes}, Clear Hash");
        nodes = nodes * 3 / 2;
    }
    engine.quit();
}

/// official-stockfish/Stockfish#859; sroelants/simbelmyne#170.
#[test]
fn ucinewgame_keeps_only_the_options() {
    let (mut used, mut fresh, mut other_hash) = (Engine::start(), Engine::start(), Engine::start());
    for (hash, threads, multi_pv) in [(64, 4, 3), (1, 1, 1)] {
        used.set("Hash", hash);
        used.set("Threads", threads);
        used.set("MultiPV", multi_pv);
        used.search(MIDDLEGAME, "depth 6");
    }
    for _ in 0..10 {
        used.send_silent("ucinewgame");
    }
    fresh.set("Hash", 1);
    let [used, fresh, other_hash] = [&mut used, &mut fresh, &mut other_hash]
        .map(|engine| engine.search(MIDDLEGAME, "depth 11").reproducible_part());
    assert_eq!(used, fresh);
    // With the default Hash the search is different.
    assert_ne!(used, other_hash);
}

fn bench(dir: &Dir, args: &[&str]) -> (u64, String) {
    let output = run_in(dir, args);
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    let last = printed.lines().last().unwrap_or_default().to_owned();
    let words: Vec<&str> = last.split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else { panic!("{last}") };
    assert!(speed.parse::<u64>().is_ok(), "{last}");
    (nodes.parse().unwrap_or_else(|_| panic!("{last}")), printed)
}

#[test]
fn bench_signature_is_reproducible() {
    let dir = Dir::new();
    let (nodes, printed) = bench(&dir, &["bench", "6"]);
    assert_eq!(printed.lines().count(), 1, "more than the result on stdout: {printed}");
    assert_eq!(bench(&dir, &["bench", "6"]).0, nodes, "second run");
    // `bench` through UCI does not depend on earlier searches and options.
    let mut engine = Engine::start();
    engine.search(GAME, "depth 6");
    engine.send_silent("setoption name Skill Level value 3");
    assert_eq!(engine.bench(6), nodes);
    engine.quit();
    // A different search has a different signature.
    let changed = bench(&dir, &["bench", "6", "--set", "null_move=false"]).0;
    assert_ne!(changed, nodes);
    let mut engine = Engine::with(Dir::new(), &["--set", "null_move=false"]);
    assert_eq!(engine.bench(6), changed);
    engine.quit();
    dir.file("engine.toml", "[search]\nnull_move = false\n");
    assert_ne!(bench(&dir, &["bench", "6"]).0, nodes);
}

/// Test builds enable more checks than the program may have; the search tree must be the same.
#[test]
fn library_and_program_have_equal_bench_signatures() {
    use aspirant::tools::bench::{BenchRequest, run};
    let request = BenchRequest { depth: 6, ..BenchRequest::default() };
    let nodes = run(&request, &std::sync::atomic::AtomicBool::new(false), &mut |_| {}).unwrap().nodes;
    assert_eq!(bench(&Dir::new(), &["bench", "6"]).0, nodes);
}

#[test]
fn bench_accepts_its_arguments() {
    let dir = Dir::new();
    assert!(bench(&dir, &["bench", "4", "2", "4"]).0 > 1000);
    for invalid in [&["bench", "x"][..], &["bench", "0"], &["bench", "4", "0"], &["bench", "4", "1", "0"]] {
        let output = run(invalid);
        assert!(!output.status.success() && !output.stderr.is_empty() && output.stdout.is_empty(), "{invalid:?}");
    }
}
