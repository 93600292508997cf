//! Cache of embeddings by a hash of their text, because the same results occur again and again.

use super::embed;
use super::embedding::Embedding;
use foldhash::quality::RandomState;
use moka::sync::Cache;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock};

/// Most cached embeddings: 16 MB.
const ENTRIES_MAX: u64 = 16_384;

struct EmbeddingCache {
    /// Two hashes represent a text: 128 bits, with random keys per process, so that collisions cannot be crafted.
    keys: [RandomState; 2],
    embeddings: Cache<[u64; 2], Arc<Embedding>>,
}

static CACHE: LazyLock<EmbeddingCache> = LazyLock::new(|| EmbeddingCache {
    keys: [RandomState::default(), RandomState::default()],
    embeddings: Cache::new(ENTRIES_MAX),
});

/// Like [`embed`], from the cache if possible.
pub fn embed_cached(text: &str) -> Arc<Embedding> {
    let key = CACHE.keys.each_ref().map(|state| state.hash_one(text));
    CACHE.embeddings.get_with(key, || Arc::new(embed(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once() {
        let first = embed_cached("a text that nobody else reads");
        assert!(Arc::ptr_eq(&first, &embed_cached("a text that nobody else reads")));
        assert_eq!(*first, embed("a text that nobody else reads"));
    }
}
