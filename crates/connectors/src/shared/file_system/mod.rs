//! Searching a folder: allowed paths, the walk, cached texts, and term matching.

pub mod allow;
pub mod cache;
pub mod terms;
pub mod walk;
