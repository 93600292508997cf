//! Embeddings that were made before, by a hash of their text: the same results come again and again.

use super::embed;
use super::embedding::Embedding;
use foldhash::quality::RandomState;
use moka::sync::Cache;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock};

/// Most embeddings that are kept: 16 MB.
const KEPT_MAX: u64 = 16_384;

struct Memory {
    /// Two hashes of a text stand for it: 128 bits, keyed anew in each process, so that no text can be made to be
    /// taken for another.
    keys: [RandomState; 2],
    kept: Cache<[u64; 2], Arc<Embedding>>,
}

static MEMORY: LazyLock<Memory> = LazyLock::new(|| Memory {
    keys: [RandomState::default(), RandomState::default()],
    kept: Cache::new(KEPT_MAX),
});

/// As [`embed`], from memory if the text was seen before.
pub fn remembered(text: &str) -> Arc<Embedding> {
    let key = MEMORY.keys.each_ref().map(|state| state.hash_one(text));
    MEMORY.kept.get_with(key, || Arc::new(embed(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once() {
        let first = remembered("a text that nobody else reads");
        assert!(Arc::ptr_eq(&first, &remembered("a text that nobody else reads")));
        assert_eq!(*first, embed("a text that nobody else reads"));
    }
}
