//! The command `play`: a game against the engine in the terminal.
//!
//! Moves are accepted in SAN (Nf3, exd5, O-O) and in UCI notation (g1f3), in any case; any other line is a command. The
//! engine runs with all its UCI options. On a terminal, lines can be edited and repeated. Otherwise lines are read from
//! stdin and written to stdout, so a script can play a game; the end of the input ends the game.
#![doc(hidden)]

use std::fs::OpenOptions;
use std::io::{self, BufRead, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike as _};
use crossbeam_channel::{Sender, bounded};
use rustyline::error::ReadlineError;
use shakmaty::{Color, Move};

use super::analyze::format_score;
use super::display::{self, BoardStyle};
use super::limited_strength;
use crate::board::game::{Game, GameOutcome};
use crate::board::notation::MoveError;
use crate::board::pgn::{self, PgnGame};
use crate::board::position::{Position, parse_fen, printable};
use crate::book::Book;
use crate::config::Config;
use crate::config::strength::{MAX_ELO, MAX_SKILL_LEVEL, MIN_ELO};
use crate::engine::Engine;
use crate::platform::bytes::decode_os;
use crate::platform::files::error_reason;
use crate::platform::lines::lines;
use crate::score::moves_to_mate;
use crate::search::limits::Limits;
use crate::search::report::{Reporter, SearchResult};
use crate::terminal::{Failure, on_interrupt, wrap};

/// The arguments of `play`.
#[derive(clap::Args, Clone, Debug)]
pub struct PlayArgs {
    /// Side that you play
    #[arg(long, value_name = "SIDE", value_enum, default_value_t = Side::White)]
    pub side: Side,
    /// Position to start from (default: the initial position)
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Time of the engine per move in milliseconds (default: 1000)
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u32>,
    /// Search depth of the engine in plies
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// Playing strength of the engine as an Elo rating
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(MIN_ELO..=MAX_ELO), conflicts_with = "level")]
    pub elo: Option<i64>,
    /// Playing strength of the engine, from 0 to 20 (full strength)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=MAX_SKILL_LEVEL))]
    pub level: Option<i64>,
    /// Opening book in Polyglot format
    #[arg(long, value_name = "FILE", conflicts_with = "depth")]
    pub book: Option<PathBuf>,
    /// PGN file to append the game to
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

const HELP: &str = "\
Moves:     Nf3, exd5, O-O, e8=Q, or g1f3, e7e8q; in any case
moves      list the legal moves
undo       take back your last move and the reply
hint       show the variation the engine would play
eval       show the static evaluation of the position
flip       flip the board
board      show the board again
fen        show the position as FEN
pgn        show the game as PGN
resign     resign the game
quit       leave the program (as do Ctrl-C and Ctrl-D)";
/// Column at which the descriptions in [`HELP`] begin.
const HELP_INDENT: usize = 11;
const PROMPT: &str = "> ";
/// Maximum width of the move text of a PGN, in columns.
const PGN_WIDTH: usize = 80;
/// Minimum time between two updates of the line that shows the state of the search.
const INDICATOR_INTERVAL: Duration = Duration::from_millis(100);

/// Winner, if there is one, and reason of the end of a game.
#[derive(Clone, Debug)]
struct GameEnd {
    winner: Option<Color>,
    text: String,
}

impl GameEnd {
    fn by_rules(outcome: GameOutcome) -> Self {
        let text = match outcome {
            GameOutcome::Checkmate { winner } => format!("Checkmate: {} wins.", name(winner)),
            GameOutcome::Stalemate => "Stalemate: a draw.".into(),
            GameOutcome::Repetition => "The same position for the third time: a draw.".into(),
            GameOutcome::FiftyMoves => "Fifty moves without capture or pawn move: a draw.".into(),
            GameOutcome::InsufficientMaterial => "Insufficient material: a draw.".into(),
        };
        Self { winner: outcome.winner(), text }
    }

