//! Regression tests for failures of other engines that were reported publicly.
//!
//! F1 to F76 are the rows of the table in docs/reliability.md; `owner/repo#n` is a GitHub issue. Failures that need
//! fault injection are in tests/faults.rs.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::grammar::{Line, Score};
use crate::common::positions::{
    fen, knight_moves,
    uci::{BARE_KINGS, KIWIPETE, MANY_QUEENS, MATE_IN_1, MATED, MOST_MOVES, QUEEN_AGAINST_KING, STALEMATED},
};
use crate::common::search::Root;
use crate::common::tables::{DTZ, WDL, constant};
use crate::common::{Dir, Engine, LIMIT, SOON, data, lock_timing};

use aspirant::board::game::Game;
use aspirant::board::movegen::PackedMove;
use aspirant::board::position::{Position, parse_fen};
use aspirant::score::Bound;
use aspirant::search::memory::transposition::{TranspositionTable, TtEntry};
use shakmaty::Position as _;

/// Plays random legal moves; returns the game and the arguments of the `position` command.
fn random_walk(random: &mut fastrand::Rng, fen: &str, plies: usize) -> (Game, String) {
    let mut game = Game::new(parse_fen(fen).unwrap());
    let mode = game.position.chess().castles().mode();
    let mut text = format!("fen {fen} moves");
    for _ in 0..plies {
        let moves = game.position.chess().legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[random.usize(0..moves.len())];
        text = format!("{text} {}", m.to_uci(mode));
        game.play(m);
    }
    (game, text)
}

fn set(engine: &mut Engine, options: &[(&str, &str)]) {
    for (name, value) in options {
        engine.send_silent(&format!("setoption name {name} value {value}"));
    }
}

/// Sends a position, returns whether it was accepted; at most one warning is allowed and searches must be answered.
#[track_caller]
fn try_position(engine: &mut Engine, fen: &str) -> bool {
    engine.send(&format!("position fen {fen}"));
    let lines = engine.ready();
    let accepted = lines.is_empty();
    assert!(accepted || matches!(lines.as_slice(), [Line::InfoString(_)]), "{fen}: {lines:?}");
    for go in ["depth 3", "nodes 2000"] {
        engine.send(&format!("go {go}"));
        engine.until(LIMIT, "bestmove", |line| matches!(line, Line::BestMove { .. }));
    }
    engine.discard_answers();
    engine.assert_alive();
    accepted
}

/// F8: lynx-chess/Lynx#1655; F9: official-stockfish/Stockfish#3125.
#[cfg(target_os = "linux")]
#[test]
fn large_hash_is_allocated_before_the_first_go() {
    let mut engine = Engine::start();
    engine.ready();
    for megabytes in [128, 64] {
        let before = engine.virtual_memory();
        set(&mut engine, &[("Hash", &megabytes.to_string())]);
        let allocated = engine.virtual_memory();
        assert!(allocated.abs_diff(before) > 32, "{megabytes} MB: {before} MB, then {allocated} MB");
        engine.send("ucinewgame");
        engine.send("isready");
        engine.until(SOON, "readyok", |line| *line == Line::ReadyOk);
        engine.send("position startpos");
        engine.send("go movetime 20");
        engine.answer(&Root::new("startpos"), SOON);
        assert!(engine.virtual_memory() < allocated + 32, "{megabytes} MB: memory grew during the search");
    }
    engine.quit();
}

/// F10: Matthies/RubiChess#484.
#[test]
fn sixteen_threads_answer_in_time() {
    let mut engine = Engine::start();
    set(&mut engine, &[("Threads", "16")]);
    for go in ["movetime 50", "wtime 500 btime 500", "nodes 1"] {
        engine.send("position startpos");
        engine.send(&format!("go {go}"));
        engine.answer(&Root::new("startpos"), SOON);
    }
    engine.quit();
}

/// F11: cutechess/cutechess#281. Load on the machine can make a search late, so one of ten runs must be in time.
#[test]
fn movetime_is_used_and_not_exceeded() {
    let _lock = lock_timing();
    let mut engine = Engine::start();
    for milliseconds in [1u64, 10, 50, 250] {
        let mut used = Vec::new();
        while used.last().is_none_or(|&last| last > milliseconds + 25) {
            assert!(used.len() < 10, "movetime {milliseconds}: {used:?} ms used");
            engine.send("ucinewgame");
            engine.ready();
            engine.send("position startpos");
            let start = Instant::now();
            engine.send(&format!("go movetime {milliseconds}"));
            engine.answer(&Root::new("startpos"), LIMIT);
            used.push(start.elapsed().as_millis() as u64);
            assert!(
                used.last().is_some_and(|&last| last + 20 >= milliseconds),
                "movetime {milliseconds}: {used:?} ms used"
            );
        }
    }
    engine.quit();
}

