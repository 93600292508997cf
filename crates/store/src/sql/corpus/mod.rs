//! Records of the corpus. Writers hold the lock of `changes`, so that documents are read and written back by one
//! writer at a time, and changes are numbered in commit order.

mod acl;
mod attribution;
mod changes;
mod chunks;
mod content;
mod figures;
mod grants;
mod identity;
mod personal;
mod placement;
mod read;
mod removal;
mod signals;
mod tags;
mod update;
mod visibility;

pub(super) use changes::{begin, hold};
pub(super) use removal::{forget_source, forget_user};
pub(super) use signals::line;
pub(super) use visibility::push_visible;

use crate::SqlStore;
use async_trait::async_trait;
use domain::corpus::{AclToken, Grant, IndexedContent, Liveness, NewSignal, Signal, StoredChunk, Visibility};
use domain::ids::{SignalId, UserId};
use domain::instant::Instant;
use domain::notice::Notice;
use domain::ports::{
    BodyKey, CorpusChange, CorpusCounts, Page, Placement, Retrieval, SignalFilter, SignalJoin, SignalStore,
    StoreError,
};

#[async_trait]
impl SignalStore for SqlStore {
    async fn note_signal(
        &self,
        seen: NewSignal,
        by: &Retrieval,
        now: Instant,
    ) -> Result<(Signal, bool), StoreError> {
        update::note(&self.db, seen, by, now).await
    }

    async fn signal(&self, id: SignalId) -> Result<Signal, StoreError> {
        read::signal(&self.db, id).await
    }

    async fn signals_at(
        &self,
        url_hash: &str,
        visible_to: Visibility<'_>,
    ) -> Result<Vec<Signal>, StoreError> {
        read::at(&self.db, url_hash, visible_to).await
    }

    async fn led_to(&self, id: SignalId, user: UserId) -> Result<Option<SignalId>, StoreError> {
        grants::led(&self.db, id, user).await
    }

    async fn signals(&self, ids: &[SignalId], visible_to: Visibility<'_>) -> Result<Vec<Signal>, StoreError> {
        read::signals(&self.db, ids, visible_to).await
    }

    async fn find_signals(
        &self,
        filter: &SignalFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Signal>, StoreError> {
        read::find(&self.db, filter, offset, limit).await
    }

    async fn signal_ids(&self, after: Option<SignalId>, limit: u64) -> Result<Vec<SignalId>, StoreError> {
        read::ids(&self.db, after, limit).await
    }

    async fn index_signal(
        &self,
        id: SignalId,
        content: IndexedContent,
        by: &Retrieval,
        now: Instant,
    ) -> Result<Placement, StoreError> {
        placement::index(&self.db, id, content, by, now).await
    }

    async fn join_signal(
        &self,
        join: SignalJoin,
        version: &str,
        by: &Retrieval,
        followers: &[UserId],
        now: Instant,
    ) -> Result<Placement, StoreError> {
        placement::join(&self.db, join, version, by, followers, now).await
    }

    async fn reindex_signal(
        &self,
        id: SignalId,
        content_hash: &str,
        embedding_model: &str,
        chunks: Vec<StoredChunk>,
    ) -> Result<bool, StoreError> {
        content::reindex(&self.db, id, content_hash, embedding_model, chunks).await
    }

    async fn verify_signal(
        &self,
        id: SignalId,
        version: &str,
        by: &Retrieval,
        now: Instant,
    ) -> Result<(), StoreError> {
        content::verify(&self.db, id, version, by, now).await
    }

    async fn note_failure(&self, id: SignalId, user: UserId, notice: Notice) -> Result<(), StoreError> {
        grants::note_failure(&self.db, id, user, notice).await
    }

    async fn set_liveness(
        &self,
        id: SignalId,
        verdict: Liveness,
        http: Option<u16>,
        now: Instant,
    ) -> Result<(), StoreError> {
        update::liveness(&self.db, id, verdict, http, now).await
    }

    async fn set_lineage(&self, id: SignalId, lineage: SignalId, label: &str) -> Result<(), StoreError> {
        update::lineage(&self.db, id, lineage, label).await
    }

    async fn earlier_hashes(&self, id: SignalId) -> Result<Vec<String>, StoreError> {
        content::earlier_hashes(&self.db, id).await
    }

    async fn relatives(&self, signal: &Signal) -> Result<Vec<SignalId>, StoreError> {
        read::relatives(&self.db, signal).await
    }

    async fn grants(&self, id: SignalId) -> Result<Vec<Grant>, StoreError> {
        grants::grants(&self.db, id).await
    }

    async fn revoke_grant(&self, id: SignalId, user: UserId, now: Instant) -> Result<bool, StoreError> {
        grants::revoke(&self.db, id, user, now).await
    }

    async fn remove_grant(&self, id: SignalId, user: UserId, _now: Instant) -> Result<bool, StoreError> {
        grants::remove(&self.db, id, user).await
    }

    async fn acl_of(&self, ids: &[SignalId]) -> Result<Vec<(SignalId, Vec<AclToken>)>, StoreError> {
        acl::acl_of(&self.db, ids).await
    }

    async fn remove_signal(&self, id: SignalId) -> Result<Vec<BodyKey>, StoreError> {
        removal::remove(&self.db, id).await
    }

    async fn merge_signals(
        &self,
        from: SignalId,
        into: SignalId,
        now: Instant,
    ) -> Result<Vec<BodyKey>, StoreError> {
        removal::merge(&self.db, from, into, now).await
    }

    async fn readdress_signal(&self, id: SignalId, url: &str, url_hash: &str) -> Result<(), StoreError> {
        update::readdress(&self.db, id, url, url_hash).await
    }

    async fn chunks(&self, id: SignalId) -> Result<Vec<StoredChunk>, StoreError> {
        chunks::of_signal(&self.db, id).await
    }

    async fn chunk_texts(
        &self,
        wanted: &[(SignalId, u32)],
    ) -> Result<Vec<(SignalId, StoredChunk)>, StoreError> {
        chunks::texts(&self.db, wanted).await
    }

    async fn corpus_changes(
        &self,
        sequence: i64,
        limit: u64,
    ) -> Result<Option<Vec<CorpusChange>>, StoreError> {
        changes::after(&self.db, sequence, limit).await
    }

    async fn corpus_sequence(&self) -> Result<i64, StoreError> {
        changes::newest(&self.db).await
    }

    async fn expired_bodies(&self, now: Instant, limit: u64) -> Result<Vec<SignalId>, StoreError> {
        read::expired_bodies(&self.db, now, limit).await
    }

    async fn drop_body(&self, id: SignalId) -> Result<Option<BodyKey>, StoreError> {
        content::drop_body(&self.db, id).await
    }

    async fn has_body(&self, key: &BodyKey) -> Result<bool, StoreError> {
        figures::has_body(&self.db, key).await
    }

    async fn corpus_counts(&self) -> Result<CorpusCounts, StoreError> {
        figures::counts(&self.db).await
    }

    async fn corpus_value(&self, name: &str) -> Result<Option<String>, StoreError> {
        figures::value(&self.db, name).await
    }

    async fn set_corpus_value(&self, name: &str, value: &str) -> Result<(), StoreError> {
        figures::set_value(&self.db, name, value).await
    }

    async fn claim_corpus_value(&self, name: &str, value: &str) -> Result<String, StoreError> {
        figures::claim_value(&self.db, name, value).await
    }
}
