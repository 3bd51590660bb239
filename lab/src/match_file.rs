//! PGN files of matches: the scores that the players report with their moves.
//!
//! fastchess and cutechess-cli write the score and the depth of each move in a comment, from the view of the player:
//! `{+0.35/14 0.45s}`. Book moves and mate scores are left out.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pgn_reader::{KnownOutcome, Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{Chess, Color, Position as _};

use crate::game_file::GameResult;
use aspirant::board::position::parse_fen;
use aspirant::wdl::material;

/// A position in which a player reported a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredPosition {
    /// Score in centipawns, from White's view.
    pub score: i16,
    /// Material of both sides, as in [`aspirant::wdl::material`].
    pub material: u32,
}

/// A game of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchGame {
    /// Its result.
    pub result: GameResult,
    /// Its time control as in the tag `TimeControl`; empty without the tag.
    pub time_control: String,
    /// Its positions with a score, in the order of the moves.
    pub positions: Vec<ScoredPosition>,
}

/// The reason why the games of a match cannot be read.
#[derive(thiserror::Error, Debug)]
pub enum MatchFileError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    System {
        /// The PGN file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A game is invalid.
    #[error("{}, game {game}: {reason}", .path.display())]
    Game {
        /// The PGN file.
        path: PathBuf,
        /// Number of the game, from 1.
        game: u32,
        /// What is wrong.
        reason: String,
    },
    /// No game has a result and a score.
    #[error(
        "{}: no finished game has scores {}; expected comments like {{+0.35/14 0.45s}}, as fastchess and cutechess-cli write them",
        .path.display(),
        .player.as_ref().map_or_else(|| "of moves".into(), |name| format!("of the player {name:?}"))
    )]
    NoScores {
        /// The PGN file.
        path: PathBuf,
        /// The player whose scores were to be read.
        player: Option<String>,
    },
}

/// Reads the finished games of a PGN file; `player` limits the scores to those of one player.
///
/// # Errors
/// [`MatchFileError`].
pub fn read_match(path: &Path, player: Option<&str>) -> Result<Vec<MatchGame>, MatchFileError> {
    let system = |source| MatchFileError::System { path: path.into(), source };
    let file = File::open(path).map_err(system)?;
    let mut reader = Reader::new(io::BufReader::new(file));
    let mut games = Vec::new();
    let mut visitor = MatchVisitor { player };
    let mut number = 0;
    while let Some(game) = reader.read_game(&mut visitor).map_err(system)? {
        number += 1;
        match game {
            Ok(game) => games.extend(game.filter(|game| !game.positions.is_empty())),
            Err(reason) => return Err(MatchFileError::Game { path: path.into(), game: number, reason }),
        }
    }
    if games.is_empty() {
        return Err(MatchFileError::NoScores { path: path.into(), player: player.map(str::to_owned) });
    }
    Ok(games)
}

/// Returns the score of a move's comment in centipawns.
///
/// `None` for book moves, mates and other comments.
fn comment_score(comment: &[u8]) -> Option<i16> {
    let (pawns, _) = std::str::from_utf8(comment).ok()?.trim_start().split_once('/')?;
    let pawns: f64 = pawns.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
    Some((pawns * 100.0).round() as i16)
}

/// Collects the games of a file: the game, `None` without a result, or the reason why it is invalid.
struct MatchVisitor<'a> {
    player: Option<&'a str>,
}

/// Tags of a game.
struct Tags {
    start: Chess,
    /// Whether the scores of White and of Black are read.
    is_read: [bool; 2],
    time_control: String,
}

/// A game in progress.
struct Movetext {
    position: Chess,
    is_read: [bool; 2],
    game: MatchGame,
    has_result: bool,
    /// Position before the last move: side to move and material.
    before: Option<(Color, u32)>,
}

