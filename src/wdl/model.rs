//! The numbers of the model.

use super::Model;

pub(super) const MODEL: Model = Model { a: [170.0, 0.0, 0.0, 0.0], b: [75.0, 0.0, 0.0, 0.0] };
