//! Properties of the reference algorithms on any tree: values, moves, visiting orders, leaf sets.
//!
//! `cargo test` checks 10,000 random trees with ties. The environment variable `TREES` multiplies their number:
//! `TREES=50 cargo test --release -p game-tree-search --test algorithms_agree`.

use game_tree_search::algorithms::alpha_beta::alpha_beta_window;
use game_tree_search::algorithms::branch_and_bound::branch_and_bound_below;
use game_tree_search::algorithms::fail_soft::{fail_soft, fail_soft_window};
use game_tree_search::algorithms::iterative_deepening::{advance_along_variation, iterative_deepening};
use game_tree_search::catalog::{ALGORITHMS, Algorithm, AlgorithmId, AlgorithmSettings, MemoryUse};
use game_tree_search::games::{LiteralTree, RandomTree};
use game_tree_search::theory::minimal_leaves;
use game_tree_search::{
    GameTree, Memory, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED, Value, ordering::HEURISTICS,
};
use std::cell::Cell;
use std::collections::HashSet;

/// Returns the value of the root for MAX, computed without the code under test.
fn oracle(tree: &LiteralTree) -> Value {
    node_values(tree)[0]
}

/// Returns the values of all nodes for MAX, computed without the code under test.
fn node_values(tree: &LiteralTree) -> Vec<Value> {
    fn visit(tree: &LiteralTree, node: u32, max: bool, values: &mut [Value]) -> Value {
        let children = tree.moves(&node).into_iter().map(|mv| visit(tree, tree.play(&node, mv), !max, values));
        let best = if max { children.max() } else { children.min() };
        let value = best.unwrap_or_else(|| if max { tree.value(&node) } else { -tree.value(&node) });
        values[node as usize] = value;
        value
    }
    let mut values = vec![0; tree.len()];
    visit(tree, 0, true, &mut values);
    values
}

/// Returns random tree parameters: shape, ties, ordering, early leaves.
fn parameters(seed: u64) -> RandomTree {
    let mut random = fastrand::Rng::with_seed(seed);
    let widest = random.u32(1..=5);
    RandomTree {
        seed: random.u64(..),
        width: (random.u32(1..=widest), widest),
        depth: random.u32(0..=6),
        max_abs_value: *random.choice(&[0, 1, 2, 5, 20, 1000]).unwrap_or(&1),
        best_first_percent: *random.choice(&[0, 30, 60, 90, 100]).unwrap_or(&0),
        early_leaf_percent: *random.choice(&[0, 0, 10, 30]).unwrap_or(&0),
    }
}

/// Returns a tree with at most 200 nodes; every 50th one has up to 3,000.
fn random_tree(seed: u64) -> (RandomTree, LiteralTree) {
    let mut game = parameters(seed);
    let most_nodes = if seed.is_multiple_of(50) { 3_000 } else { 200 };
    loop {
        if let Some(tree) = LiteralTree::from_game(&game, &game.root(), game.depth, most_nodes) {
            return (game, tree);
        }
        game.depth -= 1;
    }
}

struct Run {
    outcome: TreeSearchOutcome<u32>,
    leaves: Vec<u64>,
}

impl Run {
    fn set(&self) -> HashSet<u64> {
        self.leaves.iter().copied().collect()
    }
}

fn run(algorithm: &Algorithm, tree: &LiteralTree, memory: bool, settings: AlgorithmSettings) -> Run {
    let mut ctx = SearchContext::new(tree);
    if memory {
        ctx = ctx.with_memory();
    }
    ctx.leaf_log = Some(Vec::new());
    let outcome = algorithm.run(&mut ctx, &0, tree.depth(), settings).expect(algorithm.name);
    Run { outcome, leaves: ctx.leaf_log.unwrap_or_default() }
}

fn named(name: &str, tree: &LiteralTree, memory: bool) -> Run {
    let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).expect("listed");
    run(algorithm, tree, memory, AlgorithmSettings { guess: Some(1), delta: 1 })
}

