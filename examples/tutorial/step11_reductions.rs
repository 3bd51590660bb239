//! Step 11: late move reductions and static exchange evaluation. Moves that look bad are searched less deeply.

use std::process::ExitCode;

use aspirant::board::see::see_at_least;
use aspirant::prelude::*;
use aspirant::score::{Bound, DRAW, INFINITY, MAX_PLY, is_mate, mated_in};
use aspirant::search::{Allocated, SearchSettings};

mod shared;
use shared::{evaluate, index, is_draw, mate_distance, value};

/// What is known about a position from an earlier search of it.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    best_move: Option<Move>,
    score: Score,
    depth: i32,
    bound: Bound,
}

/// The engine. It keeps the positions of earlier searches.
#[derive(Default)]
struct Reductions {
    table: Vec<Entry>,
}

/// One search.
struct Searcher<'a> {
    request: &'a SearchRequest,
    table: &'a mut [Entry],
    nodes: u64,
    /// Keys of the positions before the current one, for repetitions.
    keys: Vec<u64>,
    /// Best move at the root.
    best_move: Option<Move>,
    /// The last two quiet moves that caused a cutoff at each ply.
    killers: [[Option<Move>; 2]; MAX_PLY],
    /// How often, weighted by depth, the quiet moves of each color from one square to another caused a cutoff.
    history: [[[i32; 64]; 64]; 2],
}

impl Search for Reductions {
    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        self.table = vec![Entry::default(); (settings.hash << 20) / size_of::<Entry>()];
        Allocated { hash: settings.hash, threads: 1 }
    }

    fn new_game(&mut self) {
        self.table.fill(Entry::default());
    }

    fn search(&mut self, request: &SearchRequest, mut reporter: Box<dyn Reporter>) -> SearchResult {
        let mut searcher = Searcher {
            request,
            table: &mut self.table,
            nodes: 0,
            keys: request.game.history.clone(),
            best_move: None,
            killers: [[None; 2]; MAX_PLY],
            history: [[[0; 64]; 64]; 2],
        };
        let mut result = SearchResult::default();
        for depth in 1.. {
            let score = searcher.aspiration(depth, result.score());
            // An unfinished iteration proves nothing; the result of the one before stands.
            let Some(score) = score else { break };
            result = SearchResult::new(vec![Variation::new(searcher.best_move.into_iter().collect(), score, depth)]);
            result.nodes = searcher.nodes;
            reporter.progress(&result);
            if request.soft_limit_reached(&result) {
                break;
            }
        }
        result
    }
}

