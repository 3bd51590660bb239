//! Options declared by engines built on this library, in addition to the built-in ones.

use std::fmt;

use crate::config::options::{self, OptionError, OptionKind, OptionSpec, OptionValue};
use crate::config::tunable;

/// An option of an engine built on this library; declared with
/// [`EngineBuilder::option`](super::EngineBuilder::option).
///
/// It is printed by `uci`, parsed and range-checked like the built-in options. Setting it stops a running search, clears
/// the TT and calls the function given to [`ExtraOption::on_change`], so the evaluator may depend on its value.
///
/// The name consists of words separated by single spaces, without the words `name`, `type`, `default`, `min`, `max`,
/// `var` and `value`, and differs from all other option names, ignoring case; the default of a spin option is in its
/// range. Otherwise [`EngineBuilder::build`](super::EngineBuilder::build) returns an error. A later minor version of this
/// library may add options, so use names that are specific to your engine.
pub struct ExtraOption {
    spec: OptionSpec,
    value: OptionValue,
    on_change: Option<OnChange>,
}

type OnChange = Box<dyn FnMut(&OptionValue) + Send>;

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

    /// An action without a value.
    #[must_use]
    pub fn button(name: &'static str) -> Self {
        Self::new(name, OptionKind::Button)
    }

    /// Calls `on_change` with the new value whenever the option is set.
    ///
    /// The search has been stopped before; a `bench` or `genfens` that runs in a UCI session continues, with the new value
    /// if the evaluator shares it. `on_change` is not called for the default: the program must start with that value. A
    /// button passes [`OptionValue::None`]. If `on_change` panics, the option keeps its value, and the panic is passed on to
    /// the caller of [`Engine::set_option`](super::Engine::set_option).
    #[must_use]
    pub fn on_change(mut self, on_change: impl FnMut(&OptionValue) + Send + 'static) -> Self {
        self.on_change = Some(Box::new(on_change));
        self
    }

    /// Returns its declaration; the key is empty, because `engine.toml` contains only the built-in options.
    #[must_use]
    pub fn spec(&self) -> &OptionSpec {
        &self.spec
    }

    /// Returns the current value.
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

    pub(super) fn set(&mut self, value: OptionValue) {
        if let Some(on_change) = &mut self.on_change {
            on_change(&value);
        }
        self.value = value;
    }

    /// Returns why this declaration is invalid or conflicts with `others`; `None` if it is valid.
    pub(super) fn fault(&self, others: &[Self]) -> Option<&'static str> {
        let OptionSpec { name, kind, .. } = self.spec;
        let is_in_use = options::find(name).is_ok()
            || tunable().iter().any(|param| param.name.eq_ignore_ascii_case(name))
            || others.iter().any(|other| other.is(name));
        let range_is_invalid =
            matches!(kind, OptionKind::Spin { default, min, max } if !(min..=max).contains(&default));
        if name.trim().is_empty() || name.split(' ').any(str::is_empty) || name.contains(char::is_control) {
            Some("the name must consist of words separated by single spaces")
        } else if name.split(' ').any(|word| RESERVED_WORDS.iter().any(|reserved| reserved.eq_ignore_ascii_case(word)))
        {
            Some("the name must not contain the words name, type, default, min, max, var or value")
        } else if is_in_use {
            Some("the name is already in use")
        } else if range_is_invalid {
            Some("the default is outside of the range")
        } else if matches!(kind, OptionKind::Text { default } if default.contains(char::is_control)) {
            Some("the default must not contain control characters")
        } else {
            None
        }
    }
}
