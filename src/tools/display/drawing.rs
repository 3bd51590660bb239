//! Boards for terminals, with Unicode symbols and colors where the terminal supports them.

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
}

impl BoardStyle {
    /// Returns the style for this output: letters if it is not a terminal, no colors if `NO_COLOR` is set.
    #[must_use]
    pub fn for_terminal(term: &Term) -> Self {
        let unicode = term.is_term();
        let columns = unicode.then(|| usize::from(term.size().1));
        Self { unicode, colored: unicode && console::colors_enabled(), columns, flipped: false }
    }

    /// Returns whether each square takes one column instead of three.
    fn is_narrow(self) -> bool {
        self.columns.is_some_and(|columns| columns < 28)
    }
}

/// Returns the lines of the board with its coordinates.
#[must_use]
pub fn draw(position: &Position, style: BoardStyle) -> Vec<String> {
    let (light, dark) = (Style::new().black().on_color256(223), Style::new().black().on_color256(180));
    let pad = if style.is_narrow() { "" } else { " " };
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
            let cell = format!("{pad}{symbol}{pad}");
            if style.colored {
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
        let narrow =
            draw(&position, BoardStyle { columns: Some(20), flipped: true, unicode: true, ..BoardStyle::default() });
        assert_eq!((narrow[0].as_str(), narrow[8].as_str()), (" 1 ♖♘♗♔♕♗♘♖", "   hgfedcba"));
        assert!(narrow.iter().all(|line| line.chars().count() <= 11));
    }
}
