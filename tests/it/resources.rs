//! Memory, threads and stack: allocated before they are needed, reduced and reported where the system refuses them.

use crate::common::Engine;
use crate::common::positions::knight_moves;
use crate::common::positions::uci::KIWIPETE;

/// lynx-chess/Lynx#1655; official-stockfish/Stockfish#3125.
#[cfg(target_os = "linux")]
#[test]
fn large_hash_is_allocated_before_the_first_go() {
    let mut engine = Engine::start();
    engine.ready();
    // Each thread may reserve 64 MB of addresses for its allocations.
    for megabytes in [512, 256] {
        let before = engine.virtual_memory();
        engine.set("Hash", megabytes);
        let allocated = engine.virtual_memory();
        assert!(allocated.abs_diff(before) > 200, "{megabytes} MB: {before} MB, then {allocated} MB");
        engine.send("ucinewgame");
        engine.ready();
        engine.search("startpos", "movetime 20");
        assert!(engine.virtual_memory() < allocated + 200, "{megabytes} MB: memory grew during the search");
    }
    engine.quit();
}

/// Matthies/RubiChess#484.
#[test]
fn sixteen_threads_answer() {
    let mut engine = Engine::start();
    engine.set("Threads", 16);
    for go in ["movetime 50", "wtime 500 btime 500", "nodes 1"] {
        engine.search("startpos", go);
    }
    engine.quit();
}

/// Starts the engine with this limit of the shell command `ulimit`.
#[cfg(unix)]
fn start_limited(limit: &str) -> Engine {
    let dir = crate::common::Dir::new();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("ulimit {limit}; exec \"$0\""), env!("CARGO_BIN_EXE_aspirant")]);
    command.current_dir(dir.path());
    Engine::run(dir, command)
}

/// official-stockfish/Stockfish#2563. Search threads allocate their own stacks.
#[cfg(unix)]
#[test]
fn main_thread_runs_with_512_kb_of_stack() {
    let mut engine = start_limited("-s 512");
    engine.search("fen 8/8/8/8/8/6k1/8/6K1 w - - 0 1", "depth 255");
    engine.search(&format!("startpos moves {}", knight_moves(3000)), "depth 8");
    engine.set("Threads", 4);
    engine.set("MultiPV", 5);
    engine.search(KIWIPETE, "depth 8");
    engine.allow_text = true;
    engine.output_of("d");
    engine.output_of("eval");
    engine.quit();
}

/// official-stockfish/Stockfish#36, Matthies/RubiChess#486. The same size can be requested again.
#[cfg(target_os = "linux")]
#[test]
fn unavailable_hash_size_is_reduced_and_reported() {
    let mut engine = start_limited("-v 500000");
    for _ in 0..2 {
        let warning = engine.warning("setoption name Hash value 100000");
        let allocated = warning.split_whitespace().find_map(|word| word.parse::<usize>().ok()).expect("a size");
        assert!((1..500).contains(&allocated), "{warning}");
        engine.search("startpos", "depth 6");
    }
    engine.set("Hash", 8);
    engine.assert_alive();
    engine.quit();
}

/// The same with search threads, each of which allocates memory of its own.
#[cfg(target_os = "linux")]
#[test]
fn unavailable_threads_are_reduced_and_reported() {
    for kilobytes in [300_000, 500_000, 700_000] {
        let mut engine = start_limited(&format!("-v {kilobytes}"));
        // Threads that could not be started are reported on stderr.
        engine.allow_stderr = true;
        for _ in 0..2 {
            let warning = engine.warning("setoption name Threads value 512");
            assert!(warning.contains("search threads"), "{warning}");
            engine.search("startpos", "depth 6");
            engine.send("ucinewgame");
            engine.search("startpos moves e2e4", "movetime 30");
        }
        engine.set("Threads", 1);
        engine.assert_alive();
        engine.quit();
    }
}
