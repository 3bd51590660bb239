//! The example trees of papers and textbooks (`docs/algorithms.md` of the repository), checked node by node.

use game_tree_search::algorithms::alpha_beta::alpha_beta_window;
use game_tree_search::algorithms::fail_soft::fail_soft_window;
use game_tree_search::algorithms::max_n::{MultiPlayerGame, max_n, max_n_shallow};
use game_tree_search::algorithms::minimal_configuration::{minimize_by_backtracking, minimize_by_branch_and_bound};
use game_tree_search::algorithms::proof_number_search::proves;
use game_tree_search::catalog::{ALGORITHMS, AlgorithmId, AlgorithmSettings, find_algorithm};
use game_tree_search::games::{LiteralTree, MultiPlayerTree, OrderedTree, RandomTree, TicTacToe, TravelingSalesman};
use game_tree_search::theory::{maximal_leaves, minimal_leaves};
use game_tree_search::{
    GameTree, MAX_RECURSION_DEPTH, MAX_VALUE, SearchContext, Trace, TreeSearchError, TreeSearchOutcome, Value,
    trace::TraceEvent,
};

fn tree(text: &str) -> LiteralTree {
    LiteralTree::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Runs an algorithm on a whole tree; also returns the names of the leaves in the order of evaluation.
fn run<'t>(name: &str, tree: &'t LiteralTree) -> (TreeSearchOutcome<u32>, Vec<&'t str>) {
    let mut ctx = SearchContext::new(tree);
    ctx.leaf_log = Some(Vec::new());
    let algorithm = find_algorithm(name).unwrap_or_else(|| panic!("no algorithm `{name}`"));
    let outcome = algorithm.run(&mut ctx, &0, tree.depth(), AlgorithmSettings::default()).expect(name);
    (outcome, tree.names(&ctx.leaf_log.unwrap_or_default()))
}

/// Depth-first searches with both bounds, which visit the same leaves in the same order.
const TWO_BOUNDS: [&str; 4] =
    ["alpha-beta fail-hard", "alpha-beta fail-soft", "alpha-beta minimax form", "and/or deep"];

/// Example 10.7 of Aho, Hopcroft and Ullman 1983, with leaf values that fit its text.
const AHO_EXAMPLE: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

#[test]
fn aho_example_cuts_off_h_and_t_but_not_o() {
    let figure = tree(AHO_EXAMPLE);
    for name in TWO_BOUNDS.into_iter().chain(["and/or shallow", "branch and bound"]) {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!(leaves, ["D", "E", "G", "K", "L", "N", "O", "R", "S"], "{name}");
        assert_eq!((outcome.value, outcome.best_move), (5, Some(1)), "{name}: I is best");
    }
    let (outcome, leaves) = run("minimax", &figure);
    assert_eq!((outcome.value, leaves.len()), (5, 12));
}

#[test]
fn aho_example_holds_for_other_leaf_values() {
    for (e, l, r, s, h, u) in [(2, 8, 4, 4, -9, 0), (-7, -7, 4, 1, 99, 9), (0, 7, -3, 4, 6, 4)] {
        let text = format!("A(B(C(D=2 E={e}) F(G=6 H={h})) I(J(K=8 L={l}) M(N=5 O=0)) P(Q(R={r} S={s}) T(U={u})))");
        for name in TWO_BOUNDS {
            let figure = tree(&text);
            let (_, leaves) = run(name, &figure);
            assert_eq!(leaves, ["D", "E", "G", "K", "L", "N", "O", "R", "S"], "{name}: {text}");
        }
    }
}

