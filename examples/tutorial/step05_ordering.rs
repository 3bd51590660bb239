//! Step 5: move ordering. Alpha-beta saves most if the best move comes first.

use std::process::ExitCode;

use aspirant::prelude::*;
use aspirant::score::{DRAW, INFINITY, MAX_PLY, mated_in};

mod shared;
use shared::{evaluate, is_draw, value};

/// Depth of the search, plies, unless `go depth` gives another one.
const DEPTH: i32 = 5;

/// The engine. It keeps nothing between two searches.
struct Ordered;

/// One search.
struct Searcher<'a> {
    request: &'a SearchRequest,
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

impl Search for Ordered {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        let mut searcher = Searcher {
            request,
            nodes: 0,
            keys: request.game.history.clone(),
            best_move: None,
            killers: [[None; 2]; MAX_PLY],
            history: [[[0; 64]; 64]; 2],
        };
        let depth = request.limits.depth.map_or(DEPTH, |plies| plies.clamp(1, 100) as i32);
        let score = searcher.alpha_beta(&request.game.position, depth, 0, -INFINITY, INFINITY);
        let mut result =
            SearchResult::new(vec![Variation::new(searcher.best_move.into_iter().collect(), score, depth)]);
        result.nodes = searcher.nodes;
        result
    }
}

impl Searcher<'_> {
    /// Returns the value of a position for the side to move. `ply`: distance from the root.
    ///
    /// The side to move already has a move worth `alpha`, and the opponent does not allow more than `beta`. A result of
    /// at most `alpha` means "not more than this", one of at least `beta` "not less than this".
    fn alpha_beta(&mut self, position: &Position, depth: i32, ply: usize, mut alpha: Score, beta: Score) -> Score {
        self.nodes += 1;
        if ply > 0 && is_draw(position, &self.keys) {
            return DRAW;
        }
        let mut moves = if ply == 0 { self.request.root_moves.clone() } else { position.legal_moves().to_vec() };
        if moves.is_empty() {
            return if position.in_check() { mated_in(ply) } else { DRAW };
        }
        if depth <= 0 {
            return evaluate(position);
        }
        // ANCHOR: loop
        moves.sort_by_cached_key(|&m| -self.priority(position, m, ply));
        let mut best = -INFINITY;
        for m in moves {
            self.keys.push(position.key());
            // The opponent's bounds are ours with the opposite sign.
            let score = -self.alpha_beta(&position.play(m), depth - 1, ply + 1, -beta, -alpha);
            self.keys.pop();
            if score > best {
                best = score;
                if ply == 0 {
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
        // ANCHOR_END: loop
        best
    }

    // ANCHOR: ordering
    /// Returns how early to search a move: first captures, then killers, then the other moves by their history.
    fn priority(&self, position: &Position, m: Move, ply: usize) -> i32 {
        if let Some(victim) = m.capture() {
            // MVV-LVA: the most valuable victim first, of equal victims by the least valuable attacker.
            return 2_000_000 + 10 * value(victim) - m.role() as i32;
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
    // ANCHOR_END: ordering
}

/// Returns the square that a move leaves, as an index.
fn from(m: Move) -> usize {
    m.from().map_or(0, usize::from)
}

pub fn engine() -> Result<Engine, BuildError> {
    Engine::builder().name("Step 5: move ordering").author("Me").search(|| Ordered).bench_depth(5).build()
}

pub fn main() -> Result<ExitCode, BuildError> {
    Ok(aspirant::uci::main(engine()?))
}