/// Checks value, move and principal variation of every algorithm, with and without memory.
fn check_values_moves_and_variations(tree: &LiteralTree) {
    let values = node_values(tree);
    let value = values[0];
    let value_after = |node, mv| values[tree.play(&node, mv) as usize];
    let moves = tree.moves(&0);
    let best: Vec<u32> = moves.iter().copied().filter(|&mv| value_after(0, mv) == value).collect();
    for algorithm in ALGORITHMS {
        for memory in [false, true] {
            if memory && algorithm.memory == MemoryUse::Never {
                continue;
            }
            for settings in
                [AlgorithmSettings { guess: Some(0), delta: 1 }, AlgorithmSettings { guess: Some(value + 3), delta: 2 }]
            {
                let found = run(algorithm, tree, memory, settings).outcome;
                let what = || format!("{} memory {memory} {settings:?} {}", algorithm.name, tree.to_text());
                assert_eq!(found.value, value, "{}", what());
                if moves.is_empty() {
                    assert_eq!(found.best_move, None, "{}", what());
                    continue;
                }
                assert!(found.best_move.is_some_and(|mv| best.contains(&mv)), "{} {:?}", what(), found.best_move);
                let any_best_move = matches!(
                    algorithm.id,
                    AlgorithmId::SssStar | AlgorithmId::DualStar | AlgorithmId::IterativeDeepening
                );
                assert!(any_best_move || found.best_move == Some(best[0]), "{}: not the first best move", what());
                let mut node = 0;
                for &mv in &found.principal_variation {
                    assert_eq!(value_after(node, mv), value, "{}: {:?}", what(), found.principal_variation);
                    node = tree.play(&node, mv);
                }
                // NegaScout's re-search confirms a value without a variation below the reply.
                let may_be_short =
                    memory || matches!(algorithm.id, AlgorithmId::NegaScout | AlgorithmId::AspirationNegaScout);
                assert!(
                    may_be_short || tree.moves(&node).is_empty(),
                    "{}: the principal variation is too short",
                    what()
                );
            }
        }
    }
}

/// Checks which algorithms visit the same leaves in the same order, and which visit a subset.
fn check_visiting_orders_and_subsets(tree: &LiteralTree) {
    let text = tree.to_text();
    let minimax = named("minimax", tree, false);
    for name in ["minimax explicit stack", "negamax"] {
        let other = named(name, tree, false);
        assert_eq!(minimax.leaves, other.leaves, "{name} {text}");
        assert_eq!(minimax.outcome.counters.nodes, other.outcome.counters.nodes, "{name} {text}");
    }
    assert_eq!(minimax.outcome.counters.nodes as usize, tree.len());
    let alpha_beta = named("alpha-beta fail-hard", tree, false);
    for name in ["alpha-beta fail-soft", "alpha-beta minimax form", "and/or deep"] {
        let other = named(name, tree, false);
        assert_eq!(alpha_beta.leaves, other.leaves, "{name} {text}");
        assert_eq!(alpha_beta.outcome.counters.nodes, other.outcome.counters.nodes, "{name} {text}");
        assert_eq!(alpha_beta.outcome.counters.cutoffs(), other.outcome.counters.cutoffs(), "{name} {text}");
    }
    let one_bound = named("branch and bound", tree, false);
    let shallow = named("and/or shallow", tree, false);
    assert_eq!(one_bound.leaves, shallow.leaves, "{text}");
    assert_eq!(one_bound.outcome.counters.deep_cutoffs, 0, "{text}");
    let cut = alpha_beta.set();
    assert!(cut.is_subset(&one_bound.set()), "{text}");
    assert!(one_bound.set().is_subset(&minimax.set()), "{text}");

    let sss = named("sss*", tree, false);
    assert_eq!(sss.leaves, named("mtd(+inf)", tree, true).leaves, "SSS* and MTD(+∞) {text}");
    let dual = named("dual*", tree, false);
    assert_eq!(dual.leaves, named("mtd(-inf)", tree, true).leaves, "DUAL* and MTD(-∞) {text}");
    assert!(sss.set().is_subset(&cut), "SSS* {text}");
    assert!(dual.set().is_subset(&cut), "DUAL* {text}");
    for name in ["negascout", "pvs"] {
        let with_memory = named(name, tree, true);
        assert!(with_memory.set().is_subset(&cut), "{name} {text}");
        assert_eq!(
            with_memory.set().len(),
            with_memory.leaves.len(),
            "{name}: a leaf was evaluated twice despite the memory"
        );
    }
}

