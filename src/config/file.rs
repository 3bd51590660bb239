//! Configuration: defaults, `engine.toml`, command line and `setoption`, in increasing precedence.
//!
//! `engine.toml` has two tables: `[options]` with the UCI options and `[search]` with the search parameters. The file
//! is the one given with `--config`, or else the first that exists in the working directory or beside the program.
//! Unknown keys, wrong types and values out of range are reported with file, line and what was expected: as errors, or,
//! for a file not given with `--config`, in UCI mode as warnings (see [`Config::load_for_uci`]).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::board::position::printable;
use crate::config::options::{self, OPTIONS, OptionKind};
use crate::config::settings::{Config, ValueOrigin, expected};
use crate::platform::files::{error_reason, read_file};
use crate::platform::lines::single_line;
use crate::search::params::{self, PARAMS, Param};

/// Name of the configuration file.
pub const FILE_NAME: &str = "engine.toml";
/// Maximum size of the file, MB; a configuration has a few kilobytes.
const MAX_MB: u64 = 1;
/// Maximum number of unknown keys for which the most similar key is searched, which is slow.
const MAX_HINTS: usize = 1000;
/// Maximum number of faults of one file that are reported individually.
const MAX_WARNINGS: usize = 10;

/// Error of [`Config::load`].
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Reason given by the operating system.
        reason: String,
    },
    /// A line of the file is invalid.
    #[error("{}:{line}: {message}", .path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is invalid and what was expected.
        message: String,
    },
    /// A `--set` of the command line is invalid.
    #[error("--set {setting}: {message}")]
    CommandLine {
        /// As given.
        setting: String,
        /// What is invalid and what was expected.
        message: String,
    },
}

impl Config {
    /// Loads the defaults, then the file (`path`, or the one that is found), then the `key=value` settings.
    ///
    /// Requires the feature `cli`, like all functions that read or print a configuration file.
    ///
    /// # Errors
    /// [`ConfigError`] for the first invalid line or setting.
    pub fn load(path: Option<&Path>, settings: &[String]) -> Result<Self, ConfigError> {
        let mut loader = Loader::new(&[options::RENAMED_KEYS, params::RENAMED_KEYS]);
        let found = if path.is_none() { find_file() } else { None };
        if let Some(file) = path.or(found.as_deref()) {
            let report = loader.read_file(file)?;
            if let Some(error) = report.errors.into_iter().next() {
                return Err(error);
            }
        }
        if let Some(file) = found {
            loader.warn_of_changed_params(&file);
        }
        loader.set_from_command_line(settings)?;
        Ok(loader.config)
    }

    /// Like [`Config::load`], but reports faults of an automatically found file as [`Config::warnings`].
    ///
    /// A GUI would report the end of the program as a crash. Every valid key of the file is applied. A file that cannot
    /// be read, is not valid TOML, or contains no known key (it probably belongs to another program) is ignored.
    ///
    /// # Errors
    /// [`ConfigError`] for the file `path` and for `settings`.
    pub fn load_for_uci(path: Option<&Path>, settings: &[String]) -> Result<Self, ConfigError> {
        let Some(found) = find_file().filter(|_| path.is_none()) else { return Self::load(path, settings) };
        let mut loader = Loader::new(&[options::RENAMED_KEYS, params::RENAMED_KEYS]);
        loader.read_found_file(&found);
        loader.warn_of_changed_params(&found);
        loader.set_from_command_line(settings)?;
        Ok(loader.config)
    }

    /// Returns the configuration as an `engine.toml`, with the origin of each value in a comment.
    #[must_use]
    pub fn print(&self) -> String {
        let mut out = String::from("[options]\n");
        let origin = |key: &str| self.origins.get(key).cloned().unwrap_or(ValueOrigin::BuiltIn);
        for (index, row) in OPTIONS.iter().enumerate() {
            let value = match row.kind {
                OptionKind::Button => continue,
                OptionKind::Text { .. } => toml::Value::String(self.options.get(index).to_string()).to_string(),
                OptionKind::Check { .. } | OptionKind::Spin { .. } => self.options.get(index).to_string(),
            };
            let _ = writeln!(out, "{} = {value}  # {}", row.key, origin(row.key));
        }
        out.push_str("\n[search]\n");
        for param in PARAMS {
            let _ = writeln!(out, "{} = {}  # {}", param.name, self.param_text(param), origin(param.name));
        }
        out
    }

