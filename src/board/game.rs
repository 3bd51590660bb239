//! A game: its position, the history for repetitions, and the rules that end it.

use std::fmt;

use shakmaty::{Color, Move};

use super::position::{FIFTY_MOVES, Position, SetupError, printable};

/// The end of a game by the rules of chess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameOutcome {
    /// The side to move is mated.
    Checkmate {
        /// The side that gave mate.
        winner: Color,
    },
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can give mate by any sequence of moves.
    InsufficientMaterial,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
    /// The position has occurred for the third time.
    Repetition,
}

impl GameOutcome {
    /// Returns the winner, or `None` for a draw.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Checkmate { winner } => Some(winner),
            Self::Stalemate | Self::InsufficientMaterial | Self::FiftyMoves | Self::Repetition => None,
        }
    }
}

impl fmt::Display for GameOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate { winner: Color::White } => "Checkmate: White wins",
            Self::Checkmate { winner: Color::Black } => "Checkmate: Black wins",
            Self::Stalemate => "Stalemate: a draw",
            Self::Repetition => "The same position for the third time: a draw",
            Self::FiftyMoves => "Fifty moves without capture or pawn move: a draw",
            Self::InsufficientMaterial => "Insufficient material: a draw",
        })
    }
}

/// A game: its moves, the current position, and the keys of the earlier positions for repetition detection.
///
/// ```
/// use aspirant::board::game::Game;
/// use aspirant::board::pgn::PgnGame;
///
/// let mut game = Game::default();
/// game.play_moves(["e4", "e5", "Nf3"])?;
/// assert_eq!(game.moves().len(), 3);
/// assert!(PgnGame::new(&game).to_string().ends_with("1. e4 e5 2. Nf3 *\n"));
/// # Ok::<(), aspirant::board::position::SetupError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Game {
    /// Current position; [`Game::play`] makes a move and updates the history.
    pub position: Position,
    /// Full keys of the earlier positions, oldest first.
    pub history: Vec<u64>,
    start: Position,
    moves: Vec<Move>,
}

impl From<Position> for Game {
    fn from(position: Position) -> Self {
        Self::new(position)
    }
}

impl Game {
    /// Creates a game that starts with this position.
    #[must_use]
    pub fn new(position: Position) -> Self {
        Self { start: position.clone(), position, history: Vec::new(), moves: Vec::new() }
    }

    /// Returns the position before the first move.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the moves that have been made, oldest first.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Makes a legal move. It is not checked; see [`Position::play`].
    pub fn play(&mut self, m: Move) {
        self.history.push(self.position.key());
        self.moves.push(m);
        self.position = self.position.play(m);
    }