    fn by_resignation(loser: Color) -> Self {
        Self { winner: Some(!loser), text: format!("{} resigns: {} wins.", name(loser), name(!loser)) }
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// The game as it would be saved now, shared with the handler of Ctrl-C.
#[derive(Default)]
struct UnsavedGame {
    path: Option<PathBuf>,
    /// Empty before the first move.
    pgn: String,
    is_saved: bool,
}

impl UnsavedGame {
    /// Appends the game to its file, if there is one, at most once; returns a message.
    fn save(&mut self) -> Option<Result<String, String>> {
        let path = self.path.as_deref().filter(|_| !self.is_saved && !self.pgn.is_empty())?;
        self.is_saved = true;
        Some(match append_game(path, &self.pgn) {
            Ok(()) => Ok(format!("Saved in {}", path.display())),
            Err(error) => Err(format!("cannot write {}: {}", path.display(), error_reason(&error))),
        })
    }
}

/// Appends a game to a PGN file, after an empty line.
fn append_game(path: &Path, pgn: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let separator = if file.metadata()?.len() > 0 { "\n" } else { "" };
    file.write_all(format!("{separator}{pgn}").as_bytes())
}

/// Plays a game on stdin and stdout.
///
/// # Errors
/// If the position, the book or the file of `--pgn` is invalid, or if input, output or saving fails.
pub fn run(args: &PlayArgs, config: Config) -> Result<(), Failure> {
    let style = BoardStyle::for_terminal(&console::Term::stdout());
    let mut session = PlaySession::new(args, config, style, io::stdout())?;
    save_on_interrupt(Arc::clone(&session.unsaved));
    let played = session.start().and_then(|()| {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            session.edit_lines()
        } else {
            session.read_lines(io::stdin().lock())
        }
    });
    // The game is saved even if the input or the output failed.
    let finished = session.finish();
    played?;
    finished
}

/// Saves the game and ends the program on Ctrl-C during a search and when the terminal is closed.
fn save_on_interrupt(unsaved: Arc<Mutex<UnsavedGame>>) {
    on_interrupt(move || {
        let mut unsaved = unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing fails if the terminal was closed.
        let _ = match unsaved.save() {
            None => Ok(()),
            Some(Ok(message)) => writeln!(io::stderr(), "\n{message}"),
            Some(Err(reason)) => writeln!(io::stderr(), "\naspirant: {reason}; the game:\n\n{}", unsaved.pgn),
        };
        // 128 + SIGINT, as shells report it.
        std::process::exit(130);
    });
}

struct PlaySession<W> {
    output: W,
    engine: Engine,
    limits: Limits,
    game: Game,
    human: Color,
    style: BoardStyle,
    end: Option<GameEnd>,
    /// Strength of the engine for the PGN and the first line, for example "Elo 1500".
    strength: Option<String>,
    unsaved: Arc<Mutex<UnsavedGame>>,
}

impl<W: Write> PlaySession<W> {
    fn new(args: &PlayArgs, mut config: Config, style: BoardStyle, output: W) -> Result<Self, Failure> {
        if let Some(path) = &args.pgn
            && path.exists()
            && !path.is_file()
        {
            return Err(format!("--pgn {}: not a regular file; choose another file", path.display()).into());
        }
        let start = args.fen.as_deref().map_or_else(|| Ok(Position::default()), parse_fen)?;
        let mut set = |name: &str, value: String| drop(config.options.set(name, &value));
        // Both disable the book.
        set("MultiPV", "1".into());
        set("UCI_AnalyseMode", "false".into());
        if let Some(path) = &args.book {
            drop(Book::open(path)?);
            set("Book File", decode_os(path.as_os_str()));
            set("OwnBook", "true".into());
        }
        if let Some(elo) = args.elo {
            set("UCI_LimitStrength", "true".into());
            set("UCI_Elo", elo.to_string());
        }
        if let Some(level) = args.level {
            set("UCI_LimitStrength", "false".into());
            set("Skill Level", level.to_string());
        }
        let strength = limited_strength(&config.options);
        let engine = Engine::new(config)?;
        let human = if args.side == Side::White { Color::White } else { Color::Black };
        let move_time = args.movetime.or(args.depth.is_none().then_some(1000)).map(i64::from);
        let unsaved = UnsavedGame { path: args.pgn.clone(), ..UnsavedGame::default() };
        Ok(Self {
            output,
            engine,
            limits: Limits { depth: args.depth, move_time, ..Limits::default() },
            game: Game::new(start),
            human,
            style: BoardStyle { flipped: human == Color::Black, ..style },
            end: None,
            strength,
            unsaved: Arc::new(Mutex::new(unsaved)),
        })
    }

