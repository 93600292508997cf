//! What a store told about a name: kept for a while, so that not every search has to ask for it first.

use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Names that are kept, and for how long.
const NAMES_MAX: u64 = 500;
const KEPT: Duration = Duration::from_secs(600);

/// Who asked whom for which name. Others may be told something else.
pub type Key = [u8; 32];

pub struct Known<T: Clone + Send + Sync + 'static> {
    kept: Cache<Key, T>,
}

impl<T: Clone + Send + Sync + 'static> Known<T> {
    pub fn new() -> Self {
        Self { kept: Cache::builder().max_capacity(NAMES_MAX).time_to_live(KEPT).build() }
    }

    pub fn get(&self, key: &Key) -> Option<T> {
        self.kept.get(key)
    }

    pub fn put(&self, key: Key, value: &T) {
        self.kept.insert(key, value.clone());
    }

    pub fn forget(&self, key: &Key) {
        self.kept.invalidate(key);
    }
}

/// The hash of the parts; where one ends and the next begins is a part of it.
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
        let known = Known::new();
        known.put(key(["a", "bc"]), &1);
        assert_eq!(known.get(&key(["a", "bc"])), Some(1));
        assert_eq!(known.get(&key(["ab", "c"])), None, "other parts of the same text");
        known.forget(&key(["a", "bc"]));
        assert_eq!(known.get(&key(["a", "bc"])), None);
    }
}
