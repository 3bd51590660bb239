//! Analysis for people: the board, the best lines in SAN, a bar of winning chances.
//!
//! On a terminal the picture is redrawn in place as the search goes on; in a pipe each finished iteration is
//! one plain line for each variation. Colors and boxes follow `NO_COLOR` and the width of the terminal.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use console::{Style, Term, measure_text_width, truncate_str};
use shakmaty::san::SanPlus;
use shakmaty::{Color, Move, Position as _};

use super::display::{Look, draw};
use super::wrapped;
use crate::board::position::{Game, Position, SetupError, parse_fen};
use crate::config::Config;
use crate::engine::Engine;
use crate::score::{Bound, Score, moves_to_mate};
use crate::search::limits::Limits;
use crate::search::report::{BestMove, Reporter, SearchInfo};
use crate::wdl::{material, win_draw_loss};

/// What `analyse` is told.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Args {
    /// The position (default: the start of the game)
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Moves to play first, in UCI notation
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    pub moves: Vec<String>,
    /// Stop after this many plies
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// Stop after this many milliseconds (default: 5000, if nothing else bounds the search)
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u32>,
    /// Stop after this many nodes
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Stop at a mate in this many moves
    #[arg(long, value_name = "MOVES")]
    pub mate: Option<u32>,
    /// Show this many best lines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub multipv: Option<u16>,
}

/// Why there is no analysis.
#[derive(thiserror::Error, Debug)]
pub enum AnalyseError {
    /// The position or a move is wrong.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// No threads.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

/// Analyses a position and prints what is found.
///
/// # Errors
/// [`AnalyseError`].
pub fn run(args: &Args, mut config: Config) -> Result<(), AnalyseError> {
    let mut game = Game::new(match &args.fen {
        Some(fen) => parse_fen(fen)?,
        None => Position::default(),
    });
    game.play_uci(args.moves.iter().map(String::as_str))?;
    if let Some(lines) = args.multipv {
        let _ = config.options.set("MultiPV", &lines.to_string());
    }
    let unbounded = args.depth.is_none() && args.nodes.is_none() && args.mate.is_none();
    let move_time = args.movetime.or(unbounded.then_some(5000)).map(i64::from);
    let limits = Limits { depth: args.depth, nodes: args.nodes, mate: args.mate, move_time, ..Limits::default() };
    let lines = config.options.multi_pv().min(game.position.chess().legal_moves().len());
    // A search is wanted, not a move from a book.
    let _ = config.options.set("OwnBook", "false");
    let mut engine = Engine::new(config)?;
    let picture = Picture::new(game.position.clone(), lines);
    engine.set_game(game);
    engine.go(limits, Box::new(picture));
    engine.wait();
    Ok(())
}

/// Redraws at most this often.
const REDRAW: Duration = Duration::from_millis(60);

struct Picture {
    term: Term,
    live: bool,
    position: Position,
    /// The latest report of each line.
    lines: Vec<Option<SearchInfo>>,
    drawn: usize,
    last_drawn: Option<Instant>,
}

impl Picture {
    fn new(position: Position, lines: usize) -> Self {
        let term = Term::stdout();
        let mut picture =
            Self { live: term.is_term(), term, lines: vec![None; lines.max(1)], position, drawn: 0, last_drawn: None };
        if !picture.live {
            let text = picture.board();
            picture.print(&format!("{}\n{}\n", text.join("\n"), picture.position.fen()));
        }
        picture
    }

    fn print(&mut self, text: &str) {
        // A reader that has gone away needs nothing more.
        let _ = self.term.write_line(text);
    }

    /// The board with letters or, on a terminal, Unicode men.
    fn board(&self) -> Vec<String> {
        draw(&self.position, Look::of(&self.term))
    }

    /// The whole picture, line by line, on so many columns.
    fn render(&self, width: usize) -> Vec<String> {
        let mut out = self.board();
        let side = if self.position.turn() == Color::White { " White to move" } else { " Black to move" };
        let fen = self.position.fen();
        out.push(String::new());
        if side.len() + 3 + fen.len() <= width {
            out.push(format!("{side}   {fen}"));
        } else {
            out.push(side.into());
            out.extend(wrapped(&format!(" {fen}"), width, 1));
        }
        if let Some(info) = self.lines.first().and_then(Option::as_ref) {
            out.extend(wrapped(&format!(" {}", self.chances(info.score, width.saturating_sub(30).min(50))), width, 1));
            out.extend(wrapped(&format!(" {}", statistics(info)), width, 1));
        }
        out.push(String::new());
        for info in self.lines.iter().flatten() {
            out.extend(self.variation(info, width));
        }
        out
    }

    /// Score and moves, which get as much room on narrow terminals as on wide ones: more lines then.
    fn variation(&self, info: &SearchInfo, width: usize) -> Vec<String> {
        let score = Style::new().bold().apply_to(format!("{:>8}", self.score(info)));
        let head = format!(" {}{score}  ", self.rank(info));
        let indent = measure_text_width(&head);
        let mut rows = wrapped(&format!("{head}{}", san_line(&self.position, &info.pv)), width, indent);
        let most = 80_usize.div_ceil(width);
        if rows.len() > most {
            rows.truncate(most);
            if let Some(last) = rows.last_mut() {
                *last = truncate_str(&format!("{last} …"), width, "…").into_owned();
            }
        }
        rows
    }

