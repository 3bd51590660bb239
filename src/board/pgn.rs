//! PGN: tags, moves, comments, glyphs and variations of the games of a file, read and written.
//!
//! Tags may stand on one line or be spread over several, a value may contain quotes, and lines end as on any system. A
//! list of moves without tags is a game, too. Variations are kept as text. What would make the position uncertain is an
//! error: an open comment, variation or tag, and a bracket that closes nothing.
//! <https://www.thechessdrum.net/PGN_Reference.txt>

use std::fmt;

use shakmaty::{Color, KnownOutcome, Move, Outcome, Position as _};

use super::game::Game;
use super::notation::{is_null_move, move_text, without_number};
use super::position::{Position, SetupError, parse_fen, printable};

/// Maximum width of a line of moves, in columns.
const WIDTH: usize = 80;

/// A game of a PGN file; it prints as PGN.
///
/// Lines of moves are at most 80 columns wide, or as wide as the format requests (`{:60}`).
/// The tag `Result` has the value of `result`, if it is set.
///
/// ```
/// use aspirant::board::pgn;
///
/// let mut game = pgn::games("1. f3 e5 2. g4 Qh4#").next().expect("a game")?;
/// game.set_tag("White", "A. Beginner");
/// game.moves[2].comments.push("loses at once".into());
/// assert_eq!(game.to_string(), "[White \"A. Beginner\"]\n\n1. f3 e5 2. g4 {loses at once} 2... Qh4# *\n");
/// # Ok::<(), aspirant::board::pgn::PgnError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PgnGame {
    /// Names and values of the tags.
    pub tags: Vec<(String, String)>,
    /// The comments before the first move.
    pub comments: Vec<String>,
    /// Moves of the main line; they have not been checked.
    pub moves: Vec<PgnMove>,
    /// Result after the moves; `None` if it is missing.
    pub result: Option<Outcome>,
    /// Lines with a null move in a variation, from 1.
    pub null_moves: Vec<usize>,
}

/// A move of a main line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PgnMove {
    /// The move as written, without its number.
    pub text: String,
    /// The annotation glyphs, for example `$4` for a blunder.
    pub glyphs: Vec<String>,
    /// The comments after the move.
    pub comments: Vec<String>,
    /// Texts with balanced brackets: read from a PGN, or written in SAN.
    variations: Vec<String>,
}

impl PgnMove {
    /// Returns the variations that replace the move, as text without the outer parentheses.
    #[must_use]
    pub fn variations(&self) -> &[String] {
        &self.variations
    }

    /// Adds a variation before the others. `position` is that before the move; the moves must be legal.
    pub fn add_variation(&mut self, position: &Position, moves: &[Move]) {
        self.variations.insert(0, position.san_variation(moves).replace('…', "..."));
    }
}

impl PgnGame {
    /// Returns a game with its moves in SAN, the result by the rules, and the seven tags that every PGN has.
    ///
    /// The tags `SetUp` and `FEN` are added if the game does not begin in the initial position.
    #[must_use]
    pub fn new(game: &Game) -> Self {
        let tags = [
            ("Event", "?"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", "*"),
        ];
        let mut pgn = Self {
            tags: tags.map(|(name, value)| (name.into(), value.into())).into(),
            result: Some(game.outcome().map_or(Outcome::Unknown, |end| outcome(end.winner()))),
            ..Self::default()
        };
        let mut position = game.start().clone();
        for &m in game.moves() {
            pgn.moves.push(PgnMove { text: position.san(m), ..PgnMove::default() });
            position = position.play(m);
        }
        let fen = game.start().fen();
        if fen != Position::default().fen() {
            if game.start().chess().castles().mode().is_chess960() {
                pgn.set_tag("Variant", "Chess960");
            }
            pgn.set_tag("SetUp", "1");
            pgn.set_tag("FEN", fen);
        }
        pgn
    }

    /// Sets the value of a tag; a new one is added at the end. The name consists of letters, digits and `_`.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(tag, _)| tag.eq_ignore_ascii_case(name)) {
            Some((_, former)) => *former = value.into(),
            None => self.tags.push((name.to_owned(), value.into())),
        }
    }

    /// Returns the value of a tag, ignoring the case of its name.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns the position before the first move.
    ///
    /// # Errors
    /// [`SetupError`] if the tag `FEN` is invalid, or the tag `Variant` names a game with other rules.
    pub fn start(&self) -> Result<Position, SetupError> {
        if let Some(name) = self.tag("Variant")
            && !is_chess(name)
        {
            return Err(SetupError::Variant(printable(name)));
        }
        self.tag("FEN").map_or_else(|| Ok(Position::default()), parse_fen)
    }
}

impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.map(|result| result.as_str());
        for (name, value) in &self.tags {
            let value = result.filter(|_| name.eq_ignore_ascii_case("Result")).unwrap_or(value);
            let value = value.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        if !self.tags.is_empty() {
            writeln!(f)?;
        }
        let start = self.start().unwrap_or_default();
        let is_black = start.turn() == Color::Black;
        let mut number = start.chess().fullmoves().get();
        let mut words: Vec<String> = self.comments.iter().flat_map(|text| split_words(&comment(text))).collect();
        for (index, m) in self.moves.iter().enumerate() {
            let former = index.checked_sub(1).map(|index| &self.moves[index]);
            let is_first = former.is_none_or(|former| !former.comments.is_empty() || !former.variations.is_empty());
            if (index % 2 == 0) != is_black {
                words.push(format!("{number}. {}", m.text));
            } else {
                words.push(if is_first { format!("{number}... {}", m.text) } else { m.text.clone() });
                number = number.saturating_add(1);
            }
            words.extend(m.glyphs.iter().cloned());
            words.extend(m.comments.iter().flat_map(|text| split_words(&comment(text))));
            words.extend(m.variations.iter().flat_map(|text| split_words(&format!("({text})"))));
        }
        words.push(result.or_else(|| self.tag("Result")).unwrap_or("*").to_owned());
        let (mut column, limit) = (0, f.width().unwrap_or(WIDTH));
        for word in words {
            let width = word.chars().count();
            let separator = match column {
                0 => "",
                _ if column + 1 + width > limit => "\n",
                _ => " ",
            };
            column = if separator == " " { column + 1 + width } else { width };
            write!(f, "{separator}{word}")?;
        }
        writeln!(f)
    }
}

/// Returns a comment in braces, which end at the first `}`.
fn comment(text: &str) -> String {
    format!("{{{}}}", text.replace('}', ")"))
}

/// Splits a text at white space, but not within a command such as `[%eval 0.35]`.
fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut().filter(|last| last.contains("[%") && !last.contains(']')) {
            Some(last) => *last = format!("{last} {word}"),
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Appends a word of a variation.
fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() && !text.ends_with('(') {
        text.push(' ');
    }
    text.push_str(word);
}

/// Returns the result of a game that is won by `winner` or drawn.
pub(crate) fn outcome(winner: Option<Color>) -> Outcome {
    Outcome::Known(winner.map_or(KnownOutcome::Draw, |winner| KnownOutcome::Decisive { winner }))
}

/// The reason why a PGN cannot be read. Lines are counted from 1.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PgnError {
    /// A comment without `}`.
    #[error("line {0}: the comment that begins with {{ is not closed")]
    OpenComment(usize),
    /// A variation without `)`.
    #[error("line {0}: the variation that begins with ( is not closed")]
    OpenVariation(usize),
    /// A `[` that does not begin a tag.
    #[error("line {0}: expected a tag such as [White \"name\"]")]
    InvalidTag(usize),
    /// A bracket that closes nothing.
    #[error("line {0}: nothing is open that '{1}' could close")]
    UnexpectedClose(usize, char),
    /// Two values of one tag.
    #[error("line {line}: a second value of the tag '{name}' in one game")]
    RepeatedTag {
        /// The line of the second one.
        line: usize,
        /// Name of the tag.
        name: String,
    },
}

