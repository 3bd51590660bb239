//! The command `analyze`: shows the board, the principal variations in SAN and a win/draw/loss bar.
//!
//! On a terminal the view is redrawn in place during the search. Otherwise each change of a variation is
//! printed as one plain line. `NO_COLOR` and the width of the terminal are respected.
#![doc(hidden)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use console::{Style, Term, measure_text_width, truncate_str};
use shakmaty::san::SanPlus;
use shakmaty::{Color, Move, Position as _};

use super::display::{BoardStyle, draw};
use crate::board::position::{Game, Position, SetupError, parse_fen};
use crate::config::Config;
use crate::engine::Engine;
use crate::score::{Bound, Score, moves_to_mate};
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::terminal::wrap;
use crate::wdl::{material, wdl_permille};

/// The arguments of `analyze`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct AnalyzeArgs {
    /// Position to analyze (default: the initial position)
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Moves to play from this position first, in UCI notation
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    pub moves: Vec<String>,
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

/// The reason why an analysis failed.
#[derive(thiserror::Error, Debug)]
pub enum AnalyzeError {
    /// The position or a move is invalid.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// The engine could not start, for example because no thread could be created.
    #[error("cannot start the engine: {0}")]
    System(#[from] std::io::Error),
}

/// Analyzes a position and prints the result.
///
/// # Errors
/// [`AnalyzeError`].
pub fn run(args: &AnalyzeArgs, mut config: Config) -> Result<(), AnalyzeError> {
    let mut game = Game::new(match &args.fen {
        Some(fen) => parse_fen(fen)?,
        None => Position::default(),
    });
    game.play_uci(args.moves.iter().map(String::as_str))?;
    if let Some(count) = args.multipv {
        let _ = config.options.set("MultiPV", &count.to_string());
    }
    let no_other_limit = args.depth.is_none() && args.nodes.is_none() && args.mate.is_none();
    let move_time = args.movetime.or(no_other_limit.then_some(5000)).map(i64::from);
    let limits = Limits { depth: args.depth, nodes: args.nodes, mate: args.mate, move_time, ..Limits::default() };
    let variations = config.options.multi_pv().min(game.position.chess().legal_moves().len());
    // A book move would replace the analysis.
    let _ = config.options.set("OwnBook", "false");
    let mut engine = Engine::new(config)?;
    let view = AnalysisView::new(game.position.clone(), variations);
    engine.set_game(game);
    engine.go(limits, Box::new(view));
    engine.wait();
    Ok(())
}

/// Minimum time between two redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(60);

struct AnalysisView {
    term: Term,
    /// Whether the view is redrawn in place.
    is_live: bool,
    position: Position,
    /// The latest report of each principal variation.
    variations: Vec<Option<SearchInfo>>,
    /// Number of lines on the terminal that the next redraw replaces.
    drawn_lines: usize,
    last_drawn: Option<Instant>,
}

impl AnalysisView {
    fn new(position: Position, variations: usize) -> Self {
        let term = Term::stdout();
        let mut view = Self {
            is_live: term.is_term(),
            term,
            variations: vec![None; variations.max(1)],
            position,
            drawn_lines: 0,
            last_drawn: None,
        };
        if !view.is_live {
            let text = view.board();
            view.print(&format!("{}\n{}\n", text.join("\n"), view.position.fen()));
        }
        view
    }

    fn print(&mut self, text: &str) {
        // Output after the reader closed the pipe is dropped.
        let _ = self.term.write_line(text);
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
        if let Some(info) = self.variations.first().and_then(Option::as_ref) {
            out.extend(wrap(&format!(" {}", self.wdl_bar(info.score, width.saturating_sub(30).min(50))), width, 1));
            out.extend(wrap(&format!(" {}", statistics(info)), width, 1));
        }
        out.push(String::new());
        for info in self.variations.iter().flatten() {
            out.extend(self.variation(info, width));
        }
        out
    }

    /// Returns the lines of one variation: score and moves, truncated to about 80 columns in total.
    fn variation(&self, info: &SearchInfo, width: usize) -> Vec<String> {
        let score = Style::new().bold().apply_to(format!("{:>8}", self.score(info)));
        let head = format!(" {}{score}  ", self.rank(info));
        let indent = measure_text_width(&head);
        let mut rows = wrap(&format!("{head}{}", san_variation(&self.position, &info.pv)), width, indent);
        let max_rows = 80_usize.div_ceil(width);
        if rows.len() > max_rows {
            rows.truncate(max_rows);
            if let Some(last) = rows.last_mut() {
                *last = truncate_str(&format!("{last} …"), width, "…").into_owned();
            }
        }
        rows
    }

    fn score(&self, info: &SearchInfo) -> String {
        format_score(info, self.position.turn())
    }

    /// Returns the MultiPV index as text; empty if there is only one variation.
    fn rank(&self, info: &SearchInfo) -> String {
        if self.variations.len() > 1 { format!("{:>2})  ", info.multi_pv) } else { String::new() }
    }

