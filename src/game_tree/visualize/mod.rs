//! `tree`: the picture that every textbook draws, of any search of ours on any small tree.
//!
//! A search is run with a [`crate::game_tree::Trace`]; the record becomes a `picture::Picture` (nodes with
//! windows, tentative and final values, what was cut and by which bound, in visiting order), and that is
//! written as text, as an SVG for a slide, or as one self-contained page in which a person steps through
//! the search. Trees that are too wide for paper are folded, and the picture says so.

mod html;
mod picture;
mod svg;
mod text;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::board::position::{self, SetupError, parse_fen, printable};
use crate::eval::pst::Pst;
use crate::game_tree::catalog::{Algorithm, Settings, find};
use crate::game_tree::games::LiteralTree;
use crate::game_tree::games::chess::{Chess, Horizon, Rules};
use crate::game_tree::games::literal_tree::ParseTreeError;
use crate::game_tree::{Game, Search, Stop, Trace};
use crate::score::Score;
use picture::{Naming, Picture};

/// The example of a well-known textbook (Aho, Hopcroft and Ullman 1983, example 10.7), whose leaves were chosen to
/// fit its text.
pub const EXAMPLE: &str = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";

const NOTES: &str = "\
Examples:
  aspirant tree --tree \"((3 5)(2 9))\"
  aspirant tree --tree \"((3 5)(2 9))\" --algorithm \"sss*\" --html sss.html
  aspirant tree --fen \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -\" --depth 2 --ordering captures,presearch --svg tree.svg
Without --fen and --tree, the example of a well-known textbook is drawn.

In pictures MAX is a square, MIN a circle; every value is for MAX, the player to move at the root. Under an inner
node stands the window (alpha, beta) it received; inside, its value, or a bound on it. Small numbers give the
visiting order. Grey and dashed: cut off, never visited; the mark names the bound that cut.
";

