//! The command `play`: a game against the engine in the terminal.
//!
//! Moves are accepted in SAN (Nf3, exd5, O-O) and in UCI notation (g1f3), in any case; any other line is a command. The
//! engine runs with all its UCI options. On a terminal, lines can be edited and repeated. Otherwise lines are read from
//! stdin and written to stdout, so a script can play a game; the end of the input ends the game. A game on a terminal is
//! always saved.
#![doc(hidden)]

use std::fs::OpenOptions;
use std::io::{self, BufRead, IsTerminal as _, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueHint;
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use rustyline::error::ReadlineError;
use shakmaty::{Color, Move};

use super::analyze::format_score;
use super::arguments::{EngineArgs, LimitArgs, PositionArgs};
use super::display::{self, BoardStyle};
use super::limited_strength;
use crate::board::game::{Game, GameOutcome};
use crate::board::notation::MoveError;
use crate::board::pgn::{self, PgnGame};
use crate::board::position::printable;
use crate::book::Book;
use crate::config::Config;
use crate::config::options::nearest;
use crate::config::strength::{MAX_ELO, MAX_SKILL_LEVEL, MIN_ELO};
use crate::engine::Engine;
use crate::platform::bytes::decode_os;
use crate::platform::files::error_reason;
use crate::platform::lines::lines;
use crate::platform::system::{count_interrupts, set_echo, take_interrupts};
use crate::score::{DRAW, Score, moves_to_mate};
use crate::search::limits::Limits;
use crate::search::report::{Reporter, SearchResult};
use crate::terminal::{EXIT_INTERRUPTED, Failure, on_interrupt, wrap};
use crate::uci::log::utc_date;

const NOTES: &str = "\
Without a limit, the engine thinks for 1 second a move. Ctrl-C while it thinks
means: move now. `help` lists the commands of the game.

Examples:
  aspirant play --side black --elo 1500
  aspirant play e4 c5 --level 5 --pgn games.pgn
";

/// The arguments of `play`.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = NOTES)]
pub struct PlayArgs {
    #[command(flatten)]
    pub position: PositionArgs,
    /// Side that you play
    #[arg(short, long, value_name = "SIDE", value_enum, default_value_t = Side::White)]
    pub side: Side,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Playing strength of the engine as an Elo rating
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(i64).range(MIN_ELO..=MAX_ELO), conflicts_with = "level")]
    pub elo: Option<i64>,
    /// Playing strength of the engine, from 0 to 20 (full strength)
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=MAX_SKILL_LEVEL))]
    pub level: Option<i64>,
    /// Opening book in Polyglot format
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["depth", "nodes"])]
    pub book: Option<PathBuf>,
    /// PGN file to append the game to (default on a terminal: aspirant-games.pgn)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub pgn: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// A side of the board.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Side {
    /// White moves first.
    #[default]
    #[value(alias = "w")]
    White,
    /// Black moves second.
    #[value(alias = "b")]
    Black,
    /// White or Black.
    #[value(alias = "r")]
    Random,
}

const HELP: &str = "\
Moves:     Nf3, exd5, O-O, e8=Q, or g1f3, e7e8q; in any case
moves      list the legal moves
undo N     take back your last N moves (1) and the replies; also: takeback
hint       show the variation of the engine at full strength
eval       show the static evaluation of the position
level N    set the strength of the engine, from 0 to 20
flip       flip the board
board      show the board again
fen        show the position as FEN
pgn        show the game as PGN
draw       offer a draw
resign     resign the game
new        begin a new game
save FILE  save the game
quit       leave the program
Ctrl-C     while the engine thinks: let it move now";
/// Commands that are suggested for a misspelled one.
const COMMANDS: [&str; 17] = [
    "help", "moves", "undo", "takeback", "hint", "eval", "level", "flip", "board", "fen", "pgn", "draw", "resign",
    "new", "save", "quit", "exit",
];
/// Column at which the descriptions in [`HELP`] begin.
const HELP_INDENT: usize = 11;
const PROMPT: &str = "> ";
/// Maximum width of the move text of a PGN, in columns.
const PGN_WIDTH: usize = 80;
/// File for games on a terminal without `--pgn`.
const DEFAULT_PGN: &str = "aspirant-games.pgn";
/// Minimum time between two updates of the line that shows the state of the search.
const INDICATOR_INTERVAL: Duration = Duration::from_millis(100);
/// Time between two looks for Ctrl-C during a search.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