    fn param_text(&self, param: &Param) -> String {
        let value = self.params.get(param.name).unwrap_or(param.default);
        if param.switch { (value != 0).to_string() } else { value.to_string() }
    }

    /// Returns an `engine.toml` with description, range and default of every key, all commented out.
    ///
    /// Active lines would keep the defaults of this version after an update of the program.
    #[must_use]
    pub fn template() -> String {
        let mut out = String::from(
            "# Aspirant's configuration: every option and every search parameter with its default.\n\
             # To set one, remove the # before its key and change the value.\n\
             # Read from the file given with --config, or else from the working directory or the program's directory.\n\
             # Order: built-in < this file < command line (--set KEY=VALUE) < setoption.\n\
             # `aspirant config show` prints the result and the origin of each value.\n\n[options]\n",
        );
        for row in OPTIONS {
            let default = match row.kind {
                OptionKind::Button => continue,
                OptionKind::Text { default } => format!("{default:?}"),
                OptionKind::Check { .. } | OptionKind::Spin { .. } => row.default_value().to_string(),
            };
            let _ = writeln!(out, "# {} ({})\n#{} = {default}\n", row.doc, row.expected(), row.key);
        }
        out.push_str("[search]\n");
        let defaults = Self::default();
        for param in PARAMS {
            let _ = writeln!(
                out,
                "# {} ({})\n#{} = {}\n",
                param.doc.trim_end_matches('.'),
                expected(param),
                param.name,
                defaults.param_text(param)
            );
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// Result of reading a configuration file.
struct FileReport {
    /// Number of keys with a known name, including those with invalid values or in the wrong table.
    known_keys: usize,
    /// Faults of single keys and tables, sorted by line.
    errors: Vec<ConfigError>,
}

/// Loads the layers of a configuration in increasing precedence.
struct Loader {
    config: Config,
    /// Former and current names of renamed keys.
    renamed: Vec<(&'static str, &'static str)>,
}

impl Loader {
    fn new(renamed: &[&[(&'static str, &'static str)]]) -> Self {
        Self { config: Config::default(), renamed: renamed.concat() }
    }

    /// Returns the current name of a renamed key.
    fn current_name(&self, key: &str) -> Option<&'static str> {
        self.renamed.iter().find(|(former, _)| *former == key).map(|&(_, current)| current)
    }

    /// Adds a warning; control characters are replaced, so that it is one line.
    fn warn(&mut self, text: &str) {
        self.config.warnings.push(single_line(text));
    }

    /// Reads a file that was found automatically: its faults become warnings.
    fn read_found_file(&mut self, path: &Path) {
        let report = match self.read_file(path) {
            Ok(report) => report,
            Err(error) => return self.warn(&format!("{error}; the file is ignored")),
        };
        if let (0, Some(first)) = (report.known_keys, report.errors.first()) {
            return self.warn(&format!("ignored {}, which contains no known key: {first}", path.display()));
        }
        for error in report.errors.iter().take(MAX_WARNINGS) {
            self.warn(&format!("ignored {error}"));
        }
        if report.errors.len() > MAX_WARNINGS {
            self.warn(&format!("ignored {} more in {}", report.errors.len() - MAX_WARNINGS, path.display()));
        }
    }

    /// Warns that a file, which the user may not have had in mind, changes the search.
    fn warn_of_changed_params(&mut self, path: &Path) {
        let is_changed = |param: &&Param| self.config.params.get(param.name) != Some(param.default);
        let changed: Vec<&str> = PARAMS.iter().filter(is_changed).map(|param| param.name).collect();
        if !changed.is_empty() {
            self.warn(&format!("{} changes search parameters: {}", path.display(), changed.join(", ")));
        }
    }

    fn read_file(&mut self, path: &Path) -> Result<FileReport, ConfigError> {
        let unreadable = |reason: String| ConfigError::Read { path: path.into(), reason };
        let bytes = read_file(path, MAX_MB).map_err(|error| unreadable(error_reason(&error)))?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text".into()))?;
        self.read_text(path, &text)
    }

    /// Applies every valid key.
    ///
    /// # Errors
    /// If the text is not valid TOML.
    fn read_text(&mut self, path: &Path, text: &str) -> Result<FileReport, ConfigError> {
        let newlines: Vec<usize> = text.match_indices('\n').map(|(offset, _)| offset).collect();
        let line_of = |offset: usize| newlines.partition_point(|&newline| newline < offset) + 1;
        let root = DeTable::parse(text).map_err(|error| ConfigError::Line {
            path: path.into(),
            line: line_of(error.span().map_or(0, |span| span.start)),
            message: error.message().to_string(),
        })?;
        let mut known_keys = 0;
        let mut faults: Vec<(usize, String)> = Vec::new();
        for (section, content) in root.get_ref() {
            let line = line_of(section.span().start);
            let name = section.get_ref().as_ref();
            let DeValue::Table(table) = content.get_ref() else {
                faults.push((line, format!("'{}' is not in the table [options] or [search]", printable(name))));
                continue;
            };
            if !["options", "search"].contains(&name) {
                let meant = options::nearest(name, ["options", "search"].into_iter());
                let hint = meant.map(|m| format!(", did you mean [{m}]?")).unwrap_or_default();
                faults.push((line, format!("unknown table [{}]{hint}", printable(name))));
                continue;
            }
            let mut spellings: HashMap<String, u32> = HashMap::new();
            for (key, _) in table {
                *spellings.entry(key.get_ref().to_ascii_lowercase()).or_default() += 1;
            }
            for (key, value) in table {
                let line = line_of(key.span().start);
                let written = key.get_ref().as_ref();
                let lower = written.to_ascii_lowercase();
                if lower != written && spellings.get(&lower).is_some_and(|&count| count > 1) {
                    let written = printable(written);
                    faults
                        .push((line, format!("'{written}': the key '{}' is given more than once", printable(&lower))));
                    known_keys += usize::from(is_option_key(&lower) || is_param_key(&lower));
                    continue;
                }
                let mut key = lower.as_str();
                if let Some(current) = self.current_name(key) {
                    let both = spellings.contains_key(current);
                    self.warn(&renamed_notice(&format!("{}:{line}", path.display()), key, current, both));
                    if both {
                        continue;
                    }
                    key = current;
                }
                let (is_option, is_param) = (is_option_key(key), is_param_key(key));
                let (is_known, is_misplaced, other) = match name {
                    "options" => (is_option, is_param, "search"),
                    _ => (is_param, is_option, "options"),
                };
                known_keys += usize::from(is_known || is_misplaced);
                if is_misplaced && !is_known {
                    faults.push((line, format!("'{key}' belongs in the table [{other}]")));
                    continue;
                }
                if !is_known && faults.len() >= MAX_HINTS {
                    faults.push((line, format!("unknown key '{}'", printable(key))));
                    continue;
                }
                let result = match (plain(value), name) {
                    (Err(found), _) if is_known => {
                        Err(format!("'{key}': a value of type {found} is not {}", expected_by_key(key)))
                    }
                    (text, "options") => self.config.set_option_key(key, &text.unwrap_or_default()),
                    (text, _) => {
                        self.config.set_param(key, &text.unwrap_or_default()).map_err(|error| error.to_string())
                    }
                };
                match result {
                    Ok(()) => drop(self.config.origins.insert(key.into(), ValueOrigin::File(path.into(), line))),
                    Err(message) => faults.push((line, message)),
                }
            }
        }
        faults.sort();
        let error = |(line, message)| ConfigError::Line { path: path.into(), line, message };
        Ok(FileReport { known_keys, errors: faults.into_iter().map(error).collect() })
    }

    fn set_from_command_line(&mut self, settings: &[String]) -> Result<(), ConfigError> {
        for setting in settings {
            self.set(setting, settings)
                .map_err(|message| ConfigError::CommandLine { setting: setting.clone(), message })?;
        }
        Ok(())
    }

    /// Sets a `key=value`, one of `all` settings of the command line.
    fn set(&mut self, setting: &str, all: &[String]) -> Result<(), String> {
        let (key, value) = setting.split_once('=').ok_or("expected KEY=VALUE")?;
        let lower = key.trim().to_ascii_lowercase();
        let (mut key, value) = (lower.as_str(), value.trim());
        if let Some(current) = self.current_name(key) {
            let names_current = |other: &String| {
                let name = other.split('=').next().unwrap_or_default().trim();
                let by_uci_name = |row: &options::OptionSpec| row.key == current && row.name.eq_ignore_ascii_case(name);
                name.eq_ignore_ascii_case(current) || OPTIONS.iter().any(by_uci_name)
            };
            let both = all.iter().any(names_current);
            self.warn(&renamed_notice(&format!("--set {setting}"), key, current, both));
            if both {
                return Ok(());
            }
            key = current;
        }
        let config = &mut self.config;
        if is_param_key(key) {
            config.set_param(key, value).map_err(|error| error.to_string())?;
        } else if OPTIONS.iter().any(|row| row.name.eq_ignore_ascii_case(key)) {
            let row = config.options.set(key, value).map_err(|error| error.to_string())?;
            config.origins.insert(OPTIONS[row].key.into(), ValueOrigin::CommandLine);
            return Ok(());
        } else {
            config.set_option_key(key, value)?;
        }
        config.origins.insert(key.into(), ValueOrigin::CommandLine);
        Ok(())
    }
}

fn renamed_notice(place: &str, former: &str, current: &str, both: bool) -> String {
    let ignored = if both { format!("; the value of '{current}' is used") } else { String::new() };
    format!("{place}: '{former}' is now called '{current}'{ignored}")
}

/// Describes the valid values of a known key.
fn expected_by_key(key: &str) -> String {
    let option = OPTIONS.iter().find(|row| row.key == key).map(options::OptionSpec::expected);
    let param = || PARAMS.iter().find(|param| param.name == key).map(expected);
    option.or_else(param).unwrap_or_default()
}

fn is_option_key(key: &str) -> bool {
    OPTIONS.iter().any(|row| row.key == key && row.kind != OptionKind::Button)
}

fn is_param_key(key: &str) -> bool {
    PARAMS.iter().any(|param| param.name == key)
}

/// Returns a value of the file in the notation of `setoption`.
///
/// # Errors
/// The name of its type, if it is not a string, an integer or a boolean.
fn plain(value: &Spanned<DeValue<'_>>) -> Result<String, &'static str> {
    Ok(match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        // TOML has other notations of integers, for example 0x10.
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string(), |value| value.to_string()),
        DeValue::Boolean(on) => on.to_string(),
        other => return Err(other.type_str()),
    })
}

/// Finds `engine.toml` in the working directory or beside the program.
fn find_file() -> Option<PathBuf> {
    let in_working_directory = PathBuf::from(FILE_NAME);
    let beside_program = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(FILE_NAME)));
    [Some(in_working_directory), beside_program].into_iter().flatten().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::options::Options;
    use crate::search::params::Params;

    fn read(text: &str) -> Result<Config, String> {
        let mut loader = Loader::new(&[]);
        let report = loader.read_text(Path::new("engine.toml"), text).map_err(|error| error.to_string())?;
        report.errors.first().map_or(Ok(loader.config), |error| Err(error.to_string()))
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
        let printed = config.print();
        assert!(printed.contains("hash = 77  # engine.toml:2") && printed.contains("rfp_margin = 99  # engine.toml:6"));
        assert!(printed.contains("threads = 1  # built-in"));
        let again = read(&printed).unwrap();
        assert_eq!((again.options, again.params), (config.options, config.params));
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        for (text, part) in [
            ("[options]\nhsah = 16\n", "engine.toml:2: unknown key 'hsah', did you mean 'hash'?"),
            ("[options]\n\nhash = \"big\"\n", "engine.toml:3: 'hash': 'big' is not a whole number from 1"),
            ("[search]\nnull_move = 3\n", "engine.toml:2: 'null_move': '3' is not true or false"),
            ("[search]\nrfp_margin = 100000\n", "is not a whole number from 20 to 250"),
            ("[serach]\n", "unknown table [serach], did you mean [search]?"),
            ("hash = 16\n", "engine.toml:1: 'hash' is not in the table [options] or [search]"),
            ("[options]\nhash = \n", "engine.toml:2:"),
            ("[options]\nhash = [1]\n", "a value of type array is not a whole number"),
            ("[options]\nsyzygy_path = [\"/a\"]\n", "engine.toml:2: 'syzygy_path': a value of type array is not text"),
            ("[options]\nHash = 1\nHASH = 2\n", "engine.toml:2: 'Hash': the key 'hash' is given more than once"),
            ("[options]\nhash = 1\nhash = 2\n", "engine.toml:3:"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn keys_are_accepted_in_any_case() {
        let config = read("[options]\nHash = 77\nMULTI_PV = 3\n[search]\nRFP_margin = 99\n").unwrap();
        assert_eq!((config.options.hash(), config.options.multi_pv(), config.params.rfp_margin), (77, 3, 99));
        assert!(config.print().contains("hash = 77  # engine.toml:2"));
        let error = read("[options]\nHash = 1\nhash = 2\n").unwrap_err();
        assert!(error.contains("engine.toml:2: 'Hash': the key 'hash' is given more than once"), "{error}");
        let mut loader = Loader::new(&[]);
        loader.set_from_command_line(&["MULTI_PV=2".into(), "RFP_DEPTH=4".into(), "multipv=5".into()]).unwrap();
        assert_eq!((loader.config.options.multi_pv(), loader.config.params.rfp_depth), (5, 4));
    }

    #[test]
    fn command_line_overrides_the_file() {
        let mut loader = Loader::new(&[]);
        loader.config = read("[options]\nhash = 77\n").unwrap();
        let mut set = |setting: &str| loader.set_from_command_line(&[setting.into()]).map_err(|e| e.to_string());
        set("Hash=5").unwrap();
        set("rfp_depth=4").unwrap();
        assert!(set("hash").is_err());
        assert!(set("rfp_depht=4").unwrap_err().contains("did you mean 'rfp_depth'"));
        let config = loader.config;
        assert_eq!((config.options.hash(), config.params.rfp_depth), (5, 4));
        assert!(config.print().contains("hash = 5  # command line"));
    }

    #[test]
    fn renamed_keys_are_accepted_with_a_notice() {
        let renamed: &[(&str, &str)] = &[("table_size", "hash"), ("futility_reach", "rfp_depth")];
        let read = |text: &str| {
            let mut loader = Loader::new(&[renamed]);
            let report = loader.read_text(Path::new("engine.toml"), text).unwrap();
            assert!(report.errors.is_empty() && report.known_keys == 1, "{text:?}: {:?}", report.errors);
            (loader.config.options.hash(), loader.config.warnings)
        };
        let (hash, warnings) = read("[options]\ntable_size = 5\n");
        assert_eq!((hash, warnings.as_slice()), (5, &["engine.toml:2: 'table_size' is now called 'hash'".into()][..]));
        for text in ["[options]\ntable_size = 5\nhash = 7\n", "[options]\nhash = 7\ntable_size = 5\n"] {
            let (hash, warnings) = read(text);
            assert!(
                hash == 7 && warnings.len() == 1 && warnings[0].ends_with("the value of 'hash' is used"),
                "{warnings:?}"
            );
        }
        for (settings, hash) in [
            (&["table_size=5"][..], 5),
            (&["table_size=5", "hash=7"], 7),
            (&["Hash=7", "table_size=5"], 7),
            (&["futility_reach=3", "table_size=5"], 5),
        ] {
            let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
            let mut loader = Loader::new(&[renamed]);
            loader.set_from_command_line(&settings).unwrap();
            assert_eq!(loader.config.options.hash(), hash, "{settings:?}");
            assert!(loader.config.warnings[0].starts_with("--set "), "{:?}", loader.config.warnings);
        }
    }

    #[test]
    fn large_file_of_unknown_keys_is_read_quickly() {
        let keys: String = (0..100_000).map(|n| format!("K{n}=1\n")).collect();
        let start = std::time::Instant::now();
        let report = Loader::new(&[]).read_text(Path::new("engine.toml"), &format!("[options]\n{keys}")).unwrap();
        assert_eq!((report.known_keys, report.errors.len()), (0, 100_000));
        assert!(report.errors[99_999].to_string().starts_with("engine.toml:100001: unknown key 'k99999'"));
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    }

    #[test]
    fn every_renamed_key_has_a_current_name_and_is_not_one() {
        let current = |key: &str| is_option_key(key) || is_param_key(key);
        for (former, name) in [options::RENAMED_KEYS, params::RENAMED_KEYS].concat() {
            assert!(current(name) && !current(former), "{former}, {name}");
        }
    }

    #[test]
    fn missing_file_is_an_error_if_it_was_named() {
        let error = Config::load(Some(Path::new("no/such/engine.toml")), &[]).unwrap_err().to_string();
        assert!(error.contains("no/such/engine.toml"), "{error}");
        assert!(Config::load(Some(Path::new("/")), &[]).is_err());
    }
}
