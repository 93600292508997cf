//! Query, result and post-result processors: one file each, with a row in the catalogue of its folder; and advice on
//! queries that found little.

#[cfg(test)]
mod fixtures;
mod pii;
pub mod post_result;
pub mod query;
pub mod query_advisor;
pub mod result;
mod spelling;
