//! The measurements of `compare`.

use std::fmt::Write as _;
use std::time::Instant;

use super::{Parts, Plan, Progress};
use crate::board::position::{self, Position};
use crate::eval::pst::Pst;
use crate::game_tree::algorithms::fail_soft::fail_soft;
use crate::game_tree::algorithms::iterative_deepening::iterative_deepening;
use crate::game_tree::algorithms::minimax::minimax;
use crate::game_tree::catalog::{ALGORITHMS, Algorithm, Id, MemoryUse, Settings};
use crate::game_tree::games::chess::{Chess, Horizon, Rules};
use crate::game_tree::theory::minimal_leaves_of;
use crate::game_tree::{Counts, Game, Search, Stop};
use crate::score::Score;

/// One algorithm on one position.
#[derive(Clone, Debug)]
pub struct Row {
    /// FEN, or `tree`.
    pub position: String,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Were transpositions remembered?
    pub memory: bool,
    /// Name of the choice of ordering heuristics.
    pub ordering: String,
    /// Plies.
    pub depth: u32,
    /// For the side to move; `None` if the search did not end.
    pub value: Option<Score>,
    /// As a person writes it; `None` if the search did not end or the root is a leaf.
    pub best_move: Option<String>,
    /// Cost over all iterations. If `estimated`, leaves and nodes are extrapolated.
    pub counts: Counts,
    /// Leaves of the last iteration.
    pub last_leaves: u64,
    /// Of this machine.
    pub seconds: f64,
    /// Stopped at the limit?
    pub estimated: bool,
    /// Why there is no result at all, although no limit was reached.
    pub failed: Option<Stop>,
    /// Leaves of the minimal tree of the measured width.
    pub minimal: f64,
    /// Leaves as a percentage of aspiration NegaScout's; `None` if that was not compared.
    pub percent: Option<f64>,
}

/// All runs of the plan on one position.
pub(super) fn measure<G: Game>(game: &G, name: &str, plan: &Plan, progress: &Progress) -> Vec<Row> {
    let mut rows = Vec::new();
    for &memory in &plan.memory {
        for parts in &plan.orderings {
            let from = rows.len();
            for algorithm in &plan.algorithms {
                // With and without: what ignores the switch is measured once.
                let twice = plan.memory.len() > 1;
                let settled = if memory { MemoryUse::Never } else { MemoryUse::Always };
                if twice && algorithm.memory == settled {
                    progress.step(algorithm.name);
                    continue;
                }
                rows.push(measure_one(game, name, algorithm, parts, memory, plan));
                progress.step(&format!("{} ({})", algorithm.name, parts.name));
            }
            compare_with_yardstick(&mut rows[from..]);
        }
    }
    rows
}

/// Fills in what compares a row with the others of its group.
fn compare_with_yardstick(rows: &mut [Row]) {
    let yardstick = rows.iter().find(|row| row.algorithm == "aspiration negascout").cloned();
    for row in rows {
        if let Some(yardstick) = &yardstick {
            row.percent = Some(100.0 * row.counts.leaves as f64 / yardstick.counts.leaves.max(1) as f64);
        }
        let width = yardstick.as_ref().map_or(&row.counts, |yardstick| &yardstick.counts).width();
        row.minimal = minimal_leaves_of(width, row.depth).max(1.0);
    }
}

fn search_with<'g, G: Game>(game: &'g G, parts: &Parts, memory: bool, plan: &Plan) -> Search<'g, G> {
    let mut s = Search::new(game);
    if memory {
        s = s.with_memory();
    }
    for part in &parts.parts {
        s.ordering.switch_on(part);
    }
    s.max_nodes = plan.limit;
    s
}

