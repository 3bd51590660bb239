//! Drawings of a search: the tree of any reference algorithm on any small tree.
//!
//! A search is run with a [`crate::game_tree::Trace`]; [`TreePicture`] is built from it (nodes with windows,
//! tentative and final values, cutoffs and their bounds, in visiting order). [`TreePicture::json`] is the input of the
//! viewer (`viewer.js`), which steps through the search; `command` is the command `tree`, which also writes text and
//! SVG.
#![doc(hidden)]

#[cfg(feature = "cli")]
mod command;
#[cfg(feature = "cli")]
mod html;
mod input;
mod json;
mod picture;
#[cfg(feature = "cli")]
mod svg;
#[cfg(feature = "cli")]
mod text;

use thiserror::Error;

use crate::board::position::{SetupError, printable};
use crate::game_tree::catalog::{Algorithm, AlgorithmSettings, find_algorithm};
use crate::game_tree::games::literal_tree::ParseTreeError;
use crate::game_tree::ordering::canonical_name;
use crate::game_tree::{
    GameTree, MoveOrdering, SearchContext, SearchCounters, Trace, TreeSearchError, TreeSearchOutcome,
};
use crate::score::Score;
use input::TreeMove;
use picture::Naming;

#[cfg(feature = "cli")]
pub use command::{TreeArgs, run};
pub use input::TreeInput;
pub use picture::TreePicture;

/// Example 10.7 of Aho, Hopcroft and Ullman (1983), with leaf values chosen to fit its text.
pub const EXAMPLE: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

