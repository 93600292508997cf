//! What several result processors need to handle the values of a source.

pub mod bitcoin;
pub mod payload;
pub mod source_value;
