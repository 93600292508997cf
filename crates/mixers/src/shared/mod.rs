//! Code shared by several mixers.

#[cfg(test)]
pub mod fixtures;
pub mod order;
pub mod promotion;
pub mod stack;
