//! Self-play games, shared by `datagen` and `tune-search`.
//!
//! A player searches every move with a soft node limit. Its transposition table and histories are its own; they are
//! cleared before the opening is scored (`datagen`) or the game starts (`tune-search`), so a game depends only on its
//! opening and its players, not on the machine or its load.
//! <https://www.chessprogramming.org/Engine_Testing>

use std::sync::Arc;

use shakmaty::{Color, Position as _};

use crate::game_file::GameResult;
use aspirant::board::game::{Game, GameOutcome};
use aspirant::board::position::parse_fen;
use aspirant::engine::DefaultEvaluator;
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::{SearchResult, Silent};
use aspirant::search::{SearchRequest, Searcher};

/// Number of random plies of an opening.
const OPENING_PLIES: std::ops::RangeInclusive<u32> = 6..=9;
/// One in this many openings is a Chess960 starting position.
const CHESS960_INTERVAL: u32 = 4;
/// Largest absolute score of a balanced opening in centipawns; other openings are discarded.
const MAX_OPENING_SCORE: Score = 300;
/// Number of consecutive plies with a winning score that adjudicates a win.
const WIN_PLIES: u32 = 4;
/// Largest absolute score in centipawns that counts toward adjudicating a draw.
const DRAW_SCORE: Score = 8;
/// Number of consecutive plies with a drawish score that adjudicates a draw.
const DRAW_PLIES: u32 = 8;
/// First ply whose score counts toward adjudicating a draw.
const MIN_DRAW_PLY: usize = 80;
/// Number of plies after which a game is scored as a draw.
const MAX_PLIES: usize = 400;
/// Hard node limit as a multiple of the soft node limit.
const HARD_LIMIT_FACTOR: u64 = 10;

/// The reason why a game ended; its discriminant is stored in game files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum EndReason {
    Checkmate,
    Stalemate,
    FiftyMoves,
    Repetition,
    InsufficientMaterial,
    AdjudicatedWin,
    AdjudicatedDraw,
    TooLong,
}

impl From<GameOutcome> for EndReason {
    fn from(outcome: GameOutcome) -> Self {
        match outcome {
            GameOutcome::Checkmate { .. } => Self::Checkmate,
            GameOutcome::Stalemate => Self::Stalemate,
            GameOutcome::FiftyMoves => Self::FiftyMoves,
            GameOutcome::Repetition => Self::Repetition,
            GameOutcome::InsufficientMaterial => Self::InsufficientMaterial,
        }
    }
}

/// A player of one or both sides: a searcher with its own transposition table.
pub(super) struct Player {
    searcher: Searcher<DefaultEvaluator>,
    table: Arc<TranspositionTable>,
    /// Soft node limit per move.
    nodes: u64,
}

impl Player {
    /// Creates a player with an empty transposition table; `nodes` is the soft node limit per move.
    pub(super) fn new(params: &Params, nodes: u64) -> Self {
        let table = Arc::new(TranspositionTable::new(1));
        let searcher = Searcher::new(0, DefaultEvaluator::default(), params, Arc::clone(&table));
        Self { searcher, table, nodes }
    }

    /// Searches the current position of a game.
    pub(super) fn search(&mut self, game: &Game) -> SearchResult {
        let (nodes, soft_nodes) = (Some(self.nodes.saturating_mul(HARD_LIMIT_FACTOR)), Some(self.nodes));
        let limits = Limits { nodes, soft_nodes, ..Limits::default() };
        self.table.new_search();
        self.searcher.search(SearchRequest::untimed(game.clone(), limits), Box::new(Silent))
    }

