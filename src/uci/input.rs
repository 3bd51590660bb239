//! From lines to commands: the only reader of what a GUI sends.
//!
//! vampirc-uci is the vocabulary and parses what it parses right. It panics on `go` with a trailing blank and
//! on numbers above 255, loses `ponder` next to a clock, drops moves after a double blank and knows no
//! four-field or Shredder FEN; so `go` and `position` are read here, token by token, and everything else is
//! handed to it only in a form that it is known to read. No input can make this file panic: a number that
//! does not fit is an error with a name, a word that is not known is skipped, as the protocol asks.

use std::io::{self, BufRead, Read};

use vampirc_uci::{UciMessage, parse_one};

use crate::board::position::{Game, SetupError, parse_fen, printable};
use crate::search::limits::Limits;

/// A longer line is cut: 20,000 moves fit four times over.
const MOST_BYTES: u64 = 4 << 20;

/// What a line asks for.
#[derive(Debug)]
pub enum Command {
    /// Say who you are.
    Uci,
    /// Talk more, or less.
    Debug(bool),
    /// Answer when ready.
    IsReady,
    /// Set an option.
    SetOption {
        /// As spelled by the GUI.
        name: String,
        /// Missing for a button.
        value: Option<String>,
    },
    /// A new game begins.
    NewGame,
    /// A position with moves, or why it cannot be set up.
    Position(Box<Result<Game, SetupError>>),
    /// Search.
    Go(Box<GoRequest>),
    /// Answer now.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// End the program.
    Quit,
    /// Registration is not needed.
    Register,
    /// What people type: show the board.
    Display,
    /// Show the static evaluation.
    Eval,
    /// Turn the board: the same position with colors exchanged.
    Flip,
    /// The benchmark; arguments as typed.
    Bench(Vec<String>),
    /// Count leaf nodes.
    Perft(u32),
    /// Random openings for test farms; arguments as typed.
    Genfens(Vec<String>),
    /// List the commands.
    Help,
    /// How the program was built.
    Compiler,
    /// Nothing to do.
    Nothing,
    /// Something is wrong with the line; the text says what.
    Wrong(String),
}

/// A `go` as it was sent: search moves are resolved when the position is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoRequest {
    /// All limits but the search moves.
    pub limits: Limits,
    /// Root moves, as written.
    pub search_moves: Vec<String>,
    /// `go perft N`.
    pub perft: Option<u32>,
    /// What could not be used, for a person.
    pub complaints: Vec<String>,
}

/// Reads lines until the input ends. Bytes that are no UTF-8 are replaced, a byte order mark and NULs dropped,
/// a line that is too long is cut.
pub fn lines(mut input: impl BufRead, mut sink: impl FnMut(&str) -> bool) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(());
        }
        if bytes.last() != Some(&b'\n') && read as u64 == MOST_BYTES {
            skip_to_newline(&mut input)?;
        }
        bytes.retain(|&byte| byte != 0);
        let text = String::from_utf8_lossy(&bytes);
        // A lone carriage return ends a line, too.
        for line in text.trim_start_matches('\u{feff}').split('\r') {
            if !sink(line.trim()) {
                return Ok(());
            }
        }
    }
}

fn skip_to_newline(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => {
                input.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = buffer.len();
                input.consume(length);
            }
        }
    }
}

/// Understands one line. Unknown words before a command are skipped, as the protocol asks.
#[must_use]
pub fn parse(line: &str) -> Command {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Command::Nothing;
    }
    let mut rest = line;
    loop {
        let (word, after) = split_word(rest);
        if word.is_empty() {
            return Command::Wrong(format!("unknown command '{}', type help for a list", printable(line)));
        }
        if let Some(command) = command(&word.to_ascii_lowercase(), after) {
            return command;
        }
        rest = after;
    }
}

/// Does this line begin with a command, without unknown words before it?
#[must_use]
pub fn is_command(line: &str) -> bool {
    let (word, rest) = split_word(line);
    command(&word.to_ascii_lowercase(), rest).is_some()
}

/// The first word, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

fn command(word: &str, rest: &str) -> Option<Command> {
    let words = || rest.split_whitespace();
    Some(match word {
        "uci" | "isready" | "ucinewgame" | "stop" | "ponderhit" | "quit" => plain(word),
        "debug" => match words().next().map(str::to_ascii_lowercase).as_deref() {
            Some("on") => plain("debug on"),
            Some("off") => plain("debug off"),
            _ => Command::Wrong("debug: expected on or off".into()),
        },
        "register" => Command::Register,
        "setoption" => set_option(rest),
        "position" => Command::Position(Box::new(match position(rest) {
            Ok(game) => Ok(game),
            Err(Fault::Setup(error)) => Err(error),
            Err(Fault::Form(text)) => return Some(Command::Wrong(text)),
        })),
        "go" => Command::Go(Box::new(go(rest))),
        "d" => Command::Display,
        "eval" => Command::Eval,
        "flip" => Command::Flip,
        "bench" => Command::Bench(words().map(str::to_owned).collect()),
        "perft" => match words().next().and_then(|text| text.parse().ok()) {
            Some(depth) => Command::Perft(depth),
            None => Command::Wrong("perft: expected a depth".into()),
        },
        "genfens" => Command::Genfens(words().map(str::to_owned).collect()),
        "help" => Command::Help,
        "compiler" => Command::Compiler,
        _ => return None,
    })
}