/// F12: ptsouchlos/byte-knight#100, bdmendes/camel#219.
#[test]
fn negative_clock_returns_bestmove() {
    let mut engine = Engine::start();
    for time in ["-1", "-50", "-171000", "-2147483649", "-9223372036854775808", "-99999999999999999999"] {
        for increment in ["", " winc -5 binc -5", " winc 10 binc 10"] {
            engine.send("position startpos");
            engine.send(&format!("go wtime {time} btime {time}{increment}"));
            engine.answer(&Root::new("startpos"), SOON);
        }
    }
    engine.quit();
}

/// F13: paulsonkoly/chess-3#163, lucasart/Demolito#27.
#[test]
fn go_without_time_returns_legal_bestmove() {
    let mut engine = Engine::start();
    for threads in ["1", "3"] {
        set(&mut engine, &[("Threads", threads)]);
        for position in ["startpos", KIWIPETE, MANY_QUEENS] {
            for go in ["movetime 0", "nodes 0", "nodes 1", "wtime 0 btime 0", "depth 0", "infinite"] {
                engine.send(&format!("position {position}"));
                engine.expect_answers(1);
                engine.send_bytes(format!("go {go}\nstop\n").as_bytes());
                let found = engine.answer(&Root::new(position), SOON);
                assert!(found.best.is_some() && !found.infos.is_empty());
            }
        }
    }
    engine.quit();
}

/// F14: Stockfish commit 3c04b5c42; F15: official-stockfish/Stockfish#2757. A game at 0.2 s + 0.02 s.
#[test]
fn short_clock_still_reaches_depth_four() {
    let _lock = lock_timing();
    let mut engine = Engine::start();
    let (mut moves, mut depths) = (String::new(), Vec::new());
    for _ in 0..40 {
        let position = format!("startpos moves{moves}");
        let root = Root::new(&position);
        if root.is_over() {
            break;
        }
        engine.send(&format!("position {position}"));
        engine.send("go wtime 200 btime 200 winc 20 binc 20");
        // `answer` also checks that there is an info line and that its PV begins with the move.
        let found = engine.answer(&root, LIMIT);
        depths.push(found.last().depth);
        moves = format!("{moves} {}", found.best());
    }
    let mean = f64::from(depths.iter().sum::<u32>()) / depths.len() as f64;
    assert!(mean >= 4.0, "{depths:?}");
    engine.quit();
}

/// F16: official-stockfish/Stockfish#3206; F17: Disservin/fastchess#863; F54: official-stockfish/Stockfish#2370;
/// F55: jhonnold/berserk#598.
///
/// The driver checks each PV: legal, not beyond the end of the game, mates shown to the end.
#[test]
fn pvs_are_legal_and_mate_pvs_complete() {
    let mut random = fastrand::Rng::with_seed(16);
    let mut engine = Engine::start();
    let near_fifty_moves = ["8/5k2/8/8/3R4/8/4K3/8 w - - 94 80", "8/8/4k3/8/2N5/8/4K3/7r b - - 97 90"];
    for round in 0..60 {
        if round % 15 == 0 {
            set(&mut engine, &[("Threads", if round % 30 == 0 { "1" } else { "2" })]);
        }
        let fen = if round % 4 == 3 { near_fifty_moves[round / 4 % 2] } else { fen::START };
        let plies = random.usize(0..if fen == fen::START { 120 } else { 5 });
        let (game, text) = random_walk(&mut random, fen, plies);
        if game.position.chess().legal_moves().is_empty() {
            continue;
        }
        engine.search(&text, &format!("depth {}", 1 + round % 9));
    }
    // Stopped before the best root move was searched: the mate score of a worse move must not be reported.
    for (fen, nodes) in [
        ("2BB4/1PPPPPPP/5Nk1/K1bqnnpb/8/8/p4p2/1r6 w - - 0 1", 20_000),
        ("1n2b2Q/1P6/2ppNN1K/4kBP1/5rPp/n5B1/6Pp/2q5 b - - 0 1", 20_000),
        ("qb6/1r6/b1r5/Q4PP1/8/2RpBKpp/1R1P2P1/7k b - - 0 1", 20_000),
    ] {
        let found = engine.search(&format!("fen {fen}"), &format!("nodes {nodes}"));
        let is_mated = matches!(found.score(), Score::Mate(moves) if moves < 0 && moves > -6);
        assert!(!is_mated, "{fen}: {:?}", found.last());
    }
    for line in data("suites/mates.epd").lines().step_by(3) {
        let fen: Vec<&str> = line.split_whitespace().take(4).collect();
        engine.search(&format!("fen {}", fen.join(" ")), "nodes 20000");
    }
    engine.quit();
}

/// F18: kelseyde/hobbes-chess-engine#425; F19: TerjeKir/weiss#17; F37: FitzOReilly/fatalii#68;
/// F38: lichess-org/stockfish.wasm#13.
#[test]
fn bestmove_belongs_to_the_position_of_its_go() {
    let mut random = fastrand::Rng::with_seed(18);
    let mut engine = Engine::start();
    // No legal move of one of these positions is legal in another.
    let positions = ["startpos", "startpos moves e2e4", QUEEN_AGAINST_KING, "fen 8/7p/8/3k4/8/8/8/K7 b - - 0 1"];
    for _ in 0..150 {
        let burst: Vec<&str> = (0..random.usize(1..4)).map(|_| positions[random.usize(0..4)]).collect();
        let mut bytes = String::new();
        for position in &burst {
            bytes +=
                &format!("position {position}\ngo {}\n", ["infinite", "depth 3", "movetime 2"][random.usize(0..3)]);
            if random.bool() {
                bytes += "stop\n";
            }
        }
        bytes += "stop\n";
        engine.expect_answers(burst.len());
        engine.send_bytes(bytes.as_bytes());
        for position in burst {
            engine.answer(&Root::new(position), SOON);
        }
        std::thread::sleep(Duration::from_micros(random.u64(0..500)));
    }
    engine.quit();
}

