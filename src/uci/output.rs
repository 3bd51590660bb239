//! Output of UCI messages.
//!
//! Lines are formatted by vampirc-uci, with additions that it does not support (`bestmove (none)`, `currmovenumber`,
//! `wdl`, `default <empty>`). Clients rely on the order within `info`: the bound follows its score, and `pv` is last.
//! Control characters in received text are replaced, so that it cannot start a line of its own.
#![doc(hidden)]

use std::sync::Arc;

use shakmaty::{CastlingMode, Move, Role, Square};
use vampirc_uci::{UciInfoAttribute as Info, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare};

use crate::config::options::{OptionKind, OptionSpec};
use crate::config::tunable;
use crate::engine::Engine;
use crate::platform::lines::single_line;
use crate::score::{Bound, EVAL_LIMIT, UciScore};
use crate::search::params::Param;
use crate::search::report::{Reporter, SearchResult};
use crate::wdl::Wdl;

/// Receives the lines that a session sends, from the session and from its search and tool threads.
///
/// Implemented for functions that take a line, for example `|line: &str| println!("{line}")`.
///
/// The search threads call these methods and wait until they return, so they must return quickly and must not wait for
/// the session. While a call blocks, neither the search nor the watchdog can report the best move.
pub trait Output: Send + Sync + 'static {
    /// Receives a line without its line end.
    fn send(&self, line: String);

    /// Receives a line of search information, which may be dropped if the client does not keep up.
    fn send_info(&self, line: String) {
        self.send(line);
    }
}

impl<F: Fn(&str) + Send + Sync + 'static> Output for F {
    fn send(&self, line: String) {
        self(&line);
    }
}

/// Returns the answer to `uci`: `id name …`, `id author …`, the options, `uciok`.
#[must_use]
pub fn greeting(engine: &Engine) -> Vec<String> {
    let identity = engine.identity();
    let id = [UciMessage::id_name(&identity.name_and_version()), UciMessage::id_author(&identity.author)];
    let extra_options = engine.extra_options().iter().map(|option| *option.spec());
    let options = engine.option_specs().chain(extra_options);
    let options = options.chain(tunable().iter().map(Param::spec)).map(|spec| UciMessage::Option(option(&spec)));
    id.into_iter().chain(options).chain([UciMessage::UciOk]).map(|message| message.to_string()).collect()
}

fn option(row: &OptionSpec) -> UciOptionConfig {
    let name = row.name.to_owned();
    match row.kind {
        OptionKind::Check { default } => UciOptionConfig::Check { name, default: Some(default) },
        OptionKind::Spin { default, min, max } => {
            UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
        }
        OptionKind::Text { default } => {
            let default = if default.is_empty() { "<empty>" } else { default };
            UciOptionConfig::String { name, default: Some(default.into()) }
        }
        OptionKind::Combo { default, values } => UciOptionConfig::Combo {
            name,
            default: Some(default.into()),
            var: values.iter().map(|&value| value.into()).collect(),
        },
        OptionKind::Button => UciOptionConfig::Button { name },
    }
}

#[must_use]
pub fn ready() -> String {
    UciMessage::ReadyOk.to_string()
}

/// Returns `info string …`, with control characters replaced by spaces.
#[must_use]
pub fn info_string(text: &str) -> String {
    UciMessage::info_string(single_line(text)).to_string()
}

fn uci_square(square: Square) -> UciSquare {
    UciSquare::from(square.file().char(), square.rank() as u8 + 1)
}

fn uci_move(m: Move, mode: CastlingMode) -> UciMove {
    let shakmaty::uci::UciMove::Normal { from, to, promotion } = m.to_uci(mode) else {
        // Drops and null moves do not occur in chess.
        return UciMove::from_to(UciSquare::from('0', 0), UciSquare::from('0', 0));
    };
    let promotion = promotion.map(|role| match role {
        Role::Pawn => UciPiece::Pawn,
        Role::Knight => UciPiece::Knight,
        Role::Bishop => UciPiece::Bishop,
        Role::Rook => UciPiece::Rook,
        Role::Queen => UciPiece::Queen,
        Role::King => UciPiece::King,
    });
    UciMove { promotion, ..UciMove::from_to(uci_square(from), uci_square(to)) }
}

