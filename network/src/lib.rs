//! A UCI engine with a neural network as evaluator, built on the library of Aspirant.
//!
//! [`network`] is the network and its file, [`evaluator`] updates it with each move, [`builder`] makes the engine. The
//! README of this package describes how to train a network from games of your own.
//! <https://www.chessprogramming.org/NNUE>
#![forbid(unsafe_code)]

pub mod evaluator;
pub mod network;

use aspirant::engine::EngineBuilder;
use aspirant::prelude::*;

use evaluator::NetworkEvaluator;
use network::NetworkError;

/// Returns a builder of the engine with the network of the build.
///
/// # Errors
/// [`NetworkError`] if it is not a network of this architecture.
///
/// ```
/// use aspirant::prelude::*;
///
/// let mut engine = aspirant_network::builder()?.build()?;
/// assert!(engine.search(Limits::depth(4)).best_move().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn builder() -> Result<EngineBuilder, NetworkError> {
    Ok(builder_with(NetworkEvaluator::built_in()?))
}

/// Returns a builder of the engine: its name, its evaluator, and the option `EvalFile`.
#[must_use]
pub fn builder_with(evaluator: NetworkEvaluator) -> EngineBuilder {
    let selection = evaluator.selection();
    let option = ExtraOption::file("EvalFile", "").on_change(move |path| Ok(selection.select(path.as_text())?));
    let builder = Engine::builder().name("Aspirant Network").author("the Aspirant authors");
    builder.version(env!("CARGO_PKG_VERSION")).evaluator(evaluator).option(option)
}
