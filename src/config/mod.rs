//! Settings: UCI options, search parameters, `engine.toml`, limited strength.

#[cfg(feature = "cli")]
mod file;
pub mod options;
mod settings;
pub mod strength;

#[cfg(feature = "cli")]
pub use file::{ConfigError, FILE_NAME};
pub use settings::{Config, tunable};
