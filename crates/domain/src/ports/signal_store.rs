//! Storage of the corpus: documents, grants, chunks.

use super::{BodyKey, Page, StoreError};
use crate::corpus::{
    AclToken, Grant, IndexedContent, Liveness, MatterTag, NewSignal, OwnedVisibility, Signal, SignalState,
    StoredChunk, Visibility,
};
use crate::ids::{ProviderId, SignalId, UserId};
use crate::instant::Instant;
use crate::notice::Notice;
use async_trait::async_trait;

/// A retrieval by one user: whose credentials were used, and what was returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retrieval {
    pub user: UserId,
    /// The authenticator whose token was used; empty: none.
    pub idp: String,
    /// The provider whose account, credentials or template returned a document that is attributed to no provider; None:
    /// the document is attributed to its provider, or is public.
    pub account_provider_id: Option<ProviderId>,
    /// The hash of the returned text; empty: none yet.
    pub content_hash: String,
}

/// Filter for documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignalFilter {
    pub visible_to: OwnedVisibility,
    pub state: Option<SignalState>,
    pub matter_tag: Option<MatterTag>,
    /// Words of the title or URL.
    pub words: String,
}

impl SignalFilter {
    pub fn visible_to(visible_to: OwnedVisibility) -> Self {
        Self { visible_to, state: None, matter_tag: None, words: String::new() }
    }
}

/// A document that was added or removed, or whose chunks, tags, source or ACL changed. Verifying, probing or renaming a
/// document is not a change.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusChange {
    /// Increases with every change.
    pub sequence: i64,
    pub signal_id: SignalId,
}

/// Size of the corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorpusCounts {
    pub by_state: Vec<(SignalState, u64)>,
    pub by_liveness: Vec<(Liveness, u64)>,
    pub chunks: u64,
    pub body_bytes: u64,
    pub grants: u64,
}

/// A user's way from the record that was requested to another record of the same URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalJoin {
    pub from: SignalId,
    pub into: SignalId,
}

/// Where a text was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The record with the text.
    pub signal_id: SignalId,
    /// Other records that were removed, or that are now visible to fewer users.
    pub changed: Vec<SignalId>,
    /// Bodies that are no longer needed.
    pub unneeded: Vec<BodyKey>,
}

