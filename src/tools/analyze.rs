//! The command `analyze`: shows the board, the principal variations in SAN and a win/draw/loss bar.
//!
//! On a terminal the view is redrawn in place during the search. Otherwise each change of a variation is
//! printed as one plain line. `NO_COLOR` and the width of the terminal are respected. Ctrl-C ends the search and prints
//! the result so far.
#![doc(hidden)]

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use console::{Style, Term, measure_text_width};
use shakmaty::Color;

use super::display::{BoardStyle, draw};
use super::print_messages;
use crate::board::game::Game;
use crate::board::pgn;
use crate::board::position::{Position, parse_fen, printable};
use crate::config::Config;
use crate::engine::{Engine, StopHandle};
use crate::platform::files::{error_reason, read_text};
use crate::platform::memory::available_memory_mb;
use crate::score::{Bound, Score, UciScore, is_decisive, moves_to_mate};
use crate::search::limits::Limits;
use crate::search::report::{Reporter, SearchResult, Variation};
use crate::terminal::{Failure, group_digits, on_first_interrupt, print_error_line, wrap};
use crate::wdl::Wdl;

/// The arguments of `analyze`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct AnalyzeArgs {
    /// Position to analyze (default: the initial position)
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Moves from the starting position (or --fen) to the position to analyze, in SAN or UCI notation, or a PGN file
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    pub moves: Vec<OsString>,
    /// Stop at this depth in plies
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// Stop after this many milliseconds (default: 5000 if no other limit is given)
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u32>,
    /// Stop after this many nodes
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Stop when a mate in this many moves is found
    #[arg(long, value_name = "MOVES")]
    pub mate: Option<u32>,
    /// Number of principal variations to show
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub multipv: Option<u16>,
}

/// Analyzes a position and prints the result.
///
/// # Errors
/// If the position or the moves are invalid, the engine cannot start, or the result cannot be printed.
pub fn run(args: &AnalyzeArgs, mut config: Config) -> Result<(), Failure> {
    let game = position_to_analyze(args)?;
    if let Some(count) = args.multipv {
        let _ = config.options.set("MultiPV", &count.to_string());
    }
    let no_other_limit = args.depth.is_none() && args.nodes.is_none() && args.mate.is_none();
    let move_time = args.movetime.or(no_other_limit.then_some(5000)).map(i64::from);
    let limits = Limits { depth: args.depth, nodes: args.nodes, mate: args.mate, move_time, ..Limits::default() };
    let variations = config.options.multi_pv().min(game.position.legal_moves().len());
    // A book move would replace the analysis.
    let _ = config.options.set("OwnBook", "false");
    if !config.sets("hash")
        && let Some(available) = available_memory_mb()
    {
        let _ =
            config.options.set("Hash", &default_hash_mb(available, move_time, config.options.threads()).to_string());
    }
    let mut engine = Engine::new(config)?;
    print_messages(&mut engine);
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let (stop_handle, was_interrupted) = (engine.stop_handle(), Arc::clone(&is_interrupted));
    on_first_interrupt(move || {
        was_interrupted.store(true, Relaxed);
        stop_handle.stop();
    });
    let write_error = Arc::new(Mutex::new(None));
    let view = AnalysisView {
        hash: engine.allocated_hash_mb(),
        search: Some(engine.stop_handle()),
        write_error: Arc::clone(&write_error),
        ..AnalysisView::new(game.position.clone(), variations)
    };
    engine.set_game(game);
    engine.go_without_deadline(limits, Box::new(view));
    // An interrupt before the start of the search has not stopped it.
    if is_interrupted.load(Relaxed) {
        engine.stop();
    }
    engine.wait();
    let write_error = write_error.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(write_error.map_or(Ok(()), Err)?)
}

/// Maximum size of a PGN file, MB; protects against reading an unrelated file.
const MAX_PGN_MB: u64 = 64;

/// Returns the position after the moves of `--moves`.
fn position_to_analyze(args: &AnalyzeArgs) -> Result<Game, Failure> {
    let mut game = Game::default();
    let mut start = args.fen.as_deref().map(parse_fen).transpose()?;
    let mut moves = Vec::new();
    if let Some((text, file)) = text_of_moves(args)? {
        let mut games = pgn::games(&text);
        let first = match (games.next(), file) {
            (Some(first), _) => first.map_err(|error| format!("--moves: {error}"))?,
            (None, Some(file)) => return Err(format!("--moves: no game found in {file}").into()),
            (None, None) => pgn::PgnGame::default(),
        };
        if games.next().is_some() {
            print_error_line("aspirant: only the first of several games is analyzed");
        }
        for line in &first.null_moves {
            print_error_line(&format!("aspirant: skipped a variation with a null move in line {line}"));
        }
        start = start.map_or_else(|| first.start(), Ok).map(Some)?;
        moves = first.moves;
    }
    if let Some(position) = start {
        game = Game::new(position);
    }
    for (index, pgn_move) in moves.iter().enumerate() {
        let m = game.position.parse_move(&pgn_move.text).map_err(|reason| {
            let (text, number) = (printable(&pgn_move.text), index + 1);
            format!("--moves: '{text}' (number {number}) is not possible: {reason}")
        })?;
        game.play(m);
    }
    Ok(game)
}