/// Checks the conditions of Knuth and Moore (f′ and f″) for random windows.
fn check_windows(tree: &LiteralTree, seed: u64) {
    let value = oracle(tree);
    let mut random = fastrand::Rng::with_seed(!seed);
    for _ in 0..4 {
        let alpha = value + random.i32(-4..=3);
        let beta = alpha + random.i32(1..=4);
        let what = || format!("({alpha}, {beta}) {}", tree.to_text());
        let mut ctx = SearchContext::new(tree);
        ctx.leaf_log = Some(Vec::new());
        let hard = alpha_beta_window(&mut ctx, &0, tree.depth(), alpha, beta).expect("small").value;
        let hard_leaves = ctx.leaf_log.replace(Vec::new());
        let soft = fail_soft_window(&mut ctx, &0, tree.depth(), alpha, beta).expect("small").value;
        assert_eq!(hard, value.clamp(alpha, beta), "{}", what());
        assert_eq!(hard, soft.clamp(alpha, beta), "{}", what());
        if soft <= alpha {
            assert!(value <= soft, "{}", what());
        } else if soft >= beta {
            assert!(value >= soft, "{}", what());
        } else {
            assert_eq!(soft, value, "{}", what());
        }
        assert_eq!(hard_leaves, ctx.leaf_log.take(), "{}", what());
        let one = branch_and_bound_below(&mut ctx, &0, tree.depth(), beta).expect("small").value;
        assert!(if value < beta { one == value } else { one >= beta }, "{}", what());
    }
}

/// Checks that ordering heuristics do not change the value and that the move is one of the best.
fn check_orderings(game: &RandomTree, tree: &LiteralTree) {
    let values = node_values(tree);
    let value = values[0];
    for heuristics in [&HEURISTICS[..], &HEURISTICS[2..3], &HEURISTICS[3..4], &HEURISTICS[4..]] {
        for algorithm in ALGORITHMS {
            // The random tree, unlike its literal copy, has static values of inner nodes for the pre-search.
            let mut ctx = SearchContext::new(game).with_memory();
            for (name, _) in heuristics {
                assert!(ctx.ordering.enable(name));
            }
            let root = game.root();
            let outcome = algorithm.run(&mut ctx, &root, game.depth, AlgorithmSettings { guess: None, delta: 1 });
            let outcome = outcome.expect(algorithm.name);
            let what = || format!("{} {game:?} {}", algorithm.name, tree.to_text());
            assert_eq!(outcome.value, value, "{}", what());
            if let Some(mv) = outcome.best_move {
                assert_eq!(values[tree.play(&0, mv) as usize], value, "{}", what());
            }
        }
    }
}

/// Checks that a stopped iterative deepening returns the move of its last completed iteration.
fn check_stop_at_any_node(tree: &LiteralTree, seed: u64) {
    let mut ctx = SearchContext::new(tree);
    let whole = iterative_deepening(&mut ctx, &0, tree.depth(), |ctx, root, depth, _| fail_soft(ctx, root, depth));
    let limit = fastrand::Rng::with_seed(seed).u64(0..=whole.total_counters.nodes);
    let mut ctx = SearchContext::new(tree);
    ctx.max_nodes = limit;
    let mut moves = Vec::new();
    let stopped = iterative_deepening(&mut ctx, &0, tree.depth(), |ctx, root, depth, _| {
        let outcome = fail_soft(ctx, root, depth)?;
        moves.push(outcome.best_move);
        Ok(outcome)
    });
    assert!(stopped.total_counters.nodes <= limit, "{}", tree.to_text());
    assert_eq!(
        stopped.stopped.is_none(),
        limit == whole.total_counters.nodes || whole.completed_depth == stopped.completed_depth
    );
    assert_eq!(stopped.completed_depth as usize, moves.len());
    let usable = moves.last().copied().flatten().or(tree.moves(&0).first().copied());
    assert_eq!(stopped.best_move, usable, "{}", tree.to_text());
}

fn check(seed: u64) {
    let (game, tree) = random_tree(seed);
    check_values_moves_and_variations(&tree);
    check_visiting_orders_and_subsets(&tree);
    check_windows(&tree, seed);
    check_stop_at_any_node(&tree, seed);
    if seed.is_multiple_of(4) {
        check_orderings(&game, &tree);
    }
}

#[test]
fn algorithms_agree_on_10_000_random_trees() {
    let seeds = 10_000 * std::env::var("TREES").map_or(1, |factor| factor.parse().expect("TREES: a whole number"));
    let next = std::sync::atomic::AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds {
                        break;
                    }
                    check(seed);
                }
            });
        }
    });
}

#[test]
fn better_ordering_visits_fewer_leaves() {
    let leaves = |best_first_percent| {
        let total = |seed| {
            let game = RandomTree {
                seed,
                width: (6, 6),
                depth: 6,
                max_abs_value: 1000,
                best_first_percent,
                early_leaf_percent: 0,
            };
            let mut ctx = SearchContext::new(&game);
            fail_soft(&mut ctx, &game.root(), 6).expect("small").counters.leaves
        };
        (0..20).map(total).sum::<u64>()
    };
    let (random, some, most, perfect) = (leaves(0), leaves(50), leaves(90), leaves(100));
    assert!(random > some && some > most && most > perfect);
    assert_eq!(perfect, 20 * minimal_leaves(6, 6));
}

