//! The UCI options: one row each, from which printing, parsing, ranges, `engine.toml` keys and the
//! README's table all follow.
//!
//! To add an option: one row in [`OPTIONS`] with its index and an accessor below, and whoever acts on it; then the rows of
//! `engine.toml` (`aspirant print-template`) and of the README, and a check in `tests/it/options.rs`: the tests ask for each. Spellings are
//! the field's (lichess-bot and others look for exactly these). A value out of range or of the wrong type
//! changes nothing and gives an error that says what was expected.

use std::fmt;

use crate::position::printable;
use crate::strength::{FULL_SKILL, MAX_ELO, MIN_ELO, Strength};

/// Type, default and range of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// On or off.
    Check {
        /// The default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// Text.
    Text {
        /// The default.
        default: &'static str,
    },
    /// An action without a value.
    Button,
}

/// One option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// As UCI spells it.
    pub name: &'static str,
    /// Its key in `engine.toml`.
    pub key: &'static str,
    /// Type, default, range.
    pub kind: Kind,
    /// What it does.
    pub doc: &'static str,
}

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a [`Kind::Check`].
    Check(bool),
    /// Of a [`Kind::Spin`].
    Spin(i64),
    /// Of a [`Kind::Text`].
    Text(String),
    /// A [`Kind::Button`] has none.
    None,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(on) => write!(f, "{on}"),
            Self::Spin(n) => write!(f, "{n}"),
            Self::Text(text) => write!(f, "{text}"),
            Self::None => Ok(()),
        }
    }
}

/// What `UCI_EngineAbout` says.
pub const ABOUT: &str =
    concat!("Aspirant ", env!("CARGO_PKG_VERSION"), ", GPL-3.0-or-later, ", env!("CARGO_PKG_DESCRIPTION"));

const HASH: usize = 0;
const CLEAR_HASH: usize = 1;
const THREADS: usize = 2;
const PONDER: usize = 3;
const MULTI_PV: usize = 4;
const MOVE_OVERHEAD: usize = 5;
const CHESS960: usize = 6;
const SHOW_WDL: usize = 7;
const ANALYSE_MODE: usize = 8;
const OWN_BOOK: usize = 9;
const BOOK_FILE: usize = 10;
const BOOK_DEPTH: usize = 11;
const BEST_BOOK_MOVE: usize = 12;
const BOOK_SEED: usize = 13;
const SYZYGY_PATH: usize = 14;
const SYZYGY_PROBE_DEPTH: usize = 15;
const SYZYGY_50_MOVE_RULE: usize = 16;
const SYZYGY_PROBE_LIMIT: usize = 17;
const LIMIT_STRENGTH: usize = 18;
const ELO: usize = 19;
const SKILL_LEVEL: usize = 20;
const SKILL_SEED: usize = 21;
const MINIMAL: usize = 22;
const DEBUG_LOG_FILE: usize = 23;

