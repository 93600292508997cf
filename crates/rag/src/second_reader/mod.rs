//! The second reader: how similar a query and a few texts are, by an optional model that is slower and more exact than
//! the built-in one. It is used for answers, for searches of models (MCP), and for the better order of a list, which is
//! made after the list; the list itself never waits for it.
//!
//! Texts are read on the CPU pool, on at most half of the cores, within a time limit, and their vectors are remembered.
//! If not all texts are read in time, the built-in model is used for all of them: similarities of two models are not
//! compared with each other.

mod content_cache;
mod passages;
mod reader;
mod results;
#[cfg(test)]
mod tests;

pub(crate) use content_cache::ContentCache;
pub(crate) use passages::PassageRatings;
#[cfg(test)]
use reader::TIME_MAX;
pub use reader::{SecondReader, TEXTS_MAX, TextVector};
pub(crate) use results::meanings;
