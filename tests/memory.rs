//! What a search takes of the machine: no allocation from node to node, and a known piece of stack for each ply.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use aspirant::board::position::{Game, Position, parse_fen};
use aspirant::eval::Evaluator;
use aspirant::eval::pst::Pst;
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::Table;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};
use aspirant::search::{SearchRequest, Searcher};
use shakmaty::Move;

/// The system's allocator, with a counter of this thread's requests.
struct Counting;

thread_local! {
    static REQUESTS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

fn count() {
    // At the very end of a thread the counter may be gone.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

static DEEPEST_ADDRESS: AtomicUsize = AtomicUsize::new(usize::MAX);
static SELDEPTH: AtomicU64 = AtomicU64::new(0);
static NODES: AtomicU64 = AtomicU64::new(0);

fn here() -> usize {
    let local = 0u8;
    black_box(&raw const local) as usize
}

/// The engine's evaluation, which notes how far down the stack it was called.
#[derive(Clone, Default)]
struct Plumb(Pst);

impl Evaluator for Plumb {
    type Acc = <Pst as Evaluator>::Acc;

    fn refresh(&self, position: &Position) -> Self::Acc {
        self.0.refresh(position)
    }
    fn apply(&self, acc: &Self::Acc, before: &Position, m: Move) -> Self::Acc {
        self.0.apply(acc, before, m)
    }
    fn score(&self, acc: &Self::Acc, position: &Position) -> Score {
        DEEPEST_ADDRESS.fetch_min(here(), Relaxed);
        self.0.score(acc, position)
    }
}

struct Notes;

impl Reporter for Notes {
    fn info(&mut self, info: &SearchInfo) {
        SELDEPTH.fetch_max(info.seldepth as u64, Relaxed);
        NODES.store(info.nodes, Relaxed);
    }
    fn best_move(&mut self, _answer: BestMove) {}
}

fn task(fen: &str, limits: Limits) -> SearchRequest {
    SearchRequest::untimed(Game::new(parse_fen(fen).unwrap()), limits)
}

fn searcher() -> Searcher<Plumb> {
    Searcher::new(0, Plumb::default(), &Params::default(), Arc::new(TranspositionTable::new(4)))
}

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

#[test]
fn a_search_allocates_for_what_it_reports_and_for_nothing_else() {
    let mut searcher = searcher();
    let mut requests = |nodes| {
        let task = task(MIDDLEGAME, Limits::nodes(nodes));
        let before = REQUESTS.get();
        black_box(searcher.search(&task, Box::new(Notes)));
        REQUESTS.get() - before
    };
    let (few, many) = (requests(20_000), requests(600_000));
    // A line for each iteration, a list of root moves: nothing that grows with the nodes.
    println!("{few} allocations in 20000 nodes, {many} in 600000");
    assert!(many < 300, "{many} allocations in 600000 nodes");
}

#[test]
fn a_ply_takes_a_known_piece_of_stack() {
    let mut most = 0;
    for (fen, limits) in [
        ("8/8/8/8/8/6k1/8/6K1 w - - 0 1", Limits::depth(255)),
        ("k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1", Limits { nodes: Some(300_000), ..Limits::depth(200) }),
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", Limits { nodes: Some(300_000), ..Limits::depth(200) }),
        (MIDDLEGAME, Limits::nodes(300_000)),
    ] {
        let run = move || {
            DEEPEST_ADDRESS.store(usize::MAX, Relaxed);
            SELDEPTH.store(0, Relaxed);
            let top = here();
            black_box(searcher().search(&task(fen, limits), Box::new(Notes)));
            (top.saturating_sub(DEEPEST_ADDRESS.load(Relaxed)), SELDEPTH.load(Relaxed))
        };
        let (bytes, plies) = std::thread::Builder::new().stack_size(32 << 20).spawn(run).unwrap().join().unwrap();
        println!("{bytes} bytes of stack for {plies} plies: {} a ply", bytes as u64 / plies.max(1));
        most = most.max(bytes);
    }
    // The search threads have 32 MB.
    assert!(most > 1000 && most < 8 << 20, "{most} bytes of stack");
}