fn measure_one<G: Game>(
    game: &G,
    name: &str,
    algorithm: &'static Algorithm,
    parts: &Parts,
    memory: bool,
    plan: &Plan,
) -> Row {
    let mut row = Row {
        position: name.to_owned(),
        algorithm: algorithm.name,
        memory: match algorithm.memory {
            MemoryUse::Never => false,
            MemoryUse::Optional => memory,
            MemoryUse::Always => true,
        },
        ordering: parts.name.clone(),
        depth: plan.depth,
        value: None,
        best_move: None,
        counts: Counts::default(),
        last_leaves: 0,
        seconds: 0.0,
        estimated: false,
        failed: None,
        minimal: 1.0,
        percent: None,
    };
    let root = game.root();
    let settings = Settings { guess: None, delta: plan.delta };
    let deepening = algorithm.id == Id::IterativeDeepening;
    if plan.deepen && ((memory && row.memory) || deepening) {
        deepened(game, &root, algorithm, parts, plan, &mut row);
    } else if plan.deepen {
        step_by_step(game, &root, algorithm, parts, plan, &mut row);
    } else {
        let mut s = search_with(game, parts, row.memory, plan);
        let start = Instant::now();
        let result = algorithm.run(&mut s, &root, plan.depth, settings);
        row.seconds = start.elapsed().as_secs_f64();
        row.counts = s.counts;
        row.last_leaves = s.counts.leaves;
        match result {
            Ok(outcome) => {
                row.counts = outcome.counts;
                row.last_leaves = outcome.counts.leaves;
                row.value = Some(outcome.value);
                row.best_move = outcome.best_move.map(|mv| game.move_name(&root, mv));
            }
            Err(Stop::Limit { .. }) => row.estimated = true,
            Err(stop) => row.failed = Some(stop),
        }
    }
    row
}

/// With memory: iterative deepening around the algorithm. Iterative deepening itself goes around alpha-beta.
fn deepened<G: Game>(
    game: &G,
    root: &G::Position,
    algorithm: &'static Algorithm,
    parts: &Parts,
    plan: &Plan,
    row: &mut Row,
) {
    let mut s = search_with(game, parts, row.memory, plan);
    let mut inner = algorithm;
    if algorithm.id == Id::IterativeDeepening {
        s.ordering.remembered = true;
        inner = ALGORITHMS.iter().find(|other| other.id == Id::FailSoft).unwrap_or(algorithm);
    }
    let mut iterations: Vec<(Score, Counts)> = Vec::new();
    let start = Instant::now();
    let result = iterative_deepening(&mut s, root, plan.depth, |s, root, depth, last| {
        // Values swing between odd and even depths: the iteration before the last is the better guess.
        let guess = iterations.iter().rev().nth(1).map(|(value, _)| *value).or(last);
        let outcome = inner.run(s, root, depth, Settings { guess, delta: plan.delta })?;
        iterations.push((outcome.value, outcome.counts));
        Ok(outcome)
    });
    row.seconds = start.elapsed().as_secs_f64();
    row.counts = result.total;
    if let Some(last) = &result.last {
        row.last_leaves = last.counts.leaves;
    }
    if result.stopped.is_none() {
        row.value = result.last.as_ref().map(|last| last.value);
        row.best_move = result.best_move.map(|mv| game.move_name(root, mv));
    } else {
        let counts: Vec<Counts> = iterations.into_iter().map(|(_, counts)| counts).collect();
        estimate(row, &counts, row.seconds);
    }
}

/// Without memory: depths 1, 2, … one after the other, so that a depth that would take too long is
/// foreseen and extrapolated instead. Only the last depth is reported.
fn step_by_step<G: Game>(
    game: &G,
    root: &G::Position,
    algorithm: &'static Algorithm,
    parts: &Parts,
    plan: &Plan,
    row: &mut Row,
) {
    let mut done: Vec<Counts> = Vec::new();
    let mut seconds = 0.0;
    for depth in 1..=plan.depth {
        if extrapolated(&done, depth, |counts| counts.nodes) > plan.limit as f64 * 1.5 {
            return estimate(row, &done, seconds);
        }
        let mut s = search_with(game, parts, false, plan);
        let start = Instant::now();
        let result = algorithm.run(&mut s, root, depth, Settings { guess: None, delta: plan.delta });
        let Ok(outcome) = result else { return estimate(row, &done, seconds) };
        seconds = start.elapsed().as_secs_f64();
        row.counts = outcome.counts;
        row.last_leaves = outcome.counts.leaves;
        row.seconds = seconds;
        done.push(outcome.counts);
        if depth == plan.depth {
            row.value = Some(outcome.value);
            row.best_move = outcome.best_move.map(|mv| game.move_name(root, mv));
        }
    }
}

