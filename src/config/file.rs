//! Configuration: defaults, `engine.toml`, command line and `setoption`, in increasing precedence.
//!
//! `engine.toml` has two tables: `[options]` with the UCI options and `[search]` with the search parameters. The file
//! is the one given with `--config` or named by `ASPIRANT_CONFIG`, or else the first that exists: in the working
//! directory, in `$XDG_CONFIG_HOME/aspirant` (`~/.config/aspirant`), beside the program.
//! Unknown keys, wrong types and values out of range are reported with file, line and what was expected: as errors, or,
//! for a file that is not named, in UCI mode as warnings (see [`Config::load_for_uci`]).

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::board::position::printable;
use crate::config::options::{self, OPTIONS, OptionError, OptionKind, OptionSpec, OptionValue};
use crate::config::settings::Config;
use crate::platform::files::{error_reason, read_file};
use crate::platform::lines::single_line;
use crate::search::params::{PARAMS, Param};

/// Name of the configuration file.
pub const FILE_NAME: &str = "engine.toml";
/// Maximum size of the file, MB; a configuration has a few kilobytes.
const MAX_MB: u64 = 1;
/// Maximum number of faults of one file that are reported individually as warnings.
const MAX_WARNINGS: usize = 10;

/// The reason why a configuration cannot be loaded: file, line or setting, what is invalid and what was expected.
#[derive(thiserror::Error, Debug)]
#[error("{0}")]
pub struct ConfigError(String);

impl Config {
    /// Loads the defaults, then the file (`path`, or the one that is found), then the `key=value` settings.
    ///
    /// Requires the feature `cli`, like all functions that read or print a configuration file.
    ///
    /// # Errors
    /// [`ConfigError`] for all invalid lines of the file, or for the first invalid setting.
    pub fn load(path: Option<&Path>, settings: &[String]) -> Result<Self, ConfigError> {
        Self::load_with(path, settings, false)
    }

    /// Like [`Config::load`], but reports faults of an automatically found file as [`Config::warnings`].
    ///
    /// A GUI would report the end of the program as a crash. Every valid key of the file is applied. A file that cannot
    /// be read or is not valid TOML is ignored.
    ///
    /// # Errors
    /// [`ConfigError`] for the file `path` and for `settings`.
    pub fn load_for_uci(path: Option<&Path>, settings: &[String]) -> Result<Self, ConfigError> {
        Self::load_with(path, settings, true)
    }

