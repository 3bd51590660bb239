//! Coefficients of the WDL model.
//!
//! Provenance: written by `aspirant-lab tune-wdl` at commit b63a899, seed 1, from 79010 positions of
//! 827 games (18962 more held-out positions):
//! * 412 games, match tm1.pgn, time control 1+0.01
//! * 415 games, match tm2.pgn, time control 1+0.01
//!
//! Mean negative log-likelihood: 0.60004; on held-out games 0.62870.

use super::WdlModel;

#[rustfmt::skip]
pub(super) const MODEL: WdlModel =
    WdlModel { a: [93.01, -24.12, 44.286, -41.901], b: [52.519, 17.985, 8.826, -15.618] };