#[test]
fn tentative_and_final_values_match_the_text() {
    let figure = tree(AHO_EXAMPLE);
    let mut ctx = SearchContext::new(&figure);
    ctx.trace = Some(Trace::new(100));
    let algorithm = find_algorithm("and/or deep").expect("listed");
    algorithm.run(&mut ctx, &0, figure.depth(), AlgorithmSettings::default()).expect("runs");
    let trace = ctx.trace.expect("recorded");
    let name = |node: u32| trace.nodes[node as usize].name.as_str();
    let steps: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| match *event {
            TraceEvent::Tentative { node, value } => Some(format!("{} {value}?", name(node))),
            TraceEvent::Leave { node, value, .. } => Some(format!("{} {value}", name(node))),
            TraceEvent::Cut { node, by, .. } => Some(format!("{} cut by {}", name(node), by.map_or("", name))),
            _ => None,
        })
        .collect();
    // The name of the root is empty.
    let expected = [
        "C 2?",
        "C 2",
        "B 2?",
        "F 6?",
        "F cut by B",
        "F 6",
        "B 2",
        " 2?",
        "J 8?",
        "J 8",
        "I 8?",
        "M 5?",
        "M 5",
        "I 5?",
        "I 5",
        " 5?",
        "Q 4?",
        "Q 4",
        "P 4?",
        "P cut by ",
        "P 4",
        " 5",
    ];
    assert_eq!(steps, expected);
}

/// A Russian textbook on AND/OR trees: 17 nodes, 10 leaves; 11 nodes visited, 6 leaves evaluated; two branches of W4 cut off.
const AND_OR_TREE: &str = "W0(W1(W2(3 5 4) W3(2 4)) W4(3 W5(7 1) W6(0 8)))";

#[test]
fn textbook_tree_visits_11_of_17_nodes_and_6_of_10_leaves() {
    let figure = tree(AND_OR_TREE);
    assert_eq!((figure.len(), figure.leaves()), (17, 10));
    let (plain, _) = run("minimax", &figure);
    assert_eq!((plain.counters.nodes, plain.counters.leaves), (17, 10));
    for name in TWO_BOUNDS {
        let (outcome, _) = run(name, &figure);
        assert_eq!((outcome.counters.nodes, outcome.counters.leaves), (11, 6), "{name}");
        assert_eq!((outcome.value, outcome.best_move), (plain.value, plain.best_move), "{name}");
        assert_eq!((outcome.counters.alpha_cutoffs, outcome.counters.beta_cutoffs), (1, 0), "{name}");
    }
}

#[test]
fn a_refuting_reply_ends_the_search_of_a_move() {
    // f(p1) = -10 for the opponent, so f(p) >= 10. f(p21) <= 10 refutes p2; p22 is not visited.
    for reply in [10, 9, -50] {
        let figure = tree(&format!("p(p1=10 p2(p21={reply} p22=30))"));
        for name in TWO_BOUNDS.into_iter().chain(["branch and bound", "negascout", "pvs", "scout"]) {
            let (outcome, leaves) = run(name, &figure);
            assert_eq!(leaves, ["p1", "p21"], "{name} {reply}");
            assert_eq!(outcome.value, 10, "{name}");
        }
    }
    // A reply that does not refute the move: all replies are visited.
    let figure = tree("p(p1=10 p2(p21=11 p22=30))");
    let (outcome, leaves) = run("branch and bound", &figure);
    assert_eq!((outcome.value, leaves), (11, vec!["p1", "p21", "p22"]));
}

#[test]
fn second_bound_adds_deep_cutoffs() {
    // The root has 5. A MIN node three plies below gets 3, and its MAX parent has no value yet.
    let figure = tree("(a=5 b(c(d(e=3 f=9) g=1) h=9))");
    for name in TWO_BOUNDS {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!(leaves, ["a", "e", "g"], "{name}");
        assert_eq!((outcome.counters.deep_cutoffs, outcome.counters.alpha_cutoffs), (1, 2), "{name}");
    }
    for name in ["branch and bound", "and/or shallow"] {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!(leaves, ["a", "e", "f", "g"], "{name}");
        assert_eq!(outcome.counters.deep_cutoffs, 0, "{name}");
    }
}

#[test]
fn single_leaf_chains_ties_and_infinities() {
    let cases = [
        ("7", 7, None),
        ("(7)", 7, Some(0)),
        ("((((7))))", 7, Some(0)),
        ("((4 4)(4 4)(4 4))", 4, Some(0)),
        ("((inf 1)(-inf 2))", 1, Some(0)),
        ("(-inf -inf)", -MAX_VALUE, Some(0)),
        ("((inf)(inf))", MAX_VALUE, Some(0)),
        ("(3 (9 (4 (8 5))) ((1)))", 5, Some(1)),
        ("(-5 (-3 -4) -3)", -3, Some(2)),
        // The program of a tutorial returns 0: it assigns no value to a node whose children are all outside its window.
        ("(-1 ((-2)))", -1, Some(0)),
    ];
    for (text, value, best) in cases {
        for algorithm in ALGORITHMS {
            let figure = tree(text);
            let (outcome, _) = run(algorithm.name, &figure);
            assert_eq!((outcome.value, outcome.best_move), (value, best), "{} {text}", algorithm.name);
        }
    }
}