/// F22: pkrisz99/Renegade#190.
#[test]
fn larger_hash_keeps_more_entries() {
    let mut last = 0;
    for megabytes in [1, 3, 8] {
        let table = TranspositionTable::new(megabytes);
        let mut random = fastrand::Rng::with_seed(22);
        let keys: Vec<u64> = (0..400_000).map(|_| random.u64(..)).collect();
        let entry = TtEntry { best: PackedMove(1), score: 0, eval: 0, depth: 3, bound: Bound::Exact, pv: false };
        keys.iter().for_each(|&key| table.store(key, entry));
        let found = keys.iter().filter(|&&key| table.probe(key).is_some()).count();
        assert!(found > last + last / 4, "{megabytes} MB: {found} entries found, {last} with the smaller size");
        last = found;
    }
}

/// F23: official-stockfish/Stockfish#6476; F24: #3519; F25: #3236; F26: #1077.
#[test]
fn impossible_positions_are_rejected_or_survived() {
    let mut engine = Engine::start();
    for fen in [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/8/4K3 b - - 0 1",
        "4k3/8/8/8/8/8/8/KK6 w - - 0 1",
        "4k2r/8/8/8/8/8/8/4R2K w - - 0 1 moves e1e8",
        "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1",
    ] {
        assert!(!try_position(&mut engine, fen), "{fen}");
    }
    for fen in
        ["4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w HAha - 0 1"]
    {
        try_position(&mut engine, fen);
    }
    for pawn in ['P', 'p'] {
        for file in 0..8 {
            let rank: String = (0..8).map(|at| if at == file { pawn } else { '1' }).collect();
            let side = if pawn == 'P' { 'w' } else { 'b' };
            for fen in
                [format!("{rank}/8/4k3/8/8/4K3/8/8 {side} - - 0 1"), format!("8/8/4k3/8/8/4K3/8/{rank} {side} - - 0 1")]
            {
                engine.send(&format!("position fen {fen}"));
                assert!(matches!(engine.ready().as_slice(), [Line::InfoString(_)]), "{fen}");
            }
        }
    }
    engine.assert_alive();
    engine.quit();
}

/// F27: official-stockfish/Stockfish#3171; F28: official-stockfish/Stockfish#4558; F29: jhonnold/berserk#498;
/// F30: paulsonkoly/chess-3#161.
#[test]
fn extreme_piece_counts_do_not_overflow_buffers() {
    let mut engine = Engine::start();
    try_position(&mut engine, "r7/3R2kQ/5p2/4p3/8/7P/8/5K2 b - - 2 3");
    for fen in [
        "QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
        "NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/KNNNNNNk w - - 0 1",
        "nnnnnnnn/nnnnnnnn/8/8/8/8/NNNNNNNN/KNNNNNNk w - - 0 1",
    ] {
        assert!(!try_position(&mut engine, fen), "{fen}: accepted");
    }
    let most_moves = MOST_MOVES;
    assert_eq!(Root::new(most_moves).chess.legal_moves().len(), 218);
    engine.search(most_moves, "depth 5");
    set(&mut engine, &[("MultiPV", "218")]);
    assert_eq!(engine.search(most_moves, "depth 2").multi_pv().len(), 218);
    engine.quit();
}

/// F31: Matthies/RubiChess#257, official-stockfish/Stockfish#3911.
#[test]
fn stop_is_prompt_with_many_queens() {
    let mut engine = Engine::start();
    for threads in ["1", "2"] {
        set(&mut engine, &[("Threads", threads)]);
        for position in [MANY_QUEENS, MOST_MOVES] {
            engine.send_silent(&format!("position {position}"));
            for delay in [0, 5, 100] {
                engine.send("go infinite");
                std::thread::sleep(Duration::from_millis(delay));
                engine.send("stop");
                engine.until(SOON, "bestmove", |line| matches!(line, Line::BestMove { .. }));
                engine.discard_answers();
            }
        }
    }
    engine.quit();
}

