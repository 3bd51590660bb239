//! Declarations of the UCI options.
//!
//! Each option is one row of `options!`: its accessor and setter, the `option` line of the protocol, parsing, range
//! check and key of `engine.toml` derive from it. To add an option: add a row here and the code that reads the
//! accessor; then regenerate `engine.toml` (`aspirant config init --force`), and add a row to `docs/usage.md` and a check
//! to `tests/it/options.rs`. Tests fail if one of them is missing. Names follow other engines, because lichess-bot and
//! GUIs look for these exact names. A value of the wrong type or out of range changes nothing and is an error.

use std::fmt;

use crate::board::position::printable;
use crate::config::strength::{MAX_ELO, MAX_SKILL_LEVEL, MIN_ELO, Strength};
use crate::platform::files::HAS_FILE_SYSTEM;
use crate::search::params::Param;

/// Type, default and range of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// One of several strings.
    Combo {
        /// The default value.
        default: &'static str,
        /// The allowed values.
        values: &'static [&'static str],
    },
    /// An action without a value.
    Button,
}

/// The declaration of one option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// Its name in UCI.
    pub name: &'static str,
    /// Its key in `engine.toml`.
    pub key: &'static str,
    /// Type, default and range.
    pub kind: OptionKind,
    /// A short description.
    pub doc: &'static str,
    /// Whether the value is a file path; UCI clients cannot set it if the configuration is restricted.
    pub is_file: bool,
}

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OptionValue {
    /// The value of an [`OptionKind::Check`].
    Check(bool),
    /// The value of an [`OptionKind::Spin`].
    Spin(i64),
    /// The value of an [`OptionKind::Text`] or an [`OptionKind::Combo`].
    Text(String),
    /// An [`OptionKind::Button`] has no value.
    None,
}

impl OptionValue {
    /// Returns the value of a check option; `None` for another kind.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Check(on) = self { Some(*on) } else { None }
    }

    /// Returns the value of a spin option; `None` for another kind.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Spin(number) = self { Some(*number) } else { None }
    }

    /// Returns the value of a text or combo option; `None` for another kind.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
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

/// The largest hash size in MB; a 32-bit program can allocate less than 2048 MB at once.
pub(crate) const MAX_HASH: i64 = if cfg!(target_pointer_width = "64") { 1 << 20 } else { 1024 };

const SEED_MAX: i64 = i32::MAX as i64;