/// Iterator over the games of a PGN; ends after an error.
#[derive(Clone, Debug)]
pub struct PgnGames<'a> {
    rest: &'a str,
    line: usize,
    /// Whether only white space precedes `rest` on its line.
    is_line_start: bool,
    /// Whether an empty line precedes the last token.
    follows_empty_line: bool,
}

/// Splits a PGN into its games. An error is the last item and names its line.
#[must_use]
pub fn games(text: &str) -> PgnGames<'_> {
    PgnGames { rest: text, line: 1, is_line_start: true, follows_empty_line: false }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    /// Name and value; the value may contain escapes.
    Tag(&'a str, &'a str),
    Comment(&'a str),
    Glyph(&'a str),
    OpenVariation,
    CloseVariation,
    Word(&'a str),
}

impl Iterator for PgnGames<'_> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.read_game();
        if game.is_err() {
            self.rest = "";
        }
        game.transpose()
    }
}

impl<'a> PgnGames<'a> {
    fn read_game(&mut self) -> Result<Option<PgnGame>, PgnError> {
        let mut game = PgnGame::default();
        // Lines of the open variations.
        let mut variations: Vec<usize> = Vec::new();
        // Text of the outermost one.
        let mut variation = String::new();
        let mut has_movetext = false;
        loop {
            let before = self.clone();
            let Some(token) = self.token()? else { break };
            match token {
                Token::Tag(..) if !variations.is_empty() => break,
                Token::Tag(name, value) => {
                    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
                    let former = game.tag(name);
                    let is_first_tag = name.eq_ignore_ascii_case("Event") && !game.tags.is_empty();
                    if has_movetext || self.follows_empty_line && (former.is_some() || is_first_tag) {
                        *self = before;
                        return Ok(Some(game));
                    }
                    match former {
                        Some(former) if former == value => {}
                        Some(_) => {
                            return Err(PgnError::RepeatedTag { line: self.line, name: printable(name) });
                        }
                        None => game.tags.push((name.to_owned(), value)),
                    }
                }
                Token::OpenVariation => {
                    if !variations.is_empty() {
                        push_word(&mut variation, "(");
                    }
                    variations.push(self.line);
                }
                Token::CloseVariation => {
                    variations.pop().ok_or(PgnError::UnexpectedClose(self.line, ')'))?;
                    if !variations.is_empty() {
                        variation.push(')');
                    } else if let (text, Some(last)) = (std::mem::take(&mut variation), game.moves.last_mut()) {
                        last.variations.push(text);
                    }
                }
                Token::Word(word) if !variations.is_empty() => {
                    if is_null_move(without_number(word)) {
                        game.null_moves.push(self.line);
                    }
                    push_word(&mut variation, word);
                }
                Token::Glyph(glyph) if !variations.is_empty() => push_word(&mut variation, glyph),
                Token::Glyph(glyph) => {
                    if let Some(last) = game.moves.last_mut() {
                        last.glyphs.push(glyph.to_owned());
                    }
                }
                Token::Comment(text) if !variations.is_empty() => push_word(&mut variation, &comment(text)),
                // After the result of the last game.
                Token::Comment(_) if game.tags.is_empty() && game.moves.is_empty() => {}
                Token::Comment(text) => {
                    let comments = game.moves.last_mut().map_or(&mut game.comments, |last| &mut last.comments);
                    comments.push(text.trim().to_owned());
                }
                Token::Word(word) => {
                    // A game without a result ends where the next one begins. Black's first move may repeat the number.
                    let may_end = game.moves.len() > 1 || self.follows_empty_line && !game.moves.is_empty();
                    if may_end && is_first_number(word) {
                        *self = before;
                        return Ok(Some(game));
                    }
                    has_movetext = true;
                    if let Some(result) = parse_result(word) {
                        game.result = Some(result);
                        self.skip_words_after_result();
                        return Ok(Some(game));
                    }
                    if let Some(text) = move_text(word) {
                        game.moves.push(PgnMove { text: text.to_owned(), ..PgnMove::default() });
                    }
                }
            }
        }
        match variations.last() {
            Some(&line) => Err(PgnError::OpenVariation(line)),
            None => Ok((has_movetext || !game.tags.is_empty()).then_some(game)),
        }
    }