    /// Clears the transposition table and all histories.
    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }

    /// Returns a game after random opening moves with a balanced score.
    ///
    /// One in [`CHESS960_INTERVAL`] games starts from a random Chess960 position, for more varied king positions.
    pub(super) fn opening(&mut self, random: &mut fastrand::Rng) -> Game {
        loop {
            let mut game = match random.u32(0..CHESS960_INTERVAL) {
                0 => parse_fen(&chess960_fen(random)).map_or_else(|_| Game::default(), Game::new),
                _ => Game::default(),
            };
            for _ in 0..random.u32(OPENING_PLIES) {
                let moves = game.position.chess().legal_moves();
                let Some(&m) = random.choice(moves.as_slice()) else { break };
                game.play(m);
            }
            if game.outcome().is_some() {
                continue;
            }
            self.clear();
            if self.search(&game).score().abs() <= MAX_OPENING_SCORE {
                return game;
            }
        }
    }
}

/// Returns the FEN of a random starting position of Chess960.
///
/// Each of the 960 positions is equally likely: bishops on squares of opposite colors, the king between the rooks.
/// <https://www.chessprogramming.org/Chess960>
fn chess960_fen(random: &mut fastrand::Rng) -> String {
    let mut rank = ['\0'; 8];
    rank[2 * random.usize(0..4)] = 'B';
    rank[2 * random.usize(0..4) + 1] = 'B';
    let mut place = |piece: char, empty_index: usize| {
        let square = (0..8).filter(|&file| rank[file] == '\0').nth(empty_index).expect("an empty square is left");
        rank[square] = piece;
    };
    place('Q', random.usize(0..6));
    place('N', random.usize(0..5));
    place('N', random.usize(0..4));
    // The rooks and the king take the remaining three squares in this order.
    for piece in ['R', 'K', 'R'] {
        place(piece, 0);
    }
    let white: String = rank.iter().collect();
    let rooks: String =
        (0..8).rev().filter(|&file| rank[file] == 'R').map(|file| char::from(b'A' + file as u8)).collect();
    let (black, black_rooks) = (white.to_lowercase(), rooks.to_lowercase());
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w {rooks}{black_rooks} - 0 1")
}

/// Multiplier that spreads the bits of a seed; odd, so different seeds have different products.
const SEED_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// Position of a game number in the state of its random number generator.
const NUMBER_SHIFT: u32 = 20;

/// Returns the random number generator of a game or pair.
///
/// It depends only on the seed of the run and the number.
///
/// Runs of different [`seed_class`] have no generator in common. The number must be less than 2³².
pub(super) fn numbered_rng(seed: u64, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed.wrapping_mul(SEED_MULTIPLIER) ^ number << NUMBER_SHIFT)
}

/// Returns the bits of a generator's state that do not depend on the 32-bit game number.
///
/// The lowest 20 bits differ if the seeds differ modulo 2²⁰, because the multiplier is odd. Seeds of the same class are
/// therefore at least 2²⁰ apart, and a random pair has the same class with a probability of 2⁻³².
pub(super) fn seed_class(seed: u64) -> u64 {
    seed.wrapping_mul(SEED_MULTIPLIER) & !(u64::from(u32::MAX) << NUMBER_SHIFT)
}

/// Returns the result if the game is over by the rules of chess.
pub(super) fn result_by_rules(game: &Game) -> Option<(GameResult, EndReason)> {
    game.outcome().map(|outcome| (outcome.into(), outcome.into()))
}

/// Adjudicates games whose result is clear.
pub(super) struct Adjudicator {
    /// Score in centipawns that counts toward adjudicating a win.
    win_margin: Score,
    /// Consecutive plies with a winning score for White (negative for Black).
    winning_plies: i64,
    /// Consecutive plies with a drawish score.
    drawish_plies: u32,
}

impl Adjudicator {
    /// Creates an adjudicator that counts scores of at least `win_margin` centipawns as winning.
    pub(super) fn new(win_margin: Score) -> Self {
        Self { win_margin, winning_plies: 0, drawish_plies: 0 }
    }