#[test]
fn previous_best_moves_reduce_leaves_of_next_iteration_and_game_move() {
    let (mut full_depth_only, mut deepened, mut fresh, mut carried) = (0, 0, 0, 0);
    for seed in 0..40 {
        let game = RandomTree {
            seed,
            width: (6, 6),
            depth: 8,
            max_abs_value: 1000,
            best_first_percent: 20,
            early_leaf_percent: 0,
        };
        let search = |ctx: &mut SearchContext<RandomTree>, p: &_, depth| fail_soft(ctx, p, depth).expect("small");
        let mut ctx = SearchContext::new(&game);
        full_depth_only += search(&mut ctx, &game.root(), 6).counters.leaves;
        ctx.ordering.previous_best = true;
        let result = iterative_deepening(&mut ctx, &game.root(), 6, |ctx, p, d, _| fail_soft(ctx, p, d));
        let last = result.last_iteration.expect("complete");
        deepened += last.counters.leaves;
        let next = advance_along_variation(&mut ctx, &game.root(), &last.principal_variation).expect("two moves");
        carried += search(&mut ctx, &next, 6).counters.leaves;
        fresh += search(&mut SearchContext::new(&game), &next, 6).counters.leaves;
    }
    assert!(deepened * 2 < full_depth_only, "iteration {deepened} against {full_depth_only}");
    assert!(carried < fresh, "carried {carried} against {fresh}");
}

/// A tree that stops its search after some evaluations.
struct StoppedTree<'a> {
    tree: &'a LiteralTree,
    evaluations: Cell<u32>,
}

impl GameTree for StoppedTree<'_> {
    type Position = u32;
    type Move = u32;

    fn root(&self) -> u32 {
        self.tree.root()
    }

    fn moves(&self, position: &u32) -> Vec<u32> {
        self.tree.moves(position)
    }

    fn play(&self, position: &u32, mv: u32) -> u32 {
        self.tree.play(position, mv)
    }

    fn value(&self, position: &u32) -> Value {
        self.evaluations.set(self.evaluations.get() + 1);
        self.tree.value(position)
    }

    fn key(&self, position: &u32) -> u64 {
        self.tree.key(position)
    }

    fn is_stopped(&self) -> bool {
        self.evaluations.get() >= 20
    }
}

#[test]
fn game_stops_a_search_and_a_full_memory_ends_it() {
    let game = RandomTree { width: (3, 3), depth: 6, max_abs_value: 1000, ..parameters(1) };
    let tree = LiteralTree::from_game(&game, &game.root(), 6, 10_000).expect("1093 nodes");
    for algorithm in ALGORITHMS {
        let stopped = StoppedTree { tree: &tree, evaluations: Cell::new(0) };
        let mut ctx = SearchContext::new(&stopped);
        let settings = AlgorithmSettings { guess: Some(0), ..AlgorithmSettings::default() };
        let result = algorithm.run(&mut ctx, &tree.root(), 6, settings);
        let is_stopped = matches!(result, Err(TreeSearchError::Stopped { .. }));
        assert!(is_stopped && stopped.evaluations.get() == 20, "{}: {result:?}", algorithm.name);

        let mut ctx = SearchContext::new(&tree);
        ctx.memory = Memory::bounded(1000);
        ctx.max_open_bytes = 1000;
        let result = algorithm.run(&mut ctx, &tree.root(), 6, settings);
        let needs_memory = algorithm.memory != MemoryUse::Never || ["sss*", "dual*"].contains(&algorithm.name);
        let is_full = matches!(result, Err(TreeSearchError::MemoryFull { .. }));
        assert_eq!(is_full, needs_memory, "{}: {result:?}", algorithm.name);
    }
}

#[test]
fn node_limit_stops_a_search() {
    let game =
        RandomTree { seed: 1, width: (5, 5), depth: 8, max_abs_value: 9, best_first_percent: 0, early_leaf_percent: 0 };
    for algorithm in ALGORITHMS {
        let mut ctx = SearchContext::new(&game);
        ctx.max_nodes = 100;
        let result = algorithm.run(&mut ctx, &game.root(), 8, AlgorithmSettings { guess: Some(UNBOUNDED), delta: 1 });
        assert_eq!(result, Err(TreeSearchError::Stopped { nodes: 100 }), "{}", algorithm.name);
    }
}
