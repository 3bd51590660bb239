//! The measurements of `compare`.

use std::time::Instant;

use game_tree_search::algorithms::iterative_deepening::iterative_deepening;
use game_tree_search::catalog::{Algorithm, AlgorithmId, AlgorithmSettings, MemoryUse};
use game_tree_search::theory::minimal_leaves_for_mean_width;
use game_tree_search::{GameTree as _, SearchContext, SearchCounters, TreeSearchError};
use indicatif::ProgressBar;

use super::{ComparePlan, HeuristicSet};
use crate::chess_tree::input::{TreeInput, TreePosition};
use crate::score::Score;

/// The measurement of one algorithm on one position.
#[derive(Clone, Debug)]
pub(super) struct CompareRow {
    /// FEN of the position; `tree` for a tree given as text.
    pub position: String,
    pub algorithm: &'static str,
    /// Whether a memory was used.
    pub memory: bool,
    /// Name of the set of ordering heuristics.
    pub ordering: String,
    /// Search depth in plies.
    pub depth: u32,
    /// Value for the side to move; `None` if the search was stopped.
    pub value: Option<Score>,
    /// Best move in its usual notation; `None` if the search was stopped or the root is a leaf.
    pub best_move: Option<String>,
    /// Cost over all iterations. If `estimated`, leaves and nodes are extrapolated.
    pub counters: SearchCounters,
    /// Leaves of the last iteration.
    pub last_leaves: u64,
    /// Elapsed time.
    pub seconds: f64,
    /// Whether the search was stopped at the node limit.
    pub estimated: bool,
    /// The error if the search failed for another reason than the node limit.
    pub failed: Option<TreeSearchError>,
    /// Leaves of the minimal tree of the measured width.
    pub minimal: f64,
    /// Leaves as a percentage of aspiration NegaScout's; `None` if that was not measured.
    pub percent: Option<f64>,
}

/// The rows of all positions for one algorithm and ordering.
#[derive(Clone, Debug)]
pub(super) struct RowGroup {
    pub algorithm: &'static Algorithm,
    pub ordering: String,
    pub rows: Vec<CompareRow>,
}

/// Runs the plan on all positions, one algorithm after the other.
pub(super) fn measure(games: &[(String, TreeInput)], plan: &ComparePlan, progress: &ProgressBar) -> Vec<RowGroup> {
    let mut groups = Vec::new();
    for set in &plan.orderings {
        let mut of_set: Vec<RowGroup> = Vec::new();
        for algorithm in &plan.algorithms {
            progress.set_message(format!("{} ({})", algorithm.name, set.name));
            let row = |(name, game): &(String, TreeInput)| {
                let row = measure_one(game, name, algorithm, set, plan);
                progress.inc(1);
                row
            };
            of_set.push(RowGroup { algorithm, ordering: set.name.clone(), rows: games.iter().map(row).collect() });
        }
        set_relative_figures(&mut of_set);
        groups.extend(of_set);
    }
    groups
}

/// Sets the figures that compare rows with those of aspiration NegaScout on the same positions.
fn set_relative_figures(groups: &mut [RowGroup]) {
    let reference = groups.iter().find(|group| group.algorithm.id == AlgorithmId::AspirationNegaScout);
    let reference = reference.map(|group| group.rows.clone());
    for row in groups.iter_mut().flat_map(|group| group.rows.iter_mut().enumerate()) {
        let (index, row) = row;
        let reference = reference.as_ref().map(|rows| &rows[index].counters);
        row.percent = reference.map(|counters| 100.0 * row.counters.leaves as f64 / counters.leaves.max(1) as f64);
        let width = reference.unwrap_or(&row.counters).mean_branching_factor();
        row.minimal = minimal_leaves_for_mean_width(width, row.depth).max(1.0);
    }
}

fn search_with<'g>(
    game: &'g TreeInput,
    set: &HeuristicSet,
    memory: bool,
    plan: &ComparePlan,
) -> SearchContext<'g, TreeInput> {
    let mut ctx = SearchContext::new(game);
    if memory {
        ctx = ctx.with_memory();
    }
    for heuristic in &set.heuristics {
        ctx.ordering.enable(heuristic);
    }
    ctx.max_nodes = plan.limit;
    ctx
}

fn measure_one(
    game: &TreeInput,
    name: &str,
    algorithm: &'static Algorithm,
    set: &HeuristicSet,
    plan: &ComparePlan,
) -> CompareRow {
    let mut row = CompareRow {
        position: name.to_owned(),
        algorithm: algorithm.name,
        memory: match algorithm.memory {
            MemoryUse::Never => false,
            MemoryUse::Optional => plan.memory,
            MemoryUse::Always => true,
        },
        ordering: set.name.clone(),
        depth: plan.depth,
        value: None,
        best_move: None,
        counters: SearchCounters::default(),
        last_leaves: 0,
        seconds: 0.0,
        estimated: false,
        failed: None,
        minimal: 1.0,
        percent: None,
    };
    let root = game.root();
    let settings = AlgorithmSettings { guess: None, delta: plan.delta };
    let deepening = algorithm.id == AlgorithmId::IterativeDeepening;
    if plan.deepen && ((plan.memory && row.memory) || deepening) {
        measure_deepening(game, &root, algorithm, set, plan, &mut row);
    } else if plan.deepen {
        measure_fixed_depths(game, &root, algorithm, set, plan, &mut row);
    } else {
        let mut ctx = search_with(game, set, row.memory, plan);
        let start = Instant::now();
        let result = algorithm.run(&mut ctx, &root, plan.depth, settings);
        row.seconds = start.elapsed().as_secs_f64();
        row.counters = ctx.counters;
        row.last_leaves = ctx.counters.leaves;
        match result {
            Ok(outcome) => {
                row.counters = outcome.counters;
                row.last_leaves = outcome.counters.leaves;
                row.value = Some(outcome.value);
                row.best_move = outcome.best_move.map(|mv| game.move_name(&root, mv));
            }
            Err(TreeSearchError::Stopped { .. }) => row.estimated = true,
            Err(stop) => row.failed = Some(stop),
        }
    }
    row
}

