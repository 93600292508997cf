//! Cache of parsed transform rules.

use domain::ids::TransformId;
use domain::instant::Instant;
use domain::query_transform::Rules;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Most entries; the least recently used is removed first.
const RULES_MAX: usize = 32;

/// A version of a transform; an edit changes the key.
pub(super) type RulesKey = (TransformId, Instant);

/// Parsed rules, the most recently used last.
#[derive(Default)]
pub(crate) struct RulesCache(Mutex<VecDeque<(RulesKey, Arc<Rules>)>>);

impl RulesCache {
    pub(super) fn get(&self, key: RulesKey) -> Option<Arc<Rules>> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let position = cache.iter().position(|(one, _)| *one == key)?;
        let entry = cache.remove(position)?;
        let rules = Arc::clone(&entry.1);
        cache.push_back(entry);
        Some(rules)
    }

    pub(super) fn put(&self, key: RulesKey, rules: Arc<Rules>) {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An entry of the same transform is older than this.
        cache.retain(|((id, _), _)| *id != key.0);
        if cache.len() == RULES_MAX {
            cache.pop_front();
        }
        cache.push_back((key, rules));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::query_transform::TransformType;
    use std::time::Duration;

    fn rules() -> Arc<Rules> {
        Arc::new(Rules::parse(TransformType::Rewrite, "a,b").expect("rules"))
    }

    #[test]
    fn the_least_recently_used_rules_are_removed() {
        let (cache, start) = (RulesCache::default(), Instant::default());
        let key = |id: usize| (TransformId(id as i64), start);
        for id in 0..RULES_MAX {
            cache.put(key(id), rules());
        }
        assert!(cache.get(key(0)).is_some(), "all entries fit, and this one was used last");
        cache.put(key(RULES_MAX), rules());
        assert!(cache.get(key(1)).is_none(), "the least recently used one was removed");
        assert!(cache.get(key(0)).is_some() && cache.get(key(RULES_MAX)).is_some());
    }

    #[test]
    fn an_edit_replaces_the_earlier_version() {
        let (cache, start) = (RulesCache::default(), Instant::default());
        let (old, new) = ((TransformId(1), start), (TransformId(1), start + Duration::from_secs(1)));
        cache.put(old, rules());
        assert!(cache.get(new).is_none());
        cache.put(new, rules());
        assert!(cache.get(new).is_some() && cache.get(old).is_none());
    }
}