/// Declares the options: [`OPTIONS`], the struct [`Options`], and an accessor and a setter for each.
///
/// A row is `kind key setter: type = "UCI name" (default, min, max);` after a line of documentation. The type of a spin
/// option is that of its accessor. A `file` is a text option whose value is a path.
macro_rules! options {
    ($(#[doc = $doc:literal] $kind:ident $key:ident $($setter:ident)? $(: $type:ty)? = $name:literal ($($arg:expr),*);)*) => {
        /// All options, in the order in which they are printed.
        pub const OPTIONS: &[OptionSpec] = &[$(OptionSpec {
            name: $name,
            key: stringify!($key),
            kind: option_part!(@kind $kind $($arg),*),
            doc: $doc.trim_ascii(),
            is_file: option_part!(@is_file $kind),
        }),*];

        #[expect(non_camel_case_types, reason = "the keys of the options")]
        enum Index { $($key),* }

        /// The values of all options.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Options { $($key: option_part!(@type $kind $($type)?)),* }

        impl Default for Options {
            fn default() -> Self {
                Self { $($key: option_part!(@default $kind $($arg),*)),* }
            }
        }

        impl Options {
            /// Returns the value of the option with this index in [`OPTIONS`].
            #[must_use]
            pub fn get(&self, index: usize) -> OptionValue {
                $(if index == Index::$key as usize {
                    return option_part!(@get $kind self.$key);
                })*
                OptionValue::None
            }

            /// Stores a value that was checked before.
            pub(crate) fn store(&mut self, index: usize, value: OptionValue) {
                $(if index == Index::$key as usize {
                    option_part!(@store $kind self.$key, value $(, $type)?);
                    return;
                })*
            }

            $(option_part!(@methods $kind $key $($setter)? $name $doc; $($type)?);)*
        }
    };
}

/// The parts of [`options!`] that depend on the kind of the option.
macro_rules! option_part {
    (@kind check $default:expr) => { OptionKind::Check { default: $default } };
    (@kind spin $default:expr, $min:expr, $max:expr) => { OptionKind::Spin { default: $default, min: $min, max: $max } };
    (@kind file $default:expr) => { OptionKind::Text { default: $default } };
    (@kind button) => { OptionKind::Button };
    (@is_file file) => { true };
    (@is_file $kind:ident) => { false };
    (@type check) => { bool };
    (@type spin $type:ty) => { $type };
    (@type button) => { () };
    (@type $text:ident) => { String };
    (@default check $default:expr) => { $default };
    (@default spin $default:expr, $min:expr, $max:expr) => { $default as _ };
    (@default button) => { () };
    (@default $text:ident $default:expr) => { String::from($default) };
    (@get check $value:expr) => { OptionValue::Check($value) };
    (@get spin $value:expr) => { OptionValue::Spin($value as i64) };
    (@get button $value:expr) => { OptionValue::None };
    (@get $text:ident $value:expr) => { OptionValue::Text($value.clone()) };
    (@store check $place:expr, $value:ident) => { if let OptionValue::Check(on) = $value { $place = on; } };
    (@store spin $place:expr, $value:ident, $type:ty) => {
        if let OptionValue::Spin(number) = $value { $place = number as $type; }
    };
    (@store button $place:expr, $value:ident) => {};
    (@store $text:ident $place:expr, $value:ident) => { if let OptionValue::Text(text) = $value { $place = text; } };
    (@methods button $key:ident $name:literal $doc:literal;) => {};
    (@methods check $key:ident $setter:ident $name:literal $doc:literal;) => {
        option_part!(@methods value $key $setter $name $doc; bool);
    };
    (@methods spin $key:ident $setter:ident $name:literal $doc:literal; $type:ty) => {
        option_part!(@methods value $key $setter $name $doc; $type);
    };
    (@methods value $key:ident $setter:ident $name:literal $doc:literal; $type:ty) => {
        #[doc = concat!("Returns the value of `", $name, "`.\n\n", $doc, ".")]
        #[must_use]
        pub fn $key(&self) -> $type {
            self.$key
        }

        #[doc = concat!("Sets `", $name, "`.\n\n", $doc, "; [`OPTIONS`] has the range.\n\n# Errors\n[`OptionError::Value`] if the value is out of range.")]
        pub fn $setter(&mut self, value: $type) -> Result<&mut Self, OptionError> {
            self.set($name, &value.to_string())?;
            Ok(self)
        }
    };
    (@methods $text:ident $key:ident $setter:ident $name:literal $doc:literal;) => {
        #[doc = concat!("Returns the value of `", $name, "`; empty if not set.\n\n", $doc, ".")]
        #[must_use]
        pub fn $key(&self) -> &str {
            &self.$key
        }

        #[doc = concat!("Sets `", $name, "`; an empty text unsets it.\n\n", $doc, ".\n\n# Errors\n[`OptionError::Unknown`] if this build does not support the option, for example files on a target without a file system.")]
        pub fn $setter(&mut self, value: &str) -> Result<&mut Self, OptionError> {
            self.set($name, value)?;
            Ok(self)
        }
    };
}

options! {
    /// Size of the transposition table in MB
    spin hash set_hash: usize = "Hash" (16, 1, MAX_HASH);
    /// Clears the transposition table and all histories
    button clear_hash = "Clear Hash" ();
    /// Number of search threads (Lazy SMP)
    spin threads set_threads: usize = "Threads" (1, 1, 512);
    /// Allows the GUI to use pondering; has no effect by itself
    check ponder set_ponder = "Ponder" (false);
    /// Number of principal variations to search and report
    spin multi_pv set_multi_pv: usize = "MultiPV" (1, 1, 256);
    /// Time buffer per move for GUI and network lag, in ms
    spin move_overhead set_move_overhead: u64 = "Move Overhead" (10, 0, 5000);
    /// Chess960 notation: castling moves are written as king takes rook
    check chess960 set_chess960 = "UCI_Chess960" (false);
    /// Adds win/draw/loss probabilities in permille to exact scores
    check show_wdl set_show_wdl = "UCI_ShowWDL" (false);
    /// Reports fail-high/fail-low bounds and current moves from the start of a search, not only in long searches
    check analyze_mode set_analyze_mode = "UCI_AnalyseMode" (false);
    /// Uses the opening book in timed searches
    check own_book set_own_book = "OwnBook" (false);
    /// Path of a Polyglot opening book (.bin)
    file book_file set_book_file = "Book File" ("");
    /// Last move number at which the book is used
    spin book_depth set_book_depth: u32 = "Book Depth" (255, 1, 1000);
    /// Plays the book move with the highest weight instead of a random one by weight
    check best_book_move set_best_book_move = "Best Book Move" (false);
    /// Seed of the random choice of book moves; 0 is a new random seed at every start
    spin book_seed set_book_seed: u64 = "Book Seed" (0, 0, SEED_MAX);
    /// Directories of Syzygy tablebases, separated by ; (also by : except on Windows)
    file syzygy_path set_syzygy_path = "SyzygyPath" ("");
    /// Minimum depth in plies for probes with as many pieces as the largest tablebases; with fewer, at any depth
    spin syzygy_probe_depth set_syzygy_probe_depth: i32 = "SyzygyProbeDepth" (1, 1, 100);
    /// Scores cursed wins and blessed losses as draws; if false, as wins and losses
    check syzygy_50_move_rule set_syzygy_50_move_rule = "Syzygy50MoveRule" (true);
    /// Maximum number of pieces in positions that are probed; 0 disables probing
    spin syzygy_probe_limit set_syzygy_probe_limit: usize = "SyzygyProbeLimit" (7, 0, 7);
    /// Limits the playing strength to UCI_Elo; uses one thread
    check limit_strength set_limit_strength = "UCI_LimitStrength" (false);
    /// Playing strength with UCI_LimitStrength, in Elo
    spin elo set_elo: i64 = "UCI_Elo" (MAX_ELO, MIN_ELO, MAX_ELO);
    /// 20 is full strength; lower levels map linearly onto the UCI_Elo range. UCI_LimitStrength takes precedence
    spin skill_level set_skill_level: i64 = "Skill Level" (MAX_SKILL_LEVEL, 0, MAX_SKILL_LEVEL);
    /// Seed of the evaluation noise below full strength; 0 is a new random seed for every game
    spin skill_seed set_skill_seed: u64 = "Skill Seed" (0, 0, SEED_MAX);
    /// Prints search info only once per search, directly before bestmove
    check minimal set_minimal = "Minimal" (false);
    /// File that logs all UCI input and output; appends to an existing log, leaves any other existing file unchanged
    file debug_log_file set_debug_log_file = "Debug Log File" ("");
}

/// Options that have no effect without files.
const FILE_OPTIONS: [&str; 10] = [
    "OwnBook",
    "Book File",
    "Book Depth",
    "Best Book Move",
    "Book Seed",
    "SyzygyPath",
    "SyzygyProbeDepth",
    "Syzygy50MoveRule",
    "SyzygyProbeLimit",
    "Debug Log File",
];

/// The reason why an option was not set.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OptionError {
    /// No option has this name.
    #[error("unknown option '{name}'{}", hint(.nearest))]
    Unknown {
        /// The given name.
        name: String,
        /// The most similar option name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// The value is a file path, which [`Config::restricted`](crate::config::Config::restricted) forbids.
    #[error("option '{name}' cannot be set: file paths are disabled (restricted mode)")]
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

impl OptionError {
    /// Returns the error for an unknown name, with the most similar of the candidates.
    pub(crate) fn unknown(name: &str, candidates: impl Iterator<Item = &'static str>) -> Self {
        Self::Unknown { name: printable(name), nearest: nearest(name, candidates) }
    }
}

/// Returns the end of an error message that suggests the most similar name.
fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map(|name| format!(", did you mean '{name}'?")).unwrap_or_default()
}

/// Returns the candidate most similar to `name` (Jaro-Winkler, ignoring ASCII case), if any is similar.
#[cfg(feature = "uci")]
#[doc(hidden)]
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The time of a comparison grows with the length, and a name that is so long resembles none.
    if name.len() > 100 {
        return None;
    }
    let name = name.to_ascii_lowercase();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Returns no candidate: suggestions need the feature `uci`.
#[cfg(not(feature = "uci"))]
#[doc(hidden)]
#[must_use]
pub fn nearest<'a>(_name: &str, _candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    None
}