/// An error of `tree`.
#[derive(Error, Debug)]
pub enum TreeError {
    /// `--algorithm` is an unknown name.
    #[error("unknown algorithm '{0}'; `aspirant compare --list` lists the names")]
    Algorithm(String),
    /// `--ordering` contains an unknown name.
    #[error(
        "unknown ordering heuristic '{0}'; expected all, none or a list of {names}",
        names = super::ordering::heuristic_names()
    )]
    Ordering(String),
    /// `--tree` is malformed.
    #[error("{0}")]
    Tree(#[from] ParseTreeError),
    /// `--fen` is invalid.
    #[error("{0}")]
    Position(#[from] SetupError),
    /// The search was stopped at a limit.
    #[error("{0}; use a smaller --depth")]
    Stopped(#[from] TreeSearchError),
    /// A file could not be written.
    #[error("{path}: {}", crate::platform::files::error_reason(.error))]
    File {
        /// The path of the file.
        path: String,
        /// The cause.
        error: std::io::Error,
    },
}

/// The search of a tree and the size of its drawing.
#[derive(Clone, Debug)]
pub struct DrawSettings {
    /// The name of the algorithm.
    pub algorithm: String,
    /// Search depth in plies; `None`: 2 for chess, the whole tree for a tree from text.
    pub depth: Option<u32>,
    /// Names of ordering heuristics, `all` or `none`.
    pub ordering: Vec<String>,
    /// Whether algorithms that can use a memory have one.
    pub memory: bool,
    /// The expected value for aspiration and MTD(f).
    pub guess: Option<Score>,
    /// Half the width of aspiration windows.
    pub delta: Score,
    /// Maximum number of nodes in the drawing.
    pub max_drawn_nodes: usize,
    /// Node limit of the search, with the leaves of pre-searches.
    pub max_visited_nodes: u64,
}

/// A finished search.
struct Search {
    algorithm: &'static Algorithm,
    depth: u32,
    outcome: TreeSearchOutcome<TreeMove>,
    trace: Option<Trace<TreeMove>>,
}

/// The result and the cost of a search without a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchSummary {
    /// The minimax value of the root for MAX.
    pub value: Score,
    /// The name of the best move; `None` if the root is a leaf.
    pub best: Option<String>,
    /// The cost.
    pub counters: SearchCounters,
}

impl TreeInput {
    /// Runs a search and returns its drawing.
    ///
    /// # Errors
    /// [`TreeError`] if a name is unknown or the search reaches a limit.
    pub fn draw(&self, settings: &DrawSettings) -> Result<TreePicture, TreeError> {
        let trace = Trace::new(settings.max_drawn_nodes);
        let Search { algorithm, depth, outcome, trace } = self.search(settings, Some(trace))?;
        let mut trace = trace.unwrap_or_else(|| Trace::new(1));
        // The drawing of a small literal tree includes the subtrees that were cut off, unlike that of a chess position.
        if matches!(self, Self::Literal(_)) && trace.nodes.len() < 1_000 {
            trace.add_unvisited(self, &self.root(), depth);
        }
        let (naming, root_name) = match self {
            Self::Literal(tree) if tree.name(0).is_empty() => (Naming::Tree, "root"),
            Self::Literal(tree) => (Naming::Tree, tree.name(0)),
            Self::Chess(_) => (Naming::Moves, "root"),
        };
        let mut picture = TreePicture::new(&trace, &outcome, algorithm, depth, naming, root_name);
        for (drawn, node) in picture.nodes.iter_mut().zip(&trace.nodes) {
            drawn.index = node.mv.and_then(TreeMove::child_index);
        }
        Ok(picture)
    }

    /// Runs a search and returns its value and cost.
    ///
    /// # Errors
    /// [`TreeError`] if a name is unknown or the search reaches a limit.
    pub fn measure(&self, settings: &DrawSettings) -> Result<SearchSummary, TreeError> {
        let Search { outcome, .. } = self.search(settings, None)?;
        let best = outcome.best_move.map(|mv| self.move_name(&self.root(), mv));
        Ok(SearchSummary { value: outcome.value, best, counters: outcome.counters })
    }

    fn search(&self, settings: &DrawSettings, trace: Option<Trace<TreeMove>>) -> Result<Search, TreeError> {
        let name = &settings.algorithm;
        let algorithm = find_algorithm(name).ok_or_else(|| TreeError::Algorithm(printable(name)))?;
        let depth = settings.depth.unwrap_or_else(|| self.default_depth());
        // Pre-searches are part of the cost, but the context limits only the nodes of the search.
        let limit = settings.max_visited_nodes;
        let mut is_within_limit = |counters: &SearchCounters| counters.nodes + counters.presearch_leaves <= limit;
        let mut ctx = SearchContext::new(self);
        if settings.memory {
            ctx = ctx.with_memory();
        }
        for name in &settings.ordering {
            if name == "all" {
                ctx.ordering = MoveOrdering::all();
            } else if name != "none" && !ctx.ordering.enable(canonical_name(name)) {
                return Err(TreeError::Ordering(printable(name)));
            }
        }
        ctx.max_nodes = settings.max_visited_nodes;
        ctx.should_continue = Some(&mut is_within_limit);
        ctx.trace = trace;
        let parameters = AlgorithmSettings { guess: settings.guess, delta: settings.delta };
        let outcome = algorithm.run(&mut ctx, &self.root(), depth, parameters)?;
        Ok(Search { algorithm, depth, outcome, trace: ctx.trace })
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::command::TreeArgs;
    use super::*;
    use crate::game_tree::trace::TraceEvent;
    use crate::score::Bound;

    fn picture(tree: &str, algorithm: &str) -> TreePicture {
        let args = <TestCli as clap::Parser>::parse_from(["tree"]).args;
        TreeInput::from_text(tree).expect("tree").draw(&args.settings(algorithm)).expect("small")
    }

    #[derive(clap::Parser)]
    struct TestCli {
        #[command(flatten)]
        args: TreeArgs,
    }

    #[test]
    fn text_shows_windows_values_and_cutoffs() {
        console::set_colors_enabled(false);
        let text = text::text(&picture(EXAMPLE, "alpha-beta fail-hard"));
        for line in [
            "MAX A (-∞, +∞) = 5 *",
            "MAX F (-∞, 2) ≥ 2, cut: 2 ≥ 2 of B",
            "H not visited",
            "MIN P (5, +∞) ≤ 5, cut: 5 ≤ 5 of A",
            "T not visited",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn every_algorithm_is_drawn_as_svg_and_html() {
        for algorithm in crate::game_tree::catalog::ALGORITHMS {
            let picture = picture(EXAMPLE, algorithm.name);
            assert!(picture.nodes.iter().filter(|node| node.on_pv).count() >= 2, "{}", algorithm.name);
            let svg = svg::svg(&picture);
            assert!(svg.starts_with("<svg") && svg.contains("principal"), "{}", algorithm.name);
            let html = html::html(&[picture]);
            assert!(html.contains("\"steps\"") && !html.contains("http://") && !html.contains("https://"));
        }
    }

    #[test]
    fn wide_tree_is_folded_with_a_notice() {
        let wide = format!("({})", "(1 2 3 4 5 6 7 8 9)".repeat(200));
        let svg = svg::svg(&picture(&wide, "minimax"));
        assert!(svg.contains("not drawn"), "no notice");
        assert!(svg.len() < 1_000_000);
    }

    #[test]
    fn drawing_at_the_node_limit_has_a_notice() {
        let args = <TestCli as clap::Parser>::parse_from(["tree", "--max-nodes", "3"]).args;
        let picture = TreeInput::from_text(EXAMPLE).expect("tree").draw(&args.settings("minimax")).expect("small");
        let svg = svg::svg(&picture);
        assert!(svg.contains("the limit --max-nodes was reached") && !svg.contains("not drawn"), "{svg}");
    }

    /// Appends a random tree of at most this depth whose root has children.
    fn push_random_tree(out: &mut String, random: &mut fastrand::Rng, depth: u32) {
        out.push('(');
        for _ in 0..random.u32(1..=3) {
            if depth > 1 && random.u32(..4) > 0 {
                push_random_tree(out, random, depth - 1);
            } else {
                out.push_str(&format!("{} ", random.i32(0..10)));
            }
        }
        out.push(')');
    }

    #[test]
    fn drawn_values_and_bounds_hold_for_the_minimax_values() {
        let mut random = fastrand::Rng::with_seed(1979);
        for _ in 0..100 {
            let mut tree = String::new();
            push_random_tree(&mut tree, &mut random, 4);
            let minimax = picture(&tree, "minimax");
            let exact: std::collections::HashMap<_, _> = minimax
                .nodes
                .iter()
                .map(|node| (node.full_name.as_str(), node.value.map(|(value, _)| value)))
                .collect();
            // The last iteration of iterative deepening does not visit every node that an earlier one has evaluated.
            for algorithm in
                crate::game_tree::catalog::ALGORITHMS.iter().filter(|row| row.name != "iterative deepening")
            {
                for node in &picture(&tree, algorithm.name).nodes {
                    let Some((value, bound)) = node.value else { continue };
                    let exact = exact[node.full_name.as_str()].expect("minimax visits every node");
                    let holds = match bound {
                        Bound::Lower => exact >= value,
                        Bound::Upper => exact <= value,
                        _ => exact == value,
                    };
                    assert!(
                        holds,
                        "{}, {tree}: {} is {exact}, drawn {bound:?} {value}",
                        algorithm.name, node.full_name
                    );
                }
            }
        }
    }

    #[test]
    fn leaf_of_an_iteration_becomes_an_inner_node_of_the_next() {
        let picture = picture(EXAMPLE, "iterative deepening");
        for node in &picture.nodes {
            let is_expanded = node.children.iter().any(|&child| picture.nodes[child].order.is_some());
            assert!(!(node.leaf && is_expanded), "{}", node.full_name);
        }
        assert!(picture.nodes.iter().any(|node| node.leaf));
    }

    #[test]
    fn iterations_are_numbered_as_passes() {
        let picture = picture(EXAMPLE, "iterative deepening");
        let passes = picture.steps.iter().filter_map(|step| match step.event {
            TraceEvent::Pass { number } => Some(number),
            _ => None,
        });
        assert_eq!(passes.collect::<Vec<_>>(), [1, 2, 3]);
    }
}
