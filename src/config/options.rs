//! Declarations of the UCI options.
//!
//! Each option is one row of [`OPTIONS`]; the `option` lines of the protocol, parsing, range checks, the keys of
//! `engine.toml` and the table in the README derive from it. To add an option: add a row, its index and an accessor
//! here, and the code that reads the accessor; then regenerate `engine.toml` (`aspirant print-template`), add a row to
//! the README and a check to `tests/it/options.rs`. Tests fail if one of them is missing. Names follow other engines,
//! because lichess-bot and GUIs look for these exact names. A value of the wrong type or out of range changes nothing
//! and is an error.

use std::fmt;

use crate::board::position::printable;
use crate::config::strength::{MAX_ELO, MAX_SKILL_LEVEL, MIN_ELO, Strength};

/// Type, default and range of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A boolean.
    Check {
        /// The default value.
        default: bool,
    },
    /// An integer within a range.
    Spin {
        /// The default value.
        default: i64,
        /// The smallest allowed value.
        min: i64,
        /// The largest allowed value.
        max: i64,
    },
    /// A string.
    Text {
        /// The default value.
        default: &'static str,
    },
    /// An action without a value.
    Button,
}

/// The declaration of one option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptionSpec {
    /// Its name in UCI.
    pub name: &'static str,
    /// Its key in `engine.toml`.
    pub key: &'static str,
    /// Type, default and range.
    pub kind: OptionKind,
    /// A short description.
    pub doc: &'static str,
}

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// The value of an [`OptionKind::Check`].
    Check(bool),
    /// The value of an [`OptionKind::Spin`].
    Spin(i64),
    /// The value of an [`OptionKind::Text`].
    Text(String),
    /// An [`OptionKind::Button`] has no value.
    None,
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(on) => write!(f, "{on}"),
            Self::Spin(n) => write!(f, "{n}"),
            Self::Text(text) => write!(f, "{text}"),
            Self::None => Ok(()),
        }
    }
}