/// What a figure grows to at `depth`, from its growth over the last two plies (odd and even depths grow
/// differently); 0 if nothing is known.
fn extrapolated(done: &[Counts], depth: u32, figure: impl Fn(&Counts) -> u64) -> f64 {
    let value = |index: usize| figure(&done[index]).max(1) as f64;
    let Some(last) = done.len().checked_sub(1) else { return 0.0 };
    let plies = depth.saturating_sub(done.len() as u32);
    let per_ply = match last {
        0 => value(0),
        1 => value(1) / value(0),
        _ => (value(last) / value(last - 2)).sqrt(),
    };
    value(last) * per_ply.powi(plies as i32)
}

fn estimate(row: &mut Row, done: &[Counts], seconds: f64) {
    row.estimated = true;
    let nodes_done = done.last().map_or(1, |counts| counts.nodes).max(1) as f64;
    row.counts.leaves = extrapolated(done, row.depth, |counts| counts.leaves) as u64;
    row.counts.nodes = extrapolated(done, row.depth, |counts| counts.nodes) as u64;
    row.last_leaves = row.counts.leaves;
    row.seconds = seconds * row.counts.nodes as f64 / nodes_done;
}

/// "About twice the depth in the same time" (source 000), measured: minimax to depth 1 … `depth`, and the
/// depth that alpha-beta with our ordering reaches with no more leaves.
pub(super) fn twice(positions: &[Position], depth: u32, limit: u64) -> String {
    let mut out = String::from(
        "Minimax to depth d, alpha-beta (fail-soft, iterative deepening, memory, all ordering heuristics) to the\n\
         depths around 2d; sums over the positions. `equal depth`: where alpha-beta would use minimax's leaves.\n\n\
         \x20d  minimax leaves      time |  depth   alpha-beta leaves      time |  depth   alpha-beta leaves      time | equal depth\n",
    );
    let chess =
        |position: &Position| Chess::new(position::Game::new(position.clone()), Pst, Horizon::Static, Rules::PathFree);
    for d in 1..=depth {
        let (mut leaves, mut ended) = (0, true);
        let start = Instant::now();
        for position in positions {
            let game = chess(position);
            let mut s = Search::new(&game);
            s.max_nodes = limit.saturating_mul(100);
            ended &= minimax(&mut s, &game.root(), d).is_ok();
            leaves += s.counts.leaves;
        }
        let seconds = start.elapsed().as_secs_f64();
        if !ended {
            let _ = writeln!(out, "{d:2}  minimax was stopped at --limit times 100 nodes");
            break;
        }
        let alpha_beta = |depth: u32| {
            let start = Instant::now();
            let total: u64 = positions
                .iter()
                .map(|position| {
                    let game = chess(position);
                    let mut s = Search::new(&game).with_memory();
                    s.ordering = crate::game_tree::Ordering::all();
                    iterative_deepening(&mut s, &game.root(), depth, |s, p, d, _| fail_soft(s, p, d)).total.leaves
                })
                .sum();
            (total, start.elapsed().as_secs_f64())
        };
        let (odd, even) = (alpha_beta(2 * d - 1), alpha_beta(2 * d));
        let growth = (even.0 as f64 / odd.0.max(1) as f64).max(1.01);
        let equal = f64::from(2 * d - 1) + (leaves as f64 / odd.0.max(1) as f64).ln() / growth.ln();
        let _ = writeln!(
            out,
            "{d:2} {leaves:15} {seconds:8.3}s | {:6} {:19} {:8.3}s | {:6} {:19} {:8.3}s | {equal:11.1}",
            2 * d - 1,
            odd.0,
            odd.1,
            2 * d,
            even.0,
            even.1
        );
    }
    out
}
