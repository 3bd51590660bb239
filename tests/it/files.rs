//! Options that name files: unusual paths, files that cannot be written, restricted mode.

use crate::common::{Dir, Engine};

/// On Linux, a path may contain any byte, such as é in Latin-1.
#[cfg(target_os = "linux")]
#[test]
fn paths_need_not_be_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use crate::common::tables::{WDL, constant};

    let dir = Dir::new();
    let folder = dir.path().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("KQvK.rtbw"), constant(WDL, 5, 4, 0)).unwrap();
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
fn debug_log_has_a_header_for_each_session() {
    let dir = Dir::new();
    let path = dir.path().join("session.log");
    for sessions in 1..=2 {
        let mut engine = Engine::start();
        engine.send_silent(&format!("setoption name Debug Log File value {}", path.display()));
        engine.ready();
        engine.quit();
        let log = std::fs::read_to_string(&path).unwrap();
        let headers: Vec<&str> = log.lines().filter(|line| line.starts_with("# Aspirant debug log: ")).collect();
        assert_eq!(headers.len(), sessions, "{log}");
        let last = headers[sessions - 1];
        assert!(last.contains(env!("CARGO_PKG_VERSION")) && last.contains(", process "), "{last}");
        let answer = log.lines().rfind(|line| line.ends_with(" > readyok")).unwrap();
        assert!(
            answer.len() == "hh:mm:ss.mmm > readyok".len()
                && answer.as_bytes()[2] == b':'
                && answer.as_bytes()[8] == b'.',
            "{answer}"
        );
    }
    dir.file("other.txt", "# not a log\n");
    let mut engine = Engine::start();
    let line = format!("setoption name Debug Log File value {}", dir.path().join("other.txt").display());
    assert!(engine.warning(&line).contains("not a log of this engine"));
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
