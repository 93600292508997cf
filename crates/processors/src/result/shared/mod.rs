//! Code shared by several result processors.

pub mod bitcoin;
pub mod chart;
pub mod clean_text;
pub mod dataset;
pub mod mapped_sources;
pub mod payload;
pub mod profile;
pub mod result_builder;
pub mod source_value;
pub mod tags;
