//! Query Transforms.

use crate::SqlStore;
use crate::db::{changed, on_db};
use crate::json::plain;
use async_trait::async_trait;
use domain::contracts::{QueryTransformStore, StoreError};
use domain::ids::{TransformId, UserId};
use domain::instant::{Instant, to_micros};
use domain::query_transform::{QueryTransform, TransformDraft, TransformType};

macro_rules! columns {
    () => {
        "id, owner, name, qrx_type, shared, config_content, date_created, date_updated"
    };
}

#[derive(sqlx::FromRow)]
struct TransformRow {
    id: i64,
    owner: i64,
    name: String,
    qrx_type: String,
    shared: bool,
    config_content: String,
    date_created: Instant,
    date_updated: Instant,
}

impl TryFrom<TransformRow> for QueryTransform {
    type Error = StoreError;

    fn try_from(row: TransformRow) -> Result<Self, StoreError> {
        let qrx_type = TransformType::parse(&row.qrx_type)
            .ok_or_else(|| StoreError::Failed(format!("query transform {} has an unknown type", row.id)))?;
        Ok(Self {
            id: TransformId(row.id),
            owner: UserId(row.owner),
            draft: TransformDraft {
                name: row.name,
                shared: row.shared,
                qrx_type,
                config_content: row.config_content,
            },
            date_created: row.date_created,
            date_updated: row.date_updated,
        })
    }
}

#[async_trait]
impl QueryTransformStore for SqlStore {
    async fn create_transform(
        &self,
        draft: TransformDraft,
        owner: UserId,
        now: Instant,
    ) -> Result<QueryTransform, StoreError> {
        const TEXT: &str = concat!(
            "INSERT INTO query_transforms (owner, name, qrx_type, shared, config_content, date_created, \
             date_updated) VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING ",
            columns!()
        );
        on_db!(self.db, write, db => sqlx::query_as::<_, TransformRow>(TEXT)
            .bind(owner.0)
            .bind(plain(&draft.name))
            .bind(draft.qrx_type.as_str())
            .bind(draft.shared)
            .bind(plain(&draft.config_content))
            .bind(to_micros(now))
            .fetch_one(db))?
        .try_into()
    }

    async fn transform(&self, id: TransformId) -> Result<QueryTransform, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM query_transforms WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, TransformRow>(TEXT).bind(id.0).fetch_one(db))?
            .try_into()
    }

    async fn transforms(&self) -> Result<Vec<QueryTransform>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM query_transforms ORDER BY id");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, TransformRow>(TEXT).fetch_all(db))?;
        rows.into_iter().map(QueryTransform::try_from).collect()
    }

    async fn replace_transform(
        &self,
        id: TransformId,
        draft: TransformDraft,
        now: Instant,
    ) -> Result<QueryTransform, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE query_transforms SET name = $2, qrx_type = $3, shared = $4, config_content = $5, \
             date_updated = $6 WHERE id = $1 RETURNING ",
            columns!()
        );
        on_db!(self.db, write, db => sqlx::query_as::<_, TransformRow>(TEXT)
            .bind(id.0)
            .bind(plain(&draft.name))
            .bind(draft.qrx_type.as_str())
            .bind(draft.shared)
            .bind(plain(&draft.config_content))
            .bind(to_micros(now))
            .fetch_one(db))?
        .try_into()
    }

    async fn delete_transform(&self, id: TransformId) -> Result<(), StoreError> {
        let rows = on_db!(self.db, write, db => changed(
            sqlx::query("DELETE FROM query_transforms WHERE id = $1").bind(id.0).execute(db)))?;
        if rows == 0 { Err(StoreError::NotFound) } else { Ok(()) }
    }
}
