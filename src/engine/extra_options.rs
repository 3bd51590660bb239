//! Options declared by engines built on this library, in addition to the built-in ones.

use std::error::Error;
use std::fmt;

use super::SetOptionError;
use crate::board::position::printable;
use crate::config::options::{self, OPTIONS, OptionError, OptionKind, OptionSpec, OptionValue};
use crate::config::tunable;

/// An option of an engine built on this library; declared with
/// [`EngineBuilder::option`](super::EngineBuilder::option).
///
/// It is printed by `uci`, parsed and range-checked like the built-in options. Setting it stops a running search, clears
/// the TT and calls the function given to [`ExtraOption::on_change`], so the evaluator may depend on its value.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
///
/// use aspirant::engine::{Engine, ExtraOption};
///
/// let contempt = Arc::new(AtomicI64::new(0));
/// let style = ExtraOption::combo("Style", "Solid", &["Solid", "Risky"]).on_change({
///     let contempt = Arc::clone(&contempt);
///     move |value| {
///         contempt.store(if value.as_text() == Some("Risky") { 50 } else { 0 }, Relaxed);
///         Ok(())
///     }
/// });
/// let mut engine = Engine::builder().option(style).build()?;
/// engine.set_option("Style", "risky")?;
/// assert_eq!(contempt.load(Relaxed), 50);
/// let error = engine.set_option("Style", "wild").unwrap_err();
/// assert_eq!(error.to_string(), "option 'Style': 'wild' is not one of: Solid, Risky");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The name consists of words separated by single spaces, without the words `name`, `type`, `default`, `min`, `max`,
/// `var` and `value`, and differs from all other option names, ignoring case; the default of a spin option is in its
/// range, and that of a combo option is one of its values. Otherwise [`EngineBuilder::build`](super::EngineBuilder::build) returns an error. A later minor version of this
/// library may add options, so use names that are specific to your engine.
pub struct ExtraOption {
    spec: OptionSpec,
    value: OptionValue,
    on_change: Option<OnChange>,
}

type OnChange = Box<dyn FnMut(&OptionValue) -> Result<(), Box<dyn Error + Send + Sync>> + Send>;

impl fmt::Debug for ExtraOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtraOption").field("spec", &self.spec).field("value", &self.value).finish_non_exhaustive()
    }
}

/// Words that separate the fields of an option line.
///
/// Some clients split it at these words even inside a name.
const RESERVED_WORDS: [&str; 7] = ["name", "type", "default", "min", "max", "var", "value"];

impl ExtraOption {
    fn new(name: &'static str, kind: OptionKind) -> Self {
        let spec = OptionSpec { name, key: "", kind, doc: "", is_file: false };
        Self { spec, value: spec.default_value(), on_change: None }
    }

    /// A boolean.
    #[must_use]
    pub fn check(name: &'static str, default: bool) -> Self {
        Self::new(name, OptionKind::Check { default })
    }

    /// An integer within a range.
    #[must_use]
    pub fn spin(name: &'static str, default: i64, range: std::ops::RangeInclusive<i64>) -> Self {
        Self::new(name, OptionKind::Spin { default, min: *range.start(), max: *range.end() })
    }

    /// A string. `default` must not contain control characters, since it is part of a line of output.
    #[must_use]
    pub fn text(name: &'static str, default: &'static str) -> Self {
        Self::new(name, OptionKind::Text { default })
    }

    /// The path of a file; cannot be set if the configuration is restricted.
    #[must_use]
    pub fn file(name: &'static str, default: &'static str) -> Self {
        let mut option = Self::new(name, OptionKind::Text { default });
        option.spec.is_file = true;
        option
    }

