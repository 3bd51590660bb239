//! Syzygy tablebases through UCI: paths, damaged files, scores and conversion.
//!
//! Tests of files use constant tables of 80 bytes made here. Tests of play use the 3-piece tables of `tests/data`.

use std::path::{Path, PathBuf};

use crate::common::grammar::{Line, Score};
use crate::common::positions::uci::QUEEN_AGAINST_KING;
use crate::common::search::Root;
use crate::common::tables::{DTZ, WDL, constant};
use crate::common::{Dir, Engine, LIMIT, data_path, run_in, text};

const KQVK_LOST: &str = "fen 8/8/8/3k4/8/8/8/KQ6 b - - 0 1";

/// Writes constant tables: queen and rook win, bishop and knight draw.
fn small_tables(dir: &Dir) -> PathBuf {
    for (name, piece, white, black) in [("KQvK", 5, 4, 0), ("KRvK", 4, 4, 0), ("KBvK", 3, 2, 2), ("KNvK", 2, 2, 2)] {
        dir.file(&format!("{name}.rtbw"), constant(WDL, piece, white, black));
    }
    dir.path().to_path_buf()
}

fn with_tables(path: &Path) -> Engine {
    let mut engine = Engine::start();
    let warning = engine.warning(&format!("setoption name SyzygyPath value {}", path.display()));
    assert!(warning.contains("WDL"), "{warning}");
    engine
}

/// Yoshie2000/PlentyChess#314; official-stockfish/Stockfish#3424; official-stockfish/Stockfish#2365.
#[test]
fn syzygy_paths_of_any_form_are_survived() {
    let dir = Dir::new();
    let path = small_tables(&dir);
    std::fs::create_dir(dir.path().join("é русский")).unwrap();
    std::fs::copy(dir.path().join("KQvK.rtbw"), dir.path().join("é русский/KQvK.rtbw")).unwrap();
    let (path, long) = (path.display().to_string(), "x".repeat(4096));
    let mut engine = Engine::start();
    for empty in ["", "<empty>"] {
        engine.send_silent(&format!("setoption name SyzygyPath value {empty}"));
    }
    engine.send_silent("setoption name SyzygyPath");
    let many = format!("{path};").repeat(1000);
    let missing: String = (0..64).map(|i| format!("/{i};")).collect();
    for (value, part) in [
        (";;", "none found"),
        (" ; ", "none found"),
        ("/", "none found"),
        #[cfg(unix)]
        ("/dev/zero", "none found in '/dev/zero'; ignored: '/dev/zero': not a directory"),
        ("/no/such/folder", "no such file or directory"),
        ("\u{7f}", "none found"),
        ("..", "none found"),
        ("C:\\t", "none found"),
        (&long, "none found"),
        (&path, "4 WDL and 0 DTZ files, up to 3 pieces"),
        (&format!("{path};"), "4 WDL"),
        (&format!(";{path}"), "4 WDL"),
        (&format!("{path}/"), "4 WDL"),
        (&format!("/no/such/folder;{path}"), "ignored: '/no/such/folder'"),
        (&format!("{path}/é русский"), "1 WDL and 0 DTZ files"),
        (&many, "4 WDL"),
        // 64 directories are searched; one more is an error.
        (
            &format!("{}{path}", &missing[3..]),
            "4 WDL and 0 DTZ files, up to 3 pieces; ignored: '/1': no such file or directory (and 62 more)",
        ),
        (&format!("{missing}{path}"), "none found"),
        (
            &format!("{path};{missing}"),
            "4 WDL and 0 DTZ files, up to 3 pieces; ignored: '/0': no such file or directory (and 63 more)",
        ),
    ] {
        let warning = engine.warning(&format!("setoption name SyzygyPath value {value}"));
        assert!(warning.contains(part), "{value}: {warning}");
        assert!(engine.search(QUEEN_AGAINST_KING, "depth 3").best.is_some());
    }
    if cfg!(unix) {
        let warning = engine.warning(&format!("setoption name SyzygyPath value /no/such/folder:{path}:"));
        assert!(warning.contains("4 WDL"), "{warning}");
    }
    engine.quit();
}

#[test]
fn probes_are_counted_as_tbhits() {
    let dir = Dir::new();
    let mut engine = with_tables(&small_tables(&dir));
    let hits = |engine: &mut Engine, position: &str| {
        engine.send_silent("ucinewgame");
        engine.search(position, "depth 6").last().tbhits
    };
    assert!(hits(&mut engine, QUEEN_AGAINST_KING) > 0);
    assert_eq!(hits(&mut engine, "startpos"), 0);
    // Tablebases exclude castling rights; these tables have three pieces.
    assert_eq!(hits(&mut engine, "fen 8/8/8/3k4/8/8/8/4K2R w K - 0 1"), 0);
    assert_eq!(hits(&mut engine, "fen 8/8/8/3kr3/8/8/8/KQ6 w - - 5 1").min(1), 1, "probed after a capture");
    engine.send_silent("setoption name SyzygyProbeLimit value 2");
    assert_eq!(hits(&mut engine, QUEEN_AGAINST_KING), 0);
    engine.send_silent("setoption name SyzygyProbeLimit value 0");
    assert_eq!(hits(&mut engine, QUEEN_AGAINST_KING), 0);
    engine.quit();
}

