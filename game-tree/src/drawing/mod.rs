//! Drawings of a search: text, SVG, JSON, and an HTML page that steps through it.
//!
//! [`TreePicture`] is built from a recorded search: nodes with windows, tentative and final values, cutoffs and their
//! bounds, in visiting order. [`TreePicture::json`] is the input of the viewer (`viewer.js`, `viewer.css`), a JavaScript
//! module that the page of [`html`] contains and that other pages can import.
//!
//! ```
//! use game_tree_search::catalog::{AlgorithmSettings, find_algorithm};
//! use game_tree_search::drawing::{EXAMPLE, PositionView, html};
//! use game_tree_search::games::LiteralTree;
//! use game_tree_search::{GameTree, SearchContext, Trace, TreePicture};
//!
//! let tree = LiteralTree::parse(EXAMPLE)?;
//! let mut ctx = SearchContext::new(&tree);
//! ctx.trace = Some(Trace::new(1_000));
//! let algorithm = find_algorithm("alpha-beta fail-soft").expect("listed");
//! let outcome = algorithm.run(&mut ctx, &tree.root(), tree.depth(), AlgorithmSettings::default())?;
//! let mut trace = ctx.trace.take().expect("recorded");
//! trace.add_unvisited(&tree, &tree.root(), tree.depth());
//! let picture = TreePicture::new(&tree, &trace, &outcome, algorithm, tree.depth());
//! assert!(picture.text(false).contains("H not visited"));
//! let page = html(&[picture], PositionView::default());
//! assert!(page.contains("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod html;
mod json;
mod picture;
mod svg;
mod text;

pub use html::{PositionView, html};
pub use picture::TreePicture;

/// Example 10.7 of Aho, Hopcroft and Ullman (1983), with leaf values chosen to fit its text.
pub const EXAMPLE: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

/// Style sheet of SVG drawings: font, background and text colors, light and dark.
const BASE_STYLE: &str = "\
.bg{fill:#ffffff}.ink{fill:#1c2330}.soft{fill:#5a6472}\
text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\
@media (prefers-color-scheme:dark){.bg{fill:#14181f}.ink{fill:#e8ecf2}.soft{fill:#a9b4c2}}";

