//! Construction of an engine: identity, evaluator, configuration, options of its own.

use super::{AnyEvaluator, DefaultEvaluator, Engine, ExtraOption};
use crate::config::Config;
use crate::eval::Evaluator;

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
            *text = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned();
        }
    }
}

/// The reason why an engine could not be built.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The system cannot start a thread or allocate one searcher.
    #[error("cannot start the search thread: {0}")]
    System(#[from] std::io::Error),
    /// An [`ExtraOption`] is not valid.
    #[error("cannot declare option '{name}': {reason}")]
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
pub struct EngineBuilder<E = DefaultEvaluator> {
    pub(super) config: Config,
    pub(super) identity: Identity,
    pub(super) extra_options: Vec<ExtraOption>,
    inline: bool,
    evaluator: E,
}

impl EngineBuilder {
    pub(super) fn new() -> Self {
        Self {
            config: Config::default(),
            identity: Identity::default(),
            extra_options: Vec::new(),
            inline: false,
            evaluator: DefaultEvaluator::default(),
        }
    }
}

impl<E: Evaluator> EngineBuilder<E> {
    /// Sets the name of the engine, without version. The version becomes empty.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.identity.name = name.into();
        self.identity.version = String::new();
        self
    }

    /// Sets the author.
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.identity.author = author.into();
        self
    }

    /// Sets the version, after [`EngineBuilder::name`].
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.identity.version = version.into();
        self
    }

    /// Sets the evaluator. Every search thread, `eval`, `bench` and `genfens` get clones of it.
    #[must_use]
    pub fn evaluator<F: Evaluator>(self, evaluator: F) -> EngineBuilder<F> {
        let Self { config, identity, extra_options, inline, evaluator: _ } = self;
        EngineBuilder { config, identity, extra_options, inline, evaluator }
    }

    /// Sets options and search parameters.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Declares an option beside the built-in ones.
    #[must_use]
    pub fn option(mut self, option: ExtraOption) -> Self {
        self.extra_options.push(option);
        self
    }

    /// Makes the engine search on the thread of its caller, without threads of its own; on wasm32 the only way.
    ///
    /// [`Engine::go`] then only begins a search; [`Engine::run_slice`] continues it. One search thread is available
    /// (`Threads`), and no watchdog ends a search that hangs. The thread needs a stack of
    /// [`STACK_SIZE`](crate::search::STACK_SIZE) bytes.
    ///
    /// ```
    /// use aspirant::engine::{Engine, SliceBudget, SliceStatus};
    /// use aspirant::search::limits::Limits;
    /// use aspirant::search::report::Silent;
    ///
    /// let mut engine = Engine::builder().inline().build()?;
    /// engine.go(Limits::depth(5), Box::new(Silent));
    /// while engine.run_slice(SliceBudget { nodes: Some(1000), time: None }) == SliceStatus::Searching {
    ///     // Handle other events here.
    /// }
    /// # Ok::<(), aspirant::engine::BuildError>(())
    /// ```
    #[must_use]
    pub fn inline(mut self) -> Self {
        self.inline = true;
        self
    }

    /// Starts the engine.
    ///
    /// # Errors
    /// [`BuildError`] if an option is not valid, or if the system cannot start a thread or allocate one searcher.
    pub fn build(mut self) -> Result<Engine, BuildError> {
        self.identity.sanitize();
        for (index, option) in self.extra_options.iter().enumerate() {
            if let Some(reason) = option.fault(&self.extra_options[..index]) {
                return Err(BuildError::Option { name: option.spec().name, reason });
            }
        }
        let Self { config, identity, extra_options, inline, evaluator } = self;
        Ok(Engine::start(config, AnyEvaluator::new(evaluator), identity, extra_options, inline)?)
    }
}