/// All options, in the order in which they are printed.
pub const OPTIONS: &[Row] = &[
    Row {
        name: "Hash",
        key: "hash",
        kind: Kind::Spin { default: 16, min: 1, max: 1 << 20 },
        doc: "Size of the transposition table in MB.",
    },
    Row {
        name: "Clear Hash",
        key: "clear_hash",
        kind: Kind::Button,
        doc: "Forgets the transposition table and all that was learned.",
    },
    Row {
        name: "Threads",
        key: "threads",
        kind: Kind::Spin { default: 1, min: 1, max: 512 },
        doc: "Search threads (Lazy SMP).",
    },
    Row {
        name: "Ponder",
        key: "ponder",
        kind: Kind::Check { default: false },
        doc: "The GUI may let the engine think on the opponent's time.",
    },
    Row {
        name: "MultiPV",
        key: "multi_pv",
        kind: Kind::Spin { default: 1, min: 1, max: 256 },
        doc: "How many best lines to find.",
    },
    Row {
        name: "Move Overhead",
        key: "move_overhead",
        kind: Kind::Spin { default: 10, min: 0, max: 5000 },
        doc: "Milliseconds kept on the clock at each move for what happens between engine and GUI.",
    },
    Row {
        name: "UCI_Chess960",
        key: "chess960",
        kind: Kind::Check { default: false },
        doc: "Castling is written as king takes rook.",
    },
    Row {
        name: "UCI_ShowWDL",
        key: "show_wdl",
        kind: Kind::Check { default: false },
        doc: "Adds chances of win, draw and loss, in thousandths, to exact scores.",
    },
    Row {
        name: "UCI_AnalyseMode",
        key: "analyse_mode",
        kind: Kind::Check { default: false },
        doc: "Reports bounds and current moves from the start of a search, not only in long ones.",
    },
    Row {
        name: "OwnBook",
        key: "own_book",
        kind: Kind::Check { default: false },
        doc: "Plays from the opening book while a clock runs.",
    },
    Row {
        name: "Book File",
        key: "book_file",
        kind: Kind::Text { default: "" },
        doc: "An opening book in Polyglot's format (.bin).",
    },
    Row {
        name: "Book Depth",
        key: "book_depth",
        kind: Kind::Spin { default: 255, min: 1, max: 1000 },
        doc: "The last move number that is played from the book.",
    },
    Row {
        name: "Best Book Move",
        key: "best_book_move",
        kind: Kind::Check { default: false },
        doc: "Always the book's heaviest move instead of a random one by weight.",
    },
    Row {
        name: "Book Seed",
        key: "book_seed",
        kind: Kind::Spin { default: 0, min: 0, max: i32::MAX as i64 },
        doc: "Equal seeds choose equal book moves; 0 is a new seed at every start.",
    },
    Row {
        name: "SyzygyPath",
        key: "syzygy_path",
        kind: Kind::Text { default: "" },
        doc: "Directories of Syzygy endgame tables, separated by ; or, but on Windows, by :.",
    },
    Row {
        name: "SyzygyProbeDepth",
        key: "syzygy_probe_depth",
        kind: Kind::Spin { default: 1, min: 1, max: 100 },
        doc: "The least depth at which the largest tables are asked, plies.",
    },
    Row {
        name: "Syzygy50MoveRule",
        key: "syzygy_50_move_rule",
        kind: Kind::Check { default: true },
        doc: "A table win that the fifty-move rule frustrates is a draw.",
    },
    Row {
        name: "SyzygyProbeLimit",
        key: "syzygy_probe_limit",
        kind: Kind::Spin { default: 7, min: 0, max: 7 },
        doc: "Asks the tables about at most so many men; 0 for never.",
    },
    Row {
        name: "UCI_LimitStrength",
        key: "limit_strength",
        kind: Kind::Check { default: false },
        doc: "Plays as strong as UCI_Elo says, on one thread.",
    },
    Row {
        name: "UCI_Elo",
        key: "elo",
        kind: Kind::Spin { default: MAX_ELO, min: MIN_ELO, max: MAX_ELO },
        doc: "How strong to play with UCI_LimitStrength, Elo points.",
    },
    Row {
        name: "Skill Level",
        key: "skill_level",
        kind: Kind::Spin { default: FULL_SKILL, min: 0, max: FULL_SKILL },
        doc: "Below 20 plays weaker: equal steps over the range of UCI_Elo, which goes before it.",
    },
    Row {
        name: "Skill Seed",
        key: "skill_seed",
        kind: Kind::Spin { default: 0, min: 0, max: i32::MAX as i64 },
        doc: "Equal seeds make equal errors below full strength; 0 is a new seed for every game.",
    },
    Row {
        name: "Minimal",
        key: "minimal",
        kind: Kind::Check { default: false },
        doc: "Reports a search only once, just before its answer.",
    },
    Row {
        name: "Debug Log File",
        key: "debug_log_file",
        kind: Kind::Text { default: "" },
        doc: "Keeps what is said on both sides in this file. An existing file is continued if it is such a log, else left alone.",
    },
    Row {
        name: "UCI_EngineAbout",
        key: "engine_about",
        kind: Kind::Text { default: ABOUT },
        doc: "Who this is. Setting it has no effect.",
    },
];

