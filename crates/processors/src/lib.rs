//! Processors: they rewrite queries, map and score one provider's results, and work on all results of a search.
//! One file for each; its row stands in the catalogue of its folder.

mod pii;
pub mod post_result;
pub mod query;
pub mod result;
#[cfg(test)]
mod samples;
mod spelling;
