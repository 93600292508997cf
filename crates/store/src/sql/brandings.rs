//! Brandings: at most one is active.

use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain};
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::branding::{Branding, BrandingSpec};
use domain::ids::BrandingId;
use domain::instant::{Instant, to_micros};
use domain::ports::{BrandingEdits, BrandingStore, EditableRecord, StoreError};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::types::Json;

macro_rules! columns {
    () => {
        "id, active, date_created, date_updated, draft"
    };
}

row! {
    struct BrandingRow {
        id: i64,
        active: bool,
        date_created: Instant,
        date_updated: Instant,
        draft: Json<BrandingSpec>,
    }
}

impl From<BrandingRow> for Branding {
    fn from(row: BrandingRow) -> Self {
        Self {
            id: BrandingId(row.id),
            spec: row.draft.0,
            active: row.active,
            date_created: row.date_created,
            date_updated: row.date_updated,
        }
    }
}

#[async_trait]
impl BrandingStore for SqlStore {
    async fn create_branding(&self, spec: BrandingSpec, now: Instant) -> Result<Branding, StoreError> {
        const TEXT: &str = concat!(
            "INSERT INTO brandings (name, active, date_created, date_updated, draft) \
             VALUES ($1, TRUE, $2, $2, $3) RETURNING ",
            columns!()
        );
        let text = JsonText::of(&spec)?;
        let mut tx = self.begin_change().await?;
        let made: Branding = on_tx!(&mut tx, db => sqlx::query_as::<_, BrandingRow>(TEXT)
            .bind(plain(&spec.name)).bind(to_micros(now)).bind(text.clone()).fetch_one(db))?
        .into();
        put_away_others(&mut tx, made.id).await?;
        self.commit_change(tx, vec![event(None, Some(&made))]).await?;
        Ok(made)
    }

    async fn branding(&self, id: BrandingId) -> Result<Branding, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM brandings WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, BrandingRow>(TEXT).bind(id.0).fetch_one(db))
            .map(Branding::from)
    }

    async fn brandings(&self) -> Result<Vec<Branding>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM brandings ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, BrandingRow>(TEXT).fetch_all(db))?;
        Ok(rows.into_iter().map(Branding::from).collect())
    }

    async fn active_branding(&self) -> Result<Option<Branding>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM brandings WHERE active LIMIT 1");
        let row = on_db!(self.db, read, db => sqlx::query_as::<_, BrandingRow>(TEXT).fetch_optional(db))?;
        Ok(row.map(Branding::from))
    }
}

#[async_trait]
impl BrandingEdits for SqlStore {
    async fn replace_branding(
        &self,
        id: BrandingId,
        spec: BrandingSpec,
        now: Instant,
    ) -> Result<Branding, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE brandings SET name = $2, active = TRUE, date_updated = $3, draft = $4 WHERE id = $1 RETURNING ",
            columns!()
        );
        let text = JsonText::of(&spec)?;
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Branding(id)).await?;
        let before = stored(&mut tx, id).await?;
        let after: Branding = on_tx!(&mut tx, db => sqlx::query_as::<_, BrandingRow>(TEXT)
            .bind(id.0).bind(plain(&spec.name)).bind(to_micros(now)).bind(text.clone()).fetch_one(db))?
        .into();
        put_away_others(&mut tx, id).await?;
        self.commit_change(tx, vec![event(Some(&before), Some(&after))]).await?;
        Ok(after)
    }

    async fn activate_branding(&self, id: BrandingId, now: Instant) -> Result<Branding, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE brandings SET active = TRUE, date_updated = $2 WHERE id = $1 RETURNING ",
            columns!()
        );
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Branding(id)).await?;
        let before = stored(&mut tx, id).await?;
        let after: Branding = on_tx!(&mut tx, db => sqlx::query_as::<_, BrandingRow>(TEXT)
            .bind(id.0).bind(to_micros(now)).fetch_one(db))?
        .into();
        put_away_others(&mut tx, id).await?;
        self.commit_change(tx, vec![event(Some(&before), Some(&after))]).await?;
        Ok(after)
    }

    async fn delete_branding(&self, id: BrandingId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Branding(id)).await?;
        let before = stored(&mut tx, id).await?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM brandings WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(Some(&before), None)]).await
    }
}

async fn stored(tx: &mut Tx, id: BrandingId) -> Result<Branding, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM brandings WHERE id = $1");
    on_tx!(tx, db => sqlx::query_as::<_, BrandingRow>(TEXT).bind(id.0).fetch_one(db)).map(Branding::from)
}

async fn put_away_others(tx: &mut Tx, id: BrandingId) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE brandings SET active = FALSE, version = version + 1 WHERE id <> $1 AND active";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(id.0).execute(db)))?;
    Ok(())
}

fn event(from: Option<&Branding>, to: Option<&Branding>) -> AuditEvent {
    let one = from.or(to);
    let name = one.map(|one| one.spec.name.as_str()).unwrap_or_default();
    let id = one.map(|one| one.id.0);
    let (from, to) = (from.map(told), to.map(told));
    AuditEvent::edit(Kind::Branding, id, name, from.as_ref(), to.as_ref())
}

/// The audit log records that a logo changed, but not the image.
fn told(one: &Branding) -> Value {
    let mut fields = serde_json::to_value(&one.spec).unwrap_or_default();
    fields["active"] = Value::Bool(one.active);
    for (field, picture) in [("logo_light", &one.spec.logo_light), ("logo_dark", &one.spec.logo_dark)] {
        if !picture.is_empty() {
            let hash = Sha256::digest(picture.as_bytes());
            let short: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            fields[field] = Value::String(format!("picture {short}"));
        }
    }
    fields
}