/// The commands that vampirc-uci reads right, given without anything around them.
fn plain(text: &str) -> Command {
    match parse_one(text) {
        UciMessage::Uci => Command::Uci,
        UciMessage::Debug(on) => Command::Debug(on),
        UciMessage::IsReady => Command::IsReady,
        UciMessage::UciNewGame => Command::NewGame,
        UciMessage::Stop => Command::Stop,
        UciMessage::PonderHit => Command::PonderHit,
        UciMessage::Quit => Command::Quit,
        _ => Command::Wrong(format!("cannot read '{text}'")),
    }
}

/// `setoption name N… [value V…]`. vampirc-uci stumbles over names with a word that begins with "value"; they
/// and whatever else it does not read as an option are split here.
fn set_option(rest: &str) -> Command {
    let (keyword, after) = split_word(rest);
    if !keyword.eq_ignore_ascii_case("name") || after.trim().is_empty() {
        return Command::Wrong("setoption: expected 'name NAME [value VALUE]'".into());
    }
    let like_value = |word: &str| word.to_ascii_lowercase().starts_with("value");
    let risky =
        like_value(after.trim_start()) || after.split_whitespace().any(|word| word.len() > 5 && like_value(word));
    if !risky && let UciMessage::SetOption { name, value } = parse_one(&format!("setoption name {}", after.trim())) {
        let value = value.map(|text| text.trim().to_owned());
        return Command::SetOption { name: name.trim().to_owned(), value };
    }
    let mut name = Vec::new();
    let mut text = after;
    loop {
        let (word, tail) = split_word(text);
        if word.is_empty() {
            return Command::SetOption { name: name.join(" "), value: None };
        }
        if word.eq_ignore_ascii_case("value") && !name.is_empty() {
            return Command::SetOption { name: name.join(" "), value: Some(tail.trim().to_owned()) };
        }
        name.push(word);
        text = tail;
    }
}

enum Fault {
    Setup(SetupError),
    Form(String),
}

