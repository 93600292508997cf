//! Several statements in one transaction of SQLite, in one call of the thread that owns the connection.
//!
//! The driver runs each statement, also `BEGIN` and `COMMIT`, on that thread, and its caller waits each time: that
//! takes longer than the statements of a search themselves.

use crate::db::SqlitePools;
use crate::error::failure;
use domain::ports::StoreError;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, QueryBuilder, Sqlite};

/// Statements of one transaction. A later one cannot depend on what an earlier one returned; `changes()` is the number
/// of rows that the last writing statement changed.
pub(crate) struct SqliteBatch(QueryBuilder<Sqlite>);

impl SqliteBatch {
    pub(crate) fn new() -> Self {
        // IMMEDIATE, as in `Db::begin`.
        Self(QueryBuilder::new("BEGIN IMMEDIATE"))
    }

    /// Adds a statement, to which the caller appends its values.
    pub(crate) fn statement(&mut self, text: &str) -> &mut QueryBuilder<Sqlite> {
        self.0.push("; ").push(text)
    }

    /// Runs all statements or none. Returns the rows of those that return some.
    pub(crate) async fn run<T>(mut self, pools: &SqlitePools) -> Result<Vec<T>, StoreError>
    where
        T: for<'r> FromRow<'r, SqliteRow>,
    {
        self.0.push("; COMMIT");
        let mut connection = pools.write.acquire().await.map_err(failure)?;
        pools.open_batch.begin();
        // All rows before the first is decoded: a row that cannot be decoded would stop the batch somewhere.
        let rows = self.0.build().fetch_all(&mut *connection).await;
        if rows.is_ok() {
            pools.open_batch.end();
        }
        connection.keep_after(&rows);
        // After a failure, the connection is rolled back when it is given back.
        let rows = rows.map_err(failure)?;
        rows.iter().map(|row| T::from_row(row).map_err(failure)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::STATEMENT_MAX;
    use crate::db::Db;
    use domain::secret::Secret;
    use std::time::Duration;

    async fn open(folder: &tempfile::TempDir) -> SqlitePools {
        let url = format!("sqlite://{}", folder.path().join("a.db").display());
        let db = Db::open(&Secret::new(&url), 2, STATEMENT_MAX).await.expect("opens");
        let Db::Sqlite(pools) = db else { panic!("it is SQLite") };
        let table = "CREATE TABLE numbers (number INTEGER PRIMARY KEY)";
        let mut connection = pools.write.acquire().await.expect("a connection");
        sqlx::query(table).execute(&mut *connection).await.expect("a table");
        drop(connection);
        pools
    }

    fn insert(numbers: &[i64]) -> SqliteBatch {
        let mut batch = SqliteBatch::new();
        for number in numbers {
            batch.statement("INSERT INTO numbers VALUES (").push_bind(*number).push(") RETURNING number");
        }
        batch
    }

    async fn stored(pools: &SqlitePools) -> Vec<(i64,)> {
        let mut connection = pools.write.acquire().await.expect("a connection");
        let text = "SELECT number FROM numbers ORDER BY 1";
        sqlx::query_as(text).fetch_all(&mut *connection).await.expect("rows")
    }

    #[tokio::test]
    async fn rows_of_all_statements_are_returned() {
        let folder = tempfile::tempdir().expect("a folder");
        let pools = open(&folder).await;
        let rows: Vec<(i64,)> = insert(&[3, 1]).run(&pools).await.expect("stored");
        assert_eq!(rows, [(3,), (1,)]);
        assert_eq!(stored(&pools).await, [(1,), (3,)]);
    }

    #[tokio::test]
    async fn a_failed_statement_undoes_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let pools = open(&folder).await;
        for _ in 0..3 {
            assert!(insert(&[1, 2, 1]).run::<(i64,)>(&pools).await.is_err());
            assert_eq!(stored(&pools).await, []);
        }
        insert(&[1]).run::<(i64,)>(&pools).await.expect("the connection is free again");
        assert_eq!(stored(&pools).await, [(1,)]);
    }

    #[tokio::test]
    async fn a_caller_that_stops_waiting_leaves_all_or_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let pools = open(&folder).await;
        for round in 0..40_u64 {
            let first = i64::try_from(round).expect("small") * 10;
            let batch = insert(&[first, first + 1, first + 2]);
            let waited = tokio::time::timeout(Duration::from_micros(round * 10), batch.run::<(i64,)>(&pools));
            let is_done = waited.await.is_ok();
            let of_round = stored(&pools).await.iter().filter(|(number,)| *number >= first).count();
            assert!(of_round == 3 || (of_round == 0 && !is_done), "{of_round} in round {round}");
        }
        insert(&[1_000]).run::<(i64,)>(&pools).await.expect("the connection is free again");
    }
}
