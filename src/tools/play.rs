//! The command `play`: a game against the engine in the terminal.
//!
//! Moves are accepted in SAN (Nf3, exd5, O-O) and in UCI notation (g1f3); any other line is a command. The engine runs
//! with all its UCI options. One input and one output are used, so that a script can play a game as well; the end of
//! the input ends the game.
#![doc(hidden)]

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike as _};
use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::san::San;
use shakmaty::{Color, Move, Position as _};

use super::analyze::{format_score, san_variation};
use super::display::{self, BoardStyle};
use crate::board::position::{Game, Position, SetupError, parse_fen, parse_move, printable};
use crate::config::Config;
use crate::engine::Engine;
use crate::platform::lines::lines;
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::terminal::wrap;

/// The arguments of `play`.
#[derive(clap::Args, Clone, Debug)]
pub struct PlayArgs {
    /// Side that you play
    #[arg(long, value_name = "SIDE", value_enum, default_value_t = Side::White)]
    pub side: Side,
    /// Position to start from (default: the initial position)
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Time of the engine per move in milliseconds (default: 1000 if no depth is given)
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u32>,
    /// Search depth of the engine in plies
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// File to save the game to as PGN; must not exist yet
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
}

/// A side of the board.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// White moves first.
    White,
    /// Black moves second.
    Black,
}

/// The reason why a game failed.
#[derive(thiserror::Error, Debug)]
pub enum PlayError {
    /// The position is invalid.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// The engine could not start, or input or output failed.
    #[error("{0}")]
    System(#[from] io::Error),
    /// The file of `--pgn` exists.
    #[error("{} exists already; choose another file for --pgn", .0.display())]
    Exists(PathBuf),
}

const HELP: &str = "\
Moves:     Nf3, exd5, O-O, e8=Q, or g1f3, e7e8q
undo       take back your last move and the reply
hint       show the variation the engine would play
eval       show the static evaluation of the position
flip       flip the board
board      show the board again
fen        show the position as FEN
pgn        show the game as PGN
resign     resign the game
quit       leave the program (as does the end of the input)";
/// Column at which the descriptions in [`HELP`] begin.
const HELP_INDENT: usize = 11;
/// Maximum width of the move text in a PGN file, in columns.
const PGN_WIDTH: usize = 80;

/// The reason why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GameEnd {
    Mate(Color),
    Resigned(Color),
    Stalemate,
    Repetition,
    FiftyMoves,
    Material,
}

impl GameEnd {
    /// Returns how the game has ended by the rules, if it has; claimable draws count as claimed.
    fn of(game: &Game) -> Option<Self> {
        let position = &game.position;
        Some(match position.chess().legal_moves().is_empty() {
            true if position.in_check() => Self::Mate(!position.turn()),
            true => Self::Stalemate,
            false if position.is_insufficient_material() => Self::Material,
            false if position.halfmoves() >= 100 => Self::FiftyMoves,
            false if game.is_repetition(2) => Self::Repetition,
            false => return None,
        })
    }

    fn result(self) -> &'static str {
        match self {
            Self::Mate(winner) | Self::Resigned(winner) => winner.fold_wb("1-0", "0-1"),
            Self::Stalemate | Self::Repetition | Self::FiftyMoves | Self::Material => "1/2-1/2",
        }
    }

    fn text(self) -> String {
        let name = |color: Color| color.fold_wb("White", "Black");
        match self {
            Self::Mate(winner) => format!("Checkmate: {} wins.", name(winner)),
            Self::Resigned(winner) => format!("{} resigns: {} wins.", name(!winner), name(winner)),
            Self::Stalemate => "Stalemate: a draw.".into(),
            Self::Repetition => "The same position for the third time: a draw.".into(),
            Self::FiftyMoves => "Fifty moves without capture or pawn move: a draw.".into(),
            Self::Material => "Insufficient material: a draw.".into(),
        }
    }
}

/// Plays a game on stdin and stdout.
///
/// # Errors
/// [`PlayError`].
pub fn run(args: &PlayArgs, config: Config) -> Result<(), PlayError> {
    let style = BoardStyle::for_terminal(&console::Term::stdout());
    play(args, config, style, io::stdin().lock(), io::stdout().lock())
}

