//! Query transforms: which may be used, by what reference, and their rules, read once and kept.

use crate::{Federation, FederationError};
use domain::ids::TransformId;
use domain::instant::Instant;
use domain::provider::SearchProvider;
use domain::query_transform::{QueryTransform, Rules, canonical};
use domain::search::Search;
use domain::user::Principal;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Most sets of rules that are kept in memory; the one that was not used for longest goes first.
const RULES_KEPT_MAX: usize = 32;

/// The rules of the transforms that one run of a search names and its owner may use, by reference.
/// Rules that cannot be read any more are a sentence that says why.
#[derive(Default)]
pub(crate) struct RunTransforms(BTreeMap<String, Result<Arc<Rules>, String>>);

impl RunTransforms {
    pub fn rules(&self, name: &str) -> Option<&Result<Arc<Rules>, String>> {
        self.0.get(&canonical(name))
    }
}

impl Federation {
    /// The references (`<name>.<type>`) of the transforms that this person may use.
    pub async fn transforms_for(&self, principal: &Principal) -> Result<BTreeSet<String>, FederationError> {
        let all = self.store.transforms().await?;
        Ok(all.iter().filter(|one| principal.may_use(one)).map(|one| one.spec.reference()).collect())
    }

    /// The transforms that the search or its providers name. Nothing is read when there are none.
    pub(crate) async fn run_transforms(
        &self,
        search: &Search,
        providers: &[SearchProvider],
    ) -> Result<Arc<RunTransforms>, FederationError> {
        let wanted: BTreeSet<String> = [&search.spec.pre_query_processors, &search.spec.query_processors]
            .into_iter()
            .chain(providers.iter().map(|provider| &provider.spec.query_processors))
            .flatten()
            .filter(|name| self.plugins.query_processor(name).is_none())
            .map(|name| canonical(name))
            .collect();
        if wanted.is_empty() {
            return Ok(Arc::default());
        }
        let owner = Principal::of(&self.store.user(search.owner).await?);
        let mut found = RunTransforms::default();
        for transform in self.store.transforms().await? {
            let reference = transform.spec.reference();
            if owner.may_use(&transform) && wanted.contains(&reference) {
                found.0.insert(reference, self.rules_of(transform).await);
            }
        }
        Ok(Arc::new(found))
    }

    async fn rules_of(&self, transform: QueryTransform) -> Result<Arc<Rules>, String> {
        let key = (transform.id, transform.date_updated);
        if let Some(rules) = self.rules.get(key) {
            return Ok(rules);
        }
        let read = self.cpu.run(move || transform.spec.rules()).await;
        let rules = match read {
            Some(Ok(rules)) => Arc::new(rules),
            Some(Err(errors)) => return Err(format!("its rules are not valid: {errors}")),
            None => return Err("its rules could not be read".to_owned()),
        };
        self.rules.put(key, Arc::clone(&rules));
        Ok(rules)
    }
}

/// A transform as it was at one time; an edit has another key.
type RulesKey = (TransformId, Instant);

/// Rules that were used lately, the latest last.
#[derive(Default)]
pub(crate) struct RulesKept(Mutex<VecDeque<(RulesKey, Arc<Rules>)>>);

impl RulesKept {
    fn get(&self, key: RulesKey) -> Option<Arc<Rules>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(one, _)| *one == key)?;
        let entry = kept.remove(place)?;
        let rules = Arc::clone(&entry.1);
        kept.push_back(entry);
        Some(rules)
    }

    fn put(&self, key: RulesKey, rules: Arc<Rules>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What was there of the same transform is older than this.
        kept.retain(|((id, _), _)| *id != key.0);
        if kept.len() == RULES_KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back((key, rules));
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
    fn rules_are_kept_within_a_limit() {
        let (kept, start) = (RulesKept::default(), Instant::default());
        let key = |id: usize| (TransformId(id as i64), start);
        for id in 0..RULES_KEPT_MAX {
            kept.put(key(id), rules());
        }
        assert!(kept.get(key(0)).is_some(), "all of them are there, and this one was used last");
        kept.put(key(RULES_KEPT_MAX), rules());
        assert!(kept.get(key(1)).is_none(), "the one not used for longest went");
        assert!(kept.get(key(0)).is_some() && kept.get(key(RULES_KEPT_MAX)).is_some());
    }

    #[test]
    fn an_edit_takes_the_place_of_what_was_there() {
        let (kept, start) = (RulesKept::default(), Instant::default());
        let (old, new) = ((TransformId(1), start), (TransformId(1), start + Duration::from_secs(1)));
        kept.put(old, rules());
        assert!(kept.get(new).is_none());
        kept.put(new, rules());
        assert!(kept.get(new).is_some() && kept.get(old).is_none());
    }
}
