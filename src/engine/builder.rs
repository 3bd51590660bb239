//! Construction of an engine: identity, evaluator or search, configuration, options of its own.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use super::evaluation::{MakeSearch, SearchFactory};
use super::{AnyEvaluator, DefaultEvaluator, Engine, ExtraOption};
use crate::config::Config;
use crate::config::options::{OPTIONS, Options};
use crate::eval::Evaluator;
use crate::platform::lines::single_line;
use crate::search::Search;
use crate::search::params::Params;
use crate::search::thread::checked::CheckedSearch;

/// Name, author and version of an engine, as sent to UCI clients.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Identity {
    /// Name without version.
    pub name: String,
    /// Author or authors.
    pub author: String,
    /// Version; may be empty.
    pub version: String,
}

impl Default for Identity {
    /// The identity of Aspirant.
    fn default() -> Self {
        let version = crate::version::version();
        Self { name: "Aspirant".into(), author: "the Aspirant authors".into(), version: version.into() }
    }
}

impl Identity {
    /// Returns name and version, separated by a space.
    #[must_use]
    pub fn name_and_version(&self) -> String {
        format!("{} {}", self.name, self.version).trim_end().to_owned()
    }

    /// Replaces control characters, so that each field is one line.
    fn sanitize(&mut self) {
        for text in [&mut self.name, &mut self.author, &mut self.version] {
            *text = single_line(text).trim().to_owned();
        }
    }
}

/// The reason why an engine could not be built.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The system cannot start a thread or allocate one searcher, or the search panics or hangs when it is made.
    #[error("cannot start the engine: {0}")]
    System(#[from] std::io::Error),
    /// An [`ExtraOption`] is not valid, or there is no option to remove.
    #[error("option '{name}': {reason}")]
    Option {
        /// Its name.
        name: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
}

impl From<BuildError> for std::io::Error {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::System(error) => error,
            error @ BuildError::Option { .. } => Self::new(std::io::ErrorKind::InvalidInput, error),
        }
    }
}

/// Default depth of `bench`, plies.
pub(crate) const DEFAULT_BENCH_DEPTH: u32 = 13;

