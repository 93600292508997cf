//! The prompts, one row for each.

mod definition;
mod research;

use definition::Row;

pub(crate) const TABLE: &[Row] = &[research::ROW];