/// What `tree` is told.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = NOTES)]
pub struct Args {
    /// A chess position
    #[arg(long, conflicts_with = "tree")]
    pub fen: Option<String>,
    /// A tree such as "((3 5)(2 9))"; nodes may have names: "A(B(D=2 E=1) C(G=6 H=9))"
    #[arg(long, value_name = "TEXT")]
    pub tree: Option<String>,
    /// The search to draw (`aspirant compare --list` shows all)
    #[arg(long, value_name = "NAME", default_value = "alpha-beta fail-soft")]
    pub algorithm: String,
    /// Plies to the leaves (default: 2 for chess, the whole tree for --tree)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// Ordering heuristics, comma-separated: captures, presearch, killers, refutations, remembered, or all
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub ordering: Vec<String>,
    /// Remember transpositions
    #[arg(long)]
    pub memory: bool,
    /// The value that aspiration and MTD(f) expect (default: the static value of the root)
    #[arg(long, allow_negative_numbers = true)]
    pub guess: Option<Score>,
    /// Half the width of aspiration windows
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=30_000))]
    pub delta: Score,
    /// Draw at most this many nodes
    #[arg(long, value_name = "NODES", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_nodes: u32,
    /// Print the tree as text (done anyway if no file is asked for)
    #[arg(long)]
    pub text: bool,
    /// Draw the tree, as it is when the search has ended
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a page in which one steps through the search
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Why nothing could be drawn.
#[derive(Error, Debug)]
pub enum TreeError {
    /// `--algorithm` names none.
    #[error("tree: no algorithm '{0}'; `aspirant compare --list` shows the table")]
    Algorithm(String),
    /// `--ordering` names no part.
    #[error("tree: no ordering heuristic '{0}'; there are captures, presearch, killers, refutations, remembered, all")]
    Ordering(String),
    /// `--tree` is wrong.
    #[error("{0}")]
    Tree(#[from] ParseTreeError),
    /// `--fen` is wrong.
    #[error("{0}")]
    Position(#[from] SetupError),
    /// The search did not end.
    #[error("tree: {0}; a smaller --depth can be drawn")]
    Stopped(#[from] Stop),
    /// A file cannot be written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        error: std::io::Error,
    },
}

/// No picture needs a search of more nodes.
const MOST_NODES: u64 = 20_000_000;

/// Runs the command.
///
/// # Errors
/// [`TreeError`], naming what is wrong and where.
pub fn run(args: &Args) -> Result<(), TreeError> {
    let algorithm = find(&args.algorithm).ok_or_else(|| TreeError::Algorithm(printable(&args.algorithm)))?;
    let picture = if let Some(fen) = &args.fen {
        let game = position::Game::new(parse_fen(fen)?);
        let chess = Chess::new(game, Pst, Horizon::Static, Rules::PathFree);
        record(&chess, algorithm, args.depth.unwrap_or(2), args, Naming::Moves, "root")?
    } else {
        let tree = LiteralTree::parse(args.tree.as_deref().unwrap_or(EXAMPLE))?;
        let root = if tree.name(0).is_empty() { "root" } else { tree.name(0) };
        record(&tree, algorithm, args.depth.unwrap_or_else(|| tree.depth()), args, Naming::Tree, root)?
    };
    if args.text || (args.svg.is_none() && args.html.is_none()) {
        crate::tools::say(&text::text(&picture))
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

/// Runs the search with a record and makes the picture of it.
fn record<G: Game>(
    game: &G,
    algorithm: &'static Algorithm,
    depth: u32,
    args: &Args,
    naming: Naming,
    root_name: &str,
) -> Result<Picture, TreeError> {
    let mut s = Search::new(game);
    if args.memory {
        s = s.with_memory();
    }
    for name in &args.ordering {
        if name == "all" {
            s.ordering = crate::game_tree::Ordering::all();
        } else if name != "none" && !s.ordering.switch_on(name) {
            return Err(TreeError::Ordering(printable(name)));
        }
    }
    s.max_nodes = MOST_NODES;
    s.trace = Some(Trace::new(args.max_nodes as usize));
    let root = game.root();
    let outcome = algorithm.run(&mut s, &root, depth, Settings { guess: args.guess, delta: args.delta })?;
    let mut trace = s.trace.take().unwrap_or_else(|| Trace::new(1));
    // What was cut off is part of the picture of a small tree; a chess position's is not shown.
    if naming == Naming::Tree && trace.nodes.len() < 1_000 {
        trace.complete(game, &root, depth);
    }
    Ok(Picture::new(&trace, &outcome, algorithm, depth, naming, root_name))
}

fn write_file(path: &Path, text: &str) -> Result<(), TreeError> {
    std::fs::write(path, text).map_err(|error| TreeError::File { path: path.display().to_string(), error })?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(tree: &str, algorithm: &str) -> Picture {
        let tree = LiteralTree::parse(tree).expect("tree");
        let args = <Wrapped as clap::Parser>::parse_from(["tree"]).args;
        let root = if tree.name(0).is_empty() { "root" } else { tree.name(0) };
        record(&tree, find(algorithm).expect("listed"), tree.depth(), &args, Naming::Tree, root).expect("small")
    }

    #[derive(clap::Parser)]
    struct Wrapped {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn the_example_as_text() {
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
    fn every_algorithm_can_be_drawn() {
        for algorithm in crate::game_tree::catalog::ALGORITHMS {
            let picture = picture(EXAMPLE, algorithm.name);
            assert!(picture.nodes.iter().filter(|node| node.on_line).count() >= 2, "{}", algorithm.name);
            let svg = svg::svg(&picture);
            assert!(svg.starts_with("<svg") && svg.contains("principal"), "{}", algorithm.name);
            let html = html::html(&picture);
            assert!(html.contains("\"steps\"") && !html.contains("http://") && !html.contains("https://"));
        }
    }

    #[test]
    fn a_wide_tree_is_folded_with_a_notice() {
        let wide = format!("({})", "(1 2 3 4 5 6 7 8 9)".repeat(200));
        let svg = svg::svg(&picture(&wide, "minimax"));
        assert!(svg.contains("not drawn"), "no notice");
        assert!(svg.len() < 1_000_000);
    }
}