/// The value of `UCI_EngineAbout`.
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
const ANALYZE_MODE: usize = 8;
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
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "Hash",
        key: "hash",
        kind: OptionKind::Spin { default: 16, min: 1, max: 1 << 20 },
        doc: "Size of the transposition table in MB",
    },
    OptionSpec {
        name: "Clear Hash",
        key: "clear_hash",
        kind: OptionKind::Button,
        doc: "Clears the transposition table and all histories",
    },
    OptionSpec {
        name: "Threads",
        key: "threads",
        kind: OptionKind::Spin { default: 1, min: 1, max: 512 },
        doc: "Number of search threads (Lazy SMP)",
    },
    OptionSpec {
        name: "Ponder",
        key: "ponder",
        kind: OptionKind::Check { default: false },
        doc: "Allows the GUI to use pondering; has no effect by itself",
    },
    OptionSpec {
        name: "MultiPV",
        key: "multi_pv",
        kind: OptionKind::Spin { default: 1, min: 1, max: 256 },
        doc: "Number of principal variations to search and report",
    },
    OptionSpec {
        name: "Move Overhead",
        key: "move_overhead",
        kind: OptionKind::Spin { default: 10, min: 0, max: 5000 },
        doc: "Time buffer per move for GUI and network lag, in ms",
    },
    OptionSpec {
        name: "UCI_Chess960",
        key: "chess960",
        kind: OptionKind::Check { default: false },
        doc: "Chess960 notation: castling moves are written as king takes rook",
    },
    OptionSpec {
        name: "UCI_ShowWDL",
        key: "show_wdl",
        kind: OptionKind::Check { default: false },
        doc: "Adds win/draw/loss probabilities in permille to exact scores",
    },
    OptionSpec {
        name: "UCI_AnalyseMode",
        key: "analyze_mode",
        kind: OptionKind::Check { default: false },
        doc: "Reports fail-high/fail-low bounds and current moves from the start of a search, not only in long searches",
    },
    OptionSpec {
        name: "OwnBook",
        key: "own_book",
        kind: OptionKind::Check { default: false },
        doc: "Uses the opening book in timed searches",
    },
    OptionSpec {
        name: "Book File",
        key: "book_file",
        kind: OptionKind::Text { default: "" },
        doc: "Path of a Polyglot opening book (.bin)",
    },
    OptionSpec {
        name: "Book Depth",
        key: "book_depth",
        kind: OptionKind::Spin { default: 255, min: 1, max: 1000 },
        doc: "Last move number at which the book is used",
    },
    OptionSpec {
        name: "Best Book Move",
        key: "best_book_move",
        kind: OptionKind::Check { default: false },
        doc: "Plays the book move with the highest weight instead of a random one by weight",
    },
    OptionSpec {
        name: "Book Seed",
        key: "book_seed",
        kind: OptionKind::Spin { default: 0, min: 0, max: i32::MAX as i64 },
        doc: "Seed of the random choice of book moves; 0 is a new random seed at every start",
    },
    OptionSpec {
        name: "SyzygyPath",
        key: "syzygy_path",
        kind: OptionKind::Text { default: "" },
        doc: "Directories of Syzygy tablebases, separated by ; (also by : except on Windows)",
    },
    OptionSpec {
        name: "SyzygyProbeDepth",
        key: "syzygy_probe_depth",
        kind: OptionKind::Spin { default: 1, min: 1, max: 100 },
        doc: "Minimum depth in plies at which tablebases with the most pieces are probed",
    },
    OptionSpec {
        name: "Syzygy50MoveRule",
        key: "syzygy_50_move_rule",
        kind: OptionKind::Check { default: true },
        doc: "Scores cursed wins and blessed losses as draws",
    },
    OptionSpec {
        name: "SyzygyProbeLimit",
        key: "syzygy_probe_limit",
        kind: OptionKind::Spin { default: 7, min: 0, max: 7 },
        doc: "Maximum number of pieces in positions that are probed; 0 disables probing",
    },
    OptionSpec {
        name: "UCI_LimitStrength",
        key: "limit_strength",
        kind: OptionKind::Check { default: false },
        doc: "Limits the playing strength to UCI_Elo; uses one thread",
    },
    OptionSpec {
        name: "UCI_Elo",
        key: "elo",
        kind: OptionKind::Spin { default: MAX_ELO, min: MIN_ELO, max: MAX_ELO },
        doc: "Playing strength with UCI_LimitStrength, in Elo",
    },
    OptionSpec {
        name: "Skill Level",
        key: "skill_level",
        kind: OptionKind::Spin { default: MAX_SKILL_LEVEL, min: 0, max: MAX_SKILL_LEVEL },
        doc: "20 is full strength; lower levels map linearly onto the UCI_Elo range. UCI_LimitStrength takes precedence",
    },
    OptionSpec {
        name: "Skill Seed",
        key: "skill_seed",
        kind: OptionKind::Spin { default: 0, min: 0, max: i32::MAX as i64 },
        doc: "Seed of the evaluation noise below full strength; 0 is a new random seed for every game",
    },
    OptionSpec {
        name: "Minimal",
        key: "minimal",
        kind: OptionKind::Check { default: false },
        doc: "Prints search info only once per search, directly before bestmove",
    },
    OptionSpec {
        name: "Debug Log File",
        key: "debug_log_file",
        kind: OptionKind::Text { default: "" },
        doc: "File that logs all UCI input and output; appends to an existing log, leaves any other existing file unchanged",
    },
    OptionSpec {
        name: "UCI_EngineAbout",
        key: "engine_about",
        kind: OptionKind::Text { default: ABOUT },
        doc: "Name, version and license of the engine; setting it has no effect",
    },
];

/// Former keys of `engine.toml` that are still accepted, as (old key, current key).
pub const RENAMED_KEYS: &[(&str, &str)] = &[("analyse_mode", "analyze_mode")];

/// Options whose values are file paths; UCI clients cannot set them with `--restricted`.
pub const FILE_OPTIONS: &[&str] = &["Book File", "SyzygyPath", "Debug Log File"];

/// The reason why an option was not set.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// No option has this name.
    #[error("unknown option '{name}'{}", hint(.nearest))]
    Unknown {
        /// The given name.
        name: String,
        /// The most similar option name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// The value is a file path, which `--restricted` forbids.
    #[error("option '{name}' cannot be set: this engine was started with --restricted")]
    Restricted {
        /// The name of the option.
        name: &'static str,
    },
    /// The value has the wrong type or is out of range.
    #[error("option '{name}': '{value}' is not {expected}")]
    Value {
        /// The name of the option.
        name: &'static str,
        /// The given value.
        value: String,
        /// The expected type and range.
        expected: String,
    },
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map(|name| format!(", did you mean '{name}'?")).unwrap_or_default()
}

