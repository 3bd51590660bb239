//! A game against the engine in the terminal.
//!
//! Moves are read as people write them (Nf3, exd5, O-O) or as programs do (g1f3); anything else is a command.
//! The engine is the one that GUIs talk to, with all its options. Everything comes from one input and goes to
//! one output, so that a game can be played by a script as well; the end of the input is the end of the game.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike as _};
use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::san::San;
use shakmaty::{Color, Move, Position as _};

use super::analyse::{san_line, score_text};
use super::board::{self, Look};
use super::wrapped;
use crate::config::Config;
use crate::engine::Engine;
use crate::position::{Game, Position, SetupError, parse_fen, parse_move, printable};
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::uci::input::lines;

/// What `play` is told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Which side you play
    #[arg(long, value_name = "SIDE", value_enum, default_value_t = Side::White)]
    pub side: Side,
    /// The position to start from (default: the start of the game)
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// The engine's time for a move, milliseconds (default: 1000, if no depth is given)
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u32>,
    /// The engine's depth, plies
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// Save the game here at the end; a file that exists is left alone
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
}

/// A side of the board.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

/// Why there is no game.
#[derive(thiserror::Error, Debug)]
pub enum PlayError {
    /// The position is wrong.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// No threads, or nobody reads any more.
    #[error("{0}")]
    System(#[from] io::Error),
    /// `--pgn` names something that is there.
    #[error("{} exists already: choose another file", .0.display())]
    Exists(PathBuf),
}

const HELP: &str = "\
Moves:     Nf3, exd5, O-O, e8=Q, or g1f3, e7e8q
undo       take back your last move and the answer to it
hint       ask the engine what it would play
eval       the static evaluation of this position
flip       turn the board
board      show the board again
fen        the position in FEN
pgn        the game so far in PGN
resign     give up
quit       leave (the end of the input does the same)";
/// Where the meanings in it begin.
const HELP_INDENT: usize = 11;
/// Lines of moves in a file.
const PGN_WIDTH: usize = 80;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Mate(Color),
    Resigned(Color),
    Stalemate,
    Repetition,
    FiftyMoves,
    Material,
}

impl End {
    /// By the rules; draws that a player would have to claim are claimed.
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
            Self::Material => "Nobody can give mate any more: a draw.".into(),
        }
    }
}

/// Plays on the terminal.
///
/// # Errors
/// [`PlayError`].
pub fn run(args: &Args, config: Config) -> Result<(), PlayError> {
    let look = Look::of(&console::Term::stdout());
    play(args, config, look, io::stdin().lock(), io::stdout().lock())
}

fn play(args: &Args, config: Config, look: Look, input: impl BufRead, output: impl Write) -> Result<(), PlayError> {
    if let Some(path) = args.pgn.as_ref().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(PlayError::Exists(path.clone()));
    }
    let start = args.fen.as_deref().map_or_else(|| Ok(Position::default()), parse_fen)?;
    let mut engine = Engine::new(config)?;
    let notes = engine.take_startup_messages();
    let human = if args.side == Side::White { Color::White } else { Color::Black };
    let move_time = args.movetime.or(args.depth.is_none().then_some(1000)).map(i64::from);
    let mut session = Session {
        output,
        engine,
        limits: Limits { depth: args.depth, move_time, ..Limits::default() },
        game: Game::new(start.clone()),
        start,
        moves: Vec::new(),
        human,
        look: Look { flipped: human == Color::Black, ..look },
        end: None,
    };
    for note in notes {
        session.say(&note)?;
    }
    session.say(&format!("You play {}. Type a move, or help.", human.fold_wb("white", "black")))?;
    session.show()?;
    session.turn()?;
    session.prompt()?;
    let mut result = Ok(true);
    lines(input, |line| {
        result = session.obey(line);
        matches!(result, Ok(true))
    })?;
    result?;
    session.finish(args.pgn.as_deref())?;
    Ok(())
}

struct Session<W> {
    output: W,
    engine: Engine,
    limits: Limits,
    start: Position,
    moves: Vec<Move>,
    game: Game,
    human: Color,
    look: Look,
    end: Option<End>,
}