    fn load_with(path: Option<&Path>, settings: &[String], ignores_faults: bool) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let named = path.map(Path::to_path_buf).or_else(|| variable("ASPIRANT_CONFIG").map(PathBuf::from));
        let is_found = named.is_none();
        let is_tolerant = ignores_faults && is_found;
        if let Some(file) = named.or_else(|| places().into_iter().find(|path| path.is_file())) {
            match config.read_file(&file) {
                Err(fault) if is_tolerant => config.warn(&format!("{fault}; the file is ignored")),
                Ok(faults) if is_tolerant => config.warn_of_faults(&faults, &file),
                Err(fault) => return Err(ConfigError(fault)),
                Ok(faults) if !faults.is_empty() => return Err(ConfigError(faults.join("\n"))),
                Ok(_) => {}
            }
            if is_found {
                config.warn_of_changed_params(&file);
            }
            config.file = Some(file);
        }
        for setting in settings {
            config.set(setting).map_err(|message| ConfigError(format!("--set {setting}: {message}")))?;
        }
        Ok(config)
    }

    /// Returns the configuration as an `engine.toml`: the file that was read and the origin of each value in comments.
    ///
    /// `with_search` includes the search parameters, `only_changed` leaves out what has its default value.
    #[must_use]
    pub fn print(&self, with_search: bool, only_changed: bool) -> String {
        let mut out = match &self.file {
            Some(file) => format!("# read from {}\n", file.display()),
            None => {
                let places = places().iter().map(|path| format!("\n#   {}", path.display())).collect::<String>();
                format!("# no configuration file; looked for:{places}\n")
            }
        };
        for (table, mut keys) in tables() {
            if only_changed {
                keys.retain(|spec| self.value(spec) != spec.default_value());
            }
            if keys.is_empty() || (!with_search && !only_changed && table != "options") {
                continue;
            }
            let _ = writeln!(out, "\n[{table}]");
            for spec in keys {
                let value = self.value(&spec);
                let origin = self.origins.get(spec.key).map_or("built-in", String::as_str);
                let _ = writeln!(out, "{} = {}  # {origin}", spec.key, toml_value(&value));
            }
        }
        out
    }

    /// Returns an `engine.toml` with description, range and default of every key, all commented out.
    ///
    /// Active lines would keep the defaults of this version after an update of the program.
    #[must_use]
    pub fn template() -> String {
        let mut out = String::from(
            "# Aspirant's configuration: every option and every search parameter with its default.\n\
             # To set one, remove the # before its key and change the value.\n\
             # The file is the one of --config or ASPIRANT_CONFIG, or else the first of ./engine.toml,\n\
             # $XDG_CONFIG_HOME/aspirant/engine.toml (~/.config), and engine.toml beside the program.\n\
             # Order: built-in < this file < command line (--set KEY=VALUE) < setoption.\n\
             # `aspirant config show` prints the result and the origin of each value.\n",
        );
        for (table, keys) in tables() {
            let _ = writeln!(out, "\n[{table}]");
            for (index, spec) in keys.iter().enumerate() {
                let separator = if index == 0 { "" } else { "\n" };
                let default = toml_value(&spec.default_value());
                let _ = writeln!(out, "{separator}# {} ({})\n#{} = {default}", spec.doc, spec.expected(), spec.key);
            }
        }
        out
    }

    /// Adds a warning; control characters are replaced, so that it is one line.
    fn warn(&mut self, text: &str) {
        self.warnings.push(single_line(text));
    }

    fn warn_of_faults(&mut self, faults: &[String], path: &Path) {
        for fault in faults.iter().take(MAX_WARNINGS) {
            self.warn(&format!("ignored {fault}"));
        }
        if faults.len() > MAX_WARNINGS {
            self.warn(&format!("ignored {} more in {}", faults.len() - MAX_WARNINGS, path.display()));
        }
    }

    /// Warns that a file, which the user may not have had in mind, changes the search.
    fn warn_of_changed_params(&mut self, path: &Path) {
        let is_changed = |param: &&Param| self.params.get(param.name) != Some(param.default);
        let changed: Vec<&str> = PARAMS.iter().filter(is_changed).map(|param| param.name).collect();
        if !changed.is_empty() {
            self.warn(&format!("{} changes search parameters: {}", path.display(), changed.join(", ")));
        }
    }

    /// Applies every valid key of a file; returns the faults, sorted by line.
    ///
    /// # Errors
    /// If the file cannot be read or is not valid TOML.
    fn read_file(&mut self, path: &Path) -> Result<Vec<String>, String> {
        let unreadable = |reason: String| format!("cannot read {}: {reason}", path.display());
        let bytes = read_file(path, MAX_MB).map_err(|error| unreadable(error_reason(&error)))?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text".into()))?;
        self.read_text(path, &text)
    }

    fn read_text(&mut self, path: &Path, text: &str) -> Result<Vec<String>, String> {
        let newlines: Vec<usize> = text.match_indices('\n').map(|(offset, _)| offset).collect();
        let line_of = |offset: usize| newlines.partition_point(|&newline| newline < offset) + 1;
        let root = DeTable::parse(text).map_err(|error| {
            format!("{}:{}: {}", path.display(), line_of(error.span().map_or(0, |span| span.start)), error.message())
        })?;
        let tables = tables();
        let mut faults = Vec::new();
        for (name, content) in root.get_ref() {
            let (line, name) = (line_of(name.span().start), name.get_ref().as_ref());
            let table = tables.iter().find(|(table, _)| *table == name);
            let (Some((_, specs)), DeValue::Table(entries)) = (table, content.get_ref()) else {
                let noun =
                    if matches!(content.get_ref(), DeValue::Table(_)) { "table" } else { "key outside of a table" };
                faults.push((line, format!("unexpected {noun} '{}', expected [options] or [search]", printable(name))));
                continue;
            };
            for (key, value) in entries {
                let line = line_of(key.span().start);
                match self.set_from_file(specs, key.get_ref(), value.get_ref()) {
                    Ok(key) => drop(self.origins.insert(key, format!("{}:{line}", path.display()))),
                    Err(message) => faults.push((line, format!("[{name}] {message}"))),
                }
            }
        }
        faults.sort();
        Ok(faults.into_iter().map(|(line, message)| format!("{}:{line}: {message}", path.display())).collect())
    }

    /// Sets a key of a table with these keys; returns the key.
    fn set_from_file(&mut self, specs: &[OptionSpec], key: &str, value: &DeValue<'_>) -> Result<&'static str, String> {
        let spec = specs.iter().find(|spec| spec.key == key);
        let spec = spec.ok_or_else(|| OptionError::unknown(key, specs.iter().map(|spec| spec.key)).to_string())?;
        let text = match value {
            DeValue::String(text) => text.to_string(),
            // TOML has other notations of integers, for example 0x10.
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| number.to_string(), |value| value.to_string()),
            DeValue::Boolean(on) => on.to_string(),
            other => {
                return Err(format!("'{key}': a value of type {} is not {}", other.type_str(), spec.expected()));
            }
        };
        self.set_value(spec, &text)
    }

    /// Sets a `key=value` of the command line; the key may also be the UCI name of an option, and its case is ignored.
    fn set(&mut self, setting: &str) -> Result<(), String> {
        let (name, value) = setting.split_once('=').ok_or("expected KEY=VALUE")?;
        let name = name.trim();
        let specs: Vec<OptionSpec> = tables().into_iter().flat_map(|(_, specs)| specs).collect();
        let is_named = |spec: &&OptionSpec| [spec.key, spec.name].iter().any(|key| key.eq_ignore_ascii_case(name));
        let spec = specs.iter().find(is_named);
        let spec = spec.ok_or_else(|| OptionError::unknown(name, specs.iter().map(|spec| spec.key)).to_string())?;
        let key = self.set_value(spec, value)?;
        self.origins.insert(key, "command line".into());
        Ok(())
    }

    /// Sets an option or a search parameter and returns its key.
    fn set_value(&mut self, spec: &OptionSpec, value: &str) -> Result<&'static str, String> {
        let result = match self.params.get(spec.key) {
            Some(_) => self.set_param(spec.key, value),
            None => self.options.set(spec.name, value).map(drop),
        };
        result.map(|()| spec.key).map_err(|error| error.to_string())
    }

    fn value(&self, spec: &OptionSpec) -> OptionValue {
        match self.params.get(spec.key) {
            Some(value) if spec.default_value().as_bool().is_some() => OptionValue::Check(value != 0),
            Some(value) => OptionValue::Spin(value.into()),
            None => options::find(spec.name).map_or(OptionValue::None, |index| self.options.get(index)),
        }
    }
}

