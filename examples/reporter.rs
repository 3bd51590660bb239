//! Custom reporter: receives search results without a protocol.
//!
//! A front end (a GUI, a server, another protocol) implements [`Reporter`] and calls [`Engine`].

use std::sync::mpsc::{Sender, channel};

use aspirant::engine::Engine;
use aspirant::search::limits::Limits;
use aspirant::search::report::{Reporter, SearchResult};

struct Chart(Sender<String>);

impl Reporter for Chart {
    fn progress(&mut self, result: &SearchResult) {
        let bar = "#".repeat(usize::try_from((result.score() + 100) / 10).unwrap_or(0));
        let _ = self.0.send(format!("{:>2} {:>5} {bar}", result.depth, result.score()));
    }

    fn finished(&mut self, result: &SearchResult) {
        let _ = self.0.send(result.best_move().map_or_else(|| "no move".into(), |m| m.to_string()));
    }
}

pub fn main() {
    let (sender, lines) = channel();
    let mut engine = Engine::new(Default::default()).expect("start the search thread");
    // Returns immediately; the search thread calls the reporter and drops it after `finished`.
    engine.go(Limits::depth(8), Box::new(Chart(sender)));
    for line in lines {
        println!("{line}");
    }
}
