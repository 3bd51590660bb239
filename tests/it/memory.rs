//! Memory use of a search: allocations do not grow with nodes, stack use is bounded.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;

use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::eval::evaluate;
use aspirant::eval::pst::Pst;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::Silent;
use aspirant::search::{STACK_SIZE, SearchRequest, Searcher};

use crate::common::evaluator::FnEvaluator;
use crate::common::positions::fen::MIDDLEGAME;

/// The system allocator with a per-thread count of allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static DEEPEST_ADDRESS: Cell<usize> = const { Cell::new(usize::MAX) };
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

/// Searches from scratch; records the lowest stack address from which the evaluator was called.
fn search(fen: &str, limits: Limits) {
    let evaluator = FnEvaluator(|position| {
        DEEPEST_ADDRESS.set(DEEPEST_ADDRESS.get().min(stack_address()));
        evaluate(&mut Pst, position)
    });
    let mut searcher = Searcher::new(0, evaluator, &Params::default(), Arc::new(TranspositionTable::new(4)));
    let request = SearchRequest::untimed(Game::new(parse_fen(fen).unwrap()), limits);
    black_box(searcher.search(request, Box::new(Silent)));
}

#[test]
fn allocations_do_not_grow_with_nodes() {
    let allocations = |nodes| {
        let before = ALLOCATIONS.get();
        search(MIDDLEGAME, Limits::nodes(nodes));
        ALLOCATIONS.get() - before
    };
    let (few, many) = (allocations(20_000), allocations(200_000));
    // PVs and root moves are allocated for each iteration, nothing for each node.
    println!("{few} allocations in 20000 nodes, {many} in 200000");
    assert!(many < 300, "{many} allocations in 200000 nodes");
}

#[test]
fn stack_use_is_bounded() {
    for (fen, limits) in [
        ("8/8/8/8/8/6k1/8/6K1 w - - 0 1", Limits::depth(255)),
        ("k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1", Limits { nodes: Some(100_000), ..Limits::depth(200) }),
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", Limits { nodes: Some(100_000), ..Limits::depth(200) }),
        (MIDDLEGAME, Limits::nodes(100_000)),
    ] {
        let run = move || {
            let top = stack_address();
            search(fen, limits);
            top.saturating_sub(DEEPEST_ADDRESS.get())
        };
        let bytes = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(run).unwrap().join().unwrap();
        println!("{fen}: {bytes} bytes of stack");
        // Search threads have 32 MB of stack.
        assert!(bytes > 1000 && bytes < 8 << 20, "{fen}: {bytes} bytes of stack");
    }
}