/// Measures with iterative deepening around the algorithm.
///
/// Iterative deepening itself runs fail-soft alpha-beta.
fn measure_deepening(
    game: &TreeInput,
    root: &TreePosition,
    algorithm: &'static Algorithm,
    set: &HeuristicSet,
    plan: &ComparePlan,
    row: &mut CompareRow,
) {
    let mut ctx = search_with(game, set, row.memory, plan);
    ctx.ordering.previous_best |= algorithm.id == AlgorithmId::IterativeDeepening;
    let inner = algorithm.of_iteration();
    let mut iterations: Vec<(Score, SearchCounters)> = Vec::new();
    let start = Instant::now();
    let result = iterative_deepening(&mut ctx, root, plan.depth, |ctx, root, depth, last| {
        // Values alternate between odd and even depths: the iteration before the last is the better guess.
        let guess = iterations.iter().rev().nth(1).map(|(value, _)| *value).or(last);
        let outcome = inner.run(ctx, root, depth, AlgorithmSettings { guess, delta: plan.delta })?;
        iterations.push((outcome.value, outcome.counters));
        Ok(outcome)
    });
    row.seconds = start.elapsed().as_secs_f64();
    row.counters = result.total_counters;
    if let Some(last) = &result.last_iteration {
        row.last_leaves = last.counters.leaves;
    }
    if result.stopped.is_none() {
        row.value = result.last_iteration.as_ref().map(|last| last.value);
        row.best_move = result.best_move.map(|mv| game.move_name(root, mv));
    } else {
        let counters: Vec<SearchCounters> = iterations.into_iter().map(|(_, counters)| counters).collect();
        estimate(row, &counters, row.seconds, result.total_counters.nodes, true);
    }
}

/// Measures without memory at depths 1, 2, … and reports the last one.
///
/// A depth whose predicted node count exceeds the limit by half is not searched but extrapolated.
fn measure_fixed_depths(
    game: &TreeInput,
    root: &TreePosition,
    algorithm: &'static Algorithm,
    set: &HeuristicSet,
    plan: &ComparePlan,
    row: &mut CompareRow,
) {
    let mut done: Vec<SearchCounters> = Vec::new();
    let mut seconds = 0.0;
    for depth in 1..=plan.depth {
        if extrapolated(&done, depth, |counters| counters.nodes) > plan.limit as f64 * 1.5 {
            return estimate(row, &done, seconds, last_nodes(&done), false);
        }
        let mut ctx = search_with(game, set, false, plan);
        let start = Instant::now();
        let result = algorithm.run(&mut ctx, root, depth, AlgorithmSettings { guess: None, delta: plan.delta });
        let Ok(outcome) = result else {
            if done.is_empty() {
                row.counters = ctx.counters;
            }
            return estimate(row, &done, seconds, last_nodes(&done), false);
        };
        seconds = start.elapsed().as_secs_f64();
        row.counters = outcome.counters;
        row.last_leaves = outcome.counters.leaves;
        row.seconds = seconds;
        done.push(outcome.counters);
        if depth == plan.depth {
            row.value = Some(outcome.value);
            row.best_move = outcome.best_move.map(|mv| game.move_name(root, mv));
        }
    }
}

/// Extrapolates a figure to `depth` from its growth over the last two plies; 0 without data.
///
/// Two plies, because growth differs between odd and even depths.
fn extrapolated(done: &[SearchCounters], depth: u32, figure: impl Fn(&SearchCounters) -> u64) -> f64 {
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

/// Returns the nodes of the last completed depth.
fn last_nodes(done: &[SearchCounters]) -> u64 {
    done.last().map_or(1, |counters| counters.nodes)
}

/// Estimates the cost of a search to `row.depth` from the counters of the completed depths.
///
/// `seconds` is the time of `measured_nodes` nodes. With `all_iterations`, the result is the sum over all depths. Without
/// a completed depth, the counts up to the stop remain.
fn estimate(row: &mut CompareRow, done: &[SearchCounters], seconds: f64, measured_nodes: u64, all_iterations: bool) {
    row.estimated = true;
    if done.is_empty() {
        row.last_leaves = row.counters.leaves;
        return;
    }
    let depth = row.depth;
    let first = if all_iterations { 1 } else { depth };
    let sum = |figure: fn(&SearchCounters) -> u64| -> f64 {
        let at = |d: u32| done.get(d as usize - 1).map_or_else(|| extrapolated(done, d, figure), |c| figure(c) as f64);
        (first..=depth).map(at).sum()
    };
    row.last_leaves = extrapolated(done, depth, |counters| counters.leaves) as u64;
    row.counters.leaves = sum(|counters| counters.leaves) as u64;
    row.counters.nodes = sum(|counters| counters.nodes) as u64;
    row.seconds = seconds * row.counters.nodes as f64 / measured_nodes.max(1) as f64;
}
