//! What several post-result processors need.

pub mod canonical_url;
#[cfg(test)]
pub mod samples;
