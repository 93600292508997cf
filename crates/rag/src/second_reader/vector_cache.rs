//! Vectors of texts, by a hash of their content.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Maximum number of vectors, about 1.5 KiB each; the oldest leaves first.
pub const VECTORS_MAX: usize = 4096;

/// Two hashes with keys of this process: nobody can choose texts with the same one.
type Key = (u64, u64);

#[derive(Default)]
pub struct VectorCache {
    hashers: (RandomState, RandomState),
    vectors: HashMap<Key, Arc<[f32]>>,
    /// The oldest first.
    order: VecDeque<Key>,
}

impl VectorCache {
    pub fn get(&self, text: &str) -> Option<Arc<[f32]>> {
        self.vectors.get(&self.key(text)).cloned()
    }

    pub fn insert(&mut self, text: &str, vector: Arc<[f32]>) {
        let key = self.key(text);
        if self.vectors.insert(key, vector).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > VECTORS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.vectors.remove(&oldest);
            }
        }
    }

    fn key(&self, text: &str) -> Key {
        (self.hashers.0.hash_one(text), self.hashers.1.hash_one(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_vector_leaves() {
        let mut cache = VectorCache::default();
        for number in 0..=VECTORS_MAX {
            cache.insert(&number.to_string(), Arc::from([number as f32]));
            cache.insert("1", Arc::from([1.0]));
        }
        assert_eq!((cache.vectors.len(), cache.order.len()), (VECTORS_MAX, VECTORS_MAX));
        assert_eq!(cache.get("0"), None);
        assert_eq!(cache.get("2").as_deref(), Some(&[2.0][..]));
        assert_eq!(cache.get(&VECTORS_MAX.to_string()).as_deref(), Some(&[VECTORS_MAX as f32][..]));
        assert_eq!(cache.get("other"), None);
    }
}