    /// Skips the rest of `1-0 forfeit` in the line of the result.
    fn skip_words_after_result(&mut self) {
        let line = self.line;
        loop {
            let before = self.clone();
            match self.token() {
                Ok(Some(Token::Word(word))) if self.line == line && !is_first_number(word) => {}
                _ => return *self = before,
            }
        }
    }

    /// Returns the next token; `None` at the end.
    fn token(&mut self) -> Result<Option<Token<'a>>, PgnError> {
        self.follows_empty_line = false;
        loop {
            let Some(first) = self.rest.chars().next() else { return Ok(None) };
            match first {
                '\n' | '\r' => {
                    self.follows_empty_line |= self.is_line_start;
                    self.skip_line_end();
                }
                c if is_blank(c) => _ = self.take(c.len_utf8()),
                '%' if self.is_line_start => self.skip_line(),
                _ => break,
            }
        }
        self.is_line_start = false;
        let rest = self.rest;
        let token = match rest.as_bytes()[0] {
            b'[' => self.tag()?,
            b'{' => {
                let end = rest.find('}').ok_or(PgnError::OpenComment(self.line))?;
                let comment = &rest[1..end];
                // The `}` of a later game does not close this comment.
                if comment.split(['\n', '\r']).any(|line| line.starts_with("[Event \"")) {
                    return Err(PgnError::OpenComment(self.line));
                }
                self.take(end + 1);
                Token::Comment(comment)
            }
            b'}' => return Err(PgnError::UnexpectedClose(self.line, '}')),
            b'(' => {
                self.take(1);
                Token::OpenVariation
            }
            b')' => {
                self.take(1);
                Token::CloseVariation
            }
            b'*' => Token::Word(self.take(1)),
            b'$' => Token::Glyph(self.take(1 + count_digits(&rest[1..]))),
            b';' => {
                self.skip_line();
                Token::Comment(&rest[1..rest.len() - self.rest.len()])
            }
            _ => {
                let is_end = |c: char| is_blank(c) || "\n\r{}()[;$*".contains(c);
                Token::Word(self.take(rest.find(is_end).unwrap_or(rest.len())))
            }
        };
        Ok(Some(token))
    }

    /// Reads `[Name "value"]`; quotes around the value may be missing.
    fn tag(&mut self) -> Result<Token<'a>, PgnError> {
        let invalid = PgnError::InvalidTag(self.line);
        let rest = self.rest;
        let is_space = |c: char| is_blank(c) || matches!(c, '\n' | '\r');
        let after_bracket = rest[1..].trim_start_matches(is_space);
        let name_length = after_bracket.find(|c: char| !(c.is_alphanumeric() || "_+#=:-".contains(c)));
        let (name, after_name) = after_bracket.split_at(name_length.ok_or(invalid.clone())?);
        let after_name = after_name.trim_start_matches(is_space);
        let (value, after_value) = match after_name.strip_prefix('"') {
            // A quote that no bracket follows belongs to the value: it is often not escaped.
            Some(text) => {
                let line_length = text.find(['\n', '\r']).unwrap_or(text.len());
                let is_last = |&(at, _): &(usize, &str)| text[at + 1..].trim_start_matches(is_space).starts_with(']');
                let end = text[..line_length].match_indices('"').find(is_last);
                let (end, _) = end.ok_or(invalid.clone())?;
                (&text[..end], text[end + 1..].trim_start_matches(is_space))
            }
            None => {
                let end = after_name.find([']', '\n', '\r']).ok_or(invalid.clone())?;
                (after_name[..end].trim(), &after_name[end..])
            }
        };
        let after = after_value.strip_prefix(']').filter(|_| !name.is_empty()).ok_or(invalid)?;
        self.take(rest.len() - after.len());
        Ok(Token::Tag(name, value))
    }

    /// Takes bytes from the text and counts their line ends.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        let count = |end: &str| taken.matches(end).count();
        self.line += count("\n") + count("\r") - count("\r\n");
        taken
    }

    fn skip_line_end(&mut self) {
        self.take(if self.rest.starts_with("\r\n") { 2 } else { 1 });
        self.is_line_start = true;
    }

    fn skip_line(&mut self) {
        self.take(self.rest.find(['\n', '\r']).unwrap_or(self.rest.len()));
    }
}