/// F32: mcostalba/Stockfish#88, Yoshie2000/PlentyChess#351; F71: Stockfish commit 0b9068d51.
#[test]
fn greatest_depths_do_not_overflow() {
    let mut engine = Engine::start();
    for (position, go) in [
        ("fen 7K/P1p1p1p1/2P1P1Pk/6pP/3p2P1/1P6/3P4/8 w - - 0 1", "nodes 300000"),
        ("fen 8/8/8/8/8/6k1/8/6K1 w - - 0 1", "depth 255"),
        ("fen k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1", "depth 60 nodes 300000"),
        ("fen 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "depth 99 nodes 300000"),
    ] {
        let found = engine.search(position, go);
        assert!(found.last().depth >= 20 || found.last().nodes >= 100_000, "{:?}", found.last());
    }
    engine.quit();
}

/// Starts the engine with this limit of the shell command `ulimit`.
#[cfg(unix)]
fn start_limited(limit: &str) -> Engine {
    let dir = Dir::new();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("ulimit {limit}; exec \"$0\""), env!("CARGO_BIN_EXE_aspirant")]);
    command.current_dir(dir.path());
    Engine::run(dir, command)
}

/// F33: official-stockfish/Stockfish#2563. Search threads allocate their own stacks.
#[cfg(unix)]
#[test]
fn main_thread_runs_with_512_kb_of_stack() {
    let mut engine = start_limited("-s 512");
    engine.search("fen 8/8/8/8/8/6k1/8/6K1 w - - 0 1", "depth 255");
    engine.search(&format!("startpos moves {}", knight_moves(3000)), "depth 8");
    set(&mut engine, &[("Threads", "4"), ("MultiPV", "5")]);
    engine.search(KIWIPETE, "depth 8");
    engine.allow_text = true;
    engine.output_of("d");
    engine.output_of("eval");
    engine.quit();
}

/// F34: official-stockfish/Stockfish#36, Matthies/RubiChess#486. The same size can be requested again.
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
    engine.send_silent("setoption name Hash value 8");
    engine.assert_alive();
    engine.quit();
}

/// F34 with search threads, each of which allocates memory of its own.
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
        engine.send_silent("setoption name Threads value 1");
        engine.assert_alive();
        engine.quit();
    }
}

/// F35: official-stockfish/Stockfish#1184; F36: vshcherbyna/igel#218.
#[test]
fn options_at_random_moments_keep_one_bestmove() {
    let mut random = fastrand::Rng::with_seed(35);
    let mut engine = Engine::start();
    for _ in 0..120 {
        engine.send("position startpos");
        engine.send(["go infinite", "go depth 4", "go movetime 3"][random.usize(0..3)]);
        std::thread::sleep(Duration::from_micros(random.u64(0..2500)));
        match random.u32(0..4) {
            0 => engine.send(&format!("setoption name Hash value {}", random.u32(1..30))),
            1 => engine.send(&format!("setoption name Threads value {}", [1, 8, 1, 2, 4][random.usize(0..5)])),
            2 => engine.send("ucinewgame"),
            _ => engine.send("setoption name Clear Hash"),
        }
        engine.send("stop");
        engine.answer(&Root::new("startpos"), SOON);
        engine.ready();
    }
    engine.quit();
}

/// F39: jdart1/arasan-chess#21; F40: LeelaChessZero/lc0#693; F41: nescitus/rodent-iv#15.
#[test]
fn infinite_and_ponder_wait_for_stop_or_ponderhit() {
    let mut random = fastrand::Rng::with_seed(39);
    let mut engine = Engine::start();
    for position in [MATE_IN_1, BARE_KINGS, MATED, "startpos"] {
        let root = Root::new(position);
        for go in ["infinite", "ponder wtime 10 btime 10", "ponder depth 1", "ponder infinite"] {
            for _ in 0..random.u32(0..5) {
                engine.send("stop");
                engine.send("ponderhit");
            }
            engine.send(&format!("position {position}"));
            engine.send(&format!("go {go}"));
            engine.no_answer_for(Duration::from_millis(40));
            // Both commands in one write, in either order.
            engine.send_bytes(if random.bool() { b"ponderhit\nstop\nstop\n" } else { b"stop\nponderhit\n" });
            engine.answer(&root, SOON);
            engine.ready();
        }
    }
    engine.quit();
}

/// F42: LeelaChessZero/lc0#1209.
#[test]
fn no_legal_move_returns_none_without_busy_waiting() {
    std::thread::scope(|scope| {
        for (threads, position) in [("1", MATED), ("1", STALEMATED), ("2", MATED), ("2", STALEMATED)] {
            scope.spawn(move || no_legal_move(threads, position));
        }
    });
}

fn no_legal_move(threads: &str, position: &str) {
    let mut engine = Engine::start();
    set(&mut engine, &[("Threads", threads)]);
    for go in ["depth 5", "movetime 30", "wtime 1000 btime 1000", "nodes 1", "mate 2", "searchmoves e2e4"] {
        assert_eq!(engine.search(position, go).best, None);
    }
    engine.send(&format!("position {position}"));
    engine.send("go infinite");
    #[cfg(target_os = "linux")]
    {
        let before = engine.processor_ticks();
        engine.no_answer_for(Duration::from_millis(300));
        assert!(engine.processor_ticks() - before < 15, "busy waiting");
    }
    engine.send("stop");
    engine.answer(&Root::new(position), SOON);
    engine.quit();
}

