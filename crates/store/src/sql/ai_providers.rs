//! AI providers. The whole spec is encrypted for its record, so an AI provider gets its id before its spec.

use super::prompts;
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::encryption::EncryptionKey;
use crate::json::{plain, unwritable};
use crate::row::row;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec};
use domain::audit::{AuditEvent, Kind};
use domain::ids::{AiProviderId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{AiProviderEdits, AiProviderStore, EditableRecord, SeedStore, StoreError};
use domain::prompt::PromptSpec;

macro_rules! columns {
    () => {
        "id, owner, name, shared, draft, date_created, date_updated"
    };
}

const ONE: &str = concat!("SELECT ", columns!(), " FROM ai_providers WHERE id = $1");

row! {
    struct AiProviderRow {
        id: i64,
        owner: Option<i64>,
        name: String,
        shared: bool,
        draft: String,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl AiProviderRow {
    /// If a spec cannot be decrypted, the unencrypted columns remain: the record can be listed and entered again.
    fn open(self, key: &EncryptionKey) -> AiProvider {
        let opened = key.open(&self.draft, &record(AiProviderId(self.id))).ok();
        let spec = opened.and_then(|text| serde_json::from_str(text.expose()).ok());
        AiProvider {
            id: AiProviderId(self.id),
            owner: self.owner.map(UserId),
            is_unreadable: spec.is_none(),
            spec: spec.unwrap_or_else(|| AiProviderSpec::unreadable(self.name, self.shared)),
            date_created: self.date_created,
            date_updated: self.date_updated,
        }
    }
}

#[async_trait]
impl AiProviderStore for SqlStore {
    async fn create_ai_provider(
        &self,
        spec: AiProviderSpec,
        owner: Option<UserId>,
        now: Instant,
    ) -> Result<AiProvider, StoreError> {
        let now = to_micros(now);
        let mut tx = self.begin_change().await?;
        let id = insert(&mut tx, &self.key, &spec, owner, now).await?;
        self.commit_change(tx, vec![event(id, None, Some(&spec))]).await?;
        Ok(AiProvider { id, owner, spec, is_unreadable: false, date_created: now, date_updated: now })
    }

    async fn ai_provider(&self, id: AiProviderId) -> Result<AiProvider, StoreError> {
        let row =
            on_db!(self.db, read, db => sqlx::query_as::<_, AiProviderRow>(ONE).bind(id.0).fetch_one(db))?;
        Ok(row.open(&self.key))
    }

    async fn ai_providers(&self) -> Result<Vec<AiProvider>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM ai_providers ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, AiProviderRow>(TEXT).fetch_all(db))?;
        Ok(rows.into_iter().map(|row| row.open(&self.key)).collect())
    }
}

#[async_trait]
impl AiProviderEdits for SqlStore {
    async fn replace_ai_provider(
        &self,
        id: AiProviderId,
        spec: AiProviderSpec,
        now: Instant,
    ) -> Result<AiProvider, StoreError> {
        let now = to_micros(now);
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::AiProvider(id)).await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, AiProviderRow>(ONE).bind(id.0).fetch_one(db))?;
        let (owner, date_created) = (row.owner.map(UserId), row.date_created);
        let before = row.open(&self.key).spec;
        write(&mut tx, &self.key, id, &spec, now).await?;
        self.commit_change(tx, vec![event(id, Some(&before), Some(&spec))]).await?;
        Ok(AiProvider { id, owner, spec, is_unreadable: false, date_created, date_updated: now })
    }

    async fn delete_ai_provider(&self, id: AiProviderId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::AiProvider(id)).await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, AiProviderRow>(ONE).bind(id.0).fetch_one(db))?;
        let before = row.open(&self.key).spec;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM ai_providers WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(id, Some(&before), None)]).await
    }
}

#[async_trait]
impl SeedStore for SqlStore {
    async fn seed_ai_provider(&self, spec: AiProviderSpec, now: Instant) -> Result<bool, StoreError> {
        const ONCE: &str =
            "INSERT INTO brought_ai_providers (name) VALUES ($1) ON CONFLICT (name) DO NOTHING";
        const THERE: &str = "SELECT COUNT(*) FROM ai_providers WHERE name = $1";
        const BROUGHT: &str = "SELECT COUNT(*) FROM brought_ai_providers WHERE name = $1";
        let (name, now) = (plain(&spec.name), to_micros(now));
        // Usually nothing has to be written.
        let brought: i64 =
            on_db!(self.db, read, db => sqlx::query_scalar(BROUGHT).bind(name.as_str()).fetch_one(db))?;
        if brought > 0 {
            return Ok(false);
        }
        let mut tx = self.db.begin().await?;
        // The first writer of the name wins; others wait here for the end of the transaction.
        let is_new =
            on_tx!(&mut tx, db => rows_affected(sqlx::query(ONCE).bind(name.as_str()).execute(db)))? == 1;
        let there: i64 = on_tx!(&mut tx, db => sqlx::query_scalar(THERE).bind(name.as_str()).fetch_one(db))?;
        let is_wanted = is_new && there == 0;
        if is_wanted {
            insert(&mut tx, &self.key, &spec, None, now).await?;
        }
        tx.commit().await?;
        Ok(is_wanted)
    }

    async fn restore_prompt(&self, spec: PromptSpec, now: Instant) -> Result<(), StoreError> {
        prompts::restore(&self.db, &spec, to_micros(now)).await
    }
}

async fn insert(
    tx: &mut Tx,
    key: &EncryptionKey,
    spec: &AiProviderSpec,
    owner: Option<UserId>,
    now: Instant,
) -> Result<AiProviderId, StoreError> {
    const TEXT: &str = "INSERT INTO ai_providers (owner, name, shared, draft, date_created, date_updated) \
         VALUES ($1, $2, $3, '', $4, $4) RETURNING id";
    let id = on_tx!(&mut *tx, db => sqlx::query_scalar(TEXT)
        .bind(owner.map(|owner| owner.0))
        .bind(plain(&spec.name))
        .bind(spec.shared)
        .bind(now)
        .fetch_one(db))
    .map(AiProviderId)?;
    write(tx, key, id, spec, now).await?;
    Ok(id)
}

async fn write(
    tx: &mut Tx,
    key: &EncryptionKey,
    id: AiProviderId,
    spec: &AiProviderSpec,
    now: Instant,
) -> Result<(), StoreError> {
    const TEXT: &str =
        "UPDATE ai_providers SET name = $2, shared = $3, draft = $4, date_updated = $5 WHERE id = $1";
    let text = serde_json::to_string(spec).map_err(unwritable)?;
    let sealed = key.seal(&text, &record(id))?;
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(id.0)
        .bind(plain(&spec.name))
        .bind(spec.shared)
        .bind(sealed.as_str())
        .bind(now)
        .execute(db)))?;
    Ok(())
}

/// The audit log compares the secrets themselves, and stores them masked.
fn event(id: AiProviderId, from: Option<&AiProviderSpec>, to: Option<&AiProviderSpec>) -> AuditEvent {
    let fields = |one: &AiProviderSpec| serde_json::to_value(one).unwrap_or_default();
    let name = from.or(to).map(|one| one.name.as_str()).unwrap_or_default();
    let (from, to) = (from.map(fields), to.map(fields));
    AuditEvent::edit(Kind::AiProvider, Some(id.0), name, from.as_ref(), to.as_ref())
}

/// The record that an encrypted spec is bound to.
fn record(id: AiProviderId) -> String {
    format!("ai_provider:{id}")
}
