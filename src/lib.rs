//! Aspirant, a UCI chess engine, as a library for building engines.
//!
//! [`engine::Engine`] searches positions with the options of UCI. [`eval`] has the traits of evaluators,
//! [`search::Search`] is that of searches, and [`search::report::Reporter`] that of front ends; [`uci`] is one of them.
//! [`prelude`] re-exports what most programs need.
//!
//! ```
//! use aspirant::board::game::Game;
//! use aspirant::board::position::parse_fen;
//! use aspirant::engine::Engine;
//! use aspirant::search::limits::Limits;
//!
//! let mut engine = Engine::new(Default::default())?;
//! engine.set_game(Game::new(parse_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?));
//! let result = engine.search(Limits::depth(4));
//! assert_eq!(result.best_move().map(|m| m.to_string()), Some("Rd1-d8".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Features: `uci` (the protocol), `syzygy` (tablebases) and `cli` (the program and `Config::load`) are enabled by
//! default; `cli` includes `game-tree` (chess for the reference algorithms of the crate `game-tree-search`). `tune`
//! declares search parameters as UCI options, `stats` counts cutoffs. Items that are documented here follow semantic
//! versioning, except for the names of search parameters. [`Limits`](search::limits::Limits) may gain fields in a minor
//! release; items that are not documented may change in any release. [`shakmaty`] is part of the interface: an
//! incompatible version of it requires a new major version.
//!
//! `ARCHITECTURE.md` in the repository describes the modules, the data flow, the dependency rules and the invariants.
#![deny(unsafe_code)]

// Modules with `#![doc(hidden)]` are public only for the program, `lab`, benchmarks, fuzzing and tests: they are not
// part of the documented interface and may change in any release.
pub mod board;
pub mod book;
#[cfg(feature = "game-tree")]
pub mod chess_tree;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod engine;
pub mod eval;
pub mod platform;
pub mod prelude;
pub mod score;
pub mod search;
#[cfg(feature = "syzygy")]
pub mod tablebase;
#[cfg(not(feature = "syzygy"))]
#[path = "tablebase/disabled.rs"]
pub mod tablebase;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod terminal;
pub mod tools;
#[cfg(feature = "uci")]
pub mod uci;
pub mod version;
pub mod wdl;

/// The chess rules. Use this re-export: another version of the crate has different types.
pub use shakmaty;

/// Compiles the snippets of the guide as documentation tests.
#[cfg(all(doctest, feature = "uci"))]
#[doc = include_str!("../docs/build-your-own.md")]
pub struct BuildYourOwn;

/// Compiles the examples of README.md.
#[cfg(all(doctest, feature = "uci"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
