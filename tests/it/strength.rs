//! Limited strength: node budgets in every kind of search, and lower ratings play weaker.

use crate::common::positions::{fen, uci::KIWIPETE};
use crate::common::search::Root;
use crate::common::{Engine, LIMIT};
use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::config::Config;
use aspirant::config::strength::{MAX_ELO, MIN_ELO, Strength};
use aspirant::engine::Engine as Library;
use aspirant::search::limits::Limits;
use shakmaty::Color;

fn limited(elo: i64) -> Engine {
    let mut engine = Engine::start();
    engine.send_silent("setoption name UCI_LimitStrength value true");
    engine.send_silent(&format!("setoption name UCI_Elo value {elo}"));
    engine.send_silent("setoption name Skill Seed value 5");
    engine
}

#[test]
fn limited_strength_keeps_its_node_budget() {
    let mut engine = limited(MIN_ELO);
    let budget = Strength::from_elo(MIN_ELO).nodes;
    engine.send_silent("setoption name Threads value 3");
    for go in [
        "wtime 60000 btime 60000",
        "movetime 60000",
        "depth 30",
        "mate 5",
        "nodes 1000000",
        "movetime 60000 searchmoves e1g1",
    ] {
        let found = engine.search(KIWIPETE, go);
        assert!(found.last().nodes <= budget, "{go}: {:?}", found.last());
        assert!(!go.contains("searchmoves") || found.best() == "e1g1");
    }
    assert!(engine.search(KIWIPETE, "nodes 10").last().nodes <= 10);
    // After the budget is used up, the answer still waits for `stop` or `ponderhit`.
    for (go, command) in [("go infinite", "stop"), ("go ponder wtime 1000 btime 1000", "ponderhit")] {
        engine.send(&format!("position {KIWIPETE}"));
        engine.send(go);
        engine.no_answer_for(std::time::Duration::from_millis(100));
        engine.send(command);
        assert!(engine.answer(&Root::new(KIWIPETE), LIMIT).last().nodes <= budget);
    }
    engine.quit();
}

/// The node budget applies to each MultiPV line, so that more lines do not weaken the play.
#[test]
fn each_multi_pv_line_has_its_own_node_budget() {
    // Enough nodes for the first iteration of each line.
    let elo = 1900;
    let mut engine = limited(elo);
    engine.send_silent("setoption name MultiPV value 4");
    let found = engine.search(KIWIPETE, "movetime 60000");
    let (nodes, budget) = (found.last().nodes, Strength::from_elo(elo).nodes);
    assert!(found.multi_pv().len() == 4 && nodes > budget && nodes <= 4 * budget, "{budget}: {found:?}");
    engine.quit();
}

#[test]
fn clear_hash_keeps_the_noise() {
    let mut engine = limited(MIN_ELO);
    engine.send_silent("setoption name Skill Seed value 0");
    let mut results = std::collections::HashSet::new();
    for _ in 0..4 {
        let found = engine.search(KIWIPETE, "nodes 50");
        results.insert(format!("{:?} {:?}", found.score(), found.last().pv));
        engine.send_silent("setoption name Clear Hash");
    }
    assert_eq!(results.len(), 1, "{results:?}");
    engine.quit();
}

#[test]
fn lowest_level_plays_mate_in_one() {
    let mut engine = limited(MIN_ELO);
    for (fen, mate) in [
        (fen::MATE_IN_1, "a1a8"),
        ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "f3f7"),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2", "d8h4"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g7"),
    ] {
        assert_eq!(engine.search(&format!("fen {fen}"), "movetime 60000").best(), mate, "{fen}");
    }
    engine.quit();
}

fn player(elo: i64, seed: u32) -> Library {
    let settings = ["Hash=1", "UCI_LimitStrength=true", &format!("UCI_Elo={elo}"), &format!("Skill Seed={seed}")];
    let mut config = Config::default();
    for (name, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
        config.options.set(name, value).unwrap();
    }
    Library::new(config).unwrap()
}

#[test]
fn elementary_mates_are_given_from_1300_on() {
    for (elo, fen) in [
        (1300, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"),
        (1500, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"),
        (1500, "8/8/8/3k4/8/8/8/KR6 w - - 0 1"),
        (2000, "8/8/8/3k4/8/8/8/KR6 w - - 0 1"),
    ] {
        let mut player = player(elo, 5);
        let mut game = Game::new(parse_fen(fen).unwrap());
        let outcome = loop {
            if let Some(outcome) = game.outcome() {
                break outcome;
            }
            player.set_game(game.clone());
            game.play(player.search(Limits::move_time(60_000)).best_move().unwrap());
        };
        assert_eq!(outcome.winner(), Some(Color::White), "{elo} {fen}: {outcome:?}");
    }
}

/// Plays a game between two ratings from an opening and returns White's points.
fn game(opening: &str, seed: u32, white: i64, black: i64) -> f64 {
    let mut players = [player(white, seed), player(black, seed)];
    let mut game = Game::default();
    game.play_moves(opening.split(' ')).unwrap();
    for _ in 0..160 {
        if let Some(outcome) = game.outcome() {
            return outcome.winner().map_or(0.5, |winner| winner.fold_wb(1.0, 0.0));
        }
        let player = &mut players[usize::from(game.position.turn() == Color::Black)];
        player.set_game(game.clone());
        let m = player.search(Limits::move_time(60_000)).best_move().unwrap();
        game.play(m);
    }
    // Unfinished games are adjudicated by material.
    let material = |color: Color| -> i32 {
        let board = game.position.board();
        let side = board.by_color(color);
        let values =
            [(board.pawns(), 1), (board.knights() | board.bishops(), 3), (board.rooks(), 5), (board.queens(), 9)];
        values.iter().map(|&(pieces, value)| value * (pieces & side).count() as i32).sum()
    };
    match material(Color::White) - material(Color::Black) {
        3.. => 1.0,
        -2..=2 => 0.5,
        _ => 0.0,
    }
}

#[test]
fn higher_rating_wins() {
    let openings = ["e2e4 e7e5", "d2d4 d7d5", "c2c4 g8f6", "e2e4 c7c5", "g1f3 d7d5"];
    let step = (MAX_ELO - MIN_ELO) / 4;
    for (weak, strong) in [(MIN_ELO, MIN_ELO + step), (MIN_ELO + step, MIN_ELO + 2 * step)] {
        let points: f64 = (1..)
            .zip(openings)
            .map(|(seed, opening)| game(opening, seed, strong, weak) + 1.0 - game(opening, seed, weak, strong))
            .sum();
        assert!(points > 6.0, "{strong} scored {points} of 10 points against {weak}");
    }
}