#[async_trait]
pub trait SignalStore: Send + Sync {
    /// The user's record for a URL and a provider: the text that the user sees (`known`, else the newest that was given
    /// to this user), else the user's open request, which is created as `known` if there is none. True: it is new.
    /// Records of other users are not considered. Empty fields of a request are filled; of a text, only
    /// `last_retrieved` and the user's own tags change. The user gets a grant (a revoked one is restored), which opens
    /// nothing while it has no `content_hash`.
    async fn note_signal(
        &self,
        seen: NewSignal,
        by: &Retrieval,
        now: Instant,
    ) -> Result<(Signal, bool), StoreError>;
    async fn signal(&self, id: SignalId) -> Result<Signal, StoreError>;
    /// All visible records of a URL, newest text first; unrestricted, also requests without text.
    async fn signals_at(&self, url_hash: &str, visible_to: Visibility<'_>)
    -> Result<Vec<Signal>, StoreError>;
    /// The record that replaced another one for this user: the returned text belonged there, or both were merged.
    async fn led_to(&self, id: SignalId, user: UserId) -> Result<Option<SignalId>, StoreError>;
    /// Those documents that are visible, by id, as that user sees them. A document without text is visible to nobody; of several texts of one URL and provider, only the newest is visible.
    async fn signals(&self, ids: &[SignalId], visible_to: Visibility<'_>) -> Result<Vec<Signal>, StoreError>;
    /// Most recently retrieved first.
    async fn find_signals(
        &self,
        filter: &SignalFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Signal>, StoreError>;
    /// Ids greater than `after`, in order.
    async fn signal_ids(&self, after: Option<SignalId>, limit: u64) -> Result<Vec<SignalId>, StoreError>;

    /// Writes a text and its chunks, atomically, into the record of its URL, provider and text: the one that has it
    /// already; else the requested one, if it has no text or if nobody else needs its text (`followers` move along);
    /// else a new one beside it. `known` becomes `indexed`, `last_verified` is now, liveness is `alive`. The grant of
    /// the retrieval becomes valid; older texts of the URL and provider end for this user, and are merged into the new
    /// record if nobody else needs them. A supplied text is visible only to its user. `NotFound` if the record was
    /// removed meanwhile.
    async fn index_signal(
        &self,
        id: SignalId,
        content: IndexedContent,
        by: &Retrieval,
        now: Instant,
    ) -> Result<Placement, StoreError>;
    /// The provider returned, to the user who requested one record, the text of another record of the same URL: the
    /// user gets a grant to that one and leaves the first. `Taken("text")` if the text of the other one has changed
    /// meanwhile.
    async fn join_signal(
        &self,
        join: SignalJoin,
        version: &str,
        by: &Retrieval,
        followers: &[UserId],
        now: Instant,
    ) -> Result<Placement, StoreError>;
    /// Replaces the chunks of an unchanged text, for example after a change of the embedding model; nothing else
    /// changes. False if the document no longer has this text.
    async fn reindex_signal(
        &self,
        id: SignalId,
        content_hash: &str,
        embedding_model: &str,
        chunks: Vec<StoredChunk>,
    ) -> Result<bool, StoreError>;
    /// The source returned the same text again: updates `last_verified`, liveness and the grant. If the hash differs
    /// from the document's, nothing changes; without a hash, the grant keeps its hash.
    async fn verify_signal(
        &self,
        id: SignalId,
        version: &str,
        by: &Retrieval,
        now: Instant,
    ) -> Result<(), StoreError>;
    /// Records why this user could not get the text. The newest ten notices are kept until there is a text. They are
    /// visible to no other user, and the record does not change. `NotFound` if the user has no grant.
    async fn note_failure(&self, id: SignalId, user: UserId, notice: Notice) -> Result<(), StoreError>;
    /// Records the outcome of a probe. `alive` also updates `last_verified`.
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
    /// Other documents with the same text, or of the same source with the same external id; oldest first.
    async fn relatives(&self, signal: &Signal) -> Result<Vec<SignalId>, StoreError>;

    async fn grants(&self, id: SignalId) -> Result<Vec<Grant>, StoreError>;
    /// The source denied access to this user. False if there was no such grant.
    async fn revoke_grant(&self, id: SignalId, user: UserId, now: Instant) -> Result<bool, StoreError>;
    /// The user no longer wants the document. False if there was no such grant.
    async fn remove_grant(&self, id: SignalId, user: UserId, now: Instant) -> Result<bool, StoreError>;
    /// The ACLs of these documents, derived from source and grants.
    async fn acl_of(&self, ids: &[SignalId]) -> Result<Vec<(SignalId, Vec<AclToken>)>, StoreError>;

    /// Removes the document with its chunks, grants, versions, pins and rejections. The history of pins records it,
    /// open elections that it won become `stale`, and egress events keep only its title. Returns the bodies that are no
    /// longer needed.
    async fn remove_signal(&self, id: SignalId) -> Result<Vec<BodyKey>, StoreError>;
    /// Merges `from` into `into`: moves grants, tags, versions, pins, rejections and egress events, and removes `from`.
    /// Pins move only to a document with a text.
    async fn merge_signals(
        &self,
        from: SignalId,
        into: SignalId,
        now: Instant,
    ) -> Result<Vec<BodyKey>, StoreError>;
    /// Changes the URL of a document; `Taken("url")` if another record has this text of this provider there.
    async fn readdress_signal(&self, id: SignalId, url: &str, url_hash: &str) -> Result<(), StoreError>;

    /// All chunks of a document by number, with vectors.
    async fn chunks(&self, id: SignalId) -> Result<Vec<StoredChunk>, StoreError>;
    /// These chunks, without vectors, in any order.
    async fn chunk_texts(
        &self,
        wanted: &[(SignalId, u32)],
    ) -> Result<Vec<(SignalId, StoredChunk)>, StoreError>;
    /// Changes after `sequence`, oldest first; None if the changes go back too far and everything must be read again.
    async fn corpus_changes(
        &self,
        sequence: i64,
        limit: u64,
    ) -> Result<Option<Vec<CorpusChange>>, StoreError>;
    /// Sequence number of the newest change.
    async fn corpus_sequence(&self) -> Result<i64, StoreError>;

    /// At most `limit` documents whose body has expired and that are not pinned.
    async fn expired_bodies(&self, now: Instant, limit: u64) -> Result<Vec<SignalId>, StoreError>;
    /// Records that the body is no longer stored. Returns its key if no other document needs it.
    async fn drop_body(&self, id: SignalId) -> Result<Option<BodyKey>, StoreError>;
    /// True if a document has this body.
    async fn has_body(&self, key: &BodyKey) -> Result<bool, StoreError>;

    async fn corpus_counts(&self) -> Result<CorpusCounts, StoreError>;
    /// An internal value of the corpus, such as its embedding model.
    async fn corpus_value(&self, name: &str) -> Result<Option<String>, StoreError>;
    async fn set_corpus_value(&self, name: &str, value: &str) -> Result<(), StoreError>;
    /// Sets the value if there is none. Returns the value that applies.
    async fn claim_corpus_value(&self, name: &str, value: &str) -> Result<String, StoreError>;
}
