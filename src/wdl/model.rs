//! Coefficients of the WDL model.
//!
//! Provenance: written by `aspirant-lab tune-wdl` at commit f04bc25d69, seed 1, from 79656 positions of
//! 1016 games that `aspirant-lab datagen` played (19051 more held-out positions):
//! * 1016 games, 5000 nodes, seed 404, weights e87d68fa39c318e4
//!
//! Mean negative log-likelihood: 0.62616; on held-out games 0.61914.

use super::WdlModel;

#[rustfmt::skip]
pub(super) const MODEL: WdlModel =
    WdlModel { a: [82.272, 11.89, 94.49, -124.415], b: [61.276, 28.353, 28.014, -45.761] };