/// F44: official-stockfish/Stockfish#5460.
#[test]
fn number_of_info_lines_is_limited() {
    std::thread::scope(|scope| {
        for position in ["startpos", BARE_KINGS, MATE_IN_1, KIWIPETE] {
            scope.spawn(move || {
                let mut engine = Engine::start();
                engine.send(&format!("position {position}"));
                engine.send("go infinite");
                std::thread::sleep(Duration::from_millis(300));
                engine.send("stop");
                let found = engine.answer(&Root::new(position), SOON);
                assert_eq!(found.current_moves, 0, "currmove in the first seconds");
                assert!(found.infos.len() <= 256, "{} info lines", found.infos.len());
                engine.quit();
            });
        }
    });
}

/// F45: rust-lang/rust#46016. Nothing is read until the pipe is full; afterwards every `bestmove` must be there.
#[test]
fn unread_output_does_not_block_stop() {
    let dir = Dir::new();
    let mut child = crate::common::command(&dir, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    stdin.write_all(b"setoption name MultiPV value 200\nsetoption name UCI_AnalyseMode value true\n").unwrap();
    // The first search fills the pipe.
    for wait in [400, 100, 100] {
        stdin.write_all(b"position startpos\ngo infinite\n").unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // The search must stop although its output is blocked.
        stdin.write_all(b"stop\nucinewgame\n").unwrap();
    }
    stdin.write_all(b"setoption name MultiPV value 1\ngo depth 3\nisready\nquit\n").unwrap();
    let reader = std::thread::spawn(move || {
        let mut all = String::new();
        stdout.read_to_string(&mut all).map(|_| all)
    });
    let end = Instant::now() + LIMIT;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "the engine does not exit");
        std::thread::sleep(Duration::from_millis(5));
    }
    let all = reader.join().unwrap().unwrap();
    assert!(all.len() > 1 << 16, "the pipe was not filled: {} bytes", all.len());
    assert_eq!(all.lines().filter(|line| line.starts_with("bestmove ")).count(), 4);
    assert_eq!(all.lines().filter(|line| *line == "readyok").count(), 1);
    for line in all.lines() {
        crate::common::grammar::read(line).unwrap_or_else(|fault| panic!("{line}: {fault}"));
    }
}

/// F48: TerjeKir/weiss#630; F49: jhonnold/berserk#374.
#[test]
fn games_of_any_length_are_accepted() {
    let mut engine = Engine::start();
    for plies in [255, 600, 1024, 6001] {
        engine.search(&format!("startpos moves {}", knight_moves(plies)), "depth 5");
    }
    let mut line = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat((6 << 20) / 20));
    line.push_str("\nisready\n");
    engine.send_bytes(line.as_bytes());
    engine.until(LIMIT, "readyok", |line| *line == Line::ReadyOk);
    engine.assert_alive();
    engine.quit();
}

/// F50: codedeliveryservice/Reckless#1101; F53: deanmchris/blunder#14.
#[test]
fn fen_counters_of_any_size_are_handled() {
    let mut engine = Engine::start();
    for clock in ["99", "100", "101", "150", "255", "256", "32767", "65535", "4294967295", "99999999999", "-1"] {
        for number in ["0", "1", "9999", "65536", "4294967295"] {
            try_position(&mut engine, &format!("4k3/8/8/8/8/8/4P3/4K3 w - - {clock} {number}"));
        }
    }
    // Checkmate on the hundredth ply takes precedence over the fifty-move rule.
    let found = engine.search("fen 8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113", "depth 6");
    assert_eq!(found.score(), Score::Mate(1));
    engine.quit();
}

/// F51: codedeliveryservice/Reckless#1097.
#[test]
fn prefixes_and_suffixes_of_fens_are_survived() {
    let mut random = fastrand::Rng::with_seed(51);
    let mut engine = Engine::start();
    for _ in 0..12 {
        let plies = random.usize(0..80);
        let (game, _) = random_walk(&mut random, fen::START, plies);
        let fen = game.position.fen();
        for end in 0..=fen.len() {
            engine.send(&format!("position fen {}", &fen[..end]));
            engine.send(&format!("position fen {}", &fen[end..]));
        }
        let lines = engine.ready();
        assert!(lines.iter().all(|line| matches!(line, Line::InfoString(_))), "{lines:?}");
    }
    engine.assert_alive();
    engine.quit();
}

/// F52: official-stockfish/Stockfish#679, kelseyde/calvin-chess-engine#405.
///
/// With a queen more, the third occurrence scores 0, the second one since the root position of the game does not.
#[test]
fn repetition_scores_follow_the_rules() {
    let mut engine = Engine::start();
    let extra_queen = "fen 3k4/8/8/8/8/8/8/QK6 w - - 0 1";
    let cycle = "b1c1 d8e8 c1b1 e8d8";
    for cycles in 0..=2 {
        // The search plays the last move of the cycle.
        let moves = [cycle].repeat(cycles).join(" ");
        let position = format!("{extra_queen} moves {moves} b1c1 d8e8 c1b1");
        let found = engine.search(&position, "depth 1 searchmoves e8d8");
        let is_draw = found.score() == Score::Cp(0);
        assert_eq!(is_draw, cycles >= 1, "{cycles} cycles: {:?}", found.last());
    }
    // A position that occurred many times still has a best move.
    let found = engine.search(&format!("startpos moves {}", knight_moves(64)), "depth 4");
    assert!(found.best.is_some());
    engine.quit();
}

