//! What must hold on every tree: values, moves, visiting orders, subsets of leaves.
//!
//! `cargo test` checks ten thousand random trees with ties; `cargo test --release --test algorithms_agree -- --ignored` half a million.

use aspirant::game_tree::alpha_beta::alpha_beta_window;
use aspirant::game_tree::branch_and_bound::branch_and_bound_below;
use aspirant::game_tree::catalog::{ALGORITHMS, Algorithm, Id, MemoryUse, Settings, find};
use aspirant::game_tree::fail_soft::{fail_soft, fail_soft_window};
use aspirant::game_tree::games::{LiteralTree, RandomTree};
use aspirant::game_tree::iterative_deepening::{iterative_deepening, next_game_move};
use aspirant::game_tree::theory::minimal_leaves;
use aspirant::game_tree::{Game, OPEN, Outcome, Search, Stop, ordering::PARTS};
use aspirant::score::Score;
use std::collections::HashSet;

/// The value of a node for MAX, by a program that shares nothing with those under test.
fn oracle(tree: &LiteralTree, node: u32, max: bool) -> Score {
    let values = tree.moves(&node).into_iter().map(|mv| oracle(tree, tree.play(&node, mv), !max));
    let best = if max { values.max() } else { values.min() };
    best.unwrap_or_else(|| if max { tree.value(&node) } else { -tree.value(&node) })
}

/// Parameters that vary with the seed: shapes, ties, order, early leaves.
fn parameters(seed: u64) -> RandomTree {
    let mut random = fastrand::Rng::with_seed(seed);
    let widest = random.u32(1..=5);
    RandomTree {
        seed: random.u64(..),
        width: (random.u32(1..=widest), widest),
        depth: random.u32(0..=6),
        values: *random.choice(&[0, 1, 2, 5, 20, 1000]).unwrap_or(&1),
        best_first: *random.choice(&[0, 30, 60, 90, 100]).unwrap_or(&0),
        early_leaves: *random.choice(&[0, 0, 10, 30]).unwrap_or(&0),
    }
}

fn random_tree(seed: u64) -> (RandomTree, LiteralTree) {
    let mut game = parameters(seed);
    loop {
        if let Some(tree) = LiteralTree::from_game(&game, &game.root(), game.depth, 3_000) {
            return (game, tree);
        }
        game.depth -= 1;
    }
}

struct Run {
    outcome: Outcome<u32>,
    leaves: Vec<u64>,
}

impl Run {
    fn set(&self) -> HashSet<u64> {
        self.leaves.iter().copied().collect()
    }
}

fn run(algorithm: &Algorithm, tree: &LiteralTree, memory: bool, settings: Settings) -> Run {
    let mut s = Search::new(tree);
    if memory {
        s = s.with_memory();
    }
    s.leaf_log = Some(Vec::new());
    let outcome = algorithm.run(&mut s, &0, tree.depth(), settings).expect(algorithm.name);
    Run { outcome, leaves: s.leaf_log.unwrap_or_default() }
}

fn named(name: &str, tree: &LiteralTree, memory: bool) -> Run {
    run(find(name).expect("listed"), tree, memory, Settings { guess: Some(1), delta: 1 })
}

/// Every algorithm, with and without memory: value, move, principal variation.
fn values_moves_and_lines(tree: &LiteralTree) {
    let value = oracle(tree, 0, true);
    let moves = tree.moves(&0);
    let best: Vec<u32> = moves.iter().copied().filter(|&mv| oracle(tree, tree.play(&0, mv), false) == value).collect();
    for algorithm in ALGORITHMS {
        for memory in [false, true] {
            if memory && algorithm.memory == MemoryUse::Never {
                continue;
            }
            for settings in [Settings { guess: Some(0), delta: 1 }, Settings { guess: Some(value + 3), delta: 2 }] {
                let found = run(algorithm, tree, memory, settings).outcome;
                let what = format!("{} memory {memory} {settings:?} {}", algorithm.name, tree.to_text());
                assert_eq!(found.value, value, "{what}");
                if moves.is_empty() {
                    assert_eq!(found.best_move, None, "{what}");
                    continue;
                }
                assert!(found.best_move.is_some_and(|mv| best.contains(&mv)), "{what} {:?}", found.best_move);
                let may_choose = matches!(algorithm.id, Id::SssStar | Id::DualStar | Id::IterativeDeepening);
                assert!(may_choose || found.best_move == Some(best[0]), "{what}: not the first");
                let mut node = 0;
                for (ply, &mv) in found.principal_variation.iter().enumerate() {
                    node = tree.play(&node, mv);
                    assert_eq!(oracle(tree, node, ply % 2 == 1), value, "{what}: {:?}", found.principal_variation);
                }
                assert!(memory || tree.moves(&node).is_empty(), "{what}: the line ends too early");
            }
        }
    }
}

