//! Checks the output of a search against the rules of chess.
//!
//! Every PV must be legal from its root and must not continue after mate, stalemate, insufficient material, the
//! fifty-move rule or a threefold repetition; a mate score must come with a PV of that length that ends in mate;
//! the last PV of line 1 must begin with the best move; castling must be written as `UCI_Chess960` requires.

use aspirant::board::game::Game;
use aspirant::board::position::{Position as Board, parse_fen};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position, PositionError};

use super::grammar::{Info, Line, Score};

/// A root position with the game that led to it.
#[derive(Clone)]
pub struct Root {
    pub chess: Chess,
    /// All positions of the game, the current one last.
    game: Vec<Chess>,
    mode: CastlingMode,
}

impl Root {
    /// Parses the arguments of a `position` command.
    pub fn new(text: &str) -> Self {
        let (setup, moves) = text.split_once("moves").unwrap_or((text, ""));
        let (chess, mode) = match setup.trim().strip_prefix("fen ") {
            None => (Chess::default(), CastlingMode::Standard),
            Some(fen) => {
                let setup = Fen::from_ascii(fen.trim().as_bytes()).expect("valid FEN").into_setup();
                let mode = CastlingMode::detect(&setup);
                let chess = Chess::from_setup(setup, mode).or_else(PositionError::ignore_impossible_check);
                (chess.unwrap_or_else(|e| panic!("{fen}: {e}")), mode)
            }
        };
        let mut root = Self { game: vec![chess.clone()], chess, mode };
        for m in moves.split_whitespace() {
            root.play(m);
        }
        root
    }

    pub fn play(&mut self, text: &str) {
        let m = text.parse::<UciMove>().unwrap().to_move(&self.chess).unwrap_or_else(|e| panic!("{text}: {e}"));
        self.chess.play_unchecked(m);
        self.game.push(self.chess.clone());
    }

    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// Returns whether the game has ended by rule.
    pub fn is_over(&self) -> bool {
        let same = || self.game.iter().rev().filter(|&earlier| *earlier == self.chess).count();
        self.chess.is_game_over() || self.chess.halfmoves() >= 100 || same() >= 3
    }

    /// Plays a PV; the error describes the first illegal move.
    fn walk(&self, pv: &[String], mode: CastlingMode) -> Result<Self, String> {
        let mut here = self.clone();
        for (index, text) in pv.iter().enumerate() {
            if index > 0 && here.is_over() {
                return Err(format!("the PV continues with {text} after the end of the game in {}", here.fen()));
            }
            let parsed: UciMove = text.parse().map_err(|e| format!("{text}: {e}"))?;
            let m = parsed.to_move(&here.chess).map_err(|_| format!("illegal move {text} in {}", here.fen()))?;
            if m.to_uci(mode).to_string() != *text {
                return Err(format!("{text} should be written {}", m.to_uci(mode)));
            }
            here.chess.play_unchecked(m);
            here.game.push(here.chess.clone());
        }
        Ok(here)
    }
}

/// The checked output of one search.
#[derive(Debug)]
pub struct SearchOutput {
    pub best: Option<String>,
    pub ponder: Option<String>,
    pub infos: Vec<Info>,
    pub strings: Vec<String>,
    pub current_moves: usize,
}

impl SearchOutput {
    /// What must be equal in a repetition of the search: everything except times.
    pub fn reproducible_part(&self) -> Vec<String> {
        let info = |i: &Info| format!("{} {} {:?} {} {:?}", i.depth, i.seldepth, i.score, i.nodes, i.pv);
        self.infos.iter().map(info).chain([format!("{:?} {:?}", self.best, self.ponder)]).collect()
    }

    /// The last info line with `multipv 1`.
    #[track_caller]
    pub fn last(&self) -> &Info {
        self.infos.iter().rev().find(|info| info.multi_pv == 1).expect("no info line")
    }

    #[track_caller]
    pub fn score(&self) -> Score {
        self.last().score
    }

    #[track_caller]
    pub fn best(&self) -> &str {
        self.best.as_deref().expect("bestmove (none)")
    }

    /// The info lines of the last complete MultiPV set, in order.
    pub fn multi_pv(&self) -> Vec<&Info> {
        let last = self.infos.iter().map(|info| info.multi_pv).max().unwrap_or(1);
        let end = self.infos.iter().rposition(|info| info.multi_pv == last).map_or(0, |at| at + 1);
        self.infos[end.saturating_sub(last)..end].iter().collect()
    }
}

