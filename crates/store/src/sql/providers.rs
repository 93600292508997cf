//! Search providers. Fields that may contain secrets are encrypted for their record, so a provider gets its id before
//! its secrets.
//!
//! `spec` contains the public fields; `credentials` and `confidential` are encrypted.

use super::{corpus, names};
use crate::SqlStore;
use crate::checkpoints::empty_log;
use crate::db::{Db, Tx, on_connection, on_db, on_tx, rows_affected};
use crate::encryption::{EncryptionKey, does_not_fit, unreadable_part};
use crate::error::failure;
use crate::json::{JsonText, plain, unwritable};
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::ids::{ProviderId, UserId};
use domain::instant::{Instant, to_micros};
use domain::page_fetch::PageFetchConfigJson;
use domain::ports::{EditableRecord, ProviderEdits, ProviderStore, StoreError};
use domain::provider::{ProviderSpec, SearchProvider, is_same_name};
use domain::unreadable_secrets::UnreadableSecrets;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::types::Json;
use std::collections::BTreeMap;

macro_rules! columns {
    () => {
        "id, owner, draft, credentials, confidential, date_created, date_updated"
    };
}
pub(super) use columns;

row! {
    pub(super) struct ProviderRow {
        id: i64,
        owner: i64,
        draft: Json<ProviderSpec>,
        credentials: String,
        confidential: String,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl ProviderRow {
    /// Secrets that cannot be decrypted are left out and named: the record stays readable and can be repaired.
    pub(super) fn open(self, key: &EncryptionKey) -> SearchProvider {
        let id = ProviderId(self.id);
        let credentials = key.open(&self.credentials, &record(id)).ok();
        let confidential = Confidential::open(key, id, &self.confidential).ok();
        SearchProvider {
            id,
            owner: UserId(self.owner),
            unreadable: UnreadableSecrets {
                credentials: credentials.is_none(),
                confidential: confidential.is_none(),
            },
            spec: confidential.unwrap_or_default().back_into(self.draft.0),
            credentials: credentials.unwrap_or_default(),
            user_token: None,
            date_created: self.date_created,
            date_updated: self.date_updated,
        }
    }
}

/// The fields besides the credentials that may contain secrets. They are encrypted together.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Confidential {
    http_request_headers: BTreeMap<String, String>,
    page_fetch_config_json: PageFetchConfigJson,
    eval_credentials: String,
    /// The request fields, only if one of them contains a key.
    asking: Option<Asking>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Asking {
    url: String,
    query_template: String,
    query_mappings: String,
    query_template_json: Map<String, Value>,
    post_query_template: Map<String, Value>,
}

impl Asking {
    /// Takes them out of a spec; None if they contain no secret.
    fn take(spec: &mut ProviderSpec) -> Option<Self> {
        spec.has_inline_secrets().then(|| Self {
            url: std::mem::take(&mut spec.url),
            query_template: std::mem::take(&mut spec.query_template),
            query_mappings: std::mem::take(&mut spec.query_mappings).to_string(),
            query_template_json: std::mem::take(&mut spec.query_template_json),
            post_query_template: std::mem::take(&mut spec.post_query_template),
        })
    }

    fn back_into(self, spec: ProviderSpec) -> ProviderSpec {
        let Self { url, query_template, query_mappings, query_template_json, post_query_template } = self;
        let query_mappings = query_mappings.into();
        ProviderSpec { url, query_template, query_mappings, query_template_json, post_query_template, ..spec }
    }
}

impl Confidential {
    /// Takes them out of a spec.
    fn take(spec: &mut ProviderSpec) -> Self {
        Self {
            asking: Asking::take(spec),
            http_request_headers: std::mem::take(&mut spec.http_request_headers),
            page_fetch_config_json: std::mem::take(&mut spec.page_fetch_config_json),
            eval_credentials: std::mem::take(&mut spec.eval_credentials),
        }
    }

    /// Values in the spec itself were written by an earlier version, and are newer.
    fn back_into(self, spec: ProviderSpec) -> ProviderSpec {
        fn newer<T: Default + PartialEq>(clear: T, sealed: T) -> T {
            if clear == T::default() { sealed } else { clear }
        }
        let spec = match self.asking.filter(|_| spec.has_no_request()) {
            Some(asking) => asking.back_into(spec),
            None => spec,
        };
        ProviderSpec {
            http_request_headers: newer(spec.http_request_headers, self.http_request_headers),
            page_fetch_config_json: newer(spec.page_fetch_config_json, self.page_fetch_config_json),
            eval_credentials: newer(spec.eval_credentials, self.eval_credentials),
            ..spec
        }
    }

    fn seal(&self, key: &EncryptionKey, id: ProviderId) -> Result<String, StoreError> {
        if *self == Self::default() {
            return Ok(String::new());
        }
        let text = serde_json::to_string(self).map_err(unwritable)?;
        key.seal(&text, &confidential_record(id))
    }

    fn open(key: &EncryptionKey, id: ProviderId, sealed: &str) -> Result<Self, StoreError> {
        if sealed.is_empty() {
            return Ok(Self::default());
        }
        let record = confidential_record(id);
        serde_json::from_str(key.open(sealed, &record)?.expose())
            .map_err(|error| unreadable_part(&record, &error))
    }
}

#[async_trait]
impl ProviderStore for SqlStore {
    async fn create_providers(
        &self,
        specs: Vec<ProviderSpec>,
        owner: UserId,
        now: Instant,
    ) -> Result<Vec<SearchProvider>, StoreError> {
        let mut tx = self.begin_change().await?;
        let mut providers = Vec::with_capacity(specs.len());
        for spec in specs {
            let mut provider = SearchProvider::unsaved(spec, owner, to_micros(now));
            names::PROVIDERS.check_free(&mut tx, &provider.spec.name, None).await?;
            provider.id = insert(&mut tx, &provider).await?;
            seal(&mut tx, &self.key, provider.id, provider.credentials.expose()).await?;
            let confidential = Confidential::take(&mut provider.spec.clone());
            seal_confidential(&mut tx, &self.key, provider.id, &confidential).await?;
            providers.push(provider);
        }
        let events = providers.iter().map(|provider| event(None, Some(provider))).collect();
        self.commit_change(tx, events).await?;
        Ok(providers)
    }

    async fn provider(&self, id: ProviderId) -> Result<SearchProvider, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM providers WHERE id = $1");
        let row =
            on_db!(self.db, read, db => sqlx::query_as::<_, ProviderRow>(TEXT).bind(id.0).fetch_one(db))?;
        Ok(row.open(&self.key))
    }

    async fn providers(&self) -> Result<Vec<SearchProvider>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM providers ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, ProviderRow>(TEXT).fetch_all(db))?;
        Ok(rows.into_iter().map(|row| row.open(&self.key)).collect())
    }
}