fn play(
    args: &PlayArgs,
    config: Config,
    style: BoardStyle,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), PlayError> {
    if let Some(path) = args.pgn.as_ref().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(PlayError::Exists(path.clone()));
    }
    let start = args.fen.as_deref().map_or_else(|| Ok(Position::default()), parse_fen)?;
    let mut engine = Engine::new(config)?;
    let warnings = engine.take_startup_messages();
    let human = if args.side == Side::White { Color::White } else { Color::Black };
    let move_time = args.movetime.or(args.depth.is_none().then_some(1000)).map(i64::from);
    let mut session = PlaySession {
        output,
        engine,
        limits: Limits { depth: args.depth, move_time, ..Limits::default() },
        game: Game::new(start.clone()),
        start,
        moves: Vec::new(),
        human,
        style: BoardStyle { flipped: human == Color::Black, ..style },
        end: None,
    };
    for warning in warnings {
        session.print_wrapped(&warning)?;
    }
    session.print_wrapped(&format!("You play {}. Type a move or `help`.", human.fold_wb("white", "black")))?;
    session.show()?;
    session.take_turn()?;
    session.prompt()?;
    let mut result = Ok(true);
    lines(input, |line| {
        result = session.handle_line(line);
        matches!(result, Ok(true))
    })?;
    result?;
    session.finish(args.pgn.as_deref())?;
    Ok(())
}

struct PlaySession<W> {
    output: W,
    engine: Engine,
    limits: Limits,
    start: Position,
    moves: Vec<Move>,
    game: Game,
    human: Color,
    style: BoardStyle,
    end: Option<GameEnd>,
}

impl<W: Write> PlaySession<W> {
    /// Prints text unwrapped, for boards and for text to be copied.
    fn print(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    /// Prints text wrapped to the width of the terminal.
    fn print_wrapped(&mut self, text: &str) -> io::Result<()> {
        let columns = self.style.columns.unwrap_or(usize::MAX);
        self.print(&wrap(text, columns, 0).join("\n"))
    }

    /// Prints the list of commands.
    fn print_help(&mut self) -> io::Result<()> {
        let columns = self.style.columns.unwrap_or(usize::MAX);
        HELP.lines().try_for_each(|line| self.print(&wrap(line, columns, HELP_INDENT).join("\n")))
    }

    fn prompt(&mut self) -> io::Result<()> {
        write!(self.output, "> ")?;
        self.output.flush()
    }

    fn show(&mut self) -> io::Result<()> {
        let text = display::draw(&self.game.position, self.style).join("\n");
        self.print(&format!("\n{text}\n"))
    }

    /// Handles one line of input; returns `false` to end the program.
    fn handle_line(&mut self, line: &str) -> io::Result<bool> {
        match line.to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(false),
            "help" | "?" => self.print_help()?,
            "undo" => self.undo()?,
            "hint" => self.hint()?,
            "eval" => self.print_wrapped(&display::evaluation(&self.game.position, self.engine.evaluator()))?,
            "flip" => {
                self.style.flipped ^= true;
                self.show()?;
            }
            "board" | "d" => self.show()?,
            "fen" => self.print(&self.game.position.fen())?,
            "pgn" => self.print(&self.pgn(self.style.columns.unwrap_or(PGN_WIDTH).min(PGN_WIDTH)))?,
            "resign" if self.end.is_none() => self.end_game(GameEnd::Resigned(!self.human))?,
            _ if self.end.is_some() => self.print_wrapped("The game is over. Commands: undo, pgn, quit.")?,
            _ => match read_move(&self.game.position, line) {
                Some(m) => {
                    self.play(m);
                    self.take_turn()?;
                }
                None => self.print_wrapped(&format!(
                    "'{}' is neither a legal move nor a command; type help for a list.",
                    printable(line)
                ))?,
            },
        }
        self.prompt()?;
        Ok(true)
    }

    fn play(&mut self, m: Move) {
        self.moves.push(m);
        self.game.play(m);
    }

    fn end_game(&mut self, end: GameEnd) -> io::Result<()> {
        self.end = Some(end);
        self.print_wrapped(&end.text())
    }

    /// Ends the game if it is over, or plays a move of the engine if it is to move.
    fn take_turn(&mut self) -> io::Result<()> {
        if let Some(end) = GameEnd::of(&self.game) {
            self.show()?;
            return self.end_game(end);
        }
        if self.game.position.turn() == self.human {
            return Ok(());
        }
        let (answer, info) = self.search();
        let Some(m) = answer.best else { return Ok(()) };
        let before = self.game.position.clone();
        self.play(m);
        self.show()?;
        let score = info.map_or_else(String::new, |info| {
            format!("   ({}, depth {})", format_score(&info, before.turn()), info.depth)
        });
        self.print_wrapped(&format!("Aspirant plays {}{score}", san_variation(&before, &[m])))?;
        GameEnd::of(&self.game).map_or(Ok(()), |end| self.end_game(end))
    }

