//! Coefficients of the WDL model.
//!
//! Provenance: written by `aspirant-lab tune-wdl` at commit 377d38453b, seed 1, from 456 games, one
//! in 5 held out: 39636 positions fitted, 10513 held out:
//! * 456 games, match aspirant-6917422.pgn, time control 8+0.08
//!
//! Mean negative log-likelihood: 0.58297; on held-out games 0.63353.

use super::WdlModel;

#[rustfmt::skip]
pub(super) const MODEL: WdlModel =
    WdlModel { a: [97.324, -41.93, 17.63, -3.042], b: [56.679, 12.614, -3.826, 10.194] };