    fn score(&self, info: &SearchInfo) -> String {
        score_text(info, self.position.turn())
    }

    /// The number of a line, where there are several.
    fn rank(&self, info: &SearchInfo) -> String {
        if self.lines.len() > 1 { format!("{:>2})  ", info.multi_pv) } else { String::new() }
    }

    /// White's, drawn and black's share as one bar.
    fn chances(&self, score: Score, width: usize) -> String {
        let (win, draw, loss) = win_draw_loss(score, material(self.position.board()));
        let (white, black) = self.position.turn().fold_wb((win, loss), (loss, win));
        let cells = |share: u32| (share as usize * width + 500) / 1000;
        let (w, b) = (cells(white), cells(black));
        let middle = width.saturating_sub(w + b);
        let percent = |share: u32| format!("{:.0}%", f64::from(share) / 10.0);
        format!(
            "W {:>4} {}{}{} {:<4} B   draw {}",
            percent(white),
            "█".repeat(w),
            "▒".repeat(middle),
            "░".repeat(b),
            percent(black),
            percent(draw)
        )
    }

    /// Draws over what was drawn last. What does not fit on the terminal could not be drawn over: it comes at the end.
    fn redraw(&mut self, is_last: bool) {
        let (rows, columns) = self.term.size();
        let mut lines = self.render(columns.into());
        if !is_last {
            lines.truncate(usize::from(rows).saturating_sub(1));
        }
        self.erase();
        self.drawn = lines.len();
        self.print(&lines.join("\n"));
        self.last_drawn = Some(Instant::now());
    }

    fn erase(&mut self) {
        let drawn = std::mem::take(&mut self.drawn);
        if drawn > 0 {
            let _ = self.term.clear_last_lines(drawn);
        }
    }
}

/// The score from white's point of view, as analysts write it.
#[must_use]
pub fn score_text(info: &SearchInfo, turn: Color) -> String {
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
        grouped(info.nodes),
        info.hash_full as f64 / 10.0
    )
}

/// 1234567 as 1 234 567.
fn grouped(n: u64) -> String {
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

/// A line of moves in SAN with move numbers.
#[must_use]
pub fn san_line(position: &Position, moves: &[Move]) -> String {
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

impl Reporter for Picture {
    fn info(&mut self, info: &SearchInfo) {
        let index = info.multi_pv.saturating_sub(1);
        let before = self.lines.get_mut(index).and_then(|line| line.replace(info.clone()));
        // A mate is found once and then confirmed hundreds of times.
        let news = before.is_none_or(|before| (before.score, &before.pv) != (info.score, &info.pv));
        if self.live {
            if self.last_drawn.is_none_or(|then| then.elapsed() > REDRAW) {
                self.redraw(false);
            }
        } else if news {
            let text = format!(
                "depth {:>2}/{:<2}  {:>8}  {:>11} nodes  {:>7.2} s  {}{}",
                info.depth,
                info.seldepth,
                self.score(info),
                info.nodes,
                info.time.as_secs_f64(),
                self.rank(info),
                san_line(&self.position, &info.pv)
            );
            self.print(&text);
        }
    }

    fn message(&mut self, text: &str) {
        self.erase();
        self.print(text);
    }

    fn best_move(&mut self, answer: BestMove) {
        if self.live {
            self.redraw(true);
        }
        let text = match answer.best {
            None if self.position.in_check() => "Checkmate.".into(),
            None => "Stalemate.".into(),
            Some(m) => format!("\nBest move: {}", san_line(&self.position, &[m])),
        };
        self.print(&text);
        if !self.live
            && let Some(info) = self.lines.first().and_then(Option::as_ref)
        {
            let text = format!("{}\n{}", self.chances(info.score, 40), statistics(info));
            self.print(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::parse_move;

    #[test]
    fn lines_are_numbered_like_a_score_sheet() {
        let mut game = Game::default();
        let mut moves = Vec::new();
        for text in ["e2e4", "e7e5", "g1f3"] {
            let m = parse_move(&game.position, text).unwrap();
            moves.push(m);
            game.play(m);
        }
        assert_eq!(san_line(&Position::default(), &moves), "1. e4 e5 2. Nf3");
        let after = Position::default().play(moves[0]);
        assert_eq!(san_line(&after, &moves[1..]), "1… e5 2. Nf3");
    }

    #[test]
    fn scores_are_white_s_and_the_bar_is_full() {
        let position = parse_fen("4k3/8/8/8/8/8/8/4K2R b - - 0 1").unwrap();
        let picture = Picture { lines: vec![], live: true, ..Picture::new(position, 1) };
        let info = SearchInfo {
            depth: 1,
            seldepth: 1,
            multi_pv: 1,
            score: -500,
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::from_millis(1),
            hash_full: 0,
            table_hits: 0,
            pv: vec![],
        };
        assert_eq!(picture.score(&info), "+5.00");
        let bar = picture.chances(-500, 40);
        assert_eq!(bar.chars().filter(|c| "█▒░".contains(*c)).count(), 40, "{bar}");
        assert_eq!(grouped(1_234_567), "1 234 567");
    }
}