impl<W: Write> Session<W> {
    /// As it is: boards, and what is there to be copied.
    fn print(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    /// A sentence, broken where the terminal is narrow.
    fn say(&mut self, text: &str) -> io::Result<()> {
        let columns = self.look.columns.unwrap_or(usize::MAX);
        self.print(&wrapped(text, columns, 0).join("\n"))
    }

    /// A list of words and their meanings.
    fn explain(&mut self, list: &str) -> io::Result<()> {
        let columns = self.look.columns.unwrap_or(usize::MAX);
        list.lines().try_for_each(|line| self.print(&wrapped(line, columns, HELP_INDENT).join("\n")))
    }

    fn prompt(&mut self) -> io::Result<()> {
        write!(self.output, "> ")?;
        self.output.flush()
    }

    fn show(&mut self) -> io::Result<()> {
        let text = board::draw(&self.game.position, self.look).join("\n");
        self.print(&format!("\n{text}\n"))
    }

    /// Acts on one line; `false` ends the game.
    fn obey(&mut self, line: &str) -> io::Result<bool> {
        match line.to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(false),
            "help" | "?" => self.explain(HELP)?,
            "undo" => self.undo()?,
            "hint" => self.hint()?,
            "eval" => self.say(&board::evaluation(&self.game.position))?,
            "flip" => {
                self.look.flipped ^= true;
                self.show()?;
            }
            "board" | "d" => self.show()?,
            "fen" => self.print(&self.game.position.fen())?,
            "pgn" => self.print(&self.pgn(self.look.columns.unwrap_or(PGN_WIDTH).min(PGN_WIDTH)))?,
            "resign" if self.end.is_none() => self.over(End::Resigned(!self.human))?,
            _ if self.end.is_some() => self.say("The game is over: undo, pgn or quit.")?,
            _ => match read_move(&self.game.position, line) {
                Some(m) => {
                    self.play(m);
                    self.turn()?;
                }
                None => self.say(&format!("'{}' is neither a legal move nor a command; try help.", printable(line)))?,
            },
        }
        self.prompt()?;
        Ok(true)
    }

    fn play(&mut self, m: Move) {
        self.moves.push(m);
        self.game.play(m);
    }

    fn over(&mut self, end: End) -> io::Result<()> {
        self.end = Some(end);
        self.say(&end.text())
    }

    /// After a move: the end of the game, or the engine's answer if it is its turn.
    fn turn(&mut self) -> io::Result<()> {
        if let Some(end) = End::of(&self.game) {
            self.show()?;
            return self.over(end);
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
            format!("   ({}, depth {})", score_text(&info, before.turn()), info.depth)
        });
        self.say(&format!("Aspirant plays {}{score}", san_line(&before, &[m])))?;
        End::of(&self.game).map_or(Ok(()), |end| self.over(end))
    }

    /// What the engine would play here.
    fn search(&mut self) -> (BestMove, Option<SearchInfo>) {
        let (found, result): (Sender<_>, Receiver<_>) = unbounded();
        self.engine.set_game(self.game.clone());
        self.engine.go(self.limits.clone(), Box::new(LastWord { info: None, found }));
        result.recv().unwrap_or_default()
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.end.is_some() {
            return self.say("The game is over.");
        }
        let (answer, info) = self.search();
        let line = info.map(|info| info.pv).or(answer.best.map(|m| vec![m])).unwrap_or_default();
        let text = san_line(&self.game.position, line.get(..line.len().min(5)).unwrap_or(&line));
        self.say(&format!("Perhaps {text}"))
    }

    /// Takes back a resignation; otherwise back to the position before the human's last move.
    fn undo(&mut self) -> io::Result<()> {
        if matches!(self.end, Some(End::Resigned(_))) {
            self.end = None;
            return self.say("The game goes on.");
        }
        let humans_turn = |ply: usize| if ply.is_multiple_of(2) { self.start.turn() } else { !self.start.turn() };
        let target = (0..self.moves.len()).rev().find(|&ply| humans_turn(ply) == self.human);
        let Some(target) = target else { return self.say("There is no move of yours to take back.") };
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
            false => format!("Aspirant {}", crate::version()),
        });
        let result = self.end.map_or("*", End::result);
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
        let moves = san_line(&self.start, &self.moves).replace('…', "...");
        let text = format!("{moves} {result}");
        format!("{out}\n{}\n", wrapped(text.trim_start(), width, 0).join("\n"))
    }

    /// Saves the game, if that is wanted. A file that has appeared meanwhile is left alone, too: the game goes
    /// to the output then.
    fn finish(&mut self, path: Option<&Path>) -> io::Result<()> {
        if let Some(path) = path {
            let pgn = self.pgn(PGN_WIDTH);
            let file = OpenOptions::new().write(true).create_new(true).open(path);
            match file.and_then(|mut file| file.write_all(pgn.as_bytes())) {
                Ok(()) => self.say(&format!("Saved in {}", path.display()))?,
                Err(error) => {
                    self.say(&format!("{} cannot be written: {error}", path.display()))?;
                    self.print(&format!("\n{pgn}"))?;
                }
            }
        }
        self.output.flush()
    }
}

