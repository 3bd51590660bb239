//! Draws a search of a tree given as text: prints it and writes `search.html`, which steps through it in a browser.
//!
//! `cargo run --example draw "((3 5)(2 9))" "alpha-beta fail-hard"`

use std::error::Error;

use game_tree_search::catalog::{ALGORITHMS, AlgorithmSettings, find_algorithm};
use game_tree_search::drawing::{EXAMPLE, PositionView, html};
use game_tree_search::games::LiteralTree;
use game_tree_search::{GameTree as _, SearchContext, Trace, TreePicture};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let tree = LiteralTree::parse(&arguments.next().unwrap_or_else(|| EXAMPLE.to_owned()))?;
    let name = arguments.next().unwrap_or_else(|| "alpha-beta fail-soft".to_owned());
    let algorithm = find_algorithm(&name).ok_or_else(|| {
        let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
        format!("unknown algorithm '{name}', expected one of: {}", names.join(", "))
    })?;

    let (root, depth) = (tree.root(), tree.depth());
    let mut ctx = SearchContext::new(&tree);
    ctx.trace = Some(Trace::new(10_000));
    let outcome = algorithm.run(&mut ctx, &root, depth, AlgorithmSettings::default())?;
    let mut trace = ctx.trace.take().expect("set above");
    trace.add_unvisited(&tree, &root, depth);

    let picture = TreePicture::new(&tree, &trace, &outcome, algorithm, depth);
    print!("{}", picture.text(false));
    std::fs::write("search.html", html(&[picture], PositionView::default()))?;
    println!("wrote search.html");
    Ok(())
}
