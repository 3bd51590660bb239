//! Aspirant, a UCI chess engine, and a skeleton for engines.
//!
//! > A **UCI** protocol loop hands positions to a **search** thread that runs **iterative** deepening with
//! > **aspiration** windows, zero-window re-searches and **alpha-beta** over shakmaty move generation, with a
//! > material/PST static **evaluator** at the leaves.
//!
//! ```text
//!  stdin ─► uci::input ──Command──► uci (main loop) ──► Engine ──SearchRequest──► search::smp::pool
//!           (reader thread)                                              (search thread;
//!  stdout ◄─ uci::output ◄───────────── Reporter ◄────────────────────── owns its tables;
//!           (writer thread)                                              starts helpers)
//! ```
//! `stop`, `ponderhit` and `quit` queue behind nothing: they go through [`search::smp::control`], made afresh for every `go`.
//!
//! # The rooms, and who may use what
//!
//! | room | what it is | may use | never |
//! |---|---|---|---|
//! | [`score`] | scores, bounds, mate arithmetic | – | anything else |
//! | [`board`] | the board, keys, what shakmaty lacks | shakmaty | channels, log, eval, search |
//! | [`eval`] | what a position is worth | position | search, time, windows |
//! | [`search`] except `smp` | from a position to a move | position, movegen, eval, tablebase, `dyn Reporter`, signals | protocols, stdin, stdout, channels, threads, files |
//! | [`search::smp`] | the search thread, its helpers, the one answer | channels, threads, the searcher | text of any kind |
//! | [`config`] | every setting, declared once | search::params, strength | the engine |
//! | [`book`] | opening books: what others played | position, one file | search, time |
//! | [`tablebase`] | endgame tables behind one small struct | position, score, files | search, time |
//! | [`config::strength`] | playing below full strength | search::limits | the engine |
//! | [`wdl`] | chances of win, draw and loss | score, the board | search, engine |
//! | [`engine`] | what every front end talks to | worker, options, config, strength, book, tablebase | protocols, printing |
//! | [`platform::memory`] | how much memory there is | the system | everything else |
//! | [`platform::fault`] | faults on demand, for tests | – | a build without the feature `fault-injection` |
//! | [`uci`] | the protocol; the only writer of stdout while it runs | engine, vampirc-uci, some of the tools | tables, search internals |
//! | [`game_tree`] | the textbook: reference searches over a small `Game` trait | score; only `games::chess` sees position, movegen, eval | search, threads, time |
//! | [`tools`], [`cli`] | bench, perft, analysis, suites, comparison and pictures of the textbook's searches, data and tuner; the command line | everything public | being used by anything above, but for `uci` |
//!
//! # Invariants
//!
//! * One `go` gives exactly one `best_move`, in order, legal in its own position.
//! * The search never prints, reads no input, and looks at the clock only through its time manager.
//! * No input of any kind makes the program panic; a panic in a search is caught and answered.
//! * With one thread, and where no clock bounds the search, equal input gives equal node counts.
//! * No `unsafe` outside `sys.rs`: five hints, measured, that can change no value.
//!
//! # Where to add …
//!
//! * *an evaluator*: a file in [`eval`] (with `Default`), its name in [`engine::DefaultEvaluator`].
//! * *a pruning or reduction rule*: a function beside its siblings, its numbers in [`search::params`], a numbered
//!   step of the node function. Switched off, the bench signature is the old one.
//! * *a UCI option*: a row in [`config::options::OPTIONS`] with its index and accessor, a row in the README, a check in
//!   `tests/it/options.rs`. After this or a number of the search: `aspirant print-template > engine.toml`.
//! * *a textbook algorithm*: a file beside its relatives in [`game_tree`], a name and a row in [`game_tree::catalog`], a row in the
//!   README; the agreement tests, `compare` and `tree` then know it.
//! * *a front end*: a sibling of [`uci`] that talks to [`engine::Engine`] and implements [`search::report::Reporter`].
#![deny(unsafe_code)]

pub mod board;
pub mod book;
pub mod cli;
pub mod config;
pub mod engine;
pub mod eval;
pub mod game_tree;
pub mod platform;
pub mod score;
pub mod search;
pub mod tablebase;
#[doc(hidden)]
pub mod terminal;
pub mod tools;
pub mod uci;
pub mod version;
pub mod wdl;
