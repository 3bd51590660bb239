//! The trees that the sources walk through, to the node.

use aspirant::game_tree::alpha_beta::alpha_beta_window;
use aspirant::game_tree::catalog::{ALGORITHMS, Id, Settings, find};
use aspirant::game_tree::fail_soft::fail_soft_window;
use aspirant::game_tree::games::{LiteralTree, OrderedTree, TicTacToe, TravelingSalesman};
use aspirant::game_tree::minimal_configuration::{cheapest_by_branch_and_bound, cheapest_by_exhaustion};
use aspirant::game_tree::theory::{maximal_leaves, minimal_leaves};
use aspirant::game_tree::{Game, MAX_RECURSION, Outcome, Search, Stop, Trace, trace::Event};
use aspirant::score::INFINITY;

fn tree(text: &str) -> LiteralTree {
    LiteralTree::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Runs an algorithm on a whole tree; the names of the leaves in the order of their evaluation.
fn run<'t>(name: &str, tree: &'t LiteralTree) -> (Outcome<u32>, Vec<&'t str>) {
    let mut s = Search::new(tree);
    s.leaf_log = Some(Vec::new());
    let algorithm = find(name).unwrap_or_else(|| panic!("no algorithm `{name}`"));
    let outcome = algorithm.run(&mut s, &0, tree.depth(), Settings::default()).expect(name);
    (outcome, tree.names(&s.leaf_log.unwrap_or_default()))
}

/// Depth-first searches that cut with both bounds and visit the leaves in the same order.
const TWO_BOUNDS: [&str; 4] =
    ["alpha-beta fail-hard", "alpha-beta fail-soft", "alpha-beta minimax form", "and/or deep"];

/// Source 004, example 10.7: the walk that its text describes.
const SOURCE_004: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

