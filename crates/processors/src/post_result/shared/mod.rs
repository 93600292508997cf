//! Code shared by several post-result processors.

pub mod canonical_url;
#[cfg(test)]
pub mod fixtures;
pub mod groups;
