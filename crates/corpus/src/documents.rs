//! What a person has in the cache, for their own eyes.

use crate::{SemanticCache, ingest, permissions};
use domain::contracts::{Page, PageText, SignalFilter, StoreError};
use domain::corpus::{AclToken, CacheMark, Signal, SignalState};
use domain::ids::{SignalId, UserId};

impl SemanticCache {
    /// The documents that this person may see, newest retrieved first. `filter.visible_to` is set here.
    pub async fn documents_of(
        &self,
        asker: UserId,
        filter: SignalFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Signal>, StoreError> {
        let tokens = permissions::tokens_of(&self.parts, asker).await?;
        let filter = SignalFilter { visible_to: Some(tokens), ..filter };
        self.parts.store.find_signals(&filter, offset, limit).await
    }

    /// One document that this person may see, or has asked for. `NotFound` for any other. It names other versions as far as
    /// they may be seen.
    pub async fn document_of(&self, asker: UserId, id: SignalId) -> Result<Signal, StoreError> {
        let tokens = permissions::tokens_of(&self.parts, asker).await?;
        if let Some(signal) = self.parts.store.signals(&[id], Some(&tokens)).await?.pop() {
            return self.without_hidden_versions(signal, &tokens).await;
        }
        // The number of a request leads to the record that has its text.
        if let Some(led) = self.parts.store.led_to(id, asker).await?
            && let Some(signal) = self.parts.store.signals(&[led], Some(&tokens)).await?.pop()
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

    /// A document that this person may see now, and the text that is kept of it, if one is. None for any other, and while
    /// the license does not open the cache.
    pub async fn kept_text(
        &self,
        asker: UserId,
        id: SignalId,
    ) -> Result<Option<(Signal, Option<PageText>)>, StoreError> {
        ingest::kept(&self.parts, id, asker).await
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
        let seen = self.parts.store.signals(&named, Some(tokens)).await?;
        for other in others {
            *other = other.filter(|id| seen.iter().any(|one| one.signal_id == *id));
        }
        // A line that begins with a hidden document looks like one that begins here.
        signal.lineage_id = signal.lineage_id.or(Some(signal.signal_id));
        Ok(signal)
    }

    /// How a document stands now.
    pub fn mark(&self, signal: &Signal) -> CacheMark {
        CacheMark::of(signal, self.parts.clock.now(), self.parts.settings.cache_liveness_recheck_seconds.0)
    }
}

/// What somebody knows of a request that others have made, too, as earlier versions kept them: the address.
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
        messages: Vec::new(),
        ..signal
    }
}