    /// Searches the current position; returns the best move and the last search report.
    fn search(&mut self) -> (BestMove, Option<SearchInfo>) {
        let (sender, result): (Sender<_>, Receiver<_>) = unbounded();
        self.engine.set_game(self.game.clone());
        self.engine.go(self.limits.clone(), Box::new(ResultSender { info: None, sender }));
        result.recv().unwrap_or_default()
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.end.is_some() {
            return self.print_wrapped("The game is over.");
        }
        let (answer, info) = self.search();
        let pv = info.map(|info| info.pv).or(answer.best.map(|m| vec![m])).unwrap_or_default();
        let text = san_variation(&self.game.position, pv.get(..pv.len().min(5)).unwrap_or(&pv));
        self.print_wrapped(&format!("Hint: {text}"))
    }

    /// Takes back a resignation, otherwise all moves since the human's last move.
    fn undo(&mut self) -> io::Result<()> {
        if matches!(self.end, Some(GameEnd::Resigned(_))) {
            self.end = None;
            return self.print_wrapped("Resignation taken back; the game continues.");
        }
        let side_to_move = |ply: usize| if ply.is_multiple_of(2) { self.start.turn() } else { !self.start.turn() };
        let target = (0..self.moves.len()).rev().find(|&ply| side_to_move(ply) == self.human);
        let Some(target) = target else {
            return self.print_wrapped("You have not played a move that could be taken back.");
        };
        self.moves.truncate(target);
        self.end = None;
        self.game = Game::new(self.start.clone());
        for &m in &self.moves {
            self.game.play(m);
        }
        self.show()
    }

    fn pgn(&self, width: usize) -> String {
        let names = [self.human == Color::White, self.human == Color::Black].map(|human| match human {
            true => "Human".into(),
            false => format!("Aspirant {}", crate::version::version()),
        });
        let result = self.end.map_or("*", GameEnd::result);
        let mut out = String::new();
        let mut tag = |name: &str, value: &str| {
            let _ = writeln!(out, "[{name} \"{value}\"]");
        };
        tag("Event", "Casual game");
        tag("Site", "?");
        tag("Date", &today());
        tag("Round", "-");
        tag("White", &names[0]);
        tag("Black", &names[1]);
        tag("Result", result);
        if self.start.key() != Position::default().key() {
            if self.start.chess().castles().mode().is_chess960() {
                tag("Variant", "Chess960");
            }
            tag("SetUp", "1");
            tag("FEN", &self.start.fen());
        }
        let moves = san_variation(&self.start, &self.moves).replace('…', "...");
        let text = format!("{moves} {result}");
        format!("{out}\n{}\n", wrap(text.trim_start(), width, 0).join("\n"))
    }

    /// Saves the game to `path`, if given.
    ///
    /// If the file was created in the meantime or cannot be written, the game is printed instead.
    fn finish(&mut self, path: Option<&Path>) -> io::Result<()> {
        if let Some(path) = path {
            let pgn = self.pgn(PGN_WIDTH);
            let file = OpenOptions::new().write(true).create_new(true).open(path);
            match file.and_then(|mut file| file.write_all(pgn.as_bytes())) {
                Ok(()) => self.print_wrapped(&format!("Saved in {}", path.display()))?,
                Err(error) => {
                    self.print_wrapped(&format!("Cannot write {}: {error}. The game follows.", path.display()))?;
                    self.print(&format!("\n{pgn}"))?;
                }
            }
        }
        self.output.flush()
    }
}

/// Parses a move in SAN or UCI notation.
fn read_move(position: &Position, text: &str) -> Option<Move> {
    let bare = text.trim_end_matches(['+', '#', '!', '?']).replace('0', "O");
    let bare = bare.strip_suffix("e.p.").unwrap_or(&bare).trim();
    let san = San::from_ascii(bare.as_bytes()).ok().and_then(|san| san.to_move(position.chess()).ok());
    san.or_else(|| parse_move(position, text))
}

/// Returns the current date (UTC) in the format of PGN.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let date = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    date.map_or_else(|| "????.??.??".into(), |date| format!("{:04}.{:02}.{:02}", date.year(), date.month(), date.day()))
}