/// Builds an [`Engine`]; created by [`Engine::builder`].
///
/// ```
/// use aspirant::engine::{Engine, ExtraOption};
///
/// let engine = Engine::builder()
///     .name("My Engine")
///     .author("Me")
///     .version("0.1")
///     .option(ExtraOption::spin("Optimism", 0, -100..=100))
///     .build()?;
/// assert_eq!(engine.identity().name_and_version(), "My Engine 0.1");
/// # Ok::<(), aspirant::engine::BuildError>(())
/// ```
pub struct EngineBuilder {
    config: Config,
    name: Option<String>,
    author: Option<String>,
    version: Option<String>,
    extra_options: Vec<ExtraOption>,
    absent_options: Vec<&'static str>,
    inline: bool,
    evaluator: Option<AnyEvaluator>,
    has_default_evaluator: bool,
    search: Option<MakeSearch>,
    bench_depth: u32,
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl EngineBuilder {
    pub(super) fn new() -> Self {
        Self {
            config: Config::default(),
            name: None,
            author: None,
            version: None,
            extra_options: Vec::new(),
            absent_options: Vec::new(),
            inline: false,
            evaluator: None,
            has_default_evaluator: true,
            search: None,
            bench_depth: DEFAULT_BENCH_DEPTH,
        }
    }

    /// Sets the name of the engine, without version.
    ///
    /// Author and version then no longer default to Aspirant's: the version is empty, and the author is "the NAME
    /// authors".
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the author.
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.author = Some(author.into());
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the evaluator. Every thread of the default search, `eval`, `bench` and `genfens` get clones of it.
    #[must_use]
    pub fn evaluator<E: Evaluator>(mut self, evaluator: E) -> Self {
        self.has_default_evaluator = TypeId::of::<E>() == TypeId::of::<DefaultEvaluator>();
        self.evaluator = Some(AnyEvaluator::new(evaluator));
        self
    }

    /// Replaces the search. `make` is called on the thread of the search, for the engine and again for each `bench`.
    ///
    /// Protocol, options, opening books and all commands work as with the default search, and `go` has the guarantees
    /// described at [`Search`]. The evaluation belongs to the search: [`evaluator`](Self::evaluator) then serves only the
    /// command `eval`, which is absent without it, and `genfens`. Set [`bench_depth`](Self::bench_depth) for a search
    /// that is slower than the default one.
    #[must_use]
    pub fn search<S: Search>(mut self, make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        self.search = Some(Arc::new(move || Box::new(CheckedSearch(make()))));
        self
    }

    /// Sets the depth of `bench` without an argument, plies; 13 by default.
    #[must_use]
    pub fn bench_depth(mut self, plies: u32) -> Self {
        self.bench_depth = plies.max(1);
        self
    }

    /// Sets options and search parameters.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Sets the search parameters, such as margins for the scale of another evaluator; see [`Params`].
    #[must_use]
    pub fn params(mut self, params: Params) -> Self {
        self.config.params = params;
        self
    }

    /// Declares an option in addition to the built-in ones.
    #[must_use]
    pub fn option(mut self, option: ExtraOption) -> Self {
        self.extra_options.push(option);
        self
    }

    /// Removes a built-in option that does not apply to the engine.
    ///
    /// `uci` does not list it, and setting it is an error; it has the value of the configuration. An [`ExtraOption`] may
    /// have its name. `UCI_LimitStrength` and `UCI_Elo` are removed automatically for a [`search`](Self::search) or an
    /// evaluator other than the default one, because their ratings were measured with these, and `Skill Level` and
    /// `Skill Seed` for a search, which does not apply their noise.
    ///
    /// ```
    /// use aspirant::config::options::OptionError;
    /// use aspirant::engine::{Engine, SetOptionError};
    ///
    /// let mut engine = Engine::builder().without_option("Ponder").build()?;
    /// assert!(engine.option_specs().all(|spec| spec.name != "Ponder"));
    /// let error = engine.set_option("Ponder", "true");
    /// assert!(matches!(error, Err(SetOptionError::Option(OptionError::Unknown { .. }))));
    /// # Ok::<(), aspirant::engine::BuildError>(())
    /// ```
    #[must_use]
    pub fn without_option(mut self, name: &'static str) -> Self {
        self.absent_options.push(name);
        self
    }

    /// Makes the engine search on the calling thread, without threads of its own.
    ///
    /// On wasm32, this is the only mode. On wasm32-unknown-unknown, the program must provide a clock with
    /// `engine::set_host_clock` before it builds the engine: without one, the time is always 0 and no time limit is
    /// reached.
    ///
    /// [`Engine::go`] then returns when the search has ended: at a limit, or after [`StopHandle::stop`] on another
    /// thread; `infinite` and `ponder` have no effect on that. The host of a wasm32-unknown-unknown program can also
    /// suspend the search, with `engine::set_host_pause`; `infinite` and `ponder` then wait for `stop` and `ponderhit`.
    /// One search thread is available (`Threads`), and no watchdog ends a search that hangs. The thread needs a stack of
    /// [`STACK_SIZE`](crate::search::STACK_SIZE) bytes.
    ///
    /// ```
    /// use aspirant::engine::{BuildError, Engine};
    /// use aspirant::search::STACK_SIZE;
    /// use aspirant::search::limits::Limits;
    ///
    /// let search = || {
    ///     let mut engine = Engine::builder().inline().build()?;
    ///     assert_eq!(engine.search(Limits::depth(5)).depth, 5);
    ///     Ok::<(), BuildError>(())
    /// };
    /// std::thread::Builder::new().stack_size(STACK_SIZE).spawn(search)?.join().unwrap()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`StopHandle::stop`]: super::StopHandle::stop
    #[must_use]
    pub fn inline(mut self) -> Self {
        self.inline = true;
        self
    }

    /// Returns the names of the built-in options that do not apply to the engine.
    fn absent_options(&self) -> Result<Vec<&'static str>, BuildError> {
        let mut absent = Vec::new();
        for &name in &self.absent_options {
            let spec = OPTIONS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name));
            absent.push(spec.ok_or(BuildError::Option { name, reason: "no built-in option has this name" })?.name);
        }
        if self.search.is_some() || !self.has_default_evaluator {
            absent.extend(["UCI_LimitStrength", "UCI_Elo"]);
        }
        if self.search.is_some() {
            absent.extend(["Skill Level", "Skill Seed"]);
        }
        Ok(absent)
    }

    /// Starts the engine.
    ///
    /// [`Engine::take_startup_messages`] returns what could not be applied of the configuration.
    ///
    /// # Errors
    /// [`BuildError`] if an [`ExtraOption`] is not valid, if the system cannot start a thread or allocate one searcher,
    /// or if a [`search`](Self::search) of one's own panics when it is made or is not made within [the limit](Search).
    pub fn build(self) -> Result<Engine, BuildError> {
        let absent_options = self.absent_options()?;
        let Self { mut config, name, author, version, extra_options, inline, evaluator, search, bench_depth, .. } =
            self;
        for (index, option) in extra_options.iter().enumerate() {
            if let Some(reason) = option.fault(&extra_options[..index], &absent_options) {
                return Err(BuildError::Option { name: option.spec().name, reason });
            }
        }
        let mut ignored = Vec::new();
        for (row, spec) in OPTIONS.iter().enumerate().filter(|(_, spec)| absent_options.contains(&spec.name)) {
            let default = Options::default().get(row);
            if config.options.get(row) != default {
                ignored.push(format!("option '{}' is ignored: this engine does not have it", spec.name));
                config.options.store(row, default);
            }
        }
        let mut identity = Identity::default();
        if let Some(name) = name.filter(|name| !single_line(name).trim().is_empty()) {
            identity = Identity { author: format!("the {name} authors"), version: String::new(), name };
        }
        identity.author = author.unwrap_or(identity.author);
        identity.version = version.unwrap_or(identity.version);
        identity.sanitize();
        let factory = match search {
            Some(make) => SearchFactory::Custom(make, evaluator),
            None => SearchFactory::Default(evaluator.unwrap_or_default()),
        };
        let mut engine = Engine::start(config, factory, identity, extra_options, inline)?;
        (engine.absent_options, engine.bench_depth) = (absent_options, bench_depth);
        engine.startup_messages.extend(ignored);
        Ok(engine)
    }
}
