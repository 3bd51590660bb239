//! Checks the effect of every UCI option; an option without a check fails the test.

use std::path::Path;

use crate::common::books::small_book;
use crate::common::grammar::Score;
use crate::common::positions::uci::{KIWIPETE, QUEEN_AGAINST_KING};
use crate::common::search::SearchOutput;
use crate::common::tables::{WDL, constant};
use crate::common::{Dir, Engine};
use aspirant::config::options::OPTIONS;
use aspirant::config::strength::Strength;

/// kjljixx/Aurora-Chess-Engine#10.
#[test]
fn invalid_option_values_print_one_warning() {
    let mut engine = Engine::start();
    for line in [
        "Hash value 0",
        "Hash value 1e30",
        "Hash value ١٦",
        "Hash valu 16",
        "Hash value 0.15 min 0 max 1",
        "Hash value 16 min 1",
        "Threads value 2 x",
        "Ponder value true default",
        "MultiPV value 1.0",
        &format!("{} value 1", "x".repeat(5000)),
        "",
    ] {
        engine.warning(&format!("setoption name {line}"));
    }
    engine.assert_alive();
    engine.quit();
}

const KQVKR: &str = "fen 8/8/8/3kr3/8/8/8/KQ6 w - - 5 1";

#[test]
fn every_option_does_what_it_says() {
    for row in OPTIONS {
        let mut engine = Engine::start();
        match row.name {
            "Hash" => hash(&mut engine),
            "Clear Hash" => clear_hash(&mut engine),
            "Threads" => threads(&mut engine),
            "Move Overhead" => move_overhead(&mut engine),
            "UCI_ShowWDL" => show_wdl(&mut engine),
            "UCI_AnalyseMode" => analyse_mode(&mut engine),
            "Best Book Move" => best_book_move(&mut engine),
            "SyzygyProbeDepth" => syzygy_probe_depth(&mut engine),
            "Syzygy50MoveRule" => syzygy_50_move_rule(&mut engine),
            "Skill Level" => skill_level(&mut engine),
            "Skill Seed" => skill_seed(),
            "Minimal" => minimal(&mut engine),
            "Debug Log File" => debug_log_file(&mut engine),
            // Checked in `stop`, `play`, `book`, `tablebase` and `strength`.
            "Ponder" | "MultiPV" | "UCI_Chess960" | "OwnBook" | "Book File" | "Book Depth" | "Book Seed"
            | "SyzygyPath" | "SyzygyProbeLimit" | "UCI_LimitStrength" | "UCI_Elo" => {}
            unknown => panic!("option {unknown} has no check in this test"),
        }
        engine.quit();
    }
}

fn fresh(engine: &mut Engine, position: &str, go: &str) -> SearchOutput {
    engine.send_silent("ucinewgame");
    engine.search(position, go)
}

fn hash(engine: &mut Engine) {
    let mut full = |megabytes| {
        engine.set("Hash", megabytes);
        fresh(engine, KIWIPETE, "nodes 40000").last().hashfull
    };
    let (large, small) = (full(64), full(1));
    assert!(small > 4 * large, "hashfull {small} of 1 MB, {large} of 64 MB");
}

fn clear_hash(engine: &mut Engine) {
    let mut nodes = || engine.search(KIWIPETE, "depth 7").last().nodes;
    let (first, again) = (nodes(), nodes());
    engine.send_silent("setoption name Clear Hash");
    let cleared = engine.search(KIWIPETE, "depth 7").last().nodes;
    assert!(again < first && cleared == first, "{first}, then {again}, cleared {cleared}");
}

fn threads(engine: &mut Engine) {
    let single = fresh(engine, KIWIPETE, "depth 8").last().nodes;
    engine.set("Threads", 4);
    let parallel = fresh(engine, KIWIPETE, "depth 8").last().nodes;
    assert_ne!(single, parallel, "several threads search differently");
    engine.set("Threads", 1);
    assert_eq!(fresh(engine, KIWIPETE, "depth 8").last().nodes, single);
}

fn move_overhead(engine: &mut Engine) {
    engine.set("Move Overhead", 5000);
    let found = engine.search("startpos", "movetime 5001");
    assert!(found.last().time < 2500, "{:?}", found.last());
}

fn show_wdl(engine: &mut Engine) {
    assert!(engine.search("startpos", "depth 6").infos.iter().all(|info| info.wdl.is_none()));
    engine.set("UCI_ShowWDL", true);
    // The driver checks the sum.
    assert!(engine.search("startpos", "depth 6").infos.iter().all(|info| info.wdl.is_some()));
}

/// Current moves, and bounds of failed aspiration windows.
fn analyse_mode(engine: &mut Engine) {
    let count =
        |found: SearchOutput| (found.current_moves, found.infos.iter().filter(|info| info.bound.is_some()).count());
    assert_eq!(count(engine.search(KIWIPETE, "depth 9")), (0, 0));
    engine.set("UCI_AnalyseMode", true);
    let (current_moves, bounds) = count(fresh(engine, KIWIPETE, "depth 9"));
    assert!(current_moves > 0 && bounds > 0, "{current_moves} current moves, {bounds} bounds");
}

/// Sets a book with 1. e4 (weight 3), 1. d4 (weight 1) and 1... e5.
fn with_book(engine: &mut Engine) -> Dir {
    let dir = Dir::new();
    engine.set("Book File", dir.file("book.bin", small_book()).display());
    engine.set("OwnBook", true);
    dir
}

fn best_book_move(engine: &mut Engine) {
    let _dir = with_book(engine);
    engine.set("Best Book Move", true);
    assert!((0..20).all(|_| engine.search("startpos", "movetime 30").best() == "e2e4"));
}

