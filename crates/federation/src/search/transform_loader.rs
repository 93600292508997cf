//! Loads the query transforms that a search may use.

use crate::cpu_pool::CpuPool;
use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::search::rules_cache::RulesCache;
use domain::ports::{PluginRegistry, ProcessorError, ProcessorErrorKind};
use domain::provider::SearchProvider;
use domain::query_transform::{QueryTransform, Rules, canonical};
use domain::search::Search;
use domain::user::Principal;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rules of the transforms that a run uses and its owner may use, by reference. Invalid rules are represented by the
/// error.
#[derive(Default)]
pub(crate) struct RunTransforms(BTreeMap<String, Result<Arc<Rules>, ProcessorError>>);

impl RunTransforms {
    pub fn rules(&self, name: &str) -> Option<&Result<Arc<Rules>, ProcessorError>> {
        self.0.get(&canonical(name))
    }
}

/// Loads query transforms and keeps their parsed rules.
pub struct TransformLoader {
    store: Arc<dyn FederationStore>,
    plugins: PluginRegistry,
    cpu: CpuPool,
    rules: RulesCache,
}

impl TransformLoader {
    pub(crate) fn new(store: Arc<dyn FederationStore>, plugins: PluginRegistry, cpu: CpuPool) -> Self {
        Self { store, plugins, cpu, rules: RulesCache::default() }
    }

    /// The references (`<name>.<type>`) of the transforms that this user may use.
    pub async fn transforms_for(&self, principal: &Principal) -> Result<BTreeSet<String>, FederationError> {
        let all = self.store.transforms().await?;
        Ok(all.iter().filter(|one| principal.may_use(one)).map(|one| one.spec.reference()).collect())
    }

    /// Loads the transforms that the search or its providers name. Nothing is read if there are none.
    pub(crate) async fn run_transforms(
        &self,
        search: &Search,
        owner: &Principal,
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
        let mut found = RunTransforms::default();
        for transform in self.store.transforms().await? {
            let reference = transform.spec.reference();
            if owner.may_use(&transform) && wanted.contains(&reference) {
                found.0.insert(reference, self.load_rules(transform).await);
            }
        }
        Ok(Arc::new(found))
    }

    async fn load_rules(&self, transform: QueryTransform) -> Result<Arc<Rules>, ProcessorError> {
        let key = (transform.id, transform.date_updated);
        if let Some(rules) = self.rules.get(key) {
            return Ok(rules);
        }
        let read = self.cpu.run(move || transform.spec.rules()).await;
        let rules = match read {
            Some(Ok(rules)) => Arc::new(rules),
            Some(Err(errors)) => {
                let message = format!("its rules are invalid: {errors}");
                return Err(ProcessorError::new(ProcessorErrorKind::Invalid, message));
            }
            None => {
                let message = "its rules could not be parsed";
                return Err(ProcessorError::new(ProcessorErrorKind::Internal, message));
            }
        };
        self.rules.put(key, Arc::clone(&rules));
        Ok(rules)
    }
}
