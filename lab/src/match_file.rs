//! PGN files of matches: the scores that the players report with their moves.
//!
//! fastchess and cutechess-cli write the score and the depth of each move in a comment, from the view of the player:
//! `{+0.35/14 0.45s}`. Book moves and mate scores are left out.

use std::io;
use std::path::{Path, PathBuf};

use shakmaty::{KnownOutcome, Outcome};

use crate::game_file::GameResult;
use aspirant::board::pgn::{self, PgnGame, PgnMove};
use aspirant::board::position::printable;
use aspirant::wdl::material;

/// A position in which a player reported a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredPosition {
    /// Score in centipawns, from White's view.
    pub score: i16,
    /// Material of both sides, as in [`aspirant::wdl::material`].
    pub material: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchGame {
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
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    #[error("{}, game {game}: {reason}", .path.display())]
    Game {
        path: PathBuf,
        /// Number of the game, from 1.
        game: usize,
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
    let bytes = std::fs::read(path).map_err(|source| MatchFileError::System { path: path.into(), source })?;
    let mut games = Vec::new();
    for (index, game) in pgn::games(&String::from_utf8_lossy(&bytes)).enumerate() {
        let game = game.map_err(|error| error.to_string()).and_then(|game| scored_game(&game, player));
        let invalid = |reason| MatchFileError::Game { path: path.into(), game: index + 1, reason };
        games.extend(game.map_err(invalid)?.filter(|game| !game.positions.is_empty()));
    }
    if games.is_empty() {
        return Err(MatchFileError::NoScores { path: path.into(), player: player.map(str::to_owned) });
    }
    Ok(games)
}

/// Returns the score of a move's comment in centipawns.
///
/// `None` for book moves, mates and other comments.
fn comment_score(comment: &str) -> Option<i16> {
    let (pawns, _) = comment.split_once('/')?;
    let pawns: f64 = pawns.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
    Some((pawns * 100.0).round() as i16)
}

/// Returns the scored positions of a game; `None` without a result.
fn scored_game(game: &PgnGame, player: Option<&str>) -> Result<Option<MatchGame>, String> {
    let result = match game.result {
        Some(Outcome::Known(KnownOutcome::Decisive { winner })) => GameResult::won_by(winner),
        Some(Outcome::Known(KnownOutcome::Draw)) => GameResult::Draw,
        Some(Outcome::Unknown) | None => return Ok(None),
    };
    let is_read = ["White", "Black"].map(|color| player.is_none() || game.tag(color) == player);
    let mut position = game.start().map_err(|error| error.to_string())?;
    let mut positions = Vec::new();
    for PgnMove { text, comments, .. } in &game.moves {
        let m = position.parse_move(text).map_err(|error| format!("move {}: {error}", printable(text)))?;
        // Only the first comment after a move is that of the move.
        if is_read[position.turn().fold_wb(0, 1)]
            && let Some(score) = comments.first().and_then(|comment| comment_score(comment))
        {
            let score = position.turn().fold_wb(score, score.saturating_neg());
            positions.push(ScoredPosition { score, material: material(position.board()) });
        }
        position = position.play(m);
    }
    Ok(Some(MatchGame { result, time_control: game.tag("TimeControl").unwrap_or_default().to_owned(), positions }))
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
        assert!(error.contains("game 1: bad FEN"), "{error}");
        let error = read("", None).unwrap_err().to_string();
        assert!(error.contains("no finished game has scores of moves"), "{error}");
    }
}
