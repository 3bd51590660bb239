//! Minimax without recursion (source 004, the paragraph after listing 10.3).
//!
//! "A non-recursive program that keeps a stack of positions, one for each call of `search` that is under
//! way": what the compiler does for [`super::minimax`] is done by hand. The visiting order, the leaves
//! and the values are the same; what differs is the limit. A recursive search dies where the call stack
//! ends; this one walks a chain of ten thousand plies in a few megabytes.
//! <https://www.chessprogramming.org/Iterative_Search>

use crate::game_tree::{Game, Mode, Node, OPEN, Outcome, Search, Stop, View};
use crate::score::Score;
use std::vec::IntoIter;

/// One position under way: a call of `search` that waits for its sons.
struct Waiting<G: Game> {
    b: Node<G>,
    sons: IntoIter<G::Move>,
    value: Score,
}

/// The minimax value of `root` with leaves at `depth`; any depth will do.
///
/// # Errors
/// [`Stop::Limit`] if a limit of `s` is reached.
pub fn minimax_explicit_stack<G: Game>(
    s: &mut Search<G>,
    root: &G::Position,
    depth: u32,
) -> Result<Outcome<G::Move>, Stop> {
    let root = s.begin(root, View::Max);
    s.unlimited_depth();
    let mut stack: Vec<Waiting<G>> = Vec::new();
    let mut next = Some(root);
    loop {
        // Down: a new position is a leaf with a value, or it waits on the stack for its sons.
        let (mv, value) = if let Some(b) = next.take() {
            s.enter(&b, -OPEN, OPEN)?;
            let sons = s.successors(&b, depth.saturating_sub(b.ply));
            if !sons.is_empty() {
                let value = -OPEN * b.mode().sign();
                stack.push(Waiting { b, sons: sons.into_iter(), value });
                next = next_son(s, &mut stack);
                continue;
            }
            (b.mv, s.leaf(&b))
        } else if let Some(done) = stack.pop() {
            (done.b.mv, s.leave(&done.b, done.value))
        } else {
            unreachable!("the root returns before the stack is empty")
        };
        // Up: the value goes to the position that waits for it.
        let (Some(father), Some(mv)) = (stack.last_mut(), mv) else {
            return Ok(s.finish(value));
        };
        let better = match father.b.mode() {
            Mode::Max => value > father.value,
            Mode::Min => value < father.value,
        };
        if better {
            father.value = value;
            s.improve(&father.b, mv, value);
        }
        next = next_son(s, &mut stack);
    }
}

/// The next son of the position on top of the stack.
fn next_son<G: Game>(s: &mut Search<G>, stack: &mut [Waiting<G>]) -> Option<Node<G>> {
    let top = stack.last_mut()?;
    let mv = top.sons.next()?;
    Some(s.child(&top.b, mv))
}
