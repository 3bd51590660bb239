//! Boards for terminals, with Unicode symbols and colors where the terminal supports them.

use std::fmt::Write as _;

use console::{Style, Term};
use shakmaty::{File, Rank, Square};

use crate::board::position::Position;

/// How [`draw`] draws a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BoardStyle {
    /// Draws Unicode chess symbols instead of letters.
    pub unicode: bool,
    /// Colors the background of light and dark squares.
    pub colored: bool,
    /// Width of the terminal in columns; `None` if the output is not a terminal, for lines of any length.
    pub columns: Option<usize>,
    /// Draws the board from the side of Black.
    pub flipped: bool,
    /// Origin and target of the last move, which are highlighted.
    pub last_move: Option<(Square, Square)>,
}

impl BoardStyle {
    /// Returns the style for this output: letters if it is not a terminal, no colors if `NO_COLOR` is set.
    #[must_use]
    pub fn for_terminal(term: &Term) -> Self {
        let unicode = term.is_term();
        let columns = unicode.then(|| usize::from(term.size().1));
        Self { unicode, colored: unicode && console::colors_enabled(), columns, flipped: false, last_move: None }
    }
}

#[must_use]
pub fn draw(position: &Position, style: BoardStyle) -> Vec<String> {
    // Fixed colors of the 256-color palette, so that the board looks alike on light and dark terminals.
    let style_on = |background: u8| Style::new().color256(16).on_color256(background);
    let (light, dark) = (style_on(223), style_on(180));
    let (light_moved, dark_moved) = (style_on(192), style_on(149));
    let (mut ranks, mut files) = (Rank::ALL, File::ALL);
    if style.flipped {
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
            let symbol = match piece {
                Some(piece) if style.unicode => piece.unicode_char(),
                Some(piece) => piece.char(),
                None if style.colored => ' ',
                None => '.',
            };
            let is_moved = style.last_move.is_some_and(|(from, to)| square == from || square == to);
            if style.colored {
                let style = match (square.is_light(), is_moved) {
                    (true, false) => &light,
                    (false, false) => &dark,
                    (true, true) => &light_moved,
                    (false, true) => &dark_moved,
                };
                line.push_str(&style.apply_to(format!(" {symbol} ")).to_string());
            } else if is_moved {
                let _ = write!(line, "[{symbol}]");
            } else {
                let _ = write!(line, " {symbol} ");
            }
        }
        out.push(line);
    }
    let names: Vec<String> = files.iter().map(|file| format!(" {} ", file.char())).collect();
    out.push(format!("   {}", names.concat()).trim_end().to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_drawn_in_every_style() {
        let position = Position::default();
        let plain = draw(&position, BoardStyle::default());
        assert_eq!(
            (plain[0].as_str(), plain[8].as_str()),
            (" 8  r  n  b  q  k  b  n  r ", "    a  b  c  d  e  f  g  h")
        );
        let flipped = draw(&position, BoardStyle { flipped: true, unicode: true, ..BoardStyle::default() });
        assert_eq!(
            (flipped[0].as_str(), flipped[8].as_str()),
            (" 1  ♖  ♘  ♗  ♔  ♕  ♗  ♘  ♖ ", "    h  g  f  e  d  c  b  a")
        );
    }
}
