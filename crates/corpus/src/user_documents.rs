//! The cached documents of one person.

use crate::{SemanticCache, ingest, permissions};
use domain::corpus::{AclToken, CacheStatus, OwnedVisibility, Signal, SignalState, Visibility};
use domain::ids::{SignalId, UserId};
use domain::ports::{Page, PageText, SignalFilter, StoreError};

impl SemanticCache {
    /// The documents that this person may see, most recently retrieved first. `filter.visible_to` is set here.
    pub async fn documents_of(
        &self,
        asker: UserId,
        filter: SignalFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Signal>, StoreError> {
        let tokens = permissions::tokens_of(&self.parts, asker).await?;
        let filter = SignalFilter { visible_to: OwnedVisibility::To(tokens), ..filter };
        self.parts.store.find_signals(&filter, offset, limit).await
    }

    /// One document that this person may see or has requested; `NotFound` otherwise. Other versions are named only if
    /// the person may see them.
    pub async fn document_of(&self, asker: UserId, id: SignalId) -> Result<Signal, StoreError> {
        let tokens = permissions::tokens_of(&self.parts, asker).await?;
        if let Some(signal) = self.parts.store.signals(&[id], Visibility::To(&tokens)).await?.pop() {
            return self.without_hidden_versions(signal, &tokens).await;
        }
        // The id of a request leads to the record with its text.
        if let Some(led) = self.parts.store.led_to(id, asker).await?
            && let Some(signal) = self.parts.store.signals(&[led], Visibility::To(&tokens)).await?.pop()
        {
            return self.without_hidden_versions(signal, &tokens).await;
        }
        let signal = self.parts.store.signal(id).await?;
        if !signal.content_hash.is_empty() {
            return Err(StoreError::NotFound);
        }
        let grants = self.parts.store.grants(id).await?;
        if !grants.iter().any(|grant| grant.user_id == asker && grant.revoked_at.is_none()) {
            return Err(StoreError::NotFound);
        }
        let is_only_theirs = grants.iter().all(|grant| grant.user_id == asker);
        Ok(if is_only_theirs { signal } else { veiled(signal) })
    }

    /// A document that this person may see now, and its cached text if there is one. None otherwise, and while the
    /// license does not include the cache.
    pub async fn cached_text(
        &self,
        asker: UserId,
        id: SignalId,
    ) -> Result<Option<(Signal, Option<PageText>)>, StoreError> {
        ingest::cached_document(&self.parts, id, asker).await
    }

    async fn without_hidden_versions(
        &self,
        mut signal: Signal,
        tokens: &[AclToken],
    ) -> Result<Signal, StoreError> {
        let others = [&mut signal.lineage_id, &mut signal.supersedes, &mut signal.superseded_by];
        let named: Vec<SignalId> = others.iter().filter_map(|other| **other).collect();
        if named.is_empty() {
            return Ok(signal);
        }
        let seen = self.parts.store.signals(&named, Visibility::To(tokens)).await?;
        for other in others {
            *other = other.filter(|id| seen.iter().any(|one| one.signal_id == *id));
        }
        // A lineage that begins with a hidden document looks as if it began here.
        signal.lineage_id = signal.lineage_id.or(Some(signal.signal_id));
        Ok(signal)
    }

    /// The current status of a document.
    pub fn mark(&self, signal: &Signal) -> CacheStatus {
        CacheStatus::of(signal, self.parts.clock.now(), self.parts.settings.cache_liveness_recheck_seconds.0)
    }
}

/// Hides everything but the address of a request that several people made, as earlier versions stored them.
fn veiled(signal: Signal) -> Signal {
    Signal {
        source_provider_id: None,
        source_provider: String::new(),
        external_id: String::new(),
        external_version: String::new(),
        title: String::new(),
        author: String::new(),
        mime: String::new(),
        ext: String::new(),
        size: 0,
        language: String::new(),
        content_hash: String::new(),
        simhash: String::new(),
        state: SignalState::Known,
        matter_tags: Vec::new(),
        is_supplied: false,
        date_published: String::new(),
        first_seen: signal.last_retrieved,
        indexed_at: None,
        last_verified: None,
        liveness: domain::corpus::Liveness::Unknown,
        liveness_checked: None,
        liveness_http: None,
        lineage_id: None,
        version_label: String::new(),
        supersedes: None,
        superseded_by: None,
        chunk_count: 0,
        embedding_model: String::new(),
        embedding_dim: 0,
        body_key: None,
        body_bytes: 0,
        body_expires: None,
        rejections: 0,
        file_bytes: 0,
        notices: Vec::new(),
        ..signal
    }
}
