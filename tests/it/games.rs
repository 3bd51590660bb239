//! Whole self-play games with all kinds of limits, played to the end by the rules; each search is checked against the
//! game so far (see `crate::common::search`). Games reach threefold repetitions, the fifty-move rule and mates.

use std::time::Duration;

use crate::common::positions::uci::{CHESS960, KIWIPETE, ROOK_ENDGAME};
use crate::common::search::Root;
use crate::common::{Engine, LIMIT, factor};
use shakmaty::Position as _;

const STARTS: [&str; 7] = [
    "startpos",
    KIWIPETE,
    ROOK_ENDGAME,
    "fen 4Q3/6pk/8/8/8/7P/6PK/qrr5 w - - 0 1",
    "fen 8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 60 70",
    CHESS960,
    "fen rknrnbbq/pppppppp/8/8/8/8/PPPPPPPP/RKNRNBBQ w DAda - 0 1",
];

/// Returns a random limit for one move, including very short clocks.
fn limit(random: &mut fastrand::Rng) -> String {
    let time = [1, 20, 100, 300][random.usize(..4)];
    match random.u32(..5) {
        0 => format!("wtime {time} btime {time}"),
        1 => format!("wtime {time} btime {time} winc 3 binc 3 movestogo {}", random.u32(1..9)),
        2 => format!("movetime {}", random.u32(1..8)),
        3 => format!("nodes {}", random.u32(1..4000)),
        _ => format!("depth {}", random.u32(1..9)),
    }
}

/// Plays this many games from a seed; returns the number of searches.
fn play(games: u32, seed: u64) -> u32 {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut engine = Engine::start();
    let mut answers = 0;
    for _ in 0..games {
        let start = STARTS[random.usize(..STARTS.len())];
        for (name, values) in [
            ("Threads", ["1", "1", "2", "3"]),
            ("MultiPV", ["1", "1", "1", "3"]),
            ("Hash", ["1", "4", "16", "16"]),
            ("UCI_Chess960", [if start.contains("HFhf") || start.contains("DAda") { "true" } else { "false" }; 4]),
        ] {
            engine.send_silent(&format!("setoption name {name} value {}", values[random.usize(..4)]));
        }
        engine.send_silent("ucinewgame");
        let mut line = format!("{start} moves");
        let mut root = Root::new(&line);
        let add = |line: &mut String, root: &mut Root, m: &str| {
            root.play(m);
            *line = format!("{line} {m}");
        };
        for _ in 0..random.usize(..8) {
            let moves = root.chess.legal_moves();
            if root.is_over() || moves.is_empty() {
                break;
            }
            let m = moves[random.usize(..moves.len())].to_uci(root.chess.castles().mode()).to_string();
            add(&mut line, &mut root, &m);
        }
        let mut pondering = false;
        for _ in 0..400 {
            if root.is_over() {
                break;
            }
            let go = limit(&mut random);
            engine.send(&format!("position {line}"));
            if pondering {
                // The ponder move was played: search it in ponder mode, then send `ponderhit`.
                engine.send(&format!("go ponder {go}"));
                std::thread::sleep(Duration::from_micros(random.u64(..2000)));
                engine.send("ponderhit");
            } else {
                engine.send(&format!("go {go}"));
            }
            let found = engine.answer(&root, LIMIT);
            answers += 1;
            add(&mut line, &mut root, found.best());
            // `answer` has checked that the ponder move is legal and the game not over before it.
            let reply = found.ponder.filter(|_| random.u32(..3) == 0);
            pondering = reply.is_some();
            if let Some(reply) = reply {
                add(&mut line, &mut root, &reply);
            }
        }
    }
    engine.quit();
    answers
}

/// The environment variable `GAMES` multiplies the number of games, as in `GAMES=1000 cargo test --test it games`.
#[test]
fn games_are_played_to_the_end() {
    let seeds = factor("GAMES");
    let mut total = 0;
    for seed in 1..=seeds {
        let answers = play(6, seed);
        println!("seed {seed}: 6 games, {answers} moves");
        total += u64::from(answers);
    }
    // A few games may all be short; on average, they are not.
    assert!(total > if seeds < 10 { 30 } else { 200 } * seeds, "{total}");
}
