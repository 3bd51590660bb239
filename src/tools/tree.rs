//! The command `tree`.
#![doc(hidden)]

use std::error::Error;
use std::path::{Path, PathBuf};

use game_tree_search::drawing::{EXAMPLE, PositionView, html};

use super::arguments::{PositionArgs, algorithm_parser, heuristic_parser};
use crate::chess_tree::LeafEvaluation;
use crate::chess_tree::input::{DrawSettings, TreeInput};
use crate::platform::files::error_reason;
use crate::score::Score;
use crate::terminal::{print_ignoring_closed_pipe, write_file};

const NOTES: &str = "\
Examples:
  aspirant tree --tree \"((3 5)(2 9))\"
  aspirant tree --tree \"((3 5)(2 9))\" --algorithm \"sss*\" --html sss.html
  aspirant tree \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -\" --depth 2 \\
    --ordering captures,presearch --html tree.html

Without a position and --tree, an example from a textbook (Aho, Hopcroft and Ullman
1983) is drawn.

In drawings MAX nodes are squares and MIN nodes circles; all values are for MAX,
the player to move at the root. A node contains its value or a bound on it;
below an inner node is the window (alpha, beta) with which it was entered. Small
numbers give the visiting order. +∞ and -∞ are the ends of the full window;
`inf` and `-inf`, just inside it, are the largest and the smallest leaf value
(10^9 and -10^9). Gray and dashed: cut off, not visited; the text after ✂ gives
the value and the bound of the cutoff.
";

/// Arguments of `tree`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = NOTES)]
pub struct TreeArgs {
    #[command(flatten)]
    pub position: PositionArgs,
    /// A tree such as "((3 5)(2 9))"; nodes can have names: "A(B(D=2 E=1) C(G=6 H=9))"
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "position")]
    pub tree: Option<String>,
    /// The algorithm (`aspirant compare --list` lists the names)
    #[arg(long, value_name = "NAME", default_value = "alpha-beta-fail-soft", ignore_case = true, hide_possible_values = true,
        value_parser = algorithm_parser())]
    pub algorithm: String,
    /// A second algorithm, shown beside the first in the HTML page
    #[arg(long, value_name = "NAME", requires = "html", ignore_case = true, hide_possible_values = true,
        value_parser = algorithm_parser())]
    pub against: Option<String>,
    /// Search depth in plies (default: 2 for chess, the whole tree for --tree)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// Ordering heuristics, comma-separated: captures, presearch, killers, refutations, best-move, or all
    #[arg(long, value_name = "HEURISTICS", value_delimiter = ',', hide_possible_values = true,
        value_parser = heuristic_parser(&["none", "all"]))]
    pub ordering: Vec<String>,
    /// Use a transposition table
    #[arg(long)]
    pub memory: bool,
    /// The expected value for aspiration and MTD(f) (default: the static value of the root; 0 for --tree)
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
    /// Write a drawing of the tree at the end of the search; at most 260 nodes
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write an HTML page that steps through the search
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Node limit of a search to be drawn.
const MAX_NODES: u64 = 20_000_000;

impl TreeArgs {
    fn settings(&self, algorithm: &str) -> DrawSettings {
        DrawSettings {
            algorithm: algorithm.to_owned(),
            depth: self.depth,
            ordering: self.ordering.clone(),
            memory: self.memory,
            guess: self.guess,
            delta: self.delta,
            max_drawn_nodes: self.max_nodes as usize,
            max_visited_nodes: MAX_NODES,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If an argument is invalid, the search reaches a limit or a file cannot be written.
pub fn run(args: &TreeArgs) -> Result<(), Box<dyn Error>> {
    let mut settings = args.settings(&args.algorithm);
    let input = match args.position.game()? {
        Some(game) => TreeInput::from_position(game.position, LeafEvaluation::Static),
        None => TreeInput::from_text(args.tree.as_deref().unwrap_or(EXAMPLE))?,
    };
    let mut pictures = vec![input.draw(&settings)?];
    if let Some(second) = &args.against {
        settings.algorithm.clone_from(second);
        pictures.push(input.draw(&settings)?);
    }
    if args.text || (args.svg.is_none() && args.html.is_none()) {
        print_ignoring_closed_pipe(&pictures[0].text(console::colors_enabled()))?;
    }
    if let Some(path) = &args.svg {
        let svg = pictures[0].svg().ok_or("--svg: more than 260 nodes, which would not be legible; use --html")?;
        write(path, &svg)?;
    }
    if let Some(path) = &args.html {
        write(path, &html(&pictures, BOARD))?;
    }
    Ok(())
}

/// Shows positions as chess boards.
const BOARD: PositionView =
    PositionView { script: include_str!("../chess_tree/board.js"), style: include_str!("../chess_tree/board.css") };

fn write(path: &Path, text: &str) -> Result<(), String> {
    write_file(path, text).map_err(|error| format!("{}: {}", path.display(), error_reason(&error)))
}