/// F56: KierenP/Halogen#239; F57: nescitus/rodent-iv#16.
#[test]
fn multi_pv_is_limited_to_the_legal_moves() {
    let mut engine = Engine::start();
    for lines in ["2", "256"] {
        set(&mut engine, &[("MultiPV", lines)]);
        for position in
            ["fen 7k/8/8/8/8/8/1q6/K7 w - - 0 1", "fen k7/8/8/8/8/8/8/KQ6 b - - 0 1", MATED, MATE_IN_1, "startpos"]
        {
            let moves = Root::new(position).chess.legal_moves().len();
            let found = engine.search(position, "depth 4");
            assert_eq!(found.multi_pv().len(), moves.min(lines.parse().unwrap()).max(1), "{position}");
        }
        // The driver checks that the best move is the first move of the first PV.
        for delay in [0, 1, 2, 5, 20, 50] {
            engine.send(&format!("position {KIWIPETE}"));
            engine.send("go infinite");
            std::thread::sleep(Duration::from_millis(delay));
            engine.send("stop");
            engine.answer(&Root::new(KIWIPETE), SOON);
        }
    }
    engine.quit();
}

/// F58: LeelaChessZero/lc0#899.
#[test]
fn illegal_searchmoves_are_ignored() {
    let mut engine = Engine::start();
    for moves in ["e2e5", "a1a1 e7e5", "xyz", "e2e4 e2e5", "e2e4 e2e4", "0000", ""] {
        let found = engine.search("startpos", &format!("depth 3 searchmoves {moves}"));
        assert!(found.best.is_some());
        if moves.starts_with("e2e4") {
            assert_eq!(found.best(), "e2e4");
        }
    }
    engine.quit();
}

/// Returns a table of king and queen against king with a win for White and a loss for Black in all positions.
fn queen_wins(magic: [u8; 4]) -> Vec<u8> {
    constant(magic, 5, 4, 0)
}

/// F59: official-stockfish/Stockfish#1911, LeelaChessZero/lc0#690.
#[test]
fn damaged_tablebases_are_survived() {
    let dir = Dir::new();
    let path = dir.path().to_str().unwrap().to_owned();
    let mut engine = Engine::start();
    for (name, magic) in [("KQvK.rtbw", WDL), ("KQvK.rtbz", DTZ)] {
        dir.file("KQvK.rtbw", queen_wins(WDL));
        let intact = queen_wins(magic);
        let flipped = (0..24).flat_map(|at| [1u8, 0x80, 0xff].map(|bits| (at, bits)));
        let damaged = flipped.map(|(at, bits)| {
            let mut bytes = intact.clone();
            bytes[at] ^= bits;
            bytes
        });
        let truncated = [0, 1, 4, 5, 12, 16, 64, 79].map(|length| intact[..length].to_vec());
        let other = [vec![0; 80], vec![0xff; 80], [&intact[..], &[0; 64]].concat()];
        for bytes in damaged.chain(truncated).chain(other) {
            dir.file(name, &bytes);
            engine.send(&format!("setoption name SyzygyPath value {path}"));
            engine.ready();
            engine.send(&format!("position {QUEEN_AGAINST_KING}"));
            engine.send("go depth 3");
            let found = engine.answer(&Root::new(QUEEN_AGAINST_KING), LIMIT);
            assert!(found.strings.len() <= 1, "more than one warning: {:?}", found.strings);
        }
    }
    engine.send_silent("setoption name SyzygyPath value ");
    engine.assert_alive();
    engine.quit();
}

/// F60: Yoshie2000/PlentyChess#314; F67: official-stockfish/Stockfish#3424; F68: official-stockfish/Stockfish#2365.
#[test]
fn paths_of_any_form_are_survived() {
    let dir = Dir::new();
    let long = "x".repeat(4096);
    let folder = dir.path().join("é Кириллица and spaces");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("KQvK.rtbw"), queen_wins(WDL)).unwrap();
    std::fs::write(folder.join("книга.bin"), []).unwrap();
    let mut engine = Engine::with(dir, &[]);
    for option in ["SyzygyPath", "Book File"] {
        for path in [
            "<empty>",
            ";",
            ";;",
            "/",
            ".",
            "..",
            "/dev/zero",
            "/dev/null",
            "/nonexistent",
            "é",
            "a;b;",
            &long,
            "\u{7f}",
            "C:\\t",
        ] {
            engine.send(&format!("setoption name {option} value {path}"));
            assert!(engine.ready().len() <= 1, "{path}");
        }
        engine.send(&format!("setoption name {option}"));
        engine.send(&format!("setoption name {option} value"));
        assert!(engine.ready().len() <= 2);
        engine.assert_alive();
    }
    let warning = engine.warning("setoption name SyzygyPath value é Кириллица and spaces;");
    assert!(warning.contains("1 WDL"), "{warning}");
    engine.send_silent("setoption name Book File value é Кириллица and spaces/книга.bin");
    engine.assert_alive();
    engine.quit();
}