    /// One of several strings, which must not contain control characters. Their case is ignored when the option is set.
    #[must_use]
    pub fn combo(name: &'static str, default: &'static str, values: &'static [&'static str]) -> Self {
        Self::new(name, OptionKind::Combo { default, values })
    }

    /// An action without a value.
    #[must_use]
    pub fn button(name: &'static str) -> Self {
        Self::new(name, OptionKind::Button)
    }

    /// Calls `on_change` with the new value whenever the option is set.
    ///
    /// The search has been stopped before; a `bench` or `genfens` that runs in a UCI session continues, with the new value
    /// if the evaluator shares it. `on_change` is not called for the default: the program must start with that value. A
    /// button passes [`OptionValue::None`].
    ///
    /// If `on_change` returns an error, the option keeps its value, and
    /// [`Engine::set_option`](super::Engine::set_option) returns [`SetOptionError::Rejected`] with its message; a panic is
    /// passed on to the caller.
    ///
    /// ```
    /// use aspirant::engine::{Engine, ExtraOption};
    ///
    /// let option = ExtraOption::file("Net", "").on_change(|path| {
    ///     let _weights = std::fs::read(path.as_text().unwrap_or_default())?;
    ///     Ok(())
    /// });
    /// let mut engine = Engine::builder().option(option).build()?;
    /// assert!(engine.set_option("Net", "missing.net").is_err());
    /// # Ok::<(), aspirant::engine::BuildError>(())
    /// ```
    #[must_use]
    pub fn on_change(
        mut self,
        on_change: impl FnMut(&OptionValue) -> Result<(), Box<dyn Error + Send + Sync>> + Send + 'static,
    ) -> Self {
        self.on_change = Some(Box::new(on_change));
        self
    }

    /// Returns its declaration; the key is empty, because `engine.toml` contains only the built-in options.
    #[must_use]
    pub fn spec(&self) -> &OptionSpec {
        &self.spec
    }

    /// The default until the option is set; [`OptionValue::None`] for a button.
    #[must_use]
    pub fn value(&self) -> &OptionValue {
        &self.value
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.spec.name.eq_ignore_ascii_case(name.trim())
    }

    /// Parses a value.
    pub(super) fn parse(&self, text: &str, restricted: bool) -> Result<OptionValue, OptionError> {
        if restricted && self.spec.is_file {
            return Err(OptionError::Restricted { name: self.spec.name });
        }
        self.spec.parse(text)
    }

    /// Sets the value unless the function of [`ExtraOption::on_change`] rejects it.
    pub(super) fn set(&mut self, value: OptionValue) -> Result<(), SetOptionError> {
        if let Some(on_change) = &mut self.on_change {
            on_change(&value).map_err(|error| SetOptionError::Rejected {
                option: self.spec.name,
                value: printable(&value.to_string()),
                reason: error.to_string(),
            })?;
        }
        self.value = value;
        Ok(())
    }

    /// Returns why this declaration is invalid or conflicts with `others` or a built-in option that is not `absent`.
    pub(super) fn fault(&self, others: &[Self], absent: &[&str]) -> Option<&'static str> {
        let OptionSpec { name, kind, .. } = self.spec;
        let is_in_use = options::find(name).is_ok_and(|row| !absent.contains(&OPTIONS[row].name))
            || tunable().iter().any(|param| param.name.eq_ignore_ascii_case(name))
            || others.iter().any(|other| other.is(name));
        let is_reserved = |word: &str| RESERVED_WORDS.iter().any(|reserved| reserved.eq_ignore_ascii_case(word));
        let texts = match kind {
            OptionKind::Text { default } => vec![default],
            OptionKind::Combo { values, .. } => values.to_vec(),
            _ => Vec::new(),
        };
        let range_is_invalid =
            matches!(kind, OptionKind::Spin { default, min, max } if !(min..=max).contains(&default));
        if name.trim().is_empty() || name.split(' ').any(str::is_empty) || name.contains(char::is_control) {
            Some("the name must consist of words separated by single spaces")
        } else if name.split(' ').any(is_reserved) {
            Some("the name must not contain the words name, type, default, min, max, var or value")
        } else if is_in_use {
            Some("the name is already in use")
        } else if range_is_invalid {
            Some("the default is outside of the range")
        } else if matches!(kind, OptionKind::Combo { default, values } if !values.contains(&default)) {
            Some("the default is not one of the values")
        } else if texts.iter().any(|text| text.contains(char::is_control)) {
            Some("the texts must not contain control characters")
        } else if matches!(kind, OptionKind::Combo { .. }) && texts.iter().any(|text| text.split(' ').any(is_reserved))
        {
            Some("a value must not contain the words name, type, default, min, max, var or value")
        } else {
            None
        }
    }
}
