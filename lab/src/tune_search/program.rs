//! An engine program as a player: speaks UCI with it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use aspirant::board::game::Game;
use aspirant::score::{MATE, Score};
use shakmaty::{CastlingMode, Move, Position as _};

use super::Side;

/// Time in which the program must print its next line.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// A running engine program; ended when dropped.
pub(super) struct Program {
    path: PathBuf,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Node limit per move.
    nodes: u64,
}

/// Name, default and range of an option of type `spin`.
pub(super) type SpinOption = (String, i32, (i32, i32));

/// Parses a line of the answer to `uci`; `None` for other lines, and for values beyond 32 bits.
fn spin_option(line: &str) -> Option<SpinOption> {
    let (name, rest) = line.trim().strip_prefix("option name ")?.split_once(" type spin ")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |key| words.windows(2).find(|pair| pair[0] == key)?[1].parse().ok();
    Some((name.into(), number("default")?, (number("min")?, number("max")?)))
}

impl Program {
    pub(super) fn start(path: &Path, nodes: u64) -> Result<(Self, Vec<SpinOption>), String> {
        let error = |error: std::io::Error| format!("{}: {error}", path.display());
        // A name without a folder is not looked up in PATH.
        let absolute = std::path::absolute(path).map_err(error)?;
        let mut command = Command::new(absolute);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(error)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{}: no pipe", path.display()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut program = Self { path: path.into(), child, input, lines, nodes };
        program.send("uci")?;
        let mut options = Vec::new();
        loop {
            let line = program.line()?;
            if line.trim() == "uciok" {
                return Ok((program, options));
            }
            options.extend(spin_option(&line));
        }
    }

    /// Sets an option.
    pub(super) fn set(&mut self, name: &str, value: impl std::fmt::Display) -> Result<(), String> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.input, "{line}").map_err(|error| format!("{}: {error}", self.path.display()))
    }

    fn line(&mut self) -> Result<String, String> {
        self.lines.recv_timeout(MAX_SILENCE).map_err(|_| match self.child.try_wait() {
            Ok(Some(status)) => format!("{}: the engine ended ({status})", self.path.display()),
            _ => format!("{}: no answer within {} s", self.path.display(), MAX_SILENCE.as_secs()),
        })
    }
}

impl Side for Program {
    /// An error if the program ends, prints nothing for a minute, or plays an illegal move.
    fn search(&mut self, game: &Game) -> Result<(Move, Score), String> {
        let start = game.start();
        let mode = start.chess().castles().mode();
        self.set("UCI_Chess960", mode == CastlingMode::Chess960)?;
        let moves: String = game.moves().iter().map(|m| format!(" {}", m.to_uci(mode))).collect();
        self.send(&format!("position fen {} moves{moves}", start.fen()))?;
        self.send(&format!("go nodes {}", self.nodes))?;
        let mut score = 0;
        loop {
            let line = self.line()?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["bestmove", text, ..] => {
                    let m = game.position.parse_move(text);
                    let illegal =
                        |reason| format!("{}: {text} in {}: {reason}", self.path.display(), game.position.fen());
                    return m.map(|m| (m, score)).map_err(illegal);
                }
                ["info", ..] => score = info_score(&words).unwrap_or(score),
                _ => {}
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the score of an `info` line, in centipawns or near [`MATE`].
fn info_score(words: &[&str]) -> Option<Score> {
    let index = words.iter().position(|&word| word == "score")?;
    let value: Score = words.get(index + 2)?.parse().ok()?;
    match words[index + 1] {
        "cp" => Some(value),
        "mate" => Some(if value > 0 { MATE } else { -MATE }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_scores_are_parsed() {
        let option = spin_option("option name Mobility Weight type spin default 3 min 0 max 20");
        assert_eq!(option, Some(("Mobility Weight".into(), 3, (0, 20))));
        for line in ["option name Ponder type check default false", "option name A type spin default 1", "uciok"] {
            assert_eq!(spin_option(line), None, "{line}");
        }
        let score = |line: &str| info_score(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(score("info depth 9 score cp -31 nodes 5"), Some(-31));
        assert_eq!(score("info depth 9 score mate -3 nodes 5"), Some(-MATE));
        assert_eq!(score("info string score"), None);
    }
}
