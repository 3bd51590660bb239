//! The configuration of an engine: options and search parameters.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::board::position::printable;
use crate::config::options::{self, Options};
#[cfg(feature = "cli")]
use crate::config::options::{OPTIONS, OptionError, OptionKind};
use crate::search::params::{PARAMS, Param, Params};

/// Origin of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueOrigin {
    /// The program's default.
    BuiltIn,
    /// Path of the file and line, counted from 1.
    File(PathBuf, usize),
    /// The command line.
    CommandLine,
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => write!(f, "built-in"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::CommandLine => write!(f, "command line"),
        }
    }
}

/// The reason why a search parameter was not set.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParamError {
    /// No parameter has this name.
    #[error("unknown key '{name}'{}", options::hint(.nearest))]
    Unknown {
        /// The given name.
        name: String,
        /// The most similar name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// The value has the wrong type or is out of range.
    #[error("'{name}': '{value}' is not {expected}")]
    Value {
        /// The name of the parameter.
        name: &'static str,
        /// The given value.
        value: String,
        /// The expected type and range.
        expected: String,
    },
}

/// Options and search parameters, with the origin of each value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The UCI options.
    pub options: Options,
    /// The search parameters.
    pub params: Params,
    /// Whether [`Engine::set_option`](crate::engine::Engine::set_option), and thus every UCI client, refuses options that
    /// take file paths. The setters of `Engine::update_options` are not restricted.
    pub restricted: bool,
    /// Origins of the values that are not built-in, by key.
    pub(super) origins: BTreeMap<String, ValueOrigin>,
    pub(super) warnings: Vec<String>,
}

impl Config {
    /// Returns whether the configuration file or the command line sets this key.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn sets(&self, key: &str) -> bool {
        self.origins.contains_key(key)
    }

    /// Returns messages about the configuration, one line each: what was ignored, renamed keys, and which search
    /// parameters a file that was found automatically changes.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Sets an option by its key.
    #[cfg(feature = "cli")]
    pub(super) fn set_option_key(&mut self, key: &str, value: &str) -> Result<(), String> {
        let row = OPTIONS.iter().find(|row| row.key == key && row.kind != OptionKind::Button).ok_or_else(|| {
            let keys = OPTIONS.iter().filter(|row| row.kind != OptionKind::Button).map(|row| row.key);
            unknown(key, keys.chain(PARAMS.iter().map(|param| param.name))).to_string()
        })?;
        self.options.set(row.name, value).map(|_| ()).map_err(|error| match error {
            OptionError::Value { value, expected, .. } => format!("'{key}': '{value}' is not {expected}"),
            OptionError::Unknown { .. } | OptionError::Restricted { .. } => error.to_string(),
        })
    }

    /// Sets a search parameter by its name; a switch takes `true` or `false`.
    ///
    /// Semantic versioning does not cover the names.
    ///
    /// # Errors
    /// [`ParamError`]; nothing is changed then.
    pub fn set_param(&mut self, key: &str, value: &str) -> Result<(), ParamError> {
        let param = PARAMS
            .iter()
            .find(|param| param.name == key)
            .ok_or_else(|| unknown(key, PARAMS.iter().map(|param| param.name)))?;
        let parsed = match (param.switch, value) {
            (true, "true") => Some(1),
            (true, "false") => Some(0),
            (true, _) => None,
            (false, number) => number.parse().ok().filter(|n| (param.min..=param.max).contains(n)),
        };
        let parsed = parsed.ok_or_else(|| ParamError::Value {
            name: param.name,
            value: printable(value),
            expected: expected(param),
        })?;
        self.params.set(key, parsed);
        Ok(())
    }
}

/// Returns the search parameters that are also UCI options.
///
/// All of them with the feature `tune`, otherwise none.
#[must_use]
pub fn tunable() -> &'static [Param] {
    if cfg!(feature = "tune") { PARAMS } else { &[] }
}

pub(super) fn expected(param: &Param) -> String {
    if param.switch { "true or false".into() } else { format!("a whole number from {} to {}", param.min, param.max) }
}

fn unknown(key: &str, candidates: impl Iterator<Item = &'static str>) -> ParamError {
    ParamError::Unknown { name: printable(key), nearest: options::nearest(key, candidates) }
}
