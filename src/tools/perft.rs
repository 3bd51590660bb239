//! Perft: counts the leaf nodes of the legal move tree, to test and benchmark move generation.
//!
//! The moves of the last ply are counted without being made (bulk counting). With several threads, the subtrees below
//! the positions after two plies are distributed over the threads.
//! <https://www.chessprogramming.org/Perft>

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use shakmaty::{CastlingMode, Chess, Move, Position as _};

use crate::board::movegen;
use crate::board::position::Position;

/// Maximum depth of the commands `perft` and `go perft`, in plies.
///
/// [`perft`] and [`divide`] do not check it. They recurse once per ply, so a much larger depth overflows the stack.
pub const MAX_DEPTH: u32 = 64;

/// Returns the number of leaf nodes at this depth in plies; `None` if stopped.
#[must_use]
pub fn perft(position: &Position, depth: u32, threads: usize, stop: &AtomicBool) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    Some(divide(position, depth, threads, stop)?.iter().map(|(_, count)| count).sum())
}

/// Returns each root move with the number of leaves below it; `None` if stopped. With depth 0 there are no moves.
#[must_use]
pub fn divide(position: &Position, depth: u32, threads: usize, stop: &AtomicBool) -> Option<Vec<(Move, u64)>> {
    if depth == 0 {
        return Some(Vec::new());
    }
    let moves = position.chess().legal_moves();
    // The positions after two plies (one, if the depth is less than 3), each with the index of its root move.
    let mut subtrees: Vec<(usize, Position)> = Vec::new();
    let split_plies = if depth >= 3 { 2 } else { 1 };
    for (index, &m) in moves.iter().enumerate() {
        let child = position.play(m);
        match split_plies {
            2 => subtrees.extend(child.chess().legal_moves().into_iter().map(|reply| (index, child.play(reply)))),
            _ => subtrees.push((index, child)),
        }
    }
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some((index, child)) = subtrees.get(next.fetch_add(1, Relaxed))
            && !stop.load(Relaxed)
        {
            counts[*index].fetch_add(count(child.chess(), depth - split_plies, stop), Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, run) {
                let _ = writeln!(io::stderr(), "perft: cannot start a thread: {error}; fewer threads are used");
                break;
            }
        }
        run();
    });
    if stop.load(Relaxed) {
        return None;
    }
    Some(moves.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect())
}

/// Formats the counts like Stockfish: one line per move, an empty line, and the sum.
#[must_use]
pub fn divide_lines(mode: CastlingMode, counts: &[(Move, u64)]) -> Vec<String> {
    let moves = counts.iter().map(|&(m, count)| format!("{}: {count}", m.to_uci(mode)));
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    moves.chain([String::new(), format!("Nodes searched: {total}"), String::new()]).collect()
}

fn count(chess: &Chess, depth: u32, stop: &AtomicBool) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return movegen::count(chess);
    }
    if depth >= 4 && stop.load(Relaxed) {
        return 0;
    }
    let mut sum = 0;
    for &m in &movegen::legal_moves(chess) {
        let mut child = chess.clone();
        child.play_unchecked(m);
        sum += count(&child, depth - 1, stop);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;

    #[test]
    fn threads_do_not_change_the_count() {
        let position = parse_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        for (depth, expected) in [(0, 1), (1, 48), (2, 2039), (3, 97_862), (4, 4_085_603)] {
            for threads in 1..=3 {
                assert_eq!(perft(&position, depth, threads, &AtomicBool::new(false)), Some(expected));
            }
        }
    }

    #[test]
    fn a_stopped_run_returns_none() {
        assert_eq!(perft(&Position::default(), 20, 1, &AtomicBool::new(true)), None);
    }
}