impl Param {
    /// Returns the declaration as an option: key, type, range and description.
    #[must_use]
    pub fn spec(&self) -> OptionSpec {
        let kind = match self.switch {
            true => OptionKind::Check { default: self.default != 0 },
            false => {
                let [default, min, max] = [self.default, self.min, self.max].map(i64::from);
                OptionKind::Spin { default, min, max }
            }
        };
        OptionSpec { name: self.name, key: self.name, kind, doc: self.doc.trim_end_matches('.'), is_file: false }
    }
}

impl OptionSpec {
    /// Returns whether this build supports the option.
    ///
    /// Options that need files are not supported without a file system, those of tablebases not without the feature
    /// `syzygy`.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        (HAS_FILE_SYSTEM || !FILE_OPTIONS.contains(&self.name))
            && (cfg!(feature = "syzygy") || !self.key.starts_with("syzygy"))
    }

    /// [`OptionValue::None`] for a button.
    #[must_use]
    pub fn default_value(&self) -> OptionValue {
        match self.kind {
            OptionKind::Check { default } => OptionValue::Check(default),
            OptionKind::Spin { default, .. } => OptionValue::Spin(default),
            OptionKind::Text { default } | OptionKind::Combo { default, .. } => OptionValue::Text(default.into()),
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
            OptionKind::Combo { values, .. } => format!("one of: {}", values.join(", ")),
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
            OptionKind::Combo { values, .. } => {
                let value = values.iter().find(|value| value.eq_ignore_ascii_case(text)).ok_or_else(invalid)?;
                Ok(OptionValue::Text((*value).into()))
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
    let is_named = |option: &OptionSpec| option.is_offered() && option.name.eq_ignore_ascii_case(name);
    let offered = OPTIONS.iter().filter(|option| option.is_offered()).map(|option| option.name);
    OPTIONS.iter().position(is_named).ok_or_else(|| OptionError::unknown(name, offered))
}

impl Options {
    /// Sets an option by its UCI name and returns its index in [`OPTIONS`].
    ///
    /// # Errors
    /// [`OptionError`]; the options are unchanged then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<usize, OptionError> {
        let index = find(name)?;
        self.store(index, OPTIONS[index].parse(text)?);
        Ok(index)
    }

    /// Returns the limited strength set by `UCI_LimitStrength`, `UCI_Elo` and `Skill Level`, if any.
    #[must_use]
    pub fn strength(&self) -> Option<Strength> {
        if self.limit_strength {
            return Some(Strength::from_elo(self.elo));
        }
        Strength::from_skill_level(self.skill_level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn setters_check_the_range() {
        let mut options = Options::default();
        options.set_hash(64).and_then(|options| options.set_threads(2)?.set_book_file("a.bin")).unwrap();
        assert_eq!((options.hash(), options.threads(), options.book_file()), (64, 2, "a.bin"));
        assert!(options.set_hash(0).is_err() && options.hash() == 64);
        let values: Vec<OptionValue> = (0..OPTIONS.len()).map(|index| Options::default().get(index)).collect();
        assert!(values.iter().eq(OPTIONS.iter().map(OptionSpec::default_value).collect::<Vec<_>>().iter()));
    }

    #[test]
    fn options_that_need_files_exist_and_include_every_path() {
        assert!(FILE_OPTIONS.iter().all(|name| OPTIONS.iter().any(|option| option.name == *name)));
        assert!(OPTIONS.iter().all(|option| !option.is_file || FILE_OPTIONS.contains(&option.name)));
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
