//! The example trees of the sources, checked node by node.

use aspirant::game_tree::algorithms::alpha_beta::alpha_beta_window;
use aspirant::game_tree::algorithms::fail_soft::fail_soft_window;
use aspirant::game_tree::algorithms::minimal_configuration::{minimize_by_backtracking, minimize_by_branch_and_bound};
use aspirant::game_tree::catalog::{ALGORITHMS, AlgorithmId, AlgorithmSettings, find_algorithm};
use aspirant::game_tree::games::{LiteralTree, OrderedTree, TicTacToe, TravelingSalesman};
use aspirant::game_tree::theory::{maximal_leaves, minimal_leaves};
use aspirant::game_tree::{
    GameTree, MAX_RECURSION_DEPTH, SearchContext, Trace, TreeSearchError, TreeSearchOutcome, trace::TraceEvent,
};
use aspirant::score::INFINITY;

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

/// Source 004, example 10.7, with leaf values that fit its text.
const SOURCE_004: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

#[test]
fn source_004_cuts_off_h_and_t_but_not_o() {
    let figure = tree(SOURCE_004);
    for name in TWO_BOUNDS.into_iter().chain(["and/or shallow", "branch and bound"]) {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!(leaves, ["D", "E", "G", "K", "L", "N", "O", "R", "S"], "{name}");
        assert_eq!((outcome.value, outcome.best_move), (5, Some(1)), "{name}: I is best");
    }
    let (outcome, leaves) = run("minimax", &figure);
    assert_eq!((outcome.value, leaves.len()), (5, 12));
}

#[test]
fn source_004_visiting_order_holds_for_other_leaf_values() {
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
fn source_004_tentative_and_final_values_match_the_text() {
    let figure = tree(SOURCE_004);
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

/// Source 002: 17 nodes, 10 leaves; 11 nodes visited, 6 leaves evaluated; two branches of W4 cut off.
const SOURCE_002: &str = "W0(W1(W2(3 5 4) W3(2 4)) W4(3 W5(7 1) W6(0 8)))";

#[test]
fn source_002_visits_11_of_17_nodes_and_6_of_10_leaves() {
    let figure = tree(SOURCE_002);
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
fn source_000_a_refuting_reply_ends_the_search_of_a_move() {
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
fn source_003_min_node_is_cut_off_at_minus_4() {
    let figure = tree("(a(b=3 c=12) d(e=-4 f=5 g=90))");
    for name in TWO_BOUNDS {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!((outcome.value, leaves), (3, vec!["b", "c", "e"]), "{name}");
    }
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
        ("(-inf -inf)", -INFINITY, Some(0)),
        ("((inf)(inf))", INFINITY, Some(0)),
        ("(3 (9 (4 (8 5))) ((1)))", 5, Some(1)),
        ("(-5 (-3 -4) -3)", -3, Some(2)),
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
            AlgorithmId::ExplicitStack
            | AlgorithmId::AndOrShallow
            | AlgorithmId::AndOrDeep
            | AlgorithmId::SssStar
            | AlgorithmId::DualStar => {
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
        ("(3 99999999999)", "character 4 (line 1, column 4) of the tree: 99999999999 is outside -32000..=32000"),
        ("(3 A 5)", "character 5 (line 1, column 5) of the tree: expected `(` or `=` and a number after the name `A`"),
        ("(3 A= )", "character 7 (line 1, column 7) of the tree: expected a number after `A=`"),
        ("(3 [5])", "character 4 (line 1, column 4) of the tree: unexpected `[`"),
        ("(é=3 ü)", "character 7 (line 1, column 7) of the tree: expected `(` or `=` and a number after the name `ü`"),
    ];
    for (text, message) in cases {
        let error = LiteralTree::parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    assert_eq!(tree(SOURCE_004).to_text(), SOURCE_004);
    assert_eq!(tree("( 3,  (-inf,∞) )").to_text(), "(3 (-32000 32000))");
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
fn fail_hard_and_fail_soft_satisfy_the_conditions_of_source_000() {
    let figure = tree("((3 5)(2 9))"); // value 3
    for (alpha, beta) in [(-10, 10), (2, 4), (3, 4), (2, 3), (5, 9), (-9, -5)] {
        let mut ctx = SearchContext::new(&figure);
        let hard = alpha_beta_window(&mut ctx, &0, 2, alpha, beta).expect("small").value;
        let soft = fail_soft_window(&mut ctx, &0, 2, alpha, beta).expect("small").value;
        assert_eq!(hard, 3.clamp(alpha, beta));
        assert!(if soft <= alpha {
            soft >= 3
        } else if soft >= beta {
            soft <= 3
        } else {
            soft == 3
        });
    }
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

/// On failure, the output of the test contains the expected table.
#[test]
fn algorithms_document_contains_the_catalog() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/algorithms.md");
    let document = std::fs::read_to_string(path).expect("docs/algorithms.md");
    let table = aspirant::game_tree::catalog::markdown();
    if !document.contains(&table) {
        println!("{table}");
        panic!("docs/algorithms.md does not contain the table of algorithms of src/game_tree/catalog.rs");
    }
}

#[test]
fn catalog_names_are_unique_and_files_exist() {
    for (index, algorithm) in ALGORITHMS.iter().enumerate() {
        assert_eq!(find_algorithm(algorithm.name), Some(algorithm));
        assert!(ALGORITHMS[..index].iter().all(|other| other.name != algorithm.name));
        let file =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/game_tree/algorithms").join(algorithm.file);
        assert!(file.is_file(), "{}", file.display());
    }
    for family in 1..=13 {
        assert!(ALGORITHMS.iter().any(|algorithm| algorithm.family == family), "family {family}");
    }
    assert_eq!(find_algorithm("MTD(-INF)").map(|algorithm| algorithm.id), Some(AlgorithmId::MtdMinusInfinity));
    assert_eq!(find_algorithm("Alpha_Beta Fail Soft").map(|algorithm| algorithm.id), Some(AlgorithmId::FailSoft));
    assert_eq!(find_algorithm("alphabet"), None);
}