    /// Returns the probabilities of a White win, draw and Black win as one bar.
    fn wdl_bar(&self, score: Score, width: usize) -> String {
        let (win, draw, loss) = wdl_permille(score, material(self.position.board()));
        let (white, black) = self.position.turn().fold_wb((win, loss), (loss, win));
        let cells = |permille: u32| (permille as usize * width + 500) / 1000;
        let (white_cells, black_cells) = (cells(white), cells(black));
        let draw_cells = width.saturating_sub(white_cells + black_cells);
        let percent = |permille: u32| format!("{:.0}%", f64::from(permille) / 10.0);
        format!(
            "W {:>4} {}{}{} {:<4} B   draw {}",
            percent(white),
            "█".repeat(white_cells),
            "▒".repeat(draw_cells),
            "░".repeat(black_cells),
            percent(black),
            percent(draw)
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

/// Formats the score from White's view: in pawns, or `#N` for a mate in N moves.
///
/// `≥` and `≤` mark fail-high and fail-low bounds.
#[must_use]
pub fn format_score(info: &SearchInfo, turn: Color) -> String {
    let sign = turn.fold_wb(1, -1);
    let bound = match info.bound {
        Bound::Lower => "≥",
        Bound::Upper => "≤",
        Bound::Exact | Bound::None => "",
    };
    match moves_to_mate(info.score) {
        Some(moves) => format!("{bound}#{}", moves * sign),
        None => format!("{bound}{:+.2}", f64::from(info.score * sign) / 100.0),
    }
}

fn statistics(info: &SearchInfo) -> String {
    let seconds = info.time.as_secs_f64();
    let speed = info.nodes as f64 / seconds.max(1e-6) / 1e6;
    format!(
        "depth {}/{}   {} nodes   {speed:.2} M/s   {seconds:.1} s   hash {:.1}%",
        info.depth,
        info.seldepth,
        group_digits(info.nodes),
        info.hashfull as f64 / 10.0
    )
}

/// Formats a number with a space between groups of three digits: 1 234 567.
fn group_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Returns moves in SAN with move numbers.
#[must_use]
pub fn san_variation(position: &Position, moves: &[Move]) -> String {
    let mut chess = position.chess().clone();
    let mut out = String::new();
    for (index, &m) in moves.iter().enumerate() {
        if chess.turn() == Color::White {
            let _ = write!(out, "{}. ", chess.fullmoves());
        } else if index == 0 {
            let _ = write!(out, "{}… ", chess.fullmoves());
        }
        if !chess.is_legal(m) {
            break;
        }
        let _ = write!(out, "{} ", SanPlus::from_move_and_play_unchecked(&mut chess, m));
    }
    out.truncate(out.trim_end().len());
    out
}

impl Reporter for AnalysisView {
    fn info(&mut self, info: &SearchInfo) {
        let index = info.multi_pv.saturating_sub(1);
        let previous = self.variations.get_mut(index).and_then(|variation| variation.replace(info.clone()));
        // After a mate is found, every later iteration reports the same score and moves.
        let is_new = previous.is_none_or(|previous| (previous.score, &previous.pv) != (info.score, &info.pv));
        if self.is_live {
            if self.last_drawn.is_none_or(|time| time.elapsed() > REDRAW_INTERVAL) {
                self.redraw(false);
            }
        } else if is_new {
            let text = format!(
                "depth {:>2}/{:<2}  {:>8}  {:>11} nodes  {:>7.2} s  {}{}",
                info.depth,
                info.seldepth,
                self.score(info),
                info.nodes,
                info.time.as_secs_f64(),
                self.rank(info),
                san_variation(&self.position, &info.pv)
            );
            self.print(&text);
        }
    }

    fn message(&mut self, text: &str) {
        self.erase();
        self.print(text);
    }

    fn best_move(&mut self, answer: BestMove) {
        if self.is_live {
            self.redraw(true);
        }
        let text = match answer.best {
            None if self.position.in_check() => "Checkmate.".into(),
            None => "Stalemate.".into(),
            Some(m) => format!("\nBest move: {}", san_variation(&self.position, &[m])),
        };
        self.print(&text);
        if !self.is_live
            && let Some(info) = self.variations.first().and_then(Option::as_ref)
        {
            let text = format!("{}\n{}", self.wdl_bar(info.score, 40), statistics(info));
            self.print(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_move;

    #[test]
    fn variations_have_move_numbers() {
        let mut game = Game::default();
        let mut moves = Vec::new();
        for text in ["e2e4", "e7e5", "g1f3"] {
            let m = parse_move(&game.position, text).unwrap();
            moves.push(m);
            game.play(m);
        }
        assert_eq!(san_variation(&Position::default(), &moves), "1. e4 e5 2. Nf3");
        let after = Position::default().play(moves[0]);
        assert_eq!(san_variation(&after, &moves[1..]), "1… e5 2. Nf3");
    }

    #[test]
    fn scores_are_from_whites_view_and_the_bar_has_full_width() {
        let position = parse_fen("4k3/8/8/8/8/8/8/4K2R b - - 0 1").unwrap();
        let view = AnalysisView { variations: vec![], is_live: true, ..AnalysisView::new(position, 1) };
        let info = SearchInfo {
            depth: 1,
            seldepth: 1,
            multi_pv: 1,
            score: -500,
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::from_millis(1),
            hashfull: 0,
            tb_hits: 0,
            pv: vec![],
        };
        assert_eq!(view.score(&info), "+5.00");
        let bar = view.wdl_bar(-500, 40);
        assert_eq!(bar.chars().filter(|c| "█▒░".contains(*c)).count(), 40, "{bar}");
        assert_eq!(group_digits(1_234_567), "1 234 567");
    }
}
