//! Reader of EPD: a position and operations such as `bm Nf3; id "1";` per line.
//!
//! FENs are read, too: the move counters may follow the four fields of a position, and there may be no operations.
//! <https://www.chessprogramming.org/Extended_Position_Description>

use shakmaty::Move;

use super::notation::{MoveError, move_text};
use super::position::{Position, SetupError, parse_fen, printable};

/// A line of EPD.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Epd {
    /// The position, with the move counters of `hmvc` and `fmvn`.
    pub position: Position,
    /// The operations.
    pub operations: Vec<EpdOperation>,
}

/// An operation of EPD.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct EpdOperation {
    /// The opcode, for example `bm`.
    pub code: String,
    /// The operands; strings without their quotes.
    pub operands: Vec<String>,
}

/// The reason why a line of EPD cannot be read.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum EpdLineError {
    /// The position is invalid.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// A string without its second quote.
    #[error("the text after {code} has no closing quote")]
    OpenString {
        /// The opcode.
        code: String,
    },
    /// The operand of `hmvc`, `fmvn`, `dm` or `bm #` is not a number.
    #[error("invalid {what} '{value}', expected for example '{example}'")]
    Number {
        /// Meaning of the number.
        what: &'static str,
        /// The operands.
        value: String,
        /// A valid operation.
        example: &'static str,
    },
    /// A move is not legal.
    #[error("'{text}' is not a legal move: {reason}")]
    Move {
        /// The move as written.
        text: String,
        /// The reason.
        reason: MoveError,
    },
}

/// Returns the lines of a text with their numbers from 1, without empty lines and comments (`#`, `%`).
///
/// Lines end as on any system.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
    let numbered = lines.enumerate().map(|(index, line)| (index + 1, line.trim_matches(is_blank)));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']))
}

/// Parses a line of EPD or a FEN.
///
/// # Errors
/// [`EpdLineError`].
pub fn parse_epd(line: &str) -> Result<Epd, EpdLineError> {
    let (mut fields, rest) = split_position(line);
    let operations = operations(rest)?;
    for (index, code, what, example) in [(4, "hmvc", "halfmove clock", "hmvc 3"), (5, "fmvn", "move number", "fmvn 40")]
    {
        let Some(operation) = operations.iter().find(|operation| operation.code == code) else { continue };
        let value = operation.operands.join(" ");
        if value.parse::<u32>().is_err() {
            return Err(EpdLineError::Number { what, value: printable(&value), example });
        }
        fields.extend(["", "w", "-", "-", "0", "1"].iter().map(|&field| field.to_owned()).skip(fields.len()));
        fields[index] = value;
    }
    Ok(Epd { position: parse_fen(&fields.join(" "))?, operations })
}

/// Splits off the four fields of the position and the move counters of a FEN.
pub(crate) fn split_position(line: &str) -> (Vec<String>, &str) {
    let is_counter = |field: &str| field == "-" || field.bytes().all(|byte| byte.is_ascii_digit());
    let mut fields = Vec::new();
    let mut rest = line.trim_start_matches(is_blank);
    while fields.len() < 6 {
        let (field, after) = rest.split_at(rest.find(|c| is_blank(c) || c == ';').unwrap_or(rest.len()));
        if field.is_empty() || fields.len() >= 4 && !is_counter(field) {
            break;
        }
        fields.push(field.to_owned());
        rest = after.trim_start_matches(is_blank);
    }
    (fields, rest)
}

fn operations(text: &str) -> Result<Vec<EpdOperation>, EpdLineError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    // The word that is being read, if any.
    let mut word: Option<String> = None;
    let mut in_quotes = false;
    for c in text.chars().chain([';']) {
        match c {
            '"' => {
                in_quotes ^= true;
                word.get_or_insert_default();
            }
            c if in_quotes || !is_blank(c) && c != ';' => word.get_or_insert_default().push(c),
            _ => {
                words.extend(word.take());
                if c == ';' && !words.is_empty() {
                    let code = words.remove(0);
                    operations.push(EpdOperation { code, operands: std::mem::take(&mut words) });
                }
            }
        }
    }
    if in_quotes {
        return Err(EpdLineError::OpenString { code: words.first().map_or_else(String::new, |code| printable(code)) });
    }
    Ok(operations)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{feff}')
}

impl Epd {
    /// Returns the operands of an operation as a text; `None` without the operation.
    #[must_use]
    pub fn text(&self, code: &str) -> Option<String> {
        let operation = self.operations.iter().find(|operation| operation.code == code);
        operation.map(|operation| operation.operands.join(" "))
    }

    /// Returns the moves of an operation such as `bm`; a mate distance (`bm #3`) is none.
    ///
    /// # Errors
    /// [`EpdLineError::Move`] for the first move that is not legal.
    pub fn moves(&self, code: &str) -> Result<Vec<Move>, EpdLineError> {
        let operations = self.operations.iter().filter(|operation| operation.code == code);
        let words = operations.filter(|operation| !is_mate_distance(operation)).flat_map(|o| &o.operands);
        // Some suites write "Qd1 +" instead of "Qd1+".
        let moves = words.flat_map(|word| word.split(',')).filter_map(move_text);
        moves
            .map(|text| {
                self.position.parse_move(text).map_err(|reason| EpdLineError::Move { text: printable(text), reason })
            })
            .collect()
    }