#[test]
fn tablebase_results_are_scored_and_kept() {
    let dir = Dir::new();
    let mut engine = with_tables(&small_tables(&dir));
    let score = |engine: &mut Engine, position: &str| engine.search(position, "depth 1").score();
    let is_won =
        |score: Score| matches!(score, Score::Cp(cp) if cp > 10_000) || matches!(score, Score::Mate(n) if n > 0);
    let is_lost =
        |score: Score| matches!(score, Score::Cp(cp) if cp < -10_000) || matches!(score, Score::Mate(n) if n < 0);
    assert!(is_won(score(&mut engine, QUEEN_AGAINST_KING)));
    assert!(is_lost(score(&mut engine, KQVK_LOST)));
    assert_eq!(score(&mut engine, "fen 8/8/8/3k4/8/8/8/KB6 w - - 0 1"), Score::Cp(0));
    // The rook on e4 is attacked: only moves that keep it are searched.
    for _ in 0..3 {
        let found = engine.search("fen 8/8/8/3k4/4R3/8/8/K7 w - - 0 1", "depth 4");
        assert!(found.best().starts_with("e4") && is_won(found.score()), "{found:?}");
    }
    // Black to move takes it.
    let found = engine.search("fen 8/8/8/3k4/4R3/8/8/K7 b - - 0 1", "depth 2");
    assert_eq!((found.best(), found.score()), ("d5e4", Score::Cp(0)));
    // MultiPV lists every root move, better results first. official-stockfish/Stockfish#1275.
    engine.send_silent("setoption name MultiPV value 256");
    let found = engine.search("fen 8/8/8/3k4/4R3/8/8/K7 w - - 0 1", "depth 3");
    let set = found.multi_pv();
    assert!(set.len() > 10 && is_won(set[0].score) && set[set.len() - 1].score == Score::Cp(0), "{set:?}");
    assert_eq!(engine.search(QUEEN_AGAINST_KING, "depth 2 searchmoves b1b7 a1a2").multi_pv().len(), 2);
    engine.send_silent("setoption name MultiPV value 1");
    // `searchmoves` is respected even if it gives the win away.
    let found = engine.search("fen 8/8/8/3k4/4R3/8/8/K7 w - - 0 1", "depth 3 searchmoves a1a2");
    assert_eq!((found.best(), found.score()), ("a1a2", Score::Cp(0)));
    engine.quit();
}

/// official-stockfish/Stockfish#1911, LeelaChessZero/lc0#690.
#[test]
fn damaged_files_are_reported_once() {
    let valid = constant(WDL, 5, 4, 0);
    let mut cases: Vec<(String, Vec<u8>)> = vec![
        ("zeroed".into(), vec![0; 80]),
        ("ones".into(), vec![0xff; 80]),
        ("cut to the header".into(), valid[..16].to_vec()),
        ("another table".into(), constant(WDL, 4, 4, 0)),
        ("DTZ inside".into(), constant(DTZ, 5, 4, 0)),
    ];
    for at in 0..14 {
        for bit in [0x01, 0x80, 0xff] {
            let mut bytes = valid.clone();
            bytes[at] ^= bit;
            cases.push((format!("byte {at} ^ {bit:02x}"), bytes));
        }
    }
    let dir = Dir::new();
    let path = small_tables(&dir);
    let mut engine = Engine::start();
    // Panics inside the tablebase reader are caught and printed on stderr.
    engine.allow_stderr = true;
    for (damage, bytes) in cases {
        dir.file("KQvK.rtbw", bytes);
        engine.warning(&format!("setoption name SyzygyPath value {}", path.display()));
        engine.send_silent("ucinewgame");
        let found = engine.search(QUEEN_AGAINST_KING, "depth 4");
        let is_unreadable = ["zeroed", "ones", "another table"].contains(&damage.as_str());
        let expected = if is_unreadable { 1..=1 } else { 0..=1 };
        assert!(expected.contains(&found.strings.len()), "{damage}: {:?}", found.strings);
        assert!(found.strings.iter().all(|text| text.starts_with("tablebases: ")), "{damage}: {:?}", found.strings);
        let again = engine.search(KQVK_LOST, "depth 4");
        assert!(found.strings.is_empty() || again.strings.is_empty(), "{damage}: reported twice");
    }
    // An impossible file size is reported when the path is set.
    dir.file("KQvK.rtbw", &valid[..79]);
    let warning = engine.warning(&format!("setoption name SyzygyPath value {}", path.display()));
    assert!(warning.contains("3 WDL") && warning.contains("unexpected file size"), "{warning}");
    engine.assert_alive();
    engine.quit();
}

