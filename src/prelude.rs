//! What most programs that use this library need: `use aspirant::prelude::*;`.
//!
//! The items of the rules are those of [`shakmaty`], with its trait `Position` for the methods of `Position::chess`; the name
//! `Position` is this library's type.
//!
//! ```
//! use aspirant::prelude::*;
//!
//! let position = parse_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
//! assert_eq!(position.legal_moves().len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::board::game::Game;
pub use crate::board::position::{Position, parse_fen};
pub use crate::engine::{BuildError, Engine, ExtraOption};
pub use crate::eval::{Evaluator, SimpleEvaluator};
pub use crate::score::{Score, UciScore};
pub use crate::search::limits::Limits;
pub use crate::search::report::{Reporter, SearchResult, Variation};
pub use crate::search::{Search, SearchRequest};
pub use shakmaty::{Color, Move, Piece, Position as _, Role, Square};
