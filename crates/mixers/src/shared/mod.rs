//! What several mixers need.

pub mod order;
#[cfg(test)]
pub mod samples;
pub mod stack;