/// Options that name files: not to be set from outside where the program serves strangers (`--restricted`).
pub const FILE_OPTIONS: &[&str] = &["Book File", "SyzygyPath", "Debug Log File"];

/// Why a value was not taken.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// No option is called so.
    #[error("unknown option '{name}'{}", hint(.nearest))]
    Unknown {
        /// As given.
        name: String,
        /// The option that was probably meant.
        nearest: Option<&'static str>,
    },
    /// It names files, and that is not allowed here.
    #[error("option '{name}' cannot be set: this engine was started with --restricted")]
    Restricted {
        /// The option.
        name: &'static str,
    },
    /// The value does not fit.
    #[error("option '{name}': '{value}' is not {expected}")]
    Value {
        /// The option.
        name: &'static str,
        /// As given.
        value: String,
        /// Type and range.
        expected: String,
    },
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map(|name| format!(", did you mean '{name}'?")).unwrap_or_default()
}

/// The candidate that is spelled most like `name`, if any is similar.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

impl Row {
    /// The default value.
    #[must_use]
    pub fn default_value(&self) -> Value {
        match self.kind {
            Kind::Check { default } => Value::Check(default),
            Kind::Spin { default, .. } => Value::Spin(default),
            Kind::Text { default } => Value::Text(default.into()),
            Kind::Button => Value::None,
        }
    }

    /// Type and range, for an error message or a table.
    #[must_use]
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Check { .. } => "true or false".into(),
            Kind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            Kind::Text { .. } => "text".into(),
            Kind::Button => "without value".into(),
        }
    }

    /// Reads a value as a GUI sends it.
    ///
    /// # Errors
    /// [`OptionError::Value`] if it has the wrong type or is out of range.
    pub fn parse(&self, text: &str) -> Result<Value, OptionError> {
        let text = text.trim();
        let bad = || OptionError::Value { name: self.name, value: printable(text), expected: self.expected() };
        match self.kind {
            Kind::Check { .. } => match text.to_ascii_lowercase().as_str() {
                "true" => Ok(Value::Check(true)),
                "false" => Ok(Value::Check(false)),
                _ => Err(bad()),
            },
            Kind::Spin { min, max, .. } => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(Value::Spin).ok_or_else(bad)
            }
            Kind::Text { .. } => Ok(Value::Text(if text == "<empty>" { String::new() } else { text.into() })),
            Kind::Button => Ok(Value::None),
        }
    }
}

/// Finds an option by UCI name, whatever the case.
///
/// # Errors
/// [`OptionError::Unknown`], with the name that was probably meant.
pub fn find(name: &str) -> Result<usize, OptionError> {
    let name = name.trim();
    OPTIONS.iter().position(|row| row.name.eq_ignore_ascii_case(name)).ok_or_else(|| OptionError::Unknown {
        name: printable(name),
        nearest: nearest(name, OPTIONS.iter().map(|row| row.name)),
    })
}

/// The values of all options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    values: Vec<Value>,
}

impl Default for Options {
    fn default() -> Self {
        Self { values: OPTIONS.iter().map(Row::default_value).collect() }
    }
}

impl Options {
    /// The value of the option in this row of [`OPTIONS`].
    #[must_use]
    pub fn get(&self, row: usize) -> &Value {
        &self.values[row]
    }