/// Same leaves in the same order, and subsets.
fn orders_and_subsets(tree: &LiteralTree) {
    let text = tree.to_text();
    let minimax = named("minimax", tree, false);
    for name in ["minimax explicit stack", "negamax"] {
        let other = named(name, tree, false);
        assert_eq!(minimax.leaves, other.leaves, "{name} {text}");
        assert_eq!(minimax.outcome.counts.nodes, other.outcome.counts.nodes, "{name} {text}");
    }
    assert_eq!(minimax.outcome.counts.nodes as usize, tree.len());
    let alpha_beta = named("alpha-beta fail-hard", tree, false);
    for name in ["alpha-beta fail-soft", "alpha-beta minimax form", "and/or deep"] {
        let other = named(name, tree, false);
        assert_eq!(alpha_beta.leaves, other.leaves, "{name} {text}");
        assert_eq!(alpha_beta.outcome.counts.nodes, other.outcome.counts.nodes, "{name} {text}");
        assert_eq!(alpha_beta.outcome.counts.cuts(), other.outcome.counts.cuts(), "{name} {text}");
    }
    let one_bound = named("branch and bound", tree, false);
    let shallow = named("and/or shallow", tree, false);
    assert_eq!(one_bound.leaves, shallow.leaves, "{text}");
    assert_eq!(one_bound.outcome.counts.deep_cuts, 0, "{text}");
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
        let remembered = named(name, tree, true);
        assert!(remembered.set().is_subset(&cut), "{name} {text}");
        assert_eq!(remembered.set().len(), remembered.leaves.len(), "{name}: a leaf twice in spite of memory");
    }
}

/// The (in)equalities of source 000 for any window.
fn windows(tree: &LiteralTree, seed: u64) {
    let value = oracle(tree, 0, true);
    let mut random = fastrand::Rng::with_seed(!seed);
    for _ in 0..4 {
        let alpha = value + random.i32(-4..=3);
        let beta = alpha + random.i32(1..=4);
        let what = || format!("({alpha}, {beta}) {}", tree.to_text());
        let mut s = Search::new(tree);
        s.leaf_log = Some(Vec::new());
        let hard = alpha_beta_window(&mut s, &0, tree.depth(), alpha, beta).expect("small").value;
        let hard_leaves = s.leaf_log.replace(Vec::new());
        let soft = fail_soft_window(&mut s, &0, tree.depth(), alpha, beta).expect("small").value;
        assert_eq!(hard, value.clamp(alpha, beta), "{}", what());
        assert_eq!(hard, soft.clamp(alpha, beta), "{}", what());
        if soft <= alpha {
            assert!(value <= soft, "{}", what());
        } else if soft >= beta {
            assert!(value >= soft, "{}", what());
        } else {
            assert_eq!(soft, value, "{}", what());
        }
        assert_eq!(hard_leaves, s.leaf_log.take(), "{}", what());
        let one = branch_and_bound_below(&mut s, &0, tree.depth(), beta).expect("small").value;
        assert!(if value < beta { one == value } else { one >= beta }, "{}", what());
    }
}

/// No ordering changes a value; the chosen move stays one of the best.
fn orderings(game: &RandomTree, tree: &LiteralTree) {
    let value = oracle(tree, 0, true);
    for parts in [&PARTS[..], &PARTS[2..3], &PARTS[3..4], &PARTS[4..]] {
        for algorithm in ALGORITHMS {
            // The random game itself has static values for inner nodes, which the pre-search sorts by.
            let mut s = Search::new(game).with_memory();
            for (name, _) in parts {
                assert!(s.ordering.switch_on(name));
            }
            let root = game.root();
            let outcome = algorithm.run(&mut s, &root, game.depth, Settings { guess: None, delta: 1 });
            let outcome = outcome.expect(algorithm.name);
            let what = format!("{} {game:?} {}", algorithm.name, tree.to_text());
            assert_eq!(outcome.value, value, "{what}");
            if let Some(mv) = outcome.best_move {
                assert_eq!(oracle(tree, tree.play(&0, mv), false), value, "{what}");
            }
        }
    }
}

/// Iterative deepening stopped after any number of nodes has the move of its last complete iteration.
fn stopped_anywhere(tree: &LiteralTree, seed: u64) {
    let mut s = Search::new(tree);
    let whole = iterative_deepening(&mut s, &0, tree.depth(), |s, root, depth, _| fail_soft(s, root, depth));
    let limit = fastrand::Rng::with_seed(seed).u64(0..=whole.total.nodes);
    let mut s = Search::new(tree);
    s.max_nodes = limit;
    let mut moves = Vec::new();
    let stopped = iterative_deepening(&mut s, &0, tree.depth(), |s, root, depth, _| {
        let outcome = fail_soft(s, root, depth)?;
        moves.push(outcome.best_move);
        Ok(outcome)
    });
    assert!(stopped.total.nodes <= limit, "{}", tree.to_text());
    assert_eq!(stopped.stopped.is_none(), limit == whole.total.nodes || whole.depth == stopped.depth);
    assert_eq!(stopped.depth as usize, moves.len());
    let usable = moves.last().copied().flatten().or(tree.moves(&0).first().copied());
    assert_eq!(stopped.best_move, usable, "{}", tree.to_text());
}

