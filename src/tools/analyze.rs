//! The command `analyze`: shows the board, the principal variations in SAN and a win/draw/loss bar.
//!
//! On a terminal the view is redrawn in place during the search. Otherwise each change of a variation is
//! printed as one plain line. `NO_COLOR` and the width of the terminal are respected. Ctrl-C ends the search and prints
//! the result so far.
#![doc(hidden)]

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use console::{Style, Term, measure_text_width};
use serde_json::{Value, json};
use shakmaty::{Color, Move, Position as _};

use super::arguments::{EngineArgs, LimitArgs, PositionArgs};
use super::display::{BoardStyle, draw};
use super::{final_outcome, print_messages};
use crate::board::game::GameOutcome;
use crate::board::position::Position;
use crate::config::Config;
use crate::engine::{Engine, StopHandle};
use crate::score::{Bound, Score, UciScore, is_decisive, moves_to_mate};
use crate::search::limits::Limits;
use crate::search::report::{Reporter, SearchResult, Variation};
use crate::terminal::{Failure, group_digits, on_first_interrupt, print_ignoring_closed_pipe, wrap};
use crate::wdl::Wdl;

const NOTES: &str = "\
Without a limit, the search ends after 5 seconds. Scores are from White's point
of view.

--json prints one object: fen; outcome, if the game is over; best_move (UCI);
depth; nodes; time_ms; variations, best first, each with score ({\"cp\": 35} or
{\"mate\": 3}, for the side to move), bound (exact, lower, upper), wdl (win, draw
and loss of the side to move in permille), depth, moves (UCI) and san.

Examples:
  aspirant analyze e4 c5 Nf3
  aspirant analyze \"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1\" -t 30s -m 3
  aspirant analyze game.pgn --depth 20 --json
";

/// The arguments of `analyze`.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = NOTES)]
pub struct AnalyzeArgs {
    #[command(flatten)]
    pub position: PositionArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Stop when a mate in this many moves is found
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..))]
    pub mate: Option<u32>,
    /// Number of variations to show
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub multipv: Option<u16>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Analyzes a position and prints the result.
///
/// # Errors
/// If the position or the moves are invalid, the engine cannot start, or the result cannot be printed.
pub fn run(args: &AnalyzeArgs, mut config: Config) -> Result<(), Failure> {
    let game = args.position.game()?.unwrap_or_default();
    if let Some(outcome) = final_outcome(&game) {
        let position = &game.position;
        let text = match args.json {
            true => json(position, &SearchResult::default(), Some(outcome)),
            false => {
                let board = draw(position, BoardStyle::for_terminal(&Term::stdout())).join("\n");
                format!("{board}\n\n {}\n {outcome}\n", position.fen())
            }
        };
        return Ok(print_ignoring_closed_pipe(&text)?);
    }
    if let Some(count) = args.multipv {
        let _ = config.options.set("MultiPV", &count.to_string());
    }
    let default = if args.mate.is_some() { Limits::default() } else { Limits::move_time(5000) };
    let limits = Limits { mate: args.mate, ..args.limits.limits_or(default) };
    args.engine.apply_to(&mut config, &limits);
    let variations = config.options.multi_pv().min(game.position.legal_moves().len());
    // A book move would replace the analysis.
    let _ = config.options.set("OwnBook", "false");
    let mut engine = Engine::new(config)?;
    print_messages(&mut engine);
    let is_interrupted = stop_on_interrupt(&engine);
    if args.json {
        let position = game.position.clone();
        engine.set_game(game);
        let result = engine.search_without_deadline(limits, &is_interrupted);
        return Ok(print_ignoring_closed_pipe(&json(&position, &result, None))?);
    }
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

/// Stops the search of this engine at the first interrupt; returns the flag that is set then.
pub fn stop_on_interrupt(engine: &Engine) -> Arc<AtomicBool> {
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let (stop_handle, was_interrupted) = (engine.stop_handle(), Arc::clone(&is_interrupted));
    on_first_interrupt(move || {
        was_interrupted.store(true, Relaxed);
        stop_handle.stop();
    });
    is_interrupted
}

/// Returns the result as a line of JSON; the shape is described in [`NOTES`].
fn json(position: &Position, result: &SearchResult, outcome: Option<GameOutcome>) -> String {
    let variations = result.variations.iter().map(|variation| {
        let Wdl { win, draw, loss } = variation.wdl(position);
        let bound = match variation.bound {
            Bound::Lower => "lower",
            Bound::Upper => "upper",
            Bound::Exact | Bound::None => "exact",
        };
        json!({
            "score": json_score(variation.score),
            "bound": bound,
            "wdl": [win, draw, loss],
            "depth": variation.depth,
            "moves": uci_variation(position, &variation.pv),
            "san": position.san_variation(&variation.pv),
        })
    });
    let mut object = json!({
        "fen": position.fen(),
        "best_move": result.best_move().map(|m| position.uci(m)),
        "depth": result.depth,
        "nodes": result.nodes,
        "time_ms": result.time.as_millis() as u64,
        "variations": variations.collect::<Vec<_>>(),
    });
    if let Some(outcome) = outcome {
        object["outcome"] = outcome.to_string().into();
    }
    format!("{object}\n")
}

/// Returns a score as `{"cp": 35}` or `{"mate": 3}`.
pub fn json_score(score: Score) -> Value {
    match UciScore::new(score) {
        UciScore::Cp(centipawns) => json!({ "cp": centipawns }),
        UciScore::Mate(moves) => json!({ "mate": moves }),
    }
}

fn uci_variation(position: &Position, moves: &[Move]) -> Vec<String> {
    let mode = position.chess().castles().mode();
    moves.iter().map(|m| m.to_uci(mode).to_string()).collect()
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
    ///
    /// Of several variations, each shows its depth; one of the previous iteration is dimmed.
    fn variation(&self, index: usize, variation: &Variation, width: usize) -> Vec<String> {
        let score = format!("{:>8}", self.score(variation));
        let depth = if self.multi_pv { format!("  d{:<2}", variation.depth) } else { String::new() };
        let head = format!(" {}{score}{depth}  ", self.rank(index));
        let indent = measure_text_width(&head);
        // No line ends between a move number and its move.
        let moves = self.position.san_variation(&variation.pv).replace(". ", ".\u{a0}").replace("… ", "…\u{a0}");
        let lines = wrap(&format!("{head}{moves}"), width, indent).into_iter().map(|line| line.replace('\u{a0}', " "));
        let is_old = self.result.best().is_some_and(|best| variation.depth < best.depth);
        if is_old {
            return lines.map(|line| Style::new().dim().apply_to(line).to_string()).collect();
        }
        let bold_score = Style::new().bold().apply_to(&score).to_string();
        lines.map(|line| line.replacen(&score, &bold_score, 1)).collect()
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
        if !self.is_live
            && let Some(best) = result.best()
            && let Some(m) = best.first_move()
        {
            let san = self.position.san_variation(&[m]);
            self.print(&format!(
                "\nBest move: {san}\nVerdict: {}, {}\n{}\n{}",
                self.score(best),
                self.verdict(best),
                self.wdl_bar(best, 40),
                self.statistics(best)
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_from_whites_view_and_the_bar_has_full_width() {
        let position = crate::board::position::parse_fen("4k3/8/8/8/8/8/8/4K2R b - - 0 1").unwrap();
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
}