    /// Returns the mate distance of `dm N` or `bm #N` in moves; negative if the side to move is mated.
    ///
    /// # Errors
    /// [`EpdLineError::Number`].
    pub fn mate(&self) -> Result<Option<i32>, EpdLineError> {
        let mut operations = self.operations.iter();
        let Some(operation) = operations.find(|o| o.code == "dm" || is_mate_distance(o)) else { return Ok(None) };
        let value = operation.operands.join(" ");
        let example = if operation.code == "dm" { "dm 3" } else { "bm #3" };
        let invalid = |_| EpdLineError::Number { what: "mate distance", value: printable(&value), example };
        value.trim_start_matches('#').trim_start().parse().map(Some).map_err(invalid)
    }
}

fn is_mate_distance(operation: &EpdOperation) -> bool {
    operation.code == "bm" && operation.operands.first().is_some_and(|first| first.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w Q -";

    #[test]
    fn lines_of_any_system_are_numbered() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a", "", "# b", " % c", "d \0", "e"].join(end);
            assert_eq!(lines(&text).collect::<Vec<_>>(), [(1, "a"), (5, "d"), (6, "e")], "{end:?}");
        }
    }

    #[test]
    fn position_and_operations_are_split_in_any_layout() {
        for (line, fen, codes) in [
            (format!("{MATE} bm Ra8; id \"1 2\";"), format!("{MATE} 0 1"), "bm id"),
            (format!("{MATE} 3 40 ce 5"), format!("{MATE} 3 40"), "ce"),
            (format!("  {MATE} - 1\0"), format!("{MATE} 0 1"), ""),
            (format!("{MATE}; bm Ra8 + ;;id 1"), format!("{MATE} 0 1"), "bm id"),
            (format!("{MATE};bm\tRa8\u{a0}"), format!("{MATE} 0 1"), "bm"),
            (format!("{MATE} D1 20 ;D2 400"), format!("{MATE} 0 1"), "D1 D2"),
            (format!("{MATE} c0 \"first; bm Ra7\"; c1 \"\";"), format!("{MATE} 0 1"), "c0 c1"),
            (format!("{MATE} hmvc 98; fmvn 80; dm 2;"), format!("{MATE} 98 80"), "hmvc fmvn dm"),
            (format!("{MATE} 1 2 fmvn 80"), format!("{MATE} 1 80"), "fmvn"),
            ("6k1/5ppp/8/8/8/8/8/R3K3; hmvc 7".into(), "6k1/5ppp/8/8/8/8/8/R3K3 w - - 7 1".into(), "hmvc"),
        ] {
            let epd = parse_epd(&line).unwrap();
            let found: Vec<&str> = epd.operations.iter().map(|operation| operation.code.as_str()).collect();
            assert_eq!((epd.position.fen(), found.join(" ").as_str()), (fen, codes), "{line}");
        }
    }

    #[test]
    fn moves_may_have_unusual_forms() {
        for (position, moves, expected) in [
            (MATE, "Ra8", "Ra8"),
            (MATE, "Ra8 # , 0-0-0", "Ra8 O-O-O"),
            (MATE, "a1a8,e1c1", "Ra8 O-O-O"),
            (MATE, "1. Ra8#!, Ra7?", "Ra8 Ra7"),
            (MATE, "#1", ""),
            ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -", "1...Qd1+", "Qd1"),
            ("4k3/2P5/8/8/8/8/8/4K3 w - -", "c8N", "c8=N"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6 e.p.", "exd6"),
            ("4k3/8/8/8/8/8/8/4K2R w K -", "0-0", "O-O"),
        ] {
            let epd = parse_epd(&format!("{position} bm {moves};")).unwrap();
            let found = epd.moves("bm").unwrap();
            let found: Vec<String> =
                found.into_iter().map(|m| epd.position.san(m).trim_end_matches(['+', '#']).to_owned()).collect();
            assert_eq!(found.join(" "), expected, "{moves}");
        }
    }

    #[test]
    fn errors_name_the_invalid_part() {
        let error = |line: &str| match parse_epd(line) {
            Ok(epd) => epd
                .moves("bm")
                .map(drop)
                .and_then(|()| epd.mate().map(drop))
                .expect_err("an invalid operation")
                .to_string(),
            Err(error) => error.to_string(),
        };
        for (operations, part) in [
            ("bm Ra9;", "'Ra9' is not a legal move: not a move"),
            ("bm Ra8 Qh8;", "'Qh8' is not a legal move: White has no queen"),
            ("bm --;", "'--' is not a legal move: a null move"),
            ("id \"a; bm Ra8;", "the text after id has no closing quote"),
            ("hmvc x;", "invalid halfmove clock 'x', expected for example 'hmvc 3'"),
            ("fmvn;", "invalid move number ''"),
            ("dm two;", "invalid mate distance 'two', expected for example 'dm 3'"),
            ("dm;", "invalid mate distance ''"),
            ("bm #\u{1b}[2J;", "invalid mate distance '#?[2J', expected for example 'bm #3'"),
            ("bm #2147483648;", "invalid mate distance"),
        ] {
            assert!(error(&format!("{MATE} {operations}")).starts_with(part), "{operations}");
        }
        assert!(error("6k1/5ppp/8/8/8/8/8 w Q - bm Ra8;").contains("bad FEN"));
        assert!(error("").contains("bad FEN"));
    }
}