/// Returns the candidate most similar to `name` (Jaro-Winkler, ignoring case), if any is similar.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

impl OptionSpec {
    /// Returns the default value.
    #[must_use]
    pub fn default_value(&self) -> OptionValue {
        match self.kind {
            OptionKind::Check { default } => OptionValue::Check(default),
            OptionKind::Spin { default, .. } => OptionValue::Spin(default),
            OptionKind::Text { default } => OptionValue::Text(default.into()),
            OptionKind::Button => OptionValue::None,
        }
    }

    /// Describes the type and range, for error messages and documentation.
    #[must_use]
    pub fn expected(&self) -> String {
        match self.kind {
            OptionKind::Check { .. } => "true or false".into(),
            OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Text { .. } => "text".into(),
            OptionKind::Button => "no value".into(),
        }
    }

    /// Parses a value from `setoption` or a configuration.
    ///
    /// # Errors
    /// [`OptionError::Value`] if it has the wrong type or is out of range.
    pub fn parse(&self, text: &str) -> Result<OptionValue, OptionError> {
        let text = text.trim();
        let invalid = || OptionError::Value { name: self.name, value: printable(text), expected: self.expected() };
        match self.kind {
            OptionKind::Check { .. } => match text.to_ascii_lowercase().as_str() {
                "true" => Ok(OptionValue::Check(true)),
                "false" => Ok(OptionValue::Check(false)),
                _ => Err(invalid()),
            },
            OptionKind::Spin { min, max, .. } => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(OptionValue::Spin).ok_or_else(invalid)
            }
            OptionKind::Text { .. } => {
                Ok(OptionValue::Text(if text == "<empty>" { String::new() } else { text.into() }))
            }
            OptionKind::Button => Ok(OptionValue::None),
        }
    }
}

/// Returns the index in [`OPTIONS`] of the option with this UCI name, ignoring case.
///
/// # Errors
/// [`OptionError::Unknown`], with the most similar name.
pub fn find(name: &str) -> Result<usize, OptionError> {
    let name = name.trim();
    OPTIONS.iter().position(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| OptionError::Unknown {
        name: printable(name),
        nearest: nearest(name, OPTIONS.iter().map(|option| option.name)),
    })
}

/// The values of all options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    values: Vec<OptionValue>,
}

impl Default for Options {
    fn default() -> Self {
        Self { values: OPTIONS.iter().map(OptionSpec::default_value).collect() }
    }
}

impl Options {
    /// Returns the value of the option with this index in [`OPTIONS`].
    #[must_use]
    pub fn get(&self, index: usize) -> &OptionValue {
        &self.values[index]
    }

