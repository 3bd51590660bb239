//! Settings: UCI options, search parameters, `engine.toml`, limited strength.

mod file;
pub mod options;
pub mod strength;

pub use file::{Config, ConfigError, FILE_NAME, ValueOrigin, tunable};
