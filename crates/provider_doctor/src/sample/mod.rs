//! Analyzes the sample response: where its results are, and what they contain.

pub mod base_url;
pub mod column;
pub mod columns;
pub mod counts;
pub mod find_results;
pub mod links;
pub mod path;
pub mod shape;
