//! What several post-result processors need.

pub mod canonical_url;
pub mod groups;
#[cfg(test)]
pub mod samples;