    /// Updates with the score of a ply from White's view; returns the result if the game is adjudicated.
    pub(super) fn update(&mut self, white: Score, ply: usize) -> Option<(GameResult, EndReason)> {
        self.winning_plies = match white {
            _ if white >= self.win_margin => self.winning_plies.max(0) + 1,
            _ if white <= -self.win_margin => self.winning_plies.min(0) - 1,
            _ => 0,
        };
        self.drawish_plies = if white.abs() <= DRAW_SCORE && ply >= MIN_DRAW_PLY { self.drawish_plies + 1 } else { 0 };
        if self.winning_plies.unsigned_abs() >= u64::from(WIN_PLIES) {
            Some((GameResult::won_by(Color::from_white(self.winning_plies > 0)), EndReason::AdjudicatedWin))
        } else if self.drawish_plies >= DRAW_PLIES {
            Some((GameResult::Draw, EndReason::AdjudicatedDraw))
        } else if ply >= MAX_PLIES {
            Some((GameResult::Draw, EndReason::TooLong))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_games_are_adjudicated() {
        let mut adjudicator = Adjudicator::new(1200);
        assert!([2000, 2000, 2000, -2000].iter().all(|&score| adjudicator.update(score, 10).is_none()));
        assert!([-2000, -1300].iter().all(|&score| adjudicator.update(score, 10).is_none()));
        assert_eq!(adjudicator.update(-1200, 10), Some((GameResult::Loss, EndReason::AdjudicatedWin)));

        let mut adjudicator = Adjudicator::new(1200);
        assert!((0..40).all(|ply| adjudicator.update(0, ply).is_none()));
        assert!((80..87).all(|ply| adjudicator.update(-8, ply).is_none()));
        assert_eq!(adjudicator.update(3, 87), Some((GameResult::Draw, EndReason::AdjudicatedDraw)));
        assert_eq!(adjudicator.update(100, 400), Some((GameResult::Draw, EndReason::TooLong)));
    }

    #[test]
    fn chess960_openings_are_all_legal_starting_positions() {
        let mut random = numbered_rng(1, 1);
        let fens: std::collections::HashSet<String> = (0..20_000).map(|_| chess960_fen(&mut random)).collect();
        assert_eq!(fens.len(), 960);
        for fen in &fens {
            let position = parse_fen(fen).unwrap();
            assert_eq!(position.chess().castles().castling_rights().count(), 4, "{fen}");
        }
    }

    #[test]
    fn seeds_below_a_million_never_share_a_game() {
        let classes: std::collections::HashSet<u64> = (1..1 << 20).map(seed_class).collect();
        assert_eq!(classes.len(), (1 << 20) - 1);
    }

    #[test]
    fn seeds_that_share_a_game_have_the_same_class() {
        // Newton's iteration doubles the number of correct bits of the inverse modulo 2⁶⁴.
        let inverse = (0..6)
            .fold(1u64, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(SEED_MULTIPLIER.wrapping_mul(inverse))));
        let (seed, number, other_number) = (1u64, 5u64, 0xffff_fff0);
        let state = seed.wrapping_mul(SEED_MULTIPLIER) ^ number << NUMBER_SHIFT ^ other_number << NUMBER_SHIFT;
        let other = state.wrapping_mul(inverse);
        assert_ne!(seed, other);
        assert_eq!(numbered_rng(seed, number), numbered_rng(other, other_number));
        assert_eq!(seed_class(seed), seed_class(other));
    }

    #[test]
    fn games_end_by_the_rules() {
        let result = |fen: &str| result_by_rules(&Game::new(aspirant::board::position::parse_fen(fen).unwrap()));
        let mate = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 99 60";
        assert_eq!(result(mate), Some((GameResult::Win, EndReason::Checkmate)));
        assert_eq!(result("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1"), Some((GameResult::Draw, EndReason::Stalemate)));
        assert_eq!(result("4k3/8/8/8/8/8/8/3BK3 w - - 0 1"), Some((GameResult::Draw, EndReason::InsufficientMaterial)));
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 w - - 100 90"), Some((GameResult::Draw, EndReason::FiftyMoves)));
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 w - - 99 90"), None);
    }
}
