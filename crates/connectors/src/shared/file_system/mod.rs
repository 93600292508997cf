//! A folder that is searched: which one is allowed, which files it holds, what they say, and which of them match.

pub mod allow;
pub mod cache;
pub mod terms;
pub mod walk;