    /// Makes moves in UCI notation or SAN.
    ///
    /// # Errors
    /// [`SetupError::Move`] at the first illegal move; the moves before it have been made.
    pub fn play_moves<'a>(&mut self, moves: impl IntoIterator<Item = &'a str>) -> Result<(), SetupError> {
        for (index, text) in moves.into_iter().enumerate() {
            let m = self.position.parse_move(text).map_err(|reason| SetupError::Move {
                text: printable(text),
                number: index + 1,
                fen: self.position.fen(),
                reason: reason.to_string(),
            })?;
            self.play(m);
        }
        Ok(())
    }

    /// Takes back moves until `plies` moves are left; does nothing if there are fewer.
    pub fn truncate(&mut self, plies: usize) {
        let moves = std::mem::take(&mut self.moves);
        *self = Self::new(self.start.clone());
        moves.into_iter().take(plies).for_each(|m| self.play(m));
    }

    /// Returns how the game has ended by the rules, or `None` if it goes on.
    ///
    /// Draws that a player may claim (fifty-move rule, threefold repetition) count as claimed. Checkmate and stalemate
    /// take precedence over the fifty-move rule. The search has its own draw test, because a single repetition within
    /// the search tree counts as a draw.
    #[must_use]
    pub fn outcome(&self) -> Option<GameOutcome> {
        let position = &self.position;
        if position.legal_moves().is_empty() {
            return Some(match position.in_check() {
                true => GameOutcome::Checkmate { winner: !position.turn() },
                false => GameOutcome::Stalemate,
            });
        }
        if position.is_insufficient_material() {
            Some(GameOutcome::InsufficientMaterial)
        } else if position.halfmoves() >= FIFTY_MOVES {
            Some(GameOutcome::FiftyMoves)
        } else if self.is_repetition(2) {
            Some(GameOutcome::Repetition)
        } else {
            None
        }
    }

    /// Returns the game after a legal move, or `None` if the move ends it.
    #[must_use]
    pub fn after(&self, m: Move) -> Option<Self> {
        let mut after = self.clone();
        after.play(m);
        after.outcome().is_none().then_some(after)
    }

    /// Returns whether a legal move leads to a position that has occurred before.
    #[must_use]
    pub fn is_repeated_by(&self, m: Move) -> bool {
        let mut after = self.clone();
        after.play(m);
        after.is_repetition(1)
    }

    /// Returns whether the current position has occurred at least `times` times before.
    #[must_use]
    pub fn is_repetition(&self, times: usize) -> bool {
        let back = self.position.reversible_plies().min(self.history.len());
        let earlier = &self.history[self.history.len() - back..];
        earlier.iter().rev().skip(1).step_by(2).filter(|&&key| key == self.position.key()).count() >= times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;

    #[test]
    fn repetitions_are_counted_over_reversible_moves_only() {
        let mut game = Game::default();
        game.play_moves(["g1f3", "g8f6", "f3g1", "f6g8"]).unwrap();
        assert!(game.is_repetition(1) && !game.is_repetition(2));
        game.play_moves(["g1f3", "g8f6", "f3g1", "f6g8"]).unwrap();
        assert!(game.is_repetition(2));
        game.play_moves(["e2e4"]).unwrap();
        assert!(!game.is_repetition(1));
        game.truncate(8);
        assert!(game.is_repetition(2));
        game.truncate(5);
        assert!(game.is_repetition(1) && !game.is_repetition(2) && game.moves().len() == 5);
    }

    #[test]
    fn after_returns_none_if_the_move_ends_the_game() {
        for (fen, moves, last, other) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "", "a1a8", "a1a7"),
            ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "", "f1f7", "f1f6"),
            ("7k/8/8/8/8/8/1r6/K7 w - - 0 1", "", "a1b2", ""),
            ("7k/8/8/8/8/8/1r5P/7K b - - 99 80", "", "b2b3", "b2h2"),
            ("7k/8/8/8/8/8/1r6/7K b - - 0 1", "b2b3 h1g1 b3b2 g1h1 b2b3 h1g1 b3b2", "g1h1", "g1f1"),
        ] {
            let mut game = Game::new(parse_fen(fen).unwrap());
            game.play_moves(moves.split_whitespace()).unwrap();
            let after = |text| game.after(game.position.parse_move(text).unwrap());
            assert!(after(last).is_none(), "{fen} {moves} {last}");
            assert!(other.is_empty() || after(other).is_some(), "{fen} {moves} {other}");
        }
    }

    #[test]
    fn outcome_names_the_rule_that_ends_the_game() {
        let white_mates = GameOutcome::Checkmate { winner: Color::White };
        for (fen, outcome) in [
            ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 60", Some(white_mates)),
            ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 60", Some(white_mates)),
            ("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1", Some(GameOutcome::Stalemate)),
            ("8/8/8/8/8/6k1/6p1/6K1 w - - 100 1", Some(GameOutcome::Stalemate)),
            ("4k3/8/8/8/8/8/8/3BK3 w - - 0 1", Some(GameOutcome::InsufficientMaterial)),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 100 90", Some(GameOutcome::FiftyMoves)),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 99 90", None),
        ] {
            assert_eq!(Game::new(parse_fen(fen).unwrap()).outcome(), outcome, "{fen}");
        }
        let mut game = Game::default();
        game.play_moves(["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]).unwrap();
        assert_eq!(game.outcome(), None);
        game.play_moves(["f6g8"]).unwrap();
        assert_eq!(game.outcome(), Some(GameOutcome::Repetition));
    }
}
