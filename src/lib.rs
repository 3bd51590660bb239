//! Aspirant, a UCI chess engine, as a library for building engines.
//!
//! [`engine::Engine`] searches positions with the options of UCI. [`eval`] has the traits of evaluators,
//! [`search::Search`] is that of searches, and [`search::report::Reporter`] that of front ends; [`uci`] is one of them.
//! [`prelude`] re-exports what most programs need.
//!
//! ```
//! use aspirant::board::position::parse_fen;
//! use aspirant::engine::Engine;
//! use aspirant::search::limits::Limits;
//!
//! let mut engine = Engine::new(Default::default())?;
//! let position = parse_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?;
//! let result = engine.analyze(position, Limits::depth(4), |progress| println!("depth {}", progress.depth));
//! assert_eq!(engine.game().position.san_variation(result.pv()), "1. Rd8#");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! | feature | default | content |
//! |---|---|---|
//! | `uci` | yes | the protocol; [`uci::main`] is the program of an engine |
//! | `syzygy` | yes | Syzygy tablebases; without it, an engine has no Syzygy options |
//! | `cli` | yes | the program `aspirant` with its commands, and `Config::load` (`engine.toml`); includes `uci` and `game-tree` |
//! | `game-tree` | yes | chess for the reference algorithms of the crate `game-tree-search` |
//! | `tune` | no | declares the search parameters as UCI options |
//! | `stats` | no | `bench` reports cutoff statistics |
//! | `fault-injection` | no | only for the tests of this crate |
//!
//! An engine built on the library needs `default-features = false` and `uci`; an analysis needs no feature.
//!
//! The oldest supported Rust is 1.95, with any features: `shakmaty` 0.30.1 needs it. Later versions of shakmaty need a later
//! compiler; the resolver of edition 2024 selects one that fits.
//!
//! # Stability
//!
//! Items that are documented here follow semantic versioning, except for the names of search parameters.
//! [`Limits`](search::limits::Limits) may gain fields in a minor release; items that are not documented may change in
//! any release. [`shakmaty`] is part of the interface: an incompatible version of it requires a new major version.
//!
//! `ARCHITECTURE.md` in the repository describes the modules, the data flow, the dependency rules and the invariants.
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

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

/// The chess rules. Use this re-export: an incompatible version of the crate has different types.
pub use shakmaty;

/// Compiles the snippets of the guide as documentation tests.
#[cfg(all(doctest, feature = "uci"))]
#[doc = include_str!("../docs/build-your-own.md")]
pub struct BuildYourOwn;

/// Compiles the examples of README.md.
#[cfg(all(doctest, feature = "uci"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