#[test]
fn epd_reports_a_damaged_file() {
    let dir = Dir::new();
    dir.file("KQvK.rtbw", vec![0; 80]);
    dir.file("suite.epd", "8/8/8/3k4/8/8/8/KQ6 w - - bm Kb2;\n");
    let output = run_in(&dir, &["epd", "suite.epd", "--nodes", "1000", "--set", "syzygy_path=."]);
    assert!(output.status.success() && text(&output.stderr).contains("not a Syzygy file"), "{output:?}");
}

/// Three file descriptors remain for the files of all tablebases.
#[cfg(unix)]
#[test]
fn more_tablebases_than_file_descriptors_can_be_probed() {
    let path = data_path("syzygy");
    let dir = Dir::new();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 6; exec \"$0\"", env!("CARGO_BIN_EXE_aspirant")]).current_dir(dir.path());
    let mut engine = Engine::run(dir, command);
    // Setting the path again needs a file descriptor, too.
    for _ in 0..2 {
        let warning = engine.warning(&format!("setoption name SyzygyPath value {}", path.display()));
        assert!(warning.contains("5 WDL and 5 DTZ files"), "{warning}");
        for fen in ["8/8/8/3k4/8/8/3P4/3K4 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"]
        {
            let found = engine.search(&format!("fen {fen}"), "depth 2");
            assert!(found.strings.is_empty() && found.last().tbhits > 0, "{fen}: {found:?}");
        }
    }
    engine.quit();
}

#[test]
fn a_tablebase_draw_has_draw_probability_1() {
    let dir = Dir::new();
    let mut engine = with_tables(&small_tables(&dir));
    engine.send_silent("setoption name UCI_ShowWDL value true");
    let found = engine.search("fen 8/8/8/3k4/8/8/8/KB6 w - - 0 1", "depth 2");
    assert_eq!(found.last().wdl, Some([0, 1000, 0]));
    let found = engine.search(KQVK_LOST, "depth 2");
    assert_eq!(found.last().wdl, Some([0, 0, 1000]));
    engine.quit();
}

#[test]
fn missing_table_gives_no_tbhits() {
    let dir = Dir::new();
    dir.file("KQvK.rtbw", constant(WDL, 5, 4, 0));
    let mut engine = with_tables(dir.path());
    let found = engine.search("fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1", "depth 6");
    assert_eq!((found.last().tbhits, found.strings.len()), (0, 0));
    // Changing the path during a search.
    engine.send(&format!("position {QUEEN_AGAINST_KING}"));
    engine.send("go infinite");
    engine.send("setoption name SyzygyPath value /no/such/folder");
    engine.until(LIMIT, "warning", |line| matches!(line, Line::InfoString(text) if text.contains("none found")));
    engine.send("stop");
    engine.answer(&Root::new(QUEEN_AGAINST_KING), LIMIT);
    engine.quit();
}

#[test]
fn real_tables_score_wins_and_draws() {
    let mut engine = with_tables(&data_path("syzygy"));
    for (fen, won) in [
        ("8/8/8/8/8/8/2R5/k1K5 w - - 0 1", true),
        ("8/8/8/8/3k4/8/8/KQ6 b - - 0 1", false),
        ("8/8/8/8/8/3k4/3P4/3K4 w - - 0 1", false),
        ("3k4/8/3K4/3P4/8/8/8/8 w - - 0 1", true),
        // Cursed wins: the fifty-move rule ends the game before mate.
        ("8/8/8/3k4/8/8/8/KR6 w - - 90 60", false),
    ] {
        let found = engine.search(&format!("fen {fen}"), "depth 2");
        let is_won = matches!(found.score(), Score::Cp(cp) if cp > 10_000) || matches!(found.score(), Score::Mate(1..));
        assert_eq!(is_won, won, "{fen}: {found:?}");
    }
    engine.quit();
}

/// codedeliveryservice/Reckless#1027. Wins must be converted even from repeated positions, which tables cannot see.
#[test]
fn real_tables_mate_before_the_fifty_move_draw() {
    let mut engine = with_tables(&data_path("syzygy"));
    for (fen, opening) in [
        ("8/8/8/3k4/8/8/8/KR6 w - - 0 1", ""),
        ("8/8/8/3k4/8/8/8/KR6 w - - 0 1", "b1b2 d5d4 b2b1 d4d5"),
        ("8/8/8/3k4/8/8/8/KQ6 w - - 40 30", "b1b2 d5d6 b2b1 d6d5"),
    ] {
        let mut line = String::from(opening);
        let end = loop {
            let position = format!("fen {fen} moves {line}");
            let root = Root::new(&position);
            if root.is_over() {
                break root;
            }
            let found = engine.search(position.trim_end(), "nodes 400");
            line = format!("{line} {}", found.best());
        };
        assert!(shakmaty::Position::is_checkmate(&end.chess), "{fen}: {line}");
    }
    engine.quit();
}
