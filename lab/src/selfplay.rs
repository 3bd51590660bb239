//! Self-play games, shared by `datagen` and `tune-search`.
//!
//! A player searches every move with a soft node limit. Its transposition table and histories are cleared before the
//! opening is scored (`datagen`) or the game starts (`tune-search`), so a game depends only on its opening and its
//! players, not on the machine or its load.
//! <https://www.chessprogramming.org/Engine_Testing>

use shakmaty::{Color, Move, Position as _};

use crate::formats::move_code;
use crate::game_file::GameResult;
use crate::hash::fnv1a;
use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::engine::{BuildError, Engine};
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::search::params::Params;
use aspirant::search::report::SearchResult;
use aspirant::tools::bench;

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

/// Soft node limit of the searches of [`Player::identity`].
const CHECKSUM_NODES: u64 = 1000;

/// Returns Aspirant with these search parameters; needs a thread with a stack of [`aspirant::search::STACK_SIZE`] bytes.
pub(crate) fn aspirant_engine(params: &Params) -> Result<Engine, BuildError> {
    Engine::builder().params(params.clone()).inline().build()
}

/// A player of one or both sides.
pub(crate) struct Player {
    engine: Engine,
    /// Soft node limit per move.
    nodes: u64,
}

impl Player {
    /// Creates a player with a small transposition table and one thread, so that its games are fast and reproducible.
    pub(crate) fn new(mut engine: Engine, nodes: u64) -> Self {
        // An engine with a search of its own can lack these options.
        let _ = engine.update_options(|options| options.set_hash(1)?.set_threads(1));
        Self { engine, nodes }
    }

    /// Searches the current position of a game, which must not be over; returns the best move and its score.
    ///
    /// # Errors
    /// The problem that the search reported, such as a panic in the evaluator.
    pub(crate) fn search(&mut self, game: &Game) -> Result<(Move, Score), String> {
        let result = self.result(game.clone(), self.nodes)?;
        let m = result.best_move().ok_or_else(|| format!("no move in {}", game.position.fen()))?;
        Ok((m, result.score()))
    }

    fn result(&mut self, game: Game, nodes: u64) -> Result<SearchResult, String> {
        let (max_nodes, soft_nodes) = (Some(nodes.saturating_mul(HARD_LIMIT_FACTOR)), Some(nodes));
        self.engine.set_game(game);
        let mut result = self.engine.search(Limits { nodes: max_nodes, soft_nodes, ..Limits::default() });
        result.messages.pop().map_or(Ok(result), Err)
    }

    /// Returns the name of the engine and a checksum of short searches of the positions of `bench`.
    ///
    /// The checksum changes with almost every functional change of evaluator or search.
    pub(crate) fn identity(&mut self) -> Result<(String, String), String> {
        self.engine.new_game();
        let mut bytes = Vec::new();
        for fen in bench::POSITIONS {
            let game = Game::new(parse_fen(fen).map_err(|error| error.to_string())?);
            if game.outcome().is_none() {
                let result = self.result(game, CHECKSUM_NODES)?;
                bytes.extend(result.nodes.to_le_bytes());
                bytes.extend(result.score().to_le_bytes());
                bytes.extend(result.best_move().map_or(0, move_code).to_le_bytes());
            }
        }
        Ok((self.engine.identity().name_and_version(), format!("{:016x}", fnv1a(&bytes))))
    }

    /// Returns a game after random opening moves with a balanced score.
    ///
    /// One in [`CHESS960_INTERVAL`] games starts from a random Chess960 position, for more varied king positions.
    ///
    /// # Errors
    /// The problem that the search reported.
    pub(crate) fn opening(&mut self, random: &mut fastrand::Rng) -> Result<Game, String> {
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
            self.engine.new_game();
            if self.search(&game)?.1.abs() <= MAX_OPENING_SCORE {
                return Ok(game);
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
/// It depends only on the seed of the run and the number, which must be less than 2³².
pub(crate) fn numbered_rng(seed: u64, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed.wrapping_mul(SEED_MULTIPLIER) ^ number << NUMBER_SHIFT)
}

/// Returns the result if the game is over by the rules of chess.
pub(crate) fn result_by_rules(game: &Game) -> Option<GameResult> {
    game.outcome().map(GameResult::from)
}

/// Adjudicates games whose result is clear.
pub(crate) struct Adjudicator {
    /// Score in centipawns that counts toward adjudicating a win.
    win_margin: Score,
    /// Consecutive plies with a winning score for White (negative for Black).
    winning_plies: i64,
    /// Consecutive plies with a drawish score.
    drawish_plies: u32,
}

impl Adjudicator {
    /// Creates an adjudicator that counts scores of at least `win_margin` centipawns as winning.
    pub(crate) fn new(win_margin: Score) -> Self {
        Self { win_margin, winning_plies: 0, drawish_plies: 0 }
    }

    /// Updates with the score of a ply from White's view; returns the result if the game is adjudicated.
    pub(crate) fn update(&mut self, white: Score, ply: usize) -> Option<GameResult> {
        self.winning_plies = match white {
            _ if white >= self.win_margin => self.winning_plies.max(0) + 1,
            _ if white <= -self.win_margin => self.winning_plies.min(0) - 1,
            _ => 0,
        };
        self.drawish_plies = if white.abs() <= DRAW_SCORE && ply >= MIN_DRAW_PLY { self.drawish_plies + 1 } else { 0 };
        if self.winning_plies.unsigned_abs() >= u64::from(WIN_PLIES) {
            Some(GameResult::won_by(Color::from_white(self.winning_plies > 0)))
        } else if self.drawish_plies >= DRAW_PLIES || ply >= MAX_PLIES {
            Some(GameResult::Draw)
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
        assert_eq!(adjudicator.update(-1200, 10), Some(GameResult::Loss));

        let mut adjudicator = Adjudicator::new(1200);
        assert!((0..40).all(|ply| adjudicator.update(0, ply).is_none()));
        assert!((80..87).all(|ply| adjudicator.update(-8, ply).is_none()));
        assert_eq!(adjudicator.update(3, 87), Some(GameResult::Draw));
        assert_eq!(adjudicator.update(100, 400), Some(GameResult::Draw));
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
    fn games_end_by_the_rules() {
        let result = |fen: &str| result_by_rules(&Game::new(aspirant::board::position::parse_fen(fen).unwrap()));
        let mate = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 99 60";
        assert_eq!(result(mate), Some(GameResult::Win));
        assert_eq!(result("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1"), Some(GameResult::Draw));
        assert_eq!(result("4k3/8/8/8/8/8/8/3BK3 w - - 0 1"), Some(GameResult::Draw));
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 w - - 100 90"), Some(GameResult::Draw));
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 w - - 99 90"), None);
    }
}
