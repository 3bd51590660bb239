//! A reporter of your own: what a search has to say, without any protocol.
//!
//! A front end (a window, a server, another protocol) is a [`Reporter`] and calls of [`Engine`].

use std::sync::mpsc::{Sender, channel};

use aspirant::engine::Engine;
use aspirant::search::limits::Limits;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};

struct Chart(Sender<String>);

impl Reporter for Chart {
    fn info(&mut self, info: &SearchInfo) {
        let bar = "#".repeat(usize::try_from((info.score + 100) / 10).unwrap_or(0));
        let _ = self.0.send(format!("{:>2} {:>5} {bar}", info.depth, info.score));
    }

    fn best_move(&mut self, answer: BestMove) {
        let _ = self.0.send(answer.best.map_or_else(|| "no move".into(), |m| m.to_string()));
    }
}

pub fn main() {
    let (lines, printed) = channel();
    let mut engine = Engine::new(Default::default()).expect("a thread for the search");
    // Returns at once: the search reports from its own thread, and drops the reporter when it has answered.
    engine.go(Limits::depth(8), Box::new(Chart(lines)));
    for line in printed {
        println!("{line}");
    }
}
