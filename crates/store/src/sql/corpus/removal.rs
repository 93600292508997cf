//! Removes documents: one, merged ones, those of a person, those of a provider.

use super::signals::{load, unneeded};
use super::{changes, content, grants, identity, tags};
use crate::db::{Db, Tx, on_tx, rows_affected};
use crate::sql::canonical;
use crate::sql::text::{LIST_MAX, push_list};
use domain::corpus::{Grant, Signal};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{BodyKey, StoreError};
use sqlx::QueryBuilder;

pub(super) async fn remove(db: &Db, id: SignalId) -> Result<Vec<BodyKey>, StoreError> {
    let mut tx = changes::begin(db).await?;
    let signal = load(&mut tx, id).await?;
    delete(&mut tx, &[id.0]).await?;
    changes::note(&mut tx, &[id.0]).await?;
    let body = unneeded(&mut tx, signal.body_key).await?;
    tx.commit().await?;
    Ok(body.into_iter().collect())
}

pub(super) async fn merge(
    db: &Db,
    from: SignalId,
    into: SignalId,
    now: Instant,
) -> Result<Vec<BodyKey>, StoreError> {
    let mut tx = changes::begin(db).await?;
    let (old, kept) = (load(&mut tx, from).await?, load(&mut tx, into).await?);
    if from == into {
        return Ok(Vec::new());
    }
    merge_in(&mut tx, &old, &kept, now).await?;
    changes::note(&mut tx, &[from.0, into.0]).await?;
    let body = unneeded(&mut tx, old.body_key).await?;
    tx.commit().await?;
    Ok(body.into_iter().collect())
}

/// Merges one record into another, with grants, tags, earlier texts and decisions. The old id is redirected.
pub(super) async fn merge_in(
    tx: &mut Tx,
    old: &Signal,
    kept: &Signal,
    now: Instant,
) -> Result<(), StoreError> {
    let (from, into) = (old.signal_id, kept.signal_id);
    let there = grants::stored(tx, into).await?;
    for grant in grants::stored(tx, from).await? {
        let user = grant.user_id;
        let other = there.iter().find(|other| other.user_id == user);
        if other.is_none_or(|other| last_word(other) < last_word(&grant)) {
            grants::write(tx, &Grant { signal_id: into, ..grant }).await?;
        }
        grants::lead(tx, from, into, user).await?;
    }
    tags::move_own(tx, from, into).await?;
    let mut earlier = stored_hashes(tx, into).await?;
    earlier.push(old.content_hash.clone());
    earlier.extend(stored_hashes(tx, from).await?);
    let mut seen = std::collections::BTreeSet::new();
    earlier.retain(|hash| seen.insert(hash.clone()));
    content::add_earlier(tx, into, &earlier, &kept.content_hash).await?;
    canonical::move_over(tx, from, into, now).await?;
    delete(tx, &[from.0]).await
}

/// Deletes a person's data: their grants, their own providers, and documents that nobody else may see. A document
/// fetched with the person's own token does not pass to others who may use the provider: only the provider could
/// decide that.
pub(in crate::sql) async fn forget_user(tx: &mut Tx, user: UserId) -> Result<(), StoreError> {
    const GRANTED: &str = "SELECT signal_id FROM signal_grants WHERE user_id = $1 ORDER BY signal_id";
    const LONELY: &str = "SELECT g.signal_id FROM signal_grants AS g JOIN signals ON signals.id = g.signal_id \
         WHERE g.user_id = $1 AND (is_supplied OR source_provider_id IS NULL OR signals.content_hash = '' \
         OR g.idp <> '') AND NOT EXISTS (SELECT 1 FROM signal_grants AS other WHERE other.signal_id = g.signal_id \
         AND other.user_id <> $1 AND other.revoked_at IS NULL) ORDER BY g.signal_id";
    const SOURCES: &str = "SELECT id FROM providers WHERE owner = $1 ORDER BY id";
    changes::hold(tx).await?;
    let granted: Vec<i64> = on_tx!(&mut *tx, db => sqlx::query_scalar(GRANTED).bind(user.0).fetch_all(db))?;
    let sources: Vec<i64> = on_tx!(&mut *tx, db => sqlx::query_scalar(SOURCES).bind(user.0).fetch_all(db))?;
    for source in sources {
        forget_source(tx, ProviderId(source)).await?;
    }
    let lonely: Vec<i64> = on_tx!(&mut *tx, db => sqlx::query_scalar(LONELY).bind(user.0).fetch_all(db))?;
    delete(tx, &lonely).await?;
    on_tx!(&mut *tx, db => rows_affected(
        sqlx::query("DELETE FROM signal_grants WHERE user_id = $1").bind(user.0).execute(db)))?;
    changes::note(tx, &granted).await
}

