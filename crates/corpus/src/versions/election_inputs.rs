//! What the records say about the candidates of an election.

use super::election::Facts;
use crate::CacheParts;
use domain::corpus::{Rejection, Signal};
use domain::ids::{ProviderId, SignalId};
use domain::ports::StoreError;
use std::collections::{BTreeMap, BTreeSet};

/// For all documents of one search and one query.
pub struct ElectionInputs {
    query_key: String,
    shared: BTreeSet<SignalId>,
    pinned_elsewhere: BTreeSet<SignalId>,
    rejections: Vec<Rejection>,
    authorities: BTreeMap<ProviderId, f64>,
}

impl ElectionInputs {
    pub async fn load(parts: &CacheParts, query_key: String, ids: &[SignalId]) -> Result<Self, StoreError> {
        let (shared, pins, rejections, providers) = tokio::try_join!(
            parts.store.shared_externally(ids),
            parts.store.pins_of(ids),
            parts.store.rejections(ids),
            parts.store.providers(),
        )?;
        let elsewhere =
            pins.iter().filter(|pin| pin.query_key != query_key).map(|pin| pin.signal_id).collect();
        let authority = |provider: &domain::provider::SearchProvider| {
            Some((provider.id, provider.spec.config.cache.authority?))
        };
        Ok(Self {
            query_key,
            shared,
            pinned_elsewhere: elsewhere,
            rejections,
            authorities: providers.iter().filter_map(authority).collect(),
        })
    }

    pub fn facts<'a>(&self, signal: &'a Signal, relevance: f64) -> Facts<'a> {
        let id = signal.signal_id;
        let own = || self.rejections.iter().filter(move |one| one.signal_id == id);
        let elsewhere = own().filter(|one| one.query_key != self.query_key).count();
        Facts {
            signal,
            relevance,
            authority: signal.source_provider_id.and_then(|id| self.authorities.get(&id).copied()),
            is_shared: self.shared.contains(&id),
            is_pinned_elsewhere: self.pinned_elsewhere.contains(&id),
            is_rejected: own().any(|one| one.query_key == self.query_key),
            rejections_elsewhere: u32::try_from(elsewhere).unwrap_or(u32::MAX),
        }
    }
}
