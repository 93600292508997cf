//! Values of texts, by a hash of their content.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};

/// Two hashes with keys of this process: nobody can choose texts with the same one.
type Key = (u64, u64);

pub(crate) struct ContentCache<V> {
    hashers: (RandomState, RandomState),
    values: HashMap<Key, V>,
    /// The oldest first.
    order: VecDeque<Key>,
    values_max: usize,
}

impl<V: Clone> ContentCache<V> {
    /// Holds at most so many values; the oldest leaves first.
    pub fn new(values_max: usize) -> Self {
        Self { hashers: Default::default(), values: HashMap::new(), order: VecDeque::new(), values_max }
    }

    pub fn get(&self, text: &str) -> Option<V> {
        self.values.get(&self.key(text)).cloned()
    }

    pub fn insert(&mut self, text: &str, value: V) {
        let key = self.key(text);
        if self.values.insert(key, value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > self.values_max {
            if let Some(oldest) = self.order.pop_front() {
                self.values.remove(&oldest);
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
    fn the_oldest_value_leaves() {
        let mut cache = ContentCache::new(3);
        for number in 0..=3 {
            cache.insert(&number.to_string(), number);
            cache.insert("1", 100);
        }
        assert_eq!((cache.values.len(), cache.order.len()), (3, 3));
        let found = ["0", "1", "2", "3", "other"].map(|text| cache.get(text));
        assert_eq!(found, [None, Some(100), Some(2), Some(3), None]);
    }
}