/// Sets a table of king and queen against king with these constant values (see `constant`).
fn with_table(engine: &mut Engine, white: u8, black: u8) -> Dir {
    let dir = Dir::new();
    dir.file("KQvK.rtbw", constant(WDL, 5, white, black));
    let warning = engine.warning(&format!("setoption name SyzygyPath value {}", dir.path().display()));
    assert!(warning.contains("1 WDL"), "{warning}");
    dir
}

fn syzygy_probe_depth(engine: &mut Engine) {
    let _dir = with_table(engine, 4, 0);
    for (depth, probed) in [(1, true), (100, false)] {
        engine.set("SyzygyProbeDepth", depth);
        assert_eq!(fresh(engine, KQVKR, "depth 6").last().tbhits > 0, probed, "{depth}");
    }
}

fn syzygy_50_move_rule(engine: &mut Engine) {
    let _dir = with_table(engine, 3, 1);
    let mut is_won = |rule: bool| {
        engine.set("Syzygy50MoveRule", rule);
        matches!(fresh(engine, QUEEN_AGAINST_KING, "depth 1").score(), Score::Cp(10_000..) | Score::Mate(1..))
    };
    assert!(!is_won(true) && is_won(false));
    // TT entries with tablebase scores of the former rule are not used.
    engine.set("Syzygy50MoveRule", true);
    fresh(engine, KQVKR, "depth 10");
    engine.set("Syzygy50MoveRule", false);
    let continued = engine.search(KQVKR, "depth 6").score();
    assert_eq!(continued, fresh(engine, KQVKR, "depth 6").score());
}

fn skill_level(engine: &mut Engine) {
    for level in [0, 7] {
        engine.set("Skill Level", level);
        let budget = Strength::from_skill_level(level).expect("not full strength").nodes;
        let nodes = fresh(engine, KIWIPETE, "movetime 60000").last().nodes;
        assert!(nodes <= budget, "{level}: {nodes} nodes of {budget}");
    }
    engine.set("Skill Level", 20);
    assert!(fresh(engine, KIWIPETE, "nodes 100000").last().nodes > 50_000);
}

fn skill_seed() {
    let searches = |engine: &mut Engine, seed: u32| -> Vec<Score> {
        engine.set("Skill Seed", seed);
        ["e2e4", "d2d4", "c2c4"].map(|m| engine.search(&format!("startpos moves {m}"), "movetime 9999").score()).into()
    };
    let start = || {
        let mut engine = Engine::start();
        engine.set("Skill Level", 0);
        engine
    };
    let (mut one, mut other) = (start(), start());
    let scores = searches(&mut one, 3);
    assert_eq!(searches(&mut other, 3), scores);
    // A new seed clears the TT, whose scores contain the noise of the previous one.
    let other_scores = searches(&mut one, 4);
    assert!(other_scores != scores && searches(&mut one, 3) == scores && searches(&mut start(), 4) == other_scores);
    one.quit();
    other.quit();
}

fn minimal(engine: &mut Engine) {
    engine.set("Minimal", true);
    engine.set("UCI_AnalyseMode", true);
    let found = engine.search(KIWIPETE, "depth 6");
    assert_eq!((found.infos.len(), found.last().depth, found.current_moves), (1, 6, 0));
    engine.set("MultiPV", 3);
    // A stopped search prints the last complete set and possibly a better move found since.
    for nodes in (1000..3000).step_by(100) {
        let found = engine.search(KIWIPETE, &format!("nodes {nodes}"));
        assert!((3..=4).contains(&found.infos.len()), "{found:?}");
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn debug_log_file(engine: &mut Engine) {
    let dir = Dir::new();
    let path = dir.path().join("a log.txt");
    engine.set("Debug Log File", path.display());
    engine.search("startpos", "depth 2");
    let log = read(&path);
    for part in
        ["# Aspirant debug log", " < position startpos\n", " < go depth 2\n", " > info depth 2 ", " > bestmove "]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    engine.set("Debug Log File", "<empty>");
    let length = read(&path).len();
    engine.ready();
    assert_eq!(read(&path).len(), length);
    // Appended, not truncated.
    engine.set("Debug Log File", path.display());
    let longer = read(&path);
    assert!(longer.starts_with(&log) && longer.len() > length);
    engine.set("Debug Log File", "<empty>");
    other_files_are_unchanged(engine, &dir);
}

/// A file that is not an engine log is rejected with a warning and stays unchanged.
fn other_files_are_unchanged(engine: &mut Engine, dir: &Dir) {
    let other = dir.file("game.pgn", "1. e4 e5 *\n");
    let empty = dir.file("empty", "");
    let binary = dir.file("binary", [0xff, 0, 0x0a, 0x80]);
    let missing = dir.path().join("no/such/folder/log");
    let mut invalid = vec![other.clone(), empty.clone(), binary.clone(), missing.clone(), dir.path().into()];
    if cfg!(unix) {
        let (pipe, link) = (dir.path().join("pipe"), dir.path().join("link"));
        std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&other, &link).expect("a link");
        invalid.extend([pipe, link, "/dev/null".into()]);
    }
    for path in invalid {
        let warning = engine.warning(&format!("setoption name Debug Log File value {}", path.display()));
        assert!(warning.starts_with("cannot log to "), "{}: {warning}", path.display());
        engine.search("startpos", "depth 1");
    }
    assert_eq!((read(&other).as_str(), read(&empty).as_str(), missing.exists()), ("1. e4 e5 *\n", "", false));
    assert_eq!(std::fs::read(&binary).unwrap(), [0xff, 0, 0x0a, 0x80]);
}