/// Returns the moves of `--moves`, and the path if they are those of a file; `None` without `--moves`.
fn text_of_moves(args: &AnalyzeArgs) -> Result<Option<(String, Option<String>)>, Failure> {
    let words: Vec<_> = args.moves.iter().map(|word| word.to_string_lossy()).collect();
    // A quoted list of moves can contain a slash, in a result or a comment, but then it also contains spaces.
    let is_path =
        |path: &Path, word: &str| path.exists() || word.ends_with(".pgn") || word.contains('/') && !word.contains(' ');
    match (args.moves.as_slice(), words.as_slice()) {
        ([], _) => Ok(None),
        ([path], [word]) if is_path(Path::new(path), word) => {
            let unreadable = |error| format!("--moves: cannot read {}: {}", printable(word), error_reason(&error));
            let text = read_text(Path::new(path), MAX_PGN_MB).map_err(unreadable)?;
            Ok(Some((text, Some(printable(word)))))
        }
        _ => Ok(Some((words.join(" "), None))),
    }
}

/// Returns the hash size for an analysis, MB.
///
/// A power of two of at most a quarter of the available memory.
///
/// A thread fills about 16 MB per second. More slows down a short search: the system fills each page with zeros at its
/// first use. Without a time limit, 16 seconds are assumed. The maximum is 1024 MB, the minimum 16 MB even if less
/// memory is available.
fn default_hash_mb(available: usize, move_time: Option<i64>, threads: usize) -> usize {
    let seconds = move_time.map_or(16, |milliseconds| usize::try_from(milliseconds / 1000).unwrap_or(0));
    let useful = seconds.saturating_mul(16).saturating_mul(threads).min(1024);
    1 << useful.min(available / 4).max(16).ilog2()
}

/// Minimum time between two redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(60);

struct AnalysisView {
    term: Term,
    /// Whether the view is redrawn in place.
    is_live: bool,
    position: Position,
    /// Size of the transposition table in MB.
    hash: usize,
    /// Whether more than one variation is shown.
    multi_pv: bool,
    /// The last report.
    result: SearchResult,
    /// Number of lines on the terminal that the next redraw replaces.
    drawn_lines: usize,
    last_drawn: Option<Instant>,
    /// Stops the search whose output is shown.
    search: Option<StopHandle>,
    /// The first error of the output.
    write_error: Arc<Mutex<Option<io::Error>>>,
}

impl AnalysisView {
    fn new(position: Position, variations: usize) -> Self {
        let term = Term::stdout();
        let mut view = Self {
            is_live: term.is_term(),
            term,
            multi_pv: variations > 1,
            result: SearchResult::default(),
            position,
            hash: 0,
            drawn_lines: 0,
            last_drawn: None,
            search: None,
            write_error: Arc::default(),
        };
        if !view.is_live {
            let text = view.board();
            view.print(&format!("{}\n{}\n", text.join("\n"), view.position.fen()));
        }
        view
    }

    fn print(&mut self, text: &str) {
        // The search ends when the output is closed (`| head`) or fails.
        if let Err(error) = self.term.write_line(text) {
            self.write_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            if let Some(search) = &self.search {
                search.stop();
            }
        }
    }

    /// Returns the lines of the board: letters or, on a terminal, chess symbols.
    fn board(&self) -> Vec<String> {
        draw(&self.position, BoardStyle::for_terminal(&self.term))
    }

