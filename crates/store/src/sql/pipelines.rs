//! Pipelines: named lists of post-result processors.

use crate::SqlStore;
use crate::db::{on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain};
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::ids::PipelineId;
use domain::instant::{Instant, to_micros};
use domain::pipeline::{Pipeline, PipelineSpec};
use domain::ports::{EditableRecord, PipelineEdits, PipelineStore, StoreError};
use serde_json::json;
use sqlx::types::Json;

macro_rules! columns {
    () => {
        "id, name, processors, date_updated"
    };
}
pub(super) use columns;

row! {
    pub(super) struct PipelineRow {
        id: i64,
        name: String,
        processors: Json<Vec<String>>,
        date_updated: Instant,
    }
}

impl From<PipelineRow> for Pipeline {
    fn from(row: PipelineRow) -> Self {
        Self {
            id: PipelineId(row.id),
            name: row.name,
            processors: row.processors.0,
            date_updated: row.date_updated,
        }
    }
}

#[async_trait]
impl PipelineStore for SqlStore {
    async fn ensure_pipeline(&self, name: &str, processors: &[&str], now: Instant) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO pipelines (name, processors, date_updated) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO NOTHING";
        let processors = JsonText::of(processors)?;
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(plain(name)).bind(processors.clone()).bind(to_micros(now)).execute(db)))?;
        Ok(())
    }

    async fn pipelines(&self) -> Result<Vec<Pipeline>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM pipelines ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, PipelineRow>(TEXT).fetch_all(db))?;
        Ok(rows.into_iter().map(Pipeline::from).collect())
    }

    async fn pipeline(&self, id: PipelineId) -> Result<Pipeline, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM pipelines WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, PipelineRow>(TEXT).bind(id.0).fetch_one(db))
            .map(Pipeline::from)
    }

    async fn pipeline_by_name(&self, name: &str) -> Result<Pipeline, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM pipelines WHERE name = $1");
        if name.contains('\0') {
            return Err(StoreError::NotFound);
        }
        on_db!(self.db, read, db => sqlx::query_as::<_, PipelineRow>(TEXT).bind(name).fetch_one(db))
            .map(Pipeline::from)
    }
}

#[async_trait]
impl PipelineEdits for SqlStore {
    async fn replace_pipeline(
        &self,
        id: PipelineId,
        spec: PipelineSpec,
        now: Instant,
    ) -> Result<Pipeline, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE pipelines SET processors = $2, date_updated = $3 WHERE id = $1 RETURNING ",
            columns!()
        );
        const BEFORE: &str = "SELECT processors FROM pipelines WHERE id = $1";
        let processors = JsonText::of(&spec.processors)?;
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Pipeline(id)).await?;
        let Json(before): Json<Vec<String>> =
            on_tx!(&mut tx, db => sqlx::query_scalar(BEFORE).bind(id.0).fetch_one(db))?;
        let after: Pipeline = on_tx!(&mut tx, db => sqlx::query_as::<_, PipelineRow>(TEXT)
            .bind(id.0).bind(processors.clone()).bind(to_micros(now)).fetch_one(db))?
        .into();
        let (from, to) = (json!({"processors": before}), json!({"processors": after.processors}));
        let event = AuditEvent::edit(Kind::Pipeline, Some(id.0), &after.name, Some(&from), Some(&to));
        self.commit_change(tx, vec![event]).await?;
        Ok(after)
    }
}
