//! Coefficients of the WDL model.
//!
//! Provenance: written by `aspirant-lab tune-wdl` at commit 4ddd6583a0, seed 1, from 402 games, one
//! in 5 held out: 36152 positions fitted, 10305 held out:
//! * 402 games, match aspirant-9100981.pgn, time control 8+0.08
//!
//! Mean negative log-likelihood: 0.62895; on held-out games 0.62724.

use super::WdlModel;

#[rustfmt::skip]
pub(super) const MODEL: WdlModel =
    WdlModel { a: [99.169, -49.082, 23.006, -21.85], b: [67.056, 15.161, -13.771, -0.363] };