#[test]
fn wide_nodes_and_deep_chains_are_searched() {
    // 218 is the maximum number of legal moves in a chess position.
    let wide = tree(&format!("({})", (0..218).map(|i| format!("({} 9)", i % 100)).collect::<String>()));
    for algorithm in ALGORITHMS {
        let (outcome, _) = run(algorithm.name, &wide);
        assert_eq!(outcome.value, 9, "{}", algorithm.name);
    }
    let chain = |plies: usize| tree(&format!("{}42{}", "(".repeat(plies), ")".repeat(plies)));
    let deep = chain(10_000);
    assert_eq!(deep.depth(), 10_000);
    for algorithm in ALGORITHMS {
        let mut ctx = SearchContext::new(&deep);
        let result = algorithm.run(&mut ctx, &0, 10_000, AlgorithmSettings::default());
        match algorithm.id {
            AlgorithmId::ExplicitStack | AlgorithmId::SssStar | AlgorithmId::DualStar => {
                let outcome = result.expect(algorithm.name);
                assert_eq!((outcome.value, outcome.principal_variation.len()), (42, 10_000));
            }
            _ => assert_eq!(result, Err(TreeSearchError::TooDeep { limit: MAX_RECURSION_DEPTH }), "{}", algorithm.name),
        }
    }
    let (outcome, _) = run("negascout", &chain(MAX_RECURSION_DEPTH as usize));
    assert_eq!(outcome.value, 42);
}