#[must_use]
pub fn best_move(result: &SearchResult, mode: CastlingMode) -> String {
    let Some(best) = result.best_move() else { return "bestmove (none)".into() };
    let best = uci_move(best, mode);
    match result.ponder {
        Some(ponder) => UciMessage::best_move_with_ponder(best, uci_move(ponder, mode)),
        None => UciMessage::best_move(best),
    }
    .to_string()
}

/// Returns `info depth … pv …` for each variation.
///
/// `wdl` is added if `material` is given and the score is exact: clients disagree about its position relative to the
/// bound.
pub fn infos(
    result: &SearchResult,
    mode: CastlingMode,
    material: Option<u32>,
) -> impl Iterator<Item = String> + use<'_> {
    (0..result.variations.len()).map(move |index| info(result, index, mode, material))
}

/// Returns the line of the variation with this index.
fn info(result: &SearchResult, index: usize, mode: CastlingMode, material: Option<u32>) -> String {
    let variation = &result.variations[index];
    let byte = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    let (cp, mate) = match UciScore::new(variation.score) {
        UciScore::Cp(centipawns) => (Some(centipawns.clamp(-EVAL_LIMIT, EVAL_LIMIT)), None),
        UciScore::Mate(moves) => (None, Some(moves.clamp(-127, 127) as i8)),
    };
    let milliseconds = i64::try_from(result.time.as_millis()).unwrap_or(i64::MAX);
    let per_second = u128::from(result.nodes) * 1_000_000 / result.time.as_micros().max(1);
    let mut attributes = vec![
        Info::Depth(byte(usize::try_from(variation.depth).unwrap_or(0))),
        Info::SelDepth(byte(variation.seldepth)),
        Info::MultiPv(u16::try_from(index + 1).unwrap_or(u16::MAX)),
        Info::Score {
            cp,
            mate,
            lower_bound: (variation.bound == Bound::Lower).then_some(true),
            upper_bound: (variation.bound == Bound::Upper).then_some(true),
        },
    ];
    if let Some(material) = material.filter(|_| variation.bound == Bound::Exact) {
        let wdl = Wdl::new(variation.score, variation.from_tablebase, material);
        attributes.push(Info::Any("wdl".into(), wdl.to_string()));
    }
    attributes.extend([
        Info::Nodes(result.nodes),
        Info::Nps(u64::try_from(per_second).unwrap_or(u64::MAX)),
        Info::HashFull(u16::try_from(result.hashfull.min(1000)).unwrap_or(1000)),
        Info::TbHits(result.tb_hits),
        Info::Time(chrono::Duration::milliseconds(milliseconds)),
    ]);
    if !variation.pv.is_empty() {
        attributes.push(Info::Pv(variation.pv.iter().map(|&m| uci_move(m, mode)).collect()));
    }
    UciMessage::Info(attributes).to_string()
}

/// Returns `info depth … currmove … currmovenumber …`.
#[must_use]
pub fn current_move(depth: i32, m: Move, number: usize, mode: CastlingMode) -> String {
    UciMessage::Info(vec![
        Info::Depth(u8::try_from(depth).unwrap_or(u8::MAX)),
        Info::CurrMove(uci_move(m, mode)),
        Info::Any("currmovenumber".into(), number.to_string()),
    ])
    .to_string()
}

/// Reports a search as UCI messages.
pub struct UciReporter {
    /// Destination of the messages.
    pub output: Arc<dyn Output>,
    /// Notation of castling moves.
    pub mode: CastlingMode,
    /// Material on the board, if `wdl` is reported.
    pub material: Option<u32>,
    /// Whether only the last PVs are reported, just before the best move.
    pub minimal: bool,
}

