//! The records of the semantic cache: documents, who may see them, their pieces.

use super::{BodyKey, Page, StoreError};
use crate::corpus::{AclToken, Grant, IndexedContent, Liveness, NewSignal, Signal, SignalState, StoredChunk};
use crate::ids::{ProviderId, SignalId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;

/// What one person retrieved: whose credentials were used, and what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retrieval {
    pub user: UserId,
    /// The authenticator whose token was used; empty: none.
    pub idp: String,
    /// The provider whose account, credentials or template gave a document that is attributed to nobody; None: it is
    /// attributed to its provider, or anybody gets it.
    pub account_provider_id: Option<ProviderId>,
    /// The hash of the text that came; empty: none yet.
    pub content_hash: String,
}

/// Which documents are wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignalFilter {
    /// Only those that somebody with these tokens may see; None: all, for work that shows nothing to anybody.
    pub visible_to: Option<Vec<AclToken>>,
    pub state: Option<SignalState>,
    pub matter_tag: Option<String>,
    /// In title or url.
    pub words: String,
}

/// A document that is new or gone, or whose pieces, tags, source or access list changed since it was last looked at. That
/// it was verified or probed, or that its name changed, is no such change.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusChange {
    /// Grows by every change.
    pub sequence: i64,
    pub signal_id: SignalId,
}

/// How much is in the cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorpusCounts {
    pub by_state: Vec<(SignalState, u64)>,
    pub by_liveness: Vec<(Liveness, u64)>,
    pub chunks: u64,
    pub body_bytes: u64,
    pub grants: u64,
}

/// Where a text was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The record that has the text.
    pub signal_id: SignalId,
    /// Other records that are gone, or that fewer people may see now.
    pub changed: Vec<SignalId>,
    /// Bodies that nobody needs any more.
    pub unneeded: Vec<BodyKey>,
}

