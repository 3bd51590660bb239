//! Move-ordering heuristics of the literature, each of which can be enabled for any search.
//!
//! Cutoffs depend on good moves being searched early: with perfect ordering alpha-beta visits about the square
//! root of the leaves, with the worst ordering all of them. The usual ones are captures first, a very shallow
//! search before the search, the killer heuristic (the last move that caused a cutoff at the same ply is
//! searched first), its generalization to refutation tables, and the reuse of the ordered subtree for the next
//! game move. None of them changes the value of a search, only its cost.
//! <https://www.chessprogramming.org/Move_Ordering>

use crate::memory::{KeyMap, max_entries};
use crate::{GameTree, Node};
use std::collections::HashMap;

/// The enabled heuristics and their tables. `MoveOrdering::default()` enables none.
#[derive(Clone, Debug)]
pub struct MoveOrdering<M> {
    /// Orders moves by their immediate gain, the largest first.
    pub captures: bool,
    /// Sorts the children by their static value before a node is searched: a search of one ply. Not done if fewer
    /// than two plies remain.
    pub presearch: bool,
    /// Searches the last two moves that caused a cutoff at the same ply first.
    /// <https://www.chessprogramming.org/Killer_Heuristic>
    pub killers: bool,
    /// Searches the reply that last refuted the same move at the same ply first. At ply 1 this is the
    /// refutation table of Akl and Newborn (1977), at deeper plies its generalization.
    /// <https://www.chessprogramming.org/Refutation_Table>
    pub refutations: bool,
    /// Searches the previous best move of the position first: from the last iteration, the last pass, or
    /// the search for the previous game move.
    pub previous_best: bool,
    killer_moves: Vec<[Option<M>; 2]>,
    refutation_moves: HashMap<(u32, M), M>,
    best_moves: KeyMap<M>,
    max_best_moves: usize,
}

impl<M> Default for MoveOrdering<M> {
    fn default() -> Self {
        Self {
            captures: false,
            presearch: false,
            killers: false,
            refutations: false,
            previous_best: false,
            killer_moves: Vec::new(),
            refutation_moves: HashMap::new(),
            best_moves: HashMap::default(),
            max_best_moves: usize::MAX,
        }
    }
}

/// The command-line names of the heuristics, with a description each.
pub const HEURISTICS: [(&str, &str); 5] = [
    ("captures", "moves ordered by their immediate gain, the largest first"),
    ("presearch", "children sorted by their static value before they are searched"),
    ("killers", "the last two moves that caused a cutoff at the same ply first"),
    ("refutations", "the reply that last refuted the same move at the same ply first"),
    ("best-move", "the best move of the last iteration, pass or game move first"),
];

/// Returns the names of the heuristics, for messages.
#[must_use]
pub fn heuristic_names() -> String {
    HEURISTICS.map(|(name, _)| name).join(", ")
}

impl<M: Copy + Eq + std::hash::Hash> MoveOrdering<M> {
    /// Returns an ordering with all heuristics enabled.
    #[must_use]
    pub fn all() -> Self {
        let mut ordering = Self::default();
        for (name, _) in HEURISTICS {
            ordering.enable(name);
        }
        ordering
    }

    /// Returns the ordering of a list such as `captures,killers`, `all` or `none`.
    ///
    /// # Errors
    /// The first name that is unknown.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, &'a str> {
        let mut ordering = Self::default();
        for name in names.into_iter().map(str::trim) {
            if name == "all" {
                ordering = Self::all();
            } else if name != "none" && !ordering.enable(name) {
                return Err(name);
            }
        }
        Ok(ordering)
    }

    /// Limits the table of best moves to this size; when it is full, the best moves of further positions are not kept.
    pub fn limit_best_moves(&mut self, bytes: usize) {
        self.max_best_moves = max_entries::<M>(bytes);
    }

    /// Enables the heuristic of this name (see [`HEURISTICS`]); returns `false` if there is none.
    pub fn enable(&mut self, name: &str) -> bool {
        match name {
            "captures" => self.captures = true,
            "presearch" => self.presearch = true,
            "killers" => self.killers = true,
            "refutations" => self.refutations = true,
            "best-move" => self.previous_best = true,
            _ => return false,
        }
        true
    }

    /// Sorts the moves of a node, most promising first. Returns the number of leaves evaluated for it.
    pub fn sort<G: GameTree<Move = M>>(&self, game: &G, p: &Node<G>, depth: u32, moves: &mut [M]) -> u64 {
        let mut leaves = 0;
        // Every step is a stable sort, so the strongest heuristic comes last.
        if self.presearch && depth >= 2 {
            leaves = moves.len() as u64;
            moves.sort_by_cached_key(|&mv| game.value(&game.play(&p.position, mv)));
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

    /// Updates killers and refutations after `mv` caused a cutoff at `p`.
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

    /// Stores the best move of a position. A move that is not `proven` (all moves failed low) does not
    /// replace an existing one.
    pub fn store_best_move(&mut self, key: u64, best: M, proven: bool) {
        if self.best_moves.len() >= self.max_best_moves && !self.best_moves.contains_key(&key) {
            return;
        }
        if proven {
            self.best_moves.insert(key, best);
        } else {
            self.best_moves.entry(key).or_insert(best);
        }
    }

    /// Shifts the tables indexed by ply by two plies, after a game move and the reply.
    ///
    /// Best moves are indexed by position and need no change.
    pub fn shift_two_plies(&mut self) {
        self.killer_moves.drain(..self.killer_moves.len().min(2));
        self.refutation_moves = std::mem::take(&mut self.refutation_moves)
            .into_iter()
            .filter(|((ply, _), _)| *ply >= 2)
            .map(|((ply, previous_move), reply)| ((ply - 2, previous_move), reply))
            .collect();
    }
}

/// Moves `mv` to the front and keeps the order of the others.
fn move_to_front<M: Copy + Eq>(moves: &mut [M], mv: M) {
    if let Some(index) = moves.iter().position(|&other| other == mv) {
        moves[..=index].rotate_right(1);
    }
}