impl UciReporter {
    fn send_infos(&self, result: &SearchResult) {
        infos(result, self.mode, self.material).for_each(|line| self.output.send_info(line));
    }
}

impl Reporter for UciReporter {
    fn progress(&mut self, result: &SearchResult) {
        if !self.minimal {
            self.send_infos(result);
        }
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        if !self.minimal {
            self.output.send_info(current_move(depth, m, number, self.mode));
        }
    }

    fn message(&mut self, text: &str) {
        self.output.send(info_string(text));
    }

    fn note(&mut self, text: &str) {
        if !self.minimal {
            self.output.send_info(info_string(text));
        }
    }

    fn finished(&mut self, result: &SearchResult) {
        if self.minimal {
            self.send_infos(result);
        }
        self.output.send(best_move(result, self.mode));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::position::{Position, parse_fen};
    use crate::config::options::OPTIONS;
    use crate::score::mated_in;
    use crate::search::report::Variation;
    use std::time::Duration;

    fn sample(score: i32, bound: Bound) -> SearchResult {
        let mut best = Variation::new(vec![Position::default().parse_move("e2e4").unwrap()], score, 9);
        (best.seldepth, best.bound) = (14, bound);
        let time = Duration::from_millis(100);
        SearchResult { nodes: 123_456, time, hashfull: 37, ..SearchResult::new(vec![best]) }
    }

    #[test]
    fn info_lines_are_exact() {
        let line = info(&sample(-12, Bound::Exact), 0, CastlingMode::Standard, None);
        assert_eq!(
            line,
            "info depth 9 seldepth 14 multipv 1 score cp -12 nodes 123456 nps 1234560 hashfull 37 tbhits 0 time 100 pv e2e4"
        );
        let line = info(&sample(30, Bound::Lower), 0, CastlingMode::Standard, Some(40));
        assert!(line.contains("score cp 30 lowerbound nodes"), "{line}");
        let line = info(&sample(mated_in(4), Bound::Exact), 0, CastlingMode::Standard, Some(40));
        assert!(line.contains("score mate -2 wdl 0 0 1000 nodes"), "{line}");
    }

    #[test]
    fn best_move_is_written_in_both_castling_notations() {
        let position = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let best = position.parse_move("e1g1").unwrap();
        let result = |pv: Vec<Move>| SearchResult::new(vec![Variation::new(pv, 0, 1)]);
        let castling = result(vec![best]);
        assert_eq!(best_move(&castling, CastlingMode::Standard), "bestmove e1g1");
        assert_eq!(best_move(&castling, CastlingMode::Chess960), "bestmove e1h1");
        assert_eq!(best_move(&SearchResult::default(), CastlingMode::Standard), "bestmove (none)");
        let promotion = parse_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1").unwrap();
        let best = promotion.parse_move("a7a8q").unwrap();
        assert_eq!(best_move(&result(vec![best, best]), CastlingMode::Standard), "bestmove a7a8q ponder a7a8q");
    }

    #[test]
    fn greeting_lists_every_option_with_type_and_default() {
        let lines = greeting(&Engine::new(crate::config::Config::default()).unwrap());
        assert!(lines[0].starts_with("id name Aspirant") && lines[1].starts_with("id author "));
        assert_eq!(lines.last().unwrap(), "uciok");
        assert_eq!(lines.len(), OPTIONS.len() + tunable().len() + 3);
        assert!(lines.contains(&"option name Hash type spin default 16 min 1 max 1048576".into()));
        assert!(lines.contains(&"option name Clear Hash type button".into()));
        assert!(lines.contains(&"option name UCI_Chess960 type check default false".into()));
    }

    #[test]
    fn info_string_is_one_line() {
        assert_eq!(info_string("a\nbestmove e2e4\r\n"), "info string a bestmove e2e4  ");
    }
}