#[test]
fn malformed_tree_text_is_rejected_with_position_and_reason() {
    let cases = [
        ("", "character 1 (line 1, column 1) of the tree: the text is empty; expected a number or `(`"),
        ("(3 (5 2)", "character 9 (line 1, column 9) of the tree: unexpected end of text; 1 unclosed bracket(s)"),
        ("(3 5))", "character 6 (line 1, column 6) of the tree: unmatched `)`"),
        (
            "(3 ())",
            "character 5 (line 1, column 5) of the tree: empty brackets; an inner node needs at least one child",
        ),
        ("(3 5) 4", "character 7 (line 1, column 7) of the tree: unexpected text after the end of the tree"),
        ("(3\n 5x)", "character 5 (line 2, column 2) of the tree: `5x` is not an integer, `inf` or `-inf`"),
        ("(3 1.5)", "character 4 (line 1, column 4) of the tree: `1.5` is not an integer, `inf` or `-inf`"),
        (
            "(3 99999999999)",
            "character 4 (line 1, column 4) of the tree: 99999999999 is outside -1000000000..=1000000000",
        ),
        ("(3 A 5)", "character 5 (line 1, column 5) of the tree: expected `(` or `=` and a number after the name `A`"),
        ("(3 A= )", "character 7 (line 1, column 7) of the tree: expected a number after `A=`"),
        ("(3 [5])", "character 4 (line 1, column 4) of the tree: unexpected `[`"),
        ("(é=3 ü)", "character 7 (line 1, column 7) of the tree: expected `(` or `=` and a number after the name `ü`"),
    ];
    for (text, message) in cases {
        let error = LiteralTree::parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    assert_eq!(tree(AHO_EXAMPLE).to_text(), AHO_EXAMPLE);
    assert_eq!(tree("( 3,  (-inf,∞) )").to_text(), "(3 (-inf inf))");
}

#[test]
fn ordered_trees_cost_the_minimal_and_maximal_tree() {
    for (width, depth) in [(1, 5), (2, 1), (2, 9), (3, 6), (4, 5), (5, 5), (6, 4), (10, 4), (218, 2)] {
        let best = OrderedTree { width, depth, best_first: true };
        let worst = OrderedTree { width, depth, best_first: false };
        let minimal = minimal_leaves(u64::from(width), depth);
        let whole = maximal_leaves(u64::from(width), depth);
        for algorithm in ALGORITHMS {
            let leaves = |tree: &OrderedTree| {
                let mut ctx = SearchContext::new(tree);
                let settings = AlgorithmSettings { guess: Some(0), delta: 60 };
                let outcome = algorithm.run(&mut ctx, &tree.root(), depth, settings);
                outcome.expect(algorithm.name).counters.leaves
            };
            let name = algorithm.name;
            let on_best = leaves(&best);
            assert!(on_best >= minimal, "{name} {width} {depth}: {on_best} below the minimal tree");
            match algorithm.id {
                AlgorithmId::Minimax | AlgorithmId::ExplicitStack | AlgorithmId::Negamax => {
                    assert_eq!(on_best, whole, "{name}")
                }
                AlgorithmId::FailHard | AlgorithmId::FailSoft | AlgorithmId::MinimaxForm | AlgorithmId::AndOrDeep => {
                    assert_eq!(on_best, minimal, "{name} {width} {depth}");
                    assert_eq!(leaves(&worst), whole, "{name} {width} {depth}");
                }
                AlgorithmId::SssStar
                | AlgorithmId::DualStar
                | AlgorithmId::MtdPlusInfinity
                | AlgorithmId::MtdMinusInfinity => {
                    assert_eq!(on_best, minimal, "{name} {width} {depth}");
                }
                _ => {}
            }
        }
    }
    // Published figure for width 10 and depth 8: 19,999 of 100,000,000.
    let tree = OrderedTree { width: 10, depth: 8, best_first: true };
    let mut ctx = SearchContext::new(&tree);
    let outcome = find_algorithm("alpha-beta fail-hard").expect("listed").run(
        &mut ctx,
        &tree.root(),
        8,
        AlgorithmSettings::default(),
    );
    assert_eq!(outcome.map(|outcome| outcome.counters.leaves), Ok(19_999));
}

#[test]
fn tic_tac_toe_is_a_draw() {
    for algorithm in ALGORITHMS {
        let mut ctx = SearchContext::new(&TicTacToe);
        let outcome = algorithm
            .run(&mut ctx, &TicTacToe.root(), 9, AlgorithmSettings { guess: None, delta: 1 })
            .expect(algorithm.name);
        assert_eq!(outcome.value, 0, "{}", algorithm.name);
        if algorithm.id == AlgorithmId::Minimax {
            assert_eq!((outcome.counters.nodes, outcome.counters.leaves), (549_946, 255_168));
        }
    }
    // With memory every position is expanded at most once.
    let mut ctx = SearchContext::new(&TicTacToe).with_memory();
    let outcome = find_algorithm("alpha-beta fail-soft").expect("listed").run(
        &mut ctx,
        &TicTacToe.root(),
        9,
        AlgorithmSettings::default(),
    );
    assert!(outcome.is_ok_and(|outcome| outcome.counters.leaves < 5_478));
}

#[test]
fn fail_soft_returns_bounds_outside_the_window() {
    let figure = tree("((3 5)(2 9))"); // value 3
    for (alpha, beta, hard, soft) in [(8, 9, 8, 3), (-9, -8, -8, 3), (3, 4, 3, 3)] {
        let mut ctx = SearchContext::new(&figure);
        assert_eq!(alpha_beta_window(&mut ctx, &0, 2, alpha, beta).map(|outcome| outcome.value), Ok(hard));
        assert_eq!(fail_soft_window(&mut ctx, &0, 2, alpha, beta).map(|outcome| outcome.value), Ok(soft));
    }
}

#[test]
fn branch_and_bound_finds_the_shortest_tour() {
    let mut random = fastrand::Rng::with_seed(1960);
    for cities in 2..=8 {
        let points: Vec<_> = (0..cities).map(|_| (random.i32(0..100), random.i32(0..100))).collect();
        let salesman = TravelingSalesman::from_points(&points);
        let mut ctx = SearchContext::new(&salesman);
        let all = minimize_by_backtracking(&mut ctx, &salesman.root()).expect("small");
        let cut = minimize_by_branch_and_bound(&mut ctx, &salesman.root()).expect("small");
        assert_eq!(all.value, cut.value);
        assert_eq!(all.principal_variation.len(), cities - 1);
        assert_eq!(all.counters.leaves, (1..cities as u64).product::<u64>());
        assert!(cut.counters.leaves <= all.counters.leaves);
        if cities >= 6 {
            assert!(cut.counters.nodes * 2 < all.counters.nodes, "{cities}: {:?} {:?}", cut.counters, all.counters);
        }
    }
}

#[test]
fn catalog_names_are_unique_and_files_exist() {
    for (index, algorithm) in ALGORITHMS.iter().enumerate() {
        for name in [algorithm.name, &algorithm.plain_name()] {
            assert_eq!(find_algorithm(name), Some(algorithm));
        }
        assert!(ALGORITHMS[..index].iter().all(|other| other.name != algorithm.name));
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/algorithms").join(algorithm.file);
        assert!(file.is_file(), "{}", file.display());
    }
    for family in 1..=14 {
        assert!(ALGORITHMS.iter().any(|algorithm| algorithm.family == family), "family {family}");
    }
    assert_eq!(find_algorithm("MTD(-INF)").map(|algorithm| algorithm.id), Some(AlgorithmId::MtdMinusInfinity));
    assert_eq!(find_algorithm("Alpha_Beta Fail Soft").map(|algorithm| algorithm.id), Some(AlgorithmId::FailSoft));
    assert_eq!(find_algorithm("alphabet"), None);
}

#[test]
fn beta_cutoff_happens_at_a_max_node() {
    // The MIN node m already has 3; the MAX node b below it reaches 5, so `?` does not matter.
    for unknown in [-99, 4, 99] {
        let figure = tree(&format!("(m(a(p=3 q=2) b(s=5 t={unknown})) z=0)"));
        for name in TWO_BOUNDS {
            let (outcome, leaves) = run(name, &figure);
            assert_eq!((outcome.value, leaves), (3, vec!["p", "q", "s", "z"]), "{name}");
            assert_eq!((outcome.counters.beta_cutoffs, outcome.counters.alpha_cutoffs), (1, 0), "{name}");
        }
    }
}

#[test]
fn good_order_cuts_off_and_bad_order_does_not() {
    for name in TWO_BOUNDS {
        let (good, _) = run(name, &tree("((3 12)(-4 5 90))"));
        let (bad, _) = run(name, &tree("((5 90 -4)(3 12))"));
        assert_eq!((good.value, good.counters.leaves, good.counters.cutoffs()), (3, 3, 1), "{name}");
        assert_eq!((bad.value, bad.counters.leaves, bad.counters.cutoffs()), (3, 5, 0), "{name}");
        // Equal bounds are a cutoff, too.
        assert_eq!(run(name, &tree("((3 5)(3 9))")).0.counters.leaves, 3, "{name}");
    }
}

#[test]
fn conditions_of_knuth_and_moore_omit_a_value_equal_to_alpha() {
    // The conditions cover f(p) < alpha, alpha < f(p) < beta and f(p) >= beta. The program returns alpha.
    let figure = tree("((3 5)(2 9))");
    let mut ctx = SearchContext::new(&figure);
    assert_eq!(alpha_beta_window(&mut ctx, &0, 2, 3, 9).map(|outcome| outcome.value), Ok(3));
    // The listing has only `t > m`, so no move is proven to reach alpha.
    assert_eq!(alpha_beta_window(&mut ctx, &0, 2, 3, 9).map(|outcome| outcome.best_move), Ok(None));
}

/// max^n by definition: every leaf, the first child among equals.
fn brute_force_max_n(tree: &MultiPlayerTree, ply: usize) -> (Vec<Value>, u64) {
    let children = match tree {
        MultiPlayerTree::Leaf(payoffs) => return (payoffs.clone(), 1),
        MultiPlayerTree::Inner(children) => children,
    };
    let results: Vec<_> = children.iter().map(|child| brute_force_max_n(child, ply + 1)).collect();
    let player = ply % tree.players();
    let best = results.iter().map(|(payoffs, _)| payoffs[player]).max().expect("at least one child");
    let first = results.iter().find(|(payoffs, _)| payoffs[player] == best).expect("it exists").0.clone();
    (first, results.iter().map(|(_, leaves)| leaves).sum())
}

/// Returns a random tree whose payoffs sum to `sum`.
fn random_multi_player_tree(random: &mut fastrand::Rng, players: usize, depth: u32, sum: i32) -> MultiPlayerTree {
    if depth == 0 || random.u32(0..8) == 0 {
        let mut rest = sum;
        let mut payoffs: Vec<i32> = (1..players)
            .map(|_| {
                let part = random.i32(0..=rest);
                rest -= part;
                part
            })
            .collect();
        payoffs.push(rest);
        random.shuffle(&mut payoffs);
        return MultiPlayerTree::Leaf(payoffs);
    }
    let children = (0..random.u32(1..=4)).map(|_| random_multi_player_tree(random, players, depth - 1, sum));
    MultiPlayerTree::Inner(children.collect())
}

#[test]
fn max_n_equals_brute_force_on_500_random_trees() {
    let mut random = fastrand::Rng::with_seed(1986);
    let (mut all, mut pruned) = (0, 0);
    for index in 0..500 {
        let (players, depth, sum) =
            (2 + index % 3, random.u32(1..=5), *random.choice(&[3, 10, 100]).expect("not empty"));
        let tree = random_multi_player_tree(&mut random, players, depth, sum);
        let (payoffs, leaves) = brute_force_max_n(&tree, 0);
        let plain = max_n(&tree, &tree);
        assert_eq!((&plain.payoffs, plain.leaves), (&payoffs, leaves), "{tree:?}");
        let shallow = max_n_shallow(&tree, &tree, sum);
        assert_eq!(shallow.payoffs, payoffs, "{tree:?}");
        assert!(shallow.leaves <= leaves, "{tree:?}");
        all += leaves;
        pruned += shallow.leaves;
    }
    println!("max^n: {all} leaves, with shallow pruning {pruned}");
    assert!(pruned < all);
}

#[test]
fn max_n_of_three_players_follows_the_player_to_move() {
    // Payoffs sum to 10. Player 1 prefers [5 4 1] on the left; [4 6 0] on the right leaves player 0 at most 4.
    let two_leaves = |payoffs: [[Value; 3]; 2]| {
        MultiPlayerTree::Inner(payoffs.map(|payoffs| MultiPlayerTree::Leaf(payoffs.into())).into())
    };
    let tree = MultiPlayerTree::Inner(vec![two_leaves([[5, 4, 1], [7, 2, 1]]), two_leaves([[4, 6, 0], [9, 0, 1]])]);
    assert_eq!(max_n(&tree, &tree).payoffs, [5, 4, 1]);
    let shallow = max_n_shallow(&tree, &tree, 10);
    assert_eq!((shallow.payoffs, shallow.leaves), (vec![5, 4, 1], 3));
}

#[test]
fn proof_number_search_agrees_with_minimax() {
    for seed in 0..300 {
        let game = RandomTree {
            seed,
            width: (1, 4),
            depth: 5,
            max_abs_value: 20,
            best_first_percent: 0,
            early_leaf_percent: 10,
        };
        let value = run_minimax(&game);
        let mut ctx = SearchContext::new(&game);
        for goal in [value - 1, value, value + 1] {
            assert_eq!(proves(&mut ctx, &game.root(), 5, goal), Ok(value >= goal), "{game:?} {goal}");
        }
    }
}

fn run_minimax(game: &RandomTree) -> Value {
    let mut ctx = SearchContext::new(game);
    let outcome = find_algorithm("minimax").expect("listed").run(
        &mut ctx,
        &game.root(),
        game.depth,
        AlgorithmSettings::default(),
    );
    outcome.expect("small").value
}

#[test]
fn enhanced_transposition_cutoffs_evaluate_fewer_leaves_of_tic_tac_toe() {
    let leaves = |name: &str| {
        let mut ctx = SearchContext::new(&TicTacToe).with_memory();
        let algorithm = find_algorithm(name).expect("listed");
        let outcome = algorithm.run(&mut ctx, &TicTacToe.root(), 9, AlgorithmSettings { guess: None, delta: 1 });
        outcome.expect("small").counters.leaves
    };
    let (plain, enhanced) = (leaves("alpha-beta fail-soft"), leaves("alpha-beta etc"));
    println!("tic-tac-toe: {plain} leaves with memory, {enhanced} with enhanced transposition cutoffs");
    assert!(enhanced < plain, "{enhanced} {plain}");
}
