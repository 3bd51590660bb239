//! `tree`: draws the search tree of any reference algorithm on any small tree.
//!
//! A search is run with a [`crate::game_tree::Trace`]; `picture::TreePicture` is built from it (nodes with
//! windows, tentative and final values, cutoffs and their bounds, in visiting order) and written as text, as an
//! SVG for slides, or as one self-contained HTML page that steps through the search. Trees that are too wide are
//! folded, with a notice.
#![doc(hidden)]

mod html;
mod picture;
mod svg;
mod text;

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::compare::current_heuristic_name;
use crate::board::game::Game;
use crate::board::position::{SetupError, parse_fen, printable};
use crate::game_tree::catalog::{Algorithm, AlgorithmSettings, find_algorithm};
use crate::game_tree::games::FrozenPst;
use crate::game_tree::games::LiteralTree;
use crate::game_tree::games::chess::{Chess, DrawRules, LeafEvaluation};
use crate::game_tree::games::literal_tree::ParseTreeError;
use crate::game_tree::{GameTree, SearchContext, Trace, TreeSearchError};
use crate::score::Score;
use picture::{Naming, TreePicture};

/// Example 10.7 of Aho, Hopcroft and Ullman (1983), with leaf values chosen to fit its text.
pub const EXAMPLE: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

const NOTES: &str = "\
Examples:
  aspirant tree --tree \"((3 5)(2 9))\"
  aspirant tree --tree \"((3 5)(2 9))\" --algorithm \"sss*\" --html sss.html
  aspirant tree --fen \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -\" --depth 2 --ordering captures,presearch --svg tree.svg
Without --fen and --tree, an example from a textbook (Aho, Hopcroft and Ullman 1983) is drawn.

In drawings MAX nodes are squares and MIN nodes circles; all values are for MAX, the player to move at the root. A
node contains its value or a bound on it; below an inner node is the window (alpha, beta) with which it was entered.
Small numbers give the visiting order. +∞ and -∞ are the ends of the full window; `inf` and `-inf` are the largest and
the smallest leaf value, one less. Gray and dashed: cut off, not visited; the mark gives the bound of the cutoff.
";

/// Arguments of `tree`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = NOTES)]
pub struct TreeArgs {
    /// A chess position
    #[arg(long, conflicts_with = "tree")]
    pub fen: Option<String>,
    /// A tree such as "((3 5)(2 9))"; nodes can have names: "A(B(D=2 E=1) C(G=6 H=9))"
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub tree: Option<String>,
    /// The algorithm (`aspirant compare --list` lists the names)
    #[arg(long, value_name = "NAME", default_value = "alpha-beta fail-soft")]
    pub algorithm: String,
    /// Search depth in plies (default: 2 for chess, the whole tree for --tree)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// Ordering heuristics, comma-separated: captures, presearch, killers, refutations, best-move, or all
    #[arg(long, value_name = "HEURISTICS", value_delimiter = ',')]
    pub ordering: Vec<String>,
    /// Use a transposition table
    #[arg(long)]
    pub memory: bool,
    /// The expected value for aspiration and MTD(f) (default: the static value of the root)
    #[arg(long, allow_negative_numbers = true)]
    pub guess: Option<Score>,
    /// Half the width of aspiration windows, in units of the leaves
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=30_000))]
    pub delta: Score,
    /// Maximum number of nodes in the drawing
    #[arg(long, value_name = "NODES", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_nodes: u32,
    /// Print the tree as text (the default without --svg and --html)
    #[arg(long)]
    pub text: bool,
    /// Write a drawing of the tree at the end of the search
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write an HTML page that steps through the search
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// An error of `tree`.
#[derive(Error, Debug)]
pub enum TreeError {
    /// `--algorithm` is an unknown name.
    #[error("unknown algorithm '{0}'; `aspirant compare --list` lists the names")]
    Algorithm(String),
    /// `--ordering` contains an unknown name.
    #[error(
        "unknown ordering heuristic '{0}'; expected all, none or a list of captures, presearch, killers, refutations, best-move"
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

/// Node limit of a search to be drawn.
const MAX_NODES: u64 = 20_000_000;

/// Runs the command.
///
/// # Errors
/// [`TreeError`] with cause and place.
pub fn run(args: &TreeArgs) -> Result<(), TreeError> {
    let algorithm = find_algorithm(&args.algorithm).ok_or_else(|| TreeError::Algorithm(printable(&args.algorithm)))?;
    let picture = if let Some(fen) = &args.fen {
        let game = Game::new(parse_fen(fen)?);
        let chess = Chess::new(game, FrozenPst, LeafEvaluation::Static, DrawRules::PathIndependent);
        record(&chess, algorithm, args.depth.unwrap_or(2), args, Naming::Moves, "root")?
    } else {
        let tree = LiteralTree::parse(args.tree.as_deref().unwrap_or(EXAMPLE))?;
        let root = if tree.name(0).is_empty() { "root" } else { tree.name(0) };
        record(&tree, algorithm, args.depth.unwrap_or_else(|| tree.depth()), args, Naming::Tree, root)?
    };
    if args.text || (args.svg.is_none() && args.html.is_none()) {
        crate::terminal::print_ignoring_closed_pipe(&text::text(&picture))
            .map_err(|error| TreeError::File { path: "stdout".to_owned(), error })?;
    }
    if let Some(path) = &args.svg {
        write_file(path, &svg::svg(&picture))?;
    }
    if let Some(path) = &args.html {
        write_file(path, &html::html(&picture))?;
    }
    Ok(())
}

/// Runs the search with a trace and builds the picture.
fn record<G: GameTree>(
    game: &G,
    algorithm: &'static Algorithm,
    depth: u32,
    args: &TreeArgs,
    naming: Naming,
    root_name: &str,
) -> Result<TreePicture, TreeError> {
    let mut ctx = SearchContext::new(game);
    if args.memory {
        ctx = ctx.with_memory();
    }
    for name in &args.ordering {
        if name == "all" {
            ctx.ordering = crate::game_tree::MoveOrdering::all();
        } else if name != "none" && !ctx.ordering.enable(current_heuristic_name(name)) {
            return Err(TreeError::Ordering(printable(name)));
        }
    }
    ctx.max_nodes = MAX_NODES;
    ctx.trace = Some(Trace::new(args.max_nodes as usize));
    let root = game.root();
    let outcome = algorithm.run(&mut ctx, &root, depth, AlgorithmSettings { guess: args.guess, delta: args.delta })?;
    let mut trace = ctx.trace.take().unwrap_or_else(|| Trace::new(1));
    // The drawing of a small literal tree includes the subtrees that were cut off; one of a chess position does not.
    if naming == Naming::Tree && trace.nodes.len() < 1_000 {
        trace.add_unvisited(game, &root, depth);
    }
    Ok(TreePicture::new(&trace, &outcome, algorithm, depth, naming, root_name))
}

fn write_file(path: &Path, text: &str) -> Result<(), TreeError> {
    std::fs::write(path, text).map_err(|error| TreeError::File { path: path.display().to_string(), error })?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(tree: &str, algorithm: &str) -> TreePicture {
        let tree = LiteralTree::parse(tree).expect("tree");
        let args = <TestCli as clap::Parser>::parse_from(["tree"]).args;
        let root = if tree.name(0).is_empty() { "root" } else { tree.name(0) };
        record(&tree, find_algorithm(algorithm).expect("listed"), tree.depth(), &args, Naming::Tree, root)
            .expect("small")
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
            let html = html::html(&picture);
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
}