/// Escapes text for XML and HTML, also within an attribute.
fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ALGORITHMS, AlgorithmSettings, find_algorithm};
    use crate::games::LiteralTree;
    use crate::trace::TraceEvent;
    use crate::{Bound, GameTree as _, SearchContext, Trace, Value};

    fn picture_of(tree: &str, algorithm: &str, max_nodes: usize) -> TreePicture {
        let tree = LiteralTree::parse(tree).expect("valid");
        let mut ctx = SearchContext::new(&tree);
        ctx.trace = Some(Trace::new(max_nodes));
        let algorithm = find_algorithm(algorithm).expect("listed");
        let settings = AlgorithmSettings { guess: None, delta: 1 };
        let outcome = algorithm.run(&mut ctx, &0, tree.depth(), settings).expect("small");
        let mut trace = ctx.trace.expect("recorded");
        trace.add_unvisited(&tree, &tree.root(), tree.depth());
        TreePicture::new(&tree, &trace, &outcome, algorithm, tree.depth())
    }

    fn picture(tree: &str, algorithm: &str) -> TreePicture {
        picture_of(tree, algorithm, 20_000)
    }

    #[test]
    fn text_shows_windows_values_and_cutoffs() {
        let text = picture(EXAMPLE, "alpha-beta fail-hard").text(false);
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
        for algorithm in ALGORITHMS {
            let picture = picture(EXAMPLE, algorithm.name);
            assert!(picture.nodes.iter().filter(|node| node.on_pv).count() >= 2, "{}", algorithm.name);
            let svg = picture.svg().expect("small");
            assert!(svg.starts_with("<svg") && svg.contains("principal"), "{}", algorithm.name);
            let html = html(&[picture], PositionView::default());
            assert!(html.contains("\"steps\"") && !html.contains("http://") && !html.contains("https://"));
        }
    }

    #[test]
    fn large_tree_is_not_drawn_as_svg() {
        assert_eq!(picture(&format!("({})", "(1 2 3)".repeat(65)), "minimax").svg(), None);
    }

    #[test]
    fn drawing_at_the_node_limit_has_a_notice() {
        let svg = picture_of(EXAMPLE, "minimax", 3).svg().expect("small");
        assert!(svg.contains("the node limit of the trace was reached"), "{svg}");
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

    /// Checks every sentence of a walk against the tree.
    fn check_sentences(picture: &TreePicture, exact: &std::collections::HashMap<&str, Option<Value>>, tree: &str) {
        let algorithm = picture.algorithm;
        // The children that were entered in the current visit of each node, and whether a cutoff was reported.
        let mut visits = vec![(std::collections::HashSet::new(), false); picture.nodes.len()];
        for step in &picture.steps {
            let (sentence, index) = (step.sentence.as_str(), step.event.node() as usize);
            let what = format!("{}, {tree}: {sentence}", algorithm.name);
            let node = &picture.nodes[index];
            assert!(algorithm.has_windows() || !sentence.contains("window") && !sentence.contains("bounds"), "{what}");
            match step.event {
                TraceEvent::Enter { .. } => {
                    visits[index] = Default::default();
                    if let Some(parent) = node.parent {
                        visits[parent].0.insert(index);
                    }
                }
                TraceEvent::Cut { .. } => {
                    let skipped = node.children.iter().filter(|child| !visits[index].0.contains(*child));
                    let labels = skipped.map(|&child| picture.nodes[child].label.as_str()).collect::<Vec<_>>();
                    assert!(
                        !labels.is_empty() && sentence.ends_with(&format!("Skipped: {}.", labels.join(", "))),
                        "{what}"
                    );
                    visits[index].1 = true;
                }
                TraceEvent::Leave { value, bound, .. } => {
                    let (entered, cut) = &visits[index];
                    assert_eq!(entered.len() < node.children.len(), *cut, "{what}");
                    let worth = exact[node.full_name.as_str()].expect("minimax visits every node");
                    let is_final = sentence == format!("{} is final: {value}.", node.full_name);
                    assert_eq!(is_final || sentence.contains("at depth"), bound == Bound::Exact, "{what}");
                    assert!(!is_final || worth == value, "{what}: {worth}");
                    let ends = algorithm.name != "iterative deepening";
                    assert!(!ends || !sentence.contains("at least") || worth >= value, "{what}: {worth}");
                    assert!(!ends || !sentence.contains("at most") || worth <= value, "{what}: {worth}");
                }
                _ => {}
            }
        }
        let headline = picture.headline().1;
        for word in ["leaves", "nodes", "cutoffs", "passes", "re-searches"] {
            assert!(!format!(" {headline}").contains(&format!(" 1 {word}")), "{headline}");
        }
    }

    #[test]
    fn sentences_drawn_values_and_bounds_are_true_of_random_trees() {
        let mut random = fastrand::Rng::with_seed(1979);
        for _ in 0..200 {
            let mut tree = String::new();
            push_random_tree(&mut tree, &mut random, 4);
            let minimax = picture(&tree, "minimax");
            let exact: std::collections::HashMap<_, _> = minimax
                .nodes
                .iter()
                .map(|node| (node.full_name.as_str(), node.value.map(|(value, _)| value)))
                .collect();
            for algorithm in ALGORITHMS {
                let picture = picture(&tree, algorithm.name);
                check_sentences(&picture, &exact, &tree);
                for node in &picture.nodes {
                    // The last iteration of iterative deepening does not visit every node that an earlier one has evaluated.
                    if algorithm.name == "iterative deepening" {
                        break;
                    }
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
