//! A UCI engine with a neural network as evaluator, built on the library of Aspirant.
//!
//! [`network`] is the network and its file, [`evaluator`] updates it with each move, [`builder`] makes the engine. The
//! README of this package describes how to train a network from games of your own.
//! <https://www.chessprogramming.org/NNUE>
#![forbid(unsafe_code)]

pub mod evaluator;
pub mod network;

use std::error::Error;

use aspirant::engine::EngineBuilder;
use aspirant::prelude::*;
use aspirant::search::params::{ParamError, Params};

use evaluator::NetworkEvaluator;

/// The search parameters that differ from the defaults of the library, tuned by `aspirant-lab tune-search`.
const PARAMS: &[(&str, i32)] = &[
    ("rfp_margin", 67),
    ("rfp_improving", 43),
    ("rfp_threat", 51),
    ("razor_margin", 322),
    ("nmp_eval_divisor", 198),
    ("nmp_margin", 96),
    ("probcut_margin", 187),
    ("probcut_improving", 49),
    ("futility_base", 67),
    ("futility_margin", 72),
    ("see_noisy", 77),
    ("see_quiet", 25),
    ("qs_futility", 83),
    ("singular_double", 21),
    ("aspiration_delta", 13),
    ("lmr_deeper", 8),
    ("history_beta_margin", 40),
    ("correction_pawn", 7),
    ("correction_non_pawn", 16),
    ("correction_minor", 17),
    ("correction_continuation", 21),
];

/// Returns a builder of the engine with the network of the build.
///
/// # Errors
/// [`NetworkError`](network::NetworkError) if it is not a network of this architecture; [`ParamError`] if the library does
/// not accept a search parameter.
///
/// ```
/// use aspirant::prelude::*;
///
/// let mut engine = aspirant_network::builder()?.build()?;
/// assert!(engine.search(Limits::depth(4)).best_move().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn builder() -> Result<EngineBuilder, Box<dyn Error>> {
    Ok(builder_with(NetworkEvaluator::built_in()?, params()?))
}

/// Returns the search parameters of the engine.
///
/// # Errors
/// [`ParamError`] if the library has no parameter of that name, or the value is not in its range.
pub fn params() -> Result<Params, ParamError> {
    PARAMS.iter().try_fold(Params::default(), |params, &(name, value)| params.with(name, value))
}

/// Returns a builder of the engine: its name, its evaluator, its search parameters, and the option `EvalFile`.
#[must_use]
pub fn builder_with(evaluator: NetworkEvaluator, params: Params) -> EngineBuilder {
    let selection = evaluator.selection();
    let option = ExtraOption::file("EvalFile", "").on_change(move |path| Ok(selection.select(path.as_text())?));
    let builder = Engine::builder().name("Aspirant Network").author("the Aspirant authors");
    builder.version(env!("CARGO_PKG_VERSION")).evaluator(evaluator).params(params).option(option)
}
