//! A game of your own for the reference algorithms: a subtraction game with one heap.
//!
//! Each move takes one to three objects from the heap; the player who takes the last one wins. A heap whose number of
//! objects is a multiple of four is lost for the player to move.

use aspirant::game_tree::algorithms::fail_soft::fail_soft;
use aspirant::game_tree::algorithms::minimax::minimax;
use aspirant::game_tree::{GameTree, SearchContext, TreeSearchOutcome};
use aspirant::score::Score;

struct Subtraction {
    objects: u32,
}

#[derive(Clone, Copy)]
struct Heap {
    objects: u32,
    first_player_moves: bool,
}

impl GameTree for Subtraction {
    type Position = Heap;
    /// The number of objects that are taken.
    type Move = u32;

    fn root(&self) -> Heap {
        Heap { objects: self.objects, first_player_moves: true }
    }

    fn moves(&self, heap: &Heap) -> Vec<u32> {
        (1..=heap.objects.min(3)).collect()
    }

    fn play(&self, heap: &Heap, taken: u32) -> Heap {
        Heap { objects: heap.objects - taken, first_player_moves: !heap.first_player_moves }
    }

    /// Returns -1 if the opponent took the last object; 0 for an undecided heap at the depth limit.
    fn value(&self, heap: &Heap) -> Score {
        if heap.objects == 0 { -1 } else { 0 }
    }

    fn key(&self, heap: &Heap) -> u64 {
        2 * u64::from(heap.objects) + u64::from(heap.first_player_moves)
    }
}

fn print(name: &str, outcome: &TreeSearchOutcome<u32>) {
    let best_move = outcome.best_move.expect("the root is not a leaf");
    println!("{name}: value {}, best move {best_move}, {} leaves", outcome.value, outcome.counters.leaves);
}

pub fn main() {
    let game = Subtraction { objects: 15 };
    let (root, depth) = (game.root(), game.objects);
    print("minimax", &minimax(&mut SearchContext::new(&game), &root, depth).expect("no limit is reached"));
    print("alpha-beta", &fail_soft(&mut SearchContext::new(&game), &root, depth).expect("no limit is reached"));
    // Different moves lead to the same heap; with a memory, a heap is searched once for each number of plies before it.
    let mut ctx = SearchContext::new(&game).with_memory();
    print("alpha-beta with memory", &fail_soft(&mut ctx, &root, depth).expect("no limit is reached"));
}
