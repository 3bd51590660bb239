//! The configuration of an engine: options and search parameters.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::options::{OptionError, OptionValue, Options};
use crate::search::params::{PARAMS, Param, Params};

/// Options and search parameters.
///
/// ```
/// use aspirant::config::Config;
/// use aspirant::engine::Engine;
///
/// let mut config = Config::default();
/// config.options.set_hash(64)?.set_multi_pv(3)?;
/// config.params = config.params.with("null_move", 0)?;
/// config.restricted = true;
/// let mut engine = Engine::new(config)?;
/// assert_eq!(engine.options().hash(), 64);
/// let error = engine.set_option("Book File", "book.bin").unwrap_err();
/// assert_eq!(error.to_string(), "option 'Book File' cannot be set: file paths are disabled (restricted mode)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The UCI options.
    pub options: Options,
    /// The search parameters.
    pub params: Params,
    /// Whether [`Engine::set_option`](crate::engine::Engine::set_option), and thus every UCI client, refuses options that
    /// take file paths. The setters of `Engine::update_options` are not restricted.
    pub restricted: bool,
    /// Where each value that is not built-in was set, by key: file and line, or the command line.
    pub(super) origins: BTreeMap<&'static str, String>,
    pub(super) warnings: Vec<String>,
    /// The configuration file that was read.
    pub(super) file: Option<PathBuf>,
}

impl Config {
    /// Returns whether the configuration file or the command line sets this key.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn sets(&self, key: &str) -> bool {
        self.origins.contains_key(key)
    }

    /// Returns messages about the configuration, one line each: what was ignored, and which search parameters a file
    /// that was found automatically changes.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Sets a search parameter from text; a switch takes `true` or `false`.
    pub(crate) fn set_param(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let param = PARAMS.iter().find(|param| param.name == name);
        let param = param.ok_or_else(|| OptionError::unknown(name, PARAMS.iter().map(|param| param.name)))?;
        let value = match param.spec().parse(value)? {
            OptionValue::Check(on) => i32::from(on),
            value => value.as_integer().and_then(|number| number.try_into().ok()).unwrap_or(param.default),
        };
        self.params.set(name, value);
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