/// Checks the lines from `go` to `bestmove`, inclusive.
pub fn check(root: &Root, chess960: bool, lines: Vec<Line>) -> Result<SearchOutput, String> {
    let mode = CastlingMode::from_chess960(chess960 || root.mode.is_chess960());
    let mut found = SearchOutput { best: None, ponder: None, infos: vec![], strings: vec![], current_moves: 0 };
    for line in lines {
        match line {
            Line::Info(info) => {
                let locate = |fault| format!("{fault}\nin {info:?}\nroot {}", root.fen());
                let end = root.walk(&info.pv, mode).map_err(locate)?;
                check_mate(&info, &end).map_err(locate)?;
                found.infos.push(info);
            }
            Line::CurrentMove { m, .. } => {
                root.walk(&[m], mode)?;
                found.current_moves += 1;
            }
            Line::InfoString(text) => found.strings.push(text),
            Line::BestMove { best, ponder } => (found.best, found.ponder) = (best, ponder),
            Line::ReadyOk => {}
            other => return Err(format!("{other:?} during a search")),
        }
    }
    if found.infos.is_empty() {
        return Err("a bestmove without an info line".into());
    }
    if root.chess.legal_moves().is_empty() {
        let score = if root.chess.is_check() { Score::Mate(0) } else { Score::Cp(0) };
        return match (&found.best, found.infos.as_slice()) {
            (None, [info]) if info.depth == 0 && info.score == score => Ok(found),
            _ => Err(format!("wrong output without a legal move: {found:?}")),
        };
    }
    let Some(best) = &found.best else { return Err("bestmove (none) with legal moves".into()) };
    let answer: Vec<String> = [Some(best.clone()), found.ponder.clone()].into_iter().flatten().collect();
    root.walk(&answer, mode)?;
    if found.last().pv.first() != Some(best) {
        return Err(format!("bestmove {best}, but the last PV of line 1 is {:?}", found.last()));
    }
    check_order(&found.infos)?;
    Ok(found)
}

/// Checks that an exact mate score has a PV of exactly that length that ends in mate.
fn check_mate(info: &Info, end: &Root) -> Result<(), String> {
    let (Score::Mate(moves), None) = (info.score, info.bound) else { return Ok(()) };
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    if info.pv.len() != plies as usize || !end.chess.is_checkmate() {
        return Err(format!("score mate {moves}, but the PV has {} plies and ends in {}", info.pv.len(), end.fen()));
    }
    Ok(())
}

/// Checks the sequence of info lines.
///
/// Nodes and time never decrease; depth may decrease only in the last line, which can come from another thread. The
/// lines of a MultiPV set are numbered, distinct and sorted by score. If the last iteration was interrupted, the last set
/// continues with lines of the iteration before.
fn check_order(infos: &[Info]) -> Result<(), String> {
    let last_set = infos.iter().rposition(|info| info.multi_pv == 1).unwrap_or(0);
    for (at, pair) in infos.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let last = at + 2 == infos.len();
        let mixed = after.multi_pv > 1 && after.depth < before.depth && at + 1 > last_set;
        if after.depth < before.depth && !last && !mixed || after.nodes < before.nodes || after.time < before.time {
            return Err(format!("decreased:\n{before:?}\n{after:?}"));
        }
        if after.multi_pv > 1 {
            if after.multi_pv != before.multi_pv + 1 || after.depth != before.depth && !mixed {
                return Err(format!("multipv {} after multipv {}", after.multi_pv, before.multi_pv));
            }
            if after.score.rank() > before.score.rank() && !mixed {
                return Err(format!("MultiPV lines not sorted by score:\n{before:?}\n{after:?}"));
            }
        }
    }
    for (at, info) in infos.iter().enumerate() {
        let earlier = &infos[(at + 1).saturating_sub(info.multi_pv)..at];
        if let Some(duplicate) = earlier.iter().find(|other| other.pv.first() == info.pv.first()) {
            return Err(format!("the same move in two MultiPV lines:\n{duplicate:?}\n{info:?}"));
        }
    }
    Ok(())
}

/// Plays random legal moves; returns the last position and the arguments of the `position` command.
pub fn random_walk(random: &mut fastrand::Rng, fen: &str, plies: usize) -> (Board, String) {
    let mut game = Game::new(parse_fen(fen).unwrap());
    let mode = game.position.chess().castles().mode();
    let mut text = format!("fen {fen} moves");
    for _ in 0..plies {
        let moves = game.position.chess().legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[random.usize(0..moves.len())];
        text = format!("{text} {}", m.to_uci(mode));
        game.play(m);
    }
    (game.position, text)
}
