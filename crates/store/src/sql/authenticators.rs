//! Authenticators. The whole spec is encrypted for its record, so an authenticator gets its id before its spec.

use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::encryption::EncryptionKey;
use crate::json::unwritable;
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::authenticator::{Authenticator, AuthenticatorSpec};
use domain::ids::AuthenticatorId;
use domain::instant::{Instant, to_micros};
use domain::ports::{AuthenticatorEdits, AuthenticatorStore, EditableRecord, StoreError};
use domain::secret_binding::Destinations;

macro_rules! columns {
    () => {
        "id, idp, draft, date_created, date_updated"
    };
}

row! {
    struct AuthenticatorRow {
        id: i64,
        idp: String,
        draft: String,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl AuthenticatorRow {
    /// If a spec cannot be decrypted, the unencrypted columns remain: the record can be listed and entered again.
    fn open(self, key: &EncryptionKey) -> Authenticator {
        let opened = key.open(&self.draft, &record(AuthenticatorId(self.id))).ok();
        let spec = opened.and_then(|text| serde_json::from_str(text.expose()).ok());
        Authenticator {
            id: AuthenticatorId(self.id),
            is_unreadable: spec.is_none(),
            spec: spec.unwrap_or_else(|| AuthenticatorSpec::unreadable(self.idp)),
            date_created: self.date_created,
            date_updated: self.date_updated,
        }
    }
}

#[async_trait]
impl AuthenticatorStore for SqlStore {
    async fn create_authenticator(
        &self,
        spec: AuthenticatorSpec,
        now: Instant,
    ) -> Result<Authenticator, StoreError> {
        const TEXT: &str = "INSERT INTO authenticators (idp, draft, date_created, date_updated) \
             VALUES ($1, '', $2, $2) RETURNING id";
        let now = to_micros(now);
        let mut tx = self.begin_change().await?;
        let id =
            on_tx!(&mut tx, db => sqlx::query_scalar(TEXT).bind(spec.idp.as_str()).bind(now).fetch_one(db))
                .map(AuthenticatorId)?;
        write(&mut tx, &self.key, id, &spec, now).await?;
        self.commit_change(tx, vec![event(id, None, Some(&spec))]).await?;
        Ok(Authenticator { id, spec, is_unreadable: false, date_created: now, date_updated: now })
    }

    async fn authenticator(&self, id: AuthenticatorId) -> Result<Authenticator, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM authenticators WHERE id = $1");
        let row = on_db!(self.db, read, db => sqlx::query_as::<_, AuthenticatorRow>(TEXT).bind(id.0).fetch_one(db))?;
        Ok(row.open(&self.key))
    }

    async fn authenticators(&self) -> Result<Vec<Authenticator>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM authenticators ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, AuthenticatorRow>(TEXT).fetch_all(db))?;
        Ok(rows.into_iter().map(|row| row.open(&self.key)).collect())
    }
}

#[async_trait]
impl AuthenticatorEdits for SqlStore {
    async fn replace_authenticator(
        &self,
        id: AuthenticatorId,
        spec: AuthenticatorSpec,
        now: Instant,
    ) -> Result<Authenticator, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM authenticators WHERE id = $1");
        let now = to_micros(now);
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Authenticator(id)).await?;
        let row =
            on_tx!(&mut tx, db => sqlx::query_as::<_, AuthenticatorRow>(TEXT).bind(id.0).fetch_one(db))?;
        let date_created = row.date_created;
        let before = row.open(&self.key).spec;
        write(&mut tx, &self.key, id, &spec, now).await?;
        // People's tokens belong to the addresses that issued them.
        if Destinations::of_authenticator(&spec).has_others_than(&Destinations::of_authenticator(&before)) {
            on_tx!(&mut tx, db => rows_affected(sqlx::query("DELETE FROM connections WHERE authenticator_id = $1")
                .bind(id.0).execute(db)))?;
        }
        self.commit_change(tx, vec![event(id, Some(&before), Some(&spec))]).await?;
        Ok(Authenticator { id, spec, is_unreadable: false, date_created, date_updated: now })
    }

    async fn delete_authenticator(&self, id: AuthenticatorId) -> Result<(), StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM authenticators WHERE id = $1");
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Authenticator(id)).await?;
        let row =
            on_tx!(&mut tx, db => sqlx::query_as::<_, AuthenticatorRow>(TEXT).bind(id.0).fetch_one(db))?;
        let before = row.open(&self.key).spec;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM authenticators WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(id, Some(&before), None)]).await
    }
}

async fn write(
    tx: &mut Tx,
    key: &EncryptionKey,
    id: AuthenticatorId,
    spec: &AuthenticatorSpec,
    now: Instant,
) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE authenticators SET idp = $2, draft = $3, date_updated = $4 WHERE id = $1";
    let text = serde_json::to_string(spec).map_err(unwritable)?;
    let sealed = key.seal(&text, &record(id))?;
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(id.0).bind(spec.idp.as_str()).bind(sealed.as_str()).bind(now).execute(db)))?;
    Ok(())
}

/// The audit log compares the secrets themselves, and stores them masked.
fn event(
    id: AuthenticatorId,
    from: Option<&AuthenticatorSpec>,
    to: Option<&AuthenticatorSpec>,
) -> AuditEvent {
    let fields = |one: &AuthenticatorSpec| serde_json::to_value(one).unwrap_or_default();
    let name = from.or(to).map(|one| one.idp.as_str()).unwrap_or_default();
    let (from, to) = (from.map(fields), to.map(fields));
    AuditEvent::edit(Kind::Authenticator, Some(id.0), name, from.as_ref(), to.as_ref())
}

/// The record that an encrypted spec is bound to.
fn record(id: AuthenticatorId) -> String {
    format!("authenticator:{id}")
}
