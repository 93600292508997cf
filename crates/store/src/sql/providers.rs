//! SearchProviders. Credentials are sealed for their own record, so a provider has its id before its secret.

use crate::SqlStore;
use crate::db::{Tx, changed, on_db, on_tx};
use crate::json::{JsonText, plain};
use crate::secrets::SealKey;
use async_trait::async_trait;
use domain::contracts::{ProviderStore, StoreError};
use domain::ids::{ProviderId, UserId};
use domain::instant::{Instant, to_micros};
use domain::provider::{ProviderDraft, SearchProvider};
use sqlx::types::Json;

macro_rules! columns {
    () => {
        "id, owner, draft, credentials, date_created, date_updated"
    };
}

#[derive(sqlx::FromRow)]
struct ProviderRow {
    id: i64,
    owner: i64,
    draft: Json<ProviderDraft>,
    credentials: String,
    date_created: Instant,
    date_updated: Instant,
}

impl ProviderRow {
    fn open(self, key: &SealKey) -> Result<SearchProvider, StoreError> {
        let id = ProviderId(self.id);
        Ok(SearchProvider {
            id,
            owner: UserId(self.owner),
            draft: self.draft.0,
            credentials: key.open(&self.credentials, &record(id))?,
            date_created: self.date_created,
            date_updated: self.date_updated,
        })
    }
}

#[async_trait]
impl ProviderStore for SqlStore {
    async fn create_providers(
        &self,
        drafts: Vec<ProviderDraft>,
        owner: UserId,
        now: Instant,
    ) -> Result<Vec<SearchProvider>, StoreError> {
        let mut tx = self.db.begin().await?;
        let mut providers = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let mut provider = SearchProvider::unsaved(draft, owner, to_micros(now));
            provider.id = insert(&mut tx, &provider).await?;
            seal(&mut tx, &self.key, provider.id, provider.credentials.expose()).await?;
            providers.push(provider);
        }
        tx.commit().await?;
        Ok(providers)
    }

    async fn provider(&self, id: ProviderId) -> Result<SearchProvider, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM providers WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, ProviderRow>(TEXT).bind(id.0).fetch_one(db))?
            .open(&self.key)
    }

    async fn providers(&self) -> Result<Vec<SearchProvider>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM providers ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, ProviderRow>(TEXT).fetch_all(db))?;
        rows.into_iter().map(|row| row.open(&self.key)).collect()
    }

    async fn replace_provider(
        &self,
        id: ProviderId,
        draft: ProviderDraft,
        now: Instant,
    ) -> Result<SearchProvider, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE providers SET name = $2, shared = $3, draft = $4, date_updated = $5 WHERE id = $1 RETURNING ",
            columns!()
        );
        let wanted = SearchProvider::unsaved(draft, UserId(0), to_micros(now));
        let draft = JsonText::of(&wanted.draft)?;
        let mut tx = self.db.begin().await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, ProviderRow>(TEXT)
            .bind(id.0)
            .bind(plain(&wanted.draft.name))
            .bind(wanted.draft.shared)
            .bind(draft.clone())
            .bind(wanted.date_updated)
            .fetch_one(db))?;
        let provider = if wanted.credentials.is_empty() {
            row.open(&self.key)?
        } else {
            // The stored secret is not opened: replacing it is the way out when the key was lost.
            seal(&mut tx, &self.key, id, wanted.credentials.expose()).await?;
            let stored = ProviderRow { credentials: String::new(), ..row }.open(&self.key)?;
            SearchProvider { credentials: wanted.credentials, ..stored }
        };
        tx.commit().await?;
        Ok(provider)
    }

    async fn delete_provider(&self, id: ProviderId) -> Result<(), StoreError> {
        let rows = on_db!(self.db, write, db => changed(
            sqlx::query("DELETE FROM providers WHERE id = $1").bind(id.0).execute(db)))?;
        if rows == 0 { Err(StoreError::NotFound) } else { Ok(()) }
    }
}

/// What a sealed secret is bound to.
fn record(id: ProviderId) -> String {
    format!("provider:{id}")
}

async fn insert(tx: &mut Tx, provider: &SearchProvider) -> Result<ProviderId, StoreError> {
    const TEXT: &str = "INSERT INTO providers (owner, name, shared, draft, credentials, date_created, date_updated) \
         VALUES ($1, $2, $3, $4, '', $5, $6) RETURNING id";
    let draft = JsonText::of(&provider.draft)?;
    on_tx!(tx, db => sqlx::query_scalar(TEXT)
        .bind(provider.owner.0)
        .bind(plain(&provider.draft.name))
        .bind(provider.draft.shared)
        .bind(draft.clone())
        .bind(provider.date_created)
        .bind(provider.date_updated)
        .fetch_one(db))
    .map(ProviderId)
}

/// Every provider that names the group gets its new name, or stops naming it.
pub(super) async fn rename_group(tx: &mut Tx, old: &str, new: Option<&str>) -> Result<(), StoreError> {
    let rows: Vec<(i64, Json<ProviderDraft>)> =
        on_tx!(tx, db => sqlx::query_as("SELECT id, draft FROM providers ORDER BY id").fetch_all(db))?;
    for (id, Json(mut draft)) in rows {
        if !draft.groups.iter().any(|group| group == old) {
            continue;
        }
        draft.groups = draft
            .groups
            .into_iter()
            .filter_map(|group| if group == old { new.map(str::to_owned) } else { Some(group) })
            .collect();
        let text = JsonText::of(&draft)?;
        on_tx!(tx, db => changed(sqlx::query("UPDATE providers SET draft = $2 WHERE id = $1")
            .bind(id).bind(text).execute(db)))?;
    }
    Ok(())
}

async fn seal(tx: &mut Tx, key: &SealKey, id: ProviderId, text: &str) -> Result<(), StoreError> {
    if text.is_empty() {
        return Ok(());
    }
    let sealed = key.seal(text, &record(id))?;
    on_tx!(tx, db => changed(sqlx::query("UPDATE providers SET credentials = $2 WHERE id = $1")
        .bind(id.0).bind(sealed.as_str()).execute(db)))?;
    Ok(())
}