/// F61: official-stockfish/Stockfish#1275.
#[test]
fn multi_pv_with_tablebases_plays_legal_moves() {
    let dir = Dir::new();
    dir.file("KQvK.rtbw", queen_wins(WDL));
    let path = dir.path().to_str().unwrap().to_owned();
    let mut engine = Engine::with(dir, &[]);
    engine.warning(&format!("setoption name SyzygyPath value {path}"));
    for lines in ["1", "3", "20", "256"] {
        set(&mut engine, &[("MultiPV", lines)]);
        for go in ["depth 3", "nodes 500", "depth 2 searchmoves b1b7 a1a2"] {
            engine.search(QUEEN_AGAINST_KING, go);
        }
    }
    engine.quit();
}

/// F64: cutechess/cutechess#15; F65: pkrisz99/Renegade#190.
#[test]
fn chess960_castling_is_legal() {
    let mut engine = Engine::start();
    set(&mut engine, &[("UCI_Chess960", "true")]);
    let starts = data("books/chess960_starts.epd");
    let mut random = fastrand::Rng::with_seed(64);
    for fen in starts.lines() {
        let plies = random.usize(0..30);
        let (_, text) = random_walk(&mut random, fen.trim(), plies);
        if !Root::new(&text).chess.legal_moves().is_empty() {
            engine.search(&text, "depth 4");
        }
    }
    for fen in [
        "4k3/8/8/8/8/8/8/RK5R w HA - 0 1",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
        // The castling rook shields its king from a check: castling is illegal.
        "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
        "1k6/8/8/8/8/8/8/RKR5 w CA - 0 1",
    ] {
        let root = Root::new(&format!("fen {fen}"));
        let is_illegal = fen.contains("/rR1K4");
        assert_eq!(root.chess.legal_moves().iter().any(|m| m.is_castle()), !is_illegal, "{fen}");
        engine.search(&format!("fen {fen}"), "depth 6");
    }
    engine.quit();
}

/// F66: niklasf/python-chess#144. Incremental keys equal keys from scratch, en passant and castling rights included.
#[test]
fn keys_are_independent_of_the_move_path() {
    let mut random = fastrand::Rng::with_seed(66);
    let starts = [fen::START, fen::KIWIPETE, fen::ROOK_ENDGAME];
    for round in 0..600 {
        let mut position = parse_fen(starts[round % 3]).unwrap();
        for _ in 0..80 {
            let moves = position.chess().legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.usize(0..moves.len())]);
            let fresh = Position::new(position.chess().clone());
            assert_eq!(position.keys(), fresh.keys(), "{}", position.fen());
            assert_eq!(parse_fen(&position.fen()).unwrap().key(), position.key(), "{}", position.fen());
        }
    }
}

/// F69: official-stockfish/Stockfish#859; F75: sroelants/simbelmyne#170.
#[test]
fn ucinewgame_keeps_only_the_options() {
    let mut used = Engine::start();
    set(&mut used, &[("Hash", "1")]);
    used.search(KIWIPETE, "depth 7");
    for _ in 0..10 {
        used.send_silent("ucinewgame");
    }
    let mut fresh = Engine::start();
    set(&mut fresh, &[("Hash", "1")]);
    let (used, fresh, mut other_hash) =
        (used.search(KIWIPETE, "depth 11"), fresh.search(KIWIPETE, "depth 11"), Engine::start());
    assert_eq!(used.reproducible_part(), fresh.reproducible_part());
    // With the default Hash the search is different.
    assert_ne!(used.reproducible_part(), other_hash.search(KIWIPETE, "depth 11").reproducible_part());
}

/// F72: lynx-chess/Lynx#1060.
#[test]
fn side_being_mated_returns_a_legal_move() {
    let mut engine = Engine::start();
    for position in [
        "fen 7k/8/5KQ1/8/8/8/8/8 b - - 0 1",
        "fen 8/8/8/8/8/5k2/6q1/7K w - - 0 1",
        "fen 6k1/R7/1R6/8/8/8/8/6K1 b - - 0 1",
        "fen 7k/R7/1R6/8/8/8/8/6K1 b - - 0 1",
    ] {
        for go in ["depth 1", "depth 8", "nodes 10", "nodes 3000"] {
            let found = engine.search(position, go);
            assert_eq!(found.best.is_none(), Root::new(position).chess.legal_moves().is_empty());
        }
    }
    engine.quit();
}

/// F73: kjljixx/Aurora-Chess-Engine#10.
#[test]
fn option_values_with_trailing_text_are_rejected() {
    let mut engine = Engine::start();
    for line in [
        "Hash value 0.15 min 0 max 1",
        "Hash value 16 min 1",
        "Threads value 2 x",
        "Ponder value true default",
        "MultiPV value 1.0",
    ] {
        let warning = engine.warning(&format!("setoption name {line}"));
        assert!(warning.contains("is not"), "{warning}");
    }
    engine.assert_alive();
    engine.quit();
}