    /// Prints the first lines and plays the first move of the engine if it is to move.
    fn start(&mut self) -> io::Result<()> {
        for warning in self.engine.take_startup_messages() {
            self.print_wrapped(&warning)?;
        }
        let strength = self.strength.as_ref().map_or_else(String::new, |strength| format!(" against {strength}"));
        let side = self.human.fold_wb("white", "black");
        self.print_wrapped(&format!("You play {side}{strength}. Type a move or `help`."))?;
        // The board of a finished game is shown with its result.
        if self.game.outcome().is_none() {
            self.show()?;
        }
        self.take_turn()
    }

    /// Plays the game with line editing and history.
    fn edit_lines(&mut self) -> io::Result<()> {
        let failed = |error: ReadlineError| match error {
            ReadlineError::Io(error) => error,
            other => io::Error::other(other.to_string()),
        };
        let config = rustyline::Config::builder().auto_add_history(true).build();
        let mut editor = rustyline::DefaultEditor::with_config(config).map_err(failed)?;
        loop {
            self.output.flush()?;
            match editor.readline(PROMPT) {
                Ok(line) if self.handle_line(line.trim())? => {}
                Ok(_) | Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(()),
                // The terminal was closed: the game is saved like after any other end of the input.
                Err(error) => {
                    log::warn!("play: reading the terminal failed: {error}; the game ends");
                    return Ok(());
                }
            }
        }
    }

    /// Plays the game with the lines of a script.
    fn read_lines(&mut self, input: impl BufRead) -> io::Result<()> {
        self.prompt()?;
        let mut result = Ok(true);
        lines(input, |line| {
            result = self.handle_line(line).and_then(|goes_on| {
                if goes_on {
                    self.prompt()?;
                }
                Ok(goes_on)
            });
            matches!(result, Ok(true))
        })?;
        result.map(|_| ())
    }

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
        write!(self.output, "{PROMPT}")?;
        self.output.flush()
    }

    fn show(&mut self) -> io::Result<()> {
        let last_move = self.game.moves().last().map(|m| (m.from().unwrap_or(m.to()), m.to()));
        // Plain boards of scripts stay as they are.
        let last_move = last_move.filter(|_| self.style.columns.is_some());
        let text = display::draw(&self.game.position, BoardStyle { last_move, ..self.style }).join("\n");
        self.print(&format!("\n{text}\n"))
    }