    /// Returns the lines of the whole view for a terminal of `width` columns.
    fn render(&self, width: usize) -> Vec<String> {
        let mut out = self.board();
        let side = if self.position.turn() == Color::White { " White to move" } else { " Black to move" };
        let fen = self.position.fen();
        out.push(String::new());
        if side.len() + 3 + fen.len() <= width {
            out.push(format!("{side}   {fen}"));
        } else {
            out.push(side.into());
            out.extend(wrap(&format!(" {fen}"), width, 1));
        }
        if let Some(best) = self.result.best() {
            if let Some(m) = best.first_move() {
                let san = self.position.san_variation(&[m]);
                let text = format!(" Best move: {san}   {}, {}", self.score(best), self.verdict(best));
                let bold = Style::new().bold();
                out.extend(wrap(&text, width, 1).into_iter().map(|line| bold.apply_to(line).to_string()));
            }
            let bar_width = width.saturating_sub(40).clamp(10, 40);
            out.extend(wrap(&format!(" {}", self.wdl_bar(best, bar_width)), width, 1));
            out.extend(wrap(&format!(" {}", self.statistics(best)), width, 1));
        }
        out.push(String::new());
        for (index, variation) in self.result.variations.iter().enumerate() {
            out.extend(self.variation(index, variation, width));
        }
        out
    }

    /// Returns the lines of one variation: score and moves, wrapped to the width.
    fn variation(&self, index: usize, variation: &Variation, width: usize) -> Vec<String> {
        let score = Style::new().bold().apply_to(format!("{:>8}", self.score(variation)));
        let head = format!(" {}{score}  ", self.rank(index));
        let indent = measure_text_width(&head);
        // No line ends between a move number and its move.
        let moves = self.position.san_variation(&variation.pv).replace(". ", ".\u{a0}").replace("… ", "…\u{a0}");
        wrap(&format!("{head}{moves}"), width, indent).iter().map(|line| line.replace('\u{a0}', " ")).collect()
    }

    fn score(&self, variation: &Variation) -> String {
        format_score(variation, self.position.turn())
    }

    /// Returns the MultiPV index as text; empty if there is only one variation.
    fn rank(&self, index: usize) -> String {
        if self.multi_pv { format!("{:>2})  ", index + 1) } else { String::new() }
    }

    /// Returns the probabilities of a White win, a draw and a Black win, in permille.
    fn white_wdl(&self, variation: &Variation) -> [u32; 3] {
        let Wdl { win, draw, loss } = variation.wdl(&self.position);
        let (white, black) = self.position.turn().fold_wb((win, loss), (loss, win));
        [white, draw, black]
    }

    /// Returns what the score means, in words.
    fn verdict(&self, variation: &Variation) -> String {
        let score = variation.score;
        let better = |score: Score| if score > 0 { self.position.turn() } else { !self.position.turn() };
        let name = |score: Score| better(score).fold_wb("White", "Black");
        if let Some(moves) = moves_to_mate(score) {
            return format!("{} mates in {}", name(score), moves.abs());
        }
        if is_decisive(score) {
            return format!("{} wins by tablebase", name(score));
        }
        let [white, _, black] = self.white_wdl(variation);
        let name = name(score);
        // Difference between the probabilities of a win and a loss, in permille.
        match white.abs_diff(black) {
            0..=150 => "about equal".into(),
            151..=400 => format!("{name} is slightly better"),
            401..=750 => format!("{name} is better"),
            _ => format!("{name} is winning"),
        }
    }

    /// Returns the probabilities of a White win, draw and Black win as one bar.
    fn wdl_bar(&self, variation: &Variation, width: usize) -> String {
        let [white, _, black] = self.white_wdl(variation);
        // Rounded down: the draws are the rest.
        let shares = |total: u32| {
            [white * total / 1000, total - white * total / 1000 - black * total / 1000, black * total / 1000]
        };
        let cells = shares(width as u32);
        let [white, draw, black] = shares(100);
        let bar = if self.is_live && console::colors_enabled() {
            // Grays of the 256-color palette that differ from white and from black backgrounds.
            let part = |color: u8, cells: u32| {
                Style::new().on_color256(color).apply_to(" ".repeat(cells as usize)).to_string()
            };
            format!("{}{}{}", part(253, cells[0]), part(245, cells[1]), part(238, cells[2]))
        } else {
            let part = |symbol: &str, cells: u32| symbol.repeat(cells as usize);
            format!("{}{}{}", part("W", cells[0]), part("=", cells[1]), part("B", cells[2]))
        };
        format!("White {white}% [{bar}] {black}% Black, draw {draw}%")
    }

    fn statistics(&self, best: &Variation) -> String {
        let result = &self.result;
        let seconds = result.time.as_secs_f64();
        let speed = result.nodes as f64 / seconds.max(1e-6) / 1e6;
        format!(
            "depth {}/{}   {} nodes   {speed:.2} M/s   {seconds:.1} s   hash {} MB, {:.1}% full",
            best.depth,
            best.seldepth,
            group_digits(result.nodes),
            group_digits(self.hash as u64),
            result.hashfull as f64 / 10.0
        )
    }

