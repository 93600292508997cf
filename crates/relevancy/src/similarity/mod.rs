//! Near duplicates in a pool of results: the same document from several sources with small differences.
//!
//! Every result is compared with a few others only: those that share its title, its words, or some of its shingles
//! (`hashed_words.rs`). The exact check of a pair is in `pair_check.rs`. The cost is linear in the number of results,
//! also for adversarial pools.

mod group_index;
mod grouping;
mod hashed_words;
mod pair_check;
mod text;
mod word_bytes;

pub use group_index::{CANDIDATES_MAX, LEADERS_PER_KEY_MAX, SHARED_KEYS_MIN};
pub use grouping::{Groups, groups};
pub(crate) use hashed_words::hash_tokens;
pub use hashed_words::{SKETCH_KEYS_MAX, WORDS_MAX};
pub use pair_check::Sameness;
pub use text::Text;

#[cfg(test)]
mod plain_grouping_tests;
#[cfg(test)]
mod tests;
