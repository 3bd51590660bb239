//! The core on wasm32-unknown-unknown: one thread, searched inline, with the host's clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::eval::pst::Pst;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::{BestMove, Reporter, SearchInfo, Silent};
use aspirant::search::{SearchRequest, Searcher, SliceBudget, SliceResult};
use aspirant::tools::bench::POSITIONS;

#[cfg(target_arch = "wasm32")]
mod host {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// Milliseconds since any fixed point.
        pub safe fn now() -> f64;
    }
}

/// Searches the benchmark positions at this depth with a TT of 16 MB and returns the number of nodes.
#[unsafe(no_mangle)]
pub extern "C" fn bench(depth: u32) -> f64 {
    #[cfg(target_arch = "wasm32")]
    aspirant::platform::clock::set_host_clock(|| host::now());
    let tt = Arc::new(TranspositionTable::new(16));
    let mut searcher = Searcher::new(0, Pst::default(), &Params::default(), Arc::clone(&tt));
    let mut total = 0;
    for fen in POSITIONS {
        let Ok(position) = parse_fen(fen) else { return -1.0 };
        let nodes = Arc::new(AtomicU64::new(0));
        tt.new_search();
        let request = SearchRequest::untimed(Game::new(position), Limits::depth(depth));
        searcher.search(request, Box::new(NodeCounter(Arc::clone(&nodes))));
        total += nodes.load(Relaxed);
    }
    total as f64
}

/// Searches the initial position to this depth in slices of 20 ms.
///
/// Returns the number of slices, or -1 if the search ends without a move or before this depth.
#[unsafe(no_mangle)]
pub extern "C" fn search_in_slices(depth: u32) -> f64 {
    let mut searcher = Searcher::new(0, Pst::default(), &Params::default(), Arc::new(TranspositionTable::new(16)));
    searcher.begin(SearchRequest::untimed(Game::default(), Limits::depth(depth)), Box::new(Silent));
    let budget = SliceBudget { time: Some(Duration::from_millis(20)), nodes: None };
    let mut slices = 1;
    loop {
        match searcher.run_slice(budget) {
            SliceResult::Running => slices += 1,
            SliceResult::Done(outcome) if outcome.answer.best.is_some() && outcome.depth == depth as i32 => {
                return f64::from(slices);
            }
            SliceResult::Done(_) => return -1.0,
        }
    }
}

/// Keeps the node count of the last report.
struct NodeCounter(Arc<AtomicU64>);

impl Reporter for NodeCounter {
    fn info(&mut self, info: &SearchInfo) {
        self.0.store(info.nodes, Relaxed);
    }

    fn best_move(&mut self, _answer: BestMove) {}
}
