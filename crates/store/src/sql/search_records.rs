//! Reads what a search needs before it queries providers: from SQLite in one call of the thread that owns the
//! connection, from PostgreSQL over several connections.

use super::pipelines::{self, PipelineRow};
use super::providers::{self, ProviderRow};
use super::task_columns::is_untouched;
use super::user_rows::{UserRow, fold, user_columns, with_groups};
use crate::SqlStore;
use crate::db::{Db, SqlitePools, on_connection};
use crate::error::failure;
use crate::json::{to_column, to_count};
use async_trait::async_trait;
use domain::ids::UserId;
use domain::pipeline::Pipeline;
use domain::ports::{
    PipelineStore, PreferenceStore, ProviderStore, QueueName, SearchCounts, SearchRecordStore, SearchRecords,
    SearchStore, StoreError, TaskStore, UserStore,
};
use domain::preferences::Preferences;
use sqlx::sqlite::SqliteRow;
use sqlx::types::Json;
use sqlx::{FromRow, QueryBuilder, Row, Sqlite};

/// A row of any of the statements; `record` names which.
enum RecordRow {
    User(UserRow),
    SearchCounts {
        waiting: i64,
        stored: i64,
    },
    Preferences(Preferences),
    /// Its error is no error of the others.
    Pipeline(sqlx::Result<PipelineRow>),
    Provider(Box<ProviderRow>),
}

impl<'r> FromRow<'r, SqliteRow> for RecordRow {
    fn from_row(row: &'r SqliteRow) -> sqlx::Result<Self> {
        Ok(match row.try_get::<&str, _>("record")? {
            "user" => Self::User(UserRow::from_row(row)?),
            "search_counts" => {
                Self::SearchCounts { waiting: row.try_get("waiting")?, stored: row.try_get("stored")? }
            }
            "preferences" => Self::Preferences(row.try_get::<Json<Preferences>, _>("wishes")?.0),
            "pipeline" => Self::Pipeline(PipelineRow::from_row(row)),
            "provider" => Self::Provider(Box::new(ProviderRow::from_row(row)?)),
            other => return Err(sqlx::Error::Decode(format!("there is no record {other:?}").into())),
        })
    }
}

#[async_trait]
impl SearchRecordStore for SqlStore {
    async fn search_records(
        &self,
        owner: UserId,
        count_up_to: Option<u64>,
        pipeline: &str,
    ) -> Result<SearchRecords, StoreError> {
        match &self.db {
            Db::Sqlite(pools) => {
                let rows = read_from_sqlite(pools, owner, count_up_to, pipeline).await?;
                self.collect_records(rows)
            }
            Db::Postgres(_) => self.read_one_by_one(owner, count_up_to, pipeline).await,
        }
    }
}

impl SqlStore {
    fn collect_records(&self, rows: Vec<RecordRow>) -> Result<SearchRecords, StoreError> {
        let (mut users, mut providers) = (Vec::new(), Vec::new());
        let mut search_counts = None;
        let mut preferences = Preferences::default();
        let mut pipeline = Err(StoreError::NotFound);
        for row in rows {
            match row {
                RecordRow::User(row) => users.push(row),
                RecordRow::SearchCounts { waiting, stored } => {
                    let (waiting, stored) = (to_count(waiting), to_count(stored));
                    search_counts = Some(SearchCounts { waiting, stored });
                }
                RecordRow::Preferences(stored) => preferences = stored,
                RecordRow::Pipeline(row) => pipeline = row.map(Pipeline::from).map_err(failure),
                RecordRow::Provider(row) => providers.push(row.open(&self.key)),
            }
        }
        let owner = fold(users).pop().ok_or(StoreError::NotFound)?;
        Ok(SearchRecords { owner, search_counts, preferences, pipeline, providers })
    }

    async fn read_one_by_one(
        &self,
        owner: UserId,
        count_up_to: Option<u64>,
        pipeline: &str,
    ) -> Result<SearchRecords, StoreError> {
        let counts = async {
            let Some(max) = count_up_to else { return Ok(None) };
            let (waiting, stored) = tokio::try_join!(
                self.waiting_tasks_of(QueueName::Search, owner),
                self.count_searches(owner, max),
            )?;
            Ok::<_, StoreError>(Some(SearchCounts { waiting, stored }))
        };
        // Its error is no error of the others.
        let pipeline = async { Ok::<_, StoreError>(self.pipeline_by_name(pipeline).await) };
        let (owner, search_counts, preferences, pipeline, providers) =
            tokio::try_join!(self.user(owner), counts, self.preferences(owner), pipeline, self.providers())?;
        Ok(SearchRecords { owner, search_counts, preferences, pipeline, providers })
    }
}

/// The rows of all statements. Each is decoded while the next ones are read.
async fn read_from_sqlite(
    pools: &SqlitePools,
    owner: UserId,
    count_up_to: Option<u64>,
    pipeline: &str,
) -> Result<Vec<RecordRow>, StoreError> {
    const USER: &str = concat!(
        "SELECT 'user' AS record, ",
        user_columns!(),
        " FROM users ",
        with_groups!(),
        " WHERE users.id = "
    );
    const WAITING: &str = concat!(
        "; SELECT 'search_counts' AS record, (SELECT COUNT(*) FROM tasks WHERE ",
        is_untouched!("tasks"),
        " AND queue = "
    );
    const PIPELINE: &str =
        concat!("; SELECT 'pipeline' AS record, ", pipelines::columns!(), " FROM pipelines WHERE name = ");
    const PROVIDERS: &str =
        concat!("; SELECT 'provider' AS record, ", providers::columns!(), " FROM providers ORDER BY id");
    let mut query = QueryBuilder::<Sqlite>::new(USER);
    query.push_bind(owner.0);
    if let Some(max) = count_up_to {
        query.push(WAITING).push_bind(QueueName::Search.as_str());
        query.push(" AND owner = ").push_bind(owner.0);
        query
            .push(") AS waiting, (SELECT COUNT(*) FROM (SELECT 1 FROM searches WHERE owner = ")
            .push_bind(owner.0);
        query.push(" LIMIT ").push_bind(to_column(max)).push(")) AS stored");
    }
    query
        .push("; SELECT 'preferences' AS record, wishes FROM preferences WHERE user_id = ")
        .push_bind(owner.0);
    query.push(PIPELINE).push_bind(pipeline);
    query.push(PROVIDERS);
    on_connection!(pools.read, connection => query.build_query_as::<RecordRow>().fetch_all(connection))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::STATEMENT_MAX;
    use domain::secret::Secret;

    #[tokio::test]
    async fn a_record_of_an_unknown_kind_is_an_error() {
        let db = Db::open(&Secret::new("sqlite::memory:"), 1, STATEMENT_MAX).await.expect("opens");
        let Db::Sqlite(pools) = &db else { panic!("this is SQLite") };
        let mut connection = pools.read.acquire().await.expect("a connection");
        let text = "SELECT 'other' AS record";
        let row = sqlx::query_as::<Sqlite, RecordRow>(text).fetch_one(&mut *connection).await;
        assert!(matches!(row, Err(sqlx::Error::Decode(_))));
    }
}