fn check(seed: u64) {
    let (game, tree) = random_tree(seed);
    values_moves_and_lines(&tree);
    orders_and_subsets(&tree);
    windows(&tree, seed);
    stopped_anywhere(&tree, seed);
    if seed.is_multiple_of(4) {
        orderings(&game, &tree);
    }
}

fn check_all(seeds: std::ops::Range<u64>) {
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    check(seed);
                }
            });
        }
    });
}

#[test]
fn ten_thousand_random_trees() {
    check_all(0..10_000);
}

#[test]
#[ignore = "half a million trees: minutes"]
fn half_a_million_random_trees() {
    check_all(10_000..510_000);
}

#[test]
fn no_search_beats_the_minimal_tree() {
    for seed in 0..500 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (width, depth) = (random.u32(1..=4), random.u32(1..=5));
        let game = RandomTree {
            seed,
            width: (width, width),
            depth,
            values: 1000,
            best_first: random.u32(0..=100),
            early_leaves: 0,
        };
        let tree = LiteralTree::from_game(&game, &game.root(), depth, 10_000).expect("small");
        for algorithm in ALGORITHMS {
            let found = run(algorithm, &tree, true, Settings::default());
            let minimal = minimal_leaves(u64::from(width), depth);
            assert!(found.set().len() as u64 >= minimal, "{} {}", algorithm.name, tree.to_text());
        }
    }
}

#[test]
fn a_better_order_costs_fewer_leaves() {
    let leaves = |best_first| {
        let total = |seed| {
            let game = RandomTree { seed, width: (6, 6), depth: 6, values: 1000, best_first, early_leaves: 0 };
            let mut s = Search::new(&game);
            fail_soft(&mut s, &game.root(), 6).expect("small").counts.leaves
        };
        (0..20).map(total).sum::<u64>()
    };
    let (random, some, most, perfect) = (leaves(0), leaves(50), leaves(90), leaves(100));
    assert!(random > some && some > most && most > perfect);
    assert_eq!(perfect, 20 * minimal_leaves(6, 6));
}

#[test]
fn remembering_helps_iterative_deepening_and_the_next_game_move() {
    let (mut forgetful, mut deepened, mut fresh, mut carried) = (0, 0, 0, 0);
    for seed in 0..40 {
        let game = RandomTree { seed, width: (6, 6), depth: 8, values: 1000, best_first: 20, early_leaves: 0 };
        let search = |s: &mut Search<RandomTree>, p: &_, depth| fail_soft(s, p, depth).expect("small");
        let mut s = Search::new(&game);
        forgetful += search(&mut s, &game.root(), 6).counts.leaves;
        s.ordering.remembered = true;
        let result = iterative_deepening(&mut s, &game.root(), 6, |s, p, d, _| fail_soft(s, p, d));
        let last = result.last.expect("complete");
        deepened += last.counts.leaves;
        let next = next_game_move(&mut s, &game.root(), &last.principal_variation).expect("two moves");
        carried += search(&mut s, &next, 6).counts.leaves;
        fresh += search(&mut Search::new(&game), &next, 6).counts.leaves;
    }
    assert!(deepened * 2 < forgetful, "iteration {deepened} against {forgetful}");
    assert!(carried < fresh, "carried {carried} against {fresh}");
}

#[test]
fn limits_end_a_search() {
    let game = RandomTree { seed: 1, width: (5, 5), depth: 8, values: 9, best_first: 0, early_leaves: 0 };
    for algorithm in ALGORITHMS {
        let mut s = Search::new(&game);
        s.max_nodes = 100;
        let result = algorithm.run(&mut s, &game.root(), 8, Settings { guess: Some(OPEN), delta: 1 });
        if algorithm.id == Id::IterativeDeepening {
            // It reports what the unfinished iteration had left of the limit.
            assert!(matches!(result, Err(Stop::Limit { nodes }) if nodes < 100));
        } else {
            assert_eq!(result, Err(Stop::Limit { nodes: 100 }), "{}", algorithm.name);
        }
        let mut asked = 0;
        let mut ask = |_: &_| {
            asked += 1;
            asked < 3
        };
        let mut s = Search::new(&game);
        s.keep_going = Some(&mut ask);
        let result = find("minimax").expect("listed").run(&mut s, &game.root(), 8, Settings::default());
        assert_eq!(result, Err(Stop::Limit { nodes: 3 * 4096 }));
    }
}