#[async_trait]
impl ProviderEdits for SqlStore {
    async fn replace_provider(
        &self,
        id: ProviderId,
        spec: ProviderSpec,
        now: Instant,
    ) -> Result<SearchProvider, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE providers SET name = $2, shared = $3, draft = $4, confidential = COALESCE($5, confidential), \
             date_updated = $6 WHERE id = $1 RETURNING ",
            columns!()
        );
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Provider(id)).await?;
        let before = before(&mut tx, &self.key, id).await?;
        // Earlier versions accepted names that differ by case only; such a provider can be edited.
        if !is_same_name(&spec.name, &before.spec.name) {
            names::PROVIDERS.check_free(&mut tx, &spec.name, Some(id.0)).await?;
        }
        let unreadable = before.unreadable.after(&spec);
        let wanted = SearchProvider::unsaved(spec, UserId(0), to_micros(now));
        let mut spec = wanted.spec.clone();
        let confidential = Confidential::take(&mut spec).seal(&self.key, id)?;
        // None keeps the stored value.
        let confidential = (!unreadable.confidential).then_some(confidential.as_str());
        let spec = JsonText::of(&spec)?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, ProviderRow>(TEXT)
            .bind(id.0)
            .bind(plain(&wanted.spec.name))
            .bind(wanted.spec.shared)
            .bind(spec.clone())
            .bind(confidential)
            .bind(wanted.date_updated)
            .fetch_one(db))?;
        let stored = row.open(&self.key);
        let provider = if wanted.credentials.is_empty() {
            stored
        } else {
            seal(&mut tx, &self.key, id, wanted.credentials.expose()).await?;
            SearchProvider { credentials: wanted.credentials, unreadable, ..stored }
        };
        self.commit_change(tx, vec![event(Some(&before), Some(&provider))]).await?;
        Ok(provider)
    }

    async fn delete_provider(&self, id: ProviderId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        // Before the provider is locked, as when a user is deleted, to avoid deadlocks.
        corpus::hold(&mut tx).await?;
        self.lock_version(&mut tx, EditableRecord::Provider(id)).await?;
        let before = before(&mut tx, &self.key, id).await?;
        corpus::forget_source(&mut tx, id).await?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM providers WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(Some(&before), None)]).await
    }
}

