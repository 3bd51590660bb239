//! The command `annotate`: adds evaluations, glyphs and better variations to the games of a PGN file.
//!
//! The positions of a game are searched from the last to the first, so that the transposition table contains what
//! follows a move when the alternatives to it are searched.
#![doc(hidden)]

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use clap::ValueHint;
use indicatif::ProgressBar;
use shakmaty::{Color, Move};

use super::analyze::stop_on_interrupt;
use super::arguments::{EngineArgs, LimitArgs, play_legal_moves, read_games};
use super::{final_outcome, print_messages};
use crate::board::game::{Game, GameOutcome};
use crate::board::notation::MoveError;
use crate::board::pgn::PgnGame;
use crate::board::position::{Position, SetupError, printable};
use crate::config::Config;
use crate::engine::Engine;
use crate::platform::files::error_reason;
use crate::score::{DRAW, Score, UciScore, mated_in};
use crate::search::limits::Limits;
use crate::terminal::{EXIT_INTERRUPTED, Failure, print_error_line, progress_bar};

const NOTES: &str = "\
Each move gets its evaluation from White's point of view, [%eval 0.35] or
[%eval #3]. A move that lowers the winning chances of its side by 5, 10 or 15
percentage points is an inaccuracy (?!), a mistake (?) or a blunder (??), and the
better line follows as a variation. Winning chances in percent, for a score of s
centipawns, limited to -1000 to 1000 (a mate counts as 1000):
100 / (1 + exp(-0.00368208 s)), the formula of https://lichess.org/page/accuracy.

The average loss is the mean of the centipawns that the moves of a side lose.
Glyphs of the file for good and bad moves are replaced, comments and variations
are kept. A game is annotated up to its first move that is not legal. Ctrl-C ends
the command; what is annotated is written.

The exit status is 0 if all games are annotated, 1 if a move or a game is not,
130 after Ctrl-C.

Examples:
  aspirant annotate game.pgn > annotated.pgn
  aspirant annotate games.pgn --nodes 100k --threads 2 --out annotated.pgn
";

/// The arguments of `annotate`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = NOTES)]
pub struct AnnotateArgs {
    /// PGN file with any number of games
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// File to write (default: stdout)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Lost winning chances, percentage points, from which a move gets a glyph, and the name.
const JUDGEMENTS: [(f64, &str, &str); 3] =
    [(15.0, "$4", "blunder"), (10.0, "$2", "mistake"), (5.0, "$6", "inaccuracy")];
/// Glyphs that judge a move, from good to dubious.
const MOVE_GLYPHS: [&str; 6] = ["$1", "$2", "$3", "$4", "$5", "$6"];
/// Maximum length of a better variation, plies.
const VARIATION_PLIES: usize = 8;
/// Limit of the scores that are compared, centipawns.
const SCORE_LIMIT: Score = 1000;

/// Annotates the games of a file.
///
/// # Errors
/// If the file cannot be read or written or contains no game, if the engine cannot start; at the end, if a game could
/// not be annotated as a whole.
pub fn run(args: &AnnotateArgs, mut config: Config) -> Result<(), Failure> {
    let (mut games, syntax_error) = read_games(&args.file)?;
    let name = args.file.display();
    if games.is_empty() && syntax_error.is_none() {
        return Err(format!("{name}: no game found").into());
    }
    if let Some(PgnGame { tags, moves, .. }) = games.first()
        && tags.is_empty()
        && let Some(first) = moves.first()
        && Position::default().parse_move(&first.text) == Err(MoveError::NotAMove)
    {
        return Err(format!("{name}: not a PGN: '{}' is not a move", printable(&first.text)).into());
    }
    let mut out: Box<dyn Write> = match &args.out {
        None => Box::new(io::stdout()),
        Some(path) if path.canonicalize().is_ok_and(|path| args.file.canonicalize().is_ok_and(|file| file == path)) => {
            return Err(format!("--out {}: the file that is read; choose another one", path.display()).into());
        }
        Some(path) => Box::new(
            File::create(path).map_err(|error| format!("cannot write {}: {}", path.display(), error_reason(&error)))?,
        ),
    };
    let limits = args.limits.limits_or(Limits::move_time(500));
    let positions = games.iter().map(|game| game.moves.len() as u64 + 1).sum();
    let all_moves = limits.move_time.map(|ms| ms.saturating_mul(positions as i64));
    args.engine.apply_to(&mut config, &Limits { move_time: all_moves, ..limits.clone() });
    // Full strength, one variation, no book.
    for (option, value) in
        [("MultiPV", "1"), ("OwnBook", "false"), ("UCI_LimitStrength", "false"), ("Skill Level", "20")]
    {
        let _ = config.options.set(option, value);
    }
    let mut engine = Engine::new(config)?;
    print_messages(&mut engine);
    let is_interrupted = stop_on_interrupt(&engine);
    let bar = progress_bar(positions, "game {msg}  {pos}/{len} positions [{bar:20}] {elapsed}, {eta} left");
    let (count, mut failures, mut end) = (games.len(), 0, 0);
    for (number, game) in (1..).zip(&mut games) {
        if is_interrupted.load(Relaxed) {
            break;
        }
        bar.set_message(format!("{number} of {count}"));
        let report = match annotate(game, &mut engine, &limits, &is_interrupted, &bar) {
            Ok((sides, None)) => summary(number, game, &sides),
            Ok((sides, Some(reason))) => {
                failures += 1;
                format!("{}\n  {reason}; the moves before it are annotated", summary(number, game, &sides))
            }
            Err(reason) => {
                failures += 1;
                format!("aspirant: game {number} is not annotated: {reason}")
            }
        };
        end += game.moves.len() as u64 + 1;
        bar.set_position(end);
        let separator = if number == 1 { "" } else { "\n" };
        bar.suspend(|| {
            print_error_line(&report);
            write!(out, "{separator}{game}").and_then(|()| out.flush())
        })?;
    }
    bar.finish_and_clear();
    if is_interrupted.load(Relaxed) {
        print_error_line("aspirant: interrupted; what is annotated is written");
        std::process::exit(EXIT_INTERRUPTED);
    }
    match syntax_error {
        Some(error) => Err(format!("{name}: {error}; the games before are annotated").into()),
        None if failures > 0 => Err(format!("{failures} of {count} games are not annotated as a whole").into()),
        None => Ok(()),
    }
}

/// Score of a position for the side to move, and the best variation, if the position was searched.
struct Evaluation {
    score: Score,
    pv: Vec<Move>,
    is_checkmate: bool,
}

/// Moves of one side and what they lost.
#[derive(Clone, Copy, Default)]
struct SideSummary {
    moves: u32,
    lost_centipawns: Score,
    /// Number of moves with each of the [`JUDGEMENTS`].
    judgements: [u32; 3],
}

/// Annotates the legal moves of a game, from the last one until an interrupt; returns what White and Black have lost,
/// and the reason why a move is not legal.
///
/// # Errors
/// A message if the start is invalid; the game is unchanged then.
fn annotate(
    pgn: &mut PgnGame,
    engine: &mut Engine,
    limits: &Limits,
    is_interrupted: &AtomicBool,
    bar: &ProgressBar,
) -> Result<([SideSummary; 2], Option<String>), SetupError> {
    let (mut game, illegal) = play_legal_moves(pgn.start()?, pgn);
    let moves = game.moves().to_vec();
    if pgn.tag("Annotator").is_none() {
        pgn.set_tag("Annotator", engine.identity().name_and_version());
    }
    let mut sides = [SideSummary::default(); 2];
    let mut after: Option<Evaluation> = None;
    engine.new_game();
    for ply in (0..=moves.len()).rev() {
        game.truncate(ply);
        let before = evaluate(&game, engine, limits, is_interrupted);
        if is_interrupted.load(Relaxed) {
            break;
        }
        bar.inc(1);
        if let Some(after) = after {
            let (position, m) = (&game.position, moves[ply]);
            let side = &mut sides[position.turn().fold_wb(0, 1)];
            let score = before.score.clamp(-SCORE_LIMIT, SCORE_LIMIT);
            let is_best = before.pv.first() == Some(&m);
            let played = if is_best { score } else { -after.score.clamp(-SCORE_LIMIT, SCORE_LIMIT) };
            let lost = winning_chances(score) - winning_chances(played);
            let judgement = JUDGEMENTS.iter().position(|&(least, ..)| lost >= least);
            side.moves += 1;
            side.lost_centipawns += (score - played).max(0);
            let pgn_move = &mut pgn.moves[ply];
            pgn_move.text = position.san(m);
            pgn_move.glyphs.retain(|glyph| !MOVE_GLYPHS.contains(&glyph.as_str()));
            set_eval(&mut pgn_move.comments, !position.turn(), &after);
            if let Some(judgement) = judgement {
                side.judgements[judgement] += 1;
                pgn_move.glyphs.insert(0, JUDGEMENTS[judgement].1.to_owned());
                let better = &before.pv[..before.pv.len().min(VARIATION_PLIES)];
                let first = position.san_variation(&better[..better.len().min(1)]).replace('…', "...");
                if !pgn_move.variations().iter().any(|variation| variation.starts_with(&first)) {
                    pgn_move.add_variation(position, better);
                }
            }
        }
        after = Some(before);
    }
    Ok((sides, illegal))
}

/// Searches a position, unless its result is certain.
fn evaluate(game: &Game, engine: &mut Engine, limits: &Limits, is_interrupted: &AtomicBool) -> Evaluation {
    match final_outcome(game) {
        Some(GameOutcome::Checkmate { .. }) => Evaluation { score: mated_in(0), pv: Vec::new(), is_checkmate: true },
        Some(_) => Evaluation { score: DRAW, pv: Vec::new(), is_checkmate: false },
        None => {
            engine.set_game(game.clone());
            let result = engine.search_without_deadline(limits.clone(), is_interrupted);
            Evaluation { score: result.score(), pv: result.pv().to_vec(), is_checkmate: false }
        }
    }
}

/// Returns the winning chances in percent; see [`NOTES`].
fn winning_chances(centipawns: Score) -> f64 {
    100.0 / (1.0 + (-0.003_682_08 * f64::from(centipawns)).exp())
}

/// Puts `[%eval …]` before the text of the first comment, and removes a former one. A checkmate has none.
fn set_eval(comments: &mut Vec<String>, turn: Color, evaluation: &Evaluation) {
    for comment in comments.iter_mut() {
        if let Some((before, rest)) = comment.split_once("[%eval ")
            && let Some((_, rest)) = rest.split_once(']')
        {
            *comment = format!("{}{}", before, rest.trim_start()).trim().to_owned();
        }
    }
    comments.retain(|comment| !comment.is_empty());
    if evaluation.is_checkmate {
        return;
    }
    let score = UciScore::new(evaluation.score);
    let score = turn.fold_wb(score, score.negated()).to_string();
    let text = format!("[%eval {}]", score.trim_start_matches('+'));
    match comments.first_mut() {
        Some(first) => *first = format!("{text} {first}"),
        None => comments.push(text),
    }
}

fn summary(number: usize, game: &PgnGame, sides: &[SideSummary; 2]) -> String {
    let name = |color: Color| {
        let name = color.fold_wb("White", "Black");
        let name = printable(game.tag(name).filter(|name| !matches!(*name, "" | "?")).unwrap_or(name));
        let shortened: String = name.chars().take(17).collect();
        if name.chars().count() > 18 { shortened + "…" } else { name }
    };
    let names: [String; 2] = [name(Color::White), name(Color::Black)];
    let result = game.result.map_or("*", |result| result.as_str());
    let mut text = format!("Game {number}: {} - {}  {result}", names[0], names[1]);
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    for (name, side) in names.iter().zip(sides).filter(|(_, side)| side.moves > 0) {
        let counts = JUDGEMENTS.iter().zip(side.judgements).rev().map(|((_, _, noun), count)| {
            let plural = noun.strip_suffix('y').map_or_else(|| format!("{noun}s"), |stem| format!("{stem}ies"));
            format!("{count} {}", if count == 1 { noun } else { plural.as_str() })
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        let average = f64::from(side.lost_centipawns) / f64::from(side.moves);
        text.push_str(&format!("\n  {name:width$}  {counts}, average loss {average:.0}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winning_chances_are_those_of_the_documented_formula() {
        let chances = [0, 100, -100, 300, 1000].map(|score| (winning_chances(score) * 10.0).round() / 10.0);
        assert_eq!(chances, [50.0, 59.1, 40.9, 75.1, 97.5]);
    }
}