impl From<SetupError> for Fault {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

/// `position startpos|fen F… [moves M…]`.
fn position(rest: &str) -> Result<Game, Fault> {
    let (keyword, after) = split_word(rest);
    let is_moves = |word: &str| word.eq_ignore_ascii_case("moves");
    let mut words = after.split_whitespace();
    let mut game = match keyword.to_ascii_lowercase().as_str() {
        "startpos" => match words.next() {
            None => return Ok(Game::default()),
            Some(word) if is_moves(word) => Game::default(),
            Some(word) => return Err(Fault::Form(format!("position: expected moves, found '{}'", printable(word)))),
        },
        "fen" => {
            let fen: Vec<&str> = words.by_ref().take_while(|word| !is_moves(word)).collect();
            Game::new(parse_fen(&fen.join(" "))?)
        }
        other => {
            return Err(Fault::Form(format!("position: expected startpos or fen, found '{}'", printable(other))));
        }
    };
    game.play_uci(words)?;
    Ok(game)
}

/// `go` with any parameters in any order; the last of a repeated one counts.
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
                let number = words.next_if(|word| !is_go_keyword(word)).map(whole_number);
                let Some(Some(number)) = number else {
                    request.complaints.push(format!("go: {keyword} needs a whole number"));
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
    let waits = limits.infinite || limits.ponder;
    if !request.complaints.is_empty() && request.perft.is_none() && !waits && !limits.is_bounded() {
        // Whoever meant to bound the search does not expect to have to stop it.
        request.complaints.push("go: no limit is left, so the search ends at depth 1".into());
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

/// A whole number of any size; one that is too large for 128 bits is the largest. Scripts that divide send decimals:
/// what stands behind the point is left out.
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
    use proptest::prelude::*;

    fn request(line: &str) -> GoRequest {
        match parse(line) {
            Command::Go(request) => *request,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn game(line: &str) -> Game {
        match parse(line) {
            Command::Position(result) => (*result).unwrap_or_else(|error| panic!("{line}: {error}")),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn what_the_library_panics_on_or_loses_is_read() {
        for line in ["go ", "go\t", "go infinite ", "go depth 5  ", "go wtime 1 btime 1 "] {
            assert!(request(line).complaints.is_empty(), "{line}");
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
    fn numbers_that_are_none_are_named_and_the_rest_is_kept() {
        let r = request("go depth x wtime btime 1000 nodes 12,5 movetime");
        assert_eq!(r.limits, Limits { black_time: Some(1000), ..Limits::default() });
        assert_eq!(r.complaints.len(), 4, "{:?}", r.complaints);
        for line in ["go depth x", "go movetime", "go nodes .5 movetime 1e3", "go depth - searchmoves e2e4"] {
            let r = request(line);
            assert!(r.limits.depth == Some(1) && r.complaints.len() >= 2, "{line}: {r:?}");
        }
        for line in ["go depth x infinite", "go ponder depth x"] {
            assert_eq!(request(line).limits.depth, None, "{line}");
        }
        let decimals = request("go wtime 1000.0 btime 900.75 movestogo 3. nodes -2.5");
        assert!(decimals.complaints.is_empty(), "{decimals:?}");
        let Limits { white_time, black_time, moves_to_go, nodes, .. } = decimals.limits;
        assert_eq!((white_time, black_time, moves_to_go, nodes), (Some(1000), Some(900), Some(3), Some(0)));
        assert!(r.complaints[0].contains("depth needs a whole number"));
        assert_eq!(request("go depth -1").limits.depth, Some(0));
        assert_eq!(request("go wtime -999999999999999999999999999999999999999999").limits.white_time, Some(i64::MIN));
    }

    #[test]
    fn positions_with_any_blanks_and_notation() {
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
    fn bad_positions_say_what_is_wrong() {
        for (line, part) in [
            ("position startpos moves e2e4 xx d2d4", "'xx' (number 2"),
            ("position startpos moves e2e4 0000", "'0000' (number 2"),
            ("position startpos moves e2e5", "illegal move 'e2e5'"),
            ("position fen 8/8/8/8/8/8/8/8 w - -", "illegal position"),
            ("position fen", "bad FEN"),
            ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x", "bad FEN"),
        ] {
            let Command::Position(result) = parse(line) else { panic!("{line}") };
            let error = result.unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
        for line in ["position", "position kiwipete", "position startpos e2e4"] {
            assert!(matches!(parse(line), Command::Wrong(_)), "{line}");
        }
    }

    #[test]
    fn options_with_blanks_paths_and_awkward_names() {
        for (line, name, value) in [
            ("setoption name Hash value 64 ", "Hash", Some("64")),
            ("setoption name Clear Hash", "Clear Hash", None),
            ("setoption  name  Move Overhead  value  30", "Move Overhead", Some("30")),
            ("setoption name SyzygyPath value C:\\tables\\3 4 5;D:\\6", "SyzygyPath", Some("C:\\tables\\3 4 5;D:\\6")),
            ("setoption name Value Scale value 3", "Value Scale", Some("3")),
            ("setoption name Foo valueBar value 3", "Foo valueBar", Some("3")),
            ("SETOPTION NAME Hash VALUE 8", "Hash", Some("8")),
        ] {
            let Command::SetOption { name: n, value: v } = parse(line) else { panic!("{line}: {:?}", parse(line)) };
            assert_eq!((n.as_str(), v.as_deref()), (name, value), "{line}");
        }
        for line in ["setoption", "setoption Hash 4", "setoption name"] {
            assert!(matches!(parse(line), Command::Wrong(_)), "{line}");
        }
    }

    #[test]
    fn unknown_words_are_skipped_and_near_misses_are_no_commands() {
        assert!(matches!(parse("joho debug on"), Command::Debug(true)));
        assert!(matches!(parse("foo go depth 3"), Command::Go(_)));
        assert!(matches!(parse("  UCI  "), Command::Uci));
        for line in ["isreadyfoo", "ucinewgamex", "ponderhitx", "stopx", "xyzzy plugh"] {
            assert!(matches!(parse(line), Command::Wrong(_)), "{line}");
        }
        assert!(matches!(parse("debug onx"), Command::Wrong(_)));
        assert!(matches!(parse(""), Command::Nothing) && matches!(parse("# note"), Command::Nothing));
    }

    #[test]
    fn bytes_of_any_kind_become_lines() {
        let read = |bytes: &[u8]| {
            let mut out = Vec::new();
            lines(bytes, |line| {
                out.push(line.to_owned());
                true
            })
            .unwrap();
            out
        };
        assert_eq!(read(b"\xef\xbb\xbfuci\r\nis\0ready\nquit"), ["uci", "", "isready", "quit"]);
        assert_eq!(read(b"uci\risready\r"), ["uci", "isready", ""]);
        assert_eq!(read(b"go \xff\xfe depth 3\n").len(), 1);
        let mut long = vec![b'a'; 5 << 20];
        long.extend_from_slice(b"\nisready\n");
        let out = read(&long);
        assert_eq!((out.len(), out[1].as_str()), (2, "isready"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn no_line_panics(line in "\\PC{0,80}") {
            let _ = parse(&line);
        }

        #[test]
        fn no_line_made_of_protocol_words_panics(words in proptest::collection::vec(
            prop_oneof![
                Just("go"), Just("depth"), Just("position"), Just("startpos"), Just("fen"), Just("moves"), Just("e2e4"),
                Just("e1h1"), Just("setoption"), Just("name"), Just("value"), Just("Hash"), Just("wtime"), Just("-1"),
                Just("999999999999999999999"), Just("searchmoves"), Just("ponder"), Just("infinite"), Just("\t"),
                Just("8/8/8/8/8/8/8/8"), Just("w"), Just("KQkq"), Just("-"), Just("debug"), Just("on"), Just("uci"),
            ], 0..14)) {
            let _ = parse(&words.join(" "));
        }
    }
}
