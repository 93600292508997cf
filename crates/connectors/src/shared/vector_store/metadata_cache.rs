//! Cache of metadata about collections and indexes, so that not every search has to request it.

use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Most entries, and how long they are kept.
const NAMES_MAX: u64 = 500;
const TTL: Duration = Duration::from_secs(600);

/// A hash of the server, the credentials and the name, because the response may depend on all of them.
pub type Key = [u8; 32];

pub struct MetadataCache<T: Clone + Send + Sync + 'static> {
    cached: Cache<Key, T>,
}

impl<T: Clone + Send + Sync + 'static> MetadataCache<T> {
    pub fn new() -> Self {
        Self { cached: Cache::builder().max_capacity(NAMES_MAX).time_to_live(TTL).build() }
    }

    pub fn get(&self, key: &Key) -> Option<T> {
        self.cached.get(key)
    }

    pub fn put(&self, key: Key, value: &T) {
        self.cached.insert(key, value.clone());
    }

    pub fn forget(&self, key: &Key) {
        self.cached.invalidate(key);
    }
}

/// A hash of the parts and their boundaries.
pub fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> Key {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_for_who_asked() {
        let cache = MetadataCache::new();
        cache.put(key(["a", "bc"]), &1);
        assert_eq!(cache.get(&key(["a", "bc"])), Some(1));
        assert_eq!(cache.get(&key(["ab", "c"])), None, "other parts of the same text");
        cache.forget(&key(["a", "bc"]));
        assert_eq!(cache.get(&key(["a", "bc"])), None);
    }
}
