//! MTD: memory-enhanced test driver (Plaat, Schaeffer, Pijls and de Bruin 1994-96), source 001's MTD(f).
//!
//! Zero windows only. Each pass asks "is the value at least `beta`?", and its answer is a bound that
//! moves one end of the interval in which the value lies; the memory keeps a pass from doing the work of
//! the passes before it again. The driver differs only in the first question: near a good guess it is
//! MTD(f), which needs a few passes; from +∞ downwards it is SSS*, from -∞ upwards DUAL*, leaf for leaf
//! (`tests/it/algorithms_agree.rs` proves it against Stockman's list in [`super::sss_star`]). So SSS* is an
//! alpha-beta search after all. The pass is [`super::fail_soft`], whose bounds let a step skip values.
//! <https://www.chessprogramming.org/MTD(f)>

use super::{Game, Memory, OPEN, Outcome, Search, Stop, View, fail_soft};
use crate::score::Score;

/// The minimax value of `root` with leaves at `depth`, by zero-window passes from the guess `first`.
/// `first = OPEN` is SSS*, `first = -OPEN` DUAL*. Gives `s` a memory if it has none.
///
/// # Errors
/// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
pub fn mtd<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32, first: Score) -> Result<Outcome<G::Move>, Stop> {
    if s.memory.is_none() {
        s.memory = Some(Memory::default());
    }
    let mut p = s.begin(root, View::Mover);
    let (mut lower, mut upper) = (-OPEN, OPEN);
    let mut g = first.clamp(-OPEN, OPEN);
    let mut proven = None;
    loop {
        let beta = if g == lower { g + 1 } else { g };
        g = fail_soft::search(s, &p, depth, beta - 1, beta)?;
        if g < beta {
            upper = g;
        } else {
            // Only a pass that fails high has seen a move that is good enough.
            lower = g;
            proven = s.finish(g).best_move;
        }
        if lower >= upper {
            break;
        }
        p = s.start(root, View::Mover);
    }
    let mut line = s.line_from_memory(root, depth, g);
    if line.first() != proven.as_ref() {
        line = proven.into_iter().collect();
    }
    s.set_line(line);
    Ok(s.finish(g))
}
