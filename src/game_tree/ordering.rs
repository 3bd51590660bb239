//! Ordering heuristics (sources 001 and 003): parts that can be switched on for any search.
//!
//! Cut-offs come early only if the good moves come early: with perfect order alpha-beta looks at about
//! the square root of the leaves, with the worst order at all of them. Source 001 names captures first,
//! a very shallow search before the search, the killer heuristic (the last move that cut off at the
//! same level is tried first), its generalization to refutation tables, and the subtree that one game
//! move leaves already ordered for the next. None of them can change a value, only the cost.
//! <https://www.chessprogramming.org/Move_Ordering>

use super::memory::KeyHasher;
use super::{GameTree, Node};
use crate::score::Score;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// The switches and what the parts have learned. `Ordering::default()` has all of them off.
#[derive(Clone, Debug)]
pub struct MoveOrdering<M> {
    /// Moves that win something at once come first, the largest gain first.
    pub captures: bool,
    /// Before a node is searched, its children are valued by a search of this many plies less one (1:
    /// each child's static value) and sorted. Not done where fewer than two plies remain.
    pub presearch: Option<u32>,
    /// The two last moves that cut off at the same ply come first.
    /// <https://www.chessprogramming.org/Killer_Heuristic>
    pub killers: bool,
    /// The reply that last refuted the same move at the same ply comes first. At ply 1 this is the
    /// refutation table of Akl and Newborn (1977); below, its generalization.
    /// <https://www.chessprogramming.org/Refutation_Table>
    pub refutations: bool,
    /// The move that was best in this position the last time comes first: in the last iteration, in the
    /// last pass, or in the search for the game move before.
    pub previous_best: bool,
    killer_moves: Vec<[Option<M>; 2]>,
    refutation_moves: HashMap<(u32, M), M>,
    best_moves: HashMap<u64, M, BuildHasherDefault<KeyHasher>>,
}

impl<M> Default for MoveOrdering<M> {
    fn default() -> Self {
        Self {
            captures: false,
            presearch: None,
            killers: false,
            refutations: false,
            previous_best: false,
            killer_moves: Vec::new(),
            refutation_moves: HashMap::new(),
            best_moves: HashMap::default(),
        }
    }
}

/// The names under which the command line switches the parts, with one sentence each.
pub const HEURISTICS: [(&str, &str); 5] = [
    ("captures", "moves that win something at once come first, the largest gain first"),
    ("presearch", "the children are valued statically and sorted before they are searched"),
    ("killers", "the previous_move two moves that cut off at the same ply come first"),
    ("refutations", "the reply that previous_move refuted the same move at the same ply comes first"),
    ("remembered", "the best move of the previous_move iteration, pass or game move comes first"),
];

impl<M: Copy + Eq + std::hash::Hash> MoveOrdering<M> {
    /// Everything switched on.
    #[must_use]
    pub fn all() -> Self {
        let mut ordering = Self::default();
        for (name, _) in HEURISTICS {
            ordering.enable(name);
        }
        ordering
    }

    /// Switches on the part of this name (see [`PARTS`]); `false` if there is no such part.
    pub fn enable(&mut self, name: &str) -> bool {
        match name {
            "captures" => self.captures = true,
            "presearch" => self.presearch = Some(1),
            "killers" => self.killers = true,
            "refutations" => self.refutations = true,
            "remembered" => self.previous_best = true,
            _ => return false,
        }
        true
    }

    /// Sorts the moves of a node, best hope first. Returns the number of leaves that this cost.
    pub fn sort<G: GameTree<Move = M>>(&self, game: &G, p: &Node<G>, depth: u32, moves: &mut [M]) -> u64 {
        let mut leaves = 0;
        // Each step keeps the order of what it does not know, so the strongest hint sorts last.
        if let Some(presearch_plies) = self.presearch
            && depth >= 2
        {
            let presearch_plies = presearch_plies.clamp(1, depth - 1);
            moves.sort_by_cached_key(|&mv| {
                shallow_value(game, &game.play(&p.position, mv), presearch_plies - 1, &mut leaves)
            });
        }
        if self.killers
            && let Some(killers) = self.killer_moves.get(p.ply as usize)
        {
            killers.iter().rev().flatten().for_each(|&killer| move_to_front(moves, killer));
        }
        if self.refutations
            && let Some(previous_move) = p.mv
            && let Some(&reply) = self.refutation_moves.get(&(p.ply, previous_move))
        {
            move_to_front(moves, reply);
        }
        if self.captures {
            moves.sort_by_cached_key(|&mv| -game.gain(&p.position, mv));
        }
        if self.previous_best
            && let Some(&best) = self.best_moves.get(&game.key(&p.position))
        {
            move_to_front(moves, best);
        }
        leaves
    }

    /// A move cut off at a node: killers and refutations learn it.
    pub fn update_on_cutoff<G: GameTree<Move = M>>(&mut self, p: &Node<G>, mv: M) {
        if self.killers {
            let ply = p.ply as usize;
            if self.killer_moves.len() <= ply {
                self.killer_moves.resize(ply + 1, [None; 2]);
            }
            let slots = &mut self.killer_moves[ply];
            if slots[0] != Some(mv) {
                *slots = [Some(mv), slots[0]];
            }
        }
        if self.refutations
            && let Some(previous_move) = p.mv
        {
            self.refutation_moves.insert((p.ply, previous_move), mv);
        }
    }

    /// The best move of a position, for the next time. A move that is not `proven` (every move failed
    /// low) does not displace another.
    pub fn store_best_move(&mut self, key: u64, best: M, proven: bool) {
        if proven {
            self.best_moves.insert(key, best);
        } else {
            self.best_moves.entry(key).or_insert(best);
        }
    }

    /// A game move and its reply were played: the tables by ply follow the root two plies down. The
    /// best moves are kept by position and need no change.
    pub fn shift_two_plies(&mut self) {
        self.killer_moves.drain(..self.killer_moves.len().min(2));
        self.refutation_moves = std::mem::take(&mut self.refutation_moves)
            .into_iter()
            .filter(|((ply, _), _)| *ply >= 2)
            .map(|((ply, previous_move), reply)| ((ply - 2, previous_move), reply))
            .collect();
    }
}

/// Brings a move to the front and keeps the order of the others.
fn move_to_front<M: Copy + Eq>(moves: &mut [M], mv: M) {
    if let Some(index) = moves.iter().position(|&other| other == mv) {
        moves[..=index].rotate_right(1);
    }
}

/// Plain negamax for the pre-search.
fn shallow_value<G: GameTree>(game: &G, position: &G::Position, depth: u32, leaves: &mut u64) -> Score {
    let moves = if depth == 0 { Vec::new() } else { game.moves(position) };
    let best = moves.into_iter().map(|mv| -shallow_value(game, &game.play(position, mv), depth - 1, leaves)).max();
    best.unwrap_or_else(|| {
        *leaves += 1;
        game.value(position)
    })
}