/// A move as a person writes it, or as a program does.
fn read_move(position: &Position, text: &str) -> Option<Move> {
    let bare = text.trim_end_matches(['+', '#', '!', '?']).replace('0', "O");
    let bare = bare.strip_suffix("e.p.").unwrap_or(&bare).trim();
    let san = San::from_ascii(bare.as_bytes()).ok().and_then(|san| san.to_move(position.chess()).ok());
    san.or_else(|| parse_move(position, text))
}

/// The date as PGN writes it.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let date = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    date.map_or_else(|| "????.??.??".into(), |date| format!("{:04}.{:02}.{:02}", date.year(), date.month(), date.day()))
}

/// Keeps the last line of the search and hands it over with the answer.
struct LastWord {
    info: Option<SearchInfo>,
    found: Sender<(BestMove, Option<SearchInfo>)>,
}

impl Reporter for LastWord {
    fn info(&mut self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            self.info = Some(info.clone());
        }
    }

    fn best_move(&mut self, answer: BestMove) {
        let _ = self.found.send((answer, self.info.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> Args {
        Args { side: Side::White, fen: None, movetime: None, depth: Some(2), pgn: None }
    }

    fn script(args: &Args, input: &str) -> String {
        let mut output = Vec::new();
        play(args, Config::default(), Look::default(), input.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_mate_is_announced_and_the_game_is_over() {
        let fen = Some("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4".into());
        let said = script(&Args { fen, ..args() }, "Qxf7#\nKe7\npgn\n");
        assert!(said.contains("Checkmate: White wins.") && said.contains("The game is over"), "{said}");
        assert!(said.contains("4. Qxf7# 1-0") && said.contains("[FEN \"r1bqkb1r"), "{said}");
    }

    #[test]
    fn moves_in_every_spelling_and_nonsense() {
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let position = parse_fen(castle).unwrap();
        for text in ["O-O", "0-0", "e1g1", "e1h1", "E1G1", "O-O!?"] {
            assert!(read_move(&position, text).is_some_and(Move::is_castle), "{text}");
        }
        let said = script(&args(), "e5\nKe8\n\nrubbish \u{1b}[31m\ne4\n\u{ff}\nquit\nd4\n");
        assert_eq!(said.matches("is neither a legal move nor a command").count(), 4, "{said}");
        assert!(said.contains("Aspirant plays 1… ") && !said.contains('\u{1b}'), "{said}");
    }

    #[test]
    fn undo_hint_and_the_rest() {
        let input = "undo\ne4\nundo\nfen\nhint\neval\nflip\nhelp\nboard\nresign\nundo\nd4\nresign\nresign\npgn\n";
        let said = script(&args(), input);
        assert!(said.contains("There is no move of yours to take back"), "{said}");
        assert!(said.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{said}");
        for part in [
            "Perhaps 1. ",
            "The game goes on",
            "Static evaluation",
            "h  g  f",
            "White resigns: Black wins.",
            "The game is over",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(said.contains("1. d4 ") && said.contains(" 0-1"), "{said}");
    }

    #[test]
    fn the_engine_moves_first_if_it_is_white() {
        let said = script(&Args { side: Side::Black, ..args() }, "");
        assert!(said.contains("You play black") && said.contains("Aspirant plays 1. "), "{said}");
    }

    #[test]
    fn draws_are_announced() {
        for (fen, m, part) in [
            ("6k1/8/8/8/8/8/8/K6R w - - 99 80", "Rg1", "Fifty moves"),
            ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate"),
            ("7k/8/8/8/8/1n6/K7/8 w - - 0 1", "Kxb3", "Nobody can give mate"),
        ] {
            let said = script(&Args { fen: Some(fen.into()), ..args() }, m);
            assert!(said.contains(part) && said.contains("a draw"), "{fen}: {said}");
        }
        let mut game = Game::default();
        game.play_uci("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ')).unwrap();
        assert_eq!(End::of(&game), Some(End::Repetition));
    }

    #[test]
    fn a_narrow_terminal_gets_short_lines() {
        let input = "help\ne4\nhint\neval\nnonsense that goes on and on and on\npgn\nresign\n";
        for columns in [20, 27, 40, 60] {
            let mut output = Vec::new();
            let look = Look { columns: Some(columns), ..Look::default() };
            play(&args(), Config::default(), look, input.as_bytes(), &mut output).unwrap();
            let said = String::from_utf8(output).unwrap();
            // What is typed after the prompt would end its line; a PGN's tags are never broken.
            let lines = said.lines().map(|line| line.trim_start_matches("> ")).filter(|line| !line.starts_with('['));
            let wide = lines.into_iter().find(|line| line.chars().count() > columns);
            assert_eq!(wide, None, "{columns}: {said}");
        }
    }
}
