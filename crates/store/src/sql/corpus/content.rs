//! The text of a record: written with its chunks, re-embedded, verified.

use super::signals::{load, save, unneeded};
use super::{changes, chunks, grants, identity};
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::plain;
use domain::corpus::{IndexedContent, Liveness, Signal, SignalState, StoredChunk};
use domain::ids::SignalId;
use domain::instant::{Instant, to_micros};
use domain::ports::{BodyKey, Retrieval, StoreError};

/// Most hashes of earlier texts that are kept.
const EARLIER_KEPT: i64 = 50;

/// Writes a text and its chunks into its record.
pub(super) async fn write(
    tx: &mut Tx,
    signal: &mut Signal,
    content: IndexedContent,
    now: Instant,
) -> Result<(), StoreError> {
    let pieces = take_over(signal, content, now);
    save(tx, signal).await?;
    chunks::replace(tx, signal.signal_id, &pieces).await
}

pub(super) async fn reindex(
    db: &Db,
    id: SignalId,
    content_hash: &str,
    embedding_model: &str,
    pieces: Vec<StoredChunk>,
) -> Result<bool, StoreError> {
    let mut tx = changes::begin(db).await?;
    let mut signal = load(&mut tx, id).await?;
    if signal.content_hash != content_hash {
        return Ok(false);
    }
    embedding_model.clone_into(&mut signal.embedding_model);
    measure(&mut signal, &pieces);
    save(&mut tx, &signal).await?;
    chunks::replace(&mut tx, id, &pieces).await?;
    changes::note(&mut tx, &[id.0]).await?;
    tx.commit().await?;
    Ok(true)
}

pub(super) async fn verify(
    db: &Db,
    id: SignalId,
    version: &str,
    by: &Retrieval,
    now: Instant,
) -> Result<(), StoreError> {
    let now = to_micros(now);
    let mut tx = changes::begin(db).await?;
    let mut signal = load(&mut tx, id).await?;
    // Another text may have come in the meantime, and then this is not the verified one.
    if !by.content_hash.is_empty() && by.content_hash != signal.content_hash {
        return Ok(());
    }
    mark_verified(&mut signal, version, now);
    save(&mut tx, &signal).await?;
    if !by.content_hash.is_empty() && !signal.is_supplied {
        identity::mark_given(&mut tx, &signal, now).await?;
    }
    if grants::note(&mut tx, &signal, by, now).await? {
        changes::note(&mut tx, &[id.0]).await?;
    }
    tx.commit().await
}

pub(super) async fn earlier_hashes(db: &Db, id: SignalId) -> Result<Vec<String>, StoreError> {
    const TEXT: &str = "SELECT content_hash FROM signal_versions WHERE signal_id = $1 ORDER BY number DESC";
    on_db!(*db, read, db => sqlx::query_scalar(TEXT).bind(id.0).fetch_all(db))
}

pub(super) async fn drop_body(db: &Db, id: SignalId) -> Result<Option<BodyKey>, StoreError> {
    let mut tx = changes::begin(db).await?;
    let mut signal = load(&mut tx, id).await?;
    let old = signal.body_key.take();
    signal.body_bytes = 0;
    signal.body_expires = None;
    save(&mut tx, &signal).await?;
    let unneeded = unneeded(&mut tx, old).await?;
    tx.commit().await?;
    Ok(unneeded)
}

/// Prepends hashes, newest first, without that of the current text.
pub(super) async fn add_earlier(
    tx: &mut Tx,
    id: SignalId,
    newest_first: &[String],
    current: &str,
) -> Result<(), StoreError> {
    const ADD: &str = "INSERT INTO signal_versions (signal_id, content_hash, number) VALUES ($1, $2, \
         (SELECT COALESCE(MAX(number), 0) + 1 FROM signal_versions WHERE signal_id = $1)) \
         ON CONFLICT (signal_id, content_hash) DO UPDATE SET number = excluded.number";
    const DROP: &str = "DELETE FROM signal_versions WHERE signal_id = $1 AND (content_hash = $2 OR number <= \
         (SELECT MAX(number) FROM signal_versions WHERE signal_id = $1) - $3)";
    for hash in newest_first.iter().rev().filter(|hash| !hash.is_empty() && *hash != current) {
        on_tx!(&mut *tx, db => rows_affected(sqlx::query(ADD).bind(id.0).bind(plain(hash)).execute(db)))?;
    }
    on_tx!(tx, db => rows_affected(sqlx::query(DROP)
        .bind(id.0).bind(plain(current)).bind(EARLIER_KEPT).execute(db)))?;
    Ok(())
}

/// Keeps the hash of the replaced text for the lineage.
pub(super) async fn keep_earlier_hash(tx: &mut Tx, signal: &Signal, new: &str) -> Result<(), StoreError> {
    if signal.content_hash.is_empty() || signal.content_hash == new {
        return Ok(());
    }
    add_earlier(tx, signal.signal_id, std::slice::from_ref(&signal.content_hash), new).await
}

/// Updates the record with this content. Returns the chunks.
fn take_over(signal: &mut Signal, content: IndexedContent, now: Instant) -> Vec<StoredChunk> {
    fn replace(place: &mut String, text: String) {
        if !text.is_empty() {
            *place = plain(&text);
        }
    }
    if signal.state == SignalState::Known {
        signal.state = SignalState::Indexed;
    }
    replace(&mut signal.title, content.title);
    replace(&mut signal.author, content.author);
    replace(&mut signal.version_label, content.version_label);
    if signal.source_provider_id != content.source_provider_id {
        signal.external_id.clear();
    }
    signal.source_provider_id = content.source_provider_id;
    signal.source_provider = match content.source_provider_id {
        Some(_) => plain(&content.source_provider),
        None => String::new(),
    };
    if !content.is_supplied {
        signal.last_verified = Some(now);
        signal.liveness = Liveness::Alive;
        signal.liveness_checked = Some(now);
        signal.liveness_http = None;
    }
    signal.is_supplied = content.is_supplied;
    signal.content_hash = plain(&content.content_hash);
    signal.simhash = plain(&content.simhash);
    signal.external_version = content.external_version;
    signal.mime = content.mime;
    signal.ext = content.ext;
    signal.size = content.size;
    signal.file_bytes = content.file_bytes;
    signal.language = content.language;
    signal.indexed_at = Some(now);
    signal.last_retrieved = signal.last_retrieved.max(now);
    signal.embedding_model = content.embedding_model;
    signal.body_key = content.body_key;
    signal.body_bytes = content.body_bytes;
    signal.body_expires = content.body_expires.map(to_micros);
    measure(signal, &content.chunks);
    content.chunks
}

/// The provider returned the stored text again, or a person supplied theirs again, which says nothing about the source.
pub(super) fn mark_verified(signal: &mut Signal, version: &str, now: Instant) {
    if !signal.is_supplied {
        signal.last_verified = Some(now);
        signal.liveness = Liveness::Alive;
        signal.liveness_checked = Some(now);
    }
    signal.last_retrieved = signal.last_retrieved.max(now);
    if !version.is_empty() {
        version.clone_into(&mut signal.external_version);
    }
}

fn measure(signal: &mut Signal, pieces: &[StoredChunk]) {
    let to_u32 = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    signal.chunk_count = to_u32(pieces.len());
    signal.embedding_dim = to_u32(pieces.first().map_or(0, |piece| piece.vector.len()));
}
