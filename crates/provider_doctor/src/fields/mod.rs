//! Ranks the paths of the items as fields of a result.

pub mod field;
pub mod identifier_words;
pub mod name_score;
pub mod rank;
pub mod titles;
pub mod urls;
pub mod vocabulary;
