//! Aspirant, a UCI chess engine, as a library for building engines.
//!
//! | to … | use |
//! |---|---|
//! | search and analyze positions | [`engine::Engine`], [`search::limits::Limits`] |
//! | write an evaluator | [`eval::SimpleEvaluator`], [`eval::Evaluator`], checks in [`eval::testing`] |
//! | write a search | [`search::Search`] |
//! | write a front end | [`search::report::Reporter`]; UCI is in [`uci`] |
//! | add options to an engine | [`engine::ExtraOption`] |
//! | read and write positions, moves, games | [`board`] |
//! | use opening books | [`book`]; tablebases are set by the option `SyzygyPath` |
//! | convert scores | [`score`], [`wdl`] |
//! | set options and search parameters | [`config`] |
//! | run the reference algorithms on chess | [`chess_tree`] |
//!
//! The [`prelude`] re-exports what most programs need. Analyze a position:
//!
//! ```
//! use aspirant::prelude::*;
//!
//! let mut engine = Engine::new(Default::default())?;
//! let position = parse_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?;
//! let result = engine.analyze(position, Limits::depth(4), |progress| println!("depth {}", progress.depth));
//! assert_eq!(engine.game().position.san_variation(result.pv()), "1. Rd8#");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An evaluator of your own; `aspirant::uci::main(engine)` makes it a program:
//!
//! ```
//! # use aspirant::prelude::*;
//! #[derive(Clone)]
//! struct PieceCount;
//!
//! impl SimpleEvaluator for PieceCount {
//!     fn evaluate(&mut self, position: &Position) -> Score {
//!         let count = |color| position.board().by_color(color).count() as Score;
//!         100 * (count(position.turn()) - count(!position.turn()))
//!     }
//! }
//!
//! let engine = Engine::builder().name("My Engine").evaluator(PieceCount).build()?;
//! # Ok::<(), BuildError>(())
//! ```
//!
//! A search of your own, which plays the first legal move:
//!
//! ```
//! # use aspirant::prelude::*;
//! struct FirstMove;
//!
//! impl Search for FirstMove {
//!     fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
//!         SearchResult::new(vec![Variation::new(vec![request.root_moves[0]], 0, 1)])
//!     }
//! }
//!
//! let engine = Engine::builder().name("First Move").search(|| FirstMove).build()?;
//! # Ok::<(), BuildError>(())
//! ```
//!
//! A front end of your own receives the progress and the result of a search:
//!
//! ```
//! # use aspirant::prelude::*;
//! struct Lines;
//!
//! impl Reporter for Lines {
//!     fn progress(&mut self, result: &SearchResult) {
//!         println!("depth {}: {}", result.depth, UciScore::new(result.score()));
//!     }
//!
//!     fn finished(&mut self, result: &SearchResult) {
//!         println!("{:?}", result.best_move());
//!     }
//! }
//!
//! let mut engine = Engine::new(Default::default())?;
//! engine.go(Limits::depth(3), Box::new(Lines)); // returns at once
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/build-your-own.md` in the repository is a guide; `ARCHITECTURE.md` describes the modules and the data flow.
//!
//! # Features
//!
//! | feature | default | content |
//! |---|---|---|
//! | `uci` | yes | the protocol; [`uci::main`] is the program of an engine |
//! | `syzygy` | yes | Syzygy tablebases; without it, an engine has no Syzygy options |
//! | `cli` | yes | the program `aspirant` with its commands, and `Config::load` (`engine.toml`); includes `uci` and `game-tree` |
//! | `game-tree` | yes | chess for the reference algorithms of the crate `game-tree-search`, and engines that play with them ([`reference`](mod@reference)) |
//! | `tune` | no | declares the search parameters as UCI options |
//! | `stats` | no | `bench` reports cutoff statistics |
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
#![deny(unsafe_code)]
#![warn(missing_docs)]
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
#[cfg(feature = "game-tree")]
pub mod reference;
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
