//! The opening book through UCI: valid and invalid files, and which searches are answered from it.

use crate::common::books::{D2D4, E2E4, E7E5, START, book, small_book};
use crate::common::grammar::Line;
use crate::common::search::Root;
use crate::common::{Dir, Engine, LIMIT};

fn with_book(bytes: &[u8]) -> Engine {
    let dir = Dir::new();
    dir.file("small book.bin", bytes);
    let mut engine = Engine::with(dir, &[]);
    engine.send_silent("setoption name Book File value small book.bin");
    engine.send_silent("setoption name OwnBook value true");
    engine
}

#[test]
fn book_moves_are_played_only_with_a_clock() {
    let mut engine = with_book(&small_book());
    engine.send_silent("setoption name Best Book Move value true");
    for go in ["wtime 60000 btime 60000", "movetime 5000", "wtime 60000 btime 60000 winc 100 binc 100 movestogo 40"] {
        let found = engine.search("startpos", go);
        assert_eq!((found.best(), found.ponder.as_deref()), ("e2e4", Some("e7e5")), "{go}");
        assert_eq!((found.last().depth, found.last().nodes), (1, 1), "{go}");
    }
    let found = engine.search("startpos moves e2e4", "wtime 60000 btime 60000");
    assert_eq!((found.best(), found.ponder.as_deref()), ("e7e5", None));
    // Positions outside the book, and searches with limits other than a clock.
    for (position, go) in [
        ("startpos moves a2a3", "movetime 500"),
        ("startpos", "depth 3"),
        ("startpos", "nodes 500"),
        ("startpos", "depth 3 wtime 60000 btime 60000"),
        ("startpos", "movetime 500 searchmoves g1f3"),
        ("startpos", "mate 1 movetime 500"),
    ] {
        let found = engine.search(position, go);
        assert!(found.last().nodes > 1, "{position} {go}");
    }
    for go in ["infinite", "ponder wtime 60000 btime 60000"] {
        engine.send("position startpos");
        engine.send(&format!("go {go}"));
        engine.no_answer_for(std::time::Duration::from_millis(100));
        engine.send("stop");
        assert!(engine.answer(&Root::new("startpos"), LIMIT).last().nodes > 1, "{go}");
    }
    for option in ["OwnBook value false", "MultiPV value 2", "UCI_AnalyseMode value true", "Book File value <empty>"] {
        engine.send_silent(&format!("setoption name {option}"));
        assert!(!engine.is_from_book("startpos"), "{option}");
        engine.send_silent("setoption name OwnBook value true");
        engine.send_silent("setoption name MultiPV value 1");
        engine.send_silent("setoption name UCI_AnalyseMode value false");
        engine.send_silent("setoption name Book File value small book.bin");
    }
    engine.quit();
}

#[test]
fn book_choice_depends_only_on_the_seed() {
    let choices = |seed: u32| -> Vec<String> {
        let mut engine = with_book(&small_book());
        engine.send_silent(&format!("setoption name Book Seed value {seed}"));
        let choices = (0..24).map(|_| engine.search("startpos", "movetime 5000").best().to_owned()).collect();
        engine.quit();
        choices
    };
    let first = choices(1);
    assert_eq!(first, choices(1));
    assert_ne!(first, choices(2));
    assert!(first.iter().all(|m| m == "e2e4" || m == "d2d4"));
    assert!(first.contains(&"e2e4".into()) && first.contains(&"d2d4".into()), "{first:?}");
}

#[test]
fn book_depth_limits_the_move_number() {
    let mut engine = with_book(&book(&[(START, E2E4, 1)]));
    engine.send_silent("setoption name Book Depth value 3");
    let start = "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0";
    assert!(engine.is_from_book(&format!("{start} 3")));
    assert!(!engine.is_from_book(&format!("{start} 4")));
    engine.quit();
}

#[test]
fn invalid_books_are_reported_and_ignored() {
    let dir = Dir::new();
    dir.file("odd.bin", vec![0; 17]);
    dir.file("empty.bin", b"");
    dir.file("zero.bin", book(&[(START, E2E4, 0), (START, D2D4, 0)]));
    dir.file("illegal.bin", book(&[(START, E7E5, 9), (START, 0, 9), (START, 0xffff, 9)]));
    dir.file("noise.bin", (0..1600u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect::<Vec<u8>>());
    std::fs::create_dir(dir.path().join("folder.bin")).unwrap();
    let mut engine = Engine::with(dir, &[]);
    engine.send_silent("setoption name OwnBook value true");
    let long = "x".repeat(4096);
    for (path, part) in [
        ("odd.bin", "17 bytes are not a multiple of 16"),
        ("folder.bin", "not a regular file"),
        #[cfg(unix)]
        ("/dev/zero", "not a regular file"),
        ("/", "not a regular file"),
        ("missing.bin", "cannot be read: no such file or directory"),
        ("é/русский книга.bin", "cannot be read"),
        (&long, "cannot be read"),
    ] {
        let warning = engine.warning(&format!("setoption name Book File value {path}"));
        assert!(warning.contains(part), "{path}: {warning}");
        assert!(!engine.is_from_book("startpos"), "{path}");
    }
    for path in ["empty.bin", "zero.bin", "illegal.bin", "noise.bin", "", "<empty>"] {
        engine.send_silent(&format!("setoption name Book File value {path}"));
        assert!(!engine.is_from_book("startpos"), "{path}");
    }
    // During a search, too.
    engine.send("position startpos");
    engine.send("go infinite");
    engine.send("setoption name Book File value odd.bin");
    engine.until(LIMIT, "warning", |line| matches!(line, Line::InfoString(text) if text.contains("17 bytes")));
    engine.send("stop");
    engine.answer(&Root::new("startpos"), LIMIT);
    engine.quit();
}

#[test]
fn configured_book_is_opened_at_startup() {
    let dir = Dir::new();
    dir.file("small.bin", small_book());
    dir.file("engine.toml", "[options]\nown_book = true\nbook_file = \"small.bin\"\nbest_book_move = true\n");
    let mut engine = Engine::with(dir, &[]);
    assert_eq!(engine.search("startpos", "movetime 5000").best(), "e2e4");
    engine.quit();
    let dir = Dir::new();
    dir.file("engine.toml", "[options]\nown_book = true\nbook_file = \"gone.bin\"\n");
    let mut engine = Engine::with(dir, &[]);
    let warning = engine.warning("");
    assert!(warning.contains("gone.bin"), "{warning}");
    engine.assert_alive();
    engine.quit();
}