impl SqlStore {
    /// Encrypts what earlier versions stored in clear text, and returns the number of providers. Nothing is encrypted
    /// if another secret cannot be decrypted, because the key is wrong then.
    pub async fn seal_clear_providers(&self) -> Result<u64, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM providers ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, ProviderRow>(TEXT).fetch_all(db))?;
        let (mut clear, mut unreadable) = (Vec::new(), None);
        for row in rows {
            let is_clear = Confidential::take(&mut row.draft.0.clone()) != Confidential::default();
            let provider = row.open(&self.key);
            if provider.unreadable.is_any() {
                unreadable = Some(provider.id);
            }
            if is_clear {
                clear.push(provider);
            }
        }
        if clear.is_empty() {
            return Ok(0);
        }
        if let Some(id) = unreadable {
            return Err(does_not_fit(&record(id)));
        }
        self.start_overwriting().await?;
        let mut tx = self.db.begin().await?;
        let mut sealed = 0;
        for provider in clear {
            sealed += seal_clear(&mut tx, &self.key, provider).await?;
        }
        tx.commit().await?;
        self.stop_overwriting().await?;
        Ok(sealed)
    }

    /// SQLite keeps deleted and replaced data in its file unless told to overwrite it.
    pub(super) async fn start_overwriting(&self) -> Result<(), StoreError> {
        self.run_on_sqlite("PRAGMA secure_delete = ON").await
    }

    pub(super) async fn stop_overwriting(&self) -> Result<(), StoreError> {
        self.run_on_sqlite("PRAGMA secure_delete = OFF").await?;
        let Db::Sqlite(pools) = &self.db else { return Ok(()) };
        if !empty_log(&pools.write).await.map_err(failure)? {
            tracing::warn!(
                "replaced secrets remain in the log of the database until nothing else reads it; then run `tributary \
                 database compact`"
            );
        }
        Ok(())
    }

    async fn run_on_sqlite(&self, statement: &'static str) -> Result<(), StoreError> {
        let Db::Sqlite(pools) = &self.db else { return Ok(()) };
        on_connection!(pools.write, connection => sqlx::query(statement).execute(connection)).map(|_| ())
    }
}

/// The previous provider.
async fn before(tx: &mut Tx, key: &EncryptionKey, id: ProviderId) -> Result<SearchProvider, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM providers WHERE id = $1");
    let row = on_tx!(tx, db => sqlx::query_as::<_, ProviderRow>(TEXT).bind(id.0).fetch_one(db))?;
    Ok(row.open(key))
}

/// The audit log compares the secrets themselves, and stores them masked.
fn event(from: Option<&SearchProvider>, to: Option<&SearchProvider>) -> AuditEvent {
    let fields = |one: &SearchProvider| {
        let credentials = one.credentials.expose().to_owned();
        serde_json::to_value(ProviderSpec { credentials, ..one.spec.clone() }).unwrap_or_default()
    };
    let name = from.or(to).map(|one| one.spec.name.as_str()).unwrap_or_default();
    let id = from.or(to).map(|one| one.id.0);
    AuditEvent::edit(Kind::SearchProvider, id, name, from.map(fields).as_ref(), to.map(fields).as_ref())
}