    /// Replaces the last drawing.
    ///
    /// Lines that scroll off the terminal cannot be erased, so only the final drawing may be higher than the terminal.
    fn redraw(&mut self, is_last: bool) {
        let (rows, columns) = self.term.size();
        let mut lines = self.render(columns.into());
        if !is_last {
            lines.truncate(usize::from(rows).saturating_sub(1));
        }
        self.erase();
        self.drawn_lines = lines.len();
        self.print(&lines.join("\n"));
        self.last_drawn = Some(Instant::now());
    }

    fn erase(&mut self) {
        let count = std::mem::take(&mut self.drawn_lines);
        if count > 0 {
            let _ = self.term.clear_last_lines(count);
        }
    }
}

/// Formats the score from White's view.
///
/// `≥` and `≤` mark fail-high and fail-low bounds.
#[must_use]
pub fn format_score(variation: &Variation, turn: Color) -> String {
    let score = UciScore::new(variation.score);
    let bound = match variation.bound {
        Bound::Lower => "≥",
        Bound::Upper => "≤",
        Bound::Exact | Bound::None => "",
    };
    format!("{bound}{}", turn.fold_wb(score, score.negated()))
}

impl Reporter for AnalysisView {
    fn progress(&mut self, result: &SearchResult) {
        let previous = std::mem::replace(&mut self.result, result.clone());
        if self.is_live {
            if self.last_drawn.is_none_or(|time| time.elapsed() > REDRAW_INTERVAL) {
                self.redraw(false);
            }
            return;
        }
        for (index, variation) in result.variations.iter().enumerate() {
            // After a mate is found, every later iteration reports the same score and moves.
            let is_old =
                |old: &Variation| (old.score, old.bound, &old.pv) == (variation.score, variation.bound, &variation.pv);
            if previous.variations.get(index).is_some_and(is_old) {
                continue;
            }
            let text = format!(
                "depth {:>2}/{:<2}  {:>8}  {:>11} nodes  {:>7.2} s  {}{}",
                variation.depth,
                variation.seldepth,
                self.score(variation),
                result.nodes,
                result.time.as_secs_f64(),
                self.rank(index),
                self.position.san_variation(&variation.pv)
            );
            self.print(&text);
        }
    }

    fn message(&mut self, text: &str) {
        self.erase();
        self.print(text);
    }

    fn finished(&mut self, result: &SearchResult) {
        self.result = result.clone();
        if self.is_live {
            // The terminal may have echoed ^C.
            let _ = self.term.clear_line();
            self.redraw(true);
        }
        let Some(best) = result.best() else { return };
        let text = match best.first_move() {
            None if self.position.in_check() => "Checkmate.".into(),
            None => "Stalemate.".into(),
            Some(_) if self.is_live => return,
            Some(m) => {
                let san = self.position.san_variation(&[m]);
                format!("\nBest move: {san}\nVerdict: {}, {}", self.score(best), self.verdict(best))
            }
        };
        if self.is_live {
            self.print(&text);
        } else {
            self.print(&format!("{text}\n{}\n{}", self.wdl_bar(best, 40), self.statistics(best)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_from_whites_view_and_the_bar_has_full_width() {
        let position = parse_fen("4k3/8/8/8/8/8/8/4K2R b - - 0 1").unwrap();
        let view = AnalysisView { is_live: true, ..AnalysisView::new(position, 1) };
        assert_eq!(view.score(&Variation::new(Vec::new(), -500, 1)), "+5.00");
        let variation = |score| Variation::new(Vec::new(), score, 1);
        assert_eq!(view.verdict(&variation(-500)), "White is winning");
        assert_eq!(view.verdict(&variation(crate::score::mate_in(3))), "Black mates in 2");
        for score in [-500, -40, 0, 77, 3000] {
            let bar = AnalysisView { is_live: false, ..AnalysisView::new(view.position.clone(), 1) }
                .wdl_bar(&variation(score), 40);
            let inside = bar.split(['[', ']']).nth(1).unwrap();
            assert!(inside.len() == 40 && inside.chars().all(|c| "W=B".contains(c)), "{bar}");
            let percentages = bar.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<u32>().ok());
            assert_eq!(percentages.sum::<u32>(), 100, "{bar}");
        }
    }

    #[test]
    fn default_hash_is_a_share_of_the_available_memory() {
        assert_eq!([0, 100, 1000, 16_000].map(|available| default_hash_mb(available, None, 1)), [16, 16, 128, 256]);
        let for_time = |seconds: i64, threads| default_hash_mb(16_000, Some(seconds * 1000), threads);
        assert_eq!((for_time(0, 1), for_time(5, 1), for_time(5, 4), for_time(3600, 1)), (16, 64, 256, 1024));
    }
}