/// Stores the last report of the first PV and sends it with the best move.
struct ResultSender {
    info: Option<SearchInfo>,
    sender: Sender<(BestMove, Option<SearchInfo>)>,
}

impl Reporter for ResultSender {
    fn info(&mut self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            self.info = Some(info.clone());
        }
    }

    fn best_move(&mut self, answer: BestMove) {
        let _ = self.sender.send((answer, self.info.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> PlayArgs {
        PlayArgs { side: Side::White, fen: None, movetime: None, depth: Some(2), pgn: None }
    }

    fn play_script(args: &PlayArgs, input: &str) -> String {
        let mut output = Vec::new();
        play(args, Config::default(), BoardStyle::default(), input.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn checkmate_ends_the_game() {
        let fen = Some("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4".into());
        let printed = play_script(&PlayArgs { fen, ..args() }, "Qxf7#\nKe7\npgn\n");
        assert!(printed.contains("Checkmate: White wins.") && printed.contains("The game is over"), "{printed}");
        assert!(printed.contains("4. Qxf7# 1-0") && printed.contains("[FEN \"r1bqkb1r"), "{printed}");
    }

    #[test]
    fn accepts_every_move_notation_and_rejects_nonsense() {
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let position = parse_fen(castle).unwrap();
        for text in ["O-O", "0-0", "e1g1", "e1h1", "E1G1", "O-O!?"] {
            assert!(read_move(&position, text).is_some_and(Move::is_castle), "{text}");
        }
        let printed = play_script(&args(), "e5\nKe8\n\nrubbish \u{1b}[31m\ne4\n\u{ff}\nquit\nd4\n");
        assert_eq!(printed.matches("is neither a legal move nor a command").count(), 4, "{printed}");
        assert!(printed.contains("Aspirant plays 1… ") && !printed.contains('\u{1b}'), "{printed}");
    }

    #[test]
    fn commands_work_during_and_after_the_game() {
        let input = "undo\ne4\nundo\nfen\nhint\neval\nflip\nhelp\nboard\nresign\nundo\nd4\nresign\nresign\npgn\n";
        let printed = play_script(&args(), input);
        assert!(printed.contains("You have not played a move"), "{printed}");
        assert!(printed.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{printed}");
        for part in [
            "Hint: 1. ",
            "the game continues",
            "Static evaluation",
            "h  g  f",
            "White resigns: Black wins.",
            "The game is over",
        ] {
            assert!(printed.contains(part), "{part}: {printed}");
        }
        assert!(printed.contains("1. d4 ") && printed.contains(" 0-1"), "{printed}");
    }

    #[test]
    fn engine_moves_first_as_white() {
        let printed = play_script(&PlayArgs { side: Side::Black, ..args() }, "");
        assert!(printed.contains("You play black") && printed.contains("Aspirant plays 1. "), "{printed}");
    }

    #[test]
    fn draws_are_announced() {
        for (fen, m, part) in [
            ("6k1/8/8/8/8/8/8/K6R w - - 99 80", "Rg1", "Fifty moves"),
            ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate"),
            ("7k/8/8/8/8/1n6/K7/8 w - - 0 1", "Kxb3", "Insufficient material"),
        ] {
            let printed = play_script(&PlayArgs { fen: Some(fen.into()), ..args() }, m);
            assert!(printed.contains(part) && printed.contains("a draw"), "{fen}: {printed}");
        }
        let mut game = Game::default();
        game.play_uci("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ')).unwrap();
        assert_eq!(GameEnd::of(&game), Some(GameEnd::Repetition));
    }

    #[test]
    fn output_fits_a_narrow_terminal() {
        let input = "help\ne4\nhint\neval\nnonsense that goes on and on and on\npgn\nresign\n";
        for columns in [20, 27, 40, 60] {
            let mut output = Vec::new();
            let style = BoardStyle { columns: Some(columns), ..BoardStyle::default() };
            play(&args(), Config::default(), style, input.as_bytes(), &mut output).unwrap();
            let printed = String::from_utf8(output).unwrap();
            // Input is not echoed here, so output follows the prompt on the same line; PGN tags are never wrapped.
            let lines = printed.lines().map(|line| line.trim_start_matches("> ")).filter(|line| !line.starts_with('['));
            let too_wide = lines.into_iter().find(|line| line.chars().count() > columns);
            assert_eq!(too_wide, None, "{columns}: {printed}");
        }
    }
}
