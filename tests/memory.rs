//! Memory use of a search: allocations do not grow with nodes, stack use is bounded.

#[path = "it/common/positions.rs"]
#[allow(dead_code, reason = "uses one position")]
mod positions;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;

use aspirant::board::game::Game;
use aspirant::board::position::{Position, parse_fen};
use aspirant::eval::Evaluator;
use aspirant::eval::pst::Pst;
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::{Reporter, SearchResult};
use aspirant::search::{SearchRequest, Searcher};
use positions::fen::MIDDLEGAME;
use shakmaty::Move;

/// The system allocator with a per-thread count of allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static DEEPEST_ADDRESS: Cell<usize> = const { Cell::new(usize::MAX) };
    static SELDEPTH: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // During thread exit the counter may already be destroyed.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is forwarded to the system allocator unchanged.
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

fn stack_address() -> usize {
    let local = 0u8;
    black_box(&raw const local) as usize
}

/// The evaluator `Pst`; also records the lowest stack address from which it was called.
#[derive(Clone, Default)]
struct StackProbe(Pst);

impl Evaluator for StackProbe {
    type Acc = <Pst as Evaluator>::Acc;

    fn refresh(&mut self, root: &Position) -> Self::Acc {
        self.0.refresh(root)
    }
    fn apply(&mut self, acc: &Self::Acc, before: &Position, m: Move) -> Self::Acc {
        self.0.apply(acc, before, m)
    }
    fn score(&mut self, acc: &Self::Acc, position: &Position) -> Score {
        DEEPEST_ADDRESS.set(DEEPEST_ADDRESS.get().min(stack_address()));
        self.0.score(acc, position)
    }
}

struct Recorder;

impl Reporter for Recorder {
    fn progress(&mut self, result: &SearchResult) {
        SELDEPTH.set(SELDEPTH.get().max(result.variations[0].seldepth as u64));
    }
    fn finished(&mut self, _result: &SearchResult) {}
}

fn request(fen: &str, limits: Limits) -> SearchRequest {
    SearchRequest::untimed(Game::new(parse_fen(fen).unwrap()), limits)
}

fn searcher() -> Searcher<StackProbe> {
    Searcher::new(0, StackProbe::default(), &Params::default(), Arc::new(TranspositionTable::new(4)))
}

#[test]
fn allocations_do_not_grow_with_nodes() {
    let mut searcher = searcher();
    let mut allocations = |nodes| {
        let request = request(MIDDLEGAME, Limits::nodes(nodes));
        let before = ALLOCATIONS.get();
        black_box(searcher.search(request, Box::new(Recorder)));
        ALLOCATIONS.get() - before
    };
    let (few, many) = (allocations(20_000), allocations(600_000));
    // PVs and root moves are allocated for each iteration, nothing for each node.
    println!("{few} allocations in 20000 nodes, {many} in 600000");
    assert!(many < 300, "{many} allocations in 600000 nodes");
}

#[test]
fn stack_use_is_bounded() {
    let mut max_bytes = 0;
    for (fen, limits) in [
        ("8/8/8/8/8/6k1/8/6K1 w - - 0 1", Limits::depth(255)),
        ("k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1", Limits { nodes: Some(300_000), ..Limits::depth(200) }),
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", Limits { nodes: Some(300_000), ..Limits::depth(200) }),
        (MIDDLEGAME, Limits::nodes(300_000)),
    ] {
        let run = move || {
            let top = stack_address();
            black_box(searcher().search(request(fen, limits), Box::new(Recorder)));
            (top.saturating_sub(DEEPEST_ADDRESS.get()), SELDEPTH.get())
        };
        let (bytes, plies) =
            std::thread::Builder::new().stack_size(aspirant::search::STACK_SIZE).spawn(run).unwrap().join().unwrap();
        println!("{bytes} bytes of stack for {plies} plies: {} per ply", bytes as u64 / plies.max(1));
        max_bytes = max_bytes.max(bytes);
    }
    // Search threads have 32 MB of stack.
    assert!(max_bytes > 1000 && max_bytes < 8 << 20, "{max_bytes} bytes of stack");
}
