//! Options that name files: unusual paths, files that cannot be written, restricted mode.

use crate::common::positions::uci::QUEEN_AGAINST_KING;
use crate::common::tables::{WDL, constant};
use crate::common::{Dir, Engine};

/// Returns a table of king and queen against king with a win for White and a loss for Black in all positions.
fn queen_wins() -> Vec<u8> {
    constant(WDL, 5, 4, 0)
}

/// On Linux, a path may contain any byte, such as é in Latin-1.
#[cfg(target_os = "linux")]
#[test]
fn paths_need_not_be_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = Dir::new();
    let folder = dir.path().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("KQvK.rtbw"), queen_wins()).unwrap();
    std::fs::write(folder.join("book.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap();
    let mut engine = Engine::start();
    let mut answers = |command: &str, name: &str| {
        engine.send_bytes(&[command.as_bytes(), folder.join(name).as_os_str().as_bytes(), b"\n"].concat());
        format!("{:?}", engine.ready())
    };
    assert_eq!(answers("setoption name Debug Log File value ", "session.log"), "[]");
    let found = answers("setoption name SyzygyPath value ", "");
    assert!(found.contains("1 WDL"), "{found}");
    let missing = answers("setoption name Book File value ", "no.bin");
    assert!(missing.contains("caf\u{fffd}/no.bin' cannot be read: no such file"), "{missing}");
    let log = std::fs::read(folder.join("session.log")).unwrap();
    assert!(log.windows(11).any(|bytes| bytes == b"caf\xe9/no.bin"), "{}", log.escape_ascii());
    engine.quit();

    let line = [b"genfens 1 seed 1 book ", folder.join("book.epd").as_os_str().as_bytes()].concat();
    let output = crate::common::command(&Dir::new(), &[]).arg(OsStr::from_bytes(&line)).arg("quit").output().unwrap();
    assert!(output.stdout.starts_with(b"info string genfens "), "{output:?}");
}

/// F61: official-stockfish/Stockfish#1275.
#[test]
fn multi_pv_with_tablebases_plays_legal_moves() {
    let dir = Dir::new();
    dir.file("KQvK.rtbw", queen_wins());
    let path = dir.path().to_str().unwrap().to_owned();
    let mut engine = Engine::with(dir, &[]);
    engine.warning(&format!("setoption name SyzygyPath value {path}"));
    for lines in [1, 3, 20, 256] {
        engine.set("MultiPV", lines);
        for go in ["depth 3", "nodes 500", "depth 2 searchmoves b1b7 a1a2"] {
            engine.search(QUEEN_AGAINST_KING, go);
        }
    }
    engine.quit();
}

#[test]
fn failed_debug_log_can_be_retried() {
    let dir = Dir::new();
    let path = dir.path().join("logs").join("session.log");
    let mut engine = Engine::start();
    let line = format!("setoption name Debug Log File value {}", path.display());
    assert!(engine.warning(&line).contains("cannot log to"));
    std::fs::create_dir(dir.path().join("logs")).unwrap();
    engine.send_silent(&line);
    // Setting the same file again continues the log.
    engine.send_silent(&line);
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("< setoption name Debug Log File"), "{log}");
    engine.quit();
}

#[test]
fn restricted_mode_rejects_file_options() {
    let dir = Dir::new();
    dir.file("book.bin", [0; 16]);
    dir.file("openings.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n");
    let mut engine = Engine::with(dir, &["--restricted"]);
    for line in [
        "setoption name Book File value book.bin",
        "setoption name syzygypath value .",
        "setoption name Debug Log File value session.log",
        "genfens 1 seed 1 book openings.epd",
    ] {
        assert!(engine.warning(line).contains("(restricted mode)"), "{line}");
    }
    engine.set("Hash", 4);
    engine.assert_alive();
    engine.quit();
}
