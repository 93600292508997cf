//! Withdraws wrong attributions of earlier versions, where the provider only linked to the document and its bytes came
//! from elsewhere. Runs once, after an upgrade.

use super::signals::load;
use super::{changes, identity, removal};
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::row::row;
use crate::sql::text::{LIST_MAX, push_list};
use domain::ids::SignalId;
use domain::ports::{ProviderStore, StoreError};
use domain::provenance::is_fetched_from_own_origin;
use domain::provider::SearchProvider;
use sqlx::QueryBuilder;
use std::collections::BTreeSet;

/// Set by the migration if attributions must be checked.
const NOTE: &str = "SELECT COUNT(*) FROM corpus_values WHERE name = 'attribution'";

row! {
    struct AttributedRow {
        id: i64,
        url: String,
        url_hash: String,
        content_hash: String,
    }
}

impl SqlStore {
    /// Completes an upgrade; deletes nothing. Documents of a deleted provider are not visible through it and stay
    /// unchanged; so do requests, whose texts are attributed when fetched. Documents of a provider with unreadable
    /// secrets are checked when its origins are known again.
    pub(crate) async fn withdraw_attributions(&self) -> Result<(), StoreError> {
        let noted: i64 = on_db!(self.db, read, db => sqlx::query_scalar(NOTE).fetch_one(db))?;
        if noted == 0 {
            return Ok(());
        }
        let providers = self.providers().await?;
        let mut tx = changes::begin(&self.db).await?;
        let noted: i64 = on_tx!(&mut tx, db => sqlx::query_scalar(NOTE).fetch_one(db))?;
        if noted == 0 {
            return Ok(());
        }
        let (unreadable, readable): (Vec<_>, Vec<_>) =
            providers.into_iter().partition(|provider| provider.unreadable.is_any());
        for provider in readable {
            withdraw(&mut tx, &provider).await?;
        }
        if unreadable.is_empty() {
            const DONE: &str = "DELETE FROM corpus_values WHERE name = 'attribution'";
            on_tx!(&mut tx, db => rows_affected(sqlx::query(DONE).execute(db)))?;
        }
        tx.commit().await
    }
}

/// Withdraws the attribution of a provider's documents that are not on its own origin.
async fn withdraw(tx: &mut Tx, provider: &SearchProvider) -> Result<(), StoreError> {
    const TEXT: &str = "SELECT id, url, url_hash, content_hash FROM signals WHERE source_provider_id = $1 \
         AND NOT is_supplied AND content_hash <> '' ORDER BY id";
    let mut rows = on_tx!(&mut *tx, db =>
        sqlx::query_as::<_, AttributedRow>(TEXT).bind(provider.id.0).fetch_all(db))?;
    rows.retain(|row| !is_fetched_from_own_origin(&provider.spec, &row.url));
    let all: Vec<i64> = rows.iter().map(|row| row.id).collect();
    for some in rows.chunks(LIST_MAX) {
        let ids: Vec<i64> = some.iter().map(|row| row.id).collect();
        if has_template(provider) {
            note_account(tx, provider, &ids).await?;
        }
        release(tx, some.iter().collect()).await?;
    }
    changes::note(tx, &all).await
}

/// Their URLs alone do not lead to their texts.
fn has_template(provider: &SearchProvider) -> bool {
    provider.spec.page_fetch_config_json.parsed().content_url.is_some()
}

async fn note_account(tx: &mut Tx, provider: &SearchProvider, ids: &[i64]) -> Result<(), StoreError> {
    on_tx!(tx, db => async {
        let mut query = QueryBuilder::new("UPDATE signal_grants SET account_provider_id = ");
        query.push_bind(provider.id.0).push(" WHERE signal_id IN (");
        push_list(&mut query, ids.iter().copied());
        query.push(")");
        rows_affected(query.build().execute(db)).await
    })?;
    Ok(())
}

/// Removes the provider from these texts. If the same text already exists without a provider, the records are merged.
async fn release(tx: &mut Tx, rows: Vec<&AttributedRow>) -> Result<(), StoreError> {
    let taken = taken(tx, &rows).await?;
    let mut seen = BTreeSet::new();
    let (free, equal): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|row| !taken.contains(&row.id) && seen.insert((&row.url_hash, &row.content_hash)));
    let ids: Vec<i64> = free.iter().map(|row| row.id).collect();
    if !ids.is_empty() {
        on_tx!(&mut *tx, db => async {
            let mut query = QueryBuilder::new(
                "UPDATE signals SET source_provider_id = NULL, source_provider = '', external_id = '', \
                 record_key = url_hash || ':0:' || content_hash WHERE id IN (",
            );
            push_list(&mut query, ids.iter().copied());
            query.push(")");
            rows_affected(query.build().execute(db)).await
        })?;
    }
    for row in equal {
        let signal = load(tx, SignalId(row.id)).await?;
        let key = identity::of_text(&signal.url_hash, None, &signal.content_hash);
        if let Some(there) = identity::find(tx, &key).await? {
            let now = signal.last_retrieved;
            removal::merge_in(tx, &signal, &there, now).await?;
            changes::note(tx, &[there.signal_id.0]).await?;
        }
    }
    Ok(())
}

/// Rows whose text also exists without a provider.
async fn taken(tx: &mut Tx, rows: &[&AttributedRow]) -> Result<Vec<i64>, StoreError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    on_tx!(tx, db => async {
        let mut query = QueryBuilder::new("SELECT id FROM signals WHERE id IN (");
        push_list(&mut query, rows.iter().map(|row| row.id));
        query.push(
            ") AND EXISTS (SELECT 1 FROM signals AS other \
             WHERE other.record_key = signals.url_hash || ':0:' || signals.content_hash)",
        );
        query.build_query_scalar().fetch_all(db).await
    })
}