/// F74: lichess-bot-devs/lichess-bot#377.
#[test]
fn illegal_move_in_position_leaves_the_board_unchanged() {
    let mut engine = Engine::start();
    engine.send_silent("position startpos moves e2e4");
    assert!(engine.warning("position startpos moves d2d4 d7d5 d2d4").contains("d2d4"));
    engine.send("go depth 3");
    engine.answer(&Root::new("startpos moves e2e4"), LIMIT);
    engine.quit();
}

/// F76: connormcmonigle/seer-nnue#195. The mate begins with a quiet move that leaves the opponent in zugzwang.
#[test]
fn zugzwang_mate_is_found() {
    let mut engine = Engine::start();
    for threads in ["1", "2"] {
        set(&mut engine, &[("Threads", threads)]);
        let found = engine.search("fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate 2 nodes 3000000");
        assert_eq!((found.best(), found.score()), ("a1a6", Score::Mate(2)));
    }
    engine.quit();
}

/// The only move is the third repetition; the TT still holds a reply from an earlier search.
#[test]
fn no_ponder_move_after_the_end_of_the_game() {
    const CHECKS: &str = "fen 4Q3/6pk/8/8/8/7P/6PK/qrr5 w - - 0 1";
    let mut engine = Engine::start();
    let found = engine.search(CHECKS, "depth 8");
    assert_eq!((found.best(), found.score()), ("e8h5", Score::Cp(0)));
    let cycle = "e8h5 h7g8 h5e8";
    let found = engine.search(&format!("{CHECKS} moves {cycle}"), "depth 1");
    assert_eq!((found.best(), found.ponder.as_deref()), ("g8h7", Some("e8h5")));
    let found = engine.search(&format!("{CHECKS} moves {cycle} g8h7 {cycle}"), "depth 1");
    assert_eq!((found.best(), found.ponder.as_deref()), ("g8h7", None));
    engine.quit();
}

/// 600 valid lines with random damage: truncated, duplicated, reordered, bytes changed. Each `go` is answered once and
/// the engine keeps working.
#[test]
fn corrupted_commands_are_survived() {
    use aspirant::uci::input::{Command as Input, parse};
    let castling = format!("position {KIWIPETE} moves e1g1");
    let valid = [
        castling.as_str(),
        "position startpos moves e2e4 e7e5 g1f3 b8c6",
        "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "position fen 8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
        "go wtime 100 btime 100 winc 1 binc 1 movestogo 5",
        "go depth 3 searchmoves e2e4 d2d4",
        "go ponder wtime 50 btime 50",
        "go infinite mate 3 nodes 500",
        "setoption name Hash value 4",
        "setoption name Threads value 2",
        "setoption name MultiPV value 3",
        "setoption name SyzygyPath value /nonexistent;/dev/null",
        "setoption name UCI_Chess960 value true",
        "register name x code 1",
        "debug on",
        "ucinewgame",
        "ponderhit",
    ];
    let mut random = fastrand::Rng::with_seed(600);
    let mut engine = Engine::start();
    engine.allow_text = true;
    let mut sent = 0;
    while sent < 600 {
        let mut bytes = valid[random.usize(0..valid.len())].as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..bytes.len().max(1)).min(bytes.len());
            match random.u32(0..7) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(..at)),
                2 => bytes.extend_from_within(..at),
                3 if at < bytes.len() => bytes[at] = random.u8(..),
                4 if at < bytes.len() => bytes[at] ^= 1 << random.u32(0..8),
                5 => bytes.insert(at, b" \t\0\xff9-/"[random.usize(0..7)]),
                _ => {
                    let mut words: Vec<&[u8]> = bytes.split(|&byte| byte == b' ').collect();
                    random.shuffle(&mut words);
                    bytes = words.join(&b' ');
                }
            }
        }
        bytes.retain(|byte| !b"\r\n\0".contains(byte));
        let line = String::from_utf8_lossy(&bytes).into_owned();
        let input = parse(&line);
        let changes_notation = line.to_ascii_lowercase().contains("chess960");
        if matches!(input, Input::Quit | Input::Bench(_) | Input::Perft(_) | Input::Genfens(_)) || changes_notation {
            continue;
        }
        if matches!(&input, Input::Go(request) if request.perft.is_none()) {
            engine.expect_answers(1);
        }
        bytes.extend(b"\nstop\n");
        engine.send_bytes(&bytes);
        if matches!(&input, Input::Go(request) if request.perft.is_none()) {
            engine.until(LIMIT, "bestmove", |line| matches!(line, Line::BestMove { .. }));
        }
        engine.ready();
        sent += 1;
        if sent % 20 == 0 {
            set(&mut engine, &[("MultiPV", "1"), ("Threads", "1"), ("Hash", "2")]);
            engine.send("debug off");
            engine.send("position startpos");
            engine.send("go depth 2");
            engine.until(LIMIT, "bestmove", |line| matches!(line, Line::BestMove { .. }));
            engine.ready();
        }
    }
    engine.quit();
}
