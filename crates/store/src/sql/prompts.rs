//! Prompts.

use crate::SqlStore;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain};
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::ids::{PromptId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{EditableRecord, PromptEdits, PromptStore, StoreError};
use domain::prompt::{PromptRecord, PromptSpec};
use sqlx::types::Json;

macro_rules! columns {
    () => {
        "id, owner, draft, date_created, date_updated"
    };
}

row! {
    struct PromptRow {
        id: i64,
        owner: Option<i64>,
        draft: Json<PromptSpec>,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl From<PromptRow> for PromptRecord {
    fn from(row: PromptRow) -> Self {
        Self {
            id: PromptId(row.id),
            owner: row.owner.map(UserId),
            spec: row.draft.0,
            date_created: row.date_created,
            date_updated: row.date_updated,
        }
    }
}

#[async_trait]
impl PromptStore for SqlStore {
    async fn create_prompt(
        &self,
        spec: PromptSpec,
        owner: Option<UserId>,
        now: Instant,
    ) -> Result<PromptRecord, StoreError> {
        const TEXT: &str = concat!(
            "INSERT INTO prompts (owner, name, shared, draft, date_created, date_updated) \
             VALUES ($1, $2, $3, $4, $5, $5) RETURNING ",
            columns!()
        );
        let text = JsonText::of(&spec)?;
        let mut tx = self.begin_change().await?;
        let made: PromptRecord = on_tx!(&mut tx, db => sqlx::query_as::<_, PromptRow>(TEXT)
            .bind(owner.map(|owner| owner.0))
            .bind(plain(&spec.name))
            .bind(spec.shared)
            .bind(text.clone())
            .bind(to_micros(now))
            .fetch_one(db))?
        .into();
        self.commit_change(tx, vec![event(None, Some(&made))]).await?;
        Ok(made)
    }

    async fn prompt(&self, id: PromptId) -> Result<PromptRecord, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM prompts WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, PromptRow>(TEXT).bind(id.0).fetch_one(db))
            .map(PromptRecord::from)
    }

    async fn prompts(&self) -> Result<Vec<PromptRecord>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM prompts ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, PromptRow>(TEXT).fetch_all(db))?;
        Ok(rows.into_iter().map(PromptRecord::from).collect())
    }
}

#[async_trait]
impl PromptEdits for SqlStore {
    async fn replace_prompt(
        &self,
        id: PromptId,
        spec: PromptSpec,
        now: Instant,
    ) -> Result<PromptRecord, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE prompts SET name = $2, shared = $3, draft = $4, date_updated = $5 WHERE id = $1 RETURNING ",
            columns!()
        );
        let text = JsonText::of(&spec)?;
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Prompt(id)).await?;
        let before = stored(&mut tx, id).await?;
        let after: PromptRecord = on_tx!(&mut tx, db => sqlx::query_as::<_, PromptRow>(TEXT)
            .bind(id.0)
            .bind(plain(&spec.name))
            .bind(spec.shared)
            .bind(text.clone())
            .bind(to_micros(now))
            .fetch_one(db))?
        .into();
        self.commit_change(tx, vec![event(Some(&before), Some(&after))]).await?;
        Ok(after)
    }

    async fn delete_prompt(&self, id: PromptId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Prompt(id)).await?;
        let before = stored(&mut tx, id).await?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM prompts WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(Some(&before), None)]).await
    }
}

/// Adds a standard prompt or restores it; an unchanged one is not written.
pub(super) async fn restore(db: &Db, spec: &PromptSpec, now: Instant) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO prompts (owner, name, shared, draft, date_created, date_updated) \
         VALUES (NULL, $1, $2, $3, $4, $4) ON CONFLICT (name) DO UPDATE SET shared = excluded.shared, \
         draft = excluded.draft, date_updated = excluded.date_updated, version = prompts.version + 1 \
         WHERE prompts.owner IS NULL AND CAST(prompts.draft AS TEXT) <> CAST(excluded.draft AS TEXT)";
    const THERE: &str = "SELECT draft FROM prompts WHERE name = $1 AND owner IS NULL";
    let there: Option<Json<PromptSpec>> = on_db!(*db, read, db =>
        sqlx::query_scalar(THERE).bind(plain(&spec.name)).fetch_optional(db))?;
    // Usually nothing has to be written.
    if there.is_some_and(|there| there.0 == *spec) {
        return Ok(());
    }
    let text = JsonText::of(spec)?;
    on_db!(*db, write, db => rows_affected(sqlx::query(TEXT)
        .bind(plain(&spec.name))
        .bind(spec.shared)
        .bind(text.clone())
        .bind(now)
        .execute(db)))?;
    Ok(())
}

async fn stored(tx: &mut Tx, id: PromptId) -> Result<PromptRecord, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM prompts WHERE id = $1");
    on_tx!(tx, db => sqlx::query_as::<_, PromptRow>(TEXT).bind(id.0).fetch_one(db)).map(PromptRecord::from)
}

fn event(from: Option<&PromptRecord>, to: Option<&PromptRecord>) -> AuditEvent {
    let one = from.or(to);
    let name = one.map(|one| one.spec.name.as_str()).unwrap_or_default();
    let id = one.map(|one| one.id.0);
    let fields = |one: &PromptRecord| serde_json::to_value(&one.spec).unwrap_or_default();
    let (from, to) = (from.map(fields), to.map(fields));
    AuditEvent::edit(Kind::Prompt, id, name, from.as_ref(), to.as_ref())
}
