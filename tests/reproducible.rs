//! With one thread, equal input gives equal results: node counts, lines, the fingerprint of the benchmark.

mod common;

use common::search::Found;
use common::{Dir, Engine, run, run_in, text};

const GAME: &str = "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
const MIDDLEGAME: &str = "fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

/// What must be equal; times differ.
fn essence(found: &Found) -> Vec<String> {
    let lines = found.infos.iter().map(|i| format!("{} {} {:?} {} {:?}", i.depth, i.seldepth, i.score, i.nodes, i.pv));
    lines.chain([format!("{:?} {:?}", found.best, found.ponder)]).collect()
}

#[test]
fn equal_after_a_new_game_at_any_number_of_nodes() {
    let mut engine = Engine::start();
    let mut nodes = 150;
    for _ in 0..20 {
        let mut runs = Vec::new();
        for new_game in ["ucinewgame", "ucinewgame", "setoption name Clear Hash"] {
            engine.quiet(new_game);
            let go = format!("nodes {nodes}");
            let both = [engine.search(GAME, &go), engine.search(MIDDLEGAME, &go)];
            for found in &both {
                assert!(found.last().nodes <= nodes + 2, "{nodes} wanted, {:?}", found.last());
            }
            runs.push(both.iter().flat_map(essence).collect::<Vec<_>>());
        }
        assert_eq!(runs[0], runs[1], "nodes {nodes}");
        assert_eq!(runs[0], runs[2], "nodes {nodes}, Clear Hash");
        nodes = nodes * 3 / 2;
    }
    engine.quit();
}

#[test]
fn equal_in_a_fresh_process_and_at_any_hash_that_was_set_before() {
    let mut first = Engine::start();
    let mut second = Engine::start();
    for line in ["setoption name Hash value 64", "setoption name Threads value 4", "setoption name MultiPV value 3"] {
        second.quiet(line);
    }
    second.search(GAME, "depth 6");
    for line in ["setoption name MultiPV value 1", "setoption name Threads value 1", "setoption name Hash value 16"] {
        second.quiet(line);
    }
    second.quiet("ucinewgame");
    assert_eq!(essence(&first.search(GAME, "depth 9")), essence(&second.search(GAME, "depth 9")));
    first.quit();
    second.quit();
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
fn the_bench_is_a_fingerprint() {
    let dir = Dir::new();
    let (nodes, printed) = bench(&dir, &["bench", "8"]);
    assert_eq!(printed.lines().count(), 1, "only the result goes to stdout: {printed}");
    assert_eq!(bench(&dir, &["bench", "8"]).0, nodes, "the second time");
    // The engine's own bench is the same, whatever was searched and set before.
    let mut engine = Engine::start();
    engine.search(GAME, "depth 6");
    engine.quiet("setoption name Skill Level value 3");
    assert_eq!(engine.bench(8), nodes);
    engine.quit();
    // Another search has another fingerprint: were it not so, the number would say nothing.
    let changed = bench(&dir, &["bench", "8", "--set", "null_move=false"]).0;
    assert_ne!(changed, nodes);
    let mut engine = Engine::with(Dir::new(), &["--set", "null_move=false"]);
    assert_eq!(engine.bench(8), changed);
    engine.quit();
    dir.file("engine.toml", "[search]\nnull_move = false\n");
    assert_ne!(bench(&dir, &["bench", "8"]).0, nodes);
}

/// Built with other checks, the same program must search the same tree: what the checks do must have no effect.
#[test]
fn the_library_of_this_test_and_the_program_agree() {
    use aspirant::tools::bench::{BenchRequest, run};
    let request = BenchRequest { depth: 7, ..BenchRequest::default() };
    let inside = run(&request, &std::sync::atomic::AtomicBool::new(false), &mut |_| {}).unwrap().nodes;
    assert_eq!(bench(&Dir::new(), &["bench", "7"]).0, inside);
}

#[test]
fn bench_takes_its_arguments() {
    let dir = Dir::new();
    assert!(bench(&dir, &["bench", "4", "2", "4"]).0 > 1000);
    for wrong in [&["bench", "x"][..], &["bench", "0"], &["bench", "4", "0"], &["bench", "4", "1", "0"]] {
        let output = run(wrong);
        assert!(!output.status.success() && !output.stderr.is_empty() && output.stdout.is_empty(), "{wrong:?}");
    }
}