    /// Sets an option by its UCI name and returns its index in [`OPTIONS`].
    ///
    /// # Errors
    /// [`OptionError`]; the options are unchanged then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<usize, OptionError> {
        let index = find(name)?;
        self.values[index] = OPTIONS[index].parse(text)?;
        Ok(index)
    }

    fn spin(&self, index: usize) -> i64 {
        if let OptionValue::Spin(n) = self.values[index] { n } else { 0 }
    }

    fn check(&self, index: usize) -> bool {
        self.values[index] == OptionValue::Check(true)
    }

    fn text(&self, index: usize) -> &str {
        if let OptionValue::Text(text) = &self.values[index] { text } else { "" }
    }

    /// `Hash`, in MB.
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

    /// `Move Overhead`, in milliseconds.
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
    pub fn analyze_mode(&self) -> bool {
        self.check(ANALYZE_MODE)
    }

    /// `OwnBook`.
    #[must_use]
    pub fn own_book(&self) -> bool {
        self.check(OWN_BOOK)
    }

    /// `Book File`; empty if not set.
    #[must_use]
    pub fn book_file(&self) -> &str {
        self.text(BOOK_FILE)
    }

    /// `Book Depth`, a move number.
    #[must_use]
    pub fn book_depth(&self) -> u32 {
        self.spin(BOOK_DEPTH) as u32
    }

    /// `Best Book Move`.
    #[must_use]
    pub fn best_book_move(&self) -> bool {
        self.check(BEST_BOOK_MOVE)
    }

    /// `Book Seed`; `None` stands for a new random seed at every start.
    #[must_use]
    pub fn book_seed(&self) -> Option<u64> {
        Some(self.spin(BOOK_SEED) as u64).filter(|&seed| seed > 0)
    }

    /// `SyzygyPath`; empty if not set.
    #[must_use]
    pub fn syzygy_path(&self) -> &str {
        self.text(SYZYGY_PATH)
    }

    /// `SyzygyProbeDepth`, in plies.
    #[must_use]
    pub fn syzygy_probe_depth(&self) -> i32 {
        self.spin(SYZYGY_PROBE_DEPTH) as i32
    }

    /// `Syzygy50MoveRule`.
    #[must_use]
    pub fn syzygy_50_move_rule(&self) -> bool {
        self.check(SYZYGY_50_MOVE_RULE)
    }

    /// `SyzygyProbeLimit`, in pieces.
    #[must_use]
    pub fn syzygy_probe_limit(&self) -> usize {
        self.spin(SYZYGY_PROBE_LIMIT) as usize
    }

    /// Returns the limited strength set by `UCI_LimitStrength`, `UCI_Elo` and `Skill Level`, if any.
    #[must_use]
    pub fn strength(&self) -> Option<Strength> {
        if self.check(LIMIT_STRENGTH) {
            return Some(Strength::from_elo(self.spin(ELO)));
        }
        Strength::from_skill_level(self.spin(SKILL_LEVEL))
    }

    /// `Skill Seed`; `None` stands for a new random seed for every game.
    #[must_use]
    pub fn skill_seed(&self) -> Option<u64> {
        Some(self.spin(SKILL_SEED) as u64).filter(|&seed| seed > 0)
    }

    /// `Minimal`.
    #[must_use]
    pub fn minimal(&self) -> bool {
        self.check(MINIMAL)
    }

    /// `Debug Log File`; empty if not set.
    #[must_use]
    pub fn debug_log_file(&self) -> &str {
        self.text(DEBUG_LOG_FILE)
    }

    /// Returns whether this is the index of `Debug Log File`.
    #[must_use]
    pub const fn is_debug_log_file(index: usize) -> bool {
        index == DEBUG_LOG_FILE
    }

    /// Returns whether this is the index of `Clear Hash`.
    #[must_use]
    pub const fn is_clear_hash(index: usize) -> bool {
        index == CLEAR_HASH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_return_the_values_of_their_options() {
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
        assert!(options.ponder() && options.chess960() && options.show_wdl() && options.analyze_mode());
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
    fn limit_strength_takes_precedence_over_skill_level() {
        let mut options = Options::default();
        assert_eq!(options.strength(), None);
        options.set("UCI_Elo", &MIN_ELO.to_string()).unwrap();
        assert_eq!(options.strength(), None);
        options.set("Skill Level", "19").unwrap();
        assert_eq!(options.strength(), Strength::from_skill_level(19));
        options.set("UCI_LimitStrength", "true").unwrap();
        assert_eq!(options.strength(), Some(Strength::from_elo(MIN_ELO)));
    }

    #[test]
    fn invalid_values_change_nothing_and_are_reported() {
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

    /// A new text option must be added to `FILE_OPTIONS` or to the list of options without paths below.
    #[test]
    fn every_text_option_is_classified_as_path_or_not() {
        let texts =
            OPTIONS.iter().filter(|option| matches!(option.kind, OptionKind::Text { .. })).map(|option| option.name);
        let without_path = ["UCI_EngineAbout", "UCI_Opponent"];
        assert!(texts.clone().all(|name| FILE_OPTIONS.contains(&name) || without_path.contains(&name)));
        assert!(FILE_OPTIONS.iter().all(|file| texts.clone().any(|name| name == *file)));
    }

    #[test]
    fn renamed_keys_are_unused_and_lead_to_a_current_key() {
        for (old, current) in RENAMED_KEYS {
            assert!(OPTIONS.iter().all(|option| option.key != *old), "{old}");
            assert!(OPTIONS.iter().any(|option| option.key == *current), "{current}");
        }
    }

    #[test]
    fn names_contain_no_keyword_of_the_option_line_and_defaults_parse() {
        for option in OPTIONS {
            for word in option.name.split(' ') {
                assert!(!["name", "type", "default", "min", "max", "var", "value"].contains(&word), "{}", option.name);
            }
            assert_eq!(option.parse(&option.default_value().to_string()), Ok(option.default_value()));
        }
    }
}