    /// Handles one line of input; returns `false` to end the program.
    fn handle_line(&mut self, line: &str) -> io::Result<bool> {
        match line.to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(false),
            "help" | "?" => self.print_help()?,
            "moves" => self.print_moves()?,
            "undo" => self.undo()?,
            "hint" => self.hint()?,
            "eval" => {
                if let Some(evaluator) = self.engine.evaluator() {
                    self.print_wrapped(&display::evaluation(&self.game.position, evaluator))?;
                }
            }
            "flip" => {
                self.style.flipped ^= true;
                self.show()?;
            }
            "board" | "d" => self.show()?,
            "fen" => self.print(&self.game.position.fen())?,
            "pgn" => self.print(&self.pgn(self.style.columns.unwrap_or(PGN_WIDTH).min(PGN_WIDTH)))?,
            "resign" if self.end.is_none() => self.end_game(GameEnd::by_resignation(self.human))?,
            _ if self.end.is_some() => self.print_wrapped("The game is over. Commands: undo, pgn, quit.")?,
            _ => match self.game.position.parse_move(line) {
                Ok(m) => {
                    self.play(m);
                    self.take_turn()?;
                }
                Err(MoveError::NotAMove) => self.print_wrapped(&format!(
                    "'{}' is neither a legal move nor a command; type help for a list.",
                    printable(line)
                ))?,
                Err(error) => self.print_wrapped(&format!("'{}' is not possible: {error}.", printable(line)))?,
            },
        }
        Ok(true)
    }

    fn play(&mut self, m: Move) {
        self.game.play(m);
        self.update_unsaved();
    }

    fn update_unsaved(&self) {
        let is_empty = self.game.moves().is_empty() && self.end.is_none();
        let pgn = if is_empty { String::new() } else { self.pgn(PGN_WIDTH) };
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).pgn = pgn;
    }

    fn end_game(&mut self, end: GameEnd) -> io::Result<()> {
        let text = end.text.clone();
        self.end = Some(end);
        self.update_unsaved();
        self.print_wrapped(&text)
    }

    /// Ends the game if it is over, or plays a move of the engine if it is to move.
    fn take_turn(&mut self) -> io::Result<()> {
        if let Some(end) = self.game.outcome().map(GameEnd::by_rules) {
            self.show()?;
            return self.end_game(end);
        }
        if self.game.position.turn() == self.human {
            return Ok(());
        }
        let result = self.search()?;
        let Some(m) = result.best_move() else { return Ok(()) };
        let before = self.game.position.clone();
        self.play(m);
        self.show()?;
        let end = self.game.outcome().map(GameEnd::by_rules);
        let note = match result.best() {
            Some(_) if end.is_some() => String::new(),
            Some(_) if result.is_book => "   (book)".into(),
            Some(best) => match moves_to_mate(best.score) {
                Some(moves) if moves > 0 => format!("   (mates in {moves})"),
                Some(moves) => format!("   (is mated in {})", -moves),
                None => format!("   ({}, depth {})", format_score(best, before.turn()), best.depth),
            },
            None => String::new(),
        };
        self.print_wrapped(&format!("Aspirant plays {}{note}", before.san_variation(&[m])))?;
        end.map_or(Ok(()), |end| self.end_game(end))
    }

    /// Searches the current position.
    fn search(&mut self) -> io::Result<SearchResult> {
        let (sender, result) = bounded(1);
        let (columns, turn) = (self.style.columns, self.game.position.turn());
        self.output.flush()?;
        self.engine.set_game(self.game.clone());
        self.engine
            .go(self.limits.clone(), Box::new(Indicator { result: sender, columns, turn, last_drawn: Instant::now() }));
        let result = result.recv().unwrap_or_default();
        for message in &result.messages {
            self.print_wrapped(message)?;
        }
        Ok(result)
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.end.is_some() {
            return self.print_wrapped("The game is over.");
        }
        let result = self.search()?;
        let pv = &result.pv()[..result.pv().len().min(5)];
        let text = self.game.position.san_variation(pv);
        self.print_wrapped(&format!("Hint: {text}"))
    }

    /// Prints the legal moves in SAN, in alphabetical order.
    fn print_moves(&mut self) -> io::Result<()> {
        let position = &self.game.position;
        let mut moves: Vec<String> = position.legal_moves().iter().map(|&m| position.san(m)).collect();
        moves.sort();
        let noun = if moves.len() == 1 { "legal move" } else { "legal moves" };
        let text = format!("{} {noun}: {}", moves.len(), moves.join(" "));
        let text = text.trim_end_matches(": ").to_owned();
        self.print_wrapped(&text)
    }

    /// Takes back all moves since the human's last move.
    fn undo(&mut self) -> io::Result<()> {
        let (start, moves) = (self.game.start(), self.game.moves());
        let side_to_move = |ply: usize| if ply.is_multiple_of(2) { start.turn() } else { !start.turn() };
        let target = (0..moves.len()).rev().find(|&ply| side_to_move(ply) == self.human);
        let Some(target) = target else {
            return self.print_wrapped("You have not played a move that could be taken back.");
        };
        let mut game = Game::new(start.clone());
        moves[..target].iter().for_each(|&m| game.play(m));
        (self.game, self.end) = (game, None);
        self.update_unsaved();
        self.show()
    }

    fn pgn(&self, width: usize) -> String {
        let engine = match &self.strength {
            Some(strength) => format!("Aspirant {} ({strength})", crate::version::version()),
            None => format!("Aspirant {}", crate::version::version()),
        };
        let names = [self.human == Color::White, self.human == Color::Black].map(|human| match human {
            true => "Human".into(),
            false => engine.clone(),
        });
        let mut pgn = PgnGame::new(&self.game);
        if let Some(end) = &self.end {
            pgn.result = Some(pgn::outcome(end.winner));
        }
        let [white, black] = names;
        for (name, value) in [
            ("Event", "Casual game".into()),
            ("Date", today()),
            ("Round", "-".into()),
            ("White", white),
            ("Black", black),
        ] {
            pgn.set_tag(name, value);
        }
        format!("{pgn:width$}")
    }

    /// Saves the game, if requested; if the file cannot be written, the game is printed instead.
    fn finish(&mut self) -> Result<(), Failure> {
        let saved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).save();
        match saved {
            None => {}
            Some(Ok(message)) => self.print_wrapped(&message)?,
            Some(Err(reason)) => {
                self.print_wrapped("The game could not be saved:")?;
                self.print(&format!("\n{}", self.pgn(PGN_WIDTH)))?;
                self.output.flush()?;
                return Err(reason.into());
            }
        }
        Ok(self.output.flush()?)
    }
}