impl Searcher<'_> {
    /// Searches the root with a narrow window around the score of the previous iteration, and a wider one if it fails.
    fn aspiration(&mut self, depth: i32, previous: Score) -> Option<Score> {
        let mut width = if depth < 4 { INFINITY } else { 25 };
        let (mut alpha, mut beta) = (previous - width, previous + width);
        loop {
            let score = self.alpha_beta(&self.request.game.position, depth, 0, alpha, beta)?;
            width *= 3;
            if score <= alpha && alpha > -INFINITY {
                alpha = (score - width).max(-INFINITY);
            } else if score >= beta && beta < INFINITY {
                beta = (score + width).min(INFINITY);
            } else {
                return Some(score);
            }
        }
    }

    /// Returns the value of a position for the side to move; `None` if the search must stop. `ply`: distance from the root.
    ///
    /// The side to move already has a move worth `alpha`, and the opponent does not allow more than `beta`. A result of
    /// at most `alpha` means "not more than this", one of at least `beta` "not less than this".
    fn alpha_beta(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Option<Score> {
        if ply > 0 && is_draw(position, &self.keys) {
            return Some(DRAW);
        }
        if depth <= 0 {
            return self.quiescence(position, ply, alpha, beta);
        }
        if self.request.should_stop(self.nodes) {
            return None;
        }
        self.nodes += 1;
        let entry = self.probe(position, ply);
        if ply > 0
            && entry.depth >= depth
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.score >= beta,
                Bound::Upper => entry.score <= alpha,
                Bound::None => false,
            }
        {
            return Some(entry.score);
        }
        // With a window without width, only one question is left: does this position reach beta?
        if beta - alpha == 1 && !position.in_check() && !is_mate(beta) {
            let evaluation = evaluate(position);
            // Reverse futility: so far above beta that a few plies will hardly change it.
            if depth <= 6 && evaluation - 100 * depth >= beta {
                return Some(evaluation);
            }
            // Null move: if even no move at all reaches beta, a real one will. With pawns only, it may be better than any move.
            if depth >= 3
                && evaluation >= beta
                && position.has_non_pawn_material()
                && let Some(child) = position.after_null_move()
            {
                self.keys.push(position.key());
                let score = -self.alpha_beta(&child, depth - 3 - depth / 4, ply + 1, -beta, -beta + 1)?;
                self.keys.pop();
                if score >= beta {
                    // A mate after a null move is not forced.
                    return Some(if is_mate(score) { beta } else { score });
                }
            }
        }
        let mut moves = if ply == 0 { self.request.root_moves.clone() } else { position.legal_moves().to_vec() };
        if moves.is_empty() {
            return Some(if position.in_check() { mated_in(ply) } else { DRAW });
        }
        moves.sort_by_cached_key(|&m| -self.priority(position, m, ply, entry.best_move));
        let (mut best, mut best_move, old_alpha) = (-INFINITY, None, alpha);
        for (index, m) in moves.into_iter().enumerate() {
            self.keys.push(position.key());
            let child = position.play(m);
            // After the first move, the question is only whether another one is better: a window without width.
            // ANCHOR: reductions
            let mut score = alpha + 1;
            // The later a quiet move comes in the order, the less likely it is the best: ask first at a lower depth.
            if depth >= 3 && index >= 3 && !m.is_capture() && !m.is_promotion() && !position.in_check() {
                let reduction = 1 + (f64::from(depth).ln() * (index as f64).ln() / 2.0) as i32;
                score = -self.alpha_beta(&child, depth - 1 - reduction, ply + 1, -alpha - 1, -alpha)?;
            }
            if best > -INFINITY && score > alpha {
                score = -self.alpha_beta(&child, depth - 1, ply + 1, -alpha - 1, -alpha)?;
            }
            // The first move, or one that is better and not too good: its value is needed.
            if best == -INFINITY || (score > alpha && score < beta) {
                score = -self.alpha_beta(&child, depth - 1, ply + 1, -beta, -alpha)?;
            }
            // ANCHOR_END: reductions
            self.keys.pop();
            if score > best {
                (best, best_move) = (score, Some(m));
                if ply == 0 && score > alpha {
                    self.best_move = Some(m);
                }
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                // A cutoff: the opponent has something better and will avoid this position.
                self.update_ordering(position, m, depth, ply);
                break;
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best <= old_alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        // Of a position in which every move fails low, no best move is known.
        let best_move = best_move.filter(|_| bound != Bound::Upper);
        self.store(position, ply, Entry { key: position.key(), best_move, score: best, depth, bound });
        Some(best)
    }

    /// Returns what is known about a position; an empty entry if nothing is.
    fn probe(&self, position: &Position, ply: usize) -> Entry {
        let mut entry = self.table[index(position, self.table.len())];
        if entry.key != position.key() {
            return Entry::default();
        }
        entry.score = mate_distance(entry.score, -(ply as Score));
        entry
    }

    fn store(&mut self, position: &Position, ply: usize, mut entry: Entry) {
        entry.score = mate_distance(entry.score, ply as Score);
        self.table[index(position, self.table.len())] = entry;
    }

    /// Like `alpha_beta`, but considers only captures, until there are none; in check, all moves.
    fn quiescence(&mut self, position: &Position, ply: usize, mut alpha: Score, beta: Score) -> Option<Score> {
        if self.request.should_stop(self.nodes) {
            return None;
        }
        self.nodes += 1;
        let in_check = position.in_check();
        let mut moves = if in_check { position.legal_moves() } else { position.chess().capture_moves() };
        if in_check && moves.is_empty() {
            return Some(mated_in(ply));
        }
        // Stand pat: no side is forced to capture, so the evaluation is a lower bound. In check, it is not.
        let mut best = if in_check && ply + 1 < MAX_PLY { -INFINITY } else { evaluate(position) };
        if best >= beta || ply + 1 >= MAX_PLY {
            return Some(best);
        }
        alpha = alpha.max(best);
        moves.sort_by_cached_key(|&m| -self.priority(position, m, ply, None));
        for m in moves {
            // ANCHOR: see
            // A capture that loses material does not help a side that may stand pat.
            if !in_check && !see_at_least(position, m, 0) {
                continue;
            }
            // ANCHOR_END: see
            best = best.max(-self.quiescence(&position.play(m), ply + 1, -beta, -alpha)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// Returns how early to search a move: the TT move, captures, killers, quiet moves by their history, losing captures.
    fn priority(&self, position: &Position, m: Move, ply: usize, tt_move: Option<Move>) -> i32 {
        if tt_move == Some(m) {
            return 3_000_000;
        }
        if let Some(victim) = m.capture() {
            // MVV-LVA: the most valuable victim first, of equal victims by the least valuable attacker.
            let priority = 10 * value(victim) - m.role() as i32;
            return if see_at_least(position, m, 0) { 2_000_000 + priority } else { priority - 1_000_000 };
        }
        if self.killers[ply].contains(&Some(m)) {
            return 1_000_000;
        }
        self.history[position.turn() as usize][from(m)][m.to() as usize]
    }

    /// Records a move that caused a cutoff; it is likely to do so in similar positions.
    fn update_ordering(&mut self, position: &Position, m: Move, depth: i32, ply: usize) {
        if m.is_capture() {
            return;
        }
        if self.killers[ply][0] != Some(m) {
            self.killers[ply] = [Some(m), self.killers[ply][0]];
        }
        let history = &mut self.history[position.turn() as usize][from(m)][m.to() as usize];
        *history = (*history + depth * depth).min(999_999);
    }
}

/// Returns the square that a move leaves, as an index.
fn from(m: Move) -> usize {
    m.from().map_or(0, usize::from)
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Step 11: reductions").author("Me").search(Reductions::default).bench_depth(6).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
