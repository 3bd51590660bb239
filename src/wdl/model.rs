//! Coefficients of the WDL model.
//!
//! Provenance: written by `aspirant-lab tune-wdl` at commit 4ddd6583a0, seed 1, from 29665 positions of
//! 602 games (8302 more held-out positions):
//! * 402 games, match aspirant-9100981.pgn, time control 8+0.08
//! * 200 games, match stash-v33.pgn, time control 8+0.08
//!
//! Mean negative log-likelihood: 0.69329; on held-out games 0.69313.

use super::WdlModel;

#[rustfmt::skip]
pub(super) const MODEL: WdlModel =
    WdlModel { a: [82.468, -20.223, 48.354, -71.495], b: [74.304, 17.218, -8.64, -10.55] };