/// Returns whether `c` is white space within a line, or a stray byte that text files contain.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\n' | '\r') || matches!(c, '\0' | '\u{feff}')
}

/// Returns whether the value of a tag `Variant` means chess or Chess960.
fn is_chess(variant: &str) -> bool {
    const NAMES: [&str; 9] =
        ["standard", "chess", "normal", "classical", "fromposition", "fischer", "freestyle", "frc", "wild"];
    let name: String = variant.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    name.is_empty() || NAMES.iter().any(|known| name.starts_with(known))
}

fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns whether a word begins with the number of White's first move.
fn is_first_number(word: &str) -> bool {
    word.strip_prefix('1').is_some_and(|rest| rest.is_empty() || rest.starts_with('.') && !rest.starts_with(".."))
}

fn parse_result(word: &str) -> Option<Outcome> {
    Some(match word.replace('–', "-").as_str() {
        "1-0" => outcome(Some(Color::White)),
        "0-1" => outcome(Some(Color::Black)),
        "1/2-1/2" | "1/2" | "½-½" => outcome(None),
        "*" => Outcome::Unknown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<PgnGame>, String> {
        games(text).collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    fn moves(game: &PgnGame) -> String {
        game.moves.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the moves of all games, separated by `|`.
    fn all_moves(text: &str) -> Result<String, String> {
        Ok(read(text)?.iter().map(moves).collect::<Vec<_>>().join(" | "))
    }

    const GAME: &str = "[Event \"x (y)\"]\n[Site \"?\"]\n[FEN \"8/8/4k3/8/3n4/4K3/8/8 w - - 0 1\"]\n\n\
        1. e4 {good; (e5)} e5 $1 (1... c5 2. Nf3 (2. d4 1-0) {a [b] c}) 2.Nf3! ; rest ( {\n\
        % 3. escaped {\n2... Nc6 {first} {second} 3. exd6 e.p. +- 1-0\n\n[Event \"second\"]\n\n1. d4 *\n";

    #[test]
    fn comments_variations_and_glyphs_are_no_moves() {
        let games = read(GAME).unwrap();
        assert_eq!(games.iter().map(moves).collect::<Vec<_>>(), ["e4 e5 Nf3! Nc6 exd6", "d4"]);
        assert_eq!(games[0].tag("fen"), Some("8/8/4k3/8/3n4/4K3/8/8 w - - 0 1"));
        assert_eq!(games[0].start().unwrap().fen(), "8/8/4k3/8/3n4/4K3/8/8 w - - 0 1");
        assert_eq!(games[0].result, Some(Outcome::Known(KnownOutcome::Decisive { winner: Color::White })));
        assert_eq!((games[1].tag("Event"), games[1].result), (Some("second"), Some(Outcome::Unknown)));
        assert_eq!(games[0].moves[0].comments, ["good; (e5)"]);
        assert_eq!(games[0].moves[3].comments, ["first", "second"]);
    }

    #[test]
    fn layout_does_not_matter() {
        let expected = read(GAME).unwrap();
        for text in [
            GAME.replace('\n', "\r\n"),
            GAME.replace('\n', "\r"),
            GAME.replace("]\n[", "] ["),
            GAME.replace("]\n[", "]["),
            GAME.replace("[FEN \"", "[ \tFEN\u{a0}  \"").replace("\"]", "\" ]"),
            GAME.replace("[FEN \"", "[fen\n\""),
            GAME.replace(" 2.Nf3!", "\n\n\n 2 . Nf3!"),
            GAME.replace(" 2.Nf3!", "\0 2...Nf3!\u{b}"),
            format!("\u{feff}{GAME}\n{{end}}\n"),
        ] {
            let games = read(&text).unwrap();
            let content =
                |games: &[PgnGame]| games.iter().map(|g| (moves(g), g.start().unwrap().fen())).collect::<Vec<_>>();
            assert_eq!(content(&games), content(&expected), "{text:?}");
        }
    }

    #[test]
    fn written_games_are_read_back() {
        for (fen, texts, result) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "f3 e5 g4 Qh4", "0-1"),
            ("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17", "Kd7 e4 Ke6", "*"),
            ("4k3/8/8/8/8/8/8/2RK4 w C - 0 1", "O-O-O", "*"),
            ("7k/8/8/8/8/1n6/K7/8 w - - 0 1", "Kxb3", "1/2-1/2"),
        ] {
            let mut game = Game::new(parse_fen(fen).unwrap());
            game.play_moves(texts.split(' ')).unwrap();
            let mut pgn = PgnGame::new(&game);
            pgn.set_tag("White", r#"A "quoted\" name"#);
            for (index, m) in pgn.moves.iter_mut().enumerate() {
                m.comments.extend(["[%eval 0.35] a comment".into(), "another".into()].into_iter().take(index));
            }
            let text = pgn.to_string();
            let (games, mut expected) = (read(&text).unwrap(), pgn.clone());
            expected.set_tag("Result", result);
            assert_eq!((games.len(), &games[0]), (1, &expected), "{text}");
            assert_eq!(games[0].start().unwrap().fen(), game.start().fen());
        }
    }

    #[test]
    fn written_lines_have_a_maximum_width() {
        let mut game = Game::default();
        for _ in 0..6 {
            game.play_moves(["Nf3", "Nf6", "Ng1", "Ng8"]).unwrap();
        }
        let pgn = PgnGame { tags: Vec::new(), ..PgnGame::new(&game) };
        for (text, limit) in [(pgn.to_string(), 80), (format!("{pgn:20}"), 20)] {
            assert!(text.lines().all(|line| line.len() <= limit), "{text}");
        }
        assert_eq!(format!("{pgn:20}").lines().next(), Some("1. Nf3 Nf6 2. Ng1"));
    }

    #[test]
    fn moves_need_no_tags() {
        for (text, expected) in [
            ("e2e4 1...e5 0-0", "e2e4 e5 0-0"),
            ("1. e4 1. ... d5 2 e5 2 ... f5 3. exf6 e.p.", "e4 d5 e5 f5 exf6"),
            ("1.e4 e5*1.d4", "e4 e5 | d4"),
            ("1.e4 1-0 by forfeit\ne2e4 * 1.d4", "e4 | e2e4 | d4"),
            ("1. e4 e5\n\n1. d4 d5", "e4 e5 | d4 d5"),
            ("1. e4\n\n1. d4 1. d5", "e4 | d4 d5"),
            ("1. e4 e5\n\n{second}\n1. d4 d5 1.c4", "e4 e5 | d4 d5 | c4"),
            ("1. e4\n\n1... e5 2. d4 ½-½", "e4 e5 d4"),
            ("1. e4 -- 2. Z0 0000", "e4 -- Z0 0000"),
            ("", ""),
            ("{a comment} ; another", ""),
        ] {
            assert_eq!(all_moves(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn a_game_without_moves_ends_at_the_tags_of_the_next() {
        for between in ["\n\n", "\r\r", "\n\n*\n\n", "\n\n{no moves}\n\n"] {
            let text =
                format!("[Event \"a\"]{between}[Event \"b\"]\n[FEN \"8/8/4k3/8/3n4/4K3/8/8 w - - 0 1\"]\n\n1. Kd4");
            let games = read(&text).unwrap();
            assert_eq!(games.iter().map(moves).collect::<Vec<_>>(), ["", "Kd4"], "{text}");
            assert_eq!(games[0].start().unwrap().fen(), Position::default().fen());
        }
        assert_eq!(read("[White \"a\"]\n\n[Event \"b\"]\n\n1. d4").unwrap().len(), 2);
        assert_eq!(read("[Event \"a\"]\n\n[White \"b\"]\n\n1. d4").unwrap().len(), 1);
    }

    #[test]
    fn tag_values_may_contain_quotes_and_brackets() {
        for (tag, value) in [
            (r#"[White "a"]"#, "a"),
            (r#"[White "the "first" player"]"#, r#"the "first" player"#),
            (r#"[White "the \"first\" player\\"]"#, r#"the "first" player\"#),
            (r#"[White "a[b]c"]"#, "a[b]c"),
            (r#"[White ""]"#, ""),
            ("[White a b ]", "a b"),
            ("[White]", ""),
        ] {
            assert_eq!(read(tag).unwrap()[0].tag("White"), Some(value), "{tag}");
        }
    }

    #[test]
    fn uncertain_games_are_errors_that_name_the_line() {
        for (text, error) in [
            ("1. e4\n{no end e5", "line 2: the comment that begins with { is not closed"),
            ("1. e4 {no end\n\n[Event \"b\"]\n\n1. d4 {end}", "line 1: the comment that begins with { is not closed"),
            ("1. e4\r\n\r\n(1. d4 (1. c4) d5", "line 3: the variation that begins with ( is not closed"),
            ("1. e4\r(1. d4\r\r[Event \"b\"]\r\r1. d4", "line 2: the variation that begins with ( is not closed"),
            ("1. e4 e5) 2. d4", "line 1: nothing is open that ')' could close"),
            ("1. e4 {a} e5} 2. d4", "line 1: nothing is open that '}' could close"),
            ("[White \"a\n\n1. e4", "line 1: expected a tag such as [White \"name\"]"),
            ("[White \"a\"\n\n1. e4", "line 1: expected a tag such as [White \"name\"]"),
            ("\n[%clk 1] 1. e4", "line 2: expected a tag such as [White \"name\"]"),
            ("[", "line 1: expected a tag such as [White \"name\"]"),
            ("[FEN \"a\"]\n[FEN \"b\"]\n1. e4", "line 2: a second value of the tag 'FEN' in one game"),
        ] {
            assert_eq!(read(text).unwrap_err(), error, "{text}");
        }
    }

    #[test]
    fn games_with_other_rules_are_errors() {
        for variant in ["Atomic", "Crazyhouse", "Antichess", "Three-check"] {
            let games = read(&format!("[Variant \"{variant}\"]\n\n1. e4 *")).unwrap();
            assert_eq!(
                games[0].start().unwrap_err().to_string(),
                format!("the rules of the variant '{variant}' are unknown")
            );
        }
        for variant in ["Standard", "chess 960", "Fischerandom", "From Position", "wild/fr", "?"] {
            assert!(read(&format!("[Variant \"{variant}\"]\n\n1. e4 *")).unwrap()[0].start().is_ok(), "{variant}");
        }
    }

    #[test]
    fn null_moves_in_variations_are_recorded() {
        let games = read("1. e4 e5 (1... --\n2. d4 (2. Z0 d5)) 2. d4").unwrap();
        assert_eq!((moves(&games[0]).as_str(), &games[0].null_moves[..]), ("e4 e5 d4", &[1, 2][..]));
    }
}