/// Returns the tables of `engine.toml`, each with its keys.
fn tables() -> [(&'static str, Vec<OptionSpec>); 2] {
    let has_value = |spec: &OptionSpec| spec.kind != OptionKind::Button;
    let options = OPTIONS.iter().copied().filter(has_value).collect();
    [("options", options), ("search", PARAMS.iter().map(Param::spec).collect())]
}

/// Formats a value as in `engine.toml`.
fn toml_value(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(text) => toml::Value::String(text.clone()).to_string(),
        other => other.to_string(),
    }
}

/// Returns the paths at which the configuration file is looked for, in this order.
fn places() -> Vec<PathBuf> {
    let home_config = || Some(PathBuf::from(variable("HOME")?).join(".config"));
    let user = variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home_config);
    let beside_program = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_path_buf()));
    let folders = [Some(PathBuf::new()), user.map(|path| path.join("aspirant")), beside_program];
    folders.into_iter().flatten().map(|folder| folder.join(FILE_NAME)).collect()
}

/// Returns an environment variable, unless it is empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::options::Options;
    use crate::search::params::Params;

    fn read(text: &str) -> Result<Config, String> {
        let mut config = Config::default();
        let faults = config.read_text(Path::new("engine.toml"), text)?;
        faults.into_iter().next().map_or(Ok(config), Err)
    }

    #[test]
    fn uncommented_template_sets_every_key_to_its_default() {
        assert!(read(&Config::template()).unwrap().origins.is_empty());
        let uncommented: String = Config::template()
            .lines()
            .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_owned() + "\n")
            .collect();
        let config = read(&uncommented).unwrap();
        let keys = OPTIONS.iter().filter(|row| row.kind != OptionKind::Button).count() + PARAMS.len();
        assert_eq!(config.origins.len(), keys);
        assert_eq!((config.options, config.params), (Options::default(), Params::default()));
    }

    #[test]
    fn printed_configuration_can_be_read_again() {
        let config = read("[options]\nhash = 0x4d\nbook_file = \"a\u{200b}\\\"b\\\\\"\n[search]\nnull_move = false\nrfp_margin = 99\n").unwrap();
        let printed = config.print(true, false);
        assert!(printed.contains("hash = 77  # engine.toml:2") && printed.contains("rfp_margin = 99  # engine.toml:6"));
        assert!(printed.contains("threads = 1  # built-in"));
        let again = read(&printed).unwrap();
        assert_eq!((again.options, again.params), (config.options, config.params));
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        for (text, part) in [
            ("[options]\nhsah = 16\n", "engine.toml:2: [options] unknown option 'hsah', did you mean 'hash'?"),
            (
                "[options]\n\nhash = \"big\"\n",
                "engine.toml:3: [options] option 'Hash': 'big' is not a whole number from 1",
            ),
            ("[options]\nHash = 16\n", "engine.toml:2: [options] unknown option 'Hash', did you mean 'hash'?"),
            ("[options]\nnull_move = true\n", "engine.toml:2: [options] unknown option 'null_move'"),
            ("[search]\nnull_move = 3\n", "engine.toml:2: [search] option 'null_move': '3' is not true or false"),
            ("[search]\nrfp_margin = 100000\n", "is not a whole number from 20 to 250"),
            ("[serach]\n", "engine.toml:1: unexpected table 'serach', expected [options] or [search]"),
            ("hash = 16\n", "engine.toml:1: unexpected key outside of a table 'hash', expected [options] or [search]"),
            ("options = 16\n", "engine.toml:1: unexpected key outside of a table 'options'"),
            ("[options]\nhash = \n", "engine.toml:2:"),
            ("[options]\nhash = [1]\n", "'hash': a value of type array is not a whole number"),
            ("[options]\nsyzygy_path = [\"/a\"]\n", "'syzygy_path': a value of type array is not text"),
            ("[options]\nhash = 1\nhash = 2\n", "engine.toml:3:"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn command_line_overrides_the_file() {
        let mut config = read("[options]\nhash = 77\n").unwrap();
        for setting in ["Hash=5", "rfp_depth=4", "MULTI_PV=2", "multipv = 3"] {
            config.set(setting).unwrap();
        }
        assert!(config.set("hash").is_err());
        assert!(config.set("rfp_depht=4").unwrap_err().contains("did you mean 'rfp_depth'"));
        assert_eq!((config.options.hash(), config.options.multi_pv(), config.params.rfp_depth), (5, 3, 4));
        let changed = config.print(false, true);
        assert!(changed.contains("hash = 5  # command line") && !changed.contains("threads"), "{changed}");
        assert!(changed.contains("[search]\nrfp_depth = 4  # command line"), "{changed}");
    }

    #[test]
    fn missing_file_is_an_error_if_it_was_named() {
        let error = Config::load(Some(Path::new("no/such/engine.toml")), &[]).unwrap_err().to_string();
        assert!(error.contains("no/such/engine.toml"), "{error}");
        assert!(Config::load(Some(Path::new("/")), &[]).is_err());
    }
}