#[test]
fn source_004_cuts_h_and_t_and_looks_at_o() {
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
fn source_004_holds_for_any_values_that_fit() {
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
fn source_004_tentative_and_final_values_are_those_of_the_text() {
    let figure = tree(SOURCE_004);
    let mut s = Search::new(&figure);
    s.trace = Some(Trace::new(100));
    let algorithm = find("and/or deep").expect("listed");
    algorithm.run(&mut s, &0, figure.depth(), Settings::default()).expect("runs");
    let trace = s.trace.expect("recorded");
    let name = |node: u32| trace.nodes[node as usize].name.as_str();
    let said: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| match *event {
            Event::Tentative { node, value } => Some(format!("{} {value}?", name(node))),
            Event::Leave { node, value, .. } => Some(format!("{} {value}", name(node))),
            Event::Cut { node, by, .. } => Some(format!("{} cut by {}", name(node), by.map_or("", name))),
            _ => None,
        })
        .collect();
    // The root has no name.
    let walk = [
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
    assert_eq!(said, walk);
}

/// Source 002: 17 nodes, 10 leaves; 11 are built, 6 evaluated; W4 loses its second and third branch.
const SOURCE_002: &str = "W0(W1(W2(3 5 4) W3(2 4)) W4(3 W5(7 1) W6(0 8)))";

#[test]
fn source_002_builds_11_of_17_and_evaluates_6_of_10() {
    let figure = tree(SOURCE_002);
    assert_eq!((figure.len(), figure.leaves()), (17, 10));
    let (plain, _) = run("minimax", &figure);
    assert_eq!((plain.counts.nodes, plain.counts.leaves), (17, 10));
    for name in TWO_BOUNDS {
        let (outcome, _) = run(name, &figure);
        assert_eq!((outcome.counts.nodes, outcome.counts.leaves), (11, 6), "{name}");
        assert_eq!((outcome.value, outcome.best_move), (plain.value, plain.best_move), "{name}");
        assert_eq!((outcome.counts.alpha_cuts, outcome.counts.beta_cuts), (1, 0), "{name}");
    }
}

#[test]
fn source_000_a_reply_refutes_a_move() {
    // f(p1) = -10 for the opponent: f(p) >= 10. f(p21) <= 10 refutes p2; p22 is not looked at.
    for reply in [10, 9, -50] {
        let figure = tree(&format!("p(p1=10 p2(p21={reply} p22=30))"));
        for name in TWO_BOUNDS.into_iter().chain(["branch and bound", "negascout", "pvs", "scout"]) {
            let (outcome, leaves) = run(name, &figure);
            assert_eq!(leaves, ["p1", "p21"], "{name} {reply}");
            assert_eq!(outcome.value, 10, "{name}");
        }
    }
    // A reply that is no refutation: all are looked at.
    let figure = tree("p(p1=10 p2(p21=11 p22=30))");
    let (outcome, leaves) = run("branch and bound", &figure);
    assert_eq!((outcome.value, leaves), (11, vec!["p1", "p21", "p22"]));
}

#[test]
fn source_003_a_min_node_at_minus_4_is_left_at_once() {
    let figure = tree("(a(b=3 c=12) d(e=-4 f=5 g=90))");
    for name in TWO_BOUNDS {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!((outcome.value, leaves), (3, vec!["b", "c", "e"]), "{name}");
    }
}

#[test]
fn deep_cut_offs_are_what_the_second_bound_adds() {
    // The root has 5. Three plies below it, under a MAX node without a value of its own, a MIN node gets 3.
    let figure = tree("(a=5 b(c(d(e=3 f=9) g=1) h=9))");
    for name in TWO_BOUNDS {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!(leaves, ["a", "e", "g"], "{name}");
        assert_eq!((outcome.counts.deep_cuts, outcome.counts.alpha_cuts), (1, 2), "{name}");
    }
    for name in ["branch and bound", "and/or shallow"] {
        let (outcome, leaves) = run(name, &figure);
        assert_eq!(leaves, ["a", "e", "f", "g"], "{name}");
        assert_eq!(outcome.counts.deep_cuts, 0, "{name}");
    }
}

#[test]
fn small_and_odd_trees() {
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
fn a_wide_node_and_a_deep_chain() {
    // 218 moves, the most that a chess position has.
    let wide = tree(&format!("({})", (0..218).map(|i| format!("({} 9)", i % 100)).collect::<String>()));
    for algorithm in ALGORITHMS {
        let (outcome, _) = run(algorithm.name, &wide);
        assert_eq!(outcome.value, 9, "{}", algorithm.name);
    }
    let chain = |plies: usize| tree(&format!("{}42{}", "(".repeat(plies), ")".repeat(plies)));
    let deep = chain(10_000);
    assert_eq!(deep.depth(), 10_000);
    for algorithm in ALGORITHMS {
        let mut s = Search::new(&deep);
        let result = algorithm.run(&mut s, &0, 10_000, Settings::default());
        match algorithm.id {
            Id::ExplicitStack | Id::AndOrShallow | Id::AndOrDeep | Id::SssStar | Id::DualStar => {
                let outcome = result.expect(algorithm.name);
                assert_eq!((outcome.value, outcome.principal_variation.len()), (42, 10_000));
            }
            _ => assert_eq!(result, Err(Stop::TooDeep { limit: MAX_RECURSION }), "{}", algorithm.name),
        }
    }
    let (outcome, _) = run("negascout", &chain(MAX_RECURSION as usize));
    assert_eq!(outcome.value, 42);
}

#[test]
fn malformed_trees_name_the_fault_and_its_place() {
    let cases = [
        ("", "character 1 (line 1, column 1) of the tree: there is no tree; expected a number or `(`"),
        ("(3 (5 2)", "character 9 (line 1, column 9) of the tree: the text ends, but 1 bracket(s) are still open"),
        ("(3 5))", "character 6 (line 1, column 6) of the tree: `)` closes nothing"),
        ("(3 ())", "character 5 (line 1, column 5) of the tree: a bracket holds at least one node"),
        ("(3 5) 4", "character 7 (line 1, column 7) of the tree: the tree has ended; nothing may follow it"),
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
fn the_minimal_and_the_maximal_tree() {
    for (width, depth) in [(1, 5), (2, 1), (2, 9), (3, 6), (4, 5), (5, 5), (6, 4), (10, 4), (218, 2)] {
        let best = OrderedTree { width, depth, best_first: true };
        let worst = OrderedTree { width, depth, best_first: false };
        let minimal = minimal_leaves(u64::from(width), depth);
        let whole = maximal_leaves(u64::from(width), depth);
        for algorithm in ALGORITHMS {
            let leaves = |tree: &OrderedTree| {
                let mut s = Search::new(tree);
                let settings = Settings { guess: Some(0), delta: 60 };
                let outcome = algorithm.run(&mut s, &tree.root(), depth, settings);
                outcome.expect(algorithm.name).counts.leaves
            };
            let name = algorithm.name;
            let on_best = leaves(&best);
            assert!(on_best >= minimal, "{name} {width} {depth}: {on_best} below the minimal tree");
            match algorithm.id {
                Id::Minimax | Id::ExplicitStack | Id::Negamax => {
                    assert_eq!(on_best, whole, "{name}")
                }
                Id::FailHard | Id::FailSoft | Id::MinimaxForm | Id::AndOrDeep => {
                    assert_eq!(on_best, minimal, "{name} {width} {depth}");
                    assert_eq!(leaves(&worst), whole, "{name} {width} {depth}");
                }
                Id::SssStar | Id::DualStar | Id::MtdPlusInfinity | Id::MtdMinusInfinity => {
                    assert_eq!(on_best, minimal, "{name} {width} {depth}");
                }
                _ => {}
            }
        }
    }
    // Ten wide and eight deep, as published: 19,999 of 100,000,000.
    let tree = OrderedTree { width: 10, depth: 8, best_first: true };
    let mut s = Search::new(&tree);
    let outcome = find("alpha-beta fail-hard").expect("listed").run(&mut s, &tree.root(), 8, Settings::default());
    assert_eq!(outcome.map(|outcome| outcome.counts.leaves), Ok(19_999));
}

#[test]
fn tic_tac_toe_is_a_draw() {
    for algorithm in ALGORITHMS {
        let mut s = Search::new(&TicTacToe);
        let outcome =
            algorithm.run(&mut s, &TicTacToe.root(), 9, Settings { guess: None, delta: 1 }).expect(algorithm.name);
        assert_eq!(outcome.value, 0, "{}", algorithm.name);
        if algorithm.id == Id::Minimax {
            assert_eq!((outcome.counts.nodes, outcome.counts.leaves), (549_946, 255_168));
        }
    }
    // With memory every position is expanded once at most.
    let mut s = Search::new(&TicTacToe).with_memory();
    let outcome = find("alpha-beta fail-soft").expect("listed").run(&mut s, &TicTacToe.root(), 9, Settings::default());
    assert!(outcome.is_ok_and(|outcome| outcome.counts.leaves < 5_478));
}

#[test]
fn windows_of_source_000() {
    let figure = tree("((3 5)(2 9))"); // value 3
    for (alpha, beta) in [(-10, 10), (2, 4), (3, 4), (2, 3), (5, 9), (-9, -5)] {
        let mut s = Search::new(&figure);
        let hard = alpha_beta_window(&mut s, &0, 2, alpha, beta).expect("small").value;
        let soft = fail_soft_window(&mut s, &0, 2, alpha, beta).expect("small").value;
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
fn fail_soft_says_by_how_much_it_failed() {
    let figure = tree("((3 5)(2 9))"); // value 3
    for (alpha, beta, hard, soft) in [(8, 9, 8, 3), (-9, -8, -8, 3), (3, 4, 3, 3)] {
        let mut s = Search::new(&figure);
        assert_eq!(alpha_beta_window(&mut s, &0, 2, alpha, beta).map(|outcome| outcome.value), Ok(hard));
        assert_eq!(fail_soft_window(&mut s, &0, 2, alpha, beta).map(|outcome| outcome.value), Ok(soft));
    }
}

#[test]
fn a_minimal_configuration_is_not_a_game() {
    let mut random = fastrand::Rng::with_seed(1960);
    for cities in 2..=8 {
        let points: Vec<_> = (0..cities).map(|_| (random.i32(0..100), random.i32(0..100))).collect();
        let salesman = TravelingSalesman::in_the_plane(&points);
        let mut s = Search::new(&salesman);
        let all = cheapest_by_exhaustion(&mut s, &salesman.root()).expect("small");
        let cut = cheapest_by_branch_and_bound(&mut s, &salesman.root()).expect("small");
        assert_eq!(all.value, cut.value);
        assert_eq!(all.principal_variation.len(), cities - 1);
        assert_eq!(all.counts.leaves, (1..cities as u64).product::<u64>());
        assert!(cut.counts.leaves <= all.counts.leaves);
        if cities >= 6 {
            assert!(cut.counts.nodes * 2 < all.counts.nodes, "{cities}: {:?} {:?}", cut.counts, all.counts);
        }
    }
}

/// To write it anew: `cargo test --test known_trees readme -- --nocapture` prints the table that is missing.
#[test]
fn the_readme_shows_the_table_of_algorithms() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let table = aspirant::game_tree::catalog::markdown();
    if !readme.contains(&table) {
        println!("{table}");
        panic!("README.md does not show the table of algorithms as src/game_tree/catalog.rs has it");
    }
}

#[test]
fn the_table_of_algorithms_is_whole() {
    for (index, algorithm) in ALGORITHMS.iter().enumerate() {
        assert_eq!(find(algorithm.name), Some(algorithm));
        assert!(ALGORITHMS[..index].iter().all(|other| other.name != algorithm.name));
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/game_tree").join(algorithm.file);
        assert!(file.is_file(), "{}", file.display());
    }
    for row in 1..=13 {
        assert!(ALGORITHMS.iter().any(|algorithm| algorithm.row == row), "row {row}");
    }
    assert_eq!(find("MTD(-INF)").map(|algorithm| algorithm.id), Some(Id::MtdMinusInfinity));
    assert_eq!(find("Alpha_Beta Fail Soft").map(|algorithm| algorithm.id), Some(Id::FailSoft));
    assert_eq!(find("alphabet"), None);
}