/// Returns the current date (UTC) in the format of PGN.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let date = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    date.map_or_else(|| "????.??.??".into(), |date| format!("{:04}.{:02}.{:02}", date.year(), date.month(), date.day()))
}

/// Shows depth and score of a search in one line on a terminal, and sends the result.
struct Indicator {
    result: Sender<SearchResult>,
    /// Width of the terminal; `None` if stdout is no terminal.
    columns: Option<usize>,
    turn: Color,
    last_drawn: Instant,
}

impl Reporter for Indicator {
    fn progress(&mut self, result: &SearchResult) {
        if let (Some(columns), Some(best)) = (self.columns, result.best())
            && self.last_drawn.elapsed() >= INDICATOR_INTERVAL
        {
            self.last_drawn = Instant::now();
            let text = format!("thinking: depth {}, {}", best.depth, format_score(best, self.turn));
            let text = console::truncate_str(&text, columns.saturating_sub(1), "");
            let mut stdout = io::stdout();
            let _ = write!(stdout, "\r\x1b[K{text}").and_then(|()| stdout.flush());
        }
    }

    fn finished(&mut self, result: &SearchResult) {
        if self.columns.is_some() {
            let _ = write!(io::stdout(), "\r\x1b[K");
        }
        let _ = self.result.send(result.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> PlayArgs {
        PlayArgs {
            side: Side::White,
            fen: None,
            movetime: None,
            depth: Some(2),
            elo: None,
            level: None,
            book: None,
            pgn: None,
        }
    }

    fn play_script(args: &PlayArgs, input: &str) -> String {
        play_in_style(args, BoardStyle::default(), input)
    }

    fn play_in_style(args: &PlayArgs, style: BoardStyle, input: &str) -> String {
        let mut session = PlaySession::new(args, Config::default(), style, Vec::new()).unwrap();
        session.start().unwrap();
        session.read_lines(input.as_bytes()).unwrap();
        session.finish().unwrap();
        String::from_utf8(session.output).unwrap()
    }

    #[test]
    fn illegal_moves_and_nonsense_are_rejected_with_a_reason() {
        let printed = play_script(&args(), "e5\nKe8\n\nrubbish \u{1b}[31m\ne4\n\u{ff}\nquit\nd4\n");
        assert_eq!(printed.matches("is neither a legal move nor a command").count(), 2, "{printed}");
        for part in
            ["'e5' is not possible: no pawn of White can move to e5.", "'Ke8' is not possible: the king on e1 cannot"]
        {
            assert!(printed.contains(part), "{part}: {printed}");
        }
        assert!(printed.contains("Aspirant plays 1… ") && !printed.contains('\u{1b}'), "{printed}");
    }

    #[test]
    fn commands_work_during_and_after_the_game() {
        let input = "undo\ne4\nundo\nfen\nhint\neval\nflip\nhelp\nboard\ne4\nresign\nundo\nd4\nresign\nresign\npgn\n";
        let printed = play_script(&args(), input);
        assert!(printed.contains("You have not played a move"), "{printed}");
        assert!(printed.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{printed}");
        for part in ["Hint: 1. ", "Static evaluation", "h  g  f", "White resigns: Black wins.", "The game is over"] {
            assert!(printed.contains(part), "{part}: {printed}");
        }
        assert!(printed.contains("1. d4 ") && printed.contains(" 0-1"), "{printed}");
    }

    #[test]
    fn strength_is_shown() {
        let printed = play_script(&PlayArgs { elo: Some(MIN_ELO), ..args() }, "");
        assert!(printed.contains(&format!("You play white against Elo {MIN_ELO}.")), "{printed}");
    }

    #[test]
    fn moves_lists_all_legal_moves() {
        let printed = play_script(&args(), "moves\n");
        assert!(printed.contains("20 legal moves: Na3 Nc3 Nf3 Nh3 a3 a4 b3"), "{printed}");
    }

    #[test]
    fn engine_moves_first_as_white() {
        let printed = play_script(&PlayArgs { side: Side::Black, ..args() }, "");
        assert!(printed.contains("You play black") && printed.contains("Aspirant plays 1. "), "{printed}");
    }

    #[test]
    fn finished_game_is_shown_once() {
        let fen = Some("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".into());
        let printed = play_script(&PlayArgs { fen, ..args() }, "");
        assert_eq!(printed.matches("a  b  c").count(), 1, "{printed}");
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
        game.play_moves("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ')).unwrap();
        assert_eq!(game.outcome(), Some(GameOutcome::Repetition));
    }
}
