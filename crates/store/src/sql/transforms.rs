//! Query Transforms.

use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::json::plain;
use crate::row::row;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::ids::{TransformId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{EditableRecord, QueryTransformEdits, QueryTransformStore, StoreError};
use domain::query_transform::{QueryTransform, TransformSpec, TransformType};

macro_rules! columns {
    () => {
        "id, owner, name, qrx_type, shared, config_content, date_created, date_updated"
    };
}

row! {
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
}

impl TryFrom<TransformRow> for QueryTransform {
    type Error = StoreError;

    fn try_from(row: TransformRow) -> Result<Self, StoreError> {
        let qrx_type = TransformType::parse(&row.qrx_type)
            .ok_or_else(|| StoreError::failed(format!("query transform {} has an unknown type", row.id)))?;
        Ok(Self {
            id: TransformId(row.id),
            owner: UserId(row.owner),
            spec: TransformSpec {
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
        spec: TransformSpec,
        owner: UserId,
        now: Instant,
    ) -> Result<QueryTransform, StoreError> {
        const TEXT: &str = concat!(
            "INSERT INTO query_transforms (owner, name, qrx_type, shared, config_content, date_created, \
             date_updated) VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING ",
            columns!()
        );
        let mut tx = self.begin_change().await?;
        let made: QueryTransform = on_tx!(&mut tx, db => sqlx::query_as::<_, TransformRow>(TEXT)
            .bind(owner.0)
            .bind(plain(&spec.name))
            .bind(spec.qrx_type.as_str())
            .bind(spec.shared)
            .bind(plain(&spec.config_content))
            .bind(to_micros(now))
            .fetch_one(db))?
        .try_into()?;
        self.commit_change(tx, vec![event(None, Some(&made))]).await?;
        Ok(made)
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
}

#[async_trait]
impl QueryTransformEdits for SqlStore {
    async fn replace_transform(
        &self,
        id: TransformId,
        spec: TransformSpec,
        now: Instant,
    ) -> Result<QueryTransform, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE query_transforms SET name = $2, qrx_type = $3, shared = $4, config_content = $5, \
             date_updated = $6 WHERE id = $1 RETURNING ",
            columns!()
        );
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Transform(id)).await?;
        let before = stored(&mut tx, id).await?;
        let after: QueryTransform = on_tx!(&mut tx, db => sqlx::query_as::<_, TransformRow>(TEXT)
            .bind(id.0)
            .bind(plain(&spec.name))
            .bind(spec.qrx_type.as_str())
            .bind(spec.shared)
            .bind(plain(&spec.config_content))
            .bind(to_micros(now))
            .fetch_one(db))?
        .try_into()?;
        self.commit_change(tx, vec![event(Some(&before), Some(&after))]).await?;
        Ok(after)
    }

    async fn delete_transform(&self, id: TransformId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Transform(id)).await?;
        let before = stored(&mut tx, id).await?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM query_transforms WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(Some(&before), None)]).await
    }
}

async fn stored(tx: &mut Tx, id: TransformId) -> Result<QueryTransform, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM query_transforms WHERE id = $1");
    on_tx!(tx, db => sqlx::query_as::<_, TransformRow>(TEXT).bind(id.0).fetch_one(db))?.try_into()
}

fn event(from: Option<&QueryTransform>, to: Option<&QueryTransform>) -> AuditEvent {
    let name = from.or(to).map(|one| one.spec.reference()).unwrap_or_default();
    let id = from.or(to).map(|one| one.id.0);
    let fields = |one: &QueryTransform| serde_json::to_value(&one.spec).unwrap_or_default();
    let (from, to) = (from.map(fields), to.map(fields));
    AuditEvent::edit(Kind::QueryTransform, id, &name, from.as_ref(), to.as_ref())
}