/// Winner, if there is one, and reason of the end of a game.
#[derive(Clone, Debug)]
struct GameEnd {
    winner: Option<Color>,
    text: String,
}

impl GameEnd {
    fn by_rules(outcome: GameOutcome) -> Self {
        Self { winner: outcome.winner(), text: format!("{outcome}.") }
    }

    fn by_resignation(loser: Color) -> Self {
        Self { winner: Some(!loser), text: format!("{} resigns: {} wins.", name(loser), name(!loser)) }
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// The game as it would be saved now, shared with the handler of signals.
#[derive(Default)]
struct UnsavedGame {
    path: Option<PathBuf>,
    /// Empty before the first move.
    pgn: String,
    /// What was saved, and where in the file.
    saved: Option<(String, Range<u64>)>,
}

impl UnsavedGame {
    /// Appends the game to its file, or replaces what was saved of it there; returns a message.
    ///
    /// `None` without a file, or if nothing has changed.
    fn save(&mut self) -> Option<Result<String, String>> {
        let is_saved = self.saved.as_ref().is_some_and(|(pgn, _)| *pgn == self.pgn);
        let path = self.path.as_deref().filter(|_| !is_saved && !self.pgn.is_empty())?;
        let former = self.saved.as_ref().map(|(_, range)| range.clone());
        Some(match append_game(path, &self.pgn, former) {
            Ok(range) => {
                let text = format!("Saved in {}", path.display());
                self.saved = Some((self.pgn.clone(), range));
                Ok(text)
            }
            Err(error) => Err(format!("cannot write {}: {}", path.display(), error_reason(&error))),
        })
    }
}

/// Appends a game to a PGN file, after an empty line; returns its place in the file.
///
/// What is at `former` is replaced, if it still is the end of the file.
fn append_game(path: &Path, pgn: &str, former: Option<Range<u64>>) -> io::Result<Range<u64>> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let length = file.metadata()?.len();
    let start = former.filter(|former| former.end == length).map_or(length, |former| former.start);
    file.set_len(start)?;
    let separator = if start > 0 { "\n" } else { "" };
    file.write_all(format!("{separator}{pgn}").as_bytes())?;
    Ok(start..file.metadata()?.len())
}

/// Returns an error if a game cannot be appended to this file.
fn check_pgn_file(path: &Path) -> Result<(), String> {
    let exists = path.exists();
    if exists && !path.is_file() {
        return Err(format!("{}: not a regular file; choose another file", path.display()));
    }
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| format!("cannot write {}: {}", path.display(), error_reason(&error)))?;
    if !exists {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Plays a game on stdin and stdout.
///
/// # Errors
/// If the position, the book or the file of `--pgn` is invalid, or if input, output or saving fails.
pub fn run(args: &PlayArgs, config: Config) -> Result<(), Failure> {
    let style = BoardStyle::for_terminal(&console::Term::stdout());
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut session = PlaySession::new(args, config, style, io::stdout())?;
    save_on_signal(Arc::clone(&session.unsaved));
    if is_terminal {
        session.is_terminal = true;
        session.unsaved().path.get_or_insert_with(|| DEFAULT_PGN.into());
        count_interrupts();
    }
    let played = session
        .start()
        .and_then(|()| if is_terminal { session.edit_lines() } else { session.read_lines(io::stdin().lock()) });
    // The game is saved even if the input or the output failed.
    let finished = session.finish();
    played?;
    finished
}

/// Saves the game and ends the program at a signal, for example when the terminal is closed.
fn save_on_signal(unsaved: Arc<Mutex<UnsavedGame>>) {
    on_interrupt(move || {
        set_echo(true);
        let mut unsaved = unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing fails if the terminal was closed.
        let _ = match unsaved.save() {
            None => Ok(()),
            Some(Ok(message)) => writeln!(io::stderr(), "\n{message}"),
            Some(Err(reason)) => writeln!(io::stderr(), "\naspirant: {reason}; the game:\n\n{}", unsaved.pgn),
        };
        std::process::exit(EXIT_INTERRUPTED);
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
    /// Score of the last search for the engine.
    last_score: Option<Score>,
    /// Whether lines are read from a terminal and printed to one.
    is_terminal: bool,
    /// Strength of the engine, for example "Elo 1500".
    strength: Option<String>,
    /// The strength at the last move of the engine, for the PGN.
    played_strength: Option<String>,
    unsaved: Arc<Mutex<UnsavedGame>>,
}

impl<W: Write> PlaySession<W> {
    fn new(args: &PlayArgs, mut config: Config, style: BoardStyle, output: W) -> Result<Self, Failure> {
        if let Some(path) = &args.pgn {
            check_pgn_file(path)?;
        }
        let game = args.position.game()?.unwrap_or_default();
        let limits = args.limits.limits_or(Limits::move_time(1000));
        args.engine.apply_to(&mut config, &limits);
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
        let human = match args.side {
            Side::White => Color::White,
            Side::Black => Color::Black,
            Side::Random => Color::from_white(fastrand::bool()),
        };
        let unsaved = UnsavedGame { path: args.pgn.clone(), ..UnsavedGame::default() };
        Ok(Self {
            output,
            engine,
            limits,
            game,
            human,
            style: BoardStyle { flipped: human == Color::Black, ..style },
            end: None,
            last_score: None,
            is_terminal: false,
            played_strength: strength.clone(),
            strength,
            unsaved: Arc::new(Mutex::new(unsaved)),
        })
    }

    /// Prints the first lines and plays the first move of the engine if it is to move.
    fn start(&mut self) -> io::Result<()> {
        for warning in self.engine.take_startup_messages() {
            self.print_wrapped(&warning)?;
        }
        self.begin()
    }

    fn begin(&mut self) -> io::Result<()> {
        self.played_strength.clone_from(&self.strength);
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
        let mut is_leaving = false;
        loop {
            self.output.flush()?;
            match editor.readline(PROMPT) {
                Ok(line) if self.handle_line(line.trim())? => is_leaving = false,
                Err(ReadlineError::Interrupted) if !is_leaving => {
                    is_leaving = true;
                    self.print_wrapped("To leave, press Ctrl-C again or type quit; the game is saved.")?;
                }
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
        let (word, argument) = line.split_once(' ').unwrap_or((line, ""));
        let (word, argument) = (word.to_ascii_lowercase(), argument.trim());
        match word.as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(false),
            "help" | "?" => self.print_help()?,
            "moves" => self.print_moves()?,
            "undo" | "takeback" => self.undo(argument)?,
            "hint" => self.hint()?,
            "eval" => {
                if let Some(evaluator) = self.engine.evaluator() {
                    self.print_wrapped(&display::evaluation(&self.game.position, evaluator))?;
                }
            }
            "level" => self.set_level(argument)?,
            "flip" => {
                self.style.flipped ^= true;
                self.show()?;
            }
            "board" | "d" => self.show()?,
            "fen" => self.print(&self.game.position.fen())?,
            "pgn" => self.print(&self.pgn(self.style.columns.unwrap_or(PGN_WIDTH).min(PGN_WIDTH)))?,
            "save" => self.save(argument)?,
            "new" => self.new_game()?,
            "draw" if self.end.is_none() => self.offer_draw()?,
            "resign" if self.end.is_none() => self.end_game(GameEnd::by_resignation(self.human))?,
            _ if self.end.is_some() => self.print_wrapped("The game is over. Commands: new, undo, pgn, save, quit.")?,
            _ => match self.game.position.parse_move(line) {
                Ok(m) => {
                    self.play(m);
                    self.take_turn()?;
                }
                Err(MoveError::NotAMove) => {
                    let hint = match nearest(&word, COMMANDS.into_iter()) {
                        Some(name) => format!("did you mean '{name}'?"),
                        None => "type help for a list.".into(),
                    };
                    self.print_wrapped(&format!(
                        "'{}' is neither a legal move nor a command; {hint}",
                        printable(line)
                    ))?;
                }
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
        self.unsaved().pgn = pgn;
    }

    fn end_game(&mut self, end: GameEnd) -> io::Result<()> {
        let result = pgn::outcome(end.winner).as_str();
        let text = format!("{} Result: {result}. To play again, type new.", end.text);
        self.end = Some(end);
        self.update_unsaved();
        self.print_wrapped(&text)
    }

    /// Saves the game in the file that is in use, or in another one, which is used from then on.
    fn save(&mut self, file: &str) -> io::Result<()> {
        if !file.is_empty() {
            if let Err(reason) = check_pgn_file(Path::new(file)) {
                return self.print_wrapped(&reason);
            }
            *self.unsaved() = UnsavedGame { path: Some(file.into()), ..UnsavedGame::default() };
            self.update_unsaved();
        }
        let saved = self.unsaved().save();
        let text = match (saved, &self.unsaved().path) {
            (Some(Ok(text) | Err(text)), _) => text,
            (None, Some(path)) => format!("The game will be saved in {}", path.display()),
            (None, None) => "save: expected a file".into(),
        };
        self.print_wrapped(&text)
    }

    /// Saves the game and begins a new one from the same position.
    fn new_game(&mut self) -> io::Result<()> {
        let saved = self.unsaved().save();
        match saved {
            None => {}
            // The game is not lost.
            Some(Err(reason)) => return self.print_wrapped(&format!("{reason}; save FILE saves it elsewhere")),
            Some(Ok(text)) => self.print_wrapped(&text)?,
        }
        self.unsaved().saved = None;
        self.game = Game::new(self.game.start().clone());
        (self.end, self.last_score) = (None, None);
        self.update_unsaved();
        self.engine.new_game();
        self.begin()
    }

    /// Ends the game if the engine, by its last search, is not better.
    fn offer_draw(&mut self) -> io::Result<()> {
        if self.last_score.is_some_and(|score| score <= DRAW) {
            return self.end_game(GameEnd { winner: None, text: "Draw agreed.".into() });
        }
        self.print_wrapped("Aspirant declines the draw.")
    }

    fn set_level(&mut self, level: &str) -> io::Result<()> {
        if let Err(error) = self.engine.set_option("Skill Level", level) {
            return self.print_wrapped(&error.to_string());
        }
        let _ = self.engine.set_option("UCI_LimitStrength", "false");
        self.strength = limited_strength(self.engine.options());
        let strength = self.strength.clone().unwrap_or_else(|| "full strength".into());
        self.print_wrapped(&format!("Aspirant now plays at {strength}."))
    }

    fn unsaved(&self) -> MutexGuard<'_, UnsavedGame> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.last_score = Some(result.score());
        self.played_strength.clone_from(&self.strength);
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

    fn search(&mut self) -> io::Result<SearchResult> {
        let (sender, result) = bounded(1);
        let (columns, turn) = (self.style.columns, self.game.position.turn());
        self.output.flush()?;
        self.engine.set_game(self.game.clone());
        let indicator = Indicator { result: sender, columns, turn, last_drawn: Instant::now() };
        if self.is_terminal {
            set_echo(false);
        }
        // Without a clock, nothing is lost by waiting for a late result.
        self.engine.go_without_deadline(self.limits.clone(), Box::new(indicator));
        let mut interrupts = 0;
        let result = loop {
            match result.recv_timeout(INTERRUPT_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => {
                    interrupts += take_interrupts();
                    if interrupts > 0 {
                        self.engine.stop();
                    }
                }
                result => break result.unwrap_or_default(),
            }
        };
        take_interrupts();
        if self.is_terminal {
            set_echo(true);
        }
        for message in &result.messages {
            self.print_wrapped(message)?;
        }
        Ok(result)
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.end.is_some() {
            return self.print_wrapped("The game is over.");
        }
        let options = self.engine.options();
        let (limited, level) = (options.limit_strength().to_string(), options.skill_level().to_string());
        self.set_strength("false", &MAX_SKILL_LEVEL.to_string());
        let result = self.search();
        self.set_strength(&limited, &level);
        let result = result?;
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

    fn set_strength(&mut self, is_limited: &str, level: &str) {
        for (name, value) in [("UCI_LimitStrength", is_limited), ("Skill Level", level)] {
            let _ = self.engine.set_option(name, value);
        }
    }

    /// Takes back the last moves of the human, by default one, and all moves after them.
    fn undo(&mut self, count: &str) -> io::Result<()> {
        let number = if count.is_empty() { Some(1) } else { count.parse().ok().filter(|&number: &usize| number > 0) };
        let Some(number) = number else {
            return self.print_wrapped(&format!("undo: expected a number of moves, found '{}'.", printable(count)));
        };
        let (start, moves) = (self.game.start(), self.game.moves());
        let side_to_move = |ply: usize| if ply.is_multiple_of(2) { start.turn() } else { !start.turn() };
        let mut target = (0..moves.len()).rev().filter(|&ply| side_to_move(ply) == self.human);
        let target = target.nth(number - 1);
        let Some(target) = target else {
            return self.print_wrapped("You have not played so many moves.");
        };
        self.game.truncate(target);
        self.end = None;
        self.update_unsaved();
        self.show()
    }

    fn pgn(&self, width: usize) -> String {
        let engine = match &self.played_strength {
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
        let saved = self.unsaved().save();
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
    utc_date().replace('-', ".")
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
        PlayArgs { limits: LimitArgs { depth: Some(2), ..LimitArgs::default() }, ..PlayArgs::default() }
    }

    fn args_from(fen: &str) -> PlayArgs {
        PlayArgs { position: PositionArgs { position: vec![fen.into()] }, ..args() }
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
        let printed = play_script(&args(), "e5\nKe8\n\nrubbish \u{1b}[31m\ne4\n\u{ff}\nresgin\nquit\nd4\n");
        assert_eq!(printed.matches("is neither a legal move nor a command").count(), 3, "{printed}");
        assert!(printed.contains("did you mean 'resign'?"), "{printed}");
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
        assert!(printed.contains("You have not played so many moves"), "{printed}");
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
        // A new level does not change the name in a game that has ended.
        let printed = play_script(&args(), "e4\nresign\nlevel 3\npgn\n");
        assert!(printed.contains("at level 3") && !printed.contains("(level 3"), "{printed}");
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
        let printed = play_script(&args_from("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "");
        assert_eq!(printed.matches("a  b  c").count(), 1, "{printed}");
    }

    #[test]
    fn draws_are_announced() {
        for (fen, m, part) in [
            ("6k1/8/8/8/8/8/8/K6R w - - 99 80", "Rg1", "Fifty moves"),
            ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "Stalemate"),
            ("7k/8/8/8/8/1n6/K7/8 w - - 0 1", "Kxb3", "Insufficient material"),
        ] {
            let printed = play_script(&args_from(fen), m);
            assert!(printed.contains(part) && printed.contains("a draw"), "{fen}: {printed}");
        }
        let mut game = Game::default();
        game.play_moves("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ')).unwrap();
        assert_eq!(game.outcome(), Some(GameOutcome::Repetition));
    }
}