impl Visitor for MatchVisitor<'_> {
    type Tags = Tags;
    type Movetext = Movetext;
    type Output = Result<Option<MatchGame>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        let is_read = [self.player.is_none(); 2];
        ControlFlow::Continue(Tags { start: Chess::default(), is_read, time_control: String::new() })
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        let is_player = |name: &str| self.player.is_none_or(|player| player == name);
        match name {
            b"White" => tags.is_read[0] = is_player(&value),
            b"Black" => tags.is_read[1] = is_player(&value),
            b"TimeControl" => tags.time_control = value.into_owned(),
            b"FEN" => match parse_fen(&value) {
                Ok(position) => tags.start = position.chess().clone(),
                Err(error) => return ControlFlow::Break(Err(format!("FEN {value:?}: {error}"))),
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Movetext> {
        let Tags { start: position, is_read, time_control } = tags;
        let game = MatchGame { result: GameResult::Draw, time_control, positions: Vec::new() };
        ControlFlow::Continue(Movetext { position, is_read, game, has_result: false, before: None })
    }

    fn san(&mut self, movetext: &mut Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
        let position = &mut movetext.position;
        let m = match san.san.to_move(position) {
            Ok(m) => m,
            Err(error) => return ControlFlow::Break(Err(format!("move {san}: {error}"))),
        };
        movetext.before = Some((position.turn(), material(position.board())));
        position.play_unchecked(m);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, movetext: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        // Only the first comment after a move is that of the move.
        if let Some((turn, material)) = movetext.before.take()
            && movetext.is_read[turn.fold_wb(0, 1)]
            && let Some(score) = comment_score(comment.as_bytes())
        {
            let score = turn.fold_wb(score, score.saturating_neg());
            movetext.game.positions.push(ScoredPosition { score, material });
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, movetext: &mut Movetext, outcome: Outcome) -> ControlFlow<Self::Output> {
        if let Outcome::Known(outcome) = outcome {
            movetext.has_result = true;
            movetext.game.result = match outcome {
                KnownOutcome::Decisive { winner } => GameResult::won_by(winner),
                KnownOutcome::Draw => GameResult::Draw,
            };
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, movetext: Movetext) -> Self::Output {
        Ok(movetext.has_result.then_some(movetext.game))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = r#"[White "new"]
[Black "base"]
[TimeControl "8+0.08"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[Result "1-0"]

1. e4 {+1.25/12 0.101s} Kd7 {-1.50/11 0.2s} 2. e5 {+M23/20 0.1s} Ke6 {book} 3. Kd2 {+2.00/9 0.1s, a comment} 1-0

[White "base"]
[Black "new"]
[Result "*"]

1. e4 {+0.10/12 0.1s} e5 {+0.20/12 0.1s} *

[White "base"]
[Black "new"]
[Result "1/2-1/2"]

1. e4 {+0.30/12 0.1s} (1. d4 {+0.90/1 0s}) e5 {+0.20/12 0.1s} {+9.00/1 0s} 1/2-1/2
"#;

    fn read(text: &str, player: Option<&str>) -> Result<Vec<MatchGame>, MatchFileError> {
        let name = format!("aspirant-match-{}-{:?}.pgn", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let games = read_match(&path, player);
        std::fs::remove_file(&path).unwrap();
        games
    }

    fn scores(game: &MatchGame) -> Vec<(i16, u32)> {
        game.positions.iter().map(|position| (position.score, position.material)).collect()
    }

    #[test]
    fn scores_of_finished_games_are_from_the_view_of_white() {
        let games = read(GAMES, None).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].result, games[0].time_control.as_str()), (GameResult::Win, "8+0.08"));
        assert_eq!(scores(&games[0]), [(125, 1), (150, 1), (200, 1)]);
        assert_eq!((games[1].result, scores(&games[1])), (GameResult::Draw, vec![(30, 78), (-20, 78)]));
    }

    #[test]
    fn a_player_limits_the_scores() {
        let games = read(GAMES, Some("new")).unwrap();
        assert_eq!(scores(&games[0]), [(125, 1), (200, 1)]);
        assert_eq!(scores(&games[1]), [(-20, 78)]);
        let error = read(GAMES, Some("other")).unwrap_err().to_string();
        assert!(error.contains("no finished game has scores of the player \"other\""), "{error}");
    }

    #[test]
    fn invalid_games_are_named() {
        let error = read(&GAMES.replace("Ke6", "Ke5"), None).unwrap_err().to_string();
        assert!(error.contains("game 1: move Ke5"), "{error}");
        let error = read(&GAMES.replace("4k3/8", "4k3/9"), None).unwrap_err().to_string();
        assert!(error.contains("game 1: FEN"), "{error}");
        let error = read("", None).unwrap_err().to_string();
        assert!(error.contains("no finished game has scores of moves"), "{error}");
    }
}
