//! The move to play when the search has no result: a one-ply search that needs neither evaluator, TT nor thread.

use shakmaty::Move;

use crate::board::game::{Game, GameOutcome};
use crate::board::movegen::{GenType, generate};
use crate::board::position::Position;
use crate::board::see::{see_at_least, see_value};
use crate::eval::evaluate;
use crate::eval::pst::Pst;
use crate::score::{DRAW, Score, mate_in};

/// Returns the best of these legal moves and its score; `None` without a move.
///
/// A position is scored by [`Pst`], whatever the evaluator of the engine, minus the largest gain of a capture.
#[must_use]
pub fn best_without_search(game: &Game, moves: &[Move]) -> Option<(Move, Score)> {
    let scored = moves.iter().map(|&m| (m, score_after(game, m)));
    // Of equal moves the first.
    scored.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Returns the score of a move for the side that plays it.
fn score_after(game: &Game, m: Move) -> Score {
    let mut child = game.clone();
    child.play(m);
    match child.outcome() {
        Some(GameOutcome::Checkmate { .. }) => mate_in(1),
        Some(_) => DRAW,
        None => -(evaluate(&mut Pst, &child.position) + largest_gain(&child.position)),
    }
}

/// Returns what the best capture or promotion wins, rounded down to the value of a piece.
fn largest_gain(position: &Position) -> Score {
    use shakmaty::Role::{Bishop, Knight, Pawn, Queen, Rook};
    let mut largest = 0;
    generate(position, GenType::Noisy, |m| {
        let gains = [Queen, Rook, Bishop, Knight, Pawn].map(see_value).into_iter();
        let gain = gains.take_while(|&gain| gain > largest).find(|&gain| see_at_least(position, m, gain));
        largest = gain.unwrap_or(largest);
    });
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_fen;
    use shakmaty::Position as _;

    #[test]
    fn mates_captures_and_keeps_its_pieces() {
        for (fen, expected) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8"),
            // The rook takes the undefended queen.
            ("4k3/p7/1p6/3q4/8/8/8/3RK3 w - - 0 1", "d1d5"),
            // The attacked queen leaves its square.
            ("r3k3/1p6/8/2q5/3P4/8/8/3QK3 b - - 0 1", "c5"),
            // A win is not given away by stalemate.
            ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "c1"),
        ] {
            let game = Game::new(parse_fen(fen).unwrap());
            let moves = game.position.chess().legal_moves();
            let (best, score) = best_without_search(&game, &moves).unwrap();
            let text = game.position.uci(best);
            assert!(text.starts_with(expected), "{fen}: {text}");
            assert!(score > 0 || expected == "c5", "{fen}: {score}");
        }
        assert_eq!(best_without_search(&Game::default(), &[]), None);
    }
}
