//! A position as text for people: the board, its FEN, key, checkers and evaluation.

use std::fmt::Write as _;

use console::{Style, Term};
use shakmaty::{Color, File, Rank, Square};

use crate::board::position::Position;
use crate::engine::DefaultEvaluator;
use crate::eval::Evaluator;

/// How a board is drawn for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// Unicode men instead of letters.
    pub unicode: bool,
    /// Light and dark squares.
    pub colored: bool,
    /// The columns of the terminal; in a pipe nothing is broken.
    pub columns: Option<usize>,
    /// From the side of black.
    pub flipped: bool,
}

impl Look {
    /// As rich as this terminal allows: letters in a pipe, no colors where `NO_COLOR` forbids them.
    #[must_use]
    pub fn of(term: &Term) -> Self {
        let unicode = term.is_term();
        let columns = unicode.then(|| usize::from(term.size().1));
        Self { unicode, colored: unicode && console::colors_enabled(), columns, flipped: false }
    }

    /// One column for each square instead of three.
    fn is_narrow(self) -> bool {
        self.columns.is_some_and(|columns| columns < 28)
    }
}

/// The board line by line, with its coordinates.
#[must_use]
pub fn draw(position: &Position, look: Look) -> Vec<String> {
    let (light, dark) = (Style::new().black().on_color256(223), Style::new().black().on_color256(180));
    let pad = if look.is_narrow() { "" } else { " " };
    let (mut ranks, mut files) = (Rank::ALL, File::ALL);
    if look.flipped {
        files.reverse();
    } else {
        ranks.reverse();
    }
    let mut out = Vec::new();
    for rank in ranks {
        let mut line = format!(" {} ", rank.char());
        for file in files {
            let square = Square::from_coords(file, rank);
            let piece = position.board().piece_at(square);
            let man = match piece {
                Some(piece) if look.unicode => piece.unicode_char(),
                Some(piece) => piece.char(),
                None if look.colored => ' ',
                None => '.',
            };
            let cell = format!("{pad}{man}{pad}");
            if look.colored {
                let style = if square.is_light() { &light } else { &dark };
                line.push_str(&style.apply_to(cell).to_string());
            } else {
                line.push_str(&cell);
            }
        }
        out.push(line);
    }
    let names: Vec<String> = files.iter().map(|file| format!("{pad}{}{pad}", file.char())).collect();
    out.push(format!("   {}", names.concat()).trim_end().to_owned());
    out
}

/// The board drawn with letters, and what `d` tells about the position.
#[must_use]
pub fn describe(position: &Position) -> String {
    let mut out = String::from("\n +---+---+---+---+---+---+---+---+\n");
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let _ = write!(out, " | {}", piece.map_or(' ', shakmaty::Piece::char));
        }
        let _ = writeln!(out, " | {}\n +---+---+---+---+---+---+---+---+", rank.char());
    }
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ = write!(
        out,
        "   a   b   c   d   e   f   g   h\n\nFen: {}\nKey: {:016X}\nCheckers: {}\n",
        position.fen(),
        position.key(),
        checkers.join(" ")
    );
    out
}

/// The static evaluation in one line.
#[must_use]
pub fn evaluation(position: &Position) -> String {
    let score = DefaultEvaluator::default().evaluate(position);
    let white = position.turn().fold_wb(score, -score);
    let side = if position.turn() == Color::White { "white" } else { "black" };
    format!("Static evaluation: {:+.2} (white's view), {:+.2} ({side} to move)", pawns(white), pawns(score))
}

fn pawns(centipawns: i32) -> f64 {
    f64::from(centipawns) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_every_look() {
        let position = Position::default();
        let plain = draw(&position, Look::default());
        assert_eq!(
            (plain[0].as_str(), plain[8].as_str()),
            (" 8  r  n  b  q  k  b  n  r ", "    a  b  c  d  e  f  g  h")
        );
        let narrow = draw(&position, Look { columns: Some(20), flipped: true, unicode: true, ..Look::default() });
        assert_eq!((narrow[0].as_str(), narrow[8].as_str()), (" 1 ♖♘♗♔♕♗♘♖", "   hgfedcba"));
        assert!(narrow.iter().all(|line| line.chars().count() <= 11));
    }
}
