//! The status column of searches: its conditions in SQL and its parser.

use domain::ports::StoreError;
use domain::status::SearchStatus;

/// Condition on the column: a finished search.
pub(super) fn is_final(column: &str) -> String {
    format!("{column} IN ({})", names(SearchStatus::is_final))
}

/// Condition on the column: an unfinished search. As in the index `searches_open`, which serves only this text.
pub(crate) fn is_open(column: &str) -> String {
    format!("{column} NOT IN ({})", names(SearchStatus::is_final))
}

/// Condition on the column: a search to which every selected provider delivered.
pub(super) fn is_full(column: &str) -> String {
    format!("{column} IN ({})", names(SearchStatus::is_full))
}

/// Condition: the newest run of an unfinished search. Parameters: 1 search, 2 run.
pub(super) fn is_running() -> String {
    format!("id = $1 AND run = $2 AND {}", is_open("status"))
}

/// The statuses of a set as literals, because a partial index does not serve bound values.
fn names(is_in: fn(SearchStatus) -> bool) -> String {
    let statuses = SearchStatus::ALL.iter().filter(|status| is_in(**status));
    statuses.map(|status| format!("'{}'", status.as_str())).collect::<Vec<_>>().join(", ")
}

pub(super) fn parse_status(id: i64, text: &str) -> Result<SearchStatus, StoreError> {
    SearchStatus::parse(text).ok_or_else(|| StoreError::failed(format!("search {id} has an unknown status")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;
    use crate::migrations::{self, POSTGRES, SQLITE};
    use domain::secret::Secret;
    use sqlx::AssertSqlSafe;

    #[test]
    fn every_status_is_in_the_list_of_final_ones_or_not() {
        for status in SearchStatus::ALL {
            let name = format!("'{}'", status.as_str());
            assert_eq!(is_final("status").contains(&name), status.is_final(), "{name}");
            assert_eq!(is_full("status").contains(&name), status.is_full(), "{name}");
        }
        assert_eq!(is_open("status"), is_final("status").replace(" IN ", " NOT IN "));
    }

    /// A new final status needs a migration that makes the index again.
    #[test]
    fn the_index_of_open_searches_has_the_condition_that_is_asked() {
        for files in [SQLITE, POSTGRES] {
            let newest = files.iter().rev().find(|(.., text)| text.contains("CREATE INDEX searches_open "));
            let (_, name, text) = newest.expect("the index");
            assert!(text.contains(&format!("WHERE {};", is_open("status"))), "{name}");
        }
    }

    const OLDEST_OPEN: &str = "SELECT MIN(date_updated) FROM searches WHERE ";

    #[tokio::test]
    async fn the_index_of_open_searches_is_used_on_sqlite() {
        let db = Db::open(&Secret::new("sqlite::memory:"), 1, crate::STATEMENT_MAX).await.expect("opens");
        migrations::run(&db).await.expect("tables");
        let Db::Sqlite(pools) = &db else { panic!("this is SQLite") };
        let text = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {OLDEST_OPEN}{}", is_open("status")));
        let mut connection = pools.write.acquire().await.expect("a connection");
        let plan: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(text).fetch_all(&mut *connection).await.expect("a plan");
        drop(connection);
        assert!(plan[0].3.contains("searches_open"), "{plan:?}");
        db.close().await;
    }

    #[tokio::test]
    async fn the_index_of_open_searches_is_used_on_postgres() {
        let Some(server) = testkit::postgres::server("the index of open searches") else { return };
        testkit::postgres::with_database(&server, |url| async move {
            let db = Db::open(&Secret::new(url), 2, crate::STATEMENT_MAX).await.expect("opens");
            migrations::run(&db).await.expect("tables");
            let Db::Postgres(pools) = &db else { panic!("this is PostgreSQL") };
            let mut tx = pools.write.begin().await.expect("begun");
            // An empty table is otherwise read as a whole.
            for off in ["SET LOCAL enable_seqscan = off", "SET LOCAL enable_bitmapscan = off"] {
                sqlx::query(off).execute(&mut *tx).await.expect("set");
            }
            let text = AssertSqlSafe(format!("EXPLAIN {OLDEST_OPEN}{}", is_open("status")));
            let plan: Vec<String> = sqlx::query_scalar(text).fetch_all(&mut *tx).await.expect("a plan");
            assert!(plan.iter().any(|line| line.contains("searches_open")), "{plan:?}");
            tx.rollback().await.expect("left");
            db.close().await;
        })
        .await;
    }
}
