//! The numbers of the model of chances.
//!
//! Provenance: written by `aspirant tune-wdl` at commit eb3f839e17, seed 1, from 531210 positions of
//! 8090 games that `aspirant datagen` played (136254 more positions held out):
//! * 8090 games, 600 nodes, seed 303, tables abe446382315154c
//!
//! Mean negative logarithm of the chance given to what happened: 0.73827; of the games held out 0.73868.

use super::Model;

pub(super) const MODEL: Model = Model { a: [79.076, 20.985, 140.635, -173.54], b: [143.563, 96.248, 46.821, -88.068] };
