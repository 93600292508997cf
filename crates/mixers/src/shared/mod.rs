//! What several mixers need.

pub mod order;
pub mod promotion;
#[cfg(test)]
pub mod samples;
pub mod stack;