    /// Sets an option by its UCI name and says which row it is in.
    ///
    /// # Errors
    /// [`OptionError`]; nothing is changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<usize, OptionError> {
        let row = find(name)?;
        self.values[row] = OPTIONS[row].parse(text)?;
        Ok(row)
    }

    fn spin(&self, row: usize) -> i64 {
        if let Value::Spin(n) = self.values[row] { n } else { 0 }
    }

    fn check(&self, row: usize) -> bool {
        self.values[row] == Value::Check(true)
    }

    fn text(&self, row: usize) -> &str {
        if let Value::Text(text) = &self.values[row] { text } else { "" }
    }

    /// `Hash`, MB.
    #[must_use]
    pub fn hash(&self) -> usize {
        self.spin(HASH) as usize
    }

    /// `Threads`.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.spin(THREADS) as usize
    }

    /// `Ponder`.
    #[must_use]
    pub fn ponder(&self) -> bool {
        self.check(PONDER)
    }

    /// `MultiPV`.
    #[must_use]
    pub fn multi_pv(&self) -> usize {
        self.spin(MULTI_PV) as usize
    }

    /// `Move Overhead`, milliseconds.
    #[must_use]
    pub fn move_overhead(&self) -> u64 {
        self.spin(MOVE_OVERHEAD) as u64
    }

    /// `UCI_Chess960`.
    #[must_use]
    pub fn chess960(&self) -> bool {
        self.check(CHESS960)
    }

    /// `UCI_ShowWDL`.
    #[must_use]
    pub fn show_wdl(&self) -> bool {
        self.check(SHOW_WDL)
    }

    /// `UCI_AnalyseMode`.
    #[must_use]
    pub fn analyse_mode(&self) -> bool {
        self.check(ANALYSE_MODE)
    }

    /// `OwnBook`.
    #[must_use]
    pub fn own_book(&self) -> bool {
        self.check(OWN_BOOK)
    }

    /// `Book File`; empty for none.
    #[must_use]
    pub fn book_file(&self) -> &str {
        self.text(BOOK_FILE)
    }

    /// `Book Depth`, move number.
    #[must_use]
    pub fn book_depth(&self) -> u32 {
        self.spin(BOOK_DEPTH) as u32
    }

    /// `Best Book Move`.
    #[must_use]
    pub fn best_book_move(&self) -> bool {
        self.check(BEST_BOOK_MOVE)
    }

    /// `Book Seed`; `None` for a new one at every start.
    #[must_use]
    pub fn book_seed(&self) -> Option<u64> {
        Some(self.spin(BOOK_SEED) as u64).filter(|&seed| seed > 0)
    }

    /// `SyzygyPath`; empty for none.
    #[must_use]
    pub fn syzygy_path(&self) -> &str {
        self.text(SYZYGY_PATH)
    }

    /// `SyzygyProbeDepth`, plies.
    #[must_use]
    pub fn syzygy_probe_depth(&self) -> i32 {
        self.spin(SYZYGY_PROBE_DEPTH) as i32
    }

    /// `Syzygy50MoveRule`.
    #[must_use]
    pub fn syzygy_50_move_rule(&self) -> bool {
        self.check(SYZYGY_50_MOVE_RULE)
    }

    /// `SyzygyProbeLimit`, men.
    #[must_use]
    pub fn syzygy_probe_limit(&self) -> usize {
        self.spin(SYZYGY_PROBE_LIMIT) as usize
    }

    /// How strong to play by `UCI_LimitStrength`, `UCI_Elo` and `Skill Level`; `None` is full strength.
    #[must_use]
    pub fn strength(&self) -> Option<Strength> {
        if self.check(LIMIT_STRENGTH) {
            return Some(Strength::of_elo(self.spin(ELO)));
        }
        Strength::of_skill(self.spin(SKILL_LEVEL))
    }

    /// `Skill Seed`; `None` for a new one for every game.
    #[must_use]
    pub fn skill_seed(&self) -> Option<u64> {
        Some(self.spin(SKILL_SEED) as u64).filter(|&seed| seed > 0)
    }

    /// `Minimal`.
    #[must_use]
    pub fn minimal(&self) -> bool {
        self.check(MINIMAL)
    }

    /// `Debug Log File`; empty for none.
    #[must_use]
    pub fn debug_log_file(&self) -> &str {
        self.text(DEBUG_LOG_FILE)
    }

    /// Is this the row of `Debug Log File`?
    #[must_use]
    pub const fn is_debug_log_file(row: usize) -> bool {
        row == DEBUG_LOG_FILE
    }

    /// Is this the row of `Clear Hash`?
    #[must_use]
    pub const fn is_clear_hash(row: usize) -> bool {
        row == CLEAR_HASH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_read_their_own_rows() {
        let mut options = Options::default();
        for (name, value) in [
            ("hash", "33"),
            ("THREADS", "3"),
            ("MultiPV", "5"),
            ("move overhead", "77"),
            ("Ponder", "true"),
            ("UCI_Chess960", "True"),
            ("UCI_ShowWDL", " true "),
            ("UCI_AnalyseMode", "true"),
            ("OwnBook", "true"),
            ("Book File", "a b.bin"),
            ("Book Depth", "9"),
            ("Best Book Move", "true"),
            ("Book Seed", "3"),
            ("SyzygyPath", "/a:/b"),
            ("SyzygyProbeDepth", "4"),
            ("Syzygy50MoveRule", "false"),
            ("SyzygyProbeLimit", "5"),
            ("Skill Seed", "8"),
            ("Minimal", "true"),
            ("Debug Log File", "a log.txt"),
        ] {
            options.set(name, value).unwrap();
        }
        assert_eq!((options.hash(), options.threads(), options.multi_pv(), options.move_overhead()), (33, 3, 5, 77));
        assert!(options.ponder() && options.chess960() && options.show_wdl() && options.analyse_mode());
        assert!(options.own_book() && options.best_book_move());
        assert_eq!((options.book_file(), options.book_depth(), options.book_seed()), ("a b.bin", 9, Some(3)));
        assert_eq!((options.syzygy_path(), options.syzygy_probe_depth()), ("/a:/b", 4));
        assert!(!options.syzygy_50_move_rule() && options.syzygy_probe_limit() == 5);
        assert_eq!((Options::default().book_file(), Options::default().book_seed()), ("", None));
        assert!(options.minimal() && options.skill_seed() == Some(8) && options.debug_log_file() == "a log.txt");
        assert!(Options::is_clear_hash(find("Clear Hash").unwrap()));
        assert!(Options::is_debug_log_file(find("Debug Log File").unwrap()));
    }

    #[test]
    fn a_rating_goes_before_a_level_and_both_before_full_strength() {
        let mut options = Options::default();
        assert_eq!(options.strength(), None);
        options.set("UCI_Elo", &MIN_ELO.to_string()).unwrap();
        assert_eq!(options.strength(), None);
        options.set("Skill Level", "19").unwrap();
        assert_eq!(options.strength(), Strength::of_skill(19));
        options.set("UCI_LimitStrength", "true").unwrap();
        assert_eq!(options.strength(), Some(Strength::of_elo(MIN_ELO)));
    }

    #[test]
    fn bad_values_change_nothing_and_are_named() {
        let mut options = Options::default();
        for (name, value, part) in [
            ("Hash", "0", "'0' is not a whole number from 1 to"),
            ("Hash", "abc", "'abc'"),
            ("Hash", "", "''"),
            ("Hash", "99999999999999999999", "whole number"),
            ("Threads", "-5", "'-5'"),
            ("Ponder", "1", "true or false"),
            ("Hsah", "16", "did you mean 'Hash'?"),
            ("Zobrist", "16", "unknown option 'Zobrist'"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.contains(part), "{name} {value}: {error}");
        }
        assert_eq!(options, Options::default());
    }

    /// A new option that takes text either names files or is known here not to.
    #[test]
    fn options_that_name_files_are_known() {
        let texts = OPTIONS.iter().filter(|row| matches!(row.kind, Kind::Text { .. })).map(|row| row.name);
        let harmless = ["UCI_EngineAbout", "UCI_Opponent"];
        assert!(texts.clone().all(|name| FILE_OPTIONS.contains(&name) || harmless.contains(&name)));
        assert!(FILE_OPTIONS.iter().all(|file| texts.clone().any(|name| name == *file)));
    }

    #[test]
    fn names_avoid_the_words_that_split_an_option_line() {
        for row in OPTIONS {
            for word in row.name.split(' ') {
                assert!(!["name", "type", "default", "min", "max", "var", "value"].contains(&word), "{}", row.name);
            }
            assert_eq!(row.parse(&row.default_value().to_string()), Ok(row.default_value()));
        }
    }
}
