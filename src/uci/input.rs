//! Parser of UCI commands.
//!
//! Commands are parsed here token by token, and answers are formatted by vampirc-uci. Its parser panics on `go` with a
//! trailing space and on numbers above 255, loses `ponder` if a clock is also given, drops moves after two spaces and
//! does not support four-field or Shredder FENs. No input causes a panic here: invalid numbers are reported, and unknown
//! words are skipped, as UCI demands.
#![doc(hidden)]

use crate::board::position::printable;
use crate::config::options::nearest;
use crate::search::limits::Limits;

/// A command of UCI or of the interactive console.
#[derive(Debug)]
pub enum Command {
    /// `uci`.
    Uci,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// `isready`.
    IsReady,
    /// `setoption`.
    SetOption {
        /// As spelled by the GUI.
        name: String,
        /// `None` for a button.
        value: Option<String>,
    },
    /// `ucinewgame`.
    NewGame,
    /// `position`.
    Position(PositionCommand),
    /// `go`.
    Go(Box<GoRequest>),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`; also `exit` and `q`, which people type in a terminal.
    Quit,
    /// `register`, which needs no action.
    Register,
    /// `d`: prints the board.
    Display,
    /// `eval`: prints the static evaluation.
    Eval,
    /// `bench` with its arguments.
    Bench(Vec<String>),
    /// `perft` with its depth.
    Perft(u32),
    /// Random openings (`genfens` of OpenBench); arguments as typed.
    Genfens(Vec<String>),
    /// `help`: prints the commands.
    Help,
    /// An empty line or a comment.
    Nothing,
    /// An invalid line, with an error message.
    Invalid(String),
}

/// A parsed `position` command. FEN and moves are still text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionCommand {
    /// The FEN; `None` for `startpos`.
    pub fen: Option<String>,
    /// The moves, as sent.
    pub moves: Vec<String>,
}

/// A parsed `go` command. Its search moves are still text, because they depend on the position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoRequest {
    /// All limits except for the search moves.
    pub limits: Limits,
    /// Moves of `searchmoves`, as sent.
    pub search_moves: Vec<String>,
    /// `go perft N`.
    pub perft: Option<u32>,
    /// Messages about invalid parameters, which are ignored.
    pub warnings: Vec<String>,
}

/// Commands that are suggested for a misspelled one.
const COMMANDS: [&str; 15] = [
    "uci",
    "isready",
    "setoption",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "debug",
    "quit",
    "eval",
    "bench",
    "perft",
    "genfens",
    "help",
];

/// Parses one line. Unknown words before a command are skipped, as UCI demands.
#[must_use]
pub fn parse(line: &str) -> Command {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Command::Nothing;
    }
    if matches!(line, "exit" | "q") {
        return Command::Quit;
    }
    let mut rest = line;
    loop {
        let (word, after) = split_word(rest);
        if word.is_empty() {
            let hint = match nearest(split_word(line).0, COMMANDS.into_iter()) {
                Some(name) => format!("did you mean '{name}'?"),
                None => "type help for a list".into(),
            };
            return Command::Invalid(format!("unknown command '{}', {hint}", printable(line)));
        }
        if let Some(command) = command(&word.to_ascii_lowercase(), after) {
            return command;
        }
        rest = after;
    }
}

/// Returns whether the first word of this line is a command.
#[must_use]
pub fn is_command(line: &str) -> bool {
    let (word, rest) = split_word(line);
    command(&word.to_ascii_lowercase(), rest).is_some()
}

/// Splits off the first word.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

fn command(word: &str, rest: &str) -> Option<Command> {
    let words = || rest.split_whitespace();
    Some(match word {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "xboard" | "protover" => {
            Command::Invalid("this is a UCI engine; for XBoard: xboard -fUCI -fcp aspirant (needs polyglot)".into())
        }
        "debug" => match words().next().map(str::to_ascii_lowercase).as_deref() {
            Some("on") => Command::Debug(true),
            Some("off") => Command::Debug(false),
            _ => Command::Invalid(format!("debug: expected on or off, found '{}'", printable(rest.trim()))),
        },
        "register" => Command::Register,
        "setoption" => set_option(rest),
        "position" => position(rest).map_or_else(Command::Invalid, Command::Position),
        "go" => Command::Go(Box::new(go(rest))),
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => Command::Bench(words().map(str::to_owned).collect()),
        "perft" => match words().next().and_then(|text| text.parse().ok()) {
            Some(depth) => Command::Perft(depth),
            None => Command::Invalid(format!("perft: expected a depth, found '{}'", printable(rest.trim()))),
        },
        "genfens" => Command::Genfens(words().map(str::to_owned).collect()),
        "help" => Command::Help,
        _ => return None,
    })
}

/// Parses `setoption name N… [value V…]`; any white space separates the words of a name.
fn set_option(rest: &str) -> Command {
    let (keyword, mut text) = split_word(rest);
    let mut name = Vec::new();
    let value = loop {
        let (word, tail) = split_word(text);
        if word.is_empty() {
            break None;
        }
        if word.eq_ignore_ascii_case("value") && !name.is_empty() {
            break Some(tail.trim().to_owned());
        }
        name.push(word);
        text = tail;
    };
    if !keyword.eq_ignore_ascii_case("name") || name.is_empty() {
        return Command::Invalid(format!(
            "setoption: expected 'name NAME [value VALUE]', found '{}'",
            printable(rest.trim())
        ));
    }
    Command::SetOption { name: name.join(" "), value }
}

/// Parses `position startpos|fen F… [moves M…]`.
fn position(rest: &str) -> Result<PositionCommand, String> {
    let (keyword, after) = split_word(rest);
    let is_moves = |word: &str| word.eq_ignore_ascii_case("moves");
    let mut words = after.split_whitespace();
    let fen = match keyword.to_ascii_lowercase().as_str() {
        "startpos" => match words.next() {
            Some(word) if !is_moves(word) => {
                return Err(format!(
                    "position: expected moves, found '{}'; the position is unchanged",
                    printable(word)
                ));
            }
            _ => None,
        },
        "fen" => Some(words.by_ref().take_while(|word| !is_moves(word)).collect::<Vec<_>>().join(" ")),
        "" => return Err("position: expected startpos or fen; the position is unchanged".into()),
        other => {
            return Err(format!(
                "position: expected startpos or fen, found '{}'; the position is unchanged",
                printable(other)
            ));
        }
    };
    Ok(PositionCommand { fen, moves: words.map(str::to_owned).collect() })
}

/// Parses `go` with its parameters in any order; of a repeated parameter the last value counts.
fn go(rest: &str) -> GoRequest {
    let mut request = GoRequest::default();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let keyword = word.to_ascii_lowercase();
        let limits = &mut request.limits;
        match keyword.as_str() {
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            "searchmoves" => {
                while let Some(m) = words.next_if(|word| !is_go_keyword(word)) {
                    request.search_moves.push(m.to_owned());
                }
            }
            _ if !is_go_keyword(&keyword) => {}
            _ => {
                let text = words.next_if(|word| !is_go_keyword(word)).unwrap_or_default();
                let Some(number) = whole_number(text) else {
                    request.warnings.push(format!(
                        "go: {keyword} needs a whole number, found '{}'; it is ignored",
                        printable(text)
                    ));
                    continue;
                };
                let unsigned = u64::try_from(number.max(0)).unwrap_or(u64::MAX);
                let signed = i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX });
                let small = u32::try_from(unsigned).unwrap_or(u32::MAX);
                match keyword.as_str() {
                    "wtime" => limits.white_time = Some(signed),
                    "btime" => limits.black_time = Some(signed),
                    "winc" => limits.white_increment = Some(signed),
                    "binc" => limits.black_increment = Some(signed),
                    "movestogo" => limits.moves_to_go = Some(small),
                    "depth" => limits.depth = Some(small),
                    "nodes" => limits.nodes = Some(unsigned),
                    "mate" => limits.mate = Some(small),
                    "movetime" => limits.move_time = Some(signed),
                    _ => request.perft = Some(small),
                }
            }
        }
    }
    let limits = &mut request.limits;
    let is_open_ended = limits.infinite || limits.ponder;
    if !request.warnings.is_empty() && request.perft.is_none() && !is_open_ended && !limits.is_bounded() {
        // The GUI intended a limit and would never send `stop`.
        request.warnings.push("go: no limit is left, searching to depth 1".into());
        limits.depth = Some(1);
    }
    request
}

fn is_go_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 13] = [
        "searchmoves",
        "ponder",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "infinite",
        "perft",
    ];
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// Parses a whole number, saturating at the limits of `i128`.
///
/// A decimal fraction, which some scripts send, is cut off.
fn whole_number(text: &str) -> Option<i128> {
    let text = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => text,
    };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if text.starts_with('-') { i128::MIN } else { i128::MAX };
    Some(text.parse().unwrap_or(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;

    fn request(line: &str) -> GoRequest {
        match parse(line) {
            Command::Go(request) => *request,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn game(line: &str) -> Game {
        match parse(line) {
            Command::Position(command) => command.to_game(false).unwrap_or_else(|error| panic!("{line}: {error}")),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn input_that_vampirc_uci_panics_on_or_loses_is_parsed() {
        for line in ["go ", "go\t", "go infinite ", "go depth 5  ", "go wtime 1 btime 1 "] {
            assert!(request(line).warnings.is_empty(), "{line}");
        }
        assert_eq!(request("go depth 256").limits.depth, Some(256));
        assert_eq!(request("go depth 1000").limits.depth, Some(1000));
        assert_eq!(request("go mate 300 movestogo 256").limits.mate, Some(300));
        assert_eq!(request("go nodes 1000000000000").limits.nodes, Some(1_000_000_000_000));
        assert_eq!(request("go nodes 18446744073709551615").limits.nodes, Some(u64::MAX));
        assert_eq!(request("go nodes 18446744073709551616").limits.nodes, Some(u64::MAX));
        let ponder = request("go ponder wtime 1000 btime 900").limits;
        assert!(ponder.ponder && ponder.white_time == Some(1000) && ponder.black_time == Some(900));
        let both = request("go infinite wtime 1").limits;
        assert!(both.infinite && both.white_time == Some(1));
        let both = request("go movetime 100 wtime 1").limits;
        assert!(both.move_time == Some(100) && both.white_time == Some(1));
    }

    #[test]
    fn go_parameters_combine_in_any_order() {
        let all = "go searchmoves e2e4 d2d4 ponder winc 1 wtime -5 btime +7 binc 2 movestogo 3 depth 4 nodes 5 mate 6 movetime 7 infinite";
        let r = request(all);
        assert_eq!(r.search_moves, ["e2e4", "d2d4"]);
        let expected = Limits {
            ponder: true,
            infinite: true,
            white_time: Some(-5),
            black_time: Some(7),
            white_increment: Some(1),
            black_increment: Some(2),
            moves_to_go: Some(3),
            depth: Some(4),
            nodes: Some(5),
            mate: Some(6),
            move_time: Some(7),
            ..Limits::default()
        };
        assert_eq!(r.limits, expected);
        assert_eq!(request("GO DEPTH 5 nonsense NODES 100").limits.nodes, Some(100));
        assert_eq!(request("go depth 5 depth 6").limits.depth, Some(6));
        assert_eq!(request("go perft 5").perft, Some(5));
    }

    #[test]
    fn invalid_numbers_are_reported_and_other_parameters_kept() {
        let r = request("go depth x wtime btime 1000 nodes 12,5 movetime");
        assert_eq!(r.limits, Limits { black_time: Some(1000), ..Limits::default() });
        assert_eq!(r.warnings.len(), 4, "{:?}", r.warnings);
        for line in ["go depth x", "go movetime", "go nodes .5 movetime 1e3", "go depth - searchmoves e2e4"] {
            let r = request(line);
            assert!(r.limits.depth == Some(1) && r.warnings.len() >= 2, "{line}: {r:?}");
        }
        for line in ["go depth x infinite", "go ponder depth x"] {
            assert_eq!(request(line).limits.depth, None, "{line}");
        }
        let decimals = request("go wtime 1000.0 btime 900.75 movestogo 3. nodes -2.5");
        assert!(decimals.warnings.is_empty(), "{decimals:?}");
        let Limits { white_time, black_time, moves_to_go, nodes, .. } = decimals.limits;
        assert_eq!((white_time, black_time, moves_to_go, nodes), (Some(1000), Some(900), Some(3), Some(0)));
        assert!(r.warnings[0].contains("depth needs a whole number, found 'x'"));
        assert_eq!(request("go depth -1").limits.depth, Some(0));
        assert_eq!(request("go wtime -999999999999999999999999999999999999999999").limits.white_time, Some(i64::MIN));
    }

    #[test]
    fn positions_are_parsed_with_any_spacing_and_notation() {
        let after = |moves: &str| game(&format!("position startpos moves {moves}")).position.fen();
        assert_eq!(after(" e2e4"), after("e2e4"));
        assert_eq!(after("E2E4"), after("e2e4"));
        assert_eq!(game("position   startpos   moves  e2e4   e7e5 ").history.len(), 2);
        assert_eq!(game("position startpos moves").history.len(), 0);
        for fen in [
            "position fen 4k3/8/8/8/8/8/8/4K2R w K -",
            "position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1",
            "position fen  4k3/8/8/8/8/8/8/4K2R  w  K  -  0  10000  moves  e1g1",
            "position fen 1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1 moves e1g1",
        ] {
            game(fen);
        }
    }

    #[test]
    fn unknown_commands_are_answered_with_a_similar_one() {
        let Command::Invalid(message) = parse("postion startpos") else { panic!() };
        assert_eq!(message, "unknown command 'postion startpos', did you mean 'position'?");
        let names = COMMANDS.iter().filter(|name| !is_command(name)).collect::<Vec<_>>();
        assert!(names.is_empty(), "{names:?}");
    }

    #[test]
    fn invalid_positions_give_the_reason() {
        for (line, part) in [
            ("position startpos moves e2e4 xx d2d4", "'xx' (number 2"),
            ("position startpos moves e2e4 0000", "'0000' (number 2"),
            ("position startpos moves e2e5", "illegal move 'e2e5'"),
            ("position fen 8/8/8/8/8/8/8/8 w - -", "illegal position"),
            ("position fen", "bad FEN"),
            ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x", "bad FEN"),
        ] {
            let Command::Position(command) = parse(line) else { panic!("{line}") };
            let error = command.to_game(false).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
        for line in ["position", "position kiwipete", "position startpos e2e4"] {
            assert!(matches!(parse(line), Command::Invalid(_)), "{line}");
        }
    }

    #[test]
    fn option_names_and_values_may_contain_spaces_and_keywords() {
        for (line, name, value) in [
            ("setoption name Hash value 64 ", "Hash", Some("64")),
            ("setoption name Clear Hash", "Clear Hash", None),
            ("setoption  name  Move Overhead  value  30", "Move Overhead", Some("30")),
            ("setoption name SyzygyPath value C:\\tables\\3 4 5;D:\\6", "SyzygyPath", Some("C:\\tables\\3 4 5;D:\\6")),
            ("setoption name Value Scale value 3", "Value Scale", Some("3")),
            ("setoption name Foo valueBar value 3", "Foo valueBar", Some("3")),
            ("SETOPTION NAME Hash VALUE 8", "Hash", Some("8")),
            ("setoption name Move   Overhead value 10", "Move Overhead", Some("10")),
            ("setoption name Debug\tLog \u{a0}\u{2003}File value a  b", "Debug Log File", Some("a  b")),
        ] {
            let Command::SetOption { name: n, value: v } = parse(line) else { panic!("{line}: {:?}", parse(line)) };
            assert_eq!((n.as_str(), v.as_deref()), (name, value), "{line}");
        }
        for line in ["setoption", "setoption Hash 4", "setoption name"] {
            assert!(matches!(parse(line), Command::Invalid(_)), "{line}");
        }
    }

    #[test]
    fn unknown_words_are_skipped_and_misspelled_commands_rejected() {
        assert!(matches!(parse("joho debug on"), Command::Debug(true)));
        assert!(matches!(parse("foo go depth 3"), Command::Go(_)));
        assert!(matches!(parse("  UCI  "), Command::Uci));
        for line in ["isreadyfoo", "ucinewgamex", "ponderhitx", "stopx", "xyzzy plugh"] {
            assert!(matches!(parse(line), Command::Invalid(_)), "{line}");
        }
        assert!(matches!(parse("debug onx"), Command::Invalid(_)));
        assert!(matches!(parse(""), Command::Nothing) && matches!(parse("# note"), Command::Nothing));
    }

    /// An input in non-blocking mode: each byte is available only at the second attempt.
    struct NonBlocking<'a> {
        rest: &'a [u8],
        is_ready: bool,
    }

    impl std::io::Read for NonBlocking<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.is_ready = !self.is_ready;
            if self.is_ready && !self.rest.is_empty() {
                return Err(std::io::ErrorKind::WouldBlock.into());
            }
            let length = buffer.len().min(1);
            self.rest.read(&mut buffer[..length])
        }
    }

    #[test]
    fn non_blocking_input_is_read_to_its_end() {
        let input = NonBlocking { rest: b"uci\nisready\nquit", is_ready: false };
        let mut out = Vec::new();
        crate::platform::lines::lines(std::io::BufReader::new(input), |line| {
            out.push(line.to_owned());
            true
        })
        .unwrap();
        assert_eq!(out, ["uci", "isready", "quit"]);
    }
}