/// A provider is deleted: its documents stay with people who have their own grant, and are deleted otherwise.
pub(in crate::sql) async fn forget_source(tx: &mut Tx, source: ProviderId) -> Result<(), StoreError> {
    const OF_SOURCE: &str = "SELECT id FROM signals WHERE source_provider_id = $1 ORDER BY id";
    const LONELY: &str = "SELECT id FROM signals WHERE source_provider_id = $1 AND NOT EXISTS (SELECT 1 \
         FROM signal_grants AS g WHERE g.signal_id = signals.id AND g.revoked_at IS NULL) ORDER BY id";
    const RELEASE: &str = "UPDATE signals SET source_provider_id = NULL, source_provider = '' \
         WHERE source_provider_id = $1";
    changes::hold(tx).await?;
    let all: Vec<i64> = on_tx!(&mut *tx, db => sqlx::query_scalar(OF_SOURCE).bind(source.0).fetch_all(db))?;
    let lonely: Vec<i64> = on_tx!(&mut *tx, db => sqlx::query_scalar(LONELY).bind(source.0).fetch_all(db))?;
    delete(tx, &lonely).await?;
    release_texts(tx, source).await?;
    on_tx!(&mut *tx, db => rows_affected(sqlx::query(RELEASE).bind(source.0).execute(db)))?;
    changes::note(tx, &all).await
}

/// Removes the provider from these texts. If the same text already exists without a provider, the records are merged.
async fn release_texts(tx: &mut Tx, source: ProviderId) -> Result<(), StoreError> {
    const TEXT: &str = "SELECT id FROM signals WHERE source_provider_id = $1 AND NOT is_supplied \
         AND content_hash <> '' ORDER BY id";
    let ids: Vec<i64> = on_tx!(&mut *tx, db => sqlx::query_scalar(TEXT).bind(source.0).fetch_all(db))?;
    for id in ids {
        let signal = load(tx, SignalId(id)).await?;
        let key = identity::of_text(&signal.url_hash, None, &signal.content_hash);
        match identity::find(tx, &key).await? {
            Some(there) => {
                let now = signal.last_retrieved;
                merge_in(tx, &signal, &there, now).await?;
                changes::note(tx, &[there.signal_id.0]).await?;
            }
            None => identity::set(tx, signal.signal_id, &key).await?,
        }
    }
    Ok(())
}

/// When the source last returned or denied the document, or the grant was made.
fn last_word(grant: &Grant) -> Instant {
    let others = [grant.last_ok, grant.revoked_at];
    others.into_iter().flatten().fold(grant.granted_at, Instant::max)
}

async fn stored_hashes(tx: &mut Tx, id: SignalId) -> Result<Vec<String>, StoreError> {
    const TEXT: &str = "SELECT content_hash FROM signal_versions WHERE signal_id = $1 ORDER BY number DESC";
    on_tx!(tx, db => sqlx::query_scalar(TEXT).bind(id.0).fetch_all(db))
}

/// Deletes documents with everything that belongs to them, and repairs their lineages.
pub(super) async fn delete(tx: &mut Tx, ids: &[i64]) -> Result<(), StoreError> {
    const HEIR: &str = "UPDATE signals SET lineage_id = (SELECT MIN(id) FROM signals WHERE lineage_id = $1) \
         WHERE lineage_id = $1";
    for some in ids.chunks(LIST_MAX) {
        canonical::forget(tx, some).await?;
        on_tx!(&mut *tx, db => async {
            let mut query = QueryBuilder::new("DELETE FROM signals WHERE id IN (");
            push_list(&mut query, some.iter().copied());
            query.push(")");
            rows_affected(query.build().execute(db)).await
        })?;
        for id in some {
            for text in [
                HEIR,
                "UPDATE signals SET supersedes = NULL WHERE supersedes = $1",
                "UPDATE signals SET superseded_by = NULL WHERE superseded_by = $1",
            ] {
                on_tx!(&mut *tx, db => rows_affected(sqlx::query(text).bind(*id).execute(db)))?;
            }
        }
    }
    Ok(())
}
