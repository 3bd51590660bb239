//! Boards for terminals, with Unicode symbols and colors where the terminal supports them.

use std::fmt::Write as _;

use console::{Style, Term};
use shakmaty::{Color, File, Rank, Square};

use crate::board::position::Position;

/// How [`draw`] draws a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BoardStyle {
    /// Draws Unicode chess symbols instead of letters.
    pub unicode: bool,
    /// Colors pieces and squares.
    pub colored: bool,
    /// Width of the terminal in columns; `None` if the output is not a terminal, for lines of any length.
    pub columns: Option<usize>,
    /// Draws the board from the side of Black.
    pub flipped: bool,
    /// Origin and target of the last move, which are highlighted.
    pub last_move: Option<(Square, Square)>,
}

impl BoardStyle {
    /// Returns the style for this output: letters unless it is a terminal for UTF-8, no colors if `NO_COLOR` is set.
    #[must_use]
    pub fn for_terminal(term: &Term) -> Self {
        let is_terminal = term.is_term();
        let columns = is_terminal.then(|| usize::from(term.size().1));
        let colored = is_terminal && console::colors_enabled();
        Self { unicode: is_terminal && is_utf8_locale(), colored, columns, flipped: false, last_move: None }
    }
}

/// Returns whether the locale of the environment uses UTF-8; always true on Windows.
fn is_utf8_locale() -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    let name = locale.unwrap_or_default().to_string_lossy().to_lowercase();
    cfg!(windows) || name.contains("utf-8") || name.contains("utf8")
}

/// Returns the lines of the board with its coordinates.
#[must_use]
pub fn draw(position: &Position, style: BoardStyle) -> Vec<String> {
    // Fixed colors of the 256-color palette, so that the board looks alike on light and dark terminals.
    let (light, dark, light_moved, dark_moved) = (109, 66, 143, 100);
    let (white, black) = (231, 16);
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
                // Outlines are hard to read: with colors, the pieces of both sides are filled.
                Some(piece) if style.unicode && style.colored => piece.role.of(Color::Black).unicode_char(),
                Some(piece) if style.unicode => piece.unicode_char(),
                Some(piece) => piece.char(),
                None if style.colored => ' ',
                None => '.',
            };
            let is_moved = style.last_move.is_some_and(|(from, to)| square == from || square == to);
            if style.colored {
                let background = match (square.is_light(), is_moved) {
                    (true, false) => light,
                    (false, false) => dark,
                    (true, true) => light_moved,
                    (false, true) => dark_moved,
                };
                let color = if piece.is_some_and(|piece| piece.color == Color::White) { white } else { black };
                let style = Style::new().color256(color).on_color256(background);
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