/// The record that an encrypted secret is bound to.
fn record(id: ProviderId) -> String {
    format!("provider:{id}")
}

/// The record that the other encrypted fields are bound to.
fn confidential_record(id: ProviderId) -> String {
    format!("provider:{id}:confidential")
}

async fn insert(tx: &mut Tx, provider: &SearchProvider) -> Result<ProviderId, StoreError> {
    const TEXT: &str = "INSERT INTO providers (owner, name, shared, draft, credentials, date_created, date_updated) \
         VALUES ($1, $2, $3, $4, '', $5, $6) RETURNING id";
    let mut spec = provider.spec.clone();
    Confidential::take(&mut spec);
    let spec = JsonText::of(&spec)?;
    on_tx!(tx, db => sqlx::query_scalar(TEXT)
        .bind(provider.owner.0)
        .bind(plain(&provider.spec.name))
        .bind(provider.spec.shared)
        .bind(spec.clone())
        .bind(provider.date_created)
        .bind(provider.date_updated)
        .fetch_one(db))
    .map(ProviderId)
}

/// Providers that name the group get its new name, or stop naming it.
pub(super) async fn rename_group(tx: &mut Tx, old: &str, new: Option<&str>) -> Result<(), StoreError> {
    let rows: Vec<(i64, Json<ProviderSpec>)> =
        on_tx!(tx, db => sqlx::query_as("SELECT id, draft FROM providers ORDER BY id").fetch_all(db))?;
    for (id, Json(mut spec)) in rows {
        if !spec.groups.iter().any(|group| group == old) {
            continue;
        }
        spec.groups = spec
            .groups
            .into_iter()
            .filter_map(|group| if group == old { new.map(str::to_owned) } else { Some(group) })
            .collect();
        let text = JsonText::of(&spec)?;
        on_tx!(tx, db => rows_affected(sqlx::query("UPDATE providers SET draft = $2, version = version + 1 WHERE id = $1")
            .bind(id).bind(text).execute(db)))?;
    }
    Ok(())
}

async fn seal(tx: &mut Tx, key: &EncryptionKey, id: ProviderId, text: &str) -> Result<(), StoreError> {
    if text.is_empty() {
        return Ok(());
    }
    let sealed = key.seal(text, &record(id))?;
    on_tx!(tx, db => rows_affected(sqlx::query("UPDATE providers SET credentials = $2 WHERE id = $1")
        .bind(id.0).bind(sealed.as_str()).execute(db)))?;
    Ok(())
}

/// Encrypts one provider, unless it was changed in the meantime and is encrypted already. Returns how many were.
async fn seal_clear(tx: &mut Tx, key: &EncryptionKey, provider: SearchProvider) -> Result<u64, StoreError> {
    const TEXT: &str =
        "UPDATE providers SET draft = $3, confidential = $4 WHERE id = $1 AND date_updated = $2";
    let mut spec = provider.spec;
    let confidential = Confidential::take(&mut spec).seal(key, provider.id)?;
    let spec = JsonText::of(&spec)?;
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(provider.id.0)
        .bind(provider.date_updated)
        .bind(spec.clone())
        .bind(confidential.as_str())
        .execute(db)))
}

async fn seal_confidential(
    tx: &mut Tx,
    key: &EncryptionKey,
    id: ProviderId,
    confidential: &Confidential,
) -> Result<(), StoreError> {
    let sealed = confidential.seal(key, id)?;
    if sealed.is_empty() {
        return Ok(());
    }
    on_tx!(tx, db => rows_affected(sqlx::query("UPDATE providers SET confidential = $2 WHERE id = $1")
        .bind(id.0).bind(sealed.as_str()).execute(db)))?;
    Ok(())
}
