//! The numbers of the model of chances.
//!
//! Provenance: written by `aspirant tune-wdl` at commit eb3f839e17, seed 1, from 38933 positions of
//! 454 games that `aspirant datagen` played (2168 more positions held out):
//! * 454 games, 4000 nodes, seed 77, tables 8ca400a201ba7dc2
//!
//! Mean negative logarithm of the chance given to what happened: 0.65048; of the games held out 0.60245.

use super::Model;

pub(super) const MODEL: Model = Model { a: [90.789, 7.566, 68.892, -120.902], b: [79.694, 62.208, 9.602, -81.498] };
