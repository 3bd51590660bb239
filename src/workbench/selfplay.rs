//! Games of the engine against itself: what data for the tuner and matches between parameters have in common.
//!
//! A player searches every move to about a number of nodes, with tables of its own that are empty at the start
//! of each game: a game follows from its opening and its players alone, on every machine and at any load.
//! <https://www.chessprogramming.org/Engine_Testing>

use std::sync::Arc;

use shakmaty::{Color, Position as _};

use super::games::Outcome;
use crate::engine::DefaultEvaluator;
use crate::position::{Game, Position};
use crate::score::Score;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::report::Silent;
use crate::search::tt::Table;
use crate::search::{SearchRequest, Searcher};

/// Openings are random moves, this many plies.
const OPENING: std::ops::RangeInclusive<u32> = 6..=9;
/// An opening after which one side is so far ahead is drawn anew.
const MOST_UNBALANCED: Score = 300;
/// Who is far ahead for so many plies has won.
const WON_PLIES: u32 = 4;
/// A score so near to a draw …
const DRAWN: Score = 8;
/// … for so many plies …
const DRAWN_PLIES: u32 = 8;
/// … not earlier than this is a draw.
const DRAWN_FROM: usize = 80;
/// No game is longer than this.
const MOST_PLIES: usize = 400;
/// A search may use this many times the soft limit.
const HARD_LIMIT: u64 = 10;
/// Enough for the longest line in a debug build.
pub(super) const STACK_SIZE: usize = 32 << 20;

/// How a game ended, as files of games keep it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum End {
    Checkmate,
    Stalemate,
    FiftyMoves,
    Repetition,
    InsufficientMaterial,
    AdjudicatedWin,
    AdjudicatedDraw,
    TooLong,
}

/// One side of a game, or both: a searcher with a memory of its own.
pub(super) struct Player {
    searcher: Searcher<DefaultEvaluator>,
    table: Arc<Table>,
    /// Soft limit of a move.
    nodes: u64,
}

impl Player {
    /// With empty tables; begins no iteration of a move after this many nodes.
    pub(super) fn new(params: &Params, nodes: u64) -> Self {
        let table = Arc::new(Table::new(1));
        let searcher = Searcher::new(0, DefaultEvaluator::default(), params, Arc::clone(&table));
        Self { searcher, table, nodes }
    }

    /// The search of one move.
    pub(super) fn search(&mut self, game: &Game) -> crate::search::SearchOutcome {
        let (nodes, soft_nodes) = (Some(self.nodes.saturating_mul(HARD_LIMIT)), Some(self.nodes));
        let limits = Limits { nodes, soft_nodes, ..Limits::default() };
        self.table.new_search();
        self.searcher.search(&SearchRequest::untimed(game.clone(), limits), Box::new(Silent))
    }

    /// As new, for another game.
    pub(super) fn forget(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }

    /// A position after random moves that is still a game.
    pub(super) fn opening(&mut self, random: &mut fastrand::Rng) -> Game {
        loop {
            let mut game = Game::default();
            for _ in 0..random.u32(OPENING) {
                let moves = game.position.chess().legal_moves();
                let Some(&m) = random.choice(moves.as_slice()) else { break };
                game.play(m);
            }
            if game.position.chess().legal_moves().is_empty() {
                continue;
            }
            self.forget();
            if self.search(&game).score.abs() <= MOST_UNBALANCED {
                return game;
            }
        }
    }
}

/// Is the game over by the rules?
pub(super) fn verdict_of_rules(game: &Game) -> Option<(Outcome, End)> {
    let position: &Position = &game.position;
    if position.chess().legal_moves().is_empty() {
        return Some(if position.in_check() {
            (Outcome::won_by(!position.turn()), End::Checkmate)
        } else {
            (Outcome::Draw, End::Stalemate)
        });
    }
    let end = if position.halfmoves() >= 100 {
        End::FiftyMoves
    } else if position.is_insufficient_material() {
        End::InsufficientMaterial
    } else if game.is_repetition(2) {
        End::Repetition
    } else {
        return None;
    };
    Some((Outcome::Draw, end))
}

/// Ends games whose result is clear.
pub(super) struct Adjudicator {
    /// Centipawns that win.
    enough: Score,
    /// Plies in a row that white (black, if negative) was far ahead.
    won: i64,
    drawn: u32,
}

impl Adjudicator {
    /// A side that is `enough` centipawns ahead for some plies has won.
    pub(super) fn new(enough: Score) -> Self {
        Self { enough, won: 0, drawn: 0 }
    }

    /// Hears the score of each ply, from white.
    pub(super) fn judge(&mut self, white: Score, ply: usize) -> Option<(Outcome, End)> {
        self.won = match white {
            _ if white >= self.enough => self.won.max(0) + 1,
            _ if white <= -self.enough => self.won.min(0) - 1,
            _ => 0,
        };
        self.drawn = if white.abs() <= DRAWN && ply >= DRAWN_FROM { self.drawn + 1 } else { 0 };
        if self.won.unsigned_abs() >= u64::from(WON_PLIES) {
            Some((Outcome::won_by(Color::from_white(self.won > 0)), End::AdjudicatedWin))
        } else if self.drawn >= DRAWN_PLIES {
            Some((Outcome::Draw, End::AdjudicatedDraw))
        } else if ply >= MOST_PLIES {
            Some((Outcome::Draw, End::TooLong))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_games_are_ended() {
        let mut judge = Adjudicator::new(1200);
        assert!([2000, 2000, 2000, -2000].iter().all(|&score| judge.judge(score, 10).is_none()));
        assert!([-2000, -1300].iter().all(|&score| judge.judge(score, 10).is_none()));
        assert_eq!(judge.judge(-1200, 10), Some((Outcome::Loss, End::AdjudicatedWin)));

        let mut judge = Adjudicator::new(1200);
        assert!((0..40).all(|ply| judge.judge(0, ply).is_none()));
        assert!((80..87).all(|ply| judge.judge(-8, ply).is_none()));
        assert_eq!(judge.judge(3, 87), Some((Outcome::Draw, End::AdjudicatedDraw)));
        assert_eq!(judge.judge(100, 400), Some((Outcome::Draw, End::TooLong)));
    }

    #[test]
    fn the_rules_end_games() {
        let verdict = |fen: &str| verdict_of_rules(&Game::new(crate::position::parse_fen(fen).unwrap()));
        let mate = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 99 60";
        assert_eq!(verdict(mate), Some((Outcome::Win, End::Checkmate)));
        assert_eq!(verdict("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1"), Some((Outcome::Draw, End::Stalemate)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/3BK3 w - - 0 1"), Some((Outcome::Draw, End::InsufficientMaterial)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/R3K3 w - - 100 90"), Some((Outcome::Draw, End::FiftyMoves)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/R3K3 w - - 99 90"), None);
    }
}