#[async_trait]
pub trait SignalStore: Send + Sync {
    /// The record of this person for an address and a provider: the text that the person sees (`known`, else the newest
    /// that was given to this person), else the person's open request, which is made as `known` where there is none. True:
    /// it is new. Nobody else's record is looked at. What is empty in a request is filled; of a text only `last_retrieved`
    /// and the person's own tags change. The person gets a grant (a revoked one lives again), which opens nothing while it
    /// has no `content_hash`.
    async fn note_signal(
        &self,
        seen: NewSignal,
        by: &Retrieval,
        now: Instant,
    ) -> Result<(Signal, bool), StoreError>;
    async fn signal(&self, id: SignalId) -> Result<Signal, StoreError>;
    /// All records of an address that somebody with these tokens may see, the newest text first; None: all of them, with
    /// requests that have no text.
    async fn signals_at(
        &self,
        url_hash: &str,
        visible_to: Option<&[AclToken]>,
    ) -> Result<Vec<Signal>, StoreError>;
    /// The record to which the number of another one leads this person: the text that came belonged there, or both were
    /// joined.
    async fn led_to(&self, id: SignalId, user: UserId) -> Result<Option<SignalId>, StoreError>;
    /// Those of them that somebody with these tokens may see, by id, as that person sees them; None: all. A document
    /// without text is seen by nobody, and of several texts of one address and provider only the newest.
    async fn signals(
        &self,
        ids: &[SignalId],
        visible_to: Option<&[AclToken]>,
    ) -> Result<Vec<Signal>, StoreError>;
    /// Newest retrieved first.
    async fn find_signals(
        &self,
        filter: &SignalFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Signal>, StoreError>;
    /// Ids above `after` in their order.
    async fn signal_ids(&self, after: Option<SignalId>, limit: u64) -> Result<Vec<SignalId>, StoreError>;

    /// Writes a text and its pieces, as one, into the record of its address, provider and text: the one that has it
    /// already, else the one that was asked for when it has no text or when nobody else would miss its text
    /// (`followers` go along), else a new one beside it. `known` becomes `indexed`, `last_verified` is now, liveness is
    /// `alive`. The retrieval's grant is made good; older texts of the address and provider end for this person, and go
    /// into the new record when nobody else would miss them. A supplied text is its person's alone. `NotFound` when the
    /// record was removed meanwhile.
    async fn index_signal(
        &self,
        id: SignalId,
        content: IndexedContent,
        by: &Retrieval,
        now: Instant,
    ) -> Result<Placed, StoreError>;
    /// The provider gave the person who asked for one record the text that another one of the address has: the person gets
    /// a grant to it and leaves the first. `Taken("text")` when the other says something else meanwhile.
    async fn join_signal(
        &self,
        from_into: (SignalId, SignalId),
        version: &str,
        by: &Retrieval,
        followers: &[UserId],
        now: Instant,
    ) -> Result<Placed, StoreError>;
    /// Writes the pieces of the same text anew, such as after a change of the reader model; nothing else changes. False
    /// when the document does not say that any more.
    async fn reindex_signal(
        &self,
        id: SignalId,
        content_hash: &str,
        embedding_model: &str,
        chunks: Vec<StoredChunk>,
    ) -> Result<bool, StoreError>;
    /// The source gave the same text again: `last_verified`, liveness and the grant are made good. With another hash than
    /// the document's nothing changes; without one the grant stays to what it was to.
    async fn verify_signal(
        &self,
        id: SignalId,
        version: &str,
        by: &Retrieval,
        now: Instant,
    ) -> Result<(), StoreError>;
    /// Why this person could not have the text; the newest ten messages are kept, until a text comes. Nobody else is told,
    /// and the record stays as it is. `NotFound` when the person has no grant.
    async fn note_failure(&self, id: SignalId, user: UserId, message: String) -> Result<(), StoreError>;
    /// What a probe said. `alive` also makes good `last_verified`.
    async fn set_liveness(
        &self,
        id: SignalId,
        verdict: Liveness,
        http: Option<u16>,
        now: Instant,
    ) -> Result<(), StoreError>;
    async fn set_lineage(&self, id: SignalId, lineage: SignalId, label: &str) -> Result<(), StoreError>;
    /// Hashes of earlier texts of the document, newest first.
    async fn earlier_hashes(&self, id: SignalId) -> Result<Vec<String>, StoreError>;
    /// Others with the same text, or of the same source with the same external id; oldest first.
    async fn relatives(&self, signal: &Signal) -> Result<Vec<SignalId>, StoreError>;

    async fn grants(&self, id: SignalId) -> Result<Vec<Grant>, StoreError>;
    /// The source refused this person. False when there was no such right.
    async fn revoke_grant(&self, id: SignalId, user: UserId, now: Instant) -> Result<bool, StoreError>;
    /// The person does not want it any more. False when there was no such right.
    async fn remove_grant(&self, id: SignalId, user: UserId, now: Instant) -> Result<bool, StoreError>;
    /// The words on the documents by which people see them, worked out from source and grants.
    async fn acl_of(&self, ids: &[SignalId]) -> Result<Vec<(SignalId, Vec<AclToken>)>, StoreError>;

    /// Removes the document with its pieces, grants, versions, pins and rejections. The history of pins says so, open
    /// elections that it won become `stale`, and events of sent mail keep its title alone. Returns the bodies that nobody
    /// needs any more.
    async fn remove_signal(&self, id: SignalId) -> Result<Vec<BodyKey>, StoreError>;
    /// Joins `from` into `into`: grants, tags, versions, pins, rejections and events of sent mail go over, `from` is
    /// removed. Pins go over to a document with a text only.
    async fn merge_signals(
        &self,
        from: SignalId,
        into: SignalId,
        now: Instant,
    ) -> Result<Vec<BodyKey>, StoreError>;
    /// Gives a document another address; `Taken("url")` when another has this text of this provider there.
    async fn readdress_signal(&self, id: SignalId, url: &str, url_hash: &str) -> Result<(), StoreError>;

    /// All pieces of a document by number, with vectors.
    async fn chunks(&self, id: SignalId) -> Result<Vec<StoredChunk>, StoreError>;
    /// These pieces, without vectors, in any order.
    async fn chunk_texts(
        &self,
        wanted: &[(SignalId, u32)],
    ) -> Result<Vec<(SignalId, StoredChunk)>, StoreError>;
    /// What changed after `sequence`, oldest first; None when so much time has passed that all must be read again.
    async fn corpus_changes(
        &self,
        sequence: i64,
        limit: u64,
    ) -> Result<Option<Vec<CorpusChange>>, StoreError>;
    /// The newest change.
    async fn corpus_sequence(&self) -> Result<i64, StoreError>;

    /// Documents whose body has expired and that are not pinned, at most `limit`.
    async fn expired_bodies(&self, now: Instant, limit: u64) -> Result<Vec<SignalId>, StoreError>;
    /// Notes that the body is no longer kept. Returns it when nobody else needs it.
    async fn drop_body(&self, id: SignalId) -> Result<Option<BodyKey>, StoreError>;
    /// True when a document has this body.
    async fn has_body(&self, key: &BodyKey) -> Result<bool, StoreError>;

    async fn corpus_counts(&self) -> Result<CorpusCounts, StoreError>;
    /// A value that the cache keeps for itself, such as its reader model.
    async fn corpus_value(&self, name: &str) -> Result<Option<String>, StoreError>;
    async fn set_corpus_value(&self, name: &str, value: &str) -> Result<(), StoreError>;
    /// Sets it only if there is none yet. The value that holds from now on.
    async fn claim_corpus_value(&self, name: &str, value: &str) -> Result<String, StoreError>;
}
